"""Pairs of ids -> padded tables; which pairs go together."""

import random

import pytest
import torch

from transformer_lib.text.batching import batch_indices, make_batch, source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD


def some_pairs(n, seed=0):
    """Pairs of many lengths: most are short, a few are long."""
    rng = random.Random(seed)
    lengths = [1 + int(rng.expovariate(1 / 9)) for _ in range(n)]
    return [([5] * length, [6] * max(1, length + rng.choice([-1, 0, 1]))) for length in lengths]


def places(pairs, batch):
    """How many places the larger table of a batch has, padding and <eos> included."""
    longest = max(max(len(src), len(tgt)) + 1 for src, tgt in (pairs[i] for i in batch))
    return longest * len(batch)


def padding_share(pairs, batches):
    tables = [make_batch([pairs[i] for i in batch]) for batch in batches]
    empty = sum(int((table.src == PAD).sum() + (table.tgt_in == PAD).sum()) for table in tables)
    return empty / sum(table.src.numel() + table.tgt_in.numel() for table in tables)


def test_a_batch_by_hand():
    batch = make_batch([([7, 8, 9], [11, 12, 13, 14]), ([7], [11])])
    assert batch.src.tolist() == [[7, 8, 9, EOS], [7, EOS, PAD, PAD]]
    assert batch.tgt_in.tolist() == [[BOS, 11, 12, 13, 14], [BOS, 11, PAD, PAD, PAD]]
    assert batch.tgt_out.tolist() == [[11, 12, 13, 14, EOS], [11, EOS, PAD, PAD, PAD]]
    assert {batch.src.dtype, batch.tgt_in.dtype, batch.tgt_out.dtype} == {torch.int64}


def test_the_decoder_reads_what_it_predicted_one_place_before():
    # tgt_in is tgt_out moved one place to the right: position i never holds its own answer
    batch = make_batch(some_pairs(7))
    inner = batch.tgt_in[:, 1:] != PAD
    assert torch.equal(batch.tgt_in[:, 1:][inner], batch.tgt_out[:, :-1][inner])
    assert torch.equal(batch.tgt_in != PAD, batch.tgt_out != PAD)  # the same number of words


def test_empty_sentences_still_have_their_special_tokens():
    batch = make_batch([([], [])])
    assert batch.src.tolist() == [[EOS]] == batch.tgt_out.tolist()
    assert batch.tgt_in.tolist() == [[BOS]]


def test_source_batch_is_the_source_of_make_batch():
    pairs = some_pairs(5)
    assert torch.equal(source_batch([src for src, _ in pairs]), make_batch(pairs).src)


@pytest.mark.parametrize("max_tokens", [1, 7, 50, 10_000])
def test_every_pair_once(max_tokens):
    pairs = some_pairs(101)
    batches = batch_indices(pairs, max_tokens, seed=3)
    assert sorted(i for batch in batches for i in batch) == list(range(101))
    assert all(batches)  # no empty batch


@pytest.mark.parametrize("max_tokens", [7, 11, 50, 200])
def test_a_batch_stays_within_the_budget(max_tokens):
    pairs = some_pairs(101)
    too_long = [i for i, (src, tgt) in enumerate(pairs) if max(len(src), len(tgt)) + 1 > max_tokens]
    for batch in batch_indices(pairs, max_tokens, seed=3):
        assert places(pairs, batch) <= max_tokens or batch in [[i] for i in too_long]
    if max_tokens == 7:
        assert too_long  # or the exception above was never tried


def test_the_budget_counts_the_longer_side():
    # 11 places for the source with <eos>, so 4 pairs fit into 50: 11 * 4 = 44 <= 50 < 55
    pairs = [([5] * 10, [6])] * 8
    assert [len(batch) for batch in batch_indices(pairs, 50, seed=0)] == [4, 4]
    assert [len(batch) for batch in batch_indices([p[::-1] for p in pairs], 50, seed=0)] == [4, 4]


def test_the_budget_is_used_to_the_full():
    pairs = [([5] * 4, [6] * 4)] * 20
    assert [len(batch) for batch in batch_indices(pairs, 50, seed=0)] == [10, 10]


def test_the_seed_fixes_the_batches():
    pairs = some_pairs(101)
    assert batch_indices(pairs, 50, seed=3) == batch_indices(pairs, 50, seed=3)


def test_another_seed_mixes_anew():
    pairs = some_pairs(101)
    first, second = (batch_indices(pairs, 50, seed=seed) for seed in (3, 4))
    together = [{frozenset(batch) for batch in batches} for batches in (first, second)]
    assert first != second
    assert together[0] != together[1]  # other pairs share a batch, not only another order


def test_batches_are_not_sorted_by_length():
    # or each epoch would begin with the easy short sentences
    pairs = some_pairs(101)
    batches = batch_indices(pairs, 50, seed=3)
    widths = [places(pairs, batch) / len(batch) for batch in batches]
    assert widths != sorted(widths) and widths != sorted(widths, reverse=True)


def test_the_callers_random_numbers_are_left_alone():
    random.seed(7)
    expected = random.random()
    random.seed(7)
    batch_indices(some_pairs(11), 50, seed=3)
    assert random.random() == expected


def test_similar_lengths_share_a_batch():
    pairs = some_pairs(500)
    ours = batch_indices(pairs, 200, seed=3)
    as_they_come = [list(range(i, min(i + 10, 500))) for i in range(0, 500, 10)]
    assert padding_share(pairs, ours) < 0.07
    assert padding_share(pairs, as_they_come) > 0.4  # so the lengths did need sorting


def test_of_pairs_equally_wide_those_with_equal_targets_share_a_batch():
    pairs = [([5] * 9, [6] * length) for length in (1, 5)] * 8
    batches = batch_indices(pairs, 40, seed=0)
    assert [len(batch) for batch in batches] == [4] * 4
    assert all(len({len(pairs[i][1]) for i in batch}) == 1 for batch in batches)


def test_no_pairs_no_batches():
    assert batch_indices([], 50, seed=3) == []


def test_a_budget_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="max_tokens=0 must be 1 or more"):
        batch_indices(some_pairs(3), 0, seed=3)
