"""What commands have in common: options of several, and the message when one fails."""

import argparse
import sys
from collections.abc import Sequence
from typing import TypeAlias

from transformer_lib.translator import SHIPPED_MODEL, model_folder

PROGRAM = "transformer-lib"
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class UserError(ValueError):
    """Something that whoever typed the command can mend; the message says how."""


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run one command; 0 if all went well, 2 (and one sentence on standard error) if not."""
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except (ValueError, OSError) as error:
        return complain(explain(error), parser.prog)
    except KeyboardInterrupt:
        return complain("stopped", parser.prog)


def explain(error: Exception) -> str:
    """One sentence about what went wrong."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"can't use {error.filename}: {error.strerror}"
    return str(error)


def complain(message: str, program: str = PROGRAM) -> int:
    """Print a message on standard error -> 2, the status of a command that failed."""
    print(f"{program}: {message}", file=sys.stderr)
    return 2


def positive(text: str) -> int:
    """A whole number, 1 or more, as an option; else argparse.ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 1 or more")
    return int(text)


def natural(text: str) -> int:
    """A whole number, 0 or more, as an option; else argparse.ArgumentTypeError."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 0 or more")
    return int(text)


def add_skip_bad(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--skip-bad",
        type=natural,
        metavar="N",
        help="leave out and report up to N lines of --data that are no sentence pair (none)",
    )


def say_skipped(message: str) -> None:
    """Say on standard error which line of a corpus is left out, and why."""
    print(f"skipped: {message}", file=sys.stderr)


def add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--model",
        type=model_folder,
        default=SHIPPED_MODEL,
        metavar="NAME",
        help="grammar: the small English-Spanish model, sure of its own sentences (the default); "
        "tatoeba: the larger one, for any sentence; or a folder written by train",
    )
    add_device(command)


def add_device(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--device",
        default="cpu",
        metavar="NAME",
        help="where to compute: cpu, cuda (an NVIDIA GPU; cuda:1 is the second), mps (a Mac's), "
        "auto (the fastest there is); default: cpu",
    )
