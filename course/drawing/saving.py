"""Figures as files: for slides, for print, for the web."""

from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl

from course.drawing import style
from course.drawing.notebook_output import convert, is_chart, portable
from course.drawing.registry import find

FORMATS = ("svg", "png", "pdf")
DOTS_PER_INCH = 200


def save(name: str, folder: str | Path, format: str = "svg", *, text: bool = False) -> Path:
    """Draw a figure of the series into folder/name.format -> the file's path.

    format: svg, png or pdf. text: see `save_figure`. The folder is made where it is missing. On
    one machine the bytes are the same each time, but for a chart's PDF. Raises ValueError for an
    unknown name or format, OSError where nothing can be written.
    """
    entry = find(name)
    path = Path(folder) / f"{name}.{format}"
    _check_format(path)
    save_figure(entry.draw(), path, title=entry.caption, alt=entry.alt, text=text)
    return path


def save_figure(
    drawn: Any, path: str | Path, title: str = "", alt: str = "", *, text: bool = False
) -> None:
    """Write a matplotlib figure or an Altair chart to a .svg, .png or .pdf file.

    Title and alt text are stored in the file, except in an Altair chart's PNG and PDF. text: keep
    the letters of an SVG as text, which can be edited and searched but needs the font (Course Sans)
    wherever it is shown; otherwise they become shapes. In an Altair chart's SVG and in a PDF they
    are always text; a PDF contains the font. Raises ValueError for another kind of file, OSError
    where nothing can be written.
    """
    path = Path(path)
    format = _check_format(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_chart(drawn):
            spec = portable(drawn.properties(description=alt).to_dict())
            path.write_bytes(_with_words(convert(spec, format), format, title, alt))
        else:
            letters = {"svg.fonttype": "none" if text else "path"}
            with mpl.rc_context(style.PRINT | letters):
                style.finish(drawn)
                cut = None if drawn.get_label() == style.PAGE else "tight"
                drawn.savefig(
                    path,
                    format=format,
                    dpi=DOTS_PER_INCH,
                    bbox_inches=cut,
                    metadata=_metadata(format, title, alt),
                )
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error


def _check_format(path: Path) -> str:
    format = path.suffix.removeprefix(".").lower()
    if format not in FORMATS:
        raise ValueError(f"figures are saved as {', '.join(FORMATS)}, but not as {path.name}")
    return format


def _metadata(format: str, title: str, alt: str) -> dict[str, Any]:
    """What the file says about itself: never the date or the program, which would change."""
    return {
        "svg": {"Title": title, "Description": alt, "Date": None, "Creator": None},
        "png": {"Title": title, "Description": alt, "Software": None},
        "pdf": {
            "Title": title,
            "Subject": alt,
            "CreationDate": None,
            "Creator": None,
            "Producer": None,
        },
    }[format]


def _with_words(content: bytes, format: str, title: str, alt: str) -> bytes:
    """Title and description of an SVG that Vega drew, which leaves them out."""
    if format != "svg":
        return content
    words = f"<title>{escape(title)}</title><desc>{escape(alt)}</desc>".encode()
    head, rest = content.split(b">", 1)
    return head + b">" + words + rest
