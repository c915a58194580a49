"""Every figure of the series by name: `FIGURES[name].draw()` makes it from what is shipped.

A figure is a function without arguments that returns a matplotlib figure or an Altair chart.
Its decorator says what it is called, which notebook it belongs to, what it is about (caption) and
what can be seen in it (alt text). The model is imported only where it is drawn.
"""

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

from transformer_lib.plots import style
from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.positions import positions_heatmap
from transformer_lib.plots.series import series_map
from transformer_lib.plots.showing import convert, is_chart, portable
from transformer_lib.plots.training import learning_curve

FORMATS = ("svg", "png", "pdf")
DOTS_PER_INCH = 200


@dataclass(frozen=True)
class FigureEntry:
    """One figure of the series. notebook: the file's name without its ending."""

    name: str
    notebook: str
    caption: str
    alt: str
    draw: Callable[[], Any]


FIGURES: dict[str, FigureEntry] = {}


def figure(name: str, *, notebook: str, caption: str, alt: str) -> Callable:
    """Register the function below as a figure of the series, under a name that never changes."""

    def register(draw: Callable[[], Any]) -> Callable[[], Any]:
        if name in FIGURES:
            raise ValueError(f"there are two figures with the name {name!r}")
        FIGURES[name] = FigureEntry(name, notebook, caption, alt, draw)
        return draw

    return register


def save(name: str, folder: str | Path, format: str = "svg") -> Path:
    """Draw a figure into folder/name.format -> the file's path. The same bytes every time.

    format: svg, png or pdf. The folder is made where it is missing.
    Raises ValueError for an unknown name or format, OSError where nothing can be written.
    """
    if name not in FIGURES:
        near = difflib.get_close_matches(name, FIGURES, n=1)
        raise ValueError(f"there is no figure {name!r}" + (f"; did you mean {near[0]!r}?" if near
                         else f"; the figures are {', '.join(FIGURES)}"))  # fmt: skip
    if format not in FORMATS:
        raise ValueError(f"figures are saved as {', '.join(FORMATS)}, not as {format!r}")
    folder = Path(folder)
    path = folder / f"{name}.{format}"
    entry = FIGURES[name]
    drawn = entry.draw()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if is_chart(drawn):
            spec = portable(drawn.properties(description=entry.alt).to_dict())
            path.write_bytes(convert(spec, format, scale=2.0))
        else:
            with mpl.rc_context(style.PRINT):
                drawn.savefig(path, format=format, dpi=DOTS_PER_INCH, bbox_inches="tight",
                              metadata=_metadata(entry, format))  # fmt: skip
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def _metadata(entry: FigureEntry, format: str) -> dict[str, Any]:
    """Title and alt text travel inside the file; the date and the program's version don't."""
    return {
        "svg": {"Title": entry.caption, "Description": entry.alt, "Date": None, "Creator": None},
        "png": {"Title": entry.caption, "Description": entry.alt, "Software": None},
        "pdf": {"Title": entry.caption, "Subject": entry.alt, "CreationDate": None,
                "Creator": None, "Producer": None},
    }[format]  # fmt: skip


# --- the figures, in the order of the notebooks --------------------------------------------------


@figure(
    "series-map",
    notebook="00_start_here",
    caption="The way of a sentence through the Transformer, and through this series.",
    alt="Twelve boxes joined by arrows lead from 'I like trees' to 'Me gustan los árboles': "
    "one-hot, embeddings, positions, attention, heads, masks; then layers, encoder, decoder, "
    "training, decoding, translation.",
)
def draw_series_map() -> Any:
    return series_map()


@figure(
    "attention-trees",
    notebook="00_start_here",
    caption="Where the decoder looks in 'I like trees' while it writes 'Me gustan los árboles'.",
    alt="",
)
def draw_attention_trees() -> Any:
    from transformer_lib.translator import Translator

    source, target, weights = Translator.load().attention("I like trees")
    last_layer = [name for name in weights if name.endswith("cross_attn")][-1]
    mean = weights[last_layer].mean(dim=-3)
    ax = attention_heatmap(mean.reshape(len(target), len(source)), target, source)
    return ax.figure


@figure(
    "positions-paper",
    notebook="03_positional_encoding",
    caption="The paper's position vectors: 20 positions, 512 dimensions.",
    alt="Heat map with one row per position. On the left blue and amber alternate from row to row, "
    "fast; to the right ever more slowly. Beyond dimension 300 the rows look alike: thin grey and "
    "pale stripes, the sines still near 0 and the cosines near 1.",
)
def draw_positions_paper() -> Any:
    from transformer_lib.embedding import positional_encoding

    return positions_heatmap(positional_encoding(20, 512)).figure


@figure(
    "learning-curve",
    notebook="00_start_here",
    caption="The loss of the shipped translator while it was trained.",
    alt="",
)
def draw_learning_curve() -> Any:
    from transformer_lib.translator import SHIPPED_MODEL

    record = json.loads((Path(SHIPPED_MODEL) / "training.json").read_text(encoding="utf-8"))
    return learning_curve(record["history"]).figure
