"""Pictures of one-hot rows and of unknown words."""

import pytest
import torch

from course.chapters.ch01_one_hot.figures import _typical
from course.drawing.registry import FIGURES


def test_three_words_are_a_triangle_of_equal_sides():
    drawn = FIGURES["one-hot-distances"]
    texts = [text.get_text() for text in drawn.draw().axes[0].texts]
    assert texts[0] == "As one-hot rows, “cat” is as far from “dog” as from “gave”"
    assert texts.count("√2") == 3 and texts.count("1") == 3 and texts.count("0") == 6
    slots = [text[5:] for text in texts if text.startswith("slot ")]
    assert "{}, {} and {}".format(*slots) in drawn.alt
    rows = torch.eye(955)[[int(slot) for slot in slots]]
    assert torch.pdist(rows).tolist() == pytest.approx([2**0.5] * 3)


def test_the_drawn_sentence_is_as_unknown_as_the_whole_text_and_is_known_at_the_last_step_only():
    known = [[("a", False), ("b", False)], [("a", False), ("c", True)], [("c", True)]]
    assert _typical([known, [[(word, True) for word, _ in row] for row in known]], long=2) == 1
