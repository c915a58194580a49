"""The whole series as one page, and that page as a PDF: printed by a browser, for paper."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from markupsafe import Markup

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
USUAL_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
LINK = re.compile(r'href="([\w-]+)\.html(?:#([^"]*))?"')
MINUTES = 5


def find_browser() -> str | None:
    """The program file of Chromium, Chrome or Edge, if one is installed."""
    return next(filter(None, map(shutil.which, (*NAMES, *USUAL_PLACES))), None)


def chapter(html: str, name: str, names: set[str]) -> Markup:
    """The body of a page as a part of the book: its anchors get its name, links stay inside."""
    html = re.sub(r'\bid="([^"]*)"', rf'id="{name}.\1"', html)
    html = re.sub(r'href="#([^"]*)"', rf'href="#{name}.\1"', html)

    def inside(link: re.Match[str]) -> str:
        page, anchor = link.groups()
        if page not in names:
            return ""  # a file beside the book, which stays behind when the book is sent
        return f'href="#{page}{"." + anchor if anchor else ""}"'

    html = LINK.sub(inside, html)
    return Markup(html.replace("<details", "<details open").replace(' loading="lazy"', ""))


def print_pdf(page: Path, pdf: Path) -> None:
    """Print a page for paper, with an outline. ValueError: there is no browser, or it fails."""
    how = ["--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={pdf}"]
    in_browser(page.as_uri(), pdf, how)


def take_picture(address: str, picture: Path, size: tuple[int, int]) -> None:
    """A page as it looks in a window of this size, as a PNG. ValueError as `print_pdf`."""
    how = [
        f"--window-size={size[0]},{size[1]}",
        "--hide-scrollbars",
        "--force-color-profile=srgb",
        "--force-prefers-reduced-motion",
        "--virtual-time-budget=20000",
        f"--screenshot={picture}",
    ]
    in_browser(address, picture, how)


def in_browser(address: str, file: Path, how: list[str]) -> None:
    """Have a browser without a window write a file."""
    browser = find_browser()
    if not browser:
        raise ValueError("Printing needs Chromium, Chrome or Edge: install one of them.")
    file.unlink(missing_ok=True)
    command = [
        browser,
        "--headless",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        *how,
        address,
    ]
    if sys.platform == "linux":
        command.insert(1, "--no-sandbox")  # the page is our own; in containers there is no sandbox
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{browser} did not print {address} within {MINUTES} minutes.") from None
    if not file.exists():
        raise ValueError(f"{browser} did not print {address}: {run.stderr.strip()[-500:]}")
