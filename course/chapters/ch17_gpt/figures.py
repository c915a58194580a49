"""A language model: its way to the floor, what it writes, and the heads that repeat."""

import math
import textwrap

import numpy as np
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from course import experiments
from course.drawing import style
from course.drawing.architecture import BOX_HEIGHT, MIDDLES, PARTS, architecture
from course.drawing.arrows import arrow, bracket, path
from course.drawing.cells import mask
from course.drawing.plots import curves, dot_rows, doubling, multiples, shares
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, sentence, titled, width_of, word
from transformer_lib.model.masks import causal_mask
from transformer_lib.text import english_spanish
from transformer_lib.variants.language_model import prefix_mask


def example_row() -> list[str]:
    from course.chapters.ch17_gpt.experiment_induction import ROW, repeated

    return [str(number) for number in repeated(1, seed=5)[0][:ROW]]


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
    alt="Nats per token against the step of training. A line at 6.9 says: all words equally "
    "likely. The curve begins at 3.69 after 100 steps, falls to 3.05 at step 200, flattens, and "
    "ends at 2.33 at step 1,000, 0.37 above the floor, a band from 0 to 1.96. In it stand the "
    "words We like, and then pianos, pencils or milk: the grammar's own dice decide.",
)
def draw_floor() -> Figure:
    from course.chapters.ch17_gpt import experiment_language_model as lab
    from course.chapters.ch17_gpt.experiments import floor

    stored, low = experiments.load("writing"), floor()
    steps, losses = ([e[key] for e in stored["history"]] for key in ("step", "validation_loss"))
    last, highest, above = steps[-1], math.log(stored["words"]), f"{losses[-1] - low:.2f}"
    figure, ax = style.panel(4.6)
    title = f"After {last:,} steps the loss is {above} nats above the floor"
    titled(figure, title, "How much each next word of new sentences surprises a small GPT")
    curves(ax, steps, {"loss": losses}, names=False, marker="o")
    ax.axhspan(0, low, color=style.RULE)
    ax.axhline(highest, color=style.SOFT, linewidth=1.2)
    bracket(ax, (1.03 * last, low), (1.03 * last, losses[-1]), above, style.ACCENT)
    ax.text(0.02 * last, highest - 0.2, f"all words equally likely: {highest:.1f}", va="top")
    said = f"the floor, {low:.2f}: the grammar’s own dice decide what comes next"
    ax.text(0.02 * last, low - 0.2, said, va="top")
    drawn = [text.split() for text in lab.sentences(lab.VALIDATION, lab.VALIDATION_SEED)]
    ends = [f"{words[2]}?" for words in drawn if words[:2] == ["We", "like"] and len(words) == 3]
    x = 0.02 * last
    for text in ["We", "like", *ends]:
        wide = 140 * width_of(text, style.LABEL)
        word(ax, (x + wide / 2, 0.55), text, color=style.INK)
        x += wide + (25 if text != "like" else 45)
    ax.set(xlim=(0, 1.1 * last), ylim=(0, 1.05 * highest), yticks=[0, 2, 4, 6])
    ax.set(xlabel="steps of training")
    ax.set_ylabel("loss, in nats per token")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "gpt-scaling",
    caption="How far above the floor language models come, by sentences, weights and steps.",
    alt="Three lines on logarithmic axes, three seeds close together: nats per token above the "
    "floor, as a part of where each line begins. From 1,000 over 3,000 and 10,000 to 30,000 "
    "sentences the distance falls from 1.83 over 0.98 and 0.41 to 0.23; from 21,744 over 55,776 to "
    "160,704 weights from 0.77 over 0.41 to 0.23; from step 250 to step 1,500 of one run from 0.88 "
    "to 0.23. All three are nearly straight, and end divided by 8, 3 and 4.",
)
def draw_scaling() -> Figure:
    from course.chapters.ch17_gpt import experiment_language_model as lab

    figure, ax = style.panel(4.4)
    said = []
    for number, (name, panel) in enumerate(lab.distances().items()):
        times = [size / min(panel) for size in panel]
        parts = np.array(list(panel.values())) / np.mean(panel[min(panel)])
        color, mean = style.MUTED if number else style.ACCENT, parts.mean(axis=1)
        ax.plot(times, mean, color=color, linewidth=2.0 if number else 2.8, zorder=3 - number)
        ax.plot(times, parts, "o", color=color, markersize=4, zorder=3 - number)
        said += [(f"{times[-1]:.0f} times the {name}", f"{1 / mean[-1]:.0f}")]
        look = {"va": "center", "color": color, "weight": "normal" if number else "bold"}
        look |= {"ha": "left" if number == 1 else "right", "textcoords": "offset points"}
        away = ((-12, -4), (10, 8), (-10, -10))[number]
        ax.annotate(": ÷ ".join(said[-1]), (times[-1], mean[-1]), away, **look)
    doubling(ax, [1, 3, 10, 30])
    ax.set(xlabel="times as many sentences, weights or steps", ylim=(0.09, 1.1), xlim=(0.9, 33))
    doubling(ax, [0.125, 0.25, 0.5, 1], "y")
    multiples(ax.yaxis)
    low = f"{lab.floor_under(lab.VALIDATION):.2f}"
    note = f"Distance to the floor of {low} nats, 1 where each line begins; a dot for each seed"
    titled(figure, f"{said[0][0]} bring the loss {said[0][1]} times nearer to the floor", note)
    return figure


@figure(
    "gpt-dials",
    caption="What a small GPT writes, by the way in which its words are drawn.",
    alt="Five points, the share of sentences that the grammar could have written against the "
    "different words in 150 sentences: words drawn as they are 0.20 and 415, with temperature 0.5 "
    "0.49 and 277, with temperature 1.5 0.06 and 503, with top-k 10 0.43 and 279, with top-p 0.9 "
    "0.27 and 358; intervals of up to 0.08 to both sides. An arrow leads from the first up to the "
    "left, to temperature 0.5. Sentences beside three of them: The turtle didn't cross the square "
    "because it was too narrow; as they are, Your grandmothers didn't want to carry our piano "
    "because they were too nervous; with temperature 1.5, I live is very fast.",
)
def draw_dials() -> Figure:
    from course.chapters.ch17_gpt.experiments import interval

    rows = experiments.load("writing")["rows"]
    figure, ax = style.panel(4.8)
    first, best = rows[0], max(rows, key=lambda row: row["own"])
    worst = min(rows, key=lambda row: row["own"])
    title = (
        f"{best['what'].capitalize()}: {best['own'] / first['own']:.1f} times as often right, "
        f"{100 - 100 * best['words'] / first['words']:.0f} % fewer different words"
    )
    note = f"{first['drawn']} sentences for each way to draw a small GPT's words, one to read; "
    titled(figure, title, f"{note}upright: 95 % intervals")
    for row in rows:
        at, color = (row["words"], row["own"]), style.ACCENT if row is best else style.MUTED
        ends = interval(row["own"], row["drawn"])
        ax.plot([row["words"]] * 2, ends, color=style.SOFT, linewidth=0.8)
        ax.scatter(*at, s=70, color=color, zorder=3)
        said, bold = f"{row['what']}: {100 * row['own']:.0f} %", "bold" if row is best else "normal"
        look = {"textcoords": "offset points", "color": color}
        away, side = (-9, "right") if row["words"] < first["words"] else (9, "left")
        ax.annotate(said, at, (away, 0), ha=side, va="center", weight=bold, **look)
        if row in (first, best, worst):
            said = textwrap.fill(f"“{row['first'][0]}”", 44)
            down, va = ((9, 16), "bottom") if row is best else ((9, -9), "top")
            ax.annotate(said, at, down, va=va, size=style.NOTE, **look)
    ends = ((row["words"], row["own"]) for row in (best, first))
    how = {"arrowstyle": "-|>", "color": style.ACCENT, "shrinkA": 7, "shrinkB": 7}
    ax.annotate("", *ends, arrowprops=how | {"connectionstyle": "arc3,rad=0.35"})
    ax.set_ylabel("right: the grammar could have written it")
    ax.set_xlabel("different words in these sentences")
    most = max(row["words"] for row in rows)
    ax.set(ylim=(0, 0.65), yticks=[0, 0.2, 0.4, 0.6], xlim=(0.3 * most, 1.35 * most))
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    return figure


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
    count, prompt = len(words), words.index("=>") + 1
    ids = torch.arange(count)[None]
    masks = {
        "encoder": torch.ones(count, count, dtype=torch.bool),
        "GPT": causal_mask(count)[0, 0],
        "prefix": prefix_mask(ids, separator=prompt - 1)[0, 0],
    }
    side, left, gap = 2.12, 0.85, 0.36
    figure, ax = canvas(style.WIDTH, side + 1.55)
    heading(
        ax,
        "GPT's words see none that comes later; in a prefix, all see each other",
        "A dot where the word of the row may see the word of the column, in the same order",
    )
    cell = side / count
    for row, text in enumerate(words):
        at = left - 0.1, 0.2 + cell * (count - row - 0.5)
        word(ax, at, text, size=style.NOTE, ha="right")
    before = torch.ones(count, count, dtype=torch.bool)
    for number, (name, seen) in enumerate(masks.items()):
        x, more = left + number * (side + gap), seen & ~before
        mask(ax, (x, 0.2), side, side, seen, loud=more)
        before = seen
        for start, end, part in ((0, prompt, "prompt"), (prompt, count, "answer")):
            ends = [(x + at * cell, side + 0.24) for at in (start + 0.12, end - 0.12)]
            path(ax, ends, style.SOFT, head=False)
            middle = x + (start + end) / 2 * cell, side + 0.36
            label(ax, middle, part, ha="center", color=style.MUTED)
        label(ax, (x, side + 0.66), name, size=style.LABEL, weight="bold")
        if more.any():
            label(ax, (x + 0.6, side + 0.66), f"{more.sum()} dots more", color=style.ACCENT)
    return figure


@figure(
    "gpt-translations",
    caption="English to Spanish, by a translator and by language models with a prompt.",
    alt="Under each of three sentences, three rows with a dot for each of three seeds: the share "
    "of such sentences right to the letter, by a translator, a language model under GPT's mask, "
    "and one under the prefix mask. Like the training, the means are 0.85, 0.79 and 0.76; "
    "with “it”, 0.70, 0.63 and 0.64, the seeds far apart; longer than the training, in orange, "
    "0.18, 0.21 and 0.05.",
)
def draw_translations() -> Figure:
    from course.chapters.ch17_gpt.experiment_one_text import summary

    kinds = {
        "test": "like the training",
        "pronoun": "with “it”",
        "longer": "longer than in training",
    }
    names = "translator", "language model, GPT’s mask", "language model, prefix mask"
    figure, ax = canvas(style.WIDTH, 5.5)
    note = "Without a mistake, of new sentences such as these; a dot for each of three seeds"
    heading(ax, "On longer sentences all three translate badly", note)
    zero, wide, y = 2.6, 4.6, 4.5
    for split, kind in kinds.items():
        color = style.ACCENT if split == "longer" else style.MUTED
        label(ax, (0.1, y), kind, size=style.LABEL, color=color, weight="bold")
        english, _ = english_spanish.load(split)[0]
        sentence(ax, (0.1, y - 0.36), english.split(), {}, size=style.NOTE, gap=0.115)
        for row, (name, found) in enumerate(zip(names, summary(), strict=True)):
            down, shares = y - 0.65 - 0.21 * row, found[split]
            label(ax, (zero - 0.15, down), name, ha="right", color=style.MUTED)
            path(ax, [(zero, down), (zero + wide, down)], style.RULE, head=False, thick=0.75)
            xs = [zero + wide * share for share in shares]
            ax.plot(xs, [down] * len(xs), "o", color=color, ms=6, zorder=3)
            mean = f"{100 * sum(shares) / len(shares):.0f} %"
            look = {"weight": "bold"} if split == "longer" else {}
            label(ax, (zero + wide + 0.55, down), mean, ha="right", color=color, **look)
        y -= 1.45
    for share in (0, 0.5, 1):
        at = zero + wide * share, y + 0.14
        label(ax, at, f"{100 * share:.0f} % right" if share else "0", ha="center")
    return figure


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
    "which followed it last time, and is the answer. Two panels, with an orange line for one of "
    "three seeds and thin ones for the others. In the first, the loss on a row that has been read "
    "before falls from 3.7 slowly to about 3 nats, in two seeds with a jump back, and then below a "
    "half within 100 to 175 steps, at step 425, 450 and 550; the loss on the first reading stays "
    "at 3.7. In the second, the largest weight of any head on the place to copy from rises from "
    "0.2 to about 0.8 in these steps, and then above 0.9. An upright line marks the orange one's.",
)
def draw_induction() -> Figure:
    runs, row = experiments.load("induction")["runs"], example_row()
    histories = [[e for e in run["history"] if e["step"] <= 800] for run in runs]
    figure = style.new_figure(style.WIDTH, 6.2)
    title = "A repeated row is learned as a head learns where to look"
    titled(figure, title, "One model; thin lines are two others, from other random weights")
    example, top, bottom = figure.subplots(3, 1, height_ratios=(0.9, 2, 2))
    example.set(xlim=(0.4, len(row) + 4.2), ylim=(0, 1))
    example.axis("off")
    again = len(row) + 2
    for x, text in [*enumerate(row, 1), (again, row[0])]:
        word(example, (x, 0.3), text, color=style.ACCENT if x == 2 else None)
    word(example, (again + 1.2, 0.3), f"? {row[1]}", color=style.ACCENT)
    arrow(example, (again, 0.5), (2, 0.5), style.ACCENT, rise=0.35)
    for x, text in ((1, "row 1"), (again, "row 2")):
        label(example, (x - 0.25, 0.8), text, color=style.MUTED)
    bottom.sharex(top)
    steps = [entry["step"] for entry in histories[0]]
    fell = next(e["step"] for e in histories[0] if e["second"] < 0.5)
    for number, history in enumerate(histories):
        for ax, what in ((top, "second"), (top, "first"), (bottom, "head")):
            loud, values = not number and what != "first", [entry[what] for entry in history]
            color = style.ACCENT if loud else style.RULE if what == "first" else style.SOFT
            ax.plot(steps, values, color=color, linewidth=2.8 if loud else 1, zorder=2 + loud)
            if loud:
                ax.axvline(fell, color=style.SOFT, linewidth=1, zorder=1)
                ax.scatter(fell, values[steps.index(fell)], s=60, color=color, zorder=5)
    last = histories[0][-1]
    for y, color, said in (
        (last["first"] + 0.12, style.MUTED, "row 1: nobody can know it"),
        (0.25, style.ACCENT, "row 2, the same again"),
    ):
        top.text(last["step"], y, said, ha="right", va="bottom", color=color)
    top.set(ylim=(0, 4.4), ylabel="loss, in nats per token")
    top.tick_params(labelbottom=False)
    bottom.set(ylim=(0, 1.05), yticks=[0, 0.5, 1], xlabel="step of training")
    bottom.set_ylabel("the best head’s weight on the word that followed last time")
    bottom.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "gpt-heads-off",
    caption="The same three models with one of their eight heads switched off.",
    alt="On top a row, 26 37 5, and how it begins again with 26. An arrow leads from 37 one word "
    "back, another from the second 26 to 37, the word to copy. Below, for each of three models a "
    "row of eight dots: the loss on the repeated row without one head. In each the worst is "
    "orange, a head of layer 0 that looks one word back: 0.68, 1.07 and 2.31. Without any other "
    "it is at most 0.27, 0.67 and 0.71.",
)
def draw_heads_off() -> Figure:
    runs, row = experiments.load("induction")["runs"], example_row()[:3]
    figure, ax = canvas(style.WIDTH, 4.65)
    heading(
        ax,
        "The head that each model misses most looks one word back",
        "Loss on the second row with one of eight heads off; with nothing copied it would be 3.7",
    )
    y, places = 2.9, (1.6, 2.3, 3.0, 3.7, 4.6)
    for x, text in zip(places, [*row, "…", row[0]], strict=True):
        word(ax, (x, y), text, size=style.LABEL + 1)
    word(ax, (5.3, y), f"? {row[1]}", size=style.LABEL + 1)
    for start, end, color, rise, said in (
        (2.22, 1.6, style.ACCENT, 0.3, "one word back"),
        (4.6, 2.38, style.MUTED, 0.45, "to the word to copy"),
    ):
        arrow(ax, (start, y + 0.2), (end, y + 0.2), color, rise=rise)
        at = (start + end) / 2, y + rise + 0.33
        label(ax, at, said, ha="center", color=color)
    zero, nat = 1.2, 2.6
    for number, run in enumerate(runs):
        y, losses = 2.1 - 0.6 * number, sorted(run["second_with_a_head_off"].values())
        path(ax, [(zero, y), (style.WIDTH - 0.3, y)], style.RULE, head=False, thick=0.75)
        label(ax, (zero - 0.2, y), f"model {number + 1}", ha="right", size=style.LABEL)
        for loss in losses:
            color, size = (style.MUTED, 8) if loss < losses[-1] else (style.ACCENT, 11)
            at = zero + nat * loss, y
            ax.plot(*at, "o", color=color, ms=size, mec=style.PAPER, zorder=3)
        at, look = (zero + nat * losses[-1], y + 0.22), {"color": style.ACCENT, "weight": "bold"}
        label(ax, at, f"{losses[-1]:.2f}", ha="center", size=style.LABEL, **look)
    for loss in (0, 0.5, 1, 1.5, 2, 2.5):
        label(ax, (zero + nat * loss, y - 0.35), f"{loss:g}", ha="center")
    label(ax, (zero, y - 0.62), "loss in nats per token, each dot with another head off")
    return figure
