"""What travels between the grader and a student's process."""

import io
import json
import socket
import threading
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

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


@pytest.fixture
def lines():
    """Two ends of a connection; the far one, a student's, answers calls in a thread."""
    ends = socket.socketpair()
    files = [end.makefile("rwb") for end in ends]
    here, there = (Line(file, file) for file in files)
    call = lambda number, *rest: watched(there.functions[number], *rest)  # noqa: E731
    there.functions += [None, None, call, on_guard]  # as course/grading/worker.py offers them

    def answer():
        try:
            while True:
                there.serve(there.receive())
        except Lost:
            pass

    thread = threading.Thread(target=answer)
    thread.start()
    yield here, there
    ends[0].shutdown(socket.SHUT_RDWR)
    thread.join()
    for one in (*files, *ends):
        one.close()


def test_functions_can_be_called_from_both_sides_and_come_home_as_themselves(lines):
    here, there = lines
    thing, mine = torch.nn.Linear(2, 2), lambda x: x + 1
    theirs = here.ask(there.offer(lambda f: lambda x: f(x) + 1), lambda x: 10 * x)
    assert isinstance(theirs, Remote) and theirs(4) == 41
    assert torch.equal(theirs(torch.ones(2)), torch.full((2,), 11.0))
    same = there.offer(lambda given, offered: given is thing and offered(1))
    assert here.ask(same, here.ask(there.offer(lambda: thing)), mine) == 2
    assert here.ask(there.offer(lambda function: function), mine) is mine


def test_what_runs_in_the_other_process_is_watched(lines):
    here, there = lines
    theirs = here.ask(there.offer(lambda: torch.softmax))
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
    thing = Parts(call=softmax, watched=lambda names, *inputs: softmax(*inputs))
    theirs = here.ask(there.offer(lambda: thing))
    assert isinstance(theirs, Parts) and theirs(torch.zeros(2)).tolist() == [0.5, 0.5]
    with pytest.raises(Borrowed, match="softmax"):
        watched(theirs, ["softmax"], (torch.zeros(2),), {})


def test_exceptions_arrive_by_name(lines):
    here, there = lines
    endless: list = []
    endless.append(endless)
    raises = {"IndexError": lambda: [][5], "SystemExit": exit, "": lambda: endless}
    for name, function in raises.items():
        with pytest.raises(Stopped) as caught:
            here.ask(there.offer(function))
        assert type(caught.value).__name__ == name or not name
    assert here.ask(there.offer(lambda: 5)) == 5


Candidate = namedtuple("Candidate", "finished score log_prob ids")


class Denies(torch.Tensor):
    def is_complex(self):
        return False


HALVES, TURNED = torch.tensor([0.25, 0.75]).double(), torch.tensor([1 + 2j, 3])


RESULTS = [
    (Hypothesis([1, 2], -1.5, -1.0, True), Hypothesis([1, 2], -1.5, -1.0, True)),
    (Candidate(True, -1.0, -1.5, (1, 2)), Hypothesis([1, 2], -1.5, -1.0, True)),
    (np.float64(0.5), 0.5),
    (np.int64(3), 3),
    (np.bool_(True), True),
    (Fraction(1, 4), 0.25),
    (Decimal("0.75"), 0.75),
    (np.complex64(1 + 2j), 1 + 2j),
    (HALVES.numpy(), HALVES),
    (np.arange(3)[::-1], torch.tensor([2, 1, 0])),
    (torch.arange(6).view(2, 3).T, torch.tensor([[0, 3], [1, 4], [2, 5]])),
    (HALVES > 0.5, torch.tensor([False, True])),
    (TURNED.numpy(), TURNED),
    (TURNED.as_subclass(Denies), TURNED),  # so that the checks say the same as in a notebook
]


def test_results_arrive_as_the_checks_read_them(lines):
    here, there = lines
    for given, expected in RESULTS:
        found = here.ask(there.offer(lambda result=given: result))
        assert type(found) is type(expected), given
        if isinstance(expected, torch.Tensor):
            torch.testing.assert_close(found, expected, rtol=0, atol=0)
        else:
            assert found == expected


def test_functions_of_a_check_take_nothing_large_and_not_without_end(lines):
    here, there = lines
    here.calls = MOST_CALLS
    calls = there.offer(lambda function, *inputs: function(*inputs))
    for large in (
        torch.ones(1, MOST_NUMBERS + 1),
        torch.ones(0, 10**9),  # a mask for it would be a square
        [[1.0] * 1000] * 3,
        {"a": "b" * MOST_NUMBERS},
        Parts(words=(1,) * MOST_NUMBERS),
    ):
        assert here.ask(calls, len, [1, 2]) == 2
        with pytest.raises(Stopped, match=f"numbers: it takes {MOST_NUMBERS:,} at most"):
            here.ask(calls, len, large)
    here.calls = 1
    assert here.ask(calls, len, [1]) == 1
    with pytest.raises(Stopped, match=f"can be called {MOST_CALLS:,} times at most"):
        here.ask(calls, len, [1])


def message(thing, data: bytes = b"") -> bytes:
    words = thing if isinstance(thing, bytes) else json.dumps(thing).encode()
    return SIZES.pack(len(words), len(data)) + words + data


def test_nonsense_is_lost_and_nothing_worse():
    """test_hand_in_properties.py tries what chance finds; these it would hardly find."""
    called = [["call", number, [], {"dict": []}] for number in (-1, 1, 0.0, None, "0")]
    answers = (
        *({"tensor": "0"}, {"set": [[]]}, {"hypothesis": {"dict": [["ids", 1]]}}),
        *({"yours": -1}, {"yours": 1}, {"parts": [1]}),
    )
    for arrives in (
        SIZES.pack(LARGEST + 1, 0),
        SIZES.pack(5, LARGEST + 1) + b"[1,2]",
        message(b"\xff\xfe"),
        message(b"[" * 100_000),
        message(["answer", {"tensor": "0"}], b"not safetensors"),
        *(message(["answer", one]) for one in answers),
        *map(message, called),
    ):
        line = Line(io.BytesIO(arrives), io.BytesIO())
        line.offer(lambda: pytest.fail("it was called"))
        with pytest.raises(Lost):
            line.ask(0)
