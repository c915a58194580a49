"""The curves of a run, from its log."""

from course.chapters.ch10_training.figures import run_curves

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
