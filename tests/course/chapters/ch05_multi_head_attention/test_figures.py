"""Drawings of several heads: the right line between the right words, and shapes that fit."""

import csv
import io

import pytest
import torch

from course.chapters.ch05_multi_head_attention import figures as heads
from course.drawing import notebook_output as showing
from transformer_lib.translator import AttentionMaps, Translator

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


# --- the recap ---


# --- lines between two columns ---


# --- the view to touch ---


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


# --- distances and the three uses ---


def test_the_neighbors_stand_so_in_the_sentence_of_the_riddle():
    assert " ".join(heads.AROUND) in " ".join(heads.maps_of_tired().src)


def test_distances_leave_the_padding_out():
    """A model whose heads all look evenly: at a word of distance d, 1 / length of its sentence."""
    from transformer_lib.model.transformer import make_model
    from transformer_lib.text.languages import Language
    from transformer_lib.text.tokens import Tokenizer, Vocabulary

    model = make_model(7, 7, N=2, d_model=8, d_ff=8, h=2)
    for layer in model.encoder.layers:
        torch.nn.init.zeros_(layer.self_attn.w_q.weight)
    sides = [Language(Tokenizer(code), Vocabulary(["a", "b", "c"])) for code in ("en", "es")]
    profiles = heads.weight_by_distance(Translator(model, *sides), ["b", "b c b b"], reach=4)
    assert list(profiles) == [f"layer {i}, head {j}" for i in (0, 1) for j in (0, 1)]
    for profile in profiles.values():
        assert profile[0] == pytest.approx((2 * 1 / 2 + 5 * 1 / 5) / 7)  # <eos> is a word too
        assert profile[-1] == pytest.approx((1 * 1 / 2 + 4 * 1 / 5) / 5)
        assert profile[4] == pytest.approx(1 / 5)
