"""The lesson of seconds, and what is broken on purpose."""

import pytest

from course.chapters.ch12_translation import experiments as lab
from transformer_lib.text import english_spanish


def test_the_lesson_is_about_liking_and_keeps_its_test_apart():
    training, held_out = lab.likings("train"), lab.likings("validation", "test")
    assert len(training) > 5000 and len(held_out) > 100
    assert not set(training) & set(held_out)
    assert all(len(english.split()) <= 5 for english, _ in training)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("La casa es roja", "La casa es rojo"),
        ("Vi los gatos", "Vi los gatas"),
        ("¿Es bonita?", "¿Es bonito?"),
        ("Vi un avión", "Vi un avión"),
    ],
)
def test_other_gender(text, other):
    assert lab.other_gender(text) == other


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("la casa es grande y roja", "right"),
        ("la casa es roja y grande", "another order"),
        ("la casa es grande", "missing"),
        ("la casa es grande y rojo", "ending"),
        ("la casa es grande y grande", "repeated"),
        ("la casa es grande y verde", "other"),
    ],
)
def test_kinds_of_errors(written, kind):
    assert lab.error_kind(written.split(), "la casa es grande y roja".split()) == kind


def test_two_scores():
    assert lab.two_scores(["Me gusta el pan"], ["Me gusta el pan"]) == (100, pytest.approx(100))
    exact, bleu = lab.two_scores(["Me gusta el pan", "No"], ["Me gusta el pan hoy", "No"])
    assert exact == 50 and 50 < bleu < 100


def test_no_training_sentence_begins_with_it():
    firsts = {english.split()[0] for english, _ in english_spanish.load("train")}
    assert "The" in firsts and not firsts & {"It", "it", "Its", "It's"}
