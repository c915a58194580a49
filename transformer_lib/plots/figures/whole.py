"""The figures of notebook 09: the whole Transformer, and what was counted and measured for them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from transformer_lib.attention import MultiHeadAttention, attention
from transformer_lib.batching import make_batch
from transformer_lib.config import BASE, BIG
from transformer_lib.model import Transformer, count_parameters, make_model
from transformer_lib.plots import whole as plots
from transformer_lib.plots.figures.registry import figure
from transformer_lib.tokens import BOS, EOS, SPECIALS
from transformer_lib.translator import Translator

NOTEBOOK = "09_the_whole_transformer"
SENTENCE = "I like trees"
WORDS = 37_000  # "about 37000 tokens", section 5.1


# --- parameters ----------------------------------------------------------------------------------


def on_paper(src_vocab: int, tgt_vocab: int, **settings) -> Transformer:
    """A Transformer with shapes and without numbers, so that even a big one needs no memory."""
    with torch.device("meta"):
        return make_model(src_vocab, tgt_vocab, **settings)


def parts(model: nn.Module) -> dict[str, int]:
    """How many parameters each part of a model has; a matrix that is used twice counts once."""
    found = dict.fromkeys(["embeddings", "attention", "feed-forward", "norms", "generator"], 0)
    for name, parameter in model.named_parameters():
        found[part_of(name)] += parameter.numel()
    return found


def part_of(name: str) -> str:
    """The part that a parameter belongs to: encoder.layers.0.self_attn.w_q.weight -> attention."""
    patterns = {"norm": "norms", "_attn": "attention", "feed_forward": "feed-forward",
                "embed": "embeddings", "generator": "generator"}  # fmt: skip
    return next(part for pattern, part in patterns.items() if pattern in name)


# The rows of the paper's Table 3 that give a number of parameters, in millions, and that differ
# from the base model in what `make_model` can vary (in two more rows d_k isn't d_model / h).
TABLE_3: dict[str, tuple[dict[str, int], int]] = {
    "base": ({}, 65),
    "N = 2": ({"N": 2}, 36),
    "N = 4": ({"N": 4}, 50),
    "N = 8": ({"N": 8}, 80),
    "d_model = 256": ({"d_model": 256}, 28),
    "d_model = 1024": ({"d_model": 1024}, 168),
    "d_ff = 1024": ({"d_ff": 1024}, 53),
    "d_ff = 4096": ({"d_ff": 4096}, 90),
    "big": ({"d_model": 1024, "d_ff": 4096, "h": 16}, 213),
}


def possible_vocabulary(row: str) -> tuple[float, float]:
    """The smallest and the largest vocabulary that give a row of Table 3 its number of parameters.

    The number is rounded to millions, so the true one lies up to half a million below or above.
    """
    settings, millions = TABLE_3[row]
    model = on_paper(1, 1, tie_weights="all", **settings)
    width = model.config.d_model
    layers = count_parameters(model) - width  # all but one word
    return (1e6 * (millions - 0.5) - layers) / width, (1e6 * (millions + 0.5) - layers) / width


def common_vocabulary(rows: Sequence[str]) -> tuple[float, float]:
    """The smallest and the largest vocabulary that all these rows of Table 3 allow."""
    smallest, largest = zip(*map(possible_vocabulary, rows), strict=True)
    return max(smallest), min(largest)


# --- one sentence --------------------------------------------------------------------------------


@contextmanager
def all_outputs(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """Collect what each part of a model puts out inside the `with`: its name -> the last tensor."""
    found: dict[str, Tensor] = {}

    def keeper(name: str) -> Callable:
        def hook(module, args, output):
            found[name] = output.detach()

        return hook

    handles = [part.register_forward_hook(keeper(name)) for name, part in model.named_modules()]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def stations(model: Transformer) -> list[str]:
    """The parts that a sentence passes, in order; their names are those of `all_outputs`."""
    sides = {"src": "encoder", "tgt": "decoder"}
    return [name for side, stack in sides.items() for name in (
        f"{side}_embed", f"{side}_positions",
        *(f"{stack}.layers.{i}" for i in range(model.config.N)), stack,
    )] + ["generator"]  # fmt: skip


# --- from the outside in -------------------------------------------------------------------------


@torch.no_grad()
def sees(
    step: Callable[[Tensor, Tensor], Tensor], x: Tensor, memory: Tensor, place: int
) -> tuple[list[int], list[int]]:
    """Which words the output at `place` depends on: (places of the source, places of the target).

    step: (x, memory) -> as x; both (1, L, d). Each word is changed in its turn.
    """
    before = step(x, memory)[0, place]

    def matters(which: int, word: int) -> bool:
        inputs = [x.clone(), memory.clone()]
        inputs[which][0, word] += 1
        return not torch.equal(step(*inputs)[0, place], before)

    source = [word for word in range(memory.size(1)) if matters(1, word)]
    return source, [word for word in range(x.size(1)) if matters(0, word)]


# --- beside its rivals ---------------------------------------------------------------------------

WIDTH, KERNEL = 64, 5
LENGTHS = range(16, 257, 16)
PLACES = range(2, 33)


def multiplications(run: Callable[[Tensor], object], *shape: int) -> int:
    """How many numbers are multiplied while `run` works on an input of this shape."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        run(torch.zeros(shape))
    return counter.get_total_flops() // 2  # a multiplication and an addition are counted as two


def costs(n: int, d: int = WIDTH) -> dict[str, int]:
    """Multiplications in one layer for a sentence of n words, each d numbers wide."""
    attend, recurrent = MultiHeadAttention(d, h=4), nn.GRU(d, d, batch_first=True)
    convolution = nn.Conv1d(d, d, KERNEL, padding=KERNEL // 2)
    return {
        "self-attention": multiplications(lambda x: attend(x, x, x), 1, n, d),
        "its n²d alone": multiplications(lambda x: attention(x, x, x), 1, n, d),
        "recurrent (GRU)": multiplications(recurrent, 1, n, d),
        "convolution": multiplications(lambda x: convolution(x.transpose(1, 2)), 1, n, d),
    }


def rounds(one_round: Callable[[Tensor, Tensor, int], Tensor], n: int, start: bool = True) -> int:
    """How many rounds it takes until the last of n words has heard of the first.

    one_round: (x, state, number of rounds so far) -> the next state; x and states (1, n, d). The
    first word of x is ink: a number that is none (NaN) and stains all that is computed from it.
    start: the first state is x; else 0.
    """
    x = torch.zeros(1, n, 8)
    x[0, 0] = torch.nan
    state = x if start else torch.zeros_like(x)
    count = 0
    with torch.no_grad():
        while not state[0, -1].isnan().any():
            state = one_round(x, state, count)
            count += 1
    return count


def recurrent_round(cell: nn.GRUCell) -> Callable[..., Tensor]:
    """Each word takes its own vector and the state that its left neighbor had a round ago."""

    def one_round(x: Tensor, state: Tensor, number: int = 0) -> Tensor:
        neighbor = torch.cat([torch.zeros_like(state[:, :1]), state[:, :-1]], dim=1)
        return cell(x[0], neighbor[0])[None]

    return one_round


def all_rounds(n: int) -> dict[str, int]:
    """Rounds from the first to the last of n words, for each kind of layer."""
    attend, cell = MultiHeadAttention(8, h=2), nn.GRUCell(8, 8)
    window = nn.Conv1d(8, 8, KERNEL).weight

    def convolution(state: Tensor, gap: int) -> Tensor:
        """Each word and four before it; gap: from one of them to the next, 1 is side by side."""
        before = F.pad(state.transpose(1, 2), ((KERNEL - 1) * gap, 0))
        return F.conv1d(before, window, dilation=gap).transpose(1, 2)

    return {
        "self-attention": rounds(lambda x, state, number: attend(state, state, state), n),
        "recurrent (GRU)": rounds(recurrent_round(cell), n, start=False),
        "convolution": rounds(lambda x, state, number: convolution(state, 1), n),
        "with gaps": rounds(lambda x, state, number: convolution(state, KERNEL**number), n),
    }


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "whole-zoom",
    notebook=NOTEBOOK,
    caption="Five looks at the Transformer: what is black in one drawing is opened in the next.",
    alt="Five drawings. 1: a black box turns 'I like trees' into 'Me gustan los árboles'. 2: "
    "encoders hand a memory to decoders, which also get the words so far. 3: six encoder layers in "
    "a row, six decoder layers in a row, and the memory goes to each decoder layer. 4: an encoder "
    "layer is self-attention and feed-forward, a decoder layer has cross-attention in between. 5: "
    "an attention is three linear layers, dot products, scale, mask and softmax, a mix of values, "
    "the heads in a row and a last linear layer.",
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
    notebook=NOTEBOOK,
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
    alt="Six rows. 1: a feed-forward box. 2: source attention before it. 3: self-attention before "
    "both. 4: more heads behind both attentions. 5: a plus behind each box, with a line around the "
    "box. 6: a norm behind each plus.",
)
def draw_outside_in() -> Figure:
    return plots.outside_in()


@torch.no_grad()
def path_of(
    translator: Translator, text: str
) -> tuple[list[tuple[Sequence[str], list[plots.Station]]], list[tuple[str, float]]]:
    """The vectors of a sentence at each station, and the next word at each place of the target."""
    model = translator.model
    tokens, written = translator.read(text), translator.translate(text)[0].tokens
    ids = (translator.src.vocab.encode(tokens), translator.tgt.vocab.encode(written))
    batch = make_batch([ids])
    with all_outputs(model) as outputs:
        logits = model(batch.src, batch.tgt_in)[0]
    names = {"embed": "embedding", "positions": "+ position"}

    def side(prefix: str, stack: str) -> list[plots.Station]:
        return [
            *(plots.Station(name, outputs[f"{prefix}_{part}"][0]) for part, name in names.items()),
            *(plots.Station(f"{stack} layer {i + 1}", outputs[f"{stack}.layers.{i}"][0])
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
    alt="Two rows of color maps. Above, four words and 128 numbers each: embedding, with position, "
    "after encoder layer 1 and 2. Below, five words: embedding, with position, after decoder layer "
    "1 and 2, and at the end bars near 1 for the next words me, gustan, los, árboles, <eos>.",
)
def draw_sentence() -> Figure:
    return plots.sentence_path(*path_of(Translator.load(), SENTENCE))


@figure(
    "whole-cost",
    notebook=NOTEBOOK,
    caption="Cost of a layer, and rounds from the first word to the last, against length.",
    alt="Left: multiplications in a layer 64 wide. Self-attention bends upwards and crosses the "
    "straight line of a GRU at 64 words; a convolution stays below the GRU. Right: rounds until "
    "the last word has heard of the first: one for self-attention at every length, as many as "
    "words for the GRU, a quarter as many for a convolution five words wide, three with gaps.",
)
def draw_cost() -> Figure:
    cost, path = [costs(n) for n in LENGTHS], [all_rounds(n) for n in PLACES]
    return plots.cost_and_path(
        LENGTHS, {name: [row[name] for row in cost] for name in cost[0]},
        PLACES, {name: [row[name] for row in path] for name in path[0]}, WIDTH,
    )  # fmt: skip
