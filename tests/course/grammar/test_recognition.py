"""Could the grammar have written it? All that it writes is its own, and what is spoiled isn't."""

from course.grammar.random_choices import Draw
from course.grammar.recognition import could_write, ways, words_of
from course.grammar.splits import draw_sentence
from course.grammar.words import english_text, spanish_text
from tests.course.grammar.conftest import words


def test_what_it_writes_is_its_own():
    for seed in range(8):
        text = english_text(draw_sentence(Draw(seed=100 + seed)).english)
        found, _ = next(ways(text))
        assert english_text(found.english) == text
        assert words_of(text) >= set(words(text)[1:])  # by other rules, but for capitals


def test_a_way_to_write_it_knows_the_translation_too():
    found = {spanish_text(sentence.spanish) for sentence, _ in ways("I like trees")}
    assert found == {"Me gustan los árboles"}


def test_of_two_meanings_both_are_found():
    text = "The men didn't buy the hats because they were dirty"
    assert {spanish_text(sentence.spanish).split()[-1] for sentence, _ in ways(text)} == {"sucios"}
    text = "The doctor is tired"
    assert {spanish_text(sentence.spanish) for sentence, _ in ways(text)} == {
        "El doctor está cansado"
    }


RIGHT = "The animal didn't cross the street because it was too tired"
SPOILED = {
    "another noun": "The animal didn't cross the cheese because it was too tired",
    "another reason": "The animal didn't cross the street because it was too delicious",
    "a verb's form": "The animal didn't crossed the street because it was too tired",
    "two words swapped": "The animal didn't the cross street because it was too tired",
    "a word left out": "The animal didn't cross street because it was too tired",
    "a word twice": "The animal didn't cross the the street because it was too tired",
    "cut off": "The animal didn't cross the street because it was too",
    "no capital": "the animal didn't cross the street because it was too tired",
    "another language": "El animal no cruzó la calle",
    "nothing": "",
    "a full stop": "I like trees.",
    "agreement": "I likes trees",
    "an odd one": "The dog saw a dog",
    "article": "We saw a elephant",
}


def test_the_model_of_the_spoiled_ones_is_right():
    assert could_write(RIGHT) and could_write("I like trees") and could_write("We saw an elephant")


def test_what_is_spoiled_is_not():
    for how in SPOILED:
        assert not could_write(SPOILED[how])
