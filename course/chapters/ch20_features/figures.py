"""Features against the truth: one feature's four corners, scores of all, and what steering does."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course.chapters.ch20_features.results import WAYS, chosen, runs, scores, steering
from course.drawing import style
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, percent, titled, width_of, word

SAID = {  # outcomes -> how the key says it, and a color
    ("flipped",): ("only the gender changes", style.ACCENT),
    ("another adjective", "another word"): ("another form or word is written", style.SOFT),
    ("unchanged",): ("nothing changes", style.RULE),
}


def _score_rows(rows: Mapping[str, Any], scopes: Mapping[str, str]) -> Figure:
    """Draw how far the best feature is ahead of the best neuron, a row for each property.

    rows: scope -> property -> who finds it -> average precision of each run. scopes: the two that
    a line joins -> which words are compared. Ahead: by the means of the runs.
    """
    figure, ax = style.panel(5.3)
    note = (
        "Best feature minus best neuron, in average precision (means of 5 dictionaries, "
        "3 translators)"
    )
    kinds = [rows[scope] for scope in scopes]
    ahead = {
        name: [np.mean(a[name]["best feature"]) - np.mean(a[name]["best neuron"]) for a in kinds]
        for name in kinds[0]
    }
    count = sum(all_words > 0 for _, all_words in ahead.values())
    title = (
        f"Among all words, features on average beat neurons for {count} of {len(ahead)} properties"
    )
    titled(figure, title, note)
    ahead = dict(sorted(ahead.items(), key=lambda row: -row[1][1]))
    colors = style.MUTED, style.ACCENT
    for y, ends in enumerate(ahead.values()):
        ax.plot(ends, [y, y], color=style.SOFT, linewidth=2, zorder=1)
        for end, color in zip(ends, colors, strict=True):
            ax.plot(end, y, "o", color=color, markersize=9, clip_on=False)
    for place, (among, color) in enumerate(zip(scopes.values(), colors, strict=True)):
        count = sum(ends[place] > 0 for ends in ahead.values())
        said = f"{among}:\nfeature ahead for {count} of {len(ahead)}"
        bold(ax, (next(iter(ahead.values()))[place], -1.1), said, ha="center", color=color)
    ax.axvspan(-0.23, 0, color=style.GROUND, linewidth=0, zorder=-1)
    ax.axvline(0, color=style.INK, linewidth=1.2, zorder=0.5)
    label(ax, (-0.015, 11.9), "neuron ahead", ha="right")
    label(ax, (0.015, 11.9), "feature ahead")
    names = []
    for name in ahead:
        for old, new in ("one", "singular"), ("several", "plural"), ("first p", "first-p"):
            name = name.replace(old, new)
        kind, said = name.split(": ")
        names.append(f"{said.replace(',', '')} {'“the”' if kind == 'the' else kind + 's'}")
    ax.set_yticks(range(len(ahead)), names)
    ax.set(xlim=(-0.23, 0.8), ylim=(len(ahead) + 0.4, -2), xticks=[0, 0.2, 0.4, 0.6])
    ax.set(xticklabels=["0", "+0.2", "+0.4", "+0.6"])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return figure


@figure(
    "features-corners",
    hero=True,
    caption="Nouns on which a feature fires that seems to mean “feminine”, by gender and number.",
    alt="""Four fields, a cell for each noun, filled where the feature fires: on 90 of 95
    feminine singular nouns and none of 77 feminine plural nouns; on 1 of 111 masculine singular
    and none of 87 masculine plural nouns. Below, the commonest four, such as letter and
    letters.""",
)
def draw_corners() -> Figure:
    (portrait,) = chosen(runs(), "portrait", "top-k")
    # [form, feminine, several, how often it stands in the sentences, on how many it fires]
    nouns = [noun for noun in portrait["nouns"] if noun[3] >= 3]
    note = (
        "Each cell is a form of a noun, filled if feature 822 fires on at least half of its "
        "occurrences"
    )
    figure, ax = canvas(4.35, "The feature called “feminine” is silent on feminine plurals", note)
    muted(ax, (0.02, 1.43), "the most common nouns in each group:")
    fires = {noun[0]: 2 * noun[4] >= noun[3] for noun in nouns}
    often = [noun for noun, *_ in sorted(nouns, key=lambda noun: -noun[3])]
    several = {noun[0] for noun in nouns if noun[2]}
    plural = {one: more for one in often for more in (f"{one}s", f"{one}es") if more in several}
    for number, gender in enumerate(("feminine", "masculine")):
        of_gender = {noun[0] for noun in nouns if noun[1] == (gender == "feminine")}
        ones = [one for one in plural if one in of_gender][:4]
        for x, kind, column, examples in (
            (0.02 + 4.08 * number, "singular", of_gender - several, ones),
            (2.06 + 4.08 * number, "plural", of_gender & several, [plural[one] for one in ones]),
        ):
            lit = sum(fires[noun] for noun in column)
            color = style.ACCENT if 2 * lit > len(column) else style.INK
            bold(ax, (x, 3.42), f"{lit} of {len(column)}", size=20, color=color)
            label(ax, (x, 3.1), f"{gender} {kind}", size=style.LABEL)
            for place in range(len(column)):
                at = x + 0.142 * (place % 12), 2.78 - 0.142 * (place // 12)
                area(ax, at, 0.122, 0.122, style.ACCENT if place < lit else style.RULE)
            for row, noun in enumerate(examples):
                color = style.ACCENT if fires[noun] else style.MUTED
                word(ax, (x + 0.045, 1.15 - 0.315 * row), noun, size=13, ha="left", color=color)
    return figure


@figure(
    "features-scores",
    caption="""How far the best feature is ahead of the best neuron, among words of one kind and
    among all words.""",
    alt="""Twelve rows, a property each, with two dots: by how much the average precision of the
    best feature is above that of the best neuron. Among words of one kind most lie below 0, as
    do feminine nouns, at \N{MINUS SIGN}0.10; four are above it. Among all words ten are above 0:
    feminine nouns at 0.36, feminine plural ones at 0.71.""",
)
def draw_scores() -> Figure:
    scopes = {"of its kind": "among words of the same kind", "all words": "among all words"}
    return _score_rows(scores(runs()), scopes)


@figure(
    "features-steering",
    caption="What becomes of adjectives whose gender is to change, by four ways of changing it.",
    alt="""Four fields of 100 cells. Two attention weights of one head swapped: in 99% only the
    gender changes, as from cansado to cansada. The difference of means: 89%, the rest another
    form. Two features: 55%, another form in 13, nothing changes in 32. Random pairs of features
    with changes of the same length: 1%, another form or word in 15, nothing changes in 84.""",
)
def draw_steering() -> Figure:
    found = steering()
    ways = {said: found[way] for way, said in WAYS.items()}
    _, means, two, _ = (percent(parts["flipped"]) for parts in ways.values())
    title = f"Two features turn {two} of the adjectives; the difference of means turns {means}"
    figure, ax = canvas(
        3.65,
        title,
        "Each cell is 1% of 498 adjectives; only their gender should change",
    )
    x, cell = 0.04, 0.166
    for said, color in SAID.values():
        area(ax, (x, 2.76), 0.14, 0.14, color)
        said += ", cansado → cansada" * (color == style.ACCENT)
        label(ax, (x + 0.22, 2.83), said)
        x += 0.62 + width_of(said, style.NOTE)
    for left, (way, parts) in zip((0.04, 2.12, 4.2, 6.28), ways.items(), strict=True):
        said = f"{parts['flipped']:.0%}"
        bold(ax, (left, 2.42), said, size=18, color=style.ACCENT)
        label(ax, (left, 2.04), way)
        ends = 100 * np.cumsum([sum(parts[name] for name in names) for names in SAID])
        kinds = [(end, color) for end, (_, color) in zip(ends.round(3), SAID.values(), strict=True)]
        for place in range(100):
            at = left + cell * (place % 10), 1.6 - cell * (place // 10)
            for end, color in kinds[::-1]:  # the next covers its part of a cell
                if end > place:
                    area(ax, at, (cell - 0.02) * min(1, end - place), cell - 0.02, color)
    return figure
