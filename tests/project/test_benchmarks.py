"""The option of the benchmarks for a GPU, on a CPU: no machine that ran these tests had one."""

import json
import sys
from pathlib import Path

import pytest
import torch

from transformer_lib.training.step import batch_loss

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def step(monkeypatch):
    # It finds its neighbors as a script does, and is changed here: no process of its own will do.
    monkeypatch.syspath_prepend(ROOT / "tools" / "benchmarks")
    import training_step

    tiny = {"N": 1, "d_model": 16, "d_ff": 32, "h": 2}
    monkeypatch.setattr(training_step, "SIZES", {"toy": (tiny, 50, 4, 6)})
    yield training_step
    for name in ("training_step", "measuring", "peers"):
        sys.modules.pop(name, None)


def run(step, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["training_step.py", "--threads", "1", *arguments])
    step.main()


def test_each_way_to_compute_is_measured(step, monkeypatch, tmp_path, capsys):
    asked = []
    # really, it takes a minute
    monkeypatch.setattr(torch.nn.Module, "compile", lambda part: asked.append(part))
    options = ["--device", "cpu", "--fused", "--compile", "--sizes", "toy", "--repeats", "2"]
    run(step, monkeypatch, *options, "--json", str(tmp_path / "found.json"))
    assert {type(part).__name__ for part in asked} == {"Encoder", "Decoder"} and len(asked) == 4
    found = json.loads((tmp_path / "found.json").read_text())["results"]["toy"]
    ways = {"ours, bf16, fused", "ours, bf16, compiled", "ours, bf16, fused, compiled"}
    assert ways < set(found["contestants"])
    for row in found["contestants"].values():
        rate = found["step_gflop"] / row["milliseconds"]  # TFLOP/s
        assert row["wmt14_hours"] == pytest.approx(9.4e5 / rate / 3600)
        assert 0 < row["share_of_peak"] < 1 and row["megabytes"] > 0 and row["operators"] > 100
    assert "WMT14" in capsys.readouterr().out


def test_the_fused_kernel_has_the_same_loss_and_is_in_every_layer(step):
    torch.manual_seed(0)
    batch = step.random_batch(50, 4, 6, padding=0.2)
    model = step.make_model(50, 50, N=2, d_model=16, d_ff=32, h=2, dropout=0.0)
    plain = batch_loss(model, batch, 0.1)
    other = step.fused(model)
    assert sum(isinstance(part, step.FusedAttention) for part in other.modules()) == 6
    torch.testing.assert_close(batch_loss(other, batch, 0.1), plain)


def test_the_count_is_that_of_the_page_on_scaling(step):
    text = " ".join((ROOT / "docs/scaling.md").read_text(encoding="utf-8").split())
    assert f"the whole training {step.WMT14_FLOP:.1e} FLOP".replace("e+", "e") in text
