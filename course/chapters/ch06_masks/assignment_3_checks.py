"""The checks of assignment 3. Their hints stand in the checks.py that each comes from."""

from course.chapters.ch05_multi_head_attention.checks import merge_heads, split_heads, three_shapes
from course.chapters.ch06_masks.checks import (
    leaks,
    my_decoder_mask,
    right_weights,
    suspect,
    weights_of_all_heads,
)
