"""The colors: different for every eye, different in grey, visible on both themes."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course.drawing import style

# How the three kinds of cones that may be missing change linear RGB: Machado, Oliveira and
# Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
# the tables for full severity.
EYES = {
    "all three cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
RGB_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(color) -> np.ndarray:
    """Amounts of light, from the numbers in a file."""
    channels = np.array(to_rgb(color))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(color, eye=EYES["all three cones"]) -> np.ndarray:
    """CIELAB: 100 steps of lightness, and a distance of about 2 is just visible side by side."""
    light = RGB_TO_XYZ @ np.clip(eye @ linear(color), 0, 1) / RGB_TO_XYZ.sum(axis=1)
    x, y, z = np.where(light > 216 / 24389, np.cbrt(light), (24389 / 27 * light + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other) -> float:
    """The contrast of the accessibility guidelines (WCAG), from 1 to 21."""
    low, high = sorted(float(RGB_TO_XYZ[1] @ linear(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


PAIRS = [
    *combinations(style.CATEGORIES, 2),
    (style.ENCODER, style.DECODER),
    (style.RIGHT, style.WRONG),
    *combinations(dict.fromkeys(style.WORDS.values()), 2),
]


def test_every_eye_tells_the_colors_apart():
    background = [(style.ACCENT, color) for color in (style.SOFT, style.MUTED)]
    for name, eye in EYES.items():
        for one, other in PAIRS + background:
            distance = np.linalg.norm(lab(one, eye) - lab(other, eye))
            assert distance >= 18, f"{one} and {other} look alike with {name}: {distance:.1f}"


def test_a_grey_printout_tells_them_apart():
    for one, other in PAIRS:
        assert abs(lab(one)[0] - lab(other)[0]) >= 5, f"{one} and {other} are the same grey"


def test_every_color_shows_on_paper_and_on_the_dark_theme():
    for color in (
        *style.CATEGORIES,
        style.ENCODER,
        style.DECODER,
        style.MUTED,
        *style.WORDS.values(),
    ):
        assert contrast(color, "white") >= 1.6, f"{color} is too pale for paper"
        assert contrast(color, "#111111") >= 2, f"{color} is too dark for the dark theme"
    assert contrast(style.INK, style.PAPER) >= 7
    assert contrast(style.MUTED, style.PAPER) >= 4.5


def test_the_stronger_the_darker_for_every_eye():
    for steps in (
        style.WEIGHTS(np.linspace(0, 1, 51)),
        style.SIGNED(np.linspace(0.5, 0, 26)),  # below zero
        style.SIGNED(np.linspace(0.5, 1, 26)),  # above zero
    ):
        for eye in EYES.values():
            lightness = np.diff([lab(color[:3], eye)[0] for color in steps])
            assert lightness.max() < -0.3, (
                "two neighboring values are the same grey, or it gets lighter"
            )


def test_plus_and_minus_are_never_alike():
    for eye in EYES.values():
        for size in np.linspace(0.1, 0.5, 9):
            below, above = (lab(style.SIGNED(0.5 + s)[:3], eye) for s in (-size, size))
            assert np.linalg.norm(below - above) >= 30
        assert abs(below[0] - above[0]) >= 8, "the ends are the same grey"


def test_numbers_in_the_cells_can_be_read():
    for colors in (style.WEIGHTS, style.SIGNED):
        for value in np.linspace(0, 1, 51):
            cell = colors(value)[:3]
            assert contrast(cell, style.ink_on(cell)) >= 4


# --- words, and both themes


def in_the_dark(color) -> np.ndarray:
    """What the filter of the pages does, by its definition (Filter Effects, W3C)."""
    weights = np.array([0.213, 0.715, 0.072])
    half_turn = 2 * weights[None] - np.eye(3)  # cos = -1, sin = 0: what is no grey, mirrored
    turned = 0.94 - 0.88 * np.array(to_rgb(color))
    return np.clip(1.2 * np.clip(turned @ half_turn.T, 0, 1), 0, 1)


def grounds() -> list[tuple[str, str]]:
    """Words and what they stand on: paper, a chip, a box of a layer."""
    chips = [style.chip(word) for word in [*style.WORDS, "another"]]
    colors = (*style.CATEGORIES, style.ENCODER, style.DECODER, style.ACCENT, style.INK)
    return [
        *((look["color"], look["bbox"]["facecolor"]) for look in chips),
        *((style.readable(color), style.tint(color)) for color in colors),
        *((style.readable(color, style.PAPER), style.PAPER) for color in colors),
        *((style.INK, tint) for tint in style.TINTS.values()),
        (style.MUTED, style.PAPER),
        (style.ENCODER, style.TINTS[style.ENCODER]),
        (style.DECODER, style.TINTS[style.DECODER]),
    ]


def test_words_can_be_read_in_both_themes():
    for words, ground in grounds():
        assert contrast(words, ground) >= 4.5
        assert contrast(in_the_dark(words), in_the_dark(ground)) >= 4.5


def test_the_dark_theme_is_what_pages_do_with_their_filter():
    root = Path(__file__).parents[3]
    for page in ("course/site/static/site.css", "tools/jupyterlab/custom.css"):
        assert f"{style.DARK_FILTER};" in root.joinpath(page).read_text("utf-8"), page
    assert in_the_dark("white") == pytest.approx([0.072] * 3)
    assert contrast(in_the_dark("white"), "#121212") < 1.02
    assert (in_the_dark(style.INK) > 0.95).all()


def test_letters_come_with_the_course():
    from matplotlib import font_manager

    for family, weights in ((style.SANS, ("normal", "bold")), (style.MONO, ("normal",))):
        for weight in weights:
            found = font_manager.findfont(
                font_manager.FontProperties(family=family, weight=weight), fallback_to_default=False
            )
            assert Path(found).parent == style.FONTS
    assert "SIL OPEN FONT LICENSE" in (style.FONTS / "OFL.txt").read_text("utf-8")
    assert sum(file.stat().st_size for file in style.FONTS.iterdir()) < 300_000


def test_no_figure_is_described_by_how_light_or_dark_it_is():
    """The dark theme turns that round."""
    from course.drawing.registry import FIGURES

    theirs = re.compile(r"\b(black|white|dark\w*|pale\w*|lighter|light (?:blue|green))\b", re.I)
    for name, entry in FIGURES.items():
        for text in (entry.caption, entry.alt):
            assert not theirs.search(text), (name, theirs.search(text)[0])
