"""Pages that list every figure of the series: one to read, one with the pictures."""

from collections.abc import Sequence
from html import escape
from itertools import groupby
from operator import attrgetter

from course.drawing.registry import FigureEntry

NOTEBOOK = attrgetter("notebook")
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Figures of the series</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font-family: sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem }}
nav ul {{ columns: 20rem; padding-left: 1.2rem }}
section {{ margin-top: 3rem }}
.figures {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr));
  gap: 2rem }}
figure {{ margin: 0 }}
figure img {{ width: 100%; height: 12rem; object-fit: contain; background: white;
  border: 1px solid #d9d9d9 }}
figcaption p {{ margin: 0.4rem 0 }}
</style>
<h1>Figures of the series</h1>
<nav aria-label="Contents"><ul>
{contents}
</ul></nav>
{sections}
</html>
"""


def gallery_markdown(entries: Sequence[FigureEntry]) -> str:
    """A page of text: for each notebook its figures, by name, with caption and alt text."""
    lines = [
        "# Figures of the series",
        "",
        "Each can be drawn again, for slides or print, without opening a notebook:",
        "`python -m course figures --only NAME --out DIR --format svg` (or png, pdf; or",
        "several of them). In an SVG, letters are drawn as shapes, so that it looks the same",
        "everywhere; with `--text` they stay text, to be edited in a drawing program.",
        "With `--all` in place of `--only NAME` all are drawn, and beside them comes a page",
        "with the pictures, `index.html`.",
    ]
    for notebook, figures in groupby(sorted(entries, key=NOTEBOOK), key=NOTEBOOK):
        lines += ["", f"## {notebook}"]
        for entry in figures:
            lines += [
                "",
                f"**`{entry.name}`** {entry.caption}  ",
                f"*What it shows:* {entry.alt}  ",
            ]
            lines += [f"*Drawn in* `{entry.draw.__module__.replace('.', '/')}.py`"]
    return "\n".join(lines) + "\n"


def gallery_html(entries: Sequence[FigureEntry], formats: Sequence[str]) -> str:
    """A page for the folder that holds the pictures `name.format`, in one or more formats.

    Contents first, then for each notebook its figures: a thumbnail, the name, links to the files,
    caption and alt text.
    """
    contents, sections = [], []
    for notebook, group in groupby(sorted(entries, key=NOTEBOOK), key=NOTEBOOK):
        figures = list(group)
        title = escape(notebook.replace("_", " "))
        contents.append(f'<li><a href="#{notebook}">{title}</a> ({len(figures)})</li>')
        pictures = "\n".join(_figure(entry, formats) for entry in figures)
        sections.append(
            f'<section id="{notebook}"><h2>{title}</h2><div class="figures">\n'
            f"{pictures}\n</div></section>"
        )
    return PAGE.format(contents="\n".join(contents), sections="\n".join(sections))


def _figure(entry: FigureEntry, formats: Sequence[str]) -> str:
    files = " ".join(f'<a href="{entry.name}.{format}">{format}</a>' for format in formats)
    shown = [format for format in ("png", "svg") if format in formats]  # no browser draws a pdf
    picture = ""
    if shown:
        file = f"{entry.name}.{shown[0]}"
        image = f'<img src="{file}" alt="{escape(entry.alt)}" loading="lazy">'
        picture = f'<a href="{file}">{image}</a>'
    return (
        f'<figure id="{entry.name}">{picture}<figcaption>'
        f"<p><code>{entry.name}</code> {files}</p>"
        f"<p>{escape(entry.caption)}</p><p><small>{escape(entry.alt)}</small></p>"
        f"</figcaption></figure>"
    )
