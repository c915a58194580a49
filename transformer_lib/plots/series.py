"""The map of the series: the path of a sentence, and which part of it a notebook is about."""

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon

from transformer_lib.plots import style

# In the order data flows, one for each of the notebooks 01 to 12. The small lines say what the
# stage does, in the reader's words.
STAGES = {
    "one-hot": "from word\nto number",
    "embeddings": "from number\nto vector",
    "positions": "where the\nword stands",
    "attention": "words look at\neach other",
    "heads": "several looks\nat once",
    "masks": "what must not\nbe seen",
    "encoder": "reads the\nsentence",
    "decoder": "writes the\ntranslation",
    "transformer": "all parts\ntogether",
    "training": "learns from\npairs",
    "decoding": "chooses word\nafter word",
    "translation": "text in,\ntext out",
}
PER_ROW = 6
BOX_WIDTH, BOX_HEIGHT = 1.3, 0.84
STEP_X, STEP_Y = 1.5, 1.5  # from one box to the next, in the units of the drawing: inches
OUTLINES = {"encoder": style.ENCODER, "decoder": style.DECODER}


@mpl.rc_context(style.PRINT)
def series_map(here: str | None = None) -> Figure:
    """Draw the twelve stages of the series, one of them marked "you are here" -> the figure.

    here: one of `STAGES`, or None for the whole way. Raises ValueError for an unknown stage.
    """
    if here is not None and here not in STAGES:
        raise ValueError(f"there is no stage {here!r}; the stages are {', '.join(STAGES)}")
    width, height = (PER_ROW + 1) * STEP_X, 2.8
    figure = style.new_figure(width, height)
    ax = figure.subplots()
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.axis("off")

    for number, name in enumerate(STAGES):
        x, y = _center(number)
        _box(ax, x, y, name, name == here)
        if number % PER_ROW:
            _arrow(ax, (x - STEP_X + BOX_WIDTH / 2, y), (x - BOX_WIDTH / 2, y))
    first, last = _center(0), _center(len(STAGES) - 1)
    _sentence(ax, first[0] - STEP_X, first[1], "I like\ntrees")
    _arrow(ax, (first[0] - STEP_X + 0.36, first[1]), (first[0] - BOX_WIDTH / 2, first[1]))
    _sentence(ax, last[0] + STEP_X, last[1], "Me gustan\nlos árboles")
    _arrow(ax, (last[0] + BOX_WIDTH / 2, last[1]), (last[0] + STEP_X - 0.5, last[1]))
    _turn(ax, _center(PER_ROW - 1), _center(PER_ROW))
    return figure


def _center(number: int) -> tuple[float, float]:
    """The first row leaves a place on its left for the English, the second on its right."""
    row, column = divmod(number, PER_ROW)
    return (column + 1.5 - row) * STEP_X, 2.0 - row * STEP_Y


def _box(ax: Axes, x: float, y: float, name: str, here: bool) -> None:
    ax.add_patch(FancyBboxPatch(
        (x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2), BOX_WIDTH, BOX_HEIGHT,
        boxstyle="round,pad=0,rounding_size=0.1", linewidth=2.5 if name in OUTLINES else 1.4,
        facecolor=style.INK if here else style.PAPER,
        edgecolor=style.INK if here else OUTLINES.get(name, style.MUTED),
    ))  # fmt: skip
    ink = style.PAPER if here else style.INK
    ax.text(x, y + 0.21, name, ha="center", va="center", color=ink, fontsize=11.5, weight="bold")
    ax.text(x, y - 0.13, STAGES[name], ha="center", va="center", color=ink, fontsize=9.5)
    if here:
        ax.text(x, y + BOX_HEIGHT / 2 + 0.06, "\N{BLACK DOWN-POINTING TRIANGLE} you are here",
                ha="center", va="bottom", fontsize=style.FONT_SIZE, weight="bold")  # fmt: skip


def _sentence(ax: Axes, x: float, y: float, words: str) -> None:
    ax.text(x, y, words, ha="center", va="center", style="italic", fontsize=13)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate("", xy=end, xytext=start, arrowprops={
        "arrowstyle": "-|>", "color": style.MUTED, "linewidth": 1.6, "shrinkA": 2, "shrinkB": 1,
        "mutation_scale": 12})  # fmt: skip


def _turn(ax: Axes, last: tuple[float, float], first: tuple[float, float]) -> None:
    """From the end of the first row down, back and into the second row."""
    middle = (last[1] + first[1]) / 2 + 0.06
    corners = [
        (last[0], last[1] - BOX_HEIGHT / 2), (last[0], middle),
        (first[0], middle), (first[0], first[1] + BOX_HEIGHT / 2 + 0.1),
    ]  # fmt: skip
    ax.add_patch(Polygon(corners, closed=False, fill=False, edgecolor=style.MUTED, linewidth=1.6))
    _arrow(ax, corners[-1], (first[0], first[1] + BOX_HEIGHT / 2))
