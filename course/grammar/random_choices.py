"""Random choices: who does what to what, where and when."""

import functools
import math
import random
from collections.abc import Callable, Sequence

from course.grammar.lexicon import ADJECTIVES_FOR, NAMES, NOUNS, Adjective, Noun, nouns_for
from course.grammar.morphology import PRESENT
from course.grammar.phrases import (
    HE,
    NUMBERS,
    OBJECT_PRONOUNS,
    PAST,
    POSSESSIVE_OF,
    WE,
    YOU,
    I,
    NounPhrase,
    name_phrase,
    natural,
    noun_phrase,
    pronoun,
)
from course.grammar.verbs import Verb
from course.grammar.words import IN, NEAR, NOTHING, Phrase, both


class Draw:
    """Random choices. Only `Random.random` is used, so that every Python version makes the same.

    long: prefer modifiers (adjectives, places, times), for sentences longer than usual.
    """

    def __init__(self, seed: int, long: bool = False):
        self._random = random.Random(seed).random
        self.long = long

    def chance(self, probability: float, means: str = "") -> bool:
        """True with this probability.

        means: a word that stands in the sentence if this is True; recognition.py asks for it.
        """
        return self._random() < probability

    def modifier(self, probability: float) -> bool:
        """True with this probability, or with a much higher one if long sentences are wanted."""
        return self.chance(max(probability, 0.75) if self.long and probability else probability)

    def pick(self, items: Sequence, sure: bool = True):
        """One of the items, all equally likely.

        sure: the item is certain to stand in the sentence; recognition.py asks for it.
        """
        return items[int(self._random() * len(items))]

    def weighted(self, weights: dict):
        """One of the keys, with probabilities in proportion to their weights."""
        point = self._random() * math.fsum(weights.values())  # sum() differs between Pythons
        for item, weight in weights.items():
            point -= weight
            if point < 0:
                return item
        return item

    def tense(self, past: float = 0.5) -> str:
        return PAST if self.chance(past) else PRESENT

    def tense_and_not(self, probability: float) -> tuple[str, bool]:
        """The tense of a clause, and with this probability that it is negated."""
        return self.tense(), self.chance(probability, "not")

    def run(self, frame: Callable, *args, **named):
        """Call a frame that may start again (see `starts_again`) -> what it draws."""
        return frame(self, *args, **named)


def starts_again(frame: Callable) -> Callable:
    """Decorate a function that calls itself when what it has drawn doesn't fit.

    Its calls go through `Draw.run`, so that a subclass knows of them.
    """

    @functools.wraps(frame)
    def run(draw: Draw, *args, **named):
        return draw.run(frame, *args, **named)

    return run


# --- Noun phrases ----------------------------------------------------------------------------

OWN = ("my", "my", "your", "his", "her", "our", "their")
# Determiners to choose from, singular and plural; those that don't suit the noun are left out.
SUBJECT = (
    ("the",) * 12 + ("this", "that", "the other", "every", *OWN),
    ("the",) * 12
    + ("this", "that", "the other", "all the", "all the", "many", "some", *OWN, *NUMBERS),
)
OBJECT = (
    ("the",) * 7 + ("a",) * 7 + ("this", "that", "another", "the other", "my", "your", "our"),
    ("the",) * 7
    + ("some", "some", "many", "many", "this", "that", "all the", *NUMBERS)
    + ("my", "your", "our"),
)
DEFINITE = (("the",) * 8 + ("this", "that", "the other", "my", "your", "our"),) * 2
# For relatives and friends. In a subject also his, her, their; elsewhere "her" might mean the
# subject's own and tell its gender ("The doctor saw her son"), so see `own_possessive`.
SUBJECT_FAMILY = ("my", "my", "my", "your", "your", "his", "her", "our", "their")
OTHER_FAMILY = ("my", "my", "your", "your", "our")
CERTAIN = (("the",) * 6 + ("this", "that", "my", "your", "your", "our", "his", "her", "their"),) * 2
THE = (("the",),) * 2


def draw_adjective(draw: Draw, noun: Noun) -> Adjective | None:
    """An adjective that can stand beside the noun, if there is one."""
    suitable = [a for a in ADJECTIVES_FOR[noun.english] if a.attributive]
    return draw.pick(suitable) if suitable else None


def draw_plural(draw: Draw, noun: Noun, probability: float = 0.3) -> bool:
    if "plural" in noun.tags:
        return True
    more = draw.chance(probability, noun.english_plural)
    return more and not noun.mass and "single" not in noun.tags


@functools.cache
def natural_ones(determiners: Sequence[str], noun: Noun) -> Sequence[str]:
    return tuple(name for name in determiners if natural(name, noun)) or ("the",)


def draw_noun_phrase(
    draw: Draw,
    noun: Noun,
    determiners: tuple[Sequence[str], Sequence[str]] = SUBJECT,
    *,
    plural: bool | None = None,
    adjective: float = 0.25,
) -> NounPhrase:
    """A noun phrase with a random determiner, number and perhaps an adjective.

    determiners: to choose from, in the singular and in the plural. plural: chosen at random if it
    is None. adjective: the probability of one.
    """
    if plural is None:
        plural = draw_plural(draw, noun)
    choices = determiners[plural]
    if noun.tags & {"family", "close"} and len(choices) > 7:
        choices = SUBJECT_FAMILY if "his" in choices else OTHER_FAMILY
        if "close" in noun.tags:
            choices += ("the", "the", "the")
    determiner = draw.pick(natural_ones(choices, noun))
    beside = draw.modifier(adjective) and determiner != "every"
    return noun_phrase(noun, determiner, plural, draw_adjective(draw, noun) if beside else None)


def draw_beside(draw: Draw, noun: Noun, probability: float) -> Adjective | None:
    """With this probability an adjective that can stand beside the noun, else None."""
    return draw_adjective(draw, noun) if draw.modifier(probability) else None


# --- Subjects --------------------------------------------------------------------------------

PRONOUN_WEIGHTS = {"I": 5, "you": 5, "we": 4.5, "they": 3, "he": 2, "she": 2}
ASKED_WEIGHTS = {"I": 0.4, "you": 6, "we": 1.5, "they": 3, "he": 2, "she": 2}
PEOPLE = nouns_for("person")
ANIMALS = nouns_for("animal")
NAME_LIST = tuple(NAMES)


def draw_person(
    draw: Draw,
    *,
    pronouns: float = 0.5,
    names: float = 0.12,
    plural: bool | None = None,
    asked: bool = False,
) -> NounPhrase:
    """Somebody: a pronoun, a name, or a noun phrase.

    pronouns, names: their probabilities; pronouns=0 is for somebody who isn't the subject, so that
    nobody is "his" or "her" friend. plural: chosen at random if it is None. asked: the subject of a
    question.
    """
    kind = draw.weighted({"pronoun": pronouns, "name": names, "noun": 1 - pronouns - names})
    if kind == "pronoun":
        return pronoun(draw.weighted(ASKED_WEIGHTS if asked else PRONOUN_WEIGHTS))
    if kind == "name":
        return name_phrase(draw.pick(NAME_LIST))
    noun = draw.pick(PEOPLE)
    if "plural" in noun.tags and plural is False:
        noun = NOUNS["mother"]
    determiners = DEFINITE if not pronouns else CERTAIN if asked else SUBJECT
    return draw_noun_phrase(draw, noun, determiners, plural=plural, adjective=0.12)


def draw_doer(draw: Draw, verb: Verb, *, pronouns: float = 0.5, asked: bool = False) -> NounPhrase:
    """A subject for the verb: a person, or an animal that does such things."""
    if verb.animals and draw.chance(0.3):
        determiners = CERTAIN if asked else SUBJECT
        return draw_noun_phrase(draw, draw.pick(verb.animals), determiners, adjective=0.15)
    return draw_person(draw, pronouns=pronouns, asked=asked)


def own_possessive(draw: Draw, subject: NounPhrase) -> tuple[str, NounPhrase]:
    """The possessive for what the subject owns ("my" for "I"), and the subject itself.

    "The doctor lost her book" tells that the doctor is a woman: with "her", the subject that is
    returned is "la doctora".
    """
    if subject.person != HE:
        return POSSESSIVE_OF[subject.person], subject
    if subject.animate and not subject.human:
        return "its", subject
    if subject.either_gender:
        subject = subject.as_gender(draw.pick("mf"))
    return ("his" if subject.gender == "m" else "her"), subject


@starts_again
def draw_object_pronoun(draw: Draw, subject: NounPhrase) -> str:
    """An object pronoun (me, you, him ...), but never "I see me" or "we see me"."""
    first_person = (I, WE)
    word = draw.pick(tuple(OBJECT_PRONOUNS), sure=False)
    person = OBJECT_PRONOUNS[word][1]
    itself = subject.person in first_person and person in first_person
    if itself or subject.person == person == YOU:
        return draw_object_pronoun(draw, subject)
    return word


# --- Objects ---------------------------------------------------------------------------------

# Verbs whose objects may be named without a determiner: I eat apples, como manzanas.
OF_ANY_KIND = set("eat buy sell need want draw cook make drink bring read".split())


def draw_object(
    draw: Draw, verb: Verb, subject: NounPhrase, *, negative: bool = False
) -> tuple[NounPhrase, NounPhrase]:
    """Draw an object for the verb -> the object, and the subject (see `own_possessive`).

    negative: the verb is negated.
    """
    animal = subject.animate and not subject.human
    noun = draw.pick(verb.animal_objects if animal else verb.objects)
    if "abstract" in noun.tags or (verb.english == "prefer" and draw.chance(0.5)):
        determiner = "generic" if verb.english in ("prefer", "think", "wait") else ""
        plural = not noun.mass and "single" not in noun.tags
        return noun_phrase(noun, determiner, plural, draw_beside(draw, noun, 0.1)), subject
    if verb.english == "prefer":
        return draw_noun_phrase(draw, noun, DEFINITE), subject
    ownable = noun.tags & {"thing", "clothes", "pet", "vehicle", "furniture", "owned", "family"}
    if ownable and not animal and draw.chance(0.3):
        possessive, subject = own_possessive(draw, subject)
        return draw_noun_phrase(draw, noun, ((possessive,),) * 2, adjective=0.2), subject
    if verb.english in OF_ANY_KIND and not noun.person and noun.english != "house":
        if draw.chance(0.6 if noun.mass else 0.25) and "dish" not in noun.tags:
            beside = None if noun.mass else draw_beside(draw, noun, 0.2)
            return noun_phrase(noun, "", not noun.mass, beside), subject
    definite = negative or noun.person
    return draw_noun_phrase(draw, noun, DEFINITE if definite else OBJECT, adjective=0.3), subject


# --- Places and times ------------------------------------------------------------------------

PLACES = nouns_for("place")
HABITATS = {
    "wild": nouns_for("forest jungle desert mountain hill river lake lagoon cave island rock"),
    "farm": nouns_for("field meadow barn road path river hill garden bridge"),
    "pet": nouns_for("house room kitchen garden park street beach field river square"),
    "little": nouns_for("garden park forest field meadow river lake tree house"),
}
SOMEWHERE = HABITATS["little"]
PREPOSITIONS = {  # English for Spanish "en", where it is not "in"
    **dict.fromkeys("beach island bridge mountain hill street avenue road path".split(), "on"),
    **dict.fromkeys("station school".split(), "at"),
}


def draw_place(draw: Draw, probability: float = 1, who: NounPhrase | None = None) -> Phrase:
    """With this probability a place (in the park, near the river, behind the house), else NOTHING.

    who: who is there; an animal gets a place that suits it.
    """
    if not draw.modifier(probability):
        return NOTHING
    places = PLACES
    if who is not None and who.animate and not who.human:
        places = next((HABITATS[tag] for tag in HABITATS if tag in who.noun.tags), SOMEWHERE)
    noun = draw.pick(places)
    phrase = draw_noun_phrase(
        draw, noun, (("the",) * 8 + ("this", "that"), ("the",)), plural=False, adjective=0.12
    )
    around = NEAR
    if "room" in noun.tags:
        around = IN
    elif noun.tags & {"building", "plant"} or noun.english in ("bridge", "barn"):
        beside = (around, both("behind", "detrás de"), both("in front of", "delante de"))
        around = draw.pick(beside, sure=False)
    outside = noun.tags & {"waters", "climbed"} and noun.english not in ("mountain", "hill")
    if outside or draw.chance(0.25):
        return around + phrase
    return both(PREPOSITIONS.get(noun.english, "in"), "en") + phrase


# Where a thing can be: (tags of the thing, [(English, Spanish, where)]).
SPOTS = (
    ("drink", (("in", "en", "glass cup bottle kitchen"), ("on", "sobre", "table"))),
    (
        "food",
        (
            ("on", "sobre", "table chair"),
            ("in", "en", "kitchen basket bag box"),
            ("under", "debajo de", "table"),
        ),
    ),
    (
        "pet",
        (
            ("on", "sobre", "sofa bed chair rug"),
            ("under", "debajo de", "table bed chair sofa tree"),
            ("behind", "detrás de", "sofa door house tree"),
            ("near", "cerca de", "door window house lamp"),
        ),
    ),
    (
        "clothes",
        (
            ("on", "sobre", "bed chair sofa"),
            ("in", "en", "suitcase wardrobe drawer box bag basket trunk"),
            ("under", "debajo de", "bed chair"),
        ),
    ),
    (
        "furniture",
        (
            ("in", "en", "room kitchen house garage garden"),
            ("near", "cerca de", "door window bed sofa"),
            ("behind", "detrás de", "door sofa"),
        ),
    ),
    (
        "thing",
        (
            ("on", "sobre", "table chair shelf bed sofa"),
            ("in", "en", "box bag backpack suitcase trunk wardrobe room"),
            ("under", "debajo de", "table bed chair sofa"),
            ("behind", "detrás de", "door sofa wardrobe"),
            ("near", "cerca de", "window door lamp"),
        ),
    ),
)


def draw_spot(draw: Draw, noun: Noun) -> Phrase:
    """A place where a thing can be: on the table, in the box, under the bed."""
    english, spanish, names = draw.pick(next(spots for tag, spots in SPOTS if tag in noun.tags))
    where = draw.pick([place for place in nouns_for(names) if place is not noun])
    return both(english, spanish) + draw_noun_phrase(
        draw, where, DEFINITE, plural=False, adjective=0.15
    )


HABITS = (
    both("every day", "todos los días"),
    both("at night", "por la noche"),
    both("in the morning", "por la mañana"),
    both("on Sundays", "los domingos"),
)
SEASONS = (both("in summer", "en verano"), both("in winter", "en invierno"))
NOW = (both("today", "hoy"), both("now", "ahora"))
RECENTLY = (
    both("yesterday", "ayer"),
    both("last night", "anoche"),
    both("this morning", "esta mañana"),
    both("last week", "la semana pasada"),
    both("on Sunday", "el domingo"),
    both("two days ago", "hace dos días"),
)
LONG_AGO = (both("last summer", "el verano pasado"), both("last winter", "el invierno pasado"))
EVENT_TIMES = {PRESENT: HABITS, PAST: RECENTLY + LONG_AGO[:1]}
STATE_TIMES = {PRESENT: NOW, PAST: RECENTLY[:4]}
SEASON_TIMES = {PRESENT: SEASONS, PAST: LONG_AGO}


def draw_time(draw: Draw, tense: str, probability: float, times=EVENT_TIMES) -> Phrase:
    """With this probability a time that fits the tense, else NOTHING.

    times: tense -> the times to choose from.
    """
    return draw.pick(times[tense]) if draw.modifier(probability) else NOTHING
