"""Larger sentences: modal verbs, comparison, "and", relative clauses, possession.

The docstring of a frame shows what it writes.
"""

from course.grammar.clitics import SOCIAL
from course.grammar.lexicon import ADJECTIVES, ADJECTIVES_FOR, nouns_for
from course.grammar.morphology import PRESENT
from course.grammar.phrases import (
    GOING,
    MODALS,
    MUST,
    OBJECT_PRONOUNS,
    PAST,
    NounPhrase,
    agreeing,
    be,
    finite,
    joined,
    modal_phrase,
    natural,
    noun_phrase,
    object_of,
    owned,
    pronoun,
    question,
)
from course.grammar.questions import AFTER_MODAL, NOT_AFTER_MODAL
from course.grammar.random_choices import (
    ANIMALS,
    CERTAIN,
    DEFINITE,
    PEOPLE,
    THE,
    Draw,
    draw_beside,
    draw_doer,
    draw_noun_phrase,
    draw_object,
    draw_object_pronoun,
    draw_person,
    draw_place,
    draw_plural,
    draw_spot,
    draw_time,
    starts_again,
)
from course.grammar.statements import (
    FEELINGS,
    GOALS,
    draw_predicate,
    feel,
    state,
    tense_for,
    this_is,
)
from course.grammar.verbs import ARRIVE, COME, DOES, GO, INTRANSITIVE, RETURN, TRANSITIVE, verbs_for
from course.grammar.words import AND, NOTHING, Phrase, Sentence, both, sentence

# --- Verbs before verbs ----------------------------------------------------------------------

LATER = (both("tomorrow", "mañana"), both("tonight", "esta noche"), both("today", "hoy"))


def modal(draw: Draw) -> Sentence:
    """Ana wants to buy a dress; we can't swim; I have to see him: lo tengo que ver."""
    kind = draw.weighted({"alone": 3, "object": 5, "pronoun": 2})
    name = draw.pick(MODALS if kind != "pronoun" else MODALS[:-1])  # not: lo necesito ver
    tense = PRESENT if name is MUST else draw.tense(past=0.25)
    negative = draw.chance(0.25, "not")
    thing, clitic = NOTHING, ""
    if kind == "alone":
        verb = draw.pick([verb for verb in INTRANSITIVE if verb.english != "cry"])
        subject = draw_doer(draw, verb)
    elif kind == "pronoun":
        verb = draw.pick([verb for verb in SOCIAL if verb.english not in NOT_AFTER_MODAL])
        subject = draw_doer(draw, verb)
        word = draw_object_pronoun(draw, subject)
        thing, clitic = both(word, ""), OBJECT_PRONOUNS[word][0]
    else:
        verb = draw.pick(AFTER_MODAL)
        phrase, subject = draw_object(draw, verb, draw_doer(draw, verb), negative=negative)
        thing = object_of(verb, phrase)
    clause = subject + modal_phrase(name, verb, subject, tense, negative, clitic) + thing
    if verb.english == "live":
        clause += draw_place(draw, 1, subject)
    elif name is GOING and tense == PRESENT and draw.modifier(0.35):
        clause += draw.pick(LATER)
    elif kind == "alone" and verb.english != "think":
        clause += draw_place(draw, 0.3, subject)
    return sentence("modal", clause)


MOMENTARY = {"see", "find", "lose", "forget", "break", "remember", "think", "understand"}
ONGOING = [verb for verb in TRANSITIVE if not verb.state and verb.english not in MOMENTARY]
RIGHT_NOW = {PRESENT: (both("now", "ahora"),)}


def progressive(draw: Draw) -> Sentence:
    """The girl is drawing a horse: la niña está dibujando un caballo."""
    tense, negative = draw.tense_and_not(0.15)
    thing = where = NOTHING
    if draw.chance(0.4):
        verb = draw.pick([verb for verb in INTRANSITIVE if not verb.state])
        subject = draw_doer(draw, verb)
        if verb.english != "think":
            where = draw_place(draw, 0.35, subject)
    else:
        verb = draw.pick(ONGOING)
        phrase, subject = draw_object(draw, verb, draw_doer(draw, verb), negative=negative)
        thing = object_of(verb, phrase)
    clause = subject + be("estar", subject, tense, negative)
    clause += both(
        f"{verb.english_ing} {verb.particle}", f"{verb.spanish_gerund} {verb.preposition}"
    )
    clause += thing + where
    if tense == PRESENT:
        clause += draw_time(draw, PRESENT, 0.15, RIGHT_NOW)
    return sentence("progressive", clause)


# --- Comparison and "and" --------------------------------------------------------------------

LONG_ADJECTIVES = set(
    "expensive beautiful dangerous interesting boring difficult important intelligent famous "
    "tired".split()
)
COMPARABLE = [
    ADJECTIVES[name]
    for name in (
        "big small old young cheap long short wide narrow tall heavy slow fast strong noisy"
    ).split()
    + sorted(LONG_ADJECTIVES)
]
GROUPS = (
    "person animal inside road waters climbed clothes vehicle furniture fruit art idea town "
    "container taught instrument land plant building"
).split()


def comparative(adjective: str) -> str:
    """The English comparative: big -> bigger, heavy -> heavier, expensive -> more expensive."""
    if adjective in LONG_ADJECTIVES:
        return "more " + adjective
    if adjective == "big":
        return "bigger"
    if adjective.endswith("y"):
        return adjective[:-1] + "ier"
    return adjective + ("r" if adjective.endswith("e") else "er")


@starts_again
def comparison(draw: Draw) -> Sentence:
    """The elephant is bigger than the horse: el elefante es más grande que el caballo."""
    adjective = draw.pick(COMPARABLE)
    group = draw.pick(GROUPS)
    nouns = [n for n in nouns_for(group) if n.english in adjective.suits and not n.mass]
    if len(nouns) < 2:
        return comparison(draw)
    first = draw_noun_phrase(draw, draw.pick(nouns), CERTAIN, adjective=0)
    second = draw_noun_phrase(draw, draw.pick(nouns), DEFINITE, adjective=0)
    if first.noun is second.noun:
        return comparison(draw)
    if draw.chance(0.65):
        before, after = both(comparative(adjective.english), "más"), both("than", "que")
        compared = before + both("", adjective.form(first.gender, first.plural)) + after
    else:
        compared = both("as", "tan") + agreeing(adjective, first) + both("as", "como")
    clause = first + be(adjective.copula, first, draw.tense()) + compared + second
    return sentence("comparison", clause, *first.bond(adjective), *second.bond(adjective))


TEAMS = "person animal furniture clothes fruit art vehicle dishes building idea road".split()


@starts_again
def two_subjects(draw: Draw) -> Sentence:
    """The king and the queen are tired; my brother and my sister danced."""
    nouns = nouns_for(draw.pick(TEAMS))
    a, b = draw.pick(nouns), draw.pick(nouns)
    determiner = draw.pick(("the", "the", "my", "your", "our"))
    fitting = natural(determiner, a) and natural(determiner, b)
    if a is b or not fitting or "plural" in a.tags | b.tags:
        return two_subjects(draw)
    first, second = noun_phrase(a, determiner), noun_phrase(b, determiner)
    subject = joined(first, second)
    tense = draw.tense()
    if a.animate and draw.chance(0.5):
        verbs = [
            verb
            for verb in INTRANSITIVE
            if (a.person or (a in verb.animals and b in verb.animals)) and not verb.same_past
        ]
        verb = draw.pick(verbs)
        clause = subject + finite(verb, subject, tense)
        clause += draw_place(draw, 1 if verb.state else 0.4, first)
        return sentence("coordination", clause)
    suitable = [
        adjective
        for adjective in ADJECTIVES_FOR[a.english]
        if b.english in adjective.suits and not adjective.before_noun
    ]
    if not suitable:
        return two_subjects(draw)
    adjective = draw.pick(suitable)
    clause = subject + state(draw, subject, adjective, tense, draw.chance(0.15))
    return sentence("coordination", clause, *first.bond(adjective), *second.bond(adjective))


COLLECTED = verbs_for("buy eat see sell need bring wash draw look prefer visit study")
ALIKE = set(
    "food fruit vegetable drink clothes animal furniture dishes vehicle tongue plant family season "
    "giftable read town".split()
)


@starts_again
def two_objects(draw: Draw) -> Sentence:
    """We bought apples and pears; Ana saw the dog and the cat."""
    verb = draw.pick(COLLECTED)
    a = draw.pick(verb.objects)
    b = draw.pick([n for n in verb.objects if n.tags & a.tags & ALIKE] or [a])
    if a is b:
        return two_objects(draw)
    kind = verb.english not in ("see", "look", "visit", "wash") and draw.chance(0.5)
    phrases = []
    for noun in (a, b):
        countless = noun.mass or "single" in noun.tags
        if verb.english == "prefer" or (kind and verb.english not in ("sell", "need")):
            determiner = "generic" if verb.english == "prefer" else ""
            phrases.append(noun_phrase(noun, determiner, not countless))
        elif "abstract" in noun.tags:
            phrases.append(noun_phrase(noun, ""))
        else:
            phrases.append(draw_noun_phrase(draw, noun, THE, adjective=0.1))
    first, second = phrases
    subject = draw_person(draw)
    tense = draw.tense()
    clause = subject + finite(verb, subject, tense)
    clause += object_of(verb, first) + AND + object_of(verb, second)
    if not verb.state:
        clause += draw_time(draw, tense, 0.1)
    return sentence("coordination", clause)


# --- Two clauses -----------------------------------------------------------------------------

SIMPLE_ACTIONS = "sleep run swim walk work dance sing play rest cook study".split()
INTERRUPTING = verbs_for("open close call bring enter hug break find see")
UNCLEAR = ("he", "she", "they")  # dropped in Spanish, so not in a row with others


@starts_again
def draw_actor(draw: Draw, other: NounPhrase | None = None) -> NounPhrase:
    """The subject of a clause, without he, she, they, his, her or their, which would be unclear.

    other: the subject of another clause, from which this one has to differ.
    """
    if other is None or draw.chance(0.35):
        actor = draw_person(draw, pronouns=0.35, names=0.3)
    else:
        actor = draw_person(draw, pronouns=0, names=0.4)
    clear = actor.english.words[0] not in (*UNCLEAR, "his", "her", "their")
    if clear and (other is None or actor.english.words[-1] not in other.english.words):
        return actor
    return draw_actor(draw, other)


def action(draw: Draw, subject: NounPhrase, tense: str) -> Phrase:
    """A clause with an object or perhaps a place, but no time: Ana opened the door; we danced."""
    if draw.chance(0.35):
        verb = draw.pick([DOES[name] for name in SIMPLE_ACTIONS])
        return subject + finite(verb, subject, tense) + draw_place(draw, 0.3, subject)
    verb = draw.pick([verb for verb in ONGOING if not verb.same_past])
    thing, subject = draw_object(draw, verb, subject)
    return subject + finite(verb, subject, tense) + object_of(verb, thing)


def two_actions(draw: Draw) -> Sentence:
    """Ana opened the door and Pedro closed the window; I sing but my brother dances."""
    first = draw_actor(draw)
    second = draw_actor(draw, first)
    tense = draw.tense()
    joint = draw.pick((AND, AND, both(", but", ", pero")))
    clause = action(draw, first, tense) + joint + action(draw, second, tense)
    return sentence("two clauses", clause)


def while_doing(draw: Draw) -> Sentence:
    """I was sleeping when Ana arrived: estaba durmiendo cuando Ana llegó."""
    first = draw_actor(draw)
    second = draw_actor(draw, first)
    verb = DOES[draw.pick((*SIMPLE_ACTIONS, "eat", "read"))]
    clause = first + be("estar", first, PAST) + both(verb.english_ing, verb.spanish_gerund)
    clause += draw_place(draw, 0.35) + both("when", "cuando")
    coming = draw.pick((ARRIVE, COME, RETURN), sure=False)
    if draw.chance(0.6):
        return sentence("two clauses", clause + second + finite(coming, second, PAST))
    interrupting = draw.pick(INTERRUPTING)
    thing, second = draw_object(draw, interrupting, second)
    clause += second + finite(interrupting, second, PAST) + object_of(interrupting, thing)
    return sentence("two clauses", clause)


def own_reason(draw: Draw) -> Sentence:
    """We didn't go to the beach because we were tired: no fuimos ... porque estábamos cansados."""
    subject = pronoun(draw.pick(("I", "I", "you", "we", "we", "they", "he", "she")))
    tense = draw.tense(past=0.7)
    if draw.chance(0.5):
        goal = draw_noun_phrase(draw, draw.pick(GOALS), DEFINITE, plural=False, adjective=0.1)
        clause = subject + finite(GO, subject, tense, True) + both("to", "a") + goal
    else:
        verb = draw.pick([v for v in INTRANSITIVE if v.english not in ("live", "think", "cry")])
        clause = subject + finite(verb, subject, tense, True)
    again = Phrase(subject.english)
    if draw.chance(0.4):
        why = feel(draw.pick(tuple(FEELINGS)), subject, tense, very=draw.chance(0.2))
    else:
        adjective = ADJECTIVES[
            draw.pick("tired sick busy sad nervous angry scared injured".split())
        ]
        why = state(draw, subject, adjective, tense)
    return sentence("two clauses", clause + both("because", "porque") + again + why)


# --- Relative clauses and possession -----------------------------------------------------------

DESCRIBED = [
    noun
    for noun in PEOPLE + ANIMALS
    if not noun.tags & {"family", "insect"} and noun.english != "baby"
]
NOT_IN_RELATIVE = "read love think prefer climb enter listen wait look need want".split()


@starts_again
def relative(draw: Draw) -> Sentence:
    """The girl who lives in the castle is shy: la niña que vive en el castillo es tímida."""
    noun = draw.pick(DESCRIBED)
    head = draw_noun_phrase(draw, noun, (("the",) * 8, ("the",) * 8), adjective=0.08)
    if "close" in noun.tags:
        head = noun_phrase(noun, "the", head.plural)
    does = [verb for verb in INTRANSITIVE if noun.person or noun in verb.animals]
    does_to = [
        verb
        for verb in TRANSITIVE
        if noun in verb.animals or (noun.person and verb.english != "love")
    ]
    if draw.chance(0.5) or not does_to:
        verb = draw.pick([verb for verb in does if verb.english not in ("think", "cry", "read")])
        what = draw_place(draw, 1, head)
    else:
        verb = draw.pick([verb for verb in does_to if not verb.same_past])
        things = verb.objects if noun.person else verb.animal_objects
        thing = draw.pick([n for n in things if not n.tags & {"abstract", "season", "family"}])
        if thing is noun:
            return relative(draw)
        what = object_of(verb, noun_phrase(thing, "the"))
    clause = head + both("who" if noun.person else "that", "que")
    clause += finite(verb, head, tense_for(draw, verb, head)) + what
    tense = draw.tense()
    if draw.chance(0.6):
        adjective = draw_predicate(draw, head)
        clause += be(adjective.copula, head, tense) + agreeing(adjective, head)
        return sentence("relative", clause, *head.bond(adjective))
    main = draw.pick([verb for verb in does if not verb.same_past and not verb.state])
    return sentence("relative", clause + finite(main, head, tense))


@starts_again
def relative_object(draw: Draw) -> Sentence:
    """The book that I bought is interesting: el libro que compré es interesante."""
    verb = draw.pick([verb for verb in TRANSITIVE if verb.english not in NOT_IN_RELATIVE])
    noun = draw.pick(verb.objects)
    if noun.animate or noun.tags & {"abstract", "season"}:
        return relative_object(draw)
    plural = draw_plural(draw, noun)
    head = noun_phrase(noun, draw.pick(("the", "the", "the", "this", "that")), plural)
    somebody = draw_person(draw, pronouns=0.7)
    adjective = draw_predicate(draw, head)
    if adjective is None or not natural(head.determiner, noun):
        return relative_object(draw)
    clause = head + both("that", "que") + somebody
    clause += finite(verb, somebody, tense_for(draw, verb, somebody))
    clause += be(adjective.copula, head, draw.tense()) + agreeing(adjective, head)
    return sentence("relative", clause, *head.bond(adjective))


BELONGINGS = nouns_for(
    "pet clothes thing family vehicle house garden room furniture idea song story eye hand duck "
    "hen friend -mirror -party -problem -game"
)
OF_BELONGINGS = set(
    "see find look know wash buy paint read use open clean remember visit help need want listen "
    "understand".split()
)


def possession(draw: Draw) -> Sentence:
    """The queen's duck is white; I saw Ana's house: vi la casa de Ana."""
    owner = draw_person(draw, pronouns=0, names=0.45, plural=False)
    noun = draw.pick(BELONGINGS)
    plural = draw_plural(draw, noun) or "body" in noun.tags
    beside = None if "family" in noun.tags else draw_beside(draw, noun, 0.2)
    thing = owned(owner, noun_phrase(noun, "the", plural, beside))
    tense, negative = draw.tense_and_not(0.18)
    kind = draw.weighted({"state": 4, "object": 3, "place": 1, "this": 1, "where": 1})
    if kind == "where":
        asked = both("where", "dónde") + be("estar", thing, tense) + thing
        return sentence("possession", question(asked))
    if kind == "this":
        return sentence("possession", this_is(draw, thing, negative) + thing)
    if kind == "place" and noun.tags & {"thing", "clothes", "pet"}:
        where = draw_spot(draw, noun)
        return sentence("possession", thing + be("estar", thing, tense, negative) + where)
    verbs = [verb for verb in TRANSITIVE if noun in verb.objects and verb.english in OF_BELONGINGS]
    if kind == "object" and verbs:
        verb, subject = draw.pick(verbs), draw_person(draw, pronouns=0.8)
        tense = tense_for(draw, verb, subject, negative)
        clause = subject + finite(verb, subject, tense, negative) + object_of(verb, thing)
        if not verb.state:
            clause += draw_time(draw, tense, 0.1)
        return sentence("possession", clause)
    adjective = draw_predicate(draw, thing)
    if adjective is None:
        return possession(draw)
    clause = thing + state(draw, thing, adjective, tense, negative)
    return sentence("possession", clause, *thing.bond(adjective))


FRAMES = {
    modal: 5.5,
    progressive: 4.5,
    comparison: 3,
    two_subjects: 2.5,
    two_objects: 2,
    relative: 2.5,
    relative_object: 1.7,
    possession: 5,
    two_actions: 2,
    while_doing: 1,
    own_reason: 1.5,
}
