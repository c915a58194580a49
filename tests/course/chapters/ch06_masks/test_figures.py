"""Masks drawn: ones where a word may be seen, the shift, the stored curves, measured influence."""

import numpy as np
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch, Rectangle

from course import experiments
from course.chapters.ch06_masks.experiments import measured_influence
from course.chapters.ch06_masks.figures import _influence, _mask_equation, _staircase, _three_masks
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib import causal_mask


def test_the_changed_words_column_is_loud_and_counts_its_outputs():
    mask = causal_mask(3)[0, 0]
    ax = _influence({"causal": mask}, ["a", "b", "c"], "b").axes[0]
    cells = [one for one in ax.patches if isinstance(one, FancyBboxPatch)]
    fills = np.reshape([to_hex(cell.get_facecolor()) for cell in cells], (3, 3))
    np.testing.assert_array_equal(fills != style.GROUND.lower(), mask)
    np.testing.assert_array_equal(fills == style.ACCENT.lower(), [[0, 0, 0], [0, 1, 0], [0, 1, 0]])
    assert "2 of 3 outputs change" in [text.get_text() for text in ax.texts]


def test_both_is_where_both_are():
    masks = _three_masks(torch.tensor([1, 7, 0]))
    assert masks["both"].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert torch.equal(masks["both"], masks["padding mask"] & masks["causal mask"])


def test_the_equation_fills_what_each_mask_shows_and_names_what_it_hides():
    masks = _three_masks(torch.tensor([1, 7, 0, 0]))
    ax = _mask_equation(masks, ["a", "b", "c", "c"]).axes[0]
    cells = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    shown = np.reshape(
        [to_hex(c.get_facecolor()) != style.GROUND.lower() for c in cells], (3, 4, 4)
    )
    np.testing.assert_array_equal(shown, np.stack([np.asarray(mask) for mask in masks.values()]))
    said = [text.get_text() for text in ax.texts]
    assert said.index("&") < said.index("=") and {"padding", "later"} <= set(said)


def test_the_staircase_opens_one_word_more_in_each_row():
    ax = _staircase(["<bos>", "a", "b"], ["a", "b", "<eos>"]).axes[0]
    bands = [patch.get_width() for patch in ax.patches if isinstance(patch, Rectangle)]
    np.testing.assert_allclose(bands, np.array([2, 1, 0]) * bands[1])  # what the mask hides
    tiles = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(tiles) == 1 + 2 + 3 + 3, "what it may see, and what it predicts"
    words = [text.get_text() for text in ax.texts[4:-1] if text.get_text()]
    assert words == ["<bos>", "a", "<bos>", "a", "b", "<bos>", "a", "b", "<eos>"]


def test_the_leak_curves_are_means_and_beside_them_stands_what_is_written():
    measured, drawn = experiments.load("masks"), FIGURES["masks-leak-curves"]
    page, left = drawn.draw().axes
    for line, mask in zip(left.lines, ("causal", "none"), strict=True):
        own = [run["history"] for run in measured["runs"] if run["mask"] == mask]
        means = np.mean([[entry["next_word"] for entry in history] for history in own], axis=0)
        np.testing.assert_allclose(line.get_ydata(), means)
    assert left.lines[1].get_ydata()[3:].min() > 0.995 > left.lines[0].get_ydata()[3:].min()
    texts = [text.get_text() for text in page.texts]
    assert "".join(text for text in texts if text.isdigit()) == "724490" + "094427" + "999"
    assert measured["reads"] == [7, 2, 4, 4, 9, 0] and texts.count("nothing") == 1
    assert [text for text in texts if " model" in text][-3:] == [
        "3 models",
        "2 models",
        "1 model",
    ]
    for said in ("99 % right", "0 % right"):
        assert said in texts and said[:-6] in drawn.alt


def test_influence_is_measured():
    sound, leaking = measured_influence().values()
    assert torch.equal(sound, causal_mask(5)[0, 0])
    assert leaking.all()
