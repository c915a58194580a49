"""Translations drawn at random: what is drawn from, and how often each comes."""

import math

import pytest
import torch

from tests.transformer_lib.decoding.random_models import (
    ALL_KINDS,
    MAX,
    SEEDS,
    babbler,
    endless,
    log_prob,
    sources,
    the_slow_way,
)
from transformer_lib.decoding import greedy_decode, sample_decode, sampling_distribution
from transformer_lib.decoding.sampling import sample
from transformer_lib.text.tokens import BOS, EOS, PAD

close = torch.testing.assert_close
LOGITS = torch.tensor([[2.0, 0.0, 3.0, 1.0, -1.0], [0.5, 4.0, -2.0, 1.5, 1.0]]).double()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def as_ids(found):
    return [one.ids for one in found]


# --- what is drawn from --------------------------------------------------------------------------


def test_nothing_sharpened_is_the_softmax():
    close(sampling_distribution(LOGITS), LOGITS.softmax(dim=-1))
    close(sampling_distribution(LOGITS, top_k=5, top_p=1.0), LOGITS.softmax(dim=-1))
    close(sampling_distribution(LOGITS, top_k=99), LOGITS.softmax(dim=-1))


def test_temperature_divides_the_logits():
    close(sampling_distribution(LOGITS, temperature=0.5), (2 * LOGITS).softmax(dim=-1))
    close(
        sampling_distribution(torch.tensor([0.0, math.log(9)]), temperature=2.0),
        torch.tensor([0.25, 0.75]),
    )


def test_a_temperature_near_zero_leaves_the_best_word():
    best = torch.nn.functional.one_hot(LOGITS.argmax(dim=-1), 5).double()
    for temperature in (0.01, 1e-6, 1e-300):
        close(sampling_distribution(1000 * LOGITS, temperature=temperature), best)
    flat = sampling_distribution(LOGITS, temperature=1e9)
    close(flat, torch.full_like(flat, 0.2))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_top_k_keeps_the_k_likeliest_in_their_proportions(k):
    p, full = sampling_distribution(LOGITS, top_k=k), LOGITS.softmax(dim=-1)
    assert (p > 0).sum(dim=-1).tolist() == [k, k]
    close(p.sum(dim=-1), torch.ones(2).double())
    for row, all_words in zip(p, full, strict=True):
        kept = row > 0
        assert all_words[kept].min() > all_words[~kept].max()
        close(row[kept] / row[kept].sum(), all_words[kept] / all_words[kept].sum())


def test_top_k_keeps_exactly_k_of_equal_words():
    assert (sampling_distribution(torch.zeros(1, 7), top_k=3) > 0).sum() == 3


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [
        (0.01, 1),
        (0.49, 1),
        (0.51, 2),
        (0.79, 2),
        (0.81, 3),
        (0.94, 3),
        (0.96, 4),
        (1.0, 4),
    ],
)
def test_top_p_keeps_the_fewest_words_that_reach_it(top_p, kept):
    p = sampling_distribution(torch.tensor([0.05, 0.3, 0.15, 0.5]).double().log(), top_p=top_p)
    likeliest = [0.5, 0.3, 0.15, 0.05][:kept]
    assert (p > 0).sum() == kept
    close(p.sort(descending=True).values[:kept], torch.tensor(likeliest).double() / sum(likeliest))


def test_of_equal_words_top_p_keeps_the_first_and_no_more_than_reach_it():
    # 128 parts of 1/128, whose sums are exact
    for top_p, kept in ((1 / 128, 1), (0.25, 32), (0.5, 64), (127 / 128, 127)):
        p = sampling_distribution(torch.zeros(1, 128), top_p=top_p)
        assert p[0].nonzero().flatten().tolist() == list(range(kept))


def test_without_top_p_the_unlikeliest_word_stays():
    # the first word has all the digits of float32, so in the sum the others are lost
    logits = torch.tensor([30.0, 0.0, -10.0])
    assert logits.softmax(dim=-1).cumsum(dim=-1)[0] == 1
    close(sampling_distribution(logits), logits.softmax(dim=-1), rtol=1e-6, atol=0)


def test_first_temperature_then_top_k_then_top_p():
    logits = torch.tensor([0.6, 0.3, 0.1]).double().log()
    squares = torch.tensor([0.36, 0.09, 0.0]).double()
    close(sampling_distribution(logits, temperature=0.5, top_k=2), squares / 0.45)
    # of the two that are left, the first has 0.8: enough for 0.75, though it had 0.78 of three
    assert (sampling_distribution(logits, temperature=0.5, top_k=2, top_p=0.79) > 0).sum() == 1


def test_forbidden_words_are_never_drawn():
    logits = LOGITS.clone()
    logits[:, :2] = -math.inf
    for how in ({"temperature": 1e9}, {"temperature": 1e-9}, {"top_k": 4}, {"top_p": 0.99999}):
        p = sampling_distribution(logits, **how)
        assert (p[:, :2] == 0).all() and p.isfinite().all()
        close(p.sum(dim=-1), torch.ones(2).double())


# --- drawing -------------------------------------------------------------------------------------


def test_words_come_as_often_as_they_are_likely():
    p = torch.tensor([0.5, 0.0, 0.3, 0.2]).repeat(100_000, 1)
    words = sample(p, torch.rand(100_000, generator=seeded()))
    often = words.bincount(minlength=4) / 100_000
    assert often[1] == 0
    # four standard deviations of a share of 100,000 draws are 0.0063 at most
    assert (often - p[0]).abs().max() < 0.0063


def test_the_ends_of_the_line():
    p = torch.tensor([[0.0, 0.25, 0.75, 0.0]]).repeat(4, 1)
    assert sample(p, torch.tensor([0.0, 0.2499, 0.25, 1 - 2**-24])).tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("off", [-3e-7, 3e-7])
def test_where_the_sum_is_not_quite_1_the_last_number_still_falls_on_a_word(off):
    p = torch.tensor([[0.0, 0.25, 0.75 + off, 0.0]])
    assert p.double().sum() != 1
    assert sample(p, torch.tensor([1 - 2**-24])).tolist() == [2]
    middle = 0.25 / p.double().sum()  # the border of the two words
    assert sample(p.repeat(2, 1), torch.stack([middle - 1e-7, middle + 1e-7])).tolist() == [1, 2]


@pytest.mark.slow
def test_first_words_of_a_model_come_as_often_as_it_finds_them_likely():
    model, src = babbler(), sources()[:1]
    next_log_probs = the_slow_way(model, src[0])
    p = torch.tensor(next_log_probs(())).softmax(dim=-1)
    found = sample_decode(model, src[[0] * 20_000], generator=seeded(), max_length=1)
    first = torch.tensor([one.ids[0] if one.ids else EOS for one in found])
    assert (first.bincount(minlength=11) / 20_000 - p).abs().max() < 0.0142


@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_the_best_one_word_is_greedy(seed, norm_first, positions):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    greedy = greedy_decode(model, src, max_length=MAX)
    for how in ({"top_k": 1}, {"top_p": 1e-9}, {"temperature": 1e-9}):
        assert as_ids(sample_decode(model, src, max_length=MAX, **how)) == greedy


@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_with_cache_equals_without(seed, norm_first, positions):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    one, other = (
        sample_decode(model, src, generator=seeded(seed), max_length=MAX, cache=cache)
        for cache in (True, False)
    )
    assert as_ids(one) == as_ids(other)
    assert any(len(found.ids) > 3 for found in one)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_equals_its_sentences_one_by_one(seed):
    model, src = babbler(seed), sources(seed)
    together = sample_decode(model, src, generator=seeded(seed), max_length=MAX, temperature=0.8)
    generator = seeded(seed)
    for row, found in zip(src, together, strict=True):
        row = row[row != PAD][None]
        alone = sample_decode(model, row, generator=generator, max_length=MAX, temperature=0.8)[0]
        assert alone.ids == found.ids
        assert math.isclose(alone.log_prob, found.log_prob, abs_tol=1e-9)


def test_a_seed_decides():
    model, src = babbler(), sources()
    first, again, another = (
        as_ids(sample_decode(model, src, generator=seeded(seed), max_length=MAX))
        for seed in (3, 3, 4)
    )
    assert first == again != another
    torch.manual_seed(3)  # without a generator, PyTorch's own
    assert as_ids(sample_decode(model, src, max_length=MAX)) == first
    state = torch.get_rng_state()
    sample_decode(model, src, generator=seeded(), max_length=MAX)
    assert torch.equal(torch.get_rng_state(), state)


def test_log_prob_is_the_models_own():
    model, src = babbler(), sources()
    found = sample_decode(
        model, src, generator=seeded(), max_length=MAX, temperature=0.7, top_k=4, top_p=0.9
    )
    assert {one.finished for one in found} == {True, False}
    for row, one in zip(src, found, strict=True):
        words = [*one.ids, EOS] if one.finished else one.ids
        right = log_prob(the_slow_way(model, row[row != PAD]), words)
        assert math.isclose(one.log_prob, right, abs_tol=1e-6) and one.score == one.log_prob
        assert not {PAD, BOS, EOS} & set(one.ids) and len(words) <= MAX


def test_a_sentence_gets_64_words_unless_another_number_is_asked_for():
    (found,) = sample_decode(endless(babbler()), sources(lengths=(4,)))
    assert len(found.ids) == 64 and not found.finished


def test_without_being_asked_nothing_is_sharpened():
    model, src = babbler(), sources()
    one, other = (
        sample_decode(model, src, **how, generator=seeded(), max_length=MAX)
        for how in ({}, {"temperature": 1.0, "top_k": None, "top_p": 1.0})
    )
    assert one == other


def test_a_finished_sentence_leaves_the_batch_and_the_last_one_ends_it():
    model, src, rows = babbler(), sources(), []
    model.generator.register_forward_hook(lambda _, args, __: rows.append(len(args[0])))
    found = sample_decode(model, src, generator=seeded(), max_length=90)
    assert all(one.finished for one in found)
    lengths = [len(one.ids) + 1 for one in found]
    assert rows == [sum(length > step for length in lengths) for step in range(max(lengths))]


def test_no_sentences_no_draws():
    assert sample_decode(babbler(), sources()[:0]) == []


def test_mode_and_gradients_are_left_alone():
    model = babbler().train()
    sample_decode(model, sources(), max_length=2)
    assert model.training and all(p.grad is None for p in model.parameters())


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ({"temperature": 0}, "temperature=0"),
        ({"temperature": -1.5}, "temperature=-1.5"),
        ({"temperature": math.nan}, "temperature=nan"),
        ({"temperature": math.inf}, "temperature=inf"),
        ({"top_k": 0}, "top_k=0"),
        ({"top_p": 0.0}, "top_p=0.0"),
        ({"top_p": 1.1}, "top_p=1.1"),
    ],
)
def test_errors_carry_the_numbers(how, named):
    with pytest.raises(ValueError, match=named):
        sampling_distribution(LOGITS, **how)
    with pytest.raises(ValueError, match=named):
        sample_decode(babbler(), sources()[:0], **how)


def test_max_length_is_checked():
    with pytest.raises(ValueError, match="max_length=0"):
        sample_decode(babbler(), sources(), max_length=0)
