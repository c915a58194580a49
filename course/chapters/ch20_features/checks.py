"""The exercises of notebook 20: top-k, and three dictionaries with faults."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise, exercise, expect
from transformer_lib.variants.sae import SparseAutoencoder


def top_k_inputs() -> tuple[Tensor, int]:
    z = [
        [0.5, -3.0, 2.0, 1.0, 0.2],
        [-1.0, -0.5, 4.0, -2.0, -0.1],
        [6.0, 5.0, 7.0, 1.5, 8.0],
        [1.5, -0.7, 0.3, 2.5, 0.9],
    ]
    return torch.tensor(z), 3


def right_top_k(z: Tensor, k: int) -> Tensor:
    """The k largest of each row, if above 0; the rest 0."""
    kept = z.topk(k, dim=-1)
    return torch.zeros_like(z).scatter(-1, kept.indices, kept.values).relu()


def keep(z: Tensor, k: int, by: Callable[[Tensor], Tensor] = lambda z: z, axis: int = -1) -> Tensor:
    """The k largest by something, in each row or column; the rest 0."""
    places = by(z).topk(k, dim=axis).indices
    return torch.zeros_like(z).scatter(axis, places, z.gather(axis, places))


def of_all(z: Tensor, count: int) -> Tensor:
    return keep(z.flatten(), count).view_as(z).relu()


def least(z: Tensor, k: int) -> Tensor:
    """(n, 1): the smallest of the k largest."""
    return z.topk(k, dim=-1).values[:, -1:]


my_top_k = Exercise(
    "my_top_k",
    "Exercise: z (n, features) and k -> activations of the same shape.",
    inputs=top_k_inputs,
    right=[
        right_top_k,
        lambda z, k: torch.where(z >= z.sort(dim=-1).values[:, -k:][:, :1], z, 0).relu(),
    ],
    not_allowed=("SparseAutoencoder",),
    slips={
        "One of the numbers is below 0: a feature is there or it isn't. The ReLU is missing.": [
            keep
        ],
        "All that is above 0 fires. Of these only the k largest should.": [lambda z, k: z.relu()],
        "The smallest of the k is missing: `>` leaves it out, `>=` keeps it.": [
            lambda z, k: torch.where(z > least(z, k), z, 0).relu()
        ],
        "You took the largest of each column. Each row, a vector, has k features of its own.": [
            lambda z, k: keep(z, k, axis=0).relu()
        ],
        "You chose by size without the sign: −3 is not a large activation.": [
            lambda z, k: keep(z, k, torch.abs).relu()
        ],
        "You took the largest of all rows together. Each vector has k features of its own.": [
            of_all,
            lambda z, k: of_all(z, k * len(z)),
        ],
        "The right numbers, but in which column? The places have to stay.": [
            lambda z, k: z.topk(k, dim=-1).values.relu()
        ],
        "Keep the numbers, not 1 for each of them.": [lambda z, k: (z >= least(z, k)).float()],
        "You kept the others: the k largest are now 0.": [
            lambda z, k: torch.where(z < least(z, k), z, 0).relu()
        ],
        ELSEWHERE: [lambda z, k: right_top_k(z, 3)],
    },
    elsewhere={ELSEWHERE: lambda: (top_k_inputs()[0].T, 1)},
)


# --- faults to find ------------------------------------------------------------------------------

FAULTS = ("sound", "cheats the price", "not sparse")
PLANTED = {"A": "cheats the price", "B": "not sparse", "C": "sound"}
LOOK = {
    "A": "Multiply all its activations by ten and divide its directions by ten: what does the L1 "
    "loss say now, and what does it rebuild? So what keeps `decoder` from doing that?",
    "B": "How many of its features fire on one vector?",
    "C": "Its directions have length 1, and few features fire.",
}


def suspects() -> dict[str, SparseAutoencoder]:
    """Three dictionaries, of which some have one planted fault."""
    found = {}
    for number, (name, fault) in enumerate(PLANTED.items()):
        torch.manual_seed(number)
        sae = SparseAutoencoder(8, 32, l1=1.0)
        with torch.no_grad():
            sae.encoder_bias.fill_(2.5 if fault == "not sparse" else -0.5)
            if fault == "cheats the price":
                sae.decoder.mul_(10)
                sae.encoder.div_(10)
                sae.encoder_bias.div_(10)
        found[name] = sae.requires_grad_(False)
    return found


@exercise
def diagnose(verdict: Any) -> None:
    """Which fault does each of the `suspects` have: {"A": one of FAULTS, ...}."""
    expect(
        isinstance(verdict, dict) and verdict.keys() == PLANTED.keys(),
        f"Give a verdict for each of {', '.join(PLANTED)}.",
    )
    for name, said in verdict.items():
        expect(said in FAULTS, f"{name}: say one of {', '.join(FAULTS)}, not {said!r}.")
    for name, said in verdict.items():
        expect(said == PLANTED[name], f"{name} is not what you say. {LOOK[name]}")
