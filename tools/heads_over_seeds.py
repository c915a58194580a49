"""Measure what the heads do with pronouns in models trained from different seeds.

    python -m transformer_lib train --task en-es --seed 1 --out runs/en-es-1     # and 2, ...
    python tools/heads_over_seeds.py data/models/en-es runs/en-es-1 runs/en-es-2

writes data/models/en-es/heads.json: for each seed the best head, where it looks, and what happens
to the agreement when it is switched off or changed.
"""

import sys
from pathlib import Path

from transformer_lib.files import read_json, write_json
from transformer_lib.interpret.pronouns import head_report
from transformer_lib.metrics import evaluate_pronouns
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL, Translator


def measure(folder: Path) -> dict:
    """The report of one model, rounded to what another machine would print as well."""
    translator, items = Translator.load(folder), english_spanish.load_pronoun()
    report = head_report(translator, items)
    return {
        "steps": read_json(folder / "recipe.json")["training"]["steps"],
        "pair_exact_match": evaluate_pronouns(translator, items)["pair_exact_match"],
        "sentences": report["sentences"],
        "best_head": rounded(report["best_head"]),
        "agreement": rounded(report["agreement"]),
        "each_head_off": rounded(report["each_head_off"]),
        "best_from_pronoun": rounded(
            max(
                (row for row in report["heads"] if row["from"] == "pronoun"),
                key=lambda row: row["right"],
            )
        ),
    }


def rounded(row: dict) -> dict:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}


def main(folders: list[Path]) -> None:
    seeds = {}
    for folder in folders:
        seed = read_json(folder / "recipe.json")["training"]["seed"]
        seeds[str(seed)] = measure(folder)
        print(seed, seeds[str(seed)]["best_head"], seeds[str(seed)]["agreement"], flush=True)
    write_json(SHIPPED_MODEL / "heads.json", {"seeds": seeds})


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
