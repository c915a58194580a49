"""What a notebook says of the reader's own Transformer."""

from typing import Any

from course.checks import Hint, in_words, reason_of
from course.mine.bench import FILE, of_things
from course.mine.checks import PARTS, verdict

CHECKED: list[int] = []  # the parts that were handed to `check` since the notebook's start


def check(*things: Any) -> None:
    """Print whether a part of the reader's own Transformer is right, and what is likely wrong.

    things: the functions and classes of one part, such as `causal_mask` and `padding_mask`. It
    raises no error, so that a notebook always goes on.
    """
    names = [str(getattr(thing, "__name__", "")) for thing in things]
    number = which_part(names)
    if number is None:
        print(
            f"mine.check({', '.join(names)}): ✗ not yet. Hand over the functions and classes of "
            "one part by their names, without quotes, such as mine.check(attention)."
        )
        return
    CHECKED.append(number)
    try:
        hint = verdict(of_things(things), number)
    except Exception as error:
        hint = Hint(f"It stops with {reason_of(error)}.")
    print(f"{', '.join(PARTS[number - 1].names)}: {in_words(hint)}")


def which_part(names: list[str]) -> int | None:
    """The number of the part that has most of these names; None if none has any."""
    found = {n: len(set(names) & set(part.names)) for n, part in enumerate(PARTS, start=1)}
    best = max(found, key=found.get)
    return best if found[best] else None


def progress() -> None:
    """Print how much of the Transformer is the reader's own, and which parts are still lent."""
    own: set[str] = set()
    here = [", ".join(PARTS[number - 1].names) for number in sorted(set(CHECKED))]
    print(f"Your own Transformer: {standing(own)} of {len(PARTS)} parts, kept in {FILE}.")
    if here:
        print(f"This notebook adds: {', '.join(here)}.")
    for first in range(0, len(PARTS), 2):
        row = [
            f"{'✓' if own.issuperset(part.names) else '○'} {number:2} {', '.join(part.names)}"
            for number, part in enumerate(PARTS[first : first + 2], start=first + 1)
        ]
        print("".join(f"{one:44}" for one in row).rstrip())


def standing(own: set[str]) -> int:
    """How many parts stand whole."""
    return sum(own.issuperset(part.names) for part in PARTS)
