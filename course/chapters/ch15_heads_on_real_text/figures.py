"""Who decides a gender: what comes along with one vector, and what heads find and are for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, path
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import canvas, heading, label, percent, sentence, titled, width_of

CLEARLY = 0.05  # so far above the best rule of places, as the notebook asks
# Which look a kind of attention is measured by.
ASKED = {
    "encoder.self_attn": "English adjective\nlooks at English noun",
    "decoder.cross_attn": "Spanish ending\nlooks at English noun",
    "decoder.self_attn": "Spanish ending\nlooks at Spanish noun",
}


def _ways_of_the_gender(models: Mapping[str, Mapping[tuple[str, str], float]]) -> Figure:
    """Draw how the gender comes to an ending: two sentences for each model, and arrows -> figure.

    models: what one does -> {(from a word, to a word): how much of the gender comes that way}; what
    is more than half is loud.
    """
    figure, ax = canvas(style.WIDTH, 4.1)
    note = "How far the ending turns if one word’s vector comes from a sentence with the other gender"
    heading(ax, "The small model reads the gender, the large one mostly copies it", note)
    for left, (name, ways) in zip((0.12, 4.3), models.items(), strict=True):
        label(ax, (left - 0.08, 3.2), name, size=style.LABEL, weight="bold")
        loud = {word: style.ACCENT for way, much in ways.items() if much > 0.5 for word in way}
        at, edge, look = {}, left, {"size": 14, "gap": 0.25}
        for y, text in ((2.06, "The street is small"), (0.78, "La calle es pequeña")):
            words, ha = text.split(), "right" if at else "left"
            middles = sentence(ax, (edge, y), words, loud, ha=ha, **look)
            at |= {word: (x, y) for word, x in zip(words, middles, strict=True)}
            edge = middles[-1] + width_of("pequeña", 14) / 2  # the ending stands below "small"
        for (start, end), much in ways.items():
            (x, y), (x_end, y_end) = at[start], at[end]
            color = style.ACCENT if much > 0.5 else style.SOFT
            if y == y_end:  # an arch above what is read, below what is written
                up, rise = (0.3, 0.36) if y > 1 else (-0.15, -0.36)
                arrow(ax, (x, y + up), (x_end, y + up), color, thick=8 * much, rise=rise)
                said = (x + x_end) / 2, y + up + 1.47 * rise
            else:
                y, y_end = y - 0.15, y_end + 0.3
                arrow(ax, (x, y), (x_end, y_end), color, thick=8 * much)
                said = 0.5 * x + 0.5 * x_end + 0.38, (y + y_end) / 2 + 0.06
            color = style.readable(color, style.PAPER)
            label(ax, said, percent(much), size=13, ha="center", color=color, weight="bold")
    return figure


def _found_by_heads(models: Mapping[str, Mapping[str, Any]], title: str) -> Figure:
    """Draw how far each head is ahead of the best rule of places; a group of rows for each look.

    models: name -> {kind of attention: {"heads", "place"}}, as the experiment stores. Loud: more
    than `CLEARLY` ahead; the best of a row has its numbers.
    """
    figure, ax = style.panel(4.4)
    note = (
        "A dot for each head: how often it looks most at the noun, minus how often a fixed rule,\n"
        "such as “always two words back”, would find it"
    )
    titled(figure, title, note)
    kinds, rows = list(next(iter(models.values()))), []
    for group, kind in enumerate(kinds):
        for row, (name, found) in enumerate(models.items()):
            y, place = 2.5 * group + row, found[kind]["place"]
            rows.append((y, name))
            finds = np.array(sorted(row["finds"] for row in found[kind]["heads"]))
            clear, ahead = finds > place + CLEARLY, 100 * (finds - place)
            colors = np.where(clear, style.ACCENT, style.SOFT)
            look = {"s": np.where(clear, 64, 26), "edgecolor": style.PAPER, "zorder": 3}
            ax.scatter(ahead, y + _beside(ahead), c=colors, **look)
            if clear[-1]:
                said = f"+{steady_round(ahead[-1], 0):.0f} points: finds it in {finds[-1]:.0%}"
                at, look = (ahead[-1] + 2.5, y + _beside(ahead)[-1]), {"va": "center_baseline"}
                look |= {"color": style.ACCENT, "weight": "bold"}
                ax.text(*at, said.replace("%", " %"), **look)
        label(ax, (-128, 2.5 * group + 0.5), ASKED[kind])
    ax.axvline(0, color=style.INK, linewidth=1.4, zorder=2)
    ax.text(0, -0.65, "the best rule", ha="center", va="bottom", color=style.MUTED)
    ax.set(xlim=(-75, 75), ylim=(rows[-1][0] + 0.6, -0.6))
    ax.set_xticks([-50, 0, 50], ["50 points worse", "as often", "50 points better"])
    places, names = zip(*rows, strict=True)
    ax.set_yticks(places, [name.split()[0] for name in names], color=style.MUTED)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return figure


def _beside(sorted_numbers: Sequence[float], near: float = 2.6) -> np.ndarray:
    """A height for each dot, so that near ones stand above and below each other, within 0.4."""
    heights, row = [], list[float]()  # row: of each height, the last number there
    for number in sorted_numbers:
        free = [place for place, last in enumerate(row) if number - last >= near]
        place = free[0] if free else len(row)
        row[place : place + 1] = [number]
        heights.append(((place + 1) // 2) * (-1) ** place)
    return np.array(heights) * min(0.17, 0.4 / max(np.abs(heights).max(), 1))


def _heads_together(models: Mapping[str, Mapping[str, Any]], title: str) -> Figure:
    """Draw how many endings are lost with the most needed heads off, and with others; a panel each.

    models: name -> {"trained", "together"}, as the experiment stores. Losses are measured from all
    heads on; a band holds the middle half of the draws.
    """
    figure = style.new_figure(style.WIDTH, 3.9)
    note = "change in right endings of adjectives, in points; grey: the middle half of ten draws"
    titled(figure, title, note)
    figure.get_layout_engine().set(wspace=0.06)
    axes = figure.subplots(1, len(models), sharey=True, squeeze=False)[0]
    for ax, (name, found) in zip(axes, models.items(), strict=True):
        together, trained = found["together"], found["trained"]["share"]
        steps = range(len(together))
        low, middle, high = (
            [100 * (np.quantile(row["at random"], part) - trained) for row in together]
            for part in (0.25, 0.5, 0.75)
        )
        chosen = [100 * (row["chosen"] - trained) for row in together]
        ax.fill_between(steps, low, high, color=style.RULE, linewidth=0)
        ax.plot(steps, middle, color=style.SOFT, linewidth=1.5)
        ax.axhline(0, color=style.MUTED, linewidth=1.2, zorder=0.5)
        ax.axhline(50 - 100 * trained, color=style.MUTED, linewidth=1.2, linestyle=":", zorder=0.5)
        ax.text(2, 49 - 100 * trained, "a coin: 50 %", va="top", ha="center", color=style.MUTED)
        ax.plot(steps, chosen, "o-", color=style.ACCENT, linewidth=2.8, markersize=6)
        ax.plot([0, 0], [0, chosen[0]], color=style.ACCENT, linewidth=1.2, linestyle=(0, (2, 2)))
        ax.plot(0, chosen[0], "o", color=style.ACCENT, markersize=11)
        said = f"{steady_round(chosen[0], 0):.0f} points"
        look = {"color": style.ACCENT, "va": "center_baseline"}
        ax.text(0.12, min(chosen[0] / 2, -10), said, **look, weight="bold")
        ax.text(-0.25, 2.5, "all heads on", color=style.MUTED)
        ax.set_xticks(steps, [row["heads"] for row in together])
        on = f"{name}: {len(found['alone'])} heads, {100 * trained:.0f} % right"
        ax.set(title=on, xlabel="heads switched off")
        ax.set(xlim=(-0.3, len(together) - 0.8), ylim=(-47, 13), yticks=[0, -20, -40])
    ax.text(4.1, 6.5, "as many drawn at random", ha="right", color=style.MUTED)
    ax.text(4.1, chosen[-1] - 2, "the most needed", **look | {"ha": "right", "va": "top"})
    return figure


def _by_layer(models: Mapping[str, Mapping[str, Sequence[float]]], title: str) -> Figure:
    """Draw the share of right endings that the logit lens reads before and after each layer.

    models: name -> {kind of sentence: shares}, from before the first layer on; the area of a dot is
    the share.
    """
    kinds, high, step, left = list(next(iter(models.values()))), 0.5, 0.74, 2.85
    figure, ax = canvas(style.WIDTH, 1.5 + high * len(kinds))
    note = "“La llave es pequeña”, not “pequeño”: how often (%), if the decoder stopped here"
    heading(ax, title, note)
    top = ax.get_ylim()[1] - 1.6
    for row, kind in enumerate(kinds):
        label(ax, (0.02, top - row * high), kind)
    for name, shares_of in models.items():
        label(ax, (left - 0.24, top + 0.62), name, size=style.LABEL, weight="bold")
        count = len(shares_of[kinds[0]])
        for place in range(count):
            state, x = f"layer {place - 1}" if place else "input", left + place * step
            label(ax, (x, top + 0.36), state, ha="center", color=style.MUTED)
            for row, kind in enumerate(kinds):
                share, y = shares_of[kind][place], top - row * high
                color = style.ACCENT if share else style.SOFT
                ax.scatter(x, y, s=max(860 * share, 14), color=color, linewidth=0)
                if share:
                    look = {"color": style.ink_on(color), "weight": "bold"}
                    label(ax, (x, y), f"{100 * share:.0f}", ha="center", **look)
        left += count * step + 0.2
    return figure


def _shares_with_intervals(
    groups: Mapping[tuple[str, ...], Mapping[str, Mapping[str, Any]]],
    title: str,
    note: str,
    chance: float,
) -> Figure:
    """Draw shares with their intervals as dots, those of the last model loud, beside sentences.

    groups: a row's English and Spanish, what is loud between stars -> {model: {"share",
    "interval"}}.
    """
    high, left, wide, bottom = 0.76, 3.6, 4.05, 0.62
    figure, ax = canvas(style.WIDTH, 1.72 + high * len(groups))
    heading(ax, title, note)
    top = bottom + high * len(groups)
    path(ax, [(left, bottom), (left + wide, bottom)], style.SOFT, head=False, thick=0.75)
    for part in (0, chance, 0.5, 0.75, 1):
        tick = f"{100 * part:.0f} %"
        label(ax, (left + wide * part, bottom - 0.16), tick, ha="center", color=style.MUTED)
    x = left + wide * chance
    ax.plot([x, x], [bottom, top], color=style.MUTED, linewidth=1.2, linestyle=":")
    label(ax, (x, top + 0.1), "chance", ha="center", color=style.MUTED)
    label(ax, (left - 0.18, 0.16), "pairs with both endings right; bands: 95 % intervals")
    for row, (lines, models) in enumerate(groups.items()):
        y = top - (row + 0.5) * high
        for line, text in enumerate(lines):
            parts, height = text.split(" * "), y + 0.17 * (len(lines) - 1) - 0.34 * line - 0.05
            sentence(ax, (0.1, height), parts, {parts[1]: style.ACCENT}, size=style.NOTE)
        for name, found in models.items():
            loud = name == [*models][-1]
            color, ink = (style.ACCENT, style.ACCENT) if loud else (style.SOFT, style.MUTED)
            share, (low, up) = found["share"], found["interval"]
            ends = left + wide * np.array([low, up])
            ax.plot(ends, [y, y], color=color, linewidth=7, alpha=0.3, solid_capstyle="butt")
            ax.plot(left + wide * share, y, "o", color=color, markersize=10)
            said = f"{steady_round(100 * share, 0):.0f} %"
            if row == 0:
                label(ax, (left + wide * share + 0.1, y + 0.24), name, color=ink, ha="right")
            side, at = (
                ("left", ends[1] + 0.1) if share > chance and loud else ("right", ends[0] - 0.1)
            )
            look = {"ha": side, "color": ink, "weight": "bold" if loud else "normal"}
            label(ax, (at, y), said, size=style.LABEL, **look)
    return figure


def _claim_table(
    claims: Sequence[tuple[str, float, bool]], models: Mapping[str, Sequence[float]], title: str
) -> Figure:
    """Draw a table: what each claim needs, and the number of each model, loud where it fails.

    claims: what is said, its limit, and whether the number has to lie above it. models: name -> a
    number for each claim. Claims that fail somewhere stand last.
    """
    high, columns, needs = 0.34, [6.03 + 0.8 * i for i in range(len(models))], 4.72
    figure, ax = canvas(style.WIDTH, 1.42 + high * len(claims))
    heading(ax, title, "“The key is small” → “La llave es pequeña”: what decides the -a?")
    y = ax.get_ylim()[1] - 0.98
    label(ax, (needs, y), "it holds if", color=style.MUTED)
    for x, name in zip(columns, models, strict=True):
        label(ax, (x + 0.28, y), name, color=style.MUTED, ha="right")
    rows = []
    for (what, limit, above), *numbers in zip(claims, *models.values(), strict=True):
        failed = [number <= limit if above else number >= limit for number in numbers]
        side = "above" if above else "below"
        rows.append((any(failed), what, f"{side} {100 * limit:.0f} %", numbers, failed))
    fallen = sum(falls for falls, *_ in rows)
    for place, (falls, what, limit, numbers, failed) in enumerate(sorted(rows, key=lambda r: r[0])):
        y -= high + 0.1 * (place == len(rows) - fallen)
        loud = {"weight": "bold", "color": style.ACCENT} if falls else {}
        path(ax, [(0.02, y + high / 2), (7.98, y + high / 2)], style.RULE, head=False, thick=0.75)
        label(ax, (0.02, y), what, **loud)
        label(ax, (needs, y), limit, color=style.MUTED)
        for x, number, wrong in zip(columns, numbers, failed, strict=True):
            look = loud if wrong else {"color": style.MUTED}
            if wrong:
                area(ax, (x - 0.34, y - 0.15), 0.69, 0.3, style.tint(style.ACCENT))
            label(ax, (x - 0.28, y), "✗" if wrong else "✓", **look)
            said = f"{steady_round(100 * number, 0):.0f} %".replace("-", "\N{MINUS SIGN}")
            label(ax, (x + 0.28, y), said, ha="right", **look)
    return figure


NAMES = {"grammar": "small model", "earlier": "large model"}
PARTNERS = {"road": "road / street", "El": "El / La", "camino": "camino / calle"}


def _load_stored() -> dict[str, Mapping[str, Any]]:
    """What was measured of the two models that the notebook compares, by the figures' names."""
    models = experiments.load("heads-on-real-text")["models"]
    return {said: models[name] for name, said in NAMES.items()}


@figure(
    "real-heads-where",
    hero=True,
    caption="How much of the gender comes along with a single vector from a sentence whose noun "
    "has the other gender.",
    alt="Four maps, layers against words. The small model reads: one cell with 98 percent for the "
    "English noun in the embedding and in layer 0, then 98 at the English adjective in layer "
    "1. It has written: nothing but the place of the ending at the end. The large model "
    "reads: 35 to 27 percent at the English noun in all layers, next to nothing elsewhere. It "
    "has written: 68 percent at the article El or La, none at the noun, and up the layers "
    "less at the article, 12, 49 and 100 at the place of the ending.",
)
def draw_where() -> Figure:
    small, large = (found["where"]["after is"] for found in _load_stored().values())
    (_, noun, *_), *_, (*_, adjective, _) = small["encoder"]
    _, article, *_ = large["decoder"][0]
    return _ways_of_the_gender(
        {
            "small model: from the English noun": {
                ("street", "small"): noun,
                ("small", "pequeña"): adjective,
            },
            "large model: mostly from its own article": {
                ("street", "pequeña"): large["encoder"][0][1],
                ("La", "pequeña"): article,
            },
        }
    )


@figure(
    "real-heads-finds",
    caption="How often each head looks most at the noun of the adjective, and how often a rule "
    "would.",
    alt="Three pairs of rows of dots, a dot for each head, by how many points it beats the "
    "best rule of places. In the small model one encoder head finds the noun in 79 % of the "
    "sentences, 36 points more than the rule; all its others are worse than their rules. In the "
    "large model three of 72 dots lie clearly beyond theirs, at 50, 66 and 68 %; the best "
    "by 7 and 11 points.",
)
def draw_finds() -> Figure:
    looks = {name: found["looks"] for name, found in _load_stored().items()}
    small, large = (
        100
        * max(head["finds"] - kind["place"] for kind in kinds.values() for head in kind["heads"])
        for kinds in looks.values()
    )
    title = f"The small model’s best head beats a fixed rule by {small:.0f} points, "
    return _found_by_heads(looks, f"{title}the large one’s by {large:.0f}")


@figure(
    "real-heads-off",
    caption="Right endings with several heads off: those needed most, and others drawn at random.",
    alt="Two panels, each from its own 0: all heads on, 90 % right in the small model and 75 % in "
    "the large one. In the small model the most needed head alone costs 35 points; the line comes "
    "back to \N{MINUS SIGN}21 with four off and ends at \N{MINUS SIGN}42, below a coin. In the "
    "large model it falls slowly, by 4 points with one head and 17 with sixteen. Bands for heads "
    "drawn at random stay near 0, but in the small model fall with eight and sixteen.",
)
def draw_off() -> Figure:
    found = {name: one["heads off"] for name, one in _load_stored().items()}
    small, large = (
        100 * (one["trained"]["share"] - one["together"][0]["chosen"]) for one in found.values()
    )
    title = f"The most needed head is worth {small:.0f} points in the small model, "
    return _heads_together(found, f"{title}{large:.0f} in the large")


@figure(
    "real-heads-lens",
    caption="How often the right ending would be written if the decoder ended earlier.",
    alt="A row of dots for each of five kinds of sentences, in percent. In the small model all are "
    "at 0 in the input and in layer 0, and at 69 to 100 % in layer 1. In the large model all are "
    "at 0 until layer 0, between 27 and 86 % in layer 1, and between 44 and 98 % in layer 2.",
)
def draw_lens() -> Figure:
    from course.chapters.ch15_heads_on_real_text.corpus import TEMPLATES

    said = {"noun": "key", "other": "chair", "adjective": "small"}
    shares = {
        name: {
            TEMPLATES[kind][0].format(**said): [row["top"] for row in one["lens"]]
            for kind, one in found["where"].items()
        }
        for name, found in _load_stored().items()
    }
    return _by_layer(shares, "The right ending appears only in the last layers")


@figure(
    "real-heads-pronouns",
    caption="Pronoun pairs with both genders right: as they are, and with the noun said again.",
    alt="Three rows, a dot for the small model, at 99 % in all, and one for the "
    "large: 16 %, below the line of chance at 25 %, where English says “it was too tired”; "
    "at 20 % where it says “the animal was too tired”; and at 60 % where Spanish says “el animal” "
    "again, too.",
)
def draw_pronouns() -> Figure:
    said = {
        "it": ("… because * it * was too tired.",),
        "again": ("… because * the animal * was too tired.",),
        "written": (
            "… because * the animal * was too tired.",
            "… porque * el animal * estaba demasiado …",
        ),
    }
    found = _load_stored()
    groups = {
        words: {name: one["pronoun"][key]["both"] for name, one in found.items()}
        for key, words in said.items()
    }
    return _shares_with_intervals(
        groups,
        "The large model needs the noun said again, in Spanish",
        "A pair: “The animal didn't cross the street because it was too tired”, and “… too wide”",
        0.25,
    )


@figure(
    "real-heads-repeated",
    caption="Ten claims about the large model, and what two more runs say about them.",
    alt="A table of ten claims: when each holds, and its number in the large model and in two more "
    "runs. Eight hold in all three. Two fail, marked at the bottom. “The article brings less "
    "through it than after is” needs more than 0: 38 for the large model, 4 for seed 1, but "
    "\N{MINUS SIGN}1 for seed 2. “No head alone carries a third of the margin” needs less than 33: "
    "22 and 19, but 57 for seed 2.",
)
def draw_repeated() -> Figure:
    from course.chapters.ch15_heads_on_real_text.experiment_repeated import claims

    stored = experiments.load("heads-on-real-text")["models"]
    names = {"earlier": "large model", "seed-1": "seed 1", "seed-2": "seed 2"}
    told = {said: claims(stored[name]) for name, said in names.items()}
    held = sum(all(claim.holds for claim in row) for row in zip(*told.values(), strict=True))
    first = told["large model"]
    return _claim_table(
        [(claim.what, claim.limit, claim.above) for claim in first],
        {name: [claim.number for claim in found] for name, found in told.items()},
        f"{held} of {len(first)} claims about the large model also hold in two more runs",
    )
