"""mine: the reader's own Transformer, checked part by part, trained, and put to work."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from transformer_lib.cli.common import UserError, positive


def add_parser(commands: argparse._SubParsersAction) -> None:
    file = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    file.add_argument(
        "--file", type=Path, metavar="FILE.py", help="another file (work/my_transformer.py)"
    )
    mine = commands.add_parser(
        "mine",
        parents=[file],
        help="your own Transformer: which parts are there and right; train it, translate with it",
        description="Your own Transformer, in twelve parts: docs/mine.md has their names. Alone, "
        "the command checks all that are there.",
    )
    mine.set_defaults(run=check, number=None)
    ways = mine.add_subparsers(title="more", metavar="check | train | translate")
    one = ways.add_parser("check", parents=[file], help="check one part alone")
    one.add_argument("number", type=int, choices=range(1, 13), metavar="PART", help="1 to 12")
    training = ways.add_parser(
        "train",
        parents=[file],
        help="train it on the course's sentences, ten minutes; it goes on where it was stopped",
    )
    training.add_argument(
        "--steps", type=positive, metavar="N", help="updates of the weights, in all (3000)"
    )
    training.set_defaults(run=or_one_sentence(train))
    translating = ways.add_parser("translate", parents=[file], help="translate a sentence with it")
    translating.add_argument("text", metavar="SENTENCE")
    translating.set_defaults(run=or_one_sentence(translate))


def path_of(options: argparse.Namespace) -> Path:
    from course.mine.keeping import FILE, WORK

    sys.stdout.reconfigure(errors="replace")  # a Windows file may have no sign for "right"
    return getattr(options, "file", WORK / FILE)


def check(options: argparse.Namespace) -> int:
    """0 if all that was looked at is right, else 1."""
    from course.mine.reader import report

    return report(path_of(options), options.number)


def or_one_sentence(command: Callable[[argparse.Namespace], int]) -> Callable:
    """The command; what is wrong with the reader's file ends it with one sentence."""

    def run(options: argparse.Namespace) -> int:
        from course.checks import Hint

        try:
            return command(options)
        except Hint as hint:
            raise UserError(str(hint)) from None

    return run


def train(options: argparse.Namespace) -> int:
    from course.mine import training
    from course.mine.reader import borrow

    path = path_of(options)
    bench, folder = borrow(path), path.parent / training.FOLDER
    losses = training.train(bench, folder, getattr(options, "steps", training.STEPS))
    print(f"The loss fell from {losses[0]:.1f} to {losses[-1]:.2f}.")
    print(training.test(training.translator(bench, folder)[0]))
    return 0


def translate(options: argparse.Namespace) -> int:
    from course.mine import training
    from course.mine.reader import TRAINING_ONLY, borrow

    path = path_of(options)
    bench = borrow(path, but=TRAINING_ONLY)
    write, where = training.translator(bench, path.parent / training.FOLDER)
    print(f"Your Transformer, {where}:")
    print(write(options.text))
    return 0
