"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course.drawing import style
from course.drawing.plots import name_lines
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, titled, word

CORNERS = {  # (feminine, several) -> the nouns of a column
    (True, False): "feminine singular",
    (True, True): "feminine plural",
    (False, False): "masculine singular",
    (False, True): "masculine plural",
}
SAID = {  # outcome -> how the key says it
    "flipped": "only its gender flips",
    "unchanged": "nothing changes",
    "another adjective": "another adjective",
    "another word": "other words change",
}
SHADES = (style.ACCENT, style.RULE, style.SOFT, style.MUTED)


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


def _score_slopes(
    rows: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
    scopes: Mapping[str, str],
    loud: str,
    title: str,
) -> Figure:
    """Draw how far the best feature is ahead of the best neuron, a line for each property.

    rows: scope -> property -> who finds it -> average precision of each run. scopes: the two that
    a line joins -> which words are compared. loud: a property. Ahead: by the means of the runs.
    """
    figure, ax = style.panel(5.3)
    note = "average precision of the best feature, minus that of the best neuron"
    titled(figure, title, note)
    ahead = {
        name: [
            np.mean(rows[scope][name]["best feature"]) - np.mean(rows[scope][name]["best neuron"])
            for scope in scopes
        ]
        for name in rows[next(iter(scopes))]
    }
    for name, ends in ahead.items():
        color, wide = (style.ACCENT, 3.2) if name == loud else (style.SOFT, 1.5)
        said = name.replace(", one", " singular").replace(", several", " plural")
        said += f" +{ends[1]:.2f}" * (name == loud)
        look = {"color": color, "linewidth": wide, "label": said, "zorder": 2 + (name == loud)}
        ax.plot([0, 1], ends, "o-", markersize=2.4 * wide**0.9, clip_on=False, **look)
    look = {"ha": "right", "va": "center"}
    ax.text(-0.03, ahead[loud][0], f"{ahead[loud][0]:.2f}", color=style.ACCENT, **look)
    ax.axhline(0, color=style.INK, linewidth=1.2, zorder=1)
    ax.text(-0.03, 0.04, "feature ahead ↑", color=style.MUTED, **look)
    ax.text(-0.03, -0.04, "neuron ahead ↓", color=style.MUTED, **look)
    ax.set(xlim=(0, 1), ylim=(-0.17, 0.74), yticks=[])
    counts = [sum(end > 0 for end in ends) for ends in zip(*ahead.values(), strict=True)]
    said = zip(scopes.values(), counts, strict=True)
    below = [f"{among}:\nfeature ahead in {count} of {len(ahead)}" for among, count in said]
    ax.set_xticks([0, 1], below)
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    name_lines(ax, style.NOTE)
    return figure


def _outcome_bars(ways: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw what became of the sentences, a bar for each way, as shares of all -> the figure."""
    figure = style.new_figure(style.WIDTH, 1.75 + 0.56 * len(ways))
    first, *_, dictionary, _ = [*ways.values()] if len(ways) > 2 else [*ways.values()] * 4
    title = (
        f"Swapping two attention weights flips {100 * first['flipped']:.0f} % of the genders, "
        f"two features {100 * dictionary['flipped']:.0f} %"
    )
    titled(figure, title, "Left: what is changed so that an adjective gets the other gender")
    ax = figure.subplots()
    for y, parts in enumerate(ways.values()):
        left = 0.0
        for name, shade in zip(SAID, SHADES, strict=True):
            ax.barh(y, parts[name], left=left, height=0.58, color=shade)
            if parts[name] >= 0.1:
                said = f"{100 * parts[name]:.0f} %"
                look = {"color": style.ink_on(shade), "weight": "bold" if not left else "normal"}
                ax.text(left + parts[name] / 2, y, said, ha="center", va="center", **look)
            left += parts[name]
    for x, said, shade in zip((0, 0.27, 0.512, 0.76), SAID.values(), SHADES, strict=True):
        ax.plot(x + 0.01, -0.62, "s", color=shade, markersize=9)
        label(ax, (x + 0.03, -0.62), said, color=style.MUTED)
    ax.set_yticks(range(len(ways)), list(ways))
    ax.set(xlim=(0, 1), ylim=(len(ways) - 0.6, -0.85), xticks=[])
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
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
    alt="Twelve lines, a property each: by how much the average precision of the best feature is "
    "above that of the best neuron. Among words of one kind most lie below 0, as do feminine "
    "nouns, at \N{MINUS SIGN}0.10; four are above it. Among all words ten are above 0: feminine "
    "nouns at 0.36, feminine plural ones at 0.71.",
)
def draw_scores() -> Figure:
    from course.chapters.ch20_features.results import runs, scores

    scopes = {
        "of its kind": "among words of one kind",
        "all words": "among all words",
    }
    title = "Features beat neurons among all words, seldom among words of one kind"
    return _score_slopes(scores(runs()), scopes, "noun: feminine", title)


@figure(
    "features-steering",
    caption="Two features turn the gender of 55 adjectives in 100; two weights of one head, 99.",
    alt="Four bars. The swap of two attention weights: the gender flips and nothing else in 99 %. "
    "The difference of means: 89 %, another adjective in 11 %. Two features: 55 %, nothing "
    "changes in 33 %, another adjective in 12 %. Two features at random, whose change is as large: "
    "nothing changes in 73 %, another adjective in 14 %, other words change in 12 %, and the "
    "gender flips in fewer than 1 %.",
)
def draw_steering() -> Figure:
    from course.chapters.ch20_features.results import WAYS, runs, steering

    found = steering(runs())
    return _outcome_bars({said: found[way] for way, said in WAYS.items()})
