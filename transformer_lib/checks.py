"""What public functions refuse: one sentence that names the value and says what would do."""

from typing import Any


def said(value: Any) -> str:
    """A value as a message says it: in one line, and not all of a long one."""
    line = " ".join(repr(value).split())
    return line if len(line) < 80 else f"{line[:76]} ..."


def whole(name: str, value: Any, at_least: int | None = 1) -> None:
    """TypeError for text, a config, 2.0 or True; ValueError for a number that is too small.

    at_least=None: whoever calls it says so in other words.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}={said(value)} must be a whole number")
    if at_least is not None and value < at_least:
        raise ValueError(f"{name}={value} must be {at_least} or more")


def number(name: str, value: Any) -> None:
    """TypeError for what is no number, such as text or a config."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name}={said(value)} must be a number")


def instance(name: str, value: Any, kind: type) -> None:
    """TypeError for anything but a value of this kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name}={said(value)} must be a {kind.__name__}")
