"""Pictures of one-hot rows and of unknown words."""

import pytest
import torch
from matplotlib.patches import Rectangle

from course.chapters.ch01_one_hot.figures import (
    _one_hot_row,
    _one_hot_table,
    _typical,
    _unknown_words,
)
from course.drawing.registry import FIGURES
from transformer_lib.model.embedding import one_hot

WORDS = ["I", "like", "trees"]


def test_a_small_table_shows_every_number_and_every_word():
    ax = _one_hot_table(one_hot(torch.tensor([2, 0, 4]), 5), WORDS, list("abcde")).axes[0]
    texts = [text.get_text() for text in ax.texts][2:]
    assert texts[:18] == ["I", *"00100", "like", *"10000", "trees", *"00001"]
    assert texts[18:] == ["a", "0", "b", "1", "c", "2", "d", "3", "e", "4"]


def test_a_row_is_a_long_bar_with_one_mark_and_a_lens():
    vocabulary = [f"w{i}" for i in range(100)]
    ax = _one_hot_row([10, 20, 50], WORDS, vocabulary).axes[0]
    marks = [p for p in ax.patches if isinstance(p, Rectangle) and p.get_width() < 0.1]
    shares = [(mark.get_x() + mark.get_width() / 2 - 0.9) / 7.02 for mark in marks]
    assert shares == pytest.approx([0.105, 0.205, 0.505])
    words = [text.get_text() for text in ax.texts]
    assert [word for word in words if word in ("0", "1")] == list("0001000")
    assert {"50", "w50"} <= set(words)


def test_three_words_are_a_triangle_of_equal_sides():
    drawn = FIGURES["one-hot-distances"]
    texts = [text.get_text() for text in drawn.draw().axes[0].texts]
    assert texts[0] == "As one-hot rows, “cat” is as far from “dog” as from “gave”"
    assert texts.count("√2") == 3 and texts.count("1") == 3 and texts.count("0") == 6
    slots = [text[5:] for text in texts if text.startswith("slot ")]
    assert "{}, {} and {}".format(*slots) in drawn.alt
    rows = torch.eye(955)[[int(slot) for slot in slots]]
    assert torch.pdist(rows).tolist() == pytest.approx([2**0.5] * 3)


def test_unknown_words_are_blotted_out_and_their_share_is_of_the_whole_text():
    few = [[("a", True), ("b", False)], [("c", False), ("b", False)]]
    many = [[("a", True), ("b", True)], [("c", True), ("b", True)]]
    ax = _unknown_words([10, 1000], [few, many], at=0).axes[0]
    texts = [text.get_text() for text in ax.texts]
    assert texts[4:] == ["10", "sentences", "a", "75 %", "1,000", "sentences", "a", "b", "0 %"]
    assert len(ax.patches) == 1, "the b that the first vocabulary doesn't have"


def test_the_drawn_sentence_is_as_unknown_as_the_whole_text_and_is_known_at_the_last_step_only():
    known = [[("a", False), ("b", False)], [("a", False), ("c", True)], [("c", True)]]
    assert _typical([known, [[(word, True) for word, _ in row] for row in known]], long=2) == 1


def test_what_the_alt_text_says_of_unknown_words_is_drawn():
    drawn = FIGURES["unknown-words"]
    ax = drawn.draw().axes[0]
    texts = [text.get_text() for text in ax.texts]
    sentence = texts[-11:-1]
    assert " ".join(sentence) in drawn.alt and len(ax.patches) == 5 + 2 + 1
    blotted = [
        set(sentence) - set(texts[texts.index(size) :][: 12 - count])
        for size, count in (("10", 5), ("100", 2), ("1,000", 1))
    ]
    assert {"poor"} == blotted[2] < blotted[1] == {"bicycle", "poor"} < blotted[0]
    shares = [text for text in texts if text.endswith(" %")]
    assert "{}, {}, {} and {}".format(*shares) in drawn.alt
