"""Text in, text out, with a model of random weights: nonsense, but well formed."""

import copy
from pathlib import Path

import pytest
import torch

from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import MODELS, SHIPPED_MODEL, Translator, model_folder


def test_it_lists_the_words_it_knows(translator):
    assert translator.words == [
        "Ana",
        "do",
        "duck",
        "I",
        "is",
        "it",
        "like",
        "not",
        "queen",
        "the",
        "trees",
    ]


def test_models_go_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert model_folder("grammar") == SHIPPED_MODEL == MODELS["grammar"]
    assert model_folder("tatoeba") == MODELS["tatoeba"]
    assert model_folder("./tatoeba") == Path("tatoeba")  # a folder of one's own
    assert model_folder(Path("tatoeba")) == Path("tatoeba")


def test_an_unknown_word_points_to_the_model_that_reads_any():
    with pytest.raises(InputError, match=r'load\("tatoeba"\)`, or `translate --model tatoeba`'):
        Translator.load().read("I like xylophones")


def test_saying_never_stops(translator, capsys):
    translator.say("I like trees.")
    translator.say("I like xylophones")
    translator.say(...)
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == translator.translate("I like trees.")[0].text
    assert second.startswith("I can't read that: this model has not learned 'xylophones';")
    assert third.startswith("I can't read that: give one sentence in quotes")


def test_the_translations_of_a_beam_come_best_first(translator):
    found = translator.translate("I like trees", beam=3, n_best=3)
    assert len(found) == 3
    assert len({" ".join(one.tokens) for one in found}) == 3


def test_many_sentences_are_translated_as_one_by_one(translator):
    texts = ["I like trees", "Ana", "do I like the queen's duck?", "I do not like trees"]
    one_by_one = [translator.translate(text)[0].text for text in texts]
    assert translator.translate_all(texts, batch=3) == one_by_one


def test_what_cannot_be_read_keeps_its_place_among_many(translator):
    good, empty, bad, broken = translator.translate_many(["Ana", "", "I like zebras", "Ana \udcff"])
    assert good == translator.translate("Ana")
    for error, part in ((empty, "empty"), (bad, "'zebras'"), (broken, "not UTF-8 text, from lett")):
        assert isinstance(error, InputError) and part in str(error)
    assert translator.translate_many([]) == []


def test_a_seed_draws_the_same_for_many_as_one_by_one(translator):
    """Also where a line in between can't be read, and whatever a batch would hold."""
    texts = ["I do not like trees", "", "Ana", "do I like the queen's duck?"]

    def how():
        return {"n_best": 2, "sample": {"generator": torch.Generator().manual_seed(3)}}

    together = translator.translate_many(texts, **how())
    same = how()
    one_by_one = [translator.translate(text, **same) for text in texts if text]
    assert [found for found in together if isinstance(found, list)] == one_by_one
    assert together != translator.translate_many(texts[::-1], **how())[::-1]


def test_looks_have_a_label_for_every_row_and_column(translator):
    maps = translator.attention_maps("I like trees", translation=["me", "gustan", "los", "árboles"])
    assert maps.src == ["I", "like", "trees", "<eos>"]
    assert maps.tgt_in == ["<bos>", "me", "gustan", "los", "árboles"]
    assert maps.tgt_out == ["me", "gustan", "los", "árboles", "<eos>"]
    shapes = {name: tuple(w.shape) for name, w in maps.weights.items()}
    assert shapes["encoder.layers.0.self_attn"] == (3, 4, 4)
    assert shapes["decoder.layers.1.self_attn"] == (3, 5, 5)
    assert shapes["decoder.layers.1.cross_attn"] == (3, 5, 4)
    assert all(torch.allclose(w.sum(-1), torch.ones(w.shape[:-1])) for w in maps.weights.values())


def test_a_mean_over_heads_is_a_share_for_each_word(translator):
    maps = translator.attention_maps("I like trees")
    mean = maps.last_cross_attention()
    assert mean.shape == (len(maps.tgt_out), len(maps.src))
    torch.testing.assert_close(mean.sum(dim=-1), torch.ones(len(mean)))
    assert torch.equal(mean, maps.weights["decoder.layers.1.cross_attn"].mean(dim=0))


def test_looks_follow_the_models_own_translation(translator):
    maps = translator.attention_maps("I like trees")
    assert maps.tgt_out[:-1] == translator.translate("I like trees")[0].tokens


def test_a_translator_comes_back_from_its_folder(translator, tmp_path):
    translator.save(tmp_path)
    assert Translator.load(tmp_path).confidence is None
    translator.confidence = ConfidenceThresholds(-0.1, -0.2, 7)
    translator.save(tmp_path)
    loaded = Translator.load(tmp_path)
    assert loaded.confidence == translator.confidence and loaded.notice == ""
    assert loaded.src.vocab.tokens == translator.src.vocab.tokens
    assert loaded.translate("Ana's duck") == translator.translate("Ana's duck")
    assert loaded.read("i like ana") == ["I", "like", "Ana"]


def test_the_notice_goes_wherever_the_model_goes(translator, tmp_path):
    given = copy.copy(translator)
    given.notice = "Learned from what others wrote: name them, á.\n"
    given.save(tmp_path)
    assert Translator.load(tmp_path).notice == given.notice
    assert "tatoeba.org" in Translator.load("tatoeba").notice
