"""The learning curve."""

import pytest

from transformer_lib.plots import learning_curve

HISTORY = [
    {"step": 10, "loss": 5.0, "validation_loss": None, "learning_rate": 1e-4},
    {"step": 20, "loss": 3.0, "validation_loss": 3.25, "learning_rate": 2e-4},
    {"step": 30, "loss": 2.0, "validation_loss": None, "learning_rate": 1e-4},
    {"step": 40, "loss": 1.5, "validation_loss": 1.75, "learning_rate": 5e-5},
]


def test_both_losses_are_drawn_where_they_were_measured():
    curves = {line.get_label(): line for line in learning_curve(HISTORY).lines}
    assert curves["training text"].get_xydata().tolist() == [[10, 5], [20, 3], [30, 2], [40, 1.5]]
    assert curves["validation text"].get_xydata().tolist() == [[20, 3.25], [40, 1.75]]
    looks = {(line.get_color(), line.get_linestyle()) for line in curves.values()}
    assert len({color for color, _ in looks}) == len({dashes for _, dashes in looks}) == 2


def test_the_loss_starts_at_zero_so_that_heights_can_be_compared():
    assert learning_curve(HISTORY).get_ylim()[0] == 0


def test_without_validation_there_is_one_curve():
    ax = learning_curve([{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}])
    assert [line.get_label() for line in ax.lines] == ["training text"]


def test_an_empty_history_is_refused():
    with pytest.raises(ValueError, match="history is empty"):
        learning_curve([])
