"""The trainings of notebook 10: what they share, what they change, and what was stored."""

import dataclasses

import pytest
import torch

from course.chapters.ch10_training import experiment_ablations as ablations
from course.chapters.ch10_training.experiment_first_steps import LOOP, loop
from course.chapters.ch10_training.experiments import smoothing_penalty, train_with_a_fault
from course.experiments import load, load_runs
from transformer_lib import Transformer, make_model
from transformer_lib.interpret.recording import attention_layers, record_attention
from transformer_lib.recipes import RECIPES


def test_what_is_left_out_is_out():
    src, tgt = torch.tensor([[5, 8, 11, 2]]), torch.tensor([[1, 9, 7]])
    blind, unscaled, narrow = (Transformer(14, 14, ablations.BASE).eval() for _ in range(3))
    ablations.without_positions(blind)
    order = [2, 0, 3, 1]
    torch.testing.assert_close(blind.encode(src)[:, order], blind.encode(src[:, order]))
    layer = unscaled.encoder.layers[0].self_attn
    x = unscaled.src_positions(unscaled.src_embed(src))
    query, key = layer.split_heads(layer.w_q(x)), layer.split_heads(layer.w_k(x))
    ablations.without_scaling(unscaled)
    with record_attention(unscaled) as weights:
        unscaled(src, tgt)
    expected = (query @ key.transpose(-2, -1)).softmax(dim=-1)
    torch.testing.assert_close(weights["encoder.layers.0.self_attn"], expected)
    ablations.narrow_keys(2)(narrow)
    for layer in attention_layers(narrow).values():
        assert layer.w_q.weight.shape == layer.w_k.weight.shape == (4 * 2, 64)
    assert narrow(src, tgt).shape == (1, 3, 14)


def test_at_the_middle_rate_the_warm_up_brings_post_norm_a_few_points():
    after, at_once = (
        [run["right_rows"] for run in runs]
        for steps in (100, 1)
        for runs in [load_runs("norms", norm_first=False, max_lr=1e-3, warmup=steps)]
    )
    assert len(after) == len(at_once) == 3 and min(after) > max(at_once)
    assert 0.03 < (sum(after) - sum(at_once)) / 3 < 0.08


def test_the_fault_lets_the_source_side_stand_still():
    torch.manual_seed(0)
    model = make_model(14, 14, N=1, d_model=32, d_ff=64, h=4, dropout=0.0)
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    losses = train_with_a_fault(model, steps=3)
    assert len(losses) == 3
    moves = {
        (name.split(".")[0], torch.equal(w, before[name])) for name, w in model.named_parameters()
    }
    still = {name for name, same in moves if same}
    assert still == {"src_embed", "encoder"} and len(moves) == 5, "a part moves whole, or not"


def test_the_stored_loop_begins_as_it_would_now():
    stored = load("loop")
    assert [entry["step"] for entry in stored["history"]] == list(range(20, 401, 20))
    [now] = loop(until=20)["history"]
    assert now == pytest.approx(stored["history"][0], abs=2e-4)


def test_what_is_told_of_mistakes():
    """Notebook 10, section 8: after a mistake, fewer digits are right, with each of three seeds."""
    found = [
        (round(100 * run["forced"]), round(100 * run["alone"]))
        for run in load("loop")["after_mistakes"]
    ]
    assert found == [(83, 52), (78, 50), (79, 43)]


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
    _, (_, smoothed), shares = smoothing_penalty()
    assert shares[smoothed.argmin()] == pytest.approx(0.911, abs=0.005)
    assert round(smoothed.min().item(), 2) == 0.48


def test_what_is_told_of_few_rows():
    """Notebook 10, section 9: on 50 rows the held-out loss begins near 2.3 and doubles."""
    few = [run["history"] for run in load_runs("held-out", pairs=50)]
    for history in few:
        assert history[0]["step"] == 25 and history[-1]["step"] == 400
        first, last = (history[i]["validation_loss"] for i in (0, -1))
        assert first == pytest.approx(2.3, abs=0.1) and 1.9 < last / first < 2.1
    assert sum(history[-1]["validation_loss"] for history in few) / len(few) > 4.5
