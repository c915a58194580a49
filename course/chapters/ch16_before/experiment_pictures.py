"""Experiment: the recurrent translators on real sentences, from no attention to the Transformer.

Four machines as large within 1 %, the same text, tokens, batches and updates as in
`multi30k-ladder`. The recurrent ones have one learning rate for all, which was chosen in notebook
16's comparison; the Transformer has that of the sweep's "as it is". Nothing is chosen here, so the
test sentences are scored, once for each, greedily, and it is written down when. Half an hour of one
core for each; one that was stopped goes on, and Ctrl-C stores what is complete.
"""

import dataclasses
from pathlib import Path
from typing import Any

from course.chapters.ch14_real_text.experiment_multi30k import (
    machine,
    now,
    seconds,
    token_bleu,
    write,
)
from course.chapters.ch14_real_text.experiment_multi30k_sweep import (
    RECURRENT,
    Setting,
    learn,
    runs_of,
)
from course.experiments import experiment
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import ParallelRecipe
from transformer_lib.text.batching import batch_indices
from transformer_lib.text.data import cache_folder
from transformer_lib.text.parallel import read_parallel

HIDDEN = {"none": 268, "dot": 264, "additive": RECURRENT.hidden}  # as large within 1 %
SETTINGS = (
    *(
        Setting(
            kind,
            recurrent=dataclasses.replace(RECURRENT, attention=kind, hidden=hidden),
            training={"max_lr": 4e-3},
        )
        for kind, hidden in HIDDEN.items()
    ),
    Setting("transformer"),
)


@experiment("multi30k-recurrent")
def recurrent_on_pictures() -> dict[str, Any]:
    """BLEU on Multi30k's test sentences, greedily, of recurrent translators and a Transformer."""
    return {"runs": runs_of("multi30k-recurrent", SETTINGS, measure)}


def measure(setting: Setting, recipe: ParallelRecipe) -> dict[str, Any]:
    """Train, or go on -> size, seconds for an epoch, and greedy BLEU of validation and test."""
    folder = cache_folder() / "runs" / f"multi30k-recurrent-{setting.what}"
    material, how = recipe.load_data(folder), recipe.training
    translator, history = learn(setting, recipe, material, folder)
    steps = history[-1]["step"]
    epochs = steps / len(batch_indices(material.training, how.max_tokens, how.seed))
    found = {
        "parameters": count_parameters(translator.model),
        "machine": machine(),
        "epochs": round(epochs, 1),
        "seconds_per_epoch": round(seconds(folder, material.training, how, steps) / epochs),
        "validation_loss": history[-1]["validation_loss"],
    }
    folder_of_tokens = Path(recipe.files[0]).parent
    for split in ("validation", "test"):
        tokens = list(read_parallel([folder_of_tokens / f"{split}.tokens.tsv"]))
        found[split] = token_bleu(write(translator, tokens), tokens)
    return found | {"test_scored_at": now()}
