"""The checks of assignment 2, which are those of the notebook."""

from course.chapters.ch04_attention.checks import look_at_the_verb as look_at_the_verb
from course.chapters.ch04_attention.checks import my_attention as my_attention
from course.chapters.ch04_attention.checks import my_weights as my_weights
from course.chapters.ch04_attention.checks import two_weights as two_weights
