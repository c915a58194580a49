"""One look for every figure of the series, on paper (matplotlib) and on screen (Altair).

Three rules chose the colors, and `tests/course/drawing/test_style.py` measures each of them:
any two categories differ clearly for readers with and without a color vision deficiency;
no two have the same lightness, so that a grey printout still tells them apart; and all of them
show on a white page as well as on JupyterLab's dark theme.
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
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
# One color for one thing.
ENCODER = "#2774A7"
DECODER = "#912E5A"
TINTS = {ENCODER: "#EDF4F9", DECODER: "#F8EEF3"}  # the ground on which their parts stand
NEGATIVE = "#2774A7"
POSITIVE = "#E89F2A"
HIGHLIGHT = "#E89F2A"  # the one to look at: chosen, newest, largest
RIGHT = "#2774A7"
WRONG = "#CD5A1F"
# The words of the running sentence, each with its translation. "los" goes with "trees".
WORDS = {
    "I": "#5D52BA",
    "like": "#CF8AAF",
    "trees": "#11A559",
    "<eos>": "#717171",
    "me": "#5D52BA",
    "gustan": "#CF8AAF",
    "los": "#A8D08D",
    "árboles": "#11A559",
    "<bos>": "#717171",
}
INK = "#1A1A1A"  # text and outlines on paper
MUTED = "#6B6B6B"  # what should stay in the background, and readable
PAPER = "#FFFFFF"
# Where a picture has to do with few colors, these are among them.
EXACT = tuple(dict.fromkeys([INK, MUTED, PAPER, *CATEGORIES, *WORDS.values()]))
# Weights from 0 to 1: the more attention, the more ink.
WEIGHT_COLORS = ("#FFFFFF", "#C9DDF0", "#7FB2D6", "#2774A7", "#0B2A57")
# Signed values: white is zero, blue below, orange above, and strong is dark at both ends: what is
# nothing vanishes. Blue gets darker than brown, so that a grey copy still tells the ends apart.
SIGNED_COLORS = ("#0B2A57", "#2774A7", "#FFFFFF", "#E89F2A", "#7A3A00")
WEIGHTS = LinearSegmentedColormap.from_list("weights", WEIGHT_COLORS)
SIGNED = LinearSegmentedColormap.from_list("signed", SIGNED_COLORS)
FONT_SIZE = 12  # points; a figure 8 inches wide fills a notebook's column and keeps this size
WIDTH = 8.0  # inches
PAGE = "page"  # the label of a figure that fills its page to the edge: nothing is cut off
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
    "pdf.fonttype": 42,  # TrueType: text that can be searched, copied and edited
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
# On a dark theme, JupyterLab draws charts with a paper and ink of its own, which don't go with our
# colors. So paper and ink are named; the dark theme then turns the whole chart round, as it does
# pictures (tools/jupyterlab/custom.css).
ON_PAPER: dict[str, Any] = {
    "background": PAPER,
    "title": {"color": INK, "subtitleColor": INK},
    "style": {"guide-label": {"fill": INK}, "guide-title": {"fill": INK}},
    "axis": {"domainColor": "#888888", "gridColor": "#DDDDDD", "tickColor": "#888888"},
}


def find_own_fonts() -> None:
    """Make sure that matplotlib takes the fonts which come with it.

    Its list of fonts is written once for each user and then believed. Where that went wrong, text
    looks nearly right and formulas don't: their letters are quietly taken from another font.
    """
    own, fonts = Path(mpl.get_data_path()), font_manager.fontManager
    known = {font.fname for font in fonts.ttflist}
    for file in sorted(own.joinpath("fonts", "ttf").glob("*.ttf")):
        if str(file) not in known:
            fonts.addfont(file)
    fonts.ttflist.sort(key=lambda font: own not in Path(font.fname).parents)  # of equals, the first


find_own_fonts()


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
