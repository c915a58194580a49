"""What is stored: all that notebook 21 tells of, and which limits were missed."""

import copy
import itertools

import pytest

from course import experiments
from course.chapters.ch21_without_the_table import experiment_copying as copying
from course.chapters.ch21_without_the_table import experiment_times as times
from course.chapters.ch21_without_the_table import experiments as exchange
from course.chapters.ch21_without_the_table import results

RUNS = results.copying()
BY_SEED = [[run for run in RUNS if run["seed"] == seed] for seed in copying.SEEDS]
RIGHT = exchange.right()


def test_every_model_is_told_with_three_seeds():
    told = sorted((run["kind"], run["size"], run["seed"]) for run in RUNS)
    planned = itertools.product(copying.models(), copying.SEEDS)
    assert told == sorted((kind, size, seed) for (kind, size), seed in planned)
    rates = {(run["kind"], run["max_lr"]) for run in RUNS}
    assert len(rates) == len(copying.sizes())  # one rate for all sizes of a kind


def test_each_layer_of_the_translator_has_three_seeds_of_one_rate():
    runs = experiments.load("without-the-table")["runs"]
    for what, rates in exchange.RATES.items():
        of = [run for run in runs if run["what"] == what]
        assert sorted({run["max_lr"] for run in of}) == list(rates)
        chosen = [run for run in of if run["chosen"]]
        assert [run["seed"] for run in chosen] == list(exchange.SEEDS)
        assert len({run["max_lr"] for run in chosen}) == 1
    assert list(RIGHT) == ["base", *exchange.MAKERS]
    assert all(len(shares) == 3 for layer in RIGHT.values() for shares in layer.values())


def test_points_are_above_the_base():
    base, *others = exchange.points()
    for split in exchange.SPLITS:
        assert sum(base[split]) == pytest.approx(0, abs=1e-9)
        shares = RIGHT[others[0]["what"]][split]
        assert others[0][split][0] - others[0][split][1] == pytest.approx(
            100 * (shares[0] - shares[1])
        )


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


def test_the_longest_row_ends_at_the_first_that_is_not_copied():
    shares = {"4": 0.95, "8": 0.91, "12": 0.5, "16": 0.99}
    assert results.longest({"copied": shares}) == 8
    assert results.longest({"copied": {"4": 0.5, "8": 1.0}}) == 0
    assert results.longest({"copied": {"4": 0.9}}) == 4


def change(runs: list, kind: str, size: int, words: str, share: float) -> None:
    (run,) = (run for run in runs if (run["kind"], run["size"]) == (kind, size))
    run["copied"][words] = share


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        (("attention", 0, "32", 0.5), [0]),
        (("one layer of attention", 4, "32", 0.5), [1]),
        (("linear attention", 32, "32", 0.5), [2, 6]),
        (("linear attention", 2, "32", 0.3), [3]),
        (("linear attention", 4, "4", 0.5), [4]),
        (("linear attention", 4, "32", 0.7), [5]),
        (("state space", 32, "32", 0.5), [7]),
        (("linear attention", 8, "8", 0.5), [8]),
        (("minGRU", 256, "32", 0.6), [9]),
        (("linear attention of 2020", 16, "32", 0.95), [10]),
        (("state space", 8, "32", 0.9), [11]),
    ],
)
def test_each_limit_of_the_copying_can_be_missed(changed, missed):
    runs = copy.deepcopy(BY_SEED[0])
    assert all(claim.holds for claim in results.claims_of_copying(runs))
    change(runs, *changed)
    claims = results.claims_of_copying(runs)
    assert [number for number, claim in enumerate(claims) if not claim.holds] == missed


@pytest.mark.parametrize(
    ("layer", "split", "share", "missed"),
    [
        ("minGRU", "longer", 0.35, [0]),
        ("minGRU", "test", 0.8, [1]),
        ("minGRU", "pronoun", 0.9, [2]),
        ("linear attention", "test", 0.9, [3]),
        ("linear attention", "longer", 0.5, [4]),
        ("state space", "test", 0.85, [5]),
        ("state space", "longer", 0.1, [6]),
    ],
)
def test_each_limit_of_the_exchange_can_be_missed(layer, split, share, missed):
    right = copy.deepcopy(RIGHT)
    assert all(claim.holds for claim in results.claims_of_the_exchange(right)[0])
    right[layer][split][0] = share
    claims = results.claims_of_the_exchange(right)[0]
    assert [number for number, claim in enumerate(claims) if not claim.holds] == missed
