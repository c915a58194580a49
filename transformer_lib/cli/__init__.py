"""The command line: python -m transformer_lib COMMAND, as its --help says.

There is a file for each command, with add_parser(commands) and run(options). A new one is added to
COMMANDS; what several need is in common.py.
"""

import argparse
import platform
import sys
from collections.abc import Sequence

import torch

from transformer_lib import __version__
from transformer_lib.cli import corpus, evaluate, train, translate
from transformer_lib.cli.common import PROGRAM, run_command

DESCRIPTION = "The Transformer of “Attention Is All You Need”: translate, train, measure."
COMMANDS = (translate, train, evaluate, corpus)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if all went well, 2 (and one sentence on standard error) if not."""
    arguments = sys.argv[1:] if arguments is None else arguments
    return run_command(parser(), arguments)


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog=PROGRAM, description=DESCRIPTION)
    python = platform.python_version()
    version = f"%(prog)s {__version__} (PyTorch {torch.__version__}, Python {python})"
    root.add_argument("--version", action="version", version=version)
    commands = root.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return root
