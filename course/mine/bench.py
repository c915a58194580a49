"""What a reader wrote of a Transformer, and what its checks do with it.

The functions and classes are those of a notebook's cell, or of a file that has been run. Where work
is graded, a `Workbench` stands in the reader's process and the checks in another one.
"""

import ast
import inspect
import linecache
import operator
import textwrap
import traceback
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_lib
from course.chapters.ch10_training.checks import after_updates, an_update
from course.checks import Attempt, Hint, plain, reason_of

FILE = "my_transformer.py"
SOLUTION = Path(__file__).resolve().parents[1] / "assignments" / FILE
# What the file may take from the library: the numbers of the special tokens.
GIVEN = {"PAD", "BOS", "EOS", "UNK", "SPECIALS"}
# What its modules may be made of, beside each other, and what of PyTorch it may not even name.
BRICKS = (nn.Linear, nn.Embedding, nn.LayerNorm, nn.Dropout, nn.ReLU, nn.ModuleList, nn.Sequential)
TOO_MUCH = (
    "scaled_dot_product_attention",
    "multi_head_attention_forward",
    "MultiheadAttention",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
)
# The names of the twelve parts, in order.
NAMES = (
    ("Embeddings",),
    ("positional_encoding",),
    ("attention",),
    ("MultiHeadAttention",),
    ("padding_mask", "causal_mask"),
    ("SublayerConnection",),
    ("PositionwiseFeedForward",),
    ("EncoderLayer", "Encoder"),
    ("DecoderLayer", "Decoder"),
    ("Transformer",),
    ("label_smoothed_cross_entropy", "update"),
    ("greedy_decode",),
)
ALL = [name for part in NAMES for name in part]


def transformer(src_vocab_size, tgt_vocab_size, N, d_model, d_ff, h, dropout):
    """The library's Transformer, made as the reader's is."""
    sizes = {"N": N, "d_model": d_model, "d_ff": d_ff, "h": h, "dropout": dropout}
    return transformer_lib.make_model(src_vocab_size, tgt_vocab_size, **sizes, tie_weights="target")


def greedy_decode(model, src, max_length):
    """The library's greedy decoding, called as the reader's is."""
    return transformer_lib.greedy_decode(model, src, max_length=max_length, cache=False)


def lent() -> dict[str, Any]:
    """What stands in for each part that isn't there."""
    parts = {name: getattr(transformer_lib, name, None) for name in ALL}
    own = {"Transformer": transformer, "update": an_update(), "greedy_decode": greedy_decode}
    return parts | own


class Workbench:
    """What a reader wrote, by name, and what the checks do with it: no more than this."""

    def __init__(self, names: dict[str, Any], files: Collection[str], untried: Iterable[str]):
        """names: where to find it. files: where its code stands. untried: what is still `...`."""
        self.names, self.files, self.untried = names, set(files), list(untried)
        self.lent = lent()

    def describe(self, error: BaseException) -> str:
        """What went wrong, and in which line of the reader: "NameError: … (line 12)"."""
        line = ""
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename in self.files:
                line = f" (line {number})"
        reason = reason_of(error)
        return reason if reason.endswith(line) else reason + line

    def located(self, function: Callable) -> Callable:
        """The function, whose errors tell the reader's line."""

        def located(*inputs: Any, **options: Any) -> Any:
            try:
                return function(*inputs, **options)
            except Exception as error:
                error.args = (self.describe(error).partition(": ")[2],)
                raise

        return located

    def has(self, name: str) -> bool:
        """Whether the reader wrote it: what the library lends isn't theirs."""
        found = self.names.get(name, ...)
        return found is not ... and found is not self.lent[name]

    def missing(self) -> list[str]:
        """What isn't the reader's, so that the library's stands in for it."""
        return [name for name in ALL if not self.has(name) or self.is_untried(name)]

    def is_untried(self, name: str) -> bool:
        """Whether its body is still `...`."""
        return name in self.untried

    def part(self, name: str) -> Any:
        """What stands under a name."""
        found = self.names[name]
        return self.located(found) if callable(found) else found

    def foreign(self, thing: Any) -> list[str] | None:
        """Parts of a module that are neither the reader's, nor bricks, nor lent; None if it is no
        module. Whether they do what the reader should do shows when it runs."""
        if not isinstance(thing, nn.Module):
            return None
        found, to_do = [], [thing]
        while to_do:
            part = to_do.pop(0)
            kind = type(part)
            if kind is self.lent.get(kind.__name__):
                continue
            if kind.__module__.startswith(("torch.", "transformer_lib.")) and kind not in BRICKS:
                found.append(kind.__name__)
            to_do += part.children()
        return found

    def run(self, module: nn.Module) -> Callable[..., Tensor]:
        """The module as a function, without gradients."""
        return self.located(torch.no_grad()(plain(module)))

    def shapes(self, module: nn.Module) -> dict[str, tuple[int, ...]]:
        return {name: tuple(weight.shape) for name, weight in module.named_parameters()}

    def put(self, module: nn.Module, name: str, numbers: Tensor) -> None:
        """Set one of its parameters."""
        with torch.no_grad():
            module.get_parameter(name).copy_(numbers)

    def look_up(self, module: nn.Module, path: str) -> Any:
        """What it has under a name such as "dropout.p"."""
        found = operator.attrgetter(path)(module)
        return self.located(found) if isinstance(found, types.MethodType) else found

    def replace(self, module: nn.Module, name: str, function: Callable) -> None:
        """Put a function in the place of one of its parts."""
        owner, _, name = name.rpartition(".")
        setattr(module.get_submodule(owner), name, AsModule(function))

    def updates(self, too_much: Collection[str]) -> tuple[list[Any], Tensor, list[str]]:
        """What the reader's `update` did to a new small model of the library: see `after_updates`.

        It happens here, because models and optimizers don't travel to another process.
        """
        return after_updates(Attempt(self.part("update"), *too_much))


class AsModule(nn.Module):
    def __init__(self, function: Callable):
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any, **options: Any) -> Any:
        return self.function(*inputs, **options)


def of_file(source: str, file: str = FILE, *, at_work: bool = False) -> Workbench:
    """A file that is run here; a Hint with a line number if it can't be, or borrows too much.

    The parts that it doesn't have yet are lent while it runs. For the checks they are the library's
    own. at_work: they are those of our own solution, which stand beside the reader's, under the
    same names, and so are made of what the reader has written.
    """
    path = Path(file)
    tree = parsed(source, file)
    only_bricks(tree, path.name)
    module = types.ModuleType(path.stem)
    names = vars(module)
    bench = Workbench(names, [file], untried(tree))
    if at_work:
        exec(compile(SOLUTION.read_text(encoding="utf-8"), str(SOLUTION), "exec"), names)
        bench.lent = {name: names[name] for name in ALL}
    names |= bench.lent | {"__file__": file}
    try:
        exec(compile(source, file, "exec"), names)
    except (Exception, SystemExit) as error:
        raise Hint(f"{path.name} stops while it is read: {bench.describe(error)}.") from None
    if at_work:
        names |= {name: bench.lent[name] for name in bench.missing()}  # where there is only `...`
    return bench


def parsed(source: str, file: str) -> ast.Module:
    """The file as a tree; a Hint with the line if it is no Python."""
    try:
        compile(source, file, "exec")  # sees more than `parse` does, such as a lone `return`
        return ast.parse(source, file)
    except (SyntaxError, ValueError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise Hint(f"{Path(file).name} is no Python yet. {line}{reason}.") from None


def of_things(things: Collection[Any]) -> Workbench:
    """The functions and classes that a notebook hands over, which know its other names."""
    files, dots = set(), []
    for thing in things:
        file, lines = where(thing)
        files.add(file)
        dots += untried(ast.parse(textwrap.dedent("".join(lines))))
    return Workbench({thing.__name__: thing for thing in things}, files, dots)


def where(thing: Any) -> tuple[str, list[str]]:
    """The file, or notebook's cell, of a function or class, and its lines there; none if it was
    made in another way than by typing it.

    `inspect.getsource` finds no class of a notebook, as that isn't a file (Python 3.11).
    """
    for function in code_of(thing):
        code = function.__code__
        lines = linecache.getlines(code.co_filename)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:
            continue
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == thing.__name__:
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                if first <= code.co_firstlineno <= node.end_lineno:
                    return code.co_filename, lines[first - 1 : node.end_lineno]
    return "", []


def code_of(thing: Any) -> Iterator[types.FunctionType]:
    """The functions of Python that a function or class is made of."""
    for part in vars(thing).values() if isinstance(thing, type) else [thing]:
        part = inspect.unwrap(part) if callable(part) else None
        if isinstance(part, types.FunctionType):
            yield part


def untried(tree: ast.AST) -> Iterator[str]:
    """The functions and classes in which a body is still `...`."""
    for thing in ast.iter_child_nodes(tree):
        if isinstance(thing, ast.FunctionDef | ast.ClassDef):
            for node in ast.walk(thing):
                value = getattr(node, "value", None)
                statement = isinstance(node, ast.Return | ast.Expr | ast.Assign)
                if statement and isinstance(value, ast.Constant) and value.value is ...:
                    yield thing.name


def only_bricks(tree: ast.AST, file: str) -> None:
    """A Hint if the file takes from the library or from PyTorch what it should build itself."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [node.attr]
        for name in names:
            first, last = name.split(".")[0], name.split(".")[-1]
            if last in TOO_MUCH or (first == "transformer_lib" and last not in GIVEN):
                raise Hint(
                    f"Line {node.lineno} of {file} takes `{name}`. Build it yourself: from "
                    "the library come only PAD, BOS and EOS."
                )
