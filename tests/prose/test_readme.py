"""README has the series of the notebooks, docs/using.md the numbers that were measured."""

import json
import re
from pathlib import Path

import numpy as np
from PIL import Image

from course.cli import main

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_and_the_first_notebook_show_the_same_series():
    row = re.compile(r"\|\s*\**(\d\d|a\d)\**\s*\| *[\[*]*([^|*\]\n]+)")
    notebook = json.loads(read("notebooks/00_start_here.ipynb"))
    prose = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    series = sorted(row.findall(read("README.md")))
    numbers = [path.name[:2] for path in sorted((ROOT / "notebooks").glob("[0-9a][0-9]_*.ipynb"))]
    assert [number for number, _ in series] == numbers and numbers[:15] == [
        f"{number:02}" for number in range(15)
    ]
    assert sorted(row.findall("\n".join(prose))) == series


def test_the_page_on_using_it_says_how_good_the_translators_are():
    """As it was measured: Multi30k's three numbers, and the larger translator's score."""
    multi30k, french, everyday = (
        json.loads(read(f"data/experiments/{name}.json"))
        for name in ("multi30k", "multi30k-fr", "everyday")
    )
    readme = read("docs/using.md").replace("\n", " ")
    mean = multi30k["mean_bleu"]
    chosen, ranked = (f"{mean[how]:.1f}" for how in ("beam", "per_word"))
    unseen = [run["per_word"]["bleu"] for run in multi30k["runs"] if run["seed"] > 0]
    published = f"{multi30k['published']['bleu']:.1f}"
    assert f"all chosen on validation | **{chosen}** | {published} |" in readme
    assert f"by log-probability per piece | {ranked} | {published} |" in readme
    assert f"the seed that was looked at before | {sum(unseen) / 2:.1f} | {published} |" in readme
    (run,) = french["runs"]
    published = f"{french['published']['bleu']:.1f}"
    assert f"**{run['beam']['bleu']:.1f}** (one run) | {published} |" in readme
    assert f"ranked as published | {run['per_word']['bleu']:.1f} | {published} |" in readme
    tatoeba = everyday["tatoeba"]["beam 1"]
    assert f"| {tatoeba['sentences']:,} sentences that were kept apart |" in readme
    assert f"| **{tatoeba['bleu']:.1f}** |" in readme


def test_the_readme_shows_the_machine_as_it_is_drawn_today(tmp_path):
    command = ["figures", "--only", "machine", "--format", "png", "--out"]
    assert main([*command, str(tmp_path)]) == 0
    small = []
    for folder in (tmp_path, ROOT / "docs" / "pictures"):
        with Image.open(folder / "machine.png") as picture:
            small.append(np.asarray(picture.convert("L").resize((300, 200)), float))
    assert abs(small[0] - small[1]).mean() < 3, f"{' '.join(command)} docs/pictures"
