"""How the grader and a student's process talk: through two pipes, about plain data and functions.

A message is a list of JSON and tensors:

    ["call", 3, inputs, options]    call your function number 3
    ["answer", result]              the result of the last call
    ["error", name, text]           the last call stopped with this exception

Functions travel as numbers: a function that one side gets from the other is a `Remote`, and calling
it sends a "call". So a student's function can be called from the grader, and can itself call a
function that it was given; handed back, it is the function itself again. Nothing is unpickled: what
arrives can be wrong, but it can't run.
"""

import functools
import json
import math
import struct
from collections.abc import Callable, Collection
from decimal import Decimal
from numbers import Real
from typing import Any, BinaryIO

import numpy as np
import safetensors.torch
import torch
from torch import Tensor

from course.checks import Parts, as_hypothesis
from course.checks.watching import Borrowed
from transformer_lib.decoding import Hypothesis

LARGEST = 2**20  # bytes of JSON, and of tensors, in one message
# What a student's process may ask of the grader's functions, which stand there without a limit of
# their own: attention grows with the square of its input. Honest work needs a few hundred.
MOST_NUMBERS = 2_000  # in the inputs of one call
MOST_CALLS = 10_000  # of one process
SIZES = struct.Struct(">QQ")
RUN_CELL, GET_NAME, CALL_WATCHED, TRY_WATCH = range(4)  # what a student's process offers


class Lost(BaseException):
    """The other process is gone, or what it says makes no sense.

    It isn't an Exception, so a check that catches what a student's function raises doesn't catch
    it.
    """


class Stopped(Exception):
    """A call in the other process stopped with an exception of another kind; see `raised`."""


class Remote:
    """A function that lives in the other process."""

    def __init__(self, line: "Line", number: int):
        self.line = line
        self.number = number

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.line.ask(self.number, *inputs, **options)

    def watched(self, names: Collection[str], *inputs: Any, **options: Any) -> Any:
        """Call it in a student's process; Borrowed if code with one of these names runs there."""
        try:
            if self.line.ask(TRY_WATCH) is not True:
                raise Borrowed("taking the watch away")
            return self.line.ask(CALL_WATCHED, self.number, list(names), list(inputs), options)
        except Stopped as error:
            if type(error).__name__ == "Borrowed":
                raise Borrowed(str(error)) from None
            raise


class Line:
    """One end of the connection. calls: how many of the other side's calls it answers."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, calls: float = math.inf):
        self.reader = reader
        self.writer = writer
        self.calls = calls
        self.functions: list[Callable] = []  # those the other side may call, by number

    def offer(self, function: Callable) -> int:
        """Offer a function -> the number by which the other side can call it."""
        self.functions.append(function)
        return len(self.functions) - 1

    def is_offered(self, number: Any) -> bool:
        return isinstance(number, int) and 0 <= number < len(self.functions)

    def ask(self, number: int, *inputs: Any, **options: Any) -> Any:
        """Call a function of the other side -> its result. Meanwhile it may call ours."""
        self.send(["call", number, list(inputs), options])
        while True:
            match self.receive():
                case ["answer", result]:
                    return result
                case ["error", name, text]:
                    raise raised(name, text)
                case other:
                    self.serve(other)

    def serve(self, message: list) -> None:
        """Answer one call."""
        match message:
            case ["call", number, list(inputs), dict(options)] if self.is_offered(number):
                pass
            case _:
                raise Lost("not a message")
        try:
            self.allow([inputs, options])
            self.send(["answer", self.functions[number](*inputs, **options)])
        except Lost:
            raise
        except (Exception, SystemExit, Borrowed) as error:  # exit() ends a call, not the rest
            self.send(["error", type(error).__name__, str(error)[:1000]])

    def allow(self, inputs: Any) -> None:
        """Raise a ValueError if this call exceeds what this end answers."""
        if self.calls == math.inf:
            return
        self.calls -= 1
        if self.calls < 0:
            raise ValueError(f"the functions of a check can be called {MOST_CALLS:,} times at most")
        if (numbers := how_many(inputs)) > MOST_NUMBERS:
            raise ValueError(
                f"a function of a check was called with {numbers:,} numbers: it takes "
                f"{MOST_NUMBERS:,} at most"
            )

    def send(self, message: list) -> None:
        tensors: dict[str, Tensor] = {}
        text = json.dumps(self.pack(message, tensors)).encode()
        data = safetensors.torch.save(tensors) if tensors else b""
        try:
            self.writer.write(SIZES.pack(len(text), len(data)) + text + data)
            self.writer.flush()
        except OSError as error:
            raise Lost("gone") from error

    def receive(self) -> list:
        text_size, data_size = SIZES.unpack(self.read(SIZES.size))
        if max(text_size, data_size) > LARGEST:
            raise Lost("too large a message")
        text, data = self.read(text_size), self.read(data_size)
        try:
            tensors = safetensors.torch.load(data) if data else {}
            message = self.unpack(json.loads(text), tensors)
        except Exception as error:  # whatever is wrong with it, it is no message
            raise Lost("not a message") from error
        if not isinstance(message, list) or not message:
            raise Lost("not a message")
        return message

    def read(self, size: int) -> bytes:
        try:
            data = self.reader.read(size)
        except OSError as error:
            raise Lost("gone") from error
        if len(data) < size:
            raise Lost("gone")
        return data

    # --- plain data and back -------------------------------------------------------------------

    def pack(self, thing: Any, tensors: dict[str, Tensor]) -> Any:
        """An object as JSON can hold it; its tensors go into `tensors`."""
        if isinstance(thing, np.generic):
            thing = thing.item()
        elif isinstance(thing, np.ndarray) and thing.dtype.kind in "biufc":
            thing = torch.as_tensor(thing.copy())  # one that runs backwards can't be shared
        if thing is None or isinstance(thing, bool):
            return thing
        for plain in (int, float, str):  # their subclasses, too, become plain ones
            if isinstance(thing, plain):
                return plain(thing)
        if isinstance(thing, Real | Decimal):  # such as Fraction(1, 4)
            return float(thing)
        if isinstance(thing, complex):
            return {"complex": [thing.real, thing.imag]}
        if isinstance(thing, list | torch.nn.ModuleList):
            return [self.pack(part, tensors) for part in thing]
        if isinstance(thing := as_hypothesis(thing), Hypothesis):
            return {"hypothesis": self.pack(vars(thing), tensors)}
        if isinstance(thing, tuple | set | frozenset):
            kind = "tuple" if isinstance(thing, tuple) else "set"
            return {kind: [self.pack(part, tensors) for part in thing]}
        if isinstance(thing, dict):
            return {"dict": [self.pack(pair, tensors) for pair in thing.items()]}
        if isinstance(thing, Parts):
            return {"parts": self.pack(vars(thing), tensors)}
        if thing is ...:
            return {"nothing": "..."}
        if isinstance(thing, Tensor):
            if thing.is_complex():
                thing = thing.to(torch.complex64)  # the one kind that can be sent
            tensors[str(len(tensors))] = thing.detach().cpu().contiguous().clone()
            a_loss = thing.dim() == 0 and thing.requires_grad  # a check asks what it still holds
            return {"loss" if a_loss else "tensor": str(len(tensors) - 1)}
        if isinstance(thing, Remote) and thing.line is self:
            return {"yours": thing.number}
        if callable(thing):
            return {"function": self.offer(thing)}
        return {"other": type(thing).__name__}

    def unpack(self, said: Any, tensors: dict[str, Tensor]) -> Any:
        if isinstance(said, list):
            return [self.unpack(part, tensors) for part in said]
        if not isinstance(said, dict):
            return said
        ((kind, value),) = said.items()
        match kind:
            case "tuple" | "set":
                parts = [self.unpack(part, tensors) for part in value]
                return tuple(parts) if kind == "tuple" else set(parts)
            case "dict":
                return dict(self.unpack(pair, tensors) for pair in value)
            case "hypothesis":
                return Hypothesis(**self.unpack(value, tensors))
            case "parts":
                return Parts(**self.unpack(value, tensors))
            case "nothing":
                return ...
            case "complex":
                return complex(*value)
            case "tensor":
                return tensors[value]
            case "loss":
                return tensors[value].requires_grad_()
            case "yours":
                if not self.is_offered(value):
                    raise ValueError("nothing is offered under this number")
                return self.functions[value]
            case "function":
                return Remote(self, value)
        return named(str(value), object)()  # something else: only the name of its type is known


def how_many(thing: Any) -> int:
    """How many numbers and letters an object holds. An empty dimension counts as one."""
    if isinstance(thing, Tensor):
        return math.prod(max(1, size) for size in thing.shape)
    if isinstance(thing, str):
        return len(thing)
    if isinstance(thing, dict):
        return how_many([*thing, *thing.values()])
    if isinstance(thing, Hypothesis | Parts):
        return how_many(vars(thing))
    if isinstance(thing, list | tuple | set):
        return sum(map(how_many, thing))
    return 1


def raised(name: Any, text: Any) -> Exception:
    """An exception that reads like the one in the other process."""
    return named(str(name), Stopped)(str(text))


@functools.lru_cache(1000)
def named(name: str, base: type) -> type:
    right = name.isidentifier() and len(name) < 100
    return type(name if right else "Unknown", (base,), {})
