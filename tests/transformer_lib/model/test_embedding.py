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
    """Also far ones: single precision would leave few digits behind the point for the sine."""
    table = encoding(20_001, 10, base) if base else encoding(20_001, 10)
    assert table.shape == (20_001, 10)
    for pos in (*range(11), *range(19_990, 20_001)):
        for i in range(5):
            sine, cosine, angle = formula(pos, i, 10, base or 10_000)
            assert table[pos, sine].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[pos, cosine].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_tables_start_with_numbers_of_size_one_over_the_root_of_d_model():
    words, places = Embeddings(1000, 64).table.weight, LearnedPositions(64, 0.0, 1000).table
    for table in (words, places):
        assert table.std().item() == pytest.approx(0.125, rel=0.02)


@pytest.mark.parametrize("start", [0, 3, 254, 1000])
@pytest.mark.parametrize(
    ("kind", "encoding"),
    [("paper", positional_encoding), ("tensor2tensor", tensor2tensor_encoding)],
)
def test_positions_are_added_from_where_the_first_word_stands(kind, encoding, start):
    """256 positions are ready; beyond them the table grows, in its precision."""
    x = torch.randn(2, 3, 6, dtype=torch.float64)
    positions = PositionalEncoding(6, dropout=0.0, kind=kind).double()
    close(positions(x, start=start), x + encoding(start + 3, 6)[start:].double())
    assert positions.table.dtype == x.dtype


def test_learned_positions_are_added_learned_and_saved():
    positions, x = LearnedPositions(6, dropout=0.0), torch.randn(2, 5, 6)
    assert list(positions.state_dict()) == ["table"]
    close(positions(x, start=3), x + positions.table[3:8])
    positions(x, start=3).sum().backward()
    # each of the positions 3 ... 7 was used by two sentences, the others by none
    assert positions.table.grad[:9, 0].tolist() == [0, 0, 0, 2, 2, 2, 2, 2, 0]


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
    x = torch.randn(3, 7, 10)
    summed = positions.eval()(x)
    dropped = positions.train()(x)
    close(dropped, torch.where(dropped == 0, 0.0, summed / 0.5))  # what stays counts double
    assert 0.35 < (dropped == 0).float().mean() < 0.65
