"""The figures of notebook 09: the whole Transformer."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from transformer_lib.batching import make_batch
from transformer_lib.config import BASE, BIG
from transformer_lib.experiments.whole import (
    TABLE_3,
    WIDTH,
    all_rounds,
    common_vocabulary,
    costs,
    on_paper,
    parts,
    possible_vocabulary,
    waiting,
)
from transformer_lib.plots import whole as plots
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.scaling import Panel, step_lines
from transformer_lib.recording import record_outputs
from transformer_lib.tokens import BOS, EOS, SPECIALS
from transformer_lib.translator import Translator

NOTEBOOK = "09_the_whole_transformer"
SENTENCE = "I like trees"
WORDS = 37_000  # "about 37000 tokens", section 5.1


LENGTHS = range(16, 257, 16)
PLACES = range(2, 33)


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "whole-zoom",
    notebook=NOTEBOOK,
    caption="Five looks at the Transformer: what is black in one drawing is opened in the next.",
    alt="Five drawings. 1: a black box turns 'I like trees' into 'Me gustan los árboles'. 2: "
    "the encoder hands a memory to the decoder, which also gets the words so far. 3: six encoder "
    "layers in a row, six decoder layers in a row, and the memory goes to each decoder layer. 4: "
    "an encoder layer is self-attention and feed-forward, a decoder layer has cross-attention in "
    "between. 5: an attention is three linear layers, dot products, scale, mask and softmax, a mix "
    "of values, the heads in a row and a last linear layer.",
)
def draw_zoom() -> Figure:
    return plots.zoom_levels()


@figure(
    "whole-figure-2",
    notebook=NOTEBOOK,
    caption="The two diagrams of the paper's Figure 2, each box with the code that does its work.",
    alt="Two columns of boxes, read from the bottom. Left: MatMul of Q and K, Scale, Mask, SoftMax "
    "and a MatMul with V. Right: three Linear, a cut into h heads, Scaled Dot-Product Attention h "
    "times, Concat, Linear. Beside each box stands a piece of code, such as "
    "'query @ key.transpose(-2, -1)'.",
)
def draw_figure_two() -> Figure:
    return plots.figure_two()


def counted_models() -> dict[str, dict[str, int]]:
    """The parts of the base model, as it comes and with shared matrices, and of the big one."""
    sizes = {key: getattr(BIG, key) for key in ("N", "d_model", "d_ff", "h")}
    return {
        "base": parts(on_paper(WORDS, WORDS, N=BASE.N)),
        "base, one matrix": parts(on_paper(WORDS, WORDS, tie_weights="all")),
        "big, one matrix": parts(on_paper(WORDS, WORDS, tie_weights="all", **sizes)),
    }


@figure(
    "whole-parameters",
    notebook=NOTEBOOK,
    caption="Parameters by part: the base model as it comes, with one matrix for words, and big.",
    alt="Three stacked bars. Base: 100.9 million, of which embeddings 37.9, attention 18.9, "
    "feed-forward 25.2, generator 18.9. With one matrix for all words: 63.0 million. Big, with "
    "one matrix: 214.2 million, of which feed-forward 100.7. The norms are too few to be seen.",
)
def draw_parameters() -> Figure:
    return plots.parameter_bars(counted_models())


@figure(
    "whole-vocabulary",
    notebook="a2_slips_in_well_known_texts",
    caption="The sizes of the vocabulary that give each row of Table 3 the count it prints.",
    alt="A bar for each of nine rows of Table 3. The eight bars from base to d_ff = 4096 have a "
    "band in common, from 41,003 to 41,209; the bar of big lies apart, from 35,400 to 36,300. None "
    "contains 37,000, the size given in the text.",
)
def draw_vocabulary() -> Figure:
    ranges = {row: possible_vocabulary(row) for row in TABLE_3}
    return plots.vocabulary_ranges(ranges, common_vocabulary(list(TABLE_3)[:-1]), said=WORDS)


@figure(
    "whole-outside-in",
    notebook=NOTEBOOK,
    caption="A decoder layer grows from the outside in, in six steps; what is new is black.",
    alt="Six rows. 0: a feed-forward box. 1: source attention before it. 2: self-attention before "
    "both. 3: more heads behind both attentions. 4: a plus after each box, with a line around the "
    "box. 5: a norm after each plus.",
)
def draw_outside_in() -> Figure:
    return plots.outside_in()


@torch.no_grad()
def path_of(
    translator: Translator, text: str
) -> tuple[list[tuple[Sequence[str], list[plots.Station]]], list[tuple[str, float]]]:
    """A sentence's vectors at each station, and the next word at each position of the target."""
    model = translator.model
    tokens, written = translator.read(text), translator.translate(text)[0].tokens
    ids = (translator.src.vocab.encode(tokens), translator.tgt.vocab.encode(written))
    batch = make_batch([ids])
    with record_outputs(model) as outputs:
        logits = model(batch.src, batch.tgt_in)[0]
    names = {"embed": "embedding", "positions": "+ position"}

    def side(prefix: str, stack: str) -> list[plots.Station]:
        return [
            *(plots.Station(name, outputs[f"{prefix}_{part}"][0]) for part, name in names.items()),
            *(plots.Station(f"{stack} layer {i}", outputs[f"{stack}.layers.{i}"][0])
              for i in range(model.config.N)),
        ]  # fmt: skip

    rows = [
        ([*tokens, SPECIALS[EOS]], side("src", "encoder")),
        ([SPECIALS[BOS], *written], side("tgt", "decoder")),
    ]
    best = logits.softmax(dim=-1).max(dim=-1)
    said = [translator.tgt.vocab.tokens[i] for i in best.indices.tolist()]
    return rows, list(zip(said, best.values.tolist(), strict=True))


@figure(
    "whole-sentence",
    notebook=NOTEBOOK,
    caption="All vectors of 'I like trees' on the way through our translator.",
    alt="Two frames with strips: the first 16 of each vector's 128 numbers, as colored cells. "
    "Above, the encoder with four words: embedding, with position, after layer 0 and 1, which is "
    "the memory that both layers of the decoder read. Below, the decoder with five: embedding, "
    "with position, after layer 0 and 1, and beside it what is written next: me, gustan, los, "
    "árboles, <eos>, each with 89 or 90 %.",
)
def draw_sentence() -> Figure:
    return plots.sentence_path(*path_of(Translator.load(), SENTENCE))


@figure(
    "whole-cost",
    notebook=NOTEBOOK,
    caption="The paper's Table 1, measured: what a layer costs, how long it waits, and how many "
    "layers news needs from the first word to the last, against the length of the sentence.",
    alt="Five small drawings say what a word is made from: all words, the one before it, five "
    "neighbors mixed, five looked at, five with gaps. Below, three panels of curves. Cost: "
    "self-attention bends upwards and crosses the straight line of the recurrent layer at 64 "
    "words; convolution and restricted attention stay below. Waiting: the recurrent layer waits as "
    "many steps as there are words, all others one. Path: one layer for self-attention, as many as "
    "words for the recurrent one, a quarter as many for convolution and restricted attention, "
    "three with gaps. Each curve has its name at its end.",
)
def draw_cost() -> Figure:
    cost, wait = [costs(n) for n in LENGTHS], [waiting(n) for n in PLACES]
    path = [all_rounds(n) for n in PLACES]
    return plots.cost_and_path(
        LENGTHS, {name: [row[name] for row in cost] for name in wait[0]},
        PLACES, {name: [row[name] for row in wait] for name in wait[0]},
        {name: [row[name] for row in path] for name in path[0]}, WIDTH,
    )  # fmt: skip


@figure(
    "whole-step-lengths",
    notebook=NOTEBOOK,
    caption="What a step of training takes, with as many words in longer and longer sentences.",
    alt="Two panels against the words in a sentence, 16 to 1,024, with 2,048 words in a batch. "
    "Time of a step: with attention by its formula it rises from 252 milliseconds to 1,801, twice "
    "the first at 395 words; in one kernel it rises from 239 to 627, twice the first at 655 words. "
    "Memory at a time: by its formula from 125 megabytes to 529, twice the first at 329 words; in "
    "one kernel from 119 to 137.",
)
def draw_step_lengths() -> Figure:
    from transformer_lib.experiments.scaling import against_length, doubled

    panels = {}
    for title, (what, unit) in {
        "time of a step": ("milliseconds", "milliseconds"),
        "memory at a time": ("tensors", "megabytes"),
    }.items():
        lengths, ways = against_length(what)
        ways = {{"formula": "by its formula", "fused": "in one kernel"}[way]: values
                for way, values in ways.items()}  # fmt: skip
        twice = {name: doubled(lengths, values) for name, values in ways.items()}
        panels[title] = Panel(unit, ways, twice)
    return step_lines(lengths, panels)


@figure(
    "whole-machine",
    notebook=NOTEBOOK,
    hero=True,
    caption="The whole machine: a reader, a writer, and the memory that goes to each of the "
    "writer's layers.",
    alt="Two stacks of six layers. 'I like trees' and the end sign enter the encoder from below. "
    "At its top comes out the memory, a vector for each word, with an arrow into each of the six "
    "decoder layers. '<bos> me gustan los' enters the decoder from below, árboles comes out on "
    "top, and each word written comes back as input.",
)
def draw_machine() -> Figure:
    return plots.whole_machine(
        ["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los", "árboles"]
    )
