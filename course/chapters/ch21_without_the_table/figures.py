"""Without the table: a state beside a cache, what it can copy, what it costs, what it is worth."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, box
from course.drawing.plots import curves, doubling, name_lines, shares
from course.drawing.registry import figure
from course.drawing.rows import seed_rows
from course.drawing.words import canvas, heading, label, titled, word

SENTENCE = ("the", "queen", "drank", "a", "glass", "of", "water")
LOUD = style.ACCENT
KINDS = "linear attention", "state space", "minGRU"


def _two_memories(words: Sequence[str] = SENTENCE) -> Figure:
    """Draw what is stored while a text is read: a cache that grows, and a state that doesn't."""
    figure, ax = canvas(style.WIDTH, 3.9)
    heading(
        ax,
        "A cache keeps a row for each word, a state has one size",
        "What a layer hands on to the next word, after each word that it has read",
    )
    step = (style.WIDTH - 1.6) / len(words)
    for number, text in enumerate(words):
        x = 2.02 + step * number
        word(ax, (x, 3.05), text)
        ax.vlines(x, 1.64 + 0.165 * number, 2.92, color=style.RULE, linewidth=1.5, zorder=1)
        ax.vlines(x, 0.8, 1.28, color=style.RULE, linewidth=1.5, zorder=1)
        for row in range(number + 1):
            new = style.SOFT if row == number else style.GROUND
            box(ax, (x, 1.62 + 0.165 * row), 0.52, 0.13, fill=new, round=0.03)
        label(ax, (x, 1.38), str(number + 1), ha="center", color=style.MUTED)
        mixed = to_hex(1 - (1 - np.array(to_rgb(LOUD))) * (number + 1) / len(words))
        box(ax, (x, 0.55), 0.52, 0.52, "S", LOUD, fill=mixed)
        if number:
            arrow(ax, (x - step + 0.3, 0.55), (x - 0.32, 0.55))
    for y, name, *rest in (
        (1.82, "cache", "a key and a value", "for each word"),
        (0.74, "state S", "one sum, always", "of the same size"),
    ):
        label(ax, (0.02, y), name, size=style.LABEL, weight="bold")
        for line, said in enumerate(rest, 1):
            label(ax, (0.02, y - 0.2 * line), said, color=style.MUTED)
    return figure


def _copy_lines(
    curves: Mapping[str, Mapping[int, Sequence[float]]], loud: str, numbers: int
) -> Figure:
    """Draw the share of a row's words that is right against its length, a line for each seed.

    curves: name -> words in a row -> a share for each of three seeds. loud: the name in the accent
    color; its lowest seed is named apart. numbers: in the state of each model.
    """
    figure = style.new_figure(style.WIDTH, 4.3)
    titled(
        figure,
        "A small state forgets long rows; a layer of attention remembers more of them",
        f"Right words of a repeated row, with a state of {numbers} numbers; a line for each seed",
    )
    ax = figure.subplots()
    for name, found in curves.items():
        seeds = sorted(zip(*found.values(), strict=True), key=sum)
        color, wide = (LOUD, 2.6) if name == loud else (style.SOFT, 1.8)
        names = ["its third seed", "_", name] if name == loud else ["_", name, "_"]
        for seed, said in zip(seeds, names, strict=True):
            ax.plot(list(found), seed, color=color, linewidth=wide, label=said)
    ax.set(xlabel="words in the row", ylim=(0, 1.02), xticks=list(found))
    ax.set_xlim(min(found), max(found))
    shares(ax.yaxis)
    name_lines(ax, wide=22)
    return figure


def _size_lines(
    kinds: Mapping[str, Mapping[int, Sequence[float]]], attention: tuple[int, Sequence[float]]
) -> Figure:
    """Draw the share of right words in the longest rows against the numbers in the state.

    kinds: name -> numbers -> a share for each seed. attention: the numbers of the model that has
    attention as well, and its share for each seed; a dashed line is at the best.
    """
    figure = style.new_figure(style.WIDTH, 4.2)
    titled(
        figure,
        "The larger the state, the more of a long row it holds",
        "Right words in rows of 32: the mean of three seeds, and upright their range",
    )
    ax = figure.subplots()
    beside = {"textcoords": "offset points", "va": "center"}
    for name, found in kinds.items():
        first = name == next(iter(kinds))
        numbers, color = list(found), LOUD if first else style.MUTED
        means = [sum(seeds) / len(seeds) for seeds in found.values()]
        ax.plot(numbers, means, "o-", color=color, label=name, linewidth=2.4, zorder=3 + first)
        ends = [[end(seeds) for seeds in found.values()] for end in (min, max)]
        ax.vlines(numbers, *ends, color=color, alpha=0.5, linewidth=1.6, clip_on=False)
        middle = (len(numbers) - 1) // 2 or -1
        side = {"xytext": (-12, 5) if first else (12, -8), "ha": "right" if first else "left"}
        look = {"color": color, "weight": "bold" if first else "normal"}
        ax.annotate(name, (numbers[middle], means[middle]), **look, **side, **beside)
    size, found = attention
    ax.axhline(max(found), color=style.SOFT, linestyle="--", linewidth=1.4, zorder=1)
    seeds = f"{sum(share > 0.99 for share in found)} of {len(found)} seeds"
    said = f"with a layer of attention, {size} numbers are enough ({seeds})"
    ax.annotate(said, (size, max(found)), (0, 9), color=style.MUTED, **beside)
    doubling(ax, list(next(iter(kinds.values()))))
    ax.set(xlabel="numbers in the state, twice as many at each tick", ylim=(0, 1.09))
    ax.spines["left"].set_bounds(0, 1)
    ax.set_xlim(left=0.9 * ax.get_xticks()[0])
    shares(ax.yaxis)
    return figure


def _cost_lines(
    lengths: Sequence[int], panels: Mapping[str, Mapping[str, Sequence[float]]]
) -> Figure:
    """Draw what a word costs against the words before it: a panel for memory, one for time.

    panels: title -> name -> a number for each length. The cache is in the accent; where it rises
    above linear attention's time is marked.
    """
    figure = style.new_figure(style.WIDTH, 4.3)
    note = "Grey: layers that keep a state of one size instead"
    titled(figure, "A cache grows with the text, and so does the time for the next word", note)
    axes = figure.subplots(1, len(panels))
    for ax, (title, ways) in zip(axes, panels.items(), strict=True):
        (loud,) = (name for name in ways if name.startswith("attention"))
        curves(ax, lengths, ways, loud=[loud], names=False)
        for line in ax.lines:
            line.set(linewidth=3 if line.get_color() == LOUD else 1.4)
        ax.set_title(title, fontsize=style.LABEL, loc="left")
        ax.set(xlabel="words so far", xlim=(0, lengths[-1]), xticks=[0, *lengths[-2:]], ylim=0)
        ax.locator_params(axis="y", nbins=3)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.yaxis.set_major_formatter("{x:,g}")
        name_lines(ax, wide=16)
    times = ways[loud]
    after = max(1, next(place for place, time in enumerate(times) if time > 1))
    slower = np.interp(1, times[after - 1 : after + 1], lengths[after - 1 : after + 1])
    ax.plot(slower, 1, "o", color=LOUD, markersize=7)
    said = f"slower from about\n{round(slower, -2):,.0f} words on"
    look = {"color": LOUD, "textcoords": "offset points", "va": "top", "size": style.NOTE}
    ax.annotate(said, (slower, 1), (8, -4), **look)
    return figure


# --- the figures of the notebook ------------------------------------------------------------------


@figure(
    "without-two-memories",
    caption="What is handed on from word to word: a cache that grows, or a state of one size.",
    alt="Seven words from left to right. Below each a stack of small boxes, one at the first word, "
    "seven at the last, the newest on top and marked: the cache, a key and a value for each word. "
    "Below them a chain of seven boxes of the same size, each with an S and in a stronger orange "
    "than the one before: the state, one sum. A line leads from each word to its row and its S.",
)
def draw_two_memories() -> Figure:
    return _two_memories()


@figure(
    "without-copies",
    hero=True,
    caption="A small state copies little of a long row; with one layer of attention in two, two of "
    "three seeds copy every row.",
    alt="The share of right words in the second row against its length, 4 to 32 words, a line for "
    "each of three seeds. With 352 numbers in the state of linear attention it falls from 85, 33 "
    "and 5 % to 15, 6 and 1 %. Of three lines with 352 numbers and one layer of attention two stay "
    "at 100 %, the third falls from 94 to 38 %, and stays above all of the others.",
)
def draw_copies() -> Figure:
    from course.chapters.ch21_without_the_table import results

    runs = results.copying()
    (size, numbers), *_ = results.sizes(runs, "linear attention").items()
    lengths = [int(words) for words in runs[0]["copied"]]
    kinds = {"linear attention": size, "one layer of attention": 4}
    alone, loud = (
        {words: results.copied(runs, kind, size, words) for words in lengths}
        for kind, size in kinds.items()
    )
    name = "with one layer of attention, two seeds"
    return _copy_lines({"linear attention, three seeds": alone, name: loud}, name, numbers)


@figure(
    "without-sizes",
    caption="More numbers in the state, more of a long row: the curve against the state's size.",
    alt="The share of right words in rows of 32 against the numbers in the state, from 352 "
    "to 5,632. Linear attention rises from 7 to 36, 82, 95 and 99 %, the state space, from 704 on, "
    "from 19 to 63, 95 and 99 %. The minGRU has 8 % with 512 and 16 % with 896. A dashed line is "
    "at 100 %: with one layer of attention and 352 numbers, its cache not counted, two seeds come "
    "that far; the third, at 38 %, isn't drawn.",
)
def draw_sizes() -> Figure:
    from course.chapters.ch21_without_the_table import results

    runs = results.copying()
    kinds = {
        kind: {
            numbers: results.copied(runs, kind, size)
            for size, numbers in results.sizes(runs, kind).items()
        }
        for kind in KINDS
    }
    (numbers,) = results.sizes(runs, "one layer of attention").values()
    return _size_lines(kinds, (numbers, results.copied(runs, "one layer of attention", 4)))


@figure(
    "without-costs",
    caption="What a layer keeps, and what the next word takes, after 16 to 2,048 words.",
    alt="Two panels against the words so far, up to 2,048. Kilobytes kept by a layer: with a "
    "cache a straight line up to 2,097; one line at the bottom for layers with a state, 0.7 "
    "to 19. Time for the next word, by linear attention's: with a cache it rises from 0.7 to "
    "1.5, and a dot marks where it crosses 1, after about 700 words; the state space stays "
    "near 2.7, the minGRU at 0.5.",
)
def draw_costs() -> Figure:
    rows = experiments.load("state-times")["rows"]
    first, names = "linear attention", ("attention, with a cache", *KINDS)
    times = [{first: 1.0} | row["next word"] for row in rows]
    kept = {name: [row["bytes"][name] / 1000 for row in rows] for name in names}
    attention, *states = kept
    low, high = (end(kept[name][-1] for name in states) for end in (min, max))
    return _cost_lines(
        [row["length"] for row in rows],
        {
            "kilobytes kept by a layer": {
                f"{attention}: {kept[attention][-1]:,.0f}": kept[attention],
                f"layers with a state: {low:.1g} to {high:.0f}": kept[first],
            },
            "time for the next word (linear attention: 1)": {
                name: [time[name] for time in times] for name in names
            },
        },
    )


@figure(
    "without-worth",
    caption="A state in place of each self-attention of the translator, on three seeds.",
    alt="Four rows, three panels, a dot for each seed: points above self-attention's mean. Longer "
    "sentences, a wide panel: the minGRU 50 above, the state space 11 above, linear attention 5 "
    "below. As in training: the minGRU 6 above, the state space 9 below, linear attention no clear "
    "difference. With a pronoun: the minGRU no clear difference, the state space 17 below, linear "
    "attention 14 below.",
)
def draw_worth() -> Figure:
    from course.chapters.ch21_without_the_table import experiments as exchange

    base, *others = exchange.points()
    others.sort(key=lambda row: -sum(row["longer"]))
    return seed_rows(
        [base | {"what": "self-attention"}, *others],
        {"longer": "longer sentences", "test": "as in training", "pronoun": "with a pronoun"},
        title="The minGRU, a gated state, reads longer sentences better than attention",
        note="Right sentences of 100, above or below self-attention’s (band); a dot for each seed",
        loud=[("minGRU", "longer")],
        written=lambda mean: f"{mean:+.0f}",
        ticks=[-25, 0, 25, 50],
        spans=[(-20, 65), (-32, 18), (-32, 18)],
    )
