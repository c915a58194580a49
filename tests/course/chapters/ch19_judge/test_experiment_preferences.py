"""Pairs, the reward model, and DPO: each beside what it stands for."""

import math
import random

import pytest
import torch

from course import experiments
from course.chapters.ch19_judge import experiment_preferences as lab
from course.chapters.ch19_judge.experiments import (
    by_way,
    mean,
    passed_at,
    solved_by_one,
    thresholds_met,
)
from course.chapters.ch19_judge.policy import least_kl
from transformer_lib.model.config import ModelConfig
from transformer_lib.recipes import learn_language
from transformer_lib.variants.language_model import LanguageModel

STORED = experiments.load("preferences")
RNG = random.Random(0)
TEXTS = [" ".join(RNG.choices(["trees", "music", "cats", "dogs"], k=4)) for _ in range(60)]
WORDS = learn_language("en", TEXTS)


@pytest.fixture
def start() -> LanguageModel:
    torch.manual_seed(0)
    config = ModelConfig(N=1, d_model=16, d_ff=32, h=2, dropout=0.0, norm_first=True)
    return LanguageModel(len(WORDS.vocab), config).eval()


def musical(text: str) -> bool:
    return "music" in text


PAIRS = lab.preferred(TEXTS, musical, 320, seed=0)


def test_pairs_are_those_that_the_wish_can_decide():
    assert len(PAIRS) == 320
    assert all(musical(best) and not musical(rest) for best, rest in PAIRS)
    assert (
        PAIRS
        == lab.preferred(TEXTS, musical, 320, seed=0)
        != lab.preferred(TEXTS, musical, 320, seed=1)
    )


def test_a_score_is_that_of_the_last_token_whatever_the_padding(start):
    scores = lab.RewardModel(start).eval()
    alone = [scores(lab.ids_of(WORDS, [text])) for text in ("cats", "cats music trees")]
    torch.testing.assert_close(
        scores(lab.ids_of(WORDS, ["cats", "cats music trees"])), torch.cat(alone)
    )


def test_dpo_loss_by_hand():
    new, start = torch.tensor([[-1.0], [-3.0]]), torch.tensor([[-2.0], [-1.0]])
    # the preferred sentence has gained 1, the other has lost 2
    assert lab.dpo_loss(new, start, 0.5).item() == pytest.approx(math.log(1 + math.exp(-1.5)))
    assert lab.dpo_loss(start, start, 0.5).item() == pytest.approx(math.log(2))


def test_a_reward_model_learns_the_wish_and_leaves_the_start_alone(start):
    before = [weights.clone() for weights in start.parameters()]
    scores = lab.learn_reward(start, WORDS, PAIRS, rate=1e-2)
    assert lab.agrees(scores, WORDS, PAIRS) > 0.95
    assert all(map(torch.equal, before, start.parameters()))


def test_dpo_makes_the_preferred_ones_likelier_than_the_others(start):
    student = lab.dpo(start, WORDS, PAIRS, rate=1e-2)
    up, down = (lab.gained(student, start, WORDS, some) for some in zip(*PAIRS, strict=True))
    assert up > down + 1


def test_all_seeds_missed_one_threshold():
    met = thresholds_met(STORED, lab.THRESHOLDS)
    missed = met.pop("all three: pass@1 at least 0.05 above the starting model's")
    assert not any(missed) and all(map(all, met.values()))


def test_what_the_sections_say_and_the_picture():
    of = by_way(STORED)
    told = {
        way: [round(mean(runs, "right"), 2), round(mean(runs, "kl"), 1)] for way, runs in of.items()
    }
    assert told == {
        "start": [0.25, 0],
        "GRPO": [0.91, 5.2],
        "DPO": [0.53, 3.2],
        "reward model": [0.86, 9.0],
        "DPO, short": [0.22, 5.7],
        "reward model, short": [0.48, 7.6],
    }
    assert round(mean(of["start"], "length")) == 7
    assert {round(mean(of[way], "length")) for way in lab.TAUGHT} == {3, 4}
    different = {way: round(mean(of[way], "different"), 2) for way in lab.TAUGHT}
    assert different == {"GRPO": 0.52, "DPO": 0.99, "reward model": 0.29}
    assert [round(run["agrees"], 2) for run in of["reward model"]] == [0.83, 0.76, 0.77]
    misled = of["reward model, short"]
    assert [round(run["right"], 2) for run in misled] == [0.69, 0.10, 0.66]
    assert [round(100 * run["right"]) for run in of["DPO, short"]] == [13, 23, 31]
    gains = [
        passed_at(run, 1) - passed_at(start, 1)
        for start, run in zip(of["start"], of["reward model"], strict=True)
    ]
    assert sorted(round(100 * gain) for gain in gains) == [-3, 3, 4]
    assert all(run["score"][-1] - run["score"][0] > 5 for run in misled)
    assert all(2 <= run["length"] <= 3.1 for way in lab.RUNS if "short" in way for run in of[way])
    for way, counts in {"GRPO": (4, 0), "DPO": (7, 1), "reward model": (11, 0)}.items():
        assert counts == (solved_by_one(of["start"], of[way]), solved_by_one(of[way], of["start"]))
    for way in lab.TAUGHT:
        for run, start in zip(of[way], of["start"], strict=True):
            assert run["kl"] > 3.9 * least_kl(run["right"], start["right"])
            assert run["above_floor"] > start["above_floor"]
