"""What the model that comes with the course can do, measured again from its weights."""

import re

import pytest
import torch

from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.files import read_json
from transformer_lib.interpret.pronouns import head_report
from transformer_lib.metrics import LIKE_TRAINING, evaluate_pronouns, evaluate_split, mean_log_probs
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import RECIPES, Recipe, learn_language
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL, Translator

TESTS = ("test", "noun-adjective", "pronoun", "gustar", "longer")


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.fixture(scope="module")
def scores(translator):
    """Every test split, measured once."""
    splits = {
        name: evaluate_split(translator, english_spanish.load(name))
        for name in TESTS
        if name != "pronoun"
    }
    return splits | {"pronoun": evaluate_pronouns(translator, english_spanish.load_pronoun())}


@pytest.mark.slow
def test_the_card_says_what_is_measured(scores):
    """The table in the model's README, to one unit of the last digit printed there."""
    card = (SHIPPED_MODEL / "README.md").read_text(encoding="utf-8")
    row = re.compile(
        r"^\| ([a-z-]+) \([^|]* \| ([\d,]+) \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) \|", re.M
    )
    rows = {name: numbers for name, *numbers in row.findall(card)}
    assert rows.keys() == set(TESTS)
    for name, (sentences, exact, tokens, bleu) in rows.items():
        assert int(sentences.replace(",", "")) == scores[name]["sentences"]
        assert_printed(exact, 100 * scores[name]["exact_match"])
        assert_printed(tokens, 100 * scores[name]["token_accuracy"])
        assert_printed(bleu, scores[name]["bleu"])
    (pairs,) = re.findall(r"([\d.]+) % of the minimal pairs", card)
    assert_printed(pairs, 100 * scores["pronoun"]["pair_exact_match"])


def assert_printed(number: str, measured: float) -> None:
    decimals = len(number.partition(".")[2])
    assert float(number) == pytest.approx(measured, abs=1.1 * 10**-decimals)


@pytest.mark.slow
def test_the_stored_confidence_is_what_is_measured(translator):
    """All but one in a hundred reach `usual`, all reach `lowest`, each alone as in a batch."""
    stored = translator.confidence
    texts = [source for split in LIKE_TRAINING for source, _ in english_spanish.load(split)]
    measured = mean_log_probs(translator, texts)
    assert ConfidenceThresholds.of(measured) == stored
    for i in sorted(range(len(texts)), key=measured.__getitem__)[:60]:
        alone = translator.translate(texts[i]).mean_log_prob
        assert alone == pytest.approx(measured[i], abs=1e-5)
        assert not stored.warning(alone).startswith("guessing")
        assert (stored.warning(alone) == "") == (measured[i] >= stored.usual)
    card = (SHIPPED_MODEL / "README.md").read_text(encoding="utf-8")
    assert f"{stored.usual:.2f} nats a word" in card and f"all of them, {stored.lowest:.2f}" in card


@pytest.mark.slow
def test_wrong_translations_are_doubted_more_than_right_ones(translator):
    """On every fourth of the longer sentences, against what the card says of all."""
    shares = {True: [], False: []}
    pairs = english_spanish.load("longer")[::4]
    translations = translator.translate([source for source, _ in pairs])
    for (_, reference), found in zip(pairs, translations, strict=True):
        shares[found.text == reference].append(bool(translator.warning(found)))
    card = (SHIPPED_MODEL / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    said = re.search(r"doubts (\d+) % of its wrong .*? and (\d+) % of its right", card)
    wrong, right = said.groups()
    for said, doubted in ((wrong, shares[False]), (right, shares[True])):
        assert sum(doubted) / len(doubted) == pytest.approx(int(said) / 100, abs=0.06)


@pytest.mark.parametrize(
    "typed", ["the the the", "What?", "dog cat house", "They like us", "a a a a a a a a", "like"]
)
def test_nonsense_is_called_a_guess(translator, typed):
    assert translator.warning(translator.translate(typed)).startswith("guessing: ")


@pytest.mark.slow
def test_one_head_finds_the_antecedent_and_the_agreement_hangs_on_it(translator):
    heads = head_report(translator, english_spanish.load_pronoun())
    assert heads["best_head"]["right"] >= 0.95
    assert heads["best_head"]["other"] <= 0.03
    agreement = heads["agreement"]
    assert agreement["as trained"] >= 0.99
    assert agreement["best head off"] <= 0.75
    assert agreement["adjective can't see the nouns"] <= 0.75
    assert agreement["pronoun can't see the nouns"] >= 0.98
    assert agreement["two numbers swapped in the best head"] <= 0.05


def test_the_weights_are_those_of_the_recipe(translator):
    recipe = Recipe.from_json(read_json(SHIPPED_MODEL / "recipe.json"))
    assert recipe == RECIPES["en-es"]
    assert translator.model.config == recipe.model
    record = read_json(SHIPPED_MODEL / "training.json")
    assert record["parameters"] == count_parameters(translator.model)
    assert 1_000_000 <= record["parameters"] <= 2_000_000
    assert record["history"][-1]["step"] == recipe.training.steps
    assert record["seconds"] <= 600 and record["threads"] <= 2 and not record["resumed"]
    assert all(torch.isfinite(p).all() for p in translator.model.parameters())


@pytest.mark.slow
def test_the_vocabulary_is_that_of_the_training_text(translator):
    """Fails when the corpus was changed and the model not trained again."""
    training = english_spanish.load("train")
    for side, language in enumerate((translator.src, translator.tgt)):
        texts = [pair[side] for pair in training]
        learned = learn_language(language.tokenizer.language, texts, language.normalize)
        assert learned.to_json() == language.to_json()
