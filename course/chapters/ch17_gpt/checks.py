"""The exercises of notebook 17: the floor of a small grammar, and the mask of a prompt."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from course.checks import (
    a_kind,
    call,
    compare,
    elsewhere,
    expect,
    implement,
    no_slip,
    one_number,
    own_work,
    result_of,
)

# Three sentences: how likely each is, and how many tokens it has, the end included.
CHANCES, LENGTHS = [0.5, 0.3, 0.2], [2, 3, 7]
OTHERS = ([0.1, 0.6, 0.2, 0.1], [4, 4, 2, 9])


def right_floor(chances: Sequence[float], lengths: Sequence[int]) -> float:
    """Nats per token: entropy of the sentences over their mean length."""
    return entropy(chances) / mean_length(chances, lengths)


def entropy(chances: Sequence[float]) -> float:
    return sum(-p * math.log(p) for p in chances)


def mean_length(chances: Sequence[float], lengths: Sequence[int]) -> float:
    return sum(p * length for p, length in zip(chances, lengths, strict=True))


@implement(lambda: ([0.5, 0.5], [1, 1]))
def my_floor(function: Callable[[Sequence[float], Sequence[int]], float]) -> None:
    """Exercise: chances of all sentences of a grammar, and their lengths -> nats per token."""
    found = result_of(function, CHANCES, LENGTHS)
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")
    nats, tokens = entropy(CHANCES), mean_length(CHANCES, LENGTHS)
    surprises = [-math.log(p) for p in CHANCES]
    mistakes = [
        (nats, "That is per *sentence*. How many tokens does a sentence have, on average?"),
        (-nats / tokens, "The sign: a surprise is *minus* the logarithm, and never below 0."),
        (nats / math.log(2) / tokens, "That is in bits. In nats the logarithm is the natural one."),
        (math.exp(nats / tokens), "That is the perplexity. The floor is its logarithm."),
        (
            sum(surprises) / 3 / tokens,
            "A rare sentence counts as much as a frequent one there: "
            "weigh each surprise with the sentence's chance.",
        ),
        (sum(surprises) / tokens, "Weigh each surprise with the sentence's chance."),
        (
            nats / (sum(LENGTHS) / 3),
            "The mean length is that of the sentences that are *drawn*: "
            "weigh each length with its chance, too.",
        ),
        (nats / sum(LENGTHS), "Divide by the mean length, not by the sum of all lengths."),
        (
            sum(p * s / n for p, s, n in zip(CHANCES, surprises, LENGTHS, strict=True)),
            "That is a "
            "mean over sentences. The loss is a mean over *tokens*: all nats by all tokens.",
        ),
    ]
    for mistake, hint in mistakes:
        no_slip(not math.isclose(found, mistake, rel_tol=1e-4), hint)
    expect(
        math.isclose(found, nats / tokens, rel_tol=1e-4),
        f"Not {found:.4g}: the mean surprise "
        "of a sentence, in nats, divided by its mean number of tokens.",
    )
    elsewhere(function, right_floor(*OTHERS), *OTHERS)


def right_mask(prompt: int, length: int) -> Tensor:
    """(length, length): the first `prompt` words see each other, the rest what came before."""
    mask = torch.ones(length, length, dtype=torch.bool).tril()
    mask[:, :prompt] = True
    return mask


@implement(lambda: (1, 2))
def my_prefix_mask(function: Callable[[int, int], Tensor]) -> None:
    """Exercise: words in the prompt, words in all -> the mask (length, length)."""
    prompt, length = 3, 7
    found = call(function, prompt, length)
    own_work(function, "prefix_mask")
    right = right_mask(prompt, length)
    block = torch.zeros(length, length, dtype=torch.bool)
    block[:prompt, :prompt] = True
    rows = right_mask(0, length)
    rows[:prompt] = True
    mistakes = [
        (
            right_mask(0, length),
            "That is the causal mask: the words of the prompt should see each "
            "other, also those after them.",
        ),
        (
            torch.ones_like(right),
            "There everybody sees everything, also answers that aren't written yet.",
        ),
        (
            right_mask(prompt - 1, length),
            "One column is missing: the prompt has as many words as `prompt` says.",
        ),
        (
            right_mask(prompt + 1, length),
            "One column too many: the answer's first word mustn't be seen by the prompt.",
        ),
        (rows, "The prompt sees the answer there. Rows are who looks, columns who is seen."),
        (
            block,
            "The prompt is right. The words of the answer look, too: at the prompt and at what "
            "is written so far.",
        ),
        (~right, "The other way round: True means that it may be seen."),
        (right.T, "Rows and columns are swapped: a row is who looks."),
    ]
    compare(found.bool() if found.shape == right.shape else found, right, mistakes)
    no_slip(
        found.dtype == torch.bool,
        f"The right ones and zeros, but of the type {found.dtype}. A mask is boolean.",
    )
    elsewhere(function, right_mask(1, 4), 1, 4)
