"""Text in, text out, with a model of random weights: nonsense, but well formed."""

import json

import pytest
import torch

from transformer_lib.checkpoints import CheckpointError
from transformer_lib.model import make_model
from transformer_lib.tokens import Tokenizer, Vocabulary
from transformer_lib.translator import LONGEST, InputError, Language, Translator

ENGLISH = ["I", "like", "trees", "do", "not", "Ana", "?", "it", "is", "the", "queen", "'s", "duck"]
SPANISH = ["me", "gustan", "los", "árboles", "¿", "?", "Ana"]


@pytest.fixture
def translator():
    torch.manual_seed(0)
    src = Language(Tokenizer("en", proper=["I", "Ana"]), Vocabulary(ENGLISH))
    tgt = Language(Tokenizer("es", proper=["Ana"]), Vocabulary(SPANISH))
    model = make_model(len(src.vocab), len(tgt.vocab), N=2, d_model=6, d_ff=7, h=3)
    return Translator(model, src, tgt)


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [
        ("I like trees", ["I", "like", "trees"]),
        ("i LIKE trees.", ["I", "like", "trees"]),
        ("  I don't like trees  ", ["I", "do", "not", "like", "trees"]),
        ("I don’t like trees", ["I", "do", "not", "like", "trees"]),
        ("it's ana", ["it", "is", "Ana"]),
        ("the queen's duck", ["the", "queen", "'s", "duck"]),
        ("Do I like trees?", ["do", "I", "like", "trees", "?"]),
    ],
)
def test_typed_sentences_are_read_as_they_are_meant(translator, typed, tokens):
    assert translator.read(typed) == tokens


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "the line is empty"),
        (" \n", "the line is empty"),
        (".", "the line is empty"),
        ("I like treez", r"'treez'.*did you mean 'trees'"),
        ("I like xylophones", r"'xylophones'.*knows 13 words"),
        ("trees " * (LONGEST + 1), f"{LONGEST + 1} words and signs, more than {LONGEST}"),
    ],
)
def test_what_cannot_be_read_is_said(translator, typed, message):
    with pytest.raises(InputError, match=message):
        translator.translate(typed)


def test_a_full_stop_is_put_back(translator):
    without, with_stop = (
        translator.translate(t)[0].text for t in ("I like trees", "I like trees.")
    )
    assert with_stop == without + "."


def test_the_translations_of_a_beam_come_best_first(translator):
    found = translator.translate("I like trees", beam=3, n_best=3)
    assert len(found) == 3
    assert len({" ".join(one.tokens) for one in found}) == 3


def test_many_sentences_are_translated_as_one_by_one(translator):
    texts = ["I like trees", "Ana", "do I like the queen's duck?", "I do not like trees"]
    one_by_one = [translator.translate(text)[0].text for text in texts]
    assert translator.translate_all(texts, batch=3) == one_by_one


def test_looks_have_a_label_for_every_row_and_column(translator):
    looks = translator.looks("I like trees", translation=["me", "gustan", "los", "árboles"])
    assert looks.src == ["I", "like", "trees", "<eos>"]
    assert looks.tgt_in == ["<bos>", "me", "gustan", "los", "árboles"]
    assert looks.tgt_out == ["me", "gustan", "los", "árboles", "<eos>"]
    shapes = {name: tuple(w.shape) for name, w in looks.weights.items()}
    assert shapes["encoder.layers.0.self_attn"] == (3, 4, 4)
    assert shapes["decoder.layers.1.self_attn"] == (3, 5, 5)
    assert shapes["decoder.layers.1.cross_attn"] == (3, 5, 4)
    assert all(torch.allclose(w.sum(-1), torch.ones(w.shape[:-1])) for w in looks.weights.values())


def test_looks_follow_the_models_own_translation(translator):
    looks = translator.looks("I like trees")
    assert looks.tgt_out[:-1] == translator.translate("I like trees")[0].tokens


def test_a_translator_comes_back_from_its_folder(translator, tmp_path):
    translator.save(tmp_path)
    loaded = Translator.load(tmp_path)
    assert loaded.src.vocab.tokens == translator.src.vocab.tokens
    assert loaded.translate("Ana's duck") == translator.translate("Ana's duck")
    assert loaded.read("i like ana") == ["I", "like", "Ana"]


def test_damaged_vocabularies_are_named(translator, tmp_path):
    with pytest.raises(CheckpointError, match="folder is missing"):
        Translator.load(tmp_path / "nowhere")
    translator.save(tmp_path)
    path = tmp_path / "vocabulary.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({"source": whole["source"]}), encoding="utf-8")
    with pytest.raises(CheckpointError, match="vocabulary.json is damaged"):
        Translator.load(tmp_path)
    whole["target"]["words"].append("más")
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(CheckpointError, match="vocabularies of 17 and 11 words, not 17 and 12"):
        Translator.load(tmp_path)
