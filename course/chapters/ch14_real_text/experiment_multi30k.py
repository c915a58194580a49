"""Experiment: the library beside a published result, on 29,000 descriptions of pictures.

Wu et al. (ACL 2021, https://aclanthology.org/2021.acl-long.480) train a small Transformer on the
text of Multi30k, from English to German, and report 41.02 BLEU on Test2016: of tokens in lower
case, beam of 5, the mean of the last weights.
"""

import dataclasses
import os
import platform
import re
import statistics
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from course.experiments import experiment, load
from course.experiments.long_training import complete
from transformer_lib.decoding import Hypothesis, beam_search, greedy_decode
from transformer_lib.files import read_json
from transformer_lib.metrics import RESAMPLES, sacrebleu_score
from transformer_lib.recipes import ParallelRecipe, multi30k, train_recipe
from transformer_lib.text.batching import batch_indices
from transformer_lib.text.data import cache_folder
from transformer_lib.text.parallel import read_parallel
from transformer_lib.training.batches import Pairs
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.log import read_log
from transformer_lib.training.state import STATE_FILE
from transformer_lib.translator import Translator

TextPairs = Sequence[tuple[str, str]]
# They read 8,000 batches at most, each of 8,192 tokens at most; ours are in the recipe.
# Their "tiny" has our layers and widths, but post-norm; about 10,000 subwords; Adam.
PUBLISHED = {
    "de": {
        "bleu": 41.02,
        "bleu_with_images": 41.96,
        "reference_tokens": 12_103,
        "parameters": 2_570_000,
        "most_tokens": 8000 * 8192,
    },
    "fr": {"bleu": 61.80},
}
# The rest of their setting, from the scripts that they published beside the paper.
PUBLISHED_SETTINGS = {
    "layers, width, inner, heads": "4, 128, 256, 4",
    "norm": "after",
    "dropout, label smoothing": "0.3, 0.1",
    "subwords": "10,000",
    "million weights": "2.6",
    "optimizer, highest rate": "Adam, 0.005",
    "steps of warm-up": "2,000",
    "then the rate falls": "as 1/√step",
    "tokens a step, at most": "8,192",
    "million tokens, at most": "66",
    "averaged at the end": "10 epochs",
    "beam": "5",
    "training runs": "1",
}
SEEDS = (0, 1, 2)
BEAM, PENALTIES = 5, (0.6, 1.0, 1.4, 1.8, 2.2)
WAYS = ("greedy", "beam", "per_word")  # of writing the test sentences


def settings_side_by_side(stored: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The published setting and ours, from the stored results: (what, theirs, ours) by row."""
    model, training = stored["recipe"]["model"], stored["recipe"]["training"]
    ours = {
        "": "ours",
        "layers, width, inner, heads": "{N}, {d_model}, {d_ff}, {h}".format(**model),
        "norm": "before" if model["norm_first"] else "after",
        "dropout, label smoothing": f"{model['dropout']}, {training['smoothing']}",
        "subwords": f"{stored['recipe']['subwords']:,}",
        "million weights": f"{stored['runs'][0]['parameters'] / 1e6:.1f}",
        "optimizer, highest rate": f"{stored['recipe']['optimizer'].title()}, {training['max_lr']}",
        "steps of warm-up": f"{training['warmup']:,}",
        "then the rate falls": f"{training['schedule']}ly",
        "tokens a step, at most": f"{training['max_tokens']:,}",
        "million tokens, at most": f"{training['steps'] * training['max_tokens'] / 1e6:.0f}",
        "averaged at the end": f"{training['average']} checkpoints",
        "beam": str(BEAM),
        "training runs": str(len(stored["runs"])),
    }
    theirs = {"": "published"} | PUBLISHED_SETTINGS
    return [(what, theirs[what], ours[what]) for what in theirs]


@experiment("multi30k")
def to_german() -> dict[str, Any]:
    """BLEU on Multi30k, English to German, in the setting of a published result."""
    return all_seeds("multi30k", "de")


@experiment("multi30k-fr")
def to_french() -> dict[str, Any]:
    """BLEU on Multi30k, English to French, by the same recipe."""
    return all_seeds("multi30k-fr", "fr")


def all_seeds(name: str, target: str) -> dict[str, Any]:
    """Train the seeds that are missing, two hours each, and keep what is stored of others.

    Ctrl-C ends it with what is complete; a training that was stopped goes on with the next call.
    """
    recipe = multi30k(target)
    about = {"published": PUBLISHED[target], "recipe": summary(recipe)}
    stored = load(name)
    same = complete(stored["recipe"]) == complete(about["recipe"])
    runs: list[dict[str, Any]] = stored["runs"] if same else []
    missing = [seed for seed in SEEDS if seed not in [run["seed"] for run in runs]]
    with suppress(KeyboardInterrupt):
        for seed in missing:
            runs = [*runs, measure_seed(recipe, seed)]
    mean = {way: sum(run[way]["bleu"] for run in runs) / len(runs) for way in WAYS if runs}
    return about | {"mean_bleu": mean, "runs": runs}


def summary(recipe: ParallelRecipe) -> dict[str, Any]:
    """The settings of a recipe, without what belongs to a seed or to one disk."""
    content = recipe.to_json()
    training = {name: value for name, value in content["training"].items() if name != "seed"}
    return {
        "model": content["model"],
        "training": training,
        "optimizer": recipe.optimizer,
        "subwords": recipe.subwords,
    }


def measure_seed(recipe: ParallelRecipe, seed: int) -> dict[str, Any]:
    """Train once, or go on -> its scores, and what each step of the way to them is worth."""
    recipe = dataclasses.replace(recipe, training=dataclasses.replace(recipe.training, seed=seed))
    folder = cache_folder() / "runs" / f"{recipe.task}-{seed}"
    if not (folder / "training.json").exists():
        train_recipe(recipe, folder, resume=(folder / STATE_FILE).exists())
    return {"seed": seed, "machine": machine(), **measure_run(folder, recipe)}


def machine() -> str:
    """The processor, as Linux names it, and how many cores there are."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        (name, *_) = re.findall(r"model name\s*: (.*)", told)
    except (OSError, ValueError):
        name = platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def measure_run(folder: Path, recipe: ParallelRecipe) -> dict[str, Any]:
    """Measure a finished run. Whatever is chosen is chosen on the validation pairs.

    The test sentences are scored once for each recipe and seed; stored scores aren't measured
    again.
    """
    translator = Translator.load(folder)
    record = read_json(folder / "training.json")
    tokens = Path(recipe.files[0]).parent
    validation, test = (
        list(read_parallel([tokens / f"{split}.tokens.tsv"])) for split in ("validation", "test")
    )
    with_penalty = {
        penalty: token_bleu(write_by_beam(translator, validation, penalty), validation)["bleu"]
        for penalty in PENALTIES
    }
    best = max(with_penalty, key=with_penalty.__getitem__)
    losses = [entry["validation_loss"] for entry in record["history"]]
    pairs, how = recipe.load_data(folder).training, recipe.training
    steps = record["history"][-1]["step"]
    return {
        "epochs": round(steps / len(batch_indices(pairs, how.max_tokens, how.seed)), 1),
        **{name: record[name] for name in ("parameters", "sentences", "threads")},
        "seconds": seconds(folder, pairs, how, steps),
        "validation_loss": losses[-1],
        "lowest_validation_loss": min(losses),
        "validation_bleu": {str(penalty): bleu for penalty, bleu in with_penalty.items()},
        "length_penalty": best,
        "greedy": token_bleu(write(translator, test), test),
        "beam": token_bleu(write_by_beam(translator, test, best), test),
        "per_word": token_bleu(write_per_word(translator, test), test),
        "per_word_validation": token_bleu(write_per_word(translator, validation), validation),
        "test_scored_at": now(),
    }


def now() -> str:
    """The moment, as results say when the test sentences were scored."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def seconds(folder: Path, pairs: Pairs, how: TrainingConfig, steps: int) -> int:
    """All steps of a run at the pace of most of them, however often it was stopped."""
    epochs = steps / len(batch_indices(pairs, how.max_tokens, how.seed))
    words = epochs * sum(len(written) + 1 for _, written in pairs)  # and the end sign
    pace = statistics.median(line["words_per_second"] for line in read_log(folder)[0])
    return round(words / pace)


def write(translator: Translator, pairs: TextPairs) -> list[str]:
    """Translations of tokens, in tokens: greedily."""
    sources = [translator.src.encode(source) for source, _ in pairs]
    search = partial(greedy_decode, translator.model, max_length=translator.tgt.longest)
    return [translator.tgt.decode(ids) for ids in translator.in_batches(sources, search)]


def write_by_beam(translator: Translator, pairs: TextPairs, length_penalty: float) -> list[str]:
    """The same with a beam."""
    found = searched(translator, pairs, length_penalty=length_penalty)
    return [translator.tgt.decode(best.ids) for best, *_ in found]


def searched(translator: Translator, pairs: TextPairs, **how: Any) -> list[list[Hypothesis]]:
    """What the beam finds for each sentence, best first; how: as in `beam_search`."""
    sources = [translator.src.encode(source) for source, _ in pairs]
    longest = translator.tgt.longest
    search = partial(beam_search, translator.model, beam_size=BEAM, max_length=longest, **how)
    return translator.in_batches(sources, search, batch=32)


def write_per_word(translator: Translator, pairs: TextPairs) -> list[str]:
    """The translation of each beam with the highest log-probability per word, <eos> included.

    So the published ones were written: a length penalty of 1, as its toolkit counts it.
    """
    likeliest = (
        max(several, key=lambda one: (one.finished, one.log_prob / (len(one.ids) + 1)))
        for several in searched(translator, pairs, n_best=BEAM)
    )
    return [translator.tgt.decode(one.ids) for one in likeliest]


def token_bleu(translations: Sequence[str], pairs: TextPairs) -> dict[str, Any]:
    """BLEU of tokens as they stand, as the published result was scored, with its interval."""
    references = [[target] for _, target in pairs]
    found = sacrebleu_score(
        "bleu", translations, references, RESAMPLES, tokenize="none", force=True
    )
    words = {"written": translations, "reference": [target for _, target in pairs]}
    counts = {
        f"{name}_tokens": sum(len(text.split()) for text in texts) for name, texts in words.items()
    }
    return found | counts
