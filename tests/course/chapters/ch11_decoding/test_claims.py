"""What notebook 11 says where no output of a cell shows it."""

from itertools import pairwise

from course.experiments import load


def test_wider_beams_find_likelier_and_shorter_sentences_that_are_not_more_often_right():
    stored = {(row["split"], row["beam"], row["alpha"]): row for row in load("beam")["rows"]}
    curve = [stored["longer", beam, 0.0] for beam in (1, 2, 4, 8)]
    assert all(one["log_prob"] < more["log_prob"] for one, more in pairwise(curve))
    assert all(one["words"] > more["words"] for one, more in pairwise(curve))
    assert [row["right"] for row in curve] == [588, 585, 585, 585]
    easy = [stored["test", beam, 0.0] for beam in (1, 2, 4, 8)]
    assert len({row["log_prob"] for row in easy}) == 1


def test_ahead_of_greedy_the_words_are_the_same_and_the_time_hardly_less():
    for split, rows in load("speculative")["splits"].items():
        assert all(row["same"] == row["sentences"] for row in rows)
        assert all(0.8 < row["time"] < 1.1 for row in rows)
        last = rows[-1]
        assert 4.9 < last["words"] / last["rounds"] < 6
        assert (last["accepted"] / last["drafted"] > 0.95) == (split == "test")
