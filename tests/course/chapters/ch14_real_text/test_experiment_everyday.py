"""What is said of translations in other words than the reference's."""

from pathlib import Path

import pytest

from course.chapters.ch14_real_text import experiment_everyday as everyday
from course.chapters.ch14_real_text.experiment_everyday import (
    adjectives_that_agree,
    pronouns_understood,
)
from course.experiments import load_runs
from transformer_lib.text import english_spanish
from transformer_lib.translator import MODELS


def test_only_a_wrong_form_is_counted_against_it():
    for text, found in [
        ("La casa roja es mía.", (1, 1)),
        ("La casa rojo es mía.", (0, 1)),
        ("Las casas roja", (0, 1)),
        ("Vi una casa grande", (0, 0)),  # one form for both genders
        ("La roja casa", (0, 0)),
        ("El agua fría", (1, 1)),
        ("La doctora cansado", (0, 1)),
    ]:
        assert adjectives_that_agree([text]) == found


def test_pronouns_are_judged_by_the_adjective_alone():
    items = english_spanish.load_pronoun()[:6]
    right = [item.spanish for item in items]
    assert pronouns_understood(items, right) == {
        "sentences": 6,
        "judged": 6,
        "right": 1.0,
        "pairs": 3,
        "pairs_right": 1.0,
    }
    found = pronouns_understood(
        items,
        [
            f"Otra cosa estaba {items[0].wrong}.",
            *right[1:4],
            "No sé.",
            f"{items[5].right} {items[5].wrong}",
        ],
    )
    assert found == {
        "sentences": 6,
        "judged": 4,
        "right": 0.75,
        "pairs": 2,
        "pairs_right": 0.5,
    }


def test_held_out_sentences_are_scored_against_all_their_translations(monkeypatch, translator):
    monkeypatch.setattr("transformer_lib.metrics.RESAMPLES", 10)  # quicker
    pairs = [
        ("I like trees", "Amo los árboles"),
        ("Hello", "Hola"),
        ("I like trees", "Me gustan los árboles"),
        ("I like dogs", "Me gusta"),
    ]
    found = everyday.score(translator, everyday.references_of(pairs), beam=1)
    assert (found["sentences"], found["references"], found["unreadable"]) == (3, 4, 1)
    assert found["exact_match"] == pytest.approx(1 / 3)


def test_two_ways_of_translating_are_compared_on_the_same_draws_of_sentences():
    right = [f"El número {n} es mucho mayor que {n + 3}." for n in range(60)]
    several = [
        [text, text.replace("El", "Un")] if n % 2 else [text] for n, text in enumerate(right)
    ]
    wrong = [text.replace("mucho", "poco") if n % 3 else text for n, text in enumerate(right)]
    better = everyday.paired(wrong, right, several)
    assert better["bleu"]["more"] > 20 and better["chrf"]["more"] > 5
    assert max(found["p"] for found in better.values()) < 0.01
    luck = [*right[:30], *(text + "." for text in right[30:31]), *right[31:]]
    assert everyday.paired(right, luck, several)["bleu"]["p"] > 0.05


def test_a_seed_that_is_measured_again_replaces_its_own_run_alone(monkeypatch):
    monkeypatch.setattr(everyday, "real_pairs", lambda split: [])
    monkeypatch.setattr(everyday, "one_seed", lambda folder, held_out: {"seed": 1, "of": folder})
    stored = load_runs("everyday-seeds")
    first, again, last = everyday.measure_seeds(["runs/mine"])["runs"]
    assert (first, last) == (stored[0], stored[2])
    assert again == {"seed": 1, "of": Path("runs/mine")}


def test_the_scores_of_a_seed_are_those_of_its_translations():
    held_out = {"I like trees.": ["Me gustan los árboles."]}
    found = everyday.one_seed(MODELS["tatoeba"], held_out)
    (stored,) = load_runs("everyday-seeds", seed=2)
    bleu = [found.pop(f"bleu, beam {beam}") for beam in everyday.BEAMS]
    assert bleu == pytest.approx([100, 100])
    for name, value in found.items():
        assert value == pytest.approx(stored[name]), name
