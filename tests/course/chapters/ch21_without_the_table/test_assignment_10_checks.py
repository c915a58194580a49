"""What assignment 10 takes for right is what the notebooks compute; what it tells of them is so."""

from statistics import mean

import pytest
import torch

from course.chapters.ch19_judge import experiments as lessons
from course.chapters.ch19_judge.policy import advantages, k3, policy_loss
from course.chapters.ch20_features import measures
from course.chapters.ch20_features import results as features
from course.chapters.ch21_without_the_table import assignment_10_checks as check
from course.chapters.ch21_without_the_table import experiments as states
from course.chapters.ch21_without_the_table import mixers
from course.experiments import load
from transformer_lib.text import english_spanish


@pytest.mark.parametrize("right, wanted", [(1, [2, -0.5]), (4, [0.5, -2]), (5, [0])])
def test_the_advantages_are_those_of_notebook_19(right, wanted):
    found = advantages(torch.tensor(right * [1.0] + (5 - right) * [0.0]))
    assert sorted(set(found.tolist()), reverse=True) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_is_that_of_notebook_19(seed):
    new, old, start, gain, spoken, clip, beta = check.loss_inputs(4, 5, 0.1, 0.4, seed)
    told = [x.masked_fill(~spoken, 0.0) for x in (new, old, start)]  # as padding is there
    right = policy_loss(told[0], told[1], gain, clip) + beta * k3(told[0], told[2]).sum(1).mean()
    found = check.lesson(new, old, start, gain, spoken, clip, beta)
    torch.testing.assert_close(found, right)
    garbage = new.masked_fill(~spoken, -7.0)
    torch.testing.assert_close(check.lesson(garbage, old, start, gain, spoken, clip, beta), found)


def test_the_example_shows_both_ends_of_the_clip_in_both_directions():
    new, old, _, gain, spoken, clip, _ = check.loss_inputs()
    ratio, gain = (new - old).exp()[spoken], gain[:, None].expand_as(new)[spoken]
    for low in (True, False):
        for good in (True, False):
            beyond = ratio < 1 - clip if low else ratio > 1 + clip
            assert (beyond & ((gain > 0) == good)).any(), (low, good)


@pytest.mark.parametrize("seed", range(5))
def test_the_average_precision_is_that_of_notebook_20(seed):
    scores, true = check.drawn(20, seed=seed), check.drawn(20, seed=seed + 9) > 0.4
    right = measures.average_precision(scores[:, None], true).item()
    assert check.average_precision(scores, true) == pytest.approx(right)


def test_a_cache_and_a_state_are_counted_by_the_notebooks_layer():
    layer = mixers.LinearAttention(check.HEADS * check.SIZE, check.HEADS, unit_keys=True)
    matrices = layer.start(1)[0]
    assert matrices.numel() == check.HEADS * check.SIZE**2
    of_a_word = 2 * check.HEADS * check.SIZE
    assert 32 * of_a_word == matrices.numel()


def test_the_delta_rule_writes_what_is_then_read():
    _, k, v, beta = check.delta_inputs(6, 4, 3)
    found = check.delta(k, k, v, torch.ones_like(beta))
    torch.testing.assert_close(found, v)  # keys of length 1, all of the difference corrected
    q = check.drawn(6, 4, seed=8)
    table = (q @ k.T).tril() * beta @ v
    torch.testing.assert_close(check.summed(q, k, v, beta), table)


def test_where_the_delta_rule_helps_and_where_it_disturbs():
    """With room it finds all; a sum half of what came twice. With little room both lose."""
    for size in (32, 64):
        assert min(check.read_back(check.delta, size)) > 0.99
        twice, once = check.read_back(check.summed, size)
        assert 0.4 < twice < 0.6 and once > 0.99
    for size in (8, 16):
        summed, delta = (check.read_back(rule, size) for rule in (check.summed, check.delta))
        assert delta[0] > summed[0] + 0.3 and delta[1] < summed[1] - 0.1


def test_the_hasty_judge_makes_both_mistakes():
    new = [english for english, _ in english_spanish.load("test")]
    assert 0.35 < mean(map(check.hasty, new)) < 0.45
    some = [text for text in new if not check.hasty(text)][:20]
    assert all(map(check.judge, some))
    assert check.hasty("The cat is in the the the") and not check.judge("The cat is in the the the")


# --- the three numbers, as the answer tells them ---


def test_what_is_told_of_the_lessons():
    of = lessons.by_way(load("judge"))
    right = {way: [run["right"] for run in runs] for way, runs in of.items()}
    assert round(mean(right["start"]), 2) == 0.23 and round(100 * mean(right["KL 0"])) == 98
    words = {way: mean(run["words"] for run in runs) for way, runs in of.items()}
    assert words["KL 0"] < words["start"] / 8
    tries = {
        (way, k): mean(lessons.passed_at(run, k) for run in of[way])
        for way in ("start", "KL 0")
        for k in (1, 32)
    }
    assert [round(share, 2) for share in tries.values()] == [0.31, 0.91, 0.43, 0.82]


def test_what_is_told_of_the_feature():
    runs = features.runs()
    found = [
        run["properties"]["of its kind"]["noun: feminine"]
        for run in features.chosen(runs, "dictionary", "top-k")
    ]
    assert (round(found[0]["precision"], 2), round(found[0]["recall"], 2)) == (0.99, 0.58)
    ways = features.steering()
    assert round(ways["two features"]["flipped"], 2) == 0.55
    assert round(ways["difference of means"]["flipped"], 2) == 0.89


def test_what_is_told_of_the_exchange():
    right = states.right()
    assert round(100 * mean(right["minGRU"]["longer"])) == 68
    assert round(100 * mean(right["base"]["longer"])) == 18
    assert [round(x, 2) for x in sorted(right["minGRU"]["pronoun"])] == [0.6, 0.64, 0.65]
    assert [round(x, 2) for x in sorted(right["base"]["pronoun"])] == [0.61, 0.73, 0.76]
