"""Drawings of training: the lesson that they draw, and a curve that grows."""

import pytest
import torch

from course.chapters.ch10_training import growing_curve
from course.chapters.ch10_training.experiment_first_words import PAIRS, descended, probabilities
from course.chapters.ch10_training.growing_curve import GrowingCurve
from transformer_lib.text.tokens import EOS


def test_the_lesson_is_learned():
    after, right = probabilities(descended()), [*PAIRS[0][1], EOS]
    assert (after[0, range(5), right] > 0.955).all() and after[1, 0, PAIRS[1][1][0]] > 0.9


# --- curves of a training


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
