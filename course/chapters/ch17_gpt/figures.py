"""A language model: its way to the floor, what it writes, and the heads that repeat."""

import math
import textwrap

import numpy as np
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from course import experiments
from course.chapters.ch17_gpt import experiment_language_model as lab
from course.drawing import style
from course.drawing.architecture import BOX_HEIGHT, MIDDLES, PARTS, architecture
from course.drawing.arrows import arrow, path, segment
from course.drawing.cells import area, bar, outline
from course.drawing.plots import curves, doubling
from course.drawing.registry import figure
from course.drawing.words import (
    bold,
    canvas,
    label,
    muted,
    percent,
    sentence,
    titled,
    width_of,
    word,
)
from transformer_lib.model.masks import causal_mask
from transformer_lib.text import english_spanish
from transformer_lib.variants.language_model import prefix_mask

ROW = "26 37 5 33 19 7 14 11 27 39 31 36".split()  # one that a model may have to repeat
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
    alt="""The paper's figure of the Transformer. Orange on the right half: one-hot, embedding
    and position, self-attention with its causal mask, feed-forward, add & norm after both,
    linear and softmax, and the arrows between them, one of them around cross-attention. Grey,
    with the word gone: the whole encoder on the left, and cross-attention, which reads it.""",
)
def draw_what_is_left() -> Figure:
    figure = architecture(*LEFT, title="GPT keeps only the orange parts")
    ax, accent, pale = figure.axes[0], to_hex(style.ACCENT), style.PALE
    muted(ax, (0.3, 8.3), "no encoder, and no cross-attention to read it", size=style.LABEL)
    x, after = MIDDLES["decoder"], PARTS["decoder.feed_forward"].y
    cross = PARTS["decoder.self_attn_norm"].y
    tints = {tint.lower() for tint in style.TINTS.values()}
    for part in ax.patches:  # what GPT does without steps back
        middle = part.get_path().get_extents()
        if isinstance(part, FancyArrowPatch):
            gone = middle.x0 < 3.7 or cross < middle.y0 and middle.y1 < after
            part.set(color=style.RULE if gone else style.ACCENT, zorder=1 if gone else 2.5)
            part.set_visible(not gone or middle.x0 < x)  # the orange line stands there
        elif to_hex(part.get_edgecolor()) == accent:
            part.set_facecolor(pale)
        else:
            part.set(edgecolor=style.RULE, linewidth=1)
            if to_hex(part.get_facecolor()) in tints:
                part.set_facecolor(style.GROUND)
    for text in list(ax.texts):
        ground, (at, y) = text.get_bbox_patch(), text.get_position()
        if y == 6.61:  # what the memory is
            text.remove()
        elif text.get_color() == style.PAPER or at == 7:
            text.set(color=style.INK, weight="normal")
        elif y < 8.6 and (at < 3.5 or text.get_weight() == "normal"):
            text.set(color=style.MUTED, weight="normal")
        if ground and y < 0.5 and at < 3.5:
            ground.set_facecolor(style.GROUND)
        if ground and to_hex(ground.get_facecolor()) == accent:
            ground.set_facecolor(pale)
        if text.get_text() == "los":
            text.set_y(y + 0.06)  # its chip leaves the arrow its head
    low, high, far = cross + BOX_HEIGHT / 2, after - BOX_HEIGHT / 2, x + 1.01
    around = [(x, low + 0.12), (far, low + 0.12), (far, high - 0.26), (x, high - 0.26)]
    path(ax, [(x, low), *around, (x, high)], style.ACCENT)
    for at, ha in (((0.8, 4.6), "right"), ((x + 1.25, 4.6), "left")):
        muted(ax, at, "gone", size=16, weight="bold", ha=ha)
    return figure


@figure(
    "gpt-floor",
    caption="The loss of a small GPT on the grammar's sentences, and the floor under it.",
    alt="""Nats per token against the step of training. The curve begins at 3.69 after 100 steps,
    falls to 3.05 at step 200, flattens, and ends at 2.33 at step 1,000, 0.37 above the floor of
    1.96; orange is what lies between. In the floor stands: We like pianos, pencils or milk:
    which one, only chance decides.""",
)
def draw_floor() -> Figure:
    from course.chapters.ch17_gpt.experiments import floor

    history, low = experiments.load("writing")["history"], floor()
    steps, losses = ([entry[key] for entry in history] for key in ("step", "validation_loss"))
    last, above = steps[-1], f"{losses[-1] - low:.2f}"
    figure, ax = style.panel(4.8)
    title = f"After {last:,} steps, the loss is still {above} nats above the floor"
    titled(figure, title, "Mean surprise at each next word of 500 new sentences; one small GPT")
    curves(ax, steps, {"loss": losses}, names=False, color=style.ACCENT)
    ax.fill_between(steps, low, losses, color=style.PALE)
    ax.axhspan(0, low, color=style.RULE)
    ends = [low, losses[-1]]
    ax.plot([1.02 * last] * 2, ends, color=style.ACCENT, linewidth=6, solid_capstyle="butt")
    look = {"va": "center", "weight": "bold"}
    ax.text(1.045 * last, sum(ends) / 2, above, size=24, color=style.ACCENT, **look)
    ax.text(0.03 * last, 1.42, f"the floor: {low:.2f}", size=style.LABEL + 2, **look)
    said = "what comes next is partly chance,\nand no model can know it"
    ax.text(0.03 * last, 0.98, said, va="center")
    look, y = {"size": style.LABEL + 3, "color": style.INK, "ha": "left"}, 0.98
    for x in (0.81, 1.0):
        label(ax, (x * last, y), "or")
    for x, text in (
        (0.45, "We"),
        (0.525, "like"),
        (0.68, "pianos"),
        (0.86, "pencils"),
        (1.06, "milk"),
    ):
        word(ax, (x * last, y), text, **look)
    arrow(ax, (0.61 * last, y), (0.655 * last, y))
    ax.set(xlim=(0, 1.17 * last), ylim=(0, 4), yticks=range(5), xlabel="steps of training")
    ax.set(ylabel="loss, in nats per token", xticks=range(0, last + 1, 200))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "gpt-scaling",
    caption="How far above the floor language models come, by sentences, weights and steps.",
    alt="""Three panels with logarithmic axes of the same scale, a dot for each of three seeds,
    and a straight line from the first mean to the last: nats per token above the floor. From
    1,000 over 3,000 and 10,000 to 30,000 sentences the distance falls from 1.83 over 0.98 and
    0.41 to 0.23; from 21,744 over 55,776 to 160,704 weights from 0.77 over 0.41 to 0.23; from
    step 250 to step 1,500 of one run from 0.88 to 0.23. Orange: a doubling takes 35%, 34% and
    41%.""",
)
def draw_scaling() -> Figure:
    panels, low = lab.distances(), lab.floor_under(lab.VALIDATION)
    wide = [math.log(2.6 * max(sizes) / min(sizes)) for sizes in panels.values()]
    figure = style.new_figure(style.WIDTH, 4.4)
    title = "Doubling the data, weights or steps cuts the gap by a third or more"
    note = (
        f"Loss above the floor of {low:.2f} nats. Each dot is a run; each line joins the first "
        "and last mean"
    )
    titled(figure, title, note)
    figure.get_layout_engine().set(wspace=0.08)  # type: ignore[union-attr]
    axes = figure.subplots(1, len(panels), sharey=True, width_ratios=wide)
    for ax, (name, sizes) in zip(axes, panels.items(), strict=True):
        first, last, means = min(sizes), max(sizes), [np.mean(seeds) for seeds in sizes.values()]
        ax.plot([first, last], [means[0], means[-1]], color=style.SOFT)
        ax.plot(list(sizes), list(sizes.values()), "o", color=style.MUTED, markersize=5)
        fall = math.log(means[-1] / means[0]) / math.log(last / first)
        at = math.sqrt(first * last / 2)  # a doubling in the middle of the line
        high, left = means[0] * (at / first) ** fall, 2**fall
        ax.plot([at, 2 * at, 2 * at], [high, high, left * high], color=style.ACCENT, linewidth=2.8)
        look = {"color": style.ACCENT, "textcoords": "offset points", "weight": "bold"}
        ax.annotate("× 2", (math.sqrt(2) * at, high), (0, 6), ha="center", **look)
        said, middle = f"−{100 - 100 * left:.0f}%", (2 * at, math.sqrt(left) * high)
        ax.annotate(said, middle, (8, 0), va="center", size=18, **look)
        doubling(ax, [first, last])
        ax.set_xticks([first, last], [f"{float(f'{size:.2g}'):,.0f}" for size in (first, last)])
        ax.set(title=f"more {name}", xlim=(first / 1.1, 2.3 * last), ylim=(0.18, 2.4))
        ax.grid(axis="y")
    axes[0].set_ylabel("loss above the floor")
    doubling(axes[0], [0.25, 0.5, 1, 2], "y")
    return figure


@figure(
    "gpt-dials",
    caption="What a small GPT writes, by the way in which its words are drawn.",
    alt="""Five rows, with a bar for the share of sentences that the grammar could have written,
    one for the different words in 150 sentences, and the first of them. Orange, temperature 0.5:
    0.49 and 277; The turtle didn't cross the square because it was too narrow, with a check
    mark. Top-k 10: 0.43 and 279, right too. Top-p 0.9: 0.27 and 358. Temperature 1: 0.20 and
    415; Your grandmothers didn't want to carry our piano because they were too nervous.
    Temperature 1.5: 0.06 and 503; I live is very fast. The last three have a cross.""",
)
def draw_dials() -> Figure:
    from course.grammar.recognition import could_write

    rows = experiments.load("writing")["rows"]
    first, best = rows[0], max(rows, key=lambda row: row["own"])
    title = f"{best['what'].capitalize()} more than doubles the share of right sentences"
    note = (
        f"{first['drawn']} sentences for each setting, all by one small GPT. Right: the grammar "
        "could have written them"
    )
    figure, ax = canvas(4.2, title, note)
    most = max(row["words"] for row in rows)
    heads = {1.45: "right", 3.0: "different words", 4.75: "the first sentence it wrote"}
    for x, said in heads.items():
        bold(ax, (x, 3.27), said)
    for place, row in enumerate(sorted(rows, key=lambda row: -row["own"])):
        y, color = 2.8 - 0.62 * place, style.ACCENT if row is best else style.SOFT
        ink = {"color": style.ACCENT, "weight": "bold"} if row is best else {"color": style.INK}
        label(ax, (0.02, y), row["what"], size=style.LABEL, **ink)
        for x, share, said in (
            (1.45, row["own"], percent(row["own"])),
            (3.0, row["words"] / most, str(row["words"])),
        ):
            bar(ax, (x, y - 0.12), 0.95, 0.24, share, color)
            label(ax, (x + 1.02, y), said, size=style.LABEL, **ink)
        own = could_write(row["first"][0])
        label(ax, (4.75, y), "✓" if own else "×", size=14, **ink)
        text = textwrap.fill(row["first"][0], 44)
        label(ax, (5.0, y), text, color=style.INK if own else style.MUTED)
    return figure


@figure(
    "gpt-masks",
    caption="Two masks for one text: GPT's, and that of a prompt read both ways.",
    alt="""A row for each word of I like trees => me gustan los árboles, the first four of which
    are the prompt, in a frame. Each row holds the words that the word at its left may see. Grey,
    for both masks: a staircase of all words up to its own. Orange, only for the prefix mask: six
    words more, with which each of the prompt's words sees the whole prompt.""",
)
def draw_masks() -> Figure:
    words = "I like trees => me gustan los árboles".split()
    count, prompt = len(words), words.index("=>") + 1
    gpt = causal_mask(count)[0, 0]
    prefix = prefix_mask(torch.arange(count)[None], separator=prompt - 1)[0, 0]
    more = f"{(prefix & ~gpt).sum()} more pairs"
    title = "Under a prefix mask, the prompt is read in both directions"
    note = "In each row, the words that the word on the left may see. Gray: under both masks"
    figure, ax = canvas(4.85, title, note)
    size, gap, top, pitch, left = 14, 0.29, 3.75, 0.47, 1.5
    wide = np.array([width_of(text, size) + gap for text in words])
    middles = left + np.cumsum(wide) - wide / 2
    for row, text in enumerate(words):
        bold(ax, (left - 0.3, top - pitch * row), text, size=size, ha="right")
    for row, column in np.argwhere(prefix.numpy()):
        color = style.MUTED if gpt[row, column] else style.ACCENT
        word(ax, (middles[column], top - pitch * row), words[column], size=size, color=color)
    long = sum(wide[:prompt])
    at = left - 0.04, top - pitch * (prompt - 0.5)
    outline(ax, at, long + 0.06, pitch * prompt, style.ACCENT, 1.5)
    said, look = f"{more}, only\nunder the prefix mask", {"size": 14, "weight": "bold"}
    label(ax, (left + long + 0.2, top - pitch), said, color=style.ACCENT, **look)
    return figure


@figure(
    "gpt-translations",
    caption="English to Spanish, by a translator and by language models with a prompt.",
    alt="""Three columns with an example each, and a row of bars for each of three models: a
    translator, a language model under GPT's mask, and one under the prefix mask. A bar is the
    mean share right to the letter, with a dot for each seed. Like the training, 0.85, 0.79 and
    0.76; with a pronoun, 0.70, 0.63 and 0.64; longer ones, orange, 0.18, 0.21 and 0.05.""",
)
def draw_translations() -> Figure:
    from course.chapters.ch17_gpt.experiment_one_text import ASKED, summary

    kinds = "like those in training", "with a pronoun", "longer than in training"
    names = "translator", "language model,\nGPT’s mask", "language model,\nprefix mask"
    title = "The translator leads on ordinary sentences, but not on longer ones"
    note = "Share of 1,000 new sentences translated without a mistake. Bars: the mean of three runs"
    figure, ax = canvas(4.3, title, note)
    wide, high, rows = 1.35, 0.34, np.array([0.1, 0, -0.1])
    dots = {"color": style.INK, "ms": 5, "mec": style.PAPER, "mew": 0.8}
    muted(ax, (0.02, 1.1), "for example")
    muted(ax, (1.85 + wide, 3.01), "100%", ha="right")
    for column, (split, kind) in enumerate(zip(ASKED, kinds, strict=True)):
        x, loud = 1.85 + 2.1 * column, split == "longer"
        ink, color = (style.ACCENT, style.ACCENT) if loud else (style.INK, style.SOFT)
        bold(ax, (x, 3.28), kind, color=ink)
        for row, (name, found) in enumerate(zip(names, summary(), strict=True)):
            y, mean = 2.72 - 0.52 * row, float(np.mean(found[split]))
            if not column:
                label(ax, (0.02, y), name, size=style.LABEL)
            bar(ax, (x, y - high / 2), wide, high, mean, color)
            ax.plot(x + wide * np.array(found[split]), y + rows, "o", **dots)
            bold(ax, (x + wide + 0.08, y), f"{100 * mean:.0f}%", color=ink)
        example = english_spanish.load(split)[0][0].replace("'", "’")
        for row, line in enumerate(textwrap.wrap(example, 24)):
            sentence(ax, (x + 0.04, 1.07 - 0.26 * row), line.split(), {}, size=style.NOTE, gap=0.11)
    return figure


@figure(
    "gpt-induction",
    caption="Three models learn to repeat what they have read, slowly and then fast.",
    alt="""On top, a row of twelve numbers and how it begins again, 26 37 5; an orange arrow
    leads from the second 5 to 33, which came after the first: the answer. Below, for each of
    three models, two panels over 800 steps. In the upper one, in orange, the largest weight of
    any head on the number to copy; in the lower one the loss on the repeated row, from 3.9
    slowly to about 3 nats, in two seeds with a jump back, and then below a half within 75 to 175
    steps, at step 400, 450 and 550; a line crosses both there. In these steps the weight rises
    from 0.1 over 0.2 to about 0.8, and then above 0.9.""",
)
def draw_induction() -> Figure:
    runs, row = experiments.load("induction")["runs"], ROW
    figure = style.new_figure(style.WIDTH, 5.4)
    title = "Each model learns to repeat a row while a head learns where to look"
    note = "Three models. At the second 5, a head learns to look at what followed the first 5"
    titled(figure, title, note)
    example, *panels = figure.subplot_mosaic("rrr;012;345", height_ratios=(1.2, 1, 1.2)).values()
    example.set(xlim=(0.4, len(row) + 5.4), ylim=(-0.2, 1))
    example.axis("off")
    again, copied = len(row) + 2, 3
    for x, text in [*enumerate(row, 1), *enumerate(row[:copied], again)]:
        loud = x in (copied, copied + 1, again + copied - 1)
        word(example, (x, 0.3), text, color=style.ACCENT if loud else None)
    word(example, (again + copied + 0.1, 0.3), f"{row[copied]} ?", color=style.ACCENT)
    ends = (again + 2, 0.52), (copied + 1, 0.52)
    arrow(example, *ends, style.ACCENT, rise=0.35, thick=2)
    for x, text in ((5, "a row of numbers"), (again, "the same again")):
        muted(example, (x - 0.35, 0), text)
    for number, run in enumerate(runs):
        history = [entry for entry in run["history"] if entry["step"] <= 800]
        learned = next(entry["step"] for entry in history if entry["second"] < 0.5)
        for ax, key, most in zip(panels[number::3], ("head", "second"), (1, 4), strict=True):
            color = style.ACCENT if key == "head" else style.MUTED
            ax.plot(*([entry[name] for entry in history] for name in ("step", key)), color=color)
            ax.axvline(learned, color=style.SOFT, linewidth=0.75)
            ax.set(xlim=(0, 820), ylim=(0, 1.05 * most), xticks=[])
            ax.set_yticks([0, most])
        ax.set(xticks=[0, learned, 800], xlabel="first 800 of 1,200 steps")
        said = "" if number else "below a half\nfrom here on"
        muted(ax, (learned + 10, 3.2), said)
        panels[number].set_title(f"model {number + 1}")
    panels[0].set_ylabel("largest weight of any head on the word to copy")
    panels[3].set_ylabel("loss on the row, in nats")
    return figure


@figure(
    "gpt-heads-off",
    caption="The same three models with one of their eight heads switched off.",
    alt="""On top a row of numbers, and how it begins again with 26. An orange arrow leads from
    37 one word back, a thin one from the second 26 to 37, the word to copy. Below, for each of
    three models eight bars, four for each layer: the loss on the repeated row without one head.
    In each the highest is orange, a head of layer 0 that looks one word back: 0.65, 0.96 and
    2.38. Without any other it is at most 0.29, 0.71 and 0.65. It is 3.7 if the first row is
    ignored, and 2.5 if its twelve words are known and taken as equally likely.""",
)
def draw_heads_off() -> Figure:
    stored, row = experiments.load("induction"), ROW
    runs = stored["runs"]
    on = max(run["history"][-1]["second"] for run in runs)
    note = (
        "Loss on a repeated row with one of eight heads off; with "
        f"all of them, it is at most {on:.2f}"
    )
    figure, ax = canvas(5.3, "In each model, the head that matters most looks one word back", note)
    places, y = [0.4 + 0.9 * place for place in range(9)], 3.75
    for x, text in zip(places, [*row[:6], "…", row[0], f"{row[1]} ?"], strict=True):
        word(ax, (x, y), text, size=13, color=style.ACCENT if "?" in text else style.INK)
    up, down = y + 0.2, y - 0.36
    arrow(ax, (places[1] - 0.08, up), (places[0], up), style.ACCENT, rise=0.25, thick=2.5)
    arrow(ax, (places[7], up), (places[1] + 0.08, up), style.SOFT, rise=0.4)
    said = f"layer 0: a head looks\none word back, from {row[1]} to {row[0]}"
    label(ax, (0.2, down - 0.1), said, color=style.ACCENT, weight="bold")
    said = f"layer 1: {row[0]} looks for what came\nafter {row[0]}, to copy it"
    muted(ax, (places[7] + 0.1, down - 0.1), said, ha="center")
    zero, nothing, bar = 0.75, f"{runs[0]['history'][-1]['first']:.1f}", 0.2
    nat = 2 / float(nothing)
    unordered = f"{math.log(stored['words_in_a_row']):.1f}"
    for loss, said in (
        ("0", "all copied"),
        (unordered, "twelve words\nequally likely"),
        (nothing, "all words\nequally likely"),
    ):
        up = zero + nat * float(loss)
        segment(ax, (1.3, up), (style.WIDTH - 0.05, up), style.SOFT, thick=0.75)
        label(ax, (0.02, up), f"loss {loss}\n{said}")
    line = zero + nat * float(unordered)
    for number, run in enumerate(runs):
        losses, left = run["second_with_a_head_off"].values(), 1.35 + 2.3 * number
        for head, loss in enumerate(losses):
            x, loud = left + 0.24 * head + 0.12 * (head > 3), loss == max(losses)
            area(ax, (x, zero), bar, nat * loss, style.ACCENT if loud else style.SOFT)
            if loud:
                top, look = zero + nat * loss, {"color": style.ACCENT, "weight": "bold"}
                above = line if top > line - 0.3 else top  # not across the line
                label(ax, (x - 0.07, above + 0.14), f"{loss:.2f}", size=14, **look)
        for away, layer in ((0.46, "layer 0"), (1.54, "layer 1")):
            muted(ax, (left + away, zero - 0.17), layer, ha="center")
        label(ax, (left + 1, zero - 0.45), f"model {number + 1}", ha="center", weight="bold")
    label(ax, (left + 0.46, line - 0.3), "without the head that\nlooks back the most", **look)
    return figure
