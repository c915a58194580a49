"""Slips that change no output, for tools/slips.py: each with a proof, which a test runs."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Harmless:
    """before, after: the line, or lines, without the space around them.

    proof: gets the module as it is and the one with the slip; fails if what they compute differs.
    """

    module: str
    before: str
    after: str
    why: str
    proof: Callable[[ModuleType, ModuleType], None]


HARMLESS: list[Harmless] = []
