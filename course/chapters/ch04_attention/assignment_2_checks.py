"""The checks of assignment 2. Most hints stand in the checks.py that each comes from."""

from typing import Any

from course.chapters.ch04_attention.checks import (
    attends_to_like,
    my_attention,
    my_weights,
    two_weights,
)
from course.checks import exercise


@exercise
def look_at_the_verb(w_q: Any) -> None:
    """A W^Q (4, 4) with which the query of "trees" gives "like" a weight above 0.9."""
    attends_to_like(w_q, "trees", "“like” attends to “trees”")
