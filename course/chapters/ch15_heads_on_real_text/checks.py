"""The exercises of notebook 15: how much a patch restores, and the logit lens."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course.checks import a_kind, compare, expect, implement, no_slip, one_number
from course.checks import result_of as result

# Margins of five sentences: as they are, after a patch, and of the sentences it came from. By no
# two mistakes they come to the same share.
BEFORE = [-3.0, -1.0, -2.5, -0.5, -4.0]
AFTER = [0.5, -0.5, 1.0, -0.75, -2.0]
GOAL = [2.0, 3.0, 2.5, 0.5, 1.0]


@implement(lambda: (torch.zeros(2), torch.ones(2), torch.ones(2)))
def my_restored(function: Callable[[Tensor, Tensor, Tensor], float]) -> None:
    """Exercise: margins before, after and of the goal -> the share of the way that was gone."""
    before, after, goal = map(torch.tensor, (BEFORE, AFTER, GOAL))
    right = ((after - before).mean() / (goal - before).mean()).item()
    found: Any = result(function, before, after, goal)
    shape = tuple(found.shape) if isinstance(found, Tensor) else ()
    single = ((after - before) / (goal - before)).mean().item()
    expect(
        shape in ((), (1,)),
        f"It returns {shape} numbers: take the mean over the sentences first, then the share.",
    )
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")

    def is_it(value: float) -> bool:
        return abs(found - value) < 1e-4

    way, moved = (goal - before).mean().item(), (after - before).mean().item()
    no_slip(not is_it(moved), "That is how far it moved, in nats. Of what way?")
    no_slip(not is_it(100 * right), "As a share: 1 for all of the way.")
    no_slip(not is_it(-right), "The sign is turned round: nearer to the goal is positive.")
    no_slip(not is_it(1 - right), "That is the share that is still to go.")
    no_slip(
        not is_it(moved / goal.mean().item()),
        "The way begins where the sentences were before the patch, not at 0.",
    )
    no_slip(
        not is_it(after.mean().item() / way),
        "How far did it *move*? Take away where it was before.",
    )
    no_slip(
        not is_it(single),
        "That is the mean of single shares: a sentence with hardly any way "
        "to go would count as much as all others. Take means first, then divide.",
    )
    expect(
        is_it(right),
        f"Not {found:.4g}: divide how far the margins moved by how far they had "
        "to go, both as means.",
    )


class Example:
    """Three states of seven sentences, a norm and a generator with which each mistake shows."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(3)
        self.states = [torch.randn(7, 5, generator=generator) + 1.5 for _ in range(3)]
        self.norm = nn.LayerNorm(5)
        self.generator = nn.Linear(5, 11, bias=False)
        with torch.no_grad():
            self.norm.weight.copy_(torch.tensor([2.0, -1.0, 0.5, 3.0, 1.0]))
            self.norm.bias.copy_(torch.tensor([0.0, 1.0, -1.0, 0.0, 0.5]))
            self.generator.weight.copy_(torch.randn(11, 5, generator=generator))
            best = [self.generator(self.norm(x)).argmax(dim=-1) for x in self.states]
        self.ids = torch.where(torch.arange(7) < 5, best[2], best[0])

    @torch.no_grad()
    def shares(self, *, norm: bool = True, turn: int = 1) -> Tensor:
        read = self.norm if norm else nn.Identity()
        hits = [(turn * self.generator(read(x))).argmax(dim=-1) == self.ids for x in self.states]
        return torch.stack(hits).float().mean(dim=1)


@implement(lambda: ([torch.zeros(1, 2)], nn.Identity(), nn.Identity(), torch.zeros(1).long()))
def my_lens(function: Callable[..., Tensor]) -> None:
    """Exercise: states of layers, the norm, the generator, ids -> for each layer a share."""
    one = Example()
    right = one.shares()
    found = result(function, one.states, one.norm, one.generator, one.ids)
    if isinstance(found, list | tuple):
        found = torch.tensor([float(x) for x in found])
    expect(
        isinstance(found, Tensor), f"It should return a share for each layer, not {a_kind(found)}."
    )
    found = found.detach().float()
    expect(
        found.shape != (3, 7),
        "That says for each sentence whether it is right: take the mean over them.",
    )
    expect(
        found.shape == right.shape,
        f"For 3 states it returns the shape {tuple(found.shape)}: one share for each.",
    )
    no_slip(
        not torch.allclose(found, one.shares(norm=False)),
        "The generator was trained to read "
        "what comes out of the norm: put each state through it first.",
    )
    no_slip(not torch.allclose(found, 7 * right), "That is how many are right. What share is it?")
    no_slip(not torch.allclose(found, one.shares(turn=-1)), "That asks for the unlikeliest word.")
    no_slip(not torch.allclose(found, right.flip(0)), "The layers are in the wrong order.")
    compare(found, right, [])
