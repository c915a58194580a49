"""Noun phrases and verb phrases in both languages, all agreeing. Nothing here is random."""

import functools
from dataclasses import dataclass, replace

from course.grammar.lexicon import NAMES, Adjective, Noun
from course.grammar.morphology import (
    IMPERFECT,
    PRESENT,
    PRETERITE,
    adjective_before_noun,
    adjective_form,
    conjugate,
    indefinite_article,
)
from course.grammar.verbs import Verb
from course.grammar.words import AND, Bond, Phrase, Words, both, text

I, YOU, HE, WE, THEY = range(5)  # noqa: E741  (the persons; HE is also she and it)
PAST = "past"
# --- Noun phrases ----------------------------------------------------------------------------

# English singular and plural; Spanish m. and f. singular, m. and f. plural. "-": there is none.
DETERMINERS = {
    name.replace("_", " "): [form.replace("_", " ") for form in forms]
    for name, *forms in (
        line.split()
        for line in """
the       the the             el la los las
a         a -                 un una - -
some      - some              - - unos unas
any       - any               - - - -
this      this these          este esta estos estas
that      that those          ese esa esos esas
my        my my               mi mi mis mis
your      your your           tu tu tus tus
his       his his             su su sus sus
her       her her             su su sus sus
its       its its             su su sus sus
our       our our             nuestro nuestra nuestros nuestras
their     their their         su su sus sus
another   another -           otro otra - -
the_other the_other the_other el_otro la_otra los_otros las_otras
every     every -             cada cada - -
all_the   - all_the           - - todos_los todas_las
many      - many              - - muchos muchas
two       - two               - - dos dos
three     - three             - - tres tres
four      - four              - - cuatro cuatro
five      - five              - - cinco cinco
""".strip().split("\n")
    )
}
NUMBERS = ("two", "three", "four", "five")
INDEFINITE = ("", "a", "another", "some", "any", "many", *NUMBERS)
POSSESSIVES = ("my", "your", "his", "her", "its", "our", "their")
POSSESSIVE_OF = {I: "my", YOU: "your", WE: "our", THEY: "their"}


@dataclass(frozen=True)
class NounPhrase(Phrase):
    """A noun phrase with its agreement features.

    person: I, YOU, HE, WE or THEY. gender: "m" or "f". A pronoun subject is dropped in Spanish:
    then `spanish` is empty and `noun` is None, as it is for names.
    """

    person: int = HE
    gender: str = "m"
    noun: Noun | None = None
    determiner: str = ""
    animate: bool = False
    human: bool = False
    dropped: bool = False

    @property
    def plural(self) -> bool:
        return self.person >= WE

    @property
    def adjective(self) -> Adjective | None:
        """The adjective beside the noun."""
        return self.bonds[0][1] if self.bonds else None

    @property
    def either_gender(self) -> bool:
        """True for "the doctor", "my friend" ...: in English, a man or a woman."""
        return self.noun is not None and self.noun.gender == "c" and not self.plural

    def as_gender(self, gender: str) -> "NounPhrase":
        """The same phrase about a man or a woman: el doctor, la doctora."""
        return noun_phrase(self.noun, self.determiner, self.plural, self.adjective, gender=gender)

    def bond(self, adjective: Adjective) -> tuple[Bond, ...]:
        """The pair (noun, adjective) for an adjective said about the phrase; () without a noun."""
        return ((self.noun, adjective),) if self.noun else ()


@functools.cache
def noun_phrase(
    noun: Noun,
    determiner: str = "the",
    plural: bool = False,
    adjective: Adjective | None = None,
    *,
    gender: str = "",
    mark: str = "",
) -> NounPhrase:
    """Determiner, noun and perhaps an adjective: the red house, la casa roja.

    Besides the DETERMINERS: "" is none in either language ("I drink water", "Bebo agua"), and
    "generic" is none in English but the article in Spanish ("I like trees", "los árboles").
    `gender` chooses the doctor or the doctora; by default the noun's own. `mark` names the noun.
    """
    gender = gender or noun.default_gender
    before = adjective is not None and adjective.before_noun

    english = text(noun.in_english(plural), mark)
    spanish = text(noun.in_spanish(gender, plural))
    if adjective:
        english = adjective.english + english
        if before:
            spanish = adjective_before_noun(adjective.spanish, gender, plural) + spanish
        else:
            spanish = spanish + adjective.form(gender, plural)

    if determiner == "a":
        english = indefinite_article(english.words[0]) + english
    elif determiner not in ("", "generic"):
        english = DETERMINERS[determiner][plural] + english
    if determiner not in ("", "any"):
        name = "the" if determiner == "generic" else determiner
        masculine_article = "tonic" in noun.tags and not plural and not before
        if masculine_article and name in ("the", "a"):  # el agua, un águila
            spanish = {"the": "el", "a": "un"}[name] + spanish
        else:
            spanish = DETERMINERS[name][2 + 2 * plural + (gender == "f")] + spanish
    return NounPhrase(
        english,
        spanish,
        bonds=((noun, adjective),) if adjective else (),
        person=THEY if plural else HE,
        gender=gender,
        noun=noun,
        determiner=determiner,
        animate=noun.animate,
        human=noun.person,
    )


def name_phrase(name: str) -> NounPhrase:
    return NounPhrase(text(name), text(name), gender=NAMES[name], animate=True, human=True)


# Where English leaves the gender of "I", "you", "we" and "they" open, Spanish has the masculine.
PRONOUNS = {
    "I": (I, "m"),
    "you": (YOU, "m"),
    "he": (HE, "m"),
    "she": (HE, "f"),
    "we": (WE, "m"),
    "they": (THEY, "m"),
}


def pronoun(word: str) -> NounPhrase:
    """An English subject pronoun, which Spanish drops."""
    person, gender = PRONOUNS[word]
    return NounPhrase(
        text(word), person=person, gender=gender, animate=True, human=True, dropped=True
    )


def owned(owner: NounPhrase, thing: NounPhrase) -> NounPhrase:
    """The queen's duck: el pato de la reina. thing: a phrase with the determiner "the"."""
    bare = noun_phrase(thing.noun, "", thing.plural, thing.adjective)
    return replace(
        thing,
        english=owner.english + "'s" + bare.english,
        spanish=thing.spanish + "de" + owner.spanish,
        bonds=thing.bonds + owner.bonds,
    )


def joined(first: NounPhrase, second: NounPhrase) -> NounPhrase:
    """Two phrases with "and": the king and the queen. Feminine only if both are."""
    phrase = first + AND + second
    return NounPhrase(
        phrase.english,
        phrase.spanish,
        bonds=phrase.bonds,
        person=THEY,
        gender="f" if first.gender == second.gender == "f" else "m",
        animate=first.animate,
        human=first.human,
    )


NOT_OWNED = {"boy", "girl", "child", "man", "woman", "king", "queen", "artist"}


def natural(determiner: str, noun: Noun) -> bool:
    """Would anybody say this? False for my king, a water, this mother, our sea."""
    if determiner in POSSESSIVES:
        if noun.tags & {"wild", "little", "time"} or noun.english in NOT_OWNED:
            return False
        return "place" not in noun.tags or bool(noun.tags & {"owned", "town"})
    if "single" in noun.tags and (noun.person or "place" in noun.tags):
        return determiner == "the"
    if noun.mass or "single" in noun.tags:
        return determiner in ("the", "this")
    if determiner in ("this", "that", "the other", "every", "all the"):
        return "family" not in noun.tags
    return True


# --- Verb phrases ----------------------------------------------------------------------------

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


def accusative(phrase: NounPhrase) -> str:
    """The Spanish object pronoun that stands for a phrase: lo, la, los or las."""
    return ("la" if phrase.gender == "f" else "lo") + "s" * phrase.plural


def it(phrase: NounPhrase) -> str:
    """The English pronoun that stands for a phrase: "it" or "them"."""
    return "them" if phrase.plural else "it"


def english_do(person: int, tense: str) -> str:
    if tense == PAST:
        return "did"
    return "does" if person == HE else "do"


def english_finite(verb: Verb, person: int, tense: str, negative: bool = False) -> Words:
    """The English verb of a clause, and its particle: sees, saw, does not see, did not look for."""
    if negative:
        return text(f"{english_do(person, tense)} not {verb.english_base}")
    if tense == PAST:
        form = verb.english_past
    else:
        form = verb.english_third if person == HE else verb.english
    return text(f"{form} {verb.particle}")


def finite(
    verb: Verb, subject: NounPhrase, tense: str, negative: bool = False, clitics: str = ""
) -> Phrase:
    """The verb of a clause: did not look for, no buscó. `clitics` come before the Spanish verb."""
    person = subject.person
    if verb.reflexive:
        clitics = REFLEXIVE_PRONOUN[person]
    form = verb.spanish_form(tense, person)
    return Phrase(
        english_finite(verb, person, tense, negative),
        text(f"{'no' if negative else ''} {clitics} {form} {verb.preposition}"),
    )


def be(copula: str, subject: NounPhrase, tense: str, negative: bool = False) -> Phrase:
    """English "be" and a Spanish copula: is / es (ser), está (estar) or tiene (tener).

    The past of a state is the imperfect: was / era.
    """
    form = conjugate(copula, PRESENT if tense == PRESENT else IMPERFECT)[subject.person]
    return both(
        BE[tense][subject.person] + (" not" if negative else ""),
        ("no " if negative else "") + form,
    )


def agreeing(adjective: Adjective, subject: NounPhrase) -> Phrase:
    """The adjective after "is", in the subject's gender and number."""
    return both(adjective.english, adjective.form(subject.gender, subject.plural))


# Verbs before verbs. English name, Spanish infinitive, Spanish word between the two verbs.
CAN, WANT, MUST, GOING, HAVE_TO, NEED_TO = (
    ("can", "poder", ""),
    ("want", "querer", ""),
    ("must", "deber", ""),
    ("be going", "ir", "a"),
    ("have", "tener", "que"),
    ("need", "necesitar", ""),
)
MODALS = (CAN, WANT, MUST, GOING, HAVE_TO, NEED_TO)
ENGLISH_MODAL_FORMS = {  # present of he/she/it, past
    "want": ("wants", "wanted"),
    "have": ("has", "had"),
    "need": ("needs", "needed"),
}


def modal_phrase(
    modal: tuple[str, str, str],
    verb: Verb,
    subject: NounPhrase,
    tense: str,
    negative: bool = False,
    clitic: str = "",
) -> Phrase:
    """A modal and a verb: can see / puede ver; is going to see / va a ver.

    modal: one of MODALS. clitic: a Spanish pronoun to put before the modal.
    """
    name, infinitive, link = modal
    person = subject.person
    no = " not" if negative else ""
    if name == "can":
        english = ("can" if tense == PRESENT else "could") + no
    elif name == "must":
        english = "must" + no
    elif name == "be going":
        english = f"{BE[tense][person]}{no} going to"
    elif negative:
        english = f"{english_do(person, tense)} not {name} to"
    else:
        he, past = ENGLISH_MODAL_FORMS[name]
        english = (past if tense == PAST else he if person == HE else name) + " to"
    form = conjugate(infinitive, PRESENT if tense == PRESENT else IMPERFECT)[person]
    return both(
        f"{english} {verb.english_base}",
        f"{no and 'no'} {clitic} {form} {link} {verb.spanish} {verb.preposition}",
    )


def object_of(verb: Verb, phrase: NounPhrase) -> Phrase:
    """The object of a verb; Spanish puts "a" before people, and before "the dog", not "a dog"."""
    definite = phrase.determiner not in INDEFINITE
    if verb.personal_a and not verb.preposition and (phrase.human or (phrase.animate and definite)):
        return both("", "a") + phrase
    return phrase


def gustar_form(infinitive: str, thing: NounPhrase, tense: str, kind: bool = True) -> str:
    """The form of a verb like gustar that agrees with what is liked: gusta or gustan.

    The past is gustaba(n) for a kind ("trees"), gustó or gustaron for a certain one ("the movie").
    """
    if tense == PAST:
        tense = IMPERFECT if kind else PRETERITE
    return conjugate(infinitive, tense)[thing.person]


def how_many(noun: Noun) -> str:
    """cuántas manzanas"""
    gender = noun.default_gender
    return f"{adjective_form('cuánto', gender, True)} {noun.in_spanish(gender, True)}"


def question(asked: Phrase) -> Phrase:
    """Make a question from its words in both languages: the question marks are added."""
    return Phrase(asked.english + "?", "¿" + asked.spanish + "?", asked.bonds)
