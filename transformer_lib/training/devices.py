"""Where to compute: on the CPU, or on a GPU."""

import torch


def get_device(name: str) -> torch.device:
    """ "cpu", "cuda" or "mps"; "auto" is the fastest there is. ValueError for one that isn't there.

    So far, training has only been tried on CPUs. What is known to go wrong elsewhere is avoided: no
    mask is filled with infinity (bf16 would get NaN), and a run is saved with the random numbers of
    its device. But a GPU's sums vary in order, so a resumed run comes only near the same weights.
    """
    there = [
        device
        for device, found in (
            ("cuda", torch.cuda.is_available()),
            ("mps", torch.backends.mps.is_available()),
            ("cpu", True),
        )
        if found
    ]
    if name not in ("auto", *there):
        raise ValueError(
            f"device {name!r} is not there for this PyTorch; there is {' and '.join(there)}"
        )
    return torch.device(there[0] if name == "auto" else name)
