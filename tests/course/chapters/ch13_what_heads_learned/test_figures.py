"""Drawings of what depends on a head: the data reaches the picture, and says what is claimed."""

import numpy as np
import pytest
import torch

from course import experiments
from course.chapters.ch05_multi_head_attention.figures import maps_of_tired
from course.chapters.ch13_what_heads_learned import figures
from course.chapters.ch13_what_heads_learned import figures as causes
from transformer_lib.interpret.pronouns import best_head
from transformer_lib.text import english_spanish
from transformer_lib.translator import Translator


def shown(ax) -> list[float]:
    """The share of each head's dot, on the line from 0 to 100 %: a line's best head first."""
    lines = [patch.get_path().vertices[:, 0] for patch in ax.patches]
    start, end = next(line for line in lines if len(line) == 2)
    return [(dot.get_offsets()[0, 0] - start) / (end - start) for dot in ax.collections]


def test_the_table_has_a_dot_for_each_head():
    table = [
        {"layer": layer, "head": head, "from": word, "right": share}
        for word, start in (("adjective", 0.0), ("pronoun", 0.5))
        for layer, more in (
            ("encoder.layers.0.self_attn", 0.0),
            ("decoder.layers.0.cross_attn", 0.25),
        )
        for head, share in enumerate((start + more, start + more + 0.1))
    ]
    [ax] = causes.head_table(table).axes
    assert shown(ax) == pytest.approx([0.35, 0.0, 0.1, 0.25, 0.85, 0.5, 0.6, 0.75])
    said = [text.get_text() for text in ax.texts]
    assert [text for text in said if text.endswith("at most 25%")] == ["the other 3: at most 25%"]
    assert {"35%", "85%"} <= set(said)


def test_two_numbers_change_places_and_no_other():
    maps = maps_of_tired()
    before, after = causes._before_and_after(maps, *figures.BEST, "tired", "animal", "street")
    animal, street = maps.src.index("animal"), maps.src.index("street")
    assert after[street] == before[animal] > 0.9 and after[animal] == before[street]
    rest = [place for place in range(len(before)) if place not in (animal, street)]
    assert torch.equal(before[rest], after[rest])


def test_the_best_head_is_the_one_in_the_figures():
    assert best_head(Translator.load(), english_spanish.load_pronoun()) == figures.BEST


def test_the_alt_text_of_the_table_says_what_is_there():
    ax = figures.draw_head_table().axes[0]
    adjective, pronoun = np.sort(np.reshape(shown(ax), (2, 16))).tolist()
    assert adjective[-1] == pytest.approx(0.99, abs=0.005) and 0.055 < adjective[-2] < 0.065
    assert pronoun[-1] == pytest.approx(0.27, abs=0.005) and 0.065 < pronoun[-2] < 0.075
    said = [text.get_text() for text in ax.texts]
    assert said.count("encoder, layer 1, head 2") == 2, "the same head is best"
    assert {"99%", "27%", "the other 15: at most 6%", "the other 15: at most 7%"} <= set(said)


def test_the_alt_texts_say_what_is_there():
    bounds = {
        "the one head off": (0.50, 0.525),
        "two weights swapped": (0.005, 0.015),
    }
    assert figures._endings(*figures.SWAPPED) == ["cansado", "cansada"]
    for change, by_seed in figures._over_seeds().items():
        low, high = bounds.get(change, (0.97, 1.0))
        assert all(low <= share <= high for share in by_seed.values()), change


def test_the_two_heads_of_the_picture_attend_alike_and_only_one_is_needed():
    results = experiments.load("heads-off")["results"]
    needed, idle = (row for one in figures.ALIKE for row in results if head(row) == one)
    assert needed["largest"] == pytest.approx(idle["largest"], abs=0.006)
    assert (needed["changed"], idle["changed"]) == (0.187, 0.001)
    said = {text.get_text() for ax in figures.draw_sharp_heads().axes for text in ax.texts}
    assert {"19% of translations change", "0.1% of translations change"} <= said
    assert {"gusta", "gustan", "a mistake", "as it should be"} <= said


def head(row) -> tuple[str, int]:
    return row["layer"], row["head"]
