"""Gustar and its kin: what is liked is the subject in Spanish, and the verb agrees with it.

I like trees          Me gustan los árboles        (trees please me)
Ana loves milk        A Ana le encanta la leche
My head hurts         Me duele la cabeza

The docstring of a frame shows what it writes.
"""

from course.grammar.lexicon import Noun, nouns_for
from course.grammar.morphology import PRESENT
from course.grammar.phrases import (
    BE,
    DATIVE,
    HE,
    NUMBERS,
    PAST,
    NounPhrase,
    english_do,
    english_finite,
    gustar_form,
    how_many,
    noun_phrase,
    pronoun,
    question,
)
from course.grammar.random_choices import (
    STATE_TIMES,
    Draw,
    draw_beside,
    draw_noun_phrase,
    draw_person,
    draw_place,
    draw_plural,
    draw_time,
)
from course.grammar.verbs import DOES, HAVE, HURT, verbs_for
from course.grammar.words import NOTHING, Phrase, Sentence, Words, both, sentence, text

LIKEABLE = nouns_for(
    "animal plant food drink clothes art idea abstract taught furniture instrument "
    "vehicle building town land waters street square thing room eye hand machine -problem -sea "
    "-bathroom -garage"
)
INTERESTING = nouns_for(
    "animal art idea abstract taught building vehicle machine instrument plant town island river "
    "mountain book map picture photo newspaper computer -problem -party"
)


def draw_experiencer(
    draw: Draw, thing: NounPhrase | None = None, *, asked: bool = False
) -> NounPhrase:
    """Draw who likes something: the English subject.

    thing: what is liked; "The doctor likes her dog" makes the doctor a woman. asked: the subject of
    a question.
    """
    subject = draw_person(draw, pronouns=0.6, names=0.15, asked=asked)
    if thing is not None and thing.determiner in ("his", "her") and subject.either_gender:
        subject = subject.as_gender("m" if thing.determiner == "his" else "f")
    return subject


def to_whom(subject: NounPhrase) -> Words:
    """The Spanish for who likes something: "a Ana", or nothing for a pronoun."""
    return Words() if subject.dropped else "a" + subject.spanish


def experiencer(subject: NounPhrase, negative: bool = False) -> Words:
    """The same and the pronoun before the verb: "a Ana le", "a Ana no le", just "le" for "she"."""
    return to_whom(subject) + (("no " if negative else "") + DATIVE[subject.person])


def english_likes(verb: str, subject: NounPhrase, tense: str, negative: bool) -> Words:
    """The English verb of a clause: likes, liked, does not like."""
    if negative:
        return text(f"{english_do(subject.person, tense)} not {verb}")
    if tense == PAST:
        return text(verb + "d")
    return text(verb + "s" if subject.person == HE else verb)


def draw_liked(draw: Draw, nouns: list[Noun]) -> tuple[NounPhrase, bool]:
    """Draw what is liked -> the phrase, and whether it is a kind of thing.

    True for "trees", False for certain ones ("your tree").
    """
    noun = draw.pick(nouns)
    if noun.mass:
        return noun_phrase(noun, "generic"), True
    if "body" in noun.tags:
        owners = ("your", "his", "her", "their")
        return draw_noun_phrase(draw, noun, (owners, owners), plural=True, adjective=0.15), False
    if draw.chance(0.55):
        return noun_phrase(noun, "generic", True, draw_beside(draw, noun, 0.2)), True
    certain = ("the", "the", "the", "this", "that", "your", "his", "her", "our", "my", "their")
    return draw_noun_phrase(draw, noun, (certain, certain), adjective=0.2), False


def like(draw: Draw) -> Sentence:
    """I like trees; Ana didn't like the movie: a Ana no le gustó la película."""
    thing, kind = draw_liked(draw, LIKEABLE)
    subject = draw_experiencer(draw, thing)
    verb, infinitive = draw.weighted({("like", "gustar"): 7, ("love", "encantar"): 2})
    negative = verb == "like" and draw.chance(0.25, "not")
    tense = draw.tense(past=0.25)
    clause = Phrase(
        subject.english + english_likes(verb, subject, tense, negative),
        experiencer(subject, negative) + gustar_form(infinitive, thing, tense, kind),
        subject.bonds,
    )
    return sentence("gustar", clause + thing)


def ask_like(draw: Draw) -> Sentence:
    """Do you like apples? Who likes the cheese? What does Ana like?"""
    thing, kind = draw_liked(draw, LIKEABLE)
    what = draw.weighted({"whether": 8, "who": 2, "what": 1})
    form = gustar_form("gustar", thing, PRESENT, kind)
    if what == "who":
        return sentence("gustar", question(both("who likes", f"a quién le {form}") + thing))
    subject = draw_experiencer(draw, None if what == "what" else thing, asked=True)
    english = english_do(subject.person, PRESENT) + subject.english + "like"
    if what == "what":
        spanish = f"qué {DATIVE[subject.person]} gusta" + to_whom(subject)
        return sentence("gustar", question(Phrase("what" + english, spanish, subject.bonds)))
    asked = Phrase(english, experiencer(subject) + form, subject.bonds)
    return sentence("gustar", question(asked + thing))


LIKED_DOINGS = [
    DOES[name] for name in "sleep run swim walk work dance sing play cook study read eat".split()
]
LIKED_DOINGS_TO = verbs_for("eat drink cook draw read paint make buy")


def like_doing(draw: Draw) -> Sentence:
    """I like to swim: me gusta nadar. She loves reading books: le encanta leer libros."""
    subject = draw_experiencer(draw)
    verb, infinitive = draw.weighted({("like", "gustar"): 3, ("love", "encantar"): 1})
    negative = verb == "like" and draw.chance(0.2, "not")
    thing = NOTHING
    if draw.chance(0.5):
        doing = draw.pick(LIKED_DOINGS)
    else:
        doing = draw.pick(LIKED_DOINGS_TO)
        noun = draw.pick([noun for noun in doing.objects if noun.english != "sea"])
        thing = noun_phrase(noun, "", not noun.mass)
    english = subject.english + english_likes(verb, subject, PRESENT, negative)
    english += draw.pick(("to " + doing.english, doing.english_ing))
    form = "gusta" if infinitive == "gustar" else "encanta"
    clause = Phrase(english, experiencer(subject, negative) + form + doing.spanish, subject.bonds)
    return sentence("gustar", clause + (draw_place(draw, 0.3) if thing is NOTHING else thing))


def interested(draw: Draw) -> Sentence:
    """Ana is interested in music: a Ana le interesa la música."""
    thing, _ = draw_liked(draw, INTERESTING)
    subject = draw_experiencer(draw, thing)
    tense, negative = draw.tense_and_not(0.25)
    be = BE[tense][subject.person] + (" not" if negative else "")
    clause = Phrase(
        subject.english + f"{be} interested in",
        experiencer(subject, negative) + gustar_form("interesar", thing, tense),
        subject.bonds,
    )
    return sentence("gustar", clause + thing)


COUNTED = nouns_for(
    "fruit vegetable egg cookie cake coin book pencil cup glass plate bottle toy flower ball"
)


def left(draw: Draw) -> Sentence:
    """I have two apples left: me quedan dos manzanas."""
    noun = draw.pick(COUNTED)
    asking = draw.chance(0.2)
    subject = draw_experiencer(draw, asked=asking)
    if asking:
        do = english_do(subject.person, PRESENT)
        asked = Phrase(
            f"how many {noun.english_plural} {do}" + subject.english + "have left",
            f"{how_many(noun)} {DATIVE[subject.person]} quedan" + to_whom(subject),
            subject.bonds,
        )
        return sentence("gustar", question(asked))
    tense = draw.tense()
    thing = noun_phrase(noun, draw.pick((*NUMBERS, "many")), True)
    clause = Phrase(
        subject.english + english_finite(HAVE, subject.person, tense),
        experiencer(subject) + gustar_form("quedar", thing, tense),
        subject.bonds,
    )
    return sentence("gustar", clause + thing + both("left", ""))


BODY = nouns_for("body")
OWNERS = {"my": "I", "your": "you", "his": "he", "her": "she", "our": "we", "their": "they"}


def hurt(draw: Draw) -> Sentence:
    """My head hurts: me duele la cabeza. Ana's legs hurt: a Ana le duelen las piernas."""
    noun = draw.pick(BODY)
    plural = draw_plural(draw, noun, 0.65) and noun.english != "head"
    tense, negative = draw.tense_and_not(0.2)
    if plural and not negative:
        tense = PRESENT  # "my feet hurt" could be either: it stays present
    if draw.chance(0.6):
        word = draw.pick(tuple(OWNERS) if plural else tuple(OWNERS)[:4])
        owner, who = text(word), pronoun(OWNERS[word])
    else:
        who = draw_person(draw, pronouns=0, names=0.4, plural=False)
        owner = who.english + "'s"
    part = noun_phrase(noun, "generic", plural)
    clause = Phrase(
        owner + part.english + english_finite(HURT, part.person, tense, negative),
        experiencer(who, negative) + gustar_form("doler", part, tense) + part.spanish,
        who.bonds,
    )
    return sentence("hurt", clause + draw_time(draw, tense, 0.3, STATE_TIMES))


FRAMES = {like: 9.5, ask_like: 2.5, like_doing: 1.7, interested: 2, left: 1.2, hurt: 1.5}
