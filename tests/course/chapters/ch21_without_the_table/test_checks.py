"""The exercises of notebook 21: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch21_without_the_table import checks as check
from tests.course.checks.saying import said


def by_einsum(S, q, k, v, keep):
    S = S * keep + k[:, None] * v
    return torch.einsum("n,np->p", q, S), S


STEPS = {
    "right": (by_einsum, "right!"),
    "a list": (lambda *given: list(by_einsum(*given)), "right!"),
    "state first": (lambda *given: by_einsum(*given)[::-1], "y first"),
    "no keep": (lambda S, q, k, v, keep: by_einsum(S, q, k, v, 1), "Nothing is forgotten"),
    "keeps less of the new": (
        lambda S, q, k, v, keep: (q, keep * (S + torch.outer(k, v))),
        "isn't forgotten yet",
    ),
    "only the new": (lambda S, q, k, v, keep: (q, torch.outer(k, v)), "old state is gone"),
    "unchanged": (lambda S, q, k, v, keep: (q @ S, S), "hasn't changed"),
    "only forgets": (lambda S, q, k, v, keep: (q @ S, keep * S), "only been forgotten"),
    "minus": (lambda S, q, k, v, keep: (q, keep * S - torch.outer(k, v)), "not taken off"),
    "a mean": (
        lambda S, q, k, v, keep: (q, keep * S + (1 - keep) * torch.outer(k, v)),
        "not a part of it",
    ),
    "reads first": (
        lambda S, q, k, v, keep: (q @ S, by_einsum(S, q, k, v, keep)[1]),
        "before you wrote",
    ),
    "reads before it writes": (
        lambda S, q, k, v, keep: (q @ (keep * S), by_einsum(S, q, k, v, keep)[1]),
        "before you wrote",
    ),
    "the query written": (
        lambda S, q, k, v, keep: (q, keep * S + torch.outer(q, v)),
        "query only reads",
    ),
    "forgets the share": (
        lambda S, q, k, v, keep: by_einsum(S, q, k, v, 1 - keep),
        "not the one that goes",
    ),
    "one number": (lambda S, q, k, v, keep: (q, keep * S + k @ v), "outer product"),
    "query behind": (
        lambda S, q, k, v, keep: (by_einsum(S, q, k, v, keep)[1] @ q, S),
        "The query comes first",
    ),
    "reads by the key": (
        lambda S, q, k, v, keep: (
            k @ by_einsum(S, q, k, v, keep)[1],
            *by_einsum(S, q, k, v, keep)[1:],
        ),
        "not the key",
    ),
    "outer the other way": (
        lambda S, q, k, v, keep: (q @ S, keep * S + torch.outer(v, k)),
        "Which way round",
    ),
    "one thing": (lambda S, q, k, v, keep: q @ S, "two things"),
    "always 0.9": (lambda S, q, k, v, keep: by_einsum(S, q, k, v, 0.9), "other inputs"),
    "wrong": (lambda S, q, k, v, keep: (q, 7 * S), "new state isn't right"),
    "wrong y": (lambda S, q, k, v, keep: (v, by_einsum(S, q, k, v, keep)[1]), "The state is right"),
    "stub": (lambda S, q, k, v, keep: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", STEPS)
def test_my_step(capsys, name):
    function, hint = STEPS[name]
    assert hint in said(capsys, check.my_step, function)


def kept(log_keep):
    total = log_keep.cumsum(0)
    return (total[:, None] - total).exp()


def slowly(q, k, v, log_keep):
    y = torch.zeros_like(v)
    for t in range(len(q)):
        for i in range(t + 1):
            y[t] += (q[t] @ k[i]) * log_keep[i + 1 : t + 1].sum().exp() * v[i]
    return y


TABLES = {
    "right": (lambda q, k, v, g: ((q @ k.T) * kept(g)).tril() @ v, "right!"),
    "slowly": (slowly, "right!"),
    "no forgetting": (lambda q, k, v, g: (q @ k.T).tril() @ v, "Nothing is forgotten"),
    "no mask": (lambda q, k, v, g: ((q @ k.T) * kept(g)) @ v, "later words"),
    "neither": (lambda q, k, v, g: q @ k.T @ v, "All words see all"),
    "one too many": (lambda q, k, v, g: ((q @ k.T) * kept(g) * g.exp()).tril() @ v, "too many"),
    "not itself": (lambda q, k, v, g: ((q @ k.T) * kept(g)).tril(-1) @ v, "diagonal"),
    "softmax": (lambda q, k, v, g: ((q @ k.T) * kept(g)).tril().softmax(-1) @ v, "No softmax"),
    "softmax of scores": (
        lambda q, k, v, g: (
            (
                (q @ k.T + kept(g).log()).masked_fill(torch.ones(len(q), len(q)).triu(1) > 0, -1e9)
            ).softmax(-1)
            @ v
        ),
        "No softmax",
    ),
    "logarithms": (lambda q, k, v, g: ((q @ k.T) * kept(g).log()).tril() @ v, "their `exp`"),
    "added": (lambda q, k, v, g: (q @ k.T + kept(g).log()).tril() @ v, "is multiplied"),
    "from the first": (
        lambda q, k, v, g: ((q @ k.T) * g.cumsum(0).exp()[:, None]).tril() @ v,
        "take the sum up to i off",
    ),
    "the last alone": (
        lambda q, k, v, g: ((q @ k.T) * g.exp()[:, None]).tril() @ v,
        "Only word t's",
    ),
    "its own alone": (lambda q, k, v, g: ((q @ k.T) * g.exp()).tril() @ v, "word i's own"),
    "keys as rows": (lambda q, k, v, g: ((k @ q.T) * kept(g)).tril() @ v, "Rows are queries"),
    "a root": (lambda q, k, v, g: ((q @ k.T) * kept(g)).tril() @ v / 3**0.5, "No root"),
    "grows": (lambda q, k, v, g: ((q @ k.T) * kept(-g)).tril() @ v, "grows with the distance"),
    "stub": (lambda q, k, v, g: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", TABLES)
def test_my_table(capsys, name):
    function, hint = TABLES[name]
    assert hint in said(capsys, check.my_table, function)


def test_the_faults_can_be_measured():
    x = torch.randn(2, 12, 3)
    right = {
        name: torch.allclose(run(x), x.cumsum(1), atol=1e-5)
        for name, run in check.suspects().items()
    }
    assert right == {name: fault == check.SOUND for name, fault in check.PLANTED.items()}

    def moved(name: str, text: int, word: int) -> torch.Tensor:
        changed = x.clone()
        changed[text, word] += 1
        return (check.suspects()[name](changed) - check.suspects()[name](x)).abs().amax(-1) > 1e-4

    assert not moved("A", 0, 0)[0, -1] and moved("B", 0, 0)[0].all()
    assert moved("C", 0, 11)[0, 8:].all() and not moved("B", 0, 11)[0, :11].any()
    assert moved("D", 1, 0)[0].any() and not moved("C", 1, 0)[0].any()


def test_diagnose(capsys):
    assert "right!" in said(capsys, check.diagnose, dict(check.PLANTED))
    assert "not tried yet" in said(capsys, check.diagnose, dict.fromkeys("ABCD", ...))
    assert "B has another fault, or none" in said(
        capsys, check.diagnose, check.PLANTED | {"B": check.LATER}
    )
    assert "A isn't sound" in said(capsys, check.diagnose, check.PLANTED | {"A": check.SOUND})
    assert "Change a word of the second text" in said(
        capsys, check.diagnose, check.PLANTED | {"D": check.SOUND}
    )
    assert "choose one of" in said(capsys, check.diagnose, check.PLANTED | {"A": "broken"})


def test_designs(capsys):
    assert "right!" in said(capsys, check.designs, dict(check.DESIGNS))
    assert "after a year" in said(capsys, check.designs, check.DESIGNS | {"A": check.TABLE})
    assert "what did the exchange cost" in said(
        capsys, check.designs, check.DESIGNS | {"B": check.BOTH}
    )
    assert "a quarter" in said(capsys, check.designs, check.DESIGNS | {"C": check.STATE})


@pytest.mark.parametrize("number", check.LAST)
def test_each_last_question_has_a_hint(capsys, number):
    assert "right!" in said(capsys, check.last_questions, dict(check.LAST))
    wrong = next(letter for letter in "abc" if letter != check.LAST[number])
    found = said(capsys, check.last_questions, check.LAST | {number: wrong})
    assert f"{number}: not {wrong}" in found and "Reread" in found


def test_the_questions_are_printed(capsys):
    check.ask()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 * len(check.LAST) == 4 * len(check.QUESTIONS)
    assert max(map(len, lines)) <= 80  # a narrow window breaks no word
