"""What a check found right is kept, as source, in the reader's my_transformer.py.

The file lies in `work`, where `make lab` puts the reader's notebooks. Outside `work` nothing is
read or written. A kept part is a block behind a line that says how long it is and what it was:

    # --- 3. attention --- kept by mine.check: 4 lines, 5f3a9c1e

A block that is still as it was written is replaced by the next version. One that the reader has
changed stays, and the new version stands beside it in comments. No other line is touched.
"""

import ast
import builtins
import hashlib
import re
import symtable
import textwrap
import types
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from course.checks import Hint
from course.mine.bench import ALL, FILE, GIVEN, code_of, parsed, untried, where
from transformer_lib.files import write_file

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "work"
HEADER = '''\
"""A Transformer of my own. Each part came here when its check in a notebook found it right.

Change what you like: a part that you have changed is never overwritten. Parts that are missing are
lent. Which parts are there, and whether they are right: python -m course mine
"""

import math

import torch
from torch import nn

from transformer_lib.text.tokens import BOS, EOS, PAD
'''
BESIDE = ", beside yours"
MARK = "# --- {number}. {names} --- kept by mine.check{aside}: {lines} lines, {digest}"
MARKS = re.compile(
    rf"^# --- (\d+)\. .* --- kept by mine\.check({BESIDE})?: (\d+) lines, (\w{{8}})$", re.MULTILINE
)


def own_path() -> Path | None:
    """Where the reader's file is or will be; None outside `work`."""
    here = Path.cwd().resolve()
    return WORK / FILE if WORK.resolve() in (here, *here.parents) else None


def own_names(path: Path | None) -> set[str]:
    """The functions and classes that a file has; a Hint if it can't be read."""
    if path is None or not path.exists():
        return set()
    text = read(path)
    dots = untried(parsed(text, str(path)))
    return defined(text) - set(dots)


def read(path: Path) -> str:
    """The text of the reader's file; a Hint if it isn't text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Hint(f"{path} can't be read as text: {error}.") from None


def keep(number: int, things: Collection[Any], path: Path) -> str:
    """Keep a part that is right -> one sentence on what became of it; a Hint if it can't be."""
    before = read(path) if path.exists() else HEADER
    tree = parsed(before, str(path))
    block = source(things, {*defined(before), *GIVEN, *ALL})
    names = [thing.__name__ for thing in things]
    kept = f"It is kept in {path.name}."
    if has_this(tree, block, names):
        return kept
    unchanged = [found for found in MARKS.finditer(before) if is_unchanged(before, found)]
    by_hand = before
    for found in reversed(unchanged):
        start, end = extent(before, found)
        by_hand = by_hand[:start] + by_hand[end:]
    theirs = [name for name in names if name in defined(by_hand)]
    if theirs:
        block = "\n".join(f"# {line}".rstrip() for line in block.split("\n"))
        kept = (
            f"{path.name} has a version of your own ({', '.join(theirs)}), which stays; this one "
            "stands beside it in comments."
        )
    new = MARK.format(
        number=number,
        names=", ".join(names),
        aside=BESIDE if theirs else "",
        lines=block.count("\n") + 1,
        digest=digest(block),
    )
    new += f"\n{block}\n"
    same = [
        found for found in unchanged if int(found[1]) == number and bool(found[2]) == bool(theirs)
    ]
    later = [found.start() for found in MARKS.finditer(before) if int(found[1]) > number]
    if same:
        start, end = extent(before, same[0])
        after = before[:start] + new + before[end:]
    elif later:
        after = f"{before[: later[0]]}{new}\n\n{before[later[0] :]}"
    else:
        after = f"{before.rstrip()}\n\n\n{new}"
    write_file(path, after.encode("utf-8"))
    return kept


def digest(block: str) -> str:
    return hashlib.sha256(block.encode()).hexdigest()[:8]


def extent(text: str, mark: re.Match) -> tuple[int, int]:
    """Where a block begins, with its mark, and where it ends."""
    lines = text[mark.start() :].splitlines(keepends=True)[: int(mark[3]) + 1]
    return mark.start(), mark.start() + sum(map(len, lines))


def is_unchanged(text: str, mark: re.Match) -> bool:
    start, end = extent(text, mark)
    return digest(text[start:end].partition("\n")[2].removesuffix("\n")) == mark[4]


def has_this(tree: ast.Module, block: str, names: Collection[str]) -> bool:
    """Whether a file has these very definitions, whatever their layout and comments."""
    one, other = (
        {node.name: ast.dump(node) for node in body if getattr(node, "name", None) in names}
        for body in (tree.body, ast.parse(block).body)
    )
    return one == other


# --- the source ----------------------------------------------------------------------------------


def source(things: Collection[Any], known: Collection[str]) -> str:
    """The definitions of things in a notebook, and what they need of its other names.

    known: names that are there already. A Hint if they need something that can't be written down.
    """
    above, texts, to_do = [], [], list(things)
    known = {*known, *dir(builtins), *(thing.__name__ for thing in things)}
    while to_do:
        thing = to_do.pop()
        text = textwrap.dedent("".join(where(thing)[1])).rstrip("\n")
        if not text:
            raise Hint(f"the source of `{thing.__name__}` isn't found.")
        texts.insert(0, text)
        space = next(code_of(thing)).__globals__
        for name in sorted(used(text) - defined(text) - known):
            known.add(name)
            found = space.get(name, ...)
            if (
                isinstance(found, type | types.FunctionType)
                and found.__module__ == thing.__module__
            ):
                to_do.append(found)
            else:
                above.append(written(name, found))
    above.sort(key=lambda line: not line.startswith(("from ", "import ")))
    return "\n\n\n".join(["\n".join(above)] * bool(above) + texts)


def written(name: str, found: Any) -> str:
    """The line that brings a name of the notebook into the file."""
    module = getattr(found, "__module__", None) or ""
    if isinstance(found, types.ModuleType):
        whole = found.__name__
        return f"import {whole}" if whole == name else f"import {whole} as {name}"
    if isinstance(found, bool | int | float | str | tuple | None):
        return f"{name} = {found!r}"
    if module.startswith("torch") and getattr(found, "__name__", None) == name:
        public = [one for one in (torch, functional) if getattr(one, name, None) is found]
        return f"from {public[0].__name__ if public else module} import {name}"
    raise Hint(
        f"it needs `{name}`, which is neither PyTorch's nor a part of yours: define it in the same "
        "cell, or use what PyTorch or your other parts have."
    )


def defined(text: str) -> set[str]:
    """The names that a program binds at its outermost level."""
    with warnings.catch_warnings(action="ignore"):  # `parsed` has said them
        names = symtable.symtable(text, "", "exec").get_symbols()
    return {one.get_name() for one in names if one.is_assigned() or one.is_imported()}


def used(text: str) -> set[str]:
    """The names of its outermost level that a program uses, wherever it does."""
    top = symtable.symtable(text, "", "exec")
    found, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for one in table.get_symbols():
            if one.is_referenced() and (table is top or one.is_global()):
                found.add(one.get_name())
    return found
