"""Writing a translation word by word: greedy and beam search, as functions of a model.

The encoder runs once per sentence, the decoder once per word.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_lib.attention import MultiHeadAttention
from transformer_lib.model import Transformer
from transformer_lib.tokens import BOS, EOS, PAD


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

    def append(self, k: Tensor, v: Tensor) -> None:
        if self.keys is None:  # room for every word to come, so that nothing is copied later
            room = (k.size(0), k.size(1), self.max_length, k.size(3))
            self.keys, self.values = k.new_zeros(room), v.new_zeros(room)
        end = self.length + k.size(2)
        self.keys[:, :, self.length : end] = k
        self.values[:, :, self.length : end] = v
        self.length = end

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order."""
        self.keys, self.values = self.keys[rows], self.values[rows]


class Prefixes:
    """A batch of unfinished translations: what the decoder has written so far.

    cache=False computes everything again for each word: the same words, slower.
    """

    def __init__(self, model: Transformer, src: Tensor, max_length: int, cache: bool):
        self.model = model
        self.src = src
        self.memory = model.encode(src)
        self.words = torch.full((len(src), 1), BOS, device=src.device)
        self.caches = None
        if cache:
            self.caches = [
                (KeyValueCache(max_length), KeyValueCache()) for _ in model.decoder.layers
            ]

    def next_logits(self) -> Tensor:
        """(b, vocab): the logit of each word to come next; -inf for <pad> and <bos>."""
        if self.caches is None:
            x = self.model.decode(self.words, self.memory, self.src)
        else:
            x = self.model.decode_step(self.words[:, -1:], self.memory, self.src, self.caches)
        logits = self.model.generator(x[:, -1]).float()
        logits[:, [PAD, BOS]] = -math.inf
        return logits

    def append(self, words: Tensor) -> None:
        self.words = torch.cat([self.words, words[:, None]], dim=1)

    def select(self, rows: Tensor) -> None:
        """Go on with these rows only, in this order."""
        self.src, self.memory, self.words = self.src[rows], self.memory[rows], self.words[rows]
        for pair in self.caches or []:
            for cache in pair:
                cache.select(rows)


@dataclass(frozen=True)
class Hypothesis:
    """A translation that beam search has found.

    ids: without <bos> and <eos>. log_prob: the sum over its words, <eos> included, when <pad> and
    <bos>, which can't follow, are ruled out.
    score: log_prob / penalty, by which translations are compared.
    finished: False if max_length cut it off before <eos>.
    """

    ids: list[int]
    log_prob: float
    score: float
    finished: bool


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


def greedy_decode(
    model: Transformer, src: Tensor, *, max_length: int = 64, cache: bool = True
) -> list[list[int]]:
    """The likeliest next word, again and again, until <eos> or max_length words.

    src (b, s) ids -> for each sentence its ids, without <bos> and <eos>. A sentence that has come
    to its <eos> leaves the batch.
    """
    check_max_length(max_length)
    translations: list[list[int]] = [[] for _ in src]
    with deciding(model):
        prefixes = Prefixes(model, src, max_length, cache)
        sentence = torch.arange(len(src), device=src.device)  # which one each row belongs to
        for _ in range(max_length):
            words = prefixes.next_logits().argmax(dim=-1)
            prefixes.append(words)
            goes_on = words != EOS
            if not goes_on.all():
                record(translations, sentence[~goes_on], prefixes.words[~goes_on, 1:-1])
                rows = goes_on.nonzero().squeeze(1)
                prefixes.select(rows)
                sentence = sentence[rows]
            if len(sentence) == 0:
                break
        record(translations, sentence, prefixes.words[:, 1:])
    return translations


def record(translations: list[list[int]], sentences: Tensor, words: Tensor) -> None:
    for i, ids in zip(sentences.tolist(), words.tolist(), strict=True):
        translations[i] = ids


def penalty(length: int, alpha: float) -> float:
    """((5 + length) / 6) ^ alpha, which evens out that longer sentences are less likely.

    Wu et al. 2016, Equation 14; the Transformer paper uses alpha = 0.6 (section 6.1). length counts
    the words with <eos>; alpha = 0 switches it off.
    """
    return ((5 + length) / 6) ** alpha


def beam_search(
    model: Transformer,
    src: Tensor,
    *,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    n_best: int = 1,
    max_length: int = 64,
    cache: bool = True,
) -> list[list[Hypothesis]]:
    """The best translations found when the beam_size likeliest beginnings are followed at a time.

    src (b, s) ids -> for each sentence its n_best hypotheses, best first. A beginning that reaches
    <eos> is finished and keeps its place: with beam_size=1 this is greedy decoding, with a beam as
    wide as there are sentences it is an exhaustive search. Finished hypotheses come before those
    that max_length cut off, even likelier ones.
    """
    check_max_length(max_length)
    if beam_size < 1:
        raise ValueError(f"beam_size={beam_size} must be 1 or more")
    if not 1 <= n_best <= beam_size:
        raise ValueError(f"n_best={n_best} must lie between 1 and beam_size={beam_size}")
    found: list[list[Hypothesis]] = [[] for _ in src]
    with deciding(model):
        prefixes = Prefixes(model, src, max_length, cache)
        sentence = torch.arange(len(src), device=src.device)
        places = torch.full((len(src),), beam_size, device=src.device)  # still to be finished
        log_prob = torch.zeros(len(src), 1, device=src.device)  # (sentences, beginnings)
        for _ in range(max_length):
            following = prefixes.next_logits().log_softmax(dim=-1)
            following = following.unflatten(0, log_prob.shape)  # (n, beam, vocab)
            vocab = following.size(-1)
            every = (log_prob[:, :, None] + following).flatten(1)
            log_prob, index = every.topk(min(beam_size, every.size(1)), dim=1)
            row = torch.arange(len(places), device=src.device)[:, None] * (every.size(1) // vocab)
            prefixes.select((row + index // vocab).flatten())
            prefixes.append((index % vocab).flatten())

            rank = torch.arange(log_prob.size(1), device=src.device)
            chosen = (rank < places[:, None]) & (log_prob > -math.inf)
            ended = chosen & (index % vocab == EOS)
            collect(found, sentence, prefixes.words, log_prob, ended, length_penalty)
            places = places - ended.sum(dim=1)
            log_prob = log_prob.masked_fill(~chosen | ended, -math.inf)

            going_on = (log_prob > -math.inf).any(dim=1).nonzero().squeeze(1)
            if len(going_on) < len(sentence):
                rows = torch.arange(log_prob.numel(), device=src.device).view_as(log_prob)
                prefixes.select(rows[going_on].flatten())
                sentence, places, log_prob = (x[going_on] for x in (sentence, places, log_prob))
            if len(sentence) == 0:
                break
        cut_off = log_prob > -math.inf
        collect(found, sentence, prefixes.words, log_prob, cut_off, length_penalty, finished=False)
    return [
        sorted(each, key=lambda one: (one.finished, one.score), reverse=True)[:n_best]
        for each in found
    ]


def collect(
    found: list[list[Hypothesis]],
    sentence: Tensor,
    words: Tensor,
    log_prob: Tensor,
    which: Tensor,
    alpha: float,
    finished: bool = True,
) -> None:
    """Write the chosen beginnings down as hypotheses of their sentences."""
    for i, j in which.nonzero().tolist():
        ids = words[i * log_prob.size(1) + j, 1:].tolist()  # with <eos> if it is finished
        total = log_prob[i, j].item()
        score = total / penalty(len(ids), alpha)
        ids = ids[:-1] if finished else ids
        found[int(sentence[i])].append(Hypothesis(ids, total, score, finished))


def check_max_length(max_length: int) -> None:
    if max_length < 1:
        raise ValueError(f"max_length={max_length} must be 1 or more")
