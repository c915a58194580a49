"""Sentence frames: one function for each way of building a sentence, English and Spanish together.

Each takes a `Draw` (random choices) and returns a `Sentence`. FRAMES at the end lists them with
their weights. The sentences whose point is what "it" means are in `pronouns.py`.
"""

from .lexicon import ADJECTIVES, ADJECTIVES_FOR, NOUNS, Noun, nouns_for
from .morphology import PRESENT, adjective_form, conjugate, participle
from .phrases import (
    ANIMALS,
    DATIVE,
    DEFINITE,
    HE,
    NAME_LIST,
    OBJECT_PRONOUNS,
    PAST,
    PEOPLE,
    PLACE,
    PLURAL_OBJECT,
    PLURAL_SUBJECT,
    REFLEXIVE_PRONOUN,
    SINGULAR_OBJECT,
    SINGULAR_SUBJECT,
    THEY,
    WE,
    YOU,
    Draw,
    I,
    NounPhrase,
    Sentence,
    Words,
    accusative,
    direct_object,
    draw_adjective,
    draw_doer,
    draw_noun_phrase,
    draw_person,
    draw_plural,
    english_be,
    english_do,
    english_verb,
    name_phrase,
    noun_phrase,
    own_possessive,
    pronoun_subject,
    spanish_be,
    spanish_verb,
    text,
)
from .verbs import (
    ARRIVE,
    CATCH,
    CHASE,
    COME,
    DITRANSITIVE,
    FLY,
    GO,
    GROW,
    HAVE,
    INTRANSITIVE,
    REFLEXIVE,
    RETURN,
    SPEAK,
    TRANSITIVE,
    VERBS,
    Verb,
)

SUBJECT = (SINGULAR_SUBJECT, PLURAL_SUBJECT)
OBJECT = (SINGULAR_OBJECT, PLURAL_OBJECT)
PLACES = nouns_for("place")
SURFACES = nouns_for("surface")
CONTAINERS = nouns_for("container kitchen -drawer")
DEGREES = (("", ""), ("", ""), ("very", "muy"), ("too", "demasiado"))

# --- Times and places ------------------------------------------------------------------------

TIMES = {
    PRESENT: (
        ("today", "hoy"),
        ("now", "ahora"),
        ("every day", "todos los días"),
        ("at night", "por la noche"),
        ("in the morning", "por la mañana"),
        ("on Sundays", "los domingos"),
        ("in summer", "en verano"),
        ("in winter", "en invierno"),
    ),
    PAST: (
        ("yesterday", "ayer"),
        ("last night", "anoche"),
        ("this morning", "esta mañana"),
        ("last week", "la semana pasada"),
        ("last summer", "el verano pasado"),
        ("on Sunday", "el domingo"),
        ("two days ago", "hace dos días"),
    ),
}
HABITS = TIMES[PRESENT][2:6]
STATE_TIMES = {PRESENT: TIMES[PRESENT][:2], PAST: TIMES[PAST][:4]}


def draw_time(draw: Draw, tense: str, times=TIMES) -> tuple[Words, Words]:
    english, spanish = draw.pick(times[tense])
    return text(english), text(spanish)


def draw_place(draw: Draw) -> tuple[Words, Words, NounPhrase]:
    """Somewhere: in the park, near the river, behind my house."""
    noun = draw.pick(PLACES)
    phrase = draw_noun_phrase(draw, noun, (PLACE, ("the",)), plural=False, adjective=0.12)
    outside_only = {"waters", "climbed"} & noun.tags or "tunnel" == noun.english
    if outside_only or draw.chance(0.25):
        english, spanish = draw.pick(
            (
                ("near", "cerca de"),
                ("near", "cerca de"),
                ("behind", "detrás de"),
                ("in front of", "delante de"),
            )
        )
        if noun.tags & {"town"} or (noun.tags & {"waters", "land"} and english == "behind"):
            english, spanish = "near", "cerca de"
    else:
        english, spanish = place_preposition(noun), "en"
    return english + phrase.english, spanish + phrase.spanish, phrase


def place_preposition(noun: Noun) -> str:
    from .lexicon import PLACE_PREPOSITION

    return PLACE_PREPOSITION.get(noun.english, "in")


class Build:
    """The two sides of a sentence while it grows, and the bonds of the phrases put in."""

    def __init__(self, english: Words, spanish: Words, *phrases: NounPhrase):
        self.english, self.spanish = english, spanish
        self.bonds = tuple(bond for phrase in phrases for bond in phrase.bonds)

    def place(self, draw: Draw, probability: float) -> "Build":
        if draw.modifier(probability):
            english, spanish, phrase = draw_place(draw)
            self.english, self.spanish = self.english + english, self.spanish + spanish
            self.bonds += phrase.bonds
        return self

    def time(self, draw: Draw, tense: str, probability: float, times=TIMES) -> "Build":
        if draw.modifier(probability):
            english, spanish = draw_time(draw, tense, times)
            self.english, self.spanish = self.english + english, self.spanish + spanish
        return self

    def done(self, kind: str, *bonds) -> Sentence:
        return Sentence(self.english, self.spanish, kind, self.bonds + bonds)


# --- Small helpers ---------------------------------------------------------------------------


def draw_object(
    draw: Draw, verb: Verb, subject: NounPhrase, *, negative: bool = False
) -> tuple[NounPhrase, NounPhrase]:
    """An object for the verb, and the subject (which "her"/"his" in the object may change)."""
    noun = draw.pick(verb.objects)
    if verb.english == "love" or ("family" in noun.tags and draw.chance(0.5)):
        determiners = ("my", "your", "our")
        if verb.english == "love" and subject.person in (I, YOU, WE):
            determiners = (own_possessive(draw, subject)[0],)
        if subject.person >= WE and "single" in noun.tags:
            pass
        return draw_noun_phrase(draw, noun, determiners, adjective=0.1), subject
    ownable = noun.tags & {"thing", "clothes", "pet", "vehicle", "family", "furniture"} or (
        noun.tags & {"owned"} and "owned" in noun.tags
    )
    if ownable and draw.chance(0.25):
        possessive, subject = own_possessive(draw, subject)
        return draw_noun_phrase(draw, noun, (possessive,), adjective=0.2), subject
    if noun.mass and draw.chance(0.5) and not {"abstract"} & noun.tags:
        return noun_phrase(noun, ""), subject
    if "tongue" in noun.tags:
        return noun_phrase(noun, "generic" if verb.english == "prefer" else ""), subject
    if "season" in noun.tags or (noun.mass and verb.english == "prefer"):
        return noun_phrase(noun, "generic"), subject
    if "abstract" in noun.tags:
        return noun_phrase(noun, "generic" if verb.english == "prefer" else ""), subject
    bare = {"eat", "buy", "sell", "need", "want", "draw", "cook", "make", "drink", "bring", "wear"}
    if verb.english in bare and noun.tags & {"food", "clothes", "animal", "plant", "handy"}:
        if draw.chance(0.25) and "dish" not in noun.tags:
            describing = draw_adjective(draw, noun) if draw.modifier(0.2) else None
            return noun_phrase(noun, "", True, describing), subject
    if verb.english == "prefer":
        describing = draw_adjective(draw, noun) if draw.modifier(0.2) else None
        return noun_phrase(noun, "generic", True, describing), subject
    determiners = DEFINITE if negative or noun.person else OBJECT
    return draw_noun_phrase(draw, noun, determiners, adjective=0.3), subject


def tense_for(draw: Draw, verb: Verb, subject: NounPhrase, negative: bool) -> str:
    """A tense that the English form shows ("I read" could be either: it stays present)."""
    tense = draw.tense()
    if verb.same_past and tense == PAST and not negative and subject.person != HE:
        return PRESENT
    return tense


def predicate_adjective(draw: Draw, subject: NounPhrase):
    """An adjective to follow "is" for this subject."""
    if subject.noun is not None:
        return draw_adjective(draw, subject.noun, attributive=False)
    who = "woman" if subject.gender == "f" else "man"
    suitable = [
        a for a in ADJECTIVES_FOR[who] if not a.before_noun and a.english not in PERSON_ONLY
    ]
    return draw.pick(suitable)


PERSON_ONLY = ("old", "strange", "beautiful", "weak", "thin", "married")


def degree_for(draw: Draw, adjective) -> tuple[str, str]:
    return draw.pick(DEGREES) if adjective.gradable else ("", "")


# --- Statements ------------------------------------------------------------------------------


def transitive(draw: Draw) -> Sentence:
    """Ana opened the door in the morning."""
    verb = draw.pick(TRANSITIVE)
    subject = draw_doer(draw, verb)
    negative = draw.chance(0.2)
    phrase, subject = draw_object(draw, verb, subject, negative=negative)
    tense = tense_for(draw, verb, subject, negative)
    build = Build(
        subject.english + english_verb(verb, subject.person, tense, negative) + phrase.english,
        subject.spanish
        + spanish_verb(verb, subject.person, tense, negative)
        + direct_object(verb, phrase),
        subject,
        phrase,
    )
    if verb.past == "preterite":
        if verb.english not in ("cross", "climb", "enter", "visit", "paint", "clean", "build"):
            build.place(draw, 0.1)
        build.time(draw, tense, 0.15, TIMES if tense == PAST else {PRESENT: HABITS})
    return build.done("transitive")


def chase(draw: Draw) -> Sentence:
    """The dog chased the cat."""
    verb = draw.pick((CHASE, CATCH))
    subject = draw_noun_phrase(draw, draw.pick(HUNTERS), SUBJECT)
    phrase = draw_noun_phrase(draw, draw.pick(verb.objects), OBJECT)
    tense, negative = draw.tense(), draw.chance(0.2)
    return (
        Build(
            subject.english + english_verb(verb, subject.person, tense, negative) + phrase.english,
            subject.spanish
            + spanish_verb(verb, subject.person, tense, negative)
            + direct_object(verb, phrase),
            subject,
            phrase,
        )
        .place(draw, 0.2)
        .time(draw, tense, 0.1)
        .done("chase")
    )


HUNTERS = nouns_for("hunter")


def intransitive(draw: Draw) -> Sentence:
    """The boys danced in the park last night."""
    verb = draw.pick(INTRANSITIVE)
    subject = draw_doer(draw, verb)
    negative = draw.chance(0.2)
    tense = tense_for(draw, verb, subject, negative)
    build = Build(
        subject.english + english_verb(verb, subject.person, tense, negative),
        subject.spanish + spanish_verb(verb, subject.person, tense, negative),
        subject,
    )
    if verb.english in ("live", "work", "sleep", "play", "sing", "dance") and draw.chance(0.15):
        friend = draw_person(draw, pronoun=0, name=0.3)
        if "singer" not in friend.english.words:
            build.english += "with" + friend.english
            build.spanish += "con" + friend.spanish
            build.bonds += friend.bonds
    if verb.english == "live":
        return build.place(draw, 1).done("intransitive")
    return build.place(draw, 0.45).time(draw, tense, 0.35).done("intransitive")


GROWERS = nouns_for("plant young -baby") + [NOUNS["apple"], NOUNS["potato"], NOUNS["tomato"]]
FLIERS = nouns_for("flies flying")


def grow_or_fly(draw: Draw) -> Sentence:
    """The trees grew in the garden; the eagle flew near the mountain."""
    verb, nouns = (GROW, GROWERS) if draw.chance(0.6) else (FLY, FLIERS)
    subject = draw_noun_phrase(draw, draw.pick(nouns), SUBJECT, plural=None)
    tense, negative = draw.tense(), draw.chance(0.2)
    return (
        Build(
            subject.english + english_verb(verb, subject.person, tense, negative),
            subject.spanish + spanish_verb(verb, subject.person, tense, negative),
            subject,
        )
        .place(draw, 0.4)
        .time(draw, tense, 0.25)
        .done("grow and fly")
    )


MOTION = (  # verb, English preposition, Spanish preposition
    (GO, "to", "a"),
    (GO, "to", "a"),
    (COME, "to", "a"),
    (ARRIVE, "at", "a"),
    (RETURN, "to", "a"),
)


def motion(draw: Draw) -> Sentence:
    """We went to the beach yesterday."""
    verb, english, spanish = draw.pick(MOTION)
    subject = draw_doer(draw, verb)
    goal = draw_noun_phrase(
        draw, draw.pick(PLACES), (DEFINITE, ("the",)), plural=False, adjective=0.12
    )
    tense, negative = draw.tense(), draw.chance(0.2)
    return (
        Build(
            subject.english
            + english_verb(verb, subject.person, tense, negative)
            + english
            + goal.english,
            subject.spanish
            + spanish_verb(verb, subject.person, tense, negative)
            + spanish
            + goal.spanish,
            subject,
            goal,
        )
        .time(draw, tense, 0.35)
        .done("motion")
    )


def copular(draw: Draw) -> Sentence:
    """The street is very wide; we were tired."""
    tense, negative = draw.tense(), draw.chance(0.18)
    while True:
        if draw.chance(0.25):
            subject = draw_person(draw, pronoun=0.85, name=0.15)
        else:
            noun = draw.pick(NOUN_LIST)
            if noun.mass and draw.chance(0.4):
                subject = noun_phrase(noun, "the" if "food" in noun.tags else "generic")
            elif noun.mass and noun.tags & {"abstract"}:
                subject = noun_phrase(noun, "generic")
            else:
                subject = draw_noun_phrase(draw, noun, SUBJECT, adjective=0.06)
        adjective = predicate_adjective(draw, subject)
        if adjective:
            break
    english_degree, spanish_degree = degree_for(draw, adjective)
    bonds = ((subject.noun, adjective),) if subject.noun else ()
    return (
        Build(
            subject.english
            + english_be(subject.person, tense, negative)
            + english_degree
            + adjective.english,
            subject.spanish
            + spanish_be(adjective.copula, subject.person, tense, negative)
            + spanish_degree
            + adjective.form(subject.gender, subject.plural),
            subject,
        )
        .time(draw, tense, 0.06 if adjective.copula == "estar" else 0, STATE_TIMES)
        .done("copular", *bonds)
    )


NOUN_LIST = list(NOUNS.values())
JOBS = nouns_for("job")


def profession(draw: Draw) -> Sentence:
    """My sister is a doctor: es doctora. She is a good teacher: es una buena profesora."""
    subject = draw_person(draw, pronoun=0.55, name=0.2)
    tense, negative = draw.tense(), draw.chance(0.2)
    noun = draw.pick(JOBS)
    describing = draw_adjective(draw, noun) if draw.modifier(0.3) else None
    if describing and describing.copula == "estar":
        describing = None
    determiner = "a" if describing else ""
    phrase = noun_phrase(
        noun,
        "" if subject.plural else determiner,
        subject.plural,
        describing,
        gender=subject.gender,
    )
    english = phrase.english
    if not describing and not subject.plural:
        english = noun_phrase(noun, "a").english
    return Build(
        subject.english + english_be(subject.person, tense, negative) + english,
        subject.spanish + spanish_be("ser", subject.person, tense, negative) + phrase.spanish,
        subject,
        phrase,
    ).done("profession")


DEMONSTRATIVES = {  # English sg., pl.; Spanish m., f. sg., m., f. pl.
    "this": "this these este esta estos estas".split(),
    "that": "that those ese esa esos esas".split(),
}


def identify(draw: Draw) -> Sentence:
    """These are my shoes: estos son mis zapatos."""
    noun = draw.pick(
        nouns_for(
            "person animal thing clothes vehicle building town art idea furniture "
            "plant drink food room instrument taught island park garden"
        )
    )
    if noun.mass:
        phrase = draw_noun_phrase(draw, noun, ("my", "your"))
    elif (
        noun.tags & {"town", "building"}
        and "owned" not in noun.tags
        or noun.english in ("island", "park")
    ):
        phrase = draw_noun_phrase(draw, noun, ("the", "a"), plural=False, adjective=0.9)
    else:
        phrase = draw_noun_phrase(draw, noun, ("my", "my", "your", "his", "her", "our", "their"))
        if draw.chance(0.3) and "family" not in noun.tags and not phrase.plural:
            phrase = draw_noun_phrase(draw, noun, ("a",), plural=False, adjective=0.6)
    word = draw.pick(("this", "that"))
    forms = DEMONSTRATIVES[word]
    tense, negative = PRESENT, draw.chance(0.2)
    return Build(
        forms[phrase.plural] + english_be(phrase.person, tense, negative) + phrase.english,
        forms[2 + 2 * phrase.plural + (phrase.gender == "f")]
        + spanish_be("ser", phrase.person, tense, negative)
        + phrase.spanish,
        phrase,
    ).done("identify")


def draw_spot(draw: Draw) -> tuple[Words, Words, NounPhrase]:
    """Where a thing can be: on the table, in the box, under the bed, or a place."""
    choice = draw.pick("sssc")
    if choice == "s":
        phrase = draw_noun_phrase(draw, draw.pick(SURFACES), DEFINITE, plural=False, adjective=0.15)
        english, spanish = draw.pick(
            (
                ("on", "sobre"),
                ("on", "sobre"),
                ("under", "debajo de"),
                ("near", "cerca de"),
                ("behind", "detrás de"),
            )
        )
        return english + phrase.english, spanish + phrase.spanish, phrase
    phrase = draw_noun_phrase(draw, draw.pick(CONTAINERS), DEFINITE, plural=False, adjective=0.15)
    return "in" + phrase.english, "en" + phrase.spanish, phrase


SMALL_THINGS = nouns_for("thing food clothes")
LOCATED = nouns_for("thing food clothes furniture vehicle")


def location(draw: Draw) -> Sentence:
    """The key is under the bed; my brother was at the station."""
    tense, negative = draw.tense(), draw.chance(0.18)
    if draw.chance(0.5):
        subject = draw_noun_phrase(
            draw, draw.pick(SMALL_THINGS + nouns_for("pet")), SUBJECT, adjective=0.15
        )
        english, spanish, spot = draw_spot(draw)
    else:
        subject = (
            draw_person(draw)
            if draw.chance(0.6)
            else draw_noun_phrase(
                draw, draw.pick(ANIMALS + nouns_for("vehicle -airplane")), SUBJECT
            )
        )
        english, spanish, spot = draw_place(draw)
    return (
        Build(
            subject.english + english_be(subject.person, tense, negative) + english,
            subject.spanish + spanish_be("estar", subject.person, tense, negative) + spanish,
            subject,
            spot,
        )
        .time(draw, tense, 0.1, STATE_TIMES)
        .done("location")
    )


def there_is(draw: Draw) -> Sentence:
    """There are two cats in the garden: hay dos gatos en el jardín."""
    tense, negative = draw.tense(), draw.chance(0.15)
    indoors = draw.chance(0.4)
    nouns = SMALL_THINGS + nouns_for("drink") if indoors else OUTDOORS
    noun = draw.pick(nouns)
    describing = draw_adjective(draw, noun) if draw.modifier(0.3) else None
    if noun.mass:
        describing, plural, determiner = None, False, ""
    elif negative:
        plural, determiner = True, "any"
    else:
        plural = draw_plural(draw, noun, 0.5)
        determiner = draw.pick(("some", "two", "three", "four", "five", "many")) if plural else "a"
    phrase = noun_phrase(noun, determiner, plural, describing)
    english, spanish, spot = draw_spot(draw) if indoors else draw_place(draw)
    return Build(
        "there" + english_be(phrase.person, tense, negative) + phrase.english + english,
        text(("no " if negative else "") + ("hay" if tense == PRESENT else "había"))
        + phrase.spanish
        + spanish,
        phrase,
        spot,
    ).done("there is")


OUTDOORS = nouns_for("person animal vehicle plant -family -king -queen -airplane") + [
    NOUNS[name]
    for name in (
        "house",
        "hill",
        "bridge",
        "restaurant",
        "store",
        "church",
        "tower",
        "wall",
        "fence",
        "rock",
        "party",
        "storm",
        "machine",
        "castle",
        "lake",
    )
]

# be hungry: have hunger. The third word is the gender that "very" (mucho) agrees with.
FEELINGS = (
    ("hungry", "hambre", "f"),
    ("thirsty", "sed", "f"),
    ("sleepy", "sueño", "m"),
    ("afraid", "miedo", "m"),
    ("cold", "frío", "m"),
    ("hot", "calor", "m"),
)


def feeling(draw: Draw) -> Sentence:
    """I am very hungry: tengo mucha hambre."""
    if draw.chance(0.2):
        subject = draw_noun_phrase(draw, draw.pick(ANIMALS), SUBJECT, adjective=0.1)
        english, spanish, gender = draw.pick(FEELINGS[:4])
    else:
        subject = draw_person(draw)
        english, spanish, gender = draw.pick(FEELINGS)
    tense, negative = draw.tense(), draw.chance(0.2)
    very = draw.chance(0.3)
    return (
        Build(
            subject.english
            + english_be(subject.person, tense, negative)
            + (("very " if very else "") + english),
            subject.spanish
            + spanish_be("tener", subject.person, tense, negative)
            + ((adjective_form("mucho", gender, False) + " " if very else "") + spanish),
            subject,
        )
        .time(draw, tense, 0.12, STATE_TIMES)
        .done("feeling")
    )


HAVABLE = nouns_for(
    "family friend neighbor child baby pet thing clothes furniture vehicle idea food house garden "
    "machine instrument question room cow hen goat horse eye hand foot "
    "-mother -father -parent -trophy"
)


def have(draw: Draw) -> Sentence:
    """Ana has two brothers; we don't have any apples."""
    subject = draw_person(draw, pronoun=0.6, name=0.2)
    tense, negative = draw.tense(), draw.chance(0.2)
    noun = draw.pick(HAVABLE)
    describing = draw_adjective(draw, noun) if draw.modifier(0.3) else None
    if "body" in noun.tags:
        describing = ADJECTIVES[
            draw.pick(("big", "blue") if noun.english == "eye" else ("big", "small"))
        ]
        phrase = noun_phrase(noun, "", True, describing)
        phrase_spanish = "los" if phrase.gender == "m" else "las"
        return Build(
            subject.english + english_verb(HAVE, subject.person, tense) + phrase.english,
            subject.spanish
            + spanish_verb(HAVE, subject.person, tense)
            + phrase_spanish
            + phrase.spanish,
            subject,
            phrase,
        ).done("have")
    if negative:
        plural = not noun.mass
        determiner = "any" if plural and noun.english != "neighbor" else ""
        phrase = noun_phrase(noun, determiner, plural, describing)
    elif noun.mass:
        phrase = noun_phrase(noun, "")
    else:
        plural = draw_plural(draw, noun, 0.4)
        choices = ("two", "three", "four", "five", "many") if plural else ("a", "a", "a", "another")
        phrase = noun_phrase(noun, draw.pick(choices), plural, describing)
    return Build(
        subject.english + english_verb(HAVE, subject.person, tense, negative) + phrase.english,
        subject.spanish + spanish_verb(HAVE, subject.person, tense, negative) + phrase.spanish,
        subject,
        phrase,
    ).done("have")


# --- Gustar and its kin ----------------------------------------------------------------------

LIKEABLE = nouns_for(
    "animal plant food drink clothes art idea abstract taught furniture instrument vehicle "
    "building town place machine thing body room -head -back -stomach -tooth -leg -arm -problem "
    "-package -highway -tunnel -night -storm -bathroom -garage"
)
INTERESTING = nouns_for(
    "animal art idea abstract taught building vehicle machine instrument plant "
    "town castle island river mountain book map picture photo newspaper -problem -party"
)
LIKE_DOING = [verb for verb in INTRANSITIVE if verb.english not in ("live", "cry", "rest", "think")]
LIKE_DOING_TO = [
    VERBS[key]
    for key in (
        ("eat", ""),
        ("drink", ""),
        ("cook", ""),
        ("draw", ""),
        ("read", ""),
        ("paint", ""),
        ("make", ""),
        ("buy", ""),
    )
]


def experiencer(draw: Draw) -> tuple[NounPhrase, Words]:
    """Who likes: the English subject, and the Spanish "a Ana" (nothing for a pronoun)."""
    subject = draw_person(draw, pronoun=0.6, name=0.15)
    return subject, ("a" + subject.spanish if not subject.pronoun else Words())


def liked_thing(draw: Draw, nouns: list[Noun]) -> tuple[NounPhrase, bool]:
    """What is liked, and whether it is a kind ("trees") and not a certain one ("your tree")."""
    noun = draw.pick(nouns)
    if noun.mass or "abstract" in noun.tags:
        return noun_phrase(noun, "generic"), True
    only_one = noun.tags & {"single"}
    body = "body" in noun.tags
    if draw.chance(0.55) and not only_one and not body:
        describing = draw_adjective(draw, noun) if draw.modifier(0.2) else None
        return noun_phrase(noun, "generic", True, describing), True
    owners = (
        ("your", "his", "her", "their")
        if body
        else ("the", "the", "the", "this", "that", "your", "his", "her", "our", "my", "their")
    )
    plural = noun.english in ("eye", "foot", "hand") or None
    return draw_noun_phrase(draw, noun, owners, adjective=0.2, plural=plural), False


def gustar_form(infinitive: str, thing: NounPhrase, tense: str, kind: bool) -> str:
    """gusta or gustan; in the past gustaba(n) for a kind of thing, gustó/gustaron otherwise."""
    if tense == PAST:
        tense = "imperfect" if kind else "preterite"
    return conjugate(infinitive, tense)[thing.person]


def like(draw: Draw) -> Sentence:
    """I like trees: me gustan los árboles. Ana loves milk: a Ana le encanta la leche."""
    subject, experiencer_words = experiencer(draw)
    english, infinitive = draw.pick((("like", "gustar"),) * 7 + (("love", "encantar"),) * 2)
    negative = english == "like" and draw.chance(0.25)
    tense = PRESENT if draw.chance(0.75) else PAST
    thing, kind = liked_thing(draw, LIKEABLE)
    if negative:
        verb = text(f"{english_do(subject.person, tense)} not {english}")
    elif tense == PAST:
        verb = text(english + "d")
    else:
        verb = text(english + "s" if subject.person == HE else english)
    return Build(
        subject.english + verb + thing.english,
        experiencer_words
        + (("no " if negative else "") + DATIVE[subject.person])
        + gustar_form(infinitive, thing, tense, kind)
        + thing.spanish,
        subject,
        thing,
    ).done("gustar")


def like_question(draw: Draw) -> Sentence:
    """Do you like apples? Who likes the cheese? What does Ana like?"""
    thing, kind = liked_thing(draw, LIKEABLE)
    choice = draw.pick("yyyyw" if draw.chance(0.9) else "x")
    if choice == "w":
        spanish = gustar_form("gustar", thing, PRESENT, kind)
        return Build(
            "who likes" + thing.english + "?",
            "¿ a quién le" + text(spanish) + thing.spanish + "?",
            thing,
        ).done("gustar")
    subject, experiencer_words = experiencer(draw)
    do = english_do(subject.person, PRESENT)
    if choice == "x":
        return Build(
            "what" + text(do) + subject.english + "like ?",
            "¿ qué" + text(DATIVE[subject.person]) + "gusta" + experiencer_words + "?",
            subject,
        ).done("gustar")
    return Build(
        do + subject.english + "like" + thing.english + "?",
        "¿"
        + experiencer_words
        + DATIVE[subject.person]
        + gustar_form("gustar", thing, PRESENT, kind)
        + thing.spanish
        + "?",
        subject,
        thing,
    ).done("gustar")


def like_doing(draw: Draw) -> Sentence:
    """I like to swim: me gusta nadar. She loves to read books: le encanta leer libros."""
    subject, experiencer_words = experiencer(draw)
    english, infinitive = draw.pick((("like", "gustar"),) * 3 + (("love", "encantar"),))
    negative = english == "like" and draw.chance(0.2)
    thing = None
    if draw.chance(0.5):
        verb = draw.pick(LIKE_DOING)
    else:
        verb = draw.pick(LIKE_DOING_TO)
        noun = draw.pick(verb.objects)
        thing = noun_phrase(noun, "", not noun.mass and "single" not in noun.tags)
    if negative:
        likes = text(f"{english_do(subject.person, PRESENT)} not {english}")
    else:
        likes = text(english + "s" if subject.person == HE else english)
    to_do = "to " + verb.english if draw.chance(0.6) else verb.english_ing
    build = Build(
        subject.english + likes + to_do,
        experiencer_words
        + (("no " if negative else "") + DATIVE[subject.person])
        + conjugate(infinitive, PRESENT)[HE]
        + verb.spanish,
        subject,
    )
    if thing:
        build.english += thing.english
        build.spanish += thing.spanish
    return build.place(draw, 0.25 if not thing else 0).done("gustar")


def interested(draw: Draw) -> Sentence:
    """Ana is interested in music: a Ana le interesa la música."""
    subject, experiencer_words = experiencer(draw)
    tense, negative = draw.tense(), draw.chance(0.25)
    thing, _ = liked_thing(draw, INTERESTING)
    return Build(
        subject.english
        + english_be(subject.person, tense, negative)
        + "interested in"
        + thing.english,
        experiencer_words
        + (("no " if negative else "") + DATIVE[subject.person])
        + gustar_form("interesar", thing, tense, True)
        + thing.spanish,
        subject,
        thing,
    ).done("gustar")


COUNTED = nouns_for(
    "food coin book pencil plate cup glass bottle notebook egg photo toy day word question key "
    "spoon knife flower sock ball -dish -bread"
)


def left(draw: Draw) -> Sentence:
    """I have two apples left: me quedan dos manzanas."""
    noun = draw.pick([noun for noun in COUNTED if not noun.mass])
    subject, experiencer_words = experiencer(draw)
    if draw.chance(0.2):
        form = adjective_form("cuánto", noun.gender, True)
        things = noun.in_english(True)
        return Build(
            "how many"
            + text(things)
            + english_do(subject.person, PRESENT)
            + subject.english
            + "have left ?",
            "¿"
            + text(form)
            + noun.in_spanish(noun.gender, True)
            + DATIVE[subject.person]
            + "quedan"
            + experiencer_words
            + "?",
            subject,
        ).done("gustar")
    tense = draw.tense()
    thing = noun_phrase(noun, draw.pick(("two", "three", "four", "five", "many")), True)
    return Build(
        subject.english + english_verb(HAVE, subject.person, tense) + thing.english + "left",
        experiencer_words
        + DATIVE[subject.person]
        + gustar_form("quedar", thing, tense, True)
        + thing.spanish,
        subject,
    ).done("gustar")


BODY = nouns_for("body")
POSSESSIVES = (("my", I), ("your", YOU), ("his", HE), ("her", HE), ("our", WE), ("their", THEY))


def hurt(draw: Draw) -> Sentence:
    """My head hurts: me duele la cabeza. Ana's legs hurt: a Ana le duelen las piernas."""
    noun = draw.pick(BODY)
    plural = draw_plural(draw, noun, 0.6) and noun.english != "head"
    part = noun_phrase(noun, "generic", plural)
    if draw.chance(0.6):
        possessive, person = draw.pick(POSSESSIVES)
        owner, experiencer_words = text(possessive), Words()
        bonds = ()
    else:
        phrase = draw_person(draw, pronoun=0, name=0.4, plural=False)
        owner, experiencer_words, person = phrase.english + "'s", "a" + phrase.spanish, HE
        bonds = phrase.bonds
    if person in (WE, THEY) and not plural:
        part = noun_phrase(
            noun, "generic", plural := "single" not in noun.tags and noun.english != "head"
        )
        if not plural:
            person = I
            owner = text("my")
    tense, negative = draw.tense(), draw.chance(0.2)
    if plural and tense == PAST and not negative:
        tense = PRESENT  # "my feet hurt" could be either: it stays present
    if negative:
        verb = text(english_do(part.person, tense) + " not hurt")
    else:
        verb = text("hurts" if tense == PRESENT and not plural else "hurt")
    build = Build(
        owner + part.english + verb,
        experiencer_words
        + (("no " if negative else "") + DATIVE[person])
        + gustar_form("doler", part, tense, True)
        + part.spanish,
    )
    build.bonds = bonds
    return build.time(draw, tense, 0.3, STATE_TIMES).done("hurt")


# --- Pronouns and clitics --------------------------------------------------------------------

SOCIAL = [
    verb
    for verb in TRANSITIVE
    if (verb.english, verb.particle)
    in {
        ("see", ""),
        ("follow", ""),
        ("help", ""),
        ("visit", ""),
        ("hug", ""),
        ("look", "for"),
        ("find", ""),
        ("wait", "for"),
        ("call", ""),
        ("know", ""),
        ("love", ""),
        ("remember", ""),
    }
]


def draw_pronoun_object(draw: Draw, subject: NounPhrase) -> str:
    """me, you, him ... but never the subject itself (I see me)."""
    while True:
        word = draw.pick(tuple(OBJECT_PRONOUNS))
        person = OBJECT_PRONOUNS[word][1]
        same = {subject.person, person}
        if same not in ({I}, {I, WE}, {WE}, {YOU}):
            return word


def object_pronoun(draw: Draw) -> Sentence:
    """My mother helps us: mi madre nos ayuda."""
    verb = draw.pick(SOCIAL)
    subject = draw_doer(draw, verb)
    word = draw_pronoun_object(draw, subject)
    clitic = OBJECT_PRONOUNS[word][0]
    tense, negative = draw.tense(), draw.chance(0.25)
    build = Build(
        subject.english + english_verb(verb, subject.person, tense, negative) + word,
        subject.spanish + spanish_verb(verb, subject.person, tense, negative, clitic),
        subject,
    )
    if verb.past == "preterite":
        build.place(draw, 0.1).time(draw, tense, 0.25)
    return build.done("object pronoun")


# verb of getting, verb of using: "Ana bought an apple and ate it".
GET_AND_USE = [
    (VERBS["buy", ""], VERBS["eat", ""]),
    (VERBS["buy", ""], VERBS["wash", ""]),
    (VERBS["buy", ""], VERBS["paint", ""]),
    (VERBS["find", ""], VERBS["open", ""]),
    (VERBS["find", ""], VERBS["read", ""]),
    (VERBS["find", ""], VERBS["hide", ""]),
    (VERBS["write", ""], VERBS["read", ""]),
    (VERBS["cook", ""], VERBS["eat", ""]),
    (VERBS["open", ""], VERBS["close", ""]),
    (VERBS["open", ""], VERBS["clean", ""]),
    (VERBS["see", ""], VERBS["follow", ""]),
    (VERBS["see", ""], VERBS["draw", ""]),
    (VERBS["lose", ""], VERBS["look", "for"]),
    (VERBS["wash", ""], VERBS["eat", ""]),
    (VERBS["clean", ""], VERBS["sell", ""]),
    (VERBS["paint", ""], VERBS["sell", ""]),
    (VERBS["build", ""], VERBS["paint", ""]),
    (VERBS["bring", ""], VERBS["open", ""]),
    (VERBS["make", ""], VERBS["drink", ""]),
]


def and_it(draw: Draw) -> Sentence:
    """Ana bought an apple and ate it: Ana compró una manzana y la comió."""
    first, second = draw.pick(GET_AND_USE)
    nouns = [noun for noun in first.objects if noun in second.objects and not noun.person]
    noun = draw.pick(nouns)
    subject = draw_person(draw, pronoun=0.5, name=0.2)
    phrase = draw_noun_phrase(draw, noun, OBJECT)
    tense = PAST if draw.chance(0.7) and not second.same_past or subject.person == HE else PRESENT
    it = "them" if phrase.plural else "it"
    clitic = accusative(phrase.gender, phrase.plural)
    return (
        Build(
            subject.english
            + english_verb(first, subject.person, tense)
            + phrase.english
            + "and"
            + english_verb(second, subject.person, tense)
            + it,
            subject.spanish
            + spanish_verb(first, subject.person, tense)
            + direct_object(first, phrase)
            + "y"
            + spanish_verb(second, subject.person, tense, False, clitic),
            subject,
            phrase,
        )
        .time(draw, tense, 0.1)
        .done("and it")
    )


def have_and_use(draw: Draw) -> Sentence:
    """I have a red car and I wash it every day."""
    verb = draw.pick(
        [
            VERBS[key]
            for key in (
                ("wash", ""),
                ("clean", ""),
                ("use", ""),
                ("wear", ""),
                ("read", ""),
                ("visit", ""),
                ("play", ""),
                ("see", ""),
            )
        ]
    )
    nouns = [n for n in verb.objects if n in HAVABLE and not n.mass and "body" not in n.tags]
    if verb.english in ("visit", "see"):
        nouns = [noun for noun in nouns if "family" in noun.tags]
    noun = draw.pick(nouns)
    subject = draw_person(draw, pronoun=0.7, name=0.2)
    plural = draw_plural(draw, noun, 0.35)
    describing = draw_adjective(draw, noun) if draw.modifier(0.3) else None
    phrase = noun_phrase(
        noun, draw.pick(("two", "three", "many")) if plural else "a", plural, describing
    )
    it = "them" if plural else "it"
    if noun.person and not plural:
        it = "him" if noun.default_gender == "m" else "her"
    clitic = accusative(phrase.gender, plural)
    again = subject.english if subject.pronoun else Words()
    negative = draw.chance(0.15) and subject.pronoun
    joint, spanish_joint = ("but", "pero") if negative else ("and", "y")
    return (
        Build(
            subject.english
            + english_verb(HAVE, subject.person, PRESENT)
            + phrase.english
            + joint
            + again
            + english_verb(verb, subject.person, PRESENT, negative)
            + it,
            subject.spanish
            + spanish_verb(HAVE, subject.person, PRESENT)
            + phrase.spanish
            + spanish_joint
            + spanish_verb(verb, subject.person, PRESENT, negative, clitic),
            subject,
            phrase,
        )
        .time(draw, PRESENT, 0.5, {PRESENT: HABITS})
        .done("and it")
    )


def ditransitive(draw: Draw) -> Sentence:
    """I give the book to the girl: le doy el libro a la niña. She sends it to me: me lo envía."""
    verb = draw.pick(DITRANSITIVE)
    subject = draw_person(draw)
    tense, negative = draw.tense(), draw.chance(0.18)
    english = subject.english + english_verb(verb, subject.person, tense, negative)
    choice = draw.pick("nnnnpppi")
    if choice == "i":  # it to me
        word = draw_pronoun_object(draw, subject)
        person = OBJECT_PRONOUNS[word][1]
        plural = draw.chance(0.4)
        dative = "se" if person in (HE, THEY) else DATIVE[person]
        return Build(
            english + ("them" if plural else "it") + "to" + word,
            subject.spanish
            + spanish_verb(
                verb, subject.person, tense, negative, dative + (" los" if plural else " lo")
            ),
            subject,
        ).done("indirect object")
    noun = draw.pick(verb.objects)
    thing = draw_noun_phrase(draw, noun, DEFINITE if negative else OBJECT)
    if noun.mass:
        thing = noun_phrase(noun, draw.pick(("the", "", "my")))
    if choice == "p":  # me the book
        word = draw_pronoun_object(draw, subject)
        return (
            Build(
                english + word + thing.english,
                subject.spanish
                + spanish_verb(
                    verb, subject.person, tense, negative, DATIVE[OBJECT_PRONOUNS[word][1]]
                )
                + thing.spanish,
                subject,
                thing,
            )
            .time(draw, tense, 0.12)
            .done("indirect object")
        )
    receiver = draw_person(draw, pronoun=0, name=0.25)
    if draw.chance(0.6):
        english = english + thing.english + "to" + receiver.english
    else:
        english = english + receiver.english + thing.english
    return Build(
        english,
        subject.spanish
        + spanish_verb(verb, subject.person, tense, negative, DATIVE[receiver.person])
        + thing.spanish
        + "a"
        + receiver.spanish,
        subject,
        thing,
        receiver,
    ).done("indirect object")


def reflexive(draw: Draw) -> Sentence:
    """We got up at night: nos levantamos por la noche."""
    verb = draw.pick(REFLEXIVE)
    subject = draw_person(draw)
    tense, negative = draw.tense(), draw.chance(0.2)
    build = Build(
        subject.english + english_verb(verb, subject.person, tense, negative),
        subject.spanish + spanish_verb(verb, subject.person, tense, negative),
        subject,
    )
    if verb.particle == "down" and draw.chance(0.6):
        phrase = draw_noun_phrase(draw, draw.pick(SEATS), DEFINITE, plural=False, adjective=0.15)
        build.english += "on" + phrase.english
        build.spanish += "en" + phrase.spanish
        build.bonds += phrase.bonds
        return build.done("reflexive")
    return build.time(draw, tense, 0.5).done("reflexive")


SEATS = nouns_for("chair sofa bed rug table rock")
WASHED_BODY = nouns_for("hand foot head leg arm eye tooth")


def wash_body(draw: Draw) -> Sentence:
    """Ana washes her hands: Ana se lava las manos."""
    verb = VERBS["wash", ""]
    noun = draw.pick(WASHED_BODY)
    english_form, spanish_form = verb.english, "lavar"
    if noun.english == "tooth":
        verb = BRUSH
    del english_form, spanish_form
    possessive, subject = own_possessive(draw, draw_person(draw))
    part = noun_phrase(noun, "generic", noun.english != "head")
    if noun.english == "head" and subject.plural:
        possessive, subject = "my", pronoun_subject("I")
    tense, negative = draw.tense(), draw.chance(0.2)
    return (
        Build(
            subject.english
            + english_verb(verb, subject.person, tense, negative)
            + possessive
            + part.english,
            subject.spanish
            + spanish_verb(verb, subject.person, tense, negative, REFLEXIVE_PRONOUN[subject.person])
            + part.spanish,
            subject,
        )
        .time(draw, tense, 0.3)
        .done("reflexive")
    )


BRUSH = next(verb for verb in TRANSITIVE if verb.english == "clean")


# --- Questions -------------------------------------------------------------------------------

ASKABLE = [verb for verb in TRANSITIVE if verb.english not in ("think", "love")]


def after_verb(verb: Verb, phrase: NounPhrase) -> Words:
    """The Spanish object with whatever must come between verb and object."""
    return verb.preposition + direct_object(verb, phrase)


def ask_action(draw: Draw) -> Sentence:
    """Did Ana open the door? Why does the boy run? What are ... : verb before subject in Spanish."""
    verb = draw.pick(ASKABLE)
    subject = draw_doer(draw, verb)
    phrase, subject = draw_object(draw, verb, subject)
    tense = draw.tense()
    do = english_do(subject.person, tense)
    base = text(f"{verb.english} {verb.particle}")
    form = verb.spanish_form(tense, subject.person)
    choice = draw.pick("yyyywtp")
    if choice == "y":
        english, spanish = do + subject.english, text("¿ " + form) + subject.spanish
    else:
        word, spanish_word = {
            "w": ("why", "por qué"),
            "t": ("when", "cuándo"),
            "p": ("where", "dónde"),
        }[choice]
        if choice != "w" and verb.past == "imperfect":
            word, spanish_word = "why", "por qué"
        if word == "where" and verb.english in ("climb", "cross", "enter", "visit"):
            word, spanish_word = "when", "cuándo"
        english = text(f"{word} {do}") + subject.english
        spanish = text(f"¿ {spanish_word} {form}") + subject.spanish
    return Build(
        english + base + phrase.english + "?",
        spanish + after_verb(verb, phrase) + "?",
        subject,
        phrase,
    ).done("question")


def ask_who(draw: Draw) -> Sentence:
    """Who opened the door? Who do you see? Who is in the kitchen?"""
    choice = draw.pick("sssopla")
    tense = draw.tense()
    if choice == "o":
        verb = draw.pick(SOCIAL)
        subject = draw_doer(draw, verb)
        return Build(
            text(f"who {english_do(subject.person, tense)}")
            + subject.english
            + f"{verb.english} {verb.particle} ?",
            text(f"¿ a quién {verb.spanish_form(tense, subject.person)}") + subject.spanish + "?",
            subject,
        ).done("question")
    if choice == "p":
        verb = draw.pick(INTRANSITIVE)
        build = Build(
            "who" + english_verb(verb, HE, tense), "¿ quién" + spanish_verb(verb, HE, tense)
        )
        build.place(draw, 1 if verb.english == "live" else 0.6)
        build.english += "?"
        build.spanish += "?"
        return build.done("question")
    if choice == "l":
        english, spanish, spot = draw_place(draw)
        return Build(
            "who" + english_be(HE, tense) + english + "?",
            "¿ quién" + spanish_be("estar", HE, tense) + spanish + "?",
            spot,
        ).done("question")
    if choice == "a":
        adjective = draw.pick([a for a in ADJECTIVES_FOR["man"] if a.copula == "estar"])
        return Build(
            "who" + english_be(HE, tense) + adjective.english + "?",
            "¿ quién" + spanish_be("estar", HE, tense) + adjective.form("m", False) + "?",
        ).done("question")
    verb = draw.pick(ASKABLE)
    subject = NounPhrase(text("who"), text("quién"), HE, "m", pronoun=True)
    phrase = draw_noun_phrase(draw, draw.pick(verb.objects), OBJECT)
    if phrase.noun.person:
        phrase = draw_noun_phrase(draw, phrase.noun, DEFINITE)
    if {"abstract", "tongue"} & phrase.noun.tags:
        phrase, _ = draw_object(draw, verb, subject)
    return Build(
        "who" + english_verb(verb, HE, tense) + phrase.english + "?",
        "¿ quién" + text(verb.spanish_form(tense, HE)) + after_verb(verb, phrase) + "?",
        phrase,
    ).done("question")


WHAT_VERBS = [
    VERBS[key]
    for key in (
        ("eat", ""),
        ("drink", ""),
        ("buy", ""),
        ("sell", ""),
        ("see", ""),
        ("read", ""),
        ("write", ""),
        ("need", ""),
        ("want", ""),
        ("cook", ""),
        ("learn", ""),
        ("study", ""),
        ("prefer", ""),
        ("draw", ""),
        ("look", "for"),
        ("wear", ""),
        ("carry", ""),
        ("find", ""),
        ("build", ""),
    )
]


def ask_what(draw: Draw) -> Sentence:
    """What does the dog eat? Where do you live? Where are you going?"""
    choice = draw.pick("aaalwh")
    if choice == "a":
        verb = draw.pick(WHAT_VERBS)
        subject = draw_doer(draw, verb)
        tense = draw.tense()
        return Build(
            text(f"what {english_do(subject.person, tense)}")
            + subject.english
            + f"{verb.english} {verb.particle} ?",
            text(f"¿ qué {verb.spanish_form(tense, subject.person)}") + subject.spanish + "?",
            subject,
        ).done("question")
    if choice == "l":
        noun = draw.pick(LOCATED + PEOPLE + nouns_for("pet place -sea"))
        subject = draw_noun_phrase(draw, noun, (("the", "my", "your", "our", "his", "her"),) * 2)
        tense = PRESENT if draw.chance(0.7) else PAST
        return Build(
            "where" + english_be(subject.person, tense) + subject.english + "?",
            "¿ dónde" + spanish_be("estar", subject.person, tense) + subject.spanish + "?",
            subject,
        ).done("question")
    verb = draw.pick(INTRANSITIVE)
    subject = draw_doer(draw, verb)
    tense = draw.tense()
    word, spanish_word = ("where", "dónde")
    if choice == "h":
        verb, spanish_word = GO, "adónde"
    elif draw.chance(0.4) and verb.english != "live":
        word, spanish_word = draw.pick((("why", "por qué"), ("when", "cuándo")))
    return Build(
        text(f"{word} {english_do(subject.person, tense)}")
        + subject.english
        + (verb.english + " ?"),
        text(f"¿ {spanish_word} {verb.spanish_form(tense, subject.person)}")
        + subject.spanish
        + "?",
        subject,
    ).done("question")


def ask_state(draw: Draw) -> Sentence:
    """Is the boy tired? Is the cat on the table? How is your mother? What color is the house?"""
    choice = draw.pick("aaalhcwnn")
    tense = PRESENT if draw.chance(0.7) else PAST
    if choice == "a":
        if draw.chance(0.4):
            subject = draw_person(draw)
        else:
            subject = draw_noun_phrase(draw, draw.pick(NOUN_LIST), SUBJECT, adjective=0)
        adjective = predicate_adjective(draw, subject)
        if adjective is None or (subject.noun and subject.noun.mass):
            return ask_state(draw)
        bonds = ((subject.noun, adjective),) if subject.noun else ()
        return Build(
            english_be(subject.person, tense) + subject.english + adjective.english + "?",
            "¿"
            + spanish_be(adjective.copula, subject.person, tense)
            + adjective.form(subject.gender, subject.plural)
            + subject.spanish
            + "?",
            subject,
        ).done("question", *bonds)
    if choice == "l":
        subject = draw_noun_phrase(
            draw, draw.pick(SMALL_THINGS), (("the", "my", "your", "our"),) * 2, adjective=0.1
        )
        english, spanish, spot = draw_spot(draw)
        return Build(
            english_be(subject.person, tense) + subject.english + english + "?",
            "¿" + spanish_be("estar", subject.person, tense) + subject.spanish + spanish + "?",
            subject,
            spot,
        ).done("question")
    if choice == "h":
        subject = draw_person(draw, pronoun=0.3, name=0.2)
        if subject.english.words == ("I",):
            subject = pronoun_subject("you")
        return Build(
            "how" + english_be(subject.person, tense) + subject.english + "?",
            "¿ cómo" + spanish_be("estar", subject.person, tense) + subject.spanish + "?",
            subject,
        ).done("question")
    if choice == "c":
        noun = draw.pick(
            [n for n in NOUN_LIST if "red" in [a.english for a in ADJECTIVES_FOR[n.english]]]
        )
        subject = draw_noun_phrase(
            draw, noun, (("the", "your", "my", "his", "her"),) * 2, adjective=0.05
        )
        return Build(
            "what color" + english_be(subject.person, tense) + subject.english + "?",
            "¿ de qué color" + spanish_be("ser", subject.person, tense) + subject.spanish + "?",
            subject,
        ).done("question")
    if choice == "w":
        noun = draw.pick(nouns_for("thing clothes pet vehicle furniture child house drink"))
        if noun.mass:
            return ask_state(draw)
        phrase = draw_noun_phrase(draw, noun, ("this", "that"), adjective=0.15)
        head = phrase.english.words[1:]
        return Build(
            text("whose " + " ".join(head))
            + english_be(phrase.person, PRESENT)
            + (phrase.english.words[0] + " ?"),
            "¿ de quién" + spanish_be("ser", phrase.person, PRESENT) + phrase.spanish + "?",
            phrase,
        ).done("question")
    subject = draw_person(draw, pronoun=0.7, name=0.2)
    verb = draw.pick(
        (HAVE, HAVE, VERBS["buy", ""], VERBS["need", ""], VERBS["want", ""], VERBS["see", ""])
    )
    nouns = HAVABLE if verb is HAVE else verb.objects
    noun = draw.pick(
        [n for n in nouns if not n.mass and "body" not in n.tags and not n.tags & {"single"}]
    )
    count = adjective_form("cuánto", noun.default_gender, True)
    question_a = "a " if verb.english == "see" and noun.person else ""
    return Build(
        text(f"how many {noun.in_english(True)} {english_do(subject.person, tense)}")
        + subject.english
        + (verb.english + " ?"),
        text(
            f"¿ {question_a}{count} {noun.in_spanish(noun.default_gender, True)} "
            f"{verb.spanish_form(tense, subject.person)}"
        )
        + subject.spanish
        + "?",
        subject,
    ).done("question")


# --- Verb groups -----------------------------------------------------------------------------

# English, Spanish verb, linking word, is a negated past possible
MODALS = (
    ("can", "poder", ""),
    ("want", "querer", ""),
    ("must", "deber", ""),
    ("be going", "ir", "a"),
    ("have", "tener", "que"),
    ("need", "necesitar", ""),
)


def english_modal(modal: str, person: int, tense: str, negative: bool) -> Words:
    """can, could not, does not want to, is going to, has to, had to."""
    if modal == "can":
        return text(("can" if tense == PRESENT else "could") + (" not" if negative else ""))
    if modal == "must":
        return text("must" + (" not" if negative else ""))
    if modal == "be going":
        return english_be(person, tense, negative) + "going to"
    if negative:
        return text(f"{english_do(person, tense)} not {modal} to")
    if tense == PAST:
        form = {"want": "wanted", "have": "had", "need": "needed"}[modal]
    elif person == HE:
        form = {"want": "wants", "have": "has", "need": "needs"}[modal]
    else:
        form = modal
    return text(form + " to")


def spanish_modal(
    infinitive: str, link: str, person: int, tense: str, negative: bool, clitic=""
) -> Words:
    form = conjugate(infinitive, PRESENT if tense == PRESENT else "imperfect")[person]
    return text(f"{'no' if negative else ''} {clitic} {form} {link}")


def modal(draw: Draw) -> Sentence:
    """Ana wants to buy a dress; we can't swim; I have to see him: lo tengo que ver."""
    name, spanish_name, link = draw.pick(MODALS)
    tense = PRESENT if name == "must" or draw.chance(0.75) else PAST
    negative = draw.chance(0.25)
    choice = draw.pick("iiittttcc")
    clitic, phrase = "", None
    if choice == "i":
        verb = draw.pick(INTRANSITIVE)
        subject = draw_doer(draw, verb)
    elif choice == "c":
        verb = draw.pick(SOCIAL)
        subject = draw_doer(draw, verb)
        word = draw_pronoun_object(draw, subject)
        clitic = OBJECT_PRONOUNS[word][0]
        phrase = NounPhrase(text(word), Words(), HE, "m")
    else:
        verb = draw.pick(
            [v for v in TRANSITIVE if v.english not in ("need", "want", "love", "prefer")]
        )
        subject = draw_doer(draw, verb)
        phrase, subject = draw_object(draw, verb, subject, negative=negative)
    english = (
        subject.english
        + english_modal(name, subject.person, tense, negative)
        + f"{verb.english} {verb.particle}"
    )
    spanish = (
        subject.spanish
        + spanish_modal(spanish_name, link, subject.person, tense, negative, clitic)
        + verb.spanish
    )
    build = Build(english, spanish, subject)
    if phrase is not None:
        build.english += phrase.english
        build.bonds += phrase.bonds
        if not clitic:
            build.spanish += after_verb(verb, phrase)
    if verb.english == "live":
        build.place(draw, 1)
    if name == "be going" and tense == PRESENT and draw.modifier(0.3):
        english, spanish = draw.pick(
            (("tomorrow", "mañana"), ("tonight", "esta noche"), ("today", "hoy"))
        )
        build.english += english
        build.spanish += spanish
    elif choice == "i":
        build.place(draw, 0.3)
    return build.done("modal")


def ask_modal(draw: Draw) -> Sentence:
    """Can you swim? Do you want to eat the cake? Can machines think?"""
    name, spanish_name, link = draw.pick(MODALS[:2] + MODALS[4:5])
    subject = draw_person(draw, pronoun=0.7)
    if draw.chance(0.4):
        verb, phrase = draw.pick(INTRANSITIVE[:5] + INTRANSITIVE[6:]), None
    else:
        verb = draw.pick(
            [v for v in TRANSITIVE if v.english not in ("need", "want", "love", "prefer", "know")]
        )
        phrase, subject = draw_object(draw, verb, subject)
    if name == "can":
        english = "can" + subject.english
    else:
        english = english_do(subject.person, PRESENT) + subject.english + (name + " to")
    english = english + f"{verb.english} {verb.particle}"
    form = conjugate(spanish_name, PRESENT)[subject.person]
    if verb.english == "live":
        verb = INTRANSITIVE[2]
        return ask_modal(draw)
    if link or phrase is not None:  # ¿Tiene que trabajar Ana?  ¿Puede Ana abrir la puerta?
        spanish = text(f"¿ {form} {link} {verb.spanish}") + subject.spanish
        if phrase is not None and not link:
            spanish = text("¿ " + form) + subject.spanish + verb.spanish
    else:
        spanish = text(f"¿ {form} {verb.spanish}") + subject.spanish
    build = Build(english, spanish, subject)
    if phrase is not None:
        build.english += phrase.english
        build.spanish += after_verb(verb, phrase)
        build.bonds += phrase.bonds
    build.english += "?"
    build.spanish += "?"
    return build.done("question")


PROGRESSIVE = [
    verb
    for verb in TRANSITIVE
    if verb.past == "preterite"
    and verb.english not in ("see", "find", "lose", "forget", "break", "remember", "think")
]


def progressive(draw: Draw) -> Sentence:
    """The girl is drawing a horse: la niña está dibujando un caballo."""
    tense, negative = draw.tense(), draw.chance(0.15)
    phrase = None
    if draw.chance(0.4):
        verb = draw.pick([v for v in INTRANSITIVE if v.english != "live"])
        subject = draw_doer(draw, verb)
    else:
        verb = draw.pick(PROGRESSIVE)
        subject = draw_doer(draw, verb)
        phrase, subject = draw_object(draw, verb, subject, negative=negative)
    build = Build(
        subject.english
        + english_be(subject.person, tense, negative)
        + f"{verb.english_ing} {verb.particle}",
        subject.spanish
        + spanish_be("estar", subject.person, tense, negative)
        + verb.spanish_gerund,
        subject,
    )
    if phrase is not None:
        build.english += phrase.english
        build.spanish += after_verb(verb, phrase)
        build.bonds += phrase.bonds
    elif draw.chance(0.5):
        build.place(draw, 0.6)
    return build.time(
        draw, PRESENT, 0.15 if tense == PRESENT else 0, {PRESENT: TIMES[PRESENT][1:2]}
    ).done("progressive")


# --- Larger noun phrases ---------------------------------------------------------------------

COMPARED = [
    ADJECTIVES[name]
    for name in (
        "big",
        "small",
        "old",
        "young",
        "expensive",
        "cheap",
        "long",
        "short",
        "wide",
        "narrow",
        "deep",
        "dangerous",
        "noisy",
        "high",
        "tall",
        "heavy",
        "slow",
        "fast",
        "strong",
        "lazy",
        "interesting",
        "boring",
        "difficult",
        "easy",
        "important",
        "intelligent",
        "famous",
        "beautiful",
        "sweet",
        "quiet",
        "funny",
        "dirty",
        "tired",
        "friendly",
        "thick",
        "rich",
    )
]
LONG_COMPARATIVE = "expensive beautiful dangerous interesting boring difficult important intelligent famous tired".split()
COMPARISON_GROUPS = (
    "person",
    "animal",
    "inside",
    "road",
    "waters",
    "climbed",
    "clothes",
    "vehicle",
    "furniture",
    "fruit",
    "art",
    "idea",
    "town",
    "container",
    "taught",
    "instrument",
    "land",
    "plant",
)


def comparative(adjective: str) -> str:
    """bigger, heavier, more expensive."""
    if adjective in LONG_COMPARATIVE:
        return "more " + adjective
    if adjective in ("big", "hot", "fat", "sad"):
        return adjective + adjective[-1] + "er"
    if adjective.endswith("y"):
        return adjective[:-1] + "ier"
    return adjective + ("r" if adjective.endswith("e") else "er")


def comparison(draw: Draw) -> Sentence:
    """The elephant is bigger than the horse: el elefante es más grande que el caballo."""
    while True:
        adjective = draw.pick(COMPARED)
        group = draw.pick(COMPARISON_GROUPS)
        nouns = [n for n in nouns_for(group) if n.english in adjective.suits and not n.mass]
        if len(nouns) > 1:
            break
    first = draw.pick(nouns)
    second = draw.pick([noun for noun in nouns if noun is not first])
    a = draw_noun_phrase(draw, first, SUBJECT, adjective=0)
    b = draw_noun_phrase(draw, second, DEFINITE, adjective=0)
    tense = draw.tense()
    if draw.chance(0.65):
        english, spanish = text(comparative(adjective.english) + " than"), ("más", "que")
    else:
        english, spanish = text(f"as {adjective.english} as"), ("tan", "como")
    return Build(
        a.english + english_be(a.person, tense) + english + b.english,
        a.spanish
        + spanish_be(adjective.copula, a.person, tense)
        + spanish[0]
        + adjective.form(a.gender, a.plural)
        + spanish[1]
        + b.spanish,
        a,
        b,
    ).done("comparison", (first, adjective), (second, adjective))


COORDINATED = (
    "person",
    "animal",
    "furniture",
    "clothes",
    "fruit",
    "art",
    "vehicle",
    "dishes",
    "building",
    "idea",
    "road",
)


def coordination(draw: Draw) -> Sentence:
    """The king and the queen are tired; my brother and my sister danced."""
    nouns = nouns_for(draw.pick(COORDINATED))
    first, second = draw.pick(nouns), draw.pick(nouns)
    if first is second or "plural" in first.tags | second.tags:
        return coordination(draw)
    determiner = draw.pick(("the", "the", "my", "your", "our"))
    if (
        first.tags & {"place"}
        and "owned" not in first.tags
        or "king" in (first.english, second.english)
    ):
        determiner = "the"
    a, b = noun_phrase(first, determiner), noun_phrase(second, determiner)
    gender = "f" if a.gender == b.gender == "f" else "m"
    english, spanish = a.english + "and" + b.english, a.spanish + "y" + b.spanish
    tense = draw.tense()
    if first.animate and draw.chance(0.5):
        verb = draw.pick([v for v in INTRANSITIVE if v.animals_too or first.person])
        if verb.same_past:
            tense = PRESENT
        build = Build(
            english + english_verb(verb, THEY, tense), spanish + spanish_verb(verb, THEY, tense)
        )
        return (
            build.place(draw, 1 if verb.english == "live" else 0.4)
            .time(draw, tense, 0 if verb.english == "live" else 0.2)
            .done("coordination")
        )
    both = [
        adjective
        for adjective in ADJECTIVES_FOR[first.english]
        if second.english in adjective.suits and not adjective.before_noun
    ]
    if not both:
        return coordination(draw)
    adjective = draw.pick(both)
    negative = draw.chance(0.15)
    degree, spanish_degree = degree_for(draw, adjective)
    return Build(
        english + english_be(THEY, tense, negative) + degree + adjective.english,
        spanish
        + spanish_be(adjective.copula, THEY, tense, negative)
        + spanish_degree
        + adjective.form(gender, True),
    ).done("coordination", (first, adjective), (second, adjective))


def two_objects(draw: Draw) -> Sentence:
    """We bought apples and pears; Ana saw the dog and the cat."""
    verb = draw.pick(
        [
            VERBS[k]
            for k in (
                ("buy", ""),
                ("eat", ""),
                ("see", ""),
                ("sell", ""),
                ("need", ""),
                ("bring", ""),
                ("wash", ""),
                ("draw", ""),
                ("look", "for"),
                ("prefer", ""),
                ("visit", ""),
                ("study", ""),
            )
        ]
    )
    nouns = verb.objects
    if verb.english in ("study", "visit"):
        nouns = [n for n in nouns if not n.person]
    first = draw.pick(nouns)
    group = [
        n
        for n in nouns
        if n is not first and n.tags & first.tags - {"mass", "thing", "heavy", "place"}
    ]
    if not group:
        return two_objects(draw)
    second = draw.pick(group)
    bare = (
        verb.english in ("buy", "eat", "sell", "need", "draw", "bring")
        and first.tags & {"food", "drink", "plant", "animal"}
        and draw.chance(0.5)
    )
    phrases = []
    for noun in (first, second):
        countless = noun.mass or "single" in noun.tags
        if "abstract" in noun.tags:
            phrases.append(noun_phrase(noun, "" if verb.english == "study" else "generic"))
        elif verb.english == "prefer":
            phrases.append(noun_phrase(noun, "generic", not countless))
        elif bare:
            phrases.append(noun_phrase(noun, "", not countless))
        else:
            phrases.append(draw_noun_phrase(draw, noun, ("the",), adjective=0.1))
    a, b = phrases
    subject = draw_person(draw)
    tense = draw.tense()
    return (
        Build(
            subject.english
            + english_verb(verb, subject.person, tense)
            + a.english
            + "and"
            + b.english,
            subject.spanish
            + spanish_verb(verb, subject.person, tense)
            + direct_object(verb, a)
            + "y"
            + direct_object(verb, b),
            subject,
            a,
            b,
        )
        .time(draw, tense, 0.1 if verb.past == "preterite" else 0)
        .done("coordination")
    )


def relative(draw: Draw) -> Sentence:
    """The girl who lives in the castle is shy; the book that I bought is interesting."""
    tense = draw.tense()
    if draw.chance(0.4):  # what somebody did something to
        verb = draw.pick(
            [
                v
                for v in TRANSITIVE
                if v.english not in ("love", "think", "prefer", "climb", "enter", "listen")
            ]
        )
        nouns = [n for n in verb.objects if not n.animate and not n.tags & {"abstract", "season"}]
        if not nouns:
            return relative(draw)
        noun = draw.pick(nouns)
        head = noun_phrase(
            noun, draw.pick(("the", "the", "the", "this", "that")), draw_plural(draw, noun)
        )
        person = draw_person(draw, pronoun=0.7)
        past = tense_for(draw, verb, person, False)
        adjective = draw_adjective(draw, noun, attributive=False)
        if adjective is None or verb.preposition:
            return relative(draw)
        return Build(
            head.english
            + "that"
            + person.english
            + english_verb(verb, person.person, past)
            + english_be(head.person, tense)
            + adjective.english,
            head.spanish
            + "que"
            + person.spanish
            + spanish_verb(verb, person.person, past)
            + spanish_be(adjective.copula, head.person, tense)
            + adjective.form(head.gender, head.plural),
            head,
            person,
        ).done("relative", (noun, adjective))
    noun = draw.pick(PEOPLE + ANIMALS)
    head = draw_noun_phrase(draw, noun, (("the",), ("the",)), adjective=0.08)
    if draw.chance(0.5):
        verb = draw.pick([v for v in INTRANSITIVE if v.animals_too or noun.person])
        past = tense_for(draw, verb, head, False)
        english, spanish, place = draw_place(draw)
        bonds = place.bonds
    else:
        verb = draw.pick(
            [
                v
                for v in TRANSITIVE
                if v.animals_too or (noun.person and v.english not in ("love", "think"))
            ]
        )
        past = tense_for(draw, verb, head, False)
        thing = noun_phrase(draw.pick(verb.objects), "the")
        if {"abstract"} & thing.noun.tags:
            return relative(draw)
        english, spanish, bonds = thing.english, direct_object(verb, thing), ()
    who = "who" if noun.person else "that"
    clause = head.english + who + english_verb(verb, head.person, past) + english
    spanish_clause = head.spanish + "que" + spanish_verb(verb, head.person, past) + spanish
    if draw.chance(0.6):
        adjective = draw_adjective(draw, noun, attributive=False)
        build = Build(
            clause + english_be(head.person, tense) + adjective.english,
            spanish_clause
            + spanish_be(adjective.copula, head.person, tense)
            + adjective.form(head.gender, head.plural),
            head,
        )
        build.bonds += bonds
        return build.done("relative", (noun, adjective))
    main = draw.pick(
        [
            v
            for v in INTRANSITIVE
            if (v.animals_too or noun.person) and v.english != "live" and not v.same_past
        ]
    )
    build = Build(
        clause + english_verb(main, head.person, tense),
        spanish_clause + spanish_verb(main, head.person, tense),
        head,
    )
    build.bonds += bonds
    return build.done("relative")


OWNED = nouns_for(
    "pet clothes thing family vehicle house garden room furniture idea song story farm eye hand "
    "duck hen friend -mirror -party -problem -game"
)


def possession(draw: Draw) -> Sentence:
    """The queen's duck is white; I saw Ana's house: vi la casa de Ana."""
    owner = draw_person(draw, pronoun=0, name=0.45, plural=False)
    noun = draw.pick(OWNED)
    plural = draw_plural(draw, noun) or "body" in noun.tags
    describing = (
        draw_adjective(draw, noun) if draw.modifier(0.2) and "family" not in noun.tags else None
    )
    thing = noun_phrase(noun, "the", plural, describing)
    english = owner.english + "'s" + noun_phrase(noun, "", plural, describing).english
    spanish = thing.spanish + "de" + owner.spanish
    owned = NounPhrase(
        english,
        spanish,
        thing.person,
        thing.gender,
        noun,
        "the",
        owner.bonds + thing.bonds,
        noun.animate,
        noun.person,
    )
    tense, negative = draw.tense(), draw.chance(0.18)
    choice = draw.pick("aaaooltw")
    if choice == "w":
        return Build(
            "where" + english_be(owned.person, tense) + owned.english + "?",
            "¿ dónde" + spanish_be("estar", owned.person, tense) + owned.spanish + "?",
            owned,
        ).done("possession")
    if choice == "t":
        word = draw.pick(("this", "that"))
        forms = DEMONSTRATIVES[word]
        return Build(
            forms[plural] + english_be(owned.person, PRESENT, negative) + owned.english,
            forms[2 + 2 * plural + (owned.gender == "f")]
            + spanish_be("ser", owned.person, PRESENT, negative)
            + owned.spanish,
            owned,
        ).done("possession")
    if choice == "l" and noun.tags & {"thing", "clothes", "pet"}:
        where, donde, spot = draw_spot(draw)
        return Build(
            owned.english + english_be(owned.person, tense, negative) + where,
            owned.spanish + spanish_be("estar", owned.person, tense, negative) + donde,
            owned,
            spot,
        ).done("possession")
    if choice == "o":
        verb = draw.pick(
            [
                v
                for v in TRANSITIVE
                if noun in v.objects
                and not v.preposition
                and v.english
                in (
                    "see",
                    "find",
                    "look",
                    "know",
                    "wash",
                    "buy",
                    "paint",
                    "read",
                    "use",
                    "open",
                    "clean",
                    "remember",
                    "visit",
                    "help",
                    "need",
                    "want",
                    "listen",
                    "understand",
                )
            ]
            or [VERBS["see", ""]]
        )
        subject = draw_person(draw, pronoun=0.8)
        tense = tense_for(draw, verb, subject, negative)
        return (
            Build(
                subject.english
                + english_verb(verb, subject.person, tense, negative)
                + owned.english,
                subject.spanish
                + spanish_verb(verb, subject.person, tense, negative)
                + direct_object(verb, owned),
                subject,
                owned,
            )
            .time(draw, tense, 0.1 if verb.past == "preterite" else 0)
            .done("possession")
        )
    adjective = draw_adjective(draw, noun, attributive=False)
    if adjective is None:
        return possession(draw)
    degree, spanish_degree = degree_for(draw, adjective)
    return Build(
        owned.english + english_be(owned.person, tense, negative) + degree + adjective.english,
        owned.spanish
        + spanish_be(adjective.copula, owned.person, tense, negative)
        + spanish_degree
        + adjective.form(owned.gender, owned.plural),
        owned,
    ).done("possession", (noun, adjective))


# --- Kinds of things, exclamations, passives, plays, weather -------------------------------------

# What kinds of things do: subjects, verb.
GENERIC = [
    ("bird bee eagle butterfly airplane", FLY),
    ("tree flower plant rose child boy girl animal", GROW),
    ("horse dog rabbit fox wolf zebra boy girl tiger", INTRANSITIVE[0 + 1]),
    ("frog duck turtle dog child bear snake tiger", INTRANSITIVE[2]),
    ("cat baby bear lion dog animal child pig bee", INTRANSITIVE[0]),
    ("machine man woman child student animal artist doctor", INTRANSITIVE[15]),
    ("machine doctor teacher bee man woman donkey horse artist", INTRANSITIVE[4]),
    ("bird artist singer child girl boy queen frog", INTRANSITIVE[7]),
    ("child dog cat monkey boy girl squirrel", INTRANSITIVE[9]),
    ("student child artist doctor", INTRANSITIVE[13]),
    ("baby child", INTRANSITIVE[8]),
]
GENERIC_OBJECT = [
    ("cat baby child", VERBS["drink", ""], "milk"),
    ("tree plant flower animal horse cow bee", VERBS["need", ""], "water"),
    ("rabbit horse donkey goat", VERBS["eat", ""], "carrot apple"),
    ("lion wolf tiger eagle dog fox bear panther snake", VERBS["eat", ""], "meat"),
    ("monkey bird giraffe squirrel", VERBS["eat", ""], "banana apple strawberry fruit"),
    ("mouse child", VERBS["eat", ""], "cheese bread cookie"),
    ("student teacher child", VERBS["read", ""], "book story"),
    ("teacher student artist child", VERBS["need", ""], "book pencil notebook idea"),
    ("artist child", VERBS["draw", ""], "animal flower house tree"),
    ("singer student", VERBS["learn", ""], "song language word"),
    ("king queen", VERBS["have", ""] if ("have", "") in VERBS else HAVE, "castle horse"),
    ("child student baby", VERBS["need", ""], "toy music friend summer"),
]


def generic(draw: Draw) -> Sentence:
    """Trees grow: los árboles crecen. Can machines think? Cats drink milk."""
    thing = None
    if draw.chance(0.6):
        subjects, verb = draw.pick(GENERIC)
    else:
        subjects, verb, objects = draw.pick(GENERIC_OBJECT)
        noun = draw.pick(
            [
                n
                for n in nouns_for(objects)
                if n.english in objects.split() and "season" not in n.tags
            ]
        )
        thing = noun_phrase(noun, "", not noun.mass)
    noun = draw.pick([n for n in nouns_for(subjects) if n.english in subjects.split()])
    describing = draw_adjective(draw, noun) if draw.modifier(0.15) else None
    choice = draw.pick("sssssnncq")
    if choice == "q":
        subject = noun_phrase(noun, "generic", True)
        if thing is None:
            return Build(
                "can" + subject.english + (verb.english + " ?"),
                text("¿ pueden " + verb.spanish) + subject.spanish + "?",
            ).done("generic")
        return Build(
            "do" + subject.english + verb.english + thing.english + "?",
            text("¿ " + verb.spanish_form(PRESENT, THEY)) + subject.spanish + thing.spanish + "?",
        ).done("generic")
    determiner = "generic"
    if choice == "c":
        determiner = (
            draw.pick(("the", "those", "these", "many", "some"))
            .replace("those", "that")
            .replace("these", "this")
        )
    subject = noun_phrase(noun, determiner, True, describing)
    negative = choice == "n"
    tense = (
        PAST if draw.chance(0.25) and not verb.same_past and verb.past == "preterite" else PRESENT
    )
    if tense == PAST and determiner == "generic":
        subject = noun_phrase(noun, "the", True, describing)
    build = Build(
        subject.english + english_verb(verb, THEY, tense, negative),
        subject.spanish + spanish_verb(verb, THEY, tense, negative),
        subject,
    )
    if thing is not None:
        build.english += thing.english
        build.spanish += thing.spanish
    return build.time(draw, tense, 0.2).done("generic")


EXCLAIMED = nouns_for(
    "person animal building place food clothes furniture vehicle art idea thing plant body day night "
    "instrument machine town language storm -family"
)


def exclamation(draw: Draw) -> Sentence:
    """What a beautiful house! ¡Qué casa tan hermosa!"""
    noun = draw.pick(EXCLAIMED)
    adjectives = [
        a
        for a in ADJECTIVES_FOR[noun.english]
        if a.attributive
        and a.gradable
        and a.copula == "ser"
        and not a.before_noun
        and a.spanish
        not in (
            "rojo",
            "blanco",
            "negro",
            "amarillo",
            "verde",
            "azul",
            "redondo",
            "nuevo",
            "español",
        )
    ]
    if not adjectives:
        return exclamation(draw)
    adjective = draw.pick(adjectives)
    plural = draw_plural(draw, noun, 0.4)
    countless = plural or noun.mass
    phrase = noun_phrase(noun, "" if countless else "a", plural, adjective)
    return Build(
        "what" + phrase.english + "!",
        text(
            f"¡ qué {noun.in_spanish(phrase.gender, plural)} tan "
            f"{adjective.form(phrase.gender, plural)} !"
        ),
        phrase,
    ).done("exclamation")


PASSIVES = [
    (VERBS["paint", ""], "painted"),
    (VERBS["build", ""], "built"),
    (VERBS["write", ""], "written"),
    (VERBS["break", ""], "broken"),
    (VERBS["open", ""], "opened"),
    (VERBS["close", ""], "closed"),
    (VERBS["find", ""], "found"),
    (VERBS["draw", ""], "drawn"),
    (VERBS["wash", ""], "washed"),
    (VERBS["cook", ""], "cooked"),
    (VERBS["hide", ""], "hidden"),
]


def passive(draw: Draw) -> Sentence:
    """The house was painted by my father: la casa fue pintada por mi padre."""
    verb, form = draw.pick(PASSIVES)
    noun = draw.pick([n for n in verb.objects if not n.person and "tree" != n.english])
    thing = draw_noun_phrase(draw, noun, DEFINITE, adjective=0.1)
    doer = draw_person(draw, pronoun=0, name=0.35)
    negative = draw.chance(0.15)
    spanish_form = adjective_form(participle(verb.spanish), thing.gender, thing.plural)
    return (
        Build(
            thing.english
            + english_be(thing.person, PAST, negative)
            + (form + " by")
            + doer.english,
            thing.spanish
            + (("no " if negative else "") + ("fueron" if thing.plural else "fue"))
            + (spanish_form + " por")
            + doer.spanish,
            thing,
            doer,
        )
        .time(draw, PAST, 0.1)
        .done("passive")
    )


INSTRUMENTS = nouns_for("instrument drum")


def play(draw: Draw) -> Sentence:
    """Ana plays the guitar: Ana toca la guitarra. We play soccer: jugamos al fútbol."""
    subject = draw_person(draw)
    tense, negative = draw.tense(), draw.chance(0.2)
    if draw.chance(0.5):
        verb, english, spanish = INTRANSITIVE[9], "soccer", "al fútbol"
    else:
        instrument = noun_phrase(draw.pick(INSTRUMENTS), "the")
        verb, english, spanish = VERBS["play", ""], instrument.english, instrument.spanish
    return (
        Build(
            subject.english + english_verb(verb, subject.person, tense, negative) + english,
            subject.spanish + spanish_verb(verb, subject.person, tense, negative) + spanish,
            subject,
        )
        .place(draw, 0.25)
        .time(draw, tense, 0.3)
        .done("play")
    )


def speak(draw: Draw) -> Sentence:
    """My uncle speaks English: mi tío habla inglés."""
    subject = draw_person(draw)
    tense, negative = draw.tense(), draw.chance(0.25)
    noun = draw.pick((NOUNS["Spanish"], NOUNS["English"]))
    build = Build(
        subject.english + english_verb(SPEAK, subject.person, tense, negative) + noun.english,
        subject.spanish + spanish_verb(SPEAK, subject.person, tense, negative) + noun.spanish,
        subject,
    )
    if draw.chance(0.4):
        friend = draw_person(draw, pronoun=0, name=0.4)
        build.english += "with" + friend.english
        build.spanish += "con" + friend.spanish
        build.bonds += friend.bonds
    return build.time(draw, tense, 0.2).done("speak")


FRAMES = (
    (transitive, 14),
    (chase, 1.5),
    (intransitive, 6),
    (grow_or_fly, 2),
    (motion, 3),
    (copular, 8.5),
    (profession, 1.5),
    (identify, 2.5),
    (location, 3.5),
    (there_is, 3),
    (feeling, 2),
    (have, 3),
    (like, 9),
    (like_question, 2.5),
    (like_doing, 1.5),
    (interested, 2),
    (left, 1),
    (hurt, 1.5),
    (object_pronoun, 2.5),
    (and_it, 3),
    (have_and_use, 1),
    (ditransitive, 4.5),
    (reflexive, 1.5),
    (wash_body, 0.7),
    (ask_action, 3),
    (ask_who, 1.7),
    (ask_what, 1.7),
    (ask_state, 3),
    (ask_modal, 1),
    (modal, 5),
    (progressive, 4),
    (comparison, 3),
    (coordination, 2.5),
    (two_objects, 2),
    (relative, 4),
    (possession, 5),
    (generic, 1.2),
    (exclamation, 2),
    (passive, 2),
    (play, 1),
    (speak, 0.6),
)
