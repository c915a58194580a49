"""Drawings of a language model's floor, dials and heads: the data reaches the picture."""

import pytest

from transformer_lib.plots.figures import FIGURES
from transformer_lib.plots.gpt import (
    above_the_floor,
    dial_bars,
    heads_off,
    moment,
    share_dots,
    way_to_the_floor,
)

HISTORY = [{"step": 10, "validation_loss": 4.0}, {"step": 20, "validation_loss": 2.5}]


def test_the_curve_begins_where_nothing_is_known_and_ends_above_the_floor():
    ax = way_to_the_floor(HISTORY, floor=2.0, nothing=6.5).axes[0]
    curve, floor = ax.lines
    assert list(curve.get_ydata()) == [6.5, 4.0, 2.5] and list(curve.get_xdata()) == [0, 10, 20]
    assert set(floor.get_ydata()) == {2.0}
    assert {"2.50", "knows nothing"} < {text.get_text() for text in ax.texts}


@pytest.mark.parametrize("history", [HISTORY, []])
def test_a_model_below_the_floor_is_refused(history):
    with pytest.raises(ValueError, match="below the floor"):
        way_to_the_floor(history, floor=3.0, nothing=6.5)


def test_each_seed_has_a_dot_above_the_floor_and_the_line_goes_through_the_means():
    panels = {"sentences": {10: [1.0, 2.0], 1000: [0.25, 0.75]}, "steps": {1: [3.0], 9: [0.5]}}
    figure = above_the_floor(panels)
    assert [ax.get_xlabel() for ax in figure.axes] == ["sentences", "steps"]
    mean, *dots = figure.axes[0].lines
    assert list(mean.get_xdata()) == [10, 1000] and list(mean.get_ydata()) == [1.5, 0.5]
    assert [list(line.get_ydata()) for line in dots] == [[1.0, 2.0], [0.25, 0.75]]
    assert all(ax.get_xscale() == ax.get_yscale() == "log" for ax in figure.axes)
    assert [text.get_text() for text in figure.axes[0].texts] == ["0.50"]


def test_numbers_at_the_edge_keep_apart():
    panel = {size: [1.0] for size in (250, 500, 750, 1000, 1250, 1500)}
    labels = above_the_floor({"steps": panel}).axes[0].get_xticklabels()
    assert [label.get_text() for label in labels] == ["250", "500", "1,000"]


@pytest.mark.parametrize("distances", [[], [0.4, 0.0]])
def test_what_lies_on_the_floor_or_nowhere_is_refused(distances):
    with pytest.raises(ValueError, match="above the floor"):
        above_the_floor({"steps": {10: distances}})


def test_each_dial_has_three_bars():
    rows = [{"what": "plain", "own": 0.5, "own_and_new": 0.4, "words": 90, "drawn": 40},
            {"what": "cold", "own": 0.9, "own_and_new": 0.2, "words": 30, "drawn": 40}]  # fmt: skip
    figure = dial_bars(rows)
    widths = [[bar.get_width() for bar in ax.patches] for ax in figure.axes]
    assert widths == [[0.5, 0.9], [0.4, 0.2], [90, 30]]
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["plain", "cold"]


def test_each_seed_has_a_dot_and_each_way_its_mean():
    rows = [{"what": "a", "parameters": 1200, "shares": [0.5, 0.7]},
            {"what": "b", "parameters": 7, "shares": [1.0, 0.9]}]  # fmt: skip
    other = [row | {"shares": [0.1, 0.2]} for row in rows]
    ax, second = share_dots({"": rows, "harder": other}, "share").axes
    assert [list(line.get_xdata()) for line in ax.lines[::2]] == [[0.5, 0.7], [1.0, 0.9]]
    assert [list(line.get_xdata()) for line in second.lines[::2]] == [[0.1, 0.2]] * 2
    assert [text.get_text() for text in ax.texts] == ["0.60", "0.95"]
    assert ax.get_yticklabels()[0].get_text() == "a\n1,200 weights"
    assert (ax.get_title(), second.get_title()) == ("", "harder")


def run(seed: int, moved: int = 0) -> dict:
    history = [{"step": step, "first": 3.7, "second": 0.1 if late else 3.5,
                "head": 0.9 if late else 0.1}
               for step in (10, 20, 30, 40) for late in [step >= 30 + moved]]  # fmt: skip
    off = {f"layers.{layer}.self_attn.{head}": 0.1 + layer + head / 2
           for layer in range(2) for head in range(2)}  # fmt: skip
    return {"seed": seed, "history": history, "second": 0.1, "second_with_a_head_off": off}


def test_each_seed_has_its_moment():
    top, bottom = moment([run(0), run(1, moved=10)]).axes
    assert [list(line.get_ydata()) for line in top.lines[::2]] == [
        [3.5, 3.5, 0.1, 0.1], [3.5, 3.5, 3.5, 0.1]]  # fmt: skip
    assert list(bottom.lines[1].get_ydata()) == [0.1, 0.1, 0.1, 0.9]


def test_each_head_has_its_bar():
    panels = heads_off([run(0), run(1)]).axes
    assert [bar.get_width() for bar in panels[1].patches] == [0.1, 0.6, 1.1, 1.6]
    assert [t.get_text() for t in panels[0].get_yticklabels()] == [
        "layer 0, head 0", "layer 0, head 1", "layer 1, head 0", "layer 1, head 1"]  # fmt: skip


@pytest.mark.parametrize(
    "draw", [dial_bars, moment, heads_off, lambda rows: share_dots({"": rows}, "")]
)
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ValueError, match="there are no r"):
        draw([])


def test_what_is_left_has_no_encoder_and_no_cross_attention():
    from transformer_lib.plots.architecture import find_parts
    from transformer_lib.plots.figures.gpt import LEFT

    marked = find_parts(*LEFT)
    assert not any("src" in name or "encoder" in name or "cross" in name for name in marked)
    assert {"decoder.self_attn", "decoder.feed_forward", "generator.proj", "tgt_embed",
            "decoder.self_attn.causal.mask"} < marked  # fmt: skip


def test_the_figures_alt_texts_say_what_is_stored():
    from transformer_lib import experiments

    alt = FIGURES["gpt-heads-off"].alt
    for run in experiments.load("induction")["runs"]:
        assert f"{run['second']:.2f}" in alt
        for layer in "01":
            off = [loss for name, loss in run["second_with_a_head_off"].items()
                   if name.startswith(f"layers.{layer}")]  # fmt: skip
            assert f"{max(off):.2f}" in alt
    for row in experiments.load("writing")["rows"]:
        assert f"{row['own']:.2f}" in FIGURES["gpt-dials"].alt
        assert str(row["words"]) in FIGURES["gpt-dials"].alt
    translator, *others = (row["shares"] for row in experiments.load("prompting")["rows"])
    alt = FIGURES["gpt-prompting"].alt
    assert max(abs(share - 0.90) for share in translator) < 0.02 and "around 0.90" in alt
    for shares in others:
        assert all(f"{share:.2f}" in alt for share in shares)


def test_the_alt_text_of_the_scaling_law_says_what_is_stored():
    from transformer_lib.experiments.language_model import distances

    alt = FIGURES["gpt-scaling"].alt
    for what, sizes in distances().items():
        for size, seeds in sizes.items():
            if what != "steps" or size in (250, 1500):
                assert f"{size:,}" in alt and f"{sum(seeds) / len(seeds):.2f}" in alt, (what, size)


def test_the_alt_text_of_the_translations_says_what_is_stored():
    from transformer_lib.experiments.one_text import ASKED, told

    alt = FIGURES["gpt-translations"].alt
    for split in ASKED:
        means = [f"{sum(row[split]) / len(row[split]):.2f}" for row in told()]
        assert f"{means[0]}, {means[1]} and {means[2]}" in alt, split
