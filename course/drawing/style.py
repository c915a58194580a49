"""One look for every figure of the series, on paper (matplotlib) and on screen (Altair).

Three rules chose the colors, and `tests/course/drawing/test_style.py` measures each of them: any
two categories differ clearly for readers with and without a color vision deficiency; no two have
the same lightness, so that a grey printout still tells them apart; and words have a contrast of 4.5
to 1 in both themes.

Figures are drawn once, on paper. In the dark, pages turn the lightness of each color and keep its
hue, with a filter (`DARK_FILTER`). So what is said of a figure names its shapes and hues, and never
that something is black, white, light or dark.
"""

import re
import textwrap
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import ScaledTranslation

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
ACCENT = "#C2410C"  # in a figure otherwise grey: what its title speaks of
SECOND = "#3F7F7A"  # beside the accent, where a title speaks of two things
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
SOFT = "#9AA1AB"  # marks in the background, without words
EDGE = "#BBBBBB"  # the thin frame around cells
FAINT = "#C3C8CF"  # one of many, beside the one that is loud
RULE = "#D9DDE2"  # thin lines that order a page
GROUND = "#F1F3F5"  # what lies under something: a band, a box, the chip of a word without a color
# Where a picture has to do with few colors, these are among them.
EXACT = tuple(
    dict.fromkeys([INK, MUTED, PAPER, SOFT, GROUND, ACCENT, *CATEGORIES, *WORDS.values()])
)
# Weights from 0 to 1: the more attention, the more ink.
WEIGHT_COLORS = ("#FFFFFF", "#CFE7E4", "#84BFB8", "#2A7B75", "#0B3532")
# Signed values: white is zero, blue below, orange above, and strong is dark at both ends: what is
# nothing vanishes. Blue gets darker than brown, so that a grey copy still tells the ends apart.
SIGNED_COLORS = ("#0B2A57", "#2774A7", "#FFFFFF", "#E89F2A", "#7A3A00")
# From nothing to much, where it is neither attention nor signed: how far something moves.
AMOUNT_COLORS = (PAPER, "#F3C4AE", ACCENT, "#5A1D04")
WEIGHTS = LinearSegmentedColormap.from_list("weights", WEIGHT_COLORS)
AMOUNTS = LinearSegmentedColormap.from_list("amounts", AMOUNT_COLORS)
SIGNED = LinearSegmentedColormap.from_list("signed", SIGNED_COLORS)
# Points in a figure 8 inches wide, which is seen 700 pixels wide: 18, 13 and 12 pixels.
TITLE, LABEL, NOTE = 15.0, 11.0, 10.0
FONT_SIZE = LABEL
FONTS = Path(__file__).parent / "fonts"  # with their license; cut by tools/cut_fonts.py
SANS, MONO = "Course Sans", "Course Mono"
WIDTH = 8.0  # inches
PAGE = "page"  # the label of a figure that fills its page to the edge: nothing is cut off
PRINT: dict[str, Any] = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "font.family": [SANS],  # comes with the course: the same letters on every machine
    "mathtext.fontset": "custom",
    "mathtext.fallback": "stixsans",  # for signs that the family lacks; comes with matplotlib
    "mathtext.rm": SANS,
    "mathtext.it": f"{SANS}:italic",
    "mathtext.bf": f"{SANS}:bold",
    "mathtext.cal": f"{SANS}:italic",
    "mathtext.tt": MONO,
    "font.size": FONT_SIZE,
    "figure.titlesize": TITLE,
    "figure.titleweight": "bold",
    "axes.titlesize": FONT_SIZE + 1,
    "axes.titleweight": "bold",
    "axes.titlepad": 8,
    "figure.constrained_layout.h_pad": 0.08,
    "figure.constrained_layout.w_pad": 0.06,
    "savefig.pad_inches": 0.15,
    "axes.labelsize": FONT_SIZE,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": mpl.cycler(color=CATEGORIES),
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.color": SOFT,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "lines.linewidth": 2.0,
    "legend.frameon": False,
    "grid.color": RULE,
    "pdf.fonttype": 42,  # TrueType: text that can be searched, copied and edited
    "svg.hashsalt": "transformer_lib",  # otherwise the ids inside an SVG change with every run
}
# Margins, title and note as in the printed figures; heads of panels have the size PART. No
# background and no other color of text here: JupyterLab's theme sets both, light or dark.
PART = 14  # pixels
NAMES = {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal"}
TOUCH: dict[str, Any] = {
    "font": f"{SANS}, Verdana, sans-serif",
    "padding": 24,
    "axis": {**NAMES, "grid": False},
    "header": {"labelFontSize": 13, "titleFontSize": 13, "labelFontWeight": "bold"},
    "legend": NAMES,
    "title": {
        "fontSize": 18,
        "fontWeight": 600,
        "anchor": "start",
        "offset": 20,
        "color": INK,
        "subtitleColor": MUTED,
        "subtitleFontSize": 13,
        "subtitlePadding": 8,
    },
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
    "title": {"color": INK, "subtitleColor": MUTED},
    "style": {"guide-label": {"fill": INK}, "guide-title": {"fill": INK}},
    "axis": {"domainColor": SOFT, "gridColor": RULE, "tickColor": SOFT},
}


def _find_own_fonts() -> None:
    """Make sure that matplotlib finds the course's fonts and, for formulas, those it came with.

    Matplotlib lists the fonts once for each user and then trusts that list. Where it is wrong, text
    looks nearly right and formulas don't: their letters are quietly taken from another font.
    """
    own, fonts = Path(mpl.get_data_path()), font_manager.fontManager
    known = {font.fname for font in fonts.ttflist}
    for file in sorted([*FONTS.glob("*.ttf"), *own.joinpath("fonts", "ttf").glob("*.ttf")]):
        if str(file) not in known:
            fonts.addfont(file)
    fonts.ttflist.sort(  # of equals, the first
        key=lambda font: not {own, FONTS} & set(Path(font.fname).parents)
    )


_find_own_fonts()


def new_figure(width: float = WIDTH, height: float = 3.5) -> Figure:
    """An empty matplotlib figure, sizes in inches, that no window and no notebook shows by itself.

    It is made without pyplot, so it is drawn once, where `show` is called, and nowhere else.
    """
    return Figure(figsize=(width, height), layout="constrained")


def panel(height: float) -> tuple[Figure, Axes]:
    """An empty figure of the usual width -> the figure, and its only axes. height: in inches."""
    figure = new_figure(height=height)
    return figure, figure.subplots()


def panels(count: int, height: float, **how: Any) -> tuple[Figure, np.ndarray]:
    """An empty figure of the usual width -> the figure, and its axes side by side (count,).

    height: in inches. how: options of matplotlib's `subplots`, such as sharey=True.
    """
    figure = new_figure(height=height)
    return figure, figure.subplots(1, count, squeeze=False, **how)[0]


def _luminance(color: Any) -> float:
    """The relative luminance of a color (WCAG 2), from 0 (black) to 1 (white)."""
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one: Any, other: Any) -> float:
    """The contrast of two colors, from 1 to 21 (WCAG 2); text needs 4.5 on its background."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def chip(text: str, color: str | None = None) -> dict[str, Any]:
    """How a word looks everywhere: on its chip, a pale rounded box, in letters of its color.

    These are options of matplotlib's text: ax.text(x, y, "trees", **chip("trees")). color: instead
    of the word's own.
    """
    color = color or WORDS.get(text, INK)
    if _luminance(color) > 0.9:  # it stands on something strong
        return {"color": color, "weight": "bold"}
    plain = color in (INK, MUTED)
    ground = GROUND if plain else tint(color)
    return {
        "color": readable(color, ground),
        "weight": "normal" if plain else "bold",
        "bbox": {
            "boxstyle": "round,pad=0.22,rounding_size=0.32",
            "facecolor": ground,
            "linewidth": 0,
        },
    }


def ink_on(color: Any) -> str:
    """Black or white, whichever is easier to read on `color`."""
    return max(INK, PAPER, key=lambda ink: contrast(ink, color))


def tint(color: Any) -> str:
    """The pale background that goes with a color, for a chip or a box."""
    return to_hex(1 - (1 - np.array(to_rgb(color))) * 0.16)


PALE = tint(ACCENT)  # what lies under, or beside, the accent


def readable(color: Any, ground: Any = None) -> str:
    """A color for text: this one, or a darker one if its contrast with the background needs it.

    ground: the background, by default the color's own tint, where contrast is lower than on paper.
    """
    ground, channels = tint(color) if ground is None else ground, np.array(to_rgb(color))
    if contrast(color, ground) >= 4.6:
        return color
    while contrast(channels, ground) < 4.6:
        channels = channels * 0.97
    return to_hex(channels)


# Keeps white paper (1) at the dark page (0.07); tests/course/drawing/test_style.py computes it.
DARK_FILTER = "invert(0.94) hue-rotate(180deg) brightness(1.2)"
SIZES = re.compile(r"(?<![\w$\\{])d_(k|v|model|ff)\b(?![^$]*\$)")
ROMAN = {"k": "$d_k$", "v": "$d_v$"} | {
    name: rf"$d_{{\mathrm{{{name}}}}}$" for name in ("model", "ff")
}
APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)|(?<=s)'(?=\s)")
MINUS = re.compile(r"(?<![\w.$\\{}^-])-(?=\.?\d)")


def finish(figure: Figure) -> None:
    """Apply the last rules of the look to a figure that is to be stored; again, it does nothing.

    The title goes to the left edge; the title of a single panel becomes the figure's. Colored text
    gets dark enough to read on paper. A hyphen before a digit becomes a minus sign. The label of a
    vertical axis is written above it, horizontally. Apostrophes are curly, as quotation marks are.
    """
    if getattr(figure, "finished", False):
        return
    figure.finished = True  # type: ignore[attr-defined]
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>" and ax.axison]
    title = getattr(figure, "_suptitle", None)
    if figure.get_layout_engine() and title is None and len(panels) == 1:
        title = figure.suptitle(panels[0].get_title())
        panels[0].set_title("")
    for old in (ax.title for ax in panels if ax.get_title()):
        look = {"size": old.get_fontsize(), "weight": old.get_weight(), "color": old.get_color()}
        old.axes.set_title(old.get_text(), loc="left", **look)
        old.set_text("")
    if title is not None:
        fits = int(10.3 * figure.get_figwidth())  # letters of this size
        lines = textwrap.wrap(" ".join(title.get_text().split()), fits)
        title.set(text="\n".join(lines), x=0.008, ha="left", weight="bold", size=TITLE)
    for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
        written = axis.get_major_formatter()
        if isinstance(written, FuncFormatter):  # words, or numbers with a unit
            written.func = lambda *at, plain=written.func: _set(str(plain(*at)))
        axis.get_ticklabels()  # writes them
    _upright(figure)
    for text in (text for text in figure.findobj(Text) if text.get_fontfamily() != [MONO]):
        text.set_fontfamily(SANS)
        text.set_text(_set(text.get_text()))
        said, color = text.get_text(), to_hex(text.get_color())
        if said in WORDS and color == WORDS[said].lower() and not text.get_bbox_patch():
            text.set(**chip(said))
        if _luminance(text.get_color()) < 0.9 and text.get_bbox_patch() is None:
            text.set_color(readable(text.get_color(), PAPER))


def _upright(figure: Figure) -> None:
    """No word is turned: what an axis measures stands above it, under the title of its panel."""
    whole = getattr(figure, "_supylabel", None)
    if whole is not None and whole.get_text():
        figure.axes[0].set_ylabel(whole.get_text())
        whole.set_text("")
    above: dict[Any, int] = {}  # a row of panels -> the lines that stand above them
    panels = [*figure.axes, *(child for ax in figure.axes for child in ax.child_axes)]
    for ax in (ax for ax in panels if ax.axison and ax.get_ylabel()):
        place, bar = ax.get_subplotspec(), ax.get_label() == "<colorbar>"
        columns = place.get_gridspec().ncols / len(place.colspan) if place else 1
        fits = 14 if bar else int(12 * figure.get_figwidth() / columns)  # letters of this size
        said = textwrap.fill(" ".join(ax.get_ylabel().split()), fits)
        right = bar or ax.yaxis.get_label_position() == "right"
        ax.set_ylabel(said, rotation=0, ha="right" if right else "left", va="bottom")
        lift = ScaledTranslation(0, 6 / 72, figure.dpi_scale_trans)
        ax.yaxis.set_label_coords(int(right), 1, ax.transAxes + lift)
        row = place.rowspan.start if place else ax
        above[row] = max(above.get(row, 0), said.count("\n") + 1)
    for ax in (ax for ax in figure.axes if ax.get_title(loc="left")):
        place = ax.get_subplotspec()
        lines = above.get(place.rowspan.start if place else ax, 0)
        if lines:
            ax.set_title(ax.get_title(loc="left"), loc="left", pad=8 + 1.3 * LABEL * lines)


def _set(text: str) -> str:
    """Minus signs for hyphens before digits, the paper's sizes as it prints them, and apostrophes.

    n't alone stays as it is: it is a token.
    """
    text = MINUS.sub("\N{MINUS SIGN}", text)
    text = APOSTROPHE.sub("’", text) if text != "n't" else text
    return SIZES.sub(lambda size: ROMAN[size[1]], text)
