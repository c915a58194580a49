"""Where to compute: the processor, or a GPU that is there."""

import torch


def get_device(name: str) -> torch.device:
    """ "cpu", "cuda" or "mps", if it is there; "auto": the fastest that is.

    So far, training was tried on processors only. What is known to go wrong elsewhere was looked
    for: no mask is filled with infinity (`attention_weights`), so that bf16 has no NaN from there,
    and a run is saved with the random numbers of its device. But sums may come in another order
    each time on a GPU, so a run goes on to nearly the same weights there.
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
