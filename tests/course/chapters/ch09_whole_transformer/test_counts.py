"""What notebook 09 shows beside a picture, counts of the paper's models, and finds a fault in."""

import inspect

import torch

from course.chapters.ch09_whole_transformer import experiments as data
from course.chapters.ch09_whole_transformer.figures import MULTI_HEAD, SCALED_DOT_PRODUCT
from transformer_lib import MultiHeadAttention, attention, attention_weights


def test_the_code_in_the_papers_figure_is_the_librarys():
    one_head = inspect.getsource(attention_weights) + inspect.getsource(attention)
    for boxes, source in (
        (SCALED_DOT_PRODUCT, one_head),
        (MULTI_HEAD, inspect.getsource(MultiHeadAttention)),
    ):
        assert all(piece in source for one in boxes for piece in one.code)


def test_eight_rows_of_the_paper_fit_one_vocabulary_and_big_does_not():
    *eight, big = data.TABLE_3
    low, high = data.common_vocabulary(eight)
    assert (round(low), round(high)) == (41_003, 41_209)
    assert tuple(map(round, data.possible_vocabulary(big))) == (35_368, 36_344)


def measured(number: int) -> tuple[int, bool, bool, bool]:
    """Parameters; do the logits move when words are exchanged, padded, and ahead of a change?"""
    model = data.machine(number)
    src, tgt = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9]])
    with torch.no_grad():
        logits = model(src, tgt)
        others = [
            model(src[:, [1, 0, 2, 3]], tgt),
            model(torch.tensor([[5, 6, 7, 2, 0]]), tgt),
            model(src, torch.tensor([[1, 8, 10]])),
        ]
    moved = [not torch.allclose(other[:, :2], logits[:, :2], atol=1e-5) for other in others]
    return data.count_parameters(model), *moved


def test_each_machine_has_one_fault_that_a_measurement_shows():
    sound = measured(-1)
    assert sound == (11_552, True, False, False)
    changed = {
        "one table too many": 0,
        "two layers are one": 0,
        "no source positions": 1,
        "padding is seen": 2,
        "no causal mask": 3,
    }
    for number, fault in enumerate(data.FAULT_OF):
        found = measured(number)
        assert [i for i in range(4) if found[i] != sound[i]] == [changed[fault]]
    assert sorted(data.FAULT_OF) == sorted(data.FAULTS)
