"""The reference of the library: every public name is there once, and what is said of it is true."""

import ast
import importlib
import inspect
import re

import transformer_lib
from course.notebook_tools import sections
from course.site import reference
from course.site.build import DOCUMENTS, Site
from course.site.reference import Module, Name, Reader, modules
from tests.course.site.parsed import Element, Parsed
from tests.each import each
from transformer_lib import decoding, variants

ALL = [(module, name) for module in modules() for name in module.names]
EACH = [(module, one) for module, name in ALL for one in (name, *name.methods)]


def bare(text: str) -> str:
    """Without what the page shows in another way: spaces, ends of lines, `."""
    return re.sub(r"[\s`]+", "", text)


def section(page: Parsed, anchor: str) -> Element:
    """The element in which a name is told of: its own, or that of its class."""
    (heading,) = [one for one in page.elements if one.attributes.get("id") == anchor]
    return heading.around[-1]


# --- the names ---


def test_every_name_that_a_package_hands_on_is_there_and_says_where_to_import_it_from():
    said = {name.by for _, name in ALL}
    for package in (transformer_lib, decoding, variants):
        for name in package.__all__:
            places = ("transformer_lib", package.__name__)
            assert said & {f"from {place} import {name}" for place in places}, name
    for _, name in ALL:
        space: dict[str, object] = {}
        exec(name.by, space)  # fails if it can't be imported from there
        assert name.anchor in space


def test_a_public_name_has_a_docstring():
    """A constant: a comment behind it, or above it."""
    assert [f"{module.name}.{name.anchor}" for module, name in ALL if not name.doc] == []


def test_no_public_function_is_left_out():
    """What has no docstring stays out: then it is private, by an underscore in front."""
    for path in filter(reference.is_read, reference.LIBRARY.rglob("*.py")):
        for part in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(part, ast.FunctionDef | ast.ClassDef) or part.name.startswith("_"):
                continue
            forms = any("overload" in ast.unparse(one) for one in part.decorator_list)
            assert forms or ast.get_docstring(part), f"{path.name}: {part.name}"


def test_private_names_stay_out():
    assert not [name.anchor for _, name in EACH if re.search(r"(^|\.)_(?!_call__$)", name.anchor)]
    assert not [module.name for module in modules() if re.match("cli|__main__", module.name)]
    methods = [name.anchor for _, name in EACH if "EncoderLayer." in name.anchor]
    assert methods == ["EncoderLayer.forward"]


def test_what_is_read_is_what_python_has():
    """The reference reads files; here it is compared with the modules as they are."""

    def check(module: Module):
        real = importlib.import_module(f"transformer_lib.{module.name}")
        for name in module.names:
            if not name.signature.startswith(("class ", "def ", "@")):
                continue  # a constant
            there = getattr(real, name.anchor)
            assert inspect.cleandoc(there.__doc__) == name.doc, name.anchor
            lines, first = inspect.getsourcelines(inspect.unwrap(there))
            assert "".join(lines).rstrip("\n").endswith(name.source[-40:]), name.anchor
            assert name.lines == (first, first + len(lines) - 1), name.anchor
            if inspect.isfunction(there):
                for word in inspect.signature(inspect.unwrap(there)).parameters:
                    assert re.search(rf"\b{word}\b", name.signature), (name.anchor, word)

    each(modules(), check)


# --- the pages ---


def test_every_name_is_on_its_page_once_with_its_docstring_and_its_source(pages):
    def check(module: Module):
        page = pages[module.file]
        lines = (sections.ROOT / module.path).read_text(encoding="utf-8").splitlines()
        for name in module.names:
            for one in (name, *name.methods):
                text = bare(section(page, one.anchor).text)
                assert bare(one.doc) in text, one.anchor
                assert bare(one.signature) in text, one.anchor
            own = section(page, name.anchor)
            (folded,) = [one for one in page.all("details", "source") if own in one.around]
            assert "open" not in folded.attributes
            (code,) = [one for one in page.all("code") if folded in one.around]
            assert code.text == name.source
            first, last = name.lines
            assert bare(name.source) == bare("".join(lines[first - 1 : last]))
        assert bare(module.doc) in bare(page.all("article")[0].text)

    each(modules(), check)


def test_the_overview_names_everything_and_every_page_leads_to_it(pages):
    overview = pages[reference.OVERVIEW]
    links = {link.attributes.get("href") for link in overview.all("a")}
    assert {f"{module.file}#{name.anchor}" for module, name in ALL} <= links
    assert {module.file for module in modules()} <= links
    assert set(reference.FOLDERS) <= set(overview.ids())
    ways = {
        (file, part)
        for file, page in pages.items()
        for link in page.all("a")
        for part in ("nav", "main")
        if link.inside(part) and link.attributes["href"] == reference.OVERVIEW
    }
    wanted = {(file, "nav") for file in pages} | {("index.html", "main"), ("install.html", "main")}
    assert wanted <= ways, wanted - ways


def test_a_link_to_a_file_of_the_library_leads_into_its_reference(tmp_path):
    lead = Site(tmp_path).target(DOCUMENTS[0])  # notebooks/README.md
    there = "../transformer_lib/training/loss.py"
    assert lead(there) == "reference.training.loss.html"
    assert lead(f"{there}#label_smoothed_cross_entropy") == (
        "reference.training.loss.html#label_smoothed_cross_entropy"
    )
    assert lead("../transformer_lib") == lead("../transformer_lib/__init__.py") == "reference.html"
    assert lead("../transformer_lib/model") == "reference.html#model"


# --- what is written in a docstring ---


OWNER = Name("it", "", "", "", (1, 1), words=frozenset({"src", "ids", "cache"}))
HERE = Module("decoding.beam", "", (), {})


def shown(text: str) -> str:
    return str(Reader(HERE).doc(text, OWNER))


def test_shapes_errors_and_names_are_set_as_code():
    shape = '<code class="shape">'
    assert shown("src (b, s) ids -> (…, d_model).") == (
        f'<p>src {shape}(b, s)</code> ids <span class="to">-&gt;</span> '
        f"{shape}(…, d_model)</code>.</p>"
    )
    assert shown("sqrt(d_k), (see docs/scaling.md), (model, src)") == (
        "<p>sqrt(d_k), (see docs/scaling.md), (model, src)</p>"
    )
    assert shown("Raises ValueError if x < 1.") == (
        "<p>Raises <code>ValueError</code> if x &lt; 1.</p>"
    )
    assert shown("As `train` and `nn.Linear`, `src`.") == (
        '<p>As <a href="reference.training.trainer.html#train"><code>train</code></a> and '
        "<code>nn.Linear</code>, <code>src</code>.</p>"
    )


def test_a_signature_is_in_one_line_or_has_a_line_for_each_parameter():
    code = "def f(self, a: int, /, b='x', *rest: str, c: float = 1.0, **more) -> 'T': ..."
    (node,) = ast.parse(code).body
    assert reference.signature(node, [code]) == (
        "def f(\n    a: int,\n    /,\n    b='x',\n"
        "    *rest: str,\n    c: float = 1.0,\n    **more,\n) -> 'T'"
    )
    (node,) = ast.parse("def f(a, *, b=1): ...").body
    assert reference.signature(node, ["def f(a, *, b=1): ..."]) == "def f(a, *, b=1)"


def test_the_search_knows_every_name(found):
    names = {piece["page"] for piece in found if piece.get("name")}
    assert names == {f"{module.file}#{name.anchor}" for module, name in EACH}
