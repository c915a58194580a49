"""Drawings of the encoder: the data reach the picture, and the pictures show what is said."""

import pytest
import torch
from matplotlib.patches import Rectangle

from course.chapters.ch07_encoder import experiments as data
from course.chapters.ch07_encoder.figures import _around_flow

# --- the drawing functions ---


def test_the_flow_shows_how_large_words_come_and_go():
    x = torch.tensor([[3.0, -3.0], [1.0, 1.0]])
    ways = {"way": [("x", x), "box", "+", "end", ("y", x / 2)]}
    ax = _around_flow(ways, ["a", "b"]).axes[0]
    bars = [patch.get_width() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert bars == pytest.approx([0.7 * size for size in (3, 1, 1.5, 0.5)])
    texts = [text.get_text() for text in ax.texts]
    numbers = [text for text in texts if text.replace(".", "").isdigit()]
    assert numbers == ["3.0", "1.0", "1.5", "0.5"] and {"box", "+", "end"} <= set(texts)


# --- what the figures say ---


def test_what_is_added_makes_what_comes_out():
    _, xs = data.read_by_encoder(["I like trees"])
    for layer, added in enumerate(data.what_is_added("I like trees")):
        torch.testing.assert_close(added["x"], xs[layer][0])
        torch.testing.assert_close(added["output"], xs[layer + 1][0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(added["weights"].sum(-1), torch.ones(4))


def test_the_groups_are_those_of_the_two_norms():
    layer = data.shares_a_mean(data.fresh_norm, (2, 3, 5))
    batch = data.shares_a_mean(data.batch_norm, (2, 3, 5))
    assert (layer == layer[..., :1]).all() and len(layer.unique()) == 6
    assert (batch == batch[:1, :1]).all() and len(batch.unique()) == 5


def test_the_flow_is_the_running_code():
    post, pre = data.flow_stations(False), data.flow_stations(True)
    x, added, total, out = (station[1] for station in post if isinstance(station, tuple))
    torch.testing.assert_close(total, x + added)
    torch.testing.assert_close(out, data.fresh_norm(total))
    assert (added == 0).any()  # dropout drops
    sizes = out.square().mean(-1).sqrt()
    torch.testing.assert_close(sizes, torch.ones_like(sizes), atol=1e-3, rtol=0)
    x, normed, added, out = (station[1] for station in pre if isinstance(station, tuple))
    torch.testing.assert_close(normed, data.fresh_norm(x))
    torch.testing.assert_close(out, x + added)
    sizes = out.square().mean(-1).sqrt().tolist()
    assert sizes == sorted(sizes) and sizes[-1] > 2 * sizes[0], "what goes in large, leaves large"
    torch.testing.assert_close(
        x.square().mean(-1).sqrt(), torch.tensor([0.5, 1, 2]).double(), atol=1e-4, rtol=0
    )
