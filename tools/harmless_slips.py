"""Slips that change no output, for tools/slips.py: each with a proof, which a test runs."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import torch


@dataclass(frozen=True)
class Harmless:
    """before, after: the line, or lines, without the space around them.

    proof: gets the module as it is and the one with the slip; fails if what they compute differs.
    """

    module: str
    before: str
    after: str
    why: str
    proof: Callable[[ModuleType, ModuleType], None]


def all_of_the_words(right: ModuleType, other: ModuleType) -> None:
    """Below the size of the vocabulary, top_k takes the same way; at it, all words are taken."""
    generator = torch.Generator().manual_seed(0)
    for size in (1, 2, 9, 50):
        logits = 9 * torch.randn(40, size, generator=generator)
        for top_k in {1, max(size - 1, 1), size, size + 1, None}:
            for top_p in (0.5, 1.0):
                how = {"top_k": top_k, "top_p": top_p}
                one, same = (x.sampling_distribution(logits, **how) for x in (right, other))
                assert torch.equal(one > 0, same > 0)
                torch.testing.assert_close(one, same)


HARMLESS = [
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "if top_k is not None and top_k < p.size(-1):",
        "if top_k is not None and top_k <= p.size(-1):",
        "the likeliest words, as many as there are, are all of them",
        all_of_the_words,
    )
]
