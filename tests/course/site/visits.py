"""A visitor's browser, in which pages are opened as files and without a network."""

import functools

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from course.site.book import find_browser

WIDTHS = (390, 768, 1400)
OPEN_ALL = "for (const d of document.querySelectorAll('main details')) d.open = true"
# All at once: a chart that comes alive takes its stored picture off the page.
DECODE = """() => Promise.all([...document.querySelectorAll("section img")].map((image) => {
  image.loading = "eager"; return image.decode(); }))"""
TURN = "document.documentElement.dataset.theme = 'dark'"
COLORS = {"runOnly": ["color-contrast"]}


@pytest.fixture(scope="module")
def chromium():
    """chromium(...): starts a browser."""
    path = find_browser()
    if path is None:
        pytest.skip("no browser: install Chromium or Chrome")
    with sync_playwright() as playwright:
        yield functools.partial(playwright.chromium.launch, executable_path=path)


@pytest.fixture(scope="module")
def browser(chromium):
    return chromium()


class Visit:
    """A page in a window of its own; what it asks for and what fails is written down.

    After a `with`, nothing may have failed or been asked for from outside.
    """

    def __init__(self, browser, folder, **window):
        self.folder = folder
        # The tests make code out of text, which the pages' policy forbids: it has tests of its own.
        self.context = browser.new_context(offline=True, **{"bypass_csp": True} | window)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.asked, self.errors = [], []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))

    def open(self, file):
        self.page.goto(f"{self.folder.as_uri()}/{file}")
        return self.page

    def check(self):
        own = (self.folder.as_uri(), "data:", "blob:")
        outside = [url for url in self.asked if not url.startswith(own)]
        assert not outside and not self.errors, (outside, self.errors)

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        self.context.close()
        if not failed:
            self.check()


def sideways(page) -> list[str]:
    """What makes the page wider than its window."""
    return page.evaluate("""() => {
        const limit = document.documentElement.clientWidth;
        if (document.scrollingElement.scrollWidth <= limit) return [];
        return [...document.querySelectorAll("body *")]
            .filter((e) => e.getBoundingClientRect().right > limit + 1 && !e.closest(".wide"))
            .map((e) => e.outerHTML.slice(0, 100));
    }""")


def fits_every_window(page):
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = sideways(page)
        assert not wide, (width, wide)


def serious(page, part: str | dict = "body", **options) -> list[str]:
    """What axe-core finds in a part of a page, be it ever so small."""
    options = {"resultTypes": ["violations"], "preload": False, **options}
    found = Axe().run(page, part, options)
    return [f"{v['id']}: {v['nodes'][0]['html'][:150]}" for v in found.response["violations"]]


def keeps_nobody_out(page, part: str | dict = "body"):
    """Axe finds nothing, and no color that is hard to see when the page has turned dark."""
    found = serious(page, part)
    page.evaluate(TURN)
    found += serious(page, part, **COLORS)
    assert not found, found
