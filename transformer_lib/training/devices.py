"""Where to compute, on the CPU or on a GPU, and whether half precision pays there."""

import torch


def get_device(name: str | torch.device) -> torch.device:
    """ "cpu", "cuda" (or "cuda:1") or "mps"; "auto" is the fastest there is.

    What goes wrong on other devices than CPUs is avoided: no mask is filled with infinity (bf16
    would get NaN), and a run is saved with the random numbers of its device. But a GPU's sums vary
    in order, so a resumed run comes only near the same weights. ValueError for a device that
    isn't there.
    """
    found = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    there = [device for device in found if found[device]] + ["cpu"]
    if name == "auto":
        return torch.device(there[0])
    kind, _, number = str(name).partition(":")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if kind not in there or number not in ("", *map(str, range(count))):
        raise ValueError(
            f"device {str(name)!r} is not there for this PyTorch; there is {' and '.join(there)}"
        )
    return torch.device(name)


def has_fast_bf16(device: torch.device) -> bool:
    """Whether bfloat16 is worth it: a CPU without it takes fifty times as long as in float32."""
    if device.type != "cpu":
        return True
    mkldnn = torch.backends.mkldnn.is_available()
    return mkldnn and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
