"""Drawings of words in pieces and of dropout: the data reaches the picture."""

import re

import numpy as np
import pytest

from course import experiments
from course.chapters.ch14_real_text.figures import (
    CHANGES,
    _gaps,
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
    figure = _word_in_pieces(rows)
    assert texts(figure)[-8:] == ["260", "·", "a", "b", "3", "300", "·ab", "1"]
    boxes = [patch.get_extents().width for patch in figure.axes[0].patches]
    assert len(boxes) == 4 and boxes[3] > 2.5 * boxes[0]


def test_each_training_has_two_curves_and_a_gap():
    texts_of = {"old": [(1, 2.0), (2, 0.5), (3, 0.1)], "new": [(1, 2.0), (2, 1.0), (3, 1.5)]}
    figure = _gaps(
        {"one": texts_of, "other": {"old": [(1, 2.0), (2, 1.0)], "new": [(1, 2.0), (2, 1.5)]}}
    )
    assert [ax.get_title() for ax in figure.axes] == ["one", "other"]
    old, new, turn = (list(line.get_ydata()) for line in figure.axes[0].lines)
    assert (old, new) == ([2.0, 0.5, 0.1], [2.0, 1.0, 1.5]) and turn == [1.0], "where it turns"
    assert texts(figure) == ["0.1", "old", "1.5", "new", "1.0"]
    assert len(figure.axes[1].lines) == 2 and len(figure.axes[1].collections) == 1


def test_each_mean_has_a_line_from_text_to_text_and_each_seed_a_thin_one():
    one, other = {"this": [41.0, 42.0], "that": [40.0, 40.5]}, {"this": [1, 2], "that": [2, 3]}
    figure = _score_slopes({"one": one, "other": other})
    (ax,) = figure.axes
    drawn = [list(line.get_ydata()) for line in ax.lines]
    assert drawn == [[41, 1], [42, 2], [41.5, 1.5], [40, 2], [40.5, 3], [40.25, 2.5]]
    this, that = ["41.5", "1.5", "this", "this"], ["40.2", "2.5", "that", "that"]
    assert texts(figure) == [*this, *that]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["one", "other"]


def test_the_rungs_are_drawn_from_the_base_the_best_on_top():
    scores = {"a": 36.0, "base": 35.0, "b": 33.9, "c": 37.5}
    names = {"b": "bee", "c": "see", "a": "ay"}
    (ax,) = _score_changes(scores, "base", names, luck=0.6).axes
    band, *bars = ax.patches
    assert (band.get_x(), band.get_width()) == (-0.6, 1.2)
    assert [bar.get_width() for bar in bars] == pytest.approx([2.5, 1.0, -1.1])
    *said, chance = texts(ax.figure)
    assert said == ["+2.5", "see", "+1.0", "ay", "-1.1", "bee"]
    assert "up to 0.6 apart" in chance
    title, note = (text.get_text() for text in ax.figure.texts)
    assert title == "Of 3 changes, only c and a help beyond chance" and "Adam, 35.0" in note


def test_the_pieces_of_the_figure_are_those_that_are_told():
    found = texts(FIGURES["real-text-pieces"].draw())
    counts = [text for text in found if text.isdigit() and len(text) < 3]
    assert counts == ["13", "11", "9", "5", "4", "2"]
    assert found[-4:] == ["8,000", "·grandmother", "s", "2"]
    assert "is 13 pieces with a vocabulary of 260, 2 with one of 8,000" in found[0]


def test_the_scores_in_the_words_are_those_of_the_dots():
    figure, told = FIGURES["real-text-published"].draw(), FIGURES["real-text-published"].alt
    said = texts(figure)
    ours, theirs = said[0:2], said[4:6]
    assert re.findall(r"\d+\.\d", told)[:2] == [ours[0], theirs[0]]
    assert f"the penalty has {ours[1]}, the likelihood per piece {theirs[1]}" in told
    lines = np.array([line.get_ydata() for line in figure.axes[0].lines])
    first, second = lines[0:3].T, lines[4:7].T  # the seeds on validation and on test, for each way
    assert all(first[0] > second[0])  # the title: one is better on validation,
    assert all(first[1] < second[1])  # and worse on test
    rows = first[1], second[1]
    assert f"{max(max(row) - min(row) for row in rows):.1f} apart" in told


def test_the_rungs_in_the_words_are_those_of_the_picture():
    figure, told = FIGURES["real-text-ladder"].draw(), FIGURES["real-text-ladder"].alt
    worths = [text.replace("-", "\N{MINUS SIGN}") for text in texts(figure) if text[0] in "+-"]
    rows = re.findall(r"[:;] ([^;:]+) ([+−]\d\.\d)", told)
    ways = [way for way, _ in rows]
    assert [worth for _, worth in rows] == worths
    assert [CHANGES[way] for way in ways] == [
        text for text in texts(figure)[:-1] if text[0] not in "+-"
    ]
    changed = [run["what"] for run in experiments.load("multi30k-ladder")["runs"]]
    assert sorted(ways) == sorted(set(changed) - {"as it is"}), "each rung is drawn"
    title, note = (text.get_text() for text in figure.texts)
    assert "only Muon and AdamW help" in title and "Adam, 36.1" in note and "36.1" in told
    apart = re.search(r"up to \d\.\d apart", texts(figure)[-1])[0]
    assert apart in told


def test_the_loss_still_falls_when_training_ends():
    history = read_json(MODELS["tatoeba"] / "training.json")["history"]
    losses = [entry["validation_loss"] for entry in history]
    assert losses[-1] == min(losses) and losses[-4:] == sorted(losses[-4:], reverse=True)
    last = history[-1]
    said, figure = (
        FIGURES["real-text-learning-curve"].alt,
        FIGURES["real-text-learning-curve"].draw(),
    )
    assert f"over {last['step']:,} steps" in said and f"comes down to {losses[-1]:.1f}" in said
    first = figure.axes[0].lines[0].get_xdata()[0]
    (begin,) = (entry["validation_loss"] for entry in history if entry["step"] == first)
    assert f"after {first:,.0f} steps, at {begin:.2f}" in said
    (before,) = (entry for entry in history if entry["step"] == last["step"] - 5000)
    fall = f"{before['validation_loss'] - last['validation_loss']:.2f}"
    assert "−" + fall in texts(figure)
    assert f"still by {fall}" in said
    others = [text[1:] for text in texts(figure) if text[0] == "−"][:-1]
    assert others and all(f"by {other}" in said for other in others)


def test_the_gap_in_the_words_is_that_of_the_picture():
    figure, told = FIGURES["real-text-dropout"].draw(), FIGURES["real-text-dropout"].alt
    numbers = [
        text.split(":")[0] for ax in figure.axes for text in (t.get_text() for t in ax.texts)
    ]
    numbers = [number for number in numbers if number[0].isdigit()]
    assert numbers == ["0.1", "6.0", "4.5", "2.2", "3.9"] and all(n in told for n in numbers)
    title = "Without dropout, new sentences end at a loss of 6.0, not 3.9"
    assert figure.texts[0].get_text() == title
