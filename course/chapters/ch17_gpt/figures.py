"""A language model: its way to the floor, what it writes, and the heads that repeat."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from course import experiments
from course.drawing import style
from course.drawing.architecture import BOX_HEIGHT, MIDDLES, PARTS, architecture
from course.drawing.arrows import arrow, bracket, path
from course.drawing.cells import mask
from course.drawing.plots import curves, dot_rows, doubling, name_lines, shares
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import canvas, heading, label, titled, word
from transformer_lib.model.masks import causal_mask
from transformer_lib.variants.language_model import prefix_mask

Row = Mapping[str, Any]
ATTENDS = 0.4  # from this weight on a head is said to attend to a place


def _way_to_the_floor(history: Sequence[Row], floor: float, all_equal: float) -> Figure:
    """Draw the loss on held-out text against the step, and the floor under it -> the figure.

    floor: a bound of the nats per token that nobody can learn away; all_equal: the loss where all
    words are thought equally likely. Raises ValueError for a loss below the floor.
    """
    steps = [entry["step"] for entry in history]
    losses = [entry["validation_loss"] for entry in history]
    if not history or min(losses) < floor:
        raise ValueError(f"a loss below the floor of {floor:.3f}, or none: {losses}")
    figure = style.new_figure(style.WIDTH, 4.0)
    above = f"{losses[-1] - floor:.2f}"
    # no point of the curve: nobody measured it, and random weights begin higher
    note = f"With all words equally likely it would be {all_equal:.1f}"
    title = f"After {steps[-1]:,} steps the loss is {above} nats above the floor"
    titled(figure, title, note)
    ax = figure.subplots()
    curves(ax, steps, {"loss": losses}, names=False, marker="o")
    beside = {"textcoords": "offset points", "color": style.MUTED}
    ax.annotate("the loss", (steps[1], losses[1]), (8, 8), weight="bold", **beside)
    bottom, x = 0.8 * floor, 1.03 * steps[-1]
    ax.axhspan(bottom, floor, color=style.GROUND)
    ax.axhline(floor, color=style.SOFT, linewidth=1.2)
    said = f"the floor: {floor:.2f} nats that the grammar's own dice decide"
    ax.text(0.5 * steps[-1], (bottom + floor) / 2, said, ha="center", va="center")
    bracket(ax, (x, floor), (x, losses[-1]), above, style.ACCENT)
    ax.set(xlabel="steps of training", ylabel="nats per token, held-out text")
    ax.set(ylim=(bottom, 1.1 * max(losses)), xlim=(-0.02 * steps[-1], 1.1 * steps[-1]))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _above_the_floor(panels: Mapping[str, Mapping[float, Sequence[float]]]) -> Figure:
    """Draw how far above the floor models end, both axes logarithmic -> the figure.

    panels: what grows -> {how large -> the distance of each seed, in nats per token}. A dot for
    each seed, a line through the means, a bracket from the first to the last; a factor is equally
    wide in all panels. Raises ValueError for a distance that is not above 0.
    """
    distances = [d for panel in panels.values() for seeds in panel.values() for d in seeds]
    if not distances or min(distances) <= 0:
        raise ValueError(f"distances above the floor are more than 0, these are not: {distances}")
    factors = {name: max(panel) / min(panel) for name, panel in panels.items()}
    room = {"width_ratios": [math.log(1.7 * factor) for factor in factors.values()]}
    figure, axes = style.panels(len(panels), 3.7, sharey=True, gridspec_kw=room)
    said = []
    for ax, (name, panel) in zip(axes, panels.items(), strict=True):
        means = [sum(seeds) / len(seeds) for seeds in panel.values()]
        small, large = min(panel), max(panel)
        said.append((f"{factors[name]:.0f} times the {name}", f"{means[0] / means[-1]:.0f}"))
        curves(ax, list(panel), {name: means}, loud=[name] if ax is axes[0] else [], names=False)
        color = ax.lines[0].get_color()
        for size, seeds in panel.items():
            ax.scatter([size] * len(seeds), seeds, s=16, color=color, zorder=3)
        ax.axhline(means[-1], color=style.RULE, linewidth=1, zorder=1)
        bracket(ax, (small, means[-1]), (small, means[0]), f"÷ {said[-1][1]}", color)
        named = [small, large]
        for size in panel:
            if all(max(size / other, other / size) >= 2.5 for other in named):
                named.append(size)  # its name wouldn't lie on another one's
        doubling(ax, sorted(named))
        doubling(ax, [0.25, 0.5, 1, 2], "y")
        ax.tick_params(axis="y", length=4 if ax is axes[0] else 0)
        ax.set_title(said[-1][0])
        ax.set_xlim(small / 1.25, large * 1.36)
    axes[0].set_ylim(min(distances) / 1.3, max(distances) * 1.3)
    largest = f"the largest model: {means[-1]:.2f}"
    at = min(next(iter(panels.values()))), means[-1]
    axes[0].annotate(largest, at, (9, 6), textcoords="offset points", color=style.MUTED)
    figure.get_layout_engine().set(w_pad=0.1)  # type: ignore[union-attr]
    titled(
        figure,
        f"{said[0][0]} bring the loss {said[0][1]} times nearer to the floor",
        "Nats per token above the floor, both axes logarithmic; a dot for each of three seeds",
    )
    return figure


def _dial_points(rows: Sequence[Row]) -> Figure:
    """Draw for each way of drawing what share could be the grammar's, against how many words.

    rows: "what", "drawn", the share "own" of these, with a line for the 95 % interval, and
    "words"; an arrow leads from the first to the one with the largest share. Raises ValueError for
    none.
    """
    from course.chapters.ch17_gpt.experiments import interval

    if not rows:
        raise ValueError("there are no rows: there is nothing to draw")
    figure = style.new_figure(style.WIDTH, 4.4)
    first, best = rows[0], max(rows, key=lambda row: row["own"])
    title = (
        f"{best['what'].capitalize()}: {best['own'] / first['own']:.1f} times as often right, "
        f"{100 - 100 * best['words'] / first['words']:.0f} % fewer different words"
    )
    count = first["drawn"]
    note = f"{count} sentences for each way to draw a small GPT's words; upright: 95 % intervals"
    titled(figure, title, note)
    ax = figure.subplots()
    for row in rows:
        at, color = (row["words"], row["own"]), style.ACCENT if row is best else style.MUTED
        ends = interval(row["own"], row["drawn"])
        ax.plot([row["words"]] * 2, ends, color=color, linewidth=1, alpha=0.6)
        ax.scatter(*at, s=70, color=color, zorder=3)
        said, bold = f"{row['what']}: {100 * row['own']:.0f} %", "bold" if row is best else "normal"
        look = {"textcoords": "offset points", "va": "center", "color": color, "weight": bold}
        away, side = (-9, "right") if row["words"] < first["words"] else (9, "left")
        ax.annotate(said, at, (away, 0), ha=side, **look)  # off the arrow
    ends = ((row["words"], row["own"]) for row in (best, first))
    arrow = {"arrowstyle": "-|>", "color": style.ACCENT, "shrinkA": 7, "shrinkB": 7, "alpha": 0.5}
    ax.annotate("", *ends, arrowprops=arrow)
    ax.set_ylabel("right: the grammar could have written it")
    ax.set_xlabel("different words in these sentences")
    most = max(row["words"] for row in rows)
    ax.set(ylim=(0, 0.62), yticks=[0, 0.2, 0.4, 0.6], xlim=(0.3 * most, 1.22 * most))
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    return figure


def _text_masks(masks: Mapping[str, Any], words: Sequence[str], title: str = "") -> Figure:
    """Draw what each word (row) may see of the others (columns): a square for each mask.

    What a mask shows and the one before it doesn't is in the accent color.
    """
    side, left, gap = 2.12, 0.85, 0.36
    figure, ax = canvas(style.WIDTH, side + 1.55)
    heading(
        ax,
        title,
        "A dot where the word of the row may see the word of the column, in the same order",
    )
    for row, text in enumerate(words):
        y = 0.2 + side * (len(words) - row - 0.5) / len(words)
        word(ax, (left - 0.1, y), text, size=style.NOTE, ha="right")
    cell, prompt = side / len(words), words.index("=>") + 1
    before = np.ones((len(words), len(words)), bool)
    for number, (name, seen) in enumerate(masks.items()):
        x = left + number * (side + gap)
        seen = as_array(seen) > 0
        mask(ax, (x, 0.2), side, side, seen, loud=seen & ~before)
        before = seen
        for start, end, part in ((0, prompt, "prompt"), (prompt, len(words), "answer")):
            ends = [(x + at * cell, side + 0.24) for at in (start + 0.12, end - 0.12)]
            path(ax, ends, style.SOFT, head=False)
            middle = x + (start + end) / 2 * cell, side + 0.36
            label(ax, middle, part, ha="center", color=style.MUTED)
        label(ax, (x, side + 0.66), name, size=style.LABEL, weight="bold")
    return figure


def _shares_by_kind(kinds: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw the share of right sentences, kind beside kind: a line through the means of each way.

    kinds: kind of sentences -> {way: a share for each seed}, the same ways in each, the best of
    the first kind first; the last kind is loud. Raises ValueError for none.
    """
    if not kinds:
        raise ValueError("there are no kinds: there is nothing to draw")
    figure, ax = style.panel(4.2)
    note = "New sentences without a mistake. Thick: the mean of three seeds, thin: each of them"
    titled(figure, "On longer sentences all three translate badly", note)
    for number, way in enumerate(next(iter(kinds.values()))):
        seeds = np.array([ways[way] for ways in kinds.values()])
        means, color = seeds.mean(axis=1), style.MUTED if number else style.INK
        ax.plot(seeds, color=style.RULE, linewidth=1, zorder=1)
        said = f"{way}: {100 * means[-1]:.0f} %"
        ax.plot(means, color=color, linewidth=2.4, label=said, zorder=3 - number / 9)
        ax.scatter(len(kinds) - 1, means[-1], s=50, color=style.ACCENT, zorder=4, clip_on=False)
        look = {"textcoords": "offset points", "ha": "right", "va": "center", "color": color}
        ax.annotate(f"{100 * means[0]:.0f} %", (0, means[0]), (-8, 4 - 4 * number), **look)
    ax.set(xlim=(-0.25, len(kinds) - 1), ylim=(0, 1))
    ax.set_xticks(range(len(kinds)), kinds)
    shares(ax.yaxis)
    name_lines(ax, wide=17)
    for text in ax.texts[-number - 1 :]:
        text.set_color(style.ACCENT)
    return figure


def _moment(runs: Sequence[Row], row: Sequence[str] = "ab") -> Figure:
    """Draw when the second row of repeated words is learned, and when a head looks there.

    runs: "seed" and "history" with "step", "first", "second" and "head", the weight of the best of
    all heads. A dot on both curves of a seed marks the step at which its loss is below 0.5. row:
    an example; an arrow shows where to look. Raises ValueError for none.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    figure = style.new_figure(style.WIDTH, 6.0)
    note = "Three models; an upright line for each, where its loss on row 2 is below 0.5"
    titled(figure, "A repeated row is learned as a head learns where to look", note)
    example, top, bottom = figure.subplots(3, 1, height_ratios=(0.8, 2, 2))
    _where_to_look(example, row)
    bottom.sharex(top)
    for run in runs:
        steps = [entry["step"] for entry in run["history"]]
        fell = next(e["step"] for e in run["history"] if e["second"] < 0.5)
        for ax, what in ((top, "second"), (top, "first"), (bottom, "head")):
            loud, values = what != "first", [entry[what] for entry in run["history"]]
            look = {"color": style.ACCENT if loud else style.RULE, "linewidth": 1.0 + loud}
            ax.plot(steps, values, zorder=2 + loud, **look)
            if loud:
                ax.axvline(fell, color=style.SOFT, linewidth=1, zorder=1)
                ax.scatter(fell, values[steps.index(fell)], s=60, color=style.ACCENT)
                ax.collections[-1].set(edgecolor=style.PAPER, zorder=5)
    last = runs[0]["history"][-1]
    for y, color, said in (
        (last["first"] + 0.12, style.MUTED, "row 1: nobody can know it"),
        (0.25, style.ACCENT, "row 2, the same again"),
    ):
        top.text(last["step"], y, said, ha="right", va="bottom", color=color)
    top.set(ylim=(0, 4.4), ylabel="loss, in nats per word")
    top.tick_params(labelbottom=False)
    bottom.set(ylim=(0, 1.05), yticks=[0, 0.5, 1], xlabel="step of training")
    bottom.set_ylabel("the best head’s weight on the word that followed last time")
    bottom.xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _where_to_look(ax: Axes, row: Sequence[str]) -> None:
    """Write a row and how it begins again; an arrow leads to the word that followed last time."""
    ax.set(xlim=(0.4, len(row) + 3.6), ylim=(0, 1))
    ax.axis("off")
    again = len(row) + 2
    for x, text in [*enumerate(row, 1), (again, row[0]), (again + 1, "?")]:
        word(ax, (x, 0.3), text, color=style.ACCENT if x == 2 else None)
    arrow(ax, (again, 0.52), (2, 0.52), style.ACCENT, rise=0.35)
    for x, text in ((1, "row 1"), (again, "row 2")):
        label(ax, (x - 0.25, 0.8), text, color=style.MUTED)


def _heads_off(runs: Sequence[Row]) -> Figure:
    """Draw the loss on the second row with each head switched off: two rows of dots for each run.

    runs: "seed", "history", "second" and "second_with_a_head_off", by "layers.0.self_attn.1" and
    so on; "heads" with "layer", "head", and the weights "previous" and "induction". A line is at
    the loss on the first row, as if nothing were copied. Raises ValueError for none.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    figure, ax = style.panel(1.3 + 0.95 * len(runs))
    note = "A row comes twice: loss on the second, in nats per word, with one head off (a dot each)"
    titled(figure, "In each model, the head that is missed most is in layer 0", note)
    names: dict[float, str] = {}
    beside = {"textcoords": "offset points", "va": "center_baseline"}
    for number, run in enumerate(runs):
        off = run["second_with_a_head_off"]
        for layer, color in enumerate((style.ACCENT, style.MUTED)):
            y = 2.6 * number + layer
            names[y] = f"seed {run['seed']}, layer 0" if not layer else "layer 1"
            heads = [head for head in run["heads"] if head["layer"] == f"layers.{layer}.self_attn"]
            losses = [off[f"{head['layer']}.{head['head']}"] for head in heads]
            ax.plot([run["second"], max(losses)], [y, y], color=style.RULE, linewidth=1, zorder=1)
            looks = [max(head["previous"], head["induction"]) > ATTENDS for head in heads]
            fill = [color if look else style.PAPER for look in looks]
            ax.scatter(losses, [y] * len(heads), s=60, color=fill, edgecolor=color, zorder=3)
            where = "all look at the word to copy" if layer else ": it looks at the word before"
            said = f"{max(losses):.2f}" * (not layer) + where * (not number)
            weight = "normal" if layer else "bold"
            ax.annotate(said, (max(losses), y), (9, 0), color=color, weight=weight, **beside)
            others = [loss for loss, look in zip(losses, looks, strict=True) if not look]
            if others and run is runs[-1]:
                said = "a head that looks at neither"
                ax.annotate(said, (max(others), y), (-4, 14), color=color, **beside)
        ax.plot([run["second"]] * 2, [y - 1.4, y + 0.4], color=style.INK, linewidth=1)
    nothing = max(run["history"][-1]["first"] for run in runs)
    ax.axvline(nothing, color=style.INK, linewidth=1)
    for x, ha, said in ((0, "left", "all heads on"), (nothing, "right", "nothing is copied")):
        ax.annotate(said, (x, -0.6), (0, 6), ha=ha, textcoords="offset points")
    ax.set_yticks(list(names), names.values())
    ax.set(ylim=(2.6 * len(runs) - 1.1, -0.6), xlim=(-0.06, 1.02 * nothing))
    ax.set_xticks(range(4))
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    return figure


LEFT = (
    "tgt_*",
    "decoder.self_attn",
    "decoder.self_attn.heads",
    "decoder.self_attn_norm",
    "decoder.self_attn.causal.mask",
    "decoder.feed_forward*",
    "generator.*",
)


@figure(
    "gpt-what-is-left",
    hero=True,
    caption="The decoder without cross-attention: what GPT keeps of the paper's figure.",
    alt="The paper's figure of the Transformer. Orange on the right half: one-hot, embedding and "
    "position, self-attention with its causal mask, feed-forward, add & norm after both, linear "
    "and softmax, and the arrows between them, which lead around cross-attention. Grey: the whole "
    "encoder on the left, and cross-attention, which reads it.",
)
def draw_what_is_left() -> Figure:
    figure = architecture(*LEFT, title="GPT keeps only the orange parts")
    ax, accent, pale = figure.axes[0], to_hex(style.ACCENT), style.tint(style.ACCENT)
    said = "no encoder, and no cross-attention to read it"
    label(ax, (0.3, 8.3), said, size=style.LABEL, color=style.MUTED)
    cross, after = PARTS["decoder.self_attn_norm"].y, PARTS["decoder.feed_forward"].y
    tints = {tint.lower() for tint in style.TINTS.values()}
    for part in ax.patches:  # what GPT does without steps back
        middle = part.get_path().get_extents()
        if isinstance(part, FancyArrowPatch):
            gone = middle.x0 < 3.7 or cross < middle.y0 and middle.y1 < after
            part.set(color=style.RULE if gone else style.ACCENT, zorder=1 if gone else 2.5)
        elif to_hex(part.get_edgecolor()) == accent:
            part.set_facecolor(pale)
        else:
            part.set(edgecolor=style.RULE, linewidth=1)
            if to_hex(part.get_facecolor()) in tints:
                part.set_facecolor(style.GROUND)
    for text in list(ax.texts):
        ground, color, (x, y) = text.get_bbox_patch(), to_hex(text.get_color()), text.get_position()
        if y == 6.61:  # what the memory is
            text.remove()
        elif color == style.PAPER.lower() or x == 7:
            text.set_color(style.INK)
        elif y < 8.6 and (x < 3.5 or text.get_weight() == "normal"):
            text.set_color(style.MUTED)
        if ground and y < 0.5 and x < 3.5:
            ground.set_facecolor(style.GROUND)
        if ground and to_hex(ground.get_facecolor()) == accent:
            ground.set_facecolor(pale)
        if text.get_text() == "los":
            text.set_y(text.get_position()[1] + 0.06)  # its chip leaves the arrow its head
    x, aside = MIDDLES["decoder"], MIDDLES["decoder"] - 0.97
    low, high = cross + BOX_HEIGHT / 2, after - BOX_HEIGHT / 2
    way = [(x, low + 0.13), (aside, low + 0.13), (aside, high - 0.21), (x, high - 0.21)]
    path(ax, [(x, low), *way, (x, high)], style.ACCENT)
    return figure


@figure(
    "gpt-floor",
    caption="The loss of a small GPT on the grammar's sentences, and the floor under it.",
    alt="Nats per token against the step of training. Words say that it would be 6.9 with all "
    "words equally likely. The curve begins at 3.69 after 100 steps, falls to 3.05 at step 200, "
    "flattens, and ends at 2.33 at step 1,000, 0.37 above a line at 1.96. Below this line "
    "is a tinted band: the floor, which the grammar's own dice decide.",
)
def draw_floor() -> Figure:
    from course.chapters.ch17_gpt.experiments import floor

    stored = experiments.load("writing")
    return _way_to_the_floor(stored["history"], floor(), math.log(stored["words"]))


@figure(
    "gpt-scaling",
    caption="How far above the floor language models come, by sentences, weights and steps.",
    alt="Three panels with logarithmic axes: nats per token above the floor, three seeds close "
    "together, and a factor is as wide in each. From 1,000 over 3,000 and 10,000 to 30,000 "
    "sentences the distance falls from 1.83 over 0.98 and 0.41 to 0.23; from 21,744 over 55,776 to "
    "160,704 weights from 0.77 over 0.41 to 0.23; from step 250 to step 1,500 of one run from 0.88 "
    "to 0.23. All three are nearly straight lines; brackets: divided by 8, 3 and 4.",
)
def draw_scaling() -> Figure:
    from course.chapters.ch17_gpt.experiment_language_model import distances

    return _above_the_floor(distances())


@figure(
    "gpt-dials",
    caption="What a small GPT writes, by the way in which its words are drawn.",
    alt="Five points, the share of sentences that the grammar could have written against the "
    "different words in 150 sentences: words drawn as they are 0.20 and 415, with temperature 0.5 "
    "0.49 and 277, with temperature 1.5 0.06 and 503, with top-k 10 0.43 and 279, with top-p 0.9 "
    "0.27 and 358; intervals of up to 0.08 to both sides. An arrow leads from the first up to the "
    "left, to temperature 0.5.",
)
def draw_dials() -> Figure:
    return _dial_points(experiments.load("writing")["rows"])


@figure(
    "gpt-masks",
    caption="Three masks for one text: of an encoder, of GPT, and of a prompt read both ways.",
    alt="Three squares with a row and a column for each of I like trees => me gustan los árboles; "
    "the first four columns are the prompt, the others the answer. Encoder: a dot in all cells. "
    "GPT: dots on and below the diagonal. Prefix: the columns of the prompt have dots everywhere, "
    "six that GPT doesn't have in orange; right of them only on and below the diagonal.",
)
def draw_masks() -> Figure:
    words = "I like trees => me gustan los árboles".split()
    ids = torch.arange(len(words))[None]
    masks = {
        "encoder": torch.ones(len(words), len(words), dtype=torch.bool),
        "GPT": causal_mask(len(words))[0, 0],
        "prefix": prefix_mask(ids, separator=words.index("=>"))[0, 0],
    }
    title = "GPT's words see none that comes later; in a prefix, all see each other"
    return _text_masks(masks, words, title)


@figure(
    "gpt-translations",
    caption="English to Spanish, by a translator and by language models with a prompt.",
    alt="Three lines fall from left to right, with a thin one for each of three seeds: the share "
    "of sentences right to the letter, by a translator, a language model under GPT's mask, "
    "and one under the prefix mask. Like the training, the means are 0.85, 0.79 and 0.76; "
    "with “it”, 0.70, 0.63 and 0.64, the seeds far apart; longer than the training, 0.18, "
    "0.21 and 0.05.",
)
def draw_translations() -> Figure:
    from course.chapters.ch17_gpt.experiment_one_text import summary

    kinds = {"like the training": "test", "with “it”": "pronoun", "longer": "longer"}
    names = "translator", "language model, GPT’s mask", "language model, prefix mask"
    rows = dict(zip(names, summary(), strict=True))
    return _shares_by_kind(
        {kind: {name: row[split] for name, row in rows.items()} for kind, split in kinds.items()}
    )


@figure(
    "gpt-prompting",
    caption="Rows of digits backwards, by a translator and by language models with a prompt.",
    alt="Three rows with a dot for each of three seeds, and an upright line at their mean: the "
    "share of held-out rows without a mistake. The translator: 0.90, 0.91 and 0.89, close together "
    "around 0.90. A language model under GPT's mask: 0.51, 0.60 and 0.59, mean 0.57. One under the "
    "prefix mask: far apart, 0.84, 0.32 and 0.09, mean 0.41. Each has about 22,000 weights.",
)
def draw_prompting() -> Figure:
    rows = experiments.load("prompting")["rows"]
    found = {row["what"].replace(", ", ",\n"): row["shares"] for row in rows}
    translator = "translator:\nencoder and decoder"
    found = {translator: found.pop("encoder and decoder"), **found}
    figure, ax = style.panel(3.4)
    title = "The translator writes digits backwards best, and most reliably"
    note = "Share of new rows without a mistake, by models with about 22,000 weights each:"
    titled(figure, title, f"{note}\na dot for each of three seeds, an upright line at their mean")
    dot_rows(ax, found, loud=[translator])
    for y, seeds in enumerate(found.values()):
        mean, color = sum(seeds) / len(seeds), style.INK if y else style.ACCENT
        ax.plot([mean] * 2, [y - 0.2, y + 0.2], color=color, linewidth=2, zorder=4)
        look = {"ha": "center", "color": color, "weight": "bold"}
        ax.text(mean, y - 0.27, f"{mean:.0%}".replace("%", " %"), **look)
    ax.get_yticklabels()[0].set_color(style.ACCENT)
    ax.set_xlim(-0.02, 1.02)
    shares(ax.xaxis)
    return figure


@figure(
    "gpt-induction",
    caption="Three models learn to repeat what they have read, slowly and then fast.",
    alt="On top, a row of twelve numbers and how it begins again; an arrow leads from 26 to 37, "
    "which followed it last time. Two panels, with a line for each of three seeds. In the "
    "first, the loss on a row that has been read before falls from 3.7 slowly to about 3 "
    "nats, in two seeds with a jump back, and then below a half within 100 to 175 steps, at "
    "step 425, 450 and 550; the loss on the first reading stays at 3.7. In the second, the "
    "largest weight of any head on the place to copy from rises from 0.2 to about 0.8 in "
    "these steps, and then above 0.9. Dots and upright lines through both panels mark the "
    "three steps.",
)
def draw_induction() -> Figure:
    from course.chapters.ch17_gpt.experiment_induction import ROW, repeated

    runs = experiments.load("induction")["runs"]
    shown = [[entry for entry in run["history"] if entry["step"] <= 800] for run in runs]
    row = [str(word) for word in repeated(1, seed=5)[0][:ROW]]
    return _moment([run | {"history": part} for run, part in zip(runs, shown, strict=True)], row)


@figure(
    "gpt-heads-off",
    caption="The same three models with one of their eight heads switched off.",
    alt="For each of three models two rows of four dots: the loss on the repeated row without one "
    "head. Upright lines mark it with all heads, at 0.03, 0.01 and 0.06, and at 3.7, where nothing "
    "is copied. Without the most important head of layer 0 it is 0.68, 1.07 and 2.31, of layer 1 "
    "0.27, 0.49 and 0.71. All heads of layer 1 look at the copy. In layer 0 two are filled, which "
    "look at the word before. Without the most important of the others it is 0.06, 0.67 and 0.54.",
)
def draw_heads_off() -> Figure:
    return _heads_off(experiments.load("induction")["runs"])
