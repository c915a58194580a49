"""What the grammar knows about every word of a sentence: the truth that features are measured by.

Each property is a question about some of the words ("is this noun feminine?"). The words it is
asked of are its population; a word about which the grammar leaves it open is not asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from course.grammar import verbs
from course.grammar.classes import english_class
from course.grammar.lexicon import ADJECTIVES, NAMES, NOUN_OF_FORM, Noun
from course.grammar.phrases import DETERMINERS
from course.grammar.random_choices import Draw
from course.grammar.splits import MAX_TRAIN_TOKENS, draw_sentence
from course.grammar.words import Sentence, english_text
from transformer_lib.text import english_spanish

PROPERTIES = {  # name -> the question; before the colon, which words it is asked of
    "noun: feminine": "is its Spanish noun feminine?",
    "noun: feminine, one": "is its Spanish noun feminine, and is there one?",
    "noun: feminine, several": "is its Spanish noun feminine, and are there several?",
    "noun: plural": "are there several?",
    "noun: animate": "is it a person or an animal?",
    "noun: subject": "is it the subject, not the object?",
    "verb: past": "is it told of the past?",
    "verb: first person": "is it I who does it, or we?",
    "adjective: feminine": "is the noun it is said of feminine?",
    "adjective: plural": "is the noun it is said of a plural?",
    "the: feminine": "is the noun that follows feminine?",
    "the: plural": "is the noun that follows a plural?",
}
TOLD = {"transitive", "chase", "pronoun"}  # kinds of sentences in which order says who does it
AUXILIARIES = frozenset("do does did can could must to will would let have has had".split())
SUBJECTS = {"I": True, "we": True} | dict.fromkeys("you he she it they".split(), False)
BE = frozenset("am is are was were be been".split())
BEFORE_NOUNS = frozenset(
    form for forms in DETERMINERS.values() for part in forms[:2] for form in part.split()
) | {"an"}


@dataclass(frozen=True)
class Answer:
    """The truth about one word. group: the noun or verb it is about, or the word itself; what is
    learned from some groups is measured on others. beside: it is of another kind (a verb, where
    nouns are asked), so that the answer is no."""

    place: int
    true: bool
    group: str
    beside: bool = False


def answers(sentence: Sentence) -> dict[str, list[Answer]]:
    """For each property the words of this sentence of which the grammar knows the answer."""
    words = sentence.english.words
    found: dict[str, list[Answer]] = {name: [] for name in PROPERTIES}
    nouns = {i: NOUN_OF_FORM[word] for i, word in enumerate(words) if is_noun(word)}
    for i, word in enumerate(words):
        for name in PROPERTIES:
            if name.partition(":")[0] != kind_of(word):
                found[name].append(Answer(i, False, word, beside=True))
        asked = {"past": told_of_past(sentence, i), "first person": in_first_person(words, i)}
        for what, true in asked.items():
            if true is not None:
                found[f"verb: {what}"].append(Answer(i, true, BASE_OF[word]))
    for i, noun in nouns.items():
        known = features_of(noun, words[i])
        subject = is_subject(sentence, i)
        if subject is not None:
            known["subject"] = subject
        if {"feminine", "plural"} <= known.keys():
            known["feminine, one"] = known["feminine"] and not known["plural"]
            known["feminine, several"] = known["feminine"] and known["plural"]
        for what, true in known.items():
            found[f"noun: {what}"].append(Answer(i, true, noun.english))
    for i, noun_at in belonging(sentence, nouns):
        noun = nouns[noun_at]
        for what, true in features_of(noun, words[noun_at]).items():
            if what != "animate":
                found[f"{kind_of(words[i])}: {what}"].append(Answer(i, true, noun.english))
    return found


def kind_of(word: str) -> str:
    """noun, verb, adjective, name, the or other."""
    return "the" if word == "the" else english_class(word).part


def is_noun(word: str) -> bool:
    return word in NOUN_OF_FORM and english_class(word).part == "noun"


def features_of(noun: Noun, form: str) -> dict[str, bool]:
    """gender, number, animacy; not the gender of who may be either, not the number of "fish"."""
    known = {"animate": noun.animate}
    if noun.gender != "c":
        known["feminine"] = noun.gender == "f"
    if noun.in_english(False) != noun.in_english(True):
        known["plural"] = form == noun.in_english(True)
    return known


def belonging(sentence: Sentence, nouns: dict[int, Noun]) -> Iterator[tuple[int, int]]:
    """(place of "the" or of an adjective, place of its noun), where there is only one it can be.

    Adjectives: those that Spanish inflects for gender; what they are said of is their bond.
    """
    words = sentence.english.words
    for i, word in enumerate(words):
        if word == "the":
            rest = i + 1
            while rest < len(words) and words[rest] in ADJECTIVES:
                rest += 1
            if rest in nouns:
                yield i, rest
        elif word in ADJECTIVES and ADJECTIVES[word].inflects and words.count(word) == 1:
            said_of = {noun for noun, adjective in sentence.bonds if adjective.english == word}
            places = [place for place, noun in nouns.items() if noun in said_of]
            if len(said_of) == len(places) == 1:
                yield i, places[0]


def is_subject(sentence: Sentence, place: int) -> bool | None:
    """Whether this noun is the subject (True) or the object; None where the order doesn't say."""
    if sentence.kind not in TOLD:
        return None
    words = sentence.english.words
    before = place - 1
    while before >= 0 and (words[before] in BEFORE_NOUNS or words[before] in ADJECTIVES):
        before -= 1
    if before < 0 or words[before] == ",":
        return True
    return False if words[before] in BASE_OF else None


BASE_OF: dict[str, str] = {}  # a form of a verb -> the verb, where the form is no other word's
PAST_FORMS, PRESENT_FORMS = set(), set()


def _enter_verbs() -> None:
    for value in vars(verbs).values():
        for verb in value if isinstance(value, list) else [value]:
            if not isinstance(verb, verbs.Verb) or verb.same_past:
                continue
            for form in (verb.english, verb.english_third, verb.english_past):
                if english_class(form).part == "verb":
                    BASE_OF.setdefault(form, verb.english)
            PAST_FORMS.add(verb.english_past)
            PRESENT_FORMS.update((verb.english, verb.english_third))


_enter_verbs()


def told_of_past(sentence: Sentence, place: int) -> bool | None:
    """Whether the verb here is in a past tense; None for infinitives and other words."""
    words = sentence.english.words
    word, before = words[place], words[:place]
    if word not in BASE_OF:
        return None
    if before[-1:] == ("not",) and before[-2] in ("do", "does", "did"):
        return before[-2] == "did"
    if AUXILIARIES & set(before) or BE & set(before[-2:]):
        return None
    if (word in PAST_FORMS) == (word in PRESENT_FORMS):
        return None
    return word in PAST_FORMS


def in_first_person(words: Sequence[str], place: int) -> bool | None:
    """Whether I or we are the subject of the verb here; None where its subject doesn't stand before
    it, with nothing but "do not" and the like between them."""
    if words[place] not in BASE_OF:
        return None
    before = place - 1
    while before >= 0 and words[before] in AUXILIARIES | {"not"}:
        before -= 1
    if before < 0:
        return None
    if words[before] in SUBJECTS:
        return SUBJECTS[words[before]]
    return False if is_noun(words[before]) or words[before] in NAMES else None


@dataclass(frozen=True)
class Asked:
    """One property over many sentences: for each word asked its row and place in the batch, the
    truth, the number of its group, and whether it is of another kind; each (n)."""

    rows: Tensor
    places: Tensor
    true: Tensor
    groups: Tensor
    beside: Tensor

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, chosen: Tensor) -> "Asked":
        """Those that are chosen, by a mask or by numbers."""
        return Asked(*(getattr(self, part.name)[chosen] for part in fields(self)))

    @property
    def of_its_kind(self) -> "Asked":
        """Without the words of other kinds: of nouns only, whether they are feminine."""
        return self.where(~self.beside)


def ask(sentences: Sequence[Sentence]) -> dict[str, Asked]:
    """All properties of all sentences."""
    tables: dict[str, list[tuple]] = {name: [] for name in PROPERTIES}
    for row, sentence in enumerate(sentences):
        for name, found in answers(sentence).items():
            tables[name] += [(row, one.place, one.true, one.group, one.beside) for one in found]
    asked = {}
    for name, table in tables.items():
        rows, places, true, groups, beside = zip(*table, strict=True)
        number = {group: i for i, group in enumerate(sorted(set(groups)))}
        columns = (rows, places, true, [number[group] for group in groups], beside)
        asked[name] = Asked(*map(torch.tensor, columns))
    return asked


def by_place(asked: Asked) -> dict[tuple[int, int], bool]:
    """(row, place) -> the truth."""
    places = zip(asked.rows.tolist(), asked.places.tolist(), strict=True)
    return dict(zip(places, asked.true.tolist(), strict=True))


def drawn(count: int, seed: int = 20) -> list[Sentence]:
    """Sentences of the grammar with all that it knows of them, none from the training corpus."""
    known = {english for english, _ in english_spanish.load("train")}
    draw, found = Draw(seed), {}
    while len(found) < count:
        sentence = draw_sentence(draw)
        english = english_text(sentence.english)
        if english not in known and len(sentence.english.words) <= MAX_TRAIN_TOKENS:
            found.setdefault(english, sentence)
    return list(found.values())
