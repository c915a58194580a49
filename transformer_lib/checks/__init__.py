"""What the exercises of the notebooks are checked with: each check names the likely mistake.

A check is called with the attempt, and `...` stands for none yet:

    from transformer_lib.checks import start_here
    start_here.several_people(...)     # several_people: not tried yet
"""

import functools
from collections.abc import Callable


class Hint(Exception):
    """The attempt isn't right yet; the message says what to think about."""


def expect(right: bool, hint: str) -> None:
    if not right:
        raise Hint(hint)


def exercise(check: Callable[..., None]) -> Callable[..., None]:
    """A function that raises a Hint -> a check that prints how the attempt did."""

    @functools.wraps(check)
    def checked(*attempt) -> None:
        if any(part is ... for part in attempt):
            print(f"{check.__name__}: not tried yet")
            return
        try:
            check(*attempt)
        except Hint as hint:
            print(f"{check.__name__}: not yet. {hint}")
        else:
            print(f"{check.__name__}: right!")

    return checked
