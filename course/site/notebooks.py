"""A notebook as the parts of a page: words, code, outputs; what is folded and what is asked."""

import base64
import csv
import dataclasses
import html
import io
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import vl_convert
from markupsafe import Markup
from nbformat import NotebookNode

from course.drawing.notebook_output import VEGALITE, VEGALITE_VERSION
from course.lab import attention_page
from course.lab.notebook import FILE, FILE_OF_SUBWORDS
from course.notebook_tools import sections
from course.site.markdown import code_html

ONLY_SHOWS = re.compile(r'show\("[\w-]+"\)')
GUESS = re.compile(r"^my_guess = \.\.\.", re.MULTILINE)
PREDICT = re.compile(r"<p>((?:(?!</p>).)*<strong>Predict\.</strong>.*?</p>)", re.DOTALL)
# In a notebook the laboratory is a frame: which page, and what is shown first.
FRAME = re.compile(r'<iframe src="(\w+\.html)" name="([^"]*)" title="The laboratory"')
LABORATORIES = {FILE: "lab/index.html", FILE_OF_SUBWORDS: "lab/everyday.html"}
FIRST_HEADING = re.compile(r"\A\s*<h(\d)[^>]*>.*?</h\1>\s*", re.DOTALL)


@dataclasses.dataclass
class Picture:
    """A picture with what it shows, in a line (alt) and in full (words).

    A chart, or an attention view, has its data: as JSON, for inside a script element. A figure that
    moves has its loop.
    """

    file: str
    png: bytes
    alt: str
    words: str
    width: int
    height: int
    figure: str | None
    chart: Markup | None
    view: Markup | None
    loop: Markup | None = None  # an SVG that moves, in place of the picture


@dataclasses.dataclass
class Laboratory:
    """A way to a laboratory of the site. text: the sentence that is shown first, or nothing."""

    address: str
    text: str


@dataclasses.dataclass
class Part:
    """What one cell becomes.

    closes: a deeper section ends before it. summary: the heading of the deeper section it opens.
    answer: its outputs answer a prediction, and told says it in words. asks: a guess can be typed.
    question: a prediction.
    """

    words: Markup = Markup()
    code: Markup = Markup()
    outputs: list[Picture | Laboratory | str] = dataclasses.field(default_factory=list)
    closes: bool = False
    summary: Markup = Markup()
    answer: bool = False
    told: Markup = Markup()
    asks: bool = False
    question: Markup = Markup()

    @property
    def pictures(self) -> list[Picture]:
        return [output for output in self.outputs if isinstance(output, Picture)]


def parts(
    notebook: NotebookNode, name: str, markdown: Callable[[str], Markup]
) -> tuple[list[Part], bool]:
    """The parts of a notebook in their order, and whether a deeper section is open at its end."""
    found: list[Part] = []
    folded = 0  # the level of the deeper heading that we are under; 0: of none
    pictures = 0
    for cell in notebook.cells:
        if sections.is_answer(cell):
            found[-1].told += markdown(sections.opened(cell.source))
            continue
        part = Part()
        for level, _ in sections.headings(cell):
            if level <= folded:
                part.closes, folded = True, 0
            if not folded and "deeper" in cell.metadata.get("tags", []):
                folded, part.summary = level, Markup("?")
        if cell.cell_type == "markdown":
            text = str(markdown(cell.source))
            part.words = Markup(PREDICT.sub(r'<p class="predict">\1', text))
            asked = PREDICT.search(text)
            part.question = Markup(asked[0]) if asked else Markup()
            if part.summary:  # the heading is what is seen while it is folded
                heading = FIRST_HEADING.match(part.words)
                part.summary, part.words = Markup(heading[0]), part.words[heading.end() :]
        else:
            part.answer = bool(cell.metadata.get("jupyter", {}).get("outputs_hidden"))
            part.asks = part.answer and bool(GUESS.search(cell.source))
            if not ONLY_SHOWS.fullmatch(cell.source.strip()):  # the picture says it all
                part.code = code_html(cell.source)
            for output in cell.outputs:
                data = output.get("data", {})
                frame = FRAME.search(data.get("text/html", ""))
                if "image/png" in data:
                    pictures += 1
                    part.outputs.append(picture(output, f"{name}-{pictures}.png"))
                elif not frame:
                    part.outputs.append(output.get("text") or data["text/plain"])
                if frame:
                    part.outputs.append(laboratory(*frame.groups()))
        found.append(part)
    return found, folded > 0


def picture(output: NotebookNode, file: str) -> Picture:
    note = output.metadata["image/png"]
    words = output.data["text/plain"].partition("\n")[2].strip()
    spec, drawn = output.data.get(VEGALITE), output.data.get(attention_page.MIME)
    return Picture(
        file=file,
        png=base64.b64decode(output.data["image/png"]),
        alt=note["alt"],
        words=words.removeprefix(note["alt"]).strip(),
        width=note["width"],
        height=note["height"],
        figure=output.metadata.get("figure"),
        chart=in_script(compiled(spec)) if spec else None,
        view=in_script(attention_page.unpacked(drawn)) if drawn else None,
    )


def compiled(spec: dict[str, Any]) -> dict[str, Any]:
    """A chart of Vega-Lite as Vega draws it, whichever version of Vega-Lite it was made for."""
    chart = vl_convert.vegalite_to_vega(with_rows(spec), vl_version=VEGALITE_VERSION)
    del chart["$schema"]
    return chart


def with_rows(spec: Any) -> Any:
    """A chart's specification with its tables as rows; a notebook stores them as CSV.

    Vega reads CSV by making code out of its header, which the pages' policy forbids.
    """
    if isinstance(spec, list):
        return [with_rows(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    form = spec.get("format")  # of a table; axes have one too, which is text
    if isinstance(form, dict) and form.get("type") == "csv":
        kinds = form["parse"]
        table = csv.DictReader(io.StringIO(spec["values"]))
        return {"values": [{name: read(row[name], kinds[name]) for name in row} for row in table]}
    return {name: with_rows(part) for name, part in spec.items()}


def read(text: str, kind: str) -> str | float | bool | None:
    """A cell of a table, as Vega reads it."""
    if not text:
        return None
    return {"number": float, "boolean": "true".__eq__, "string": str}[kind](text)


def laboratory(file: str, state: str) -> Laboratory:
    link = html.unescape(state)
    text = parse_qs(link)["text"][0] if link else ""
    return Laboratory(LABORATORIES[file] + (f"#{link}" if link else ""), text)


def in_script(data: dict) -> Markup:
    """Inside a script element nothing may look like its end."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))
