"""How many of the processor's cores a computation takes: few where there is little to do.

PyTorch cuts each operation into a piece for every core, and goes on when the last piece is done. In
a small model the pieces are so short that this gains nothing even when nothing else runs; and when
another program has one of the cores, all pieces wait for the one that has no core, operation for
operation (`benchmarks/threads.py` measures both).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

ENOUGH = 2**19


def threads_for(d_model: int, words: int) -> int:
    """For steps of a model with this width, on so many words: one, or all that there are."""
    return 1 if d_model * words < ENOUGH else torch.get_num_threads()


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Inside, PyTorch computes with so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
