"""Experiments as rows: the seeds of a change, compared with those of the base."""

from collections.abc import Sequence


def verdict(shares: Sequence[float], base: Sequence[float]) -> str:
    """Compare the seeds of a change with those of the base.

    "better" if each of them is above all of the base, "worse" if each is below, else "no clear
    difference".
    """
    if min(shares) > max(base):
        return "better"
    return "worse" if max(shares) < min(base) else "no clear difference"
