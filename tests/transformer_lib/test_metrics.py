"""The measures by hand."""

import pytest
import torch

from tests.transformer_lib.pronoun_items import small_translator
from transformer_lib import metrics as evaluation
from transformer_lib.metrics import (
    evaluate_everyday,
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
        lengths.append(max_length)
        return [[i for i in row if i > EOS] for row in src.tolist()]

    monkeypatch.setattr(evaluation, "greedy_decode", copy)
    right, wrong = ([4, 5, 6, 7, 8], [4, 5, 6, 7, 8]), ([4, 5, 6, 7], [9, 10, 11, 12, 13, 14])
    pairs = [right, wrong, wrong, right, wrong, wrong, right]
    lengths = []
    assert quick_bleu(translator, pairs, count=3) == pytest.approx(100) and lengths == [5 + 10]
    assert quick_bleu(translator, pairs, count=7) < 80
    assert quick_bleu(translator, pairs[:2], count=7) < 80


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
    found = [Translation(text, [], 0.0) for text in ("La calle", "El")]
    monkeypatch.setattr(translator, "translate", lambda texts, return_errors: found)
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
    found = [Translation(text, [], 0.0) for text in ("Es ancho.", "La calle")]
    found.append(InputError("no such word"))
    monkeypatch.setattr(translator, "translate", lambda texts, return_errors: found)
    scores = evaluate_everyday(translator, items, training=["the ROAD!", "It rains"])
    assert scores["exact_match"] == pytest.approx(2 / 3) and scores["unreadable"] == 1
    groups = {"shape": (2, 1), "weather": (1, 0), "seen": (1, 1), "unseen": (2, 0.5)}
    assert {name: tuple(group.values()) for name, group in scores["groups"].items()} == groups
    assert [found["right"] for found in scores["translations"]] == [True, True, False]
    assert evaluate_everyday(translator, items)["groups"].keys() == {"shape", "weather"}
