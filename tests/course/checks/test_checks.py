"""What all checks share: printing or raising, slips, and looking for borrowed work."""

import io
import math
import sys
from collections import namedtuple
from dataclasses import dataclass, make_dataclass
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec, module_from_spec
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from course.checks import (
    Hint,
    NotTried,
    Value,
    Values,
    Verdicts,
    alike,
    as_hypothesis,
    as_shape,
    elsewhere,
    exercise,
    expect,
    fault_in_a_stack,
    graded,
    implement,
    no_slip,
    not_so,
    one_number,
    result_of,
    reveal,
    whole_number,
    whole_numbers,
    wrong_verdicts,
)
from course.checks.hints import GREEN, NORMAL, RED
from tests.course.checks.attempts import told
from transformer_lib.decoding import Hypothesis


@exercise
def five(guess):
    no_slip(guess != 4, "One more.")
    expect(guess == 5, "Count your fingers.")


@implement(lambda: (2,))
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


@pytest.mark.parametrize("variables", [{}, {"NBGRADER_EXECUTION": "autograde"}])
def test_nbgrader_says_that_it_grades(monkeypatch, variables):
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    anew = module_from_spec(find_spec("course.checks.hints"))
    anew.__spec__.loader.exec_module(anew)
    assert anew.GRADED.get() == bool(variables)


@pytest.mark.parametrize(
    "guesses, message, keeps",
    [
        ((1, 2), "", 1),
        ((3, 2), "First: not one.", 0.5),
        ((1, 9), "Second: not yet. Which parts", 0),
        ((3, 9), "First: not one.", 0),  # two are wrong, so it is no slip
    ],
)
def test_parts(guesses, message, keeps):
    check = Values(
        "two", "", Value("First", right=1, slips={3: "not one."}), Value("Second", right=2)
    )
    said, kept = told(check, *guesses)
    assert (message in said, bool(message), kept) == (True, bool(said), keeps)


@pytest.mark.parametrize(
    "found, right, verdict",
    [
        (torch.ones(2), torch.ones(2), True),
        ([1, 1], torch.ones(2), True),
        (torch.ones(3), torch.ones(2), False),
        (None, torch.ones(2), False),
        (0.30000001, 0.3, True),
        (torch.tensor([0.3]), 0.3, True),
        (0.31, 0.3, False),
        ([1, 2], (1, 2), True),
        (torch.tensor([1, 2]), [1, 2], True),
        ([(1.0, torch.ones(2))], [(1, torch.ones(2))], True),
        (Fraction(1, 4), 0.25, True),
        (torch.tensor([0.9, 1.0]), torch.tensor([0, 1]), False),
        (torch.tensor([0.5, 1.0]), torch.tensor([True, True]), False),
        ([1j, 1j], torch.zeros(2), False),
    ],
)
def test_alike(found, right, verdict):
    assert alike(found, right) == verdict


NUMBERS_IN_OTHER_CLOTHES = [
    3,
    3.0,
    Fraction(6, 2),
    Decimal(3),
    torch.tensor(3),
    torch.tensor([[3.0]]),
    np.int64(3),
    np.float32(3),
    torch.nn.Parameter(torch.tensor(3.0)),
]


@pytest.mark.parametrize("number", NUMBERS_IN_OTHER_CLOTHES, ids=repr)
def test_a_number_in_any_clothes(number):
    for found in (one_number(number), whole_number(number), whole_numbers([number], "?")[0]):
        assert found == 3 and type(found) in (int, float)
    assert type(whole_number(number)) is int


@pytest.mark.parametrize("thing", [True, np.bool_(True), torch.tensor(True), "3", None, [3], 3j])
def test_what_is_no_number(thing):
    for check in (one_number, whole_number):
        with pytest.raises(Hint, match="Give "):
            check(thing)
    with pytest.raises(Hint, match="A list, please"):
        whole_numbers([thing], "A list, please.")


@pytest.mark.parametrize("number", [3.5, math.inf, math.nan, Fraction(7, 2)])
def test_what_is_no_whole_number(number):
    assert isinstance(one_number(number), float)
    with pytest.raises(Hint, match="Give a whole number, not"):
        whole_number(number)


def test_a_shape_in_any_clothes():
    for shape in ((2, 7), [2.0, 7], torch.Size([2, 7]), torch.tensor([2, 7]), (np.int64(2), 7)):
        assert as_shape(shape) == (2, 7)
    for wrong in (27, "27", (2, 7.5), torch.tensor(27)):
        with pytest.raises(Hint, match="as a tuple of whole numbers"):
            as_shape(wrong)


FIELDS = {"ids": (1, 2), "log_prob": Fraction(-3, 2), "score": np.float32(-1), "finished": True}
OWN = [
    make_dataclass("Own", FIELDS),
    make_dataclass("Frozen", FIELDS, frozen=True, slots=True),
    namedtuple("Turned", reversed(FIELDS)),
    SimpleNamespace,
]


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__name__)
def test_what_stores_the_fields_of_a_hypothesis_is_one(kind):
    assert as_hypothesis(kind(**FIELDS)) == Hypothesis([1, 2], -1.5, -1.0, True)


class AnyName:
    def __getattr__(self, name):
        return AnyName()


@dataclass
class Asks:
    """Its score is worked out, by code that doesn't come back."""

    ids: list
    log_prob: float
    finished: bool

    @property
    def score(self):
        pytest.fail("the score was asked for")


class Empty:
    __slots__ = tuple(FIELDS)


@pytest.mark.parametrize("thing", [AnyName(), Mock(), Asks([1], -1.0, True), Empty(), Hypothesis])
def test_what_only_answers_to_the_names_is_left_as_it_is(thing):
    assert as_hypothesis(thing) is thing


@pytest.mark.parametrize(
    "given, read",
    [
        ("5", 5.0),
        (" 2.50 ", 2.5),
        (["1", 2], [1.0, 2]),
        ("five", "five"),
        ("", ""),
        ("nan", "nan"),
        (True, True),
    ],
)
def test_a_number_in_quotes_is_read_where_it_was_worked_out_by_hand(given, read):
    @exercise
    def check(guess):
        raise Hint(repr(guess))

    with graded(), pytest.raises(Hint) as found:
        check(given)
    assert str(found.value) == repr(read)


def test_a_number_in_quotes_is_none_where_a_function_returns_it():
    @implement(lambda: (2,))
    def check(function):
        one_number(result_of(function, 3), "Give one number.")

    with graded():
        check(lambda x: x + x)
        with pytest.raises(Hint, match="Give one number"):
            check(lambda x: str(x + x))


PLANTED = {"A": "sound", "B": "loud", "C": "slow"}
KINDS = ("sound", "loud", "slow")


def test_verdicts():
    assert wrong_verdicts(dict(PLANTED), PLANTED, KINDS) == {}
    assert wrong_verdicts(PLANTED | {"C": "loud"}, PLANTED, KINDS) == {"C": "loud"}
    with pytest.raises(NotTried):
        wrong_verdicts(dict.fromkeys("ABC", ...), PLANTED, KINDS)
    for verdict, hint in (
        (PLANTED | {"A": ..., "C": ...}, "A and C: still to be measured"),
        (PLANTED | {"B": "new"}, "B: choose one of sound, loud, slow, not 'new'"),
        ({"A": "sound"}, 'Give a kind for each of them: {"A": …, "B": …, "C": …}'),
        (5, "Give a kind for each of them"),
    ):
        with pytest.raises(Hint, match=hint) as caught:
            wrong_verdicts(verdict, PLANTED, KINDS)
        assert caught.value.keeps == 0


def test_few_wrong_verdicts_keep_half():
    measure = {"A": "Listen.", "B": "Listen again.", "C": "Wait."}
    check = Verdicts("", "", PLANTED, KINDS, not_so("sound", measure), slips=1, counts=True)
    for verdict, hint, keeps in (
        (PLANTED, "", 1.0),
        (PLANTED | {"B": "sound"}, "B isn't sound. Listen again.", 0.5),
        (
            dict.fromkeys("ABC", "slow"),
            "A has another fault, or none. Listen. (1 of 3 are right.)",
            0.0,
        ),
    ):
        assert told(check, verdict) == (hint, keeps)


@pytest.mark.parametrize(
    ("guess", "hint", "keeps"),
    [
        ((2, "loud"), None, 1),
        ((torch.tensor(2), "loud"), None, 1),
        ((3, "loud"), "The right fault. But layers count from 0", 0.5),
        ((0, "loud"), "in another layer. Listen.", 0),
        ((2, "slow"), "That isn't the fault. Take the time.", 0),
        ((2, "new"), "The fault is one of 'loud', 'slow'", 0),
        ((4, "loud"), "a whole number from 0 to 3", 0),
        ((2.5, "loud"), "a whole number from 0 to 3", 0),
    ],
)
def test_a_fault_in_a_stack(guess, hint, keeps):
    faults = {"loud": "Measure it.", "slow": "Take the time."}
    if hint is None:
        fault_in_a_stack(guess, (2, "loud"), 4, faults, "Listen.")
        return
    with pytest.raises(Hint, match=hint) as caught:
        fault_in_a_stack(guess, (2, "loud"), 4, faults, "Listen.")
    assert caught.value.keeps == keeps


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
        (5, 8.0, "5\nit is 8: off by 3"),
        ("five", 8, "five\nit is 8: your guess is not a number"),
        ("Animal", "animal", "Animal\nit is animal: right"),
        (True, False, "True\nit is False: another one"),
        ("8", 8.0, "8\nit is 8: right"),
        ("Me gustan los arboles.", "Me gustan los árboles", None),
        ("self attention", "self-attention", None),
        ([2, 3], (2, 3), None),
        ("[2, 8, 3, 3]", (2, 8, 3, 3), None),
        ("(2, 8, 3)", (2, 8, 3, 3), "(2, 8, 3)\nit is (2, 8, 3, 3): another one"),
        ("The same.", "the same", None),
        ([-1, 2], [1, 2], "[-1, 2]\nit is [1, 2]: another one"),
        ("1.5 to 2", "15 to 2", "1.5 to 2\nit is 15 to 2: another one"),
    ],
)
def test_a_reveal_says_how_near_the_guess_was(guess, measured, says, capsys):
    reveal(guess, measured)
    says = says or f"{guess}\nit is {measured}: right"
    assert capsys.readouterr().out == f"your guess: {says}\n"
