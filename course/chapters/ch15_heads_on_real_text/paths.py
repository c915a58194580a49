"""Two finer interventions: a head replaced by its mean, and one path between two places patched."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch
from course.chapters.ch15_heads_on_real_text.probes import by_layer, layers_of, margins
from transformer_lib.interpret.recording import Hook, Inputs, attention_layers, hooked
from transformer_lib.model.attention import Attention
from transformer_lib.translator import Translator


def of_one_kind(batch: AgreementBatch) -> Tensor:
    """(b): the number of the template that each sentence is made from."""
    kinds = sorted({item.kind for item in batch.kept})
    return torch.tensor([kinds.index(item.kind) for item in batch.kept])


@contextmanager
def averaged(
    translator: Translator, batch: AgreementBatch, heads: Sequence[tuple[str, int]]
) -> Iterator[None]:
    """Inside, each of these heads (layer, head) brings its mean instead of what it found.

    The mean at each place over the sentences of the same template, which have their words in the
    same places. So the head tells nothing of a sentence, but what comes after gets numbers of the
    usual size, as it does not when a head is set to zero.
    """
    kind = of_one_kind(batch)

    def mean_of(chosen: list[int]) -> Hook:
        def hook(attention: Attention, args: Inputs, output: Tensor) -> Tensor:
            output = output.clone()  # (b, h, q, d_v)
            for number in kind.unique():
                rows = (kind == number).nonzero().flatten()
                mean = output[rows][:, chosen].mean(dim=0)  # (heads, q, d_v)
                output[rows[:, None], torch.tensor(chosen)] = mean
            return output

        return hook

    hooks = {layer: mean_of(chosen) for layer, chosen in by_layer(heads).items()}
    with hooked(translator.model, hooks):
        yield


def without(
    translator: Translator, batch: AgreementBatch, heads: Sequence[tuple[str, int]]
) -> Tensor:
    """(b): the margins with these heads at their mean."""
    with averaged(translator, batch, heads):
        return margins(translator, batch)


def first_of(places: Tensor, count: int = 1) -> Tensor:
    """The mask with only the first places of each row: of a noun with its article, the article."""
    return places & (places.int().cumsum(dim=1) <= count)


def directly(translator: Translator, batch: AgreementBatch, places: Tensor) -> float:
    """How much of the way to the other gender one path carries: from `places` to the ending.

    In each layer of the decoder's self-attention, the place that writes the ending, and no other,
    reads the partner's keys and values at `places` (a mask (b, t)). What the words in between know
    stays as it was: this is path patching (Goldowsky-Dill et al. 2023,
    https://arxiv.org/abs/2304.05969), for all paths of one step at once. Measured as `patched`.
    """
    if (batch.partner < 0).any():
        raise ValueError("every sentence needs its partner")
    partner, there = batch.partner, places[:, None, :, None]

    def hook(attention: Attention, args: Inputs, output: Tensor) -> Tensor:
        query, key, value, mask = args
        key, value = (torch.where(there, x[partner], x) for x in (key, value))
        read = attention.weights(query, key, mask) @ value
        return torch.where(batch.writing[:, None, :, None], read, output)

    before = margins(translator, batch)
    hooks: Mapping[str, Hook] = dict.fromkeys(layers_of(translator, "decoder.self_attn"), hook)
    with hooked(translator.model, hooks):
        after = margins(translator, batch)
    way = before + before[partner]  # from here to where the partner is
    return float((before - after).sum() / way.sum())


def every_head(translator: Translator) -> list[tuple[str, int]]:
    """(layer, head) of all attention heads of the model."""
    heads = range(translator.model.config.h)
    return [(layer, head) for layer in attention_layers(translator.model) for head in heads]
