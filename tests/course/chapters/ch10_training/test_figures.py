"""Drawings of training: the numbers reach the picture, and what isn't a distribution is refused."""

import math
import re
from collections import Counter

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from course import experiments
from course.chapters.ch10_training import experiments as measured
from course.chapters.ch10_training import figures, growing_curve
from course.chapters.ch10_training.experiment_first_words import PAIRS, new_model, probabilities
from course.chapters.ch10_training.experiments import stored_rows
from course.chapters.ch10_training.figures import (
    _penalty_curves,
    _schedule_curves,
    _smoothed_row,
    _writing_curve,
    loop_curve,
    probability_bars,
    teacher_forcing,
    word_grids,
)
from course.chapters.ch10_training.growing_curve import GrowingCurve
from course.drawing import style
from course.drawing.rows import verdict
from transformer_lib import label_smoothed_cross_entropy, paper_schedule
from transformer_lib.text.tokens import EOS


def test_arrows_lead_from_the_first_probabilities_to_the_last():
    [ax] = probability_bars({"a": [0.2, 0.8], "b": [1.0, 0.0]}, ["x", "y"]).axes
    said = [text.get_text() for text in ax.texts if text.get_text()]
    assert said == ["0", "probability", "1", "x", "0.20", "1.00", "y"]
    (start, end), (other, last) = (_ends(arrow) for arrow in ax.patches)
    assert start < end and other > last, "one grows, one shrinks"
    assert end - start == pytest.approx(other - last)
    assert ax.texts[3].get_position()[1] > ax.texts[6].get_position()[1], "the first word on top"


def _ends(arrow) -> tuple[float, float]:
    (start, _), (end, _) = arrow._posA_posB
    return start, end


def test_the_word_of_the_target_is_loud_and_has_a_ring():
    panels = {"new": [0.8, 0.2], "learned": [0.1, 0.9]}
    [ax] = probability_bars(panels, ["x", "y"], target=[0.0, 1.0]).axes
    other, right = (arrow.get_edgecolor() for arrow in ax.patches)
    assert other != right
    said = {text.get_text(): text for text in ax.texts}
    assert said["target"].get_position()[1] == said["y"].get_position()[1]
    assert said["0.90"].get_weight() == "bold" and "0.10" not in said


def test_a_grid_shows_its_right_words():
    grid = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    ax = word_grids({"g": grid}, ["y", "x"], ["x", "y"]).axes[0]
    first, filled, second, full = (bar.get_width() for bar in ax.patches)
    assert filled == pytest.approx(0.75 * first) and full == pytest.approx(second)
    said = [text.get_text() for text in ax.texts]
    heads = ["written so far", "how sure it was of the orange word"]
    assert said == [*heads, "y", "75 %", "y", "x", "100 %"]


def test_what_is_no_distribution_is_refused():
    with pytest.raises(ValueError, match="'a': probabilities add up to 1, but a row's to 0.900"):
        probability_bars({"a": [0.1, 0.8]}, ["x", "y"])
    with pytest.raises(ValueError, match="'g': 3 words need as many numbers in each row"):
        word_grids({"g": torch.eye(2)}, ["r", "s"], ["x", "y", "z"])
    with pytest.raises(ValueError, match="'g': 1 positions, but 2 rows"):
        word_grids({"g": torch.eye(2)}, ["r"], ["x", "y"])


def test_the_titles_of_grids_say_what_is_in_them():
    smoothed = _smoothed_row([0, 1], "xy", 0.1)
    assert "smoothing moves 0.050" in smoothed.texts[0].get_text()
    assert [text.get_text() for text in smoothed.axes[0].texts] == [
        "+0.050",
        "-0.050",
        "0.950",
    ]
    tops = [
        bar.get_y() + bar.get_height() for bar in smoothed.axes[0].patches if hasattr(bar, "get_y")
    ]
    assert tops == pytest.approx([0, 0.95, 0.05, 1])
    learned = torch.tensor([[0.97, 0.03], [0.05, 0.95]])
    said = [text.get_text() for text in word_grids({"a": learned}, "xy", "xy").axes[0].texts]
    assert "Word for word, the trained model is 95 to 97 % sure" in said
    said = [
        text.get_text() for text in word_grids({"a": learned.flip(0)}, "xy", "xy").axes[0].texts
    ]
    assert not any("% sure" in text for text in said)


def test_the_rows_of_the_lesson_are_distributions_over_the_same_words():
    before = probabilities(new_model())
    columns = measured.as_columns(before)
    torch.testing.assert_close(columns.sum(dim=-1), torch.ones(2, 5))
    torch.testing.assert_close(columns[..., 5], before[..., EOS])
    target = measured.as_columns(measured.target_rows(0))
    right = [measured.COLUMNS[i] for i in target.argmax(dim=-1)]
    assert right == measured.STUDENT and target.sum() == 5
    assert measured.target_rows(1).argmax(dim=-1).tolist() == [*PAIRS[1][1], EOS]


def test_the_lesson_is_learned():
    before, after = figures.before_and_after()
    right = [*PAIRS[0][1], EOS]
    assert (after[0, range(5), right] > 0.9).all() and (before[0, range(5), right] < 0.5).all()


def test_what_is_read_next_is_the_right_word_or_its_own():
    rows = measured.written_words(new_model())
    assert rows["tgt_in"][1:] == rows["tgt_out"][:-1]
    assert rows["predicted"][0] == rows["alone"][0], "both have read <bos> only"
    [ax] = teacher_forcing(**rows).axes
    words = [text.get_text() for text in ax.texts if text.get_text()]
    alone = ["reads", "<bos>", *rows["alone"][:-1], "writes", *rows["alone"]]
    assert words[-len(alone) :] == alone
    assert [word for word in words if word in rows["tgt_in"]][:5] == rows["tgt_in"]
    with pytest.raises(ValueError, match="tgt_in 2, tgt_out 1, predicted 1, alone 1"):
        teacher_forcing(["<bos>", "a"], ["a"], ["a"], ["a"])


def test_the_penalty_is_the_library_s_loss():
    leads, curves, shares = measured.smoothing_penalty()
    logits = torch.zeros(1, 9)
    logits[0, 4] = 3
    at = int((leads == 3).nonzero())
    for eps, name in [(0.0, "eps = 0"), (0.1, "eps = 0.1")]:
        expected = label_smoothed_cross_entropy(logits, torch.tensor([4]), eps)
        assert curves[name][at].item() == pytest.approx(expected.item(), abs=1e-6)
    assert shares[at].item() == pytest.approx(logits.softmax(-1)[0, 4].item())
    ax = _penalty_curves(leads, curves, shares).axes[0]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), curves["eps = 0.1"])
    said = [text.get_text() for text in ax.texts if text.get_text()]
    names = ["eps = 0", "eps = 0.1", "least at 0.91", "the price of being too sure"]
    assert said == names
    marks = [label.get_text() for label in ax.get_xticklabels()]
    assert marks == ["0.1", "0.5", "0.9", "0.99", "0.999", "0.9999"]
    doubt = 1 - np.interp(ax.get_xticks()[2:], leads, shares)
    np.testing.assert_allclose(doubt[:-1] / doubt[1:], 10, 0.05, err_msg="each is ten times surer")


def test_the_schedule_starts_at_step_one():
    line = _schedule_curves({(8, 2): [0.001, 0.002]}).axes[0].lines[0]
    assert line.get_xdata().tolist() == [1, 2] and line.get_ydata().tolist() == [0.001, 0.002]
    first = figures.draw_schedule().axes[0].lines[0]
    d_model, warmup = figures.SCHEDULES[0]
    assert first.get_ydata().max() == pytest.approx(paper_schedule(warmup, d_model, warmup))


def test_the_held_out_figure_holds_the_means_of_the_stored_runs():
    few, many = figures.draw_held_out().axes
    runs = [
        run["history"][-1] for run in experiments.load("held-out")["runs"] if run["pairs"] == 50
    ]
    new, seen, *others = (line.get_ydata()[-1] for ax in (few, many) for line in ax.lines)
    assert new == pytest.approx(np.mean([run["validation_loss"] for run in runs]))
    assert new > 4.5 and seen < 0.01 and max(others) < 0.1
    said = [" ".join(text.get_text() for text in ax.texts).split() for ax in (few, many)]
    assert "new rows: 0 % right" in " ".join(said[0]) and few.get_title() == "trained on 50 rows"
    assert "new rows: 94 % right" in " ".join(said[1]) and "10,000" in many.get_title()


def test_the_norms_figure_holds_the_means_of_the_stored_runs():
    runs = experiments.load("norms")["runs"]
    assert max(run["max_lr"] for run in runs) == 0.003, "the title speaks of a high rate"
    [ax] = figures.draw_norms().axes
    said = [text.get_text() for text in ax.texts if "of 100" in text.get_text()]
    filled = Counter(to_hex(cell.get_facecolor()) for cell in ax.patches)
    means = []
    for norm_first, color in ((False, style.ACCENT), (True, style.MUTED)):
        without, warm = (
            np.mean(
                [
                    run["right_rows"]
                    for run in runs
                    if (run["norm_first"], run["warmup"], run["max_lr"])
                    == (norm_first, warmup, 0.003)
                ]
            )
            for warmup in (1, 100)
        )
        means += [round(100 * without), round(100 * warm)]
        assert filled[color.lower()] == sum(means[-2:])
    assert means == [0, 22, 97, 99]
    rows = [f"{means[i]} of 100" for i in (0, 2, 1, 3)]
    title = "Without warm-up, post-norm gets 0 of 100 rows right; pre-norm gets 97"
    assert said == [title, *rows]


def test_the_title_of_the_ablations_is_true():
    rows = {row["what"]: row["shares"] for row in stored_rows()}
    means = {what: np.mean(shares) for what, shares in rows.items()}
    assert min(means, key=means.get) == "no positions" and means["no positions"] < 0.05
    heads = [what for what in rows if re.fullmatch(r"\d+ heads?", what)]
    assert len(heads) == 4
    assert {verdict(rows[what], rows["base"]) for what in heads} == {"no clear difference"}
    said = [text.get_text() for text in figures.draw_ablations().axes[0].texts]
    changes = {"unchanged: 4 heads": "base", "other sines and cosines": "Tensor2Tensor's positions"}
    for name in (*changes, *heads, "learned positions", "no positions"):
        assert said[said.index(name) + 1] == f"{100 * means[changes.get(name, name)]:.0f} %"
    assert "Without positions, only 2 % of the rows come out right" in said


# --- curves of a training


def test_an_unfinished_loop_has_the_scale_of_the_whole():
    history = [
        {"step": 20, "loss": 2.5, "validation_loss": 2.0},
        {"step": 40, "loss": 2.0, "validation_loss": 1.5},
    ]
    ax = loop_curve(history, steps=400).axes[0]
    whole, *bars = (patch for patch in ax.patches if isinstance(patch, Rectangle))
    shares = [bar.get_height() / whole.get_height() for bar in bars]
    assert shares == pytest.approx([math.exp(-2), math.exp(-1.5)])
    assert bars[1].get_x() == pytest.approx(whole.get_x() + whole.get_width() * 20 / 400)
    loop_curve([], steps=5)
    said = [text.get_text() for text in figures.draw_loop().axes[0].texts]
    assert {"10 %", "24 %", "54 %", "78 %", "86 %"} <= set(said), "the alt text"


def test_what_is_written_stands_beside_the_curve_in_its_colors():
    history = [
        {"step": 0, "validation_loss": 8.0, "writes": "Asustados " * 9},
        {"step": 25, "validation_loss": 1.0, "writes": "Me gustan los niños"},
    ]
    ax = _writing_curve(history, {0: "frightened", 25: "I like the children"}).axes[0]
    words = {text.get_text(): text for text in ax.texts}
    assert [text.get_text() for text in ax.texts].count("Asustados") == 3
    assert (
        words["Me"].get_color() == style.WORDS["me"] and words["niños"].get_color() == style.MUTED
    )
    assert "frightened" in words


def test_the_growing_curve_keeps_what_the_loop_tells_it(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *args, **_: shown.append(args))
    curve = GrowingCurve("training-loop", steps=4)
    for step, loss in enumerate([3.0, 2.0, torch.tensor(1.5), 1.0], 1):
        curve.add(loss)
        if step % 2 == 0:
            curve.validated(1 / step)
    assert curve.history == [
        {"step": 2, "loss": 2.5, "validation_loss": 0.5},
        {"step": 4, "loss": 1.25, "validation_loss": 0.25},
    ]
    assert shown == []  # nobody looks
    curve.show()
    assert len(shown) == 1
    with pytest.raises(ValueError, match="no step since the last validation .step 4."):
        curve.validated(0.1)


def test_where_somebody_looks_the_last_picture_takes_the_place_of_the_growing_one(monkeypatch):
    class Place:
        pictures = []

        def update(self, bundle, **_):
            self.pictures.append(bundle)

    displayed = []

    def display(*_, **how):
        displayed.append(how)
        return Place()

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(growing_curve, "_somebody_looks", lambda: True)
    curve = GrowingCurve("training-loop", steps=2)
    curve.add(2.0)
    curve.validated(1.0)
    curve.show()
    assert len(displayed) == 1 and displayed[0]["display_id"] is True
    assert len(Place.pictures) == 2 and "image/png" in Place.pictures[-1]
