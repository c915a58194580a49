"""The exercise of notebook 00, asked of the shipped translator."""

import pytest

from course.chapters.ch00_start_here import checks as check
from tests.course.checks.saying import refused, said

RIDDLE = "The animal didn't cross the street because it was too {}"
COW = "The cow didn't cross the river because it was too {}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (COW.format("tired"), COW.format("wide")),
        (COW.format("wide") + ".", COW.format("tired") + "!"),
        (
            "The dog didn't enter the house because it was too tired",
            "The dog didn't enter the house because it was too dark",
        ),
    ],
)
def test_riddles(capsys, first, second):
    assert said(capsys, check.one_word_changes_the_gender, first, second) == "right!"


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        (RIDDLE.format("tired"), RIDDLE.format("wide"), "the riddle above"),
        (
            COW.format("tired").replace("river", "street"),
            COW.format("wide").replace("river", "street"),
            "the riddle above",
        ),
        (COW.format("tired"), COW.format("tired"), "exactly one word"),
        (COW.format("tired"), "The cow slept", "exactly one word"),
        (COW.format("tired"), COW.format("tired").replace("cow", "horse"), "cow to horse"),
        (COW.format("wide"), COW.format("wide").replace("river", "avenue"), "river to avenue"),
        ("The cow was tired", "The cow was white", "no *it* or *they*"),
        (
            COW.format("tired").replace("cow", "horse"),
            COW.format("wide").replace("cow", "horse"),
            "the same gender, cansado and ancho",
        ),
        (
            "The dog couldn't carry the suitcase because it was too tired",
            "The dog couldn't carry the suitcase because it was too thick",
            "or the machine has chosen the wrong noun",  # grueso, of a suitcase
        ),
        (COW.format("tired"), COW.format("big"), "show their gender"),
        (COW.format("tired"), COW.format("wibbly"), "'wibbly'"),
        (COW.format("tired"), 5, "in quotes"),
        ("I like treez", "I like trees", "(did you mean 'tree' or 'trees'?)"),
    ],
)
def test_no_riddles(capsys, first, second, hint):
    answer = said(capsys, check.one_word_changes_the_gender, first, second)
    assert refused(answer, hint) and "?." not in answer
