"""Beam search step by step, as a tree on paper and a tree to step through; and what decoding costs.

Each branch of a tree is one more word. Time runs from left to right.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch.utils.flop_counter import FlopCounterMode

from course import experiments
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import box, path
from course.drawing.cells import area
from course.drawing.plots import curves, name_lines
from course.drawing.registry import figure
from course.drawing.values import steady_round
from course.drawing.words import canvas, heading, label, sentence, titled
from transformer_lib.decoding import (
    DecoderState,
    beam_search,
    inference_mode,
    sampling_distribution,
)
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD, SPECIALS
from transformer_lib.translator import Translator

Following = Callable[[tuple[str, ...]], Mapping[str, float]]
END = SPECIALS[EOS]
CANDIDATE = "undecided"
PALE = "#8E8E8E"  # shows on the light and on the dark theme
HALF = 0.4  # of the width of a word's box, when the columns are 1 apart


@dataclass(frozen=True)
class Branch:
    """A beginning that beam search looked at. words: with <eos>, if it has come to it.

    log_prob: the sum over its words. fate: "kept", "dropped" or "finished".
    """

    words: tuple[str, ...]
    log_prob: float
    fate: str


def beam_steps(following: Following, beam_size: int, max_length: int = 64) -> list[list[Branch]]:
    """Beam search for one sentence, with everything it looked at: a list for each step, best first.

    following: the words so far -> the log-probability of each word that can come next.
    """
    alive, places, steps = [((), 0.0)], beam_size, []
    while alive and len(steps) < max_length:
        longer = [
            ((*words, word), so_far + more)
            for words, so_far in alive
            for word, more in following(words).items()
        ]
        longer.sort(key=lambda one: one[1], reverse=True)
        best, rest = longer[:places], longer[places:]
        alive = [one for one in best if one[0][-1] != END]
        places -= len(best) - len(alive)
        fates = [(one, "kept" if one in alive else "finished") for one in best]
        fates += [(one, "dropped") for one in rest]
        steps.append([Branch(*one, fate) for one, fate in fates])
    return steps


def finished(steps: Sequence[Sequence[Branch]]) -> list[Branch]:
    """The sentences that came to <eos>, the likeliest first."""
    done = [branch for step in steps for branch in step if branch.fate == "finished"]
    return sorted(done, key=lambda branch: branch.log_prob, reverse=True)


def tree(steps: Sequence[Sequence[Branch]], dropped: int) -> list[dict[str, Any]]:
    """The branches that are drawn: all that went on, and the best `dropped` others behind each.

    Each with its column (step), its row, and the row of the branch it grows from.
    """
    children: dict[tuple[str, ...], list[Branch]] = {}
    for step in steps:
        for branch in step:
            siblings = children.setdefault(branch.words[:-1], [])
            others = sum(one.fate == "dropped" for one in siblings)
            if branch.fate != "dropped" or others < dropped:
                siblings.append(branch)
    rows: dict[tuple[str, ...], float] = {}
    free = 0

    def place(words: tuple[str, ...]) -> float:
        nonlocal free
        below = [place(child.words) for child in children.get(words, [])]
        if below:
            rows[words] = (below[0] + below[-1]) / 2
        else:
            rows[words], free = float(free), free + 1
        return rows[words]

    place(())
    root = {"word": SPECIALS[BOS], "step": 0, "log_prob": 0.0, "fate": "kept"}
    nodes = [{**root, "row": rows[()], "from_row": rows[()]}]
    for branch in (branch for siblings in children.values() for branch in siblings):
        words = branch.words
        own = {"word": words[-1], "log_prob": branch.log_prob, "fate": branch.fate}
        places = {"step": len(words), "row": rows[words], "from_row": rows[words[:-1]]}
        nodes.append({**own, **places})
    return nodes


def _likely(node: Mapping[str, Any]) -> str:
    share = 100 * math.exp(node["log_prob"])
    return f"{share:.0f} %" if share > 1 else "< 1 %"


def _way(nodes: Sequence[Mapping[str, Any]], best: Branch) -> set[tuple[int, float]]:
    """The step and the row of each word on the way to a finished sentence."""
    end = next(n for n in nodes if n["fate"] == "finished" and n["log_prob"] == best.log_prob)
    way = {(end["step"], end["row"])}
    while end["step"]:
        above = end["step"] - 1, end["from_row"]
        end = next(node for node in nodes if (node["step"], node["row"]) == above)
        way.add(above)
    return way


def _check(steps: Sequence[Sequence[Branch]]) -> None:
    if not steps or not finished(steps):
        raise ValueError("there is nothing to draw: no sentence came to its <eos>")


def _beam_tree(steps: Sequence[Sequence[Branch]], task: str = "", meanings: str = "") -> Figure:
    """Draw what `beam_steps` has found as a tree -> the figure; the likeliest of all is loud.

    Beside each word the probability of all words up to it, to which its box is filled; of the words
    dropped behind each branch the likeliest is drawn. task: what is translated. meanings: of the
    words. Raises ValueError when no sentence was finished.
    """
    _check(steps)
    nodes, best = tree(steps, 1), finished(steps)[0]
    way = _way(nodes, best)
    lowest = max(node["row"] for node in nodes)
    across, down, first = (style.WIDTH - 1.05) / (len(steps) + 0.1), 0.54, steps[0][0].words[0]
    figure, ax = canvas(style.WIDTH, down * lowest + 1.75)
    behind = best.words[0] != first
    how = f"“{first}” is ahead" if not behind else f"“{best.words[0]}” is behind “{first}”"
    note = f"{task}how likely the words so far are; the best two go on, dotted ones are dropped"
    heading(ax, f"{how} after one word, and wins", note)

    def place(step: float, row: float) -> tuple[float, float]:
        return 0.35 + across * step, down * (lowest - (row if step else lowest / 2)) + 0.3

    for step in range(1, len(steps) + 1):
        at = place(step, 0)[0], down * lowest + 0.8
        label(ax, at, f"word {step}", color=style.MUTED, ha="center")
    for node in nodes:
        x, y = place(node["step"], node["row"])
        half = HALF * across if node["step"] else 0.3
        gone, likely = node["fate"] == "dropped", math.exp(node["log_prob"])
        loud = (node["step"], node["row"]) in way
        chosen = node["fate"] == "finished" and loud
        color = style.ACCENT if loud else style.SOFT if gone else style.INK
        if node["step"]:
            start, above = place(node["step"] - 1, node["from_row"])
            start += HALF * across if node["step"] > 1 else 0.3
            dashes = (0, (1, 1.5)) if gone else "-"
            ends = [(start, above), (x - half, y)]
            path(ax, ends, color, head=False, linestyle=dashes, thick=2.2 if loud else 1.3)
        fill = color if chosen else style.PAPER
        box(ax, (x, y), 2 * half, 0.4, "", color, fill=fill, line=0 if gone else 1.2)
        ink = style.MUTED if gone else style.ink_on(fill)
        look = {"color": ink, "weight": "bold" if chosen else "normal"}
        if not node["step"]:
            label(ax, (x, y), node["word"], ha="center", **look)
            continue
        if not gone and not chosen:
            tint = style.tint(style.ACCENT) if loud else style.RULE
            width = {"linewidth": 0.4 * 72, "color": tint, "zorder": 1.9}
            ax.hlines(y, x - half, x - half + 2 * half * likely, **width)
            ax.patches[-1].set_facecolor("none")
            ax.collections[-1].set_clip_path(ax.patches[-1])
        label(ax, (x - half + 0.12, y), node["word"], **look)
        label(ax, (x + half - 0.1, y), _likely(node), ha="right", **look)
        if chosen:
            label(ax, (x + half + 0.1, y), "wins", size=style.LABEL, color=color)
        if node["step"] <= 2 and behind and not gone:
            first = node["log_prob"] == steps[node["step"] - 1][0].log_prob
            at, side = (x - half + 0.04, y + 0.31), "ahead" if first else "behind"
            label(ax, at, side, size=style.LABEL, color=color)
    label(ax, (style.WIDTH - 0.05, place(1, lowest)[1]), meanings, ha="right", color=style.MUTED)
    return figure


def _beam_stepper(
    steps: Sequence[Sequence[Branch]], start: int = 2, task: str = "", meanings: str = ""
) -> Any:
    """The same tree to step through: an Altair chart with a slider.

    Each word has two moments: all branches grow, and the best are kept. start: the moment that is
    shown first. task, meanings: as in the tree. Raises ValueError when no sentence was finished or
    there is no such moment.
    """
    _check(steps)
    last = 2 * len(steps)
    if not 0 <= start <= last:
        raise ValueError(f"start={start} must lie between 0 and {last}")
    nodes, best = tree(steps, 1), finished(steps)[0]
    way, table = _way(nodes, best), []
    for node in nodes:
        step, row = node["step"], node["row"]
        half = HALF if step else 0.25
        table.append(
            {key: node[key] for key in ("fate", "row", "from_row", "step")}
            | {"label": node["word"], "likely": _likely(node) if step else ""}
            | {"x": step, "left": step - half, "right": step + half, "loud": (step, row) in way}
            | {"from_x": step - 1 + (HALF if step > 1 else 0.25), "grows": max(2 * step - 1, 0)}
            | {"top": row - 0.36, "bottom": row + 0.36}
        )
    slider = alt.binding_range(min=0, max=last, step=1, name="step ")
    moment = alt.param(name="moment", value=start, bind=slider)
    lowest, done = max(node["row"] for node in nodes), 2 * len(best.words)
    wins = f"datum.loud && moment >= {done}"
    open_, gone, won = (f"datum.state == '{state}'" for state in (CANDIDATE, "dropped", "finished"))
    base = (
        alt.Chart(alt.Data(values=table))
        .transform_filter("datum.grows <= moment")
        .transform_calculate(
            state=f"moment > datum.grows || datum.step == 0 ? datum.fate : '{CANDIDATE}'"
        )
        .transform_calculate(
            ends=f"{gone} ? datum.x - 0.24 : datum.left",
            beside=f"{gone} ? datum.x + 0.14 : datum.right",
            fate=f"{won} && datum.loud && moment == {last} ? 'wins' : datum.state",
        )
    )
    grown = base.transform_filter("datum.step > 0")
    x_scale = alt.Scale(domain=[-0.26, len(steps) + HALF + 0.01], nice=False)
    y_scale = alt.Scale(domain=[lowest + 0.4, -0.4], nice=False)

    def x(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=x_scale, axis=None)

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=None)

    def chosen(first: Any, then: Any, otherwise: Any) -> Any:
        """One look for words not kept (or not yet), one for the winner's way, one for the rest."""
        own = alt.when(f"{gone} || {open_}").then(alt.value(first))
        return own.when(wins).then(alt.value(then)).otherwise(alt.value(otherwise))

    ink, strong = chosen(PALE, style.ACCENT, style.INK), chosen(1.3, 2.5, 1.3)
    dashes = chosen([2, 3], [1, 0], [1, 0])
    best_end = f"{won} && {wins}"
    lines = grown.mark_rule().encode(
        x("from_x"),
        y("from_row"),
        alt.X2("ends"),
        alt.Y2("row"),
        color=ink,
        size=strong,
        strokeDash=dashes,
    )
    boxes = (
        base.transform_filter(f"!({gone})")
        .mark_rect(cornerRadius=6)
        .encode(
            x("left"),
            y("top"),
            alt.X2("right"),
            alt.Y2("bottom"),
            stroke=ink,
            fill=alt.condition(best_end, alt.value(style.ACCENT), alt.value(style.PAPER)),
            strokeWidth=strong,
        )
    )
    said = alt.when(best_end).then(alt.value(style.PAPER)).when(gone).then(alt.value(style.MUTED))
    said = said.otherwise(alt.value(style.INK))
    words = base.mark_text(fontSize=13, dy=alt.expr("datum.step > 0 ? -7 : 0")).encode(
        x("x"), y("row"), text="label:N", color=said
    )
    numbers = grown.mark_text(fontSize=12, dy=9).encode(
        x("x"), y("row"), text="likely:N", color=said
    )
    fates = (
        grown.transform_filter(f"{won} || {gone} && datum.step * 2 == moment")
        .mark_text(fontSize=13, align="left", dx=8)
        .encode(
            x("beside"),
            y("row"),
            text="fate:N",
            color=chosen(style.MUTED, style.ACCENT, style.INK),
        )
    )
    says = alt.Title(text=alt.expr(f"{_moments(steps)}[moment]"), subtitle=[task, meanings])
    return (
        (lines + boxes + words + numbers + fates)
        .properties(width=min(140 * len(steps) + 60, 650), height=46 * (lowest + 0.8), title=says)
        .add_params(moment)
    )


def _moments(steps: Sequence[Sequence[Branch]]) -> list[str]:
    """What happens at each moment of the stepper, in a few words."""
    says, left = ["Before the first word"], 0
    tries = {0: "the tree begins", 1: "one branch is left, and tries its next words"}
    tries |= {2: "both branches try their next words"}
    for number, step in enumerate(steps, 1):
        grows = tries.get(left, f"all {left} branches try their next words")
        kept = [" ".join(branch.words) for branch in step if branch.fate == "kept"]
        done = [" ".join(branch.words[:-1]) for branch in step if branch.fate == "finished"]
        parts = [
            f"{name}: {', '.join(some)}"
            for name, some in [("kept", kept), ("finished", done)]
            if some
        ]
        says += [f"Word {number} · {grows}", f"Word {number} · " + "; ".join(parts)]
        left = len(kept)
    return says


def cost_curves(lengths: Sequence[int], costs: Mapping[str, Sequence[int]]) -> Figure:
    """Draw multiplications against the number of words written, a curve for each way -> the figure.

    Raises ValueError when a curve has another number of points than there are lengths.
    """
    for name, numbers in costs.items():
        if len(numbers) != len(lengths):
            raise ValueError(f"{name!r} has {len(numbers)} costs for {len(lengths)} lengths")
    figure, ax = style.panel(4.0)
    ax.set(xlabel="words written", ylabel="multiplications")
    named = {
        f"{name}: {steady_round(numbers[-1] / 1e6, 0):,.0f}\N{NO-BREAK SPACE}million": [
            n / 1e6 for n in numbers
        ]
        for name, numbers in costs.items()
    }
    look = {"marker": "o", "linestyle": "", "clip_on": False, "names": False}
    curves(ax, lengths, named, loud=list(named)[-1:], **look)
    name_lines(ax, wide=16)
    x = np.linspace(0, lengths[-1])
    for dots in list(ax.lines):  # between them no guess: each layer's work is a cubic at most
        power = np.polyfit(*dots.get_data(), min(3, len(lengths) - 1))
        ax.plot(x, np.polyval(power, x), color=dots.get_color(), label="_", zorder=2)
    if len(costs) == 2:
        more, less = costs.values()
        times, end = f"{more[-1] / less[-1]:.0f} times less", lengths[-1]
        note = "The cache keeps the keys and values of the words before"
        titled(figure, f"With a cache, {end} words cost {times} work", note)
        high, low = (line.get_ydata() for line in ax.lines[2:])
        ax.fill_between(x, low, high, color=style.tint(style.ACCENT), linewidth=0)
        look = {"ha": "right", "size": 16, "weight": "bold", "color": style.ACCENT}
        ax.text(0.97 * end, more[-1] / 3e6, times, **look)
        rows, columns = np.divmod(np.arange(end), 16)
        look = {"marker": "s", "s": 70, "c": [style.RULE] * (end - 1) + [style.ACCENT]}
        ax.scatter(0.03 + columns / 40, 0.93 - rows / 13, transform=ax.transAxes, **look)
        said = f"Word {end}: without a cache all {end} go\nthrough the decoder again; with it, one"
        ax.text(0.02, 0.6, said, transform=ax.transAxes, va="top", linespacing=1.3)
    ax.set_xticks(lengths)
    ax.set(xlim=(0, lengths[-1]), ylim=(0, None), yticks=[])
    return figure


STUDENT = "I am the student"
EVERY_DAY = "His married neighbor makes a big cookie in front of the quiet museum every day"
LENGTHS = (4, 8, 16, 32, 64)
WAYS = {"without cache": False, "with cache": True}


def next_words(translator: Translator, sentence: str) -> Following:
    """The words so far -> the log-probability of each word that can come next."""
    model, vocab = translator.model, translator.tgt.vocab
    src = source_batch([translator.src.vocab.encode(translator.read(sentence))])
    with inference_mode(model):
        memory = model.encode(src)

    def following(words: tuple[str, ...]) -> dict[str, float]:
        with inference_mode(model):
            x = model.decode(torch.tensor([[BOS, *vocab.encode(words)]]), memory, src)
            logits = model.generator(x[0, -1])
            logits[[PAD, BOS]] = -math.inf
            numbers = logits.log_softmax(dim=-1).tolist()
        return {word: n for word, n in zip(vocab.tokens, numbers, strict=True) if n > -math.inf}

    return following


@cache
def student_steps() -> list[list[Branch]]:
    """A beam of two for "I am the student"."""
    return beam_steps(next_words(Translator.load(), STUDENT), beam_size=2)


def multiplications(translator: Translator, length: int, cache: bool) -> int:
    """How many it takes to write `length` words, whichever, for "I like trees"."""
    src = source_batch([translator.src.vocab.encode(["I", "like", "trees"])])
    word = torch.tensor([5])
    with inference_mode(translator.model), FlopCounterMode(display=False) as counter:
        state = DecoderState(translator.model, src, length, cache)
        for _ in range(length):
            state.next_logits()
            state.append(word)
    return counter.get_total_flops() // 2


def words_through(translator: Translator, length: int, cache: bool) -> list[int]:
    """How many words go through the decoder at each step, until `length` are written."""
    seen: list[int] = []
    layer = translator.model.decoder.layers[0].feed_forward
    hook = layer.register_forward_hook(lambda _, args, __: seen.append(args[0].size(1)))
    try:
        multiplications(translator, length, cache)
    finally:
        hook.remove()
    return seen


MEANINGS = "estoy, soy: am · tengo: have · el: the · al: to the"


@figure(
    "decoding-tree",
    caption="The complete tree of a beam of two for 'I am the student'.",
    alt="A tree in four columns of words with the probability of the words so far, to which each "
    "box is filled. Two branches are kept: 'estoy', at first ahead with 39 %, and 'soy', 36 %. "
    "With its second word 'soy estudiante' is ahead, and wins with 27 %; 'estoy el estudiante' "
    "finishes a word later with 11 %. All others are dropped, in grey and without a box, and of "
    "those only the likeliest of each branch is drawn.",
    hero=True,
)
def draw_tree() -> Figure:
    return _beam_tree(student_steps(), task=f"“{STUDENT}”: ", meanings=MEANINGS)


@figure(
    "decoding-stepper",
    caption="Beam search to step through: a slider lets the tree grow, and branches are dropped.",
    alt="A tree at the moment when three words have grown and are decided. The way to 'soy "
    "estudiante', which has finished with 27 %, is orange, and its last box is filled; 'estoy el "
    "estudiante', with 12 %, goes on. Five words are dropped: grey, without a box, on dotted "
    "lines. A slider lets the tree grow.",
)
def draw_stepper() -> Any:
    task = (
        f"“{STUDENT}”: how likely the words so far are; the best two go on, the others are dropped"
    )
    return _beam_stepper(student_steps(), start=6, task=task, meanings=MEANINGS)


@figure(
    "decoding-cost",
    caption="Multiplications to write a translation, against its length, with cache and without.",
    alt="Two curves against the number of words, up to 64. Without a cache the curve bends "
    "upwards, to 1,037 million multiplications at 64 words; with it, as keys and values of the "
    "words before are kept, it is a straight line that comes to 47 million. The area between them "
    "is filled, and says '22 times less'. Of 64 squares, one for each word, one is orange: with a "
    "cache, only word 64 goes through the decoder.",
)
def draw_cost() -> Figure:
    translator = Translator.load()
    costs = {
        way: [multiplications(translator, length, cache) for length in LENGTHS]
        for way, cache in WAYS.items()
    }
    return cost_curves(LENGTHS, costs)


@figure(
    "decoding-wider",
    caption="A wider beam finds likelier translations, and not more right ones.",
    alt="Two curves over the beam sizes 1, which is greedy, 2, 4 and 8. How likely the best "
    "translation is rises by 11 percent; the number of right ones stays nearly the same, 588 of "
    "1,000 at first, then 585. The gap between them is filled. Below, a sentence: the right "
    "translation ends in 'todos los días'; a beam of 8 leaves these words out, and is likelier.",
)
def draw_wider() -> Figure:
    rows = [row for row in experiments.load("beam")["rows"] if row["split"] == "longer"]
    rows = [row for row in rows if row["alpha"] == 0.0]
    first, last = rows[0], rows[-1]
    likely = [math.exp(row["log_prob"] - first["log_prob"]) - 1 for row in rows]
    right = [row["right"] / first["right"] - 1 for row in rows]
    figure, ax = canvas(style.WIDTH, 4.95)
    note = f"{last['sentences']:,} long sentences; a beam keeps the likeliest beginnings"
    heading(ax, "A wider beam finds likelier translations, not more right ones", note)
    x, base = np.linspace(0.55, 6.35, len(rows)), 2.15
    heights = [base + 15 * np.array(changes) for changes in (likely, right)]
    ax.fill_between(x, *heights, color=style.tint(style.ACCENT), linewidth=0)
    ends = (
        f"{100 * likely[-1]:.0f} % likelier",
        f"{last['right']} right\ninstead of {first['right']}",
    )
    for height, color, said in zip(heights, (style.ACCENT, style.INK), ends, strict=True):
        ax.plot(x, height, "o-", color=color, linewidth=2.8)
        look = {"size": style.LABEL, "color": color, "weight": "bold"}
        label(ax, (x[-1] + 0.15, height[-1]), said, **look)
    for at, row in zip(x, rows, strict=True):
        said = "greedy" if row["beam"] == 1 else f"beam of {row['beam']}"
        label(ax, (at, base - 0.47), said, size=style.LABEL, ha="center")
    words, gone, times = _left_out()
    sentence(ax, (0.1, 0.62), words, dict.fromkeys(words[gone:], style.ACCENT), size=10.5, gap=0.18)
    label(ax, (0.1, 0.98), f"{EVERY_DAY}:", color=style.MUTED)
    said = f"a beam of {last['beam']} leaves this out, and is {times:.1f} times as likely"
    label(ax, (7.7, 0.24), said, ha="right", color=style.ACCENT, weight="bold")
    return figure


def _left_out() -> tuple[list[str], int, float]:
    """The words of a right translation; from where a beam of 8 leaves them out; its advantage."""
    translator = Translator.load()
    src = source_batch([translator.src.vocab.encode(translator.read(EVERY_DAY))])
    greedy, wide = (
        beam_search(translator.model, src, beam_size=size, length_penalty=0.0)[0][0]
        for size in (1, 8)
    )
    words = translator.tgt.vocab.decode(greedy.ids)
    return words, len(wide.ids), math.exp(wide.log_prob - greedy.log_prob)


SHARPENED = {
    "as the model says": {},
    "temperature 0.5\nlikely words gain": {"temperature": 0.5},
    "temperature 1.5\nrare words gain": {"temperature": 1.5},
    "top-k with k = 2\nor top-p with p = 0.7": {"top_k": 2},
}


def _first_words() -> dict[str, dict[str, float]]:
    """How likely each first word of "I am the student" is drawn, for each way to sharpen."""
    following = next_words(Translator.load(), STUDENT)(())
    logits = torch.tensor(list(following.values()))
    return {
        name: dict(zip(following, sampling_distribution(logits, **how).tolist(), strict=True))
        for name, how in SHARPENED.items()
    }


@figure(
    "decoding-sampling",
    caption="What temperature, top-k and top-p make of one row of probabilities.",
    alt="Four bars, each cut into the shares of the first Spanish words of 'I am the student': "
    "'estoy', 'soy', and in orange all others together, such as 'tengo', 'huevos' and 'voy'. As "
    "the model says: 39, 36 and 25 percent. Temperature 0.5 leaves the others nearly nothing, "
    "temperature 1.5 gives them 80. Top-k 2 and top-p 0.7 both keep 'estoy' and 'soy' alone.",
)
def draw_sampling() -> Figure:
    panels, kept = _first_words(), ("estoy", "soy")
    plain, *_ = panels.values()
    rare = sorted(set(plain) - set(kept), key=plain.__getitem__, reverse=True)[:5]
    figure, ax = canvas(style.WIDTH, 4.2)
    others = {name: 1 - sum(row[word] for word in kept) for name, row in panels.items()}
    most = max(others, key=others.__getitem__)
    note = f"The first word for “{STUDENT}”: how likely it is drawn"
    title = f"{most.split(chr(10))[0].capitalize()} gives rare words {100 * others[most]:.0f} %"
    heading(ax, title + "; top-k and top-p, nothing", note)
    left, wide, high = 2.15, 5.75, 0.46
    for place, (name, row) in enumerate(panels.items()):
        y, start = 2.8 - 0.8 * place, left
        way, does = [*name.split("\n"), ""][:2]
        label(ax, (left - 0.15, y + 0.12 * bool(does)), way, ha="right", weight="bold", size=11)
        label(ax, (left - 0.15, y - 0.13), does, ha="right", color=style.MUTED)
        parts = {"estoy": style.SOFT, "soy": style.RULE, "all others": style.ACCENT}
        for word, color in parts.items():
            p = row.get(word, others[name])
            area(ax, (start, y - high / 2), wide * p, high, color)
            middle, look = start + wide * p / 2, {"ha": "center", "size": style.LABEL}
            if p > 0.05:
                bold = {"weight": "bold"} if word == "all others" else {}
                said = f"{100 * p:.0f} %"
                if name == most and word == "all others":
                    said += ": " + ", ".join(rare) + " …"
                label(ax, (middle, y), said, color=style.ink_on(color), **look, **bold)
            if not place:
                gloss = f"{word} (am)" if word in kept else word
                ink = style.ACCENT if word == "all others" else style.INK
                label(ax, (middle, y + 0.4), gloss, color=ink, **look)
            start += wide * p
    return figure
