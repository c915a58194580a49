"""A curve that grows while a training runs, where somebody is looking."""

import time
from typing import Any

from matplotlib.figure import Figure

from course.chapters.ch10_training.figures import loop_curve
from course.drawing.display import show
from course.drawing.notebook_output import figure_bundle

SECONDS = 0.4  # between two pictures


class GrowingCurve:
    """How sure a model is while it learns, drawn again and again in one place of the notebook.

        curve = GrowingCurve("training-loop", steps=400)
        curve.add(loss)                     # after each step
        curve.validated(validation_loss)    # now and then
        curve.show()                        # at the end

    name: the figure of the series that it becomes; steps: how long the training is. In JupyterLab
    the picture is renewed about twice a second. Where nobody looks (a run from a script, a test)
    only the last one is shown, so that what is stored is the same.
    """

    def __init__(self, name: str, steps: int):
        self.name = name
        self.steps = steps
        self.step = 0
        self.history: list[dict[str, Any]] = []
        self._losses: list[float] = []
        self._picture = _place() if _somebody_looks() else None
        self._drawn = 0.0

    def add(self, loss: Any) -> None:
        """The loss of one more step, in nats: a number or a tensor with one."""
        self.step += 1
        self._losses.append(float(loss))

    def validated(self, validation_loss: Any) -> None:
        """A validation after the last step; the loss beside it is the mean since the one before."""
        if not self._losses:
            raise ValueError(f"no step since the last validation (step {self.step})")
        mean = sum(self._losses) / len(self._losses)
        self.history.append(
            {"step": self.step, "loss": mean, "validation_loss": float(validation_loss)}
        )
        self._losses.clear()
        if self._picture is not None and time.monotonic() - self._drawn > SECONDS:
            bundle, metadata = figure_bundle(self.figure(), "How sure the model is so far.")
            self._picture.update(bundle, metadata=metadata, raw=True)
            self._drawn = time.monotonic()

    def figure(self) -> Figure:
        return loop_curve(self.history, self.steps)

    def show(self) -> None:
        """The whole curve, in the place of the growing one."""
        show(self.figure(), name=self.name, place=self._picture)


def _somebody_looks() -> bool:
    """Was this cell started in JupyterLab (which says which cell it is), not by a script?"""
    from IPython import get_ipython

    shell = get_ipython()
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return "cellId" in parent.get("metadata", {})


def _place() -> Any:
    from IPython.display import display

    return display({"text/plain": "the curve comes here"}, raw=True, display_id=True)
