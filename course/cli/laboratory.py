"""laboratory: the translator in a page for the browser, with its attention."""

import argparse
from pathlib import Path

from transformer_lib.cli.common import UserError, add_model
from transformer_lib.translator import Translator


def add_parser(commands: argparse._SubParsersAction) -> None:
    laboratory = commands.add_parser(
        "laboratory",
        help="write a page to play with: translate and change what heads look at, in the browser",
        description="Write the laboratory as one page, which needs no server and no network. "
        "Example: python -m course laboratory --model tatoeba",
    )
    laboratory.add_argument(
        "--out",
        type=Path,
        default=Path("laboratory.html"),
        metavar="FILE.html",
        help="the page (laboratory.html)",
    )
    add_model(laboratory)
    laboratory.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from course.lab import write_lab

    if options.out.suffix.lower() != ".html":
        raise UserError(f"--out {options.out} must end in .html: it becomes a page")
    print(write_lab(options.out.parent, Translator.load(options.model), options.out.name))
    return 0
