"""Until release 2.0: `python -m web` says where it went."""

import sys

if __name__ == "__main__":
    print("`python -m web` is now `python -m course`: site, slides or book", file=sys.stderr)
    sys.exit(2)
