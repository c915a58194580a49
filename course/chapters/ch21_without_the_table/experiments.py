"""Experiment: a state in place of each self-attention of our translator, exchanged as in 18.

The base is that of notebook 18, whose three stored runs are told beside these: the same corpus,
batches, steps and, within 1 %, as many weights. Encoder and decoder get the new layer; the
attention from decoder to encoder stays, so one table is left. The learning rate of each is chosen
on validation with one seed, of the two highest of 18's three, as the third was best for none of
18's parts; it was tried as well where the lower of the two was the better, and twice the highest
where that was. On one core half an hour.
"""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from course.chapters.ch18_since_2017.experiments import (
    BASE,
    MAX_LRS,
    SEEDS,
    TRAINING,
    make_spec,
    today,
)
from course.chapters.ch21_without_the_table.mixers import LinearAttention, MinGRU, StateSpace
from course.experiments import experiment, load_runs
from course.experiments.long_training import TrainSpec, tuned
from transformer_lib.model.transformer import Transformer
from transformer_lib.variants import replace_modules

RATES = {  # the grid goes on downwards where the lower of the two was the better, or upwards
    "linear attention": MAX_LRS,
    "minGRU": (*MAX_LRS[1:], 2 * MAX_LRS[-1]),
    "state space": MAX_LRS,
}
SPLITS = ("test", "noun-adjective", "pronoun", "gustar", "longer")
MAKERS = {
    "linear attention": lambda both: LinearAttention(BASE.d_model, BASE.h, both_ways=both),
    "minGRU": lambda both: MinGRU(BASE.d_model, both_ways=both),
    "state space": lambda both: StateSpace(BASE.d_model, BASE.h, both_ways=both),
}


def exchanged_for(what: str) -> Callable[[nn.Module], None]:
    """The change that puts this layer in the place of self-attention in encoder and decoder."""

    def change(model: nn.Module) -> None:
        assert isinstance(model, Transformer)
        for stack, both in ((model.encoder, True), (model.decoder, False)):
            replace_modules(stack, "self_attn", lambda old, both=both: MAKERS[what](both))

    return change


def in_place_of_self_attention(what: str) -> TrainSpec:
    """The base of notebook 18 with this layer in encoder and decoder."""
    return make_spec(what, exchanged_for(what))


@experiment("without-the-table")
def a_state_in_place_of_attention() -> dict[str, Any]:
    """What a translator loses with a state in place of self-attention, on three seeds."""
    found: dict[str, Any] = {"runs": []}
    for what, rates in RATES.items():
        one = tuned("without-the-table", [in_place_of_self_attention(what)], TRAINING, rates, SEEDS)
        found = one | {"runs": found["runs"] + one["runs"]}
    return found | {"max_lrs": RATES}


@experiment("without-the-table-today")
def a_state_among_the_parts_of_today() -> dict[str, Any]:
    """What minGRU is worth when all other parts are those of notebook 18's "today".

    Attention of 2017 is an old opponent: this is to be compared with "today" itself, whose
    attention is rotary. Everything but the self-attention is the same in both.
    """
    spec = today("minGRU with today's parts", exchanged_for("minGRU"))
    rates = RATES["minGRU"]
    return tuned("without-the-table-today", [spec], TRAINING, rates, SEEDS) | {"max_lrs": rates}


def right() -> dict[str, dict[str, list[float]]]:
    """Layer -> split -> the share that is right to the letter, of each seed; the base first."""
    return shares([*load_runs("since", what="base"), *load_runs("without-the-table")])


def right_today() -> dict[str, dict[str, list[float]]]:
    """As `right`: notebook 18's "rotary" and "today", and minGRU among the parts of "today"."""
    since = [run for run in load_runs("since") if run["what"] in ("rotary", "today")]
    return shares([*since, *load_runs("without-the-table-today")])


def shares(runs: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        if run["chosen"] and run["seed"] in SEEDS:
            for split in SPLITS:
                found.setdefault(run["what"], {}).setdefault(split, []).append(run["right"][split])
    return found


def points() -> list[dict[str, Any]]:
    """A row for each layer, the base first: points above the base's mean, of each seed."""
    found = right()
    means = {split: statistics.mean(found["base"][split]) for split in SPLITS}
    return [
        {"what": what, "group": "base" if what == "base" else "exchanged"}
        | {split: [100 * (share - means[split]) for share in layer[split]] for split in SPLITS}
        for what, layer in found.items()
    ]
