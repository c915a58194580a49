"""What assignment 9 takes for right is what PyTorch counts; what it tells of its curve is so."""

import math

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course.chapters.ch17_gpt import assignment_9_checks as check
from course.chapters.ch17_gpt.experiment_language_model import floor_under
from course.experiments import load
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import count_parameters
from transformer_lib.variants.language_model import LanguageModel


def a_model(N, d_model, d_ff, vocab_size, tied="target"):
    how = {"h": 2, "dropout": 0.0, "norm_first": True, "tie_weights": tied}
    return LanguageModel(vocab_size, ModelConfig(N=N, d_model=d_model, d_ff=d_ff, **how))


@pytest.mark.parametrize("sizes", [(1, 8, 20, 30), (3, 16, 24, 7)])
def test_the_sizes_are_those_of_the_matrices(sizes):
    matrices = {
        name: weight.numel()
        for name, weight in a_model(*sizes).named_parameters()
        if weight.dim() == 2
    }
    table = matrices.pop("tgt_embed.table.weight")
    assert check.sizes(*sizes) == (table, sum(matrices.values()))


@pytest.mark.parametrize("sizes", [(1, 8, 20, 30), (3, 16, 24, 7)])
@pytest.mark.parametrize("n", [1, 5, 40])
@pytest.mark.parametrize("tied", ["target", "none"])
def test_the_work_is_what_pytorch_counts(sizes, n, tied):
    model = a_model(*sizes, tied=tied)
    with FlopCounterMode(display=False) as counter:
        model(torch.ones(1, n, dtype=torch.long)).sum().backward()
    assert check.flops(*sizes, n) == counter.get_total_flops()


def test_where_the_rule_of_thumb_holds():
    """Short sentences and one table; not with two, and not where attention is most of the work."""
    sizes = 2, 64, 256, 955
    one, two = (count_parameters(a_model(*sizes, tied=tied)) for tied in ("target", "none"))
    assert one == load("writing")["parameters"]
    assert 6 * one * 9 == pytest.approx(check.flops(*sizes, 9), rel=0.02)
    assert 6 * two * 9 > 1.3 * check.flops(*sizes, 9)
    assert 6 * one * 512 < 0.6 * check.flops(*sizes, 512)


def test_a_law_is_found_again():
    a, alpha = check.power_law(check.LAW_COUNTS, check.LAW_LOSSES, check.TRUE_FLOOR)
    assert (a, alpha) == pytest.approx((check.A, check.ALPHA))


def test_which_floors_are_straight_and_wrong():
    straight, wrong = check.straightness(1.88)
    assert straight > 0.997 and wrong < 1.96 < check.TRUE_FLOOR
    assert check.straightness(1.5)[0] < check.STRAIGHT < check.straightness(1.84)[0]
    assert check.straightness(check.TRUE_FLOOR) == pytest.approx((1, 2.0119), abs=1e-4)


# --- the measured curve, as the answer tells it ---


@pytest.fixture(scope="module")
def curve():
    history = load("writing")["history"]
    return (
        [row["step"] for row in history],
        [row["validation_loss"] for row in history],
        floor_under(500),
    )


def predicted(curve, first, step):
    a, alpha = check.power_law(*(part[:first] for part in curve[:2]), curve[2])
    return curve[2] + a * step**-alpha


def test_the_prediction_is_five_to_seven_per_cent_too_near(curve):
    steps, losses, floor = curve
    assert round(losses[-1], 3) == 2.330 and round(predicted(curve, 4, 1000), 3) == 2.306
    for first in range(3, 10):
        error = (predicted(curve, first, 1000) - floor) / (losses[-1] - floor) - 1
        assert -0.07 < error < -0.045
    assert round(predicted(curve, 4, 100_000), 3) == 1.973
    assert 0.005 < predicted(curve, 4, 100_000) - floor < 0.015


def alphas_of(steps, losses, floor):
    return [check.power_law(steps[i : i + 2], losses[i : i + 2], floor)[1] for i in range(9)]


def test_alpha_is_not_one_number(curve):
    alphas = alphas_of(*curve)
    assert all(0.6 < alpha < 0.81 for alpha in alphas[:7])
    assert [round(alpha, 1) for alpha in alphas[7:]] == [0.5, 0.3]


def test_without_the_floor_alpha_falls_all_the_way(curve):
    steps, losses, _ = curve
    alphas = alphas_of(steps, losses, 0.0)
    assert round(alphas[0], 2) == 0.28 and round(alphas[-1], 2) == 0.05
    assert round(losses[-1] - predicted((steps, losses, 0.0), 4, 1000), 2) == 0.28


def test_the_floor_of_other_sentences_is_off_by_as_much_as_the_prediction(curve):
    found = load("floor")["grammar"]
    spread = found["standard_error"] * math.sqrt(found["sentences"] / 500)
    assert round(spread / found["tokens_per_sentence"], 3) == 0.021
    assert round(found["nats_per_token"] - curve[2], 3) == 0.024
    assert round(curve[1][-1] - predicted(curve, 4, 1000), 3) == 0.024


def test_the_work_and_the_epochs_of_the_training():
    found, per_sentence = load("writing"), load("floor")["grammar"]["tokens_per_sentence"]
    tokens = found["training"]["steps"] * found["training"]["max_tokens"]
    assert tokens == 512_000 and 2 < tokens / (found["sentences"] * per_sentence) < 3
    assert f"{6 * found['parameters'] * tokens:.1e}" == "4.9e+11"
