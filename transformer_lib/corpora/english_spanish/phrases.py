"""Phrases in two languages at once: words, noun phrases, verb forms, subjects.

A sentence is put together from pieces that carry their English and their Spanish words side by
side. A word can be given a name (a mark), so that a finished sentence still knows where, say, its
pronoun stands.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from .lexicon import ADJECTIVES_FOR, NAMES, NOUNS, Adjective, Noun, nouns_for
from .morphology import (
    IMPERFECT,
    PRESENT,
    adjective_before_noun,
    conjugate,
    indefinite_article,
)
from .verbs import Verb

I, YOU, HE, WE, THEY = range(5)  # noqa: E741  (the persons; HE is also she and it)
PAST = "past"


@dataclass(frozen=True)
class Words:
    """A run of words of one language; `marks` holds (name, position) of the named ones."""

    words: tuple[str, ...] = ()
    marks: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: "Words | str") -> "Words":
        other = text(other) if isinstance(other, str) else other
        shifted = tuple((name, place + len(self.words)) for name, place in other.marks)
        return Words(self.words + other.words, self.marks + shifted)

    def __radd__(self, other: str) -> "Words":
        return text(other) + self

    def position(self, name: str) -> int:
        """Where the word marked `name` stands."""
        return dict(self.marks)[name]


def text(words: str, mark: str = "") -> Words:
    """Words from a string; `mark` names the last of them."""
    parts = tuple(words.split())
    return Words(parts, ((mark, len(parts) - 1),) if mark else ())


class Draw:
    """Random choices. Only `Random.random` is used, so that every Python version agrees.

    long: prefer modifiers (adjectives, places, times), for sentences longer than usual.
    """

    def __init__(self, seed: int, long: bool = False):
        self._random = random.Random(seed).random
        self.long = long

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def modifier(self, probability: float) -> bool:
        """A chance that is much higher while long sentences are wanted."""
        return self._random() < (max(probability, 0.75) if self.long else probability)

    def pick(self, items: Sequence):
        return items[int(self._random() * len(items))]

    def weighted(self, items: Sequence, weights: Sequence[float]):
        """One of the items, each as often as its weight says."""
        point = self._random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        return items[-1]

    def tense(self) -> str:
        return PRESENT if self.chance(0.5) else PAST


# --- Noun phrases ----------------------------------------------------------------------------

# name: English singular and plural; Spanish m. and f. singular, m. and f. plural.
DETERMINERS = {
    "the": "the the el la los las",
    "a": "a - un una - -",
    "some": "- some - - unos unas",
    "any": "- any - - - -",
    "this": "this these este esta estos estas",
    "that": "that those ese esa esos esas",
    "my": "my my mi mi mis mis",
    "your": "your your tu tu tus tus",
    "his": "his his su su sus sus",
    "her": "her her su su sus sus",
    "its": "its its su su sus sus",
    "our": "our our nuestro nuestra nuestros nuestras",
    "their": "their their su su sus sus",
    "many": "- many - - muchos muchas",
    "two": "- two - - dos dos",
    "three": "- three - - tres tres",
    "four": "- four - - cuatro cuatro",
    "five": "- five - - cinco cinco",
    "another": "another - otro otra - -",
}
DETERMINERS = {name: forms.split() for name, forms in DETERMINERS.items()}
POSSESSIVE_OF = {I: "my", YOU: "your", WE: "our", THEY: "their"}


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase (or a dropped pronoun: then `spanish` is empty) with its agreement features.

    person: I, YOU, HE, WE or THEY. gender: "m" or "f". bonds: (noun, adjective) pairs in it.
    """

    english: Words
    spanish: Words
    person: int
    gender: str
    noun: Noun | None = None
    determiner: str = ""
    bonds: tuple[tuple[Noun, Adjective], ...] = ()
    animate: bool = False
    human: bool = False
    pronoun: bool = False

    @property
    def plural(self) -> bool:
        return self.person >= WE

    @property
    def definite(self) -> bool:
        return self.determiner not in ("", "a", "some", "any", "many", "another") + COUNTS

    @property
    def personal_a(self) -> str:
        """The "a" of a direct object: before people, and before animals one has in mind."""
        if self.human or (self.animate and self.definite):
            return "a"
        return ""


COUNTS = ("two", "three", "four", "five")


def noun_phrase(
    noun: Noun,
    determiner: str = "the",
    plural: bool = False,
    adjective: Adjective | None = None,
    *,
    gender: str = "",
    mark: str = "",
) -> NounPhrase:
    """`determiner` + `noun` (+ `adjective`) in both languages, all agreeing.

    Besides the DETERMINERS: "" is none in either language ("I drink water", "Bebo agua"), and
    "generic" is none in English but the article in Spanish ("I like trees", "los árboles").
    `gender` chooses the doctor or the doctora; by default the noun's own.
    """
    gender = gender or noun.default_gender
    before = adjective if adjective and adjective.before_noun else None
    after = adjective if adjective and not adjective.before_noun else None

    head = text(noun.in_english(plural), mark)
    english = text(adjective.english) + head if adjective else head
    spanish = text(noun.in_spanish(gender, plural), mark)
    if before:
        spanish = text(adjective_before_noun(before.spanish, gender, plural)) + spanish
    if after:
        spanish = spanish + after.form(gender, plural)

    if determiner and determiner != "generic":
        article = DETERMINERS[determiner][plural]
        if determiner == "a":
            article = indefinite_article(english.words[0])
        english = article + english
    if determiner and determiner != "any":
        name = "the" if determiner == "generic" else determiner
        form = DETERMINERS[name][2 + 2 * plural + (gender == "f")]
        if "tonic" in noun.tags and not plural and not before and name in ("the", "a"):
            form = {"the": "el", "a": "un"}[name]  # el agua, un águila
        spanish = form + spanish
    return NounPhrase(
        english,
        spanish,
        person=THEY if plural else HE,
        gender=gender,
        noun=noun,
        determiner=determiner,
        bonds=((noun, adjective),) if adjective else (),
        animate=noun.animate,
        human=noun.person,
    )


SINGULAR_SUBJECT = ("the",) * 10 + (
    "this",
    "that",
    "my",
    "my",
    "your",
    "his",
    "her",
    "our",
    "their",
)
PLURAL_SUBJECT = SINGULAR_SUBJECT + ("many", "some", "two", "three", "four", "five")
SINGULAR_OBJECT = ("the",) * 7 + ("a",) * 7 + ("this", "that", "another", "my", "your", "our")
PLURAL_OBJECT = (
    ("the",) * 7
    + ("some", "some", "two", "three", "four", "five", "many", "many")
    + (
        "this",
        "that",
        "my",
        "your",
        "our",
    )
)
FAMILY = ("my", "my", "my", "your", "your", "his", "her", "our", "their", "the")
DEFINITE = ("the",) * 8 + ("this", "that", "my", "your", "our")
PLACE = ("the",) * 8 + ("this", "that", "a")


POSSESSIVES = {"my", "your", "his", "her", "its", "our", "their"}
ONE_OF_MANY = {"a", "another", "some", "many", "two", "three", "four", "five"}
NOT_OWNED = {"boy", "girl", "child", "man", "woman", "king", "queen", "singer", "artist"}


def natural(determiner: str, noun: Noun) -> bool:
    """False for what nobody says: my king, a water, this mother, our sea."""
    if determiner in POSSESSIVES:
        if noun.tags & {"wild", "insect", "body", "time"} or noun.english in NOT_OWNED:
            return "body" in noun.tags
        return "place" not in noun.tags or bool(noun.tags & {"owned", "town"})
    if noun.mass or noun.tags & {"single"} and not noun.person or noun.english == "sea":
        return determiner in ("the", "this") and not (
            noun.tags & {"single"} and determiner == "this"
        )
    if "single" in noun.tags:
        return determiner == "the"
    if determiner in ("this", "that"):
        return "family" not in noun.tags
    return True


def draw_adjective(draw: Draw, noun: Noun, *, attributive: bool = True) -> Adjective | None:
    """An adjective that suits the noun, or None; `attributive` ones can stand beside it."""
    if attributive:
        suitable = [a for a in ADJECTIVES_FOR[noun.english] if a.attributive]
    else:
        suitable = [a for a in ADJECTIVES_FOR[noun.english] if not a.before_noun]
    return draw.pick(suitable) if suitable else None


def draw_plural(draw: Draw, noun: Noun, probability: float = 0.3) -> bool:
    if "plural" in noun.tags:
        return True
    return draw.chance(probability) and not noun.mass and "single" not in noun.tags


def draw_noun_phrase(
    draw: Draw,
    noun: Noun,
    determiners: tuple[Sequence[str], Sequence[str]] | Sequence[str],
    *,
    plural: bool | None = None,
    adjective: float = 0.25,
) -> NounPhrase:
    """A noun phrase with random number, determiner and (with some probability) adjective.

    `determiners` is one list, or a pair of lists for singular and plural.
    """
    if plural is None:
        plural = draw_plural(draw, noun)
    choices = determiners if isinstance(determiners[0], str) else determiners[plural]
    if "family" in noun.tags and choices[0] == "the":
        choices = FAMILY
    choices = [determiner for determiner in choices if natural(determiner, noun)] or ("the",)
    determiner = draw.pick(choices)
    describing = draw_adjective(draw, noun) if draw.modifier(adjective) else None
    return noun_phrase(noun, determiner, plural, describing)


# --- Subjects --------------------------------------------------------------------------------

PRONOUNS = {
    "I": (I, "m"),
    "you": (YOU, "m"),
    "he": (HE, "m"),
    "she": (HE, "f"),
    "we": (WE, "m"),
    "they": (THEY, "m"),
}
PRONOUN_CHOICES = (
    ("I",) * 5 + ("you",) * 4 + ("we",) * 4 + ("they",) * 3 + ("he", "he", "she", "she")
)
PEOPLE = nouns_for("person")
ANIMALS = nouns_for("animal")
NAME_LIST = list(NAMES)


def pronoun_subject(word: str) -> NounPhrase:
    """An English subject pronoun, which Spanish drops."""
    person, gender = PRONOUNS[word]
    return NounPhrase(text(word), Words(), person, gender, animate=True, human=True, pronoun=True)


def name_phrase(name: str) -> NounPhrase:
    return NounPhrase(text(name), text(name), HE, NAMES[name], animate=True, human=True)


def draw_person(draw: Draw, *, pronoun: float = 0.5, name: float = 0.12, plural=None):
    """Somebody: a pronoun, a name, or a noun phrase."""
    if draw.chance(pronoun):
        return pronoun_subject(draw.pick(PRONOUN_CHOICES))
    if not plural and draw.chance(name / (1 - pronoun) if pronoun < 1 else 0):
        return name_phrase(draw.pick(NAME_LIST))
    noun = draw.pick(PEOPLE)
    if "plural" in noun.tags and plural is False:
        noun = NOUNS["mother"]
    return draw_noun_phrase(
        draw, noun, (SINGULAR_SUBJECT, PLURAL_SUBJECT), plural=plural, adjective=0.12
    )


def draw_doer(draw: Draw, verb: Verb, *, pronoun: float = 0.5) -> NounPhrase:
    """A subject for a verb: a person, or an animal where the verb allows it."""
    if verb.animals_too and draw.chance(0.3):
        return draw_noun_phrase(
            draw, draw.pick(ANIMALS), (SINGULAR_SUBJECT, PLURAL_SUBJECT), adjective=0.15
        )
    return draw_person(draw, pronoun=pronoun)


def own_possessive(draw: Draw, subject: NounPhrase) -> tuple[str, NounPhrase]:
    """The possessive that means the subject's own, and the subject.

    "The doctor lost her book" tells that the doctor is a woman: her choice goes with "doctora".
    """
    if subject.person != HE:
        return POSSESSIVE_OF[subject.person], subject
    if subject.noun is not None and not subject.human:
        return "its", subject
    gender = subject.gender
    if subject.noun is not None and subject.noun.gender == "c":
        gender = draw.pick("mf")
        adjective = subject.bonds[0][1] if subject.bonds else None
        subject = noun_phrase(subject.noun, subject.determiner, False, adjective, gender=gender)
    return ("his" if gender == "m" else "her"), subject


# --- Verb forms ------------------------------------------------------------------------------

BE = {
    PRESENT: ("am", "are", "is", "are", "are"),
    PAST: ("was", "were", "was", "were", "were"),
}
DATIVE = ("me", "te", "le", "nos", "les")
REFLEXIVE_PRONOUN = ("me", "te", "se", "nos", "se")
OBJECT_PRONOUNS = {  # English: Spanish accusative, person
    "me": ("me", I),
    "you": ("te", YOU),
    "him": ("lo", HE),
    "her": ("la", HE),
    "us": ("nos", WE),
    "them": ("los", THEY),
}


def accusative(gender: str, plural: bool) -> str:
    """lo, la, los, las."""
    return ("las" if gender == "f" else "los") if plural else ("la" if gender == "f" else "lo")


def english_do(person: int, tense: str) -> str:
    if tense == PAST:
        return "did"
    return "does" if person == HE else "do"


def english_be(person: int, tense: str, negative: bool = False) -> Words:
    return text(BE[tense][person] + (" not" if negative else ""))


def english_verb(verb: Verb, person: int, tense: str, negative: bool = False) -> Words:
    """sees, saw, does not see, did not see (with the particle: looks for)."""
    if negative:
        return text(f"{english_do(person, tense)} not {verb.english} {verb.particle}")
    if tense == PAST:
        form = verb.english_past
    else:
        form = verb.english_third if person == HE else verb.english
    return text(f"{form} {verb.particle}")


def spanish_verb(
    verb: Verb, person: int, tense: str, negative: bool = False, clitics: str = ""
) -> Words:
    """ve, vio, no ve, no lo vio (with the preposition: entra en)."""
    if verb.reflexive:
        clitics = REFLEXIVE_PRONOUN[person]
    form = verb.spanish_form(tense, person)
    return text(f"{'no' if negative else ''} {clitics} {form} {verb.preposition}")


def spanish_be(copula: str, person: int, tense: str, negative: bool = False) -> Words:
    form = conjugate(copula, PRESENT if tense == PRESENT else IMPERFECT)[person]
    return text(("no " if negative else "") + form)


def direct_object(verb: Verb, phrase: NounPhrase) -> Words:
    """The Spanish object, with the personal "a" where it belongs."""
    if verb.personal_a and not verb.preposition and phrase.personal_a:
        return "a" + phrase.spanish
    return phrase.spanish


# --- The finished sentence -------------------------------------------------------------------


@dataclass(frozen=True)
class Sentence:
    """A pair of sentences as tokens, with what the splits need to know.

    kind: which frame wrote it. bonds: the (noun, adjective) pairs that stand together.
    liked: True for gustar and its kin.
    """

    english: Words
    spanish: Words
    kind: str
    bonds: tuple[tuple[Noun, Adjective], ...] = ()


def contract(words: Words) -> Words:
    """a + el -> al, de + el -> del, and "e" for "y" before an i- sound."""
    out: list[str] = []
    new_place = []
    for word in words.words:
        if out and word == "el" and out[-1] in ("a", "de"):
            out[-1] = "al" if out[-1] == "a" else "del"
        else:
            if out and out[-1] == "y" and word.startswith(("i", "hi", "í")):
                out[-1] = "e"
            out.append(word)
        new_place.append(len(out) - 1)
    return Words(tuple(out), tuple((name, new_place[place]) for name, place in words.marks))


# How people write "not" after these words.
CONTRACTIONS = {
    **{word: word + "n't" for word in "do does did is are was were could must".split()},
    "can": "can't",
}


def english_text(words: Words) -> str:
    """Tokens to text: "the dog did not run" -> "The dog didn't run"."""
    out: list[str] = []
    for word in words.words:
        if word == "not" and out and out[-1].lower() in CONTRACTIONS:
            out[-1] = CONTRACTIONS[out[-1]]
        elif word == "not" and out[-2:] == ["I", "am"]:
            out[-2:] = ["I'm", "not"]
        elif word in (",", "?", "!", "'s"):
            out[-1] += word
        else:
            out.append(word)
    return capitalized(" ".join(out))


def spanish_text(words: Words) -> str:
    """Tokens to text: "¿ dónde está Ana ?" -> "¿Dónde está Ana?"."""
    line = " ".join(contract(words).words)
    for mark in ",?!":
        line = line.replace(" " + mark, mark)
    for mark in "¿¡":
        line = line.replace(mark + " ", mark)
    return capitalized(line)


def capitalized(line: str) -> str:
    start = 1 if line[0] in "¿¡" else 0
    return line[:start] + line[start].upper() + line[start + 1 :]
