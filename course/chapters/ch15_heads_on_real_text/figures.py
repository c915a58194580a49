"""Who decides a gender: what comes along with one vector, and what heads find and are for."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch15_heads_on_real_text.experiment_repeated import Claim
from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.values import steady_round
from course.drawing.words import canvas, heading, label, percent, sentence, width_of, word
from transformer_lib.translator import Translator

CLEARLY = 0.05  # so far above the best rule of places, as the notebook asks


def _ways_of_the_gender(models: Mapping[str, Mapping[tuple[str, str], float]]) -> Figure:
    """Draw how the gender comes to an ending: two sentences for each model, and arrows -> figure.

    models: what one does -> {(from a word, to a word): how much of the gender comes that way}; what
    is more than half is loud.
    """
    figure, ax = canvas(style.WIDTH, 4.1)
    note = "One vector is taken from “The road is small”: how far does “pequeña” turn to “pequeño”?"
    heading(ax, "The small model reads the gender, the large one mostly copies it", note)
    for left, (name, ways) in zip((0.1, 4.3), models.items(), strict=True):
        label(ax, (left - 0.08, 3.2), name, size=style.LABEL, weight="bold")
        loud = {word: style.ACCENT for way, much in ways.items() if much > 0.5 for word in way}
        at = {}
        for y, text in ((2.06, "The street is small"), (0.78, "La calle es pequeña")):
            for x, said in zip((0.25, 1.05, 1.75, 2.55), text.split(), strict=True):
                at[said] = left + x, y
                color = loud.get(said, style.MUTED)
                word(ax, at[said], said, size=14, va="baseline", color=color)
        for (start, end), much in ways.items():
            (x, y), (x_end, y_end) = at[start], at[end]
            color = style.ACCENT if much > 0.5 else style.SOFT
            if y == y_end:  # an arch above what is read, below what is written
                up, rise = (0.3, 0.36) if y > 1 else (-0.15, -0.36)
                arrow(ax, (x, y + up), (x_end, y + up), color, thick=8 * much, rise=rise)
                said = (x + x_end) / 2, y + up + 1.47 * rise
            else:
                y, y_end = y - 0.15, y_end + 0.3
                arrow(ax, (x, y), (x_end, y_end), color, thick=8 * much)
                said = 0.5 * x + 0.5 * x_end + 0.38, (y + y_end) / 2 + 0.06
            color = style.readable(color, style.PAPER)
            label(ax, said, percent(much), size=13, ha="center", color=color, weight="bold")
    return figure


def _found_by_heads(models: Mapping[str, Mapping[str, Any]], title: str) -> Figure:
    """Draw how often each head finds the noun, against a rule; where the best of the first looks.

    models: name -> {"heads", "place"}, as the experiment stores. The best head of the first is
    loud, others that are more than `CLEARLY` ahead of the rule are large.
    """
    figure, ax = canvas(style.WIDTH, 3.9)
    heading(ax, title, "A dot for each head: how often an English adjective looks most at its noun")
    start, wide = 1.15, 6.4
    for y, (name, found) in zip((1.75, 0.9), models.items(), strict=True):
        label(ax, (0.02, y), name, size=style.LABEL)
        finds, place = np.array(sorted(row["finds"] for row in found["heads"])), found["place"]
        clear, color = finds > place + CLEARLY, style.ACCENT if y > 1 else style.INK
        colors, look = np.where(clear, color, style.SOFT), {"lw": 0, "zorder": 3}
        ax.scatter(
            start + wide * finds, y + _beside(finds), np.where(clear, 110, 40), colors, **look
        )
        if clear[-1]:
            look = {"size": 14, "weight": "bold", "color": color}
            label(ax, (start + wide * finds[-1] + 0.15, y), percent(finds[-1]), **look)
        if y > 1:
            words, x = ["The", "key", "is", "new", "."], start + wide * finds[-1]
            marked = {"new": style.INK, "key": style.ACCENT}
            at = sentence(ax, (x - 1.35, y + 0.4), words, marked, size=14, gap=0.22)
            arrow(ax, (at[3], y + 0.7), (at[1], y + 0.7), style.ACCENT, thick=3.5, rise=0.3)
    x = start + wide * place
    path(ax, [(start, 0.4), (start + wide, 0.4)], style.SOFT, head=False, thick=0.75)
    path(ax, [(x, 0.4), (x, 2.1)], style.INK, head=False, thick=1.4)
    said = f"always the next word: {percent(place)}"
    label(ax, (x + 0.2, 2.25), said, ha="right")
    for share in (0, 0.5, 1):
        at_tick = start + wide * share, 0.24
        label(ax, at_tick, f"{100 * share:.0f} %", ha="center", color=style.MUTED)
    return figure


def _beside(sorted_numbers: Sequence[float], near: float = 0.014) -> np.ndarray:
    """A height for each dot, so that near ones stand above and below each other."""
    heights, row = [], list[float]()  # row: of each height, the last number there
    for number in sorted_numbers:
        free = [place for place, last in enumerate(row) if number - last >= near]
        place = free[0] if free else len(row)
        row[place : place + 1] = [number]
        heights.append(((place + 1) // 2) * (-1) ** place)
    return 0.1 * np.array(heights)


def _each_head_off(
    models: Mapping[str, Mapping[str, Any]], written: Mapping[str, Sequence[str]], title: str
) -> Figure:
    """Draw how many endings are lost with each head off: a stack of dots for each model -> figure.

    models: name -> {"trained", "alone"}, as the experiment stores. written: name -> the words that
    it writes without the head whose loss is largest, the last of them the one that matters.
    """
    figure, ax = canvas(style.WIDTH, 5.0)
    note = "A dot for each head: right endings without it; and what “The key is small” becomes"
    heading(ax, title, note)
    zero, point = 6.6, 0.15
    for y, (name, found) in zip((3.0, 0.9), models.items(), strict=True):
        trained = 100 * found["trained"]["share"]
        changes = [round(100 * row["right"] - trained, 6) for row in found["alone"]]
        places, counts = np.unique(changes, return_counts=True)
        path(ax, [(0.1, y - 0.08), (7.9, y - 0.08)], style.RULE, head=False, thick=0.75)
        for place, count in zip(places, counts, strict=True):
            first, at = place == places[0], zero + point * place
            color, size = (style.ACCENT, 13) if first else (style.SOFT, 6)
            heights = y + 0.05 * first + 0.09 * np.arange(count)
            ax.plot([at] * count, heights, "o", color=color, ms=size, mew=0)
        label(ax, (0.02, y + 0.7), f"{name}, {len(changes)} heads", size=style.LABEL, weight="bold")
        x = zero + point * places[0]
        look = {"size": 14, "weight": "bold", "color": style.ACCENT, "ha": "right"}
        said = f"{steady_round(places[0], 0):.0f} points".replace("-", "\N{MINUS SIGN}")
        label(ax, (x - 0.17, y + 0.06), said, **look)
        for tick in (0, -10, -20, -30):
            said = f"{tick}" if tick else "no change"
            label(ax, (zero + point * tick, y - 0.24), said, ha="center", color=style.MUTED)
        label(ax, (7.9, y - 0.24), "better", ha="right", color=style.MUTED)
        wrong = style.ACCENT if written[name] != written["as trained"] else style.INK
        path(ax, [(x, y - 0.04), (x, y - 0.42)], style.ACCENT, head=False, thick=1)
        look = {"size": 14, "gap": 0.22, "ha": "center"}
        sentence(ax, (x, y - 0.72), written[name], {written[name][-1]: wrong}, **look)
    return figure


def _written_by_layer(
    models: Mapping[str, tuple[Sequence[str], Sequence[float]]], title: str
) -> Figure:
    """Draw a row for each model: what the lens reads after each layer, and how often it is right.

    models: name -> the words that it reads in one sentence, and the shares, from before the first
    layer on.
    """
    figure, ax = canvas(style.WIDTH, 3.55)
    note = (
        "“The key is new” → “La llave es …”: the next word, and how many sentences come out right"
    )
    heading(ax, title, note)
    left, step, wide = 1.45, 1.65, 1.4
    for y, (name, (words, shares)) in zip((2.08, 0.78), models.items(), strict=True):
        label(ax, (0.02, y), name, size=style.LABEL, weight="bold")
        for place, (text, share) in enumerate(zip(words, shares, strict=True)):
            x, color = left + step * place, style.ACCENT if share else style.MUTED
            word(ax, (x + wide / 2, y), text, size=16, color=color)
            area(ax, (x, y - 0.37), wide, 0.07, style.RULE)
            area(ax, (x, y - 0.37), wide * share, 0.07, style.ACCENT)
            if share:
                said = f"{percent(share)} right{', last layer' * (place == len(words) - 1)}"
                label(ax, (x + wide / 2, y - 0.54), said, ha="center", color=color)
            state = f"after layer {place - 1}" if place else "before layer 0"
            label(ax, (x + wide / 2, 2.62), state, ha="center", color=style.MUTED)
    return figure


def _pairs_right(rows: Sequence[tuple[str, str, float]], title: str) -> Figure:
    """Draw how many pairs are right: a bar for each way to say a noun; the last is loud.

    rows: English, the Spanish that the model ends, and a share.
    """
    high, left, wide = 1.05, 4.75, 2.6
    figure, ax = canvas(style.WIDTH, 1.25 + high * len(rows))
    heading(
        ax,
        title,
        "“The trophy didn’t fit in the suitcase …”: how often both endings of a pair are right",
    )
    top = high * len(rows) + 0.1
    path(ax, [(left + wide / 4, 0.3), (left + wide / 4, top)], style.SOFT, head=False)
    label(ax, (left + wide / 4, top + 0.14), "chance: 25 %", ha="center", color=style.MUTED)
    for row, (english, spanish, share) in enumerate(rows):
        y, last = top - (row + 0.5) * high, row == len(rows) - 1
        color = style.ACCENT if last else style.INK
        for up, text in ((0.13, english), (-0.29, spanish)):
            words = text.split()
            loud = dict.fromkeys(["it", "suitcase", words[-1] * (text == spanish)], style.INK)
            loud |= dict.fromkeys(["la", "maleta", words[-1] * last * (text == spanish)], color)
            ends = sentence(ax, (0.1, y + up), words, loud)[-1] + width_of(words[-1], 12) / 2
        label(ax, (ends + 0.15, y - 0.23), "right" if last else "wrong", color=style.MUTED)
        area(ax, (left, y - 0.15), wide, 0.3, style.GROUND)
        area(ax, (left, y - 0.15), wide * share, 0.3, style.ACCENT if last else style.SOFT)
        look = {"size": 14, "weight": "bold", "color": color}
        label(ax, (left + wide + 0.12, y), percent(share), **look)
    return figure


def _claims_kept(claims: Mapping[str, Sequence[Claim]], title: str) -> Figure:
    """Draw a row for each claim and a mark for each model, where it holds or falls -> the figure.

    claims: what is said -> the claim about each model. Those that fall somewhere stand last, with
    their numbers, and where one falls is loud.
    """
    high, left, step = 0.36, 5.35, 0.95
    figure, ax = canvas(style.WIDTH, 1.4 + high * len(claims))
    heading(ax, title, "What decides the ending in “The street is small” → “La calle es pequeña”?")
    y = ax.get_ylim()[1] - 0.88
    for place, said in enumerate(("first model", "second", "third")):
        label(ax, (left + step * place, y), said, ha="center", color=style.MUTED)
    y -= 0.02
    ranked = sorted(claims.items(), key=lambda row: not all(one.holds for one in row[1]))
    for said, found in ranked:
        kept = all(one.holds for one in found)
        y -= high
        label(ax, (0.02, y - 0.1 * (not kept)), said, size=style.LABEL)
        for place, one in enumerate(found):
            x, base = left + step * place, y - 0.1 * (not kept)
            fill = style.GROUND if one.holds else style.ACCENT
            box(ax, (x, base), step - 0.08, high - 0.06, fill=fill, line=0)
            if kept:
                check = [(x - 0.09, base), (x - 0.03, base - 0.07), (x + 0.1, base + 0.08)]
                path(ax, check, style.MUTED, head=False, thick=2.2)
            else:
                number = f"{steady_round(100 * one.number, 0):.0f} %".replace("-", "−")
                look = {"weight": "bold", "color": style.MUTED if one.holds else style.PAPER}
                label(ax, (x, base), number, ha="center", **look)
    return figure


CLAIMS = (  # of `experiment_repeated.claims`, in plain words
    "the ending follows the article that was written",
    "the article counts more than the English noun",
    "the article counts less if English says “it”: by …",
    "the Spanish noun hardly counts",
    "the English adjective hardly counts",
    "no head alone decides a third: at most …",
    "its 16 most needed heads matter more than 16 at random",
    "with “it” for the noun, pairs come out worse than by chance",
    "the same with the noun said again in English",
    "with the noun said again in Spanish, most pairs are right",
)
NAMES = {"grammar": "small model", "earlier": "large model"}
PARTNERS = {"road": "road / street", "El": "El / La", "camino": "camino / calle"}


def _load_stored() -> dict[str, Mapping[str, Any]]:
    """What was measured of the two models that the notebook compares, by the figures' names."""
    models = experiments.load("heads-on-real-text")["models"]
    return {said: models[name] for name, said in NAMES.items()}


@figure(
    "real-heads-where",
    hero=True,
    caption="How much of the gender one vector brings with it from a sentence whose noun has the "
    "other gender; means of 96 sentences.",
    alt="“The street is small” and “La calle es pequeña” twice, joined by arrows as thick as the "
    "share of the gender that comes that way. In the small model one of 98 % leads from “street” "
    "to “small”, and one of 98 % from there to “pequeña”. In the large model one of 35 % leads "
    "from “street” to “pequeña”, and a thick one of 68 % from “La”, the article that it wrote "
    "itself.",
)
def draw_where() -> Figure:
    small, large = (found["where"]["after is"] for found in _load_stored().values())
    (_, noun, *_), *_, (*_, adjective, _) = small["encoder"]
    _, article, *_ = large["decoder"][0]
    return _ways_of_the_gender(
        {
            "small model: from the English noun": {
                ("street", "small"): noun,
                ("small", "pequeña"): adjective,
            },
            "large model: mostly from its own article": {
                ("street", "pequeña"): large["encoder"][0][1],
                ("La", "pequeña"): article,
            },
        }
    )


@figure(
    "real-heads-finds",
    caption="How often each head of the encoder looks most at the noun of the adjective, and how "
    "often a rule would.",
    alt="A dot for each head of two encoders. Always to take the next word finds the noun in "
    "43 %, a vertical line. In the small model one head finds it in 79 %, the others in 16 % or "
    "less: above its orange dot an arrow leads from “new” to “key” in “The key is new”, which "
    "the next word misses. In the large model one head finds it in 50 %, all others less often "
    "than the line.",
)
def draw_finds() -> Figure:
    looks = {name: found["looks"]["encoder.self_attn"] for name, found in _load_stored().items()}
    best = (percent(max(head["finds"] for head in one["heads"])) for one in looks.values())
    title = "The small model’s best head finds the noun in {}, the large one’s in {}"
    return _found_by_heads(looks, title.format(*best))


@figure(
    "real-heads-off",
    caption="Right endings with each head alone off, and what is then written of one sentence.",
    alt="Two rows of stacked dots, a dot for each head, by what it changes to switch it off. In "
    "the small model nearly all 24 stand near no change; one alone costs 35 points, and below its "
    "dot “The key is small” becomes “La llave es pequeño”. In the large model the worst of 72 "
    "costs 4 points, and below its dot the sentence stays right: “pequeña”.",
)
def draw_off() -> Figure:
    from course.chapters.ch15_heads_on_real_text.experiments import EARLIER
    from course.chapters.ch15_heads_on_real_text.probes import off
    from transformer_lib.interpret.patching import patch_attention

    found = {name: one["heads off"] for name, one in _load_stored().items()}
    written = {}
    for (name, one), model in zip(found.items(), ("grammar", EARLIER), strict=True):
        translator = Translator.load(model)
        for key, heads in (("as trained", []), (name, one["order"][:1])):
            with patch_attention(translator.model, off([tuple(head) for head in heads])):
                text = translator.translate("The key is small.")[0].text
            written[key] = text.removesuffix(".").split()
    small, large = (
        100 * (one["trained"]["share"] - min(row["right"] for row in one["alone"]))
        for one in found.values()
    )
    title = (
        f"One head off costs the small model {small:.0f} points, the large one at most {large:.0f}"
    )
    return _each_head_off(found, written, title)


@figure(
    "real-heads-lens",
    caption="What would be written if the decoder ended earlier, and how often that is right.",
    alt="A row for each of two decoders: the word that the lens reads before layer 0 and after "
    "each layer, and a bar for how many sentences are right there. Small model: “es”, then "
    "“demasiado”, both with empty bars, and after layer 1 “nueva”, 94 % right. Large model: “es” "
    "twice, after layer 1 “nueva”, 56 % right, and after layer 2 “nueva”, 73 % right.",
)
def draw_lens() -> Figure:
    from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch, template_items
    from course.chapters.ch15_heads_on_real_text.experiments import EARLIER
    from course.chapters.ch15_heads_on_real_text.probes import states
    from transformer_lib.interpret.recording import record_outputs

    (item,) = (each for each in template_items() if each.english == "The key is new.")
    read = {}
    for (name, found), model in zip(_load_stored().items(), ("grammar", EARLIER), strict=True):
        translator = Translator.load(model)
        batch, layers = AgreementBatch(translator, [item]), states(translator, "decoder")
        with torch.inference_mode(), record_outputs(translator.model.eval(), *layers) as outputs:
            batch.logits(translator)
            ends = [
                translator.model.decoder.norm(outputs[layer][0, batch.out[0]]) for layer in layers
            ]
            ids = [int(translator.model.generator(end).argmax()) for end in ends]
        shares = [[row["top"] for row in one["lens"]] for one in found["where"].values()]
        words = [translator.tgt.vocab.tokens[i].removeprefix("Ġ") for i in ids]
        read[name] = words, np.mean(shares, axis=0)
    return _written_by_layer(read, "The right ending appears only in the last layers")


@figure(
    "real-heads-pronouns",
    caption="Pronoun pairs with both genders right: as they are, and with the noun said again.",
    alt="Three rows of words, and a bar for the large model in each. Where English says “it was "
    "too narrow”, 16 % of the pairs are right, fewer than the 25 % of chance, and “the suitcase "
    "was too narrow” brings 20 %; both times “estrecho” is wrong. With “la maleta” in Spanish, "
    "too, the model writes “estrecha”, and 60 % are right: the orange bar.",
)
def draw_pronouns() -> Figure:
    from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch, pronoun_items
    from course.chapters.ch15_heads_on_real_text.experiments import EARLIER
    from transformer_lib.text import english_spanish

    large, translator, rows = _load_stored()["large model"], Translator.load(EARLIER), []
    pair = [one for one in english_spanish.load_pronoun() if "trophy" in one.english][:2]
    for said in ("it", "again", "written"):
        batch = AgreementBatch(translator, pronoun_items(said, pair)[1:])
        (item,) = batch.kept
        translator.model.eval()
        with torch.inference_mode():
            (logits,) = batch.logits(translator)
        right = logits[batch.right] > logits[batch.wrong]
        both = item.english, item.spanish if right else item.wrong
        clauses = (text[re.search("because|porque", text).start() : -1] for text in both)
        rows.append((*clauses, large["pronoun"][said]["both"]["share"]))
    small, much = (percent(rows[row][2]) for row in (0, -1))
    return _pairs_right(
        rows, f"The noun said again in Spanish lifts the large model from {small} to {much}"
    )


@figure(
    "real-heads-repeated",
    caption="Ten claims about the large model, and what two more runs say about them.",
    alt="Ten claims, a row each, and three marks, for the large model and two more runs. Eight "
    "rows have three check marks. Two rows at the bottom have numbers, and in each that of the "
    "third model is orange. “The article counts less if English says it” needs more than 0: 38 % "
    "for the large model, 4 % for the second, but \N{MINUS SIGN}1 % for the third. “No head alone "
    "decides a third” needs less than 33: 22 % and 19 %, but 57 % for the third.",
)
def draw_repeated() -> Figure:
    from course.chapters.ch15_heads_on_real_text.experiment_repeated import claims

    stored = experiments.load("heads-on-real-text")["models"]
    found = [claims(stored[name]) for name in ("earlier", "seed-1", "seed-2")]
    told = dict(zip(CLAIMS, zip(*found, strict=True), strict=True))
    held = sum(all(claim.holds for claim in row) for row in told.values())
    title = f"{held} of {len(told)} findings about one large model also hold in two others"
    return _claims_kept(told, title)
