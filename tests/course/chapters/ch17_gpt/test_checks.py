"""The exercises of notebook 17: what is right passes, and each mistake gets its own hint."""

import math

import pytest
import torch

from course.chapters.ch17_gpt import checks as check
from course.chapters.ch17_gpt.checks import entropy, mean_length
from tests.course.checks.saying import said


def surprise(p):
    return -math.log(p)


FLOORS = {
    "right": (check.right_floor, "right!"),
    "as a tensor": (
        lambda p, n: (
            (torch.tensor(p) * -torch.tensor(p).log()).sum()
            / (torch.tensor(p) * torch.tensor(n)).sum()
        ),
        "right!",
    ),
    "per sentence": (lambda p, n: entropy(p), "per *sentence*"),
    "sign": (lambda p, n: -check.right_floor(p, n), "The sign"),
    "bits": (lambda p, n: check.right_floor(p, n) / math.log(2), "in bits"),
    "perplexity": (lambda p, n: math.exp(check.right_floor(p, n)), "perplexity"),
    "plain mean": (
        lambda p, n: sum(map(surprise, p)) / len(p) / mean_length(p, n),
        "A rare sentence",
    ),
    "sum": (lambda p, n: sum(map(surprise, p)) / mean_length(p, n), "Weigh each surprise"),
    "plain length": (lambda p, n: entropy(p) / (sum(n) / len(n)), "that are *drawn*"),
    "all lengths": (lambda p, n: entropy(p) / sum(n), "the sum of all lengths"),
    "mean over sentences": (
        lambda p, n: sum(q * surprise(q) / k for q, k in zip(p, n, strict=True)),
        "mean over *tokens*",
    ),
    "a guess": (lambda p, n: 0.25, "Not 0.25"),
    "this grammar only": (
        lambda p, n: check.right_floor(check.CHANCES, check.LENGTHS),
        "other inputs",
    ),
    "text": (lambda p, n: "little", "one number"),
    "nothing": (lambda p, n: None, "returns nothing"),
    "stub": (lambda p, n: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", FLOORS)
def test_my_floor(capsys, name):
    function, hint = FLOORS[name]
    assert hint in said(capsys, check.my_floor, function)


def by_loops(prompt, length):
    rows = [[j <= i or j < prompt for j in range(length)] for i in range(length)]
    return torch.tensor(rows)


def causal(length):
    return torch.ones(length, length).tril() > 0


def by_rows(prompt, length):
    mask = causal(length)
    mask[:prompt] = True
    return mask


def block(prompt, length):
    mask = torch.zeros(length, length) > 0
    mask[:prompt, :prompt] = True
    return mask


MASKS = {
    "loops": (by_loops, "right!"),
    "or": (lambda p, n: causal(n) | (torch.arange(n) < p), "right!"),
    "causal": (lambda p, n: causal(n), "the causal mask"),
    "all": (lambda p, n: torch.ones(n, n) > 0, "sees everything"),
    "short": (lambda p, n: by_loops(p - 1, n), "One column is missing"),
    "long": (lambda p, n: by_loops(p + 1, n), "One column too many"),
    "rows": (by_rows, "Rows are who looks"),
    "block": (block, "The words of the answer look"),
    "inverted": (lambda p, n: ~by_loops(p, n), "The other way round"),
    "swapped": (lambda p, n: by_loops(p, n).T, "swapped"),
    "numbers": (lambda p, n: by_loops(p, n).float(), "is boolean"),
    "shape": (lambda p, n: by_loops(p, n)[None], "The shape is (1, 7, 7)"),
    "this prompt only": (lambda p, n: by_loops(3, 7)[:n, :n], "other inputs"),
    "nothing": (lambda p, n: None, "returns nothing"),
    "stub": (lambda p, n: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", MASKS)
def test_my_prefix_mask(capsys, name):
    function, hint = MASKS[name]
    assert hint in said(capsys, check.my_prefix_mask, function)


def test_the_librarys_own_function_is_no_answer(capsys):
    from transformer_lib.variants.language_model import prefix_mask

    def borrowed(prompt, length):
        ids = torch.arange(length)[None]
        return prefix_mask(ids, separator=prompt - 1)[0, 0]

    assert "prefix_mask" in said(capsys, check.my_prefix_mask, borrowed)
