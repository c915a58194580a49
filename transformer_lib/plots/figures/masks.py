"""The figures of notebook 06: what must not be seen."""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lib.experiments.masks import measured_influence
from transformer_lib.masks import causal_mask, padding_mask
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.masks import leak_curves, mask_maps, staircase
from transformer_lib.tokens import BOS, PAD

TGT_IN = ["<bos>", "me", "gustan", "los", "árboles"]
TGT_OUT = ["me", "gustan", "los", "árboles", "<eos>"]


def three_masks(tgt_in: Tensor) -> dict[str, Tensor]:
    """Padding mask, causal mask and both together, as squares (t, t), of one row of ids (t,)."""
    length = len(tgt_in)
    padding = padding_mask(tgt_in[None]).expand(1, 1, length, length)[0, 0]
    causal = causal_mask(length)[0, 0]
    return {"padding mask": padding, "causal mask": causal, "both (&)": padding & causal}


@figure(
    "masks-staircase",
    notebook="06_masks",
    caption="Each row sees one word more, and predicts the next one.",
    alt="Five rows of five tiles, like a staircase. In the first row only <bos> can be seen and "
    "the other four tiles are covered; an arrow leads to 'me', which it predicts. In each row "
    "below one tile more is open: <bos> me leads to 'gustan', <bos> me gustan to 'los', <bos> me "
    "gustan los to 'árboles', and all five to <eos>.",
    hero=True,
)
def draw_staircase() -> Figure:
    return staircase(TGT_IN, TGT_OUT)


@figure(
    "masks-three",
    notebook="06_masks",
    caption="The padding mask, the causal mask, and both together.",
    alt="Three squares with a row and a column for each of '<bos> gracias <pad> <pad> <pad>'. "
    "Padding mask: the first two columns are 1. Causal mask: the lower left triangle with its "
    "diagonal is 1. Both: 1 only where both are, in the first two columns on and below the "
    "diagonal.",
)
def draw_three_masks() -> Figure:
    words = ["<bos>", "gracias", "<pad>", "<pad>", "<pad>"]
    return mask_maps(three_masks(torch.tensor([BOS, 4, PAD, PAD, PAD])), words, words)


@figure(
    "masks-influence",
    notebook="06_masks",
    caption="Which outputs change when one target word changes, measured in a random model.",
    alt="Two squares: a row for the output at each word, a column for each word changed. With the "
    "causal mask only the lower left triangle says yes. With a mask that shows everything, each "
    "output changes with each word.",
)
def draw_influence() -> Figure:
    return mask_maps(measured_influence(), TGT_IN, TGT_IN, xlabel="when this word is changed",
                     ylabel="does the output here change?", marks=("no", "yes"))  # fmt: skip


@figure(
    "masks-leak-curves",
    notebook="06_masks",
    caption="A model whose mask leaks learns faster and can do nothing: three seeds of each kind.",
    alt="Two panels against the step of training. Left, next word right after a right beginning: "
    "the three models without a mask reach 100 % by step 125, before those with the causal mask. "
    "Right, whole rows written alone: with the causal mask more than 95 % at the end, without it "
    "0 % at every step.",
)
def draw_leak_curves() -> Figure:
    from transformer_lib import experiments

    return leak_curves(experiments.load("masks")["runs"])
