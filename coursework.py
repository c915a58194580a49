"""What `python -m coursework` was is `python -m course.grading` now; this says so, for one release."""

import sys

print("coursework: the command is python -m course.grading now", file=sys.stderr)
sys.exit(2)
