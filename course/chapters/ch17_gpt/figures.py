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
from course.drawing.arrows import arrow, bracket, path, threads
from course.drawing.cells import mask
from course.drawing.plots import curves, doubling
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, sentence, titled, word
from course.experiments.digit_training import DIGITS, digit_pairs
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
    alt="Nats per token against the step of training. The curve begins at 3.69 after 100 steps, "
    "falls to 3.05 at step 200, flattens, and ends at 2.33 at step 1,000, 0.37 above the floor of "
    "1.96; orange is what lies between. Under the floor the words We like fork into pianos, "
    "pencils and milk: the grammar's own dice decide. An arrow leads up to 6.9, the loss if all "
    "words were equally likely.",
)
def draw_floor() -> Figure:
    from course.chapters.ch17_gpt import experiment_language_model as lab
    from course.chapters.ch17_gpt.experiments import floor

    stored, low, most = experiments.load("writing"), floor(), 4.4
    steps, losses = ([e[key] for e in stored["history"]] for key in ("step", "validation_loss"))
    last, above = steps[-1], f"{losses[-1] - low:.2f}"
    figure, ax = style.panel(4.8)
    title = f"After {last:,} steps the loss is {above} nats above the floor"
    titled(figure, title, "How much each next word of new sentences surprises a small GPT")
    curves(ax, steps, {"loss": losses}, names=False, color=style.ACCENT)
    ax.fill_between(steps, low, losses, color=style.tint(style.ACCENT))
    ax.axhspan(0, low, color=style.RULE)
    bracket(ax, (1.03 * last, low), (1.03 * last, losses[-1]), "", style.ACCENT)
    look = {"va": "center", "weight": "bold"}
    ax.text(1.06 * last, (low + losses[-1]) / 2, above, size=24, color=style.ACCENT, **look)
    arrow(ax, (0.14 * last, most - 0.35), (0.14 * last, most), style.SOFT)
    equal = f"{math.log(stored['words']):.1f} if all words were equally likely"
    ax.text(0.16 * last, most - 0.17, equal, va="center", color=style.MUTED)
    ax.text(0.04 * last, low - 0.3, f"the floor: {low:.2f}", size=style.LABEL + 1, **look)
    ax.text(0.04 * last, low - 0.65, "the grammar’s own dice\ndecide what comes next", va="top")
    drawn = map(str.split, lab.sentences(lab.VALIDATION, lab.VALIDATION_SEED))
    nouns = [words[2] for words in drawn if words[:2] == ["We", "like"] and len(words) == 3]
    look = {"size": style.LABEL + 3, "color": style.INK}
    places = [(0.83 * last, low / 2 + 0.6 * (1 - row)) for row in range(len(nouns))]
    threads(ax, [(0.67 * last, low / 2)], places, [0.5] * len(nouns), style.MUTED)
    for x, text in ((0.53, "We"), (0.62, "like")):
        word(ax, (x * last, low / 2), text, **look)
    for (x, y), text in zip(places, nouns, strict=True):
        word(ax, (x + 0.02 * last, y), text, ha="left", **look)
    ax.set(xlim=(0, 1.22 * last), ylim=(0, most), yticks=range(5), xlabel="steps of training")
    ax.set(ylabel="loss, in nats per token", xticks=range(0, last + 1, 200))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "gpt-scaling",
    caption="How far above the floor language models come, by sentences, weights and steps.",
    alt="Three panels with logarithmic axes of the same scale, a dot for each of three seeds, and "
    "a line through their means: nats per token above the floor. From 1,000 over 3,000 and 10,000 "
    "to 30,000 sentences the distance falls from 1.83 over 0.98 and 0.41 to 0.23; from 21,744 over "
    "55,776 to 160,704 weights from 0.77 over 0.41 to 0.23; from step 250 to step 1,500 of one run "
    "from 0.88 to 0.23. In orange, what a doubling takes away on average: 35 %, 34 % and 41 %.",
)
def draw_scaling() -> Figure:
    from course.chapters.ch17_gpt import experiment_language_model as lab

    panels, low = lab.distances(), lab.floor_under(lab.VALIDATION)
    wide = [math.log(1.4 * max(sizes) / min(sizes)) for sizes in panels.values()]
    figure = style.new_figure(style.WIDTH, 4.4)
    title = "On average, a doubling cuts the distance to the floor by a third or more"
    titled(figure, title, f"The floor, {low:.2f} nats, is what the grammar’s own dice leave open")
    figure.get_layout_engine().set(wspace=0.08)  # type: ignore[union-attr]
    axes = figure.subplots(1, len(panels), sharey=True, width_ratios=wide)
    for ax, (name, sizes) in zip(axes, panels.items(), strict=True):
        first, last, means = min(sizes), max(sizes), [np.mean(seeds) for seeds in sizes.values()]
        ax.plot(list(sizes), means, color=style.MUTED)
        ax.plot(list(sizes), list(sizes.values()), "o", color=style.MUTED, markersize=4)
        left = (means[-1] / means[0]) ** (1 / math.log2(last / first))
        down = [means[0], means[0], left * means[0]]
        ax.plot([first, 2 * first, 2 * first], down, color=style.ACCENT, linewidth=2.8)
        look = {"color": style.ACCENT, "textcoords": "offset points", "weight": "bold"}
        ax.annotate("× 2", (math.sqrt(2) * first, means[0]), (0, 6), ha="center", **look)
        at, said = (2 * first, math.sqrt(left) * means[0]), f"-{100 - 100 * left:.0f} %"
        ax.annotate(said, at, (8, 0), va="center", size=16, **look)
        doubling(ax, [first, last])
        ax.set(xlabel=name, xlim=(first / 1.1, 1.27 * last), ylim=(0.18, 2.4))
    axes[0].set_ylabel("nats per token above the floor")
    doubling(axes[0], [0.25, 0.5, 1, 2], "y")
    return figure


@figure(
    "gpt-dials",
    caption="What a small GPT writes, by the way in which its words are drawn.",
    alt="Five points, the share of sentences that the grammar could have written against the "
    "different words in 150 sentences: with temperature 1, as they are, 0.20 and 415, with "
    "temperature 0.5 0.49 and 277, with temperature 1.5 0.06 and 503, with top-k 10 0.43 and 279, "
    "with top-p 0.9 0.27 and 358; intervals of up to 0.08 to both sides. An arrow leads from the "
    "first to the second. Sentences at three of them, one with a check mark: The turtle didn't "
    "cross the square because it was too narrow; two with a cross: with temperature 1, Your "
    "grandmothers didn't want to carry our piano because they were too nervous; with temperature "
    "1.5, I live is very fast.",
)
def draw_dials() -> Figure:
    from course.chapters.ch17_gpt.experiments import interval
    from course.grammar.recognition import could_write

    rows = experiments.load("writing")["rows"]
    figure, ax = style.panel(4.8)
    first, (worst, *_, best) = rows[0], sorted(rows, key=lambda row: row["own"])
    title = (
        f"{best['what'].capitalize()}: {best['own'] / first['own']:.1f} times as often right, "
        f"{100 - 100 * best['words'] / first['words']:.0f} % fewer different words"
    )
    titled(figure, title, f"{first['drawn']} sentences of a small GPT for each way to draw words")
    for row in rows:
        at, color = (row["words"], row["own"]), style.ACCENT if row is best else style.MUTED
        ends = interval(row["own"], row["drawn"])
        ax.plot([row["words"]] * 2, ends, color=style.SOFT, linewidth=0.8)
        ax.scatter(*at, s=70, color=color, zorder=3)
        look = {"textcoords": "offset points", "color": color, "va": "center"}
        bold = "bold" if row is best else "normal"
        away, ha = (-9, "right") if row["words"] < first["words"] else (9, "left")
        said = f"{row['what'].replace('as it is', 'temperature 1')}: {100 * row['own']:.0f} %"
        ax.annotate(said, at, (away, 0), ha=ha, weight=bold, **look)
        if row in (first, best, worst):
            mark = "✓" if could_write(row["first"][0]) else "✗"
            said = textwrap.fill(f"{mark} “{row['first'][0]}”", 42)
            up = (8, 30) if row is best else (9, -14 - 7 * said.count("\n"))
            ax.annotate(said, at, up, ha="left", size=style.NOTE, **look)
    ends = ((row["words"], row["own"]) for row in (first, best))
    arrow(ax, *ends, style.ACCENT, bend=0.35, shrinkA=7, shrinkB=7)
    ax.set_ylabel("right: the grammar could have written it")
    ax.set_xlabel("different words in these sentences")
    ax.set(ylim=(0, 0.65), yticks=[0, 0.2, 0.4, 0.6], xlim=(150, 670), xticks=[200, 300, 400, 500])
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    return figure


@figure(
    "gpt-masks",
    caption="Two masks for one text: GPT's, and that of a prompt read both ways.",
    alt="Two squares with a row and a column for each of I like trees => me gustan los árboles; "
    "the first four columns are the prompt, the others the answer. GPT: dots on and below the "
    "diagonal. Prefix: the same, and six more cells are orange: those above the diagonal in the "
    "prompt's rows and columns.",
)
def draw_masks() -> Figure:
    words = "I like trees => me gustan los árboles".split()
    count, prompt = len(words), words.index("=>") + 1
    masks = {
        "GPT": causal_mask(count)[0, 0],
        "prefix": prefix_mask(torch.arange(count)[None], separator=prompt - 1)[0, 0],
    }
    figure, ax = canvas(style.WIDTH, 4.9)
    side, cell, top = 2.96, 2.96 / count, 3.1
    title = "GPT’s words see none that comes later; in a prefix, all see each other"
    heading(ax, title, "A dot where the word of the row may see the word of the column")
    for number, (name, seen) in enumerate(masks.items()):
        x = 0.95 + 3.7 * number
        mask(ax, (x, top - side), side, side, seen, loud=seen & ~masks["GPT"])
        for place, text in enumerate(words):
            middle = cell * (place + 0.5)
            word(ax, (x + middle, top + 0.2 + 0.25 * (place % 2)), text, size=style.NOTE)
            if not number:
                word(ax, (x - 0.12, top - middle), text, size=style.NOTE, ha="right")
        label(ax, (x, top + 0.8), name, size=style.LABEL, weight="bold")
    more = f"{(masks['prefix'] & ~masks['GPT']).sum()} cells more"
    label(ax, (x + 0.55, top + 0.8), more, color=style.ACCENT, size=style.LABEL, weight="bold")
    return figure


@figure(
    "gpt-translations",
    caption="English to Spanish, by a translator and by language models with a prompt.",
    alt="Three lines fall from left to right over three kinds of sentences, each with an example; "
    "a dot for each of three seeds. A translator, a language model under GPT's mask, and one under "
    "the prefix mask: the share right to the letter. Like the training, the means are 0.85, 0.79 "
    "and 0.76; with “it”, 0.70, 0.63 and 0.64, the seeds far apart; longer than the training, in "
    "orange, 0.18, 0.21 and 0.05.",
)
def draw_translations() -> Figure:
    from course.chapters.ch17_gpt.experiment_one_text import ASKED, summary

    kinds = "like the training", "with “it”", "longer than in training"
    names = "translator", "language model, GPT’s mask", "language model, prefix mask"
    figure, ax = canvas(style.WIDTH, 5.2)
    note = "New sentences translated without a mistake; a dot for each of three seeds"
    heading(ax, "On longer sentences all three translate badly", note)
    places, zero, high = (1.0, 3.15, 5.3), 1.5, 2.9
    for x, split, kind in zip(places, ASKED, kinds, strict=True):
        color = style.ACCENT if split == "longer" else style.MUTED
        path(ax, [(x, zero), (x, zero + high)], style.RULE, head=False, thick=0.75)
        label(ax, (x, zero - 0.2), kind, ha="center", size=style.LABEL, color=color, weight="bold")
        for row, line in enumerate(textwrap.wrap(english_spanish.load(split)[0][0], 24)):
            at = x, zero - 0.55 - 0.24 * row
            sentence(ax, at, line.split(), {}, size=style.NOTE, gap=0.11, ha="center")
        found = [row[split] for row in summary()]
        for shares in found:
            ax.plot([x] * 3, zero + high * np.array(shares), "o", color=color, ms=6, zorder=3)
        if split != "longer":
            means, at = 100 * np.mean(found, axis=1), (x + 0.1, zero + high * np.max(found) + 0.16)
            label(ax, at, f"{min(means):.0f} to {max(means):.0f} %", color=style.MUTED)
    for share in (0, 1):
        at = places[0] - 0.12, zero + high * share
        label(ax, at, f"{100 * share} %", ha="right", color=style.MUTED)
    for row, (name, away) in enumerate(zip(names, (-0.08, 0.1, 0), strict=True)):
        means = np.array([np.mean(summary()[row][split]) for split in ASKED])
        ax.plot(places, zero + high * means, color=style.SOFT, zorder=2)
        at = places[-1] + 0.2, zero + high * means[-1] + away
        label(ax, at, f"{100 * means[-1]:.0f} %", color=style.ACCENT, weight="bold")
        label(ax, (at[0] + 0.45, at[1]), name, color=style.MUTED)
    return figure


@figure(
    "gpt-prompting",
    caption="Rows of digits backwards, by a translator and by language models with a prompt.",
    alt="On top a row of digits, 1 9 3 5, and the same backwards. Below, three squares of a "
    "hundred cells for each of three models: so many are filled as it gets right of a hundred "
    "held-out rows, with each of three seeds. The translator, in orange: 0.90, 0.91 and 0.89. A "
    "language model under GPT's mask: 0.51, 0.60 and 0.59. One under the prefix mask: 0.84, 0.32 "
    "and 0.09.",
)
def draw_prompting() -> Figure:
    figure, ax = canvas(style.WIDTH, 3.55)
    note = "Of every hundred new rows, those without a mistake; a square for each of three seeds"
    heading(ax, "The translator writes digits backwards best, and most reliably", note)
    pair = next(pair for pair in digit_pairs("reverse")[1] if len(pair[0]) == 4)
    given, wanted = (DIGITS.decode(ids) for ids in pair)
    *_, x = sentence(ax, (0.3, 2.4), given, {}, size=14, gap=0.2)
    arrow(ax, (x + 0.25, 2.47), (x + 0.75, 2.47), style.SOFT)
    sentence(ax, (x + 1, 2.4), wanted, {}, size=14, gap=0.2)
    names = "translator", "language model, GPT’s mask", "language model, prefix mask"
    down, along = 0.07 * np.array(np.divmod(np.arange(100), 10))
    for model, row in enumerate(experiments.load("prompting")["rows"]):
        left, color = 0.3 + 2.6 * model, style.MUTED if model else style.ACCENT
        label(ax, (left - 0.05, 1.7), names[model], size=style.LABEL, color=color, weight="bold")
        for seed, share in enumerate(row["shares"]):
            x, right = left + 0.8 * seed, round(100 * share)
            colors = right * [color] + (100 - right) * [style.RULE]
            ax.scatter(x + along, 1.4 - down, s=14, c=colors, marker="s", linewidth=0)
            label(ax, (x + 0.32, 0.5), f"{right} %", ha="center", color=color, size=style.LABEL)
    return figure


@figure(
    "gpt-induction",
    caption="Three models learn to repeat what they have read, slowly and then fast.",
    alt="On top, a row of twelve numbers and how it begins again, 26 37 5; an orange arrow leads "
    "from 5 to 33, which followed it the first time and is the answer. Below, two curves of one of "
    "three models, over 800 steps. The loss on the repeated row falls from 3.9 slowly to about 3 "
    "nats, in two seeds with a jump back, and then below a half within 100 to 175 steps, at step "
    "425, 450 and 550; in orange, the largest weight of any head on the place to copy from rises "
    "from 0.1 over 0.2 to about 0.8 in these steps, and then above 0.9. Two small panels show the "
    "same of the other two models.",
)
def draw_induction() -> Figure:
    runs, row = experiments.load("induction")["runs"], example_row()
    figure = style.new_figure(style.WIDTH, 5.2)
    title = "A repeated row is learned as a head learns where to look"
    titled(figure, title, "After 5, look for the first 5 and copy what came next")
    how = {"height_ratios": (1.1, 1.5, 1.5), "width_ratios": (3, 1)}
    example, *panels = figure.subplot_mosaic("rr;12;13", **how).values()
    example.set(xlim=(0.4, len(row) + 5.4), ylim=(0, 1))
    example.axis("off")
    again, copied = len(row) + 2, 3
    for x, text in [*enumerate(row, 1), *enumerate(row[:copied], again)]:
        word(example, (x, 0.3), text, color=style.ACCENT if x == copied + 1 else None)
    word(example, (again + copied + 0.1, 0.3), f"{row[copied]} ?", color=style.ACCENT)
    arrow(example, (again + copied - 1, 0.52), (copied + 1, 0.52), style.ACCENT, rise=0.35, thick=2)
    for x, text in ((1, "a row of numbers"), (again, "the same again")):
        label(example, (x - 0.35, 0), text, color=style.MUTED)
    for number, (ax, run) in enumerate(zip(panels, runs, strict=True), 1):
        history = [entry for entry in run["history"] if entry["step"] <= 800]
        ax.set_title(f"model {number}", size=style.NOTE, color=style.MUTED)
        loss = ax, "second", 4.4, style.MUTED, "loss on the repeated row: {:.1f}"
        weight = (
            ax.twinx(),
            "head",
            1.1,
            style.ACCENT,
            "a head’s weight on the word to copy: {:.2f}",
        )
        for panel, key, most, color, said in (loss, weight):
            values, thick = [entry[key] for entry in history], 2.8 if number == 1 else 1.5
            panel.plot([entry["step"] for entry in history], values, color=color, linewidth=thick)
            panel.set(xlim=(0, 820), ylim=(0, most), yticks=[], xticks=[0, 400, 800])
            panel.spines[["left", "right"]].set_visible(False)
            if number == 1:
                at = 800, values[-1] + 0.05 * most
                panel.text(*at, said.format(values[-1]), ha="right", color=color)
    panels[0].text(25, 4.05, f"{runs[0]['history'][0]['second']:.1f} nats", color=style.MUTED)
    panels[0].set_xlabel("steps of training")
    return figure


@figure(
    "gpt-heads-off",
    caption="The same three models with one of their eight heads switched off.",
    alt="On top a row of numbers, and under it how it begins again with 26. An orange arrow leads "
    "from 37 one word back, another from the second 26 to 37, the word to copy. Below, for each of "
    "three models eight dots: the loss on the repeated row without one head. In each the worst is "
    "orange, a head of layer 0 that looks one word back: 0.68, 1.07 and 2.31. Without any other it "
    "is at most 0.27, 0.67 and 0.71. With nothing copied it would be 3.7.",
)
def draw_heads_off() -> Figure:
    runs, row = experiments.load("induction")["runs"], example_row()[:7]
    figure, ax = canvas(style.WIDTH, 5.3)
    note = "Loss on a repeated row, in nats, with one of a model’s eight heads switched off"
    heading(ax, "The head that each model misses most looks one word back", note)
    places, (up, down) = [2.1 + 0.77 * place for place in range(8)], (3.8, 3.05)
    again = "the same again", [row[0], f"{row[1]} ?"]
    for y, (said, words) in ((up, ("a row of numbers", [*row, "…"])), (down, again)):
        label(ax, (0.3, y), said, color=style.MUTED)
        for x, text in zip(places, words, strict=False):
            word(ax, (x, y), text, size=13, color=style.ACCENT if "?" in text else style.INK)
    arrow(ax, (places[1], up + 0.2), (2.1, up + 0.2), style.ACCENT, rise=0.25, thick=2.5)
    label(ax, (3.05, up + 0.38), "one word back", color=style.ACCENT, weight="bold")
    arrow(ax, (2.2, down + 0.18), (2.8, up - 0.18), style.SOFT)
    label(ax, (2.62, (up + down) / 2 - 0.03), "to the word to copy", color=style.MUTED)
    zero, nothing = 1.2, f"{runs[0]['history'][-1]['first']:.1f}"
    nat = (style.WIDTH - 0.7 - zero) / float(nothing)
    for number, run in enumerate(runs):
        y, losses = 2.15 - 0.6 * number, sorted(run["second_with_a_head_off"].values())
        path(ax, [(zero, y), (zero + nat * losses[-1], y)], style.RULE, head=False, thick=0.75)
        label(ax, (zero - 0.25, y), f"model {number + 1}", ha="right", size=style.LABEL)
        for loss in losses:
            color, ms = (style.SOFT, 8) if loss < losses[-1] else (style.ACCENT, 13)
            ax.plot(zero + nat * loss, y, "o", color=color, ms=ms, mec=style.PAPER, zorder=3)
        said = f"{losses[-1]:.2f}" + (not number) * " without the head that looks one word back"
        at, look = (zero + nat * losses[-1] + 0.16, y), {"color": style.ACCENT, "weight": "bold"}
        label(ax, at, said, size=style.LABEL, **look)
    for loss, said in (("0", "all copied"), (nothing, "nothing copied")):
        x = zero + nat * float(loss)
        path(ax, [(x, 2.35), (x, 0.75)], style.SOFT, head=False, thick=0.75)
        label(ax, (x, 0.55), loss, ha="center", size=style.LABEL)
        label(ax, (x, 0.3), said, ha="center", color=style.MUTED)
    return figure
