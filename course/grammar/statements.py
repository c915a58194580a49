"""Plain statements: who does what, who is what, what is where.

Each frame takes a `Draw` and writes one sentence, such as its docstring shows; FRAMES at the end
gives their weights.
"""

from course.grammar.lexicon import ADJECTIVES, ADJECTIVES_FOR, NOUNS, Adjective, nouns_for, opposite
from course.grammar.morphology import PRESENT, adjective_form, participle
from course.grammar.phrases import (
    CAN,
    DETERMINERS,
    HE,
    NUMBERS,
    PAST,
    NounPhrase,
    agreeing,
    be,
    finite,
    modal_phrase,
    noun_phrase,
    object_of,
    question,
)
from course.grammar.random_choices import (
    ANIMALS,
    DEFINITE,
    OBJECT,
    SEASON_TIMES,
    STATE_TIMES,
    THE,
    Draw,
    draw_beside,
    draw_doer,
    draw_noun_phrase,
    draw_object,
    draw_person,
    draw_place,
    draw_plural,
    draw_spot,
    draw_time,
    starts_again,
)
from course.grammar.verbs import (
    ARRIVE,
    CATCH,
    CHASE,
    COME,
    DOES,
    FLY,
    GO,
    GROW,
    HAVE,
    INTRANSITIVE,
    RETURN,
    SPEAK,
    TRANSITIVE,
    VERBS,
    Verb,
)
from course.grammar.words import IN, NEAR, NOTHING, WITH, Phrase, Sentence, both, sentence, text

NOUN_LIST = list(NOUNS.values())
# --- What somebody does ----------------------------------------------------------------------

# Verbs whose place or time would sound strange beside them.
NO_PLACE = set("cross climb enter visit paint clean build follow think bring".split())
NO_TIME = {"build", "break", "find"}


def tense_for(draw: Draw, verb: Verb, subject: NounPhrase, negative: bool = False) -> str:
    """Draw a tense, but not the past where English looks like the present: "I read" is present."""
    tense = draw.tense()
    if verb.same_past and not negative and subject.person != HE:
        return PRESENT
    return tense


def transitive(draw: Draw) -> Sentence:
    """Ana opened the door in the morning."""
    verb = draw.pick(TRANSITIVE)
    negative = draw.chance(0.2, "not")
    thing, subject = draw_object(draw, verb, draw_doer(draw, verb), negative=negative)
    tense = tense_for(draw, verb, subject, negative)
    clause = subject + finite(verb, subject, tense, negative) + object_of(verb, thing)
    if not verb.state:
        if verb.english not in NO_PLACE:
            clause += draw_place(draw, 0.08, subject)
        if verb.english not in NO_TIME:
            clause += draw_time(draw, tense, 0.15)
    return sentence("transitive", clause)


HUNTERS = nouns_for("hunter")


def chase(draw: Draw) -> Sentence:
    """The dog chased the cat."""
    verb = draw.pick((CHASE, CATCH))
    subject = draw_noun_phrase(draw, draw.pick(HUNTERS))
    prey = draw_noun_phrase(draw, draw.pick(verb.objects), OBJECT)
    tense, negative = draw.tense_and_not(0.2)
    clause = subject + finite(verb, subject, tense, negative) + object_of(verb, prey)
    clause += draw_place(draw, 0.2, prey)
    return sentence("chase", clause + draw_time(draw, tense, 0.1 if tense == PAST else 0))


TOGETHER = {"live", "work", "sleep", "play", "sing", "dance", "swim", "walk", "study", "eat"}
ANYWHERE = {"think"}  # no place with these


def intransitive(draw: Draw) -> Sentence:
    """The boys danced in the park last night; I live with my mother."""
    verb = draw.pick(INTRANSITIVE)
    subject = draw_doer(draw, verb, pronouns=0.62)
    negative = draw.chance(0.2, "not")
    tense = tense_for(draw, verb, subject, negative)
    clause = subject + finite(verb, subject, tense, negative)
    company = verb.english in TOGETHER and subject.human and draw.chance(0.25)
    if company:
        clause += WITH + draw_person(draw, pronouns=0, names=0.35)
    if verb.english == "live":
        return sentence("intransitive", clause + draw_place(draw, 0.3 if company else 1, subject))
    if verb.english not in ANYWHERE:
        clause += draw_place(draw, 0.15 if company else 0.5, subject)
    return sentence("intransitive", clause + draw_time(draw, tense, 0.4))


GROWING = nouns_for("plant apple potato tomato strawberry pear lemon -cake")
FLYING = nouns_for("flies flying")


def does_or_can(draw: Draw, verb: Verb, subject: NounPhrase, tense: str, negative: bool) -> Phrase:
    """The verb of a clause, as a habit, an ability or in progress: flies, can fly, is flying."""
    form = draw.weighted({"does": 6, "can": 2, "is doing": 2})
    if form == "can":
        return modal_phrase(CAN, verb, subject, tense, negative)
    if form == "is doing":
        doing = both(verb.english_ing, verb.spanish_gerund)
        return be("estar", subject, tense, negative) + doing
    return finite(verb, subject, tense, negative)


def grow_or_fly(draw: Draw) -> Sentence:
    """The trees grew in the garden; the eagle flew near the mountain."""
    tense, negative = draw.tense_and_not(0.2)
    if draw.chance(0.6):
        noun = draw.pick(GROWING)
        beside = 0 if "food" in noun.tags else 0.25
        subject = draw_noun_phrase(draw, noun, plural=draw.chance(0.5), adjective=beside)
        place = draw.pick(("garden", "field", "forest", "park", "meadow", "house", "river", "tree"))
        where = draw_noun_phrase(draw, NOUNS[place], DEFINITE, plural=False, adjective=0.1)
        around = IN if "land" in NOUNS[place].tags else NEAR
        clause = subject + does_or_can(draw, GROW, subject, tense, negative)
        if draw.modifier(0.6) and subject.noun.english != place:
            clause += around + where
        return sentence("grow", clause + draw_time(draw, tense, 0.2, SEASON_TIMES))
    subject = draw_noun_phrase(draw, draw.pick(FLYING))
    clause = subject + does_or_can(draw, FLY, subject, tense, negative)
    where = draw_noun_phrase(draw, draw.pick(FLOWN_OVER), THE, plural=False, adjective=0.15)
    if draw.modifier(0.6):
        clause += draw.pick((both("over", "sobre"), NEAR)) + where
    return sentence("fly", clause + draw_time(draw, tense, 0.25))


FLOWN_OVER = nouns_for(
    "house river lake sea mountain city town forest field garden castle tower "
    "island church tree hill beach desert"
)
GOALS = nouns_for(
    "building town land river lake lagoon pool sea mountain hill bridge square kitchen garage"
)


def motion(draw: Draw) -> Sentence:
    """We went to the beach yesterday; Ana arrived at the station."""
    verb = draw.pick((GO, GO, GO, COME, ARRIVE, RETURN))
    subject = draw_doer(draw, verb, pronouns=0.6)
    goals = GOALS if subject.human else WATERING_PLACES
    if verb is ARRIVE:
        goals = [noun for noun in goals if "room" not in noun.tags]
    goal = draw_noun_phrase(draw, draw.pick(goals), DEFINITE, plural=False, adjective=0.1)
    to = "to"
    if verb is ARRIVE:
        to = "in" if "town" in goal.noun.tags else "at"
    tense, negative = draw.tense_and_not(0.2)
    clause = subject + finite(verb, subject, tense, negative) + both(to, "a") + goal
    return sentence("motion", clause + draw_time(draw, tense, 0.35))


WATERING_PLACES = nouns_for(
    "river lake lagoon forest field garden house bridge tree hill barn meadow park"
)


def speak(draw: Draw) -> Sentence:
    """My uncle speaks English with Ana."""
    subject = draw_person(draw)
    tense, negative = draw.tense_and_not(0.25)
    language = noun_phrase(draw.pick((NOUNS["Spanish"], NOUNS["English"])), "")
    clause = subject + finite(SPEAK, subject, tense, negative) + language
    if draw.chance(0.4):
        clause += WITH + draw_person(draw, pronouns=0, names=0.4)
    return sentence("speak", clause + draw_time(draw, tense, 0.2))


INSTRUMENTS = nouns_for("instrument drum")
PLAYGROUNDS = nouns_for("park garden field meadow square")


def play(draw: Draw) -> Sentence:
    """Ana plays the guitar: toca la guitarra. We play soccer: jugamos al fútbol."""
    subject = draw_person(draw)
    tense, negative = draw.tense_and_not(0.2)
    if draw.chance(0.5):
        clause = subject + finite(DOES["play"], subject, tense, negative)
        clause += both("soccer", "al fútbol")
        if draw.modifier(0.3):
            clause += IN + draw_noun_phrase(
                draw, draw.pick(PLAYGROUNDS), DEFINITE, plural=False, adjective=0.1
            )
    else:
        clause = subject + finite(VERBS["play"], subject, tense, negative)
        clause += noun_phrase(draw.pick(INSTRUMENTS), "the")
    return sentence("play", clause + draw_time(draw, tense, 0.3))


# What kinds of things do: nouns, verb, and what they do it to.
GENERAL_TRUTHS = (
    ("bird bee eagle butterfly airplane", FLY, ""),
    ("tree flower plant rose child animal", GROW, ""),
    ("horse dog rabbit fox wolf boy tiger", DOES["run"], ""),
    ("frog duck turtle dog bear snake tiger", DOES["swim"], ""),
    ("cat baby bear lion dog child pig", DOES["sleep"], ""),
    ("machine man woman child student artist computer", DOES["think"], ""),
    ("machine doctor teacher bee donkey horse artist", DOES["work"], ""),
    ("bird artist child girl boy queen", DOES["sing"], ""),
    ("child dog cat monkey boy girl", DOES["play"], ""),
    ("student child doctor", DOES["study"], ""),
    ("baby child", DOES["cry"], ""),
    ("cat baby child", VERBS["drink"], "milk"),
    ("tree plant flower animal horse cow bee", VERBS["need"], "water"),
    ("rabbit horse donkey goat", VERBS["eat"], "carrot apple"),
    ("lion wolf tiger eagle dog fox panther snake", VERBS["eat"], "meat"),
    ("monkey bird giraffe squirrel elephant", VERBS["eat"], "banana apple strawberry"),
    ("mouse child", VERBS["eat"], "cheese bread"),
    ("student teacher child", VERBS["read"], "book story"),
    ("teacher student artist child", VERBS["need"], "book pencil idea"),
    ("artist child", VERBS["draw"], "animal flower house tree"),
    ("artist student", VERBS["learn"], "song language word"),
    ("king queen", HAVE, "castle horse"),
    ("house", HAVE, "door window"),
    ("child baby", VERBS["need"], "toy friend music"),
)


def general_truth(draw: Draw) -> Sentence:
    """Trees grow: los árboles crecen. The machines are thinking. Do cats drink milk?"""
    subjects, verb, objects = draw.pick(GENERAL_TRUTHS)
    noun = NOUNS[draw.pick(subjects.split())]
    thing = NOTHING
    if objects:
        other = NOUNS[draw.pick(objects.split())]
        thing = noun_phrase(other, "", not other.mass)
    kind = draw.weighted({"always": 3, "some": 3, "can": 1.5, "ask": 1.5})
    if kind == "ask":
        return sentence("general truth", ask_truth(noun_phrase(noun, "generic", True), verb, thing))
    determiner = "generic"
    if kind == "some":
        determiner = draw.pick(("the", "the", "that", "this", "many", "some", "all the"))
    subject = noun_phrase(noun, determiner, True, draw_beside(draw, noun, 0.15))
    if kind == "can" and not verb.state:
        doing = modal_phrase(CAN, verb, subject, PRESENT)
    elif kind == "some" and not verb.state and draw.chance(0.4):
        doing = be("estar", subject, PRESENT) + both(verb.english_ing, verb.spanish_gerund)
    elif kind == "some" and not verb.same_past:
        doing = finite(verb, subject, draw.tense(), draw.chance(0.2))
    else:
        doing = finite(verb, subject, PRESENT)
    return sentence("general truth", subject + doing + thing)


def ask_truth(subject: NounPhrase, verb: Verb, thing: Phrase) -> Phrase:
    """A general question: Do cats drink milk? If `thing` is NOTHING: Can machines think?"""
    if thing is NOTHING:
        first, doing = "can", modal_phrase(CAN, verb, subject, PRESENT)
    else:
        first, doing = "do", finite(verb, subject, PRESENT)
    asked = Phrase(first + subject.english + verb.english, doing.spanish + subject.spanish)
    return question(asked + thing)


# --- What somebody or something is -------------------------------------------------------------

DEGREES = (
    NOTHING,
    NOTHING,
    NOTHING,
    both("very", "muy"),
    both("very", "muy"),
    both("too", "demasiado"),
)
NOT_OF_ME = ("old", "strange", "beautiful", "weak", "thin", "married", "rich", "poor")


def draw_predicate(draw: Draw, subject: NounPhrase) -> Adjective | None:
    """An adjective to follow "is", or None if there is none.

    It isn't one that already stands beside the subject, nor the opposite of that.
    """
    if subject.noun is not None:
        suitable = ADJECTIVES_FOR[subject.noun.english]
    else:
        everybody = ADJECTIVES_FOR["woman" if subject.gender == "f" else "man"]
        suitable = [a for a in everybody if a.english not in NOT_OF_ME]
    beside = subject.adjective
    suitable = [
        adjective
        for adjective in suitable
        if not (adjective.before_noun or adjective is beside or opposite(adjective, beside))
    ]
    return draw.pick(suitable) if suitable else None


def state(
    draw: Draw, subject: NounPhrase, adjective: Adjective, tense: str, negative: bool = False
) -> Phrase:
    """What follows the subject: is (very) tired / está (muy) cansado."""
    degree = draw.pick(DEGREES) if adjective.gradable and not negative else NOTHING
    return be(adjective.copula, subject, tense, negative) + degree + agreeing(adjective, subject)


def draw_anything(draw: Draw) -> NounPhrase:
    """A noun phrase with any noun, to say something about."""
    noun = draw.pick(NOUN_LIST)
    if noun.mass and ("abstract" in noun.tags or draw.chance(0.4)):
        return noun_phrase(noun, "the" if "food" in noun.tags else "generic")
    return draw_noun_phrase(draw, noun, adjective=0.06)


@starts_again
def quality(draw: Draw) -> Sentence:
    """The street is very wide; we were tired."""
    tense, negative = draw.tense_and_not(0.18)
    if draw.chance(0.28):
        subject = draw_person(draw, pronouns=0.75, names=0.15)
    else:
        subject = draw_anything(draw)
    adjective = draw_predicate(draw, subject)
    if adjective is None:
        return quality(draw)
    clause = subject + state(draw, subject, adjective, tense, negative)
    if adjective.copula == "estar":
        clause += draw_time(draw, tense, 0.06, STATE_TIMES)
    return sentence("quality", clause, *subject.bond(adjective))


JOBS = nouns_for("job")


@starts_again
def profession(draw: Draw) -> Sentence:
    """My sister is a doctor: es doctora. She is a good teacher: es una buena profesora."""
    subject = draw_person(draw, pronouns=0.55, names=0.2)
    tense, negative = draw.tense_and_not(0.2)
    noun = draw.pick(JOBS)
    beside = draw_beside(draw, noun, 0.3)
    if beside and beside.copula == "estar":
        beside = None
    if subject.noun in (*JOBS, NOUNS["child"], NOUNS["baby"]):
        return profession(draw)
    plural = subject.plural
    job = noun_phrase(noun, "" if plural else "a", plural, beside, gender=subject.gender)
    if not beside:  # es doctora, without un(a)
        job = Phrase(job.english, noun_phrase(noun, "", plural, gender=subject.gender).spanish)
    return sentence("profession", subject + be("ser", subject, tense, negative) + job)


NAMED = nouns_for(
    "person animal thing clothes vehicle building town idea furniture plant drink food room art "
    "instrument island park garden -word"
)


def this_is(draw: Draw, phrase: NounPhrase, negative: bool) -> Phrase:
    """These are / estos son, agreeing with what follows."""
    forms = DETERMINERS[draw.pick(("this", "that"))]
    pointing = both(forms[phrase.plural], forms[2 + 2 * phrase.plural + (phrase.gender == "f")])
    return pointing + be("ser", phrase, PRESENT, negative)


OWNERS = (("my", "my", "your", "his", "her", "our", "their"),) * 2


def identify(draw: Draw) -> Sentence:
    """These are my shoes: estos son mis zapatos. That is a big house."""
    noun = draw.pick(NAMED)
    place = "place" in noun.tags and "owned" not in noun.tags
    countable = not noun.mass and "single" not in noun.tags
    if countable and (place or draw.chance(0.35)) and "family" not in noun.tags:
        phrase = draw_noun_phrase(draw, noun, (("a",), ("",)), plural=False, adjective=0.85)
    elif place:
        phrase = draw_noun_phrase(draw, noun, THE, adjective=0)
    else:
        phrase = draw_noun_phrase(draw, noun, OWNERS)
    return sentence("identify", this_is(draw, phrase, draw.chance(0.2)) + phrase)


# --- Where things are ------------------------------------------------------------------------

LOOSE_THINGS = nouns_for("thing food clothes")
KEPT_THINGS = nouns_for("thing food clothes pet furniture")


def location(draw: Draw) -> Sentence:
    """The key is under the bed; my brother was at the station."""
    tense, negative = draw.tense_and_not(0.18)
    if draw.chance(0.5):
        subject = draw_noun_phrase(draw, draw.pick(KEPT_THINGS), adjective=0.15)
        where = draw_spot(draw, subject.noun)
    elif draw.chance(0.65):
        subject = draw_person(draw)
        where = draw_place(draw)
    else:
        subject = draw_noun_phrase(draw, draw.pick(ANIMALS), adjective=0.15)
        where = draw_place(draw, 1, subject)
    clause = subject + be("estar", subject, tense, negative) + where
    return sentence("location", clause + draw_time(draw, tense, 0.1, STATE_TIMES))


IN_TOWN = nouns_for(
    "vehicle house bridge restaurant store church tower hotel castle museum school tree wall party"
    " -airplane -boat"
)
OUTSIDE = nouns_for("person animal -family -king -queen") + nouns_for("plant rock lake")


def there_is(draw: Draw) -> Sentence:
    """There are two cats in the garden: hay dos gatos en el jardín."""
    tense, negative = draw.tense_and_not(0.15)
    indoors = draw.chance(0.45)
    noun = draw.pick(
        nouns_for("thing food clothes drink furniture") if indoors else OUTSIDE + IN_TOWN
    )
    beside = draw_beside(draw, noun, 0.3)
    if noun.mass:
        phrase = noun_phrase(noun, "")
    elif negative:
        phrase = noun_phrase(noun, "any", True, beside)
    elif draw_plural(draw, noun, 0.5):
        phrase = noun_phrase(noun, draw.pick(("some", "many", *NUMBERS)), True, beside)
    else:
        phrase = noun_phrase(noun, "a", False, beside)
    if indoors:
        where = draw_spot(draw, noun)
    elif noun in IN_TOWN:
        place = draw.pick(nouns_for("street square avenue city town river hill park beach"))
        where = NEAR
        if "waters" not in place.tags:
            where = draw.pick((IN, NEAR), sure=False)
        if where is IN and place.english in ("street", "avenue", "hill", "beach"):
            where = both("on", "en")
        where += draw_noun_phrase(draw, place, DEFINITE, plural=False, adjective=0.12)
    else:
        where = draw_place(draw, 1, phrase)
    there = Phrase(
        "there" + be("ser", phrase, tense, negative).english,
        text(("no " if negative else "") + ("hay" if tense == PRESENT else "había")),
    )
    return sentence("there is", there + phrase + where)


# --- What somebody has -----------------------------------------------------------------------

# be hungry: to have hunger; the third word is the gender that "very" (mucho, mucha) agrees with.
FEELINGS = {
    "hungry": ("hambre", "f"),
    "thirsty": ("sed", "f"),
    "sleepy": ("sueño", "m"),
    "afraid": ("miedo", "m"),
    "cold": ("frío", "m"),
    "hot": ("calor", "m"),
}


def feel(name: str, subject: NounPhrase, tense: str, negative: bool = False, very: bool = False):
    """How the subject feels: is very hungry / tiene mucha hambre. name: a key of FEELINGS."""
    spanish, gender = FEELINGS[name]
    degree = both("very", adjective_form("mucho", gender, False)) if very else NOTHING
    return be("tener", subject, tense, negative) + degree + both(name, spanish)


def feeling(draw: Draw) -> Sentence:
    """I am very hungry: tengo mucha hambre."""
    if draw.chance(0.2):
        subject = draw_noun_phrase(draw, draw.pick(ANIMALS), adjective=0.1)
        name = draw.pick(tuple(FEELINGS)[:4])
    else:
        subject = draw_person(draw, pronouns=0.6)
        name = draw.pick(tuple(FEELINGS))
    tense, negative = draw.tense_and_not(0.2)
    clause = subject + feel(name, subject, tense, negative, draw.chance(0.3))
    return sentence("feeling", clause + draw_time(draw, tense, 0.12, STATE_TIMES))


RELATIVES = nouns_for("son daughter brother sister uncle aunt cousin friend neighbor child baby")
POSSESSIONS = nouns_for(
    "pet clothes thing furniture vehicle house garden idea question instrument cow hen goat duck "
    "game problem room machine apple egg cake -rug -trophy -kitchen -language -party"
)
HAVABLE = RELATIVES + POSSESSIONS
FEATURES = {"eye": ("big", "blue"), "hand": ("big", "small"), "foot": ("big", "small")}


def have(draw: Draw) -> Sentence:
    """Ana has two brothers; we don't have any apples; he has big eyes."""
    subject = draw_person(draw, pronouns=0.6, names=0.2)
    tense, negative = draw.tense_and_not(0.2)
    if draw.chance(0.06):
        noun = NOUNS[draw.pick(tuple(FEATURES))]
        feature = ADJECTIVES[draw.pick(FEATURES[noun.english])]
        part = noun_phrase(noun, "generic", True, feature)
        return sentence("have", subject + finite(HAVE, subject, tense) + part)
    noun = draw.pick(HAVABLE, sure=False)
    if draw.chance(0.1):
        noun = draw.pick(nouns_for("drink bread cheese meat rice chocolate"))
    beside = draw_beside(draw, noun, 0.3)
    if noun.mass:
        thing = noun_phrase(noun, "")
    elif negative:
        thing = noun_phrase(noun, "any", True, beside)
    elif draw_plural(draw, noun, 0.45):
        thing = noun_phrase(noun, draw.pick((*NUMBERS, "many")), True, beside)
    else:
        thing = noun_phrase(noun, draw.pick(("a", "a", "a", "another")), False, beside)
    return sentence("have", subject + finite(HAVE, subject, tense, negative) + thing)


# --- Exclamations and passives ---------------------------------------------------------------

ADMIRED = nouns_for(
    "person animal building place food clothes furniture vehicle art idea thing plant eye hand day "
    "night instrument machine town storm taught -family"
)
NOT_EXCLAIMED = {"red", "white", "black", "yellow", "green", "blue", "round", "new"}


@starts_again
def exclamation(draw: Draw) -> Sentence:
    """What a beautiful house! ¡Qué casa tan hermosa!"""
    noun = draw.pick(ADMIRED)
    suitable = [
        adjective
        for adjective in ADJECTIVES_FOR[noun.english]
        if adjective.copula == "ser"
        and not adjective.before_noun
        and adjective.english not in NOT_EXCLAIMED
    ]
    if not suitable:
        return exclamation(draw)
    adjective = draw.pick(suitable)
    plural = draw_plural(draw, noun, 0.4)
    phrase = noun_phrase(noun, "" if plural or noun.mass else "a", plural, adjective)
    head = noun.in_spanish(phrase.gender, plural)
    spanish = text(f"¡ qué {head} tan {adjective.form(phrase.gender, plural)} !")
    return sentence("exclamation", Phrase("what" + phrase.english + "!", spanish, phrase.bonds))


PARTICIPLES = {
    "paint": "painted",
    "build": "built",
    "write": "written",
    "break": "broken",
    "open": "opened",
    "close": "closed",
    "find": "found",
    "draw": "drawn",
    "wash": "washed",
    "cook": "cooked",
    "hide": "hidden",
}


def passive(draw: Draw) -> Sentence:
    """The house was painted by my father: la casa fue pintada por mi padre."""
    verb = VERBS[draw.pick(tuple(PARTICIPLES))]
    noun = draw.pick([noun for noun in verb.objects if not noun.person])
    thing = draw_noun_phrase(draw, noun, DEFINITE, adjective=0.1)
    doer = draw_person(draw, pronouns=0, names=0.35)
    negative = draw.chance(0.15, "not")
    was = Phrase(
        be("ser", thing, PAST, negative).english,
        text(("no " if negative else "") + ("fueron" if thing.plural else "fue")),
    )
    done = adjective_form(participle(verb.spanish), thing.gender, thing.plural)
    clause = thing + was + both(PARTICIPLES[verb.english] + " by", done + " por") + doer
    if verb.english not in NO_TIME:
        clause += draw_time(draw, PAST, 0.12)
    return sentence("passive", clause)


FRAMES = {
    transitive: 17,
    chase: 1.5,
    intransitive: 8,
    grow_or_fly: 2,
    motion: 4,
    speak: 0.8,
    play: 1,
    general_truth: 2.5,
    quality: 8.5,
    profession: 1.5,
    identify: 2.5,
    location: 3.5,
    there_is: 3,
    feeling: 2,
    have: 3,
    exclamation: 2,
    passive: 2,
}
