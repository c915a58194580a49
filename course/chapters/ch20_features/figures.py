"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course.drawing import style
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, percent, titled, width_of, word

CORNERS = {  # (feminine, several) -> the nouns of a column
    (True, False): "feminine singular",
    (True, True): "feminine plural",
    (False, False): "masculine singular",
    (False, True): "masculine plural",
}
SAID = {  # outcomes -> how the key says it, and a color
    ("flipped",): ("only the gender flips", style.ACCENT),
    ("another adjective", "another word"): ("another word is written", style.SOFT),
    ("unchanged",): ("nothing changes", style.RULE),
}


def _four_corners(nouns: Sequence[Sequence[Any]], most: int = 14) -> Figure:
    """Draw the nouns by gender and number, marked where a feature fires -> the figure.

    nouns: [form, feminine, several, how often it stands in the sentences, on how many of them the
    feature fires]. Marked: it fires on at least half. most: words in a column, the commonest.
    """
    figure, ax = canvas(style.WIDTH, 4.1)
    note = "Gender is that of the Spanish noun; marked: it fires on at least half of its places"
    heading(ax, "The feature called “feminine” is silent on feminine plurals", note)
    label(ax, (0.02, 3.1), "This feature fires on", size=style.LABEL)
    for column, (kind, said) in enumerate(CORNERS.items()):
        corner = sorted((noun for noun in nouns if tuple(noun[1:3]) == kind), key=lambda n: -n[3])
        lit, x = sum(2 * noun[4] >= noun[3] for noun in corner), 0.02 + 2.0 * column
        look = {"weight": "bold", "color": style.ACCENT if 2 * lit > len(corner) else style.INK}
        label(ax, (x, 2.8), f"{lit} of {len(corner)}", size=style.TITLE, **look)
        label(ax, (x, 2.52), f"{said} nouns", size=style.LABEL)
        share = 1.8 * lit / max(len(corner), 1)
        for wide, color in ((1.8, style.RULE), (share, style.ACCENT)):
            ax.add_patch(Rectangle((x, 2.31), wide, 0.07, color=color, linewidth=0))
        for number, noun in enumerate(sorted(corner[:most])):
            at = x + 0.05 + 1.07 * (number % 2), 2.07 - 0.305 * (number // 2)
            color = style.ACCENT if 2 * noun[4] >= noun[3] else style.MUTED
            word(ax, at, noun[0], size=style.NOTE, ha="left", color=color)
    return figure


def _score_rows(rows: Mapping[str, Any], scopes: Mapping[str, str], loud: str) -> Figure:
    """Draw how far the best feature is ahead of the best neuron, a row for each property.

    rows: scope -> property -> who finds it -> average precision of each run. scopes: the two that
    a line joins -> which words are compared. loud: a property. Ahead: by the means of the runs.
    """
    figure, ax = style.panel(5.3)
    title = "Features beat neurons among all words, seldom among words of one kind"
    titled(figure, title, "Average precision of the best feature, minus that of the best neuron")
    kinds = [rows[scope] for scope in scopes]
    ahead = {
        name: [np.mean(a[name]["best feature"]) - np.mean(a[name]["best neuron"]) for a in kinds]
        for name in kinds[0]
    }
    ahead = dict(sorted(ahead.items(), key=lambda row: -row[1][1]))
    look = {"textcoords": "offset points", "va": "center_baseline"}
    for y, (name, ends) in enumerate(ahead.items()):
        ax.axhline(y, color=style.RULE, linewidth=0.5, zorder=0)
        ax.plot(ends, [y, y], color=style.SOFT, linewidth=2, zorder=1)
        for end, color in zip(ends, (style.MUTED, style.ACCENT), strict=True):
            ax.plot(end, y, "o", color=color, markersize=9, clip_on=False)
            right = end == max(ends)
            side = {"xytext": (9 if right else -9, 0), "ha": "left" if right else "right"}
            said = f"{end:+.2f}" if name == loud else ""
            ax.annotate(said, (end, y), color=color, weight="bold", **side, **look)
    first = next(iter(ahead.values()))
    colors = style.MUTED, style.ACCENT
    for place, (among, color) in enumerate(zip(scopes.values(), colors, strict=True)):
        count = sum(ends[place] > 0 for ends in ahead.values())
        said = f"{among}:\nahead in {count} of {len(ahead)}"
        label(ax, (first[place], -0.95), said, color=color, ha="center")
    ax.axvline(0, 0, 0.88, color=style.INK, linewidth=1.2, zorder=0.5)
    names = [name.replace(", one", " singular").replace(", several", " plural") for name in ahead]
    ax.set_yticks(range(len(ahead)), names)
    ax.get_yticklabels()[list(ahead).index(loud)].set_weight("bold")
    ax.set(xlim=(-0.2, 0.8), ylim=(len(ahead) - 0.4, -1.5), xticks=[0, 0.2, 0.4, 0.6])
    ax.set(xticklabels=["0", "+0.2", "+0.4", "+0.6"], xlabel="← neuron ahead     feature ahead →")
    ax.xaxis.set_label_coords(0.2, -0.1)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return figure


def _outcome_cells(ways: Mapping[str, Mapping[str, float]], example: str = "") -> Figure:
    """Draw what became of 100 sentences, a field of cells for each way -> the figure.

    example: an adjective that flips.
    """
    figure, ax = canvas(style.WIDTH, 3.85)
    swap, *_, two, _ = (f"{100 * parts['flipped']:.0f} %" for parts in ways.values())
    title = f"Swapping two attention weights flips {swap} of the genders, two features {two}"
    heading(ax, title, "What becomes of 100 adjectives, a cell for each")
    x, cell = 0.04, 0.166
    for said, color in SAID.values():
        area(ax, (x, 2.96), 0.14, 0.14, color)
        said += example * (color == style.ACCENT)
        label(ax, (x + 0.22, 3.03), said)
        x += 0.62 + width_of(said, style.NOTE)
    for left, (way, parts) in zip((0.04, 2.12, 4.2, 6.28), ways.items(), strict=True):
        share = parts["flipped"]
        said = percent(share) if share >= 0.01 else "under 1 %"
        look = {"weight": "bold", "color": style.ACCENT}
        label(ax, (left, 2.62), said, size=18, **look)
        ends = np.cumsum([sum(parts[name] for name in names) for names in SAID])
        for place in range(100):
            color = list(SAID.values())[int(np.searchsorted(ends, (place + 0.5) / 100))][1]
            at = left + cell * (place % 10), 2.2 - cell * (place // 10)
            area(ax, at, cell - 0.02, cell - 0.02, color)
        label(ax, (left, 0.4), way, linespacing=1.15)
    return figure


# --- the figures of the notebook -----------------------------------------------------------------


@figure(
    "features-corners",
    hero=True,
    caption="The feature that a story calls “feminine” fires on feminine nouns, if there is one of "
    "them.",
    alt="Nouns in four columns, marked where the feature fires, with a bar for the share: on 90 "
    "of 95 feminine singular nouns, such as bed, letter and queen; on none of 77 feminine plural "
    "nouns, such as letters; on 1 of 111 masculine singular nouns, and on none of 87 masculine "
    "plural nouns.",
)
def draw_corners() -> Figure:
    from course.chapters.ch20_features.results import chosen, runs

    (portrait,) = chosen(runs(), "portrait", "top-k")
    return _four_corners([noun for noun in portrait["nouns"] if noun[3] >= 3])


@figure(
    "features-scores",
    caption="Among nouns a single neuron tells gender better than the best feature; among all "
    "words the feature does.",
    alt="Twelve rows, a property each, with two dots: by how much the average precision of the "
    "best feature is above that of the best neuron. Among words of one kind most lie below 0, as "
    "do feminine nouns, at \N{MINUS SIGN}0.10; four are above it. Among all words ten are above 0: "
    "feminine nouns at 0.36, feminine plural ones at 0.71.",
)
def draw_scores() -> Figure:
    from course.chapters.ch20_features.results import runs, scores

    scopes = {"of its kind": "among words of one kind", "all words": "among all words"}
    return _score_rows(scores(runs()), scopes, "noun: feminine")


@figure(
    "features-steering",
    caption="Two features turn the gender of 55 adjectives in 100; two weights of one head, 99.",
    alt="Four fields of 100 cells. Two attention weights swapped: only the gender flips, as from "
    "cansado to cansada, in 99 %. The difference of means: 89 %, the rest another word. Two "
    "features: 55 %, another word in 12, nothing changes in 33. Two features at random, whose "
    "change is as large: under 1 %, another word in 26, nothing changes in 73.",
)
def draw_steering() -> Figure:
    from course.chapters.ch20_features.results import WAYS, runs, steering
    from transformer_lib.text import english_spanish

    found, (item, *_) = steering(runs()), english_spanish.load_pronoun()
    flips = f", {item.right} → {item.wrong}"
    return _outcome_cells({said: found[way] for way, said in WAYS.items()}, flips)
