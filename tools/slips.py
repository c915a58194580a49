"""Planted slips: does a test see it when something small in the library is wrong?

    .venv/bin/python tools/slips.py                              # 100 slips, in FOLDERS
    .venv/bin/python tools/slips.py --seed 1 --count 20 transformer_lib/decoding
    .venv/bin/python tools/slips.py --only 7 31                  # of the same 100, these two

Each slip changes one operator, number or comparison, the name of a call or the order of two
arguments, as somebody might who types it wrongly. It is planted in a copy of the project, where the
tests of that module run: those of its name (tools/check.py), and those ELSEWHERE. What none of them
sees is shown with its place, and the command ends with 1. A slip that changes no output is no
mistake: harmless_slips.py lists such ones, each with a proof.

Mutation frameworks change everything everywhere, for hours. This draws a sample, of the modules and
tests that are named, and takes minutes on one processor. It needs fork, which Windows doesn't have.
"""

import argparse
import ast
import difflib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import pytest
import torch  # noqa: F401  so that each fork has it

from check import ROOT, tests_of
from harmless_slips import HARMLESS

FOLDERS = [f"transformer_lib/{name}" for name in ("model", "decoding", "training", "text")]
# Where tests of a module lie that have another name than it or its folder, by their folders.
ELSEWHERE = {
    "decoding/beam": "decoding/test_greedy decoding/test_cache decoding/test_key_value_cache "
    "decoding/test_decoding_properties",
    "decoding/cache": "decoding/test_key_value_cache decoding/test_greedy decoding/test_beam "
    "decoding/test_decoding_properties",
    "decoding/greedy": "decoding/test_beam decoding/test_cache decoding/test_key_value_cache "
    "decoding/test_decoding_properties",
    "decoding/quantization": "test_translator",
    "decoding/sampling": "decoding/test_cache decoding/test_decoding_properties",
    "decoding/speculative": "decoding/test_cache decoding/test_decoding_properties",
    "interpret/patching": "interpret/test_recording interpret/test_pronouns decoding/test_cache",
    "interpret/pronouns": "test_metrics",
    "model/attention": "model/test_mask_properties interpret/test_recording",
    "model/config": "model/test_transformer",
    "model/decoder": "model/test_config",
    "model/embedding": "model/test_transformer",
    "model/encoder": "model/test_config",
    "model/layers": "model/test_encoder model/test_transformer",
    "model/masks": "model/test_mask_properties",
    "text/batching": "text/test_text_properties",
    "text/english_spanish": "test_metrics test_shipped_model",
    "text/languages": "test_translator text/test_subwords test_recipes",
    "text/moses": "../course/chapters/ch14_real_text/test_experiment_multi30k",
    "text/parallel": "text/test_text_properties",
    "text/stand_ins": "text/test_text_properties",
    "text/subwords": "text/test_text_properties",
    "text/tokenized_dataset": "text/test_text_properties",
    "text/tokens": "text/test_text_properties test_translator",
    "text/user_input": "test_translator cli/test_translate",
    "training/config": "training/test_schedules training/test_trainer test_recipes",
    "training/batches": "training/test_trainer test_recipes",
    "training/distributed": "training/test_step training/test_trainer",
    "training/log": "training/test_state",
    "training/optimizers": "training/test_trainer variants/test_variants",
    "training/schedules": "training/test_trainer",
    "training/state": "training/test_trainer training/test_batches",
    "training/step": "training/test_trainer",
    "training/trainer": "training/test_state training/test_log training/test_distributed "
    "test_recipes",
    "variants/feed_forwards": "variants/test_hugging_face",
    "variants/gpt2": "variants/test_hugging_face",
    "variants/modern_attention": "variants/test_hugging_face",
    "variants/relative_positions": "variants/test_hugging_face",
}
LINKED = ("data", "notebooks", "docs", "paper")  # large, and no test writes there
LONGEST = 60  # seconds of a processor: an endless loop is seen as well
KILLS = "training/test_state.py::test_a_run_killed_at_any_moment_resumes_to_the_same_bytes"
OPTIONS = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--tb=line", "--durations=0"]
OPTIONS += ["--deselect", f"tests/transformer_lib/{KILLS}"]  # half a minute, of processes


OPERATORS = {
    "+": "-*",
    "-": "+",
    "*": "/+",
    "/": ("*", "//"),
    "//": ("%", "/"),
    "%": ("//",),
    "**": "*",
    "@": "*",
    "&": "|",
    "|": "&",
    "and": ("or",),
    "or": ("and",),
}
COMPARISONS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=", "<="),
    "!=": ("==", ">"),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.And: "and",
    ast.Or: "or",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
# Pairs of names that are taken for each other.
PAIRS = """min max, sum mean, argmax argmin, any all, sin cos, exp log, sqrt square, floor ceil,
    softmax log_softmax, stack cat, zeros ones, zeros_like ones_like, tril triu, cumsum cumprod,
    append extend, add discard, keys values, lower upper, startswith endswith, strip rstrip,
    removeprefix removesuffix, isalnum isalpha, split splitlines,
    train eval, transpose permute, flatten squeeze, view_as expand_as, floor_divide divide,
    normal_ uniform_, xavier_uniform_ xavier_normal_, isfinite isnan,
    find rfind, index rindex, size dim, partition rpartition, rand randn, Identity LayerNorm,
    relu gelu"""
OTHERS: dict[str, list[str]] = {}
for one, other in (pair.split() for pair in PAIRS.split(",")):
    OTHERS.setdefault(one, []).append(other)
    OTHERS.setdefault(other, []).append(one)


@dataclass(frozen=True)
class Slip:
    """A module with one slip. place: where it is, as all slips at one place are drawn as one."""

    module: str
    kind: str
    place: tuple[int, int]
    before: str
    after: str

    @property
    def lines(self) -> tuple[str, str]:
        """What is different, before and after, without the space around it."""
        old, new = self.before.splitlines(), self.after.splitlines()
        changed = [i for i, pair in enumerate(zip(old, new, strict=True)) if len(set(pair)) > 1]
        return tuple(" ".join(text[i].strip() for i in changed) for text in (old, new))

    def diff(self) -> str:
        texts = self.before.splitlines(), self.after.splitlines()
        found = difflib.unified_diff(*texts, self.module, self.module, n=1, lineterm="")
        return "\n".join(list(found)[2:])


def slips_in(module: str, text: str) -> list[Slip]:
    """Every slip that this can make in the text of a module, none of them twice."""
    content = text.encode()
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.AST) -> tuple[int, int]:
        begin = starts[node.lineno - 1] + node.col_offset
        return begin, starts[node.end_lineno - 1] + node.end_col_offset

    same = ast.dump(ast.parse(text))
    found: dict[str, Slip] = {}
    for node in code_of(ast.parse(text)):
        for kind, begin, end, new in changes(node, content, span):
            after = (content[:begin] + new + content[end:]).decode()
            try:
                if ast.dump(ast.parse(after)) == same:
                    continue
            except SyntaxError:
                continue
            found.setdefault(after, Slip(module, kind, (begin, end), text, after))
    return list(found.values())


def code_of(node: ast.AST) -> Iterator[ast.AST]:
    """What runs: no types, and no words of a message, where Python 3.11 doesn't know the places."""
    if isinstance(node, ast.JoinedStr):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from code_of(each)


def changes(node: ast.AST, content: bytes, span) -> Iterator[tuple[str, int, int, bytes]]:
    """What may be typed instead: kind, from which byte to which, the new ones."""

    def between(left: ast.AST, sign: type, right: ast.AST, kind: str, others: dict):
        begin, end = span(left)[1], span(right)[0]
        old = SIGNS.get(sign, "")
        for new in others.get(old, ()):
            changed = content[begin:end].replace(old.encode(), new.encode(), 1)
            yield kind, begin, end, changed

    match node:
        case ast.BinOp(left, op, right):
            yield from between(left, type(op), right, "operator", OPERATORS)
        case ast.AugAssign(left, op, right):
            yield from between(left, type(op), right, "operator", OPERATORS)
        case ast.BoolOp(op, values):
            for left, right in zip(values, values[1:], strict=False):
                yield from between(left, type(op), right, "operator", OPERATORS)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield "operator", span(node)[0], span(operand)[0], b""
        case ast.Compare(first, ops, rights):
            for left, op, right in zip([first, *rights], ops, rights, strict=False):
                yield from between(left, type(op), right, "comparison", COMPARISONS)
        case ast.Constant(bool(truth)):
            yield "number", *span(node), str(not truth).encode()
        case ast.Constant(int(number) | float(number)):
            for new in other_numbers(number):
                yield "number", *span(node), repr(new).encode()
        case ast.Call(function, inside, _):
            name = getattr(function, "attr", getattr(function, "id", ""))
            end = span(function)[1]
            for new in OTHERS.get(name, ()):
                yield "name", end - len(name.encode()), end, new.encode()
            for left, right in zip(inside, inside[1:], strict=False):
                (a, b), (c, d) = span(left), span(right)
                yield "order", a, d, content[c:d] + content[b:c] + content[a:b]


def other_numbers(number: float) -> list[float]:
    if abs(number) > 100:  # one more or less would hardly show
        return [2 * number, number // 10]
    return [number + 1, number - 1, 0] if number else [1, -1]


def sample(paths: Sequence[str], count: int, seed: int) -> list[Slip]:
    """So many slips in these files and folders, drawn by the seed, each at a place of its own."""
    places: dict[tuple[str, tuple[int, int]], list[Slip]] = {}
    for path in paths:
        start = ROOT / path
        for file in sorted(start.rglob("*.py")) if start.is_dir() else [start]:
            module = file.relative_to(ROOT).as_posix()
            for slip in slips_in(module, file.read_text(encoding="utf-8")):
                places.setdefault((module, slip.place), []).append(slip)
    rng = random.Random(seed)
    drawn = rng.sample(sorted(places), min(count, len(places)))
    return [rng.choice(places[place]) for place in drawn]


class Copy:
    """A copy of the project in a folder of its own, where slips are planted."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.green: set[tuple[tuple[str, ...], str]] = set()
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, listed.stdout.split("\0")):
            if not name.startswith(LINKED) and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)

    def is_seen(self, slip: Slip) -> bool:
        """Does a test fail with the slip? Those run first that are likely to see it soon."""
        path = self.folder / slip.module
        own, others = own_and_others(slip.module)
        for tests, marked in ((own, "not slow"), (own, "slow"), (others, "not nightly")):
            if not tests:
                continue
            if (tests, marked) not in self.green:  # what fails without a slip says nothing about it
                assert self.run(tests, marked), f"{tests} fail without a slip"
                self.green.add((tests, marked))
            path.write_text(slip.after, encoding="utf-8")
            try:
                if not self.run(tests, marked):
                    return True
            finally:
                path.write_text(slip.before, encoding="utf-8")
        return False

    def run(self, tests: Sequence[str], marked: str) -> bool:
        """Are they green? In a fork of this process, as to import PyTorch anew takes seconds."""
        assert "transformer_lib" not in sys.modules, "a fork would have it without the slip"
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
            os.setsid()  # so that what tests start ends with them
            silent = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(silent, stream)
            os.chdir(self.folder)
            # no files with bytecode, which might be those of the slip before
            os.environ |= {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
            sys.dont_write_bytecode = True
            status = 1
            try:
                status = pytest.main([*OPTIONS, "-m", marked, *tests])
            finally:
                os._exit(status)
        alarm = threading.Timer(9 * LONGEST, os.killpg, (child, signal.SIGKILL))  # if it sleeps
        alarm.start()
        _, status = os.waitpid(child, 0)
        alarm.cancel()
        return os.waitstatus_to_exitcode(status) in (0, 5)  # 5: none is marked like that


def own_and_others(module: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of its name or folder, and those elsewhere."""
    name = module.removeprefix("transformer_lib/").removesuffix(".py")
    others = [
        os.path.normpath(f"tests/transformer_lib/{test}.py")
        for test in ELSEWHERE.get(name, "").split()
    ]
    if "@dataclass" in (ROOT / module).read_text(encoding="utf-8"):
        others.append("tests/transformer_lib/test_dataclasses.py")
    own = [test.as_posix() for test in tests_of(Path(module))]
    if len(own) > 1:  # it has none of its own, so these import it
        own = [] if others else own
    return tuple(own), tuple(others)


def is_harmless(slip: Slip) -> bool:
    wanted = (slip.module, *slip.lines)
    return any((one.module, one.before, one.after) == wanted for one in HARMLESS)


def main(arguments: Sequence[str] | None = None) -> int:
    """1 if a slip was not seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", default=FOLDERS, help="modules, or folders of them")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="+", help="numbers of slips among those drawn")
    options = parser.parse_args(arguments)
    drawn = sample(options.paths, options.count, options.seed)
    told = {"seen": 0, "NOT SEEN": 0, "harmless": 0}
    with tempfile.TemporaryDirectory(prefix="slips-") as folder:
        copy = Copy(Path(folder))
        for number, slip in enumerate(drawn):
            if options.only is not None and number not in options.only:
                continue
            found = "harmless" if is_harmless(slip) else ""
            found = found or ("seen" if copy.is_seen(slip) else "NOT SEEN")
            told[found] += 1
            print(f"\n{number}. {found}: {slip.kind} in {slip.module}\n{slip.diff()}", flush=True)
    print("\n" + ", ".join(f"{count} {what}" for what, count in told.items()))
    return int(told["NOT SEEN"] > 0)


if __name__ == "__main__":
    sys.exit(main())
