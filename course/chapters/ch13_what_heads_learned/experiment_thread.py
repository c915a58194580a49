"""Who tells "gustan" that there are many? The thread of the series, measured in any trained model.

    python -m transformer_lib train --task en-es --seed 1 --threads 1 --out runs/en-es-1
    python -m course experiment thread --model grammar runs/en-es-1

What is stored of other seeds stays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch13_what_heads_learned.experiments import LikingBatch, translate_changed
from course.experiments import experiment, load
from course.experiments.looking import attention_in
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import Edit, ablate_head, block_attention
from transformer_lib.interpret.pronouns import agreement
from transformer_lib.text import english_spanish
from transformer_lib.training.threads import using_threads
from transformer_lib.translator import Translator, model_folder

Edits = Mapping[str, Edit]
SENTENCES = (
    "I like trees",
    "I like houses",
    "I like dogs",
    "I like strawberries",
    "She likes the houses",
)  # the verb is the second word, what is liked the last


def liked(translator: Translator, plural: bool, half: int) -> LikingBatch:
    """Half (0 or 1) of the gustar split's sentences whose verb shows one thing, or several."""
    batch = LikingBatch(
        translator, LikingBatch(translator, english_spanish.load("gustar")).verb_shows_number
    )
    verbs = translator.tgt.vocab.decode(batch.right.tolist())
    chosen = [
        pair for pair, verb in zip(batch.pairs, verbs, strict=True) if verb.endswith("n") == plural
    ]
    return LikingBatch(translator, chosen[half::2])


def layers_of(translator: Translator, kind: str) -> list[str]:
    """Names of the layers of "encoder.self_attn" or "decoder.cross_attn"."""
    part, attention = kind.split(".")
    return [f"{part}.layers.{i}.{attention}" for i in range(translator.model.config.N)]


# --- what can be changed -------------------------------------------------------------------------


def only_itself(weights: Tensor) -> Tensor:
    """Every word looks at itself and at nothing else."""
    return torch.eye(weights.size(-1)).expand_as(weights)


def unseen_by_others(rows: Tensor, noun: Tensor) -> Edit:
    """No other word sees the noun; what they saw there goes to the other words."""

    def edit(weights: Tensor) -> Tensor:
        barred = weights.clone()
        barred[rows, :, :, noun] = 0.0
        barred[rows, :, noun] = weights[rows, :, noun]
        return barred / barred.sum(dim=-1, keepdim=True).clamp(min=1e-9)

    return edit


def without_the_noun(rows: Tensor, asks: Tensor, noun: Tensor, but: int | None = None) -> Edit:
    """As `block_attention`; one head, `but`, may go on seeing the noun."""
    block = block_attention(rows, asks, [noun])

    def edit(weights: Tensor) -> Tensor:
        barred = block(weights)
        if but is not None:
            barred[:, but] = weights[:, but]
        return barred

    return edit


def changes(translator: Translator, batch: LikingBatch, best: tuple[str, int]) -> dict[str, Edits]:
    """What is changed, by name: edits as in `patch_attention`. best: layer and head."""
    encoder = layers_of(translator, "encoder.self_attn")
    cross = layers_of(translator, "decoder.cross_attn")
    layer, head = best
    places = batch.rows, batch.verb_out, batch.noun
    blind = dict.fromkeys(cross, without_the_noun(*places))
    return {
        "as trained": {},
        "best head off": {layer: ablate_head(head)},
        "verb's place can't see the noun": blind,
        "only the best head sees it there": blind | {layer: without_the_noun(*places, but=head)},
        "no other English word sees the noun": dict.fromkeys(
            encoder, unseen_by_others(batch.rows, batch.noun)
        ),
        "every English word sees only itself": dict.fromkeys(encoder, only_itself),
    }


# --- what is measured ----------------------------------------------------------------------------


def weights_on_the_noun(translator: Translator, batch: LikingBatch) -> dict[str, list[float]]:
    """Layer -> for each of its heads the mean weight on the noun, where the verb is written."""
    recorded = attention_in(translator.model, batch)
    return {
        layer: recorded[layer][batch.rows, :, batch.verb_out, batch.noun].mean(dim=0).tolist()
        for layer in layers_of(translator, "decoder.cross_attn")
    }


def each_head_off(translator: Translator, batch: LikingBatch) -> dict[tuple[str, int], float]:
    """Layer and head of cross-attention -> share of verbs in the right number without it."""
    return {
        (layer, head): agreement(translator, batch, {layer: ablate_head(head)})
        for layer in layers_of(translator, "decoder.cross_attn")
        for head in range(translator.model.config.h)
    }


def translations(translator: Translator, text: str, best: tuple[str, int]) -> dict[str, Any]:
    """What becomes of one of SENTENCES, by what is changed."""
    noun = torch.tensor([len(translator.read(text)) - 1])
    rows = torch.tensor([0])
    encoder = layers_of(translator, "encoder.self_attn")
    cross = layers_of(translator, "decoder.cross_attn")
    without = {
        f"{layer}.{head}": translate_changed(translator, text, {layer: ablate_head(head)})
        for layer in cross
        for head in range(translator.model.config.h)
    }

    hidden = block_attention(rows, slice(None), [noun])  # from every Spanish place
    unseen = unseen_by_others(rows, noun)
    unseen_by_the_verb = block_attention(rows, torch.tensor([1]), [noun])
    return {
        "as trained": translator.translate(text).text,
        "best head off": without[f"{best[0]}.{best[1]}"],
        "each head off": without,
        "noun hidden from the decoder": translate_changed(
            translator, text, dict.fromkeys(cross, hidden)
        ),
        "the English verb doesn't see the noun": translate_changed(
            translator, text, dict.fromkeys(encoder, unseen_by_the_verb)
        ),
        "no other English word sees the noun": translate_changed(
            translator, text, dict.fromkeys(encoder, unseen)
        ),
        "every English word sees only itself": translate_changed(
            translator, text, dict.fromkeys(encoder, only_itself)
        ),
    }


def report(translator: Translator) -> dict[str, Any]:
    """Measure one model: its best head, what depends on it, and five sentences.

    The best head is the one without which most plurals are lost, chosen on one half of the
    sentences. The shares are of the other half: verbs whose right number gets the higher score.
    """
    off = each_head_off(translator, liked(translator, plural=True, half=0))
    best = min(off, key=off.get)
    halves = {
        name: liked(translator, plural, half=1)
        for name, plural in (("plural", True), ("singular", False))
    }
    right = {
        name: {
            what: agreement(translator, batch, edits)
            for what, edits in changes(translator, batch, best).items()
        }
        for name, batch in halves.items()
    }
    alone = {name: each_head_off(translator, batch) for name, batch in halves.items()}
    weights = {name: weights_on_the_noun(translator, batch) for name, batch in halves.items()}
    heads = [
        {
            "layer": layer,
            "head": head,
            "weight": round(weights["plural"][layer][head], 3),
            "plural right without": round(alone["plural"][layer, head], 4),
            "singular right without": round(alone["singular"][layer, head], 4),
        }
        for layer, head in off
    ]
    return {
        "best_head": {"layer": best[0], "head": best[1]},
        "sentences": {name: len(batch.rows) for name, batch in halves.items()},
        "right": {
            name: {what: round(share, 4) for what, share in shares.items()}
            for name, shares in right.items()
        },
        "heads": heads,
        "translations": {text: translations(translator, text, best) for text in SENTENCES},
    }


@experiment("thread")
def who_told_gustan(models: Sequence[str] = ("grammar",)) -> dict[str, Any]:
    """Which look brings the number to "gustan", and what depends on it, for each training seed."""
    found = load("thread")["seeds"]
    for name in models:
        training = read_json(model_folder(name) / "recipe.json")["training"]
        with using_threads(1):
            measured = report(Translator.load(name))
        found[str(training["seed"])] = {"steps": training["steps"], **measured}
    return {"seeds": dict(sorted(found.items()))}
