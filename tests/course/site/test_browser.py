"""The site as a visitor meets it: in a browser without a network, opened as files."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import expect

from course.lab.packing import in_eight_bits
from course.notebook_tools import sections
from course.site import reference
from course.site.book import print_pdf
from course.site.build import DOCUMENTS, reference_pages
from tests.course.site.visits import (
    COLORS,
    DECODE,
    OPEN_ALL,
    TURN,
    WIDTHS,
    Visit,
    fits_every_window,
    keeps_nobody_out,
    serious,
    sideways,
)
from tests.each import each
from transformer_lib import Translator

NOTEBOOKS = [f"{name}.html" for name in sections.series()]
OTHERS = [page.file for page in DOCUMENTS]
OTHERS += ["index.html", "about.html", "slides.html", "lab/index.html"]
# Of the library's reference all pages have one form: by day the first of each folder, and two with
# code and tables in their texts; by night all.
LIBRARY = [page.file for page in reference_pages()]
DRAWN = ["reference.model.layers.html", "reference.interpret.patching.html"]
FOLDERS = [
    next(one.file for one in reference.modules() if one.folder == folder)
    for folder in reference.FOLDERS
]
# Each with a chart.
CHARTS = (
    "02_embeddings.html",
    "03_positional_encoding.html",
    "04_attention.html",
    "08_decoder.html",
)
# Of each row of the list: the heights at which its parts write. An empty box stands on the line.
BASELINES = """(parts) => [...document.querySelectorAll(".path a")].map((row) =>
  [...row.querySelectorAll(parts)].map((part) => {
    const box = document.createElement("span");
    box.style.display = "inline-block";
    part.prepend(box);
    const { bottom } = box.getBoundingClientRect();
    box.remove();
    return bottom;
  }))"""
# Colors are alike everywhere, and slow to measure: on these pages and, with code, on some below.
COLORED = (
    "index.html",
    "figures.html",
    "00_start_here.html",
    "02_embeddings.html",
    "lab/index.html",
    *DRAWN,
)
NO_COLORS = {"rules": {"color-contrast": {"enabled": False}}}
# By day axe searches these and one more of each kind; by night all pages.
KINDS = ("13_what_the_heads_learned.html", OTHERS[0], "about.html", "slides.html", *FOLDERS)
NO_CODE = {"exclude": [[".code"], [".output"]]}
# Nor the list of all pages, which each of them has.
NO_CODE_NO_MENU = {"exclude": [*NO_CODE["exclude"], ["#series"]]}


@pytest.fixture(scope="module")
def window(browser, site):
    """One for all pages: they are many, and a new one takes as long as loading a page."""
    with Visit(browser, site) as visit:
        yield visit


def test_a_page_stands_alone_fits_every_window_and_keeps_nobody_out(window, by_night):
    def check(file):
        window.page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
        page = window.open(file)
        if file in COLORED:
            keeps_nobody_out(page, NO_CODE)
        elif file in KINDS or by_night:
            assert serious(page, NO_CODE_NO_MENU, **NO_COLORS) == []
        page.evaluate(OPEN_ALL)
        fits_every_window(page)
        window.check()

    each([*NOTEBOOKS, *OTHERS, *(LIBRARY if by_night else FOLDERS + DRAWN)], check)


def test_what_is_folded_and_what_is_dark_keeps_nobody_out(visit):
    for file in ("a1_pytorch_primer.html", LIBRARY[0], "reference.model.attention.html"):
        page = visit.open(file)
        page.evaluate(OPEN_ALL)
        keeps_nobody_out(page)


def test_slides_too(browser, site):
    for file in ["slides/04_attention.html", "slides/08_decoder.html"]:
        with Visit(browser, site, viewport={"width": 1400, "height": 800}) as visit:
            page = visit.open(file)
            assert sideways(page) == []
            keeps_nobody_out(page)
            slides = page.locator("section")
            page.keyboard.press("ArrowRight")
            page.wait_for_function("scrollY >= innerHeight")
            page.keyboard.press("n")
            assert slides.nth(1).locator(".in-words p").is_visible()
            page.keyboard.press("End")
            page.wait_for_function("scrollY > innerHeight * 2")
            page.evaluate(DECODE)


def test_text_twice_as_large_still_fits(chromium, site):
    large = ["--blink-settings=defaultFontSize=32,defaultFixedFontSize=26"]
    with Visit(chromium(args=large), site) as visit:
        for file in ("index.html", "a1_pytorch_primer.html", "glossary.html"):
            page = visit.open(file)
            assert page.evaluate("getComputedStyle(document.body).fontSize") == "34px"
            page.evaluate(OPEN_ALL)
            fits_every_window(page)
        page = visit.open("lab/index.html")
        page.locator(".av-says").wait_for()
        fits_every_window(page)


@pytest.fixture
def visit(browser, site):
    with Visit(browser, site, viewport={"width": 1400, "height": 900}) as visit:
        yield visit


def test_nothing_on_the_pages_needs_what_their_policy_forbids(browser, site):
    with Visit(browser, site, bypass_csp=False, reduced_motion="reduce") as visit:
        for file in CHARTS:
            page = visit.open(file)
            for box in page.locator("details.deeper:has(.chart) > summary").all():
                box.click()
            alive(page.locator(".chart:visible"))
        page = visit.open("08_decoder.html")
        expect(page.locator(".view .av-says")).to_be_visible()
        page.keyboard.press("Control+k")
        page.locator("#search-words").fill("softmax")
        page.locator("#search-found a").first.wait_for()
        page = visit.open("slides/04_attention.html")
        expect(page.locator("section").first).to_have_css("display", "flex")
        page = visit.open("lab/index.html")
        page.locator(".av-says").wait_for()
        page = visit.open("index.html")
        page.locator("#try .examples button").first.click()
        page.locator("#try-to button").first.wait_for()


# --- charts ---


def alive(chart):
    chart.scroll_into_view_if_needed()
    chart.locator("svg.marks").wait_for()


def test_charts_are_alive_and_answer_the_keyboard(visit):
    def check(file):
        page = visit.open(file)
        page.evaluate(OPEN_ALL)
        chart = page.locator(".chart")
        alive(chart)
        assert chart.locator("img").count() == 0
        drawn = chart.locator("svg.marks")
        assert len(chart.locator("svg.marks[role=img]").get_attribute("aria-label")) > 40
        before = drawn.inner_html()
        control = chart.locator(".vega-bind :is(input, select)").last
        control.focus()
        if control.get_attribute("type") == "checkbox":
            page.keyboard.press("Space")
        elif control.evaluate("(e) => e.tagName") == "SELECT":
            page.keyboard.press("ArrowUp")
        else:
            page.keyboard.press("ArrowLeft")
        expect(drawn).not_to_have_js_property("innerHTML", before)
        assert serious(page, ".chart", **{} if file in COLORED else NO_COLORS) == []
        page.evaluate(TURN)
        assert serious(page, ".vega-bindings", **COLORS) == []

    each(CHARTS, check)


def test_a_chart_answers_the_mouse(visit):
    page = visit.open("02_embeddings.html")
    chart = page.locator(".chart").first
    alive(chart)
    chart.locator(".mark-symbol path").nth(40).hover(force=True)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert "in Spanish" in tooltip.inner_text()
    chart.locator("input").fill("tree")
    page.wait_for_function(
        "(svg) => [...svg.querySelectorAll('text')].some((t) => t.textContent == 'tree')",
        arg=chart.locator("svg.marks").element_handle(),
    )


# --- the attention view: more in tests/course/lab/test_attention_page.py ---


def test_a_stored_attention_view_is_alive(visit):
    page = visit.open("08_decoder.html")
    view = page.locator(".view")
    assert view.locator("img").count() == 0
    said = "head 0: “gustan” attends most to “trees”, with 1.00."
    expect(view.locator(".av-says")).to_contain_text(said)
    assert serious(page, ".view") == []
    head = view.locator("canvas").first
    before = head.evaluate("(canvas) => canvas.toDataURL()")
    page.evaluate(TURN)
    page.wait_for_function(
        "([c, before]) => c.toDataURL() !== before", arg=[head.element_handle(), before]
    )
    assert serious(page, ".view", **COLORS) == []


# --- the field on the first page ---


def test_a_sentence_is_translated_on_the_first_page(browser, site):
    window = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"}
    with Visit(browser, site, **window) as visit:
        page = visit.open("index.html")
        words = page.locator("#try-to button")
        told = page.locator("#try-told")
        for text, written in [("I like trees.", "Me gustan los árboles."), ("London", "Londres")]:
            page.locator("#try .examples button", has_text=text).click()
            expect(page.locator("#try-to")).to_contain_text(written.split()[-1])
        words.filter(has_text="hermana").click()
        expect(told).to_contain_text("“hermana” attends most to “sister” (0.")
        assert page.locator("#try-shown line").count() == page.locator("#try-from .word").count()
        assert not any("/lab/" in url for url in visit.asked)  # nothing before it is wanted
        text = "my grandmother's bicycle is green"
        page.get_by_label("Type a sentence").fill(text)
        page.wait_for_function("document.querySelector('#try-progress').hidden")
        assert len([url for url in visit.asked if "/lab/everyday-" in url]) > 10
        page.get_by_label("Type a sentence").press("Enter")
        expected = in_eight_bits(Translator.load("tatoeba"))
        words.filter(has_text="bicicleta").wait_for()
        written = " ".join(words.all_inner_texts()).rstrip(".")
        assert written == expected.translate(text).text.rstrip(".")
        words.filter(has_text="bicicleta").click()
        expect(told).to_contain_text("“bicicleta” attends most to “bicycle” (0.")
        link = page.locator("#try-open").get_attribute("href")
        assert link == "lab/everyday.html#text=my+grandmother%27s+bicycle+is+green"
        page.locator("#try .examples button").first.click()
        expect(words.first).to_have_text("Me")
        keeps_nobody_out(page)
        fits_every_window(page)


def test_two_numbers_are_moved_on_the_first_page(visit):
    page = visit.open("index.html")
    written = page.locator("#swap-written")
    expect(written).to_have_text("El animal no cruzó la calle porque estaba demasiado cansado")
    slider = page.get_by_label("Move the attention of tired")
    slider.press("End")
    expect(written).to_have_text("El animal no cruzó la calle porque estaba demasiado cansada")
    assert "cansada" in slider.get_attribute("aria-valuetext")
    expect(page.locator("#swap output").last).to_have_text("1.00")
    slider.press("Home")
    expect(written).to_contain_text("cansado")


def test_the_first_page_stays_where_it_is_while_it_loads(browser, site):
    watch = """globalThis.moved = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) moved += entry.value;
    }).observe({ type: "layout-shift", buffered: true });"""
    for width in (390, 1400):
        with Visit(browser, site, viewport={"width": width, "height": 844}) as visit:
            visit.context.add_init_script(watch)
            page = visit.open("index.html")
            page.wait_for_timeout(3000)
            assert page.evaluate("moved") < 0.1


def test_the_parts_of_a_row_share_a_baseline(visit):
    for file in ["index.html", "slides.html"]:
        page = visit.open(file)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            below = ", .explains" if width > 736 else ""  # 46rem: narrower, a line of its own
            for media in ("screen", "print"):
                page.emulate_media(media=media)
                rows = page.evaluate(BASELINES, f".number, .name, .minutes{below}")
                assert len(rows) == len(NOTEBOOKS)
                for row in rows:
                    assert max(row) - min(row) < 1, (width, media, row)


def test_the_first_view_is_below_100_kb_with_its_fonts(browser, site):
    with Visit(browser, site, viewport={"width": 1400, "height": 900}) as visit:
        page = visit.open("index.html")
        page.wait_for_load_state("networkidle")
        page.evaluate("() => document.fonts.ready.then(() => 0)")
        assert sum("-first.woff" in url for url in visit.asked) == 3  # regular, italic, bold
        files = {Path(unquote(urlsplit(url).path)) for url in visit.asked}
        assert sum(file.stat().st_size for file in files) < 100_000


def test_a_translator_that_does_not_come_is_said_and_may_be_tried_again(visit):
    page = visit.open("index.html")
    page.evaluate("document.querySelector('#try').dataset.parts = '[[\"lab/missing.js\", 1]]'")
    page.get_by_label("Type a sentence").fill("trees are green")
    page.get_by_label("Type a sentence").press("Enter")
    expect(page.locator("#try-told")).to_contain_text("could not be fetched (lab/missing.js)")
    visit.errors.clear()


# --- the laboratory: more in tests/course/lab/test_lab_page.py ---


def test_the_larger_translator_reads_any_sentence_and_keeps_nobody_out(browser, site):
    window = {"viewport": {"width": 390, "height": 900}, "reduced_motion": "reduce"}
    with Visit(browser, site, **window) as visit:
        page = visit.open("lab/everyday.html")
        page.locator(".av-says").wait_for()
        expect(page.locator("h1")).to_have_text("Any sentence")
        expect(page.locator("#tour")).to_be_hidden()
        expect(page.locator("#tour-start")).to_be_hidden()
        text = "my grandmother's bicycle is too small for me"
        page.get_by_label("English").fill(text)
        page.get_by_label("English").press("Enter")
        written = page.locator("#translation")
        expected = in_eight_bits(Translator.load("tatoeba")).translate(text).text
        expect(written).to_contain_text(expected)
        assert page.locator(".av-head").count() == 8
        before = written.inner_text()
        heads = page.locator(".av-head [type=checkbox]")
        page.locator("select").select_option("encoder.layers.2.self_attn")
        for head in range(8):
            heads.nth(head).uncheck()
        expect(written).to_contain_text("Mi abuela es demasiado pequeña")
        expect(page.locator("#difference")).to_have_text(f"was: {before}")
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert serious(page) == []
        page.emulate_media(color_scheme="dark")
        assert serious(page, **COLORS) == []
        fits_every_window(page)
        link = page.url
        page.goto("about:blank")
        page.goto(link)
        page.locator(".av-says").wait_for()
        assert written.inner_text() != before and page.locator("#changes li").count() == 8
        start = page.url.partition("#")[0]
        for seed in range(1, 30):  # few of them draw no <eos> for so long
            page.goto("about:blank")
            page.goto(f"{start}#text=trees&choose=draw&temperature=3&seed={seed}")
            page.locator(".av-says").wait_for()
            if "was stopped after 255 pieces" in page.locator("#difference").inner_text():
                break
        expect(page.locator("#difference")).to_contain_text("was stopped after 255 pieces")
        page.get_by_role("radio", name="Map", exact=True).check(force=True)
        expect(page.locator(".av-map tbody tr")).to_have_count(255)


# --- answers ---


def test_an_answer_opens_and_a_guess_is_compared(visit):
    page = visit.open("00_start_here.html")
    answer = page.locator(".answer").first
    assert not answer.locator(".output").is_visible()
    page.locator(".guess input").first.focus()
    page.keyboard.type("gustan")
    page.keyboard.press("Enter")
    assert answer.locator(".output").is_visible()
    assert "your guess: gustan\nit is gusta: another one" in answer.inner_text()
    page.locator(".guess input").first.fill("'Gusta'")
    page.keyboard.press("Enter")
    assert "it is gusta: right" in answer.inner_text()


GUESSES = [
    ("5000", 5000),
    ("5,000", 5000),
    ("4980", 5000),
    ("4900", 5000),
    ("many", 5000),
    ("0.9", 0.9),
    (".9", 0.9),
    ("1e-07", 1e-07),
    ("8", 8.5),
    ("-0.112", -0.112),
    ("[2, 3]", [2, 3]),
    ("(2, 3, 10)", (2, 3, 10)),
    ("(2, 3)", (2, 3, 10)),
    ("apple", "apple"),
    (" Apple", "apple"),
    ("cow", "apple"),
    ("True", True),
]


def test_a_guess_is_compared_as_the_library_does(visit, capsys):
    from course.checks import reveal

    page = visit.open("00_start_here.html")
    for typed, measured in GUESSES:
        plain = re.sub(r"^(\d),(\d{3})$", r"\1\2", typed)
        try:
            guess = eval(plain)
        except (NameError, SyntaxError):
            guess = plain
        reveal(guess, measured)
        line = capsys.readouterr().out.splitlines()[1]
        shown, _, said = line.removeprefix("it is ").partition(": ")
        assert page.evaluate("([g, m]) => compared(g, m)", [typed, shown]) == said, typed


def test_without_javascript_answers_open_and_on_paper_all_is_open(browser, site):
    with Visit(browser, site, java_script_enabled=False) as visit:
        page = visit.open("04_attention.html")
        answer = page.locator(".answer").first
        assert not answer.locator(".output").is_visible()
        answer.locator("summary").click()
        assert answer.locator(".output").is_visible()
        assert not page.locator(".guess").first.is_visible()
        page.emulate_media(media="print")
        for box in page.locator("details:is(.answer, .deeper)").all():
            last = box.locator(":scope > :not(summary)").last
            assert last.evaluate("(e) => e.getBoundingClientRect().height") > 0
        assert not page.locator("#series").is_visible()


# --- moving about ---


def test_the_keyboard_alone_is_enough(visit):
    page = visit.open("04_attention.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.tagName"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
    assert {"SUMMARY", "INPUT", "BUTTON"} <= set(seen)
    page.set_viewport_size({"width": 390, "height": 800})
    page.evaluate("scrollTo(0, 0)")
    page.locator(".menu").focus()
    page.keyboard.press("Enter")
    page.locator("#series").wait_for(state="visible")
    page.keyboard.press("Escape")
    page.locator("#series").wait_for(state="hidden")


def test_the_search_finds_and_leads_there(visit):
    page = visit.open("about.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("causal MASK leak")
    page.locator("#search-found a").first.wait_for()
    assert re.fullmatch(r"\d+ sections", page.locator("#search-count").inner_text())
    page.keyboard.press("Enter")
    page.wait_for_url("**/06_masks.html#*")
    page.keyboard.press("Control+k")
    page.keyboard.type("xyzzy")
    page.wait_for_function("document.getElementById('search-count').textContent == '0 sections'")
    page.keyboard.press("Escape")
    assert not page.locator("#search").is_visible()


def test_a_link_into_a_folded_section_opens_it(visit):
    page = visit.open("04_attention.html")
    folded = page.locator("details.deeper").first
    anchor = folded.locator("summary [id]").get_attribute("id")
    page.evaluate("(anchor) => (location.hash = encodeURIComponent(anchor))", anchor)
    page.wait_for_function("document.querySelector('details.deeper').open")


# What students ask, written down before it was tried, and the notebook or page that answers.
ASKED = {
    **{"why sqrt dk": "04", "why divide by sqrt": "04", "what is a query": "04"},
    **{"how to install": "install", "multi head": "05", "what is a token": "01"},
    **{"positional encoding formula": "03", "causal mask": "06", "why residual connection": "07"},
    **{"layer norm": "07", "beam search": "11", "label smoothing": "10", "adam optimizer": "10"},
    **{"warmup": "10", "bleu": "12", "teacher forcing": "10", "one hot": "01", "rope": "18"},
    **{"byte pair encoding": "14", "mixture of experts": "18", "lora": "14", "dpo": "19"},
    **{"rlhf": "19", "reward model": "19"},
    # A beginning; slips: a letter is missing, doubled, exchanged, another one.
    **{"softm": "04", "atention weights": "04", "softmmax": "04", "drpoout": "07"},
    "positionel encoding": "03",
    # Other names.
    **{"KV cache": "11", "BPE": "14", "FFN": "07", "encoder-decoder attention": "04"},
    **{"look-ahead mask": "06", "masks": "06", "beam": "11", "layer normalization": "07"},
}
NAMES = {
    "smoothed cross": "reference.training.loss.html#label_smoothed_cross_entropy",
    "make_batch": "reference.text.batching.html#make_batch",
    "MultiHeadAttention": "reference.model.attention.html#MultiHeadAttention",
}


@pytest.fixture
def search(visit):
    """A page on which the search is open."""
    page = visit.open("about.html")
    page.locator("#search-button").click()
    page.wait_for_function("window.terms")
    return page


def test_the_search_answers_what_students_ask(search):
    first = search.locator("#search-found a").first

    def check(item: tuple[str, str]) -> None:
        asked, page_of = item
        search.locator("#search-words").fill(asked)
        assert first.get_attribute("href").startswith(page_of), asked
        assert "xercise" not in first.locator("strong").inner_text(), asked
        assert search.locator("#search-found mark").count() > 0, asked

    each(ASKED.items(), check)


def test_the_search_finds_a_name_of_the_library_by_its_words(search):
    for asked, place in NAMES.items():
        search.locator("#search-words").fill(asked)
        links = search.locator("#search-found a").all()[:3]
        assert place in [link.get_attribute("href") for link in links]


def test_what_was_found_is_marked_with_its_accents_in_whole_words(search):
    search.locator("#search-words").fill("arboles")
    marks = search.locator("#search-found mark").all_inner_texts()
    assert {"árboles"} <= {mark.lower() for mark in marks} <= {"árboles", "arboles"}
    for small in search.locator("#search-found small").all_inner_texts():
        assert len(small) < 260 and not small.startswith((",", ".", ")"))
    search.locator("#search-words").fill("c++ [")  # signs that mean something in a pattern
    expect(search.locator("#search-count")).not_to_be_empty()


def test_code_is_copied(visit):
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.open("04_attention.html")
    page.locator(".copy").first.click()
    page.locator(".copy", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(".code code").first.inner_text()


def test_the_chosen_theme_stays(visit):
    page = visit.open("index.html")
    color = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(color) == "rgb(255, 255, 255)"
    page.locator("#theme-button").click()
    assert page.evaluate(color) == "rgb(18, 18, 18)"
    assert visit.open("04_attention.html").evaluate(color) == "rgb(18, 18, 18)"


def test_the_laboratories_follow_the_choice_and_have_its_button(visit):
    page = visit.open("index.html")
    color = "getComputedStyle(document.body).backgroundColor"
    page.locator("#theme-button").click()
    for file in ("lab/index.html", "lab/everyday.html"):
        page = visit.open(file)
        page.locator(".av-says").wait_for()
        assert page.evaluate(color) == "rgb(22, 24, 28)"
        head = page.locator("canvas").first
        before = head.evaluate("(canvas) => canvas.toDataURL()")
        page.emulate_media(media="print")  # the choice is for the screen
        assert page.evaluate(color) == "rgb(255, 255, 255)"
        page.wait_for_function(
            "([c, before]) => c.toDataURL() !== before", arg=[head.element_handle(), before]
        )
        page.emulate_media(media="screen")
        page.get_by_role("button", name="Dark or light").click()
        assert page.evaluate(color) == "rgb(255, 255, 255)"
        page.get_by_role("button", name="Dark or light").click()


def test_what_is_printed_is_light(visit):
    for file in ["04_attention.html", "slides/04_attention.html"]:
        for theme in ["light", "dark"]:
            for scheme in ["light", "dark"]:
                page = visit.open(file)
                page.evaluate("(theme) => follow_theme(theme)", theme)
                page.emulate_media(media="print", color_scheme=scheme)
                found = page.evaluate("""() => [
                    getComputedStyle(document.body).backgroundColor,
                    getComputedStyle(document.querySelector(".picture img")).filter,
                    getComputedStyle(document.body).color,
                ]""")
                assert found == ["rgb(255, 255, 255)", "none", "rgb(26, 26, 26)"]


def test_pages_print_as_pdf_with_an_outline(site, tmp_path):
    print_pdf(site / "05_multi_head_attention.html", tmp_path / "05.pdf")
    pdf = (tmp_path / "05.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-") and b"/Outlines" in pdf
    named = [
        bytes.fromhex(name.decode()).decode("utf-16")
        for name in re.findall(rb"/Title <(FEFF\w+)>", pdf)
    ]
    assert "05 · Multi-head attention: several heads side by side" in named  # on two lines
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 5
