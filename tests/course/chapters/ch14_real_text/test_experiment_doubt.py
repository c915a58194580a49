"""Doubt: what the scores are, how they are compared, and what is stored."""

from dataclasses import asdict

import pytest

from course import experiments
from course.chapters.ch14_real_text import experiment_doubt as doubt
from transformer_lib.text import everyday


def rows(right, wrong):
    return [
        {"right": is_right, "scores": {"s": score}}
        for is_right, some in ((True, right), (False, wrong))
        for score in some
    ]


def test_the_area_is_the_share_of_pairs_in_the_right_order():
    for right, wrong, auroc in [
        ([3, 4], [1, 2], 1.0),
        ([1, 2], [3, 4], 0.0),
        ([1, 3], [2], 0.5),
        ([2], [2], 0.5),
    ]:
        assert doubt.auroc_of(rows(right, wrong), "s") == auroc


def test_what_is_chosen_on_one_half_is_told_on_the_other(monkeypatch):
    """Right ones at even places have scores of 0 to 19, those at odd places half a point less."""

    def scored(translator, number):
        right, odd = number % 4 < 2, number % 2
        score = number // 4 if right else -1
        return {"right": right, "scores": {doubt.USED: score - 0.5 * odd, "other": odd * number}}

    monkeypatch.setattr(doubt, "scored", scored)
    found = doubt.compare_scores(None, range(80))
    # The thresholds are a last digit below the scores 1 and 0.
    expected = {"usual": 0.9999, "lowest": -0.0001, "sentences": 20, "one_in": 20, "right": True}
    assert found["thresholds"] == expected
    used = found["scores"][doubt.USED]
    assert used["chosen on"] == {"auroc": 1.0, "right doubted": 0.05, "wrong doubted": 1.0}
    assert used["told on"] == {"auroc": 1.0, "right doubted": 0.1, "wrong doubted": 1.0}
    assert found["scores"]["other"]["chosen on"]["auroc"] == 0.5


def test_the_scores_of_a_translation_are_those_of_its_tokens(larger):
    translation = larger.translate("I like trees.")
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
    assert asdict(larger.confidence) == stored["thresholds"]
    told = stored["scores"][doubt.USED]["told on"]
    assert told["right doubted"] <= 0.05 and told["wrong doubted"] >= 0.5 and told["auroc"] > 0.9
    some = items[1::4]  # half of those that the threshold is told on
    translations = [larger.translate(item.english) for item in some]
    wrong = [
        bool(larger.warning(one))
        for item, one in zip(some, translations, strict=True)
        if one.text not in item.translations
    ]
    assert sum(wrong) / len(wrong) > 0.5
