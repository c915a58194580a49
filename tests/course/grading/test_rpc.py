"""What travels between the grader and a student's process."""

import dataclasses
import io
import json
import math
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from safetensors.torch import save

from course.checks import Parts
from course.checks.watching import Borrowed, on_guard, watched
from course.grading.rpc import (
    LARGEST,
    MOST_CALLS,
    MOST_NUMBERS,
    SIZES,
    TRY_WATCH,
    Line,
    Lost,
    Remote,
    Stopped,
)
from transformer_lib.decoding import Hypothesis


@pytest.mark.parametrize(
    "thing",
    [
        None,
        True,
        False,
        3,
        -(10**30),
        2.5,
        math.inf,
        "árboles",
        [],
        [1, [2]],
        (1, "a"),
        {1, 2},
        {"a": 1, (1, 2): [None]},
        ...,
        [...],
        Hypothesis([1, 2], -1.5, -1.0, True),
    ],
)
def test_plain_data_arrives_as_it_was(lines, thing):
    here, there = lines
    there.offer(lambda given: given)
    found = here.ask(0, thing)
    assert found == thing and type(found) is type(thing)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool])
def test_tensors_arrive_as_they_were(lines, dtype):
    here, there = lines
    there.offer(lambda given: given)
    given = torch.arange(30).reshape(2, 3, 5).transpose(0, 2).to(dtype)
    assert torch.equal(here.ask(0, given), given)
    assert here.ask(0, given).dtype == dtype
    assert math.isnan(here.ask(0, math.nan))


def test_what_numpy_has_arrives_as_plain_numbers(lines):
    here, there = lines
    there.offer(lambda: [np.float64(0.5), np.int64(3), np.bool_(True), np.array([0.25, 0.75])])
    there.offer(lambda: np.array(["a"]))
    *numbers, array = here.ask(0)
    assert numbers == [0.5, 3, True] and [type(n) for n in numbers] == [float, int, bool]
    assert torch.equal(array, torch.tensor([0.25, 0.75], dtype=torch.float64))
    assert type(here.ask(1)).__name__ == "ndarray"


def test_fractions_arrive_as_numbers(lines):
    here, there = lines
    there.offer(lambda: [Fraction(1, 4), Decimal("0.75")])
    assert here.ask(0) == [0.25, 0.75]
    assert all(type(number) is float for number in here.ask(0))


def test_an_array_that_runs_backwards_arrives_in_its_order(lines):
    here, there = lines
    there.offer(lambda: np.arange(3)[::-1])
    assert here.ask(0).tolist() == [2, 1, 0]


def test_functions_can_be_called_from_both_sides(lines):
    here, there = lines
    there.offer(lambda f: lambda x: f(x) + 1)
    theirs = here.ask(0, lambda x: 10 * x)
    assert isinstance(theirs, Remote)
    assert theirs(4) == 41
    assert torch.equal(theirs(torch.ones(2)), torch.full((2,), 11.0))


def test_what_comes_home_is_itself_again(lines):
    here, there = lines
    thing = torch.nn.Linear(2, 2)
    there.offer(lambda: thing)
    there.offer(lambda given, offered: given is thing and offered(1))
    theirs, mine = here.ask(0), lambda x: x + 1
    assert here.ask(1, theirs, mine) == 2
    number = there.offer(lambda function: function)
    assert here.ask(number, mine) is mine


def test_a_loss_says_whether_it_holds_its_graph(lines):
    here, there = lines
    weight = torch.ones((), requires_grad=True)
    there.offer(lambda: [2 * weight, (2 * weight).detach(), weight * torch.ones(2)])
    assert [one.requires_grad for one in here.ask(0)] == [True, False, False]


def test_named_functions_travel_as_one_thing(lines):
    here, there = lines
    there.offer(lambda model: (model(1), model.encode(1)))
    assert here.ask(0, Parts(call=lambda x: x + 1, encode=lambda x: x + 2)) == (2, 3)


def test_inputs_may_have_names(lines):
    here, there = lines
    there.offer(lambda a, *, b: a - b)
    assert here.ask(0, 7, b=5) == 2


def test_what_runs_in_the_other_process_is_watched(lines):
    here, there = lines
    call = lambda number, *rest: watched(there.functions[number], *rest)  # noqa: E731
    there.functions += [None, None, call, on_guard]
    there.offer(lambda: lambda x, dim: torch.softmax(x, dim))
    theirs = here.ask(4)
    assert theirs.watched(["relu"], torch.zeros(2), dim=0).tolist() == [0.5, 0.5]
    with pytest.raises(Borrowed, match="softmax"):
        theirs.watched(["softmax"], torch.zeros(2), dim=0)
    there.functions[TRY_WATCH] = lambda: False
    with pytest.raises(Borrowed, match="taking the watch away"):
        theirs.watched(["relu"], torch.zeros(2), dim=0)


def test_what_a_thing_says_of_itself_is_not_believed(lines):
    """Only a type of the grader's has a say in what ran: attributes may come from a student."""
    here, there = lines
    softmax = lambda x: torch.softmax(x, 0)  # noqa: E731
    call = lambda number, *rest: watched(there.functions[number], *rest)  # noqa: E731
    there.functions += [None, None, call, on_guard]
    there.offer(lambda: Parts(call=softmax, watched=lambda names, *inputs: softmax(*inputs)))
    theirs = here.ask(4)
    assert isinstance(theirs, Parts) and theirs(torch.zeros(2)).tolist() == [0.5, 0.5]
    with pytest.raises(Borrowed, match="softmax"):
        watched(theirs, ["softmax"], (torch.zeros(2),), {})


@pytest.fixture
def narrow(lines):
    """Two ends as the grader has them: this one answers so many calls, and no large ones."""
    here, there = lines
    here.calls = MOST_CALLS
    there.offer(lambda function, *inputs: function(*inputs))
    return lambda *inputs: here.ask(0, len, *inputs)


@pytest.mark.parametrize(
    "large",
    [
        torch.ones(1, MOST_NUMBERS + 1),
        torch.ones(0, 10**9),  # a mask for it would be a square
        [[1.0] * 1000] * 3,
        {"a": "b" * MOST_NUMBERS},
        Parts(words=(1,) * MOST_NUMBERS),
    ],
    ids=["tensor", "empty", "lists", "letters", "parts"],
)
def test_functions_of_a_check_take_nothing_large(narrow, large):
    assert narrow([1, 2]) == 2
    with pytest.raises(Stopped, match=f"numbers: it takes {MOST_NUMBERS:,} at most"):
        narrow(large)


def test_functions_of_a_check_are_not_called_without_end(narrow, lines):
    lines[0].calls = 2
    assert [narrow([1]), narrow([1])] == [1, 1]
    with pytest.raises(Stopped, match=f"can be called {MOST_CALLS:,} times at most"):
        narrow([1])


def test_exceptions_arrive_by_name(lines):
    here, there = lines
    there.offer(lambda: [][5])
    there.offer(lambda: exit())
    with pytest.raises(Stopped, match="out of range") as caught:
        here.ask(0)
    assert type(caught.value).__name__ == "IndexError"
    with pytest.raises(Stopped) as caught:
        here.ask(1)
    assert type(caught.value).__name__ == "SystemExit"


def test_anything_else_arrives_as_the_name_of_its_type(lines):
    here, there = lines
    there.offer(lambda: iter([]))
    assert type(here.ask(0)).__name__ == "list_iterator"


@dataclasses.dataclass(frozen=True)
class Longer(Hypothesis):
    words: int = 2


Candidate = namedtuple("Candidate", "finished score log_prob ids")
Pair = namedtuple("Pair", "score ids")


@pytest.mark.parametrize(
    "thing",
    [Longer([1, 2], -1.5, -1.0, True), Candidate(True, -1.0, Fraction(-3, 2), (1, 2))],
    ids=["a class made of it", "a named tuple"],
)
def test_what_has_the_fields_of_a_hypothesis_arrives_as_one(lines, thing):
    here, there = lines
    there.offer(lambda: thing)
    there.offer(lambda: [Pair(1, 2), Candidate])
    assert here.ask(0) == Hypothesis([1, 2], -1.5, -1.0, True)
    pair, kind = here.ask(1)
    assert pair == (1, 2) and isinstance(kind, Remote)


class Denies(torch.Tensor):
    def is_complex(self):
        return False


def test_complex_numbers_arrive_as_such(lines):
    """So that the checks say the same to them in the notebook and graded."""
    here, there = lines
    given = torch.tensor([1 + 2j, 3], dtype=torch.complex128)
    there.offer(lambda: [1 + 2j, np.complex64(1 + 2j), given, given.numpy()])
    there.offer(lambda: given.to(torch.complex64).as_subclass(Denies))
    *numbers, tensor, array = here.ask(0)
    assert numbers == [1 + 2j, 1 + 2j]
    for one in (tensor, array, here.ask(1)):
        assert one.is_complex() and one.tolist() == [1 + 2j, 3]


def test_what_can_not_be_told_is_an_error_not_the_end(lines):
    here, there = lines
    endless: list = []
    endless.append(endless)
    there.offer(lambda: endless)
    there.offer(lambda: 5)
    with pytest.raises(Stopped):
        here.ask(0)
    assert here.ask(1) == 5


def message(thing, data: bytes = b"") -> bytes:
    words = thing if isinstance(thing, bytes) else json.dumps(thing).encode()
    return SIZES.pack(len(words), len(data)) + words + data


@pytest.mark.parametrize(
    "arrives",
    [
        b"",
        b"rubbish",
        b"x" * 100,
        SIZES.pack(LARGEST + 1, 0),
        SIZES.pack(5, 0) + b"[",
        message(b"\xff\xfe"),
        message(b"[" * 100_000),
        message({}),
        message([]),
        message({"a": 1}),
        message(["answer"]),
        message(["error", "NameError"]),
        message(["call", 0]),
        message(["call", 0, [], {"dict": []}]),  # nothing is offered here
        message(["call", -1, [], {"dict": []}]),
        message(["call", "0", [], {"dict": []}]),
        message(["call", 0, []]),
        message(["shout", 0, [], {"dict": []}]),
        message(["answer", {"tensor": "0"}]),
        message(["answer", {"tensor": "0"}], b"not safetensors"),
        message(["answer", {"set": [[]]}]),
        message(["answer", {"hypothesis": {"dict": [["ids", 1]]}}]),
        message(["answer", {}]),
        message(["answer", {"yours": 0}]),  # nothing is offered here
        message(["answer", {"yours": -1}]),
        message(["answer", {"parts": [1]}]),
    ],
)
def test_nonsense_is_lost_and_nothing_worse(arrives):
    line = Line(io.BytesIO(arrives), io.BytesIO())
    with pytest.raises(Lost):
        line.ask(0)


def test_a_message_that_says_it_is_too_large_is_not_even_read():
    line = Line(io.BytesIO(SIZES.pack(5, LARGEST + 1) + b"[1,2]"), io.BytesIO())
    with pytest.raises(Lost, match="too large"):
        line.ask(0)


def test_only_the_numbers_of_functions_that_were_offered():
    for number in (-1, 1, 0.0, None):
        line = Line(io.BytesIO(message(["call", number, [], {"dict": []}])), io.BytesIO())
        line.offer(lambda: pytest.fail("it was called"))
        with pytest.raises(Lost, match="not a message"):
            line.ask(0)


def test_an_answer_may_come_with_tensors_it_does_not_name():
    tensors = save({"5": torch.ones(2)})
    assert Line(io.BytesIO(message(["answer", 3], tensors)), io.BytesIO()).ask(0) == 3


def test_odd_names_of_exceptions_and_types():
    for name in ("not a name", "a\0b", 5, "", "x" * 1000):
        line = Line(io.BytesIO(message(["error", name, None])), io.BytesIO())
        with pytest.raises(Stopped) as caught:
            line.ask(0)
        assert type(caught.value).__name__ == "Unknown"
        line = Line(io.BytesIO(message(["answer", {"other": name}])), io.BytesIO())
        assert type(line.ask(0)).__name__ == "Unknown"
