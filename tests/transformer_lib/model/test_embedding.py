"""Which word it is, and where it stands."""

import math

import pytest
import torch
import torch.nn.functional as F

from transformer_lib.model.embedding import (
    Embeddings,
    LearnedPositions,
    PositionalEncoding,
    one_hot,
    positional_encoding,
    tensor2tensor_encoding,
)

close = torch.testing.assert_close


def test_one_hot():
    ids = torch.randint(2, 11, (2, 3, 5))
    assert torch.equal(one_hot(ids, 11), F.one_hot(ids, 11).float())
    assert one_hot(torch.zeros(0, 3, dtype=torch.long), 5).shape == (0, 3, 5)


def test_embeddings_are_the_table_times_the_root_of_d_model():
    embed = Embeddings(vocab_size=11, d_model=7)
    ids = torch.tensor([[3, 10, 3], [0, 1, 2]])
    assert embed(ids).shape == (2, 3, 7)
    close(embed(ids), embed.table.weight[ids] * math.sqrt(7))


def test_an_embedding_starts_as_large_as_a_position():
    torch.manual_seed(0)
    words = Embeddings(vocab_size=1000, d_model=64)(torch.arange(1000))
    assert words.std().item() == pytest.approx(1.0, abs=0.02)


def paper(pos, i, d_model, base):
    return 2 * i, 2 * i + 1, pos / base ** (2 * i / d_model)


def tensor2tensor(pos, i, d_model, base):
    return i, d_model // 2 + i, pos / base ** (i / (d_model // 2 - 1))


@pytest.mark.parametrize("base", [None, 100.0])
@pytest.mark.parametrize(
    ("encoding", "formula"),
    [(positional_encoding, paper), (tensor2tensor_encoding, tensor2tensor)],
)
def test_every_position_by_its_formula(encoding, formula, base):
    table = encoding(11, 10, base) if base else encoding(11, 10)
    assert table.shape == (11, 10)
    for pos in range(11):
        for i in range(5):
            sine, cosine, angle = formula(pos, i, 10, base or 10_000)
            assert table[pos, sine].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[pos, cosine].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_far_positions_are_exact_too():
    # single precision has 7 digits: after the 5 before the point few would be left for the sine
    table = positional_encoding(length=20_001, d_model=6)
    exact = [math.sin(pos / 10_000 ** (2 / 6)) for pos in range(19_990, 20_001)]
    close(table[-11:, 2], torch.tensor(exact), atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [("paper", positional_encoding), ("tensor2tensor", tensor2tensor_encoding)],
)
def test_positions_are_added(kind, encoding):
    x = torch.randn(2, 5, 6)
    close(PositionalEncoding(6, dropout=0.0, kind=kind)(x), x + encoding(5, 6))


@pytest.mark.parametrize("start", [3, 254, 1000])
def test_start_says_where_the_first_word_stands(start):
    # 256 positions are ready; beyond them the table grows
    positions = PositionalEncoding(6, dropout=0.0)
    got = positions(torch.zeros(1, 3, 6), start=start)
    close(got[0], positional_encoding(start + 3, 6)[start:])


def test_a_grown_table_keeps_its_type_and_its_first_rows():
    positions = PositionalEncoding(6, dropout=0.0).double()
    first = positions.table.clone()
    assert positions(torch.zeros(1, 600, 6, dtype=torch.float64)).dtype == torch.float64
    assert len(positions.table) >= 600
    assert torch.equal(positions.table[:256], first)


def test_computed_positions_are_neither_learned_nor_saved():
    positions = PositionalEncoding(6, dropout=0.0)
    assert list(positions.parameters()) == [] and positions.state_dict() == {}


def test_learned_positions_are_added_learned_and_saved():
    positions, x = LearnedPositions(6, dropout=0.0), torch.randn(2, 5, 6)
    assert list(positions.state_dict()) == ["table"]
    close(positions(x, start=3), x + positions.table[3:8])
    positions(x, start=3).sum().backward()
    # each of the positions 3 ... 7 was used by two sentences, the others by none
    assert positions.table.grad[:9, 0].tolist() == [0, 0, 0, 2, 2, 2, 2, 2, 0]


def test_learned_positions_start_as_small_as_the_embedding_tables():
    torch.manual_seed(0)
    table = LearnedPositions(64, dropout=0.0, max_length=1000).table
    assert table.std().item() == pytest.approx(0.125, rel=0.02)


@pytest.mark.parametrize("how", [{}, {"max_length": 11}])
def test_learned_positions_end_somewhere(how):
    """256 if nothing is said, as a stored table must find its place again."""
    positions, most = LearnedPositions(6, dropout=0.0, **how), how.get("max_length", 256)
    assert positions(torch.zeros(1, most, 6)).shape == (1, most, 6)
    for length, start in ((most + 1, 0), (1, most)):
        with pytest.raises(ValueError, match=f"{most + 1} words is too long.*only up to {most}"):
            positions(torch.zeros(1, length, 6), start=start)


@pytest.mark.parametrize("positions", [PositionalEncoding(10, 0.5), LearnedPositions(10, 0.5)])
def test_dropout_falls_on_the_sum_and_only_in_training(positions):
    torch.manual_seed(0)
    x = torch.randn(3, 7, 10)
    summed = positions.eval()(x)
    dropped = positions.train()(x)
    close(dropped, torch.where(dropped == 0, 0.0, summed / 0.5))  # what stays counts double
    assert 0.35 < (dropped == 0).float().mean() < 0.65
