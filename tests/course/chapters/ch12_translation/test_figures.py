"""Drawings of how well a translator does: the data reaches the picture, and says what is said."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from course.chapters.ch12_translation.experiments import BREAKS, broken_scores
from course.chapters.ch12_translation.figures import EXAMPLE, JUMP, LEFT_OUT, MULTIPLES, score_bars
from course.drawing.registry import FIGURES
from course.paper import TABLE_2
from transformer_lib.files import read_json
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL


def test_both_skills_are_drawn_against_the_step():
    ax = FIGURES["translation-pronoun-jump"].draw().axes[0]
    ordinary, pairs, chance = ax.lines
    history = read_json(SHIPPED_MODEL / "training.json")["history"][1:8]
    for line, key in ((ordinary, "exact_match"), (pairs, "pair_exact_match")):
        assert list(line.get_xdata()) == [entry["step"] for entry in history]
        assert list(line.get_ydata()) == [entry[key] for entry in history]
    assert set(chance.get_ydata()) == {0.25}
    assert {"24 %", "84 %"} <= {text.get_text() for text in ax.texts}
    assert JUMP[1] - JUMP[0] == 500, "the title"
    said = [text.get_text() for text in ax.texts]
    assert "500 steps" in said
    for adjective, spanish, noun in (("tired", "cansado", "animal"), ("wide", "ancha", "street")):
        row = said.index(f"… because it was too {adjective}")
        assert said[row : row + 3][1:] == [f"→ {spanish}", f"it = the {noun}"]


def test_a_bar_from_exact_match_to_bleu_and_a_broken_sentence_for_each_name():
    wrong = {"one ending in the other gender": (1.0, 80.0)}
    ax = score_bars({"nothing": (100.0, 100.0), "no accents": (50.0, 75.5), **wrong}).axes[0]
    bars = [
        line.get_segments()[0][:, 0] for line in ax.collections if isinstance(line, LineCollection)
    ]
    across = [0.0, 100.0]
    found = [np.interp(bar, bars[0], across).tolist() for bar in bars]
    assert found[:2] == [across, [100, 100]], "nothing is first"
    assert found[3::2] == [pytest.approx([1, 80]), pytest.approx([50, 75.5])]
    said = [text.get_text() for text in ax.texts]
    assert "nothing broken" in said and EXAMPLE in said
    assert "".join(said[said.index("no accents") + 1 :]).startswith("¿Como esta mi hijo herido?")


def test_each_way_to_break_a_translation_changes_the_example():
    assert EXAMPLE in [spanish for _, spanish in english_spanish.load("test")]
    assert [name for name, damage in BREAKS.items() if damage(EXAMPLE) == EXAMPLE] == ["nothing"]


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
    said = [text.get_text() for text in score_bars(scores).axes[0].texts]
    assert said[0] == "One wrong letter: exact match falls to 10, BLEU only to 77"
    assert not set(LEFT_OUT) & set(said) and {"10", "77"} <= set(said)
    assert "exact match 10, BLEU 77" in FIGURES["translation-two-measures"].alt


def test_each_system_is_a_point_at_its_cost_and_its_bleu():
    ax = FIGURES["paper-better-and-cheaper"].draw().axes[0]
    rows = [row for row in TABLE_2.values() if row.german_cost]
    base = TABLE_2["Transformer, base"].german_cost
    points = {(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines[: len(rows)]}
    assert points == {(row.german_cost / base, row.german) for row in rows}
    said = {text.get_text() for text in ax.texts}
    assert {"Transformer, base", "Transformer, big", "23 times the cost"} <= said
    ours = [row for row in rows if row.kind == "attention"]
    others = [row for row in rows if row.kind != "attention"]
    assert min(row.german for row in ours) > max(row.german for row in others)
    assert min(row.german_cost for row in ours) < min(row.german_cost for row in others)
    assert set(MULTIPLES) <= {round(row.german_cost / base) for row in rows}
    rival = max(others, key=lambda row: row.german)
    assert round(rival.german_cost / base) == 23, "the title"
