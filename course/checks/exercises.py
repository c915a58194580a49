"""Exercises: what a check is made of, as data, and how a check is called.

`Exercise` is for a function that the reader writes, `Value` for an answer, `Values` for several
that belong together. What fits none of them is a function that raises a Hint, made into a check
by the decorators `exercise` and `implement`. tests/course/chapters/test_exercises.py hands in
each right way and each mistake of all of them.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from course.checks.comparing import a_tensor, alike, own_copy, own_work, result_of, tell_apart
from course.checks.hints import GRADED, Hint, NotTried, in_words, no_slip
from course.checks.reading import by_value, in_a_row, numbers_in, with_tensors
from course.checks.watching import Attempt, Borrowed

Ways = Sequence[Callable[..., Any]]  # several programs for the same


def exercise(check: Callable[..., None]) -> Callable[..., None]:
    """A function that raises a Hint -> a check that prints how the attempt did."""

    @functools.wraps(check)
    def checked(*attempt) -> None:
        found = None
        try:
            if any(part is ... for part in attempt):
                raise NotTried("not tried yet")
            check(*map(by_value, map(with_tensors, attempt)))
        except Hint as hint:
            found = hint
        except Borrowed as borrowed:
            share = "a part of the" if str(borrowed).startswith("Transformer.") else "the whole"
            found = Hint(f"`{borrowed}` does {share} exercise for you: write its steps yourself.")
        if found and GRADED.get():
            raise found
        if not GRADED.get():
            print(f"{check.__name__}: {in_words(found)}")

    return checked


def implement(first: Callable[[], Sequence[Any]]) -> Callable:
    """A check of a function the reader writes: "not tried yet" while its body is still `...`.

    first: makes arguments to try it with, to see whether anything comes back. It is a function
    because nothing may be computed while a module is imported: PyTorch would start its threads,
    and a process forked from that one waits for them for ever.
    """

    def decorate(check: Callable[[Callable], None]) -> Callable[[Callable], None]:
        checked = exercise(check)

        @functools.wraps(check)
        def started(function: Callable) -> None:
            inputs = map(own_copy, first())
            try:
                untouched = callable(function) and function(*inputs) is ...
            except Exception:  # it was tried, and the check will say what is wrong
                untouched = False
            checked(... if untouched else Attempt(function) if callable(function) else function)

        return started

    return decorate


class Check:
    """What all exercises that are data have in common: they are called, and judge an attempt."""

    name: str
    about: str
    judge: Callable[..., None]

    def __post_init__(self) -> None:
        self.__name__, self.__doc__ = self.name, self.about

        @functools.wraps(self.judge)
        def check(*attempt: Any) -> None:
            self.judge(*attempt)

        check.__name__ = self.name
        self.check = self.checked(check)

    def __call__(self, *attempt: Any) -> None:
        self.check(*attempt)

    def checked(self, check: Callable[..., None]) -> Callable[..., None]:
        return exercise(check)


@dataclass(eq=False, repr=False)
class Exercise(Check):
    """A check of a function that the reader writes, made of its right answers and its mistakes.

        merge_heads = Exercise(
            "merge_heads",
            inputs=lambda: (codes(2, 3, 5, 7),),
            right=[lambda z: z.transpose(1, 2).flatten(2)],
            slips={
                "The heads are added up. They should stand side by side.": [lambda z: z.sum(1)],
            },
        )
        merge_heads(my_merge_heads)     # merge_heads: ✗ not yet. The heads are added up. They ...

    The attempt is called with the inputs. If it doesn't return what the first right way returns,
    it gets the hint of the mistake that returns the same as the attempt. So each mistake is
    written once, as the program of somebody who makes it.

    name: what the check is called in the line that it prints.
    about: which exercise it is, with what the function takes and returns.
    inputs: makes what the attempt is called with. It is a function because nothing may be
        computed while a module is imported: PyTorch would start its threads, and a process forked
        from that one waits for them for ever. A list of several such inputs, where a mistake
        doesn't show for one alone: all that is returned for them is compared together.
    right: ways to be right. The first says what is right; the others have to agree with it.
    slips: hint -> ways to make this one mistake. It keeps half the points.
    mistakes: the same for mistakes of which nothing remains.
    errors: part of an error message -> the hint for what ends in this error. The same hint, with a
        way to get there, stands in `slips`.
    not_allowed: names of functions and classes, of the library or PyTorch, that would do the
        whole exercise.
    borrowed: ways that use them; they are right, and still get no points.
    read: what was returned -> what is compared, or a Hint that it is of the wrong kind.
    unlike: is called with a wrong result and the right one where no mistake is recognized, and
        raises the Hint that is left to give.
    then: is called with an attempt that is right so far, and raises the Hint for what its result
        doesn't show, such as the gradient or the type.
    elsewhere: hint -> other inputs, for which the attempt has to be right as well. The hint is
        ELSEWHERE, or that of a slip which shows only there.
    near: are two results the same?
    """

    name: str
    about: str = ""
    _: KW_ONLY
    inputs: Callable[[], Sequence[Any]]
    right: Ways
    slips: Mapping[str, Ways] = field(default_factory=dict)
    mistakes: Mapping[str, Ways] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    not_allowed: Sequence[str] = ()
    borrowed: Ways = ()
    read: Callable[[Any], Any] = a_tensor
    unlike: Callable[[Any, Any], None] = tell_apart
    then: Callable[[Callable], None] = lambda attempt: None
    elsewhere: Mapping[str, Callable[[], Sequence[Any]]] = field(default_factory=dict)
    near: Callable[[Any, Any], bool] = alike

    def checked(self, check: Callable[..., None]) -> Callable[..., None]:
        return implement(lambda: each(self.inputs())[0])(check)

    def judge(self, function: Any) -> None:
        """A Hint if the function isn't right."""
        if self.not_allowed:
            own_work(function, *self.not_allowed)
        inputs = self.inputs()
        found = self.returned(function, inputs)
        right = answer(self.right[0], inputs)
        if not self.near(found, right):
            for keeps, known in ((0.0, self.mistakes), (0.5, self.slips)):
                for hint, ways in known.items():
                    if any(self.near(found, answer(way, inputs)) for way in ways):
                        raise Hint(hint, keeps)
            self.unlike(found, right)
        self.then(function)
        for hint, others in self.elsewhere.items():
            inputs = others()
            try:
                found = self.returned(function, inputs)
            except Hint:  # it stops, which is as wrong
                found = None
            no_slip(self.near(found, answer(self.right[0], inputs)), hint)

    def returned(self, function: Any, inputs: Sequence[Any]) -> Any:
        """What an attempt returns for these inputs; for a list of several, a list."""
        found = [self.read(result_of(function, *one, stops=self.errors)) for one in each(inputs)]
        return found if isinstance(inputs, list) else found[0]


def each(inputs: Sequence[Any]) -> list[Sequence[Any]]:
    """What an attempt is called with, one call after the other."""
    return inputs if isinstance(inputs, list) else [inputs]


def answer(way: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """What one of our own ways returns; nothing, where it stops, as some mistakes do."""
    if isinstance(inputs, list):
        return [answer(way, one) for one in inputs]
    try:
        return with_tensors(way(*map(own_copy, inputs)))
    except Exception:
        return None


@dataclass(eq=False, repr=False)
class Value(Check):
    """A check of an answer that the reader gives: a number, a letter, a shape, a few numbers.

        seen = Value("seen", right=9, read=whole_number, slips={16: "That is all of them. ..."})

    name: what the check is called in the line that it prints; in `Values`, what the part is.
    right: the answer.
    slips: wrong answer -> hint. It keeps half the points.
    mistakes: the same for answers of which nothing remains.
    otherwise: the hint for any other wrong answer.
    read: what was handed in -> what is compared, or a Hint that it is of the wrong kind.
    unlike: is called with an answer that isn't known, and may raise a better Hint than `otherwise`.
    near: are two answers the same?

    An answer of several numbers is handed in as a tuple or in several arguments.
    """

    name: str
    about: str = ""
    _: KW_ONLY
    right: Any
    slips: Mapping[Any, str] = field(default_factory=dict)
    mistakes: Mapping[Any, str] = field(default_factory=dict)
    otherwise: str = "not yet. Which parts does it have, and how large is each?"
    read: Callable[[Any], Any] = lambda guess: guess
    unlike: Callable[[Any], None] = lambda guess: None
    near: Callable[[Any, Any], bool] = alike

    def judge(self, *guess: Any) -> None:
        """A Hint if what was handed in isn't the right answer."""
        self.judge_read(self.read(guess if len(guess) > 1 else guess[0]))

    def judge_read(self, guess: Any) -> None:
        """The same for an answer that was read already."""
        if self.near(guess, self.right):
            return
        for keeps, known in ((0.0, self.mistakes), (0.5, self.slips)):
            for wrong, hint in known.items():
                if self.near(guess, wrong):
                    raise Hint(hint, keeps)
        self.unlike(guess)
        raise Hint(self.otherwise)


class Values(Check):
    """A check of several answers that belong together, each of them a Value with its own name.

        runs = Values("runs", "How often each part runs.", Value("Encoder", ...), Value(...))
        runs(1, 7)

    The first wrong one gets its hint, behind its name. It keeps points only as long as all the
    others are right.

    as_list: the hint for what is no list of as many numbers, if they are handed in as a list.
    """

    def __init__(self, name: str, about: str, *parts: Value, as_list: str = ""):
        self.name, self.about = name, about
        self.parts, self.as_list = parts, as_list
        self.right = tuple(part.right for part in parts)
        self.__post_init__()

    def judge(self, *guesses: Any) -> None:
        """A Hint if one of the answers isn't right."""
        if self.as_list:
            guesses = tuple(numbers_in(in_a_row(guesses[0]), len(self.parts), self.as_list))
        given = [part.read(guess) for part, guess in zip(self.parts, guesses, strict=True)]
        hints = []
        for part, guess in zip(self.parts, given, strict=True):
            try:
                part.judge_read(guess)
            except Hint as hint:
                hints.append(Hint(f"{part.__name__}: {hint}", hint.keeps))
        if hints:
            raise Hint(str(hints[0]), hints[0].keeps if len(hints) == 1 else 0.0)
