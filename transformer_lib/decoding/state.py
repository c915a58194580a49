"""The unfinished translations of a batch: all ways of choosing the next word are built on them.

The encoder runs once per sentence, the decoder once per word. `WholePrefix` reads all the words so
far each time; a decoder with a cache (cache.py) reads only the newest, to the same numbers.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from transformer_lib.decoding.cache import CachedDecoder, can_be_cached, needed_mask
from transformer_lib.ids import BOS, PAD, check_ids
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.model.transformer import Transformer
from transformer_lib.structure import eval_mode

AT_ONCE = 1_024  # source words that are encoded together


class DecoderState:
    """A batch of unfinished translations: what the decoder has written so far.

    cache=False computes everything again for each word: slower, with the same words.
    """

    def __init__(self, model: Seq2SeqModel, src: Tensor, max_length: int, cache: bool):
        check_ids("src", src.cpu() if isinstance(src, Tensor) else src)
        self.model = model
        self.words = torch.full((len(src), 1), BOS, device=src.device)
        memory = encode_in_parts(model, src)
        self.decoder: IncrementalDecoder = (
            incremental_decoder(model, memory, src, max_length)
            if cache
            else WholePrefix(model, memory, src)
        )

    def next_logits(self) -> Tensor:
        """(b, vocab_size): the logit of each word to come next; -inf for <pad> and <bos>."""
        return logits_of_words(self.model, self.decoder.read(self.words[:, -1:])[:, -1])

    def append(self, words: Tensor) -> None:
        """Add the next word of each row: ids (b,)."""
        self.words = torch.cat([self.words, words[:, None]], dim=1)

    def select(self, rows: Tensor) -> None:
        """Keep only the rows with these numbers (n,), in this order."""
        self.words = self.words[rows]
        self.decoder.select(rows)


class IncrementalDecoder(Protocol):
    """A decoder that reads word after word, and remembers what it needs of the earlier ones."""

    def read(self, words: Tensor) -> Tensor:
        """(b, n) ids of the next words -> (b, n, d_model), as `decode` gives at their positions."""
        ...

    def select(self, rows: Tensor) -> None:
        """Keep only the rows of the batch with these numbers (n,), in this order."""
        ...

    @property
    def bytes(self) -> int:
        """The memory that it takes up, in bytes."""
        ...


@runtime_checkable
class HasIncrementalDecoder(Protocol):
    """A model with its own incremental decoder: the language model, the recurrent translator."""

    def incremental_decoder(
        self, memory: Tensor, src: Tensor, max_length: int
    ) -> IncrementalDecoder: ...


def incremental_decoder(
    model: Seq2SeqModel, memory: Tensor, src: Tensor, max_length: int
) -> IncrementalDecoder:
    """The fastest decoder for at most max_length words one by one. memory: that of src (b, s).

    The paper's figure has no cache, nor have the files in `model`; the Transformer gets it here.
    """
    if isinstance(model, HasIncrementalDecoder):
        return model.incremental_decoder(memory, src, max_length)
    if isinstance(model, Transformer) and can_be_cached(model):
        return CachedDecoder(
            model.tgt_embed,
            model.tgt_positions,
            list(model.decoder.layers),
            model.decoder.norm,
            max_length,
            memory,
            needed_mask(src),
        )
    return WholePrefix(model, memory, src)


class WholePrefix:
    """Reads all words again each time, by `model.decode`: slow, but it works with any model."""

    def __init__(self, model: Seq2SeqModel, memory: Tensor, src: Tensor):
        self.model, self.memory, self.src = model, memory, src
        self.words = src.new_empty((len(src), 0))

    def read(self, words: Tensor) -> Tensor:
        self.words = torch.cat([self.words, words], dim=1)
        return self.model.decode(self.words, self.memory, self.src)[:, -words.size(1) :]

    def select(self, rows: Tensor) -> None:
        self.words, self.memory, self.src = (x[rows] for x in (self.words, self.memory, self.src))

    def rollback(self, length: int) -> None:
        """Forget all but the first `length` words."""
        self.words = self.words[:, :length]

    @property
    def length(self) -> int:
        """How many words it has read."""
        return self.words.size(1)

    @property
    def bytes(self) -> int:
        return 0


def logits_of_words(model: Seq2SeqModel, x: Tensor) -> Tensor:
    """(…, d_model) -> (…, vocab_size): -inf for <pad> and <bos>, which never come next."""
    logits = model.generator(x).float()
    logits[..., [PAD, BOS]] = -math.inf
    return logits


def encode_in_parts(model: Seq2SeqModel, src: Tensor) -> Tensor:
    """`model.encode(src)`, src (b, s), about AT_ONCE words at a time; fewer or more are slower.

    A model with hooks gets all of them at once, as a hook may refer to rows of the batch.
    """
    if any(module._forward_hooks for module in model.modules()):
        return model.encode(src)
    parts = src.split(max(1, AT_ONCE // src.size(1)))
    return torch.cat([model.encode(part) for part in parts])


@contextmanager
def inference_mode(model: Parts) -> Iterator[None]:
    """Inside, the model computes without dropout and gradients; afterwards it is as it was."""
    with eval_mode(model), torch.inference_mode():
        yield
