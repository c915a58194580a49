"""Without the table: a state beside a cache, what it can copy, what it costs, what it is worth."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, box
from course.drawing.plots import GREYS, curves, doubling, name_lines, shares
from course.drawing.registry import figure
from course.drawing.rows import seed_rows
from course.drawing.words import canvas, heading, label, titled, word

NAMES = {"base": "self-attention"}
SENTENCE = ("the", "queen", "drank", "a", "glass", "of", "water")
LOUD = style.ACCENT
TICKS = ((0.5, 1, 2), (1, 10, 100, 1000))  # of a short and of a long axis
KINDS = dict(zip(("linear attention", "state space", "minGRU"), GREYS, strict=False))


@mpl.rc_context(style.PRINT)
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
        for row in range(number + 1):
            new = style.SOFT if row == number else style.GROUND
            box(ax, (x, 1.62 + 0.165 * row), 0.52, 0.13, fill=new, round=0.03)
        label(ax, (x, 1.38), str(number + 1), ha="center", color=style.MUTED)
        box(ax, (x, 0.55), 0.52, 0.52, "S", LOUD, fill=LOUD)
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


@mpl.rc_context(style.PRINT)
def _copy_lines(curves: Mapping[str, Mapping[int, Sequence[float]]], loud: str) -> Figure:
    """Draw the share of a row's words that is right against its length, a line for each model.

    curves: name -> words in a row -> a share for each seed. A line is the mean, its band goes from
    the lowest to the highest seed; of `loud`, which the title speaks of, each seed has a line.
    """
    figure = style.new_figure(style.WIDTH, 4.3)
    titled(
        figure,
        "A small state forgets long rows; with one layer of attention it needn't",
        "The state holds as many numbers as each line says. Grey: the mean of three seeds, "
        "and their range",
    )
    ax = figure.subplots()
    for name, found in curves.items():
        words = list(found)
        if name == loud:
            runs = sorted(zip(*found.values(), strict=True), key=sum)
            labels = ["the same, third seed", *(len(runs) - 2) * ["_"], loud]
            for seed, said in zip(runs, labels, strict=True):
                look = {"linewidth": 1.8} if seed is not runs[0] else {"linestyle": (0, (4, 2))}
                ax.plot(words, seed, color=LOUD, label=said, zorder=3, **look)
            continue
        means = [sum(seeds) / len(seeds) for seeds in found.values()]
        ends = [[end(seeds) for seeds in found.values()] for end in (min, max)]
        ax.fill_between(words, *ends, color=style.MUTED, alpha=0.12, linewidth=0)
        ax.plot(words, means, color=style.SOFT, linewidth=3.6, label=name)  # seen behind the loud
    ax.set(xlabel="words in the row", ylim=(0, 1.12), xticks=words, xlim=(words[0], words[-1]))
    ax.set_ylabel("right words of a repeated row")
    ax.spines["left"].set_bounds(0, 1)
    above = {"xytext": (0, 6), "textcoords": "offset points", "ha": "right", "color": LOUD}
    ax.annotate(f"{loud}: two of three seeds", (words[-1], 1), weight="bold", **above)
    shares(ax.yaxis)
    name_lines(ax, wide=20, but=[loud])
    return figure


@mpl.rc_context(style.PRINT)
def _size_lines(
    kinds: Mapping[str, Mapping[int, Sequence[float]]],
    loud: Mapping[str, tuple[int, Sequence[float]]],
) -> Figure:
    """Draw the share of right words in the longest rows against the numbers in the state.

    kinds: name -> numbers -> a share for each seed. loud: one model alone, a diamond for each
    seed, and a dashed line at the best.
    """
    figure = style.new_figure(style.WIDTH, 4.2)
    titled(
        figure,
        "The larger the state, the more of a long row it holds",
        "Share of the words that is right, in rows of 32. Lines: means; dots: three seeds",
    )
    ax = figure.subplots()
    beside = {"textcoords": "offset points", "va": "center"}
    for name, found in kinds.items():
        first, (color, dashes) = name == next(iter(kinds)), KINDS[name]
        numbers, color = list(found), LOUD if first else color
        means = [sum(seeds) / len(seeds) for seeds in found.values()]
        look = {"linestyle": dashes, "linewidth": 3 if first else 1.6, "zorder": 3 + first}
        ax.plot(numbers, means, color=color, label=name, **look)
        for size, seeds in found.items():
            dots = {"s": 22, "color": color, "alpha": 0.4, "linewidth": 0, "zorder": 2 + first}
            ax.scatter([size] * len(seeds), seeds, clip_on=False, **dots)
        middle = (len(numbers) - 1) // 2 or -1
        side = {"xytext": (-12, 5) if first else (12, -8), "ha": "right" if first else "left"}
        ink = style.readable(color, style.PAPER)
        ax.annotate(name, (numbers[middle], means[middle]), color=ink, **side, **beside)
        for end, way in ((0, (-8, 4)), (-1, (8, -3))) if first else ():
            own = {"weight": "bold", "color": color, "ha": "left" if end else "right"}
            said = f"{100 * means[end]:.0f} %"
            ax.annotate(said, (numbers[end], means[end]), way, **own, **beside)
    for name, (size, seeds) in loud.items():
        grey = {"color": style.MUTED, "markersize": 6, "markerfacecolor": style.PAPER}
        far = max(max(found) for found in kinds.values())
        ax.plot([size, far], 2 * [max(seeds)], "--", color=style.SOFT, linewidth=0.9, zorder=1)
        ax.plot(len(seeds) * [size], sorted(seeds), "D", label=name, clip_on=False, **grey)
        look = {"xytext": (12, -36), "color": style.MUTED, "size": style.NOTE}
        ax.annotate(name, (size, max(seeds)), **look, **beside)
    doubling(ax, list(next(iter(kinds.values()))))
    ax.set(xlabel="numbers in the state, twice as many at each tick", ylim=(0, 1.04))
    ax.set_xlim(left=0.8 * ax.get_xticks()[0])
    shares(ax.yaxis)
    return figure


@mpl.rc_context(style.PRINT)
def _cost_lines(
    lengths: Sequence[int], panels: Mapping[str, Mapping[str, Sequence[float]]]
) -> Figure:
    """Draw what a word costs against the words before it: a panel for memory, one for time.

    panels: title -> name -> a number for each length, on logarithmic axes. The cache is in the
    accent.
    """
    figure, loud = style.new_figure(style.WIDTH, 3.9), "attention, with a cache"
    note = "Grey: layers that keep a state of one size instead"
    titled(figure, "A cache grows with the text, and so does the time for the next word", note)
    axes = figure.subplots(1, len(panels))
    for ax, (title, ways) in zip(axes, panels.items(), strict=True):
        curves(ax, lengths, ways, loud=[loud], names=False)
        for line in ax.lines:
            line.set(linewidth=3 if line.get_label() == loud else 1.4)
        doubling(ax, [*lengths[:-2:2], lengths[-1]])
        low, high = min(map(min, ways.values())), max(map(max, ways.values()))
        doubling(ax, TICKS[high / low > 100], "y")
        ax.set_xticks(lengths, len(lengths) * [""], minor=True)
        ax.grid(axis="y", linewidth=0.6)
        ax.set_ylim(low / (high / low) ** 0.06, high * (high / low) ** 0.06)
        for end, way in ((0, (-5, 9)), (-1, (-12, -2))):
            at = lengths[end], ways[loud][end]
            said = f"{at[1]:,.0f}" if at[1] > 10 else f"{at[1]:.1f}"
            look = {"color": LOUD, "weight": "bold", "ha": "right" if end else "left"}
            ax.annotate(said, at, way, textcoords="offset points", **look)
            ax.plot(*at, "o", color=LOUD, markersize=7)
        ax.set_title(title, fontsize=style.LABEL, loc="left")
        ax.set_xlabel("words so far")
        name_lines(ax, wide=16)
    return figure


# --- the figures of the notebook ------------------------------------------------------------------


@figure(
    "without-two-memories",
    caption="What is handed on from word to word: a cache that grows, or a state of one size.",
    alt="Seven words from left to right. Below each a stack of small boxes, one at the first word, "
    "seven at the last, the newest on top and marked: the cache, a key and a value for each word. "
    "Below them a chain of seven boxes of the same size, each with an S: the state, one sum.",
)
def draw_two_memories() -> Figure:
    return _two_memories()


def _copy_curves() -> dict[str, dict[int, list[float]]]:
    from course.chapters.ch21_without_the_table import results

    runs = results.copying()

    def of(kind: str, size: int) -> dict[int, list[float]]:
        (first, *_) = (run for run in runs if run["kind"] == kind)
        return {int(n): results.copied(runs, kind, size, int(n)) for n in first["copied"]}

    sizes = list(results.sizes(runs, "linear attention").items())[::2]  # more would run together
    said = "linear attention, {:,} numbers"
    curves = {said.format(numbers): of("linear attention", size) for size, numbers in sizes}
    return curves | {
        "a state of 352 numbers, and one layer of attention": of("one layer of attention", 4)
    }


@figure(
    "without-copies",
    hero=True,
    caption="A state copies what fits into it; one layer of attention in two copies every row, "
    "once it has learned to.",
    alt="The share of right words in the second row against its length, 4 to 32 words. With 352 "
    "numbers in the state of linear attention it is 41 % at 4 words, on average, and 7 % at 32; "
    "with 1,408 it falls from 98 to 82 %; with 5,632 it ends at 99 %. Of three lines with 352 "
    "numbers and one layer of attention two stay at 100 %, the third falls to 38 %.",
)
def draw_copies() -> Figure:
    curves = _copy_curves()
    return _copy_lines(curves, loud=list(curves)[-1])


@figure(
    "without-sizes",
    caption="More numbers in the state, more of a long row: the curve against the state's size.",
    alt="The share of right words in rows of 32 against the numbers in the state, from 352 "
    "to 5,632. Linear attention rises from 7 to 36, 82, 95 and 99 %, the state space, from 704 on, "
    "from 19 to 63, 95 and 99 %. The minGRU has 8 % with 512 and 16 % with 896. Two open "
    "diamonds: with one layer of attention and 352 numbers, its cache not counted, two seeds are "
    "at 100 %, one at 38 %.",
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
    hybrid = results.copied(runs, "one layer of attention", 4)
    third = f"the third at {100 * min(hybrid):.0f} %"
    said = f"with one attention layer\n(cache not counted):\ntwo seeds at 100 %,\n{third}"
    return _size_lines(kinds, {said: (numbers, hybrid)})


@figure(
    "without-costs",
    caption="What a layer keeps, and what the next word takes, after 16 to 2,048 words.",
    alt="Two panels, logarithmic, against the words so far, from 16 to 2,048. Kilobytes kept by a "
    "layer: with a cache they double from 16 to 2,097; linear attention stays at 17, the state "
    "space at 19, the minGRU at 0.7. Time for the next word, by linear attention's: with a cache "
    "0.7 up to 128 words, then it rises to 1.5; the state space stays near 2.7, the minGRU at 0.5.",
)
def draw_costs() -> Figure:
    rows = experiments.load("state-times")["rows"]
    first, names = "linear attention", ("attention, with a cache", *KINDS)
    times = [{first: 1.0} | row["next word"] for row in rows]
    one = {first: "linear attention and state space", "state space": "_"}  # nearly one line
    return _cost_lines(
        [row["length"] for row in rows],
        {
            "kilobytes kept by a layer": {
                one.get(name, name): [row["bytes"][name] / 1000 for row in rows] for name in names
            },
            "time for the next word (linear attention: 1)": {
                name: [time[name] for time in times] for name in names
            },
        },
    )


@figure(
    "without-worth",
    caption="A state in place of each self-attention of the translator, on three seeds.",
    alt="Four rows, three panels, a dot for each seed: points above self-attention's mean. As in "
    "training: linear attention no clear difference, the minGRU 6 above, the state space 9 "
    "below. With a pronoun: linear attention 14 below, the minGRU no clear difference, the state "
    "space 17 below. Longer: linear attention 5 below, the minGRU 50 above, the state space 11 "
    "above.",
)
def draw_worth() -> Figure:
    from course.chapters.ch21_without_the_table import experiments as exchange

    rows = [{**row, "what": NAMES.get(row["what"], row["what"])} for row in exchange.points()]
    return seed_rows(
        rows,
        {"test": "as in training", "pronoun": "with a pronoun", "longer": "longer"},
        title="The minGRU, a gated state, reads longer sentences better than attention",
        note="points of right sentences above self-attention; a dot for each of three seeds\n"
        "band: from self-attention's lowest to its highest; pale dots: no clear difference",
        loud=[("minGRU", "longer")],
        written=lambda mean: f"{mean:+.0f}",
        ticks=[0, 25, 50],
    )
