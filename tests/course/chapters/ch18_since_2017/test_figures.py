"""Drawings of what has changed since 2017: the data reaches the picture."""

import re

import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from course.chapters.ch18_since_2017.figures import in_points
from course.drawing import style
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
    assert {"2017", "2026", "rotary positions", "all 9 changes at once"} < {*said}
    assert said[0] == "On longer sentences, rotary positions bring +34, all 9 changes +46"
    clear = [worth[what] for what in ("rotary", "pre-norm", "AdamW", "today")]
    numbers = [text for text in said if text[0] == "+"]
    assert numbers == [in_points(points) for points in clear], "of what is clear"
    assert said.count("no clear difference") == 1
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert [bar.get_width() / 0.07 for bar in bars] == pytest.approx(clear)
    weights = {text.get_text(): text.get_weight() for text in ax.texts}
    assert weights["+46"] == "bold" != weights["AdamW"]


def test_each_clear_change_has_a_bar_in_its_column():
    from statistics import mean

    from course.chapters.ch18_since_2017.figures import best, stored_points
    from course.drawing.rows import verdict

    base, *rows = stored_points()
    clear = {
        key: [r for r in rows if verdict(r[key], base[key]) != "no clear difference"]
        for key in ("test", "longer")
    }
    ax = FIGURES["since-worth"].draw().axes[0]
    areas = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    bars = [bar for bar in areas if bar.get_height() == pytest.approx(0.2)]
    found = sorted(bar.get_width() / 0.055 for bar in bars)
    assert found == pytest.approx(sorted(mean(r[key]) for key in clear for r in clear[key]))
    loud = [bar for bar in bars if to_hex(bar.get_facecolor()) == style.ACCENT.lower()]
    assert len(loud) == len(best(rows, "test") + best(rows, "longer")) == 3
    names = [text.get_text() for text in ax.texts]
    assert all(names.count(name) == 1 for name in ("Muon", "rotary positions", "T5's positions"))


def test_points_have_a_sign():
    signs = ["+3", "0", "0", "\N{MINUS SIGN}12"]
    assert [in_points(x) for x in (2.6, 0.4, -0.4, -12)] == signs


def test_bends_and_schedules_reach_the_picture():
    [ax] = FIGURES["since-bends"].draw().axes
    functional = torch.nn.functional
    bends = (torch.relu, functional.gelu, functional.silu)
    zeros, curves, dots = ax.lines[::3], ax.lines[1::3], ax.lines[2::3]
    said = [text.get_text() for text in ax.texts if "becomes" in text.get_text()]
    for zero, curve, dot, bend, text in zip(zeros, curves, dots, bends, said, strict=True):
        z = torch.linspace(-4, 1.25, len(curve.get_xdata()))
        heights = curve.get_ydata() - zero.get_ydata()
        assert list(heights / 1.2) == pytest.approx(bend(z).tolist(), abs=1e-6)
        one = float(bend(torch.tensor(-1.0)))
        assert (dot.get_ydata()[0] - zero.get_ydata()[0]) / 1.2 == pytest.approx(one, abs=1e-6)
        assert float(text.split()[-1]) == round(one, 2)
    [ax] = FIGURES["since-schedules"].draw().axes
    assert all(max(line.get_ydata()) == 1.0 for line in ax.lines)  # by the highest
    stable = ax.lines[2]
    held = [step for step, rate in zip(*stable.get_data(), strict=True) if rate == 1.0]
    assert len(ax.lines) == 3 and held == list(range(120, 962))
    assert "the last fifth" in {text.get_text() for text in ax.texts}
    assert (held[-1] - 1) / 1200 == 4 / 5 and held[-1] - 1 in ax.get_xticks()


def test_only_the_positions_of_2017_leave_no_diagonal_of_one_color():
    from course.chapters.ch18_since_2017.figures import _one_word_everywhere

    for name, scores in _one_word_everywhere().items():
        diagonals = [scores.diagonal(k) for k in range(-10, 11)]
        alike = [len(set(d.tolist())) == 1 or float(d.std()) < 1e-5 for d in diagonals]
        assert all(alike) if "2017" not in name else not any(alike), name


def test_memory_reaches_the_picture():
    from course import experiments

    [ax] = FIGURES["since-memory"].draw().axes
    rows = [row for row in experiments.load("fused")["memory"] if row["mask"] == "none"]
    stored = {(row["way"], row["length"]): row["bytes"] for row in rows}
    one = stored["fused", 2048]
    tiles = [tile for tile in ax.patches if isinstance(tile, Rectangle)]
    full = max(tile.get_width() for tile in tiles)
    assert {tile.get_height() for tile in tiles} == {full}
    said = {text.get_text() for text in ax.texts}
    for way, color in (("formula", style.SOFT), ("fused", style.ACCENT)):
        of_way = [t.get_width() / full for t in tiles if to_hex(t.get_facecolor()) == color.lower()]
        bytes_of = [stored[way, length] for length in (16, 1024, 2048)]
        assert sum(of_way) == pytest.approx(sum(bytes_of) / one)
        sizes = [{f"{n / 1e6:.0f} MB", f"{n / 1e6:.1f} MB"} for n in bytes_of]
        assert all(size & {text.split(" = ")[0] for text in said} for size in sizes)
    assert {f"134 MB = {stored['formula', 2048] / one:.0f} tiles", "1.6 MB = 1 tile"} < said


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


def test_the_alt_texts_say_what_is_stored():
    from statistics import mean

    from course.chapters.ch18_since_2017.figures import BETWEEN, stored_points
    from course.drawing.rows import verdict

    rows = {row["what"]: row for row in stored_points()}
    assert len(rows) == 21
    told, unclear = FIGURES["since-2017-and-2026"].alt.split("no clear difference: ")
    for what in BETWEEN[1:]:
        clear = verdict(rows[what]["longer"], rows["base"]["longer"]) != "no clear difference"
        points = f"{what} {in_points(mean(rows[what]['longer']))}"
        assert points in told if clear else what in unclear, what
    shown = "test", "longer"
    panels = dict(
        zip(
            shown,
            re.split(
                "As in training: |Longer: ", FIGURES["since-worth"].alt.split(" The others")[0]
            )[1:],
            strict=True,
        )
    )
    for split, panel in panels.items():
        for what, row in rows.items():
            clear = verdict(row[split], rows["base"][split]) != "no clear difference"
            what = what.removeprefix("window of 5") or "the window"
            assert (what in panel) == clear or what == "base", (split, what)
            assert not clear or str(abs(round(mean(row[split])))) in panel, (split, what)


def test_the_alt_texts_of_the_fused_kernel_say_what_is_stored():
    from course import experiments

    fused = experiments.load("fused")
    most = {row["way"]: row["bytes"] for row in fused["memory"] if row["mask"] == "none"}
    assert f"{most['formula'] / most['fused']:.0f} times" in FIGURES["since-memory"].alt
    memory = {
        (row["way"], row["length"]): round(row["bytes"] / 1e6)
        for row in fused["memory"]
        if row["mask"] == "none"
    }
    assert (memory["formula", 16], memory["formula", 2048]) == (2, 134)
    assert memory["block by block", 16] == 5
    assert {memory["block by block", n] for n in (128, 256, 512, 1024, 2048)} == {10}
    assert {megabytes for (way, _), megabytes in memory.items() if way == "fused"} == {1, 2}
    use, training = {}, []
    for row in (row for row in fused["times"] if row["mask"] == "causal"):
        if row["what"] == "use":
            use[row["length"], row["threads"]] = row["time"]["fused"]
        else:
            training.append(row["time"]["fused"])
    later = [time for (length, _), time in use.items() if length >= 128]
    assert (round(use[16, 2], 1), round(min(later), 2), round(max(later), 2)) == (2.6, 0.15, 0.63)
    assert use[16, 1] > 1 > use[32, 1] and use[64, 2] > 1
    assert (round(min(training), 2), round(max(training), 2)) == (0.35, 0.83)


def test_the_alt_text_of_the_language_model_says_what_is_stored():
    from statistics import mean

    from course import experiments
    from course.chapters.ch18_since_2017.experiments import nearer
    from course.drawing.rows import verdict

    rows = {
        row["what"]: row["nearer"]
        for row in nearer(experiments.load("since-language-model")["runs"])
    }
    assert len(rows) == 21
    unclear = {w for w, values in rows.items() if verdict(values, rows["base"]).startswith("no")}
    assert {"rotary", "ALiBi", "T5's positions", "no positions"} < unclear  # as the picture says
    said = [text.get_text() for text in FIGURES["since-language-model"].draw().axes[0].texts]
    assert said[-1].startswith(f"{len(unclear - {'base'})} other changes")
    clear, others = FIGURES["since-language-model"].alt.split("The others show")
    assert re.search(r"no positions .*with 1\.", others) and round(mean(rows["no positions"])) == 1
    for what, values in rows.items():
        found, what = verdict(values, rows["base"]), what.removeprefix("window of 5") or "window"
        nearer_ones, farther_ones = clear.split("Farther away")
        assert (what in nearer_ones) == (found == "better") or what == "base", what
        assert (what in farther_ones) == (found == "worse") or what == "base", what
        if found != "no clear difference":
            number = re.search(rf"{what}\D*?(\d+)", clear)[1]
            assert int(number) == abs(round(mean(values))), what


def test_the_rows_say_how_much_of_the_distance_is_gone(monkeypatch):
    from course.chapters.ch17_gpt import experiment_language_model
    from course.chapters.ch18_since_2017.experiments import SPECS, nearer

    monkeypatch.setattr(experiment_language_model, "floor_under", lambda validation: 2.0)
    runs = [
        {"what": one.what, "chosen": True, "history": [{"validation_loss": 2.3}]} for one in SPECS
    ]
    base = [
        {
            "what": "base",
            "chosen": True,
            "history": [{"validation_loss": 2.1}, {"validation_loss": 2.9}],
        },
        {"what": "base", "chosen": False, "history": [{"validation_loss": 2.0}]},
    ]
    rows = nearer(runs + base)  # the base is at a distance of 0.3 and, at its best, 0.1
    assert rows[0] == {"what": "base", "group": "base", "nearer": pytest.approx([-50, 50])}
    assert all(row["nearer"] == pytest.approx([-50]) for row in rows[1:]) and len(rows) == 21
