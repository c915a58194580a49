"""What the notebooks and the command say of the reader's own Transformer."""

import textwrap
from collections.abc import Collection, Container
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from course.checks import Hint, NotTried, in_words, reason_of
from course.mine.bench import ALL, FILE, Workbench, of_file, of_things
from course.mine.checks import PARTS, verdict
from course.mine.keeping import ROOT, WORK, keep, own_names, own_path, read
from transformer_lib.files import CheckpointError
from transformer_lib.text.user_input import InputError

FORMER = ROOT / "from_scratch" / FILE  # where the file of earlier readers lies
TRAINING_ONLY = ("label_smoothed_cross_entropy", "update")  # no translation needs them
CHECKED: list[int] = []  # the parts that were handed to `check` since the notebook's start
WRONG: set[str] = set()  # what it didn't find right the last time


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
    kept = ""
    try:
        hint = verdict(of_things(things), number)
        path = own_path()
        if hint is None and path is not None:
            kept = f" {kept_in(path, number, things)}"
    except Exception as error:
        hint = Hint(f"It stops with {reason_of(error)}.")
    WRONG.difference_update(names)
    if hint is not None and not isinstance(hint, NotTried):
        WRONG.update(names)
    print(f"{', '.join(PARTS[number - 1].names)}: {in_words(hint)}{kept}")


def kept_in(path: Path, number: int, things: Collection[Any]) -> str:
    """Keep a part in the reader's file -> what became of it, as a sentence."""
    try:
        return keep(number, things, path)
    except Hint as hint:
        return f"It isn't kept: {hint}"
    except OSError as error:
        return f"But {error.filename} can't be written ({error.strerror}), so it isn't kept."


def which_part(names: list[str]) -> int | None:
    """The number of the part that has most of these names; None if none has any."""
    found = {n: len(set(names) & set(part.names)) for n, part in enumerate(PARTS, start=1)}
    best = max(found, key=found.get)
    return best if found[best] else None


def progress() -> None:
    """Print how much of the Transformer is the reader's own, and which parts are still lent."""
    try:
        own = own_names(own_path())
    except Hint as hint:
        print(hint)
        own = set()
    standing = sum(own.issuperset(part.names) for part in PARTS)
    here = [", ".join(PARTS[number - 1].names) for number in sorted(set(CHECKED))]
    print(f"Your own Transformer: {standing} of {len(PARTS)} parts, kept in {FILE}.")
    if here:
        print(f"This notebook adds: {', '.join(here)}.")
    for first in range(0, len(PARTS), 2):
        row = [
            f"{'✓' if own.issuperset(part.names) else '○'} {number:2} {', '.join(part.names)}"
            for number, part in enumerate(PARTS[first : first + 2], start=first + 1)
        ]
        print("".join(f"{one:44}" for one in row).rstrip())


def parts() -> SimpleNamespace:
    """All functions and classes of the twelve parts, by name, ready to work together.

    Those that the reader hasn't written yet, or all if their file can't be run, are lent; it prints
    which.
    """
    try:
        bench = own_bench()
    except Hint as hint:
        print(hint)
        bench = of_file("", at_work=True)
    lent = bench.missing()
    yours = [name for name in ALL if name not in lent]
    for said, names in (("Yours", yours), ("Lent", lent)):
        print(textwrap.fill(f"{said}: {', '.join(names) or 'none'}.", width=88))
    return SimpleNamespace(**{name: bench.names[name] for name in ALL})


def own_bench() -> Workbench:
    """The reader's file, or an empty one, run with what is lent; a Hint if it can't be."""
    path = own_path()
    text = read(path) if path and path.exists() else ""
    return of_file(text, str(path or FILE), at_work=True)


def translate(*sentences: str) -> None:
    """Print sentences as the reader's own Transformer translates them, with all parts it has.

    What is missing is lent, and named. It never raises, so that a notebook always goes on.
    """
    from course.mine import training

    try:
        bench = own_bench()
        say_what_is_lent(bench, but=TRAINING_ONLY)
        folder = (own_path() or Path()).parent / training.FOLDER
        write, where = training.translator(bench, folder)
        print(f"Your Transformer, {where}:", *map(write, sentences), sep="\n   ")
    except (Hint, InputError, CheckpointError) as error:
        print(error)


# --- the command ---------------------------------------------------------------------------------


def borrow(path: Path, but: Container[str] = ()) -> Workbench:
    """The reader's file, ready to work; it says what is lent. Hint if there is no file.

    but: names that it doesn't say, as what follows doesn't use them.
    """
    bench = bench_of(path, at_work=True)
    say_what_is_lent(bench, but)
    return bench


def say_what_is_lent(bench: Workbench, but: Container[str] = ()) -> None:
    missing = [name for name in bench.missing() if name not in but]
    for names, why in (
        ([name for name in missing if name not in WRONG], "you haven't written {} yet"),
        ([name for name in missing if name in WRONG], "the check hasn't found {} right yet"),
    ):
        if names:
            why = why.format("it" if len(names) == 1 else "them")
            print(textwrap.fill(f"Lent, because {why}: {', '.join(names)}.", width=88))


def bench_of(path: Path, at_work: bool = False) -> Workbench:
    """The reader's file, run; a Hint if it isn't there, or can't be run."""
    if path.exists():
        return of_file(read(path), str(path), at_work=at_work)
    if FORMER.exists() and path == WORK / FILE:
        raise Hint(f"Your file is still {FORMER}. Move it into the folder {WORK}.")
    raise NotTried(
        f"not tried yet: there is no {path}. The checks in the notebooks put your parts there; or "
        "make an empty file of this name, and write them in an editor (docs/mine.md)."
    )


def report(path: Path, only: int | None = None) -> int:
    """Print how each part of a file does, or only one -> 0 if all is right, else 1."""
    try:
        bench = bench_of(path)
    except Hint as hint:
        print(in_words(hint))
        return 1
    right, stopped = 0, False  # by one that isn't right
    for number in [only] if only else range(1, len(PARTS) + 1):
        part, hint = PARTS[number - 1], verdict(bench, number)
        where = f" (notebooks/{part.notebook}.ipynb)" if isinstance(hint, NotTried) else ""
        right += hint is None
        if hint is not None and not where:
            hint = Hint("First mend the one above.") if stopped else hint
            stopped = True
        print(f"{number:2} {', '.join(part.names)}: {in_words(hint)}{where}")
    if not only:
        print(f"Your own Transformer: {right} of {len(PARTS)} parts.")
        if right == len(PARTS):
            print("Now train it: python -m course mine train")
    return 0 if right == (1 if only else len(PARTS)) else 1
