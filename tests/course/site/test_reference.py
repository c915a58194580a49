"""The reference of the library: every public name is there once, and what is said of it is true."""

import ast
import importlib
import inspect
import re

import pytest
from playwright.sync_api import expect, sync_playwright

import transformer_lib
from course.notebook_tools import sections
from course.site import reference
from course.site.build import DOCUMENTS, Site
from course.site.reference import Module, Name, Reader, modules
from tests.course.site.test_browser import (
    BROWSER,
    COLORS,
    NO_CODE,
    NO_CODE_NO_MENU,
    NO_COLORS,
    OPEN_ALL,
    TURN,
    WIDTHS,
    Visit,
    serious,
    sideways,
)
from tests.each import each
from transformer_lib import decoding, variants

ALL = [(module, name) for module in modules() for name in module.names]
EACH = [(module, one) for module, name in ALL for one in (name, *name.methods)]
FILES = [reference.OVERVIEW, *(module.file for module in modules())]
# Pages of which the colors are measured: the overview, one with its code, code and tables in text.
COLORED = [
    reference.OVERVIEW,
    "reference.model.attention.html",
    "reference.model.layers.html",
    "reference.interpret.patching.html",
]

# All pages have one form: of the others axe reads the first of each folder.
FIRST = [next(m.file for m in modules() if m.folder == folder) for folder in reference.FOLDERS]


def bare(text: str) -> str:
    """Without what the page shows in another way: spaces, ends of lines, `."""
    return re.sub(r"[\s`]+", "", text)


def section(page, anchor: str) -> int:
    """The element in which a name is told of: its own, or that of its class."""
    (heading,) = [n for n, element in enumerate(page.elements) if element[1].get("id") == anchor]
    return page.elements[heading][2][-1]


# --- the names ---


def test_every_name_that_a_package_hands_on_is_there_and_says_where_to_import_it_from():
    by = {name.anchor: name.by for module, name in ALL if ".cache" not in module.name}
    for package in (transformer_lib, decoding, variants):
        for name in package.__all__:
            if package is transformer_lib:
                assert by[name] == f"from transformer_lib import {name}"
            assert (name in by) or any(one.anchor == name for _, one in ALL), name
    for _, name in ALL:
        space: dict[str, object] = {}
        exec(name.by, space)  # fails if it can't be imported from there
        assert name.anchor in space


def test_a_public_name_has_a_docstring():
    """A constant: a comment behind it, or above it."""
    assert [f"{module.name}.{name.anchor}" for module, name in ALL if not name.doc] == []


def test_no_public_function_is_left_out():
    """What has no docstring stays out: then it is private, by an underscore in front."""
    for path in sorted(reference.LIBRARY.rglob("*.py")):
        if {*path.relative_to(reference.LIBRARY).with_suffix("").parts} & reference.LEFT_OUT:
            continue
        for part in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(part, ast.FunctionDef | ast.ClassDef) or part.name.startswith("_"):
                continue
            forms = any("overload" in ast.unparse(one) for one in part.decorator_list)
            assert forms or ast.get_docstring(part), f"{path.name}: {part.name}"


def test_private_names_stay_out():
    assert not [name.anchor for _, name in EACH if re.search(r"(^|\.)_(?!_call__$)", name.anchor)]
    names = {module.name for module in modules()}
    assert not {"__main__"} & names
    assert not [name for name in names if name.startswith("cli")]
    methods = [name.anchor for _, name in EACH if "EncoderLayer." in name.anchor]
    assert methods == ["EncoderLayer.forward"]


def test_what_is_read_is_what_python_has():
    """The reference imports nothing; here it is compared with the modules as they are."""

    def check(module: Module):
        real = importlib.import_module(f"transformer_lib.{module.name}")
        for name in module.names:
            there = getattr(real, name.anchor)
            if (
                not (inspect.isclass(there) or inspect.isfunction(there))
                or name.signature[0].isupper()
            ):
                continue  # a constant
            assert inspect.cleandoc(there.__doc__) == name.doc, name.anchor
            lines, first = inspect.getsourcelines(inspect.unwrap(there))
            assert "".join(lines).rstrip("\n").endswith(name.source[-40:]), name.anchor
            assert name.lines == (first, first + len(lines) - 1), name.anchor
            if inspect.isfunction(there) and "@overload" not in "".join(real.__doc__ or ""):
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
                assert page.ids().count(one.anchor) == 1, one.anchor
                text = bare(page.text[section(page, one.anchor)])
                assert bare(one.doc) in text, one.anchor
                assert bare(one.signature) in text, one.anchor
            own = section(page, name.anchor)
            folded = [n for n in page.all("details", "source") if own in page.elements[n][2]]
            assert len(folded) == 1 and "open" not in page.elements[folded[0]][1]
            (code,) = [n for n in page.all("code") if folded[0] in page.elements[n][2]]
            assert page.text[code] == name.source
            first, last = name.lines
            assert bare(name.source) == bare("".join(lines[first - 1 : last]))
        assert bare(module.doc) in bare(page.text[page.all("article")[0]])

    each(modules(), check)


def test_the_overview_names_everything_and_every_page_leads_to_it(pages):
    overview = pages[reference.OVERVIEW]
    links = {overview.elements[n][1].get("href") for n in overview.all("a")}
    assert {f"{module.file}#{name.anchor}" for module, name in ALL} <= links
    assert {module.file for module in modules()} <= links
    assert set(reference.FOLDERS) <= set(overview.ids())
    for file, page in pages.items():
        inside = [n for n in page.all("a") if page.inside(n, "nav")]
        assert reference.OVERVIEW in {page.elements[n][1]["href"] for n in inside}, file
    for file in ("index.html", "install.html"):
        main = [n for n in pages[file].all("a") if pages[file].inside(n, "main")]
        assert reference.OVERVIEW in {pages[file].elements[n][1]["href"] for n in main}, file


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


# --- the search, and a browser ---


def test_the_search_knows_every_name(found):
    names = {piece["page"] for piece in found if piece.get("name")}
    assert names == {f"{module.file}#{name.anchor}" for module, name in EACH}


@pytest.fixture(scope="module")
def window(site):
    if BROWSER is None:
        pytest.skip("no browser: install Chromium or Chrome")
    with sync_playwright() as playwright:
        with Visit(playwright.chromium.launch(executable_path=BROWSER), site) as visit:
            yield visit


SEARCHES = {
    "smoothed cross": "reference.training.loss.html#label_smoothed_cross_entropy",
    "label_smoothed_cross_entropy": "reference.training.loss.html#label_smoothed_cross_entropy",
    "make_batch": "reference.text.batching.html#make_batch",
    "MultiHeadAttention": "reference.model.attention.html#MultiHeadAttention",
}


def test_the_search_finds_a_name_by_its_words(window):
    def check(asked):
        page = window.open("about.html")
        page.keyboard.press("Control+k")
        page.wait_for_function("window.terms")
        page.locator("#search-words").fill(asked)
        links = page.locator("#search-found a")
        expect(links.first).to_be_visible()
        assert SEARCHES[asked] in [link.get_attribute("href") for link in links.all()[:3]]

    each(SEARCHES, check)


def test_a_page_fits_every_window_and_keeps_nobody_out(window, by_night):
    """All pages have one form: by day a page of each folder, by night all of them."""

    def check(file):
        window.page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
        page = window.open(file)
        page.evaluate(OPEN_ALL)
        if file in COLORED:
            part = "main" if file == COLORED[1] else {"include": [["main"]], **NO_CODE}
            assert serious(page, part) == []
            page.evaluate(TURN)
            assert serious(page, part, **COLORS) == []
        elif file in FIRST:
            assert serious(page, NO_CODE_NO_MENU, **NO_COLORS) == []
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert sideways(page) == [], width
        assert window.outside == [] and window.errors == []

    each(FILES if by_night else dict.fromkeys([*COLORED, *FIRST]), check)
