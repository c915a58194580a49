"""Drawings of the encoder: the data reach the picture, and the pictures show what is said."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, Rectangle

from course.chapters.ch07_encoder import experiments as data
from course.chapters.ch07_encoder.experiments import all_ways
from course.chapters.ch07_encoder.figures import (
    WEAKER,
    _around_flow,
    _neuron_words,
    _norm_groups,
    _stream_of_words,
    _two_stacks,
)
from course.drawing import style
from course.drawing.maps import AMOUNTS
from course.drawing.registry import FIGURES
from course.grammar.lexicon import NOUNS
from transformer_lib.translator import Translator


def drawn(name: str) -> list[np.ndarray]:
    """The maps of a figure."""
    return [np.ma.getdata(image.get_array()) for image in FIGURES[name].draw().axes[0].images]


def cells_of(name: str) -> list[str]:
    """The colors of a figure's cells."""
    [ax] = FIGURES[name].draw().axes
    cells = [one for one in ax.patches if isinstance(one, Rectangle) and one.get_width() > 0.2]
    return [to_hex(one.get_facecolor()) for one in cells if one.get_width() < 0.4]


def colors_of_pairs(cosines) -> list[str]:
    """What `cells_of` should find: a color for every two words."""
    return [to_hex(WEAKER(float(cosines[i, j]))) for i in range(len(cosines)) for j in range(i)]


# --- the drawing functions ---


def test_the_numbers_of_one_group_are_loud():
    groups = torch.tensor([[[7, 7], [3, 7]]])
    ax = _norm_groups({"odd": groups}, [["a", "b"]]).axes[0]
    assert {"odd", "a", "b"} <= {text.get_text() for text in ax.texts}
    colors = [patch.get_facecolor() for patch in ax.patches]
    assert colors[0] == colors[1] == colors[3] != colors[2]
    ax = FIGURES["encoder-norm-groups"].draw().axes[0]
    hatched = [to_hex(patch.get_facecolor()) for patch in ax.patches if patch.get_hatch()]
    assert len(hatched) == 10 and hatched.count(style.ACCENT.lower()) == 1, "padding, with the rest"


def test_the_flow_shows_how_large_words_come_and_go():
    x = torch.tensor([[3.0, -3.0], [1.0, 1.0]])
    ways = {"way": [("x", x), "box", "+", "end", ("y", x / 2)]}
    ax = _around_flow(ways, ["a", "b"]).axes[0]
    bars = [patch.get_width() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert bars == pytest.approx([0.7 * size for size in (3, 1, 1.5, 0.5)])
    texts = [text.get_text() for text in ax.texts]
    numbers = [text for text in texts if text.replace(".", "").isdigit()]
    assert numbers == ["3.0", "1.0", "1.5", "0.5"] and {"box", "+", "end"} <= set(texts)


def test_in_the_stream_each_look_at_another_word_is_a_ribbon_of_its_weight():
    def ribbons(weights):
        ax = _stream_of_words(["a", "b"], [torch.tensor(weights)]).axes[0]
        return [line.get_linewidth() for line in ax.lines]

    assert ribbons([[1.0, 0.0], [0.14, 0.86]]) == []
    assert ribbons([[0.2, 0.8], [0.4, 0.6]]) == pytest.approx([6.4, 3.2])


def test_each_noun_is_as_dark_as_the_neuron_fires():
    neurons = {
        "n": {"trees": 2.5, "paths": 0.05, "tree": 0.0, "the": 3.0},
        "m": {"trees": 1.0, "paths": 2.0, "tree": 0.3},
    }
    kinds = {"plural": ["paths", "trees", "maps"], "singular": ["tree"]}
    [ax] = _neuron_words(neurons, kinds).axes
    grounds = [
        (text.get_text(), to_hex(text.get_bbox_patch().get_facecolor()))
        for text in ax.texts
        if text.get_bbox_patch()
    ]
    silent = style.GROUND.lower()
    assert grounds[:2] == [("trees", to_hex(AMOUNTS(0.5))), ("paths", silent)]
    assert grounds[2:] == [("trees", to_hex(AMOUNTS(0.2))), ("paths", to_hex(AMOUNTS(0.4)))]
    colors = [to_hex(cell.get_facecolor()) for cell in ax.patches if isinstance(cell, Rectangle)]
    assert colors == [style.RULE.lower(), to_hex(AMOUNTS(0.3 / 5))]
    texts = [text.get_text() for text in ax.texts]
    assert {f"fires for {count}" for count in ("1 of 2", "2 of 2", "0 of 1", "1 of 1")} <= set(
        texts
    )
    assert texts.count("tree") == 1 and "maps" not in texts


def test_the_memory_reaches_every_decoder_layer():
    for layers in (2, 3):
        ax = _two_stacks(["a"], ["<bos>", "b"], "c", layers).axes[0]
        texts = [text.get_text() for text in ax.texts]
        crossings = [
            text.get_position() for text in ax.texts if text.get_text() == "cross-attention"
        ]
        assert len(crossings) == layers and texts.count("feed-forward") == 2 * layers
        ends = [
            patch.get_path().vertices
            for patch in ax.patches
            if isinstance(patch, FancyArrowPatch)
            and to_hex(patch.get_edgecolor()) == style.ENCODER.lower()
        ]
        assert len(ends) == layers
        assert texts.count(f"layer {layers - 1}") == 2
        assert {"a", "b", "c", "memory"} <= set(texts)


# --- what the figures say ---


def test_who_moves():
    (words,), xs = data.read_by_encoder([data.SENTENCE])
    encoder, x = Translator.load().model.eval().encoder, xs[0][0]
    alone = data.moved(encoder.layers[0].feed_forward, x)
    assert (alone - alone.diagonal().diag()).max() < 1e-5 and alone.diagonal().min() > 0.3
    assert data.moved(encoder, x).min() > 1e-3, "every word depends on every word"
    ax = FIGURES["encoder-who-moves"].draw().axes[0]
    thick = [line.get_linewidth() / 72 for line in ax.lines]
    moves = np.array([column / column[2] for column in (alone[:, 2], data.moved(encoder, x)[:, 2])])
    np.testing.assert_allclose(thick, 0.27 * moves.ravel(), atol=1e-6)
    said = [text.get_text() for text in ax.texts if text.get_text().endswith(" %")][1:]
    assert said == [f"{100 * move:.0f} %" for move in moves.ravel()]
    words = ["the", "tired", "animal", "crosses", "the", "wide", "street", "<eos>"]
    loud = [text for text, move in zip(words, moves[1], strict=True) if move > 0.2]
    assert loud == ["the", "tired", "animal", "crosses", "<eos>"]


def test_the_deep_stack():
    ax = FIGURES["encoder-deep-stack"].draw().axes[0]
    named = {text.get_text() for text in ax.texts}
    assert {"50,000 times as long", "as long as before", "less than a millionth left"} <= named
    ways = all_ways()
    alone, sums, both = (ways[way] for way in ("neither", "residual only", "residual and norm"))
    assert alone["signal"][-1] < 1e-6 and 45_000 < sums["signal"][-1] < 55_000
    assert max(both["signal"]) < 1.01 and min(both["signal"][1:]) > 0.99
    for line, way in zip(ax.lines, (sums, both, alone), strict=True):
        heights = np.diff(line.get_ydata())
        np.testing.assert_allclose(heights, 0.2 * np.diff(np.log10(way["signal"])), atol=1e-9)
    assert alone["gradient"][0] < 1e-6 and sums["gradient"][0] > 1e6, "the same three ways"
    assert 0.2 < min(both["gradient"]) and max(both["gradient"]) < 1.01


def test_how_alike_words_become():
    alike = {name: way["alike"] for name, way in all_ways().items()}
    at_2 = {name: cosines[2] for name, cosines in alike.items()}
    assert min(at_2["neither"], at_2["norm only"]) > 0.95
    assert max(at_2["residual only"], at_2["residual and norm"]) < 0.6
    assert min(cosines[11] for cosines in alike.values()) > 0.95
    ax = FIGURES["encoder-deep-alike"].draw().axes[0]
    angles = [int(text.get_text()[:-1]) for text in ax.texts if text.get_text().endswith("°")]
    assert angles == [91, 55, 1, 0, 0, 0, 91, 81, 68, 54, 39, 33]


def test_the_neurons_fire_for_what_is_said():
    masculine, plural = data.plural_nouns("m"), data.plural_nouns()
    assert data.who_fires(0, 314, masculine) > 0.97 and data.who_fires(1, 11, plural) > 0.9
    words, _ = data.held_out_neurons()
    share = sum(word in masculine for word in words) / len(words)
    assert 0.03 < share < 0.05  # "one in 25"
    texts = [text.get_text() for text in FIGURES["encoder-neurons"].draw().axes[0].texts]
    fire = ["20 of 25", "0 of 13", "0 of 94", "25 of 25", "13 of 13", "1 of 94"]
    assert [text[10:] for text in texts if text.startswith("fires for ")] == fire
    assert texts.count("day") == 1
    for neuron, plurals in (
        (data.excited_by(0, 314), masculine),
        (data.excited_by(1, 11), plural),
    ):
        nouns = (plural | {noun.english for noun in NOUNS.values()}) - {"day"}
        assert max(neuron[word] for word in nouns - plurals if word in neuron) < 0.1
        assert neuron["trees"] > 2.5
    assert min(neuron[word] for word in plural if word in neuron) > 1.5


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


def test_the_stream_grows_in_pre_norm_alone():
    post, pre = data.stream(False), data.stream(True)
    assert max(abs(size - 1) for size in post) < 0.05
    assert pre[:25] == sorted(pre[:25]) and 4.5 < pre[24] < 5.5 and abs(pre[25] - 1) < 0.01
    ax = FIGURES["encoder-stream"].draw().axes[0]
    assert {"1.0", "4.9"} <= {text.get_text() for text in ax.texts}


def test_the_trained_maps_have_two_blocks():
    words, xs = data.read_by_encoder([data.SENTENCE])
    before, last = (data.alike(x).numpy() for x in data.without_end(words[0], xs)[::2])
    assert before[:3, 3:].mean() > 0.1, "what belongs apart is a little alike at first"
    first, second, between = last[:3, :3], last[3:, 3:], last[:3, 3:]
    assert first.min() > 0.1 and second.min() > 0.05
    assert np.median(between) < 0 and between.mean() < -0.05
    shown = drawn("encoder-similarity")
    np.testing.assert_allclose(shown, [before[:3, 3:], last[:3, 3:]], atol=1e-5)
    texts = {text.get_text() for text in FIGURES["encoder-similarity"].draw().axes[0].texts}
    assert {"mean 0.18", "mean −0.07", "0.69", "0.22", "−0.33"} <= texts, "as the alt text says"


def test_the_random_maps_grow_darker():
    means = [data.mean_alike(x) for x in data.random_layers()[1]]
    assert len(means) == 7 and means == sorted(means) and means[-1] > 0.9
    xs = data.random_layers()[1][::3]
    wanted = [color for x in xs for color in colors_of_pairs(data.alike(x))]
    assert cells_of("encoder-similarity-random") == wanted
    texts = [text.get_text() for text in FIGURES["encoder-similarity-random"].draw().axes[0].texts]
    said = [float(text[5:]) for text in texts if text.startswith("mean ")]
    assert said == pytest.approx(means[::3], abs=0.005)


def test_red_is_of_two_kinds_after_layer_1():
    found = data.red_things()
    assert min(found["input"].min(), found["layer 0"].min()) > 0.99
    first, last = found["input"].numpy(), found["layer 1"].numpy()
    assert first.min() > 0.995
    assert min(last[:5, :5].min(), last[5:, 5:].min()) > 0.9 > 0.85 > last[:5, 5:].max()
    assert cells_of("encoder-red") == [*colors_of_pairs(first), *colors_of_pairs(last)]
    texts = [text.get_text() for text in FIGURES["encoder-red"].draw().axes[0].texts]
    assert [text for text in texts if "." in text] == ["1.00", "0.99", "0.98", "0.78"]
    translator = Translator.load()
    for noun, said in zip(data.TEN_NOUNS, 5 * ["rojo"] + 5 * ["roja"], strict=True):
        assert said in translator.translate(f"I like the red {noun}").tokens


def test_the_ten_nouns_have_the_gender_that_is_said():
    from course.grammar.lexicon import NOUNS

    assert "".join(NOUNS[noun].gender for noun in data.TEN_NOUNS) == "mmmmmfffff"
