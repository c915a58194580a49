"""Where to compute: on the CPU, or on a GPU."""

import torch


def get_device(name: str) -> torch.device:
    """ "cpu", "cuda" or "mps"; "auto" is the fastest there is. ValueError for one that isn't there.

    So far, training has only been tried on CPUs. What is known to go wrong elsewhere was taken care
    of: no mask is filled with infinity (`attention_weights`), so bf16 gets no NaN from there, and a
    run is saved with the random numbers of its device. But on a GPU sums may be taken in another
    order each time, so a resumed run comes to nearly the same weights there, not to the same.
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
