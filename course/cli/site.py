"""site, slides, book: the series as pages to read anywhere."""

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPENED = {
    "site": ("index.html", "make the site: the series as pages, for a server or a double click"),
    "slides": ("slides.html", "make the site, and say where the slides are: a deck a notebook"),
    "book": ("book.pdf", "make the site, and print all of it (needs Chromium or Chrome)"),
}


def add_parser(commands: argparse._SubParsersAction) -> None:
    for name, (_, about) in OPENED.items():
        command = commands.add_parser(name, help=about, description=f"{about.capitalize()}.")
        command.add_argument(
            "--out", type=Path, default=ROOT / "site", metavar="DIR", help="the folder (site)"
        )
        command.set_defaults(run=run, what=name)


def run(options: argparse.Namespace) -> int:
    from course.site.build import build, build_book

    site = build(options.out)
    if options.what == "book":
        build_book(site)
    print(f"Open {options.out / OPENED[options.what][0]}")
    return 0
