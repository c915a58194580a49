"""Put a figure into a notebook so that people, screen readers and tests can all read it.

A picture alone can't be compared across machines, and says nothing to somebody who doesn't see it.
So next to the picture goes a text: what the figure shows, and the numbers it was drawn from.
"""

import base64
import copy
import csv
import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.values import steady_round

VEGALITE = "application/vnd.vegalite.v5+json"  # what JupyterLab draws without a network
VEGALITE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
VEGALITE_VERSION = "5.21"  # the newest of vl-convert's that draws the same as JupyterLab's own
PIXELS_PER_INCH = 96  # how large a browser draws an inch
SHARPNESS = 2  # dots for each of those pixels, so that a projector shows clean letters


def show(figure: Any, alt: str = "", *, name: str = "") -> None:
    """Display a figure in a notebook.

        plots.show("positions-paper")             # a figure of the series, by its name
        plots.show(drawn, name="attention-trees") # the same figure, drawn from your own data
        plots.show(drawn, alt="Two curves cross at 3.")  # a figure of your own

    figure: a name, a matplotlib figure (or axes) or an Altair chart. alt: one or two sentences that
    say what the figure *shows*, for who can't see it; a figure of the series brings its own.
    The output holds the picture and, as text, the alt text with a rounded summary of the data.
    Raises ValueError without an alt text or for an unknown name, TypeError for anything else.
    """
    from IPython.display import display

    from transformer_lib.plots.figures import find

    if isinstance(figure, str):
        name, figure = figure, find(figure).draw()
    if name:
        alt = find(name).alt
    if not alt.strip():
        raise ValueError('show needs an alt text: show(figure, alt="what the figure shows")')
    if isinstance(figure, Axes | Figure):
        bundle, metadata = _figure_bundle(figure.figure, alt)
    elif is_chart(figure):
        bundle, metadata = chart_bundle(figure.properties(description=alt).to_dict())
    else:
        raise TypeError("show takes a matplotlib figure or axes, or an Altair chart, "
                        f"but this is a {type(figure).__name__}")  # fmt: skip
    if name:
        metadata["figure"] = name  # so that a test can find the registered figure again
    display(bundle, metadata=metadata, raw=True)


def enable_altair() -> None:
    """Draw every Altair chart of this session the same way, also one that stands last in a cell.

    Altair's own renderers load from the internet or don't fit JupyterLab's Vega-Lite.
    """
    import altair

    altair.renderers.register("transformer_lib", chart_bundle)
    altair.renderers.enable("transformer_lib")


def is_chart(thing: Any) -> bool:
    """Is it an Altair chart? (Asked without importing Altair, which takes a second.)"""
    return hasattr(thing, "to_dict") and hasattr(thing, "properties")


# --- matplotlib ----------------------------------------------------------------------------------


def _figure_bundle(figure: Figure, alt: str) -> tuple[dict[str, Any], dict[str, Any]]:
    from matplotlib import pyplot

    text = f"Figure: {alt}\n{summary(figure)}"
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=SHARPNESS * PIXELS_PER_INCH, bbox_inches="tight",
                   facecolor=style.PAPER, metadata={"Software": None})  # fmt: skip
    pyplot.close(figure)  # otherwise the notebook would draw it a second time
    return _with_picture({"text/plain": text}, buffer.getvalue(), alt)


def _with_picture(
    bundle: dict[str, Any], png: bytes, alt: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Add a picture of at most 256 colors, a third of the bytes, and the size to draw it at."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    small = picture.quantize(256, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    bundle["image/png"] = base64.b64encode(buffer.getvalue()).decode()
    width, height = (size // SHARPNESS for size in picture.size)
    return bundle, {"image/png": {"alt": alt, "width": width, "height": height}}


def summary(figure: Figure) -> str:
    """The data drawn in a matplotlib figure, in words and numbers of two decimals.

    Titles, labels and words come as they are. Of a heat map: size, range, mean, and the largest
    value of each row (of a large one, samples). Of curves, bars and points: count, ends, range,
    mean. So a change of the data by 0.02 is seen and one by a rounding error isn't.
    """
    lines = []
    for axes in figure.axes:
        if axes.get_label() == "<colorbar>":
            continue
        names = [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        lines.append(" | ".join(["panel", *(name for name in names if name)]))
        lines += ["  " + line for line in _panel_summary(axes)]
    return "\n".join(lines)


def _panel_summary(axes: Axes) -> list[str]:
    lines = []
    for image in axes.images:
        lines += _image_summary(np.ma.getdata(image.get_array()), _words(axes.yaxis),
                                _words(axes.xaxis))  # fmt: skip
    for line in axes.lines:
        name = line.get_label()
        lines.append(f"line{'' if name.startswith('_') else ' ' + name}: "
                     f"{_series_summary(line.get_ydata())}")  # fmt: skip
    for container in axes.containers:
        if hasattr(container, "datavalues"):
            name = container.get_label()
            lines.append(f"bars{'' if name.startswith('_') else ' ' + name}: "
                         f"{_series_summary(container.datavalues)}")  # fmt: skip
    for collection in axes.collections:
        points = np.asarray(collection.get_offsets())
        if len(points) > 1:
            lines.append(f"points: x {_series_summary(points[:, 0])}; "
                         f"y {_series_summary(points[:, 1])}")  # fmt: skip
    texts = [" ".join(text.get_text().split()) for text in axes.texts]
    texts = [text for text in texts if text and not _is_number(text)]
    if texts:
        lines.append("text: " + " | ".join(texts))
    return lines


def _image_summary(values: np.ndarray, rows: list[str], columns: list[str]) -> list[str]:
    values = values.astype(float)
    number = _rounder(values)
    height, width = values.shape[:2]
    lines = [f"heat map {height} x {width}, {number(np.nanmin(values))} to "
             f"{number(np.nanmax(values))}, mean {number(np.nanmean(values))}"]  # fmt: skip
    if max(height, width) <= 16:
        rows = rows if len(rows) == height else [str(row) for row in range(height)]
        columns = columns if len(columns) == width else [str(column) for column in range(width)]
        for name, row in zip(rows, values, strict=True):
            # Of values that differ less than can be seen, the first: no last bit decides.
            best = int(np.argmax(row >= np.nanmax(row) - 1e-3))
            lines.append(f"{name}: largest at {columns[best]}, {number(row[best])}")
    else:
        across = np.linspace(0, width - 1, 6).astype(int)
        for row in np.linspace(0, height - 1, min(height, 4)).astype(int):
            cells = " ".join(f"{steady_round(value, 1):.1f}" for value in values[row, across])
            lines.append(f"row {row}, columns {' '.join(map(str, across))}: {cells}")
    return lines


def _series_summary(values: Any) -> str:
    values = np.asarray(values, float)
    known = values[np.isfinite(values)]
    if not known.size:
        return "empty"
    number = _rounder(known)
    return (f"{values.size} values from {number(known[0])} to {number(known[-1])}, "
            f"lowest {number(known.min())}, highest {number(known.max())}, "
            f"mean {number(known.mean())}")  # fmt: skip


def _rounder(values: np.ndarray) -> Callable[[float], str]:
    """Two decimals; more where all values are tiny (learning rates), so that they aren't all 0."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    decimals = 2 if largest >= 0.1 or largest == 0.0 else 2 - int(np.floor(np.log10(largest)))
    return lambda value: f"{steady_round(value, decimals):.{decimals}f}"


def _words(axis: Any) -> list[str]:
    """The labels of an axis where they are words somebody set, not numbers matplotlib chose."""
    labels = axis.get_major_formatter().format_ticks(axis.get_majorticklocs())
    return [] if all(_is_number(label) for label in labels) else labels


def _is_number(text: str) -> bool:
    try:
        float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return False
    return True


# --- Altair --------------------------------------------------------------------------------------


def chart_bundle(spec: dict[str, Any], **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chart's specification -> what a notebook stores: chart, picture and text, and their notes.

    JupyterLab draws the chart, everything else the picture. Raises ValueError when the outermost
    level of the chart has no description: it is the alt text.
    """
    alt = spec.get("description", "")
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError("the chart needs a description that says what it shows: "
                         'chart.properties(description="…")')  # fmt: skip
    spec = portable(spec)
    png = convert(spec, "png")
    return _with_picture({VEGALITE: spec, "text/plain": f"Chart: {alt}"}, png, alt)


def portable(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification with our look, its data inside, and the version JupyterLab knows.

    Each table becomes one string of comma-separated values: one line in the notebook's file
    instead of thousands. Numbers are rounded to three decimals.
    """
    spec = copy.deepcopy(spec)
    spec["$schema"] = VEGALITE_SCHEMA
    config = spec.get("config", {})
    spec["config"] = {**style.TOUCH, **config}
    for part in style.TOUCH.keys() & config.keys():
        if isinstance(config[part], dict):
            spec["config"][part] = {**style.TOUCH[part], **config[part]}
    _inline_data(spec, spec.pop("datasets", {}))
    return spec


def _inline_data(node: Any, datasets: dict[str, list[dict[str, Any]]]) -> None:
    if isinstance(node, list):
        for child in node:
            _inline_data(child, datasets)
    elif isinstance(node, dict):
        data = node.get("data")
        if isinstance(data, dict):
            table = datasets.get(data.get("name"), data.get("values"))
            if isinstance(table, list) and table and all(map(_is_plain_row, table)):
                node["data"] = _as_csv(table)
        for key, child in node.items():
            if key != "data":
                _inline_data(child, datasets)


def _is_plain_row(row: Any) -> bool:
    return isinstance(row, dict) and not any(isinstance(v, dict | list) for v in row.values())


def _as_csv(table: list[dict[str, Any]]) -> dict[str, Any]:
    columns = list(dict.fromkeys(name for row in table for name in row))
    kinds = {name: _kind([row.get(name) for row in table]) for name in columns}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in table:
        writer.writerow([_cell(row.get(name)) for name in columns])
    return {"values": text.getvalue(), "format": {"type": "csv", "parse": kinds}}


def _kind(values: list[Any]) -> str:
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    numbers = (int, float, np.integer, np.floating, type(None))
    return "number" if all(isinstance(value, numbers) for value in values) else "string"


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()  # JavaScript's true and false
    return steady_round(value, 3) if isinstance(value, float | np.floating) else value


def convert(spec: dict[str, Any], format: str) -> bytes:
    """Draw a portable specification, on white. format: png, svg or pdf."""
    if format == "svg":
        return _vl_convert().vegalite_to_svg(spec, vl_version=VEGALITE_VERSION).encode()
    if format == "pdf":
        return _to_pdf(spec)
    return _vl_convert().vegalite_to_png(spec, vl_version=VEGALITE_VERSION, scale=SHARPNESS)


def _vl_convert() -> Any:
    """The program that draws charts, with the letters matplotlib brings: alike on every machine."""
    import vl_convert

    vl_convert.register_font_directory(matplotlib.get_data_path() + "/fonts/ttf")
    return vl_convert


def _to_pdf(spec: dict[str, Any]) -> bytes:
    """The same bytes each time, which takes some care: vl-convert shuffles what it puts in a PDF.

    Fonts: with a single one there is nothing to shuffle, so all text gets the same weight. Lists of
    resources: sorted. No entry grows or leaves its list, so all addresses in the file stay right.
    """
    config = spec["config"]
    kinds = ("fontWeight", "labelFontWeight", "titleFontWeight")
    for part in ("title", "axis", "header", "legend"):
        config = {**config, part: {**config.get(part, {}), **dict.fromkeys(kinds, "normal")}}
    spec = _without_bold({**spec, "config": config})
    pdf = _vl_convert().vegalite_to_pdf(spec, vl_version=VEGALITE_VERSION)
    entries = re.compile(rb"(/(?:ExtGState|Font|XObject|Pattern) <<\n)((?:\s+/\S+ \d+ 0 R\n)+)")
    return entries.sub(lambda m: m[1] + b"".join(sorted(m[2].splitlines(keepends=True))), pdf)


def _without_bold(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: "normal" if key.lower().endswith("fontweight") else _without_bold(value)
                for key, value in node.items()}  # fmt: skip
    return [_without_bold(child) for child in node] if isinstance(node, list) else node
