"""Until release 2.0: `python tools/count_notebooks.py` says where it went."""

import sys

if __name__ == "__main__":
    print(
        "`python tools/count_notebooks.py` is now `python -m course.notebook_tools.count`",
        file=sys.stderr,
    )
    sys.exit(2)
