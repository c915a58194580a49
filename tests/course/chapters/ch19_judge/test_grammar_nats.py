"""The probability of a sentence: never above that of all its ways, and near the floor's."""

import math

from course.chapters.ch19_judge.grammar_nats import grammar_nats
from course.grammar.surprise import CountingDraw, draw_counted
from course.grammar.words import english_text


def test_what_the_grammar_cannot_write_is_endlessly_surprising():
    assert grammar_nats("The cheese likes trees") == math.inf


def test_the_surprise_of_what_it_writes_is_near_that_of_its_choices():
    """It is no larger, but where an unsaid choice has several ways and one is tried (two of 60)."""
    dice = CountingDraw(seed=77)
    drawn = [draw_counted(dice) for _ in range(25)]
    told = [(grammar_nats(english_text(sentence.english)), nats) for sentence, nats in drawn]
    assert sum(mine > nats + 1e-6 for mine, nats in told) <= 2
    assert all(mine < nats + math.log(5) for mine, nats in told)
    mine, nats = (sum(column) / len(told) for column in zip(*told, strict=True))
    assert nats - 1 < mine < nats + 0.1


def test_a_likelier_word_makes_a_likelier_sentence():
    """*the* is drawn twelve times as often as *this* before a subject."""
    assert grammar_nats("The dog is small") < grammar_nats("This dog is small") - 1
