"""The figures of notebook 08: how a sentence is written."""

from functools import cache
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.decoder import WordStep, decode_stepper, decode_trace, generator_flow
from transformer_lib.plots.figures.overview import LAYOUT
from transformer_lib.plots.figures.registry import figure

NOTEBOOK = "08_decoder"
SENTENCE = "I like trees"


def decode_steps(translator: Any, text: str, best: int = 5) -> tuple[list[str], list[WordStep]]:
    """Translate word by word and write down each step -> the source words, the steps.

    translator: a `Translator`. Each step is a run of the decoder over all words written so far;
    its look is that of the last layer, the mean of the heads. Ends with <eos> or 64 words.
    """
    from transformer_lib.batching import source_batch
    from transformer_lib.decoding import deciding
    from transformer_lib.recording import record_attention
    from transformer_lib.tokens import BOS, EOS, SPECIALS

    model, vocab = translator.model, translator.tgt.vocab.tokens
    src_words = translator.read(text)
    src = source_batch([translator.src.vocab.encode(src_words)])
    written, steps = [BOS], []
    with deciding(model):
        memory = model.encode(src)
        while written[-1] != EOS and len(written) <= 64:
            with record_attention(model) as weights:
                x = model.decode(torch.tensor([written]), memory, src)
            logits = model.generator(x[:, -1])[0]
            top = logits.topk(best)
            last = weights[f"decoder.layers.{len(model.decoder.layers) - 1}.cross_attn"]
            steps.append(WordStep(
                read=[vocab[i] for i in written],
                looks=last[0, :, -1].mean(dim=0).tolist(),
                best=[vocab[i] for i in top.indices.tolist()],
                logits=top.values.tolist(),
                chances=logits.softmax(dim=-1)[top.indices].tolist(),
            ))  # fmt: skip
            written.append(int(top.indices[0]))
    return [*src_words, SPECIALS[EOS]], steps


@cache
def i_like_trees() -> tuple[list[str], list[WordStep]]:
    from transformer_lib.translator import Translator

    return decode_steps(Translator.load(), SENTENCE)


def decoder_vector(translator: Any, text: str, place: int) -> tuple[Tensor, Tensor]:
    """The decoder's vector (d_model) at a place of its own translation, and the logits (vocab)."""
    from transformer_lib.batching import make_batch
    from transformer_lib.decoding import deciding

    ids = translator.src.vocab.encode(translator.read(text))
    written = translator.tgt.vocab.encode(translator.translate(text)[0].tokens)
    batch = make_batch([(ids, written)])
    model = translator.model
    with deciding(model):
        x = model.decode(batch.tgt_in, model.encode(batch.src), batch.src)[0, place]
        return x.clone(), model.generator(x).clone()


@figure(
    "decoder-three-differences",
    notebook=NOTEBOOK,
    caption="What the decoder has and the encoder hasn't.",
    alt=f"{LAYOUT} Filled black: the causal mask under the decoder's self-attention, its "
    "cross-attention with add and norm, and at the right end linear and softmax.",
)
def draw_three_differences() -> Figure:
    return architecture("decoder.self_attn.mask", "decoder.cross_attn", "decoder.cross_attn_norm",
                        "decoder.cross_attn.heads", "generator.*")  # fmt: skip


@figure(
    "decoder-generator",
    notebook=NOTEBOOK,
    caption="From the decoder's vector to the word 'árboles', from bottom to top.",
    alt="At the bottom a strip of 128 colored numbers. An arrow leads up to a curve of 1,794 "
    "logits, mostly near 0, with one needle above 9. The next arrow leads to log-probabilities: "
    "the same curve, moved down so that the needle ends just below 0. The last arrow rises from "
    "the needle to the word 'árboles'.",
)
def draw_generator() -> Figure:
    from transformer_lib.translator import Translator

    translator = Translator.load()
    x, logits = decoder_vector(translator, SENTENCE, place=3)
    return generator_flow(x, logits, translator.tgt.vocab.tokens)


@figure(
    "decoder-stepper",
    notebook=NOTEBOOK,
    caption="Step through a translation, word by word.",
    alt="A slider from step 1 to 5; shown is step 1. Above, what the decoder has read, <bos>, and "
    "what it writes, 'me'. Below left, the weights of its look at the source, the longest bar at "
    "'I'. Below right, the five likeliest words: 'me' with a logit near 9, four others near 1.",
)
def draw_stepper() -> Any:
    return decode_stepper(*i_like_trees())


@figure(
    "decoder-trace",
    notebook=NOTEBOOK,
    caption="All five steps of 'I like trees' → 'me gustan los árboles <eos>' by our translator.",
    alt="Five rows. Each shows the words read so far and the next word, a row of attention "
    "weights over 'I like trees <eos>', and five bars. 'me' looks mostly at 'I', 'gustan' at "
    "'like', 'los' half at 'trees', 'árboles' at 'trees', <eos> at <eos>. In each row one bar is "
    "far longer than the other four.",
)
def draw_trace() -> Figure:
    return decode_trace(*i_like_trees())
