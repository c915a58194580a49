"""The exercises of notebook 17: the floor of a small grammar, and the mask of a prompt."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise, a_number, a_tensor, call, no_slip, not_this
from transformer_lib.variants.language_model import prefix_mask


def right_floor(chances: Sequence[float], lengths: Sequence[int]) -> float:
    """Nats per token: entropy of the sentences over their mean length."""
    return entropy(chances) / mean_length(chances, lengths)


def surprise(p: float) -> float:
    return -math.log(p)


def entropy(chances: Sequence[float]) -> float:
    return sum(p * surprise(p) for p in chances)


def mean_length(chances: Sequence[float], lengths: Sequence[int]) -> float:
    return sum(p * length for p, length in zip(chances, lengths, strict=True))


def in_tensors(chances: Sequence[float], lengths: Sequence[int]) -> Tensor:
    p, n = torch.tensor(chances), torch.tensor(lengths)
    return (p * -p.log()).sum() / (p * n).sum()


# Three sentences: how likely each is, and how many tokens it has, the end included.
CHANCES, LENGTHS = [0.5, 0.3, 0.2], [2, 3, 7]
my_floor = Exercise(
    "my_floor",
    "Exercise: chances of all sentences of a grammar, and their lengths -> nats per token.",
    inputs=lambda: (CHANCES, LENGTHS),
    right=[right_floor, in_tensors],
    read=a_number,
    slips={
        "That is per *sentence*. How many tokens does a sentence have, on average?": [
            lambda p, n: entropy(p)
        ],
        "The sign: a surprise is *minus* the logarithm, and never below 0.": [
            lambda p, n: -right_floor(p, n)
        ],
        "That is in bits. In nats the logarithm is the natural one.": [
            lambda p, n: right_floor(p, n) / math.log(2)
        ],
        "That is the perplexity. The floor is its logarithm.": [
            lambda p, n: math.exp(right_floor(p, n))
        ],
        "A rare sentence counts as much as a frequent one there: weigh each surprise with the "
        "sentence's chance.": [lambda p, n: sum(map(surprise, p)) / len(p) / mean_length(p, n)],
        "Weigh each surprise with the sentence's chance.": [
            lambda p, n: sum(map(surprise, p)) / mean_length(p, n)
        ],
        "The mean length is that of the sentences that are *drawn*: weigh each length with its "
        "chance, too.": [lambda p, n: entropy(p) / (sum(n) / len(n))],
        "Divide by the mean length, not by the sum of all lengths.": [
            lambda p, n: entropy(p) / sum(n)
        ],
        "That is a mean over sentences. The loss is a mean over *tokens*: all nats by all "
        "tokens.": [lambda p, n: sum(q * surprise(q) / k for q, k in zip(p, n, strict=True))],
        ELSEWHERE: [lambda p, n: right_floor(CHANCES, LENGTHS)],
    },
    unlike=not_this(
        "the mean surprise of a sentence, in nats, divided by its mean number of tokens."
    ),
    elsewhere={ELSEWHERE: lambda: ([0.1, 0.6, 0.2, 0.1], [4, 4, 2, 9])},
)


def right_mask(prompt: int, length: int) -> Tensor:
    """(length, length): the first `prompt` words see each other, the rest what came before."""
    mask = torch.ones(length, length, dtype=torch.bool).tril()
    mask[:, :prompt] = True
    return mask


def with_true(prompt: int, mask: Tensor, columns: slice) -> Tensor:
    """The mask, and the rows of the prompt see all of these columns."""
    mask[:prompt, columns] = True
    return mask


def zeros_and_ones(found: Any) -> Tensor:
    return a_tensor(found).bool()


NUMBERS = "The right ones and zeros, but of the type {}. A mask is boolean."


def is_boolean(*inputs: int) -> Callable[[Callable], None]:
    """What an attempt returns for these inputs has to be boolean."""

    def then(attempt: Callable) -> None:
        kind = call(attempt, *inputs).dtype
        no_slip(kind == torch.bool, NUMBERS.format(kind))

    return then


WRONG_WAY = "The other way round: True means that it may be seen."
SWAPPED = "Rows and columns are swapped: a row is who looks."
my_prefix_mask = Exercise(
    "my_prefix_mask",
    "Exercise: words in the prompt, words in all -> the mask (length, length).",
    inputs=lambda: (3, 7),
    right=[
        right_mask,
        lambda p, n: (torch.ones(n, n).tril() > 0) | (torch.arange(n) < p),
    ],
    not_allowed=("prefix_mask",),
    borrowed=[lambda p, n: prefix_mask(torch.arange(n)[None], separator=p - 1)[0, 0]],
    read=zeros_and_ones,
    slips={
        "That is the causal mask: the words of the prompt should see each other, also those after "
        "them.": [lambda p, n: right_mask(0, n)],
        "There everybody sees everything, also answers that aren't written yet.": [
            lambda p, n: torch.ones(n, n) > 0
        ],
        "One column is missing: the prompt has as many words as `prompt` says.": [
            lambda p, n: right_mask(p - 1, n)
        ],
        "One column too many: the answer's first word mustn't be seen by the prompt.": [
            lambda p, n: right_mask(p + 1, n)
        ],
        "The prompt sees the answer there. Rows are who looks, columns who is seen.": [
            lambda p, n: with_true(p, right_mask(0, n), slice(None))
        ],
        "The prompt is right. The words of the answer look, too: at the prompt and at what is "
        "written so far.": [lambda p, n: with_true(p, torch.zeros(n, n) > 0, slice(p))],
        WRONG_WAY: [lambda p, n: ~right_mask(p, n)],
        SWAPPED: [lambda p, n: right_mask(p, n).T],
        NUMBERS.format("torch.float32"): [lambda p, n: right_mask(p, n).float()],
        ELSEWHERE: [lambda p, n: right_mask(3, 7)[:n, :n]],
    },
    then=is_boolean(3, 7),
    elsewhere={ELSEWHERE: lambda: (1, 4)},
)
