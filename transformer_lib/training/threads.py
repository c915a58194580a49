"""How many of the CPU's cores a training run or a translation takes: one if there is little to do.

PyTorch cuts an operation into a piece for each core and goes on when the last piece is done. In a
small model the pieces are so short that this gains nothing. And if another program uses one of
the cores, every operation waits until the piece on that core has had its turn. Measured on two
cores (`tools/benchmarks/threads.py`): time with two threads as a multiple of that with one,

    d_model * words a batch     alone   one core busy   two busy
    2**15, digits               1.08    3.3             3.5
    2**17, English to Spanish   0.77    1.7             2.4
    2**18, your own pairs       0.71    2.0             4.5
    2**19, twice such batches   0.70    1.7             2.7

so a model up to the size for your own pairs stays on one thread, as it has little to gain from two
and much to lose; a larger one takes all cores.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

ENOUGH = 2**19  # numbers in one tensor between two layers
# For fewer sentences than these, a second thread saves some hundredths of a second; if another
# program uses one of two cores, it costs several times as much (tools/benchmarks/README.md).
FEW = 32


def threads_for(d_model: int, words: int) -> int:
    """Threads for steps of a model of width d_model on batches of so many words: one or all.

    All are those that PyTorch takes by itself, or by OMP_NUM_THREADS or `torch.set_num_threads`.
    """
    return 1 if d_model * words < ENOUGH else torch.get_num_threads()


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Inside, PyTorch computes with `count` threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def to_translate(sentences: int) -> AbstractContextManager[None]:
    """Inside, a few sentences are translated with one thread.

    The number belongs to the whole process, so a thread of a server leaves it alone.
    """
    main = threading.current_thread() is threading.main_thread()
    return using_threads(1) if sentences < FEW and main else nullcontext()
