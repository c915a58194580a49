"""What is written so far, and what is kept of it: the unfinished translations of a batch.

All ways of choosing the next word are built on `Prefixes`. The encoder runs once per sentence, the
decoder once per word.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import singledispatch

import torch
from torch import Tensor

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.tokens import BOS, PAD

AT_ONCE = 1_024  # source words that are encoded together


class KeyValueCache:
    """The keys and values that one attention layer has computed, kept for the next word.

    The words so far don't change while the next is written, and neither do their keys and values.
    A growing cache (decoder self-attention) adds those of each new word; a fixed one (attention to
    the memory) computes them for the first word and keeps them. Shapes: (b, h, positions, d_k).
    """

    def __init__(self, max_length: int | None = None):
        self.max_length = max_length  # None: a fixed cache
        self.length = 0
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def read(self, attn: MultiHeadAttention, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """What `attn` shall attend to, once the keys and values of new words are added."""
        if self.max_length is not None:
            self.append(*attn.keys_and_values(key, value))
        elif self.keys is None:
            # contiguous: else each word's matrix product would copy them into order again
            self.keys, self.values = (x.contiguous() for x in attn.keys_and_values(key, value))
            self.length = self.keys.size(2)
        return self.current()

    def current(self) -> tuple[Tensor, Tensor]:
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]

    @property
    def bytes(self) -> int:
        """How much memory the keys and values so far need."""
        return sum(x.numel() * x.element_size() for x in self.current())

    def append(self, k: Tensor, v: Tensor) -> None:
        if self.keys is None:  # room for every word to come, so that nothing is copied later
            room = (k.size(0), k.size(1), self.max_length, k.size(3))
            self.keys, self.values = k.new_empty(room), v.new_empty(room)
        end = self.length + k.size(2)
        self.keys[:, :, self.length : end] = k
        self.values[:, :, self.length : end] = v
        self.length = end

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order."""
        kept = [x[rows] for x in self.current()]
        if self.max_length is None:
            self.keys, self.values = kept
        else:  # with new room, for copying the room for words to come would take longer
            self.keys, self.length = None, 0
            self.append(*kept)


@singledispatch
def empty_caches(model: Transformer, max_length: int) -> list[tuple]:
    """What `model.decode_step` keeps between two words, for each layer: here, before the first.

    Another kind of model registers what it keeps.
    """
    return [(KeyValueCache(max_length), KeyValueCache()) for _ in model.decoder.layers]


class Prefixes:
    """A batch of unfinished translations: what the decoder has written so far.

    cache=False computes everything again for each word: the same words, slower.
    """

    def __init__(self, model: Transformer, src: Tensor, max_length: int, cache: bool):
        self.model = model
        self.src = src
        self.memory = encode_in_parts(model, src)
        mask = padding_mask(src)
        self.src_mask = None if mask.all() else mask  # made once; where nothing is padded, none
        self.words = torch.full((len(src), 1), BOS, device=src.device)
        self.caches = empty_caches(model, max_length) if cache else None

    def next_logits(self) -> Tensor:
        """(b, vocab): the logit of each word to come next; -inf for <pad> and <bos>."""
        if self.caches is None:
            x = self.model.decode(self.words, self.memory, self.src)
        else:
            x = self.model.decode_step(self.words[:, -1:], self.memory, self.src_mask, self.caches)
        logits = self.model.generator(x[:, -1]).float()
        logits[:, [PAD, BOS]] = -math.inf
        return logits

    def append(self, words: Tensor) -> None:
        self.words = torch.cat([self.words, words[:, None]], dim=1)

    def select(self, rows: Tensor) -> None:
        """Go on with these rows only, in this order."""
        self.src, self.memory, self.words = self.src[rows], self.memory[rows], self.words[rows]
        if self.src_mask is not None:
            self.src_mask = self.src_mask[rows]
        for layer in self.caches or []:
            for cache in layer:
                cache.select(rows)


def encode_in_parts(model: Transformer, src: Tensor) -> Tensor:
    """`model.encode(src)`, about AT_ONCE words at a time: one at a time is slow, all are too.

    A model that is watched or changed from outside gets all at once: a change may name the rows.
    """
    if any(module._forward_hooks for module in model.modules()):
        return model.encode(src)
    parts = src.split(max(1, AT_ONCE // src.size(1)))
    return torch.cat([model.encode(part) for part in parts])


@contextmanager
def deciding(model: Transformer) -> Iterator[None]:
    """Without dropout and without gradients, and then back as it was."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module in training:  # one by one: a part of the model may have been in eval mode
            module.training = True


def check_max_length(max_length: int) -> None:
    if max_length < 1:
        raise ValueError(f"max_length={max_length} must be 1 or more")
