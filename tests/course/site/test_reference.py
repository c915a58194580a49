"""The reference of the library: every public name is there once, and what is said of it is true."""

import ast
import importlib
import inspect
import re
from pathlib import PurePosixPath

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
from transformer_lib import decoding, variants

ALL = [(module, name) for module in modules() for name in module.names]
EACH = [(module, each) for module, name in ALL for each in (name, *name.methods)]
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


def test_every_name_that_others_import_is_there():
    """Of a module with a page; who imports a name that is no more fails elsewhere."""
    there = {(module.name, name.anchor) for module, name in ALL}
    pages = {module.name for module in modules()}
    missing = {
        (module, name)
        for module, name in reference.asked_for()
        if module in pages and not name.startswith("_") and (module, name) not in there
    }
    # What a module has from another one, and types that stand for any.
    for module, name in sorted(missing):
        found = importlib.import_module(f"transformer_lib.{module}")
        own = inspect.getmodule(getattr(found, name))
        assert own is not found, f"transformer_lib.{module} has no public {name} in its reference"
    assert len(there) > 300


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


def test_a_public_name_without_a_docstring_is_found(tmp_path, monkeypatch):
    (tmp_path / "part.py").write_text(
        "LIMIT = 3  # of all\nBARE = 4\n_OWN = 5  # ours\n\n\ndef used(): ...\n\n\n"
        "def helper(): ...\n\n\ndef told():\n    'It is told.'\n\n\ndef _own():\n    'Ours.'\n"
    )
    asked = frozenset({("part", "LIMIT"), ("part", "BARE"), ("part", "used")})
    monkeypatch.setattr(reference, "LIBRARY", tmp_path)
    monkeypatch.setattr(reference, "asked_for", lambda: asked)
    monkeypatch.setattr(reference, "handed_on", dict)
    found = reference.read_module(tmp_path / "part.py").names
    assert {name.anchor: name.doc for name in found} == {
        "LIMIT": "Of all",
        "BARE": "",
        "used": "",
        "told": "It is told.",
    }


def test_private_names_stay_out():
    assert not [name.anchor for _, name in EACH if re.search(r"(^|\.)_(?!_call__$)", name.anchor)]
    names = {module.name for module in modules()}
    assert not {"__main__"} & names
    assert not [name for name in names if name.startswith("cli")]
    methods = [name.anchor for _, name in EACH if "EncoderLayer." in name.anchor]
    assert methods == ["EncoderLayer.forward"]


def test_every_file_of_the_library_has_a_place():
    files = {path.stem for path in reference.LIBRARY.rglob("*.py")}
    there = {module.path.stem for module in modules()}
    assert files - there == {
        "__init__",
        "common",
        "corpus",
        "evaluate",
        "settings",
        "translate",
    } | {*reference.LEFT_OUT - {"cli"}} | ({"train"} - there)
    for module in modules():
        assert (sections.ROOT / module.path).is_file() and module.doc, module.name
    order = [module.name for module in modules()]
    assert order.index("text.tokens") < order.index("model.attention") < order.index("translator")


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_what_is_read_is_what_python_has(module: Module):
    """The reference imports nothing; here it is compared with the modules as they are."""
    real = importlib.import_module(module.whole_name)
    for name in module.names:
        there = getattr(real, name.anchor)
        if not (inspect.isclass(there) or inspect.isfunction(there)) or name.signature[0].isupper():
            continue  # a constant
        assert inspect.cleandoc(there.__doc__) == name.doc, name.anchor
        lines, first = inspect.getsourcelines(inspect.unwrap(there))
        assert "".join(lines).rstrip("\n").endswith(name.source[-40:]), name.anchor
        assert name.lines == (first, first + len(lines) - 1), name.anchor
        if inspect.isfunction(there) and "@overload" not in "".join(real.__doc__ or ""):
            for word in inspect.signature(inspect.unwrap(there)).parameters:
                assert re.search(rf"\b{word}\b", name.signature), (name.anchor, word)


# --- what a caller may have to catch ---


# Raised, but caught again or never reached: no caller sees them.
UNSEEN = {
    ("files", "read_tensors"): {"ValueError"},  # caught: it becomes a CheckpointError
    ("text.everyday", "alternatives"): {"AssertionError"},  # its signs end with ""
}


def functions_in(node: ast.AST) -> dict[str, ast.FunctionDef]:
    return {one.name: one for one in ast.walk(node) if isinstance(one, ast.FunctionDef)}


def raised(node: ast.AST, helpers: dict[str, ast.FunctionDef]) -> set[str]:
    """The errors that a function raises, itself or in the private helpers of its module."""
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Raise) and one.exc:
            what = one.exc.func if isinstance(one.exc, ast.Call) else one.exc
            name = ast.unparse(what).rpartition(".")[2]
            if name in helpers:  # which makes the error that is raised
                name = ast.unparse(helpers[name].returns)
            found |= {name} - {name.lower()}  # a variable holds an error raised elsewhere
        elif isinstance(one, ast.Call):
            name = ast.unparse(one.func).rpartition(".")[2]
            if name in helpers:
                rest = {key: value for key, value in helpers.items() if key != name}
                found |= raised(helpers[name], rest)
    return found


def not_told(text: str, name: Name, unseen: set[str]) -> dict[str, set[str]]:
    """For a class and each of its methods, or a function: the errors that no docstring names."""
    tree = ast.parse(text)
    private = {
        key: value
        for key, value in functions_in(tree).items()
        if key.startswith("_") and not key.startswith("__")
    }
    defined = [one for one in tree.body if isinstance(one, reference.Definition)]
    *_, whole = (one for one in defined if one.name == name.anchor)  # overloads come before it
    found = {}
    if isinstance(whole, ast.ClassDef):
        own = functions_in(whole)
        made = [own[key] for key in ("__init__", "__post_init__") if key in own]
        found[name.anchor] = set().union(*(raised(one, private) for one in made))
        for method in name.methods:
            found[method.anchor] = raised(own[method.anchor.rpartition(".")[2]], private)
    else:
        found[name.anchor] = raised(whole, private)
    told = {one.anchor: name.doc + one.doc for one in (name, *name.methods)}
    return {
        anchor: missing
        for anchor, errors in found.items()
        if (missing := {e for e in errors - unseen if not re.search(rf"\b{e}\b", told[anchor])})
    }


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_a_docstring_names_the_errors_that_its_function_raises(module: Module):
    text = (sections.ROOT / module.path).read_text(encoding="utf-8")
    defined = {one.name for one in ast.parse(text).body if isinstance(one, reference.Definition)}
    for name in module.names:
        if name.anchor in defined:
            unseen = UNSEEN.get((module.name, name.anchor), set())
            assert not_told(text, name, unseen) == {}, module.name


def test_what_is_unseen_is_raised():
    """The exceptions above are of functions that are there and need them."""
    for (there, anchor), errors in UNSEEN.items():
        (module,) = (module for module in modules() if module.name == there)
        (name,) = (name for name in module.names if name.anchor == anchor)
        text = (sections.ROOT / module.path).read_text(encoding="utf-8")
        assert not_told(text, name, set()) == {anchor: errors}


def test_an_error_that_is_not_named_is_found(tmp_path, monkeypatch):
    path = tmp_path / "part.py"
    path.write_text(
        "class Thing:\n"
        "    'A thing. KeyError for a bad key.'\n"
        "    def __init__(self): _check()\n"
        "    def get(self):\n        'Or KeyError.'\n        raise KeyError(1)\n"
        "    def put(self): raise _made()\n\n\n"
        "def told():\n    'ValueError if wrong.'\n    _check()\n\n\n"
        "def silent():\n    'It checks.'\n    _check()\n\n\n"
        "def again(error):\n    'It hands it on.'\n    raise error\n\n\n"
        "def _check():\n    raise ValueError\n\n\n"
        "def _made() -> OSError:\n    return OSError()\n"
    )
    monkeypatch.setattr(reference, "LIBRARY", tmp_path)
    monkeypatch.setattr(reference, "asked_for", frozenset)
    monkeypatch.setattr(reference, "handed_on", dict)
    found = {}
    for name in reference.read_module(path).names:
        found |= not_told(path.read_text(), name, set())
    assert found == {"Thing": {"ValueError"}, "Thing.put": {"OSError"}, "silent": {"ValueError"}}


# --- the pages ---


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_every_name_is_on_its_page_once_with_its_docstring_and_its_source(pages, module: Module):
    page = pages[module.file]
    lines = (sections.ROOT / module.path).read_text(encoding="utf-8").splitlines()
    for name in module.names:
        for each in (name, *name.methods):
            assert page.ids().count(each.anchor) == 1, each.anchor
            text = bare(page.text[section(page, each.anchor)])
            assert bare(each.doc) in text, each.anchor
            assert bare(each.signature) in text, each.anchor
        own = section(page, name.anchor)
        folded = [n for n in page.all("details", "source") if own in page.elements[n][2]]
        assert len(folded) == 1 and "open" not in page.elements[folded[0]][1]
        (code,) = [n for n in page.all("code") if folded[0] in page.elements[n][2]]
        assert page.text[code] == name.source
        first, last = name.lines
        assert bare(name.source) == bare("".join(lines[first - 1 : last]))
    assert bare(module.doc) in bare(page.text[page.all("article")[0]])


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


def test_a_line_that_was_broken_for_its_length_goes_on_and_others_stay():
    long = "word " * 18 + "end"
    assert shown(f"{long}\nof it all") == f"<p>{long} of it all</p>"
    assert shown("One.\nTwo.") == "<p>One.</p>\n<p>Two.</p>"
    assert shown("One (x:\ntwo).") == "<p>One (x: two).</p>"
    assert shown("One\ntwo.") == "<p>One two.</p>"
    assert shown("ids: a\n    b. cache: c.\nRaises KeyError.") == (
        '<p class="item"><code>ids</code>: a b.</p>\n<p class="item"><code>cache</code>: c.</p>\n'
        "<p>Raises <code>KeyError</code>.</p>"
    )
    assert shown("Note: no parameter.") == "<p>Note: no parameter.</p>"


def test_code_and_tables_stay_as_they_are_laid_out():
    table = "src      (b, s)   I    like\ntgt_in   (b, t)   <bos> me"
    assert shown(table) == (
        f'<pre class="wide laid-out">{table.replace("<", "&lt;").replace(">", "&gt;")}</pre>'
    )
    assert shown("    with it:\n        run()").startswith('<pre class="wide laid-out"><span')


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


@pytest.mark.parametrize("asked", SEARCHES)
def test_the_search_finds_a_name_by_its_words(window, asked):
    page = window.open("about.html")
    page.keyboard.press("Control+k")
    page.wait_for_function("window.terms")
    page.locator("#search-words").fill(asked)
    links = page.locator("#search-found a")
    expect(links.first).to_be_visible()
    assert SEARCHES[asked] in [link.get_attribute("href") for link in links.all()[:3]]


@pytest.mark.parametrize("file", FILES)
def test_a_page_fits_every_window_and_keeps_nobody_out(window, file):
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


def test_a_page_needs_nothing_that_its_policy_forbids(window, site):
    with Visit(window.context.browser, site, bypass_csp=False) as visit:
        page = visit.open("reference.model.attention.html#MultiHeadAttention")
        source = page.locator("section.name").last.locator("details.source")
        source.locator("summary").click()
        expect(source.locator("code").last).to_be_visible()
        assert visit.outside == [] and visit.errors == []


def test_paths_and_pages_are_named_after_modules():
    module = next(module for module in modules() if module.name == "model.attention")
    assert module.path == PurePosixPath("transformer_lib/model/attention.py")
    assert module.file == "reference.model.attention.html" and module.title == "model/attention.py"
