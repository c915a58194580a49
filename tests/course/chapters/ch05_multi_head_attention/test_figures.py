"""The view of all heads to touch: a line for each weight that can be seen."""

import csv
import io

import pytest
import torch

from course.chapters.ch05_multi_head_attention import figures as heads
from course.drawing import notebook_output as showing
from transformer_lib.translator import AttentionMaps

ENGLISH = ["I", "like", "trees", "<eos>"]
SPANISH = ["me", "gustan", "los", "árboles"]


def weights(*shape: int) -> torch.Tensor:
    return torch.softmax(3 * torch.randn(shape), dim=-1)


@pytest.fixture
def maps() -> AttentionMaps:
    """Made-up looks of a model with two layers of three heads."""
    s, t = len(ENGLISH), len(SPANISH) + 1
    by_layer = {}
    for layer in range(2):
        by_layer[f"encoder.layers.{layer}.self_attn"] = weights(3, s, s)
    for layer in range(2):
        own = weights(3, t, t).tril()
        by_layer[f"decoder.layers.{layer}.self_attn"] = own / own.sum(-1, keepdim=True)
        by_layer[f"decoder.layers.{layer}.cross_attn"] = weights(3, t, s)
    return AttentionMaps(ENGLISH, ["<bos>", *SPANISH], [*SPANISH, "<eos>"], by_layer)


def tables(spec: dict) -> list[list[dict[str, str]]]:
    layers = showing.portable(spec)["layer"]
    return [list(csv.DictReader(io.StringIO(layer["data"]["values"]))) for layer in layers]


def test_the_view_holds_each_visible_weight_once(maps):
    _, lines, _, _ = tables(heads.token_view(maps).to_dict())
    visible = sum(int((matrix >= heads.FAINT).sum()) for matrix in maps.weights.values())
    assert len(lines) == visible
    cross = maps.weights["decoder.layers.1.cross_attn"]
    row = next(r for r in lines if r["layer"] == "decoder, layer 1: Spanish looks at English")
    assert row["query"] == maps.tgt_out[int(row["i"])] and row["key"] == ENGLISH[int(row["j"])]
    place = int(row["head"]), int(row["i"]), int(row["j"])
    assert float(row["weight"]) == pytest.approx(cross[place].item(), abs=0.0055)
