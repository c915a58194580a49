"""What is stored: all that notebook 21 tells of, and which limits were missed."""

from course import experiments
from course.chapters.ch21_without_the_table import experiment_copying as copying
from course.chapters.ch21_without_the_table import experiment_times as times
from course.chapters.ch21_without_the_table import experiments as exchange
from course.chapters.ch21_without_the_table import results

RUNS = results.copying()
BY_SEED = [[run for run in RUNS if run["seed"] == seed] for seed in copying.SEEDS]
RIGHT = exchange.right()


def test_the_notebook_says_what_ten_seeds_of_the_base_change():
    runs = experiments.load("since")["runs"]
    base = [run["right"] for run in runs if run["what"] == "base" and run["chosen"]]
    assert len(base) == 10
    told = ("test", "pronoun", "longer")
    means = {split: results.mean([right[split] for right in base]) for split in told}
    points = {
        split: [
            round(100 * (results.mean(RIGHT[what][split]) - means[split]))
            for what in (results.LINEAR, results.GATED, results.SPACE)
        ]
        for split in told
    }
    assert points == {"test": [-1, 6, -9], "pronoun": [-16, -9, -18], "longer": [-4, 51, 11]}
    least = min(right["pronoun"] for right in base)
    assert sum(share > least for share in RIGHT["minGRU"]["pronoun"]) == 2


def test_linear_attention_at_twice_its_rate_loses_little_with_a_pronoun():
    runs = experiments.load("without-the-table")["runs"]
    linear = [run for run in runs if run["what"] == results.LINEAR and run["seed"] == 0]
    (own,) = (run for run in linear if run["chosen"])
    (twice,) = (run for run in linear if run["max_lr"] == 2 * own["max_lr"])
    assert abs(twice["right"]["validation"] - own["right"]["validation"]) < 0.005
    lost = results.mean(RIGHT["base"]["pronoun"]) - twice["right"]["pronoun"]
    assert round(100 * lost) == 1


def test_which_of_two_rates_each_kind_took():
    low, high = copying.MAX_LRS
    took = {run["kind"]: run["max_lr"] for run in RUNS}
    lower = {kind for kind, rate in took.items() if rate == low}
    assert lower == {"attention", copying.ONE} and set(took.values()) == {low, high}


def test_no_rate_beyond_the_grid_copies_more():
    """One has less loss, with the seed that chooses, and still copies less at every size."""
    beyond = experiments.load("copying-rates")["runs"]
    for kind in copying.sizes():
        (own,) = {run["max_lr"] for run in RUNS if run["kind"] == kind}
        further = own / 2 if own == min(copying.MAX_LRS) else 2 * own
        loss = {
            run["max_lr"]: run["validation_loss"]
            for run in (*beyond, *RUNS)
            if (run["kind"], run["seed"]) == (kind, 0) and run["size"] == at(kind)
        }
        assert (loss[further] < loss[own]) == (kind == results.LINEAR), kind
        if kind == results.LINEAR:
            assert (further, round(loss[own] - loss[further], 2)) == (0.032, 0.02)
    (twice,) = {run["max_lr"] for run in beyond if run["size"] == 2}
    at_twice = [run for run in beyond if run["max_lr"] == twice and run["kind"] == results.LINEAR]
    for size in copying.sizes()[results.LINEAR]:
        own, less = (
            results.mean(results.copied(runs, results.LINEAR, size)) for runs in (RUNS, at_twice)
        )
        assert less < own, size


def at(kind: str) -> int:
    """The size at which a kind's rate is chosen."""
    return copying.KINDS[kind][2] if kind in copying.KINDS else copying.sizes()[kind][0]


def test_a_min_gru_learns_nothing_at_twice_its_rate():
    runs = experiments.load("without-the-table")["runs"]
    tried = {r["max_lr"]: r for r in runs if r["what"] == results.GATED and r["seed"] == 0}
    (own,) = (rate for rate, run in tried.items() if run["chosen"])
    assert tried[2 * own]["right"]["test"] < 0.01 < 0.9 < tried[own]["right"]["test"]
    assert round(100 * tried[own / 2]["right"]["longer"]) == 59


def test_bytes_are_those_of_this_code():
    stored_rows = experiments.load("state-times")["rows"]
    for row in stored_rows:
        assert row["bytes"] == times.kept_bytes(row["length"])


def test_which_limits_were_missed():
    found = {
        f"copying, {seed}": results.claims_of_copying(runs) for seed, runs in enumerate(BY_SEED)
    }
    found |= {
        f"translator, {seed}": claims
        for seed, claims in enumerate(results.claims_of_the_exchange(RIGHT))
    }
    missed = {
        who: [claim.what for claim in claims if not claim.holds] for who, claims in found.items()
    }
    assert {who: claims for who, claims in missed.items() if claims} == MISSED


MISSED: dict[str, list[str]] = {
    "copying, 1": ["… and so does one layer of it above the smallest state space"],
    "copying, 2": [
        "with 4 it copies short rows",
        "a minGRU copies less than linear attention with a smaller state",
    ],
}


def test_the_third_seed_only_took_longer():
    assert len(results.twice_as_long()) == 3 and min(results.twice_as_long()) > 0.95
