"""The suspects of notebook 04 have the faults that are planted in them."""

import torch

from course.chapters.ch04_attention import checks as check


def test_each_suspect_has_the_fault_that_is_planted_in_it():
    query, key, value = torch.randn(2, 7), torch.randn(5, 7), torch.randn(5, 3)
    scores = query @ key.T
    right = {
        "none": (scores / 7**0.5).softmax(-1) @ value,
        check.AXIS: (scores / 7**0.5).softmax(-2) @ value,
        check.KEYS: (scores / 5**0.5).softmax(-1) @ value,
    }
    for name, program in check.suspects().items():
        torch.testing.assert_close(program(query, key, value), right[check.PLANTED[name]])
