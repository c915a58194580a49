"""Until release 2.0: `python tools/lab.py` says where it went."""

import sys

if __name__ == "__main__":
    print("`python tools/lab.py` is now `python tools/start_jupyterlab.py`", file=sys.stderr)
    sys.exit(2)
