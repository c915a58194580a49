"""Where a model is trained, and whether bf16 is fast there."""

import pytest
import torch

from tests.transformer_lib.training.copy_task import copy_pairs, small_model
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.devices import get_device, has_fast_bf16
from transformer_lib.training.trainer import train


def test_the_processor_is_asked_whether_it_has_bf16(monkeypatch):
    assert has_fast_bf16(torch.device("cuda"))
    supported = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    assert has_fast_bf16(torch.device("cpu")) is supported
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert not has_fast_bf16(torch.device("cpu"))


def test_the_device_is_named_or_the_fastest_there(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    assert get_device("auto") == get_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="device 'mps' is not there .* there is cpu$"):
        get_device("mps")
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: True)
    assert get_device("auto") == get_device("mps") == torch.device("mps")
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert get_device("auto") == get_device("cuda") == torch.device("cuda")
    assert get_device("cpu") == torch.device("cpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_an_nvidia_gpu_comes_to_nearly_the_same_loss(tmp_path):
    config = TrainingConfig(steps=6, validate_every=3, max_tokens=64)
    pairs, held_out = copy_pairs(99), copy_pairs(9, seed=1)
    losses = []
    for device in ("cpu", "cuda"):
        model = small_model(dropout=0.0).to(device)
        train(model, pairs, held_out, config, folder=tmp_path / device)
        again = small_model(dropout=0.0).to(device)
        history = train(again, pairs, held_out, config, folder=tmp_path / device, resume=True)
        losses.append(history[-1]["validation_loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
