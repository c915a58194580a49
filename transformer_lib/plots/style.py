"""One look for every figure of the series, on paper (matplotlib) and on screen (Altair).

Three rules chose the colors, and `tests/plots/test_style.py` measures each of them:
any two categories differ clearly for readers with and without a color vision deficiency;
no two have the same lightness, so that a grey printout still tells them apart; and all of them
show on a white page as well as on JupyterLab's dark theme.
"""

from typing import Any

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure

# Tokens, heads, curves: anything that is one of several. Neighbors in the list differ most.
CATEGORIES = (
    "#2774A7",  # blue
    "#E89F2A",  # amber
    "#912E5A",  # wine
    "#11A559",  # green
    "#CD5A1F",  # rust
    "#86CEEB",  # sky
    "#5D52BA",  # violet
    "#CF8AAF",  # pink
)
ENCODER = "#11A559"
DECODER = "#912E5A"
NEGATIVE = "#2774A7"
POSITIVE = "#E89F2A"
INK = "#1A1A1A"  # text and outlines on paper
MUTED = "#6B6B6B"  # what should stay in the background, and readable
PAPER = "#FFFFFF"

# Weights from 0 to 1: the more attention, the more ink.
WEIGHT_COLORS = ("#FFFFFF", "#C9DDF0", "#7FB2D6", "#2774A7", "#0B2A57")
# Signed values: blue below zero, grey at zero, amber above. The lightness rises all the way;
# with a white middle, +1 and -1 would be the same grey on paper.
SIGNED_COLORS = ("#0B2A57", "#1F6396", "#8E8E8E", "#E3AC45", "#FFF3C4")
WEIGHTS = LinearSegmentedColormap.from_list("weights", WEIGHT_COLORS)
SIGNED = LinearSegmentedColormap.from_list("signed", SIGNED_COLORS)

FONT_SIZE = 12  # points; a figure 8 inches wide fills a notebook's column and keeps this size
WIDTH = 8.0  # inches

PRINT: dict[str, Any] = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same letters on every machine
    "font.size": FONT_SIZE,
    "axes.titlesize": FONT_SIZE + 1,
    "axes.titleweight": "bold",
    "axes.titlepad": 8,
    "axes.labelsize": FONT_SIZE,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": mpl.cycler(color=CATEGORIES),
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "lines.linewidth": 2.0,
    "legend.frameon": False,
    "grid.color": "#D9D9D9",
    "svg.hashsalt": "transformer_lib",  # otherwise the ids inside an SVG change with every run
}

# No text color and no background here: JupyterLab's theme sets both, light or dark.
TOUCH: dict[str, Any] = {
    "font": "DejaVu Sans, Verdana, sans-serif",
    "axis": {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal"},
    "header": {"labelFontSize": 13, "titleFontSize": 13, "labelFontWeight": "bold"},
    "legend": {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal"},
    "title": {"fontSize": 15},
    "range": {
        "category": list(CATEGORIES),
        "heatmap": list(WEIGHT_COLORS),
        "diverging": list(SIGNED_COLORS),
    },
    "view": {"stroke": None},
}


def use() -> None:
    """Give this look to every matplotlib figure made from now on (a notebook's set-up cell)."""
    mpl.rcParams.update(PRINT)


def new_figure(width: float = WIDTH, height: float = 3.5) -> Figure:
    """An empty matplotlib figure, sizes in inches, that no window and no notebook shows by itself.

    It is made without pyplot, so it is drawn once, where `show` is called, and nowhere else.
    """
    return Figure(figsize=(width, height), layout="constrained")


def ink_on(color: Any) -> str:
    """Black or white, whichever is easier to read on `color`."""
    red, green, blue = (channel**2.2 for channel in to_rgb(color))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return INK if luminance > 0.2 else PAPER
