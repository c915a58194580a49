"""Where a model is trained, and whether bf16 is fast there."""

import pytest
import torch

from transformer_lib.training.devices import get_device, has_fast_bf16


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
