"""Whose work is it? What ran while a function was called says so, not what anything is called.

Own code under a library's name is own code, and borrowed code under another name, behind a
`partial`, in a dict or copied out of the library with `inspect.getsource` is borrowed.
"""

import functools
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from transformer_lib.model.masks import causal_mask


def folders_of(*modules: str) -> tuple[str, ...]:
    """Where imported packages lie, with a separator at the end; behind a link both its ends."""
    files = (getattr(sys.modules.get(module), "__file__", None) for module in modules)
    places = [place for file in files if file for place in (Path(file), Path(file).resolve())]
    return tuple(str(place.parent / "_")[:-1] for place in places)


class Borrowed(BaseException):
    """A function called what it should have written itself; the message is the name of that.

    No Exception: a check that catches what an attempt raises must not catch this.
    """


class Watch(TorchFunctionMode):
    """Within it, what runs of the library, PyTorch and sacreBLEU under these names is `found`.

    names: of functions and classes. PyTorch's functions in C are also found by a part of their
    names: `layer_norm` stands for `native_layer_norm` as well.
    """

    def __init__(self, names: Collection[str]):
        super().__init__()
        self.names = set(names)
        self.found: list[str] = []
        self.checks = folders_of(__name__)
        self.course = folders_of("course")
        self.solutions = tuple(f"{folder}assignments" for folder in self.course)
        self.libraries = (*self.course, *folders_of("transformer_lib", "torch", "sacrebleu"))
        self.texts = descriptions(frozenset(names))

    def __enter__(self) -> "Watch":
        super().__enter__()
        self.before = sys.getprofile()
        sys.setprofile(self.on_call)
        return self

    def __exit__(self, error: Any, *about: Any) -> None:
        # Whoever switches it off has something to hide; too deep a recursion does it as well.
        if error is None and sys.getprofile() != self.on_call:
            self.found.append("sys.setprofile")
        sys.setprofile(self.before)
        super().__exit__(error, *about)

    def __torch_function__(
        self, function: Callable, types: Any, inputs: tuple = (), options: dict | None = None
    ) -> Any:
        """Whatever is called of PyTorch, from wherever."""
        self.in_c(function)
        return function(*inputs, **(options or {}))

    def in_c(self, function: Any) -> None:
        called = str(getattr(function, "__name__", ""))
        self.found += sorted((name for name in self.names if name in called), key=len, reverse=True)

    def on_call(self, frame: FrameType, event: str, function: Any) -> None:
        """Whatever is called of Python, and in C even where PyTorch's modes are switched off."""
        if event == "c_call":
            self.in_c(function)
        if event != "call":
            return
        code = frame.f_code
        name = code.co_qualname
        if self.is_check(code.co_filename):
            # A check may hand over functions of its own; its right answers are for itself.
            # Handed in under another name, they are called by the library.
            if name in self.names or ("." not in name and not self.is_library(frame.f_back)):
                self.found.append(name)
            return
        if self.is_library(frame):
            owner, _, method = name.rpartition(".")
            if owner in self.names and not method.startswith("_") and method != "forward":
                self.found.append(name)  # `Transformer.encode` was called, not `Transformer`
            else:
                self.found += self.names.intersection(name.split("."))
        for known in (code.co_consts[0] if code.co_consts else None, place_of(code)):
            if known in self.texts:
                self.found.append(self.texts[known])

    def is_check(self, file: str) -> bool:
        """Those that all share, and the checks.py of each chapter."""
        in_a_chapter = file.startswith(self.course) and file.endswith("checks.py")
        return in_a_chapter or file.startswith(self.checks)

    def is_library(self, frame: FrameType | None) -> bool:
        file = "" if frame is None else frame.f_code.co_filename
        return file.startswith(self.libraries) and not file.startswith(self.solutions)


def place_of(code: CodeType) -> tuple[str, int]:
    """The file and the line that code is from, whatever it is called by now."""
    return code.co_filename, code.co_firstlineno


@functools.cache
def descriptions(names: frozenset[str]) -> dict[str | tuple, str]:
    """Docstring, and `place_of` -> name, of what the library has under these names.

    Whoever runs the library's own text brings its docstring along, however it was copied; and
    whoever runs its code under another name, the place where it is from.
    """
    ours = [
        module
        for name, module in sys.modules.items()
        if name.startswith(("transformer_lib.", "course."))
    ]
    found = {}
    for module in ours:
        for name in names & set(vars(module)):
            thing = vars(module)[name]
            parts = [thing, *vars(thing).values()] if isinstance(thing, type) else [thing]
            for code in filter(None, (getattr(part, "__code__", None) for part in parts)):
                found[place_of(code)] = name
                if isinstance(code.co_consts[0], str):
                    found[code.co_consts[0]] = name
    return found


def watched(function: Callable, names: Collection[str], inputs: tuple, options: dict) -> Any:
    """What a function returns; Borrowed if it lets the library do what it should do itself."""
    watch = getattr(type(function), "watched", None)  # an attribute of its own has no say
    if watch is not None:  # it lives in another process, or has names of its own
        return watch(function, names, *inputs, **options)
    return watched_here(function, names, inputs, options)


def watched_here(function: Callable, names: Collection[str], inputs: tuple, options: dict) -> Any:
    """The same for a function of this process, whatever it says of itself."""
    watch = Watch(names)
    try:
        with watch:
            return function(*inputs, **options)
    finally:
        if watch.found:
            raise Borrowed(watch.found[0])


def on_guard() -> bool:
    """Does a watch find what it should, in Python, in PyTorch, and behind PyTorch's back?"""

    def unseen() -> torch.Tensor:
        with torch._C.DisableTorchFunction():
            return torch.ones(1)

    tries = (
        (lambda: causal_mask(2), "causal_mask"),
        (unseen, "ones"),
        (lambda: torch.ones(1).shape, "__get__"),
    )
    for borrows, name in tries:
        try:
            watched(borrows, [name], (), {})
        except Borrowed:
            continue
        return False
    return True


class Attempt:
    """A function as a check gets it: `too_much` names what it may not call."""

    def __init__(self, function: Callable, *too_much: str):
        self.function = function
        self.too_much = too_much

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        if not self.too_much:
            return self.function(*inputs, **options)
        return watched(self.function, self.too_much, inputs, options)

    def watched(self, names: Collection[str], *inputs: Any, **options: Any) -> Any:
        """The same, where an exercise names more."""
        return watched(self.function, {*self.too_much, *names}, inputs, options)
