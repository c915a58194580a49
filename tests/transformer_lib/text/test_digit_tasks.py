from transformer_lib.text import digit_tasks


def test_pairs_are_distinct_repeatable_and_of_the_wanted_lengths():
    pairs = digit_tasks.make("sort", 300, min_length=2, max_length=4, seed=1)
    assert pairs == digit_tasks.make("sort", 300, min_length=2, max_length=4, seed=1)
    assert pairs != digit_tasks.make("sort", 300, min_length=2, max_length=4, seed=2)
    assert len({tuple(source) for source, _ in pairs}) == 300
    assert {len(source) for source, _ in pairs} == {2, 3, 4}
    assert all(target == sorted(source) for source, target in pairs)


def test_left_alone_it_makes_one_to_ten_digits_the_same_each_time():
    """With these defaults the course's stored results were measured."""
    pairs = digit_tasks.make("copy", 500)
    assert {len(source) for source, _ in pairs} == set(range(1, 11))
    assert all(source == target for source, target in pairs)
    assert pairs == digit_tasks.make("copy", 500, min_length=1, max_length=10, seed=0)


def test_training_and_validation_share_nothing():
    train, validation = digit_tasks.load("reverse")
    assert (len(train), len(validation)) == (digit_tasks.TRAIN, digit_tasks.VALIDATION)
    assert not set(train) & set(validation)
    source, target = train[0]
    assert target.split() == source.split()[::-1]
