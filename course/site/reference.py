"""The reference of the library: every public name, as its docstring and its source have it.

The files of transformer_lib are read as text. Public are

- what a package hands on in its `__all__`,
- functions and classes with a docstring, and their methods,
- whatever else another folder, the course or a notebook imports: constants, kinds of values.

But no name with an underscore in front. Each page is named
after its module and each anchor after its name: reference.model.attention.html#attention.
"""

import ast
import dataclasses
import functools
import html
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from types import ModuleType

from markupsafe import Markup

from course.notebook_tools import sections
from course.site.markdown import code_inside

ROOT = sections.ROOT
LIBRARY = ROOT / "transformer_lib"
OVERVIEW = "reference.html"
# The command line is documented where one types it.
LEFT_OUT = {"__main__", "cli"}
WHOLE = "whole"  # stands for the modules that are in no folder
# In the order data flows; what a heading says of those in no folder.
FOLDERS = ("text", "model", "training", "decoding", WHOLE, "interpret", "variants")
WHOLE_TOLD = "All of it together: a translator, how good it is, and what lies on the disk."
FITS = 42  # letters of a signature in one line: a phone has no more
WIDTH = 100  # letters of a line in the library
IMPORT = re.compile(r"^ *from (transformer_lib[\w.]*) import (\([^)]*\)|.+)$", re.MULTILINE)
SHAPE = r"(?<!\w)\((?:…|\.\.\.|\w+)(?:, ?(?:…|\.\.\.|[\w/]+(?: [-+*/] \w+)?))*,?\)"
AXES = set("b s t q k h n d_model d_k d_v d_ff vocab_size hidden length positions … ...".split())
TYPES = r"\b[A-Z]\w*Error\b"
WORDS = re.compile(rf"(`[^`]+`|->|{SHAPE}|{TYPES})")
ITEM = re.compile(r"(\w+(?:, \w+)*(?: and \w+)?): ")
Definition = ast.FunctionDef | ast.ClassDef


@dataclasses.dataclass(frozen=True)
class Name:
    """A public name: what is said of it, and the lines of its file that make it.

    anchor: "attention", of a method "Attention.forward". by: how it is imported.
    words: names that mean something of its own in its docstring, such as parameters.
    """

    anchor: str
    signature: str
    doc: str
    source: str
    lines: tuple[int, int]
    by: str = ""
    words: frozenset[str] = frozenset()
    methods: tuple["Name", ...] = ()


@dataclasses.dataclass(frozen=True)
class Module:
    """A file of the library, with its public names in the order in which they stand there.

    name: without "transformer_lib.". scope: what a name that it uses is: ("text.tokens", "PAD").
    """

    name: str
    doc: str
    names: tuple[Name, ...]
    scope: dict[str, tuple[str, str]]

    @property
    def folder(self) -> str:
        return self.name.rpartition(".")[0] or WHOLE

    @property
    def path(self) -> PurePosixPath:
        """The file, from the project's folder."""
        return PurePosixPath("transformer_lib", self.title)

    @property
    def file(self) -> str:
        """The page."""
        return f"reference.{self.name}.html"

    @property
    def title(self) -> str:
        return self.name.replace(".", "/") + ".py"


# --- what is there ---


@functools.cache
def modules() -> tuple[Module, ...]:
    """Those with public names, in the order data flows."""
    found = [read_module(path) for path in sorted(LIBRARY.rglob("*.py")) if is_read(path)]
    return tuple(sorted((module for module in found if module.names), key=place))


def is_read(path: Path) -> bool:
    return path.stem != "__init__" and not LEFT_OUT & {path.stem, path.parent.name}


def place(module: Module) -> tuple[int, int, str]:
    """Its folder's place, and its own: where the folder's docstring names it."""
    package = "" if module.folder == WHOLE else module.folder
    at = folder_doc(package).find(module.path.name)
    return FOLDERS.index(module.folder), at if at >= 0 else WIDTH**2, module.name


def folder_doc(folder: str) -> str:
    """The docstring of a folder's __init__.py; "" stands for the library's."""
    return inspect.getdoc(package(folder)) or ""


def package(folder: str) -> ModuleType:
    return importlib.import_module(f"transformer_lib.{folder}".rstrip("."))


@functools.cache
def handed_on(module: str, name: str) -> str | None:
    """The package that has a name of this module in its __all__: the library, if it does."""
    one = getattr(package(module), name)
    for folder in ("", *(path.parent.name for path in sorted(LIBRARY.glob("*/__init__.py")))):
        place = package(folder)
        if name in getattr(place, "__all__", ()) and getattr(place, name) is one:
            return place.__name__
    return None


@functools.cache
def asked_for() -> frozenset[tuple[str, str]]:
    """Module and name of all that another folder of the library, the course or a notebook has."""
    found = set()
    for path in [*LIBRARY.rglob("*.py"), *(ROOT / "course").rglob("*.py")]:
        own = path.parent.name if path.parent.parent == LIBRARY else ""
        text = path.read_text(encoding="utf-8")
        found |= {one for one in imports(text).values() if one[0].rpartition(".")[0] != own}
    for notebook in sections.series().values():
        for cell in notebook.cells:
            if cell.cell_type == "code":
                found |= set(imports(cell.source).values())
    return frozenset(found)


def imports(text: str) -> dict[str, tuple[str, str]]:
    """What a file calls each name that it imports from the library -> its module and name."""
    return {
        words[-1]: (module.partition(".")[2], words[0])
        for module, names in IMPORT.findall(text)
        for name in re.sub(r"#.*|[()]", "", names).split(",")
        if (words := name.split())
    }


# --- one file ---


def read_module(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    name = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
    tree, lines = ast.parse(text), text.splitlines()
    names: list[Name] = []
    overloads: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            names += [one for one in constants(node, lines, name) if is_public(name, one, True)]
        elif isinstance(node, Definition):
            if is_overload(node):
                overloads.append(signature(node, lines))
                continue
            one = definition(node, lines, name)
            if overloads and isinstance(node, ast.FunctionDef):
                one = dataclasses.replace(one, signature="\n".join(overloads))
                overloads = []
            if is_public(name, one, False):
                names.append(one)
    own = {one.anchor: (name, one.anchor) for one in names}
    return Module(name, ast.get_docstring(tree) or "", tuple(names), imports(text) | own)


def is_overload(node: Definition) -> bool:
    return any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)


def is_public(module: str, name: Name, constant: bool) -> bool:
    if name.anchor.startswith("_"):
        return False
    key = (module, name.anchor)
    return bool(handed_on(*key)) or key in asked_for() or not constant and bool(name.doc)


def how_imported(module: str, name: str) -> str:
    return f"from {handed_on(module, name) or package(module).__name__} import {name}"


def constants(node: ast.Assign | ast.AnnAssign, lines: list[str], module: str) -> Iterator[Name]:
    """The names of an assignment. A comment behind it or above it is what is said of them."""
    first, last = node.lineno, node.end_lineno or node.lineno
    _, _, behind = lines[last - 1].encode()[node.end_col_offset :].decode().partition("# ")
    while lines[first - 2].startswith("#"):
        first -= 1
    above = " ".join(line.removeprefix("#").strip() for line in lines[first - 1 : node.lineno - 1])
    begin, _, behind_begin = lines[node.lineno - 1].partition("  # ")
    source = "\n".join(lines[first - 1 : last])
    shown = "\n".join(lines[node.lineno - 1 : last]).removesuffix(f"  # {behind}")
    if shown.count("\n") > 3:
        behind = behind or behind_begin
        shown = f"{begin}\n    ...\n{lines[last - 1]}"
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        for one in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(one, ast.Name):
                told, by = behind or above, how_imported(module, one.id)
                doc = told[:1].upper() + told[1:]
                yield Name(one.id, shown, doc, source, (first, last), by)


def definition(node: Definition, lines: list[str], module: str, owner: str = "") -> Name:
    """A function, a class with its methods, or a method of the class `owner`."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    last = node.end_lineno or node.lineno
    source = textwrap.dedent("\n".join(lines[first - 1 : last]))
    methods: tuple[Name, ...] = ()
    words = parameters(node) if isinstance(node, ast.FunctionDef) else set()
    if isinstance(node, ast.ClassDef):
        inside = [
            one for one in node.body if isinstance(one, ast.FunctionDef) and not is_overload(one)
        ]
        methods = tuple(
            definition(one, lines, module, node.name)
            for one in inside
            if not one.name.startswith("_") or one.name == "__call__"
        )
        words = {method.anchor.rpartition(".")[2] for method in methods}
        words |= {word for one in inside for word in parameters(one)} | set(fields(node))
    return Name(
        f"{owner}.{node.name}" if owner else node.name,
        signature(node, lines),
        ast.get_docstring(node) or "",
        source,
        (first, last),
        "" if owner else how_imported(module, node.name),
        frozenset(words),
        methods,
    )


def arguments(node: ast.FunctionDef) -> Iterator[tuple[str, ast.arg | None]]:
    """What stands before each parameter, and the parameter, up to the end of its default."""
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults + given.kw_defaults
    for one, default in zip([*plain, *given.kwonlyargs], defaults, strict=True):
        if default:
            one.end_lineno, one.end_col_offset = default.end_lineno, default.end_col_offset
    for one in plain:
        if one.arg not in ("self", "cls"):
            yield "", one
        if one in given.posonlyargs[-1:]:
            yield "/", None
    if given.vararg or given.kwonlyargs:
        yield "*", given.vararg
    yield from (("", one) for one in given.kwonlyargs)
    if given.kwarg:
        yield "**", given.kwarg


def parameters(node: ast.FunctionDef) -> set[str]:
    return {one.arg for _, one in arguments(node) if one}


def fields(node: ast.ClassDef) -> dict[str, ast.AnnAssign]:
    """The public fields of a dataclass and the like."""
    return {
        one.target.id: one
        for one in node.body
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.target, ast.Name)
        and not one.target.id.startswith("_")
    }


def written(node: ast.AST, lines: list[str]) -> str:
    """A piece of the file as its author wrote it, in one line."""
    piece = lines[node.lineno - 1 : node.end_lineno]
    piece[-1] = piece[-1].encode()[: node.end_col_offset].decode()  # Python counts in bytes
    piece[0] = piece[0].encode()[node.col_offset :].decode()
    text = " ".join(" ".join(piece).split())
    return re.sub(r"(?<=[(\[]) | (?=[)\]])", "", text)


def signature(node: Definition, lines: list[str]) -> str:
    """What one needs to call it, in the form of Python; decorators that change this too."""
    shown = [f"@{written(decorator, lines)}" for decorator in node.decorator_list]
    if isinstance(node, ast.FunctionDef):
        shown = [one for one in shown if re.match(r"@(\w*property|\w+method|contextmanager)$", one)]
        return "\n".join([*shown, called(node, lines)])
    bases = ", ".join(written(one, lines) for one in node.bases)
    shown.append(f"class {node.name}({bases})" if bases else f"class {node.name}")
    shown += ["\n".join(lines[one.lineno - 1 : one.end_lineno]) for one in fields(node).values()]
    shown += [
        textwrap.indent(called(one, lines), "    ")
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name == "__init__"
    ]
    return "\n".join(shown)


def called(node: ast.FunctionDef, lines: list[str]) -> str:
    shown = [sign + (written(one, lines) if one else "") for sign, one in arguments(node)]
    end = f" -> {written(node.returns, lines)}" if node.returns and node.name != "__init__" else ""
    short = f"def {node.name}({', '.join(shown)}){end}"
    if len(short) <= FITS:
        return short
    inside = "".join(f"    {one},\n" for one in shown)
    return f"def {node.name}(\n{inside}){end}"


# --- how it is shown ---


class Reader:
    """Turns the docstrings and signatures of a module into HTML; what they name becomes links."""

    def __init__(self, module: Module | None = None):
        self.module = module
        self.scope = everywhere() | (module.scope if module else {})

    def address(self, word: str, owner: Name | None = None) -> str | None:
        """Where a word of a docstring leads: `train`, `Translator.load`, the owner's `weights`."""
        first, _, rest = word.partition(".")
        if owner and self.module:
            method = addresses().get((self.module.name, f"{owner.anchor}.{word}"))
            if method or first in owner.words:
                return method
        if first not in self.scope:
            return None
        place, name = self.scope[first]
        anchor = f"{name}.{rest}" if rest else name
        itself = owner and self.module and (place, anchor) == (self.module.name, owner.anchor)
        return None if itself else addresses().get((place, anchor))

    def signature(self, code: str, owner: Name) -> Markup:
        def link(found: re.Match[str]) -> str:
            address = self.address(found[1])
            itself = address and address.endswith(f"#{owner.anchor}")
            return f'<a href="{address}">{found[1]}</a>' if address and not itself else found[0]

        colored = code_inside(code)
        return Markup(re.sub(r'<span class="n">(\w+)</span>', link, colored))

    def inline(self, text: str, owner: Name | None = None) -> str:
        """`code`, shapes, -> and errors are set as code; a name that has a page leads there."""

        def mark(word: str) -> str:
            if word == "->":
                return '<span class="to">-&gt;</span>'
            if word.startswith("("):
                shape = AXES & {part.strip() for part in word.strip("()").split(",")}
                escaped = html.escape(word, quote=False)
                return f'<code class="shape">{escaped}</code>' if shape else escaped
            bare = word.strip("`")
            code = f"<code>{html.escape(bare, quote=False)}</code>"
            address = self.address(bare.partition("(")[0], owner)
            return f'<a href="{address}">{code}</a>' if address else code

        pieces = WORDS.split(text)
        pieces[::2] = [html.escape(piece, quote=False) for piece in pieces[::2]]
        pieces[1::2] = map(mark, pieces[1::2])
        return "".join(pieces)

    def doc(self, text: str, owner: Name | None = None, indent: int = 4) -> Markup:
        """A docstring: paragraphs, a line for each parameter, what is laid out by hand as it is."""
        words = owner.words if owner else frozenset[str]()
        shown = []
        for block in re.split(r"\n\s*\n", text):
            lines = block.splitlines()
            if is_laid_out(lines):
                shown.append(laid_out(textwrap.dedent(block)))
                continue
            for line in one_by_one(unwrapped(lines, words, indent), words):
                item = item_in(line, words)
                if item:
                    named = html.escape(item[1])
                    rest = self.inline(line[item.end() :], owner)
                    shown.append(f'<p class="item"><code>{named}</code>: {rest}</p>')
                else:
                    shown.append(f"<p>{self.inline(line, owner)}</p>")
        return Markup("\n".join(shown))


def item_in(line: str, words: frozenset[str]) -> re.Match[str] | None:
    """What a line begins with, if that names one of the words."""
    found = ITEM.match(line)
    return found if found and words & set(re.findall(r"\w+", found[1])) else None


def is_laid_out(lines: list[str]) -> bool:
    """Code, a table or a drawing: all of it indented, or with columns."""
    columns = sum(bool(re.search(r"\S {3,}\S", line)) for line in lines)
    return all(line.startswith("    ") for line in lines) or columns * 2 >= len(lines)


def laid_out(text: str) -> str:
    try:
        ast.parse(text)
        inside = code_inside(text)
    except SyntaxError:
        inside = html.escape(text, quote=False)
    return f'<pre class="wide laid-out">{inside}</pre>'


def unwrapped(lines: list[str], words: frozenset[str], indent: int) -> Iterator[str]:
    """The lines that were meant: a line that was only broken for its length goes on in the next."""
    meant = ""
    for n, line in enumerate(lines):
        text = line.strip()
        first = text.split(" ")[0]
        fitted = n and len(lines[n - 1]) + 1 + len(first) + indent <= WIDTH
        begins = item_in(text, words) or text.startswith("Raises ")
        ends = meant[-1:] in tuple(".:)") and meant.count("(") == meant.count(")")
        if meant and (begins or fitted and ends and not line.startswith(" ")):
            yield meant
            meant = text
        else:
            meant = f"{meant} {text}".strip()
    yield meant


def one_by_one(lines: Iterable[str], words: frozenset[str]) -> Iterator[str]:
    """The same lines, but where a line tells of several parameters each has one."""
    begins = re.compile(rf"(?<=\.) (?=(?:{'|'.join(words)}): )")
    for line in lines:
        yield from begins.split(line)


@functools.cache
def addresses() -> dict[tuple[str, str], str]:
    """Module and name, also of methods -> page and anchor."""
    return {
        (module.name, each.anchor): f"{module.file}#{each.anchor}"
        for module in modules()
        for name in module.names
        for each in (name, *name.methods)
    }


@functools.cache
def everywhere() -> dict[str, tuple[str, str]]:
    """The names that a package hands on mean the same in all docstrings."""
    names = ((module.name, name.anchor) for module in modules() for name in module.names)
    return {key[1]: key for key in names if handed_on(*key)}


def first_sentence(doc: str) -> str:
    """What a list says of a module: its docstring up to the first full stop."""
    paragraph = " ".join(doc.partition("\n\n")[0].split())
    return re.split(r"(?<=[.:]) (?=[A-Z])", paragraph)[0] if ". " in paragraph else paragraph


def prose(doc: str) -> str:
    """A folder's docstring without its first paragraph and its list of files: the page has one."""
    blocks = re.split(r"\n\s*\n", doc)[1:]
    return "\n\n".join(block for block in blocks if not re.match(r"\s*\w+\.py ", block))


def in_words(name: Name) -> str:
    """For the search: also the signs of products and powers, as they are read."""
    words = " ".join(name.doc.replace("`", "").split())
    return words.replace(" . ", " · ").replace("**", "^")
