"""The learning curve."""

import pytest
import torch

from course.chapters.ch10_training.figures import _learning_curve, run_curves, smoothing_floor
from transformer_lib.training.loss import label_smoothed_cross_entropy

HISTORY = [
    {"step": 10, "loss": 5.0, "validation_loss": None, "learning_rate": 1e-4},
    {"step": 20, "loss": 3.0, "validation_loss": 3.25, "learning_rate": 2e-4},
    {"step": 30, "loss": 2.0, "validation_loss": None, "learning_rate": 1e-4},
    {"step": 40, "loss": 1.5, "validation_loss": 1.75, "learning_rate": 5e-5},
]


def test_both_losses_are_drawn_where_they_were_measured():
    curves = {line.get_label(): line for line in _learning_curve(HISTORY).lines}
    assert curves["training text"].get_xydata().tolist() == [[10, 5], [20, 3], [30, 2], [40, 1.5]]
    assert curves["validation text"].get_xydata().tolist() == [[20, 3.25], [40, 1.75]]
    assert len({line.get_color() for line in curves.values()}) == 2


def test_the_floor_is_what_smoothing_leaves_to_a_perfect_model():
    vocab_size, smoothing = 11, 0.1
    targets = torch.full((vocab_size,), smoothing / vocab_size)
    targets[4] += 1 - smoothing
    perfect = targets.log()  # logits of a model that predicts exactly the smoothed targets
    expected = label_smoothed_cross_entropy(perfect[None, None], torch.tensor([[4]]), smoothing)
    assert smoothing_floor(smoothing, vocab_size) == pytest.approx(expected.item(), abs=1e-6)
    assert smoothing_floor(0.0, vocab_size) == 0


STEPS = [
    {"step": 10, "loss": 5.0, "learning_rate": 1e-4, "words_per_second": 900},
    {"step": 20, "loss": 3.0, "learning_rate": 2e-4, "words_per_second": 1234},
]
FOUND = {"step": 20, "loss": 4.0, "validation_loss": 3.25, "learning_rate": 2e-4}


def test_a_run_is_drawn_from_its_log():
    figure = run_curves(STEPS, [FOUND], title="mine")
    above, below = figure.axes
    curves = {line.get_label(): line.get_xydata().tolist() for line in above.lines}
    assert curves == {"training text": [[10, 5], [20, 3]], "validation text": [[20, 3.25]]}
    assert below.lines[0].get_xydata().tolist() == [[10, 1e-4], [20, 2e-4]]
    assert figure.get_suptitle() == "mine: step 20, 1,234 target words a second"
    assert len(run_curves(STEPS, [], title="mine").axes[0].lines) == 1  # no validation yet
