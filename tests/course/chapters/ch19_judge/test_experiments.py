"""What notebook 19 says of the stored runs, where no cell of its own says it in code."""

import dataclasses
import statistics

import pytest
import torch

from course import experiments
from course.chapters.ch17_gpt import experiments as gpt
from course.chapters.ch19_judge import experiments as lab
from course.chapters.ch19_judge.policy import least_kl

STORED = experiments.load("judge")
OF = lab.by_way(STORED)


def test_stored_first_sentences_are_judged_as_stored_shares_say():
    """Of each way's first eight sentences about as many are right as of all."""
    for way in ("start", "KL 0", "hole"):
        runs = OF[way]
        verdicts = [lab.judge(text) for run in runs for text in run["first"]]
        assert abs(statistics.mean(verdicts) - lab.mean(runs, "right")) < 0.3


def test_kinds():
    texts = ["Is it red?", "Is it red?", "I sleep because I am tired", "We sleep"]
    found = lab.kinds(texts)
    assert found["different"] == 0.75 and found["because"] == 0.25 and found["questions"] == 0.5
    assert found["words"] == 9 and found["length"] == 3.5


def test_a_hasty_judge_reads_four_words():
    known = next(text for text in gpt.training_data()[1] if len(text.split()) > 5)
    words = known.split()
    assert lab.hasty(" ".join([*words[:4], "nonsense", "and", "more"]))
    assert not lab.hasty(" ".join(["nonsense", *words[1:]]))


@pytest.fixture(scope="module")
def start():
    """A model that has learned for a moment: its sentences are short work for the judge."""
    torch.manual_seed(0)
    words, learned, _ = gpt.training_data()
    return gpt.learn_to_write(dataclasses.replace(gpt.HOW, steps=20, warmup=5))[0].eval(), words


def test_teaching_moves_a_copy_and_keeps_the_start(start):
    model, words = start
    before = {name: weights.clone() for name, weights in model.state_dict().items()}

    def shouts(text: str) -> bool:
        return "the" in text.lower().split()

    taught, history = lab.teach(model, words, shouts, kl_weight=0.0, steps=12)
    assert all(before[name].equal(weights) for name, weights in model.state_dict().items())
    assert history[0]["kl"] == pytest.approx(0, abs=1e-3)
    assert history[-1]["kl"] > 0.1 and history[-1]["reward"] > history[0]["reward"]
    leashed = lab.teach(model, words, shouts, kl_weight=5.0, steps=12)[1]
    assert leashed[-1]["kl"] < history[-1]["kl"]


def test_how_sure_a_share_is():
    low, high = gpt.interval(0.5, lab.DRAWN)
    assert 0.055 < (high - low) / 2 < 0.065
    low, high = gpt.interval(0.9, 100)  # of the answers after the tuning
    assert round((high - low) / 2, 2) == 0.06


def test_one_threshold_was_missed():
    met = lab.thresholds_met(STORED, lab.THRESHOLDS)
    kept = met.pop("trained on what passed: correct at least twice as often as before")
    assert kept == [True, True, False] and all(map(all, met.values()))
    last = {way: runs[-1] for way, runs in OF.items()}
    assert round(last["trained on what passed"]["right"], 2) == 0.52
    assert round(last["start"]["right"], 2) == 0.27
    assert round(last["best of 16"]["before"], 2) == 0.22


def test_what_the_sections_say():
    of, start_length = OF, max(run["length"] for run in OF["start"])
    for start, best in zip(of["start"], of["best of 16"], strict=True):
        assert best["right"] > 0.9 and best["different"] > 0.99
        assert 0.75 < best["words"] / start["words"] < 0.85
    order = [run["above_floor"] for way in ("start", "KL 0.3", "KL 0.1", "KL 0") for run in of[way]]
    assert all(max(order[i : i + 3]) < min(order[i + 3 : i + 6]) for i in (0, 3, 6))
    passed = of["trained on what passed"]
    assert round(lab.mean(passed, "right"), 2) == 0.53 and round(lab.mean(passed, "kl"), 1) == 1.9
    counts = lab.solved_by_one(of["start"], of["KL 0"]), lab.solved_by_one(of["KL 0"], of["start"])
    assert counts == (9, 1)
    pairs = list(zip(of["start"], of["KL 0"], strict=True))
    gains = [lab.passed_at(taught, 1) - lab.passed_at(start, 1) for start, taught in pairs]
    assert [round(100 * gain) for gain in gains] == [12, 13, 10]
    because = gpt.training_data()[0].encode("Because")
    lost = [
        prompt[1 : 1 + len(because)].tolist() == because
        for start, taught in pairs
        for prompt, before, now in zip(
            lab.prompts(), start["solved"], taught["solved"], strict=True
        )
        if before > 0 == now
    ]
    assert (sum(lost), len(lost)) == (3, 9)
    assert all(240 * run["because"] < 1.5 for run in of["KL 0"])  # at most one of them
    assert all(text.startswith("Because") for run in of["hole"] for text in run["first"])
    assert all(run["length"] > start_length for run in of["hole"])
    assert gpt.HOW.steps == 1000  # of the stored starts
    least = [
        run["kl"] / least_kl(run["right"], start["right"])
        for way in lab.TRAINED
        for start, run in zip(of["start"], of[way], strict=True)
    ]
    assert round(min(least), 1) == 3.9 and len(least) == 12


def test_the_truth_is_asked_in_five_of_the_last_ten_steps():
    for run in OF["hole"]:
        assert sum("right" in entry for entry in run["history"][-10:]) == 5
