"""README has the series of the notebooks, docs/using.md the numbers that were measured."""

import json

import numpy as np
from PIL import Image

from course.chapters import SERIES
from course.cli import main
from course.notebook_tools import sections
from tests.here import ROOT, read


def test_the_series_has_every_notebook():
    """README's table and that of the first notebook are made from it."""
    assert sorted(one["file"] for one in SERIES) == [*sections.series()]


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
