"""The tables and programs of notebook 03 have the faults that are planted in them."""

import torch

from course.chapters.ch03_positional_encoding import checks as check


def angles(exponent: torch.Tensor) -> torch.Tensor:
    """(20, 64): sine and cosine in turn. exponent: of 10,000 in each column."""
    angles = torch.arange(20)[:, None] / 10_000.0**exponent
    return torch.where(torch.arange(64) % 2 == 0, angles.sin(), angles.cos())


def test_each_suspect_has_the_fault_that_is_planted_in_it():
    column = torch.arange(64)
    tables = {
        check.NONE: angles(column // 2 * 2 / 64),
        check.EXPONENT: angles(column // 2 / 64),
        check.ANGLES: angles(column / 64),
    }
    for name, table in check.suspects().items():
        torch.testing.assert_close(table, tables[check.PLANTED[name]], rtol=1e-4, atol=1e-4)
        assert len(table.unique(dim=0)) == 20, "a model could be trained with it"


def test_each_adder_has_the_fault_that_is_planted_in_it():
    x = torch.randn(3, 5, 8)
    table = check.table()(5, 8).float()
    right = {
        "sound": table,
        check.BY_SENTENCE: table[:3, None],
        check.FROM_THE_END: table.flip(0),
        check.TOO_LARGE: 8**0.5 * table,
    }
    for name, adder in check.adders().items():
        added = (adder(x) - x).clone()
        expected = right[check.ADDED[name]].expand(3, 5, 8)
        torch.testing.assert_close(added, expected, rtol=1e-4, atol=1e-4)
