"""Questions: the Spanish verb comes before its subject. ¿Abrió Ana la puerta?

The docstring of a frame shows what it writes.
"""

from course.grammar.clitics import SOCIAL
from course.grammar.lexicon import ADJECTIVES, ADJECTIVES_FOR, nouns_for
from course.grammar.morphology import PRESENT, conjugate
from course.grammar.phrases import (
    CAN,
    HAVE_TO,
    WANT,
    NounPhrase,
    agreeing,
    be,
    english_do,
    finite,
    how_many,
    noun_phrase,
    object_of,
    question,
)
from course.grammar.random_choices import (
    CERTAIN,
    DEFINITE,
    OBJECT,
    Draw,
    draw_doer,
    draw_noun_phrase,
    draw_object,
    draw_person,
    draw_place,
    draw_spot,
    starts_again,
)
from course.grammar.statements import HAVABLE, LOOSE_THINGS, NOUN_LIST, draw_predicate
from course.grammar.verbs import DOES, GO, HAVE, INTRANSITIVE, TRANSITIVE, VERBS, Verb, verbs_for
from course.grammar.words import NOTHING, Bond, Phrase, Sentence, both, sentence, text

ASKABLE = [verb for verb in TRANSITIVE if verb.english not in ("think", "love")]
WHO = NounPhrase(text("who"), text("quién"), dropped=True)


def asks(asked: Phrase, *bonds: Bond) -> Sentence:
    return sentence("question", question(asked), *bonds)


def ask_verb(
    english: str, spanish: str, verb: Verb, subject: NounPhrase, tense: str, thing: Phrase = NOTHING
) -> Sentence:
    """A question with "do": when did Ana open the door / cuándo abrió Ana la puerta.

    english, spanish: what it begins with.
    """
    asked = Phrase(
        f"{english} {english_do(subject.person, tense)}" + subject.english + verb.english_base,
        f"{spanish} {verb.spanish_form(tense, subject.person)}"
        + subject.spanish
        + verb.preposition,
        subject.bonds,
    )
    return asks(asked + thing)


def ask_whether(draw: Draw) -> Sentence:
    """Did Ana open the door? Why does the boy open it? When, where?"""
    verb = draw.pick(ASKABLE)
    thing, subject = draw_object(draw, verb, draw_doer(draw, verb, asked=True))
    tense = draw.tense()
    words = {("", ""): 4, ("why", "por qué"): 2}
    if not verb.state:
        words["when", "cuándo"] = 1
    if verb.english in ("buy", "see", "find", "lose", "learn", "sell", "study", "hide", "eat"):
        words["where", "dónde"] = 1.5
    return ask_verb(*draw.weighted(words), verb, subject, tense, object_of(verb, thing))


def ask_who(draw: Draw) -> Sentence:
    """Who opened the door? Who sang in the park? Who is in the kitchen? Who is tired?"""
    tense = draw.tense()
    about = draw.weighted({"object": 3, "verb": 1.5, "place": 1, "state": 1})
    if about == "place":
        rest = be("estar", WHO, tense) + draw_place(draw)
    elif about == "state":
        adjective = draw.pick([a for a in ADJECTIVES_FOR["man"] if a.copula == "estar"])
        rest = be("estar", WHO, tense) + both(adjective.english, adjective.spanish)
    elif about == "verb":
        verb = draw.pick(INTRANSITIVE)
        place = draw_place(draw, 1 if verb.english == "live" else 0.6)
        rest = finite(verb, WHO, tense) + place
    else:
        verb = draw.pick(ASKABLE)
        noun = draw.pick(verb.objects)
        if "abstract" in noun.tags:
            thing = noun_phrase(noun, "generic" if verb.english in ("prefer", "wait") else "")
        else:
            thing = draw_noun_phrase(draw, noun, DEFINITE if noun.person else OBJECT)
        rest = finite(verb, WHO, tense) + object_of(verb, thing)
    return asks(WHO + rest)


def ask_whom(draw: Draw) -> Sentence:
    """Who did the girl see? ¿A quién vio la niña?"""
    verb = draw.pick(SOCIAL)
    subject = draw_doer(draw, verb, asked=True)
    return ask_verb("who", "a quién", verb, subject, draw.tense())


WHAT_VERBS = verbs_for(
    "eat drink buy sell see read write need want cook learn study prefer draw look wear carry "
    "find lose break build"
)


def ask_what(draw: Draw) -> Sentence:
    """What does the dog eat? ¿Qué come el perro?"""
    verb = draw.pick(WHAT_VERBS)
    subject = draw_doer(draw, verb, asked=True)
    return ask_verb("what", "qué", verb, subject, draw.tense())


def ask_where(draw: Draw) -> Sentence:
    """Where do you live? Where did Ana go? Why do the children cry?"""
    verb = draw.pick((*INTRANSITIVE, GO))
    subject, tense = draw_doer(draw, verb, asked=True), draw.tense()
    words = {("where", "adónde" if verb is GO else "dónde"): 2}
    if verb is not DOES["live"]:
        words.update({("why", "por qué"): 1, ("when", "cuándo"): 1})
    if verb is DOES["think"]:
        words = {("why", "por qué"): 1, ("what", "qué"): 1}
    return ask_verb(*draw.weighted(words), verb, subject, tense)


PLACED = nouns_for(
    "thing food clothes furniture vehicle person pet building room street beach bridge park"
)
COLORED = [noun for noun in NOUN_LIST if noun.english in ADJECTIVES["red"].suits]
BELONGINGS = nouns_for("thing clothes pet vehicle furniture child house")


@starts_again
def ask_state(draw: Draw) -> Sentence:
    """Is the boy tired? ¿Está cansado el niño?"""
    tense = draw.tense(past=0.3)
    if draw.chance(0.4):
        subject = draw_person(draw, asked=True)
    else:
        noun = draw.pick(NOUN_LIST)
        subject = draw_noun_phrase(draw, noun, CERTAIN, adjective=0)
    adjective = draw_predicate(draw, subject)
    if adjective is None:
        return ask_state(draw)
    verb, said = be(adjective.copula, subject, tense), agreeing(adjective, subject)
    asked = Phrase(
        verb.english + subject.english + said.english,
        verb.spanish + said.spanish + subject.spanish,
        subject.bonds,
    )
    return asks(asked, *subject.bond(adjective))


def ask_place(draw: Draw) -> Sentence:
    """Where is the key? Is it on the table? ¿Está la llave sobre la mesa?"""
    tense = draw.tense(past=0.3)
    if draw.chance(0.6):
        subject = draw_noun_phrase(draw, draw.pick(PLACED), CERTAIN)
        return asks(both("where", "dónde") + be("estar", subject, tense) + subject)
    subject = draw_noun_phrase(draw, draw.pick(LOOSE_THINGS), CERTAIN, adjective=0.1)
    return asks(be("estar", subject, tense) + subject + draw_spot(draw, subject.noun))


def ask_property(draw: Draw) -> Sentence:
    """How is your mother? What color is the house? Whose dog is this? How many ...?"""
    about = draw.pick(("how", "color", "whose", "count", "count"))
    if about == "how":
        subject = draw_person(draw, pronouns=0.35, names=0.2, asked=True)
        return asks(both("how", "cómo") + be("estar", subject, draw.tense(past=0.3)) + subject)
    if about == "color":
        subject = draw_noun_phrase(draw, draw.pick(COLORED), CERTAIN, adjective=0.05)
        verb = be("ser", subject, draw.tense(past=0.3))
        return asks(both("what color", "de qué color") + verb + subject)
    if about == "whose":
        noun = draw.pick(BELONGINGS)
        thing = draw_noun_phrase(draw, noun, (("this", "that"),) * 2, adjective=0.15)
        pointing, *head = thing.english.words
        verb = be("ser", thing, PRESENT)
        english = f"whose {' '.join(head)}" + verb.english + pointing
        return asks(Phrase(english, "de quién" + verb.spanish + thing.spanish, thing.bonds))
    return ask_count(draw)


def ask_count(draw: Draw) -> Sentence:
    """How many apples did you buy? ¿Cuántas manzanas compraste?"""
    subject = draw_person(draw, pronouns=0.7, names=0.2, asked=True)
    tense = draw.tense()
    verb = draw.pick((HAVE, HAVE, VERBS["buy"], VERBS["need"], VERBS["want"], VERBS["eat"]))
    nouns = HAVABLE if verb is HAVE else verb.objects
    noun = draw.pick([noun for noun in nouns if not noun.mass and "single" not in noun.tags])
    return ask_verb(f"how many {noun.english_plural}", how_many(noun), verb, subject, tense)


NOT_AFTER_MODAL = "need want love prefer know break lose forget understand".split()


AFTER_MODAL = [verb for verb in TRANSITIVE if verb.english not in NOT_AFTER_MODAL]


def ask_modal(draw: Draw) -> Sentence:
    """Can you swim? Does Ana want to eat the cake? ¿Quiere Ana comer el pastel?"""
    modal = draw.pick((CAN, WANT, HAVE_TO))
    name, infinitive, link = modal
    subject = draw_person(draw, pronouns=0.7, asked=True)
    if draw.chance(0.4):
        verb = draw.pick([v for v in INTRANSITIVE if v.english not in ("live", "cry")])
        thing = NOTHING
    else:
        verb = draw.pick(AFTER_MODAL)
        phrase, subject = draw_object(draw, verb, subject)
        thing = object_of(verb, phrase)
    if name == "can":
        english = name + subject.english
    else:
        english = english_do(subject.person, PRESENT) + subject.english + f"{name} to"
    form = conjugate(infinitive, PRESENT)[subject.person]
    if link or thing is NOTHING:  # ¿Tiene que trabajar Ana? ¿Puede nadar Ana?
        spanish = f"{form} {link} {verb.spanish}" + subject.spanish
    else:
        spanish = form + subject.spanish + verb.spanish
    asked = Phrase(english + verb.english_base, spanish + verb.preposition, subject.bonds)
    return asks(asked + thing)


FRAMES = {
    ask_whether: 3.2,
    ask_who: 1.6,
    ask_whom: 0.6,
    ask_what: 1,
    ask_where: 1.2,
    ask_state: 1.4,
    ask_place: 1,
    ask_property: 1.6,
    ask_modal: 1.2,
}
