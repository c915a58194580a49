"""Which license each thing has, as REUSE.toml says; the site, and the tests, take it from there."""

import re
import tomllib
from pathlib import Path

from course.notebook_tools.sections import ROOT

TABLE = ROOT / "REUSE.toml"
# The kinds of things here, each with a file that is one of them.
KINDS = {
    "code": "transformer_lib/model/attention.py",
    "text and figures": "README.md",
    "data and models": "data/models/en-es/model.safetensors",
    "the larger model": "data/models/tatoeba-en-es/model.safetensors",
}
# What others made and the pages bring along: the file in the site, and its license.
OTHERS = {
    "static/math.woff": ("STIX Two Math, a font for formulas", "LICENSE-STIX-Two-Math.txt"),
    "static/vega.js": ("Vega, Vega-Lite and Vega-Embed, which draw charts", "LICENSE-Vega.txt"),
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
    files = [ROOT / "LICENSE", *sorted((ROOT / "LICENSES").glob("*.txt"))]
    named = [(file.relative_to(ROOT).as_posix(), file) for file in files]
    return [(name, file.read_text(encoding="utf-8")) for name, file in named]


def of_others() -> list[tuple[str, str]]:
    """What others made of what is in the site, and its full license."""
    folder = Path(__file__).parent / "others"
    return [(what, (folder / file).read_text("utf-8")) for what, file in OTHERS.values()]
