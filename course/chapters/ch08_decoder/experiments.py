"""What notebook 08 measures: how the decoder writes, and what each step depends on."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from transformer_lib.decoding import inference_mode
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS


def source_of(translator: Any, text: str) -> Tensor:
    return source_batch([translator.src.vocab.encode(translator.read(text))])


def write_on(translator: Any, text: str, beginning: Sequence[str]) -> str:
    """What the translator writes, the likeliest word each time, after a beginning given to it."""
    model, vocab = translator.model, translator.tgt.vocab
    src, ids = source_of(translator, text), [BOS, *vocab.encode(beginning)]
    with inference_mode(model):
        memory = model.encode(src)
        while ids[-1] != EOS and len(ids) < 20:
            x = model.decode(torch.tensor([ids]), memory, src)
            ids.append(int(model.generator(x[0, -1]).argmax()))
    return " ".join(vocab.tokens[i] for i in ids[1:])
