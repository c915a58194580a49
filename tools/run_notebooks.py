"""Until release 2.0: `python tools/run_notebooks.py` says where it went."""

import sys

if __name__ == "__main__":
    print(
        "`python tools/run_notebooks.py` is now `python -m course.notebook_tools.run`",
        file=sys.stderr,
    )
    sys.exit(2)
