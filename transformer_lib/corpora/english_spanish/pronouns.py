"""Sentences whose point is what "it" or "they" means.

"The animal didn't cross the street because it was too tired": the animal, and Spanish says
"cansado". "... because it was too wide": the street, and Spanish says "ancha". Only the adjective
decides, and only the meaning of the words tells how. A `Situation` is a main clause with two nouns
and the reasons that can be given about each.
"""

from dataclasses import dataclass, field

from .frames import (
    FEELINGS,
    Build,
    after_verb,
    english_modal,
    spanish_modal,
)
from .lexicon import ADJECTIVES, Adjective, Noun, nouns_for
from .morphology import PRESENT
from .phrases import (
    HE,
    PAST,
    Draw,
    NounPhrase,
    Sentence,
    Words,
    accusative,
    direct_object,
    draw_adjective,
    draw_noun_phrase,
    draw_person,
    english_be,
    english_verb,
    natural,
    noun_phrase,
    spanish_be,
    spanish_verb,
    text,
)
from .verbs import CATCH, CHASE, COVER, FIT, FRIGHTEN, HOLD, STOP, TAKE_OUT, VERBS, Verb


@dataclass(frozen=True)
class Situation:
    """`first` does (or doesn't do) `verb` to `second`, because of a reason.

    about_first, about_second: adjectives that explain it as said of that noun, and would not as
    said of the other one. Groups of nouns: (nouns, adjectives); a noun belongs to the first group
    that lists it.
    """

    verb: Verb
    first: tuple[Noun, ...]
    about_first: tuple[Adjective, ...]
    second: tuple[tuple[tuple[Noun, ...], tuple[Adjective, ...]], ...] = field(repr=False)
    negative: bool = True
    modes: tuple[str, ...] = ("do",)
    feelings: tuple[str, ...] = ()  # "was hungry", also said of the first
    weight: float = 1

    def about_second(self, noun: Noun) -> tuple[Adjective, ...]:
        return next(adjectives for nouns, adjectives in self.second if noun in nouns)


def _situation(verb, first, about_first, second, **options) -> Situation:
    def adjectives(names: str) -> tuple[Adjective, ...]:
        return tuple(ADJECTIVES[name] for name in names.split())

    return Situation(
        verb,
        tuple(nouns_for(first)),
        adjectives(about_first),
        tuple((tuple(nouns_for(nouns)), adjectives(names)) for nouns, names in second.items()),
        **options,
    )


WALKERS = "animal -flies -insect"
CLIMBERS = (
    "cat dog goat monkey squirrel bear lion tiger panther mouse fox wolf horse donkey mule snake"
)
EATERS = "dog cat pig mouse bear monkey goat horse fox squirrel hen duck wolf donkey rabbit cow bird panther turtle"
ANY_MODE = ("do", "do", "do", "can", "want")

# fmt: off
ANIMAL_SITUATIONS = (
    _situation(VERBS["cross", ""], WALKERS, "tired scared sick nervous injured lazy", {
        "street avenue square": "wide dangerous noisy slippery long wet",
        "highway bridge road path": "wide dangerous slippery long wet narrow",
        "stream river": "wide deep dangerous cold",
        "lake lagoon": "deep dangerous cold wide",
        "forest jungle": "dark dangerous",
        "field meadow": "wet dangerous wide",
        "desert": "dangerous dry wide",
    }, modes=ANY_MODE, feelings=("hungry", "thirsty", "sleepy", "afraid"), weight=5),
    _situation(VERBS["cross", ""], WALKERS, "curious brave bored scared nervous", {
        "street avenue square": "empty safe quiet",
        "road path bridge": "safe narrow short dry",
        "stream": "narrow", "field meadow park": "safe quiet dry",
    }, negative=False, feelings=("hungry", "thirsty"), weight=1.5),
    _situation(VERBS["enter", ""], WALKERS, "scared nervous sick shy tired", {
        "cave": "dark dangerous narrow", "tunnel": "dark dangerous narrow long",
        "house cabin barn": "dark dirty noisy full", "room kitchen bathroom garage": "dark dirty noisy full narrow",
        "church castle classroom": "dark noisy full",
        "store station restaurant": "full noisy dirty closed",
    }, modes=ANY_MODE, feelings=("afraid", "sleepy"), weight=3),
    _situation(VERBS["enter", ""], WALKERS, "curious scared lost tired wet", {
        "store library restaurant": "open empty quiet", "house cabin barn room kitchen garage": "empty quiet safe",
        "cave church castle": "quiet safe empty",
    }, negative=False, feelings=("hungry", "thirsty", "afraid", "sleepy"), weight=1),
    _situation(VERBS["climb", ""], CLIMBERS, "tired scared sick nervous injured lazy fat", {
        "mountain hill": "high steep dangerous slippery", "rock roof": "high slippery steep wet",
        "wall tower tree": "high dangerous wet", "ladder": "high narrow dangerous slippery broken",
    }, modes=ANY_MODE, feelings=("afraid", "sleepy"), weight=3),
    _situation(VERBS["eat", ""], EATERS, "sick scared nervous tired", {
        "apple pear peach tomato banana strawberry": "rotten sour hard", "lemon": "sour bitter",
        "potato onion carrot": "rotten raw hard", "egg": "rotten raw cold", "meat": "rotten salty raw cold hard",
        "cookie bread cheese": "hard dry salty", "soup sausage rice": "salty cold",
        "chocolate": "bitter hard", "cake": "dry hard", "salad": "salty",
    }, modes=ANY_MODE, feelings=("sleepy", "thirsty"), weight=3),
    _situation(VERBS["eat", ""], EATERS, "fat curious bored", {
        "apple pear peach tomato banana strawberry": "ripe delicious sweet", "meat cake cookie cheese sausage bread": "delicious",
    }, negative=False, feelings=("hungry",), weight=1),
    _situation(VERBS["drink", ""], EATERS + " -hen -wolf -turtle", "sick scared nervous tired", {
        "water": "dirty cold hot", "milk": "sour cold hot dirty",
    }, modes=ANY_MODE, feelings=("sleepy",), weight=1),
    _situation(VERBS["carry", ""], "strong", "tired sick lazy injured weak old", {
        "box trunk sack suitcase wardrobe table bed sofa piano mirror machine rug desk": "heavy wide long",
    }, modes=ANY_MODE, feelings=("hungry", "sleepy", "thirsty"), weight=2.5),
    _situation(VERBS["push", ""], "strong", "tired sick lazy injured weak old", {
        "box trunk sack wardrobe table bed sofa piano rock truck machine desk": "heavy wide",
    }, modes=ANY_MODE, feelings=("hungry", "sleepy"), weight=1.5),
    _situation(FRIGHTEN, "loud", "noisy big fast", {
        "animal -insect -wild": "nervous young shy", "monkey giraffe zebra elephant bear": "nervous young shy",
    }, negative=False, weight=2),
    _situation(STOP, "wall fence gate door", "low broken narrow old", {
        "dog horse cow pig goat bear lion tiger wolf fox elephant panther mule": "fast strong nervous",
    }, modes=("do", "do", "can"), weight=1.5),
    _situation(CATCH, "hunter", "slow tired lazy injured fat distracted", {
        "prey": "fast small hidden intelligent",
    }, modes=("do", "do", "can"), weight=2.5),
    _situation(CHASE, "hunter", "tired sick lazy injured bored distracted", {
        "prey": "fast hidden intelligent",
    }, modes=ANY_MODE, feelings=("sleepy",), weight=1.5),
    _situation(VERBS["find", ""], "dog cat fox bear monkey panther", "tired nervous distracted lazy sick", {
        "ball key coin toy doll sock shoe hat letter bag photo cookie": "hidden small",
    }, modes=("do", "do", "can"), weight=1.5),
)

THING_SITUATIONS = (
    _situation(FIT, "thing -spoon -key -coin -pencil -letter -photo -map -sock -glass -plate -cup -knife -bicycle -bag -basket -box -suitcase -backpack -trunk -sack", "wide long thick big", {
        "container": "small narrow full short", "kitchen": "small",
    }, weight=5),
    _situation(FIT, "furniture -lamp", "wide long big", {
        "room kitchen bathroom office cabin garage": "small narrow full", "van truck": "small narrow full short",
    }, weight=2),
    _situation(FIT, "car van truck bus boat motorcycle", "wide long big", {
        "garage barn": "small narrow full", "street tunnel": "narrow",
    }, weight=1.5),
    _situation(HOLD, "table chair shelf bed sofa desk", "old weak broken narrow", {
        "box trunk suitcase mirror machine sack rug lamp computer drum clock": "heavy wide long big",
    }, modes=("do", "do", "can"), weight=2),
    _situation(HOLD, "bridge street road roof", "old weak narrow broken", {
        "truck bus train van machine elephant bear": "heavy big",
    }, modes=("do", "can"), weight=1),
    _situation(COVER, "cover", "short small narrow", {
        "table bed sofa desk": "wide long big", "window": "wide long big",
    }, modes=("do", "do", "can"), weight=2.5),
)

# People are "they" in the plural like things: "The girls didn't buy the hats because they were ..."
PEOPLE_SITUATIONS = (
    _situation(VERBS["buy", ""], "person -baby", "busy tired distracted poor", {
        "clothes -sock": "expensive small dirty", "apple pear peach tomato banana strawberry": "rotten expensive sour",
        "table chair bed sofa lamp clock mirror guitar violin": "expensive old broken",
        "car motorcycle bicycle boat phone computer": "expensive slow old",
        "house castle": "expensive dark old",
    }, modes=ANY_MODE, weight=2),
    _situation(VERBS["visit", ""], "person -baby", "busy tired sick lazy", {
        "museum castle church": "closed boring expensive", "library store": "closed small",
        "restaurant hotel": "expensive closed dirty full", "beach island": "dangerous dirty",
    }, modes=ANY_MODE, feelings=("hungry",), weight=1.5),
    _situation(VERBS["read", ""], "person -baby", "tired bored distracted lazy busy", {
        "book story": "boring long difficult", "letter newspaper": "boring long wet", "notebook map": "dirty wet difficult",
    }, modes=ANY_MODE, feelings=("sleepy",), weight=1.5),
    _situation(VERBS["wash", ""], "person -baby", "tired busy lazy distracted sick", {
        "clothes": "clean new expensive", "car van bus motorcycle": "clean new", "cup glass plate spoon": "clean new broken",
    }, modes=ANY_MODE, weight=1.5),
    _situation(VERBS["eat", ""], "person -baby", "sick nervous tired busy distracted", {
        "apple pear peach tomato banana strawberry": "rotten sour hard", "lemon": "sour bitter",
        "potato sausage soup": "cold salty", "egg": "raw rotten cold", "cookie cake": "hard dry",
    }, modes=ANY_MODE, feelings=("sleepy", "thirsty"), weight=1.5),
    _situation(VERBS["carry", ""], "person -baby", "tired sick lazy busy injured", {
        "box trunk sack suitcase table bed sofa piano mirror desk rug": "heavy wide long",
    }, modes=ANY_MODE, weight=1.5),
    _situation(VERBS["cross", ""], "person -baby", "tired scared nervous sick", {
        "street avenue square bridge": "wide dangerous slippery long", "river stream lake": "deep wide cold",
        "forest jungle": "dark dangerous", "desert": "dry dangerous",
    }, modes=ANY_MODE, feelings=("afraid",), weight=1.5),
    _situation(VERBS["climb", ""], "person -baby", "tired scared sick nervous injured", {
        "mountain hill": "high steep dangerous", "tree wall tower": "high wet", "ladder": "broken high slippery",
    }, modes=ANY_MODE, feelings=("afraid",), weight=1),
    _situation(VERBS["open", ""], "person -baby", "scared nervous tired distracted", {
        "door window gate": "broken dirty heavy", "box trunk suitcase": "empty heavy broken",
    }, modes=ANY_MODE, feelings=("afraid",), weight=1),
)
# fmt: on
SITUATIONS = ANIMAL_SITUATIONS + THING_SITUATIONS + PEOPLE_SITUATIONS


def reason_bonds() -> set[tuple[Noun, Adjective]]:
    """Every (noun, adjective) pair that a reason can bring together."""
    bonds = set()
    for situation in SITUATIONS:
        for noun in situation.first:
            bonds.update((noun, adjective) for adjective in situation.about_first)
        for nouns, adjectives in situation.second:
            bonds.update((noun, adjective) for noun in nouns for adjective in adjectives)
    return bonds


@dataclass(frozen=True)
class Plan:
    """A pronoun sentence before the choice of what the pronoun means."""

    situation: Situation
    first: NounPhrase
    second: NounPhrase
    tense: str
    mode: str
    fronted: bool  # "Because it was too tired, the animal ..." / "Como estaba ..."
    degree: str


DEGREE = {"": "", "too": "demasiado", "very": "muy", "so": "tan"}


def pick_situation(draw: Draw, situations: tuple[Situation, ...] = SITUATIONS) -> Situation:
    return draw.weighted(situations, [situation.weight for situation in situations])


def draw_plan(draw: Draw, *, plain: bool = False, fronted: float = 0.35) -> Plan:
    """`plain`: no adjectives beside the nouns and both nouns in the same number."""
    situation = pick_situation(draw)
    people = situation.first[0].person
    first = draw.pick(situation.first)
    second = draw.pick([noun for nouns, _ in situation.second for noun in nouns])
    if first is second:
        return draw_plan(draw, plain=plain, fronted=fronted)

    plural = draw.chance(0.3) or people or "plural" in first.tags
    plural_second = plural if plain or draw.chance(0.9) else not plural
    if people:
        plural_second = True
    if "single" in first.tags or second.mass or "single" in second.tags:
        if plain or people:
            return draw_plan(draw, plain=plain, fronted=fronted)
        plural = plural and "single" not in first.tags
        plural_second = plural_second and not (second.mass or "single" in second.tags)
    phrases = []
    for noun, is_plural, mark in ((first, plural, "first"), (second, plural_second, "second")):
        determiner = "the"
        if draw.chance(0.25):
            determiner = draw.pick([d for d in DETERMINERS if natural(d, noun)])
        elif "family" in noun.tags:
            determiner = draw.pick(("my", "your", "our"))
        adjective = None if plain or not draw.modifier(0.1) else draw_adjective(draw, noun)
        phrases.append(noun_phrase(noun, determiner, is_plural, adjective, mark=mark))
    return Plan(
        situation,
        *phrases,
        tense=PAST if draw.chance(0.65) else PRESENT,
        mode=draw.pick(situation.modes),
        fronted=draw.chance(fronted),
        degree=draw.pick(("too", "too", "too", "very", "")),
    )


DETERMINERS = ("this", "that", "my", "your", "our")


def main_clause(plan: Plan) -> tuple[Words, Words]:
    """The animal did not cross the street: el animal no cruzó la calle."""
    verb, negative = plan.situation.verb, plan.situation.negative
    first, second, tense = plan.first, plan.second, plan.tense
    if plan.mode == "do":
        english = english_verb(verb, first.person, tense, negative)
        spanish = spanish_verb(verb, first.person, tense, negative)
        spanish_object = direct_object(verb, second)
    else:
        name, infinitive = ("can", "poder") if plan.mode == "can" else ("want", "querer")
        english = (
            english_modal(name, first.person, tense, negative) + f"{verb.english} {verb.particle}"
        )
        spanish = spanish_modal(infinitive, "", first.person, tense, negative) + verb.spanish
        spanish_object = after_verb(verb, second)
    return first.english + english + second.english, first.spanish + spanish + spanish_object


def with_reason(plan: Plan, reason_english: Words, reason_spanish: Words) -> tuple[Words, Words]:
    """Main clause and reason, in the plan's order."""
    english, spanish = main_clause(plan)
    if plan.fronted:
        return (
            "because" + reason_english + "," + english,
            "como" + reason_spanish + "," + spanish,
        )
    return english + "because" + reason_english, spanish + "porque" + reason_spanish


def realize(plan: Plan, means_first: bool, adjectives: tuple[Adjective, ...]) -> Sentence:
    """The whole sentence, with the pronoun meaning one of the two nouns.

    Marks: "first", "second", "pronoun" and "adjective" in English, "adjective" in Spanish.
    """
    meant = plan.first if means_first else plan.second
    adjective = adjectives[0]
    degree = plan.degree if all(a.gradable for a in adjectives) else ""
    english = text("they" if meant.plural else "it", "pronoun") + english_be(
        meant.person, plan.tense
    )
    english = english + degree + text(adjective.english, "adjective")
    spanish = spanish_be(adjective.copula, meant.person, plan.tense) + DEGREE[degree]
    spanish = spanish + text(adjective.form(meant.gender, meant.plural), "adjective")
    for more in adjectives[1:]:
        english = english + "and" + more.english
        spanish = spanish + "y" + more.form(meant.gender, meant.plural)
    english, spanish = with_reason(plan, english, spanish)
    bonds = plan.first.bonds + plan.second.bonds + tuple((meant.noun, a) for a in adjectives)
    return Sentence(english, spanish, "pronoun", bonds)


def choices(plan: Plan, means_first: bool) -> list[Adjective]:
    """The adjectives that explain the main clause said of this noun and not of the other."""
    about_first = plan.situation.about_first
    about_second = plan.situation.about_second(plan.second.noun)
    mine, others = (about_first, about_second) if means_first else (about_second, about_first)
    beside = [adjective for _, adjective in plan.first.bonds + plan.second.bonds]
    return [a for a in mine if a not in others and a not in beside]


def pronoun_reason(draw: Draw) -> Sentence:
    """The animal didn't cross the street because it was too tired."""
    plan = draw_plan(draw)
    means_first = draw.chance(0.5)
    if means_first and plan.situation.feelings and draw.chance(0.15):
        return feeling_reason(draw, plan)
    adjectives = choices(plan, means_first)
    if not adjectives:
        return pronoun_reason(draw)
    first = draw.pick(adjectives)
    more = [
        a
        for a in adjectives
        if a is not first and a.copula == first.copula and a.gradable and first.gradable
    ]
    chosen = (first, draw.pick(more)) if more and draw.modifier(0.1) else (first,)
    return realize(plan, means_first, chosen)


def feeling_reason(draw: Draw, plan: Plan) -> Sentence:
    """... because it was hungry: porque tenía hambre."""
    name = draw.pick(plan.situation.feelings)
    english, spanish, _ = next(feeling for feeling in FEELINGS if feeling[0] == name)
    person = plan.first.person
    pronoun = "they" if plan.first.plural else "it"
    full = with_reason(
        plan,
        pronoun + english_be(person, plan.tense) + english,
        spanish_be("tener", person, plan.tense) + spanish,
    )
    return Sentence(*full, "pronoun", plan.first.bonds + plan.second.bonds)


def person_reason(draw: Draw) -> Sentence:
    """The doctor didn't cross the street because she was tired: la doctora ... cansada."""
    situation = pick_situation(draw, PEOPLE_SITUATIONS)
    second_noun = draw.pick([noun for nouns, _ in situation.second for noun in nouns])
    plural = draw.chance(0.3) and not second_noun.mass
    second = noun_phrase(second_noun, "the", plural)
    first = draw_person(draw, pronoun=0, name=0.4, plural=False)
    means_first = draw.chance(0.6)
    about = situation.about_first if means_first else situation.about_second(second_noun)
    adjective = draw.pick(about)
    if means_first:
        gender = first.gender
        if first.noun is not None and first.noun.gender == "c":
            gender = draw.pick("mf")
            beside = first.bonds[0][1] if first.bonds else None
            first = noun_phrase(first.noun, first.determiner, False, beside, gender=gender)
        pronoun, meant = ("she" if gender == "f" else "he"), first
        if first.noun is not None and first.noun.english == "baby":
            return person_reason(draw)
    else:
        pronoun, meant = ("they" if plural else "it"), second
    plan = Plan(
        situation,
        first,
        second,
        tense=PAST if draw.chance(0.65) else PRESENT,
        mode=draw.pick(situation.modes),
        fronted=draw.chance(0.3),
        degree=draw.pick(("too", "very", "", "")),
    )
    degree = plan.degree if adjective.gradable else ""
    full = with_reason(
        plan,
        pronoun + english_be(meant.person, plan.tense) + degree + adjective.english,
        spanish_be(adjective.copula, meant.person, plan.tense)
        + DEGREE[degree]
        + adjective.form(meant.gender, meant.plural),
    )
    bonds = first.bonds + (((meant.noun, adjective),) if meant.noun else ())
    return Sentence(*full, "pronoun", bonds)


WEATHER = (
    ("raining", {PRESENT: "está lloviendo", PAST: "estaba lloviendo"}),
    ("snowing", {PRESENT: "está nevando", PAST: "estaba nevando"}),
    ("late", {PRESENT: "es tarde", PAST: "era tarde"}),
    ("very late", {PRESENT: "es muy tarde", PAST: "era muy tarde"}),
)


def not_a_pronoun(draw: Draw) -> Sentence:
    """The same clauses where "it" means nothing (it was raining) or where a noun stands instead."""
    plan = draw_plan(draw)
    if draw.chance(0.5) and plan.situation.verb not in (FIT, COVER, FRIGHTEN):
        english, forms = draw.pick(WEATHER)
        full = with_reason(
            plan, "it" + english_be(HE, plan.tense) + english, text(forms[plan.tense])
        )
        return Sentence(*full, "weather reason", plan.first.bonds + plan.second.bonds)
    means_first = draw.chance(0.5)
    adjectives = choices(plan, means_first)
    if not adjectives or plan.fronted:
        return not_a_pronoun(draw)
    adjective = draw.pick(adjectives)
    meant = plan.first if means_first else plan.second
    if meant.bonds:
        return not_a_pronoun(draw)
    degree = plan.degree if adjective.gradable else ""
    repeated = noun_phrase(meant.noun, meant.determiner, meant.plural)
    full = with_reason(
        plan,
        repeated.english + english_be(meant.person, plan.tense) + degree + adjective.english,
        repeated.spanish
        + spanish_be(adjective.copula, meant.person, plan.tense)
        + DEGREE[degree]
        + adjective.form(meant.gender, meant.plural),
    )
    bonds = plan.first.bonds + plan.second.bonds + ((meant.noun, adjective),)
    return Sentence(*full, "noun reason", bonds)


# --- Where Spanish keeps a pronoun: lo, la, los, las -------------------------------------------


@dataclass(frozen=True)
class Handling:
    """Somebody does `verb` to the first noun in relation to the second, "and" does more to "it".

    to_first, to_second: what can then be done to the one and not to the other.
    """

    verb: Verb
    english: str
    spanish: str
    first: tuple[Noun, ...]
    second: tuple[Noun, ...]
    to_first: tuple[Verb, ...]
    to_second: tuple[Verb, ...]


def _handling(verb, english, spanish, first, second, to_first, to_second) -> Handling:
    def verbs(names: str) -> tuple[Verb, ...]:
        return tuple(
            VERBS[name, "for" if name in ("look", "wait") else ""] for name in names.split()
        )

    return Handling(
        verb, english, spanish, tuple(nouns_for(first)), tuple(nouns_for(second)),
        verbs(to_first), verbs(to_second),
    )  # fmt: skip


BOXES = "box bag trunk suitcase backpack drawer wardrobe"
# fmt: off
HANDLINGS = (
    _handling(TAKE_OUT, "out of", "de", "fruit cookie sandwich sausage cake", BOXES, "eat", "close"),
    _handling(TAKE_OUT, "out of", "de", "letter newspaper map story", BOXES, "read", "close"),
    _handling(TAKE_OUT, "out of", "de", "clothes", BOXES, "wash wear", "close"),
    _handling(VERBS["find", ""], "in", "en", "letter newspaper map photo", BOXES, "hide sell", "close clean"),
    _handling(VERBS["find", ""], "in", "en", "fruit cookie sandwich cake", BOXES, "eat", "close clean"),
    _handling(VERBS["see", ""], "near", "cerca de", "dog cat horse cow goat duck rabbit squirrel turtle frog fox donkey mule hen", "street road avenue bridge path river stream", "follow draw", "cross"),
    _handling(VERBS["see", ""], "near", "cerca de", "dog cat horse cow goat duck rabbit squirrel turtle frog fox donkey mule hen", "house cabin church barn tower", "follow hug", "enter paint"),
)
# fmt: on


def clitic(draw: Draw) -> Sentence:
    """Ana took the letter out of the box and read it / closed it: la leyó / la cerró."""
    handling = draw.pick(HANDLINGS)
    subject = draw_person(draw, pronoun=0.45, name=0.3)
    plural = draw.chance(0.25)
    plural_second = plural if draw.chance(0.85) else not plural
    first = noun_phrase(
        draw.pick(handling.first), draw.pick(FIRST_DETERMINERS), plural, mark="first"
    )
    second = noun_phrase(
        draw.pick(handling.second), draw.pick(FIRST_DETERMINERS), plural_second, mark="second"
    )
    means_first = draw.chance(0.5)
    meant = first if means_first else second
    verb = draw.pick(handling.to_first if means_first else handling.to_second)
    if first.noun is second.noun or verb.preposition:
        return clitic(draw)
    tense = PAST if draw.chance(0.7) else PRESENT
    if verb.same_past and tense == PAST and subject.person != HE:
        tense = PRESENT
    particle = "out of" if handling.verb is TAKE_OUT else handling.english
    english = (
        subject.english
        + english_verb(handling.verb, subject.person, tense)
        + first.english
        + particle
        + second.english
        + "and"
        + english_verb(verb, subject.person, tense)
        + text("them" if meant.plural else "it", "pronoun")
    )
    spanish = (
        subject.spanish
        + spanish_verb(handling.verb, subject.person, tense)
        + direct_object(handling.verb, first)
        + handling.spanish
        + second.spanish
        + "y"
        + spanish_verb(verb, subject.person, tense, False, accusative(meant.gender, meant.plural))
    )
    return Sentence(english, spanish, "pronoun clitic", subject.bonds)


FIRST_DETERMINERS = ("the",) * 6 + ("this", "that")

# What somebody may be doing to a noun, which is why the main clause happens.
DOING_TO_ANIMAL = [
    VERBS[key]
    for key in (("follow", ""), ("call", ""), ("look", "for"), ("wait", "for"), ("wash", ""))
]
DOING_TO_PLACE = [VERBS[key] for key in (("clean", ""), ("paint", ""))]


def because_clitic(draw: Draw) -> Sentence:
    """The dog didn't cross the street because the men were painting it: la estaban pintando."""
    plan = draw_plan(draw)
    situation = plan.situation
    if (
        situation.verb.english not in ("cross", "enter", "climb")
        or not situation.negative
        or plan.first.human
    ):
        return because_clitic(draw)
    means_first = draw.chance(0.5) or not plan.second.noun.tags & {"road", "inside", "barrier"}
    meant = plan.first if means_first else plan.second
    verb = draw.pick(DOING_TO_ANIMAL if means_first else DOING_TO_PLACE)
    if (
        verb.english == "wash"
        and "wild" in meant.noun.tags
        or meant.noun.english in ("road", "path", "highway", "cave", "tunnel")
    ):
        return because_clitic(draw)
    if draw.chance(0.35):
        subject = draw_person(draw, pronoun=0.5, name=0.5)
    else:
        subject = draw_noun_phrase(draw, draw.pick(WORKERS), (("the",), ("the",)), adjective=0)
    english = (
        subject.english
        + english_be(subject.person, plan.tense)
        + f"{verb.english_ing} {verb.particle}"
        + text("them" if meant.plural else "it", "pronoun")
    )
    spanish = (
        subject.spanish
        + text(accusative(meant.gender, meant.plural))
        + spanish_be("estar", subject.person, plan.tense)
        + verb.spanish_gerund
    )
    full = with_reason(plan, english, spanish)
    return Sentence(*full, "pronoun clitic", plan.first.bonds + plan.second.bonds)


WORKERS = nouns_for("man woman boy girl neighbor child brother sister")

PRONOUN_FRAMES = (
    (pronoun_reason, 19),
    (person_reason, 2),
    (clitic, 5),
    (because_clitic, 2),
    (not_a_pronoun, 1.5),
)
