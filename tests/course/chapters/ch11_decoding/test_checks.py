"""The model and the sentences of notebook 11's exercises are what these say of them."""

import torch

from course.chapters.ch11_decoding import checks as check
from transformer_lib.decoding import greedy_decode


def test_the_model_of_the_exercise_is_worth_its_name():
    model = check.toy_model()
    written = []
    for ids in check.SOURCES:
        found = check.greedy_by_hand(ids)
        assert found == greedy_decode(model, torch.tensor([ids]), max_length=check.LONGEST)[0]
        written.append(found)
    lengths = [len(ids) for ids in written]
    assert len(set(map(tuple, written))) == len(check.SOURCES)
    assert max(lengths) == check.LONGEST and sum(length < check.LONGEST for length in lengths) >= 2


def test_whose_fault_is_the_same_on_any_machine():
    """No two sums are so near to each other that rounding could change an answer."""
    assert min(map(abs, check.right_against_written())) > 0.1
