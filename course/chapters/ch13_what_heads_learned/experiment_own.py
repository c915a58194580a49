"""The heads of small translators such as notebook 13 trains for a reader who has none.

python -m course experiment own-heads
"""

from typing import Any

from course.chapters.ch13_what_heads_learned.experiment_thread import liked
from course.experiments import experiment
from course.mine import training
from transformer_lib.interpret.patching import ablate_head
from transformer_lib.interpret.pronouns import agreement
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.translator import Translator

SEEDS = range(3)  # the first is the notebook's


@experiment("own-heads")
def heads_of_small_models() -> dict[str, Any]:
    """Small models: plurals that are correct, also without the head that is needed most."""
    plurals = liked(Translator.load(), plural=True, half=0)
    results = []
    for seed in SEEDS:
        own = training.small(training.SHORT_STEPS, seed)
        without = {
            f"{name}, head {head}": agreement(own, plurals, {name: ablate_head(head)})
            for name in attention_layers(own.model)
            if name.startswith("encoder") or name.endswith("cross_attn")
            for head in range(training.SHORT["h"])
        }
        needed = min(without, key=lambda head: without[head])
        results.append(
            {
                "seed": seed,
                "plurals": round(agreement(own, plurals), 4),
                "needed": needed,
                "without it": round(without[needed], 4),
            }
        )
    return {"sentences": len(plurals.pairs), "heads": len(without), "results": results}
