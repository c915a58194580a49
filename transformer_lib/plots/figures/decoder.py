"""The figures of notebook 08: how a sentence is written."""

from functools import cache
from typing import Any

from matplotlib.figure import Figure

from transformer_lib.experiments.decoder import (
    WordStep,
    decode_steps,
    decoder_vector,
    on_the_way,
)
from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.decoder import (
    decode_trace,
    generator_flow,
    stacks_stepper,
    words_come_back,
)
from transformer_lib.plots.drawing import label
from transformer_lib.plots.figures.overview import LAYOUT
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.style import HIGHLIGHT, INK

NOTEBOOK = "08_decoder"
SENTENCE = "I like trees"


@cache
def i_like_trees() -> tuple[list[str], list[WordStep]]:
    from transformer_lib.translator import Translator

    return decode_steps(Translator.load(), SENTENCE)


@cache
def i_like_trees_on_the_way() -> dict[str, Any]:
    from transformer_lib.translator import Translator

    return on_the_way(Translator.load(), SENTENCE)


@figure(
    "decoder-three-differences",
    notebook=NOTEBOOK,
    caption="What the decoder has and the encoder hasn't.",
    alt=f"{LAYOUT} Filled black, with numbers from 1 to 3: the causal mask of the decoder's "
    "self-attention, which hides the words to come, its cross-attention, which looks at the "
    "source, and on top linear and softmax, which choose the next word.",
)
def draw_three_differences() -> Figure:
    figure = architecture("decoder.self_attn.causal.mask", "decoder.cross_attn",
                          "decoder.cross_attn.heads", "generator.*",
                          title="Three things that only\nthe decoder has")  # fmt: skip
    [ax] = figure.axes
    marks = [(3.86, 3.42), (4.72, 4.86), (4.72, 7.78)]
    keys = [(0.42, 7.92), (0.42, 7.59), (0.42, 7.26)]
    said = ("hides the words to come", "looks at the source", "choose the next word")
    for (x, y), text in zip(keys, said, strict=True):
        label(ax, (x + 0.3, y), text, size=12.5)
    for number, (x, y) in zip([1, 2, 3] * 2, marks + keys, strict=True):
        ax.text(x, y, str(number), ha="center", va="center", fontsize=12, weight="bold", zorder=5,
                color=INK, bbox={"boxstyle": "circle,pad=0.22", "facecolor": HIGHLIGHT,
                                 "edgecolor": "none"})  # fmt: skip
    return figure


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
    "decoder-words-come-back",
    notebook=NOTEBOOK,
    hero=True,
    caption="Each word that the decoder writes is the next word that it reads.",
    alt="A blue box, the encoder, with 'I like trees <eos>' below it, and an arrow 'memory' to a "
    "wide wine-red box, the decoder. Below the decoder the words that it reads, <bos> me gustan "
    "los árboles; above it the words that it writes, me gustan los árboles <eos>. From each "
    "written word a ribbon in its color flows down behind the decoder and up to the word below.",
)
def draw_words_come_back() -> Figure:
    way = i_like_trees_on_the_way()
    return words_come_back(way["src"], way["read"], way["written"])


@figure(
    "decoder-stepper",
    notebook=NOTEBOOK,
    caption="Step through encoder and decoder: vectors climb, each written word comes back.",
    alt="Two stacks of two layers with a slider for 23 steps; shown is step 16, in which the "
    "decoder reads 'los', which it has just written. Left, four columns of colored strips, the "
    "vectors of 'I like trees <eos>' before and after each encoder layer; a line, the memory, "
    "leads from their top to both decoder layers. Right, the columns of <bos>, 'me' and 'gustan' "
    "are complete up to the words written above them; lines lead from these back down to the next "
    "column, the newest to 'los'.",
)
def draw_stepper() -> Any:
    return stacks_stepper(i_like_trees_on_the_way())


@figure(
    "decoder-trace",
    notebook=NOTEBOOK,
    caption="All five steps of 'I like trees' → 'me gustan los árboles <eos>' by our translator.",
    alt="Five rows. Each shows the words read so far and the next word, a row of attention "
    "weights over 'I like trees <eos>', and the probabilities of five words. 'me' looks mostly at "
    "'I', 'gustan' at 'like', 'los' half at 'trees', 'árboles' at 'trees', <eos> at <eos>. In each "
    "row one bar is at about 90 % and the other four can hardly be seen.",
)
def draw_trace() -> Figure:
    return decode_trace(*i_like_trees())
