"""The trainings of notebook 10: what they share, what they change, and what was stored."""

import dataclasses
import itertools
import math

import pytest
import torch
from tqdm import tqdm

from transformer_lib import TOY, PositionalEncoding, Transformer, attention_weights, train
from transformer_lib.experiments import ablations, held_out, load, norms, toy
from transformer_lib.experiments.first_words import ENGLISH, LESSON, PAIRS, new_model
from transformer_lib.experiments.positions import NoPositions
from transformer_lib.recording import attention_layers, record_attention
from transformer_lib.training import TrainingConfig

FEW = TrainingConfig(steps=2, max_tokens=64, validate_every=1)


@pytest.mark.parametrize("task, answer", [("copy", list), ("reverse", lambda r: list(r)[::-1]),
                                          ("sort", sorted)])  # fmt: skip
def test_no_row_of_the_test_is_in_the_training_data(task, answer):
    pairs, test = toy.digit_pairs(task)
    assert (len(pairs), len(test)) == (toy.TRAINING, toy.HELD_OUT)
    assert not {tuple(row) for row, _ in pairs} & {tuple(row) for row, _ in test}
    assert all(list(right) == answer(row) for row, right in test)


def test_a_training_is_repeatable_and_its_seed_counts():
    tiny = dataclasses.replace(TOY, N=1)
    one, again = (toy.learn("copy", tiny, FEW)[1] for _ in range(2))
    other = toy.learn("copy", tiny, dataclasses.replace(FEW, seed=1))[1]
    assert one == again != other


def test_a_model_can_be_changed_before_it_learns():
    seen = []
    toy.learn("copy", dataclasses.replace(TOY, N=1), FEW, seen.append, bar=tqdm(disable=True))
    assert isinstance(seen[0], Transformer)


def test_right_rows_counts_whole_rows(monkeypatch):
    pairs = [([5], [5]), ([6, 7], [7, 6]), ([8], [8]), ([9], [9])]
    monkeypatch.setattr(toy, "greedy_decode", lambda *_, **__: [[5], [7, 6], [8, 8], []])
    assert toy.right_rows(Transformer(14, 14, TOY), pairs) == 0.5


def test_the_first_lesson_is_learned_and_the_same_each_time():
    assert [ENGLISH.decode(target) for _, target in PAIRS] == [["I", "am", "a", "student"],
                                                               ["thanks"]]  # fmt: skip
    losses = [
        train(new_model(), PAIRS, PAIRS, LESSON, bar=tqdm(disable=True))[-1]["validation_loss"]
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


def test_each_row_changes_one_thing():
    assert ablations.ROWS[0] == ablations.Row("base", "base")
    for row in ablations.ROWS[1:]:
        assert len(row.model) + len(row.training) + (row.change is not None) == 1, row.what
        assert dataclasses.replace(ablations.BASE, **row.model) != ablations.BASE or not row.model
    assert len({row.what for row in ablations.ROWS}) == len(ablations.ROWS)


# --- what was stored is what the experiments say today ---


def test_the_stored_norms():
    stored = load("norms")
    assert (stored["steps"], stored["layers"]) == (norms.STEPS, norms.deep(True).N)
    kinds = [tuple(run[k] for k in ("norm_first", "warmup", "peak", "seed"))
             for run in stored["runs"]]  # fmt: skip
    wanted = itertools.product((False, True), norms.WARMUPS, norms.PEAKS, norms.SEEDS)
    assert kinds == list(wanted)
    assert all(math.isfinite(e["loss"]) for run in stored["runs"] for e in run["history"])


def test_the_stored_ablations():
    stored = load("ablations")
    assert stored["model"] == dataclasses.asdict(ablations.BASE)
    assert stored["training"] == dataclasses.asdict(ablations.TRAINING)
    kinds = [(run["part"], run["what"], run["seed"]) for run in stored["runs"]]
    assert kinds == [(r.part, r.what, seed) for r in ablations.ROWS for seed in ablations.SEEDS]


def test_the_stored_runs_on_few_and_many_pairs():
    stored = load("held-out")
    kinds = [(run["pairs"], run["seed"]) for run in stored["runs"]]
    assert kinds == [(count, seed) for count in held_out.COUNTS for seed in held_out.SEEDS]
    assert {run["history"][-1]["step"] for run in stored["runs"]} == {held_out.STEPS}
