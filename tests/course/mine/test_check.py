"""`mine.check` in a notebook: it says how an attempt did, and never stops a cell."""

import torch
from torch import nn

from course import mine
from course.mine.bench import of_file
from tests.course.mine.solution import SOURCE


def attention(query, key, value, mask=None):
    return ...


class Embeddings(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.table = ...

    def forward(self, ids):
        return ...


def positional_encoding(length, d_model):
    return nothing_of_this_name  # noqa: F821


def test_what_is_still_dots_is_not_tried(capsys):
    mine.check(attention)
    mine.check(Embeddings)
    assert capsys.readouterr().out == ("attention: ○ not tried yet\nEmbeddings: ○ not tried yet\n")


def test_it_raises_nothing_and_says_what_it_wants(capsys):
    for things in ((), (...,), (3,), ("attention",), (print,)):
        mine.check(*things)
        assert "such as mine.check(attention)" in capsys.readouterr().out
    mine.check(positional_encoding)
    line = positional_encoding.__code__.co_firstlineno + 1
    assert f"is not defined (line {line})" in capsys.readouterr().out


def test_the_random_numbers_of_the_notebook_stay_as_they_are():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    mine.check(of_file(SOURCE).names["Embeddings"])
    assert torch.equal(torch.get_rng_state(), before)


def test_progress_outside_work_is_none(capsys):
    mine.progress()
    assert "Your own Transformer: 0 of 12 parts" in capsys.readouterr().out
