"""The exercises of notebook 21: a step, a table, programs with a fault, designs."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch21_without_the_table.mixers import sum_of_pairs
from course.checks import (
    ELSEWHERE,
    Exercise,
    Verdicts,
    alike,
    elsewhere,
    expect,
    implement,
    no_slip,
    not_so,
    own_work,
    result_of,
)

# --- one step -------------------------------------------------------------------------------------


def step_inputs() -> tuple[Tensor, Tensor, Tensor, Tensor, float]:
    """A state (n, p), a query and a key (n,), a value (p,), and the share of the state to keep."""
    S = torch.tensor([[1.0, 0.0, 2.0], [-1.0, 3.0, 0.5]])
    q, k = torch.tensor([2.0, 1.0]), torch.tensor([0.5, -3.0])  # not at right angles
    return S, q, k, torch.tensor([1.0, 4.0, -2.0]), 0.9


def right_step(S: Tensor, q: Tensor, k: Tensor, v: Tensor, keep: float) -> tuple[Tensor, Tensor]:
    """-> y (p) and the new state (n, p)."""
    S = keep * S + torch.outer(k, v)
    return q @ S, S


def writes(change: Callable[[Tensor, Tensor, float], Tensor]) -> Callable[..., Any]:
    """Another new state, made of the old one and the product of key and value; and no y."""
    return lambda S, q, k, v, keep: (q, change(S, torch.outer(k, v), keep))


WRITING: dict[str, Callable[..., Any]] = {
    "Nothing is forgotten: the old state is multiplied by `keep`.": writes(
        lambda S, pair, keep: S + pair
    ),
    "What comes now isn't forgotten yet: only the old state shrinks.": writes(
        lambda S, pair, keep: keep * (S + pair)
    ),
    "The old state is gone. It is kept, and the new pair is added.": writes(
        lambda S, pair, keep: pair
    ),
    "The state hasn't changed: k and v have to be written into it.": writes(
        lambda S, pair, keep: S
    ),
    "The state has only been forgotten: k and v have to be written into it.": writes(
        lambda S, pair, keep: keep * S
    ),
    "The pair is added, not taken off.": writes(lambda S, pair, keep: keep * S - pair),
    "The new pair is added as it is, not a part of it.": writes(
        lambda S, pair, keep: keep * S + (1 - keep) * pair
    ),
    "`keep` is the share that stays, not the one that goes.": writes(
        lambda S, pair, keep: (1 - keep) * S + pair
    ),
    "The key is written, with its value; the query only reads.": lambda S, q, k, v, keep: (
        q,
        keep * S + torch.outer(q, v),
    ),
}


@implement(step_inputs)
def my_step(function: Callable[..., Any]) -> None:
    """Exercise: S (n, p), q (n), k (n), v (p), keep -> y (p) and the new S (n, p)."""
    own_work(function, "read", "sum_of_pairs", "forward")
    S, q, k, v, keep = given = step_inputs()
    stops = {
        "must match the size": "Which way round? S has a row for each number of the key: k by v.",
        "inconsistent tensor size": "`k @ v` would be one number: it takes the outer product.",
        "size mismatch": "The query comes first: `q @ S` has a number for each column of S.",
    }
    found = result_of(function, *given, stops=stops)
    two = isinstance(found, tuple | list) and len(found) == 2
    expect(two, "Return two things: `return y, S`.")
    y, new = found
    right = right_step(*given)
    no_slip(not (alike(new, right[0]) and alike(y, right[1])), "Those are the two: y first.")
    for hint, way in WRITING.items():
        no_slip(not alike(new, way(*given)[1]), hint)
    expect(alike(new, right[1]), "The new state isn't right: keep S, and the outer product.")
    for unwritten in (S, keep * S):
        no_slip(not alike(y, q @ unwritten), "You read before you wrote: word t sees itself, too.")
    no_slip(not alike(y, k @ right[1]), "The query reads, not the key.")
    expect(alike(y, right[0]), "The state is right. y is the query times the new state.")
    elsewhere(function, list(right_step(S, q, k, v, 0.2)), S, q, k, v, 0.2)


# --- the same as a table --------------------------------------------------------------------------


def table_inputs() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Five words: q, k (t, n), v (t, p), and the logarithm of what each keeps (t)."""
    draw = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(5, size, generator=draw) for size in (3, 3, 2))
    return q, k, v, -torch.rand(5, generator=draw)


def right_table(q: Tensor, k: Tensor, v: Tensor, log_keep: Tensor) -> Tensor:
    """(t, p): what the recurrence gives, for all words at once."""
    nothing = q.new_zeros(1, 1, q.size(1), v.size(1))
    return sum_of_pairs(*(one[None, None] for one in (q, k, v, log_keep)), nothing)[0][0, 0]


def slowly(q: Tensor, k: Tensor, v: Tensor, log_keep: Tensor) -> Tensor:
    y = torch.zeros_like(v)
    for t in range(len(q)):
        for i in range(t + 1):
            y[t] += (q[t] @ k[i]) * log_keep[i + 1 : t + 1].sum().exp() * v[i]
    return y


def kept(log_keep: Tensor) -> Tensor:
    """(t, t): the logarithm of what is kept from word i to word t."""
    total = log_keep.cumsum(0)
    return total[:, None] - total


def table(
    make: Callable[[Tensor, Tensor], Tensor], mask: Callable[[Tensor], Tensor] = torch.tril
) -> Callable[..., Tensor]:
    """What a table that is made of the scores and of log_keep reads."""
    return lambda q, k, v, log_keep: mask(make(q @ k.T, log_keep)) @ v


def every(table: Tensor) -> Tensor:
    return table


def softmax(scores: Tensor) -> Tensor:
    return scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -1e9).softmax(dim=-1)


my_table = Exercise(
    "my_table",
    "Exercise: q, k (t, n), v (t, p), log_keep (t) -> y (t, p), without a loop over the words.",
    inputs=table_inputs,
    right=[table(lambda scores, g: scores * kept(g).exp()), slowly],
    not_allowed=("sum_of_pairs", "read"),
    borrowed=[right_table],
    slips={
        "Nothing is forgotten: each entry still needs what is kept in between.": [
            table(lambda scores, g: scores)
        ],
        "Word 1 sees word 5: nothing may come from later words.": [
            table(lambda scores, g: scores * kept(g).exp(), every)
        ],
        "All words see all, and nothing is forgotten. It is `q @ k.T`, times a mask.": [
            table(lambda scores, g: scores, every)
        ],
        "One factor too many: a word's own `keep` is for what came before it, so of itself it "
        "keeps all.": [table(lambda scores, g: scores * (kept(g) + g).exp())],
        "A word sees itself, too: the diagonal belongs to the table.": [
            table(lambda scores, g: scores * kept(g).exp(), lambda table: table.tril(-1))
        ],
        "No softmax here: the table is used as it is.": [
            table(lambda scores, g: (scores * kept(g).exp()).tril().softmax(dim=-1), every),
            table(lambda scores, g: scores + kept(g), softmax),
        ],
        "It grows with the distance: the sum up to the *query* minus that up to the key.": [
            table(lambda scores, g: scores * (-kept(g)).exp())
        ],
        "Those are logarithms: the share that is kept is their `exp`.": [
            table(lambda scores, g: scores * kept(g))
        ],
        "A score is multiplied by what is kept, the `exp` of the sum.": [
            table(lambda scores, g: scores + kept(g))
        ],
        "That is kept from the first word on. From word i on: take the sum up to i off.": [
            table(lambda scores, g: scores * g.cumsum(0).exp()[:, None])
        ],
        "Only word t's own `keep`: all words between i and t forget, too.": [
            table(lambda scores, g: scores * g.exp()[:, None])
        ],
        "That is word i's own `keep`: those of the words *after* it count, up to t.": [
            table(lambda scores, g: scores * g.exp())
        ],
        "Rows are queries, columns are keys: `q @ k.T`.": [
            table(lambda scores, g: scores.T * kept(g).exp())
        ],
        "No root here: the table is used as it is.": [
            lambda q, *rest: slowly(q / q.size(1) ** 0.5, *rest)
        ],
        ELSEWHERE: [lambda q, *rest: slowly(q, *rest) * (len(q) == 5)],
    },
    elsewhere={ELSEWHERE: lambda: tuple(one[:3] for one in table_inputs())},
)


# --- programs with a planted fault ----------------------------------------------------------------

SOUND, NO_STATE, LATER, ONE_TEXT = (
    "none",
    "drops the state",
    "sees later words",
    "mixes the texts",
)
FAULTS = (SOUND, NO_STATE, LATER, ONE_TEXT)
PLANTED = {"A": NO_STATE, "B": SOUND, "C": LATER, "D": ONE_TEXT}
MEASURE = {
    "A": "Change the first word, and look at the last one.",
    "B": "Change one word of one text: what moves, and what doesn't? Do so for the others, too.",
    "C": "Change the last word of a text, and look at the words before it.",
    "D": "Change a word of the second text, and look at the first.",
}
BLOCK = 4
Program = Callable[[Tensor], Tensor]


def suspects() -> dict[str, Program]:
    """Four programs for a sum of what was read, in blocks of four words: x (b, t, d) -> the same.

    Right is x.cumsum(dim=1): a state without keys.
    """

    def program(fault: str) -> Program:
        def run(x: Tensor) -> Tensor:
            state, found = torch.zeros_like(x[:, :1]), []
            for block in x.split(BLOCK, dim=1):
                within = block.cumsum(dim=1)
                if fault == LATER:
                    within = block.sum(dim=1, keepdim=True).expand_as(block)
                found.append(state + within)
                if fault != NO_STATE:
                    state = state + block.sum(dim=1, keepdim=True)
                if fault == ONE_TEXT:
                    state = state.mean(dim=0, keepdim=True).expand_as(state)
            return torch.cat(found, dim=1)

        return run

    return {name: program(fault) for name, fault in PLANTED.items()}


diagnose = Verdicts(
    "diagnose",
    'Which fault has each of the `suspects`: {"A": one of FAULTS, ...}?',
    PLANTED,
    FAULTS,
    not_so(SOUND, MEASURE),
)


# --- designs to choose ----------------------------------------------------------------------------

STATE, BOTH, TABLE = "states only", "one layer of attention in four", "attention only"
WAYS = (STATE, BOTH, TABLE)
DESIGNS = {"A": STATE, "B": TABLE, "C": BOTH}
LOOK = {
    "A": "Which of the three keeps the same number of bytes after a year as after a minute?",
    "B": "Nothing is said of memory, and every table has a use there: what did the exchange cost?",
    "C": "It has to quote, and the cache may be a quarter of the usual one.",
}


designs = Verdicts(
    "designs",
    "Which layers for which wish?",
    DESIGNS,
    WAYS,
    lambda name, said: f"{name}: another way fits better. {LOOK[name]}",
)
