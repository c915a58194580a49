"""What notebook 08 measures: how the decoder writes, and what each step depends on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.recording import record_attention
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS, SPECIALS


@dataclass(frozen=True)
class WordStep:
    """One run of the decoder: what it reads, where it looks, and which words it finds likely.

    read: the target words so far, from <bos>. weights: one for each source word. best: the five
    likeliest next words, the first of which is written; logits and chances: of these words.
    """

    read: list[str]
    weights: list[float]
    best: list[str]
    logits: list[float]
    chances: list[float]


def source_of(translator: Any, text: str) -> Tensor:
    return source_batch([translator.src.vocab.encode(translator.read(text))])


def decode_steps(translator: Any, text: str) -> tuple[list[str], list[WordStep]]:
    """Translate word by word and write down each step -> the source words, the steps.

    translator: a `Translator`. Each step is a run of the decoder over all words written so far;
    what it looks at is that of the last layer, the mean of the heads. Ends with <eos> or 64 words.
    """
    model, vocab = translator.model, translator.tgt.vocab.tokens
    src = source_of(translator, text)
    written, steps = [BOS], []
    with inference_mode(model):
        memory = model.encode(src)
        while written[-1] != EOS and len(written) <= 64:
            with record_attention(model) as weights:
                x = model.decode(torch.tensor([written]), memory, src)
            logits = model.generator(x[:, -1])[0]
            top = logits.topk(5)
            last = weights[f"decoder.layers.{len(model.decoder.layers) - 1}.cross_attn"]
            steps.append(
                WordStep(
                    read=[vocab[i] for i in written],
                    weights=last[0, :, -1].mean(dim=0).tolist(),
                    best=[vocab[i] for i in top.indices.tolist()],
                    logits=top.values.tolist(),
                    chances=logits.softmax(dim=-1)[top.indices].tolist(),
                )
            )
            written.append(int(top.indices[0]))
    return [*translator.read(text), SPECIALS[EOS]], steps


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
