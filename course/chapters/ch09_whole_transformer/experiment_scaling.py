"""Experiment: time and memory of a training step, against whatever makes it larger.

Four sweeps: the length of the sentences, with as many words in each batch; the number of sentences
in a batch; the layers; and one process or two. Each setting is trained in processes of its own,
which take turns, round after round, so that a slow moment of the machine hits them all. It takes
five minutes, on a machine with Linux and two cores that does nothing else.

tensors: the most bytes that PyTorch's tensors hold at a time, counted by its profiler over the
first two steps, with one thread: weights, gradients, Adam's averages, and what the backward pass
needs. The same on every machine. resident: by how much the process grew at most, as Linux counts
it, over what it held after a step of a tiny model. So also work space, and what was given back and
the allocator keeps. Of several processes it is the sum.
"""

import dataclasses
import os
import re
import socket
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile
from tqdm import tqdm

from course import experiments
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.experiments.timing import timed
from transformer_lib.model.attention import Attention
from transformer_lib.model.config import SMALL, TOY, ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import Batch, make_batch
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.training.distributed import data_parallel_loss, process_group, shard
from transformer_lib.training.optimizers import adam
from transformer_lib.training.step import batch_loss, update
from transformer_lib.variants import fused_attention, replace_modules

WORDS = 2048  # of either language in a batch, where only the length changes
ROUNDS = 9


@dataclass(frozen=True)
class Setting:
    """What is trained. length: words in a sentence; batches: added up for one update."""

    length: int = 32
    sentences: int = WORDS // 32
    batches: int = 1
    attention: str = "formula"  # or "fused"
    model: ModelConfig = SMALL  # the sizes of the model that comes along
    vocabulary: int = 1000  # words of either language
    processes: int = 1
    threads: int = 1  # of each process


def shared(**sizes) -> tuple[Setting, ...]:
    """Two batches in each update: of one process, of one with two threads, and of two."""
    both = Setting(sentences=24, batches=2, **sizes)
    return both, dataclasses.replace(both, threads=2), dataclasses.replace(both, processes=2)


WIDER = {"model": ModelConfig(N=3, d_model=256, d_ff=1024, h=4), "vocabulary": 8000}
TINY = {"length": 4, "sentences": 1, "model": TOY, "vocabulary": 10}
SWEEPS: dict[str, tuple[Setting, ...]] = {
    "length": tuple(
        Setting(length, WORDS // length, attention=way)
        for way in ("formula", "fused")
        for length in (16, 32, 64, 128, 256, 512, 1024)
    ),
    "batch": tuple(Setting(sentences=count) for count in (1, 2, 4, 8, 16, 32, 64, 128)),
    "depth": tuple(Setting(model=dataclasses.replace(SMALL, N=N)) for N in (1, 2, 4, 8)),
    "processes": shared(),
    "processes, a wider model": shared(**WIDER),
}


class FusedAttention(Attention):
    """PyTorch's fused kernel where ours has the formula: the same numbers."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        return fused_attention(query, key, value, mask)


def build(setting: Setting) -> Transformer:
    """A new model, ready to train."""
    torch.manual_seed(0)
    model = Transformer(setting.vocabulary, setting.vocabulary, setting.model)
    if setting.attention == "fused":
        replace_modules(model, Attention, lambda old: FusedAttention())
    return model.train()


def all_batches(setting: Setting) -> list[Batch]:
    """Words drawn at random, without padding (the end counts as one)."""
    shape = (setting.batches, setting.sentences, 2, setting.length - 1)
    ids = torch.randint(len(SPECIALS), setting.vocabulary, shape).tolist()
    return [make_batch([(source, target) for source, target in batch]) for batch in ids]


def training_step(setting: Setting) -> Callable[[], float]:
    """A function that makes one update, of several processes together -> the loss per word."""
    model, batches = build(setting), shard(all_batches(setting))
    optimizer, loss_of = adam(model), data_parallel_loss(model, batch_loss)
    return lambda: update(model, optimizer, batches, lr=1e-4, smoothing=0.1, loss_of=loss_of)


def seconds(step: Callable[[], object]) -> float:
    """Time of a step, after one unseen: caches may hold what another process worked on."""
    step()
    return timed(step)[1]


def peak_bytes(run: Callable[[], Any]) -> int:
    """The most bytes that are in use at a time, beside what was there before."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        run()
    events = [
        event for event in recorded.profiler.kineto_results.events() if event.name() == "[memory]"
    ]
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()  # negative where memory is given back
        most = max(most, held)
    return most


@one_thread()
def counted(setting: Setting) -> int:
    """The most bytes that tensors hold at a time, from the model's making to its second update."""

    def first_steps() -> None:
        step = training_step(setting)
        step()
        step()

    return peak_bytes(first_steps)


def resident(what: str) -> int:
    """Bytes of this process in memory: "VmRSS" now, "VmHWM" at most so far. Linux only."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(re.search(rf"{what}:\s+(\d+) kB", status)[1])


# --- Processes that take turns -------------------------------------------------------------------


def work(pipe: Connection, setting: Setting, rank: int, port: int) -> None:
    """What a process does: it answers "seconds", "resident" and "tensors" until it hears None."""
    os.environ |= {
        "RANK": str(rank),
        "WORLD_SIZE": str(setting.processes),
        "LOCAL_RANK": str(rank),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
    torch.set_num_threads(setting.threads)
    with process_group():
        training_step(dataclasses.replace(setting, **TINY))()  # loads what PyTorch loads when used
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forget the peak so far
        held = resident("VmRSS")
        step = training_step(setting)
        answers: dict[str, Callable[[], float]] = {
            "seconds": lambda: seconds(step),
            "resident": lambda: resident("VmHWM") - held,
            "tensors": lambda: counted(setting),
        }
        while (asked := pipe.recv()) is not None:
            pipe.send(answers[asked]())


@contextmanager
def processes(setting: Setting) -> Iterator[Callable[[str], list[float]]]:
    """Inside, a function asks all processes of a setting at once -> their answers."""
    context, pipes, started = get_context("forkserver"), [], []
    context.set_forkserver_preload([__name__])  # what all of them import is read once
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for rank in range(setting.processes):
        here, there = context.Pipe()
        pipes.append(here)
        started.append(context.Process(target=work, args=(there, setting, rank, port), daemon=True))
        started[-1].start()
        there.close()

    def ask(what: str) -> list[float]:
        for pipe in pipes:
            pipe.send(what)
        return [pipe.recv() for pipe in pipes]

    try:
        yield ask
    finally:
        for pipe in pipes:
            pipe.send(None)
        for process in started:
            process.join()


def sweep(settings: Sequence[Setting], progress: tqdm) -> list[dict[str, Any]]:
    """Times in turns, then memory, a row for each setting.

    time: by that of the first setting, in the same round.
    """
    with ExitStack() as stack:
        asks = [stack.enter_context(processes(setting)) for setting in settings]
        rounds = []
        for number in range(ROUNDS + 1):
            times = {}
            for place in range(len(asks)):  # who begins moves on by one place each round
                place = (place + number) % len(asks)
                times[place] = max(asks[place]("seconds"))
                progress.update(1)
            rounds.append(times)
        rounds = rounds[1:]  # the first isn't counted
        return [
            dataclasses.asdict(setting)
            | {
                "milliseconds": quartiles([1000 * times[place] for times in rounds]),
                "time": quartiles([times[place] / times[0] for times in rounds]),
                "resident": sum(ask("resident")),
                "tensors": sum(ask("tensors")),
            }
            for place, (setting, ask) in enumerate(zip(settings, asks, strict=True))
        ]


def quartiles(values: Sequence[float]) -> dict[str, float]:
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return {
        name: round(value, 4) for name, value in (("median", middle), ("low", low), ("high", high))
    }


@experiment("scaling")
def what_a_training_step_takes() -> dict[str, Any]:
    """Time and memory of a training step against length, batch, depth and number of processes."""
    turns = (ROUNDS + 1) * sum(map(len, SWEEPS.values()))
    with tqdm(total=turns, unit="turn") as progress:
        rows = {name: sweep(settings, progress) for name, settings in SWEEPS.items()}
    return {"words": WORDS, "rounds": ROUNDS, "sweeps": rows}


# --- What is said of it --------------------------------------------------------------------------


def against_length(what: str) -> tuple[list[int], dict[str, list[float]]]:
    """What is stored of a step: lengths, and for each way of attention a number for each.

    what: "milliseconds" (medians), "tensors" or "resident" (megabytes).
    """
    rows = experiments.load("scaling")["sweeps"]["length"]
    ways: dict[str, list[float]] = {}
    for row in rows:
        value = row[what]["median"] if what == "milliseconds" else row[what] / 1e6
        ways.setdefault(row["attention"], []).append(value)
    return sorted({row["length"] for row in rows}), ways


def doubled(lengths: Sequence[int], values: Sequence[float]) -> float | None:
    """The length at which the value is twice that of the shortest; None if it never is.

    Between two lengths that were measured, a straight line.
    """
    wanted = 2 * values[0]
    for (short, less), (long, more) in pairwise(zip(lengths, values, strict=True)):
        if less < wanted <= more:
            return short + (long - short) * (wanted - less) / (more - less)
    return None


def multiplications(model: ModelConfig, vocabulary: int, n: int) -> dict[str, int]:
    """In the forward pass, for each pair of sentences of n words: in matrices, and in attention.

    Matrices: n (N (12 d^2 + 4 d d_ff) + d V): three attentions of four, two feed-forward networks
    of two, and the generator. Attention: N 6 d n^2, scores and averages in each of the three.
    """
    N, d, d_ff = model.N, model.d_model, model.d_ff
    return {
        "matrices": n * (N * (12 * d**2 + 4 * d * d_ff) + d * vocabulary),
        "attention": N * 6 * d * n**2,
    }


def as_many(model: ModelConfig, vocabulary: int) -> float:
    """The length at which attention multiplies as often as all matrices."""
    counts = multiplications(model, vocabulary, 1)
    return counts["matrices"] / counts["attention"]
