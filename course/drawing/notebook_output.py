"""What a notebook stores of a figure: so that people, screen readers and tests can all read it.

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
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.values import steady_round

VEGALITE = "application/vnd.vegalite.v5+json"  # what JupyterLab draws without a network
VEGALITE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
VEGALITE_VERSION = "5.21"  # the newest of vl-convert's that draws the same as JupyterLab's own
PIXELS_PER_INCH = 96  # how large a browser draws an inch
SHARPNESS = 2  # dots for each of those pixels, so that a projector shows clean letters
WIDEST = 10.0  # inches; a larger page (the poster) is stored with fewer dots: it is for print


def is_chart(thing: Any) -> bool:
    """Is it an Altair chart? (Asked without importing Altair, which takes a second.)"""
    return hasattr(thing, "to_dict") and hasattr(thing, "properties")


# --- matplotlib ----------------------------------------------------------------------------------


def figure_bundle(figure: Figure, alt: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A matplotlib figure -> what a notebook stores: outputs (a PNG and a text) and metadata."""
    from matplotlib import pyplot

    text = f"Figure:\n{alt}\n{summary(figure)}"  # line 1 is what a folded output shows
    buffer = io.BytesIO()
    with matplotlib.rc_context(style.PRINT):
        style.finish(figure)
        page = figure.get_label() == style.PAGE
        smaller = min(1.0, WIDEST / figure.get_figwidth()) if page else 1.0
        figure.savefig(
            buffer,
            format="png",
            dpi=SHARPNESS * PIXELS_PER_INCH * smaller,
            bbox_inches=None if page else "tight",
            facecolor=style.PAPER,
            metadata={"Software": None},
            pil_kwargs={"compress_level": 1},
        )  # it is unpacked at once
    pyplot.close(figure)  # otherwise the notebook would draw it a second time
    return _with_picture({"text/plain": text}, buffer.getvalue(), alt)


def _with_picture(
    bundle: dict[str, Any], png: bytes, alt: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Add the picture in few bytes, and the size to draw it at.

    256 colors take half the bytes. Where that would be seen, as bands in a ramp of colors, all
    are kept: where more than 0.6 % of the pixels were off by more than 4 of 255.
    """
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    buffer = io.BytesIO()
    few = _with_few_colors(picture)
    off = np.abs(np.asarray(picture).astype(int) - np.asarray(few.convert("RGB"))).max(axis=-1)
    stored = picture if (off > 4).mean() > 0.006 else few
    stored.save(buffer, "PNG", compress_level=6)  # 9: 7 times as slow
    bundle["image/png"] = base64.b64encode(buffer.getvalue()).decode()
    width, height = (size // SHARPNESS for size in picture.size)
    return bundle, {"image/png": {"alt": alt, "width": width, "height": height}}


def _with_few_colors(picture: Any) -> Any:
    """The picture in 256 colors, each pixel in the nearest one; the colors of `style` stay exact.

    Without that a small violet word beside many blue cells would be turned into a blue one.
    """
    from PIL import Image

    kept = [[round(255 * channel) for channel in to_rgb(color)] for color in style.EXACT]
    others = picture.quantize(256 - len(kept), dither=Image.Dither.NONE).getpalette()
    palette = np.array([*kept, *np.reshape(others, (-1, 3)).tolist()])
    red, green, blue = np.asarray(picture).astype(np.int32).reshape(-1, 3).T
    colors = red << 16 | green << 8 | blue  # one number for each pixel
    nearest = np.zeros(1 << 24, np.uint8)  # color -> its place in the palette
    nearest[colors] = 1
    used = np.flatnonzero(nearest.view(bool))  # of truth values numpy skips the zeros quickly
    channels = np.stack([used >> 16, used >> 8 & 255, used & 255], axis=1)
    # |c - p|² without |c|², which is the same for every p
    distance = (palette**2).sum(axis=1) - 2.0 * channels @ palette.T.astype(float)
    nearest[used] = distance.argmin(axis=1)
    pixels = nearest[colors]
    small = Image.fromarray(pixels.reshape(picture.height, picture.width), "P")
    small.putpalette(palette.astype(np.uint8).tobytes())
    return small


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
        lines += _image_summary(
            np.ma.getdata(image.get_array()), _words(axes.yaxis), _words(axes.xaxis)
        )
    for line in axes.lines:
        name = line.get_label()
        lines.append(
            f"line{'' if name.startswith('_') else ' ' + name}: {_series_summary(line.get_ydata())}"
        )
    for container in axes.containers:
        if hasattr(container, "datavalues"):
            name = container.get_label()
            lines.append(
                f"bars{'' if name.startswith('_') else ' ' + name}: "
                f"{_series_summary(container.datavalues)}"
            )
    for collection in axes.collections:
        name = collection.get_label()
        if isinstance(collection, LineCollection) and not name.startswith("_"):
            widths = _series_summary(collection.get_linewidths())
            lines.append(f"widths of lines {name}: {widths}")
        points = np.asarray(collection.get_offsets())
        if len(points) > 1:
            lines.append(
                f"points: x {_series_summary(points[:, 0])}; y {_series_summary(points[:, 1])}"
            )
    texts = [" ".join(text.get_text().split()) for text in axes.texts]
    texts = [text for text in texts if text and not _is_number(text)]
    if texts:
        lines.append("text: " + " | ".join(texts))
    return lines


def _image_summary(values: np.ndarray, rows: list[str], columns: list[str]) -> list[str]:
    values = values.astype(float)
    number = _rounder(values)
    height, width = values.shape[:2]
    lines = [
        f"heat map {height} x {width}, {number(np.nanmin(values))} to "
        f"{number(np.nanmax(values))}, mean {number(np.nanmean(values))}"
    ]
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
    return (
        f"{values.size} values from {number(known[0])} to {number(known[-1])}, "
        f"lowest {number(known.min())}, highest {number(known.max())}, "
        f"mean {number(known.mean())}"
    )


def _rounder(values: np.ndarray) -> Callable[[float], str]:
    """Two decimals; more where all values are tiny (learning rates), so that they aren't all 0."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    decimals = 2 if largest >= 0.1 or largest == 0.0 else 2 - int(np.floor(np.log10(largest)))
    return lambda value: f"{steady_round(value, decimals):.{decimals}f}"


def _words(axis: Any) -> list[str]:
    """The labels of an axis where they are words somebody set, not numbers matplotlib chose."""
    labels = [str(x) for x in axis.get_major_formatter().format_ticks(axis.get_majorticklocs())]
    return [] if all(_is_number(label) for label in labels) else labels


def _is_number(text: str) -> bool:
    try:
        float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return False
    return True


# --- Altair --------------------------------------------------------------------------------------


def chart_bundle(spec: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chart's specification -> what a notebook stores: chart, PNG and text, and their metadata.

    JupyterLab draws the chart, everything else shows the PNG. Its description is the alt text.
    """
    alt, spec = spec["description"], portable(spec)
    png = convert(spec, "png")
    bundle, metadata = _with_picture({VEGALITE: spec, "text/plain": f"Chart:\n{alt}"}, png, alt)
    return bundle, {**metadata, VEGALITE: {"embed_options": {"config": style.ON_PAPER}}}


def portable(spec: dict[str, Any]) -> dict[str, Any]:
    """A chart's specification in the look of the series, for JupyterLab's version of Vega-Lite.

    Each table becomes one string of comma-separated values inside it: one line in the notebook's
    file instead of thousands. Numbers are rounded to three decimals.
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
    """Draw what `portable` returned, on white -> the bytes of a file. format: png, svg or pdf."""
    if format == "svg":
        return _numbered_anew(_vl_convert().vegalite_to_svg(spec, vl_version=VEGALITE_VERSION))
    if format == "pdf":
        return _vl_convert().vegalite_to_pdf(spec, vl_version=VEGALITE_VERSION)
    return _vl_convert().vegalite_to_png(spec, vl_version=VEGALITE_VERSION, scale=SHARPNESS)


def _numbered_anew(svg: str) -> bytes:
    """The same SVG whose clips and gradients count from 0, in the order in which they come.

    Vega counts them through all charts of a process: the bytes would tell what was drawn before.
    """
    names = dict.fromkeys(re.findall(r'\bid="((?:clip|gradient_)\d+)"', svg))
    new = {name: re.sub(r"\d+", str(number), name) for number, name in enumerate(names)}
    of_these = r'(?<=[#"])(?:clip|gradient_)\d+(?=[)"])'
    return re.sub(of_these, lambda found: new.get(found[0], found[0]), svg).encode()


def _vl_convert() -> Any:
    """The program that draws charts, with our letters: alike on every machine."""
    import vl_convert

    vl_convert.register_font_directory(str(style.FONTS))
    return vl_convert
