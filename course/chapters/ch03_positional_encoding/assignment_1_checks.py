"""The checks of assignment 1. Their hints stand in the checks.py that each comes from."""

from course.chapters.ch01_one_hot.checks import bytes_of_a_batch, rows_of_a_batch
from course.chapters.ch02_embeddings.checks import embed
from course.chapters.ch03_positional_encoding.checks import base_for_thirty_words, encoding
