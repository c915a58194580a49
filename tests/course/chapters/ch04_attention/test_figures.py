"""The equation in frames, the scaling curves and the explorer: the right numbers in each place."""

import re

import numpy as np
import pytest
import torch
from matplotlib.patches import FancyArrowPatch, Rectangle

from course import experiments
from course.chapters.ch04_attention.experiments import softmax_at
from course.chapters.ch04_attention.figures import _scaling_bars, attention_explorer
from course.drawing import notebook_output as showing
from course.drawing.registry import find
from transformer_lib.model.attention import attention, attention_weights

WORDS = ["I", "like", "trees"]


def test_each_table_of_the_equation_has_its_numbers():
    x = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    query = torch.tensor([[2.0, 0, 0, 0], [1, 0, 2, 2], [0, 1, 2, 2]])
    scores = query @ (2 * x).T
    assert scores[1].tolist() == [2, 0, 8], "as the notebook tells"
    weights = attention_weights(query, 2 * x)
    stages = [scores, scores / 2, weights, attention(query, 2 * x, x)]
    for image, stage in zip(
        find("attention-four-frames").draw().axes[0].images, stages, strict=True
    ):
        np.testing.assert_allclose(image.get_array(), stage, rtol=1e-5)


def test_a_route_is_as_thick_as_what_is_lost_without_it():
    seeds = experiments.load("thread")["seeds"]
    ax = find("attention-routes").draw().axes[0]
    arrows = [patch.get_linewidth() for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    others, _onward, straight = np.reshape(arrows, (len(seeds), 3)).T
    plural = [found["right"]["plural"] for found in seeds.values()]
    for thick, what in (
        (others, "no other English word sees the noun"),
        (straight, "verb's place can't see the noun"),
    ):
        lost = [1 - shares[what] for shares in plural]
        np.testing.assert_allclose(thick - 1, 7 * np.array(lost))
    said = " ".join(text.get_text() for text in ax.texts)
    for seed, found in seeds.items():
        layer, head = found["best_head"]["layer"].split(".")[2], found["best_head"]["head"]
        shown = f"through head {head} of layer {layer}" in said
        assert shown == (found["right"]["plural"]["best head off"] < 0.5), seed


def test_the_scaling_bars_are_the_measured_weights():
    rows = [softmax_at(d_k, scaled) for d_k in (4, 1024) for scaled in (False, True)]
    ax = _scaling_bars(rows).axes[0]
    bars = np.array([patch.get_height() for patch in ax.patches if isinstance(patch, Rectangle)])
    np.testing.assert_allclose(bars / 1.7, np.concatenate([row["sorted"] for row in rows]))
    assert sum(rows[2]["sorted"]) == pytest.approx(1)
    said = [text.get_text() for text in ax.texts]
    assert rows[2]["sorted"][0] == pytest.approx(rows[2]["largest"])
    assert {"43%", "97%", "24%", "25%"} <= set(said), "as the alt text says"


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
