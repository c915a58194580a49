"""What is stored: all that the notebook tells of, and which limits were missed."""

import pytest

from course.chapters.ch20_features import results

RUNS = results.runs()


def test_which_limits_were_missed():
    missed = {
        who: [claim.what for claim in claims if not claim.holds]
        for who, claims in results.every_claim(RUNS).items()
    }
    assert missed == MISSED


MISSED: dict[str, list[str]] = {
    "0, 0": [],
    "0, 1": [],
    "0, 2": ["… and put a third word in its place"],
    "1, 0": [
        "a probe of one number knows the other’s gender",
        "a probe finds the person of a verb",
        "… and put a third word in its place",
    ],
    "2, 0": [
        "a probe of one number knows the other’s gender",
        "a probe finds the person of a verb",
        "… two at random hardly any",
        "… and put a third word in its place",
    ],
    "returns": ["half of the features or fewer return with another seed"],
}


def test_most_of_what_returns_without_training_stands_for_words():
    (run,) = (run for run in RUNS if run["what"] == "returns" and run["other"] == "untrained")
    lexical, all_ = run["lexical"] * run["share_of_lexical"]["0.7"], run["share"]["0.7"]
    assert 0.6 < lexical / all_ < 0.7


def controlled() -> list[dict]:
    return [run for run in results.chosen(RUNS, "steering", "top-k") if "control" in run]


def test_two_at_random_are_as_strong_as_two_features_where_they_are_compared():
    assert [(run["model"], run["seed"]) for run in controlled()] == [("0", 0), ("0", 1), ("0", 2)]
    for run in controlled():
        two, random = (run["ways"][f"two features{what}"] for what in ("", " at random"))
        assert two["strength"] == random["strength"] <= 2


def test_two_at_random_flip_nothing_and_break_much_with_one_dictionary():
    random = [run["ways"]["two features at random"] for run in controlled()]
    assert max(shares["flipped"] for shares in random) < 0.01
    broken = sorted(shares["another adjective"] + shares["another word"] for shares in random)
    assert broken == pytest.approx([0.006, 0.137, 0.651], abs=1e-3)


def test_gender_alone_by_the_size_of_the_dictionary():
    def gender(kind: str) -> list[float]:
        runs = results.chosen(RUNS, "dictionary", kind, model="0")
        return [round(run["properties"]["of its kind"]["noun: feminine"]["ap"], 2) for run in runs]

    large = gender("top-k")
    assert (min(large), max(large)) == (0.79, 0.84) and gender("top-k, 64") == [0.85]
    words = {
        kind: results.chosen(RUNS, "dictionary", kind, model="0")[0]["one_word"]["features"]
        for kind in ("top-k", "top-k, 256", "top-k, 64")
    }
    assert words["top-k"] > words["top-k, 256"] > words["top-k, 64"]
