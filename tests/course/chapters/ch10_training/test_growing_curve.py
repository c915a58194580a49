"""A curve that grows while a model trains."""

import pytest
import torch

from course.chapters.ch10_training.growing_curve import GrowingCurve


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
