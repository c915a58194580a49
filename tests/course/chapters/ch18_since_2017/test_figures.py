"""Drawings of what has changed since 2017: the data reaches the picture."""

import pytest
from matplotlib.patches import Rectangle

from course.chapters.ch18_since_2017.figures import in_points
from course.drawing.registry import FIGURES


def test_the_titles_of_what_is_worth_most_are_true():
    from course import experiments
    from course.chapters.ch18_since_2017.experiments import nearer
    from course.chapters.ch18_since_2017.figures import best, stored_points

    rows = stored_points()
    assert best(rows, "test") == best(rows, "pronoun") == ["Muon"]
    assert best(rows, "longer") == ["rotary", "T5's positions"]
    model = nearer(experiments.load("since-language-model")["runs"])
    assert best(model, "nearer") == ["Muon"]


def test_both_ends_say_the_mean_of_each_part():
    from statistics import mean

    from course.chapters.ch18_since_2017.figures import stored_points

    worth = {row["what"]: mean(row["longer"]) for row in stored_points()}
    ax = FIGURES["since-2017-and-2026"].draw().axes[0]
    said = [text.get_text() for text in ax.texts if text.get_text()]
    assert {"rotary positions", "all 9 changes at once"} < {*said}
    clear = [worth[what] for what in ("rotary", "pre-norm", "AdamW", "today")]
    numbers = [text for text in said if text[0] == "+"]
    assert numbers == [in_points(points) for points in clear], "of what is clear"
    assert said.count("no clear difference") == 1
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert [bar.get_width() / 0.07 for bar in bars] == pytest.approx(clear)
    weights = {text.get_text(): text.get_weight() for text in ax.texts}
    assert weights["+46"] == "bold" != weights["AdamW"]


def test_only_the_positions_of_2017_leave_no_diagonal_of_one_color():
    from course.chapters.ch18_since_2017.figures import _one_word_everywhere

    for name, scores in _one_word_everywhere().items():
        diagonals = [scores.diagonal(k) for k in range(-10, 11)]
        alike = [len(set(d.tolist())) == 1 or float(d.std()) < 1e-5 for d in diagonals]
        assert all(alike) if "2017" not in name else not any(alike), name


def test_the_title_of_the_times_says_where_the_fused_kernel_is_quicker():
    from course import experiments

    [ax] = FIGURES["since-fused-times"].draw().axes
    stored = experiments.load("fused")["times"]
    one, time = (
        {
            row["length"]: row["time"]["fused"]
            for row in stored
            if (row["mask"], row["what"], row["threads"]) == ("causal", "use", threads)
        }
        for threads in (1, 2)
    )
    said = [text.get_text() for text in ax.texts]
    assert said[0].startswith("From 128 words on the fused kernel is quicker")
    assert said[0].endswith(f"{100 * time[2048]:.0f} % of the time at 2,048")
    assert all((taken < 1) == (length >= 128) for length, taken in time.items())
    wide = [bar.get_width() for bar in ax.patches if isinstance(bar, Rectangle)]
    taken_of = [kernel / formula for formula, kernel in zip(wide[::2], wide[1::2], strict=True)]
    assert taken_of == pytest.approx(list(time.values()))
    shares = [f"{100 * taken:.0f} %" for taken in time.values()]
    assert [text for text in said if text.endswith("%")] == shares
    assert all(of[512] > max(of[256], of[1024]) for of in (one, time)), "less gain, as it says"
    slower, quicker = FIGURES["since-fused-times"].alt.split("It takes")[1].split("it takes")
    for length, taken in time.items():
        assert f"{100 * taken:.0f}" in (slower if length < 128 else quicker)
