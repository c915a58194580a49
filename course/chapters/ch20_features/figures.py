"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course.drawing import style
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


def _outcome_bars(ways: Mapping[str, Mapping[str, float]], example: str = "") -> Figure:
    """Draw what became of the sentences, a bar for each way, as shares of all -> the figure.

    example: an adjective that flips. The last way is the control, and stands apart.
    """
    figure, ax = style.panel(1.75 + 0.68 * len(ways))
    swap, *_, two, _ = (f"{100 * parts['flipped']:.0f} %" for parts in ways.values())
    title = f"Swapping two attention weights flips {swap} of the genders, two features {two}"
    titled(figure, title, "Left: what is changed so that an adjective gets the other gender")
    places, unnamed = [*range(len(ways) - 1), len(ways) - 0.65], dict(SAID)
    unnamed["flipped"] += example
    for y, parts in zip(places, ways.values(), strict=True):
        left = 0.0
        for name, shade in zip(SAID, SHADES, strict=True):
            ax.barh(y, parts[name], left=left, height=0.48, color=shade)
            middle = left + parts[name] / 2
            left += parts[name]
            if parts[name] < 0.1:
                continue
            strong, said = name == "flipped", f"{100 * parts[name]:.0f} %"
            look = {"color": style.ink_on(shade), "weight": "bold" if strong else "normal"}
            label(ax, (middle, y), said, ha="center", **look)
            if name in unnamed:  # above its first part
                at, ha = (1, "right") if left > 0.99 else (middle, "center")
                color = style.ACCENT if strong else style.MUTED
                label(ax, (at, y - 0.38), unnamed.pop(name), ha=ha, color=color)
    ax.set_yticks(places, list(ways))
    ax.set(xlim=(0, 1), ylim=(places[-1] + 0.4, -0.6), xticks=[])
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
    alt="Four bars. The swap of two attention weights: the gender flips, as from cansado to "
    "cansada, and nothing else in 99 %. "
    "The difference of means: 89 %, another adjective in 11 %. Two features: 55 %, nothing "
    "changes in 33 %, another adjective in 12 %. Two features at random, whose change is as large: "
    "nothing changes in 73 %, another adjective in 14 %, other words change in 12 %, and the "
    "gender flips in fewer than 1 %.",
)
def draw_steering() -> Figure:
    from course.chapters.ch20_features.results import WAYS, runs, steering
    from transformer_lib.text import english_spanish

    found, (item, *_) = steering(runs()), english_spanish.load_pronoun()
    flips = f": {item.right} → {item.wrong}"
    return _outcome_bars({said: found[way] for way, said in WAYS.items()}, flips)
