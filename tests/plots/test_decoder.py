"""Drawings of the decoder: the data reach the picture, and the pictures show what is said."""

import json

import numpy as np
import pytest
import torch

from transformer_lib import plots
from transformer_lib.plots import WordStep
from transformer_lib.plots.decoder import HIGHEST, LOWEST, percent
from transformer_lib.plots.figures import FIGURES
from transformer_lib.plots.figures import decoder as data
from transformer_lib.translator import Translator

SRC = ["a", "b"]
STEPS = [
    WordStep(["<bos>"], [0.25, 0.75], ["x", "y"], [3.0, -0.5], [0.9, 0.0004]),
    WordStep(["<bos>", "x"], [1.0, 0.0], ["z", "x"], [2.0, 1.0], [0.6, 0.2]),
]


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


# --- the drawing functions ---


def test_the_flow_ends_at_the_highest_logit():
    logits = torch.tensor([0.5, 2.0, -1.0])
    figure = plots.generator_flow(torch.tensor([1.0, -2.0]), logits, ["one", "two", "three"])
    word, argmax, upper, _, lower, product, strip = figure.axes
    assert texts(word) == ["two"] and word.texts[0].get_position()[0] == 1
    assert any("argmax" in text for text in texts(argmax))
    assert any("2 numbers → 3" in text for text in texts(product))
    np.testing.assert_allclose(lower.lines[0].get_ydata(), logits)
    np.testing.assert_allclose(upper.lines[0].get_ydata(), logits.log_softmax(-1), atol=1e-6)
    assert lower.lines[1].get_xdata().tolist() == upper.lines[1].get_xdata().tolist() == [1]
    assert "two: 2.0" in texts(lower)
    np.testing.assert_allclose(strip.images[0].get_array(), [[1, -2]])


def test_the_trace_has_a_row_for_each_step():
    axes = plots.decode_trace(SRC, STEPS).axes
    assert len(axes) == 6
    first, second = axes[:3], axes[3:]
    assert texts(first[0]) == ["1.  <bos>", "→ x"]
    assert texts(second[0]) == ["2.  <bos> x", "→ z"]
    for (_, look, bars), step in zip((first, second), STEPS, strict=True):
        assert look.images[0].get_array().tolist() == [step.looks]
        assert [label.get_text() for label in look.get_xticklabels()] == SRC
        assert [bar.get_width() for bar in bars.patches] == step.logits
        assert [label.get_text() for label in bars.get_yticklabels()] == step.best
        assert texts(bars) == [percent(chance) for chance in step.chances]


def test_the_stepper_holds_every_step():
    spec = plots.decode_stepper(SRC, STEPS, start=2).to_dict()
    [slider] = spec["params"]
    assert slider["value"] == 2 and (slider["bind"]["min"], slider["bind"]["max"]) == (1, 2)
    tables = list(spec.get("datasets", {}).values()) or [
        chart["data"]["values"] for chart in (*spec["vconcat"][0]["layer"],
                                              *spec["vconcat"][1]["hconcat"])]  # fmt: skip
    rows = [row for table in tables for row in table]
    assert {row["step"] for row in rows} == {1, 2}
    assert [row["weight"] for row in rows if "weight" in row] == [0.25, 0.75, 1.0, 0.0]
    assert [row["logit"] for row in rows if "logit" in row] == [3.0, -0.5, 2.0, 1.0]
    newest = {(row["step"], row["place"], row["word"]) for row in rows if row.get("newest")}
    assert newest == {(1, 0, "x"), (2, 1, "z")}
    text = json.dumps(spec, ensure_ascii=False)
    assert "x   90 %" in text and "y   0.04 %" in text and "b   0.75" in text
    assert text.count("datum.step == step") == 4


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.generator_flow(torch.zeros(2), torch.zeros(3), ["a"]), "1 words"),
        (lambda: plots.generator_flow(torch.zeros(1, 2), torch.zeros(1), ["a"]), "a vector of the"),
        (lambda: plots.decode_trace(["a"], STEPS), "step 1 looks at 2 words, but the source has 1"),
        (lambda: plots.decode_trace(SRC, []), "no steps"),
        (lambda: plots.decode_stepper(["a"], STEPS), "step 1 looks at 2 words"),
        (lambda: plots.decode_stepper(SRC, STEPS, start=3), "no step 3: there are 2"),
    ],
)
def test_what_does_not_fit_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_small_shares_keep_their_digits():
    assert [percent(share) for share in (0.893, 0.0123, 0.00048, 0.0)] == [
        "89 %", "1 %", "0.05 %", "0.00 %"]  # fmt: skip


# --- what the figures say ---


def test_the_steps_are_the_translation():
    src, steps = data.i_like_trees()
    assert src == ["I", "like", "trees", "<eos>"]
    assert [step.best[0] for step in steps] == ["me", "gustan", "los", "árboles", "<eos>"]
    for number, step in enumerate(steps):
        assert step.read == ["<bos>", *(one.best[0] for one in steps[:number])]
        assert sum(step.looks) == pytest.approx(1, abs=1e-5)
        assert step.logits == sorted(step.logits, reverse=True)
        assert step.logits[0] > 8 and max(step.logits[1:]) < 2 < HIGHEST
        assert min(step.logits) > LOWEST
    most = [src[int(np.argmax(step.looks))] for step in steps]
    assert most == ["I", "like", "trees", "trees", "<eos>"]
    assert 0.45 < max(steps[2].looks) < 0.55


def test_the_steps_are_those_of_any_sentence():
    translator = Translator.load()
    text = "The tired animal crosses the wide street"
    steps = data.decode_steps(translator, text, best=2)[1]
    assert [step.best[0] for step in steps[:-1]] == translator.translate(text)[0].tokens
    rows = torch.tensor([step.looks for step in steps])
    torch.testing.assert_close(rows, translator.looks(text).last_cross_attention(), atol=1e-4,
                               rtol=0)  # fmt: skip


def test_the_flow_is_drawn_from_the_model():
    figure = FIGURES["decoder-generator"].draw()
    assert texts(figure.axes[0]) == ["árboles"]
    logits = figure.axes[4].lines[0].get_ydata()
    assert logits.max() > 9 and np.sort(logits)[-2] < 2 and len(logits) == 1794
    assert -0.2 < figure.axes[2].lines[0].get_ydata().max() < 0
    assert figure.axes[6].images[0].get_array().shape == (1, 128)
