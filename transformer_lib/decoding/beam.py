"""Beam search: the likeliest few beginnings, side by side."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_lib.checks import number, whole
from transformer_lib.decoding.state import DecoderState, inference_mode
from transformer_lib.ids import EOS
from transformer_lib.model.interface import Seq2SeqModel


@dataclass(frozen=True)
class Hypothesis:
    """A translation, found by a search or drawn at random.

    ids: without <bos> and <eos>. log_prob: the sum of its words' log-probabilities in nats, <eos>
    included, where <pad> and <bos>, which never follow, have probability 0.
    score: log_prob / penalty, by which translations are compared.
    finished: False if max_length cut it off before <eos>.
    """

    ids: list[int]
    log_prob: float
    score: float
    finished: bool


def penalty(length: int, alpha: float) -> float:
    """((5 + length) / 6) ^ alpha, which makes up for longer sentences being less likely.

    Wu et al. 2016, Equation 14; the Transformer paper uses alpha = 0.6 (section 6.1). length: words
    including <eos>. With alpha = 0 the penalty is always 1.
    """
    return ((5 + length) / 6) ** alpha


def beam_search(
    model: Seq2SeqModel,
    src: Tensor,
    *,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    n_best: int = 1,
    max_length: int = 64,
    cache: bool = True,
) -> list[list[Hypothesis]]:
    """The best translations found by following the beam_size likeliest beginnings at a time.

    src (b, s) ids -> for each sentence its n_best hypotheses, best first. A beginning that reaches
    <eos> is finished and keeps its place: with beam_size=1 this is greedy decoding, with a beam as
    wide as there are sentences it is an exhaustive search. Finished hypotheses come before those
    that max_length cut off, even if these are likelier. cache=False: slower, with the same result.
    Raises ValueError unless max_length >= 1 and beam_size >= n_best >= 1.
    """
    whole("max_length", max_length)
    whole("beam_size", beam_size)
    whole("n_best", n_best, None)
    number("length_penalty", length_penalty)
    if not 1 <= n_best <= beam_size:
        raise ValueError(f"n_best={n_best} must lie between 1 and beam_size={beam_size}")
    found: list[list[Hypothesis]] = [[] for _ in src]
    with inference_mode(model):
        state = DecoderState(model, src, max_length, cache)
        sentence = torch.arange(len(src), device=src.device)
        places = torch.full((len(src),), beam_size, device=src.device)  # still to be finished
        log_prob = torch.zeros(len(src), 1, device=src.device)  # (sentences, beginnings)
        for _ in range(max_length):
            following = state.next_logits().log_softmax(dim=-1)
            following = following.unflatten(0, log_prob.shape)  # (n, beam, vocab_size)
            vocab_size = following.size(-1)
            every = (log_prob[:, :, None] + following).flatten(1)
            log_prob, index = every.topk(min(beam_size, every.size(1)), dim=1)
            beginnings = every.size(1) // vocab_size
            row = torch.arange(len(places), device=src.device)[:, None] * beginnings
            if beam_size > 1:  # else each row continues itself
                state.select((row + index // vocab_size).flatten())
            state.append((index % vocab_size).flatten())

            rank = torch.arange(log_prob.size(1), device=src.device)
            chosen = (rank < places[:, None]) & (log_prob > -math.inf)
            ended = chosen & (index % vocab_size == EOS)
            collect(found, sentence, state.words, log_prob, ended, length_penalty)
            places = places - ended.sum(dim=1)
            log_prob = log_prob.masked_fill(~chosen | ended, -math.inf)

            going_on = (log_prob > -math.inf).any(dim=1).nonzero().squeeze(1)
            if len(going_on) < len(sentence):
                rows = torch.arange(log_prob.numel(), device=src.device).view_as(log_prob)
                state.select(rows[going_on].flatten())
                sentence, places, log_prob = (x[going_on] for x in (sentence, places, log_prob))
            if len(sentence) == 0:
                break
        cut_off = log_prob > -math.inf
        collect(found, sentence, state.words, log_prob, cut_off, length_penalty, finished=False)
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
    """Add beginnings to `found`: sentence (n,), words (n * k, t) ids, log_prob and which (n, k)."""
    for i, j in which.nonzero().tolist():
        ids = words[i * log_prob.size(1) + j, 1:].tolist()  # with <eos> if it is finished
        total = log_prob[i, j].item()
        score = total / penalty(len(ids), alpha)
        ids = ids[:-1] if finished else ids
        found[int(sentence[i])].append(Hypothesis(ids, total, score, finished))
