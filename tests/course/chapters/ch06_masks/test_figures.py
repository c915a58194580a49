"""Masks drawn: ones where a word may be seen, the shift, the stored curves, measured influence."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from course import experiments
from course.chapters.ch06_masks.experiments import measured_influence
from course.chapters.ch06_masks.figures import (
    COVERED,
    _influence,
    _leak_curves,
    _mask_equation,
    _staircase,
    _three_masks,
)
from course.drawing import style
from transformer_lib import causal_mask


def test_the_changed_words_column_is_loud_and_counts_its_outputs():
    mask = causal_mask(3)[0, 0]
    ax = _influence({"causal": mask}, ["a", "b", "c"], "b").axes[0]
    cells = [one for one in ax.patches if isinstance(one, FancyBboxPatch)]
    fills = np.reshape([to_hex(cell.get_facecolor()) for cell in cells], (3, 3))
    np.testing.assert_array_equal(fills != style.GROUND.lower(), mask)
    np.testing.assert_array_equal(fills == style.ACCENT.lower(), [[0, 0, 0], [0, 1, 0], [0, 1, 0]])
    assert "“b” changes 2 of 3 outputs" in [text.get_text() for text in ax.texts]


def test_what_is_no_answer_for_these_words_is_refused():
    with pytest.raises(ValueError, match="'x': 2 words don't fit the shape"):
        _influence({"x": causal_mask(3)[0, 0]}, ["a", "b"], "a")
    with pytest.raises(ValueError, match="'x': the answers are True and False only"):
        _influence({"x": torch.full((1, 1), 0.5)}, ["a"], "a")


def test_both_is_where_both_are():
    masks = _three_masks(torch.tensor([1, 7, 0]))
    assert masks["both (&)"].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert torch.equal(masks["both (&)"], masks["padding mask"] & masks["causal mask"])


def test_the_equation_has_a_one_where_each_mask_has_one():
    masks = _three_masks(torch.tensor([1, 7, 0, 0]))
    said = [text.get_text() for text in _mask_equation(masks, ["a", "b"], "c").axes[0].texts]
    assert said.count("1") == sum(int(mask.sum()) for mask in masks.values())
    assert said.count("c × 2") == 4 and said.index("&") < said.index("=")


def test_the_staircase_opens_one_word_more_in_each_row():
    ax = _staircase(["<bos>", "a", "b"], ["a", "b", "<eos>"]).axes[0]
    tiles = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    covered = [to_hex(tile.get_facecolor()) == COVERED.lower() for tile in tiles]
    rows = np.reshape(covered, (3, 4)).tolist()  # what it may see, and what it predicts
    assert rows == [[False, True, True, False], [False, False, True, False], 4 * [False]]
    words = [text.get_text() for text in ax.texts[4:]]
    assert words == ["<bos>", "a", "<bos>", "a", "b", "<bos>", "a", "b", "<eos>"]
    with pytest.raises(ValueError, match="tgt_in has 2 words and tgt_out 1"):
        _staircase(["<bos>", "a"], ["a"])


def test_the_leak_curves_draw_each_run_and_name_each_kind_once():
    runs = experiments.load("masks")["runs"]
    left, right = _leak_curves(runs).axes
    assert len(left.lines) == len(right.lines) == len(runs)
    named = [text.get_text().replace("\n", " ") for text in right.texts]
    assert sorted(named) == ["causal mask", "mask shows everything"]
    wanted = [entry["right_rows"] for entry in runs[0]["history"]]
    assert right.lines[0].get_ydata().tolist() == wanted
    with pytest.raises(ValueError, match='runs with mask "none"'):
        _leak_curves([run for run in runs if run["mask"] == "causal"])


def test_influence_is_measured():
    sound, leaking = measured_influence().values()
    assert torch.equal(sound, causal_mask(5)[0, 0])
    assert leaking.all()
