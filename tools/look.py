"""Pictures of each kind of page of the site, whole, to be looked at before a release.

    python -m course site && python tools/look.py

Writes site/looks/index.html: every kind of page at the width of a desk and of a phone, light and
dark, and as it is printed. No test sees what is ugly.
"""

import sys
from html import escape
from pathlib import Path

from playwright.sync_api import sync_playwright

from course.site.book import find_browser

SITE = Path(__file__).resolve().parents[1] / "site"
KINDS = (
    *("index.html", "05_multi_head_attention.html", "glossary.html", "figures.html"),
    *("install.html", "teaching.html", "reference.html", "reference.model.attention.html"),
    *("slides.html", "slides/04_attention.html", "about.html"),
    *("lab/index.html", "lab/everyday.html"),
)
WIDTHS = (1400, 390)
HIGHEST = 65_000  # pixels of a JPEG; the list of figures is longer on a phone
ALL_PICTURES = """() => Promise.all([...document.images].map((image) => {
  image.loading = "eager";
  return image.decode().catch(() => {});
}))"""


def main() -> int:
    if not (SITE / "index.html").exists():
        print("there is no site yet: make it with `python -m course site`", file=sys.stderr)
        return 1
    looks = SITE / "looks"
    looks.mkdir(exist_ok=True)
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser())
        for kind in KINDS:
            cells = []
            for width in WIDTHS:
                for theme in ("light", "dark"):
                    page = browser.new_page(
                        viewport={"width": width, "height": 900},
                        color_scheme=theme,
                        reduced_motion="reduce",
                    )
                    page.goto((SITE / kind).as_uri(), wait_until="networkidle")
                    name = kind.replace("/", "-").removesuffix(".html")
                    picture = f"{name}-{width}-{theme}.jpeg"
                    page.evaluate(ALL_PICTURES)  # those below as well, which wait to be near
                    page.wait_for_load_state("networkidle")
                    high = page.evaluate("document.documentElement.scrollHeight")
                    page.screenshot(
                        path=looks / picture,
                        full_page=True,
                        clip={"x": 0, "y": 0, "width": width, "height": min(high, HIGHEST)},
                        type="jpeg",
                        quality=60,
                    )
                    cells.append(f'<a href="{picture}"><img src="{picture}" loading="lazy"></a>')
                    if (width, theme) == (WIDTHS[0], "light"):
                        page.pdf(path=looks / f"{name}.pdf")
                    page.close()
            rows.append(
                f'<h2>{escape(kind)}</h2><p><a href="{name}.pdf">as printed</a></p>{"".join(cells)}'
            )
        browser.close()
    style = "img { height: 40rem; max-width: 22%; object-fit: cover; object-position: top }"
    text = f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{"".join(rows)}'
    (looks / "index.html").write_text(text, encoding="utf-8")
    print(looks / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
