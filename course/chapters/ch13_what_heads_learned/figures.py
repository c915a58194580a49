"""What depends on a head: tables of all heads, agreement after each change, words that cross."""

from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch05_multi_head_attention import figures as heads
from course.chapters.ch05_multi_head_attention.figures import TIRED, arcs, maps_of_tired
from course.drawing import style
from course.drawing.arrows import arrow, bracket, curve, path
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import canvas, heading, label, sentence, titled, width_of, word
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, best_head, head_accuracy, measurable
from transformer_lib.interpret.recording import head_name
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL, Translator

LINE = ("color", "linewidth", "zorder")
SEEN = 0.3  # weights below are no line in `crossing`


def head_table(table: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw each head's share of largest weights on the right noun -> two rows of dots.

    table: rows of `head_accuracy`. The upper dots are the looks of the adjective, the lower ones
    those of the pronoun; above them a sentence with the word that looks.
    """
    figure, ax = canvas(style.WIDTH, 4.35)
    left, long, words = 0.3, 7.2, TIRED.split()
    loud = {"size": style.LABEL, "weight": "bold", "color": style.ACCENT, "ha": "center"}
    for asker, kind, y in (("tired", "adjective", 2.15), ("it", "pronoun", 0.4)):
        rows = sorted((row for row in table if row["from"] == kind), key=lambda row: row["right"])
        *others, best = [row["right"] for row in rows]
        shares = [f"{100 * steady_round(share):.0f} %" for share in (best, others[-1])]
        if kind == "adjective":
            note = "How often a head looks most at the noun that is meant, from the orange word"
            title = f"From the adjective, one head finds the noun in {shares[0]} of sentences"
            heading(ax, title, note)
        marked = {asker: style.ACCENT, "animal": style.INK}
        middles = sentence(ax, (left, y + 0.68), words, marked, gap=0.26)
        ends = [(middles[words.index(word)], y + 0.91) for word in (asker, "animal")]
        arrow(ax, *ends, style.ACCENT, thick=4 * best, rise=0.25)
        path(ax, [(left, y), (left + long, y)], style.RULE, head=False)
        for some, size, color in ((others, 60, style.SOFT), ([best], 260, style.ACCENT)):
            across = [left + long * share for share in some]
            ax.scatter(across, [y] * len(some), size, color, edgecolors=style.PAPER, zorder=3)
        label(ax, (across[0], y + 0.3), f"head {rows[-1]['head']}: {shares[0]}", **loud)
        said = f"the other {len(others)} heads: 0 to {shares[1]}"
        label(ax, (left - 0.07, y - 0.25), said, color=style.MUTED)
    label(ax, (left + long, y - 0.25), "100 % of sentences", ha="right", color=style.MUTED)
    return figure


def _before_and_after(
    maps: Any, layer: str, head: int, word: str, one: str, another: str
) -> torch.Tensor:
    """(2, s): a word's row in one head, and the same with the weights of two words exchanged."""
    query, first, second = (maps.src.index(name) for name in (word, one, another))
    weights = maps.weights[layer][None]
    swapped = swap_attention(0, head, query, first, second)(weights)
    return torch.stack([weights[0, head, query], swapped[0, head, query]])


def lines_between(maps: Any) -> list[tuple[int, int]]:
    """(Spanish position, English position) where the mean of the last cross-attention is at least
    0.3, without the sign for the end."""
    mean = as_array(maps.last_cross_attention())[:-1, :-1]
    return [(i, j) for i, j in np.ndindex(mean.shape) if mean[i, j] >= SEEN]


def crossings(lines: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The pairs of lines that cross: one starts further left and ends further right."""
    return [(a, b) for a in lines for b in lines if a[0] < b[0] and a[1] > b[1]]


def _crossing(several: Sequence[Any]) -> Figure:
    """Draw which English words each Spanish word looks at, as lines between two rows of words.

    several: what a `Translator` gives for a sentence each. The lines are the mean of the heads of
    the last cross-attention; the one that crosses most others is loud, and a ring marks each
    crossing.
    """
    figure, ax = canvas(style.WIDTH, 1.6 * len(several) + 0.5)
    heading(ax, "Attention crosses where a word has another place in Spanish")
    most = max(max(len(one.src), len(one.tgt_out)) - 1 for one in several)  # without <eos>
    first, step = 1.9, (style.WIDTH - 2.5) / max(most - 1, 1)
    for number, maps in enumerate(several):
        low, lines = 1.6 * (len(several) - number) - 1.3, lines_between(maps)
        crossed = crossings(lines)
        ends = sum(crossed, ())  # a line as often as it crosses others
        jumps = max(ends, key=ends.count, default=(-1, -1))
        for words, y, language, loud in (
            (maps.src, low + 0.92, "English", jumps[1]),
            (maps.tgt_out, low, "Spanish", jumps[0]),
        ):
            label(ax, (0.02, y), language, color=style.MUTED)
            for place, text in enumerate(words[:-1]):
                color = style.ACCENT if place == loud else style.INK
                word(ax, (first + step * place, y), text, size=style.LABEL + 2, color=color)
        for i, j in lines:
            ends = (first + step * i, low + 0.2), (first + step * j, low + 0.72)
            look = (style.ACCENT, 3.5, 3) if (i, j) == jumps else (style.SOFT, 2.2, 2)
            ax.plot(*curve(*ends, upright=True).T, **dict(zip(LINE, look, strict=True)))
        for one, other in crossed:
            across = [curve((a, 0), (b, 1), upright=True) for a, b in (one, other)]
            apart = across[0][:, 0] - across[1][:, 0]
            part = np.interp(0, apart, across[0][:, 1])
            x = first + step * np.interp(part, across[0][:, 1], across[0][:, 0])
            ring = {"color": style.PAPER, "edgecolor": style.INK, "linewidth": 1.3, "zorder": 4}
            ax.scatter(x, low + 0.2 + 0.52 * part, 46, **ring)
        count = len(crossed)
        said = f"{count or 'no'} crossing{'s' if count != 1 else ''}"
        look = {"weight": "bold"} if count else {"color": style.MUTED}
        label(ax, (0.02, low + 0.46), said, size=style.LABEL, **look)
    return figure


BEST = ("encoder.layers.1.self_attn", 2)  # of the shipped model; the notebook finds it again
WIDE = "The animal didn't cross the street because it was too wide"
ALIKE = [("decoder.layers.1.cross_attn", 0), ("decoder.layers.1.self_attn", 2)]  # as sharp
SWAPPED = ("tired", "animal", "street")  # a word, and two whose weights change places
CROSSING = ("I like trees", "My head hurts", "You have five balls left")


def _over_seeds() -> dict[str, dict[str, float]]:
    """Share of adjectives in the right gender after each change -> {change: {seed: share}}."""
    found: dict[str, dict[str, float]] = {}
    for seed, report in read_json(SHIPPED_MODEL / "heads.json")["seeds"].items():
        measured = report["agreement"]
        best = f"{report['best_head']['layer']}.{report['best_head']['head']}"
        others = [share for name, share in report["each_head_off"].items() if name != best]
        changes = {
            "nothing changed": measured["as trained"],
            "the one head off": measured["best head off"],
            "another head off": min(others),
            "“it” can't see the nouns": measured["pronoun can't see the nouns"],
            "two weights swapped": measured["two numbers swapped in the best head"],
        }
        for change, share in changes.items():
            found.setdefault(change, {})[seed] = share
    return found


def _endings(*swap: str) -> list[str]:
    """The last word of the translation, before and after two weights have changed places."""
    from course.chapters.ch13_what_heads_learned.experiments import swapped

    translator = Translator.load()
    texts = (translator.translate(TIRED)[0].text, swapped(translator, TIRED, *BEST, *swap))
    return [text.split()[-1] for text in texts]


@figure(
    "causes-token-view",
    caption="The sentence with 'wide', to explore: choose a layer, heads and a word.",
    alt="Two columns with the words of 'The animal didn't cross the street because it was too "
    "wide'. From 'wide' on the left a thick line of head 2 leads to 'street' and one of head 1 to "
    "'was'; thin lines of heads 0 and 3 lead to most words.",
)
def draw_token_view() -> Any:
    return heads.token_view(Translator.load().attention_maps(WIDE), word="wide")


@figure(
    "causes-head-table",
    caption="In how many sentences the largest weight of each head is on the noun that is meant.",
    alt="A sentence twice, each with a line from 0 to 100 % below, and a dot for each of 16 heads. "
    "Where 'tired' looks, one dot is far out, orange: head 2 of encoder layer 1, with 99 %; the "
    "other 15 have at most 6 %. Where 'it' looks, the same head has 27 %, the others at most 7 %.",
)
def draw_head_table() -> Figure:
    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    return head_table(head_accuracy(translator, PronounBatch(translator, items)))


@figure(
    "causes-agreement",
    caption="Adjectives in the right gender after each change, for three training seeds.",
    alt="Five rows, each with the words animal, street, it and tired, an arc from tired to a noun, "
    "and three dots on a line from 0 to 100 %. Nothing changed, 'it' barred from the nouns, or the "
    "worst of 15 other heads off: 97 to 99 %. The head that finds the noun off: 52 %, as by "
    "chance. Its two weights swapped, so that the arc leads to street, in orange: 1 %, 'cansada' "
    "for 'cansado'.",
)
def draw_agreement() -> Figure:
    measured, (right, wrong) = _over_seeds(), _endings(*SWAPPED)
    figure, ax = canvas(style.WIDTH, 4.95)
    note = "How often the Spanish adjective has the right gender: a dot for each training run"
    heading(ax, "Swap two weights in one head, and the gender is wrong", note)
    places = dict(zip(("animal", "street", "it", "tired"), (0.4, 1.25, 1.83, 2.38), strict=True))
    across = 5.0 + 2.25 * np.array([0, 0.5, 1])  # nothing, chance, everything
    looks, cut = [("tired", "animal", "-")], (0, (1, 1.5))
    rows = {
        "nothing changed": ("nothing changed", looks),
        "“it” can't see the nouns": ("“it” can't see nouns", [*looks, ("it", "animal", cut)]),
        "another head off": ("another head is off:\nthe worst of 15", looks),
        "the one head off": ("the head that finds\nthe noun is off", [("tired", "animal", cut)]),
        "two weights swapped": ("its weights of both\nnouns swapped", [("tired", "street", "-")]),
    }
    ax.vlines(across[1], 0.8, 3.75, color=style.MUTED, linewidth=1.2, linestyle=":", zorder=0)
    label(ax, (across[1], 3.9), "by chance: 50 %", ha="center", color=style.MUTED)
    for row, (change, (said, arrows)) in enumerate(rows.items()):
        y, loud = 3.4 - 0.77 * row, change == "two weights swapped"
        color, weight = (style.ACCENT, "bold") if loud else (style.MUTED, "normal")
        seen = [arrows[0][1], "tired"] if arrows[0][2] == "-" else []
        for text, x in places.items():
            ink = (color if loud else style.INK) if text in seen else style.MUTED
            word(ax, (x, y), text, color=ink)
        for start, end, line in arrows:
            side, gone = -1 if start == "it" else 1, line == cut
            ends = [(places[one], y + 0.17 * side) for one in (start, end)]
            look = {"thick": 1.5 if gone else 3, "head": not gone, "linestyle": line}
            arrow(ax, *ends, color, rise=0.17 if side > 0 else -0.12, **look)
        label(ax, (3.0, y), said, size=style.LABEL, color=color if loud else style.INK)
        shares = list(measured[change].values())
        path(ax, [(across[0], y), (across[2], y)], style.RULE, head=False, thick=0.75)
        dots = [across[0] + share * (across[2] - across[0]) for share in shares]
        look = {"edgecolor": style.PAPER, "linewidth": 0.6, "zorder": 3}
        ax.scatter(dots, [y + 0.1, y, y - 0.1], s=50, color=color, **look)
        ends = dict.fromkeys(f"{100 * share:.0f}" for share in (min(shares), max(shares)))
        text = "–".join(ends) + " %" + f": {wrong} for {right}" * loud
        ground = {"facecolor": style.PAPER, "linewidth": 0, "pad": 1}
        look = {"size": style.LABEL, "color": color, "weight": weight, "bbox": ground}
        label(ax, (max(dots) + 0.14, y), text, **look)
    return figure


@figure(
    "causes-swap",
    caption="Two numbers of one row of one head change places, and a letter of the translation "
    "with them.",
    alt="The sentence 'The animal didn't cross the street because it was too tired' twice. Above, "
    "as it is: an arrow from 'tired' to 'animal', attention weight 1.00; 'street' has 0.00 and "
    "none; at the right Spanish ends in 'cansado', masculine like el animal. Crossed arrows, the "
    "thick one in orange, lead to the numbers below. There the arrow leads to 'street', and "
    "Spanish ends in 'cansada', feminine like la calle.",
    hero=True,
)
def draw_swap() -> Figure:
    maps, (asker, *nouns) = maps_of_tired(), SWAPPED
    words, rows = maps.src[:-1], as_array(_before_and_after(maps, *BEST, *SWAPPED))
    endings, tops = _endings(*SWAPPED), (2.78, 0.82)
    figure, ax = canvas(style.WIDTH, 4.4)
    asks = f"What “{asker}” looks at in one head, and the last word of the translation"
    heading(ax, f"Two numbers change places, and {endings[0]} becomes {endings[1]}", asks)
    same = len(commonprefix(endings))
    kinds = ("masculine,\nlike el animal", "feminine,\nlike la calle")
    for row, y, side, when, ending, meaning in zip(
        rows, tops, (1, -1), ("as it is", "swapped"), endings, kinds, strict=True
    ):
        label(ax, (0.02, y), when, size=style.LABEL, weight="bold", va="baseline")
        weights = {noun: float(row[words.index(noun)]) for noun in nouns}
        seen = max(nouns, key=weights.__getitem__)
        marked = {**dict.fromkeys([asker, *nouns], style.INK), seen: style.ACCENT}
        found = sentence(ax, (0.85, y), words, marked, size=style.LABEL, gap=0.15)
        middle = dict(zip(reversed(words), reversed(found), strict=True))
        edge, under = y + 0.05 + 0.2 * side, y + 0.05 - 0.42 * side
        rise = side * (0.22 + 0.07 * abs(middle[asker] - middle[seen]))
        arrow(ax, (middle[asker], edge), (middle[seen], edge), style.MUTED, thick=2, rise=rise)
        for noun, weight in weights.items():
            look = {"color": style.ACCENT, "weight": "bold"} if noun == seen else {}
            at, number = (middle[noun], under), f"{steady_round(weight):.2f}"
            label(ax, at, number, size=style.TITLE, ha="center", **{"color": style.MUTED} | look)
        between = sum(middle[noun] for noun in nouns) / 2
        label(ax, (between, under), "attention weights", ha="center", color=style.MUTED)
        arrow(ax, (found[-1] + 0.38, y + 0.05), (found[-1] + 0.72, y + 0.05))
        x = found[-1] + 0.84
        for text, color in ((ending[:same], style.INK), (ending[same:], style.ACCENT)):
            look = {"weight": "bold", "color": color, "va": "baseline"}
            label(ax, (x, y - 0.02), text, size=style.TITLE, **look)
            x += width_of(text, style.TITLE) + 0.03
        label(ax, (found[-1] + 0.84, under), meaning, color=style.MUTED)
    for start, end, color, thick in ((*nouns[::-1], style.MUTED, 1.5), (*nouns, style.ACCENT, 3.5)):
        ends = (middle[start], tops[0] - 0.57), (middle[end], tops[1] + 0.69)
        arrow(ax, *ends, color, thick=thick)
    return figure


@figure(
    "causes-crossing",
    caption="Which English words each Spanish word looks at, in the last layer, mean of its heads.",
    alt="Three pairs of word rows with lines, and a ring on each crossing. 'I like trees': no "
    "lines cross. 'My head hurts': the line from 'duele' to 'hurts', in orange, crosses those of "
    "'la' and 'cabeza'. 'You have five balls left': a line from 'quedan' to 'left', in orange, "
    "crosses those of 'cinco' and 'pelotas'.",
)
def draw_crossing() -> Figure:
    translator = Translator.load()
    return _crossing([translator.attention_maps(sentence) for sentence in CROSSING])


@figure(
    "causes-sharp-heads",
    caption="How sharp each of the 24 heads looks, and how many translations change without it.",
    alt="24 points: to the right, heads that look more sharply; above, more translations that "
    "change without them. Two orange points stand one above the other, both at a sharpness of "
    "0.98, with a bracket between them: 19 and 1 percent of the translations change. All others "
    "are grey; the sharp ones are at all heights, most of them at the bottom. The highest, 22 "
    "percent, is the encoder head that finds the noun, and it is only moderately sharp.",
)
def draw_sharp_heads() -> Figure:
    results = experiments.load("heads-off")["results"]
    pair = [row for row in results if (row["layer"], row["head"]) in ALIKE]
    low, high = sorted(row["changed"] for row in pair)
    sharp = pair[0]["largest"]
    figure, ax = style.panel(4.2)
    note = f"Two heads look equally sharply ({sharp:.2f}), and only one of them is needed"
    titled(figure, "How sharply a head looks doesn’t say how much depends on it", note)
    for rows, color, size in ((results, style.SOFT, 64), (pair, style.ACCENT, 130)):
        points = [[row[key] for row in rows] for key in ("largest", "changed")]
        look = {"edgecolor": style.PAPER, "zorder": 3, "clip_on": False}
        ax.scatter(*points, s=size, color=color, **look)
    bracket(ax, (sharp, low + 0.012), (sharp, high - 0.012), "", style.ACCENT)
    look = {"xytext": (13, 0), "textcoords": "offset points", "color": style.ACCENT}
    for share, said in ((high, "decides between\ngusta and gustan"), (low, "hardly matters")):
        text = f"{100 * share:.0f} % change\n{said}"
        ax.annotate(text, (sharp, share), **look, va="center", annotation_clip=False)
    best = next(row for row in results if (row["layer"], row["head"]) == BEST)
    text, at = f"{100 * best['changed']:.0f} %\nfinds the noun", (best["largest"], best["changed"])
    ax.annotate(text, at, **look | {"color": style.MUTED}, va="center")
    ax.set(xlim=(0.3, 1), ylim=(-0.006, 0.25), xticks=[], yticks=[])
    ax.set_xlabel("how sharply the head looks: mean of each word's largest weight")
    ax.set_ylabel("translations that change without it")
    return figure


@figure(
    "attention-animal",
    caption="What 'tired' and 'wide' look at, and what 'it' looks at, in the encoder head that "
    "finds the right noun in most sentences.",
    alt="The sentence 'The animal didn't cross the street because it was too tired', and below it "
    "the same sentence with 'wide'. An arrow leads from 'tired' to 'animal', but from 'wide' to "
    "'street', each with 100 % of the attention, in orange. Under both sentences the same grey "
    "arrow leads from 'it' to 'animal', with 98 %: it doesn't tell which noun is meant.",
)
def draw_attention_animal() -> Figure:
    translator = Translator.load()
    layer, head = best_head(translator, english_spanish.load_pronoun())
    figure, ax = canvas(style.WIDTH, 5.5)
    title = "“tired” and “wide” look at different nouns, “it” at the same one"
    heading(ax, title, f"In one head: {head_name(layer, head)}")
    for text, other, y in ((TIRED, "tired", 3.35), (WIDE, "wide", 1.05)):
        maps = translator.attention_maps(text)
        words, weights = maps.src, as_array(maps.weights[layer][head])
        places = {other: words.index(other), "it": words.index("it")}
        found = {words[weights[place].argmax()]: style.INK for place in places.values()}
        loud = {words[weights[places[other]].argmax()]: style.ACCENT, other: style.ACCENT}
        middles = sentence(ax, (0.1, y), words, found | {"it": style.INK} | loud, gap=0.27)
        arcs(ax, middles, y + 0.26, weights[places[other]], places[other], style.ACCENT)
        arcs(ax, middles, y - 0.12, weights[places["it"]], places["it"], style.SOFT, below=True)
    return figure
