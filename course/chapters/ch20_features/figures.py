"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.plots import shares
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, titled

CORNERS = {  # (feminine, several) -> what stands over the corner
    (True, False): "feminine, one",
    (True, True): "feminine, several",
    (False, False): "masculine, one",
    (False, True): "masculine, several",
}
SAID = {  # outcome -> how the bar says it
    "flipped": "the gender flips,\nnothing else",
    "unchanged": "nothing changes",
    "another adjective": "a third word\nin its place",
    "another word": "other words\nchange",
}
SHADES = (style.ACCENT, style.RULE, style.SOFT, style.MUTED)


@mpl.rc_context(style.PRINT)
def _four_corners(nouns: Sequence[Sequence[Any]], most: int = 24) -> Figure:
    """Draw the nouns by gender and number, lit where a feature fires -> the figure.

    nouns: [form, feminine, several, how often it stands in the sentences, on how many of them the
    feature fires]. Lit: it fires on at least half. most: words in a corner, the commonest.
    """
    figure, ax = canvas(style.WIDTH, 6.1)
    heading(ax, "Ten examples say “feminine”. The truth: feminine, and one of them")
    for (feminine, several), said in CORNERS.items():
        x, top = (4.1 if several else 0.02), (5.3 if feminine else 2.6)
        corner = [noun for noun in nouns if (noun[1], noun[2]) == (feminine, several)]
        corner = sorted(corner, key=lambda noun: -noun[3])
        lit = sum(2 * noun[4] >= noun[3] for noun in corner)
        label(ax, (x, top), said, size=style.LABEL + 1, weight="bold")
        label(ax, (x + 3.75, top), f"fires on {lit} of {len(corner)} nouns", ha="right")
        shown = sorted(corner[:most])
        for number, noun in enumerate(shown):
            fires = 2 * noun[4] >= noun[3]
            label(
                ax,
                (x + 1.27 * (number % 3), top - 0.36 - 0.26 * (number // 3)),
                noun[0],
                weight="bold" if fires else "normal",
                color=style.ACCENT if fires else style.MUTED,
            )
    return figure


@mpl.rc_context(style.PRINT)
def _score_rows(
    rows: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], panels: Mapping[str, str]
) -> Figure:
    """Draw how well each property is found, a panel for each scope -> the figure.

    rows: scope -> property -> who finds it -> average precision of each run. panels: scope ->
    title. A mark at the mean, a line from the lowest to the highest run.
    """
    first = next(iter(rows.values()))
    looks = {
        "best feature": (style.ACCENT, "o", 8),
        "best neuron": (style.SOFT, "s", 6),
        "random direction": (style.MUTED, "x", 6),
        "probe": (style.INK, "|", 12),
    }
    figure = style.new_figure(style.WIDTH, 1.9 + 0.34 * len(first))
    note = "average precision, on nouns and verbs that weren't used to choose\n "
    titled(figure, "A probe finds nearly all; a single feature or neuron mostly less", note)
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (scope, title) in zip(axes, panels.items(), strict=True):
        for y, found in enumerate(rows[scope].values()):
            ax.axhline(y, color=style.RULE, linewidth=0.5, zorder=0.5)
            for who, (color, marker, size) in looks.items():
                values = found[who]
                mean = sum(values) / len(values)
                ax.plot([min(values), max(values)], [y, y], color=color, alpha=0.5)
                look = {"marker": marker, "color": color, "markersize": size, "linestyle": ""}
                ax.plot(mean, y, markeredgewidth=2, **look)
                if ax is axes[0] and y == 0:  # the names of the marks, in a row above the panels
                    at = (-0.58 + 0.53 * list(looks).index(who), -2.4)
                    (key,) = ax.plot(*at, markeredgewidth=2, clip_on=False, **look)
                    key.set_in_layout(False)
                    ink = {"color": style.readable(color, style.PAPER), "va": "center_baseline"}
                    beside = {"textcoords": "offset points", "annotation_clip": False}
                    ax.annotate(who, at, (9, 0), **beside, **ink).set_in_layout(False)
        ax.set_title(title, fontsize=style.LABEL)
        ax.set(xlim=(0, 1.04), ylim=(len(first) - 0.5, -0.5))
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
    axes[0].set_yticks(range(len(first)), list(first))
    return figure


@mpl.rc_context(style.PRINT)
def _outcome_bars(ways: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw what became of the sentences, a bar for each way, as shares of all -> the figure."""
    figure = style.new_figure(style.WIDTH, 1.2 + 0.62 * len(ways))
    first, *_, dictionary, _ = [*ways.values()] if len(ways) > 2 else [*ways.values()] * 4
    figure.suptitle(
        f"Two weights of one head turn {100 * first['flipped']:.0f} % of the genders, "
        f"two features {100 * dictionary['flipped']:.0f} %"
    )
    ax = figure.subplots()
    first_large = {  # the bar in which a part is named
        name: next(
            (way for way in ways if ways[way][name] >= 0.06),
            max(ways, key=lambda way, name=name: ways[way][name]),
        )
        for name in SAID
    }
    for y, (way, parts) in enumerate(ways.items()):
        left = 0.0
        for (name, said), shade in zip(SAID.items(), SHADES, strict=True):
            ax.barh(y, parts[name], left=left, height=0.5, color=shade)
            middle = {"x": left + parts[name] / 2, "ha": "center"}
            if parts[name] >= 0.06:
                number = f"{100 * parts[name]:.0f} %"
                ax.text(**middle, y=y, s=number, va="center", color=style.ink_on(shade))
            if first_large[name] == way:
                at = (
                    {"x": 1.0, "ha": "right"} if left + parts[name] > 0.98 > parts[name] else middle
                )
                ax.text(**at, y=y - 0.28, s=said.replace("\n", " "), va="bottom", size=style.NOTE)
            left += parts[name]
    ax.set_yticks(range(len(ways)), list(ways))
    ax.set(xlim=(0, 1), ylim=(len(ways) - 0.5, -0.7))
    shares(ax.xaxis, parts=4)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return figure


# --- the figures of the notebook -----------------------------------------------------------------


@figure(
    "features-corners",
    hero=True,
    caption="The feature that a story calls “feminine” fires on feminine nouns, if there is one of "
    "them.",
    alt="Nouns in four corners. Feminine and one: nearly all are lit, such as bag, bed, letter and "
    "queen. Feminine and several, such as bags and letters: hardly any. Masculine, one or several: "
    "hardly any.",
)
def draw_corners() -> Figure:
    from course.chapters.ch20_features.results import chosen, runs

    (portrait,) = chosen(runs(), "portrait", "top-k")
    return _four_corners([noun for noun in portrait["nouns"] if noun[3] >= 3])


@figure(
    "features-scores",
    caption="A probe finds what the grammar knows. Among nouns a single neuron tells gender better "
    "than the best feature; among all words the feature does.",
    alt="Twelve properties in rows, two panels of average precision. Among words of its kind the "
    "probe is at 1.00, but for verbs in the past (0.96) and in the first person (0.73, from 0.51 "
    "to 0.99). The best feature has 0.82 for feminine nouns, where the best neuron has 0.93 and a "
    "random direction 0.94; 0.96 for feminine and one, 1.00 for feminine and several, 0.49 for "
    "verbs in the first person, 0.73 to 0.84 for the others. Among all words the best feature is "
    "above the best neuron in ten rows, such as 0.72 against 0.35 for feminine nouns, and below "
    "the probe in all but feminine and several.",
)
def draw_scores() -> Figure:
    from course.chapters.ch20_features.results import runs, scores

    return _score_rows(
        scores(runs()),
        {
            "of its kind": "among words of its kind:\na neuron is mostly ahead",
            "all words": "among all words:\na feature is mostly ahead",
        },
    )


@figure(
    "features-steering",
    caption="Two features turn the gender of 55 adjectives in 100; two weights of one head, 99.",
    alt="Four bars. The swap of two attention weights: the gender flips and nothing else in 99 %. "
    "The difference of means: 89 %, a third word in its place in 11 %. Two features: 55 %, nothing "
    "changes in 33 %, a third word in 12 %. Two features at random, whose change is as large: "
    "nothing changes in 73 %, a third word in 14 %, other words change in 12 %, and the gender "
    "flips in fewer than 1 %.",
)
def draw_steering() -> Figure:
    from course.chapters.ch20_features.results import WAYS, runs, steering

    found = steering(runs())
    return _outcome_bars({said: found[way] for way, said in WAYS.items()})
