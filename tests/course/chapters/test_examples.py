"""What figures name as an example is what the data have."""

from course.chapters.ch01_one_hot.figures import TESTED
from course.chapters.ch10_training.figures import UNSEEN
from course.chapters.ch17_gpt.experiment_induction import repeated
from course.chapters.ch17_gpt.figures import ROW
from course.experiments.digit_training import DIGITS, digit_pairs
from transformer_lib.text import english_spanish


def test_the_examples_of_figures_are_those_of_the_data():
    assert TESTED in [english.rstrip(".") for english, _ in english_spanish.load("test")]
    assert UNSEEN == DIGITS.decode(digit_pairs("reverse")[1][0][0])
    assert ROW == [str(number) for number in repeated(1, seed=5)[0][:12]]
