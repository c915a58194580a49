"""Drawings of what depends on a head: the data reaches the picture, and says what is claimed."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from course import experiments
from course.chapters.ch05_multi_head_attention.figures import maps_of_tired
from course.chapters.ch13_what_heads_learned import figures
from course.chapters.ch13_what_heads_learned import figures as causes
from course.drawing import style
from transformer_lib.interpret.pronouns import best_head
from transformer_lib.interpret.recording import head_name
from transformer_lib.text import english_spanish
from transformer_lib.translator import AttentionMaps, Translator


def test_heads_are_named_for_people():
    assert head_name("encoder.layers.1.self_attn", 2) == "encoder, layer 1, head 2"
    name = "decoder cross-attention, layer 0, head 3"
    assert head_name("decoder.layers.0.cross_attn", 3) == name


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
    assert [text for text in said if text.endswith("at most 25 %")] == ["the other 3: at most 25 %"]
    assert {"35 %", "85 %"} <= set(said)


def test_each_change_has_a_dot_for_each_seed():
    ax = figures.draw_agreement().axes[0]
    chance, *dots = [one for one in ax.collections if one.get_label()[0] == "_"]
    middle = chance.get_segments()[0][0, 0]
    measured, found = figures._over_seeds(), [some.get_offsets()[:, 0] for some in dots]
    order = ["nothing changed", "another head off", "the one head off", "two weights swapped"]
    assert set(order) < set(measured) and len(found) == 4
    shares = np.array([list(measured[change].values()) for change in order])
    scale = np.polyfit(shares.ravel(), np.ravel(found), 1)
    np.testing.assert_allclose(found, np.polyval(scale, shares))
    assert middle == pytest.approx(np.polyval(scale, 0.5))
    said = [text.get_text() for text in ax.texts]
    assert [text for text in said if text.endswith(" %")][1:] == ["99 %", "97 %", "52 %", "1 %"]
    assert "cansado" in said and "cansada" in said
    colors = [to_hex(some.get_facecolor()[0]).upper() for some in dots]
    assert colors == [style.ACCENT if "swapped" in change else style.MUTED for change in order]


def test_lines_lead_from_the_spanish_word_to_the_english_one():
    heads = torch.tensor(
        [
            [[0.1, 0.9, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]],
        ]
    )
    maps = AttentionMaps(
        ["the", "house", "<eos>"],
        ["<bos>", "la", "casa"],
        ["la", "casa", "<eos>"],
        {
            f"{name}.layers.0.{kind}": heads
            for name, kind in (
                ("encoder", "self_attn"),
                ("decoder", "self_attn"),
                ("decoder", "cross_attn"),
            )
        },
    )
    lines = causes.lines_between(maps)
    assert lines == [(0, 0), (0, 1), (1, 0)], "means of 0.30, 0.70 and 0.95, and no <eos>"
    assert causes.crossings(lines) == [((0, 1), (1, 0))]
    ax = causes._crossing([maps]).axes[0]
    ends = [line.get_xdata()[[0, -1]] for line in ax.lines]
    first, second = ends[0][0], ends[1][1]
    expected = [[first, first], [first, second], [second, first]]
    np.testing.assert_allclose(ends, expected)
    assert [line.get_color() == style.ACCENT for line in ax.lines] == [False, True, False]
    [[ring]] = [rings.get_offsets() for rings in ax.collections]
    np.testing.assert_allclose(ring[0], (first + second) / 2)
    said = [text.get_text() for text in ax.texts if text.get_text()][1:]
    assert said[1:] == ["English", "the", "house", "Spanish", "la", "casa", "1 crossing"]


def test_the_picture_of_crossings_counts_what_it_draws():
    ax = figures.draw_crossing().axes[0]
    counts = [text.get_text() for text in ax.texts if "crossing" in text.get_text()]
    assert counts == ["no crossings", "2 crossings", "2 crossings"]
    assert len(ax.collections) == 4, "a ring for each"
    color = style.readable(style.ACCENT)
    loud = [text.get_text() for text in ax.texts if text.get_color() == color]
    assert loud == ["hurts", "duele", "left", "quedan"]


def test_the_exchange_shows_both_numbers_twice_and_the_letter_that_changes():
    said = [text.get_text() for text in figures.draw_swap().axes[0].texts]
    assert said.count("1.00") == said.count("0.00") == 2
    assert said.count("cansad") == 2 and {"o", "a"} <= set(said)
    assert "masculine, like el animal" in said and said.count("attention weight") == 2


def test_two_numbers_change_places_and_no_other():
    maps = maps_of_tired()
    before, after = causes._before_and_after(maps, *figures.BEST, "tired", "animal", "street")
    animal, street = maps.src.index("animal"), maps.src.index("street")
    assert after[street] == before[animal] > 0.9 and after[animal] == before[street]
    rest = [place for place in range(len(before)) if place not in (animal, street)]
    assert torch.equal(before[rest], after[rest])


def test_the_best_head_is_the_one_in_the_figures():
    assert best_head(Translator.load(), english_spanish.load_pronoun()) == figures.BEST


def test_the_points_are_the_heads():
    results = experiments.load("heads-off")["results"]
    page, ax = figures.draw_sharp_heads().axes
    every, pair = ([tuple(point) for point in dots.get_offsets()] for dots in ax.collections)
    assert every == [(row["largest"], row["changed"]) for row in results] and len(every) == 24
    assert set(pair) < set(every) and [round(sharp, 2) for sharp, _ in pair] == [0.98, 0.98]
    said = [text.get_text() for text in page.texts]
    changes = [text for text in said if "translations change" in text and "%" in text]
    assert changes == ["1 % of translations change", "19 % of translations change"]
    lines = [line.get_path().vertices[0, 1] for line in page.patches]
    points = ax.transData.transform(pair)[:, 1]
    heights = page.transData.transform([(0, y) for y in lines])[:, 1]
    np.testing.assert_allclose(heights, points, err_msg="each sentence stands at its point")
    assert [text for text in said if text.startswith("gusta")] == ["gustan", "gusta"]
    assert max(row["changed"] for row in results) == pytest.approx(0.22, abs=0.005)


def test_the_alt_text_of_the_table_says_what_is_there():
    ax = figures.draw_head_table().axes[0]
    adjective, pronoun = np.sort(np.reshape(shown(ax), (2, 16))).tolist()
    title = "From the adjective, a head finds the noun in 99 %, from “it” in 27 %"
    assert title in [text.get_text() for text in ax.texts]
    assert adjective[-1] == pytest.approx(0.99, abs=0.005) and 0.055 < adjective[-2] < 0.065
    assert pronoun[-1] == pytest.approx(0.27, abs=0.005) and 0.065 < pronoun[-2] < 0.075
    said = [text.get_text() for text in ax.texts]
    assert said.count("encoder, layer 1, head 2") == 2, "the same head is best"
    assert {"99 %", "27 %", "the other 15: at most 6 %", "the other 15: at most 7 %"} <= set(said)


def test_the_alt_texts_say_what_is_there():
    wide = Translator.load().attention_maps(figures.WIDE)
    layer = wide.weights[figures.BEST[0]]
    row = layer[:, wide.src.index("wide")]
    assert row[2, wide.src.index("street")] > 0.9 and row[1, wide.src.index("was")] > 0.7
    assert row[[0, 3]].max() < 0.5
    bounds = {
        "the one head off": (0.50, 0.525),
        "two weights swapped": (0.005, 0.015),
    }
    assert figures._endings(*figures.SWAPPED) == ["cansado", "cansada"]
    for change, by_seed in figures._over_seeds().items():
        low, high = bounds.get(change, (0.97, 1.0))
        assert all(low <= share <= high for share in by_seed.values()), change
