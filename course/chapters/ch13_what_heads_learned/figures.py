"""What depends on a head: tables of all heads, agreement after each change, words that cross."""

from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyArrowPatch
from matplotlib.textpath import TextPath

from course.chapters.ch05_multi_head_attention import figures as heads
from course.chapters.ch05_multi_head_attention.figures import ASKERS, TIRED, arcs, looks_at_tired
from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import arrow, canvas, centered, label, sentence
from course.drawing.values import as_array, steady_round
from transformer_lib.interpret.recording import head_name

# The mean, behind the dots of the single training runs.
PALE_BAR, PALE_WRONG = "#C9DDF0", "#F6D3BF"
NOT_BY_CHANCE = 0.55  # of a few hundred coins, as many are hardly ever heads
SEEN = 0.3  # weights below are no line in `crossing`
KINDS = {
    "encoder.self_attn": "encoder, self-attention",
    "decoder.self_attn": "decoder, self-attention",
    "decoder.cross_attn": "decoder, cross-attention",
}


@mpl.rc_context(style.PRINT)
def head_table(table: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw each head's share of largest weights on the right noun -> two maps, (layer, head).

    table: rows of `head_accuracy`. The left map looks from the adjective, the right one
    from the pronoun.
    """
    layers = list(dict.fromkeys(row["layer"] for row in table))
    heads = 1 + max(row["head"] for row in table)
    names = [head_name(layer, 0).rpartition(", head")[0].replace(", ", ",\n") for layer in layers]
    figure = style.new_figure(8.0, 0.68 * len(layers) + 1.9)
    found = [
        sum(row["right"] > 0.5 for row in table if row["from"] == word)
        for word in ("adjective", "pronoun")
    ]
    said = [{0: "none", 1: "one"}.get(count, str(count)) for count in found]
    figure.suptitle(
        f"{said[0].capitalize()} head of {len(layers) * heads} finds the noun of the "
        f"adjective, {said[1]} that of “it”",
        fontsize=14,
        weight="bold",
    )
    panels = figure.subplots(1, 2, sharey=True)
    for ax, word, title in zip(
        panels, ("adjective", "pronoun"), ("adjective → its noun", "“it” → its noun"), strict=True
    ):
        shares = np.full((len(layers), heads), np.nan)
        for row in table:
            if row["from"] == word:
                shares[layers.index(row["layer"]), row["head"]] = row["right"]
        image = ax.imshow(shares, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        for (i, j), share in np.ndenumerate(shares):
            if said := f"{steady_round(100 * share, 0):.0f} %".removeprefix("0 %"):
                centered(
                    ax,
                    j,
                    i,
                    said,
                    size=12,
                    weight="bold" if share > 0.5 else "normal",
                    color=style.ink_on(style.WEIGHTS(share)),
                )
        ax.set_xticks(range(heads), range(heads))
        ax.set_xlabel("head")
        ax.set_yticks(range(len(layers)), names)
        ax.tick_params(length=0)
        _grid(ax, shares.shape)
        ax.set_title(title)
    scale = figure.colorbar(
        image, ax=panels, pad=0.02, aspect=16, label="looks most at its noun (empty: 0 %)"
    )
    scale.outline.set_visible(False)
    scale.set_ticks([0, 0.5, 1], labels=["0 %", "50 %", "100 %"])
    return figure


def _grid(ax: Axes, shape: tuple[int, int]) -> None:
    ax.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
    ax.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)


@mpl.rc_context(style.PRINT)
def agreement_bars(
    measured: Mapping[str, Sequence[float]], seeds: Sequence[Any], title: str = ""
) -> Figure:
    """Draw the share of right endings after each change, a dot for each seed -> the figure.

    measured: what is changed -> the shares, one for each of `seeds`. Where their mean is no better
    than chance, the bar has the color of what is wrong.
    """
    for what, shares in measured.items():
        if len(shares) != len(seeds):
            raise ValueError(
                f"{len(seeds)} seeds need {len(seeds)} shares each, but {what!r} has {len(shares)}"
            )
    figure = style.new_figure(8.0, 0.58 * len(measured) + 1.6)
    if title:
        figure.suptitle(title, fontsize=14, weight="bold")
    ax = figure.subplots()
    for y, shares in enumerate(measured.values()):
        wrong = np.mean(shares) < NOT_BY_CHANCE
        ax.barh(y, np.mean(shares), height=0.6, color=PALE_WRONG if wrong else PALE_BAR, zorder=1)
        spread = np.linspace(-0.16, 0.16, len(shares)) if len(shares) > 1 else [0]
        ax.plot(
            shares,
            y + np.array(spread),
            "o",
            markersize=6,
            clip_on=False,
            zorder=3,
            color=style.WRONG if wrong else style.RIGHT,
        )
        said = [f"{100 * share:.0f}" for share in (min(shares), max(shares))]
        ax.text(
            1.04,
            y,
            "–".join(dict.fromkeys(said)) + " %",
            va="center",
            weight="bold",
            color="#A8430F" if wrong else style.INK,
        )
    ax.axvline(0.5, color=style.INK, linewidth=1.4, linestyle="--", zorder=2)
    ax.text(0.5, -0.62, "chance", ha="center", va="bottom")
    ax.set(xlim=(0, 1), ylim=(len(measured) - 0.5, -0.6))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_yticks(range(len(measured)), list(measured))
    ax.tick_params(axis="y", length=0, pad=9)
    ax.set_xlabel(f"adjectives in the right gender; a dot for each of {len(seeds)} training runs")
    return figure


def before_and_after(
    looks: Any, layer: str, head: int, word: str, one: str, another: str
) -> torch.Tensor:
    """(2, s): a word's row in one head, and the same with the weights of two words exchanged."""
    from transformer_lib.interpret.patching import swap_attention

    query, first, second = (looks.src.index(name) for name in (word, one, another))
    weights = looks.weights[layer][None]
    swapped = swap_attention(0, head, query, first, second)(weights)
    return torch.stack([weights[0, head, query], swapped[0, head, query]])


@mpl.rc_context(style.PRINT)
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
    weights = as_array(rows)
    gap, letter = 0.17, 0.1  # inches
    places = _middles(words, 0.1, letter, gap)
    middle = {text: x for text, x in reversed(list(zip(words, places, strict=True)))}
    right = places[-1] + letter * len(words[-1]) / 2 + gap
    figure, ax = canvas(right + 0.1, 5.1)
    tops, same = (3.66, 1.42), len(commonprefix(list(endings)))
    between = sum(middle[noun] for noun in nouns) / 2
    for row, y, side, when, ending, meaning in zip(
        weights,
        tops,
        (1, -1),
        ("as it is", "two numbers swapped"),
        endings,
        meanings,
        strict=True,
    ):
        for text, x in zip(words, places, strict=True):
            marked = text == word or text in nouns
            label(
                ax,
                (x, y - 0.06),
                text,
                size=14.5 if marked else 11.5,
                ha="center",
                va="baseline",
                weight="bold" if marked else "normal",
                color=style.INK if marked else style.MUTED,
            )
        for noun in nouns:
            weight = float(row[words.index(noun)])
            strong = weight > 0.5
            farther = abs(middle[noun] - middle[word]) == max(
                abs(middle[other] - middle[word]) for other in nouns
            )
            start = middle[word] + (0.05 if strong else 0.24 if farther else -0.2)
            ax.add_patch(
                FancyArrowPatch(
                    (start, y + 0.2 * side),
                    (middle[noun], y + 0.2 * side),
                    connectionstyle=f"arc3,rad={(0.24 if strong or farther else 0.17) * side}",
                    arrowstyle="-|>",
                    mutation_scale=26 if strong else 11,
                    linewidth=6 * weight if strong else 1.3,
                    linestyle="-" if strong else (0, (4, 3)),
                    color=style.HIGHLIGHT if strong else "#8E8E8E",
                    shrinkA=3,
                    shrinkB=3,
                    zorder=2.5 if strong else 2,
                )
            )
            label(
                ax,
                (middle[noun], y - 0.42 * side),
                f"{steady_round(weight):.2f}",
                size=17,
                ha="center",
                weight="bold",
                color=style.INK if strong else style.MUTED,
            )
        label(ax, (0.12, y + 1.1 * side), when, size=15, weight="bold")
        label(
            ax,
            (between, y - 0.42 * side),
            "attention weights",
            size=11,
            ha="center",
            color=style.MUTED,
        )
        stem, change = _inches(ending[:same], 19), _inches(ending[same:], 19)
        x = right - 0.05 - stem - change
        label(ax, (x - 0.06, y - 0.45 * side), "…", size=17, ha="right", color=style.MUTED)
        base = y - 0.45 * side - 0.09
        label(ax, (x, base), ending[:same], size=19, weight="bold", va="baseline")
        label(
            ax,
            (x + stem, base),
            ending[same:],
            size=19,
            weight="bold",
            color="#B36B00",
            va="baseline",
        )
        label(
            ax, (right - 0.05, y - 0.83 * side), meaning, size=11.5, ha="right", color=style.MUTED
        )
    for start, end in (nouns, nouns[::-1]):
        ends = (middle[start], tops[0] - 0.62), (middle[end], tops[1] + 0.62)
        arrow(ax, *ends, style.INK, thick=2.2)
    return figure


@mpl.rc_context(style.PRINT)
def _same_and_other(
    sentences: Sequence[tuple[Sequence[str], Any]], changed: Sequence[str], same: str
) -> Figure:
    """Draw what two words look at in two sentences that differ in one word -> the figure.

    sentences: the words and the weights (s, s) of one head, for each. changed: the word in which
    they differ, as it is in each; its looks go above the sentence. same: the word whose looks go
    below it.
    """
    figure, ax = canvas(8, 5.4)
    label(
        ax,
        (0.2, 5.15),
        f"“{changed[0]}” and “{changed[1]}” look at different nouns, “{same}” at the same one.",
        size=14,
        weight="bold",
    )
    for (words, weights), word, y in zip(sentences, changed, (3.4, 1.05), strict=True):
        weights = as_array(weights)
        places = {word: words.index(word), same: words.index(same)}
        found = {words[weights[place].argmax()]: style.INK for place in places.values()}
        middles = sentence(ax, (0.2, y), words, {**found, word: ASKERS[word], same: ASKERS[same]})
        arcs(ax, middles, y + 0.26, weights[places[word]], places[word], ASKERS[word])
        arcs(ax, middles, y - 0.12, weights[places[same]], places[same], ASKERS[same], below=True)
    return figure


def _inches(text: str, size: float) -> float:
    """How wide a bold text is, with the space to its next letter."""
    path = TextPath((0, 0), text + "|", size=size, prop=FontProperties(weight="bold"))
    bar = TextPath((0, 0), "|", size=size, prop=FontProperties(weight="bold"))
    return (path.get_extents().x1 - bar.get_extents().x1) / 72


def _middles(words: Sequence[str], left: float, letter: float, gap: float) -> list[float]:
    found = []
    for text in words:
        wide = len(text) * letter + gap
        found.append(left + wide / 2)
        left += wide
    return found


def lines_between(looks: Any) -> list[tuple[int, int]]:
    """(Spanish position, English position) where the mean of the last cross-attention is at least
    0.3, without the sign for the end."""
    mean = as_array(looks.last_cross_attention())[:-1, :-1]
    return [(i, j) for i, j in np.ndindex(mean.shape) if mean[i, j] >= SEEN]


def crossings(lines: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The pairs of lines that cross: one starts further left and ends further right."""
    return [(a, b) for a in lines for b in lines if a[0] < b[0] and a[1] > b[1]]


@mpl.rc_context(style.PRINT)
def crossing(several: Sequence[Any]) -> Figure:
    """Draw which English words each Spanish word looks at, as lines between two rows of words.

    several: what a `Translator` gives for a sentence each. The lines are the mean of the heads of
    the last cross-attention; the heavier the weight, the thicker; lines that cross another one are
    marked.
    """
    figure = style.new_figure(8.0, 2.0 * len(several) + 0.3)
    panels = figure.subplots(len(several), 1, squeeze=False)[:, 0]
    widest = max(max(len(looks.src), len(looks.tgt_out)) for looks in several) - 1
    for ax, looks in zip(panels, several, strict=True):
        mean, lines = as_array(looks.last_cross_attention()), lines_between(looks)
        crossed = {line for pair in crossings(lines) for line in pair}
        for line in lines:
            (i, j), marked = line, line in crossed
            ax.add_collection(
                LineCollection(
                    [[(i, 0), (j, 1)]],
                    linewidths=1 + 5 * mean[line],
                    capstyle="round",
                    colors=style.HIGHLIGHT if marked else "#9A9A9A",
                    zorder=2 if marked else 1,
                )
            )
        for words, y, side, name in (
            (looks.src, 1.1, "bottom", "English"),
            (looks.tgt_out, -0.1, "top", "Spanish"),
        ):
            ax.text(-0.62, y, name, ha="right", va=side, fontsize=11, color=style.MUTED)
            for place, word in enumerate(words[:-1]):
                ax.text(
                    place,
                    y,
                    word,
                    ha="center",
                    va=side,
                    fontsize=14,
                    weight="bold",
                    color=style.WORDS.get(word, style.INK),
                )
        count = len(crossings(lines))
        ax.text(
            widest - 0.35,
            0.5,
            f"{count or 'no'} crossing{'s' if count != 1 else ''}",
            va="center",
            fontsize=12,
            color=style.INK,
        )
        ax.set(xlim=(-1.3, widest + 0.8), ylim=(-0.5, 1.5))
        ax.axis("off")
    return figure


@mpl.rc_context(style.PRINT)
def sharp_heads(results: Sequence[Mapping[str, Any]], named: Mapping[str, str]) -> Figure:
    """Draw, for each head, how sharp it looks and what its absence changes -> the figure.

    results: rows with layer, head, largest (mean of each word's largest weight) and changed (share
    of translations). named: "layer.head" -> what is written next to its point.
    """
    figure = style.new_figure(8.0, 4.4)
    ax = figure.subplots()
    for (kind, name), color, marker in zip(
        KINDS.items(), (style.ENCODER, style.POSITIVE, style.DECODER), "o^s", strict=True
    ):
        rows = [row for row in results if kind_of(row["layer"]) == kind]
        ax.scatter(
            [row["largest"] for row in rows],
            [row["changed"] for row in rows],
            s=64,
            color=color,
            marker=marker,
            edgecolor=style.PAPER,
            label=name,
            zorder=3,
            clip_on=False,
        )
    for row in results:
        text = named.get(f"{row['layer']}.{row['head']}")
        if text:
            right = row["largest"] > 0.8
            high = row["changed"] > 0.1
            ax.annotate(
                text,
                (row["largest"], row["changed"]),
                xytext=(-8 if right else 8, 6 if high else 40),
                textcoords="offset points",
                ha="right" if right else "left",
                va="bottom",
                fontsize=11,
                arrowprops=None
                if high
                else {"arrowstyle": "-", "color": style.MUTED, "shrinkB": 5},
            )
    ax.set(xlim=(0.3, 1), ylim=(0, 0.26))
    ax.set_yticks([0, 0.05, 0.1, 0.15, 0.2, 0.25], ["0", "5 %", "10 %", "15 %", "20 %", "25 %"])
    ax.set_xlabel("how sharp the head looks: mean of each word's largest weight")
    ax.set_ylabel("translations that change without it")
    ax.legend(loc="upper left")
    return figure


def kind_of(layer: str) -> str:
    """ "encoder.layers.1.self_attn" -> "encoder.self_attn" """
    part, _, _, kind = layer.split(".")
    return f"{part}.{kind}"


BEST = ("encoder.layers.1.self_attn", 2)  # of the shipped model; the notebook finds it again
WIDE = "The animal didn't cross the street because it was too wide"
CROSSING = ("I like trees", "My head hurts", "You have five balls left")


def over_seeds() -> dict[str, dict[str, float]]:
    """Share of adjectives in the right gender after each change -> {change: {seed: share}}."""
    from transformer_lib.files import read_json
    from transformer_lib.translator import SHIPPED_MODEL

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


@figure(
    "causes-token-view",
    notebook="13_what_the_heads_learned",
    caption="The sentence with 'wide', to touch: choose a layer, heads and a word.",
    alt="Two columns with the words of 'The animal didn't cross the street because it was too "
    "wide'. From 'wide' on the left a thick line of head 2 leads to 'street' and one of head 1 to "
    "'was'; thin lines of heads 0 and 3 lead to most words.",
)
def draw_token_view() -> Any:
    from transformer_lib.translator import Translator

    return heads.token_view(Translator.load().attention_maps(WIDE), word="wide")


@figure(
    "causes-head-table",
    notebook="13_what_the_heads_learned",
    caption="In how many sentences the largest weight of each head is on the noun that is meant.",
    alt="Two maps of four layers by four heads. Where the adjective looks, one cell is strong: "
    "encoder, layer 1, head 2, with 99 %; all others have 6 % or less, and most of them are "
    "empty. Where 'it' looks, the largest is 27 %, in the same cell.",
)
def draw_head_table() -> Figure:
    from transformer_lib.interpret.pronouns import PronounBatch, head_accuracy, measurable
    from transformer_lib.text import english_spanish
    from transformer_lib.translator import Translator

    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    return head_table(head_accuracy(translator, PronounBatch(translator, items)))


@figure(
    "causes-agreement",
    notebook="13_what_the_heads_learned",
    caption="Adjectives in the right gender after each change, for three training seeds.",
    alt="Six bars with three dots each. Nothing changed, another head off, and 'it' barred from "
    "the nouns: near 100 %. The head that finds the noun off, and the adjective barred from the "
    "nouns: 50 to 52 %, hardly above the line of chance at 50 %. The weights of the two nouns "
    "swapped: 1 %.",
)
def draw_agreement() -> Figure:
    measured = over_seeds()
    said = {
        "the one head off": "the head that finds\nthe noun is off",
        "another head off (worst of 15)": "one of the 15 others\nis off (the worst case)",
        "adjective can't see the nouns": "the adjective can't\nsee the nouns",
        "two numbers swapped": "the weights of the\ntwo nouns swapped",
    }
    shares = {
        said.get(change, change): list(by_seed.values()) for change, by_seed in measured.items()
    }
    return agreement_bars(
        shares,
        list(measured["nothing changed"]),
        "Three changes ruin the gender in Spanish, two don't",
    )


@figure(
    "causes-swap",
    notebook="13_what_the_heads_learned",
    caption="Two numbers of one row of one head change places, and a letter of the translation "
    "with them.",
    alt="The sentence 'The animal didn't cross the street because it was too tired' twice. Above, "
    "as it is: a thick arrow from 'tired' to 'animal', attention weight 1.00, and a thin dashed "
    "one with 0.00 to 'street'; under 'tired' Spanish ends in 'cansado', masculine like el animal. "
    "Below, with the two numbers swapped, the thick arrow leads to 'street', and Spanish ends in "
    "'cansada', feminine like la calle.",
    hero=True,
)
def draw_swap() -> Figure:
    from course.chapters.ch13_what_heads_learned.experiments import swapped
    from transformer_lib.translator import Translator

    translator, looks = Translator.load(), looks_at_tired()
    pair = ("tired", "animal", "street")
    rows = before_and_after(looks, *BEST, *pair)
    after = swapped(translator, TIRED, *BEST, *pair)
    endings = [text.split()[-1] for text in (translator.translate(TIRED)[0].text, after)]
    meanings = ("masculine, like el animal", "feminine, like la calle (street)")
    return exchanged(looks.src[:-1], rows[:, :-1], "tired", pair[1:], endings, meanings)


@figure(
    "causes-crossing",
    notebook="13_what_the_heads_learned",
    caption="Which English words each Spanish word looks at, in the last layer, mean of its heads.",
    alt="Three pairs of word rows with lines. 'I like trees': no lines cross. 'My head hurts': the "
    "line from 'duele' to 'hurts' crosses those of 'la' and 'cabeza', two crossings. 'You have "
    "five balls left': a line from 'quedan' to 'left' crosses those of 'cinco' and 'pelotas'.",
)
def draw_crossing() -> Figure:
    from transformer_lib.translator import Translator

    translator = Translator.load()
    return crossing([translator.attention_maps(sentence) for sentence in CROSSING])


@figure(
    "causes-sharp-heads",
    notebook="13_what_the_heads_learned",
    caption="How sharp each of the 24 heads looks, and how many translations change without it.",
    alt="24 points. The sharpest heads, all in the decoder, are at all heights from 0 to 19 %; "
    "most of them at the bottom. The highest point, 22 %, is the encoder head that finds the noun, "
    "and it is only moderately sharp.",
)
def draw_sharp_heads() -> Figure:
    from course import experiments

    results = experiments.load("heads-off")["results"]
    return sharp_heads(
        results,
        {
            "encoder.layers.1.self_attn.2": "finds the noun\nof the adjective",
            "decoder.layers.0.cross_attn.3": "points at the noun\nthat is being written",
            "decoder.layers.1.cross_attn.0": "decides the number\nof gustan",
        },
    )


@figure(
    "attention-animal",
    notebook="13_what_the_heads_learned",
    caption="What 'tired' and 'wide' look at, and what 'it' looks at, in the encoder head that "
    "finds the right noun in most sentences.",
    alt="The sentence 'The animal didn't cross the street because it was too tired', and below it "
    "the same sentence with 'wide'. An arrow leads from 'tired' to 'animal', but from 'wide' to "
    "'street', each with 100 % of the attention. Under both sentences the same arrow leads from "
    "'it' to 'animal', with 98 %, so it doesn't tell which noun is meant.",
)
def draw_attention_animal() -> Figure:
    from transformer_lib.interpret.pronouns import best_head
    from transformer_lib.text import english_spanish
    from transformer_lib.translator import Translator

    translator = Translator.load()
    layer, head = best_head(translator, english_spanish.load_pronoun())
    several = [translator.attention_maps(sentence) for sentence in (TIRED, WIDE)]
    return _same_and_other(
        [(looks.src, looks.weights[layer][head]) for looks in several], ("tired", "wide"), "it"
    )
