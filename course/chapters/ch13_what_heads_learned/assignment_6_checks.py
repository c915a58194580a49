"""The checks of assignment 6. Their hints stand in the checks.py that each comes from."""

from course.chapters.ch11_decoding.checks import (
    ask,
    best_of,
    chooser,
    my_beam_step,
    my_choice,
    my_greedy_by_calls,
    score,
    three_probabilities,
)
from course.chapters.ch12_translation.checks import matches, my_brevity, my_precision
from course.chapters.ch13_what_heads_learned.checks import alike_in_the_picture
