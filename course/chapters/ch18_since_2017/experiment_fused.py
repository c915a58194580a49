"""Experiment: attention by its formula, block by block, and by PyTorch's fused kernel.

Always as many words, in sentences of more and more of them: what doubles with the sentence is due
to the table of weights. Times are those of one machine and compared with the formula's, round by
round; bytes are counted, and are the same everywhere with one thread. It takes five minutes, on a
machine that does nothing else.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from tqdm import tqdm

from course.chapters.ch09_whole_transformer.experiment_scaling import peak_bytes
from course.experiments import experiment
from transformer_lib.model.attention import attention
from transformer_lib.model.masks import causal_mask
from transformer_lib.variants import flash_attention, fused_attention

WAYS: dict[str, Callable[..., Tensor]] = {
    "formula": attention,
    "block by block": flash_attention,
    "fused": fused_attention,
}
WORDS, H, D_K = 2048, 4, 32  # words at a time; heads and their width as in the shipped translator
LENGTHS = (16, 32, 64, 128, 256, 512, 1024, 2048)
THREADS = (1, 2)
ROUNDS = 15


class Largest(TorchDispatchMode):
    """Within it, `numbers` is how many numbers the largest tensor has that an operation made."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        tensors = [one for one in tree_leaves(made) if isinstance(one, Tensor)]
        self.numbers = max([self.numbers, *(one.numel() for one in tensors)])
        return made


def largest_tensor(run: Callable[[], Any]) -> int:
    """How many numbers the largest tensor has that is made on the way."""
    with Largest() as mode:
        run()
    return mode.numbers


def sentences(length: int) -> list[Tensor]:
    """Queries, keys and values (WORDS / length, H, length, D_K) of the same words."""
    torch.manual_seed(0)
    shape = (3, WORDS // length, H, length, D_K)
    return list(torch.randn(shape).requires_grad_().unbind())


def passes(length: int, mask: Tensor | None) -> dict[str, dict[str, Callable[[], Any]]]:
    """What is timed, for each way: forward alone, as in use, and with backward, as in training."""
    inputs = sentences(length)

    def forward(way: Callable[..., Tensor]) -> None:
        with torch.no_grad():
            way(*inputs, mask)

    def both(way: Callable[..., Tensor]) -> None:
        torch.autograd.grad(way(*inputs, mask).sum(), inputs)

    return {
        what: {name: lambda go=go, way=way: go(way) for name, way in WAYS.items()}
        for what, go in {"use": forward, "training": both}.items()
    }


def ratios(contestants: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Median over rounds of the time of each, divided by that of the first in the same round."""
    rounds = []
    for _ in range(ROUNDS + 1):
        times = {}
        for name, run in contestants.items():
            began = time.perf_counter()
            run()
            times[name] = time.perf_counter() - began
        rounds.append(times)
    first, *others = contestants
    return {
        name: round(statistics.median(times[name] / times[first] for times in rounds[1:]), 3)
        for name in others
    }


@experiment("fused")
def attention_in_one_kernel() -> dict[str, Any]:
    """Time and memory of attention: the formula, block by block, and PyTorch's fused kernel."""
    before, rows, memory = torch.get_num_threads(), [], []
    progress = tqdm(total=len(LENGTHS) * (1 + 2 * len(THREADS)), unit="setting")
    try:
        for length in LENGTHS:
            masks = {"none": None, "causal": causal_mask(length)}
            torch.set_num_threads(1)
            for name, mask in masks.items():
                runs = passes(length, mask)["use"]
                memory += [
                    {"length": length, "mask": name, "way": way, "bytes": peak_bytes(run)}
                    for way, run in runs.items()
                ]
            progress.update(1)
            for threads in THREADS:
                torch.set_num_threads(threads)
                for name, mask in masks.items():
                    rows += [
                        {
                            "length": length,
                            "mask": name,
                            "threads": threads,
                            "what": what,
                            "time": ratios(runs),
                        }
                        for what, runs in passes(length, mask).items()
                    ]
                    progress.update(1)
    finally:
        torch.set_num_threads(before)
        progress.close()
    return {"words": WORDS, "h": H, "d_k": D_K, "rounds": ROUNDS, "memory": memory, "times": rows}
