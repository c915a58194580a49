"""What depends on a head: tables of all heads, agreement after each change, words that cross."""

from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch05_multi_head_attention import figures as heads
from course.chapters.ch05_multi_head_attention.figures import ASKERS, TIRED, arcs, maps_of_tired
from course.drawing import style
from course.drawing.arrows import arrow, path, threads
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import canvas, heading, label, sentence, titled, width_of, word
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, best_head, head_accuracy, measurable
from transformer_lib.interpret.recording import head_name  # noqa: F401 - an older copy asks here
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL, Translator

NOT_BY_CHANCE = 0.55  # of a few hundred coins, as many are hardly ever heads
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


def _agreement_bars(
    measured: Mapping[str, Sequence[float]],
    seeds: Sequence[Any],
    title: str = "",
    example: str = "",
) -> Figure:
    """Draw the share of right endings after each change, a dot for each seed -> the figure.

    measured: what is changed -> the shares, one for each of `seeds`; the first is a line, what the
    others are compared with. Where their mean is no better than chance, the row is loud. example:
    what becomes of a word in the last row.
    """
    for what, found in measured.items():
        if len(found) != len(seeds):
            raise ValueError(
                f"{len(seeds)} seeds need {len(seeds)} shares each, but {what!r} has {len(found)}"
            )
    (base, before), *rows = measured.items()
    figure, ax = style.panel(0.48 * len(rows) + 1.8)
    note = f"Adjectives whose Spanish gender is right; a dot for each of {len(seeds)} training runs"
    titled(figure, title, note)
    for share, said in ((0.5, "by chance"), (np.mean(before), base)):
        ax.axvline(share, color=style.MUTED, linewidth=1.2, linestyle=":", zorder=0)
        said = f"{said}:\n{100 * share:.0f} %"
        ax.text(share, -0.6, said, ha="center", va="bottom", color=style.MUTED)
    for y, (_, found) in enumerate(rows):
        color = style.ACCENT if np.mean(found) < NOT_BY_CHANCE else style.MUTED
        ax.plot([0, min(found)], [y, y], color=style.RULE, linewidth=0.75, zorder=0)
        heights = np.linspace(y - 0.17, y + 0.17, len(seeds))
        look = {"edgecolor": style.PAPER, "linewidth": 0.6, "zorder": 3, "clip_on": False}
        ax.scatter(found, heights, s=44, color=color, **look)
        said = {"xytext": (13, 0), "textcoords": "offset points", "va": "center_baseline"}
        said |= {"color": color, "weight": "bold" if color == style.ACCENT else "normal"}
        text = _from_to(as_array(found))
        last = ax.annotate(text, (max(found), y), annotation_clip=False, **said)
    if example:
        last.set_text(f"{text}: {example}")
    ax.set(xlim=(0, 1.13), ylim=(len(rows) - 0.5, -0.5))
    ax.set_yticks(range(len(rows)), [what for what, _ in rows])
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return figure


def _from_to(found: np.ndarray) -> str:
    ends = dict.fromkeys(f"{100 * share:.0f}" for share in (found.min(), found.max()))
    return "–".join(ends) + " %"


def _before_and_after(
    maps: Any, layer: str, head: int, word: str, one: str, another: str
) -> torch.Tensor:
    """(2, s): a word's row in one head, and the same with the weights of two words exchanged."""
    query, first, second = (maps.src.index(name) for name in (word, one, another))
    weights = maps.weights[layer][None]
    swapped = swap_attention(0, head, query, first, second)(weights)
    return torch.stack([weights[0, head, query], swapped[0, head, query]])


def exchanged(
    words: Sequence[str],
    rows: Any,
    word: str,
    nouns: Sequence[str],
    endings: Sequence[str],
    meanings: Sequence[str],
) -> Figure:
    """Draw a sentence before and after two weights of one word have changed places.

    rows (2, s): what `word` looks at, before and after. endings: the last words of the translation
    before and after; the letters in which they differ are marked. meanings: a note for each.
    """
    figure, ax = canvas(style.WIDTH, 4.4)
    asks = f"What “{word}” looks at in one head, and the last word of the translation"
    heading(ax, f"Two numbers change places, and {endings[0]} becomes {endings[1]}", asks)
    same, tops = len(commonprefix(list(endings))), (2.78, 0.82)
    for row, y, side, when, ending, meaning in zip(
        as_array(rows), tops, (1, -1), ("as it is", "swapped"), endings, meanings, strict=True
    ):
        label(ax, (0.02, y), when, size=style.LABEL, weight="bold", va="baseline")
        weights = {noun: float(row[words.index(noun)]) for noun in nouns}
        seen = max(nouns, key=weights.__getitem__)
        marked = {**dict.fromkeys([word, *nouns], style.INK), seen: style.ACCENT}
        found = sentence(ax, (0.85, y), words, marked, size=style.LABEL, gap=0.15)
        middle = dict(zip(reversed(words), reversed(found), strict=True))
        edge, under = y + 0.05 + 0.2 * side, y + 0.05 - 0.42 * side
        rise = side * (0.22 + 0.07 * abs(middle[word] - middle[seen]))
        ends = (middle[word], edge), (middle[seen], edge)
        arrow(ax, *ends, style.ACCENT, thick=5 * weights[seen], rise=rise)
        for noun, weight in weights.items():
            strong = noun == seen
            look = {"color": style.ACCENT if strong else style.MUTED}
            look["weight"] = "bold" if strong else "normal"
            at, number = (middle[noun], under), f"{steady_round(weight):.2f}"
            label(ax, at, number, size=style.TITLE, ha="center", **look)
        between = sum(middle[noun] for noun in nouns) / 2
        label(ax, (between, under), "attention weights", ha="center", color=style.MUTED)
        arrow(ax, (found[-1] + 0.38, y + 0.05), (found[-1] + 0.72, y + 0.05))
        x = found[-1] + 0.84
        for text, color in ((ending[:same], style.INK), (ending[same:], style.ACCENT)):
            look = {"weight": "bold", "color": color, "va": "baseline"}
            label(ax, (x, y - 0.02), text, size=style.TITLE, **look)
            x += width_of(text, style.TITLE) + 0.03
        label(ax, (style.WIDTH - 0.1, under), meaning, ha="right", color=style.MUTED)
    for start, end, color in (
        (*nouns[::-1], style.MUTED),
        (*nouns, style.ACCENT),
    ):
        arrow(ax, (middle[start], tops[0] - 0.57), (middle[end], tops[1] + 0.69), color)
    return figure


def _same_and_other(
    sentences: Sequence[tuple[Sequence[str], Any]], changed: Sequence[str], same: str
) -> Figure:
    """Draw what two words look at in two sentences that differ in one word -> the figure.

    sentences: the words and the weights (s, s) of one head, for each. changed: the word in which
    they differ, as it is in each; its looks go above the sentence. same: the word whose looks go
    below it.
    """
    figure, ax = canvas(style.WIDTH, 5.4)
    both = " and ".join(f"“{one}”" for one in changed)
    heading(ax, f"{both} look at different nouns, “{same}” at the same one")
    for (words, weights), other, y in zip(sentences, changed, (3.4, 1.05), strict=True):
        weights = as_array(weights)
        places = {other: words.index(other), same: words.index(same)}
        found = {words[weights[place].argmax()]: style.INK for place in places.values()}
        marked = {**found, other: ASKERS[other], same: ASKERS[same]}
        middles = sentence(ax, (0.1, y), words, marked, gap=0.27)
        arcs(ax, middles, y + 0.26, weights[places[other]], places[other], ASKERS[other])
        arcs(ax, middles, y - 0.12, weights[places[same]], places[same], ASKERS[same], below=True)
    return figure


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
    the last cross-attention; the heavier the weight, the thicker; lines that cross another one are
    marked.
    """
    figure, ax = canvas(style.WIDTH, 1.6 * len(several) + 0.45)
    heading(ax, "Lines of attention cross where Spanish has another order of words")
    most = max(max(len(one.src), len(one.tgt_out)) - 1 for one in several)  # without <eos>
    first, step = 1.8, (style.WIDTH - 2.35) / max(most - 1, 1)
    for number, maps in enumerate(several):
        mean, lines = as_array(maps.last_cross_attention()), lines_between(maps)
        low = 1.6 * (len(several) - number) - 1.35
        if number:
            ends = [(0.02, low + 1.28), (style.WIDTH - 0.02, low + 1.28)]
            path(ax, ends, style.RULE, head=False, thick=0.75)
        crossed = {line for pair in crossings(lines) for line in pair}
        for words, y, language in (
            (maps.src, low + 0.92, "English"),
            (maps.tgt_out, low, "Spanish"),
        ):
            label(ax, (0.02, y), language, color=style.MUTED)
            for place, text in enumerate(words[:-1]):
                word(ax, (first + step * place, y), text, size=style.LABEL + 2)
        for i, j in lines:
            ends = [(first + step * i, low + 0.2)], [(first + step * j, low + 0.72)]
            color = style.ACCENT if (i, j) in crossed else style.SOFT
            threads(ax, *ends, mean[i, j], color, upright=True)
        count = len(crossings(lines))
        said = f"{count or 'no'} crossing{'s' if count != 1 else ''}"
        look = {"weight": "bold", "color": style.ACCENT} if count else {}
        label(ax, (0.02, low + 0.46), said, size=style.LABEL, **look)
    return figure


def _sharp_heads(results: Sequence[Mapping[str, Any]], named: Mapping[str, str]) -> Figure:
    """Draw, for each head, how sharp it looks and what its absence changes -> the figure.

    results: rows with layer, head, largest (mean of each word's largest weight) and changed (share
    of translations). named: "layer.head" -> what is written next to its point.
    """
    figure = style.new_figure(style.WIDTH, 4.2)
    figure.suptitle("How sharply a head looks doesn't say how much depends on it")
    ax = figure.subplots()
    for part, color, at in (
        ("encoder", style.ENCODER, (0.36, 0.018)),
        ("decoder", style.DECODER, (0.945, 0.128)),
    ):
        rows = [row for row in results if row["layer"].startswith(part)]
        points = [[row[key] for row in rows] for key in ("largest", "changed")]
        ax.scatter(*points, s=64, color=color, alpha=0.75, edgecolor=style.PAPER, zorder=3)
        said = f"{len(rows)} heads of the {part}"
        ax.text(*at, said, color=color, ha="left" if part == "encoder" else "right", weight="bold")
    for row in results:
        text = named.get(f"{row['layer']}.{row['head']}")
        if text:
            point, high = (row["largest"], row["changed"]), row["changed"] > 0.1
            away = ((-34 if point[0] > 0.8 else 11), 0) if high else (0, 34)
            side = "center" if not high else "right" if point[0] > 0.8 else "left"
            line = {"arrowstyle": "-", "color": style.MUTED, "shrinkB": 6}
            ax.annotate(
                text,
                point,
                xytext=away,
                textcoords="offset points",
                ha=side,
                va="center" if high else "bottom",
                arrowprops=None if side == "left" else line,
            )
    ax.set(xlim=(0.3, 1.01), ylim=(-0.01, 0.25))
    ticks = [0, 0.05, 0.1, 0.15, 0.2, 0.25]
    ax.set_yticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks])
    ax.set_xlabel("how sharply the head looks: mean of each word's largest weight")
    ax.set_ylabel("translations that change without it")
    return figure


BEST = ("encoder.layers.1.self_attn", 2)  # of the shipped model; the notebook finds it again
WIDE = "The animal didn't cross the street because it was too wide"
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
            "another head off (worst of 15)": min(others),
            "adjective can't see the nouns": measured["adjective can't see the nouns"],
            "“it” can't see the nouns": measured["pronoun can't see the nouns"],
            "two numbers swapped": measured["two numbers swapped in the best head"],
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
    alt="Five rows with three dots each, and two lines: 50 % by chance, 99 % with nothing changed. "
    "'it' barred from the nouns, and another head off: 97 to 99 %. The head that finds the noun "
    "off, and the adjective barred from the nouns: 50 to 52 %. The weights of the two nouns "
    "swapped: 1 %, as 'cansado' becomes 'cansada'.",
)
def draw_agreement() -> Figure:
    measured = _over_seeds()
    said = {
        "the one head off": "the head that finds\nthe noun is off",
        "another head off (worst of 15)": "another head is off\n(the worst of 15)",
        "adjective can't see the nouns": "the adjective can't\nsee the nouns",
        "“it” can't see the nouns": "“it” can't\nsee the nouns",
        "two numbers swapped": "the head's weights of\nboth nouns swapped",
    }
    best_first = sorted(measured, key=lambda change: -sum(measured[change].values()))
    return _agreement_bars(
        {said.get(change, change): list(measured[change].values()) for change in best_first},
        list(measured["nothing changed"]),
        "Without one head gender is a coin toss; with two weights swapped it is wrong",
        " becomes ".join(_endings(*SWAPPED)),
    )


@figure(
    "causes-swap",
    caption="Two numbers of one row of one head change places, and a letter of the translation "
    "with them.",
    alt="The sentence 'The animal didn't cross the street because it was too tired' twice. Above, "
    "as it is: a thick arrow from 'tired' to 'animal', attention weight 1.00; 'street' has 0.00 "
    "and none; at the right Spanish ends in 'cansado', masculine like el animal. Crossed arrows "
    "lead to the numbers below. There the thick arrow leads to 'street', and Spanish ends in "
    "'cansada', feminine like la calle.",
    hero=True,
)
def draw_swap() -> Figure:
    maps = maps_of_tired()
    rows = _before_and_after(maps, *BEST, *SWAPPED)
    endings = _endings(*SWAPPED)
    meanings = ("masculine, like el animal", "feminine, like la calle (street)")
    return exchanged(maps.src[:-1], rows[:, :-1], SWAPPED[0], SWAPPED[1:], endings, meanings)


@figure(
    "causes-crossing",
    caption="Which English words each Spanish word looks at, in the last layer, mean of its heads.",
    alt="Three pairs of word rows with lines. 'I like trees': no lines cross. 'My head hurts': the "
    "line from 'duele' to 'hurts' crosses those of 'la' and 'cabeza', two crossings. 'You have "
    "five balls left': a line from 'quedan' to 'left' crosses those of 'cinco' and 'pelotas'.",
)
def draw_crossing() -> Figure:
    translator = Translator.load()
    return _crossing([translator.attention_maps(sentence) for sentence in CROSSING])


@figure(
    "causes-sharp-heads",
    caption="How sharp each of the 24 heads looks, and how many translations change without it.",
    alt="24 points, 8 of the encoder and 16 of the decoder. The sharpest heads, all in the "
    "decoder, are at all heights from 0 to 19 %; most of them at the bottom. The highest point, "
    "22 %, is the encoder head that finds the noun, and it is only moderately sharp.",
)
def draw_sharp_heads() -> Figure:
    results = experiments.load("heads-off")["results"]
    return _sharp_heads(
        results,
        {
            "encoder.layers.1.self_attn.2": "finds the noun\nof the adjective",
            "decoder.layers.0.cross_attn.3": "points at the noun\nthat is being written",
            "decoder.layers.1.cross_attn.0": "decides between\ngusta and gustan",
        },
    )


@figure(
    "attention-animal",
    caption="What 'tired' and 'wide' look at, and what 'it' looks at, in the encoder head that "
    "finds the right noun in most sentences.",
    alt="The sentence 'The animal didn't cross the street because it was too tired', and below it "
    "the same sentence with 'wide'. An arrow leads from 'tired' to 'animal', but from 'wide' to "
    "'street', each with 100 % of the attention. Under both sentences the same arrow leads from "
    "'it' to 'animal', with 98 %, so it doesn't tell which noun is meant.",
)
def draw_attention_animal() -> Figure:
    translator = Translator.load()
    layer, head = best_head(translator, english_spanish.load_pronoun())
    several = [translator.attention_maps(sentence) for sentence in (TIRED, WIDE)]
    return _same_and_other(
        [(maps.src, maps.weights[layer][head]) for maps in several], ("tired", "wide"), "it"
    )
