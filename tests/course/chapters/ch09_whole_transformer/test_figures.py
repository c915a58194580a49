"""Drawings of the whole Transformer: the data reach the picture, and the counts behind it hold."""

import inspect

import numpy as np
import torch

from course.chapters.ch09_whole_transformer import experiments as data
from course.chapters.ch09_whole_transformer.figures import (
    MULTI_HEAD,
    SCALED_DOT_PRODUCT,
    _sentence_path,
    _Station,
)
from transformer_lib import MultiHeadAttention, attention, attention_weights


def texts(figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


# --- the drawing functions ---


def test_the_followed_vectors_reach_the_picture():
    vectors = torch.randn(2, 5)
    rows = [(["a", "b"], [_Station("in", vectors)]), (["c", "d"], [_Station("out", -vectors)])]
    figure = _sentence_path(rows, [("x", 0.5), ("y", 0.25)])
    first, second, _ = (np.ma.getdata(image.get_array()) for image in figure.axes[0].images)
    np.testing.assert_allclose(first, vectors[:1])
    np.testing.assert_allclose(second, -vectors[:1])
    said = texts(figure)
    assert said.index("x") < said.index("50%") < said.index("y") and "25%" not in said


def test_recurrent_and_attention_cross_at_the_width():
    low, high = (data.costs(n) for n in (data.WIDTH - 1, data.WIDTH + 1))
    assert low["self-attention"] < low["recurrent"] and high["self-attention"] > high["recurrent"]


def test_the_code_in_the_papers_figure_is_the_librarys():
    one_head = inspect.getsource(attention_weights) + inspect.getsource(attention)
    for boxes, source in (
        (SCALED_DOT_PRODUCT, one_head),
        (MULTI_HEAD, inspect.getsource(MultiHeadAttention)),
    ):
        assert all(piece in source for one in boxes for piece in one.code)


# --- the counts behind the figures ---


def test_every_parameter_belongs_to_one_part():
    model = data.on_paper(11, 13, N=2, d_model=10, d_ff=19, h=2)
    assert data.parts(model) == {
        "embeddings": 24 * 10,
        "attention": 2 * 3 * 400,
        "feed-forward": 4 * (380 + 29),
        "norms": 10 * 20,
        "generator": 130,
    }


def test_eight_rows_of_the_paper_fit_one_vocabulary_and_big_does_not():
    *eight, big = data.TABLE_3
    low, high = data.common_vocabulary(eight)
    assert (round(low), round(high)) == (41_003, 41_209)
    assert tuple(map(round, data.possible_vocabulary(big))) == (35_368, 36_344)


def test_restricted_attention_is_attention_with_a_band():
    for n, r in [(2, 5), (5, 5), (11, 3)]:
        attend, x = MultiHeadAttention(6, h=2), torch.randn(2, n, 6)
        band = torch.ones(n, n).bool().tril().triu(1 - r)
        torch.testing.assert_close(data.restricted(attend, x, r), attend(x, x, x, mask=band))


def test_what_table_1_says_of_the_cost():
    n, d = 7, 12
    assert data.costs(n, d) == {
        "self-attention": 4 * n * d**2 + 2 * n**2 * d,
        "its 2n²d alone": 2 * n**2 * d,
        "recurrent": 6 * n * d**2,
        "convolution": 5 * n * d**2,
        "restricted": 4 * n * d**2 + 2 * 5 * n * d,
    }


# --- machines with one fault ---


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
        differs = [
            i
            for i, pair in enumerate(zip(measured(number), sound, strict=True))
            if pair[0] != pair[1]
        ]
        assert differs == [changed[fault]]
    assert sorted(data.FAULT_OF) == sorted(data.FAULTS)
