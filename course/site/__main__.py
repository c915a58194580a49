"""The command line: see the package."""

import argparse
import sys
from pathlib import Path

from course.site.site import ROOT, build, build_book

OPENED = {"site": "index.html", "slides": "slides.html", "book": "book.pdf"}


def main(arguments: list[str]) -> int:
    """0, or 1 after saying what is missing."""
    parser = argparse.ArgumentParser(prog="python -m web", description="Make the site.")
    parser.add_argument("what", choices=OPENED)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="the folder (site)")
    options = parser.parse_args(arguments)
    try:
        site = build(options.out)
        if options.what == "book":
            build_book(site)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Open {options.out / OPENED[options.what]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
