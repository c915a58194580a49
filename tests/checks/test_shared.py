"""What all checks share: printing or raising, slips, and looking for borrowed work."""

import io
import os
import subprocess
import sys

import pytest
import torch

from transformer_lib.checks import (
    GREEN,
    NORMAL,
    RED,
    Hint,
    NotTried,
    a_kind,
    alike,
    elsewhere,
    exercise,
    expect,
    graded,
    implement,
    names_used,
    no_slip,
    own_work,
    parts_right,
    reveal,
    same,
)


@exercise
def five(guess):
    no_slip(guess != 4, "One more.")
    expect(guess == 5, "Count your fingers.")


@implement(2)
def double(function):
    expect(function(3) == 6, "Twice as much.")


def test_a_check_prints_while_you_learn(capsys):
    for guess in (..., 4, 6, 5):
        five(guess)
    double(lambda x: ...)
    double(lambda x: x + x)
    assert capsys.readouterr().out.splitlines() == [
        "five: ○ not tried yet",
        "five: ✗ not yet. One more.",
        "five: ✗ not yet. Count your fingers.",
        "five: ✓ right!",
        "double: ○ not tried yet",
        "double: ✓ right!",
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colors_are_shown_where_they_can_be(monkeypatch):
    """In a terminal green or red in front of the words, and none where none are wanted."""
    for no_color, right, wrong in (
        (None, f"{GREEN}✓ right!{NORMAL}", f"{RED}✗ not yet.{NORMAL} One more."),
        ("1", "✓ right!", "✗ not yet. One more."),
    ):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.delenv("NO_COLOR", raising=False)
        if no_color:
            monkeypatch.setenv("NO_COLOR", no_color)
        for guess in (5, 4, ...):
            five(guess)
        lines = [f"five: {verdict}" for verdict in (right, wrong, "○ not tried yet")]
        assert terminal.getvalue().splitlines() == lines


def test_a_notebook_gets_colors_whatever_the_setting(monkeypatch):
    """Its stored outputs have to be the same everywhere."""
    kernels = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", kernels)
    five(5)
    assert kernels.getvalue() == f"five: {GREEN}✓ right!{NORMAL}\n"


@pytest.mark.parametrize("thing, kind", [(3, "an int"), ("", "a str"), (None, "a NoneType")])
def test_a_kind(thing, kind):
    assert a_kind(thing) == kind


@pytest.mark.parametrize(
    "guess, message, keeps",
    [(..., "not tried yet", 0), (4, "One more.", 0.5), (6, "Count your fingers.", 0)],
)
def test_a_check_raises_when_graded(capsys, guess, message, keeps):
    with graded(), pytest.raises(Hint) as caught:
        five(guess)
    assert (str(caught.value), caught.value.keeps) == (message, keeps)
    assert isinstance(caught.value, NotTried) == (guess is ...)
    with graded():
        five(5)
        double(lambda x: 2 * x)
    assert capsys.readouterr().out == ""
    five(5)
    assert capsys.readouterr().out == "five: ✓ right!\n"


def test_nbgrader_says_that_it_grades():
    code = "from transformer_lib.checks import GRADED; print(GRADED.get())"
    for variables, said in (({}, "False"), ({"NBGRADER_EXECUTION": "autograde"}, "True")):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             env=os.environ | variables)  # fmt: skip
        assert run.stdout.strip() == said, run.stderr


def test_names_used():
    def outer(x):
        return [torch.softmax(y, 0) for y in x], lambda: torch.nn.functional.gelu

    assert {"softmax", "gelu", "functional"} <= names_used(outer)
    assert names_used(5) == set()


def test_functions_beside_it_are_looked_into():
    names: dict = {}
    exec(
        """
from torch.nn.functional import softmax
def attention(x): return softmax(x, 0) if x else again(x)
def again(x): return attention(x)
def mine(x): return attention(x)
""",
        names,
    )
    assert names_used(names["mine"]) == {"softmax"}


def test_borrowed_work_is_seen_behind_another_name():
    from transformer_lib.attention import attention_weights as helper

    names = {"helper": helper}
    exec("def mine(q, k): return helper(q, k)", names)
    assert "attention_weights" in names_used(names["mine"])
    assert names_used(helper) == {"attention_weights"}


def test_own_work():
    own_work(lambda x: x.softmax(0), "cross_entropy")
    with pytest.raises(Hint, match="`softmax` does the whole exercise") as caught:
        own_work(lambda x: x.softmax(0), "cross_entropy", "softmax")
    assert caught.value.keeps == 0


@pytest.mark.parametrize(
    "guesses, message, keeps",
    [
        ((1, 2), None, 1),
        ((3, 2), "First: not one.", 0.5),
        ((1, 9), "Second: not yet. Which parts", 0),
        ((3, 9), "First: not one.", 0),  # two are wrong, so it is no slip
    ],
)
def test_parts(guesses, message, keeps):
    parts = ("First", guesses[0], 1, {3: "not one."}), ("Second", guesses[1], 2, {})
    if message is None:
        parts_right(*parts)
        return
    with pytest.raises(Hint, match=message) as caught:
        parts_right(*parts)
    assert caught.value.keeps == keeps


@pytest.mark.parametrize(
    "found, right, verdict",
    [
        (torch.ones(2), torch.ones(2), True),
        ([1, 1], torch.ones(2), True),
        (torch.ones(3), torch.ones(2), False),
        (torch.ones(1, 2), torch.ones(2), False),
        ("ab", torch.ones(2), False),
        (None, torch.ones(2), False),
        (torch.tensor([True, False]), torch.tensor([True, False]), True),
        (torch.tensor([True, True]), torch.tensor([True, False]), False),
        (0.30000001, 0.3, True),
        (torch.tensor([0.3]), 0.3, True),
        (1, 1.0, True),
        (0.31, 0.3, False),
        (None, 0.3, False),
        ([1, 2], (1, 2), True),
        (torch.tensor([1, 2]), [1, 2], True),
        ([1], [1, 2], False),
        ([(1.0, torch.ones(2))], [(1, torch.ones(2))], True),
        ([(1.0, torch.zeros(2))], [(1, torch.ones(2))], False),
        ("a", "a", True),
        ("a", "b", False),
    ],
)
def test_alike(found, right, verdict):
    assert alike(found, right) == verdict


def test_the_same_truth_values_need_the_same_shape():
    assert not same(torch.tensor([True]), torch.tensor([[True]]))


def test_elsewhere():
    elsewhere(lambda x: 2 * x, torch.tensor([2.0, 4.0]), torch.tensor([1.0, 2.0]))
    for wrong in (lambda x: x, lambda x: x.view(5), lambda x: None, 5):
        with pytest.raises(Hint, match="wrong for other inputs") as caught:
            elsewhere(wrong, torch.tensor([2.0, 4.0]), torch.tensor([1.0, 2.0]))
        assert caught.value.keeps == 0.5


@pytest.mark.parametrize(
    ("guess", "measured", "says"),
    [
        (..., 8.0, "none yet\nit is 8"),
        (8, 8.0, "8\nit is 8: right"),
        (0.4, 0.4004, "0.4\nit is 0.4004: right"),
        (5, 8.0, "5\nit is 8: off by 3"),
        ("five", 8, "five\nit is 8: your guess is not a number"),
        ("Animal", "animal", "Animal\nit is animal: right"),
        ("street", "animal", "street\nit is animal: another one"),
        (True, False, "True\nit is False: another one"),
        ((2, 3), (2, 3), "(2, 3)\nit is (2, 3): right"),
    ],
)
def test_a_reveal_says_how_near_the_guess_was(guess, measured, says, capsys):
    reveal(guess, measured)
    assert capsys.readouterr().out == f"your guess: {says}\n"
