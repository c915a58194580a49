"""The translator of everyday sentences that comes along: what its card says, measured again."""

import json
import re
from pathlib import Path

import pytest

from course import experiments
from transformer_lib.files import read_json
from transformer_lib.metrics import evaluate_everyday
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import Recipe, tatoeba_sizes
from transformer_lib.text import everyday
from transformer_lib.translator import MODELS, Translator

ROOT = Path(__file__).resolve().parents[2]
FOLDER = MODELS["tatoeba"]
CARD = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


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


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("Good morning.", "Buenos días."),
        ("I don't know.", "No sé."),
        ("It is raining.", "Está lloviendo."),
        ("I like trees.", "Me gustan los árboles."),
        ("good morning", "Buenos días."),
        ("it is raining", "Está lloviendo."),
    ],
)
def test_the_first_thing_that_somebody_types(translator, typed, answer):
    assert translator.translate(typed)[0].text == answer


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.slow
def test_many_together_are_translated_as_one_at_a_time(translator, beam):
    """Of all lengths, short ones beside long ones: padding and company change no word."""
    texts = [item.english for item in everyday.load()[::3]][:60]
    together = translator.translate_many(texts, beam=beam)
    for text, (found,) in zip(texts, together, strict=True):
        (alone,) = translator.translate(text, beam=beam)
        assert (found.text, found.tokens) == (alone.text, alone.tokens), text
        assert found.log_prob == pytest.approx(alone.log_prob, abs=1e-3)


@pytest.mark.slow
def test_in_16_bits_it_is_as_often_right(translator, monkeypatch):
    """Of our two hundred: nine in ten are the same words, and as many are right, but for four."""
    monkeypatch.setattr("transformer_lib.metrics.RESAMPLES", 2)  # quicker: no interval
    items = everyday.load()
    both = translator, translator.optimize_for_decoding(bf16=True)
    exact, rough = (one.translate_all([item.english for item in items]) for one in both)
    same = sum(map(str.__eq__, exact, rough))
    assert same >= 0.9 * len(items)
    share = [evaluate_everyday(one, items)["exact_match"] for one in both]
    assert abs(share[0] - share[1]) <= 4 / len(items)


@pytest.mark.slow
def test_with_8_bits_the_others_of_a_batch_count(translator):
    """As the help of --int8 says: one scale for the numbers of all of them, so other rounding."""
    quick = translator.optimize_for_decoding(int8=True)
    texts = [item.english for item in everyday.load()[::20]]
    together = [found.log_prob for (found,) in quick.translate_many(texts)]
    alone = [quick.translate(text)[0].log_prob for text in texts]
    assert together != pytest.approx(alone, abs=1e-3)


@pytest.mark.parametrize("typed", ["Xylophones!", "Nguyễn 🙂", "你好", "asdf qwer", "e=mc²"])
def test_nothing_typed_is_refused(translator, typed):
    assert translator.translate(typed)[0].text


def test_it_is_small_and_in_half_precision():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 16_000_000
    header = (FOLDER / "model.safetensors").read_bytes()[8:200_000].split(b"}}")[0]
    assert set(re.findall(rb'"dtype":"(\w+)"', header)) == {b"F16"}


def test_the_weights_are_those_of_the_recipe(translator):
    recipe = Recipe.from_json(read_json(FOLDER / "recipe.json"))
    model, training, subwords = tatoeba_sizes()
    assert (recipe.model, recipe.training, recipe.subwords) == (model, training, subwords)
    assert recipe.optimizer == "muon" and recipe.as_typed
    assert recipe.files == ("train.tsv",) and recipe.validation == ("validation.tsv",)
    record = read_json(FOLDER / "training.json")
    assert record["parameters"] == count_parameters(translator.model)
    assert record["history"][-1]["step"] == training.steps


def test_the_card_says_what_was_measured(stored):
    """Every number of its tables stands in the stored experiment."""
    tatoeba, ours = stored["tatoeba"], stored["everyday"]
    rows = {
        "greedy": tatoeba["beam 1"],
        "beam 5": tatoeba["beam 5"],
        "the small one": tatoeba["small model"],
        "our 200, greedy": ours["larger"],
        "our 200, the small one": ours["small"],
        "60 first sentences, greedy": stored["first"],
    }
    for name, found in rows.items():
        low, high = found["bleu_interval"]
        assert (
            f"| {name} | {found['sentences']:,} | {found['exact_match']:.1%} | {found['bleu']:.1f} "
            f"({max(0, low):.1f} to {high:.1f}) | {found['chrf']:.1f} |"
        ).replace("%", " %") in CARD
    assert tatoeba["beam 1"]["bleu_signature"] in CARD
    groups = ours["larger"]["groups"]
    for name in ("seen", "unseen"):
        found = groups[name]
        assert f"{found['sentences']} {name}: {found['exact_match']:.1%}".replace("%", " %") in CARD
    first = stored["first"]
    for name in ("seen", "unseen"):
        found = first["groups"][name]
        assert f"{found['sentences']} {name}: {found['exact_match']:.1%}".replace("%", " %") in CARD
    assert f"with a beam of 4, {first['right by beam']:.1%} of all".replace("%", " %") in CARD
    grammar = dict(stored["grammar"])
    pronoun = grammar.pop("pronoun")
    for name, found in grammar.items():
        agree = f"{found['agree']:.1%} of {found['adjectives']}"
        assert f"| {name} | {found['exact_match']:.1%} | {agree} |".replace("%", " %") in CARD
    assert f"right gender in {pronoun['right']:.1%};".replace("%", " %") in CARD
    both = f"of {pronoun['pairs']} minimal pairs both are right in {pronoun['pairs_right']:.1%}"
    assert both.replace("%", " %") in CARD
    assert f"({pronoun['judged']} of 1,000)" in CARD


def test_the_card_says_how_well_it_doubts(translator):
    found = experiments.load("doubt")
    told = found["scores"]["mean log-probability"]["told on"]
    assert f"right are {found['right']:.1%}.".replace("%", " %") in CARD
    assert f"in {told['auroc']:.0%} of such pairs".replace("%", " %") in CARD
    assert f"Below {translator.confidence.usual:.3f}, which all but one in twenty" in CARD
    right, wrong = (
        f"{told[f'{one} doubted']:.1%}".replace("%", " %") for one in ("right", "wrong")
    )
    assert f"*unsure*: {right} of the right ones, and {wrong} of the wrong" in CARD


def test_the_card_says_what_8_bits_cost():
    half, page, int8 = (one["bleu"] for one in experiments.load("eight-bits")["scores"].values())
    assert (
        f"it scores {page:.1f} BLEU greedily instead of {half:.1f}; with `--int8`, {int8:.1f}"
        in CARD
    )


def test_the_benchmarks_say_what_8_bits_cost():
    stored = experiments.load("eight-bits")
    half, page, int8 = (one["bleu"] for one in stored["scores"].values())
    by_page, by_int8 = (one["p"] for one in stored["paired"].values())
    text = " ".join((ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").split())
    assert f"scores {int8:.2f} BLEU instead of {half:.2f} on the" in text
    assert f"rounds the weights alone, {page:.2f}:" in text
    assert f"p = {by_int8:.2f} and {by_page:.2f}" in text


def test_the_card_says_which_gender_professions_get_and_what_becomes_of_insults():
    found = experiments.load("choices")
    jobs, insults = found["jobs"], found["insults"]
    women, men = (jobs["nobody said"][whose]["masculine"] for whose in ("women", "men"))
    assert f"is masculine in {women} of 45 sentences about the women's and {men} of 45" in CARD
    she, he = (
        [jobs[who][whose][gender] for whose in ("women", "men")]
        for who, gender in (("she", "feminine"), ("he", "masculine"))
    )
    assert f"it is feminine in {she[0]} and {she[1]} of 15" in CARD
    assert f"masculine in {he[0]} and {he[1]}." in CARD
    assert f"of {insults['sentences']}, {insults['kept']} are still one" in CARD


def test_it_says_whose_sentences_it_learned_from():
    assert "CC BY 2.0" in CARD and "tatoeba.org" in CARD and "manythings.org/anki" in CARD


def test_no_sentence_is_stored_with_it(stored):
    """Numbers only, but for the translations of our own sentences."""
    ours = {item.english for item in everyday.load()}
    for name in ("larger", "small"):
        assert {one["english"] for one in stored["everyday"][name]["translations"]} == ours
    rest = json.dumps([stored["tatoeba"], stored["grammar"], read_json(FOLDER / "training.json")])
    assert max(len(text.split()) for text in re.findall(r'"([^"]*)"', rest)) <= 4
