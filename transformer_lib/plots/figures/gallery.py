"""Pages that list every figure of the series: one to read, one with the pictures."""

from collections.abc import Sequence
from html import escape
from itertools import groupby

from transformer_lib.plots.figures.registry import FigureEntry

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Figures of the series</title>
<style>
body {{ font-family: sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }}
figure {{ margin: 0 0 3rem }}
img {{ max-width: 100%; border: 1px solid #d9d9d9 }}
</style>
<h1>Figures of the series</h1>
{figures}
</html>
"""


def gallery_markdown(entries: Sequence[FigureEntry]) -> str:
    """A page of text: for each notebook its figures, by name, with caption and alt text."""
    lines = [
        "# Figures of the series",
        "",
        "Each can be drawn again, for slides or print, without opening a notebook:",
        "`python -m transformer_lib figures --only NAME --out DIR --format svg` (or png, pdf).",
        "With `--all` in place of `--only NAME` all are drawn, and beside them comes a page",
        "with the pictures, `index.html`.",
    ]
    for notebook, figures in groupby(sorted(entries, key=_notebook), key=_notebook):
        lines += ["", f"## {notebook}"]
        for entry in figures:
            lines += ["", f"**`{entry.name}`** {entry.caption}  ", f"*What it shows:* {entry.alt}"]
    return "\n".join(lines) + "\n"


def gallery_html(entries: Sequence[FigureEntry], format: str) -> str:
    """A page for the folder that holds the pictures `name.format`."""
    figures = "\n".join(
        f'<figure id="{entry.name}">{_picture(entry, format)}'
        f"<figcaption><p><code>{entry.name}</code> {escape(entry.caption)}</p>"
        f"<p><small>{escape(entry.notebook)}. {escape(entry.alt)}</small></p></figcaption></figure>"
        for entry in entries
    )
    return PAGE.format(figures=figures)


def _picture(entry: FigureEntry, format: str) -> str:
    file = f"{entry.name}.{format}"
    if format == "pdf":  # no browser shows it as a picture
        return f'<a href="{file}">{file}</a>'
    return f'<img src="{file}" alt="{escape(entry.alt)}">'


def _notebook(entry: FigureEntry) -> str:
    return entry.notebook
