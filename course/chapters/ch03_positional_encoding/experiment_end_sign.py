"""Experiment: the end sign's row points against the positions. Does <eos> erase its place?

In the shipped model the row of <eos>, added to any position, nearly vanishes: its scaled embedding
has a cosine of -0.87 with the mean position vector. That can be looked at in other seeds, and asked
of the model itself: change the vector that stands at <eos>, and count the sentences still right.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from course.chapters.journey.experiments import untrained
from course.experiments import experiment
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import RECIPES, train_recipe
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import EOS, PAD, SPECIALS
from transformer_lib.translator import SHIPPED_MODEL, Translator

PLACES = 16  # positions that occur in the corpus, and of which the mean is taken
SHIFTS = (1, 3, 8)  # how many positions further a word is said to stand
SENTENCES = 300  # of the split "test"
RUNS = ((0, 8000), (0, 2000), (1, 2000), (2, 2000))  # seed and steps; the first is the shipped one
NARROW = ((0, 1000), (1, 1000), (2, 1000), (3, 1000))  # half as wide: only looked at
FOLDER = Path("runs")  # a training that is found here isn't made again
# What stands at <eos> or at the last word, (sentences, d_model), and its positions -> what shall.
Change = Callable[[Tensor, Tensor], Tensor]


def mean_position(model: Transformer) -> Tensor:
    """What the vectors of the first positions have in common."""
    return model.src_positions.table[:PLACES].mean(dim=0)


@torch.no_grad()
def against_the_positions(translator: Translator) -> dict[str, float]:
    """How the row of <eos> lies to the mean position, beside the rows of all words."""
    model = translator.model
    rows = model.src_embed.table.weight * model.src_embed.scale
    common, places = mean_position(model), model.src_positions.table[:PLACES]
    cosines = torch.cosine_similarity(rows, common, dim=-1)
    words = slice(len(SPECIALS), None)

    def sums(of: Tensor) -> float:
        return (of[:, None] + places).norm(dim=-1).mean().item()

    return {
        "eos": cosines[EOS].item(),
        "words": cosines[words].mean().item(),
        "lowest word": cosines[words].min().item(),
        "length of the row of eos": rows[EOS].norm().item(),
        "length of eos plus position": sums(rows[EOS : EOS + 1]),
        "length of a word plus position": sums(rows[words]),
    }


@contextmanager
def changed(model: Transformer, which: str, change: Change) -> Iterator[None]:
    """Inside the `with`, the embedding of "<eos>" or of the "last word" is another.

    The position is added afterwards, as always: what `change` adds, stands in the sum.
    """

    def hook(part, args, output):
        (ids,) = args
        at = (ids != PAD).sum(dim=1) - (1 if which == "<eos>" else 2)
        rows = torch.arange(len(ids))
        output = output.clone()
        output[rows, at] = change(output[rows, at], at)
        return output

    handle = model.src_embed.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


@torch.no_grad()
def changes(model: Transformer) -> dict[str, tuple[str, Change]]:
    """Every change that is tried: its name -> where, and what happens there."""
    table, common = model.src_positions.table, mean_position(model)
    direction = common / common.norm()
    row = model.src_embed.table.weight[EOS] * model.src_embed.scale
    along = (row @ direction) * direction  # the part of <eos> that lies along the mean position
    noise = torch.randn(len(row), generator=torch.Generator().manual_seed(0))
    elsewhere = along.norm() * noise / noise.norm()  # as long, in a direction drawn at random

    def shifted(by: int) -> Change:
        return lambda x, at: x + table[at + by] - table[at]

    found: dict[str, tuple[str, Change]] = {}
    for which in ("<eos>", "last word"):
        for by in SHIFTS:
            found[f"{which}: {by} further"] = which, shifted(by)
        found[f"{which}: no position"] = which, lambda x, at: x - table[at]
    return found | {
        "<eos>: without the part along the positions": ("<eos>", lambda x, at: x - along),
        "<eos>: as much changed elsewhere": ("<eos>", lambda x, at: x - elsewhere),
        "<eos>: only the part along the positions": ("<eos>", lambda x, at: 0 * x + along),
        "<eos>: a row of zeros": ("<eos>", lambda x, at: 0 * x),
        "last word: with the part of <eos>": ("last word", lambda x, at: x + along),
        "last word: as much changed elsewhere": ("last word", lambda x, at: x + elsewhere),
    }


def right(
    translator: Translator, pairs: Sequence[tuple[str, str]], change: str | None = None
) -> float:
    """The share of sentences translated to the letter, with one of `changes` or as trained."""
    if change is None:
        return _right(translator, pairs)
    which, how = changes(translator.model)[change]
    with changed(translator.model, which, how):
        return _right(translator, pairs)


def _right(translator: Translator, pairs: Sequence[tuple[str, str]]) -> float:
    written = [one.text for one in translator.translate([source for source, _ in pairs])]
    return sum(a == b for a, (_, b) in zip(written, pairs, strict=True)) / len(pairs)


def trained(seed: int, steps: int, narrow: bool = False) -> Translator:
    """The recipe's model from another seed, or after fewer steps, or half as wide."""
    recipe = RECIPES["en-es"]
    if (seed, steps, narrow) == (recipe.training.seed, recipe.training.steps, False):
        return Translator.load(SHIPPED_MODEL)
    model = dataclasses.replace(recipe.model, d_model=64, d_ff=256) if narrow else recipe.model
    how = dataclasses.replace(recipe.training, seed=seed, steps=steps)
    if narrow:
        how = dataclasses.replace(how, warmup=200)
    folder = FOLDER / f"en-es-{'narrow-' if narrow else ''}{seed}-{steps}"
    if (folder / "training.json").exists():  # it has come to its end
        return Translator.load(folder)
    return train_recipe(dataclasses.replace(recipe, model=model, training=how), folder)


@experiment("end-sign")
def does_it_erase_its_place() -> dict[str, Any]:
    """How <eos> lies to the positions in several seeds, and what changes at <eos> do."""
    pairs = english_spanish.load("test")[:SENTENCES]
    runs = [{"seed": 0, "steps": 0, "d_model": 128, **look_at(untrained(Translator.load()))}]
    plan = [(*run, False) for run in RUNS] + [(*run, True) for run in NARROW]
    for seed, steps, narrow in tqdm(plan, unit="model"):
        translator = trained(seed, steps, narrow)
        run = {
            "seed": seed,
            "steps": steps,
            "d_model": translator.model.config.d_model,
            **look_at(translator),
        }
        if not narrow:
            names = [None, *changes(translator.model)]
            run["right"] = {
                name or "as trained": round(right(translator, pairs, name), 4) for name in names
            }
        runs.append(run)
    return {"sentences": len(pairs), "places": PLACES, "runs": runs}


def look_at(translator: Translator) -> dict[str, dict[str, float]]:
    return {"rows": {k: round(v, 4) for k, v in against_the_positions(translator).items()}}
