"""What notebook 09 counts: waiting, path, parameters, and the shapes inside a layer."""

import math

import pytest

from course.chapters.ch09_whole_transformer import experiments as lab
from transformer_lib.model.transformer import count_parameters
from transformer_lib.translator import Translator


@pytest.mark.parametrize("n", [6, 20])
def test_waiting_and_path_are_as_table_1_has_them(n):
    near = math.ceil((n - 1) / 4)
    same = {"self-attention": 1, "recurrent": n}
    assert lab.waiting(n) == same | {"convolution": 1, "restricted": 1}
    gaps = math.ceil(math.log(n, 5))
    windows = {"restricted": near, "convolution": near, "with gaps": gaps}
    assert lab.all_rounds(n) == same | windows


def test_the_base_model_is_mostly_feed_forward():
    tied = lab.on_paper(37_000, 37_000, tie_weights="all")
    parts = lab.parts(tied)
    assert count_parameters(tied) == 63_045_632 == sum(parts.values())
    assert max(parts, key=parts.get) == "feed-forward"
    untied = lab.parts(lab.on_paper(37_000, 37_000))
    words = untied["embeddings"] + untied["generator"]
    assert round(sum(untied.values()) / 1e6, 1) == 100.9 and words > sum(untied.values()) / 2


def test_the_shapes_inside_a_layer():
    shapes = dict(lab.inside_a_layer(Translator.load(), "I like trees"))
    assert list(shapes.values()) == [
        (1, 4, 128),
        (1, 4, 128),
        (1, 4, 4, 32),
        (1, 4, 4, 4),
        (1, 4, 128),
        (1, 4, 512),
        (1, 4, 128),
    ]
