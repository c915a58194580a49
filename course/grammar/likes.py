"""Gustar and its kin: what is liked is the subject in Spanish, and the verb agrees with it.

I like trees          Me gustan los árboles        (trees please me)
Ana loves milk        A Ana le encanta la leche
My head hurts         Me duele la cabeza

The docstring of a frame shows what it writes.
"""

from course.grammar.lexicon import Noun, nouns_for
from course.grammar.morphology import PRESENT, adjective_form
from course.grammar.phrases import (
    BE,
    DATIVE,
    HE,
    NUMBERS,
    PAST,
    THEY,
    WE,
    YOU,
    I,
    NounPhrase,
    english_do,
    english_finite,
    gustar_form,
    noun_phrase,
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
from course.grammar.verbs import DOES, HAVE, VERBS
from course.grammar.words import Phrase, Sentence, Words, sentence, text

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
) -> tuple[NounPhrase, Words]:
    """Draw who likes something -> the English subject, and the Spanish "a Ana le" ("le" for "she").

    thing: what is liked; "The doctor likes her dog" makes the doctor a woman. asked: the subject of
    a question.
    """
    subject = draw_person(draw, pronouns=0.6, names=0.15, asked=asked)
    if thing is not None and thing.determiner in ("his", "her") and subject.either_gender:
        subject = subject.as_gender("m" if thing.determiner == "his" else "f")
    return subject, experiencer(subject)


def experiencer(subject: NounPhrase) -> Words:
    """The Spanish for who likes something: "a Ana le", or just "le" for a pronoun."""
    full = Words() if subject.dropped else "a" + subject.spanish
    return full + DATIVE[subject.person]


def experiencer_not(subject: NounPhrase) -> Words:
    """The same with "no": a Ana no le."""
    full = Words() if subject.dropped else "a" + subject.spanish
    return full + ("no " + DATIVE[subject.person])


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
    subject, who = draw_experiencer(draw, thing)
    verb, infinitive = draw.weighted({("like", "gustar"): 7, ("love", "encantar"): 2})
    negative = verb == "like" and draw.chance(0.25, "not")
    tense = draw.tense(past=0.25)
    if negative:
        english = text(f"{english_do(subject.person, tense)} not {verb}")
        who = experiencer_not(subject)
    elif tense == PAST:
        english = text(verb + "d")
    else:
        english = text(verb + "s" if subject.person == HE else verb)
    return sentence(
        "gustar",
        Phrase(
            subject.english + english + thing.english,
            who + gustar_form(infinitive, thing, tense, kind) + thing.spanish,
            subject.bonds + thing.bonds,
        ),
    )


def ask_like(draw: Draw) -> Sentence:
    """Do you like apples? Who likes the cheese? What does Ana like?"""
    thing, kind = draw_liked(draw, LIKEABLE)
    what = draw.weighted({"whether": 8, "who": 2, "what": 1})
    form = gustar_form("gustar", thing, PRESENT, kind)
    if what == "who":
        who = question(
            "who likes" + thing.english, "a quién le" + text(form) + thing.spanish, thing
        )
        return sentence("gustar", who)
    subject, who = draw_experiencer(draw, None if what == "what" else thing, asked=True)
    do = english_do(subject.person, PRESENT)
    if what == "what":
        to_whom = Words() if subject.dropped else "a" + subject.spanish
        spanish = text(f"qué {DATIVE[subject.person]} gusta") + to_whom
        return sentence(
            "gustar", question("what " + do + subject.english + "like", spanish, subject)
        )
    return sentence(
        "gustar",
        question(
            do + subject.english + "like" + thing.english,
            who + form + thing.spanish,
            subject,
            thing,
        ),
    )


LIKED_DOINGS = [
    DOES[name] for name in "sleep run swim walk work dance sing play cook study read eat".split()
]
LIKED_DOINGS_TO = [VERBS[name] for name in "eat drink cook draw read paint make buy".split()]


def like_doing(draw: Draw) -> Sentence:
    """I like to swim: me gusta nadar. She loves reading books: le encanta leer libros."""
    subject, who = draw_experiencer(draw)
    verb, infinitive = draw.weighted({("like", "gustar"): 3, ("love", "encantar"): 1})
    negative = verb == "like" and draw.chance(0.2, "not")
    thing = None
    if draw.chance(0.5):
        doing = draw.pick(LIKED_DOINGS)
    else:
        doing = draw.pick(LIKED_DOINGS_TO)
        noun = draw.pick([noun for noun in doing.objects if noun.english != "sea"])
        thing = noun_phrase(noun, "", not noun.mass)
    if negative:
        english = text(f"{english_do(subject.person, PRESENT)} not {verb}")
        who = experiencer_not(subject)
    else:
        english = text(verb + "s" if subject.person == HE else verb)
    english = subject.english + english + draw.pick(("to " + doing.english, doing.english_ing))
    form = "gusta" if infinitive == "gustar" else "encanta"
    clause = Phrase(english, who + form + doing.spanish, subject.bonds)
    if thing:
        return sentence("gustar", clause + thing)
    return sentence("gustar", clause + draw_place(draw, 0.3))


def interested(draw: Draw) -> Sentence:
    """Ana is interested in music: a Ana le interesa la música."""
    thing, _ = draw_liked(draw, INTERESTING)
    subject, who = draw_experiencer(draw, thing)
    tense, negative = draw.tense(), draw.chance(0.25, "not")
    if negative:
        who = experiencer_not(subject)
    be = BE[tense][subject.person] + (" not" if negative else "")
    return sentence(
        "gustar",
        Phrase(
            subject.english + (be + " interested in") + thing.english,
            who + gustar_form("interesar", thing, tense) + thing.spanish,
            subject.bonds + thing.bonds,
        ),
    )


COUNTED = nouns_for(
    "fruit vegetable egg cookie cake coin book pencil cup glass plate bottle toy flower ball"
)


def left(draw: Draw) -> Sentence:
    """I have two apples left: me quedan dos manzanas."""
    noun = draw.pick(COUNTED)
    asking = draw.chance(0.2)
    subject, who = draw_experiencer(draw, asked=asking)
    if asking:
        things = (
            f"{adjective_form('cuánto', noun.gender, True)} {noun.in_spanish(noun.gender, True)}"
        )
        to_whom = Words() if subject.dropped else "a" + subject.spanish
        return sentence(
            "gustar",
            question(
                f"how many {noun.english_plural} {english_do(subject.person, PRESENT)}"
                + subject.english
                + "have left",
                text(f"{things} {DATIVE[subject.person]} quedan") + to_whom,
                subject,
            ),
        )
    tense = draw.tense()
    thing = noun_phrase(noun, draw.pick((*NUMBERS, "many")), True)
    return sentence(
        "gustar",
        Phrase(
            subject.english + english_finite(HAVE, subject.person, tense) + thing.english + "left",
            who + gustar_form("quedar", thing, tense) + thing.spanish,
            subject.bonds,
        ),
    )


BODY = nouns_for("body")
OWNERS = {"my": I, "your": YOU, "his": HE, "her": HE, "our": WE, "their": THEY}


def hurt(draw: Draw) -> Sentence:
    """My head hurts: me duele la cabeza. Ana's legs hurt: a Ana le duelen las piernas."""
    noun = draw.pick(BODY)
    plural = draw_plural(draw, noun, 0.65) and noun.english != "head"
    tense, negative = draw.tense(), draw.chance(0.2, "not")
    if plural and not negative:
        tense = PRESENT  # "my feet hurt" could be either: it stays present
    bonds = ()
    if draw.chance(0.6):
        choices = tuple(OWNERS) if plural else tuple(OWNERS)[:4]
        word = draw.pick(choices)
        owner, person, to_whom = text(word), OWNERS[word], Words()
    else:
        somebody = draw_person(draw, pronouns=0, names=0.4, plural=False)
        owner, person, to_whom = somebody.english + "'s", HE, "a" + somebody.spanish
        bonds = somebody.bonds
    part = noun_phrase(noun, "generic", plural)
    if negative:
        verb = f"{english_do(part.person, tense)} not hurt"
    else:
        verb = "hurts" if tense == PRESENT and not plural else "hurt"
    clause = Phrase(
        owner + part.english + verb,
        to_whom
        + (("no " if negative else "") + DATIVE[person])
        + gustar_form("doler", part, tense)
        + part.spanish,
        bonds,
    )
    return sentence("hurt", clause + draw_time(draw, tense, 0.3, STATE_TIMES))


FRAMES = {like: 9.5, ask_like: 2.5, like_doing: 1.7, interested: 2, left: 1.2, hurt: 1.5}
