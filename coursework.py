"""Until release 2.0: `python -m coursework` says where it went."""

import sys

print("coursework: the command is python -m course.grading now", file=sys.stderr)
sys.exit(2)
