"""Steering: features turned up and off at one word, and what the translation makes of it."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.chapters.ch20_features.labels import Asked
from course.chapters.ch20_features.measures import SITE
from transformer_lib.decoding import greedy_decode, inference_mode
from transformer_lib.interpret.patching import Edit, patch_outputs
from transformer_lib.interpret.pronouns import PronounBatch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.translator import Translator
from transformer_lib.variants.sae import SparseAutoencoder

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


def push(rows: Tensor, places: Tensor, by: Tensor) -> Edit:
    """At one word of each sentence, the vector by[i] (n, d) is added."""

    def edit(x: Tensor) -> Tensor:
        x = x.clone()
        x[rows, places] = x[rows, places] + by
        return x

    return edit


def shares(found: Sequence[str]) -> dict[str, float]:
    return {name: found.count(name) / len(found) for name in OUTCOMES}


def each_outcome(
    translator: Translator, items: Sequence[PronounItem], batch: PronounBatch, written: list
) -> list[str]:
    """One of OUTCOMES for each sentence: exactly the gender flipped; nothing changed; the
    adjective's place holds a third word and all else is right; anything else."""
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
    """`shares` of the sentences whose adjective is said of one thing, and of several, if any."""
    table = {}
    for name, plural in (("one", False), ("several", True)):
        some = [
            what
            for item, what in zip(items, found, strict=True)
            if item.right.endswith("s") == plural
        ]
        if some:
            table[name] = {"sentences": len(some), **shares(some)}
    return table


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
        self.sae = sae
        self.features = torch.tensor([masculine, feminine])
        fired = sae.encode(x)[:, self.features]
        self.values = fired.sum(dim=0) / (fired > 0).sum(dim=0).clamp(min=1)
        self.difference = x[adjectives.true].mean(dim=0) - x[~adjectives.true].mean(dim=0)

    def changes(self, x: Tensor, to_feminine: Tensor, strength: float) -> dict[str, Tensor]:
        """What to add to each adjective x (n, d), by each way of turning its gender.

        to_feminine (n): whether it is masculine now, and is to become feminine.
        """
        goal = to_feminine.long()
        return {
            "two features": self.of_pair(self.features, x, goal, strength),
            "difference of means": strength * signs(to_feminine) * self.difference,
        }

    def of_pair(self, pair: Tensor, x: Tensor, goal: Tensor, strength: float) -> Tensor:
        """One feature of a pair turned up to these levers' values, the other one off."""
        return change(self.sae, x, pair[goal], strength * self.values[goal], pair[1 - goal])


def signs(to_feminine: Tensor) -> Tensor:
    """(n, 1): 1 where an adjective is to become feminine, else -1."""
    return (2.0 * to_feminine - 1)[:, None]


def as_long(by: Tensor, as_this: Tensor) -> Tensor:
    """Each vector of by (n, d), brought to the length of the one in as_this."""
    return F.normalize(by, dim=1) * as_this.norm(dim=1, keepdim=True)


def random_pairs(features: int, count: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randperm(features, generator=generator)[:2] for _ in range(count)]


class Half:
    """Pronoun sentences, with the vectors of their adjectives, (n, d), and where each is to go."""

    def __init__(self, translator: Translator, items: Sequence[PronounItem]):
        self.translator, self.items = translator, items
        self.batch = PronounBatch(translator, items)
        with inference_mode(translator.model):
            self.memory = translator.model.encode(self.batch.src)
        self.x = self.memory[self.batch.rows, self.batch.adjective]
        feminine = [item.right.removesuffix("s").endswith("a") for item in items]
        self.to_feminine = ~torch.tensor(feminine)

    def edit(self, by: Tensor) -> Edit:
        return push(self.batch.rows, self.batch.adjective, by)

    def strongest(self, levers: Levers) -> dict[str, float]:
        """Way -> the strength that turns most adjectives."""
        tried = {
            strength: {
                way: self.next_word(by)["flipped"]
                for way, by in levers.changes(self.x, self.to_feminine, strength).items()
            }
            for strength in STRENGTHS
        }
        ways = tried[STRENGTHS[0]]
        return {way: max(STRENGTHS, key=lambda one, w=way: tried[one][w]) for way in ways}

    def next_word(self, by: Tensor) -> dict[str, float]:
        """After the right words before it, which word is the likeliest in the adjective's place?
        The shares of sentences with the other gender's form, and with the right one."""
        model, batch = self.translator.model, self.batch
        with inference_mode(model):
            decoded = model.decode(batch.tgt_in, self.edit(by)(self.memory), batch.src)
            likeliest = model.generator(decoded[batch.rows, batch.adjective_out]).argmax(dim=-1)
        return {
            name: (likeliest == ids).float().mean().item()
            for name, ids in (("flipped", batch.wrong), ("unchanged", batch.right))
        }

    def outcome(self, by: Tensor) -> dict[str, Any]:
        """What becomes of these sentences, written anew with this change."""
        with patch_outputs(self.translator.model, {SITE: self.edit(by)}):
            written = greedy_decode(self.translator.model, self.batch.src)
        return told(self.items, each_outcome(self.translator, self.items, self.batch, written))


def told(items: Sequence[PronounItem], found: Sequence[str]) -> dict[str, Any]:
    """The share of each outcome, and the same by number."""
    return shares(found) | {"by number": by_number(items, found)}


def compare(
    translator: Translator, levers: Levers, halves: Sequence[Sequence[PronounItem]]
) -> dict[str, Any]:
    """Each way of turning the gender, at the strength that turned most on the first half of the
    pairs, measured on the second: `told` of sentences written anew.

    Two features at random have no strength of their own: theirs is that of "two features".
    """
    first, second = Half(translator, halves[0][:CHOOSE]), Half(translator, halves[1])
    strengths = first.strongest(levers)
    found = {}
    for way, strength in strengths.items():
        by = levers.changes(second.x, second.to_feminine, strength)[way]
        found[way] = {"strength": strength, **second.outcome(by)}
        if way == "two features":
            (pair,) = random_pairs(len(levers.sae.encoder), 1)
            other = levers.of_pair(pair, second.x, second.to_feminine.long(), strength)
            found[AT_RANDOM] = {"strength": strength, **second.outcome(as_long(other, by))}
    return found
