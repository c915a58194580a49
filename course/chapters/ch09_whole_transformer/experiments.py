"""What notebook 09 counts and measures: parameters, shapes, reach, cost and waiting, and faults."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from course import paper
from course.chapters.ch09_whole_transformer.experiment_growing import WithoutMask
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.recording import record_outputs
from transformer_lib.model.attention import MultiHeadAttention, attention, attention_weights
from transformer_lib.model.embedding import one_hot
from transformer_lib.model.transformer import Transformer, count_parameters, make_model
from transformer_lib.text.batching import Batch, make_batch
from transformer_lib.translator import Translator


def on_paper(src_vocab_size: int, tgt_vocab_size: int, **settings) -> Transformer:
    """A Transformer with shapes and without numbers, so that even a big one needs no memory."""
    with torch.device("meta"):
        return make_model(src_vocab_size, tgt_vocab_size, **settings)


def parts(model: nn.Module) -> dict[str, int]:
    """How many parameters each part of a model has; a matrix that is used twice counts once."""
    found = dict.fromkeys(["embeddings", "attention", "feed-forward", "norms", "generator"], 0)
    for name, parameter in model.named_parameters():
        found[part_of(name)] += parameter.numel()
    return found


def part_of(name: str) -> str:
    """The part that a parameter belongs to: encoder.layers.0.self_attn.w_q.weight -> attention."""
    patterns = {
        "norm": "norms",
        "_attn": "attention",
        "feed_forward": "feed-forward",
        "embed": "embeddings",
        "generator": "generator",
    }
    return next(part for pattern, part in patterns.items() if pattern in name)


# The rows of the paper's Table 3 that give a number of parameters, in millions, and that differ
# from the base model in what `make_model` can vary (in two more rows d_k isn't d_model / h).
TABLE_3: dict[str, tuple[dict[str, int], int]] = {
    name: ({size: n for size, n in row.changed.items() if size != "dropout"}, row.millions)
    for name, row in paper.TABLE_3.items()
    if row.millions and "d_k" not in row.changed
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


def stations(model: Transformer) -> list[str]:
    """The parts that a sentence passes, in order; their names are those of `record_outputs`."""
    sides = {"src": "encoder", "tgt": "decoder"}
    return [
        name
        for side, stack in sides.items()
        for name in (
            f"{side}_embed",
            f"{side}_positions",
            *(f"{stack}.layers.{i}" for i in range(model.config.N)),
            stack,
        )
    ] + ["generator"]


def on_its_way(translator: Translator, text: str) -> tuple[Batch, dict[str, Tensor]]:
    """A sentence and its translation as a batch, and what each part of the model makes of them."""
    written = translator.translate(text).tokens
    ids = translator.src.vocab.encode(translator.read(text)), translator.tgt.vocab.encode(written)
    batch = make_batch([ids])
    with inference_mode(translator.model), record_outputs(translator.model) as outputs:
        translator.model(batch.src, batch.tgt_in)
    return batch, outputs


def journey(translator: Translator, text: str) -> list[tuple[str, object]]:
    """Each stop of a sentence on its way through the machine, and its shape there."""
    batch, outputs = on_its_way(translator, text)
    src = translator.src.vocab
    best = outputs["generator"].argmax(dim=-1)[0].tolist()
    return [
        ("characters", len(text)),
        ("tokens", translator.read(text)),
        ("ids", batch.src[0].tolist()),
        ("one-hot", tuple(one_hot(batch.src, len(src)).shape)),
        *((name, tuple(outputs[name].shape)) for name in stations(translator.model)),
        ("words", translator.tgt.vocab.decode(best)),
        ("text", translator.translate(text).text),
    ]


def inside_a_layer(translator: Translator, text: str) -> list[tuple[str, tuple[int, ...]]]:
    """What the first encoder layer makes of a sentence on the way, and its shape."""
    _, outputs = on_its_way(translator, text)
    x, layer = outputs["src_positions"], translator.model.encoder.layers[0]
    attend, network = layer.self_attn, layer.feed_forward
    with inference_mode(translator.model):
        q, k, v = (linear(x) for linear in (attend.w_q, attend.w_k, attend.w_v))
        heads = [attend.split_heads(vectors) for vectors in (q, k, v)]
        weights = attention_weights(*heads[:2])
        mixed = attend.merge_heads(weights @ heads[2])
        wide = network.w_1(layer.residual_self_attn(x, lambda x: attend(x, x, x)))
    return [
        ("what comes in", tuple(x.shape)),
        ("query, key and value, each", tuple(q.shape)),
        ("the same, cut into heads", tuple(heads[0].shape)),
        ("weights, in each head", tuple(weights.shape)),
        ("heads side by side again", tuple(mixed.shape)),
        ("inside the feed-forward network, d_ff", tuple(wide.shape)),
        ("what goes out", tuple(outputs["encoder.layers.0"].shape)),
    ]


# --- the paper's Table 1: cost, waiting and path of four kinds of layers --------------------------

WIDTH, KERNEL = 64, 5  # the convolution and the restricted attention see a word and 4 before it


def multiplications(run: Callable[[Tensor], object], *shape: int) -> int:
    """How many numbers are multiplied while `run` works on an input of this shape."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        run(torch.zeros(shape))
    return counter.get_total_flops() // 2  # a multiplication and an addition are counted as two


def restricted(
    attend: MultiHeadAttention, x: Tensor, before: int = KERNEL - 1, after: int = 0
) -> Tensor:
    """Self-attention in which each word sees itself and its neighbors, (b, n, d).

    before, after: how many of them on each side.

    The same as a mask would give, but what nobody looks at isn't computed either.
    """
    q = attend.split_heads(attend.w_q(x))
    k, v = (
        F.pad(attend.split_heads(w(x)), (0, 0, before, after)).unfold(-2, before + 1 + after, 1)
        for w in (attend.w_k, attend.w_v)
    )
    scores = q[..., None, :] @ k / q.size(-1) ** 0.5  # (b, h, n, 1, neighbors)
    places = torch.arange(x.size(1))[:, None] + torch.arange(-before, after + 1)
    outside = (places < 0) | (places >= x.size(1))
    scores = scores.masked_fill(outside[:, None], torch.finfo(scores.dtype).min)
    mixed = scores.softmax(dim=-1) @ v.transpose(-2, -1)
    return attend.w_o(attend.merge_heads(mixed.squeeze(-2)))


def costs(n: int, d: int = WIDTH) -> dict[str, int]:
    """Multiplications in one layer for a sentence of n words, each d numbers wide."""
    attend, recurrent = MultiHeadAttention(d, h=4), nn.GRU(d, d, batch_first=True)
    convolution = nn.Conv1d(d, d, KERNEL, padding=KERNEL // 2)
    return {
        "self-attention": multiplications(lambda x: attend(x, x, x), 1, n, d),
        "its 2n²d alone": multiplications(lambda x: attention(x, x, x), 1, n, d),
        "recurrent": multiplications(recurrent, 1, n, d),
        "convolution": multiplications(lambda x: convolution(x.transpose(1, 2)), 1, n, d),
        "restricted": multiplications(lambda x: restricted(attend, x), 1, n, d),
    }


def rounds(one_round: Callable[[Tensor, Tensor, int], Tensor], n: int, start: bool = True) -> int:
    """How many rounds it takes until the last of n words can know of the first.

    one_round: (x, state, number of rounds so far) -> the next state; x and states (1, n, d).
    start: whether the first state is x, or else 0.
    """
    x = torch.zeros(1, n, 8)
    x[0, 0] = torch.nan  # not a number: it stains all that is computed from it
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


def convolution_round(gaps: bool = False) -> Callable[..., Tensor]:
    """Each word and four before it; with gaps, the window of round i takes every 5^i-th word."""
    window = nn.Conv1d(8, 8, KERNEL).weight

    def one_round(x: Tensor, state: Tensor, number: int = 0) -> Tensor:
        gap = KERNEL**number if gaps else 1
        before = F.pad(state.transpose(1, 2), ((KERNEL - 1) * gap, 0))
        return F.conv1d(before, window, dilation=gap).transpose(1, 2)

    return one_round


def all_rounds(n: int) -> dict[str, int]:
    """Rounds from the first to the last of n words, for each kind of layer."""
    attend, cell = MultiHeadAttention(8, h=2), nn.GRUCell(8, 8)
    return {
        "self-attention": rounds(lambda x, state, number: attend(state, state, state), n),
        "recurrent": rounds(recurrent_round(cell), n, start=False),
        "convolution": rounds(convolution_round(), n),
        "with gaps": rounds(convolution_round(gaps=True), n),
        "restricted": rounds(lambda x, state, number: _within(attend, state), n),
    }


def _within(attend: MultiHeadAttention, x: Tensor) -> Tensor:
    """`restricted`, a word at a time, so that ink outside of a word's window can't stain it."""
    n = x.size(1)
    windows = [x[:, max(0, i - KERNEL + 1) : i + 1] for i in range(n)]
    return torch.cat([attend(w[:, -1:], w, w) for w in windows], dim=1)


def waiting(n: int) -> dict[str, int]:
    """Steps that must be done one after another until one layer is done with n words.

    In each step every word computes what it can, all at once. What isn't known yet is NaN, and
    what is computed from it is NaN too; the layer is done when none is left.
    """
    attend, recurrent = MultiHeadAttention(8, h=2), recurrent_round(nn.GRUCell(8, 8))
    convolution = convolution_round()
    layers = {
        "self-attention": lambda x, state: attend(x, x, x),
        "recurrent": recurrent,
        "convolution": lambda x, state: convolution(x, x),
        "restricted": lambda x, state: restricted(attend, x),
    }
    found = {}
    for name, layer in layers.items():
        x, state = torch.zeros(1, n, 8), torch.full((1, n, 8), torch.nan)
        steps = 0
        with torch.no_grad():
            while state.isnan().any():
                state, steps = layer(x, state), steps + 1
        found[name] = steps
    return found


# --- machines with one fault ---------------------------------------------------------------------

FAULTS = (
    "no source positions",
    "no causal mask",
    "padding is seen",
    "two layers are one",
    "one table too many",
)
FAULT_OF = [FAULTS[i] for i in (2, 4, 0, 1, 3)]  # of machine 0, 1, 2 …


def machine(number: int) -> Transformer:
    """One of five new models (N = 2, d_model = 16, one table for all words), each with one fault.

    Number 0 to 4; which has which of FAULTS is for the reader to find. -1 has none.
    """
    fault = None if number == -1 else FAULT_OF[number]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number + 1)
        tied = "target" if fault == "one table too many" else "all"
        model = make_model(50, 50, N=2, d_model=16, d_ff=32, h=2, tie_weights=tied).eval()
    if fault == "no source positions":
        model.src_positions = nn.Identity()
    elif fault == "two layers are one":
        model.decoder.layers[1] = model.decoder.layers[0]
    elif fault == "no causal mask":
        model.decode = partial(WithoutMask.decode, model)
    elif fault == "padding is seen":
        model.encode = lambda src: model.encoder(model.src_positions(model.src_embed(src)))
    return model
