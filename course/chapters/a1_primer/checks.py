"""The exercises of the primer, a1: a training loop with a fault, and products of all vectors."""

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise, exercise, expect, no_slip, wrong_verdicts

KINDS = ("sound", "no step", "gradients pile up")
LOOPS = {"A": "gradients pile up", "B": "no step", "C": "sound"}


def train(name: str, steps: int) -> list[tuple[float, float]]:
    """Train the slope of a line with one of `LOOPS` -> (slope before, gradient) of each step."""
    if name not in LOOPS:
        raise ValueError(f"there is no loop {name!r}; the loops are {', '.join(LOOPS)}")
    slope = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([slope], lr=0.01)
    x = torch.tensor([0.0, 1.0, 2.0, 3.0])
    seen = []
    for _ in range(steps):
        if LOOPS[name] != "gradients pile up":
            optimizer.zero_grad()
        ((slope * x - 2 * x) ** 2).mean().backward()
        seen.append((slope.item(), slope.grad.item()))
        if LOOPS[name] != "no step":
            optimizer.step()
    return seen


@exercise
def faults(found: dict[str, str]) -> None:
    """The exercise of the core: which of the three loops is sound, and what do the others lack?"""
    wrong = wrong_verdicts(found, LOOPS, KINDS)
    no_slip(
        "B" not in wrong,
        "B never changes its slope, whatever the gradient is. Which line moves the parameters?",
    )
    no_slip(
        "C" not in wrong,
        "C is sound. A and C begin alike; compare their gradients from the second step on. The "
        "slope should come to rest at 2: which of them shoots past it?",
    )
    expect("A" not in wrong, "A: its gradients add up from step to step.")


def two_batches() -> tuple[Tensor, Tensor]:
    return torch.arange(30.0).sin().view(2, 3, 5), torch.arange(40.0).cos().view(2, 4, 5)


FIT = (
    "The shapes don't fit. `@` needs the last axis of the left to be as long as the last but one "
    "of the right: turn two axes of k"
)
my_products = Exercise(
    "my_products",
    "(b, s, d) and (b, t, d) -> (b, s, t), each vector of one with each of the other.",
    inputs=two_batches,
    right=[
        lambda q, k: q @ k.transpose(-2, -1),
        lambda q, k: torch.einsum("bsd,btd->bst", q, k),
        lambda q, k: (q[:, :, None] * k[:, None]).sum(dim=-1),
    ],
    errors={
        "must match": f"{FIT}.",
        "should have": f"{FIT}.",
        "xpected size": f"{FIT}, the last ones.",
    },
    slips={
        f"{FIT}.": [lambda q, k: q @ k.transpose(0, 1)],
        f"{FIT}, the last ones.": [lambda q, k: q @ k],
        "That is k times q: rows and columns are exchanged.": [
            lambda q, k: k @ q.transpose(-2, -1)
        ],
        "That is the first sentence only. What about the others?": [
            lambda q, k: (q @ k.transpose(-2, -1))[0]
        ],
        "Every sentence meets every sentence. Each should meet only itself.": [
            lambda q, k: torch.einsum("bsd,ctd->bsct", q, k)
        ],
    },
    elsewhere={ELSEWHERE: lambda: (two_batches()[0][:1],) * 2},
)
