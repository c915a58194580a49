"""What depends on a head: all heads on one line, agreement after each change."""

from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch05_multi_head_attention.figures import TIRED, arcs, maps_of_tired
from course.chapters.ch13_what_heads_learned.experiments import swapped, translate_changed
from course.drawing import style
from course.drawing.arrows import arrow, segment
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import bold, canvas, label, muted, sentence, width_of, word
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import ablate_head, swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, head_accuracy, measurable
from transformer_lib.interpret.recording import head_name
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL, Translator


@mpl.rc_context(style.PRINT)
def head_table(table: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw each head's share of largest weights on the right noun -> a dot for each of them.

    table: rows of `head_accuracy`. Two lines from 0 to 100%, from the adjective and from the
    pronoun; before each stand the words of an example. The best head is loud; where it attends to
    the noun in less than half of the sentences, the arrow to the noun is thin and grey.
    """
    askers = {"adjective": (2.45, "tired"), "pronoun": (0.8, "it")}
    rows = {
        kind: sorted((row for row in table if row["from"] == kind), key=lambda row: row["right"])
        for kind in askers
    }
    shares = [f"{100 * steady_round(some[-1]['right']):.0f}%" for some in rows.values()]
    title = "One head finds the noun from the adjective; from the pronoun, none does well"
    note = "Each dot is a head: the share of sentences in which it attends most to the correct noun"
    figure, ax = canvas(4.5, title, note)
    left, wide, step = 3.3, 4.3, 0.1
    for share in (0, 0.5, 1):
        at, said = (left + wide * share, 0.25), f"{100 * share:.0f}%"
        muted(ax, at, said, ha="center")
    places = {"animal": 0.45, "it": 1.43, "tired": 2.15}
    for (kind, (y, asker)), share in zip(askers.items(), shares, strict=True):
        for text, x in places.items():
            color = {asker: style.ACCENT, "animal": style.INK}.get(text, style.MUTED)
            word(ax, (x, y + 0.3), text, size=13, color=color)
        for x in (1.02, 1.75):
            muted(ax, (x, y + 0.3), "…", ha="center")
        start, end = ((places[text], y + 0.5) for text in (asker, "animal"))
        color, thick = (style.ACCENT, 3) if rows[kind][-1]["right"] > 0.5 else (style.SOFT, 1.5)
        arrow(ax, start, end, color, thick=thick, rise=0.3)
        segment(ax, (left, y), (left + wide, y), style.RULE, thick=0.75, zorder=1)
        *others, best = rows[kind]
        ax.scatter(left + wide * best["right"], y, 220, style.ACCENT, zorder=3)
        piles: list[int] = []  # where the dots before stand: one more is higher
        for row in others:
            piles.append(round(wide * row["right"] / step))
            at = left + wide * row["right"], y + step * (piles.count(piles[-1]) - 1)
            ax.scatter(*at, 45, style.SOFT, edgecolor=style.PAPER, linewidth=0.6, zorder=3)
        x, look = left + wide * best["right"], {"ha": "center", "color": style.ACCENT}
        bold(ax, (x, y + 0.3), share, size=style.TITLE, **look)
        name = head_name(best["layer"], best["head"])
        label(ax, (min(x, 7.05), y - 0.25), name, **look)
        said = f"the other {len(others)}: at most {100 * others[-1]['right']:.0f}%"
        muted(ax, (left + 0.2, y + 0.9), said)
    return figure


BEST = ("encoder.layers.1.self_attn", 2)  # of the shipped model; the notebook finds it again
WIDE = "The animal didn't cross the street because it was too wide"
ALIKE = [("decoder.layers.1.cross_attn", 0), ("decoder.layers.0.self_attn", 1)]  # as sharp
PLACES = {"animal": 0.35, "street": 1.4, "tired": 2.4}  # of three words, in inches
SWAPPED = ("tired", "animal", "street")  # a word, and two whose weights change places


def _shares() -> list[tuple[float, ...]]:
    """Share of adjectives in the right gender in the models of all seeds, for each change."""
    found = []
    for report in read_json(SHIPPED_MODEL / "heads.json")["seeds"].values():
        measured = report["agreement"]
        best = f"{report['best_head']['layer']}.{report['best_head']['head']}"
        others = [share for name, share in report["each_head_off"].items() if name != best]
        as_trained, off = measured["as trained"], measured["best head off"]
        exchanged = measured["two numbers swapped in the best head"]
        found.append((as_trained, min(others), off, exchanged))
    return list(zip(*found, strict=True))


def _endings() -> list[str]:
    """The last word of the translation, before and after two weights have changed places."""
    translator = Translator.load()
    texts = (translator.translate(TIRED).text, swapped(translator, TIRED, *BEST, *SWAPPED))
    return [text.split()[-1] for text in texts]


@figure(
    "causes-head-table",
    caption="""In what share of the sentences each head gives its largest weight to the noun that
    is meant.""",
    alt="""Two lines from 0 to 100%, a dot for each of 16 heads. Before the first an arrow leads
    from the word 'tired' to 'animal': one dot, large and orange, encoder, layer 1, head 2, is at
    99%; the other 15 have at most 6%, most of them 0. Before the second, which is for the
    pronouns 'it' and 'they', a thin grey arrow leads from 'it': the same head has 27%, the
    others at most 7%.""",
)
def draw_head_table() -> Figure:
    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    return head_table(head_accuracy(translator, PronounBatch(translator, items)))


@figure(
    "causes-agreement",
    caption="Adjectives in the correct gender after each change, in models of three seeds.",
    alt="""Four rows, each with the words animal, street and tired, and three dots on a line from
    0 to 100%. As it is, an arc leads from tired to animal, 'cansado': 99%. At worst, with
    another head off, the same arc: 97%. The head that finds the noun off, no arc: 52%. Its two
    weights swapped, so that the arc leads to street, in orange, 'cansada': 1%.""",
)
def draw_agreement() -> Figure:
    right, wrong = _endings()
    title = "In all three models, swapping two weights flips the gender"
    note = (
        "Share of 498 sentences in which the adjective gets the correct gender; each dot is a model"
    )
    figure, ax = canvas(4.5, title, note)
    across = 5.0 + 2.3 * np.array([0, 0.5, 1])  # nothing, chance, everything
    rows = (
        (f"as it is:\n{right}", "animal", style.MUTED),
        ("with another head\noff, at worst", "animal", style.MUTED),
        ("this head off", "", style.MUTED),
        (f"its weights swapped:\n{wrong}", "street", style.ACCENT),
    )
    ax.vlines(across[1], 0.2, 3.3, color=style.MUTED, linewidth=1.2, linestyle=":", zorder=0)
    for x, said in zip(across, ("0", "50%", "100%"), strict=True):
        muted(ax, (x, 3.5), said, ha="center")
    heights = 2.95 - 0.83 * np.arange(len(rows))
    for y, (said, noun, color), shares in zip(heights, rows, _shares(), strict=True):
        ink = style.INK if color == style.MUTED else color
        for text, x in PLACES.items():
            word(ax, (x, y), text, color=ink if text in (noun, "tired") else style.MUTED)
        for x in (0.88, 1.92):
            muted(ax, (x, y), "…", ha="center")
        if noun:
            ends = [(PLACES[end], y + 0.18) for end in ("tired", noun)]
            arrow(ax, *ends, color, thick=3, rise=0.22)
        bold(ax, (3.0, y), said, size=12, color=ink)
        segment(ax, (across[0], y), (across[2], y), style.RULE, thick=0.75)
        dots = [across[0] + share * (across[2] - across[0]) for share in shares]
        look = {"edgecolor": style.PAPER, "linewidth": 0.6, "zorder": 3, "color": color}
        ax.scatter(dots, [y + 0.11, y, y - 0.11], s=60, **look)
        bold(ax, (max(dots) + 0.14, y + 0.14), f"{100 * min(shares):.0f}%", size=14, color=color)
    return figure


@figure(
    "causes-swap",
    caption="""Two numbers of one row of one head change places, and a letter of the translation
    with them.""",
    alt="""The words animal, street and tired of a sentence, twice. Above, as it is: an orange
    arrow from 'tired' to 'animal', attention weight 1.00; 'street' has 0.00 and none; at the
    right, large, Spanish ends in 'cansado', masculine like el animal. Between the numbers two
    arrows say 'swap'. Below, the orange arrow leads to 'street', and Spanish ends in 'cansada',
    feminine like la calle. The last letters, o and a, are orange.""",
    hero=True,
)
def draw_swap() -> Figure:
    maps, (asker, *nouns), (layer, head) = maps_of_tired(), SWAPPED, BEST
    words, weights = maps.src, maps.weights[layer][None]
    asked = [words.index(text) for text in SWAPPED]
    tables = weights, swap_attention(0, head, *asked)(weights)
    rows = [table[0, head, asked[0]] for table in tables]
    endings, tops = _endings(), (2.4, 0.75)
    asks = f"What “{asker}” attends to in one head, and the last word of the translation"
    figure, ax = canvas(
        4.1, f"Two weights change places, and {endings[0]} becomes {endings[1]}", asks
    )
    same = len(commonprefix(endings))
    kinds = ("masculine, like el animal", "feminine, like la calle")
    places = {nouns[0]: 1.75, nouns[1]: 3.2, asker: 4.55}
    for row, y, when, ending, meaning in zip(
        rows, tops, ("as it is", "swapped"), endings, kinds, strict=True
    ):
        bold(ax, (0.02, y), when)
        weights = {noun: float(row[words.index(noun)]) for noun in nouns}
        seen = max(nouns, key=weights.__getitem__)
        for text, x in places.items():
            word(ax, (x, y), text, size=16, color=style.ACCENT if text == seen else style.INK)
        for x in (2.48, 3.9):
            muted(ax, (x, y), "…", size=16, ha="center")
        rise = 0.15 + 0.09 * abs(places[asker] - places[seen])
        ends = [(places[text], y + 0.24) for text in (asker, seen)]
        arrow(ax, *ends, style.ACCENT, thick=4, rise=rise)
        for noun, weight in weights.items():
            look = {"color": style.ACCENT, "weight": "bold"} if noun == seen else {}
            at, number = (places[noun], y - 0.43), f"{steady_round(weight):.2f}"
            label(ax, at, number, size=style.TITLE, ha="center", **{"color": style.MUTED} | look)
        muted(ax, (0.02, y - 0.43), "attention weight")
        arrow(ax, (5.05, y), (5.5, y))
        x = 5.75
        for text, color in ((ending[:same], style.INK), (ending[same:], style.ACCENT)):
            bold(ax, (x, y - 0.1), text, size=24, color=color, va="baseline")
            x += width_of(text, 24) + 0.04
        muted(ax, (5.75, y - 0.43), meaning)
    for x, end, y in ((2.1, 2.85, 2.03), (2.85, 2.1, 1.93)):  # between the two numbers
        arrow(ax, (x, y), (end, y), style.INK)
    label(ax, (2.48, 1.75), "swap", ha="center")
    return figure


@figure(
    "causes-sharp-heads",
    caption="How sharply each of 24 heads attends, and how many translations change without it.",
    alt="""24 points: to the right, heads that look more sharply; above, more translations that
    change without them. Two orange points stand one above the other, near 0.98, joined by a
    line. Without the upper one, head 0 of cross-attention in layer 1, 19% of translations
    change, 'I like trees' to 'Me gusta los árboles', a mistake; without the lower one, head 1 of
    the decoder's self-attention in layer 0, 0.1% do, and the sentence stays as it is. The other
    points are grey; the sharp ones are at all heights, most at the bottom.""",
)
def draw_sharp_heads() -> Figure:
    results, translator = experiments.load("heads-off")["results"], Translator.load()
    pair = [row for row in results if (row["layer"], row["head"]) in ALIKE]
    example = "I like trees"
    title = "A head that attends sharply may matter a lot, or hardly at all"
    note = f"Right: “{example}” translated with one orange head off at a time"
    figure, page = canvas(4.5, title, note)
    ax = figure.add_axes((0.075, 0.15, 0.46, 0.58))
    ends = ([row[key] for row in pair] for key in ("largest", "changed"))
    ax.plot(*ends, color=style.ACCENT, linewidth=1.5)
    for rows, color, size in ((results, style.SOFT, 64), (pair, style.ACCENT, 150)):
        points = [[row[key] for row in rows] for key in ("largest", "changed")]
        ax.scatter(*points, s=size, color=color, edgecolor=style.PAPER, zorder=3, clip_on=False)
    for row in pair:
        off = {row["layer"]: ablate_head(row["head"])}
        words = translate_changed(translator, example, off).split()
        y = 4.5 * (0.15 + 0.58 * (row["changed"] + 0.01) / 0.26)
        segment(page, (4.36, y), (4.7, y), style.ACCENT)
        said = f"{100 * row['changed']:.2g}% of translations change"
        bold(page, (4.82, y + 0.38), said, color=style.ACCENT)
        label(page, (4.82, y + 0.66), head_name(row["layer"], row["head"]), color=style.ACCENT)
        for text, x in zip(words, (4.87, 5.31, 6.05, 6.47), strict=True):
            color = {"gusta": style.ACCENT, "gustan": style.INK}.get(text, style.MUTED)
            word(page, (x, y), text, size=12, color=color, ha="left")
        label(page, (4.82, y - 0.36), "a mistake" if "gusta" in words else "as it should be")
    ax.set(xlim=(0.3, 1), ylim=(-0.01, 0.25), xticks=[0.4, 0.6, 0.8, 1], yticks=[0, 0.1, 0.2])
    ax.set_yticklabels(["0", "10%", "20%"])
    ax.set_xlabel("how sharply it attends (largest weight, on average)")
    label(page, (0.02, 3.6), "translations that change without it", size=style.LABEL)
    return figure


@figure(
    "attention-animal",
    caption="""What 'tired', 'wide' and 'it' attend to, in the encoder head that finds the noun
    from the adjective.""",
    alt="""The sentence 'The animal didn't cross the street because it was too tired', and below
    it the same sentence with 'wide'. An arrow leads from 'tired' to 'animal', but from 'wide' to
    'street', each with 100% of the attention, in orange. Under both sentences the same grey
    arrow leads from 'it' to 'animal', with 98%, though in the second it is the street.""",
)
def draw_attention_animal() -> Figure:
    translator = Translator.load()
    layer, head = BEST
    title = "“tired” and “wide” attend to different nouns, but “it” to the same one"
    figure, ax = canvas(
        5.5, title, f"Share of each word’s attention, in one head: {head_name(layer, head)}"
    )
    for text, other, meant, y in (
        (TIRED, "tired", "here “it” means the animal", 3.35),
        (WIDE, "wide", "here “it” means the street", 1.05),
    ):
        maps = translator.attention_maps(text)
        words, weights = maps.src, as_array(maps.weights[layer][head])
        places = {other: words.index(other), "it": words.index("it")}
        found = {words[weights[place].argmax()]: style.INK for place in places.values()}
        loud = {words[weights[places[other]].argmax()]: style.ACCENT, other: style.ACCENT}
        middles = sentence(ax, (0.1, y), words, found | {"it": style.INK} | loud, gap=0.27)
        arcs(ax, middles, y + 0.26, weights[places[other]], places[other], style.ACCENT)
        arcs(ax, middles, y - 0.12, weights[places["it"]], places["it"], style.SOFT, below=True)
        bold(ax, (middles[places["it"]] + 0.1, y - 0.5), meant, size=13)
    return figure
