"""What notebook 12 says where no output of a cell shows it."""

from course.chapters.ch12_translation import experiments as lab
from course.notebook_tools import sections
from transformer_lib.text import english_spanish


def test_the_translator_warns_of_rain_but_not_of_every_mistake(translator):
    doubts = [
        translator.confidence.warning(translator.translate(english).mean_log_prob)
        for english in ("It is raining", "I like trees and music", "I like you", "trees")
    ]
    assert [bool(doubt) for doubt in doubts] == [True, False, True, False]


def test_the_red_nouns_are_in_none_of_the_files():
    known = {
        english for split in english_spanish.SPLITS for english, _ in english_spanish.load(split)
    }
    assert not known & {f"I saw the red {noun}" for noun in ("house", "houses", "car", "cars")}


def test_no_translation_in_the_lesson_of_liking_has_a_tree():
    lesson = lab.about_liking(lab.short(english_spanish.load("train")))
    assert not any("árbol" in spanish.lower() for _, spanish in lesson)


def test_i_like_trees_is_a_sentence_of_gustar_and_right(translator):
    right = dict(english_spanish.load("gustar"))["I like trees"]
    assert translator.translate("I like trees").text == right


def test_in_training_no_sentence_begins_with_it_and_rain_falls_after_because():
    training = [english for english, _ in english_spanish.load("train")]
    assert not any(english.startswith("It ") for english in training)
    assert all("because" in text for text in map(str.lower, training) if "raining" in text)


def test_what_is_translated_as_new_is_not_in_the_training_text():
    learned = {english for english, _ in english_spanish.load("train")}
    cells = sections.series()["12_translation"].cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    new = ["I like houses", "I like dogs", "I like trees", "I like trees and music", "I like you"]
    for english in new:
        assert english in code and english not in learned, english
