"""The measures by hand."""

import json

import pytest
import torch

from tests.transformer_lib.pronoun_items import item, pair, small_translator, with_translations
from transformer_lib import metrics as evaluation
from transformer_lib.metrics import (
    evaluate_everyday,
    evaluate_pronouns,
    evaluate_split,
    evaluate_text,
    quick_bleu,
    sacrebleu_score,
    text_scores,
)
from transformer_lib.text.everyday import EverydayItem
from transformer_lib.text.tokens import EOS
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import Translation


@pytest.fixture
def translator():
    return small_translator()


def test_bleu_while_training_takes_sentences_from_all_over(translator, monkeypatch):
    def copy(_, src, max_length):
        longest.append(max_length)
        return [[i for i in row if i > EOS] for row in src.tolist()]

    longest = []
    monkeypatch.setattr(evaluation, "greedy_decode", copy)
    right, wrong = ([4, 5, 6, 7, 8], [4, 5, 6, 7, 8]), ([4, 5, 6, 7], [9, 10, 11, 12, 13, 14])
    pairs = [right, wrong, wrong, right, wrong, wrong, right]
    assert quick_bleu(translator, pairs, count=3) == pytest.approx(100)
    assert longest == [5 + 10]
    assert quick_bleu(translator, pairs, count=7) < 80
    assert quick_bleu(translator, pairs[:2], count=7) < 80


def test_exact_match_counts_sentences_that_are_right_to_the_letter(translator, monkeypatch):
    pairs = [
        ("the animal did not cross", "El animal no cruzó la calle"),
        ("the street was too wide", "La calle era ancha"),
        ("the road was too wide", "La calle era ancha"),
    ]
    found = dict(pairs) | {"the road was too wide": "la calle era ancha"}
    with_translations(monkeypatch, translator, found)
    scores = evaluate_split(translator, pairs)
    assert scores["exact_match"] == pytest.approx(2 / 3)
    assert scores["sentences"] == 3
    assert 0 < scores["bleu"] < 100
    assert "tok:13a" in scores["bleu_signature"]


def test_perfect_translations_have_bleu_100(translator, monkeypatch):
    one = item()
    with_translations(monkeypatch, translator, {one.english: one.spanish})
    assert evaluate_split(translator, [(one.english, one.spanish)])["bleu"] == pytest.approx(100)


def test_token_accuracy_counts_next_words_after_a_right_beginning(translator):
    target = translator.tgt.vocab
    with torch.no_grad():  # a generator that always says "el", whatever it reads
        translator.model.decoder.layers[-1].residual_feed_forward.norm.weight.zero_()
        translator.model.decoder.layers[-1].residual_feed_forward.norm.bias.fill_(1.0)
        translator.model.generator.proj.weight.zero_()
        translator.model.generator.proj.weight[target.ids["el"]] = 1.0
    # el animal <eos>, la calle <eos>: one of six words is "el"
    pairs = [("the animal", "El animal"), ("the street", "La calle")]
    assert evaluation.token_accuracy(translator, pairs) == pytest.approx(1 / 6)


def test_a_pair_counts_only_if_both_members_are_right(translator, monkeypatch):
    items = pair(1) + pair(2)
    found = {one.english: one.spanish for one in pair(1)}
    with_translations(monkeypatch, translator, found)
    assert evaluate_pronouns(translator, items)["pair_exact_match"] == 1.0
    found[items[1].english] = "La calle"
    assert evaluate_pronouns(translator, items)["pair_exact_match"] == 0.0
    assert evaluate_pronouns(translator, items)["exact_match"] == 0.5


# --- several references


HUNGRY = ["Tengo mucha hambre hoy.", "Hoy tengo mucha hambre."]


RAIN = ["Está lloviendo."]


def test_any_of_the_references_is_right():
    scores = text_scores(["Hoy tengo mucha hambre.", "Llueve."], [HUNGRY, RAIN])
    assert scores["exact_match"] == 0.5
    scores = text_scores(["Hoy tengo mucha hambre.", "Está lloviendo."], [HUNGRY, RAIN])
    assert (scores["exact_match"], scores["bleu"]) == (1.0, pytest.approx(100))
    assert "nrefs:var" in scores["bleu_signature"]
    assert text_scores(["hoy tengo mucha hambre."], [HUNGRY])["exact_match"] == 0
    assert text_scores(["Hoy tengo mucha hambre"], [HUNGRY])["exact_match"] == 0


def test_every_sentence_needs_its_references():
    with pytest.raises(ValueError, match="shorter"):
        text_scores(["Llueve.", "Está lloviendo."], [RAIN])


def test_chrf_gives_credit_for_parts_of_words():
    near = sacrebleu_score("chrf", ["Estaba lloviendo."], [RAIN])
    far = sacrebleu_score("chrf", ["Hace sol."], [RAIN])
    assert 100 > near["chrf"] > far["chrf"] and "nc:6" in near["chrf_signature"]
    assert sacrebleu_score("chrf", RAIN, [["Llueve.", *RAIN]])["chrf"] == pytest.approx(100)


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_the_interval_is_drawn_by_lot_with_a_seed_that_is_told(name, monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    mixed = ["Tengo mucha hambre hoy.", "No llueve.", "Está lloviendo.", "Tengo sed."] * 8
    references = [HUNGRY, RAIN, RAIN, HUNGRY] * 8
    one, again = (sacrebleu_score(name, mixed, references, resamples=200) for _ in range(2))
    low, high = one[f"{name}_interval"]
    assert one == again and low < one[name] < high
    assert "bs:200|seed:12345" in one[f"{name}_signature"]
    monkeypatch.setenv("SACREBLEU_SEED", "1")
    other = sacrebleu_score(name, mixed, references, resamples=200)
    assert other[name] == one[name] and other[f"{name}_interval"] != one[f"{name}_interval"]


WHOLE = ["Tengo mucha hambre hoy.", "a b c d e f", "No sé la respuesta a esa pregunta."]


@pytest.mark.parametrize("name", ["bleu", "chrf"])
@pytest.mark.parametrize("wrong", [0, 1, 30])
def test_an_interval_holds_scores_that_sets_of_sentences_have(name, wrong):
    """All right, one wrong in thirty, all wrong: never below 0 or above 100, nor a single value."""
    texts = WHOLE * 10
    found = sacrebleu_score(name, ["1 2 3 4"] * wrong + texts[wrong:], [[t] for t in texts], 200)
    low, high = json.loads(json.dumps(found))[f"{name}_interval"]
    assert 0 <= low <= found[name] <= high <= 100
    assert (low == high) == (wrong != 1)


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_few_sentences_have_no_interval_but_a_sentence(name):
    for count in (4, 29, 30):
        texts = (WHOLE * 10)[:count]
        found = sacrebleu_score(name, texts, [[text] for text in texts], resamples=20)
        assert found[name] == 100
        assert (
            (f"{name}_interval" in found) == (count == 30) == ("bs:" in found[f"{name}_signature"])
        )
        assert ("fewer than 30" in found.get(f"{name}_note", "")) == (count < 30)


def test_bleu_says_that_it_has_nothing_to_count():
    """Right, but without any four words in a row; or with them in one sentence of thirty."""
    short, long = ["Buenos días.", "¡Hola!"] * 20, "No sé la respuesta a esa pregunta."
    found = sacrebleu_score("bleu", short, [[text] for text in short], resamples=20)
    assert found["bleu"] is None and "four words in a row" in found["bleu_note"]
    assert sacrebleu_score("chrf", short, [[text] for text in short], 20)["chrf_interval"] == [
        100,
        100,
    ]
    texts = [*short, long]
    found = sacrebleu_score("bleu", texts, [[text] for text in texts], resamples=200)
    assert found["bleu"] == 100 and "bleu_interval" not in found
    assert "too few sentences have four words" in found["bleu_note"]


def test_what_is_too_long_to_translate_is_wrong_and_no_load(translator):
    """Token accuracy is of the others; without any, there is none."""
    long = ("the animal " * 40, "El animal")
    found = evaluate_text(translator, [("the animal", "El animal"), long])
    assert (found["sentences"], found["unreadable"]) == (2, 1) and "80 words" in found["refusal"]
    assert found["token_accuracy"] == evaluation.token_accuracy(
        translator, [("the animal", "El animal")]
    )
    assert evaluate_text(translator, [long])["token_accuracy"] is None


def test_a_sentence_on_several_lines_counts_once(translator, monkeypatch):
    monkeypatch.setattr(evaluation, "RESAMPLES", 20)
    monkeypatch.setattr(evaluation, "FEWEST", 2)
    pairs = [
        ("the animal", "El animal"),
        ("the street", "La calle"),
        ("the animal", "La calle"),
        ("the animal", "El animal"),
    ]
    with_translations(monkeypatch, translator, {"the animal": "La calle", "the street": "El"})
    scores = evaluate_text(translator, pairs)
    assert (scores["sentences"], scores["references"], scores["exact_match"]) == (2, 3, 0.5)
    assert {"chrf_interval", "token_accuracy"} <= scores.keys()
    monkeypatch.setattr(evaluation, "MOST_RESAMPLED", 1)
    assert "chrf_interval" not in evaluate_text(translator, pairs)


def test_everyday_sentences_by_group_and_by_what_was_seen(translator, monkeypatch):
    monkeypatch.setattr(evaluation, "RESAMPLES", 20)
    items = [
        EverydayItem("The animal was wide.", ("El animal es ancho.", "Es ancho."), "shape"),
        EverydayItem("The road", ("La calle",), "shape"),
        EverydayItem("It is raining.", ("Llueve.",), "weather"),
    ]
    scores = evaluate_everyday(translator, items, training=["IT IS RAINING"])
    assert scores["unreadable"] == 1  # the words of rain are not in the vocabulary
    assert scores["groups"]["unseen"] == {"sentences": 2, "exact_match": 0}

    def found(texts, return_errors):
        translations = [Translation(text, [], 0.0) for text in ("Es ancho.", "La calle")]
        return [*translations, InputError("no such word")]

    monkeypatch.setattr(translator, "translate", found)
    scores = evaluate_everyday(translator, items, training=["the road", "It rains"])
    assert scores["exact_match"] == pytest.approx(2 / 3)
    assert scores["groups"] == {
        "shape": {"sentences": 2, "exact_match": 1},
        "weather": {"sentences": 1, "exact_match": 0},
        "seen": {"sentences": 1, "exact_match": 1},
        "unseen": {"sentences": 2, "exact_match": 0.5},
    }
    assert [found["right"] for found in scores["translations"]] == [True, True, False]
    assert evaluate_everyday(translator, items)["groups"].keys() == {"shape", "weather"}
