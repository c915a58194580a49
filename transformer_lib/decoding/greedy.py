"""Greedy decoding: the likeliest word, again and again."""

import torch
from torch import Tensor

from transformer_lib.checks import whole
from transformer_lib.decoding.state import DecoderState, inference_mode
from transformer_lib.ids import EOS
from transformer_lib.model.interface import Seq2SeqModel


def greedy_decode(
    model: Seq2SeqModel, src: Tensor, *, max_length: int = 64, cache: bool = True
) -> list[list[int]]:
    """The likeliest next word, again and again, until <eos> or max_length words.

    src (b, s) ids -> for each sentence the ids of its translation, without <bos> and <eos>. A
    sentence leaves the batch when its translation is finished. cache=False: slower, with the same
    result. Raises ValueError for max_length < 1.
    """
    whole("max_length", max_length)
    translations: list[list[int]] = [[] for _ in src]
    with inference_mode(model):
        state = DecoderState(model, src, max_length, cache)
        sentence = torch.arange(len(src), device=src.device)  # which one each row belongs to
        for _ in range(max_length):
            words = state.next_logits().argmax(dim=-1)
            state.append(words)
            goes_on = words != EOS
            if not goes_on.all():
                _record(translations, sentence[~goes_on], state.words[~goes_on, 1:-1])
                rows = goes_on.nonzero().squeeze(1)
                state.select(rows)
                sentence = sentence[rows]
            if len(sentence) == 0:
                break
        _record(translations, sentence, state.words[:, 1:])
    return translations


def _record(translations: list[list[int]], sentences: Tensor, words: Tensor) -> None:
    for i, ids in zip(sentences.tolist(), words.tolist(), strict=True):
        translations[i] = ids
