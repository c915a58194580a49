"""The figures of notebook 15: who decides a gender, in a model that read what people wrote."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.heads_on_real_text import (
    against_limits,
    by_layer,
    found_by_heads,
    heads_together,
    patching_maps,
    shares_with_intervals,
)

NOTEBOOK = "15_heads_on_real_text"
NAMES = {"grammar": "small model", "tatoeba": "large model"}
PARTNERS = {"road": "road / street", "El": "El / La", "camino": "camino / calle"}


def stored() -> dict[str, Mapping[str, Any]]:
    """What was measured of the two models that come along, by the names that the figures say."""
    from transformer_lib import experiments

    models = experiments.load("heads-on-real-text")["models"]
    return {said: models[name] for name, said in NAMES.items()}


@figure(
    "real-heads-where",
    notebook=NOTEBOOK,
    hero=True,
    caption="How much of the gender comes along with a single vector from a sentence whose noun "
    "has the other gender.",
    alt="Four maps, layers against words. The small model reads: one cell with 98 percent for the "
    "English noun in the embedding and in layer 0, then 98 at the English adjective in layer "
    "1. It has written: nothing but the place of the ending at the end. The large model "
    "reads: 35 to 27 percent at the English noun in all layers, next to nothing elsewhere. It "
    "has written: 68 percent at the article El or La, none at the noun, and up the layers "
    "less at the article, 12, 49 and 100 at the place of the ending.",
)
def draw_where() -> Figure:
    panels = {}
    for name, found in stored().items():
        maps = []
        for side, part in (("source", "encoder"), ("target", "decoder")):
            words = found["where"]["after is"][side]
            bare = [word.removeprefix("·") for word in words]
            names = {name.lower(): both for name, both in PARTNERS.items()}
            maps.append(([names.get(word.lower(), word) for word in bare],
                         found["where"]["after is"][part]))  # fmt: skip
        panels[name] = maps
    return patching_maps(panels, "The small model reads the gender, the large one mostly copies it")


@figure(
    "real-heads-finds",
    notebook=NOTEBOOK,
    caption="How often each head looks most at the noun of the adjective.",
    alt="Two panels of dots, a row for each kind of look. In the small model one encoder head "
    "lies at 79 %, far beyond the line of the rule by place at 43 %; all others lie below "
    "such lines. In the large model three of 72 dots lie a little beyond their lines, at 50, "
    "66 and 68 %.",
)
def draw_finds() -> Figure:
    looks = {name: found["looks"] for name, found in stored().items()}
    return found_by_heads(looks, "One head of the small model stands apart, none of the large")


@figure(
    "real-heads-off",
    notebook=NOTEBOOK,
    caption="Right endings with several heads off: those needed most, and others drawn by lot.",
    alt="Two panels. In the small model the line of the most needed heads falls at once from 90 "
    "to 55 %, then lies between 48 and 70 %. In the large model it falls slowly, from 75 % "
    "over 71 with one head to 58 % with sixteen, while dots for heads drawn by lot stay "
    "between 70 and 83 %.",
)
def draw_off() -> Figure:
    found = {name: one["heads off"] for name, one in stored().items()}
    title = "One head carries the gender in the small model, none in the large"
    return heads_together(found, title)


@figure(
    "real-heads-lens",
    notebook=NOTEBOOK,
    caption="How often the right ending would be written if the decoder ended earlier.",
    alt="Lines for five kinds of sentences. In the small model all are at 0 in the embedding and "
    "in layer 0, and at 69 to 100 % in layer 1. In the large model all are at 0 until layer "
    "0, between 27 and 86 % in layer 1, and between 44 and 98 % in layer 2.",
)
def draw_lens() -> Figure:
    shares = {
        name: {kind: [row["top"] for row in one["lens"]] for kind, one in found["where"].items()}
        for name, found in stored().items()
    }
    return by_layer(shares, "The right ending appears only in the last layers")


@figure(
    "real-heads-pronouns",
    notebook=NOTEBOOK,
    caption="Pronoun pairs with both genders right: as they are, and with the noun said again.",
    alt="Three rows. The small model is at 99 % in all. The large model is at 16 %, below the "
    "line of chance at 25 %, with “it”; at 20 % where English says the noun again; and at 60 "
    "% where Spanish says it again, too.",
)
def draw_pronouns() -> Figure:
    said = {"it": "“it”, as they are", "again": "English says\nthe noun again",
            "written": "Spanish says it\nagain, too"}  # fmt: skip
    found = stored()
    groups = {words: {name: one["pronoun"][key]["both"] for name, one in found.items()}
              for key, words in said.items()}  # fmt: skip
    return shares_with_intervals(
        groups, "The large model needs the noun said again, in Spanish",
        "pairs with both genders right, with 95 % intervals", 0.25,
    )  # fmt: skip


@figure(
    "real-heads-repeated",
    notebook=NOTEBOOK,
    caption="Ten claims about the large model, and what two more trainings say to them.",
    alt="Ten rows, each with a limit, grey on its wrong side, a filled square for the large model, "
    "a hollow one and a hollow diamond for seeds 1 and 2, and a dot for the small model. In "
    "eight rows these squares and diamonds lie on the white side, mostly close together. “The "
    "article brings less through it than after is”: 0.38, but 0.04 and, a hair beyond the "
    "limit of 0, \N{MINUS SIGN}0.01. “No head alone carries a third of the margin”: 0.22 and "
    "0.19, but 0.57 for seed 2. Seven dots of the small model lie in the grey.",
)
def draw_repeated() -> Figure:
    from transformer_lib import experiments
    from transformer_lib.experiments.repeated import claims

    stored = experiments.load("heads-on-real-text")["models"]
    told = {name: claims(stored[name]) for name in ("tatoeba", "grammar", "seed-1", "seed-2")}
    numbers = {name: [claim.number for claim in found] for name, found in told.items()}
    return against_limits(
        [(claim.what, claim.limit, claim.above) for claim in told["tatoeba"]],
        numbers.pop("tatoeba"),
        other=numbers.pop("grammar"),
        again={name.replace("-", " "): found for name, found in numbers.items()},
        title="Eight of ten claims about the large model hold in two more",
    )
