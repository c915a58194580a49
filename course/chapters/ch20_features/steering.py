"""Steering: features turned up and off at one word, and what the translation makes of it."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.chapters.ch20_features.labels import Asked
from course.chapters.ch20_features.measures import SITE
from course.chapters.ch20_features.sae import SparseAutoencoder
from transformer_lib.decoding import greedy_decode, inference_mode
from transformer_lib.interpret.patching import Edit, patch_attention, patch_outputs, swap_attention
from transformer_lib.interpret.pronouns import PronounBatch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.translator import Translator

STRENGTHS = (1.0, 2.0, 4.0, 8.0)
CHOOSE = 200  # sentences by which the strength is chosen
AT_RANDOM = "two features at random"  # the control: as large a change as by "two features"
OUTCOMES = ("flipped", "unchanged", "another adjective", "another word")


def change(sae: SparseAutoencoder, x: Tensor, up: Tensor, values: Tensor, off: Tensor) -> Tensor:
    """What to add to each vector x[i] (n, d) to set feature up[i] to values[i], and off[i] to 0.

    up, values, off: each (n). What the dictionary doesn't rebuild stays as it is.
    """
    f = sae.encode(x)
    changed = f.clone()
    n = torch.arange(len(x))
    changed[n, off] = 0.0
    changed[n, up] = values
    return sae.decode(changed) - sae.decode(f)


def steer(
    sae: SparseAutoencoder,
    rows: Tensor,
    places: Tensor,
    up: Tensor,
    values: Tensor,
    off: Tensor,
    as_far_as: tuple[Tensor, Tensor] | None = None,
) -> Edit:
    """The `change` at one word of each sentence. rows, places: each (n).

    as_far_as: (up, off) of other features. Each change gets the length of the one that these, with
    the same values, would make there.
    """

    def edit(x: Tensor) -> Tensor:
        vectors = x[rows, places]
        by = change(sae, vectors, up, values, off)
        if as_far_as is not None:
            theirs = change(sae, vectors, as_far_as[0], values, as_far_as[1])
            by = F.normalize(by, dim=1) * theirs.norm(dim=1, keepdim=True)
        return push(rows, places, by)(x)

    return edit


def push(rows: Tensor, places: Tensor, by: Tensor) -> Edit:
    """At one word of each sentence, the vector by[i] (n, d) is added."""

    def edit(x: Tensor) -> Tensor:
        x = x.clone()
        x[rows, places] = x[rows, places] + by
        return x

    return edit


def turned(translator: Translator, batch: PronounBatch, edit: Edit) -> float:
    """Share of sentences in which the wrong gender's form becomes the likeliest of all words, after
    the right words before it."""
    with inference_mode(translator.model), patch_outputs(translator.model, {SITE: edit}):
        logits = translator.model(batch.src, batch.tgt_in)[batch.rows, batch.adjective_out]
    return (logits.argmax(dim=-1) == batch.wrong).float().mean().item()


def outcomes(
    translator: Translator, items: Sequence[PronounItem], batch: PronounBatch, written: list
) -> dict[str, float]:
    """What became of each sentence, as shares: exactly the gender flipped; nothing changed; the
    adjective's place holds a third word and all else is right; anything else."""
    found = each_outcome(translator, items, batch, written)
    return {name: found.count(name) / len(items) for name in OUTCOMES}


def each_outcome(
    translator: Translator, items: Sequence[PronounItem], batch: PronounBatch, written: list
) -> list[str]:
    """One of OUTCOMES for each sentence."""
    found = []
    for item, place, ids in zip(items, batch.adjective_out.tolist(), written, strict=True):
        words, right = translator.tgt.vocab.decode(ids), translator.tgt.tokenizer(item.spanish)
        if words == [*right[:place], item.wrong, *right[place + 1 :]]:
            found.append("flipped")
        elif words == right:
            found.append("unchanged")
        elif words[:place] + words[place + 1 :] == right[:place] + right[place + 1 :]:
            found.append("another adjective")
        else:
            found.append("another word")
    return found


def by_number(items: Sequence[PronounItem], found: Sequence[str]) -> dict[str, dict[str, float]]:
    """`outcomes` of the sentences whose adjective is said of one thing, and of several, if any."""
    shares = {}
    for name, plural in (("one", False), ("several", True)):
        some = [
            what
            for item, what in zip(items, found, strict=True)
            if item.right.endswith("s") == plural
        ]
        if some:
            shares[name] = {"sentences": len(some)} | {
                what: some.count(what) / len(some) for what in OUTCOMES
            }
    return shares


def rewritten(translator: Translator, batch: PronounBatch, edit: Edit) -> list:
    with patch_outputs(translator.model, {SITE: edit}):
        return greedy_decode(translator.model, batch.src)


def swapped(translator: Translator, batch: PronounBatch, layer: str, head: int) -> list:
    """Notebook 13's swap: two weights of the adjective's row in one head."""
    swap = swap_attention(batch.rows, head, batch.adjective, batch.antecedent, batch.other)
    with patch_attention(translator.model, {layer: swap}):
        return greedy_decode(translator.model, batch.src)


class Levers:
    """What turns the gender of an adjective, read off labelled adjectives of other sentences.

    features: those that find feminine and masculine adjectives best; values: their mean where they
    fire. difference (d): the mean of feminine adjectives minus that of masculine ones.
    """

    def __init__(
        self,
        sae: SparseAutoencoder,
        memory: Tensor,
        adjectives: Asked,
        feminine: int,
        masculine: int,
    ):
        x = memory[adjectives.rows, adjectives.places]
        f = sae.encode(x)
        self.sae = sae
        self.features = torch.tensor([masculine, feminine])
        fired = f[:, self.features]
        self.values = fired.sum(dim=0) / (fired > 0).sum(dim=0).clamp(min=1)
        self.difference = x[adjectives.true].mean(dim=0) - x[~adjectives.true].mean(dim=0)
        generator = torch.Generator().manual_seed(0)
        self.random = torch.randperm(f.size(1), generator=generator)[:2]

    def edits(self, batch: PronounBatch, to_feminine: Tensor, strength: float) -> dict[str, Edit]:
        """to_feminine (n): whether the adjective, masculine now, is to become feminine."""
        goal = to_feminine.long()
        where = batch.rows, batch.adjective
        sign = (2.0 * goal - 1)[:, None]
        values = strength * self.values[goal]
        two, random = (
            (features[goal], features[1 - goal]) for features in (self.features, self.random)
        )
        return {
            "two features": steer(self.sae, *where, two[0], values, two[1]),
            AT_RANDOM: steer(self.sae, *where, random[0], values, random[1], as_far_as=two),
            "difference of means": push(*where, strength * sign * self.difference),
        }


def feminine_now(items: Sequence[PronounItem]) -> Tensor:
    """(n): whether the right adjective of each sentence is feminine."""
    return torch.tensor([item.right.removesuffix("s").endswith("a") for item in items])


def compare(
    translator: Translator, levers: Levers, halves: Sequence[Sequence[PronounItem]]
) -> dict[str, Any]:
    """Each way of turning the gender, at the strength that turned most on the first half of the
    pairs, measured on the second: `outcomes` of sentences written anew.

    Two features at random have no strength of their own: theirs is that of "two features".
    """
    halves = [halves[0][:CHOOSE], halves[1]]
    first, second = (PronounBatch(translator, items) for items in halves)
    to = [~feminine_now(items) for items in halves]
    tried = {
        strength: {
            name: turned(translator, first, edit)
            for name, edit in levers.edits(first, to[0], strength).items()
        }
        for strength in STRENGTHS
    }
    found = {}
    for name in tried[STRENGTHS[0]]:
        chosen_by = "two features" if name == AT_RANDOM else name
        strength = max(STRENGTHS, key=lambda one, by=chosen_by: tried[one][by])
        written = rewritten(translator, second, levers.edits(second, to[1], strength)[name])
        each = each_outcome(translator, halves[1], second, written)
        found[name] = {"strength": strength, **outcomes(translator, halves[1], second, written)}
        found[name]["by number"] = by_number(halves[1], each)
    return found
