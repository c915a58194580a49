"""Sentences in which one has to work out what "it" or "they" means.

"The animal didn't cross the street because it was too tired": the animal, so "cansado". "... too
wide": the street, so "ancha". Spanish drops the pronoun, and the adjective agrees with what was
meant. Other sentences keep a pronoun: "Ana took the letter out of the box and read it /
closed it" ("la leyó", "la cerró"). The docstring of a frame shows what it writes.
"""

from dataclasses import dataclass

from course.grammar.lexicon import Adjective, Noun, nouns_for, opposite
from course.grammar.morphology import PRESENT
from course.grammar.phrases import (
    CAN,
    HE,
    PAST,
    THEY,
    WANT,
    NounPhrase,
    accusative,
    agreeing,
    be,
    finite,
    it,
    modal_phrase,
    natural,
    noun_phrase,
    object_of,
)
from course.grammar.random_choices import (
    THE,
    Draw,
    draw_beside,
    draw_noun_phrase,
    draw_person,
    draw_plural,
    starts_again,
)
from course.grammar.situations import PEOPLE_SITUATIONS, SITUATIONS, Situation
from course.grammar.statements import feel
from course.grammar.verbs import COVER, FIT, FRIGHTEN, HOLD, STOP, TAKE, VERBS, Verb, verbs_for
from course.grammar.words import (
    AND,
    IN,
    NEAR,
    NOTHING,
    WITH,
    Phrase,
    Sentence,
    both,
    sentence,
    text,
)

# --- Because it was ... ----------------------------------------------------------------------

DEGREES = {
    "": NOTHING,
    "too": both("too", "demasiado"),
    "very": both("very", "muy"),
}


@dataclass(frozen=True)
class Plan:
    """A sentence before it is decided which of two nouns its pronoun means.

    first, second: these nouns. mode: "do", "can" or "want" (see `Situation`). degree: a key of
    DEGREES.
    """

    situation: Situation
    first: NounPhrase
    second: NounPhrase
    tense: str
    mode: str
    fronted: bool  # "Because it was too tired, the animal ..." / "Como estaba ..."
    degree: str

    def adjectives(self, means_first: bool) -> list[Adjective]:
        """The adjectives that make sense as the reason for one of the nouns and not for the other.

        means_first: for the first noun, else for the second. What stands beside a noun already, or
        is its opposite, is left out.
        """
        about_first = self.situation.about_first
        about_second = self.situation.about_second(self.second.noun)
        mine, others = (about_first, about_second) if means_first else (about_second, about_first)
        beside = (self.first.adjective, self.second.adjective)
        return [
            adjective
            for adjective in mine
            if adjective not in (*others, *beside)
            and not any(opposite(adjective, other) for other in beside)
        ]


def pick_situation(draw: Draw, situations=SITUATIONS) -> Situation:
    return draw.weighted({situation: situation.weight for situation in situations})


NEARBY = ("this", "that", "my", "your", "our")


def draw_participant(draw: Draw, noun: Noun, plural: bool, mark: str, plain: bool) -> NounPhrase:
    """One of the two nouns: mostly with "the", sometimes with an adjective.

    mark: its name in the sentence ("first", "second"). plain: never with an adjective.
    """
    determiner = "the"
    if draw.chance(0.25):
        determiner = draw.pick([d for d in NEARBY if natural(d, noun)] or ("the",))
    elif noun.tags & {"family", "close"}:
        determiner = draw.pick(("my", "your", "our"))
    beside = None if plain else draw_beside(draw, noun, 0.1)
    return noun_phrase(noun, determiner, plural, beside, mark=mark)


@starts_again
def draw_plan(draw: Draw, *, plain: bool = False, fronted: float = 0.35) -> Plan:
    """Draw a situation, its two nouns, and the form of the sentence.

    plain: no adjectives beside the nouns, and both nouns in the same number. fronted: the
    probability that the reason comes first.
    """
    situation = pick_situation(draw)
    first, second = draw.pick(situation.first), draw.pick(situation.second)
    negative = situation.negative
    plural = situation.people or draw.chance(0.32, first.english_plural)
    plural_second = plural if plain or situation.people or draw.chance(0.9) else not plural
    uncounted = (second.mass and plural_second) or (
        "single" in first.tags | second.tags and (plural or plural_second)
    )
    if first is second or uncounted:
        return draw_plan(draw, plain=plain, fronted=fronted)
    return Plan(
        situation,
        draw_participant(draw, first, plural, "first", plain),
        draw_participant(draw, second, plural_second, "second", plain),
        tense=draw.tense(past=0.65),
        mode=draw.pick(situation.modes),
        fronted=draw.chance(fronted, ","),
        degree=draw.pick(("too", "too", "too", "very", "") if negative else ("very", "")),
    )


def main_clause(plan: Plan) -> Phrase:
    """The animal did not cross the street: el animal no cruzó la calle."""
    verb, negative = plan.situation.verb, plan.situation.negative
    if plan.mode == "do":
        doing = finite(verb, plan.first, plan.tense, negative)
    else:
        modal = CAN if plan.mode == "can" else WANT
        doing = modal_phrase(modal, verb, plan.first, plan.tense, negative)
    return plan.first + doing + object_of(verb, plan.second)


def with_reason(plan: Plan, reason: Phrase) -> Phrase:
    """Main clause and reason, in the plan's order."""
    if plan.fronted:
        return both("because", "como") + reason + both(",", ",") + main_clause(plan)
    return main_clause(plan) + both("because", "porque") + reason


def state_reason(plan: Plan, subject: Phrase, meant: NounPhrase, adjective: Adjective) -> Phrase:
    """The reason: it was too tired / estaba demasiado cansado.

    subject: what stands for the noun ("it" / nothing). meant: the noun that the reason is about.
    """
    degree = DEGREES[plan.degree if adjective.gradable else ""]
    said = agreeing(adjective, meant)
    marked = Phrase(text(adjective.english, "adjective"), said.spanish)
    return subject + be(adjective.copula, meant, plan.tense) + degree + marked


def dropped_pronoun(meant: NounPhrase) -> Phrase:
    return Phrase(text("they" if meant.plural else "it", "pronoun"))


def realize(plan: Plan, means_first: bool, *adjectives: Adjective) -> Sentence:
    """Write the plan as a sentence whose pronoun means the first or the second noun.

    adjectives: the reason, one or more. These English words can be found by their marks: "first"
    and "second" (the nouns), "pronoun", and "adjective" (the first one).
    """
    meant = plan.first if means_first else plan.second
    first, *more = adjectives
    reason = state_reason(plan, dropped_pronoun(meant), meant, first)
    for adjective in more:
        reason += AND + agreeing(adjective, meant)
    bonds = [(meant.noun, adjective) for adjective in adjectives]
    return sentence("pronoun", with_reason(plan, reason), *bonds)


@starts_again
def reason(draw: Draw) -> Sentence:
    """The animal didn't cross the street because it was too tired."""
    plan = draw_plan(draw)
    means_first = draw.chance(0.5)
    if means_first and plan.situation.feelings and draw.chance(0.15):  # because it was hungry
        name = draw.pick(plan.situation.feelings)
        why = dropped_pronoun(plan.first) + feel(name, plan.first, plan.tense)
        return sentence("pronoun", with_reason(plan, why))
    adjectives = plan.adjectives(means_first)
    if not adjectives:
        return reason(draw)
    first = draw.pick(adjectives)
    likewise = [
        adjective
        for adjective in adjectives
        if adjective is not first
        and adjective.copula == first.copula
        and adjective.gradable
        and not opposite(adjective, first)
    ]
    if first.gradable and likewise and draw.modifier(0.1):
        return realize(plan, means_first, first, draw.pick(likewise))
    return realize(plan, means_first, first)


@starts_again
def person_reason(draw: Draw) -> Sentence:
    """The doctor didn't cross the street because she was tired: la doctora ... cansada."""
    situation = pick_situation(draw, PEOPLE_SITUATIONS)
    noun = draw.pick(situation.second)
    second = noun_phrase(noun, "the", draw_plural(draw, noun))
    first = draw_person(draw, pronouns=0, names=0.4, plural=False)
    if first.noun is not None and first.noun.english == "baby":
        return person_reason(draw)
    if draw.chance(0.6):
        if first.either_gender:
            first = first.as_gender(draw.pick("mf"))
        meant, word = first, "she" if first.gender == "f" else "he"
        adjective = draw.pick(situation.about_first)
    else:
        meant, word = second, "they" if second.plural else "it"
        adjective = draw.pick(situation.about_second(noun))
    plan = Plan(
        situation,
        first,
        second,
        tense=draw.tense(past=0.65),
        mode=draw.pick(situation.modes),
        fronted=draw.chance(0.3, ","),
        degree=draw.pick(("too", "very", "", "")),
    )
    beside = first.adjective
    if adjective is beside or opposite(adjective, beside):
        return person_reason(draw)
    why = state_reason(plan, both(word, ""), meant, adjective)
    return sentence("pronoun", with_reason(plan, why), *meant.bond(adjective))


WEATHER = (
    ("raining", {PRESENT: "está lloviendo", PAST: "estaba lloviendo"}),
    ("snowing", {PRESENT: "está nevando", PAST: "estaba nevando"}),
    ("late", {PRESENT: "es tarde", PAST: "era tarde"}),
    ("very late", {PRESENT: "es muy tarde", PAST: "era muy tarde"}),
)
NOT_FOR_WEATHER = (FIT, COVER, FRIGHTEN, HOLD, STOP)


@starts_again
def weather_reason(draw: Draw) -> Sentence:
    """Where "it" means nothing: because it was raining."""
    plan = draw_plan(draw)
    if plan.situation.verb in NOT_FOR_WEATHER or not plan.situation.negative:
        return weather_reason(draw)
    english, forms = draw.pick(WEATHER)
    was = "is" if plan.tense == PRESENT else "was"
    why = both(f"it {was} {english}", forms[plan.tense])
    return sentence("weather reason", with_reason(plan, why))


@starts_again
def noun_reason(draw: Draw) -> Sentence:
    """A reason that repeats the noun: because the street was too wide."""
    plan = draw_plan(draw)
    meant = plan.second
    adjectives = plan.adjectives(False)
    if not adjectives or plan.fronted or meant.bonds:
        return noun_reason(draw)
    adjective = draw.pick(adjectives)
    again = noun_phrase(meant.noun, meant.determiner, meant.plural)
    why = state_reason(plan, again, meant, adjective)
    return sentence("noun reason", with_reason(plan, why), (meant.noun, adjective))


# --- Where Spanish keeps a pronoun: lo, la, los, las -------------------------------------------


@dataclass(frozen=True)
class Handling:
    """What `handle` writes about: taking a letter out of a box, and then reading or closing "it".

    verb: what is done to the first noun (take). relation: the words before the second noun ("out
    of"). first, second: the nouns, as `nouns_for` reads them. to_first, to_second: the verbs that
    can be done next to the one and not to the other (read, close).
    """

    verb: Verb
    relation: Phrase
    first: str
    second: str
    to_first: str
    to_second: str


CLOSABLE = "box bag trunk suitcase backpack drawer wardrobe"
OUT_OF = both("out of", "de")
FOLLOWED = "dog cat horse cow goat duck rabbit squirrel turtle frog fox donkey mule hen"
HANDLINGS = (
    Handling(TAKE, OUT_OF, "fruit cookie cake", CLOSABLE, "eat", "close"),
    Handling(TAKE, OUT_OF, "letter", CLOSABLE, "read", "close"),
    Handling(TAKE, OUT_OF, "clothes", CLOSABLE, "wash wear", "close"),
    Handling(VERBS["find"], IN, "letter", CLOSABLE, "read", "close"),
    Handling(VERBS["find"], IN, "pet", "garage store library church museum", "hug follow", "close"),
    Handling(VERBS["open"], WITH, "door drawer wardrobe", "key knife", "close", "lose"),
    Handling(VERBS["find"], IN, "fruit cookie cake", CLOSABLE, "eat", "close"),
    Handling(
        VERBS["see"], NEAR, FOLLOWED, "street road avenue bridge path river", "follow", "cross"
    ),
)
POINTING = ("the",) * 6 + ("this", "that")


def handle(draw: Draw) -> Sentence:
    """Ana took the letter out of the box and read it / closed it: la leyó / la cerró."""
    handling = draw.pick(HANDLINGS)
    subject = draw_person(draw, pronouns=0.45, names=0.3)
    plural = draw.chance(0.25)
    plural_second = plural if draw.chance(0.85) else not plural
    first = noun_phrase(draw.pick(nouns_for(handling.first)), draw.pick(POINTING), plural)
    second = noun_phrase(draw.pick(nouns_for(handling.second)), draw.pick(POINTING), plural_second)
    meant, verbs = first, handling.to_first
    if draw.chance(0.5):
        meant, verbs = second, handling.to_second
    verb = VERBS[draw.pick(verbs.split())]
    tense = draw.tense(past=0.7)
    if verb.same_past and subject.person != HE:
        tense = PRESENT
    clause = subject + finite(handling.verb, subject, tense) + object_of(handling.verb, first)
    clause += handling.relation + second + AND
    clause += finite(verb, subject, tense, clitics=accusative(meant)) + both(it(meant), "")
    return sentence("pronoun clitic", clause)


DONE_TO_ANIMALS = verbs_for("follow call look wait")
DOERS = nouns_for("man woman boy girl neighbor child teacher artist")


@starts_again
def somebody_reason(draw: Draw) -> Sentence:
    """The dog didn't cross the street because the men were cleaning it: la estaban limpiando."""
    plan = draw_plan(draw)
    verb = plan.situation.verb.english
    if verb not in ("cross", "enter", "climb") or not plan.situation.negative or plan.first.human:
        return somebody_reason(draw)
    meant, doing = plan.first, draw.pick(DONE_TO_ANIMALS, sure=False)
    worked_on = plan.second.noun.tags & {"road", "inside", "barrier", "building"}
    if worked_on and "cave" != plan.second.noun.english and draw.chance(0.5):
        meant, doing = plan.second, VERBS["clean"]
        if "road" not in meant.noun.tags and draw.chance(0.5):
            doing = VERBS["paint"]
    if draw.chance(0.4):
        subject = draw_person(draw, pronouns=0.45, names=0.5, plural=False)
        if subject.dropped and subject.person in (HE, THEY):
            return somebody_reason(draw)
    else:
        subject = draw_noun_phrase(draw, draw.pick(DOERS), THE, adjective=0)
    verb_phrase = be("estar", subject, plan.tense)
    why = subject + Phrase(
        verb_phrase.english + f"{doing.english_ing} {doing.particle} {it(meant)}",
        accusative(meant) + verb_phrase.spanish + doing.spanish_gerund,
    )
    return sentence("pronoun clitic", with_reason(plan, why))


FRAMES = {
    reason: 21,
    person_reason: 2.5,
    weather_reason: 1,
    noun_reason: 0.5,
    handle: 5,
    somebody_reason: 2,
}
