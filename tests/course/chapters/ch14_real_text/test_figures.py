"""Drawings of words in pieces and of dropout: the data reaches the picture."""

import re

import pytest

from course.chapters.ch14_real_text.figures import (
    _dropout_curves,
    _score_changes,
    _score_slopes,
    _word_in_pieces,
)
from course.drawing.registry import FIGURES
from transformer_lib.files import read_json
from transformer_lib.translator import MODELS


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_each_row_has_its_pieces_and_how_many():
    rows = {260: ["·", "a", "b"], 300: ["·ab"]}
    figure = _word_in_pieces(rows, {260: 3.25, 300: 1.5})
    assert texts(figure)[-10:] == ["260", "·", "a", "b", "3", "3.25", "300", "·ab", "1", "1.50"]
    boxes = [patch.get_extents().width for patch in figure.axes[0].patches]
    assert len(boxes) == 4 and boxes[3] > 2.5 * boxes[0]


def test_pieces_of_two_words_are_refused():
    with pytest.raises(ValueError, match="one word and a mean"):
        _word_in_pieces({260: ["a"], 300: ["b"]}, {260: 1.0, 300: 1.0})
    with pytest.raises(ValueError, match="one word and a mean"):
        _word_in_pieces({260: ["a"]}, {300: 1.0})


def test_each_text_has_a_curve_with_dropout_and_one_without():
    panels = {"easy": {0.0: [(1, 2.0), (2, 0.5)], 0.2: [(1, 2.0), (2, 1.0)]}}
    figure = _dropout_curves(panels | {"hard": panels["easy"]})
    assert [ax.get_title() for ax in figure.axes] == ["easy", "hard"]
    without, with_it = figure.axes[0].lines
    assert list(without.get_ydata()) == [2.0, 0.5] and list(with_it.get_ydata()) == [2.0, 1.0]
    assert sorted(texts(figure)) == ["dropout 0.2:\n1.00", "no dropout:\n0.50"]
    with pytest.raises(ValueError, match="no panels"):
        _dropout_curves({})


def test_each_seed_has_a_line_from_text_to_text_and_a_thick_one_is_the_mean():
    one, other = {"this": [41.0, 42.0], "that": [40.0, 40.5]}, {"this": [1, 2], "that": [2, 3]}
    figure = _score_slopes({"one": one, "other": other})
    (ax,) = figure.axes
    drawn = [list(line.get_ydata()) for line in ax.lines]
    assert drawn == [[41, 1], [42, 2], [41.5, 1.5], [40, 2], [40.5, 3], [40.25, 2.5]]
    assert texts(figure) == ["1.5, this", "2.5, that", "41.5", "40.2"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["one", "other"]
    with pytest.raises(ValueError, match="here are 0 texts"):
        _score_slopes({})


def test_the_rungs_are_sorted_and_drawn_from_the_base():
    (ax,) = _score_changes({"a": 36.0, "base": 35.0, "b": 33.9, "c": 37.5}, "base").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "a", "b"]
    drawn = [dot.get_offsets()[:, 0].tolist() for dot in ax.collections]
    assert drawn == [[37.5], [36.0], [33.9]]
    assert texts(ax.figure) == ["+2.5", "+1.0", "-1.1", "base: 35.0"]
    assert ax.figure.get_suptitle() == "Of all changes c is worth most: +2.5 BLEU"
    with pytest.raises(ValueError, match="the base 'd' is none of 'a', 'b'"):
        _score_changes({"a": 1.0, "b": 2.0}, "d")


def test_the_pieces_of_the_figure_are_those_that_are_told():
    found = texts(FIGURES["real-text-pieces"].draw())
    counts = [text for text in found if text.isdigit() and len(text) < 3]
    assert counts == ["13", "11", "9", "5", "4", "2"]
    assert found[-5:] == ["8,000", "·grandmother", "s", "2", found[-1]]
    means = [float(text) for text in found if "." in text]
    assert means == sorted(means, reverse=True) and means[0] > 5 and means[-1] < 1.5


def test_the_scores_in_the_words_are_those_of_the_dots():
    figure, told = FIGURES["real-text-published"].draw(), FIGURES["real-text-published"].alt
    ours, theirs, *first = (text[:4] for text in texts(figure))
    assert re.findall(r"\d+\.\d", told)[:4] == [*first, ours, theirs]
    lines = [line.get_ydata() for line in figure.axes[0].lines]  # three seeds and their mean, twice
    seeds = list(zip(lines[:3], lines[4:7], strict=True))
    assert all(one[0] > other[0] for one, other in seeds)  # the title: one is better on validation,
    assert all(one[1] < other[1] for one, other in seeds)  # and worse on test
    rows = [[line[1] for line in way] for way in zip(*seeds, strict=True)]
    assert f"{max(max(row) - min(row) for row in rows):.1f} apart" in told


def test_the_rungs_in_the_words_are_those_of_the_picture():
    figure, told = FIGURES["real-text-ladder"].draw(), FIGURES["real-text-ladder"].alt
    (ax,) = figure.axes
    *worths, base = texts(figure)
    names = [label.get_text() for label in ax.get_yticklabels()]
    rows = re.findall(r"[:;] ([^;:]+) ([+−]\d\.\d)", told)
    worths = [worth.replace("-", "\N{MINUS SIGN}") for worth in worths]
    assert rows == list(zip(names, worths, strict=True))
    assert base == "as it is: 36.1" and "36.1" in told


def test_the_loss_still_falls_when_training_ends():
    history = read_json(MODELS["tatoeba"] / "training.json")["history"]
    losses = [entry["validation_loss"] for entry in history]
    assert losses[-1] == min(losses) and losses[-4:] == sorted(losses[-4:], reverse=True)
    last = history[-1]
    said = FIGURES["real-text-learning-curve"].alt
    assert (
        f"over {last['step']:,} steps" in said
        and f"{history[0]['loss']:.1f} to {last['loss']:.1f}," in said
    )
    assert f"from {losses[0]:.1f} to {losses[-1]:.1f}" in said
