"""The figures of notebook 15: who decides a gender, in a model that read what people wrote."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.heads_on_real_text import (
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
    alt="ALT1",
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
    alt="ALT2",
)
def draw_finds() -> Figure:
    looks = {name: found["looks"] for name, found in stored().items()}
    return found_by_heads(looks, "TITLE2")


@figure(
    "real-heads-off",
    notebook=NOTEBOOK,
    caption="Right endings with several heads off: those needed most, and others drawn by lot.",
    alt="ALT3",
)
def draw_off() -> Figure:
    found = {name: one["heads off"] for name, one in stored().items()}
    return heads_together(found, "TITLE3")


@figure(
    "real-heads-lens",
    notebook=NOTEBOOK,
    caption="How often the right ending would be written if the decoder ended earlier.",
    alt="ALT4",
)
def draw_lens() -> Figure:
    shares = {
        name: {kind: [row["top"] for row in one["lens"]] for kind, one in found["where"].items()}
        for name, found in stored().items()
    }
    return by_layer(shares, "TITLE4")


@figure(
    "real-heads-pronouns",
    notebook=NOTEBOOK,
    caption="Pronoun pairs with both genders right: as they are, and with the noun said again.",
    alt="ALT5",
)
def draw_pronouns() -> Figure:
    said = {"it": "“it”, as they are", "again": "English says\nthe noun again",
            "written": "Spanish says it\nagain, too"}  # fmt: skip
    found = stored()
    groups = {words: {name: one["pronoun"][key]["both"] for name, one in found.items()}
              for key, words in said.items()}  # fmt: skip
    return shares_with_intervals(
        groups, "TITLE5", "pairs with both genders right, with 95 % intervals", 0.25
    )
