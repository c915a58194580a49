"""Figures on small screens and in motion: large enough to read or to be enlarged, and pausable."""

import pytest
from playwright.sync_api import expect

from course.drawing import style
from course.drawing.animations import ANIMATIONS
from course.drawing.registry import FIGURES
from tests.course.site.visits import DECODE, OPEN_ALL, Visit, keeps_nobody_out, sideways
from tests.each import each

SMALLEST = 11  # pixels of a letter, as seen
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# A figure's notes, its smallest letters, have these pixels where it is as wide as it was drawn.
NOTES = style.NOTE / 72 * 96 * 0.9
RUNNING = """() => document.querySelector(".loop > svg").getAnimations({ subtree: true })
  .filter((one) => one.playState === "running").length"""


@pytest.fixture
def phone(browser, site):
    with Visit(browser, site, **PHONE) as visit:
        yield visit


# --- small screens ---

TOO_SMALL = """([smallest, notes]) => [...document.querySelectorAll(
    ":is(.picture, .thumbnail, section) img, .loop[data-alive=yes] > svg")].filter((shown) => {
  const wide = shown.getBoundingClientRect().width;
  if (!wide || (notes * wide) / shown.getAttribute("width") >= smallest) return false;
  const way = shown.closest(".enlargeable")?.querySelector(".enlarge");
  return !way || !way.checkVisibility();
}).map((shown) => shown.outerHTML.slice(0, 120))"""


def test_what_is_too_small_to_read_on_a_phone_can_be_enlarged(phone):
    def check(file):
        page = phone.open(file)
        page.evaluate(OPEN_ALL)
        if file.startswith("slides"):
            page.evaluate(DECODE)
        page.wait_for_function("document.querySelectorAll('.enlarge:not([hidden])').length > 2")
        assert page.evaluate(TOO_SMALL, [SMALLEST, NOTES]) == []
        assert sideways(page) == []
        page.evaluate("for (const way of document.querySelectorAll('.enlarge')) way.hidden = true")
        assert page.evaluate(TOO_SMALL, [SMALLEST, NOTES]) != []  # and without it can't be read

    each(["01_one_hot.html", "figures.html", "slides/08_decoder.html"], check)


def test_a_tap_opens_a_figure_at_full_size_and_it_scrolls(phone):
    def check(file):
        page = phone.open(file)
        picture = page.locator(".picture .enlargeable > img").first
        picture.scroll_into_view_if_needed()
        drawn = int(picture.get_attribute("width"))
        picture.tap()
        dialog = page.locator("dialog.enlarged")
        expect(dialog).to_be_visible()
        assert dialog.bounding_box() == {"x": 0, "y": 0, **PHONE["viewport"]}
        assert dialog.get_attribute("aria-label") == picture.get_attribute("alt")
        copy = dialog.locator("img")
        assert copy.bounding_box()["width"] >= drawn and NOTES >= SMALLEST
        place = dialog.locator(".scrolls")
        assert place.evaluate("(e) => { e.scrollLeft = 200; return e.scrollLeft; }") == 200
        expect(place).to_have_css("touch-action", "auto")  # it can be pinched
        content = page.locator("meta[name=viewport]").get_attribute("content")
        assert "maximum-scale" not in content and "user-scalable" not in content
        keeps_nobody_out(page, "dialog.enlarged")
        dialog.get_by_role("button", name="Close").tap()
        expect(dialog).to_be_hidden()

    each(["08_decoder.html", "slides/08_decoder.html"], check)


def test_enter_opens_escape_closes_and_the_focus_is_back(phone):
    for file in ["08_decoder.html", "slides/08_decoder.html"]:
        for part in [":not(:has(.loop))", ":has(.loop)"]:
            page = phone.open(file)
            way = page.locator(f".enlargeable{part} > .enlarge").first
            way.focus()
            page.keyboard.press("Enter")
            dialog = page.locator("dialog.enlarged")
            expect(dialog.get_by_role("button", name="Close")).to_be_focused()
            page.keyboard.press("Tab")
            place = dialog.locator(".scrolls")
            expect(place).to_be_focused()
            page.keyboard.press("ArrowRight")
            page.wait_for_function("document.querySelector('.scrolls').scrollLeft > 0")
            shown = dialog.locator("img:visible, .loop > svg:visible")
            expect(shown).to_have_count(1)
            page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
            expect(way).to_be_focused()
            expect(page.locator(".picture .loop")).to_have_count(1)


# --- motion ---


def in_sight(visit, name):
    """The page of a figure, and its loop."""
    page = visit.open(f"{FIGURES[name].notebook}.html")
    page.evaluate(OPEN_ALL)
    loop = page.locator(".loop")
    loop.scroll_into_view_if_needed()
    return page, loop


def test_a_loop_moves_can_be_paused_with_the_keyboard_and_keeps_nobody_out(browser, site):
    def check(name):
        with Visit(browser, site, viewport={"width": 1100, "height": 900}) as visit:
            page, loop = in_sight(visit, name)
            page.wait_for_function(f"({RUNNING})() > 20")
            expect(loop.locator("img")).to_be_hidden()
            button = loop.get_by_role("button", name="Pause")
            button.focus()
            page.keyboard.press("Enter")
            expect(button).to_have_count(0)
            expect(loop.get_by_role("button", name="Play")).to_be_focused()
            page.wait_for_function(f"({RUNNING})() === 0")
            assert loop.locator("svg").is_visible()  # where it stopped
            page.keyboard.press("Space")
            page.wait_for_function(f"({RUNNING})() > 20")
            keeps_nobody_out(page, ".loop")
            page.evaluate("scrollTo(0, 0)")
            if not loop.evaluate("(e) => e.getBoundingClientRect().top < innerHeight"):
                page.wait_for_function(f"({RUNNING})() === 0")  # out of sight it rests

    each(ANIMATIONS, check)


def test_who_wants_no_motion_sees_the_still_and_may_start_the_loop(browser, site):
    def check(name):
        with Visit(browser, site, reduced_motion="reduce") as visit:
            page, loop = in_sight(visit, name)
            expect(loop.locator("img")).to_be_visible()
            expect(loop.locator("svg")).to_be_hidden()
            assert page.evaluate(RUNNING) == 0
            loop.get_by_role("button", name="Play").click()
            page.wait_for_function(f"({RUNNING})() > 20")
            expect(loop.locator("img")).to_be_hidden()
            page.emulate_media(media="print")
            expect(loop.locator("img")).to_be_visible()
            expect(loop.locator("svg")).to_be_hidden()

    each(ANIMATIONS, check)


def test_without_javascript_nothing_moves(browser, site):
    with Visit(browser, site, java_script_enabled=False) as visit:
        page = visit.open("08_decoder.html")
        assert page.locator(".loop img").is_visible() and page.locator(".loop svg").count() == 0
