"""README: its numbers are those that were measured, its series that of the notebooks."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_and_the_first_notebook_show_the_same_series():
    row = re.compile(r"\|\s*\**(\d\d|a\d)\**\s*\| *[\[*]*([^|*\]\n]+)")
    notebook = json.loads(read("notebooks/00_start_here.ipynb"))
    prose = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    series = row.findall(read("README.md"))
    numbers = [path.name[:2] for path in sorted((ROOT / "notebooks").glob("[0-9a][0-9]_*.ipynb"))]
    assert [number for number, _ in series] == numbers and numbers[:15] == [
        f"{number:02}" for number in range(15)
    ]
    assert row.findall("\n".join(prose)) == series


def test_the_readme_says_how_good_the_translators_are():
    """As it was measured: Multi30k's three numbers, and the larger translator's score."""
    multi30k, french, everyday = (
        json.loads(read(f"data/experiments/{name}.json"))
        for name in ("multi30k", "multi30k-fr", "everyday")
    )
    readme = read("README.md").replace("\n", " ")
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
