"""What is done to a model and read off it: heads switched off, states patched, the logit lens."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch
from course.chapters.ch15_heads_on_real_text.statistics import share
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import Edit, ablate_head, patch_attention, patch_outputs
from transformer_lib.interpret.recording import attention_layers, record_attention, record_outputs
from transformer_lib.translator import Translator


def off(heads: Sequence[tuple[str, int]]) -> dict[str, Edit]:
    """Changes to attention by which these heads (layer, head) add nothing."""
    return {layer: ablate_head(chosen) for layer, chosen in by_layer(heads).items()}


def by_layer(heads: Sequence[tuple[str, int]]) -> dict[str, list[int]]:
    """Layer -> which of its heads are among these."""
    layers: dict[str, list[int]] = {}
    for layer, head in heads:
        layers.setdefault(layer, []).append(head)
    return layers


def barred(queries: Tensor, keys: Tensor) -> Edit:
    """In no head do these queries (b, q) see these keys (b, k), both masks; the rest gets more."""

    def edit(weights: Tensor) -> Tensor:
        closed = queries[:, None, :, None] & keys[:, None, None, :]
        weights = weights.masked_fill(closed, 0.0)
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)

    return edit


def layers_of(translator: Translator, kind: str) -> list[str]:
    """The attention layers of a kind: "encoder.self_attn", "decoder.cross_attn", ..."""
    return [name for name in attention_layers(translator.model) if kind_of(name) == kind]


def kind_of(layer: str) -> str:
    part, _, _, kind = layer.split(".")
    return f"{part}.{kind}"


def margins(
    translator: Translator,
    batch: AgreementBatch,
    edits: Mapping[str, Edit] | None = None,
    outputs: Mapping[str, Edit] | None = None,
    src: Tensor | None = None,
) -> Tensor:
    """(b): log-probability of the right ending minus that of the wrong one, in nats.

    edits: changes to attention weights; outputs: to what parts of the model put out; src: other
    sentences to read, while the same is written.
    """
    model = translator.model
    with (
        inference_mode(model),
        patch_attention(model, edits or {}),
        patch_outputs(model, outputs or {}),
    ):
        logits = batch.logits(translator, src)
    return logits[batch.rows, batch.right] - logits[batch.rows, batch.wrong]


def right_endings(translator: Translator, batch: AgreementBatch, **changed: Any) -> float:
    """Share of sentences where the right ending is the likelier of the two; see `margins`."""
    return share(margins(translator, batch, **changed) > 0)


# For each kind of attention: the masks that mark the queries and the keys that are asked about.
QUERIES_AND_KEYS = {
    "encoder.self_attn": ("adjective", "noun"),
    "decoder.cross_attn": ("writing", "noun"),
    "decoder.self_attn": ("writing", "noun_out"),
}


def finds(translator: Translator, batch: AgreementBatch) -> list[dict[str, Any]]:
    """For each head: the share of sentences where its largest weight lies on the noun.

    The query is the last piece of its word.
    """
    with inference_mode(translator.model), record_attention(translator.model) as recorded:
        batch.logits(translator)
    table = []
    for layer, weights in recorded.items():
        asks, goal = (getattr(batch, name) for name in QUERIES_AND_KEYS[kind_of(layer)])
        largest = weights[batch.rows, :, last(asks)].argmax(dim=-1)  # (b, h)
        table += [
            {"layer": layer, "head": head, "finds": share(goal[batch.rows, at])}
            for head, at in enumerate(largest.T)
        ]
    return table


def last(places: Tensor) -> Tensor:
    """(b, n) mask -> (b): the last place that is marked."""
    return places.size(1) - 1 - places.flip(1).int().argmax(dim=1)


def by_place_alone(chosen: AgreementBatch, batch: AgreementBatch, kind: str) -> float:
    """How often a head would find the noun if it always attended equally far, or to one place.

    The best such head on the sentences `chosen`, measured on those of `batch`.
    """

    def hits(one: AgreementBatch, rule: tuple[str, int]) -> float:
        asks, goal = (getattr(one, name) for name in QUERIES_AND_KEYS[kind])
        at = rule[1] + (last(asks) if rule[0] == "steps" else torch.zeros_like(one.rows))
        inside = (at >= 0) & (at < goal.size(1))
        return share(goal[one.rows, at.clamp(0, goal.size(1) - 1)] & inside)

    rules = [("steps", n) for n in range(-12, 13)] + [("place", n) for n in range(12)]
    return hits(batch, max(rules, key=lambda rule: hits(chosen, rule)))


def states(translator: Translator, part: str) -> list[str]:
    """Where the residual stream of "encoder" or "decoder" can be read: before and after layers."""
    first = {"encoder": "src_positions", "decoder": "tgt_positions"}[part]
    return [first, *(f"{part}.layers.{i}" for i in range(translator.model.config.N))]


def patched(translator: Translator, batch: AgreementBatch, part: str) -> Tensor:
    """(states, places): how much of the gender one vector of the residual stream carries.

    Each sentence gets, at one place of one layer, the vector of its partner, whose noun has the
    other gender. 0: nothing changes; 1: the margin is what it is in the partner. The sentences
    need partners, and all the same length.
    """
    if (batch.partner < 0).any():
        raise ValueError("every sentence needs its partner")
    names = states(translator, part)
    with record_outputs(translator.model, *names) as outputs:
        before = margins(translator, batch)
    there = before + before[batch.partner]  # from here to where the partner is
    table = []
    for name in names:
        others = outputs[name][batch.partner]
        places = range(others.size(1) if part == "encoder" else int(batch.out.max()) + 1)
        for place in places:

            def edit(x: Tensor, place=place, others=others) -> Tensor:
                x = x.clone()
                x[:, place] = others[:, place]
                return x

            moved = before - margins(translator, batch, outputs={name: edit})
            table.append((moved.sum() / there.sum()).item())
    return torch.tensor(table).view(len(names), -1)


def lens(translator: Translator, batch: AgreementBatch) -> list[dict[str, float]]:
    """What the decoder would write if it ended before its first layer, after it, after the next.

    The vector at the place of the ending goes straight to the last norm and the generator. right:
    share with the right ending above the wrong one; top: share with it above all others.
    """
    model, names = translator.model, states(translator, "decoder")
    found = []
    with inference_mode(model), record_outputs(model, *names) as outputs:
        batch.logits(translator)
        for name in names:
            vector = outputs[name][batch.rows, batch.out]
            logits = model.generator(model.decoder.norm(vector))
            margin = logits[batch.rows, batch.right] - logits[batch.rows, batch.wrong]
            found.append(
                {
                    "right": share(margin > 0),
                    "margin": margin.mean().item(),
                    "top": share(logits.argmax(dim=-1) == batch.right),
                }
            )
    return found
