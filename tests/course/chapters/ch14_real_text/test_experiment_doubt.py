"""Doubt: what the scores are, how they are compared, and what is stored."""

import pytest

from course import experiments
from course.chapters.ch14_real_text import experiment_doubt as doubt
from transformer_lib.text import everyday
from transformer_lib.translator import Translator


def rows(right, wrong):
    return [
        {"right": is_right, "scores": {"s": score}}
        for is_right, some in ((True, right), (False, wrong))
        for score in some
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "auroc"),
    [([3, 4], [1, 2], 1.0), ([1, 2], [3, 4], 0.0), ([1, 3], [2], 0.5), ([2], [2], 0.5)],
)
def test_the_area_is_the_share_of_pairs_in_the_right_order(right, wrong, auroc):
    assert doubt.auroc_of(rows(right, wrong), "s") == auroc


def test_below_the_threshold_are_at_most_so_many_of_the_right():
    some = rows(range(100), range(-50, 50))
    threshold = doubt.threshold_of(some, "s")
    assert threshold == 5
    assert doubt.share_below(some, "s", threshold, right=True) == doubt.FALSE_ALARMS
    assert doubt.share_below(some, "s", threshold, right=False) == 0.55


def test_what_is_chosen_on_one_half_is_told_on_the_other(monkeypatch):
    """Items at even places choose score and threshold; those at odd ones have other scores."""

    def scored(translator, number):
        right, odd = number % 4 < 2, number % 2
        return {"right": right, "scores": {"a": right - odd, "b": odd * right + 10 * odd}}

    monkeypatch.setattr(doubt, "scored", scored)
    found = doubt.compare_scores(None, range(40))
    assert found["score"] == "a" and found["threshold"] == 1
    assert found["doubted"]["chosen on"] == {"right": 0.0, "wrong": 1.0}
    assert found["doubted"]["told on"] == {"right": 1.0, "wrong": 1.0}
    assert found["auroc"]["b"] == {"chosen on": 0.5, "told on": 1.0}


@pytest.fixture(scope="module")
def larger():
    return Translator.load("tatoeba")


def test_the_scores_of_a_translation_are_those_of_its_tokens(larger):
    translation = larger.translate("I like trees.")[0]
    log_probs = doubt.token_log_probs(larger, "I like trees.", translation)
    assert len(log_probs) == len(translation.tokens) + 1
    # decoding never writes <pad> or <bos>, so what these would have had goes to the others
    assert 0 < translation.log_prob - sum(log_probs) < 1e-3
    found = doubt.scores(larger, "I like trees.", translation)
    assert found["least log-probability"] == min(log_probs)
    assert found["mean log-probability"] == pytest.approx(translation.mean_log_prob)
    assert found["least log-probability"] <= found["mean of the three least"] <= 0
    assert 0 < found["agreement of the beam"] < 100


def test_what_is_stored_is_what_a_part_measured_again_says(larger):
    stored = experiments.load("doubt")
    items = everyday.load(everyday.DOUBT)
    assert stored["sentences"] == len(items)
    some = [doubt.scored(larger, item) for item in items[1:60:2]]
    right = [row for row in some if row["right"]]
    wrong = [row for row in some if not row["right"]]
    below = [row["scores"][stored["score"]] < stored["threshold"] for row in wrong]
    assert right and sum(below) / len(below) > 0.4  # of all wrong ones it is two thirds
    told = stored["doubted"]["told on"]
    assert told["right"] < 0.06 and told["wrong"] > 0.6
    best = stored["auroc"][stored["score"]]
    assert best["chosen on"] == max(one["chosen on"] for one in stored["auroc"].values())
    assert best["told on"] > 0.9
