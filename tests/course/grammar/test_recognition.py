"""Could the grammar have written it? All that it writes is its own, and what is spoiled isn't."""

import pytest

from course.grammar.random_choices import Draw
from course.grammar.recognition import (
    ALWAYS,
    SAYS_LESS,
    Retrace,
    could_write,
    forms,
    ways,
    words_of,
)
from course.grammar.splits import draw_once, draw_sentence, sounds_odd
from course.grammar.verbs import VERBS
from course.grammar.words import english_text, spanish_text
from tests.course.grammar.conftest import words


class Watching(Draw):
    """Keeps the choices that led to the sentence; of a frame that starts again, the last try's."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.seen, self.running = [], []

    def chance(self, probability, means=""):
        self.seen.append((super().chance(probability), means))
        return self.seen[-1][0]

    def pick(self, items, sure=True):
        self.seen.append((super().pick(items), sure))
        return self.seen[-1][0]

    def weighted(self, weights):
        self.seen.append((super().weighted(weights), weights))
        return self.seen[-1][0]

    def run(self, frame, *args, **named):
        if self.running and self.running[-1][0] is frame:
            del self.seen[self.running[-1][1] :]
            return frame(self, *args, **named)
        self.running.append((frame, len(self.seen)))
        drawn = frame(self, *args, **named)
        self.running.pop()
        return drawn

    def sentence(self):
        self.seen.clear()
        while sounds_odd(drawn := draw_once(self)):
            self.seen.clear()
        return drawn


def left_out(draw: Retrace, choice, about) -> bool:
    """Whether the search for the sentence would never make this choice."""
    if isinstance(about, dict):
        return choice not in draw.fitting_keys(about)
    if isinstance(choice, bool):
        return choice and choice not in draw.answers(0.5, about)
    return about and not draw.fits(choice)


def test_no_choice_that_wrote_a_sentence_is_left_out():
    # those that come to the same sentence in another way are looked for one by one
    watching, odd = Watching(seed=20), []
    for _ in range(1500):
        drawn = watching.sentence()
        text = english_text(drawn.english)
        draw = Retrace(words_of(text))
        assert draw.words >= set(drawn.english.words)
        frame = watching.seen[1][0]
        assert draw.words >= set(ALWAYS.get(frame, ()))
        if frame in SAYS_LESS:
            assert any(map(draw.fits, SAYS_LESS[frame]))
        elif any(left_out(draw, *choice) for choice in watching.seen):
            odd.append(text)
    assert 10 < len(odd) < 150
    for text in [text for text in odd if "because" not in text][:12] + odd[:3]:
        assert could_write(text), text


@pytest.mark.parametrize("seed", range(8))
def test_what_it_writes_is_its_own(seed):
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


@pytest.mark.parametrize("how", SPOILED)
def test_what_is_spoiled_is_not(how):
    assert not could_write(SPOILED[how])


def test_forms_of_what_is_chosen():
    assert forms("cow") == (("cow",), ("cow",), ("cows",))
    assert ("opened",) in forms(VERBS["open"]) and ("opening",) in forms(VERBS["open"])
    assert forms("the other") == (("the", "other"),) * 3
    assert forms("m") is forms("person") is forms(3) is None


def test_short_forms_are_read_as_two_words():
    found = words_of("Can't I'm it isn't Ana's?")
    assert found >= {"can", "not", "I", "am", "is", "Ana", "'s", "?"}
