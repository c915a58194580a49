"""The trainings of notebook 10: what they share, what they change, and what was stored."""

import dataclasses
import json

import pytest
import torch
from tqdm import tqdm

from course.chapters.ch10_training import experiment_ablations as ablations
from course.chapters.ch10_training.experiment_first_steps import LOOP, loop
from course.chapters.ch10_training.experiment_first_words import ENGLISH, LESSON, PAIRS, new_model
from course.chapters.ch10_training.experiments import smoothing_penalty, train_with_a_fault
from course.experiments import digit_training as toy
from course.experiments import load
from transformer_lib import (
    TOY,
    PositionalEncoding,
    Transformer,
    attention_weights,
    make_model,
    train,
)
from transformer_lib.interpret.recording import attention_layers, record_attention
from transformer_lib.recipes import RECIPES
from transformer_lib.training.batches import all_batches
from transformer_lib.training.state import TrainState
from transformer_lib.translator import SHIPPED_MODEL
from transformer_lib.variants import NoPositions


def test_no_row_of_the_test_is_in_the_training_data():
    for task, answer in [("copy", list), ("reverse", lambda r: list(r)[::-1]), ("sort", sorted)]:
        pairs, test = toy.digit_pairs(task)
        assert (len(pairs), len(test)) == (toy.TRAINING, toy.HELD_OUT)
        assert not {tuple(row) for row, _ in pairs} & {tuple(row) for row, _ in test}
        assert all(list(right) == answer(row) for row, right in test)


def test_right_rows_counts_whole_rows(monkeypatch):
    pairs = [([5], [5]), ([6, 7], [7, 6]), ([8], [8]), ([9], [9])]
    monkeypatch.setattr(toy, "greedy_decode", lambda *_, **__: [[5], [7, 6], [8, 8], []])
    assert toy.right_rows(Transformer(14, 14, TOY), pairs) == 0.5


def test_the_first_lesson_is_learned_and_the_same_each_time():
    assert [ENGLISH.decode(target) for _, target in PAIRS] == [
        ["I", "am", "a", "student"],
        ["thanks"],
    ]
    losses = [
        train(new_model(), PAIRS, PAIRS, LESSON, progress=tqdm(disable=True))[-1]["validation_loss"]
        for _ in range(2)
    ]
    assert losses[0] == losses[1] < 0.1


# --- what the ablations change ---


def base() -> Transformer:
    torch.manual_seed(0)
    return Transformer(14, 14, ablations.BASE).eval()


SRC, TGT = torch.tensor([[5, 8, 11, 2]]), torch.tensor([[1, 9, 7]])


def test_without_positions_the_encoder_is_blind_to_order():
    model = base()
    assert isinstance(model.src_positions, PositionalEncoding)
    ablations.without_positions(model)
    assert isinstance(model.src_positions, NoPositions) and isinstance(
        model.tgt_positions, NoPositions
    )
    order = [2, 0, 3, 1]
    torch.testing.assert_close(model.encode(SRC)[:, order], model.encode(SRC[:, order]))


def test_without_scaling_the_scores_are_not_divided():
    model = base()
    layer = model.encoder.layers[0].self_attn
    x = model.src_positions(model.src_embed(SRC))
    query, key = layer.split_heads(layer.w_q(x)), layer.split_heads(layer.w_k(x))
    ablations.without_scaling(model)
    with record_attention(model) as weights:
        model(SRC, TGT)
    expected = (query @ key.transpose(-2, -1)).softmax(dim=-1)
    torch.testing.assert_close(weights["encoder.layers.0.self_attn"], expected)
    assert not torch.allclose(expected, attention_weights(query, key))


def test_narrow_keys_leave_the_values_as_they_are():
    model = base()
    ablations.narrow_keys(2)(model)
    for layer in attention_layers(model).values():
        assert layer.w_q.weight.shape == layer.w_k.weight.shape == (4 * 2, 64)
        assert layer.w_v.weight.shape == (64, 64)
    assert model(SRC, TGT).shape == (1, 3, 14)


def test_each_run_sees_each_row_about_twice():
    pairs, _ = toy.digit_pairs("reverse")
    batches = all_batches(pairs, ablations.TRAINING, TrainState())
    seen = sum(len(next(batches).src) for _ in range(ablations.TRAINING.steps))
    assert 1.8 < seen / len(pairs) < 2.2


def test_each_row_changes_one_thing():
    assert ablations.ROWS[0] == ablations.Row("base", "base")
    for row in ablations.ROWS[1:]:
        assert len(row.model) + len(row.training) + (row.change is not None) == 1, row.what
        assert dataclasses.replace(ablations.BASE, **row.model) != ablations.BASE or not row.model
    assert len({row.what for row in ablations.ROWS}) == len(ablations.ROWS)


# --- what was stored is what the experiments say today ---


def test_at_the_middle_rate_the_warm_up_brings_post_norm_a_few_points():
    after, at_once = (
        [
            run["right_rows"]
            for run in load("norms")["runs"]
            if not run["norm_first"] and run["max_lr"] == 1e-3 and run["warmup"] == steps
        ]
        for steps in (100, 1)
    )
    assert len(after) == len(at_once) == 3 and min(after) > max(at_once)
    assert 0.03 < (sum(after) - sum(at_once)) / 3 < 0.08


# --- the loop by hand, the first steps of the translator, a fault ---


def test_the_fault_lets_the_source_side_stand_still():
    torch.manual_seed(0)
    model = make_model(14, 14, N=1, d_model=32, d_ff=64, h=4, dropout=0.0)
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    losses = train_with_a_fault(model, steps=3)
    assert len(losses) == 3
    still = {
        name.split(".")[0]
        for name, weight in model.named_parameters()
        if torch.equal(weight, before[name])
    }
    moved = {
        name.split(".")[0]
        for name, weight in model.named_parameters()
        if not torch.equal(weight, before[name])
    }
    assert (still, moved) == ({"src_embed", "encoder"}, {"tgt_embed", "decoder", "generator"})


def test_the_stored_loop_begins_as_it_would_now():
    stored = load("loop")
    assert [entry["step"] for entry in stored["history"]] == list(range(20, 401, 20))
    [now] = loop(steps=400, until=20)["history"]
    assert now == pytest.approx(stored["history"][0], abs=2e-4)


def test_what_is_told_of_mistakes():
    """Notebook 10, section 8: after a mistake, fewer digits are right, with each of three seeds."""
    found = [
        (round(100 * run["forced"]), round(100 * run["alone"]))
        for run in load("loop")["after_mistakes"]
    ]
    assert found == [(83, 52), (78, 50), (79, 43)]


def test_the_first_steps_are_those_of_the_shipped_model():
    """The same data, seed and settings: so nearly the losses that its own record holds."""
    stored = {entry["step"]: entry for entry in load("first-steps")["history"]}
    record = json.loads((SHIPPED_MODEL / "training.json").read_text())["history"]
    for entry in record[:2]:
        assert stored[entry["step"]]["validation_loss"] == pytest.approx(
            entry["validation_loss"], rel=0.06
        )
    assert stored[0]["writes"].lower().split().count("asustados") > 5
    assert stored[1500]["writes"] == "Me gustan los árboles"


def test_what_is_told_of_the_first_steps():
    """Notebook 10, section 1: right in half of the looks, and from step 725 on each time."""
    run = load("first-steps")
    writes = {entry["step"]: entry["writes"] for entry in run["history"]}
    wrong = [step for step, text in writes.items() if text != run["right"]]
    assert min(step for step, text in writes.items() if text == run["right"]) == 375
    looks = [step for step in writes if 375 <= step <= 700]
    assert len(looks) == 14 and len({*looks} & {*wrong}) == 7
    assert max(wrong) == 700 and max(writes) == 1500
    assert writes[250] == "Te gustan los domingos"
    assert (writes[275], writes[325]) == ("Me gustan los niños", "Me gustan los armarios")


def test_what_is_told_of_schedules():
    """Notebook 10: straight lines here and for the shipped model; a third is left."""
    how = RECIPES["en-es"].training
    assert (how.schedule, LOOP.schedule, LOOP.steps, LOOP.warmup) == ("linear", "linear", 400, 50)
    assert how.learning_rate(how.steps, 128) < 1e-5 < how.max_lr
    papers = dataclasses.replace(LOOP, schedule="paper")
    assert papers.learning_rate(400, 32) / papers.learning_rate(50, 32) == pytest.approx(
        0.354, abs=0.001
    )


def test_what_is_told_of_smoothing():
    """The least loss is the entropy of the smoothed target, at 0.911."""
    _, curves, shares = smoothing_penalty()
    best = curves["eps = 0.1"].argmin()
    row = torch.full((9,), 0.1 / 9, dtype=torch.float64)
    row[0] += 0.9
    assert shares[best] == pytest.approx(0.911, abs=0.005)
    assert curves["eps = 0.1"].min() == pytest.approx(
        torch.special.entr(row).sum().item(), abs=1e-3
    )
    assert round(curves["eps = 0.1"].min().item(), 2) == 0.48
    assert curves["eps = 0"].argmin() == len(shares) - 1


def test_what_is_told_of_few_rows():
    """Notebook 10, section 9: on 50 rows the held-out loss begins near 2.3 and doubles."""
    few = [run["history"] for run in load("held-out")["runs"] if run["pairs"] == 50]
    for history in few:
        assert history[0]["step"] == 25 and history[-1]["step"] == 400
        first, last = (history[i]["validation_loss"] for i in (0, -1))
        assert first == pytest.approx(2.3, abs=0.1) and 1.9 < last / first < 2.1
    assert sum(history[-1]["validation_loss"] for history in few) / len(few) > 4.5
