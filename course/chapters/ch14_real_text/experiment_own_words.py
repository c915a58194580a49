"""Experiment: a finished translator learns the words of a field, and what it forgets over that.

Fifty sentences of beekeepers to learn from and fifty others with the same words were written before
anything was trained on them. No setting was chosen by the second fifty.
"""

import dataclasses
import tempfile
import time
from pathlib import Path
from typing import Any

from course.experiments import experiment
from course.experiments.digit_training import one_thread
from transformer_lib.metrics import evaluate_everyday, real_text_scores
from transformer_lib.recipes import more_recipe, train_recipe
from transformer_lib.text import everyday
from transformer_lib.text.data import DATA, read_table
from transformer_lib.translator import Translator

FOLDER = DATA / "beekeeping"
LEARN = FOLDER / "learn.tsv"
SEEDS = (0, 1)
REPLAY = 0.5  # share of the phrasebook's sentences


def kept() -> list[tuple[str, str, str]]:
    """The sentences that were kept apart: English, Spanish, and the word of the field in it."""
    return read_table(FOLDER / "kept.tsv", ("english", "spanish", "word"))


@experiment("own-words")
def what_fifty_sentences_teach() -> dict[str, Any]:
    """What the larger translator makes of a field's words before and after it has learned them.

    replay: the share of phrasebook sentences among those that it learns from, none or REPLAY.
    """
    runs = [learn(replay, seed) for replay in (0.0, REPLAY) for seed in SEEDS]
    return {"before": judged(Translator.load("tatoeba")), "runs": runs}


@one_thread()
def learn(replay: float, seed: int) -> dict[str, Any]:
    """One training, as `train --from tatoeba` does it, and what came of it.

    seconds: of processor time, on one core.
    """
    recipe = more_recipe([LEARN], "tatoeba", replay=replay)
    training = dataclasses.replace(recipe.training, seed=seed)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        recipe = dataclasses.replace(recipe, training=training)
        translator = train_recipe(recipe, Path(folder), threads=1)
    seconds = round(time.process_time() - began)
    return {"replay": replay, "seed": seed, "seconds": seconds, **judged(translator)}


def judged(translator: Translator) -> dict[str, Any]:
    """Sentences kept apart: shares with the field's word and right to the letter, BLEU, chrF;
    and the share of our two hundred everyday sentences that is still right.
    """
    english, spanish, words = zip(*kept(), strict=True)
    written = [found.text for found in translator.translate(english)]
    scores = real_text_scores(written, [[text] for text in spanish])
    there = [word in text.lower() for word, text in zip(words, written, strict=True)]
    return {
        "words": sum(there) / len(there),
        "exact_match": round(scores["exact_match"], 4),
        "bleu": round(scores["bleu"], 1),
        "chrf": round(scores["chrf"], 1),
        "everyday": round(evaluate_everyday(translator, everyday.load())["exact_match"], 4),
        "written": written,
    }
