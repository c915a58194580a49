"""Pairs of ids -> padded tables; which pairs go together."""

from transformer_lib.text.batching import batch_indices, make_batch, source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD


def test_a_batch_by_hand():
    batch = make_batch([([7, 8, 9], [11, 12, 13, 14]), ([7], [11])])
    assert batch.src.tolist() == [[7, 8, 9, EOS], [7, EOS, PAD, PAD]]
    assert batch.tgt_in.tolist() == [[BOS, 11, 12, 13, 14], [BOS, 11, PAD, PAD, PAD]]
    assert batch.tgt_out.tolist() == [[11, 12, 13, 14, EOS], [11, EOS, PAD, PAD, PAD]]
    assert source_batch([[7, 8, 9], [7]]).equal(batch.src)


def test_the_budget_counts_the_longer_side():
    # 11 places for the source with <eos>, so 4 pairs fit into 50: 11 * 4 = 44 <= 50 < 55
    pairs = [([5] * 10, [6])] * 8
    assert [len(batch) for batch in batch_indices(pairs, 50, seed=0)] == [4, 4]
    assert [len(batch) for batch in batch_indices([p[::-1] for p in pairs], 50, seed=0)] == [4, 4]
    assert [len(batch) for batch in batch_indices(pairs, 88, seed=0)] == [8]  # to the full


def test_another_seed_mixes_anew():
    pairs = [([5] * (i % 9), [6]) for i in range(101)]
    one, other = ({frozenset(b) for b in batch_indices(pairs, 50, seed=seed)} for seed in (3, 4))
    assert one != other  # other pairs share a batch, not only another order


def test_of_pairs_equally_wide_those_with_equal_targets_share_a_batch():
    pairs = [([5] * 9, [6] * length) for length in (1, 5)] * 8
    batches = batch_indices(pairs, 40, seed=0)
    assert [len(batch) for batch in batches] == [4] * 4
    assert all(len({len(pairs[i][1]) for i in batch}) == 1 for batch in batches)
