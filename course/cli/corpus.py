"""corpus: let the grammar write its sentences again."""

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction) -> None:
    corpus = commands.add_parser(
        "corpus",
        help="write the English-Spanish corpus again",
        description="Write every split of the English-Spanish corpus, the same bytes each time.",
    )
    corpus.add_argument("--out", type=Path, metavar="DIR", required=True, help="where to write")
    corpus.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from course.grammar import splits

    for path in splits.write(options.out):
        print(path)
    return 0
