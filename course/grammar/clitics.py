"""Object pronouns, which Spanish puts before the verb: lo, la, los, las, le, les, se.

The docstring of a frame shows what it writes.
"""

from course.grammar.lexicon import NOUNS, nouns_for
from course.grammar.morphology import PRESENT
from course.grammar.phrases import (
    CAN,
    DATIVE,
    GOING,
    HAVE_TO,
    HE,
    OBJECT_PRONOUNS,
    PAST,
    REFLEXIVE_PRONOUN,
    THEY,
    WANT,
    accusative,
    finite,
    it,
    modal_phrase,
    noun_phrase,
    object_of,
    pronoun,
)
from course.grammar.random_choices import (
    DEFINITE,
    HABITS,
    OBJECT,
    RECENTLY,
    Draw,
    draw_beside,
    draw_doer,
    draw_noun_phrase,
    draw_object_pronoun,
    draw_person,
    draw_place,
    draw_plural,
    draw_time,
    own_possessive,
)
from course.grammar.statements import POSSESSIONS, RELATIVES
from course.grammar.verbs import BRUSH, DITRANSITIVE, HAVE, REFLEXIVE, VERBS, verbs_for
from course.grammar.words import AND, NOTHING, Phrase, Sentence, both, sentence

SOCIAL = verbs_for("see follow help visit hug look find wait call know love remember listen")


def object_pronoun(draw: Draw) -> Sentence:
    """My mother helps us: mi madre nos ayuda."""
    verb = draw.pick(SOCIAL)
    subject = draw_doer(draw, verb)
    word = draw_object_pronoun(draw, subject)
    tense, negative = draw.tense_and_not(0.25)
    clause = subject + finite(verb, subject, tense, negative, OBJECT_PRONOUNS[word][0])
    clause += both(word, "")
    if not verb.state:
        clause += draw_place(draw, 0.12, subject) + draw_time(draw, tense, 0.25)
    return sentence("object pronoun", clause)


# First one thing is done and then another to the same: "Ana bought an apple and ate it".
AND_THEN = [
    tuple(verbs_for(pair))
    for pair in (
        "buy eat, buy wash, buy paint, buy read, find open, find hide, find hug, "
        "write read, write hide, cook eat, make eat, make drink, open close, open clean, "
        "see follow, see draw, see paint, lose find, lose look, wash eat, wash wear, clean sell, "
        "paint sell, build paint, bring open, bring eat"
    ).split(", ")
]


def and_it(draw: Draw) -> Sentence:
    """Ana bought an apple and ate it: Ana compró una manzana y la comió."""
    first, second = draw.pick(AND_THEN)
    noun = draw.pick([n for n in first.objects if n in second.objects and not n.person])
    subject = draw_person(draw, names=0.2)
    thing = draw_noun_phrase(draw, noun, OBJECT)
    tense = draw.tense(past=0.7)
    if second.same_past and subject.person != HE:
        tense = PRESENT
    clause = subject + finite(first, subject, tense) + object_of(first, thing) + AND
    clause += finite(second, subject, tense, clitics=accusative(thing)) + both(it(thing), "")
    return sentence("and it", clause + draw_time(draw, tense, 0.1))


def have_and_use(draw: Draw) -> Sentence:
    """I have a red car and I wash it every day: tengo un coche rojo y lo lavo todos los días."""
    verb = VERBS[draw.pick("wash clean use wear read visit play see".split())]
    nouns = RELATIVES if verb.english in ("visit", "see") else POSSESSIONS
    noun = draw.pick(
        [
            n
            for n in nouns
            if n in verb.objects and n.english != "baby" and not n.mass and "food" not in n.tags
        ]
    )
    subject = draw_person(draw, pronouns=0.7, names=0.2)
    plural = draw_plural(draw, noun, 0.35)
    determiner = draw.pick(("two", "three", "many")) if plural else "a"
    thing = noun_phrase(noun, determiner, plural, draw_beside(draw, noun, 0.3))
    word = it(thing)
    if noun.person and not plural:
        word = "her" if thing.gender == "f" else "him"
    negative = subject.dropped and draw.chance(0.15, "not")
    again = Phrase(subject.english) if subject.dropped else NOTHING
    clause = subject + finite(HAVE, subject, PRESENT) + thing
    clause += both(", but", ", pero") if negative else AND
    clause += again + finite(verb, subject, PRESENT, negative, accusative(thing)) + both(word, "")
    return sentence("and it", clause + draw_time(draw, PRESENT, 0.5, {PRESENT: HABITS}))


def indirect_object(draw: Draw) -> Sentence:
    """I give the book to the girl: le doy el libro a la niña. She sends it to me: me lo envía."""
    verb = draw.pick(DITRANSITIVE)
    subject = draw_person(draw)
    tense, negative = draw.tense_and_not(0.18)
    kind = draw.weighted({"noun": 4, "pronoun": 3, "both pronouns": 1})
    word = draw_object_pronoun(draw, subject)
    person = OBJECT_PRONOUNS[word][1]
    if kind == "both pronouns":  # without a noun to agree with, "it" is lo and "them" los
        english, spanish = draw.pick((("it", "lo"), ("them", "los")))
        dative = "se" if person in (HE, THEY) else DATIVE[person]
        clause = subject + finite(verb, subject, tense, negative, f"{dative} {spanish}")
        return sentence("indirect object", clause + both(f"{english} to {word}", ""))
    noun = draw.pick(verb.objects)
    thing = draw_noun_phrase(draw, noun, DEFINITE if negative else OBJECT)
    if noun.mass and draw.chance(0.5):
        thing = noun_phrase(noun, "")
    if kind == "pronoun":
        clause = subject + finite(verb, subject, tense, negative, DATIVE[person])
        clause += both(word, "") + thing
        return sentence("indirect object", clause + draw_time(draw, tense, 0.12))
    receiver = draw_person(draw, pronouns=0, names=0.25)
    clause = subject + finite(verb, subject, tense, negative, DATIVE[receiver.person])
    if draw.chance(0.6):  # the book to the girl
        clause += thing + both("to", "a") + receiver
    else:  # the girl the book
        clause += Phrase(
            receiver.english + thing.english,
            thing.spanish + "a" + receiver.spanish,
            thing.bonds + receiver.bonds,
        )
    return sentence("indirect object", clause)


EARLY_OR_LATE = (both("early", "temprano"), both("late", "tarde"))
DAYS = {PRESENT: (*HABITS, *EARLY_OR_LATE), PAST: (*RECENTLY, *EARLY_OR_LATE)}
SEATS = nouns_for("chair sofa bed rug rock table")


def reflexive(draw: Draw) -> Sentence:
    """We got up in the morning: nos levantamos por la mañana."""
    verb = draw.pick(REFLEXIVE)
    subject = draw_person(draw, pronouns=0.62)
    tense, negative = draw.tense_and_not(0.2)
    if draw.chance(0.3):  # me tengo que levantar
        modal = draw.pick((CAN, WANT, HAVE_TO, GOING))
        oneself = REFLEXIVE_PRONOUN[subject.person]
        clause = subject + modal_phrase(modal, verb, subject, tense, negative, oneself)
    else:
        clause = subject + finite(verb, subject, tense, negative)
    if verb.particle == "down" and draw.chance(0.7):
        seat = draw_noun_phrase(draw, draw.pick(SEATS), DEFINITE, plural=False, adjective=0.15)
        return sentence("reflexive", clause + both("on", "en") + seat)
    return sentence("reflexive", clause + draw_time(draw, tense, 0.65, DAYS))


WASHED = nouns_for("hand foot head leg arm eye tooth") + [NOUNS["tooth"]] * 2


def wash_oneself(draw: Draw) -> Sentence:
    """Ana washes her hands: Ana se lava las manos."""
    noun = draw.pick(WASHED)
    verb = BRUSH if noun.english == "tooth" else VERBS["wash"]
    possessive, subject = own_possessive(draw, draw_person(draw))
    if noun.english == "head" and subject.plural:
        possessive, subject = "my", pronoun("I")
    part = noun_phrase(noun, "generic", noun.english != "head")
    tense, negative = draw.tense_and_not(0.2)
    clause = subject + finite(verb, subject, tense, negative, REFLEXIVE_PRONOUN[subject.person])
    clause += both(possessive, "") + part
    return sentence("reflexive", clause + draw_time(draw, tense, 0.3))


FRAMES = {
    object_pronoun: 3,
    and_it: 3,
    have_and_use: 1,
    indirect_object: 5,
    reflexive: 2.5,
    wash_oneself: 1.6,
}
