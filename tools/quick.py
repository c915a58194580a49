"""`make quick`: does the library still work? Its style, its types, and its tests but for slow ones.

    .venv/bin/python tools/quick.py

Some 100 seconds of processor time, so about a minute on two. What is marked `slow` is left to
`make test`, what is marked `nightly` to `make nightly`.
"""

import sys

from check import ALWAYS, run

TESTS = ("tests/transformer_lib", "tests/project/test_imports.py")


def main() -> int:
    return run([*ALWAYS, *TESTS], "-m", "not slow and not nightly")


if __name__ == "__main__":
    sys.exit(main())
