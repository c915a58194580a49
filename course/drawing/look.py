"""The design of all figures on one page, drawn by the kit itself."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, box, bracket, path, threads
from course.drawing.cells import mask, matrix, scale, strip
from course.drawing.registry import figure
from course.drawing.words import canvas, label, sentence, word, word_color

PIXEL = style.WIDTH / 700  # inches in a figure as wide as a page
TYPE = (
    ("Title 18: the finding", style.TITLE, {"weight": "bold"}),
    ("Label 13: axes, names, numbers", style.LABEL, {}),
    ("Note 12: where it comes from", style.NOTE, {"color": style.MUTED}),
    (r"Formula: $\mathrm{softmax}(QK^T / \sqrt{d_k})\,V$", style.LABEL, {}),
    ("Code: model.encode(src)", style.NOTE, {"family": style.MONO}),
)
INKS = {
    "ink": style.INK,
    "notes": style.MUTED,
    "encoder": style.ENCODER,
    "decoder": style.DECODER,
    "what the title names": style.ACCENT,
}
SENTENCE = ("I", "like", "trees", "<eos>", "me", "gustan", "los", "árboles")


def _contrasts(color: str, ground: str = style.PAPER) -> tuple[float, float]:
    """The contrast of text with its background: on paper, and in the dark theme."""
    dark = [style.in_the_dark(mpl.colors.to_rgb(each)) for each in (color, ground)]
    return style.contrast(color, ground), style.contrast(*dark)


@figure(
    "look",
    notebook="99_look",
    caption="The design of all figures: type, the jobs of colors, words, and the parts of the kit.",
    alt="A page in four parts. Type in three sizes, a formula and code. Colors, each with its job "
    "and its contrast in both themes, all at least 4.5. Words on their chips. The parts: arrows, "
    "a box, a strip, a matrix, a head, a mask, a bracket, and a grid of 8 pixels.",
)
def draw_look() -> Figure:
    figure, ax = canvas(
        8.3, "One look: grey, and one accent", "Sizes in pixels, in a figure 700 pixels wide"
    )

    def section(y: float, name: str) -> None:
        path(ax, [(0.02, y + 0.2), (7.98, y + 0.2)], style.RULE, head=False, thick=0.75)
        label(ax, (0.02, y), name, size=style.LABEL, weight="bold")

    section(7.25, "Type")
    for row, (text, size, how) in enumerate(TYPE):
        label(ax, (1.5, 7.25 - 0.28 * row), text, size=size, **how)
    section(5.58, "Color")
    for x, name in ((5.1, "contrast:"), (6.4, "on paper"), (7.1, "dark")):
        label(ax, (x, 5.58), name, color=style.MUTED, ha="right")
    for row, (name, color) in enumerate(INKS.items()):
        y = 5.33 - 0.25 * row
        box(ax, (1.68, y), 0.36, 0.17, color=color, fill=color)
        label(ax, (2.0, y), name, size=style.LABEL, color=color)
        for x, ratio in zip((6.4, 7.1), _contrasts(color), strict=True):
            label(ax, (x, y), f"{ratio:.1f}", ha="right")
    ramp = np.linspace(0, 1, 65)
    strip(ax, (1.5, 3.92), 1.6, 0.15, ramp, limit=1, cmap=style.WEIGHTS, low=0)
    label(ax, (3.3, 4.0), "attention, from 0 to 1", size=style.LABEL)
    scale(ax, (5.2, 3.92), 1.2, limit=3, height=0.15)
    label(ax, (6.7, 4.0), "signed numbers", size=style.LABEL)
    section(3.55, "Words")
    sentence(ax, (1.55, 3.5), SENTENCE, style.WORDS, gap=0.24)
    sentence(ax, (1.55, 3.1), ["a", "word", "that", "has", "no", "color"], {}, gap=0.24)
    section(2.6, "Parts")
    arrow(ax, (1.5, 2.55), (2.2, 2.55))
    path(ax, [(1.5, 2.25), (1.9, 2.25), (1.9, 2.05), (2.2, 2.05)])
    attention_arrow(ax, (2.5, 2.05), (3.4, 2.05), 1.0, "trees", rise=0.4)
    attention_arrow(ax, (3.6, 2.05), (4.5, 2.05), 0.25, "trees", rise=0.4)
    for x, text in ((2.95, "100 %"), (4.05, "25 %")):
        label(ax, (x, 2.6), text, ha="center")
    box(ax, (5.4, 2.4), 1.3, 0.4, "feed-forward", style.ENCODER, fill=style.TINTS[style.ENCODER])
    box(ax, (6.85, 2.4), 1.3, 0.4, "what is loud", style.ACCENT, fill=style.ACCENT)
    numbers = np.sin(np.arange(48) ** 1.5)
    strip(ax, (1.5, 1.45), 3.0, 0.2, numbers, limit=1)
    label(ax, (1.5, 1.8), "strip: a vector")
    matrix(ax, (4.75, 1.15), 0.75, 0.5, numbers[:24].reshape(4, 6), limit=1)
    label(ax, (4.75, 1.8), "matrix")
    seen = np.tri(4)
    mask(ax, (5.85, 1.15), 0.75, 0.5, seen)
    label(ax, (5.85, 1.8), "mask")
    xs, weights = [6.95 + 0.3 * i for i in range(4)], seen / seen.sum(1, keepdims=True)
    for x, text, looks in zip(xs, SENTENCE, weights.T, strict=False):
        ends = [(other, 1.15) for other in xs]
        threads(ax, ends, [(x, 1.65)], looks, word_color(text), upright=True)
    label(ax, (6.9, 1.8), "head")
    bracket(ax, (1.6, 0.55), (1.6, 1.2), "0.37")
    label(ax, (2.15, 0.88), "bracket: the number that the title names")
    section(0.1, "Grid of 8")
    x = 1.5
    for pixels, name in ((8, "8"), (24, "24: margin"), (32, "32: between panels")):
        box(ax, (x + pixels * PIXEL / 2, 0.1), pixels * PIXEL, 0.16, fill=style.GROUND, round=0.01)
        label(ax, (x + pixels * PIXEL + 0.08, 0.1), name)
        x += pixels * PIXEL + 1.2
    word(ax, (7.4, 0.1), "trees")
    return figure
