"""The chapters, a folder for each notebook: its figures, its exercises' checks, its experiments.

`journey` follows one word through all of them.
"""

import tomllib
from pathlib import Path

# The notebooks of the series in their order, as course/series.toml has them.
SERIES = tomllib.loads(
    Path(__file__).parents[1].joinpath("series.toml").read_text(encoding="utf-8")
)["notebook"]
# Folder -> its notebook, in the order of the series: so are the figures in FIGURES, and the
# experiments in EXPERIMENTS.
CHAPTERS = {"journey": ""} | {one["folder"]: one["file"] for one in SERIES if one["folder"]}


def parts_of_the_series() -> list[tuple[str, list[dict[str, str]]]]:
    """The parts in their order, each with its notebooks. A part may go on after another began."""
    parts: dict[str, list[dict[str, str]]] = {}
    for one in SERIES:
        parts.setdefault(one["part"], []).append(one)
    last = "Experiments", "Beside the series"
    return sorted(parts.items(), key=lambda part: last.index(part[0]) + 1 if part[0] in last else 0)
