"""The exercises of notebook 15: how much a patch restores, and the logit lens."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course.checks import Exercise, a_kind, a_number, expect, not_this

# Margins of five sentences: as they are, after a patch, and of the sentences it came from. By no
# two mistakes they come to the same share.
MARGINS = [-3.0, -1.0, -2.5, -0.5, -4.0], [0.5, -0.5, 1.0, -0.75, -2.0], [2.0, 3.0, 2.5, 0.5, 1.0]


def a_share(found: Any) -> int | float:
    shape = tuple(found.shape) if isinstance(found, Tensor) else ()
    expect(
        shape in ((), (1,)),
        f"It returns {shape} numbers: take the mean over the sentences first, then the share.",
    )
    return a_number(found)


def restored(before: Tensor, after: Tensor, goal: Tensor) -> Tensor:
    return (after - before).mean() / (goal - before).mean()


my_restored = Exercise(
    "my_restored",
    "Exercise: margins before, after and of the goal -> the share of the way that was gone.",
    inputs=lambda: tuple(map(torch.tensor, MARGINS)),
    right=[
        restored,
        lambda before, after, goal: float((after - before).sum() / (goal - before).sum()),
    ],
    read=a_share,
    slips={
        "That is how far it moved, in nats. Of what way?": [lambda b, a, g: (a - b).mean()],
        "As a share: 1 for all of the way.": [lambda b, a, g: 100 * restored(b, a, g)],
        "The sign is turned round: nearer to the goal is positive.": [
            lambda b, a, g: -restored(b, a, g)
        ],
        "That is the share that is still to go.": [lambda b, a, g: 1 - restored(b, a, g)],
        "The way begins where the sentences were before the patch, not at 0.": [
            lambda b, a, g: (a - b).mean() / g.mean()
        ],
        "How far did it *move*? Take away where it was before.": [
            lambda b, a, g: a.mean() / (g - b).mean()
        ],
        "That is the mean of single shares: a sentence with hardly any way to go would count as "
        "much as all others. Take means first, then divide.": [
            lambda b, a, g: ((a - b) / (g - b)).mean()
        ],
    },
    unlike=not_this("divide how far the margins moved by how far they had to go, both as means."),
)

Layers = Sequence[Tensor]


def example() -> tuple[list[Tensor], nn.Module, nn.Module, Tensor]:
    """States of seven sentences, a norm, a generator and ids with which each mistake shows."""
    draw = torch.Generator().manual_seed(3)
    states = [torch.randn(7, 5, generator=draw) + 1.5 for _ in range(3)]
    norm, generator = nn.LayerNorm(5), nn.Linear(5, 11, bias=False)
    with torch.no_grad():
        norm.weight.copy_(torch.tensor([2.0, -1.0, 0.5, 3.0, 1.0]))
        norm.bias.copy_(torch.tensor([0.0, 1.0, -1.0, 0.0, 0.5]))
        generator.weight.copy_(torch.randn(11, 5, generator=draw))
        best = [generator(norm(x)).argmax(dim=-1) for x in states]
    return states, norm, generator, torch.where(torch.arange(7) < 5, best[2], best[0])


def hits(states: Layers, norm: Callable, generator: Callable, ids: Tensor) -> Tensor:
    return torch.stack([generator(norm(x)).argmax(dim=-1) == ids for x in states]).float()


def lens(*given: Any) -> Tensor:
    return hits(*given).mean(dim=1)


def shares(found: Any) -> Tensor:
    if isinstance(found, list | tuple):
        found = torch.tensor([float(x) for x in found])
    expect(
        isinstance(found, Tensor), f"It should return a share for each layer, not {a_kind(found)}."
    )
    expect(
        found.shape != (3, 7),
        "That says for each sentence whether it is right: take the mean over them.",
    )
    expect(
        found.shape == (3,),
        f"For 3 states it returns the shape {tuple(found.shape)}: one share for each.",
    )
    return found.detach().float()


my_lens = Exercise(
    "my_lens",
    "Exercise: states of layers, the norm, the generator, ids -> for each layer a share.",
    inputs=example,
    right=[lens, lambda *given: lens(*given).tolist()],
    read=shares,
    slips={
        "The generator was trained to read what comes out of the norm: put each state through it "
        "first.": [lambda states, norm, *rest: lens(states, lambda x: x, *rest)],
        "That is how many are right. What share is it?": [lambda *given: hits(*given).sum(dim=1)],
        "That asks for the unlikeliest word.": [
            lambda states, norm, generator, ids: lens(states, norm, lambda x: -generator(x), ids)
        ],
        "The layers are in the wrong order.": [lambda states, *rest: lens(states[::-1], *rest)],
    },
)
