"""Sentences of similar length -> padded batches."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_lib.checks import whole
from transformer_lib.ids import BOS, EOS, PAD
from transformer_lib.text.tokenized_dataset import TokenizedDataset

Ids = Sequence[int]  # the ids of a sentence's words
BATCH, USUAL = 128, 64  # sentences that are computed together, and tokens in a long one of them


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as three tables of ids, padded with PAD on the right.

    src      (b, s)   I    like   trees <eos>
    tgt_in   (b, t)   <bos> me    gustan los    árboles   what the decoder reads
    tgt_out  (b, t)   me   gustan los    árboles <eos>    what it must predict, one position on
    """

    src: Tensor
    tgt_in: Tensor
    tgt_out: Tensor

    def __repr__(self) -> str:
        """Its shapes: the ids themselves are too many to read."""
        shapes = (f"{name} {tuple(x.shape)}" for name, x in vars(self).items())
        return f"Batch({', '.join(shapes)}, on {self.src.device})"

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on a device."""
        return Batch(*(x.to(device) for x in (self.src, self.tgt_in, self.tgt_out)))


def pad(sentences: Sequence[Ids]) -> Tensor:
    """Lists of ids, at least one -> a table (b, longest), padded with PAD on the right."""
    if not sentences:
        raise ValueError("a batch needs at least one sentence")
    longest = max(len(sentence) for sentence in sentences)
    try:
        return torch.tensor([[*ids, *[PAD] * (longest - len(ids))] for ids in sentences])
    except (TypeError, ValueError):
        raise TypeError(
            f"a batch is made of ids, not of {sentences[0]!r:.60}: see `Vocabulary.encode`"
        ) from None


def source_batch(sources: Sequence[Ids]) -> Tensor:
    """Source sentences alone, as in `make_batch`: ids, <eos>, padding -> (b, s)."""
    return pad([[*ids, EOS] for ids in sources])


def make_batch(pairs: Sequence[tuple[Ids, Ids]]) -> Batch:
    """Pairs of (source ids, target ids), without special tokens, -> one batch."""
    if wrong := next((pair for pair in pairs if len(pair) != 2), None):
        raise ValueError(f"a pair has source ids and target ids, but there is {wrong!r:.60}")
    targets = [tgt for _, tgt in pairs]
    return Batch(
        src=source_batch([src for src, _ in pairs]),
        tgt_in=pad([[BOS, *tgt] for tgt in targets]),
        tgt_out=pad([[*tgt, EOS] for tgt in targets]),
    )


def similar_lengths(lengths: Sequence[int], batch: int = BATCH) -> Iterator[list[int]]:
    """The indices of sentences that are computed together, from the shortest to the longest.

    At most `batch` sentences, with at most USUAL * batch tokens, padding included, unless a single
    one is longer.
    """
    whole("batch", batch)
    chosen: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        together = len(chosen) + 1
        if chosen and (together > batch or together * lengths[i] > USUAL * batch):
            yield chosen
            chosen = []
        chosen.append(i)
    if chosen:
        yield chosen


def batch_indices(pairs: Sequence[tuple[Ids, Ids]], max_tokens: int, seed: int) -> list[list[int]]:
    """The indices of the pairs in each batch: every pair once, in a random order fixed by seed.

    Pairs of similar length share a batch, so that little is wasted on padding. The source table of
    a batch has at most max_tokens entries, and so has its target table, unless a single pair is
    longer. Raises ValueError for max_tokens < 1.
    """
    whole("max_tokens", max_tokens)
    rng = random.Random(seed)
    lengths = pair_lengths(pairs)
    width = lengths.max(axis=1) + 1
    shuffled = np.fromiter((rng.random() for _ in range(len(pairs))), float).argsort()
    order = shuffled[np.lexsort((lengths[shuffled, 1], width[shuffled]))]  # ties stay shuffled
    batches, start = [], 0
    for end, widest in enumerate(width[order].tolist()):
        if end > start and widest * (end + 1 - start) > max_tokens:
            batches.append(order[start:end].tolist())
            start = end
    if len(order):
        batches.append(order[start:].tolist())
    return sorted(batches, key=lambda batch: rng.random())


def pair_lengths(pairs: Sequence[tuple[Ids, Ids]]) -> np.ndarray:
    """(n, 2): the lengths of all sources and targets."""
    if isinstance(pairs, TokenizedDataset):
        return pairs.lengths()  # without reading a sentence
    return np.array([(len(src), len(tgt)) for src, tgt in pairs], np.int64).reshape(len(pairs), 2)
