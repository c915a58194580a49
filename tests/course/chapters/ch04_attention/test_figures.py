"""The explorer of attention computes what the library does, wherever its sliders stand."""

import re

import numpy as np
import torch

from course.chapters.ch04_attention.figures import attention_explorer
from course.drawing import notebook_output as showing
from transformer_lib.model.attention import attention, attention_weights

WORDS = ["I", "like", "trees"]


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
    keys = torch.tensor([[-1.0, 1], [1.5, -1], [2, 2]])
    values = torch.tensor([[-2.0, -1], [0, 2], [1.5, 1]])
    for query in [[1.0, 0.5], [-2.0, 3.0]]:
        weights, output = drawn_numbers(attention_explorer(WORDS, keys, values, query, "trees"))
        q = torch.tensor([query])
        np.testing.assert_allclose(weights, attention_weights(q, keys)[0], atol=0.0051)
        np.testing.assert_allclose(output, attention(q, keys, values)[0], atol=0.0051)
