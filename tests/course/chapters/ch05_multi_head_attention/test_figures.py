"""Drawings of several heads: the right line between the right words, and shapes that fit."""

import csv
import io

import pytest
import torch

from course.chapters.ch05_multi_head_attention import figures as heads
from course.drawing import notebook_output as showing
from course.drawing import style
from transformer_lib.text import english_spanish
from transformer_lib.translator import AttentionMaps, Translator

ENGLISH = ["I", "like", "trees", "<eos>"]
SPANISH = ["me", "gustan", "los", "árboles"]
HEADS = ["head 0", "head 1", "head 2"]


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


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


# --- the recap ---


def test_no_head_has_the_color_of_a_word():
    assert not set(heads.HEADS) & set(style.WORDS.values())
    assert len(set(heads.HEADS)) == 8


# --- lines between two columns ---


def test_the_sharpest_head_of_the_last_layer_comes_first():
    even, sharp = torch.full((2, 2), 0.5), torch.eye(2)
    named = {"layer 0, head 0": sharp, "layer 1, head 0": even, "layer 1, head 1": sharp}
    assert list(heads._sharpest_first(named, 0)) == [
        "layer 1, head 1",
        "layer 1, head 0",
        "layer 0, head 0",
    ]


def test_encoder_heads_are_named_from_zero(maps):
    named = heads.encoder_heads(maps)
    assert list(named)[0] == "layer 0, head 0" and list(named)[-1] == "layer 1, head 2"
    torch.testing.assert_close(
        named["layer 1, head 0"], maps.weights["encoder.layers.1.self_attn"][0]
    )


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


def test_a_word_that_stands_twice_has_two_names():
    assert heads._told_apart(["the", "cat", "the"]) == ["the (1)", "cat", "the (2)"]


def test_an_unknown_layer_or_word_is_refused(maps):
    with pytest.raises(ValueError, match="no 'encoder, layer 7'; the layers are encoder, layer 0"):
        heads.token_view(maps, layer="encoder, layer 7")
    with pytest.raises(ValueError, match="'bird' is not among the words that look: I, like"):
        heads.token_view(maps, word="bird")


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


def test_one_head_looks_at_itself_and_the_words_after_another_at_the_word_before():
    sentences = [english for english, _ in english_spanish.load("test")[:200]]
    far = heads.weight_by_distance(Translator.load("grammar"), sentences)
    here, left = far["layer 0, head 1"], far["layer 1, head 1"]
    assert set(sorted(here, key=here.__getitem__)[-4:]) == {0, 1, 2, 3}
    assert max(left, key=left.__getitem__) == -1
