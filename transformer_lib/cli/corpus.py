"""corpus get: fetch sentences that people wrote."""

import argparse
from pathlib import Path

from transformer_lib.cli.common import Commands, complain


def add_parser(commands: Commands) -> None:
    corpus = commands.add_parser(
        "corpus",
        help="fetch sentences that people wrote",
        description="corpus get NAME fetches a public corpus.",
    )
    actions = corpus.add_subparsers(required=True, metavar="get")
    fetch = actions.add_parser(
        "get",
        help="fetch a public corpus, ready for train --data",
        description="Fetch a public corpus from its source, check it, and write train.tsv, "
        "validation.tsv and test.tsv. What is there already is not fetched again; a file that "
        "can't be fetched here can be put in its place by hand.",
    )
    fetch.add_argument(
        "name",
        choices=["tatoeba-en-es", "multi30k-en-de", "multi30k-en-fr"],
        metavar="NAME",
        help="%(choices)s",
    )
    fetch.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where to keep it (in the system's cache folder, or $TRANSFORMER_LIB_CACHE)",
    )
    fetch.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from transformer_lib.text import downloads

    splits = downloads.get(options.name, options.out, complain)
    print(downloads.CORPORA[options.name].about)
    for split, path in splits.items():
        print(f"{split:<12}{len(path.read_bytes().splitlines()):>8,} pairs  {path}")
    data, validation = splits["train"], splits["validation"]
    print(f"try: transformer-lib train --data {data} --validation {validation}")
    return 0
