"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import canvas, label

NOTEBOOK = "20_features"
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
SHADES = ("#2774A7", "#E4E4E4", "#E89F2A", "#912E5A")


@mpl.rc_context(style.PRINT)
def four_corners(nouns: Sequence[Sequence[Any]], most: int = 24) -> Figure:
    """Draw the nouns by gender and number, lit where a feature fires -> the figure.

    nouns: [form, feminine, several, how often it stands in the sentences, on how many of them the
    feature fires]. Lit: it fires on at least half. most: words in a corner, the commonest.
    """
    figure, ax = canvas(style.WIDTH, 6.2)
    title = "Ten examples say “feminine”. The truth: feminine, and one of them"
    label(ax, (0.1, 5.9), title, size=14, weight="bold")
    for (feminine, several), said in CORNERS.items():
        x, top = (4.1 if several else 0.1), (5.3 if feminine else 2.6)
        corner = [noun for noun in nouns if (noun[1], noun[2]) == (feminine, several)]
        corner = sorted(corner, key=lambda noun: -noun[3])
        lit = sum(2 * noun[4] >= noun[3] for noun in corner)
        label(ax, (x, top), said, size=13, weight="bold")
        label(ax, (x + 3.75, top), f"fires on {lit} of {len(corner)} nouns", size=11, ha="right")
        shown = sorted(corner[:most])
        for number, noun in enumerate(shown):
            fires = 2 * noun[4] >= noun[3]
            label(
                ax,
                (x + 1.27 * (number % 3), top - 0.36 - 0.26 * (number // 3)),
                noun[0],
                size=10.5,
                weight="bold" if fires else "normal",
                color=style.CATEGORIES[4] if fires else "#9A9A9A",
            )
    return figure


@mpl.rc_context(style.PRINT)
def score_rows(
    rows: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], panels: Mapping[str, str]
) -> Figure:
    """Draw how well each property is found, a panel for each scope -> the figure.

    rows: scope -> property -> who finds it -> average precision of each run. panels: scope ->
    title. A mark at the mean, a line from the lowest to the highest run.
    """
    first = next(iter(rows.values()))
    looks = {
        "best feature": (style.CATEGORIES[4], "o", 9),
        "best neuron": (style.CATEGORIES[0], "s", 6),
        "random direction": (style.MUTED, "x", 6),
        "probe": (style.INK, "|", 13),
    }
    figure = style.new_figure(style.WIDTH, 1.3 + 0.42 * len(first))
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (scope, title) in zip(axes, panels.items(), strict=True):
        for y, found in enumerate(rows[scope].values()):
            for who, (color, marker, size) in looks.items():
                values = found[who]
                mean = sum(values) / len(values)
                ax.plot([min(values), max(values)], [y, y], color=color, linewidth=1.4)
                ax.plot(
                    mean,
                    y,
                    marker=marker,
                    color=color,
                    markersize=size,
                    markeredgewidth=2,
                    linestyle="",
                    label=who if y == 0 else None,
                )
        ax.set_title(title, fontsize=style.FONT_SIZE)
        ax.set(xlim=(0, 1.04), ylim=(len(first) - 0.5, -0.5))
        ax.grid(axis="x")
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
    axes[0].set_yticks(range(len(first)), list(first))
    figure.supxlabel(
        "average precision, on nouns and verbs that weren't used to choose", fontsize=11
    )
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4)
    return figure


@mpl.rc_context(style.PRINT)
def outcome_bars(ways: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw what became of the sentences, a bar for each way, as shares of all -> the figure."""
    figure = style.new_figure(style.WIDTH, 1.2 + 0.62 * len(ways))
    ax = figure.subplots()
    for y, shares in enumerate(ways.values()):
        _bar(ax, y, shares)
    ax.set_yticks(range(len(ways)), list(ways))
    ax.set(xlim=(0, 1), ylim=(len(ways) - 0.5, -0.6))
    ax.xaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    handles = [
        mpl.patches.Patch(facecolor=shade, label=said.replace("\n", " "))
        for shade, said in zip(SHADES, SAID.values(), strict=True)
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def _bar(ax: Axes, y: float, shares: Mapping[str, float]) -> None:
    left = 0.0
    for name, shade in zip(SAID, SHADES, strict=True):
        share = shares[name]
        ax.barh(y, share, left=left, height=0.62, color=shade)
        if share >= 0.06:
            ax.text(
                left + share / 2,
                y,
                f"{100 * share:.0f} %",
                ha="center",
                va="center",
                fontsize=11,
                color=style.ink_on(shade),
            )
        left += share


# --- the figures of the notebook -----------------------------------------------------------------


@figure(
    "features-corners",
    notebook=NOTEBOOK,
    hero=True,
    caption="The feature that a story calls “feminine” fires on feminine nouns, if there is one of "
    "them.",
    alt="Nouns in four corners. Feminine and one: nearly all are lit, such as bag, bed, letter and "
    "queen. Feminine and several, such as bags and letters: hardly any. Masculine, one or several: "
    "hardly any.",
)
def draw_corners() -> Figure:
    from course.chapters.ch20_features.stored import chosen, runs

    (portrait,) = chosen(runs(), "portrait", "top-k")
    return four_corners([noun for noun in portrait["nouns"] if noun[3] >= 3])


@figure(
    "features-scores",
    notebook=NOTEBOOK,
    caption="A probe finds what the grammar knows. Among nouns a single neuron tells gender better "
    "than the best feature; among all words the feature does.",
    alt="Eleven properties in rows, two panels of average precision. Among words of its kind the "
    "probe is at 1.00, but for verbs in the past (0.97). The best feature has 0.82 for feminine "
    "nouns, where the best neuron has 0.94 and a random direction 0.95; 0.94 for feminine and one, "
    "1.00 for feminine and several, 0.73 to 0.86 for the others. Among all words the best feature "
    "is above the best neuron in ten rows, such as 0.70 against 0.49 for feminine nouns, and below "
    "the probe in all but feminine and several.",
)
def draw_scores() -> Figure:
    from course.chapters.ch20_features.stored import runs, scores

    return score_rows(
        scores(runs()),
        {
            "of its kind": "among words of its kind:\na neuron is mostly ahead",
            "all words": "among all words:\na feature is mostly ahead",
        },
    )


@figure(
    "features-steering",
    notebook=NOTEBOOK,
    caption="Two features turn the gender of 55 adjectives in 100; two weights of one head, 99.",
    alt="Four bars. The swap of two attention weights: the gender flips and nothing else in 99 %. "
    "The difference of means: 89 %, a third word in its place in 11 %. Two features: 55 %, nothing "
    "changes in 32 %, a third word in 13 %. Two features at random: nothing changes in 87 %, "
    "other words change in 9 %.",
)
def draw_steering() -> Figure:
    from course.chapters.ch20_features.stored import WAYS, runs, steering

    found = steering(runs())
    return outcome_bars({said: found[way] for way, said in WAYS.items()})
