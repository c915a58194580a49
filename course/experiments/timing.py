"""Times of several things side by side, on a machine that does nothing else."""

import time
from collections.abc import Callable, Mapping
from typing import Any


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and the seconds that it took."""
    began = time.perf_counter()
    result = run()
    return result, time.perf_counter() - began


def in_turns(works: Mapping[Any, Callable[[], Any]], rounds: int) -> list[dict[Any, float]]:
    """Seconds that each takes, in each round. They take turns, so that a slow moment hits them all.

    The first round isn't counted: it makes room.
    """
    each = [{key: timed(work)[1] for key, work in works.items()} for _ in range(rounds + 1)]
    return each[1:]
