"""The course's command line: python -m course COMMAND, as its --help says.

A file for each command, with add_parser(commands) and run(options). A new one has its place in
COMMANDS; what it has in common with the library's commands is in transformer_lib/cli/common.py.
"""

import argparse
from collections.abc import Sequence

from course.cli import corpus, experiment, figures, laboratory, mine, site, view
from transformer_lib.cli.common import run_command

PROGRAM = "python -m course"
DESCRIPTION = (
    "Your own Transformer; and what the series is made of: draw, measure again, write pages."
)
COMMANDS = (mine, figures, experiment, corpus, view, laboratory, site)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if all went well, 2 (and one sentence on standard error) if not."""
    return run_command(parser(), arguments)


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog=PROGRAM, description=DESCRIPTION)
    commands = root.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return root
