"""The equation in frames, the scaling curves and the explorer: the right numbers in each place."""

import re

import numpy as np
import pytest
import torch
from matplotlib.patches import Rectangle

from course.chapters.ch04_attention.experiments import real_head, softmax_at
from course.chapters.ch04_attention.figures import (
    _equation_frames,
    _scaling_bars,
    _shared_and_separate,
    attention_explorer,
    i_like_trees,
)
from course.chapters.journey.experiments import trace
from course.drawing import notebook_output as showing
from course.drawing.registry import find
from course.drawing.values import written
from transformer_lib.model.attention import attention, attention_weights
from transformer_lib.translator import Translator

WORDS = ["I", "like", "trees"]


def test_the_frames_are_the_steps_of_attention():
    q, k, v = torch.randn(5), torch.randn(3, 5), torch.randn(3, 2)
    ax = _equation_frames(q, k, v, "gustan", WORDS, ["a", "b"]).axes[0]
    weights = attention_weights(q[None], k)
    *rows, output = ax.images
    for image, value in zip(rows, v, strict=True):
        np.testing.assert_allclose(image.get_array()[0], value)
    np.testing.assert_allclose(output.get_array(), attention(q[None], k, v), rtol=1e-4, atol=1e-5)
    high = [np.ptp(image.get_extent()[2:]) for image in rows]
    streams = [np.ptp(one.get_paths()[0].vertices[[0, 1], 1]) for one in ax.collections]
    for heights in (high, streams):
        np.testing.assert_allclose(heights / sum(high), weights[0], rtol=1e-4)
    assert {f"{score:g}" for score in (k @ q).numpy()} <= {text.get_text() for text in ax.texts}
    texts = [text.get_text() for text in ax.texts]
    assert {*WORDS, "gustan", "a", "b", written(float(weights.max()), 3)} <= set(texts)
    assert f"“gustan” looks at “{WORDS[weights.argmax()]}” and takes its value" in texts


def test_the_column_under_the_row_makes_the_number_that_is_marked():
    head = real_head()
    ax = find("attention-projection").draw().axes[0]
    row, column = head.src.index("trees"), ax.images[2].get_array()[0]
    product = float(head.memory[row] @ torch.tensor(column, dtype=torch.float32))
    assert product == pytest.approx(head.key[row, abs(head.key[row]).argmax()].item(), abs=1e-4)
    assert written(product, 1) in [text.get_text() for text in ax.texts]


def test_the_real_head_computes_what_the_model_computes():
    head, way = real_head(), trace(Translator.load())
    weights = attention_weights(head.query, head.key)
    name = "decoder.layers.1.cross_attn"
    np.testing.assert_allclose(weights, way.weights[name][0], atol=1e-5)
    np.testing.assert_allclose(weights @ head.value, way.heads[name][0], atol=1e-4)
    np.testing.assert_allclose(head.memory @ head.w_k, head.key, atol=1e-4)
    assert (head.tgt_out, head.src) == (way.tgt_out, way.src)


def test_the_hand_made_query_of_gustan_has_the_scores_that_notebook_04_tells():
    query, key, value = i_like_trees()
    assert (query @ key.T)[1].tolist() == [2, 0, 8]
    assert 0.9 < attention(query, key, value)[1, 3] < 1


def test_the_scaling_bars_are_the_measured_weights():
    rows = [softmax_at(d_k, scaled) for d_k in (4, 1024) for scaled in (False, True)]
    ax = _scaling_bars(rows).axes[0]
    bars = np.array([patch.get_height() for patch in ax.patches if isinstance(patch, Rectangle)])
    np.testing.assert_allclose(bars / 1.7, np.concatenate([row["sorted"] for row in rows]))
    assert sum(rows[2]["sorted"]) == pytest.approx(1)
    said = [text.get_text() for text in ax.texts]
    assert rows[2]["sorted"][0] == pytest.approx(rows[2]["largest"])
    assert {"43 %", "97 %", "24 %", "25 %"} <= set(said), "as the alt text says"


def test_with_one_matrix_all_scores_are_mutual_and_with_two_they_are_not():
    one, two = _shared_and_separate().values()
    torch.testing.assert_close(one, one.T)
    assert [written(two[0, 2], 1), written(two[2, 0], 1)] == ["−9.5", "6.3"]
    assert written(one[0, 2], 1) == "10.1"


def drawn_numbers(chart) -> tuple[list[float], list[float]]:
    """The weights beside the bars and the output, as Vega computes and draws them."""
    svg = showing.convert(showing.portable(chart.to_dict()), "svg")
    texts = [
        text.replace("\N{MINUS SIGN}", "-")
        for text in re.findall(r">([^<>]+)</text>", svg.decode())
    ]  # noqa: E501
    output = next(text for text in texts if text.startswith("("))
    weights = [float(text) for text in texts if re.fullmatch(r"0\.\d\d|1\.00", text)]
    assert weights[3:] == weights[:3], "each stands there twice: a white rim, and the letters"
    return weights[:3], [float(number) for number in re.findall(r"-?\d\.\d\d", output)]


def test_the_explorer_computes_what_the_library_computes():
    for query in [[1.0, 0.5], [-2.0, 3.0], [0.0, 0.0]]:
        keys, values = (
            torch.tensor([[-1.0, 1], [1.5, -1], [2, 2]]),
            torch.tensor([[-2.0, -1], [0, 2], [1.5, 1]]),
        )  # noqa: E501
        weights, output = drawn_numbers(attention_explorer(WORDS, keys, values, query, "trees"))
        q = torch.tensor([query])
        np.testing.assert_allclose(weights, attention_weights(q, keys)[0], atol=0.0051)
        np.testing.assert_allclose(output, attention(q, keys, values)[0], atol=0.0051)
