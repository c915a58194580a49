"""Which word it is, and where it stands."""

import math

import pytest
import torch

from transformer_lib.model.embedding import (
    Embeddings,
    LearnedPositions,
    PositionalEncoding,
    one_hot,
    positional_encoding,
    tensor2tensor_encoding,
)

close = torch.testing.assert_close


# ---------------------------------------------------------------- one-hot


def test_one_hot_by_hand():
    assert one_hot(torch.tensor([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert one_hot(torch.tensor([1]), 3).tolist() == [[0, 1, 0]]


def test_one_hot_times_table_is_a_lookup():
    table = torch.randn(11, 7)
    ids = torch.randint(11, (2, 3, 5))
    assert one_hot(ids, 11).shape == (2, 3, 5, 11)
    assert torch.equal(one_hot(ids, 11) @ table, table[ids])


@pytest.mark.parametrize("ids", [[0, 5], [-1, 2], [7]])
def test_one_hot_refuses_numbers_outside_the_vocabulary(ids):
    with pytest.raises(ValueError) as error:
        one_hot(torch.tensor(ids), 5)
    assert str(error.value) == (
        f"ids must lie between 0 and 4, but they run from {min(ids)} to {max(ids)}"
    )


def test_one_hot_of_nothing():
    assert one_hot(torch.zeros(0, 3, dtype=torch.long), 5).shape == (0, 3, 5)


# ---------------------------------------------------------------- embeddings


def test_embeddings_are_the_table_times_the_root_of_d_model():
    embed = Embeddings(vocab_size=11, d_model=7)
    ids = torch.tensor([[3, 10, 3], [0, 1, 2]])
    assert embed(ids).shape == (2, 3, 7)
    close(embed(ids), embed.table.weight[ids] * math.sqrt(7))
    close(embed(ids) / (one_hot(ids, 11) @ embed.table.weight), torch.full((2, 3, 7), 2.6457513))


def test_an_embedding_starts_as_large_as_a_position():
    torch.manual_seed(0)
    words = Embeddings(vocab_size=1000, d_model=64)(torch.arange(1000))
    assert words.std().item() == pytest.approx(1.0, abs=0.02)


# ---------------------------------------------------------------- positions by formula


def test_positions_at_named_places():
    table = positional_encoding(length=50, d_model=512)
    assert table.shape == (50, 512)
    expected = {
        (0, 0): 0.0,  # sin(0)
        (0, 1): 1.0,  # cos(0)
        (2, 0): math.sin(2 / 10_000**0),
        (2, 1): math.cos(2 / 10_000**0),
        (2, 2): math.sin(2 / 10_000 ** (2 / 512)),
        (2, 3): math.cos(2 / 10_000 ** (2 / 512)),
        (7, 100): math.sin(7 / 10_000 ** (100 / 512)),
        (49, 510): math.sin(49 / 10_000 ** (510 / 512)),
        (49, 511): math.cos(49 / 10_000 ** (510 / 512)),
    }
    for (position, column), value in expected.items():
        assert table[position, column].item() == pytest.approx(value, abs=1e-6)


def test_every_position_by_a_loop():
    table = positional_encoding(length=11, d_model=6, base=100.0)
    for pos in range(11):
        for i in range(3):
            angle = pos / 100 ** (2 * i / 6)
            assert table[pos, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[pos, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_far_positions_are_exact_too():
    # single precision has 7 digits: after the 5 before the point few would be left for the sine
    table = positional_encoding(length=20_001, d_model=6)
    exact = [math.sin(pos / 10_000 ** (2 / 6)) for pos in range(19_990, 20_001)]
    close(table[-11:, 2], torch.tensor(exact), atol=1e-6, rtol=0)


def test_the_next_position_is_a_rotation():
    # Section 3.5: for a fixed step k, PE(pos + k) is one linear map of PE(pos), whatever pos is.
    # Each pair (sin a, cos a) turns by the angle k * w.
    d_model, k = 6, 5
    table = positional_encoding(length=40, d_model=d_model).double()
    turn = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        angle = k / 10_000 ** (2 * i / d_model)
        sin, cos = math.sin(angle), math.cos(angle)
        pair = slice(2 * i, 2 * i + 2)
        turn[pair, pair] = torch.tensor([[cos, sin], [-sin, cos]], dtype=torch.float64)
    close(table[:-k] @ turn.T, table[k:], atol=1e-6, rtol=0)


def test_the_similarity_of_two_positions_depends_on_their_distance_only():
    table = positional_encoding(length=30, d_model=10)
    close(table[3] @ table[7], table[20] @ table[24])
    assert (table[3] @ table[7] - table[3] @ table[9]).abs() > 0.1


def test_tensor2tensor_example():
    # d_model=4: two sines, then two cosines; frequencies 1 and 1/10000
    expected = torch.tensor(
        [[0.0, 0.0, 1.0, 1.0], [0.84, 0.0001, 0.54, 1.0], [0.91, 0.0002, -0.42, 1.0]]
    )
    table = tensor2tensor_encoding(length=3, d_model=4)
    close(table[:, [0, 2, 3]], expected[:, [0, 2, 3]], atol=0.005, rtol=0)
    close(table[:, 1], expected[:, 1], atol=1e-7, rtol=0)


def test_tensor2tensor_by_a_loop():
    table = tensor2tensor_encoding(length=7, d_model=10)
    for pos in range(7):
        for i in range(5):
            angle = pos / 10_000 ** (i / 4)  # 4 = d_model/2 - 1
            assert table[pos, i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[pos, 5 + i].item() == pytest.approx(math.cos(angle), abs=1e-6)


@pytest.mark.parametrize("encoding", [positional_encoding, tensor2tensor_encoding])
def test_an_odd_width_is_an_error(encoding):
    with pytest.raises(ValueError, match="d_model=7 must be even"):
        encoding(3, 7)


@pytest.mark.parametrize("d_model", [2, 3])
def test_tensor2tensor_needs_two_frequencies(d_model):
    with pytest.raises(ValueError, match=f"d_model={d_model} must be at least 4"):
        tensor2tensor_encoding(3, d_model)


# ---------------------------------------------------------------- positions as a module


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [("paper", positional_encoding), ("tensor2tensor", tensor2tensor_encoding)],
)
def test_positions_are_added(kind, encoding):
    x = torch.randn(2, 5, 6)
    close(PositionalEncoding(6, dropout=0.0, kind=kind)(x), x + encoding(5, 6))


@pytest.mark.parametrize("start", [1, 3, 254, 255, 256, 1000])
def test_start_says_where_the_first_word_stands(start):
    # 256 positions are ready; beyond them the table grows
    positions = PositionalEncoding(6, dropout=0.0)
    got = positions(torch.zeros(1, 3, 6), start=start)
    close(got[0], positional_encoding(start + 3, 6)[start:])


def test_words_one_by_one_or_all_at_once():
    positions = PositionalEncoding(6, dropout=0.0)
    x = torch.randn(2, 7, 6)
    one_by_one = torch.cat([positions(x[:, i : i + 1], start=i) for i in range(7)], dim=1)
    assert torch.equal(one_by_one, positions(x))


def test_a_grown_table_keeps_its_type_and_its_first_rows():
    positions = PositionalEncoding(6, dropout=0.0).double()
    first = positions.table.clone()
    assert positions(torch.zeros(1, 600, 6, dtype=torch.float64)).dtype == torch.float64
    assert len(positions.table) >= 600
    assert torch.equal(positions.table[:256], first)


def test_a_table_that_is_long_enough_stays():
    positions = PositionalEncoding(6, dropout=0.0)
    table = positions.table
    positions(torch.zeros(1, 256, 6))
    assert positions.table is table


def test_computed_positions_are_neither_learned_nor_saved():
    positions = PositionalEncoding(6, dropout=0.0)
    assert list(positions.parameters()) == [] and positions.state_dict() == {}


def test_learned_positions_are_learned_and_saved():
    positions = LearnedPositions(6, dropout=0.0)
    assert list(positions.state_dict()) == ["table"]
    positions(torch.zeros(2, 5, 6), start=3).sum().backward()
    # each of the positions 3 ... 7 was used by two sentences, the others by none
    assert positions.table.grad[:9, 0].tolist() == [0, 0, 0, 2, 2, 2, 2, 2, 0]


def test_learned_positions_are_added():
    positions = LearnedPositions(6, dropout=0.0, max_length=11)
    x = torch.randn(2, 5, 6)
    close(positions(x, start=3), x + positions.table[3:8])


def test_learned_positions_start_as_small_as_the_embedding_tables():
    torch.manual_seed(0)
    table = LearnedPositions(64, dropout=0.0, max_length=1000).table
    assert table.std().item() == pytest.approx(0.125, rel=0.02)


def test_learned_positions_end_somewhere():
    positions = LearnedPositions(6, dropout=0.0, max_length=11)
    assert positions(torch.zeros(1, 11, 6)).shape == (1, 11, 6)
    for x, start in [(torch.zeros(1, 12, 6), 0), (torch.zeros(1, 1, 6), 11)]:
        with pytest.raises(ValueError, match="12 words is too long.*only up to 11"):
            positions(x, start=start)


def test_left_alone_positions_are_learned_for_256_words():
    """A stored table must find its place again."""
    positions = LearnedPositions(6, dropout=0.0)
    assert positions(torch.zeros(1, 256, 6)).shape == (1, 256, 6)
    with pytest.raises(ValueError, match="257 words is too long.*only up to 256"):
        positions(torch.zeros(1, 257, 6))


@pytest.mark.parametrize("positions", [PositionalEncoding(10, 0.5), LearnedPositions(10, 0.5)])
def test_dropout_falls_on_the_sum_and_only_in_training(positions):
    torch.manual_seed(0)
    x = torch.randn(3, 7, 10)
    summed = positions.eval()(x)
    dropped = positions.train()(x)
    close(dropped, torch.where(dropped == 0, 0.0, summed / 0.5))  # what stays counts double
    assert 0.35 < (dropped == 0).float().mean() < 0.65
