"""What a check says: a Hint, raised where work is graded, and else printed in words."""

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from contextvars import ContextVar

# Grading is going on: by `with graded()`, or by nbgrader, which sets this variable.
GRADED = ContextVar("GRADED", default="NBGRADER_EXECUTION" in os.environ)


@contextlib.contextmanager
def graded() -> Iterator[None]:
    """Within it, checks raise their hints and print nothing."""
    before = GRADED.set(True)
    try:
        yield
    finally:
        GRADED.reset(before)


class Hint(Exception):
    """The attempt isn't right yet; the message says what to think about.

    keeps: the share of the points that it keeps when graded, 0 to 1.
    """

    def __init__(self, message: str, keeps: float = 0.0):
        super().__init__(message)
        self.keeps = keeps


class NotTried(Hint):
    """There is no attempt yet."""


def expect(right: bool, hint: str) -> None:
    """Nothing if it is right, else a Hint that keeps no points."""
    if not right:
        raise Hint(hint)


def no_slip(right: bool, hint: str) -> None:
    """Nothing if it is right, else a Hint that keeps half the points.

    For a mistake that the check knows by name: one step went wrong, the others didn't.
    """
    if not right:
        raise Hint(hint, keeps=0.5)


GREEN, RED = "\x1b[1;32m", "\x1b[1;31m"
NORMAL = "\x1b[0m"


def in_notebook() -> bool:
    return type(sys.stdout).__module__.startswith("ipykernel")


def colored(text: str, color: str) -> str:
    """The text in a color where that can be shown: in a notebook, or in a terminal that wants it.

    In a notebook always, so that its stored output depends on no setting.
    """
    terminal = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"{color}{text}{NORMAL}" if in_notebook() or terminal else text


def in_words(hint: Hint | None) -> str:
    """How an attempt did, for readers of colors, signs or neither: "✗ not yet. One more."."""
    if hint is None:
        return colored("✓ right!", GREEN)
    if isinstance(hint, NotTried):
        return f"○ {hint}"
    return f"{colored('✗ not yet.', RED)} {hint}"


LONG = 300  # characters of a message that tell enough
# Characters that aren't text: they control a terminal, end a table or reverse the rest of a line.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def in_part(text: str, most: int = LONG) -> str:
    """The text without control characters (� instead), cut where it is too long to be read."""
    text = CONTROLS.sub("�", text)
    return text if len(text) <= most else f"{text[:most]} … (cut after {most:,} characters)"


def reason_of(error: Exception) -> str:
    """Its kind and the first line of its message, without a period: "ValueError: no such word"."""
    return in_part(f"{type(error).__name__}: {error}".splitlines()[0].rstrip("."))
