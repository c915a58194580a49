"""Speculative decoding: a small model writes ahead, the large one reads all of it at once."""

from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_lib.checks import whole
from transformer_lib.decoding.cache import CachedDecoder
from transformer_lib.decoding.state import (
    WholePrefix,
    incremental_decoder,
    inference_mode,
    logits_of_words,
)
from transformer_lib.ids import BOS, EOS, check_ids
from transformer_lib.model.interface import Seq2SeqModel


@dataclass(frozen=True)
class SpeculativeResult:
    """A translation, and what it took. ids: without <bos> and <eos>.

    rounds: how many times the large model ran; greedy decoding needs one for each word. drafted:
    how many words the small model wrote ahead; accepted: how many of them were kept.
    """

    ids: list[int]
    rounds: int
    drafted: int
    accepted: int


class Writer:
    """A model that writes one sentence, src (1, s). Words that it has read can be taken back."""

    def __init__(self, model: Seq2SeqModel, src: Tensor, max_length: int):
        self.model, self.device = model, src.device
        memory = model.encode(src)
        decoder = incremental_decoder(model, memory, src, max_length)
        # a recurrent decoder can't go back: its state is overwritten at each word
        self.decoder = (
            decoder if isinstance(decoder, CachedDecoder) else WholePrefix(model, memory, src)
        )

    @property
    def length(self) -> int:
        """How many words it has read, <bos> included."""
        return self.decoder.length

    def best_after(self, words: list[int]) -> list[int]:
        """The likeliest next word after each of these, which it reads in one step."""
        x = self.decoder.read(torch.tensor([words], device=self.device))
        return logits_of_words(self.model, x[0]).argmax(dim=-1).tolist()

    def rollback(self, length: int) -> None:
        """Forget all but the first `length` words."""
        self.decoder.rollback(length)


def speculative_decode(
    model: Seq2SeqModel, draft: Seq2SeqModel, src: Tensor, *, ahead: int = 4, max_length: int = 64
) -> SpeculativeResult:
    """The words of `greedy_decode(model, src)`, in fewer steps of the model.

    The draft writes up to `ahead` words. The model reads them in one step and says after each what
    it would have written: the words are kept as far as the two agree, and the model's own word
    follows. So the draft changes the time it takes, and no word. (Where two words are equally
    likely up to rounding, reading several at a time may choose the other.)

    src (1, s): one sentence. draft: any model with the same vocabulary. Raises ValueError for more
    sentences, another vocabulary, and ahead or max_length below 1. This is the greedy case of
    Leviathan, Kalman and Matias 2023, https://arxiv.org/abs/2211.17192.
    """
    whole("max_length", max_length)
    whole("ahead", ahead)
    check_ids("src", src)
    if len(src) != 1:
        raise ValueError(f"src has {len(src)} sentences: speculative decoding writes one at a time")
    sizes = [each.generator.proj.out_features for each in (model, draft)]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"the model writes {sizes[0]} words and the draft {sizes[1]}: both need one vocabulary"
        )
    words, rounds, drafted, accepted = [BOS], 0, 0, 0
    with inference_mode(model), inference_mode(draft):
        writer, drafter = (Writer(each, src, max_length) for each in (model, draft))
        while words[-1] != EOS and len(words) <= max_length:
            guesses = guess(drafter, words, min(ahead, max_length - len(words)))
            best = writer.best_after([*words[writer.length :], *guesses])
            best = best[len(best) - 1 - len(guesses) :]  # after the last word, and each guess
            agreed = 0
            while agreed < len(guesses) and guesses[agreed] == best[agreed]:
                agreed += 1
            words += best[: agreed + 1]
            rounds, drafted, accepted = rounds + 1, drafted + len(guesses), accepted + agreed
            for each in (writer, drafter):
                each.rollback(len(words) - 1)
    ids = words[1 : words.index(EOS)] if EOS in words else words[1:]
    return SpeculativeResult(ids, rounds, drafted, accepted)


def guess(drafter: Writer, words: list[int], count: int) -> list[int]:
    """What the draft would write next, up to `count` words or <eos>."""
    guesses: list[int] = []
    while len(guesses) < count and EOS not in guesses:
        so_far = [*words, *guesses]
        guesses.append(drafter.best_after(so_far[drafter.length :])[-1])
    return guesses
