"""What notebook 09 counts and measures: parameters, shapes, reach and cost of a Transformer."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from transformer_lib.attention import MultiHeadAttention, attention
from transformer_lib.model import Transformer, count_parameters, make_model


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


WIDTH, KERNEL = 64, 5


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
