"""Repeated rows: what is measured of a model that is made by hand, and a training of two steps."""

import math
from contextlib import nullcontext

import pytest
import torch

from course.chapters.ch17_gpt import experiment_induction as induction
from course.chapters.ch17_gpt.experiment_induction import ROW, WORDS, heads, losses, repeated
from course.experiments import load_runs
from transformer_lib.text.tokens import BOS, SPECIALS
from transformer_lib.variants.language_model import LanguageModel

RUNS = load_runs("induction")


def batch():
    return torch.tensor([[BOS, *row] for row in repeated(5, seed=3)])


def test_a_row_comes_twice_and_its_words_once():
    rows = repeated(20, seed=1)
    for row in rows:
        assert row[:ROW] == row[ROW:] and len(set(row)) == ROW
        assert min(row) >= len(SPECIALS) and max(row) < len(SPECIALS) + WORDS
    assert len({tuple(row) for row in rows}) == 20
    assert rows != repeated(20, seed=2)


def test_a_model_that_knows_the_trick():
    # after a word that stood before: what followed it then; else any word is as likely
    class Copier(torch.nn.Module):
        def forward(self, ids):
            logits = torch.zeros(*ids.shape, len(SPECIALS) + WORDS)
            for row, words in enumerate(ids.tolist()):
                for place, word in enumerate(words):
                    if word in words[:place]:
                        logits[row, place, words[words.index(word) + 1]] = 50.0
            return logits

    found = losses(Copier(), batch())
    assert found["first"] == pytest.approx(math.log(len(SPECIALS) + WORDS))
    assert found["second"] == pytest.approx(0, abs=1e-6)


def test_an_induction_head_is_found(monkeypatch):
    # a head that is made to look there, and one that looks at the word before
    model, ids = LanguageModel(len(SPECIALS) + WORDS, induction.MODEL).eval(), batch()
    places = torch.arange(2 * ROW)
    weights = torch.zeros(1, 4, 2 * ROW, 2 * ROW)
    weights[:, 2, places, (places - ROW + 1).clamp(min=0)] = 1.0
    weights[:, 3, places, (places - 1).clamp(min=0)] = 1.0

    assert len(heads(model, ids)) == 2 * 4
    fixed = nullcontext({"layers.1.self_attn": weights.expand(5, -1, -1, -1)})
    monkeypatch.setattr(induction, "record_attention", lambda model: fixed)
    table = heads(model, ids)
    for name, head in ("induction", 2), ("previous", 3), ("previous_first", 3):
        assert [one[name] for one in table] == [number == head for number in range(4)]


def test_the_stored_heads_do_it():
    assert [run["seed"] for run in RUNS] == list(induction.SEEDS)
    # the first row can't be learned: all words but those that were there are as likely
    floor = sum(math.log(WORDS - place) for place in range(ROW)) / ROW
    for run in RUNS:
        assert run["second"] < 0.5 and run["history"][-1]["first"] > floor
        assert run["best"]["layer"] == "layers.1.self_attn"
        assert max(run["second_with_a_head_off"].values()) > 2 * run["second"]


def test_a_head_learns_where_to_look_while_the_loss_falls():
    for run in RUNS:
        entries = run["history"]
        start = [entry for entry in entries if entry["second"] > 3][-1]
        end = next(entry for entry in entries if entry["second"] < 0.5)
        assert start["head"] < 0.25 and 0.75 < end["head"] < 0.85
        assert entries[0]["second"] > 3.8 and entries[-1]["second"] < 0.05
        assert end["step"] - start["step"] == induction.fall(run)


def test_what_notebook_17_tells_of_the_heads_that_are_off():
    elsewhere = []
    for run in RUNS:
        off = run["second_with_a_head_off"]
        below, above = (
            [
                (head, off[f"{head['layer']}.{head['head']}"])
                for head in run["heads"]
                if head["layer"].startswith(layer)
            ]
            for layer in ("layers.0", "layers.1")
        )
        assert [head for head, _ in below + above] == run["heads"]
        assert all(head["induction"] > 0.695 and loss < 0.655 for head, loss in above)
        assert run["second_with_layer_1_off"] > 5
        worst, loss = max(below, key=lambda pair: pair[1])
        assert worst == max((head for head, _ in below), key=lambda head: head["previous_first"])
        assert 0.895 < worst["previous_first"] < 0.935
        assert 0.645 < loss < 2.4 < math.log(ROW) and loss == max(off.values())
        elsewhere.append([loss for head, loss in below if head["previous_first"] < 0.065])
    assert [round(max(losses, default=0), 1) for losses in elsewhere[1:]] == [0.7, 0.5]
    assert [induction.fall(run) for run in RUNS] == [125, 75, 175]
