"""The grammar's floor: probabilities of toy grammars by hand, and the same sentences as ever."""

import math

import pytest

from course.grammar.random_choices import Draw, starts_again
from course.grammar.splits import draw_sentence
from course.grammar.surprise import CountingDraw, draw_counted, entropy_bound


def toy(draw: Draw) -> str:
    word = draw.pick(("a", "a", "b"))
    return word + draw.weighted({"x": 1, "y": 3}) if draw.chance(0.2) else word


def test_each_choice_counts_with_its_probability():
    exact = {"a": 2 / 3 * 0.8, "b": 1 / 3 * 0.8}
    exact |= {
        first + last: p * 0.2 * q
        for first, p in (("a", 2 / 3), ("b", 1 / 3))
        for last, q in (("x", 1 / 4), ("y", 3 / 4))
    }
    assert math.fsum(exact.values()) == pytest.approx(1)
    draw, seen = CountingDraw(seed=1), set()
    for _ in range(200):
        draw.nats = 0.0
        word = toy(draw)
        assert math.exp(-draw.nats) == pytest.approx(exact[word])
        seen.add(word)
    assert seen == set(exact)


@starts_again
def letter(draw: Draw) -> str:
    drawn = draw.pick("abcd")
    return letter(draw) if drawn in "cd" else drawn


def test_only_the_last_try_counts():
    # what was drawn before the frame that starts again still counts, and so does what follows
    draw = CountingDraw(seed=1)
    for _ in range(30):
        draw.nats = 0.0
        assert {draw.pick("12"), letter(draw), letter(draw), draw.pick("123")} <= set("12ab3")
        assert draw.nats == pytest.approx(math.log(2 * 4 * 4 * 3))


def test_counting_changes_no_sentence():
    plain, counting = Draw(seed=3), CountingDraw(seed=3)
    for _ in range(150):
        sentence, nats = draw_counted(counting)
        assert sentence == draw_sentence(plain)
        assert 0 < nats < 100


def test_the_bound_of_the_grammar():
    found = entropy_bound(400, seed=5)
    assert found["sentences"] == 400
    assert found["nats_per_sentence"] == pytest.approx(18.1, abs=3 * found["standard_error"])
    assert found["standard_error"] < 0.5
    assert found["nats_per_token"] == pytest.approx(
        found["nats_per_sentence"] / found["tokens_per_sentence"]
    )
