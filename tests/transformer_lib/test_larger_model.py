"""The translator of everyday sentences that ships with the library, measured again."""

import dataclasses
import json
import re

import pytest

from course import experiments
from transformer_lib.files import read_json
from transformer_lib.metrics import evaluate_everyday
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import Recipe, tatoeba_sizes
from transformer_lib.text import everyday
from transformer_lib.translator import MODELS, Translator

FOLDER = MODELS["tatoeba"]


@pytest.fixture(scope="module")
def translator():
    return Translator.load("tatoeba")


@pytest.fixture(scope="module")
def stored():
    return experiments.load("everyday")


@pytest.mark.slow
def test_our_two_hundred_sentences(translator, stored, monkeypatch):
    """Right to the letter; another processor may hesitate otherwise at one or two of them."""
    monkeypatch.setattr("transformer_lib.metrics.RESAMPLES", 2)  # quicker: no interval
    found = evaluate_everyday(translator, everyday.load())
    assert found["exact_match"] >= 0.70 and found["unreadable"] == 0
    assert found["exact_match"] == pytest.approx(
        stored["everyday"]["larger"]["exact_match"], abs=0.0101
    )
    assert found["bleu"] == pytest.approx(stored["everyday"]["larger"]["bleu"], abs=0.5)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.slow
def test_many_together_are_translated_as_one_at_a_time(translator, beam):
    """Of all lengths, short ones beside long ones: padding and company change no word."""
    texts = [item.english for item in everyday.load()[::3]][:60]
    together = translator.translate(texts, beam=beam)
    for text, found in zip(texts, together, strict=True):
        alone = translator.translate(text, beam=beam)
        assert (found.text, found.tokens) == (alone.text, alone.tokens), text
        assert found.log_prob == pytest.approx(alone.log_prob, abs=1e-3)


@pytest.mark.parametrize("typed", ["Xylophones!", "Nguyễn 🙂", "你好", "asdf qwer", "e=mc²"])
def test_nothing_typed_is_refused(translator, typed):
    assert translator.translate(typed).text


def test_it_is_small_and_in_half_precision():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 16_000_000
    header = (FOLDER / "model.safetensors").read_bytes()[8:200_000].split(b"}}")[0]
    assert set(re.findall(rb'"dtype":"(\w+)"', header)) == {b"F16"}


def test_the_weights_are_those_of_the_recipe(translator):
    recipe = Recipe.from_json(read_json(FOLDER / "recipe.json"))
    model, training, subwords = tatoeba_sizes()
    training = dataclasses.replace(training, seed=recipe.training.seed)  # one of three
    assert (recipe.model, recipe.training, recipe.subwords) == (model, training, subwords)
    assert recipe.optimizer == "muon" and recipe.as_typed
    assert recipe.files == ("train.tsv",) and recipe.validation == ("validation.tsv",)
    record = read_json(FOLDER / "training.json")
    assert record["parameters"] == count_parameters(translator.model)
    assert record["history"][-1]["step"] == training.steps


def test_no_sentence_is_stored_with_it(stored):
    """Numbers only, but for the translations of our own sentences."""
    ours = {item.english for item in everyday.load()}
    for name in ("larger", "small"):
        assert {one["english"] for one in stored["everyday"][name]["translations"]} == ours
    rest = json.dumps([stored["tatoeba"], stored["grammar"], read_json(FOLDER / "training.json")])
    assert max(len(text.split()) for text in re.findall(r'"([^"]*)"', rest)) <= 4
