"""Drawings of how well a translator does: the data reaches the picture, and says what is said."""

import numpy as np
import pytest

from course.chapters.ch12_translation.experiments import BREAKS, broken_scores
from course.chapters.ch12_translation.figures import (
    EXAMPLE,
    _better_and_cheaper,
    _skill_curves,
    score_bars,
)
from course.drawing.registry import FIGURES
from course.paper import TABLE_2
from transformer_lib.files import read_json
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL


def test_both_skills_are_drawn_against_the_step():
    history = [
        {"step": 1, "exact_match": 0.1, "pair_exact_match": 0.0},
        {"step": 2, "exact_match": 0.5, "pair_exact_match": 0.25},
    ]
    ordinary, pairs, chance = _skill_curves(history).axes[0].lines
    assert list(ordinary.get_xdata()) == [1, 2] and list(ordinary.get_ydata()) == [0.1, 0.5]
    assert list(pairs.get_ydata()) == [0.0, 0.25]
    assert set(chance.get_ydata()) == {0.25}
    with pytest.raises(ValueError, match="history is empty"):
        _skill_curves([])


def test_a_bar_from_exact_match_to_bleu_and_a_broken_sentence_for_each_name():
    ax = score_bars({"nothing": (100.0, 100.0), "no accents": (50.0, 75.5)}).axes[0]
    bars = [line.get_segments()[0][:, 0] for line in ax.collections if len(line.get_offsets()) < 2]
    across = [0.0, 100.0]
    found = [np.interp(bar, bars[0], across).tolist() for bar in bars]
    assert found == [across, pytest.approx([50, 75.5]), across, [100, 100]], "the longest first"
    said = [text.get_text() for text in ax.texts]
    assert "nothing broken" in said and EXAMPLE in said
    assert "".join(said[said.index("no accents") + 1 :]).startswith("¿Como esta mi hijo herido?")


def test_each_way_to_break_a_translation_changes_the_example():
    assert EXAMPLE in [spanish for _, spanish in english_spanish.load("test")]
    assert [name for name, damage in BREAKS.items() if damage(EXAMPLE) == EXAMPLE] == ["nothing"]


def test_scores_go_from_0_to_100():
    with pytest.raises(ValueError, match="from 0 to 100, but here are"):
        score_bars({"nothing": (0.5, 101.0)})


def test_the_alt_texts_say_what_is_there():
    history = read_json(SHIPPED_MODEL / "training.json")["history"]
    pairs = {entry["step"]: entry["pair_exact_match"] for entry in history}
    assert [pairs[step] for step in (500, 750, 1000, 1250)] == [0.26, 0.24, 0.56, 0.84]
    assert all(
        min(entry["exact_match"], entry["pair_exact_match"]) > 0.8
        for entry in history
        if entry["step"] >= 1250
    )
    scores = broken_scores([spanish for _, spanish in english_spanish.load("test")[:200]])
    assert {name: (exact, round(bleu)) for name, (exact, bleu) in scores.items()} == {
        "nothing": (100, 100),
        "¿ and ¡ left out": (91.5, 98),
        "all in small letters": (0, 79),
        "no accents": (43.5, 74),
        "one ending in the other gender": (9.5, 77),
        "last word left out": (0, 82),
        "words backwards": (0.5, 1),
    }
    title = "One wrong ending leaves BLEU at 77.0, exact match at 9.5"
    assert score_bars(scores).axes[0].texts[0].get_text() == title
    assert "exact match 9.5, BLEU 77" in FIGURES["translation-two-measures"].alt


def test_each_system_is_a_point_at_its_cost_and_its_bleu():
    ax = _better_and_cheaper(TABLE_2).axes[0]
    points = {(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines}
    assert points == {(row.german_cost, row.german) for row in TABLE_2.values() if row.german_cost}
    assert {"Transformer, base", "Transformer, big"} <= {text.get_text() for text in ax.texts}
    ours = [row for row in TABLE_2.values() if row.kind == "attention" and row.german_cost]
    others = [row for row in TABLE_2.values() if row.kind != "attention" and row.german_cost]
    assert min(row.german for row in ours) > max(row.german for row in others)
    assert min(row.german_cost for row in ours) < min(row.german_cost for row in others)
    with pytest.raises(ValueError, match="no system has both"):
        _better_and_cheaper({"ByteNet": TABLE_2["ByteNet"]})
