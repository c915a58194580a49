"""What notebook 18 says of the stored trainings."""

import math
from statistics import mean

import pytest

from course.chapters.ch17_gpt.experiment_language_model import VALIDATION, floor_under
from course.chapters.ch18_since_2017.experiments import (
    ASKED,
    BEYOND,
    ELSEWHERE,
    SEEDS,
    SEEDS_OF_THE_BASE,
    TRAINING,
    nearer,
    points,
    right_between,
)
from course.chapters.ch18_since_2017.figures import BETWEEN
from course.drawing.rows import verdict
from course.experiments import load, load_runs
from course.experiments.long_training import best_loss
from transformer_lib.text import english_spanish
from transformer_lib.training.schedules import SCHEDULES

STORED = load("since")
CHOSEN = load_runs("since", chosen=True)
EDGE = {run["what"] for run in CHOSEN if run["max_lr"] == max(STORED["max_lrs"])}
OF_LANGUAGE = load_runs("since-language-model")
ROWS = {row["what"]: row for row in points(STORED["runs"])}
DISTANCES = ("rotary", "ALiBi", "T5's positions")


def chosen(what: str) -> list[dict]:
    return [run for run in CHOSEN if run["what"] == what]


def right(what: str, split: str) -> list[float]:
    return [run["right"][split] for run in chosen(what)]


def between(what: str, ends: tuple[int, int]) -> list[float]:
    return [right_between(run, *ends) for run in chosen(what)]


def worth(what: str, split: str) -> float:
    return mean(ROWS[what][split])


def edge_of_language_models() -> set[str]:
    return {run["what"] for run in OF_LANGUAGE if run["chosen"] and run["max_lr"] == 8e-3}


def stars(rows: list[dict]) -> set[tuple[str, str]]:
    base, *others = rows
    return {
        (row["what"], split)
        for row in others
        for split in ASKED
        if verdict(row[split], base[split]) != "no clear difference"
    }


def test_twenty_seven_comparisons_have_a_star_and_luck_would_give_less_than_half_a_star():
    assert len(ROWS) == 21 and len(stars(list(ROWS.values()))) == 27
    assert math.comb(13, 3) == 286 and round(60 * 2 / 286, 1) == 0.4


def test_a_language_model_has_three_runs_of_the_base_and_luck_would_give_two_stars():
    changes = {run["what"] for run in OF_LANGUAGE} - {"base"}
    assert len(load_runs("since-language-model", what="base", chosen=True)) == 3
    assert len(changes) * 2 / math.comb(6, 3) == 2


NO, YES, LESS = "no clear difference", "better", "worse"
SAID = {
    "pre-norm": (YES, YES, YES),
    "RMSNorm": (NO, NO, NO),
    "no biases": (NO, NO, NO),
    "GELU": (YES, NO, NO),
    "SwiGLU": (YES, YES, NO),
    "mixture of experts": (YES, YES, NO),
    "no positions": (LESS, NO, LESS),
    "rotary": (NO, NO, YES),
    "ALiBi": (NO, NO, YES),
    "T5's positions": (NO, NO, YES),
    "window of 5": (NO, LESS, NO),
    "QK-norm": (NO, NO, NO),
    "grouped queries": (NO, NO, NO),
    "AdamW": (YES, YES, YES),
    "Muon": (YES, YES, YES),
    "cosine": (NO, NO, NO),
    "not tied": (NO, NO, NO),
}


@pytest.mark.parametrize("what", SAID)
def test_what_is_said_to_differ(what):
    found = [verdict(ROWS[what][split], ROWS["base"][split]) for split in ASKED]
    assert tuple(found) == SAID[what]


def test_how_far_the_seeds_of_the_base_are_apart():
    assert len(chosen("base")) == 10 and STORED["training"]["steps"] == 1200
    spread = {
        split: round(100 * (max(right("base", split)) - min(right("base", split))))
        for split in ASKED
    }
    assert spread == {"test": 5, "pronoun": 22, "longer": 8}


def test_larger_experts_are_no_better_than_the_gate():
    larger = points([*STORED["runs"], *load_runs("since-experts")])
    (experts,) = [row for row in larger if row["group"] == ELSEWHERE]
    gate = ROWS["SwiGLU"]
    for split, said in (("test", 6), ("pronoun", 19)):
        assert round(mean(experts[split])) == round(mean(gate[split])) == said
    assert verdict(experts["longer"], ROWS["base"]["longer"]) == "no clear difference"


def test_muon_is_ahead_one_token_farther_and_behind_from_17_on():
    near, _, far = BEYOND
    for what in DISTANCES:
        assert min(between("Muon", near)) > max(between(what, near))
        assert max(between("Muon", far)) < min(between(what, far))


def test_what_carries_over_to_the_language_model():
    gone = {row["what"]: row["nearer"] for row in nearer(OF_LANGUAGE)}
    there = {what: verdict(shares, gone["base"]) for what, shares in gone.items()}
    here = {what: verdict(row["test"], ROWS["base"]["test"]) for what, row in ROWS.items()}
    both = {what for what in there if there[what] == here[what] == YES}
    assert both == {"GELU", "SwiGLU", "AdamW", "Muon", "today"}
    for what in ("QK-norm", "not tied"):
        assert (here[what], there[what]) == (NO, YES)
    for what in ("pre-norm", "mixture of experts", "no positions"):
        assert there[what] == NO != here[what]
    assert (here["stable"], there["stable"]) == (YES, LESS)
    assert round(mean(gone["Muon"])) == 25
    floor = floor_under(VALIDATION)
    tried = load_runs("since-language-model", what="base", seed=0)
    assert [round(best_loss(run) - floor, 2) for run in tried] == [0.37, 0.25, 0.21]
    assert set(there) - edge_of_language_models() == {"stable"}
    assert {run["training"]["steps"] for run in OF_LANGUAGE} == {1200}


def test_a_part_is_trained_as_the_base_is():
    same = [run["training"] | {"seed": 0, "max_lr": 0, "schedule": ""} for run in STORED["runs"]]
    assert all(one == same[0] for one in same)
    for what in ROWS:
        wanted = SEEDS_OF_THE_BASE if what == "base" else SEEDS
        assert [run["seed"] for run in chosen(what)] == sorted(wanted), what
    assert {run["seed"] for run in STORED["runs"] if not run["chosen"]} == {0}


def test_how_much_each_is_worth():
    for what, split, points_ in (
        ("SwiGLU", "test", 6),
        ("SwiGLU", "pronoun", 19),
        ("Muon", "test", 12),
        ("multi-query", "test", -10),
        ("window of 5", "pronoun", -16),
    ):
        assert round(worth(what, split)) == points_, (what, split)
    assert worth("SwiGLU", "test") - worth("mixture of experts", "test") == pytest.approx(
        1, abs=0.1
    )
    assert max(worth("grouped queries", split) for split in ASKED) < 0
    assert max(ROWS, key=lambda what: worth(what, "test")) == "Muon"
    assert round(worth("Muon", "test") - worth("AdamW", "test")) == 7
    assert round(mean(right("no positions", "test")), 1) == 0.7
    assert all(0.32 < one < 0.61 for what in DISTANCES for one in right(what, "longer"))
    assert all(0.125 < one < 0.21 for one in right("base", "longer"))
    assert all(0.54 < one < 0.72 for one in right("today", "longer"))
    assert max(ROWS, key=lambda what: worth(what, "longer")) == "today"


def test_sizes_and_times():
    size = {run["what"]: run["parameters"] for run in CHOSEN}
    assert size["no biases"] < size["RMSNorm"] < size["base"]
    fewer = {what: round(100 * (1 - size[what] / size["base"])) for what in size}
    assert fewer["grouped queries"] == fewer["today"] == 4 and fewer["multi-query"] == 6
    assert round(size["not tied"] / size["base"], 2) == 1.28
    base, adamw, muon = (
        [  # the base's later seeds were trained on another day, beside other work
            run["seconds_per_step"] for run in load_runs("since", what=what) if run["seed"] in SEEDS
        ]
        for what in ("base", "AdamW", "Muon")
    )
    assert min(muon) > max(base + adamw)
    kept = STORED["cache_bytes_of_20_words"]
    assert kept["grouped queries"] == 0.75 * kept["base"]
    assert kept["multi-query"] == 0.625 * kept["base"]


def test_in_three_of_four_sentences_the_noun_is_outside_the_window_of_its_pronoun():
    away = [abs(item.pronoun - item.antecedent) for item in english_spanish.load_pronoun()]
    assert round(100 * sum(words > 4 for words in away) / len(away)) == 74


def test_the_parts_of_today_one_by_one_and_together():
    nine = BETWEEN[1:-1]
    sums = {split: sum(worth(what, split) for what in nine) for split in ("test", "longer")}
    assert (round(sums["test"]), round(sums["longer"])) == (21, 51)
    assert round(worth("today", "longer")) == 46
    base = ROWS["base"]["longer"]
    clear = [what for what in nine if verdict(ROWS[what]["longer"], base) != NO]
    assert len(clear) == 3 and round(sum(worth(what, "longer") for what in clear)) == 54
    assert round(max(ROWS["today"]["longer"]) - min(ROWS["today"]["longer"])) == 17
    assert round(100 * (1 - mean(right("base", "test")))) == 15 < sums["test"]


def test_eight_parts_have_their_best_rate_at_the_edge_of_the_grid():
    assert len(EDGE) == 8 and "base" not in EDGE


def test_twice_the_highest_rate_is_worse_for_each_that_took_it():
    """In validation loss and on sentences like those in training; most learn nothing."""
    tried = {
        run["what"]: run for run in load_runs("since-rates", max_lr=2 * max(STORED["max_lrs"]))
    }
    assert set(tried) == EDGE
    for what, run in tried.items():
        assert not run["chosen"] and best_loss(run) > best_loss(chosen(what)[0]), what
        assert run["right"]["test"] < right(what, "test")[0], what


def test_a_higher_rate_changes_no_verdict_on_the_language_model():
    """What the notebook says of 20 rows whose best rate was the highest of the grid."""
    beyond, better = "since-language-model-rates", set()
    for what in edge_of_language_models():
        ((at,), (twice,)) = (
            load_runs(beyond, what=what, max_lr=rate, seed=0) for rate in (8e-3, 1.6e-2)
        )
        if best_loss(twice) < best_loss(at):
            better.add(what)
    assert len(edge_of_language_models()) == 20 and better == {"pre-norm", "Muon"}
    assert max(run["max_lr"] for run in load_runs(beyond) if run["what"] in better) == 3.2e-2
    for what, said in (("pre-norm", NO), ("Muon", YES)):
        for name in ("since-language-model", beyond):
            part, base = (
                [-best_loss(run) for run in load_runs(of, what=kind, chosen=True)]
                for of, kind in ((name, what), ("since-language-model", "base"))
            )
            assert len(part) == 3 and verdict(part, base) == said, what


def test_longer_begins_one_token_beyond_the_training(translator):
    tokenizer = translator.src.tokenizer
    assert max(len(tokenizer(english)) for english, _ in english_spanish.load("train")) == 14
    long = [one for one in CHOSEN[0]["by_length"] if one["tokens"] > 14]
    assert sum(one["sentences"] for one in long) == 1000  # all of the split, and nothing else
    assert sum(one["right"] for one in long) == round(1000 * CHOSEN[0]["right"]["longer"])
    assert (BEYOND[0][0], BEYOND[-1][1]) == (long[0]["tokens"], long[-1]["tokens"])


def test_longer_sentences_are_of_another_kind():
    because = {}
    for split in ("test", "longer"):
        english = [one.lower() for one, _ in english_spanish.load(split)]
        because[split] = mean("because" in one for one in english)
    assert 0.85 < because["longer"] < 0.92 and 0.23 < because["test"] < 0.28


def test_what_the_rate_is_worth():
    max_lr = {run["what"]: run["max_lr"] for run in CHOSEN}
    assert max_lr["base"] == max_lr["stable"] == 4e-3 and max_lr["pre-norm"] == 2 * max_lr["base"]
    at = {(run["what"], run["max_lr"]): run["right"] for run in load_runs("since", seed=0)}

    def gain(what, lr, split):
        return 100 * (at[what, lr][split] - at["base", 4e-3][split])

    luck = max(ROWS["base"]["pronoun"]) - min(ROWS["base"]["pronoun"])
    for what in ("pre-norm", "SwiGLU"):
        assert 0.5 < gain(what, 4e-3, "test") < 2.5 and abs(gain(what, 4e-3, "pronoun")) < luck / 4
        assert gain(what, 8e-3, "test") > 5 and gain(what, 8e-3, "pronoun") > 10
    assert round(gain("base", 8e-3, "test")) == -15
    for what in ("AdamW", "Muon"):
        assert gain(what, 4e-3, "test") > 0.8 * gain(what, 8e-3, "test") > 4
    assert 0.45 < gain("Muon", 4e-3, "pronoun") / gain("Muon", 8e-3, "pronoun") < 0.55
    assert round(gain("mixture of experts", 4e-3, "test")) == -2
    same = [at[what, 4e-3]["longer"] for what in ("ALiBi", "T5's positions")]
    assert [round(100 * share) for share in same] == [40, 47]


def test_the_stable_rate_is_higher_on_average():
    rates = {
        name: mean(
            SCHEDULES[name](step, 1.0, TRAINING.warmup, TRAINING.steps)
            for step in range(1, TRAINING.steps + 1)
        )
        for name in ("linear", "stable")
    }
    assert rates["stable"] > 1.6 * rates["linear"]


def test_distances_help_most_far_out_and_muon_helps_most_near():
    """The summary's two sentences, held against every part and not only those that are shown."""
    parts = [what for what in ROWS if what not in ("base", "today")]
    near, _, far = ({what: mean(between(what, ends)) for what in ROWS} for ends in BEYOND)
    assert set(sorted(parts, key=far.get)[-3:]) == set(DISTANCES)
    assert max(parts, key=near.get) == "Muon"
    assert [round(100 * near[what]) for what in ("base", "rotary", "Muon")] == [31, 59, 74]


def test_eight_bits_cost_nothing_that_shows():
    stored = load("eight-bits")
    changed = [stored["sentences"] - one["the same"] for one in stored["scores"].values()]
    assert changed == [0, 51, 146]
    assert all(abs(one["more"]) < 0.06 and one["p"] > 0.2 for one in stored["paired"].values())


def test_a_larger_rotary_base_makes_no_clear_difference():
    slower = [run["right"]["longer"] for run in load_runs("since-rotary-base", chosen=True)]
    assert [round(100 * share) for share in (min(slower), max(slower))] == [50, 57]
    before = right("rotary", "longer")
    assert [round(100 * share) for share in (min(before), max(before))] == [47, 53]
    assert len(slower) == 3 and verdict(slower, before) == "no clear difference"


def test_a_step_of_muon_takes_about_half_as_long_again_as_one_of_adamw():
    adamw, muon = (
        mean(run["seconds_per_step"] for run in chosen(what)) for what in ("AdamW", "Muon")
    )
    assert 1.4 < muon / adamw < 1.7
