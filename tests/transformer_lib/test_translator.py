"""Text in, text out, with a model of random weights: nonsense, but well formed."""

import json
from pathlib import Path

import pytest
import torch

from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.files import CheckpointError
from transformer_lib.model.transformer import make_model
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import Tokenizer, Vocabulary
from transformer_lib.text.user_input import (
    LONGEST,
    InputError,
    UserInput,
    finish,
    is_finished,
    is_near,
)
from transformer_lib.translator import MODELS, SHIPPED_MODEL, Translator, model_folder

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
        ("Do I like trees??", ["do", "I", "like", "trees", "?"]),
        ("Do I like trees?!", ["do", "I", "like", "trees", "?"]),
        ("I like trees!!", ["I", "like", "trees"]),
        ("I like trees ...", ["I", "like", "trees"]),
        ("I like\ttrees\n", ["I", "like", "trees"]),
    ],
)
def test_typed_sentences_are_read_as_they_are_meant(translator, typed, tokens):
    assert translator.read(typed) == tokens


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "the line is empty"),
        (" \n", "the line is empty"),
        (".", "no word in '.'"),
        ("?!", "no word in"),
        (None, "one sentence in quotes.*not None"),
        (5, "one sentence in quotes.*not 5"),
        (["I like trees"], "one sentence in quotes"),
        ("I like treez", r"'treez' \(did you mean 'trees'\?\)"),
        ("I like teh duck", r"did you mean 'the'"),
        ("I like xylophones", r"'xylophones'; it reads English and knows 11 words"),
        ("I like trees. I like Ana", "more than one sentence"),
        ("Do I like trees? I do not.", "more than one sentence"),
        ("I like trees\nI like Ana\n", "there are 2 lines"),
        (
            "trees " * (LONGEST + 1),
            f"{LONGEST + 1} words and punctuation marks, more than {LONGEST}",
        ),
    ],
)
def test_what_cannot_be_read_is_said(translator, typed, message):
    with pytest.raises(InputError, match=message):
        translator.translate(typed)


@pytest.mark.parametrize(
    ("mark", "back"), [(".", "{}."), ("...", "{}…"), ("!", "¡{}!"), ("!!", "¡{}!")]
)
def test_a_mark_at_the_end_is_put_back(translator, mark, back):
    """The model never sees it, so it can't be led astray by it."""
    plain, marked = (translator.translate("I like trees" + m)[0] for m in ("", mark))
    assert marked.tokens == plain.tokens
    assert marked.text == back.format(plain.text)


def test_an_exclamation_that_is_none_without_its_mark_keeps_it():
    """Of the shipped model: "What big trees!" is a sentence of its training."""
    tokens = Translator.load().read("What big trees!!")
    assert tokens == ["what", "big", "trees", "!"]


@pytest.mark.parametrize(
    ("typed", "known", "near"),
    [
        ("treez", "trees", True),
        ("treez", "tree", True),
        ("trees", "street", False),
        ("teh", "the", True),
        ("hte", "the", True),
        ("north", "onion", False),
        ("onion", "north", False),
        ("ich", "rich", False),
        ("mag", "map", False),
        ("hello", "yellow", False),
        ("kitchens", "kitchen", True),
        ("animla", "animal", True),
        ("xylophones", "phones", False),
        ("at", "ta", False),
        ("stret", "street", True),
    ],
)
def test_only_a_slip_of_the_finger_is_near(typed, known, near):
    assert is_near(typed, known) == near


def test_no_message_ends_in_a_question(translator):
    """So that a full stop can follow."""
    for typed in ("I like treez", "", "?", None, "a. b", "trees " * 65):
        with pytest.raises(InputError) as caught:
            translator.translate(typed)
        assert str(caught.value)[-1] not in ".?!"


def test_a_notebook_shows_one_line():
    assert InputError("there are 2 lines")._render_traceback_() == ["InputError: there are 2 lines"]


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


@pytest.mark.parametrize(
    ("typed", "read", "added"),
    [
        ("good morning", "Good morning.", "."),
        (" Good morning. ", "Good morning.", ""),
        ("é?", "É?", ""),
        ("3 dogs", "3 dogs.", "."),
        ("“no”", "“no”", ""),
        ("eBay", "EBay.", "."),
    ],
)
def test_a_sentence_is_finished_for_a_model_that_knows_no_other(typed, read, added):
    assert finish(typed) == UserInput(read, added=added)
    assert is_finished(read) and is_finished(typed.strip()) == (typed.strip() == read)


@pytest.mark.parametrize("text", ["I am 5", "It is I", "I am 52", "no."])
def test_a_sentence_without_its_end_or_its_capital_is_not_finished(text):
    assert not is_finished(text)


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


def test_doubt_is_said_in_words(translator, capsys):
    found = translator.translate("I like trees")[0]
    mean = found.log_prob / (len(found.tokens) + 1)
    assert found.mean_log_prob == pytest.approx(mean)
    assert translator.warning(found) == ""  # nothing was measured
    for usual, lowest, word in (
        (mean - 1, mean - 2, ""),
        (mean + 1, mean - 1, "unsure:"),
        (mean + 2, mean + 1, "guessing:"),
    ):
        translator.confidence = ConfidenceThresholds(usual, lowest, 4000)
        assert translator.warning(found).partition(" ")[0] == word
    translator.say("I like trees")
    assert (
        "(guessing: less sure than it was of any of the 4,000 test sentences)"
        in capsys.readouterr().out
    )


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


def test_confidence_is_found_by_its_old_name_and_in_its_old_file(translator, tmp_path):
    translator.confidence = ConfidenceThresholds(-0.1, -0.2, 7)
    translator.save(tmp_path)
    (tmp_path / "confidence.json").rename(tmp_path / "sureness.json")
    with pytest.warns(FutureWarning, match="sureness is now confidence"):
        assert Translator.load(tmp_path).sureness == translator.confidence


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
