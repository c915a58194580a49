"""The lesson in liking, and what is broken on purpose."""

from types import SimpleNamespace

import torch

from course import experiments
from course.chapters.ch12_translation import experiments as lab
from course.mine.bench import of_file
from transformer_lib import count_parameters


def test_a_lesson_trains_own_parts_on_its_sentences_and_leaves_other_words_alone(
    capsys, translator
):
    own, language = SimpleNamespace(**of_file("", at_work=True).names), translator
    fresh = lab.learn(own, language, [], steps=0)
    sizes = [count_parameters(one) for one in (fresh, language.model)]
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
