"""Several processes that train one model together; a single process is unaffected.

    torchrun --nproc-per-node 2 -m transformer_lib train ...

starts them. Each holds the whole model and computes its share of the batches of every update.
DistributedDataParallel then gives all of them the same gradients, and so the same weights. They
exchange numbers by gloo, and gradients on NVIDIA's GPUs by NCCL. Only process 0 writes files.
"""

import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from typing import Any, NoReturn, TypeVar

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel

from transformer_lib.model.interface import Parts

WAIT = timedelta(hours=2)  # for process 0, which may have a large corpus to read
Item = TypeVar("Item")
STOPPED = (
    "another process of this training has stopped, so this one stops, too; resume the run, also "
    "with fewer processes, and it goes on where it was last saved"
)


class ProcessError(ValueError):
    """The processes can't work together, or no longer; the message says why."""


def rank() -> int:
    """The number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """How many processes there are."""
    return dist.get_world_size() if dist.is_initialized() else 1


def shard(items: Sequence[Item]) -> Sequence[Item]:
    """This process's share of the items: every world_size-th one."""
    return items[rank() :: world_size()]


def all_reduce_sum(*numbers: float) -> Sequence[float]:
    """The sum of each number over all processes, all of which must call this."""
    if world_size() == 1:
        return numbers
    sums = torch.tensor(numbers, dtype=torch.float64)
    dist.all_reduce(sums)
    return sums.tolist()


@contextmanager
def process_group() -> Iterator[None]:
    """Inside, this process works together with the others, if torchrun has started several.

    Raises ProcessError as soon as one of them is gone, or when torchrun ends them all.
    """
    if int(os.environ.get("WORLD_SIZE", 1)) == 1 or dist.is_initialized():
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise ProcessError(STOPPED)

    dist.init_process_group(
        "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo", timeout=WAIT
    )
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except BaseException as error:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # torchrun ends the others, and has said so
        lost = isinstance(error, dist.DistError) or "gloo" in str(error)
        if lost and isinstance(error, RuntimeError):
            raise ProcessError(STOPPED) from error
        raise
    signal.signal(signal.SIGTERM, before)
    dist.destroy_process_group()


@contextmanager
def first_before_others() -> Iterator[None]:
    """Process 0 runs what is inside first; the others run it when process 0 is done.

    If process 0 fails, it says why, and the others exit silently (SystemExit).
    """
    if rank() > 0:
        (failed,) = all_reduce_sum(0)
        if failed:
            raise SystemExit(2)
        yield
        return
    failed = 1
    try:
        yield
        failed = 0
    finally:
        all_reduce_sum(failed)


def local_device(device: torch.device) -> torch.device:
    """The GPU of this process, if several share a machine; ProcessError if there are too few."""
    if world_size() == 1 or device.type == "cpu":
        return device
    if device.type != "cuda":
        raise ProcessError(f"several processes can't share one {device.type}: train on the CPU")
    here, there = int(os.environ["LOCAL_RANK"]), torch.cuda.device_count()
    if here >= there:
        raise ProcessError(f"there are more processes than GPUs: start {there}")
    torch.cuda.set_device(here)
    return torch.device("cuda", here)


def seed_process(seed: int, step: int) -> None:
    """From this step on, each process draws its dropout from random numbers of its own.

    Process 0 keeps the random numbers that it would have alone; their state is saved with the run.
    The others begin with a new seed, so that theirs needn't be saved.
    """
    if rank() > 0:
        torch.manual_seed(random.Random(f"{seed} {step} {rank()}").getrandbits(63))


def data_parallel_loss(model: Parts, loss_of: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same loss, whose `backward` leaves the mean of all processes' gradients."""
    if world_size() == 1:
        return loss_of
    assert isinstance(model, nn.Module)  # the only kind that this takes
    parallel = DistributedDataParallel(LossModule(model, loss_of))
    parallel.broadcast_buffers = False  # an argument that later versions call forward_sync_buffers
    return parallel


class LossModule(nn.Module):
    """A loss as a module with the model in it: DistributedDataParallel takes nothing else."""

    def __init__(self, model: nn.Module, loss_of: Callable[..., Tensor]):
        super().__init__()
        self.model, self.loss_of = model, loss_of

    def forward(self, *arguments: Any) -> Tensor:
        return self.loss_of(*arguments)


def gradient_sync(loss_of: Callable[..., Tensor], now: bool) -> AbstractContextManager[None]:
    """Inside, `backward` exchanges gradients between processes (now=True), or only adds them up."""
    if now or not isinstance(loss_of, DistributedDataParallel):
        return nullcontext()
    return loss_of.no_sync()
