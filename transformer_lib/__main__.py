"""The command line: python -m transformer_lib COMMAND, as its --help says."""

import sys

from transformer_lib.cli import main

if __name__ == "__main__":
    sys.exit(main())
