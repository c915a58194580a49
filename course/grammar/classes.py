"""What kind of word a word form is: part of speech, gender and number, looked up in the lexicon.

English nouns get the gender of their Spanish translation: English has none of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from course.grammar import verbs
from course.grammar.larger import comparative
from course.grammar.lexicon import ADJECTIVES, NAMES, NOUNS
from course.grammar.morphology import (
    IMPERFECT,
    PRESENT,
    PRETERITE,
    adjective_form,
    conjugate,
    gerund,
    participle,
)


@dataclass(frozen=True)
class WordClass:
    """What kind of word a word form is.

    part: "noun", "verb", "adjective", "name" or "other", which holds grammar words (the, not, in),
    numbers, signs, and words of set phrases. gender: "m", "f", or "" for none or either. number:
    "one", "many", or "" for neither.
    """

    part: str
    gender: str = ""
    number: str = ""


OTHER = WordClass("other")


def english_class(form: str) -> WordClass:
    """The class of an English word form; "other" if it isn't known.

    english_class("cows") is WordClass("noun", "f", "many"), because "cows" are "vacas".
    """
    return _english().get(form, OTHER)


def spanish_class(form: str) -> WordClass:
    """The class of a Spanish word form; "other" if it isn't known.

    spanish_class("rojas") is WordClass("adjective", "f", "many").
    """
    return _spanish().get(form, OTHER)


def _all_verbs() -> list[verbs.Verb]:
    found = []
    for value in vars(verbs).values():
        found += value if isinstance(value, list) else [value]
    return [verb for verb in found if isinstance(verb, verbs.Verb)]


# A form that is of two kinds keeps the one entered first: "clean" is an adjective (and a verb),
# "limpio" too; "vino" is wine (and came).


@cache
def _english() -> dict[str, WordClass]:
    classes: dict[str, WordClass] = {}
    for noun in NOUNS.values():
        gender = "" if noun.gender == "c" else noun.gender
        classes.setdefault(noun.english, WordClass("noun", gender, "one"))
        classes.setdefault(noun.english_plural, WordClass("noun", gender, "many"))
    for adjective in ADJECTIVES:
        classes.setdefault(adjective, WordClass("adjective"))
        classes.setdefault(comparative(adjective), WordClass("adjective"))
    for name, gender in NAMES.items():
        classes.setdefault(name, WordClass("name", gender))
    for verb in _all_verbs():
        for form in (verb.english, verb.english_third, verb.english_past, verb.english_ing):
            classes.setdefault(form, WordClass("verb"))
    for form in "like likes liked written drawn".split():
        classes.setdefault(form, WordClass("verb"))
    return classes


@cache
def _spanish() -> dict[str, WordClass]:
    classes: dict[str, WordClass] = {}

    def enter(form: str, part: str, gender: str, number: str) -> None:
        known = classes.setdefault(form, WordClass(part, gender, number))
        if known.part == part and known.gender != gender:  # el artista, la artista
            classes[form] = WordClass(part, "", number)

    def enter_forms(form: Callable[[str, bool], str], part: str, genders: str) -> None:
        for gender in genders:
            enter(form(gender, False), part, gender, "one")
            enter(form(gender, True), part, gender, "many")

    for noun in NOUNS.values():
        enter_forms(noun.in_spanish, "noun", "mf" if noun.gender == "c" else noun.gender)
    for adjective in ADJECTIVES.values():
        enter_forms(adjective.form, "adjective", "mf")
    for name, gender in NAMES.items():
        enter(name, "name", gender, "one")
    infinitives = {verb.spanish for verb in _all_verbs()}
    infinitives |= set("ser estar poder deber gustar encantar interesar quedar".split())
    for infinitive in sorted(infinitives):
        tenses = [conjugate(infinitive, tense) for tense in (PRESENT, PRETERITE, IMPERFECT)]
        for form in (infinitive, gerund(infinitive), *sum(tenses, ())):
            enter(form, "verb", "", "")
        # a participle agrees: pintado, pintada, pintados, pintadas
        enter_forms(partial(adjective_form, participle(infinitive)), "adjective", "mf")
    return classes
