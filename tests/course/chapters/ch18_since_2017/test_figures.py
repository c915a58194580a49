"""Drawings of what has changed since 2017: the data reaches the picture."""

from course.chapters.ch18_since_2017.figures import in_points
from course.drawing.registry import FIGURES


def test_muon_helps_a_language_model_most():
    from course import experiments
    from course.chapters.ch18_since_2017.experiments import nearer

    model = nearer(experiments.load("since-language-model")["runs"])
    muon, *others = sorted(model, key=lambda row: -min(row["nearer"]))
    assert muon["what"] == "Muon"
    assert min(muon["nearer"]) > max(most for row in others for most in row["nearer"])


def test_both_ends_say_the_mean_of_each_part():
    from statistics import mean

    from course.chapters.ch18_since_2017.figures import stored_points

    worth = {row["what"]: mean(row["longer"]) for row in stored_points()}
    ax = FIGURES["since-2017-and-today"].draw().axes[0]
    said = [text.get_text() for text in ax.texts if text.get_text()]
    assert {"rotary positions", "all nine changes at once"} < {*said}
    clear = [worth[what] for what in ("rotary", "pre-norm", "AdamW", "today")]
    numbers = [text for text in said if text[0] == "+"]
    assert numbers == [in_points(points) for points in clear], "of what is clear"
    assert said.count("no clear difference") == 1


def test_only_the_positions_of_2017_leave_no_diagonal_of_one_color():
    from course.chapters.ch18_since_2017.figures import _one_word_everywhere

    for name, scores in _one_word_everywhere().items():
        diagonals = [scores.diagonal(k) for k in range(-10, 11)]
        alike = [len(set(d.tolist())) == 1 or float(d.std()) < 1e-5 for d in diagonals]
        assert all(alike) if "2017" not in name else not any(alike), name
