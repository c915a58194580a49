"""What the grammar knows about the words: by hand, and against what wrote the sentences."""

from course.chapters.ch20_features import labels
from course.grammar import statements
from course.grammar.phrases import WE, I
from course.grammar.random_choices import Draw
from course.grammar.splits import draw_sentence
from course.grammar.verbs import Verb
from course.grammar.words import english_text
from transformer_lib.text import english_spanish


def sentence_with(text: str):
    draw = Draw(20)
    while english_text((drawn := draw_sentence(draw)).english) != text:
        pass
    return drawn


def told(text: str) -> dict[str, dict[str, bool]]:
    sentence = sentence_with(text)
    words = sentence.english.words
    return {
        name: {words[one.place]: one.true for one in found if not one.beside}
        for name, found in labels.answers(sentence).items()
    }


def test_of_a_sentence_the_labels_are_right():
    found = told("Because it is too dangerous, the dog doesn't cross this avenue")
    assert found["noun: feminine"] == {"dog": False, "avenue": True}
    assert found["noun: animate"] == {"dog": True, "avenue": False}
    assert found["noun: subject"] == {"dog": True, "avenue": False}
    assert found["verb: past"] == {"cross": False}
    assert found["verb: first person"] == {"cross": False}
    assert found["adjective: feminine"] == {"dangerous": True}  # the avenue is
    assert found["the: feminine"] == {"the": False}
    assert found["noun: feminine, one"] == {"dog": False, "avenue": True}


def test_what_english_leaves_open_is_not_asked():
    found = told("The lazy friend hugged your sad baby on Sunday")
    assert "friend" not in found["noun: feminine"] and found["noun: plural"]["friend"] is False
    assert "lazy" not in found["adjective: feminine"]


def test_subjects_and_objects_are_those_that_the_grammar_made(monkeypatch):
    """The frames hand their object to `object_of`; it is recorded, and nothing else is trusted."""
    made: list = []
    ours = statements.object_of
    monkeypatch.setattr(
        statements, "object_of", lambda verb, thing: made.append(thing) or ours(verb, thing)
    )
    draw, seen = Draw(3), 0
    while seen < 60:
        made.clear()
        sentence = statements.transitive(draw)
        objects = {made[-1].noun.english}
        for one in labels.answers(sentence)["noun: subject"]:
            if not one.beside:
                seen += 1
                assert one.true == (one.group not in objects), english_text(sentence.english)


def test_verbs_are_in_the_person_in_which_the_grammar_conjugated_them(monkeypatch):
    """What the grammar asked of Spanish is recorded: I and we, or somebody else."""
    made: dict[str, set[bool]] = {}
    ours = Verb.spanish_form

    def recorded(verb, tense, person):
        made.setdefault(verb.english, set()).add(person in (I, WE))
        return ours(verb, tense, person)

    monkeypatch.setattr(Verb, "spanish_form", recorded)
    draw, seen = Draw(5), []
    while len(seen) < 500:
        made.clear()
        sentence = draw_sentence(draw)
        for one in labels.answers(sentence)["verb: first person"]:
            if not one.beside and len(made.get(one.group, ())) == 1:
                assert made[one.group] == {one.true}, english_text(sentence.english)
                seen.append(one.true)
    assert 30 < sum(seen) < 200


def test_a_verb_is_asked_for_its_person_where_its_subject_stands_before_it():
    for text, verb, first in [
        ("I don't cook because I am too angry", "cook", True),
        ("How many sacks does he have?", "have", False),
        ("We are going to remember you tonight", "remember", None),
    ]:
        assert told(text)["verb: first person"].get(verb) is first


def test_no_labelled_sentence_was_trained_on():
    known = {english for english, _ in english_spanish.load("train")}
    drawn = [english_text(sentence.english) for sentence in labels.drawn(100)]
    assert len(set(drawn)) == 100 and not known & set(drawn)


def test_each_property_has_both_answers():
    for asked in labels.ask(labels.drawn(400)).values():
        own = asked.of_its_kind
        assert 0.1 < own.true.float().mean() < 0.9 and len(own) < len(asked)
        assert not asked.true[asked.beside].any()
