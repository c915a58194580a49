"""Slips that change no output, for tools/slips.py: each with a proof, which a test runs."""

import ast
import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from types import ModuleType
from unittest import mock

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


def any_device(right: ModuleType, other: ModuleType) -> None:
    """Of the names that there can be, "auto" is the first in the alphabet."""
    for name in ("auto", "cpu", "cuda", "mps", "", "tpu"):
        for cuda, mps in itertools.product((True, False), repeat=2):
            with (
                mock.patch("torch.cuda.is_available", lambda cuda=cuda: cuda),
                mock.patch("torch.backends.mps.is_available", lambda mps=mps: mps),
            ):
                assert answer(right.get_device, name) == answer(other.get_device, name)


def answer(function: Callable, *given: object) -> object:
    try:
        return function(*given)
    except ValueError as error:
        return str(error)


def any_length(right: ModuleType, other: ModuleType) -> None:
    """The table has room for more words than are there; how many more is a question of speed."""
    x = torch.zeros(1, 1, 4)
    ours, theirs = (each.PositionalEncoding(4, dropout=0.0) for each in (right, other))
    for start in (0, 254, 255, 256, 257, 300, 511, 700, 5000):
        assert torch.equal(ours(x, start=start), theirs(x, start=start))


def only_a_wait(right: ModuleType, other: ModuleType) -> None:
    """It is nothing but the time after which a process gives up, and stays long."""
    tree = ast.parse(inspect.getsource(right))
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "WAIT"]
    given = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    waits = [one.value for one in given if one.arg == "timeout"]
    assert [one for one in uses if isinstance(one.ctx, ast.Load)] == waits
    assert min(right.WAIT, other.WAIT) >= timedelta(hours=1)


HARMLESS = [
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "if top_k is not None and top_k < p.size(-1):",
        "if top_k is not None and top_k <= p.size(-1):",
        "the likeliest words, as many as there are, are all of them",
        all_of_the_words,
    ),
    Harmless(
        "transformer_lib/training/devices.py",
        'return torch.device(there[0] if name == "auto" else name)',
        'return torch.device(there[0] if name <= "auto" else name)',
        "no device has a name that comes before auto",
        any_device,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "self.table = self.encoding(2 * end, self.d_model).to(self.table)",
        "self.table = self.encoding(2 + end, self.d_model).to(self.table)",
        "the table has room for two words more, and grows with every second",
        any_length,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        "WAIT = timedelta(hours=2)  # for process 0, which may have a large corpus to read",
        "WAIT = timedelta(hours=1)  # for process 0, which may have a large corpus to read",
        "who waits an hour less computes the same",
        only_a_wait,
    ),
]
