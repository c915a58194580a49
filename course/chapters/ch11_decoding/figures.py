"""Beam search step by step, as a tree; and what decoding costs.

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

from course.drawing import style
from course.drawing.arrows import box, curve, path
from course.drawing.cells import area, outline
from course.drawing.plots import curves
from course.drawing.registry import figure
from course.drawing.values import steady_round
from course.drawing.words import bold, canvas, label, muted, percent, sentence, titled, width_of
from transformer_lib.decoding import (
    DecoderState,
    beam_search,
    inference_mode,
    sampling_distribution,
)
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD, SPECIALS
from transformer_lib.training.threads import using_threads
from transformer_lib.translator import Translator

Following = Callable[[tuple[str, ...]], Mapping[str, float]]
END = SPECIALS[EOS]
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


def likely_tree(steps: Sequence[Sequence[Branch]]) -> list[dict[str, Any]]:
    """The branches that the picture of a tree has, and its loop: all that went on, and behind each
    the best of those dropped, if it has 1 % or more.

    Each with its column (step), its row, and the row of the branch it grows from.
    """
    children: dict[tuple[str, ...], list[Branch]] = {}
    for step in steps:
        for branch in step:
            siblings = children.get(branch.words[:-1], [])
            second = any(one.fate == "dropped" for one in siblings)
            if branch.fate != "dropped" or (branch.log_prob > math.log(0.01) and not second):
                children[branch.words[:-1]] = [*siblings, branch]
    rows: dict[tuple[str, ...], float] = {}
    last: dict[int, int] = {}  # column -> the lowest row in use

    def place(words: tuple[str, ...], row: int) -> None:
        """The likeliest child stands level with its parent, a dropped word in the next free row."""
        rows[words] = last[len(words)] = row
        for child in children.get(words, []):
            if child is not children[words][0]:
                leaf = child.words not in children
                taken = [last[step] for step in last if step >= len(child.words)]
                row = 1 + (last[len(child.words)] if leaf else max(taken))
            place(child.words, row)

    place((), 0)
    kept = [rows[child.words] for child in children[()] if child.fate != "dropped"]
    rows[()] = (kept[0] + kept[-1]) / 2
    root = {"word": SPECIALS[BOS], "step": 0, "log_prob": 0.0, "fate": "kept"}
    nodes = [{**root, "row": rows[()], "from_row": rows[()]}]
    for branch in (branch for siblings in children.values() for branch in siblings):
        words = branch.words
        own = {"word": words[-1], "log_prob": branch.log_prob, "fate": branch.fate}
        places = {"step": len(words), "row": rows[words], "from_row": rows[words[:-1]]}
        nodes.append({**own, **places})
    return nodes


def _way(nodes: Sequence[Mapping[str, Any]], best: Branch) -> set[tuple[int, float]]:
    """The step and the row of each word on the way to a finished sentence."""
    end = next(n for n in nodes if n["fate"] == "finished" and n["log_prob"] == best.log_prob)
    way = {(end["step"], end["row"])}
    while end["step"]:
        above = end["step"] - 1, end["from_row"]
        end = next(node for node in nodes if (node["step"], node["row"]) == above)
        way.add(above)
    return way


STUDENT = "I am the student"
EVERY_DAY = "His married neighbor makes a big cookie in front of the quiet museum every day"
LENGTHS = (4, 8, 16, 32, 64)


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
    count = FlopCounterMode(display=False)
    with using_threads(1), inference_mode(translator.model), count as counter:
        state = DecoderState(translator.model, src, length, cache)
        for _ in range(length):
            state.next_logits()
            state.append(word)
    return counter.get_total_flops() // 2


TASK = f"A beam of two for “{STUDENT}”. Each percentage is the product of all probabilities so far."
MEANINGS = {"estoy": "am", "soy": "am", "tengo": "have", "estudiante": "student"}
MEANINGS |= {"el": "the", "al": "to the"}


@figure(
    "decoding-tree",
    caption="The complete tree of a beam of two for 'I am the student'.",
    alt="""A tree in four columns of words, each with the product of the probabilities so far,
    which makes its branch thick. Two branches run level: 'estoy', at first ahead with 39%, and
    below it 'soy', 36%, in orange. After the second word 'soy estudiante' is ahead with 30% to
    14%, and it wins: its filled box, 27%, stands a word before that of 'estoy el estudiante',
    which has 11%. Two words that are dropped hang on dotted lines, grey and without a box:
    'tengo' with 1% and 'estoy al' with 8%.""",
    hero=True,
)
def draw_tree() -> Figure:
    steps = student_steps()
    nodes, best = likely_tree(steps), finished(steps)[0]
    way = _way(nodes, best)
    lowest = max(node["row"] for node in nodes)
    across, down, first = (style.WIDTH - 1.05) / (len(steps) + 0.1), 0.78, steps[0][0].words[0]
    figure, ax = canvas(
        down * lowest + 2.1,
        f"“{best.words[0]}” is behind “{first}” after one word, but it wins in the end",
        TASK,
    )
    for node in nodes:
        step, row, share = node["step"], node["row"], math.exp(node["log_prob"])
        gone, loud = node["fate"] == "dropped", (step, row) in way
        done = node["fate"] == "finished"
        x, y = 0.35 + across * step, down * (lowest - row) + 0.5
        half = HALF * across if step else 0.3
        left, right = x - half, x + half
        color = style.ACCENT if loud else style.SOFT if gone else style.INK
        fill = color if done and loud else style.PAPER
        box(ax, (x, y), 2 * half, 0.42, "", color, fill=fill, line=0 if gone else 1.2)
        ink = style.MUTED if gone else style.ink_on(fill)
        look = {"color": ink, "weight": "bold" if done and loud else "normal"}
        if not step:
            label(ax, (x, y), node["word"], ha="center", **look)
            continue
        start = x - across + (HALF * across if step > 1 else 0.3)
        above = down * (lowest - node["from_row"]) + 0.5
        line = {"thick": max(14 * share, 1.2), "linestyle": ":" if gone else "-"}
        path(ax, curve((start, above), (left, y)), color, head=False, **line)
        label(ax, (left + 0.12, y), node["word"], **look)
        size = style.TITLE if done else style.NOTE
        label(ax, (right - 0.1, y), percent(share), ha="right", size=size, **look)
        means, below = MEANINGS.get(node["word"], ""), y - (0.22 if gone else 0.34)
        muted(ax, (left + 0.12, below), means)
        if step <= 2 and not gone:
            side = "ahead" if node["log_prob"] == steps[step - 1][0].log_prob else "behind"
            label(ax, (left + 0.04, y + 0.33), side, size=style.LABEL, color=color)
    for step in range(1, len(steps) + 1):
        muted(ax, (0.35 + across * (step - HALF) + 0.04, down * lowest + 1.2), f"word {step}")
    return figure


@figure(
    "decoding-cost",
    caption="Multiplications to write a translation, against its length, with cache and without.",
    alt="""Two curves against the number of words, up to 64. Without a cache the curve bends
    upwards, to 1,037 million multiplications at 64 words; with it, as keys and values of the
    words before are kept, it is a straight line that comes to 47 million, a 22nd of it.""",
)
def draw_cost() -> Figure:
    translator = Translator.load()
    costs = {
        way: [multiplications(translator, length, cache) for length in LENGTHS]
        for way, cache in (("without cache", False), ("with cache", True))
    }
    figure, ax = style.panel(4.4)
    ax.set(xlabel="words written", ylabel="millions of multiplications")
    look = {"marker": "o", "linestyle": "", "clip_on": False, "names": False}
    millions = {name: [n / 1e6 for n in numbers] for name, numbers in costs.items()}
    curves(ax, LENGTHS, millions, loud=["with cache"], **look)
    end = LENGTHS[-1]
    x = np.linspace(0, end)
    for dots in list(ax.lines):  # between them no guess: each layer's work is a cubic at most
        power = np.polyfit(*dots.get_data(), 3)
        ax.plot(x, np.polyval(power, x), color=dots.get_color(), label="_", zorder=2)
    for line, (name, numbers) in zip(ax.lines, millions.items(), strict=False):
        said = f"{name}: {steady_round(numbers[-1], 0):,.0f} million"
        at, look = (end, numbers[-1]), {"color": line.get_color(), "weight": "bold"}
        ax.annotate(said, at, (-14, 8), textcoords="offset points", ha="right", **look)
    more, less = millions.values()
    times = f"{more[-1] / less[-1]:.0f} times"
    title = f"Without a cache, {end} words cost {times} as much work"
    titled(figure, title, "Our translator writes from 4 to 64 words")
    ax.set_xticks(LENGTHS)
    ax.set(xlim=(0, 1.02 * end), ylim=(0, None))
    ax.locator_params(axis="y", nbins=2)
    ax.yaxis.set_major_formatter("{x:,g}")
    return figure


@figure(
    "decoding-wider",
    caption="A wide beam finds a more likely translation, which leaves three words out.",
    alt="""A long sentence and two translations of it, one below the other. Greedy decoding
    writes the correct one, whose probability is 3.3%. A beam of 8 leaves out its last three
    words, 'todos los días', whose boxes are empty, and the probability is higher, in orange:
    4.4%.""",
)
def draw_wider() -> Figure:
    title = "Our translator finds the sentence more likely without its last three words"
    figure, ax = canvas(2.65, title, f"“{EVERY_DAY}”")
    words, gone, chances = _left_out()
    edge = style.WIDTH - 0.05
    muted(ax, (edge, 1.72), "probability", ha="right")
    ways = "greedy decoding: correct", "a beam of 8: “every day” is missing"
    for place, (way, chance) in enumerate(zip(ways, chances, strict=True)):
        y, color = 1.25 - 0.84 * place, (style.MUTED, style.ACCENT)[place]
        bold(ax, (0.02, y + 0.36), way)
        bold(ax, (edge, y + 0.06), f"{100 * chance:.1f}%", ha="right", color=color)
        inks = dict.fromkeys(words[gone:], (style.MUTED, style.PAPER)[place])
        middles = sentence(ax, (0.06, y), words, inks, size=10, gap=0.14)
    for x, text in zip(middles[gone:], words[gone:], strict=True):
        wide = width_of(text, 10) + 0.08
        outline(ax, (x - wide / 2, 0.35), wide, 0.22, style.INK, 1.2, linestyle="--")
    return figure


def _left_out() -> tuple[list[str], int, list[float]]:
    """A right translation's words; from where a beam of 8 leaves them out; how likely both are."""
    translator = Translator.load()
    src = source_batch([translator.src.vocab.encode(translator.read(EVERY_DAY))])
    greedy, wide = (
        beam_search(translator.model, src, beam_size=size, length_penalty=0.0)[0][0]
        for size in (1, 8)
    )
    words = translator.tgt.vocab.decode(greedy.ids)
    return words, len(wide.ids), [math.exp(one.log_prob) for one in (greedy, wide)]


SHARPENED = {
    "temperature 1": {},
    "temperature 1.5": {"temperature": 1.5},
    "temperature 0.5": {"temperature": 0.5},
    "top-k with k = 2,\nor top-p with p = 0.7": {"top_k": 2},
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
    alt="""Four bars, each cut into the probabilities of the first Spanish words of 'I am the
    student': 'estoy', 'soy', and in orange all others together. At temperature 1 these are 39%,
    36% and 25%. At 1.5 the others have 80%, such as 'tengo', 'huevos' and 'voy': a band shows
    how they grow, and shrink to less than 1% at temperature 0.5. Top-k 2 and top-p 0.7 both keep
    'estoy' and 'soy' alone.""",
)
def draw_sampling() -> Figure:
    panels, kept = _first_words(), ("estoy", "soy")
    others = {name: max(0.0, 1 - sum(row[word] for word in kept)) for name, row in panels.items()}
    plain, most, *_ = panels
    rare = sorted(set(panels[plain]) - set(kept), key=panels[plain].__getitem__, reverse=True)[:5]
    said = [f"{100 * p:.0f}%" if p > 0.01 or p < 1e-5 else "< 1%" for p in others.values()]
    note = f"Probabilities for the first word of the translation of “{STUDENT}”"
    title = f"At {most}, the unlikely words get {said[1]} instead of {said[0]}"
    figure, ax = canvas(4.2, title, note)
    left, wide, high, down = 1.85, 5.2, 0.46, 0.86
    tops, end = [3.03 - down * place for place in range(len(panels))], left + wide
    ends = [end - wide * share for share in others.values()]  # of the two words that are kept
    band = [(x, y) for x, top in zip(ends[:3], tops, strict=False) for y in (top, top - high)]
    band += [(end, tops[2]), (end, tops[0])]
    ax.fill(*zip(*band, strict=True), color=style.PALE, linewidth=0, zorder=1)
    look = {"ha": "center", "size": style.LABEL}
    label(ax, (end, tops[0] + 0.2), "all other words", ha="right", color=style.ACCENT)
    for top, x, rest, (name, row) in zip(tops, ends, said, panels.items(), strict=True):
        y, start = top - high / 2, left
        bold(ax, (left - 0.15, y), name, ha="right")
        for word, color in zip(kept, (style.SOFT, style.RULE), strict=True):
            p = row[word]
            area(ax, (start, top - high), wide * p, high, color)
            text = f"{word}  {percent(p)}" if p > 0.2 else percent(p)
            label(ax, (start + wide * p / 2, y), text, color=style.ink_on(color), **look)
            start += wide * p
        area(ax, (x, top - high), end - x, high, style.ACCENT)
        bold(ax, (end + 0.15, y), rest, size=style.TITLE, color=style.ACCENT)
        if name == most:
            label(ax, ((x + end) / 2, y), f"{', '.join(rare)} …", color=style.PAPER, **look)
    return figure
