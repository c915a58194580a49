"""What notebook 10 says where no output of a cell shows it."""

from collections import defaultdict

from course.chapters.ch10_training.experiments import stored_rows
from course.chapters.ch14_real_text.experiments import curves
from course.drawing.rows import verdict
from course.experiments import load, load_runs


def test_the_held_out_loss_of_50_rows_is_best_at_the_first_validation():
    for run in load_runs("held-out"):
        losses, few = [e["validation_loss"] for e in run["history"]], run["pairs"] == 50
        assert (losses.index(min(losses)) == 0) == few and (losses[-1] > 4) == few


def test_pre_norm_is_far_better_in_all_six_settings_and_warm_up_helps_post_norm_at_the_top():
    rows = defaultdict(list)
    for run in load_runs("norms"):
        rows[run["max_lr"], run["warmup"], run["norm_first"]].append(run["right_rows"])
    assert len(rows) == 12
    for (max_lr, warmup, norm_first), shares in rows.items():
        if norm_first:
            assert min(shares) > max(rows[max_lr, warmup, False]) + 0.25
            assert max_lr < 1e-3 or min(shares) > 0.94
        else:
            assert max(shares) < 0.25
    for max_lr in (3e-4, 1e-3):
        assert max(rows[max_lr, 100, False]) - min(rows[max_lr, 1, False]) < 0.1


def test_nine_changes_are_clearly_worse_and_none_is_better():
    table = stored_rows()
    verdicts = {row["what"]: verdict(row["shares"], table[0]["shares"]) for row in table}
    assert "better" not in verdicts.values()
    worse = {what for what, found in verdicts.items() if found == "worse"}
    sizes = {"d_k = 2", "1 layer", "4 layers", "d_model = 32"}
    parts = {"learned positions", "no positions", "no scaling by √d_k"}
    assert worse == {*sizes, *parts, "dropout 0.1", "dropout 0.2"}


def test_the_runs_of_the_base_differ_by_9_points_and_those_of_another_model_by_24():
    base, *others = (
        round(100 * (max(row["shares"]) - min(row["shares"]))) for row in stored_rows()
    )
    assert (base, max(others)) == (9, 24)


def test_dropout_helped_on_real_pairs_as_much_as_is_said():
    ends = {
        drop: pairs[-1][1] for drop, pairs in curves(load("real-text"), "validation_loss").items()
    }
    assert {drop: round(loss, 1) for drop, loss in ends.items()} == {0.0: 6.0, 0.2: 3.9}
