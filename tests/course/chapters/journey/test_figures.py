"""The poster, which no notebook shows: each vector is the model's, and its notes are true."""

import re

import numpy as np
import pytest
import torch

from course.chapters.journey.experiments import trace
from course.drawing.registry import FIGURES
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def way():
    return trace(Translator.load())


@pytest.fixture(scope="module")
def poster():
    return FIGURES["poster"].draw()


def test_the_poster_shows_every_vector_of_the_way(poster, way):
    drawn = [mesh.get_array().ravel() for mesh in poster.axes[0].collections]
    sublayers = ("self_attn", "residual_self_attn", "feed_forward", "residual_feed_forward")
    crossing = ("cross_attn", "residual_cross_attn")
    projections = ("self_attn.w_q", "self_attn.w_k", "self_attn.w_v")
    parts = [f"encoder.layers.{i}.{part}" for i in (0, 1) for part in (*sublayers, *projections)]
    parts += [f"decoder.layers.{i}.{part}" for i in (0, 1) for part in (*sublayers, *crossing)]
    parts += ["src_embed", "src_positions", "tgt_embed", "tgt_positions"]
    for part in parts:
        for vector in way.outputs[part].numpy():
            assert any(len(row) == len(vector) and np.allclose(row, vector) for row in drawn), part


def test_the_notes_on_the_poster_are_true(way):
    outputs, weights = way.outputs, way.weights
    rows = [
        "src_positions",
        *(
            f"encoder.layers.{i}.residual_{part}"
            for i in (0, 1)
            for part in ("self_attn", "feed_forward")
        ),
    ]
    for above, below in zip(rows, rows[1:], strict=False):
        alike = torch.cosine_similarity(outputs[above][:, None], outputs[below][None], dim=-1)
        assert alike.diagonal().min() > 0.6 and alike.argmax(dim=-1).tolist() == [0, 1, 2, 3]
    lengths = outputs["src_positions"].norm(dim=-1)
    assert lengths[3] < 0.45 * lengths[:3].min()
    table = weights["encoder.layers.0.self_attn"][:, 2, 3]
    assert 0.815 < table.min() < 0.825 and table.max() > 0.99
    for i in (0, 1):
        seen = weights[f"decoder.layers.{i}.self_attn"]
        assert torch.equal(seen, seen.tril())
    assert weights["decoder.layers.1.cross_attn"][:, 3, 2].min() > 0.99
    brought = re.compile(r".*layers\.\d\.(self_attn|cross_attn|feed_forward)")
    sizes = {name: x.abs().mean() for name, x in outputs.items() if brought.fullmatch(name)}
    darkest = sorted(sizes, key=sizes.get)[-2:]
    assert sorted(darkest) == [f"decoder.layers.{i}.feed_forward" for i in (0, 1)]
    chances = [way.likeliest(text, 1)[0][1] for text in way.tgt_out]
    assert 0.885 < min(chances) and max(chances) < 0.905
