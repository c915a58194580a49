"""Which license each thing has, as REUSE.toml says; the site, and the tests, take it from there."""

import re
import tomllib
from pathlib import Path

from course.notebook_tools.sections import ROOT

TABLE = ROOT / "REUSE.toml"
# The kinds of things here, each with a file that is one of them.
KINDS = {
    "code": "transformer_lib/model/attention.py",
    "text": "README.md",
    "data": "data/models/en-es/model.safetensors",
    "larger": "data/models/tatoeba-en-es/model.safetensors",
}
# What others made and the pages bring along: the files in the site, and their license here.
OTHERS = {
    "static/CourseSans-*.woff": (
        "Course Sans, the letters of the pages: a font cut from Adobe's Source Sans 3",
        "course/drawing/fonts/OFL.txt",
    ),
    "static/math.woff": (
        "STIX Two Math, a font for formulas",
        "course/site/others/LICENSE-STIX-Two-Math.txt",
    ),
    "static/vega.js": (
        "Vega, Vega-Lite and Vega-Embed, which draw charts",
        "course/site/others/LICENSE-Vega.txt",
    ),
}


def identifier(file: str, table: Path = TABLE) -> str:
    """The license of a file of the project, as an SPDX expression. KeyError: none fits it."""
    found = ""
    for entry in tomllib.loads(table.read_text(encoding="utf-8"))["annotations"]:
        paths = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
        if any(fits(path, file) for path in paths):
            found = entry["SPDX-License-Identifier"]  # the last one counts
    if not found:
        raise KeyError(file)
    return found


def fits(path: str, file: str) -> bool:
    """Whether a file is one of those that a path of the table means: ** is anything, * no slash."""
    parts = re.split(r"(\*+)", path)
    signs = {"**": ".*", "*": "[^/]*"}
    return bool(re.fullmatch("".join(signs.get(p) or re.escape(p) for p in parts), file))


def spoken(spdx: str) -> str:
    """CC-BY-4.0 -> CC BY 4.0; others are spoken as they are written."""
    return re.sub(r"^CC(0|-BY)-", lambda found: f"CC{found[1]} ".replace("-", " "), spdx)


def by_kind() -> dict[str, str]:
    """What one says of each kind: {"code": "MIT", …}."""
    return {kind: spoken(identifier(file)) for kind, file in KINDS.items()}


def texts() -> list[tuple[str, str]]:
    """The full texts of our own licenses: names in the project, and what is written there."""
    own = sorted({identifier(file) for file in KINDS.values()})
    names = ["LICENSE", *(f"LICENSES/{spdx}.txt" for spdx in own)]
    return [(name, (ROOT / name).read_text(encoding="utf-8")) for name in names]


def of_others() -> list[tuple[str, str]]:
    """What others made of what is in the site, and its full license."""
    return [(what, (ROOT / file).read_text("utf-8")) for what, file in OTHERS.values()]
