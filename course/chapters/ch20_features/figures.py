"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib as mpl
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
SAID = {  # outcome -> how the bar says it
    "flipped": "the gender flips,\nnothing else",
    "unchanged": "nothing changes",
    "another adjective": "a third word\nin its place",
    "another word": "other words\nchange",
}
SHADES = (style.ACCENT, style.RULE, style.SOFT, style.MUTED)


@mpl.rc_context(style.PRINT)
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


@mpl.rc_context(style.PRINT)
def _score_rows(
    rows: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], panels: Mapping[str, str]
) -> Figure:
    """Draw how well each property is found, a panel for each scope -> the figure.

    rows: scope -> property -> who finds it -> average precision of each run. panels: scope ->
    which words are compared; within a kind, the row in which the last has the feature farthest
    ahead comes first. Marks at the means; a bar from neuron to feature, in the color of the one
    that is ahead.
    """
    looks = {  # who -> its color, marker, size and edge; the last two have names
        "random direction": (style.SOFT, "|", 15, 1.3),
        "probe": (style.SOFT, "|", 10, 3.0),
        "best neuron": (style.MUTED, "s", 8, 0),
        "best feature": (style.ACCENT, "o", 10, 0),
    }
    all_means = {
        scope: {name: {who: np.mean(by[who]) for who in looks} for name, by in found.items()}
        for scope, found in rows.items()
    }
    last = all_means[list(panels)[-1]]
    kind = {name: name.partition(":")[0] for name in last}
    ahead = {name: mean["best feature"] - mean["best neuron"] for name, mean in last.items()}
    groups = list(kind.values())
    order = sorted(last, key=lambda name: (groups.index(kind[name]), -ahead[name]))
    kinds = [kind[name] for name in order]
    places = np.cumsum([0, *(1.5 if a != b else 1 for a, b in pairwise(kinds))])
    figure = style.new_figure(style.WIDTH, 2.2 + 0.3 * places[-1])
    note = (
        "average precision, 1 at best, on nouns that weren't used to choose: means of the runs\n"
        "thin lines: the best of 1,024 random directions; thick: a probe that was told the answers"
    )
    titled(figure, "Feature or neuron: which is ahead depends on the words compared", note)
    figure.get_layout_engine().set(wspace=0.06)  # type: ignore[union-attr]
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (scope, among) in zip(axes, panels.items(), strict=True):
        means = [all_means[scope][name] for name in order]
        for y, mean in zip(places, means, strict=True):
            ax.axhline(y, color=style.RULE, linewidth=0.5, zorder=0.5)
            ends = mean["best neuron"], mean["best feature"]
            color = style.ACCENT if ends[1] > ends[0] else style.MUTED
            ax.plot(ends, [y, y], color=color, alpha=0.45, linewidth=5, solid_capstyle="butt")
            for who, (color, marker, size, edge) in looks.items():
                look = {"marker": marker, "color": color, "markersize": size, "linestyle": ""}
                ax.plot(mean[who], y, markeredgewidth=edge, **look)
                if y == 0 and who.startswith("best"):
                    how = {"xytext": (0, 12), "textcoords": "offset points", "ha": "center"}
                    ax.annotate(who.removeprefix("best "), (mean[who], y), color=color, **how)
        features = sum(mean["best feature"] > mean["best neuron"] for mean in means)
        who, count = max(
            ("neuron", len(means) - features), ("feature", features), key=lambda n: n[1]
        )
        color = style.ACCENT if who == "feature" else style.MUTED
        said = f"{among}:\n{who} ahead in {count} of {len(means)}"
        ax.set_title(said, fontsize=style.LABEL, color=color, linespacing=1.15)
        ax.set(xlim=(0, 1.04), ylim=(places[-1] + 0.5, -1.2), xticks=[0, 0.5, 1])
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
    axes[0].set_yticks(places, order)
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
    ax.set_xticks([])
    said = "left: what is changed to flip the gender of an adjective; bars: shares of the sentences"
    ax.set_xlabel(said, loc="left")
    ax.xaxis.label.set(color=style.MUTED, size=style.NOTE)
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
    caption="A probe finds what the grammar knows. Among nouns a single neuron tells gender better "
    "than the best feature; among all words the feature does.",
    alt="Twelve properties in rows, two panels of average precision. Among words of its kind the "
    "probe is at 1.00, but for verbs in the past (0.96) and in the first person (0.73). "
    "The best feature has 0.82 for feminine nouns, where the best neuron has 0.93 and a "
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
            "of its kind": "among words of its kind",
            "all words": "among all words",
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
