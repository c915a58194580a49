"""The numbers of docs/scaling.md by arithmetic."""

import dataclasses
import re

import pytest
import torch

from course import experiments
from course.chapters.ch09_whole_transformer.experiment_scaling import (
    against_length,
    as_many,
    doubled,
)
from course.paper import TABLE_2
from tests.here import read
from transformer_lib import BASE, count_parameters, label_smoothed_cross_entropy, make_model
from transformer_lib.model.config import SMALL

TEXT = read("docs/scaling.md")
PAGE = " ".join(TEXT.split())
VOCAB, WORDS, GPUS, UPDATES = 37_000, 25_000, 8, 100_000  # of the paper, section 5
PAIRS, LENGTH = 4_500_000, 30


@pytest.fixture(scope="module")
def model():
    """The base model without its numbers: nothing is computed, and nothing takes memory."""
    with torch.device("meta"):
        return make_model(VOCAB, VOCAB, **dataclasses.asdict(BASE) | {"tie_weights": "all"})


def kept_bytes(model, sentences, length):
    """What one batch keeps for the backward pass, beside the weights."""
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage._cdata] = storage
        return tensor

    ids = torch.ones(sentences, length, dtype=torch.long, device="meta")
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        label_smoothed_cross_entropy(model(ids, ids), ids, reduction="sum")
    own = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    return sum(storage.nbytes() for key, storage in kept.items() if key not in own)


def stands(*sentences):
    for sentence in sentences:
        assert sentence in PAGE, sentence


def test_memory(model):
    weights = count_parameters(model)
    stands(f"The model has {weights / 1e6:.1f} million weights.")
    stands(f"the best so far: {24 * weights / 1e9:.1f} GB")
    batch = WORDS // GPUS
    kept = kept_bytes(model, 100, LENGTH) / (100 * LENGTH)
    stands(f"{kept / 1e6:.2f} MB in float32, so {kept * batch / 1e9:.1f} GB for {batch:,} words")
    assert 24 * weights + kept * batch < 0.6 * 8e9  # "8 GB will do", with room for the rest
    on_disk = 2 * PAIRS * (LENGTH * 2 + 8)  # ids of two bytes, and a place of eight
    assert VOCAB < 2**16
    stands(f"With {LENGTH} subwords a sentence, text as ids takes {on_disk / 1e9:.2f} GB on disk")


def test_time(model):
    in_products = sum(p.numel() for p in model.parameters() if p.dim() == 2)
    for_a_word = 6 * in_products  # forward two operations for each weight, backward four
    stands(f"times {for_a_word / 1e6:.0f} million operations for each target word")
    update = for_a_word * WORDS
    stands(
        f"an update takes {update / 1e12:.1f} TFLOP and the whole training "
        f"{update * UPDATES:.1e} FLOP".replace("e+", "e")
    )
    epoch = PAIRS * LENGTH / WORDS
    stands(f"An epoch has {epoch:,.0f} updates, and 100,000 updates are {UPDATES / epoch:.1f}")
    for rate, unit in ((0.06e12, "days"), (10e12, "hours"), (22e12, "hours"), (160e12, "hours")):
        time = update * UPDATES / rate / {"days": 86_400, "hours": 3600}[unit]
        (said,) = re.findall(rf"\| {rate / 1e12:g} TFLOP/s \|[^|]*\| ([\d.]+) {unit} \|", PAGE)
        assert said == (f"{time:.1f}" if time < 10 else f"{time:.0f}")
    sent = 2 * (GPUS - 1) / GPUS * 4 * count_parameters(model)
    stands(f"twice its gradients: {sent / 1e9:.2f} GB for eight")
    exchange, compute = sent / (10e9 / 8), update / 160e12
    stands(f"at 10 Gbit/s it takes {exchange:.2f} seconds, six times as long as eight")
    stands(f"compute ({compute:.2f} seconds)")
    assert round(exchange / compute) == 6


def test_the_papers_count_on_gpus_of_today(model):
    papers = TABLE_2["Transformer, base"].german_cost
    peak = GPUS * 9.5e12  # "9.5 TFLOPS for (...) P100", the paper's footnote on Table 2
    assert papers == pytest.approx(peak * 12 * 3600, rel=0.01)
    ours = 6 * sum(p.numel() for p in model.parameters() if p.dim() == 2) * WORDS * UPDATES
    share = ours / (peak * 12 * 3600)
    stands(f"By our count they used {share:.0%} of that.".replace("%", " %"))
    rows = re.findall(
        r"\| (one|eight) (\w[\w ]+) \| ([\d,]+) TFLOP/s \| ([\d.]+) hours "
        r"\| ([\d.]+) hours \|",
        PAGE,
    )
    assert len(rows) == 4
    printed = {"RTX 4090": 165, "A100": 312, "H100": 989}  # bf16, dense, in TFLOP/s
    for many, gpu, said, at_its_share, at_a_tenth in rows:
        rate = printed[gpu] * (GPUS if many == "eight" else 1)
        assert said == f"{rate:,}"
        hours = [work / (rate * 1e12) / 3600 for work in (papers, ours / 0.1)]
        assert [at_its_share, at_a_tenth] == [f"{time:.1f}" for time in hours]


def ms(row):
    return f"{row['milliseconds']['median']:,.0f}"


def megabytes(row):
    return " | ".join(f"{row[what] / 1e6:.0f}" for what in ("tensors", "resident"))


def times(row):
    time, resident = row["time"], f"{row['resident'] / 1e6:.0f}"
    return f"{ms(row)} | {time['median']:.2f} ({time['low']:.2f}-{time['high']:.2f}) | {resident}"


def measured_rows():
    """The tables of a step, as they are stored."""
    sweeps = experiments.load("scaling")["sweeps"]
    half = len(sweeps["length"]) // 2
    pairs = zip(sweeps["length"][:half], sweeps["length"][half:], strict=True)
    for ours, fused in pairs:
        assert (ours["attention"], fused["attention"]) == ("formula", "fused")
        yield (
            f"| {ours['length']:,} | {ms(ours)} | {megabytes(ours)} "
            f"| {ms(fused)} | {megabytes(fused)} |"
        )
    for row in sweeps["batch"]:
        rate = 1000 * row["sentences"] * row["length"] / row["milliseconds"]["median"]
        yield f"| {row['sentences']} | {ms(row)} | {rate:,.0f} | {megabytes(row)} |"
    for row in sweeps["depth"]:
        by_one = row["time"]["median"]
        yield f"| {row['model']['N']} | {ms(row)} | {by_one:.2f} | {megabytes(row)} |"
    names = ("one process, one thread", "one process, two threads", "two processes, a thread each")
    for name, row, wider in zip(names, *list(sweeps.values())[3:], strict=True):
        yield f"| {name} | {times(row)} | {times(wider)} |"


def test_what_a_step_takes():
    tables = TEXT.partition("## What a step takes")[2].partition("\n## ")[0]
    rows = [row for row in tables.splitlines() if re.match(r"\| (\d|one|two)", row)]
    assert rows == list(measured_rows())
    curves = (against_length(what) for what in ("milliseconds", "tensors"))
    at = [doubled(lengths, ways[way]) for lengths, ways in curves for way in ("formula", "fused")]
    assert at.pop() is None
    stands(
        "twice the time of 16 words at {0:.0f} words, and twice the memory at {2:.0f}; with the "
        "kernel, twice the time at {1:.0f}, and never twice the memory".format(*at)
    )
    stands(f"as often as all the rest at {as_many(SMALL, 1000):.0f} words")
    for sweep in list(experiments.load("scaling")["sweeps"].values())[3:]:
        one, threads, processes = sweep
        assert processes["time"]["median"] < threads["time"]["median"] < one["time"]["median"]
        assert processes["resident"] > 1.7 * threads["resident"]
