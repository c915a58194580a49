"""Drawings of the decoder: the data reach the picture, and the pictures show what is said."""

import json

import numpy as np
import pytest
import torch

from course.chapters.ch08_decoder import experiments as measured
from course.chapters.ch08_decoder import figures as data
from course.chapters.ch08_decoder.figures import CELLS, _generator_flow, _stacks_stepper
from course.drawing.registry import FIGURES
from course.drawing.words import percent
from transformer_lib.text.tokens import BOS
from transformer_lib.translator import Translator


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


# --- the drawing functions ---


def test_the_flow_ends_at_the_likeliest_word():
    logits = torch.tensor([0.5, 2.0, -1.0])
    [ax] = _generator_flow(torch.tensor([1.0, -2.0]), logits, ["one", "two", "three"]).axes
    sticks, needle = ax.collections
    tall = [np.diff(stick[:, 1])[0] for stick in sticks.get_segments()]
    np.testing.assert_allclose(tall, logits * 1.8 / 3, atol=1e-6)
    [loud] = needle.get_segments()
    np.testing.assert_allclose(loud, sticks.get_segments()[1])
    assert {"two", "2.00", "vector", "2 numbers"} <= set(texts(ax))
    chances = logits.softmax(-1).sort(descending=True)[0].tolist()
    first, second, _ = (percent(chance) for chance in chances)
    assert ax.patches[-1].get_width() == pytest.approx(6.35 * chances[0])
    rest = percent(1 - float(logits.softmax(-1).max()))
    others = f"all other words together {rest}, none above {second}"
    assert {f"two {first}", others} <= set(texts(ax))
    np.testing.assert_allclose(ax.images[0].get_array(), [[1, -2]])


def small_way(words: int = 2) -> dict:
    """A sentence of one word and its translation of one, <bos> and <eos> included."""
    torch.manual_seed(0)
    encoder, decoder = ([torch.randn(words, 20) for _ in range(3)] for _ in range(2))
    return {
        "src": ["a", "<eos>"],
        "read": ["<bos>", "x"],
        "written": ["x", "<eos>"],
        "encoder": encoder,
        "decoder": decoder,
    }


def rows_of(spec: dict) -> list[dict]:
    tables = spec.get("datasets", {}).values()
    found = list(tables) or [layer["data"]["values"] for layer in spec["layer"]]
    return [row for table in found for row in table]


def test_the_stepper_holds_every_vector_and_says_what_happens():
    way = small_way()
    spec = _stacks_stepper(way).to_dict()
    [slider] = spec["params"]
    assert (slider["bind"]["min"], slider["bind"]["max"]) == (1, 11)
    assert slider["value"] == 4 + 0  # <bos> is read; with two words, the last but one is the first
    titles = json.loads(spec["title"]["text"]["expr"].removesuffix("[step - 1]"))
    assert len(titles) == 11
    assert titles[2].endswith("This is the memory")
    assert titles[3] == "The decoder reads “<bos>”"
    assert titles[6] == "The most likely next word is “x”"
    assert titles[7] == "The decoder reads “x”, which it has just written"
    cells = [row for row in rows_of(spec) if "value" in row]
    assert len(cells) == 2 * 3 * 2 * CELLS
    first = [row["value"] for row in cells if row["since"] == 4]  # <bos> below the decoder
    np.testing.assert_allclose(first, way["decoder"][0][0][:CELLS])
    memory = [row["value"] for row in cells if row["since"] == 3]
    np.testing.assert_allclose(memory, way["encoder"][2][:, :CELLS].flatten())


# --- what the figures say ---


def test_the_steps_are_the_translation():
    src, steps = data.i_like_trees()
    assert src == ["I", "like", "trees", "<eos>"]
    assert [step.best[0] for step in steps] == ["me", "gustan", "los", "árboles", "<eos>"]
    for number, step in enumerate(steps):
        assert step.read == ["<bos>", *(one.best[0] for one in steps[:number])]
        assert sum(step.weights) == pytest.approx(1, abs=1e-5)
        assert step.logits == sorted(step.logits, reverse=True)
        assert step.logits[0] > 8 and max(step.logits[1:]) < 2
        assert 0.85 < step.chances[0] < 0.95 and max(step.chances[1:]) < 0.001
    most = [src[int(np.argmax(step.weights))] for step in steps]
    assert most == ["I", "like", "trees", "trees", "<eos>"]
    assert 0.45 < max(steps[2].weights) < 0.55 and 0.2 < steps[1].weights[2] < 0.3
    assert "gusta" in steps[1].best and {"el", "la"} <= set(steps[2].best)
    assert "pájaros" in steps[3].best


def test_the_flow_is_drawn_from_the_model():
    [ax] = FIGURES["decoder-generator"].draw().axes
    said = texts(ax)
    assert said[0] == "Of 1,794 words, “árboles” gets 90% of the probability" and "9.35" in said
    assert {"árboles 90%", "all other words together 10%, none above 0.04%"} <= set(said)
    assert len(ax.collections[0].get_segments()) == 1794
    assert ax.images[0].get_array().shape == (1, 128)


def test_the_way_through_the_stacks_is_the_models():
    translator = Translator.load()
    way = measured.on_the_way(translator, "I like trees")
    assert way["src"] == ["I", "like", "trees", "<eos>"] and way["read"][1:] == way["written"][:-1]
    model, src = translator.model.eval(), measured.source_of(translator, "I like trees")
    torch.testing.assert_close(way["encoder"][-1], model.encode(src)[0], atol=1e-5, rtol=1e-5)
    for place in range(5):  # with the words up to here, the same as with all of them
        ids = [[BOS, *translator.tgt.vocab.encode(way["read"][1 : place + 1])]]
        alone = model.decode(torch.tensor(ids), model.encode(src), src)[0, -1]
        torch.testing.assert_close(way["decoder"][-1][place], alone, atol=1e-4, rtol=1e-4)
