"""The learning rate, step by step: the paper's schedule (section 5.3) and three for short runs."""

import math


def paper_schedule(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)  (Equation 3).

    It rises linearly for `warmup` steps, then falls as step^-0.5. ValueError if step < 1.
    """
    _check_step(step)
    return float(factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


def linear_schedule(step: int, max_lr: float, warmup: int, total: int) -> float:
    """Up to `max_lr` in `warmup` steps, down to zero after the last of `total`, in straight lines.

    For short runs, which gain from a learning rate that ends at zero. ValueError if step < 1.
    """
    _check_step(step)
    return max_lr * min(step / warmup, (total + 1 - step) / max(total + 1 - warmup, 1))


def cosine_schedule(step: int, max_lr: float, warmup: int, total: int) -> float:
    """Up to `max_lr` in `warmup` steps, then down along half a cosine wave to a tenth of it.

    Loshchilov and Hutter 2017, Equation 5; a tenth as in Chinchilla, Llama. ValueError if step < 1.
    """
    _check_step(step)
    if step <= warmup:
        return max_lr * step / warmup
    way = min((step - warmup) / max(total - warmup, 1), 1)
    return max_lr * (0.1 + 0.9 * (1 + math.cos(math.pi * way)) / 2)


def stable_schedule(step: int, max_lr: float, warmup: int, total: int, decay: float = 0.2) -> float:
    """Warm-up, stable, decay: up to `max_lr`, level, and down to zero in the last share `decay`.

    MiniCPM (Hu et al. 2024, Equation 1): only the decay depends on total. ValueError if step < 1.
    """
    _check_step(step)
    return max_lr * min(step / warmup, (total + 1 - step) / (total * decay), 1)


def _check_step(step: int) -> None:
    if step < 1:
        raise ValueError(f"step={step}: steps count from 1")


# By the name that a `TrainingConfig` has for it; "paper" stands for `paper_schedule`.
SCHEDULES = {"linear": linear_schedule, "cosine": cosine_schedule, "stable": stable_schedule}
