"""The checks of assignment 2. Their hints stand in the checks.py that each comes from."""

from course.chapters.ch04_attention.checks import (
    look_at_the_verb,
    my_attention,
    my_weights,
    two_weights,
)
