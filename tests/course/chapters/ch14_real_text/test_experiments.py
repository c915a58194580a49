"""Real text: what is counted, cut and trained, and what the stored results say."""

import pytest

from course import experiments
from course.chapters.ch14_real_text import experiments as lab
from transformer_lib.text import english_spanish, everyday
from transformer_lib.text.subwords import Subwords

TEXTS = [text for pair in english_spanish.load("validation")[:200] for text in pair]


@pytest.fixture(scope="module")
def subwords():
    return Subwords.learn(TEXTS, 400)


def test_an_answer_is_a_translation_or_names_the_words(translator):
    assert lab.answer(translator, "I like trees.") == "Me gustan los árboles."
    assert lab.answer(translator, "I like xylophones and zithers") == (
        "(can't read xylophones, zithers)"
    )
    assert lab.answer(translator, "") == "(can't read this)"


def test_a_word_away_is_one_exchanged_added_or_left_out():
    near = ["Open the window!", "Open box.", "Please open the box", "open the big box"]
    far = ["Close the window.", "The box open", "Open it", "Open the big window"]
    assert lab.one_word_away(near + far, ["Open the box.", "I am here."]) == near


def test_fewer_subwords_are_the_first_ones(subwords):
    fewer = lab.with_fewer(subwords, 300)
    assert fewer.vocabulary().tokens == subwords.vocabulary().tokens[:300]
    assert fewer.vocabulary().tokens == Subwords.learn(TEXTS, 300).vocabulary().tokens
    assert fewer(TEXTS[0]) == Subwords.learn(TEXTS, 300)(TEXTS[0])
    assert lab.with_fewer(subwords, 260)("tree") == ["Ġ", "t", "r", "e", "e"]
    for size in (259, 401):
        with pytest.raises(ValueError, match=f"size={size} must be from 260 to 400"):
            lab.with_fewer(subwords, size)


def test_words_are_counted():
    training = ["The cat sleeps", "A cat eats", "The dog eats", "the cat " * 10]
    found = lab.count_words(training, ["The dog sleeps", "The bird sleeps", "Dogs eat", "A cat"])
    assert found == {
        "sentences": 4,
        "words": 6,
        "words_once": 0.5,
        "of_20_words": 0.25,
        "held_out_with_unknown": 0.5,
    }


def test_what_is_stored_is_whole_and_what_the_notebook_says():
    stored = experiments.load("real-text")
    assert [run["dropout"] for run in stored["runs"]] == [*lab.DROPOUTS]
    every = lab.TRAINING.validate_every
    steps = range(every, lab.TRAINING.steps + 1, every)
    assert all([e["step"] for e in run["history"]] == [*steps] for run in stored["runs"])
    ours = {item.english for item in everyday.load()}
    known = set(experiments.load("everyday")["seen"])
    assert known < ours and 50 < len(known) < 150
    seen, new = (
        {dropout: pairs[-1][1] for dropout, pairs in lab.curves(stored, key).items()}
        for key in ("seen", "validation_loss")
    )
    assert seen[0.0] < 0.2 < 1 < seen[0.2] < new[0.2] < new[0.0] - 1
    without = [loss for _, loss in lab.curves(stored, "validation_loss")[0.0]]
    assert new[0.2] < min(without) < without[0] < without[-1]
