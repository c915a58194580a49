"""The checks of assignment 5. Their hints stand in the checks.py that each comes from."""

from course.chapters.ch10_training.checks import (
    Shift,
    judge_shift,
    my_schedule,
    my_smoothed_loss,
    my_updates,
    settings_that_copy,
    three_numbers,
)
from course.checks import implement, own_work


@implement(lambda: ([7, 5, 11],))
def my_shift(function: Shift) -> None:
    """Exercise 2: as in notebook 10, but its text doesn't say that ids should stay as it is."""
    own_work(function, "make_batch")
    judge_shift(function)
