"""The lesson in liking, and what is broken on purpose."""

from types import SimpleNamespace

import torch

from course import experiments
from course.chapters.ch12_translation import experiments as lab
from course.mine.bench import of_file
from transformer_lib import Translator
from transformer_lib.text import english_spanish


def test_a_lesson_trains_own_parts_on_its_sentences_and_leaves_other_words_alone(capsys):
    own, language = SimpleNamespace(**of_file("", at_work=True).names), Translator.load()
    fresh = lab.learn(own, language, [], steps=0)
    sizes = [sum(weight.numel() for weight in one.parameters()) for one in (fresh, language.model)]
    assert sizes[0] == 407_872 and round(sizes[1] / sizes[0]) == 3, "notebook 12 says so"
    model = lab.learn(own, language, [("I like dogs", "Me gustan los perros")], steps=150)
    assert lab.write(own, language, model, "I like dogs") == "Me gustan los perros"
    rows = [one.src_embed.table.weight for one in (fresh, model)]
    for word, stays in ("trees", True), ("dogs", False):
        number = language.src.vocab.encode([word])[0]
        assert torch.equal(*(table[number] for table in rows)) == stays
    assert capsys.readouterr().out.count(" ") == 2


def test_who_has_met_trees_likes_them_and_who_has_not_does_not():
    """Notebook 12 says so of these seeds."""
    runs = experiments.load("liking")["runs"]
    assert {run["seed"] for run in runs if run["lesson"] == "short"} == {0, 1, 2}
    for run in runs:
        has_met_trees = run["lesson"] == "short"
        assert run["written"]["I like houses"] == "Me gustan las casas"
        assert (run["written"]["I like trees"] == "Me gustan los árboles") == has_met_trees
        assert (run["right"]["gustar"] > 0.3) == has_met_trees
        assert run["right"]["gustar"] == 0 or has_met_trees
        assert run["right"]["ordinary"] > 0.4


def test_a_wrong_gender_is_that_of_an_adjective():
    for text, other in [
        ("La casa es roja", "La casa es rojo"),
        ("Vi los gatos negros ayer", "Vi los gatos negras ayer"),
        ("¿Es bonita?", "¿Es bonito?"),
        ("Mi hermana estaba cansada ahora", "Mi hermana estaba cansado ahora"),
        ("La casa era grande", "La casa era grande"),
        ("Miguel tiene frío", "Miguel tiene frío"),
    ]:
        assert lab.wrong_gender(text) == other


def test_each_of_the_texts_to_break_has_an_adjective_and_its_other_form_is_a_word():
    texts = lab.with_an_adjective()
    assert len(texts) == 200
    spanish = {word for _, text in english_spanish.load("train") for word in text.split()}
    for text in texts:
        changed = zip(text.split(), lab.wrong_gender(text).split(), strict=True)
        [(_, other)] = [pair for pair in changed if len(set(pair)) == 2]
        assert other.strip("¿?¡!,") in spanish, text


def test_kinds_of_errors():
    for written, kind in [
        ("la casa es grande y roja", "right"),
        ("la casa es roja y grande", "another order"),
        ("la casa es grande", "missing"),
        ("la casa es grande y rojo", "ending"),
        ("la casa es grande y grande", "repeated"),
        ("la casa es grande y verde", "other"),
    ]:
        assert lab.error_kind(written.split(), "la casa es grande y roja".split()) == kind
