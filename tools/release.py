"""`make release`: everything that a release consists of, in dist, and whether it agrees.

    .venv/bin/python tools/release.py           # build and compare
    .venv/bin/python tools/release.py --tag     # and tag, if all agrees (make release TAG=yes)

The wheel and the source, the site, the book, all figures, and their checksums. Nothing is sent
anywhere: that is done by whoever publishes the tag. Ends with 1, and says what disagrees.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATED = re.compile(r"^## \[(.+?)\] - (\S+)$", re.MULTILINE)


def found(pattern: str, text: str) -> str:
    """What a pattern's group finds; "" if nothing."""
    told = re.search(pattern, text, re.MULTILINE)
    return told[1] if told else ""


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def told_versions() -> dict[str, str]:
    """The version wherever somebody writes it by hand."""
    return {
        "pyproject.toml": tomllib.loads(read("pyproject.toml"))["project"]["version"],
        "transformer_lib": found(r'^__version__ = "(.+)"$', read("transformer_lib/__init__.py")),
        "CITATION.cff": found(r"^version: (.+)$", read("CITATION.cff")),
        "docs/CHANGELOG.md": found(DATED.pattern, read("docs/CHANGELOG.md")),
    }


def printed_versions(site: Path) -> dict[str, str]:
    """The version wherever the site has put it; "" where it is missing."""
    patterns = {"about.html": r"Version (\d[\w.]*\w)", "book.html": r"version (\S+?)<"}
    return {
        name: found(pattern, (site / name).read_text("utf-8")) if (site / name).exists() else ""
        for name, pattern in patterns.items()
    }


def disagreements(versions: Mapping[str, str]) -> list[str]:
    """What isn't as pyproject.toml says, a sentence each."""
    right = versions["pyproject.toml"]
    return [
        f"{where} says {version or 'nothing'}, pyproject.toml {right}"
        for where, version in versions.items()
        if version != right
    ]


def parts(version: str) -> list[str]:
    """The names of the files; `build` stops where there is no wheel or source of this version."""
    return [
        f"transformer_lib-{version}-py3-none-any.whl",
        f"transformer_lib-{version}.tar.gz",
        f"transformer-site-{version}.zip",
        f"transformer-book-{version}.pdf",
        f"transformer-figures-{version}.zip",
    ]


def against_a_tag() -> list[str]:
    """What has to be done before this can be tagged, a sentence each."""
    version, date = DATED.search(read("docs/CHANGELOG.md")).groups()
    reasons = []
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        reasons.append(f"docs/CHANGELOG.md says {date}: date it")
    if git("status", "--porcelain"):
        reasons.append("not everything is committed")
    if git("tag", "--list", f"v{version}"):
        reasons.append(f"there is a tag v{version} already")
    return reasons


def git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def build(dist: Path, site: Path, version: str) -> None:
    """Write all parts into dist, in place of what was there."""
    shutil.rmtree(dist, ignore_errors=True)
    figures = dist / "figures"

    def run(*arguments: object) -> None:
        subprocess.run([sys.executable, "-m", *map(str, arguments)], cwd=ROOT, check=True)

    run("hatchling", "build", "--directory", dist)
    run("course", "book", "--out", site)
    run("course", "figures", "--all", "--out", figures, "--format", "svg", "pdf")
    shutil.make_archive(str(dist / f"transformer-site-{version}"), "zip", site)
    shutil.make_archive(str(dist / f"transformer-figures-{version}"), "zip", figures)
    shutil.copyfile(site / "book.pdf", dist / f"transformer-book-{version}.pdf")
    shutil.rmtree(figures)
    files = {name: (dist / name).read_bytes() for name in parts(version)}
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()]
    (dist / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--tag", action="store_true", help="tag it, if all agrees")
    told = options.parse_args()
    dist, site = ROOT / "dist", ROOT / "site"
    versions = told_versions()
    version = versions["pyproject.toml"]
    wrong = disagreements(versions)  # seconds, so before the minutes
    wrong += against_a_tag() if told.tag else []
    if not wrong:
        build(dist, site, version)
        wrong = disagreements(versions | printed_versions(site))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    if wrong:
        return 1
    print(f"{version}: all agree; {dist} holds", *parts(version), sep="\n  ")
    if told.tag:
        git("tag", "--annotate", f"v{version}", "--message", f"Version {version}")
        print(f"tagged v{version}; publish it with: git push origin v{version}")
    else:
        for sentence in against_a_tag():
            print("before a tag:", sentence)
    return 0


if __name__ == "__main__":
    sys.exit(main())
