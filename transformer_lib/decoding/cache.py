"""A decoder that reads only the newest word, and keeps the keys and values of the earlier ones."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer


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


def needed_mask(src: Tensor) -> Tensor | None:
    """The padding mask (b, 1, 1, s) of src (b, s); None where nothing is padded."""
    mask = padding_mask(src)
    return None if mask.all() else mask
