from itertools import product

import pytest

from transformer_lib.recipes import RECIPES
from transformer_lib.text import digits


@pytest.mark.parametrize(
    "task, target", [("copy", "3 1 4 1"), ("reverse", "1 4 1 3"), ("sort", "1 1 3 4")]
)
def test_the_three_tasks(task, target):
    assert list(digits.TASKS[task]("3 1 4 1".split())) == target.split()


def test_pairs_are_distinct_repeatable_and_of_the_wanted_lengths():
    pairs = digits.make("sort", 300, min_length=2, max_length=4, seed=1)
    assert pairs == digits.make("sort", 300, min_length=2, max_length=4, seed=1)
    assert pairs != digits.make("sort", 300, min_length=2, max_length=4, seed=2)
    assert len({tuple(source) for source, _ in pairs}) == 300
    assert {len(source) for source, _ in pairs} == {2, 3, 4}
    assert all(target == sorted(source) for source, target in pairs)


def test_every_sequence_can_be_asked_for():
    pairs = digits.make("copy", 110, min_length=1, max_length=2)
    one, two = (set(product("0123456789", repeat=length)) for length in (1, 2))
    assert len(pairs) == 110 and {tuple(source) for source, _ in pairs} == one | two


def test_left_alone_it_makes_one_to_ten_digits_the_same_each_time():
    """With these defaults the course's stored results were measured."""
    pairs = digits.make("copy", 500)
    assert {len(source) for source, _ in pairs} == set(range(1, 11))
    assert pairs == digits.make("copy", 500, min_length=1, max_length=10, seed=0)


def test_training_and_validation_share_nothing():
    train, validation = digits.load("reverse")
    assert (len(train), len(validation)) == (digits.TRAIN, digits.VALIDATION)
    assert not set(train) & set(validation)
    source, target = train[0]
    assert target.split() == source.split()[::-1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("sing", 3), "task='sing' must be one of copy, reverse, sort"),
        (("copy", 11, 1, 1), "count=11 is too many: there are 10 sequences of 1 to 1 digits"),
        (("copy", 3, 4, 2), "1 <= min_length <= max_length, not 4, 2"),
        (("copy", 3, 0, 2), "1 <= min_length <= max_length, not 0, 2"),
    ],
)
def test_what_cannot_be_made_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        digits.make(*arguments)


@pytest.mark.parametrize("task", digits.TASKS)
def test_a_recipe_trains_on_10_000_pairs_and_validates_on_500_others(task):
    train, validation = RECIPES[task].texts()
    assert (len(train), len(validation)) == (10_000, 500)
    assert not {source for source, _ in train} & {source for source, _ in validation}
