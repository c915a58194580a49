"""The unfinished translations of a batch, and what is kept so that they aren't read again.

All ways of choosing the next word are built on `DecoderState`. The encoder runs once per sentence,
the decoder once per word: `CachedDecoder` reads only the newest word, and keeps the keys and values
of the earlier ones. `WholePrefix` reads all of them again, which works with any model.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import check_ids
from transformer_lib.text.tokens import BOS, PAD

AT_ONCE = 1_024  # source words that are encoded together


# --- keys and values ----------------------------------------------------------------------------


class KeyValueCache:
    """The keys and values that one attention layer has computed, kept for the next word.

    The words so far don't change while the next is written, and neither do their keys and values.
    Shapes: (b, h, positions, d_k), with room for max_length positions.
    """

    def __init__(self, max_length: int):
        self.max_length, self.length = max_length, 0
        self.keys: Tensor  # made with the first of them
        self.values: Tensor

    def add(self, attn: MultiHeadAttention, x: Tensor) -> None:
        """Compute and keep the keys and values of new positions, x (b, positions, d_model)."""
        self.append(attn.split_heads(attn.w_k(x)), attn.split_heads(attn.w_v(x)))

    def append(self, k: Tensor, v: Tensor) -> None:
        """Keep the keys and values (b, h, positions, d_k) of new positions."""
        if self.length == 0:  # room for every word to come, so that nothing is copied later
            room = (k.size(0), k.size(1), self.max_length, k.size(3))
            self.keys, self.values = k.new_empty(room), v.new_empty(room)
        end = self.length + k.size(2)
        self.keys[:, :, self.length : end] = k
        self.values[:, :, self.length : end] = v
        self.length = end

    def attend(self, attn: MultiHeadAttention, query: Tensor, mask: Tensor | None) -> Tensor:
        """attn(query, …), with the keys and values kept here: (b, q, d_model) -> the same shape."""
        q = attn.split_heads(attn.w_q(query))
        return attn.w_o(attn.merge_heads(attn.attention(q, *self.current(), mask)))

    def current(self) -> tuple[Tensor, Tensor]:
        """Keys and values so far, (b, h, length, d_k) each."""
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]

    @property
    def bytes(self) -> int:
        """The memory that the keys and values so far take up, in bytes."""
        return sum(x.numel() * x.element_size() for x in self.current())

    def select(self, rows: Tensor) -> None:
        """Keep the rows of the batch with these numbers (n,), in this order."""
        kept = [x[rows] for x in self.current()]
        if self.length == self.max_length:
            self.keys, self.values = kept
        else:  # into new room: copying the empty places too would take longer
            self.length = 0
            self.append(*kept)


# --- one word after the other -------------------------------------------------------------------


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


def can_be_cached(model: Transformer) -> bool:
    """Whether `CachedDecoder` computes what the model's decoder does."""
    return (
        runs_as_written(model, Transformer.decode)
        and runs_as_written(model.decoder, Decoder.forward)
        and all(
            runs_as_written(layer, DecoderLayer.forward)
            and runs_as_written(layer.self_attn, MultiHeadAttention.forward)
            and runs_as_written(layer.cross_attn, MultiHeadAttention.forward)
            for layer in model.decoder.layers
        )
    )


def runs_as_written(part: Any, method: Callable[..., Tensor]) -> bool:
    """Whether a part has this very method, and no hook that watches or changes it.

    `CachedDecoder` doesn't call such methods, so another method or a hook would have no effect.
    """
    found = getattr(part, method.__name__, None)
    watched = part._forward_hooks or part._forward_pre_hooks
    return getattr(found, "__func__", None) is method and not watched


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


class CachedDecoder:
    """Reads only new words: for each layer, it keeps the keys and values of the earlier ones.

    It calls the parts of each layer as the layer's `forward` does, but attention reads its caches.
    embed, positions, norm: the parts below and above the layers. memory, src_mask: what
    cross-attention reads; its keys and values are computed once. memory=None: no cross-attention.
    """

    def __init__(
        self,
        embed: nn.Module,
        positions: nn.Module,
        layers: Sequence[Any],
        norm: nn.Module,
        max_length: int,
        memory: Tensor | None = None,
        src_mask: Tensor | None = None,
    ):
        self.embed, self.positions, self.layers, self.norm = embed, positions, layers, norm
        self.src_mask = src_mask
        self.self_caches = [KeyValueCache(max_length) for _ in layers]
        self.cross_caches: list[KeyValueCache] = []
        if memory is not None:
            self.cross_caches = [KeyValueCache(memory.size(1)) for _ in layers]
            for layer, cache in zip(layers, self.cross_caches, strict=True):
                cache.add(layer.cross_attn, memory)

    def read(self, words: Tensor) -> Tensor:
        start, new = self.length, words.size(1)
        # a single new word may attend to all; of several, none to those after it
        mask = None if new == 1 else causal_mask(start + new, words.device)[:, :, start:]
        x = self.positions(self.embed(words), start=start)
        for number, layer in enumerate(self.layers):
            x = self.step(number, layer, x, mask)
        return self.norm(x)

    def step(self, number: int, layer: Any, x: Tensor, mask: Tensor | None) -> Tensor:
        """One layer, with or without cross-attention: (b, n, d_model) -> the same shape."""
        own = self.self_caches[number]

        def self_attn(x: Tensor) -> Tensor:
            own.add(layer.self_attn, x)
            return own.attend(layer.self_attn, x, mask)

        x = layer.residual_self_attn(x, self_attn)
        if self.cross_caches:
            cross = self.cross_caches[number]
            x = layer.residual_cross_attn(
                x, lambda x: cross.attend(layer.cross_attn, x, self.src_mask)
            )
        return layer.residual_feed_forward(x, layer.feed_forward)

    def select(self, rows: Tensor) -> None:
        for cache in (*self.self_caches, *self.cross_caches):
            cache.select(rows)
        if self.src_mask is not None:
            self.src_mask = self.src_mask[rows]

    def rollback(self, length: int) -> None:
        """Forget all but the first `length` words."""
        for cache in self.self_caches:
            cache.length = min(cache.length, length)

    @property
    def length(self) -> int:
        """How many words it has read."""
        return self.self_caches[0].length

    @property
    def bytes(self) -> int:
        return sum(cache.bytes for cache in (*self.self_caches, *self.cross_caches))


def needed_mask(src: Tensor) -> Tensor | None:
    """The padding mask (b, 1, 1, s) of src (b, s); None where nothing is padded."""
    mask = padding_mask(src)
    return None if mask.all() else mask


# --- the translations of a batch ----------------------------------------------------------------


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
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module in training:  # one by one, as a part of the model may have been in eval mode
            module.training = True
