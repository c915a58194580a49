"""What pronoun sentences are about: who does or doesn't do what, and the reasons.

"The animal didn't cross the street because it was too ...": tired, scared, sick say something about
the animal; wide, noisy, slippery about the street. A `Situation` lists the nouns that can take part
and the adjectives that are a good reason if said about the one noun, and not about the other. This
knowledge of the world is all that decides what "it" means.
"""

from dataclasses import dataclass, field

from course.grammar.lexicon import ADJECTIVES, Adjective, Noun, nouns_for
from course.grammar.verbs import (
    CATCH,
    CHASE,
    CLIMBERS,
    COVER,
    EATERS,
    FIT,
    FRIGHTEN,
    HOLD,
    STOP,
    VERBS,
    WALKERS,
    Verb,
)


@dataclass(frozen=True, eq=False)
class Situation:
    """The `first` noun does `verb` to the `second` (or doesn't: `negative`), for a reason.

    about_first: adjectives that are a reason if said about the first noun. groups: (nouns,
    adjectives) for the second noun; where two groups list a noun, the first counts.
    modes: "do" (didn't cross), "can" (couldn't cross), "want" (didn't want to cross).
    feelings: further reasons about the first noun (hungry: tener hambre). weight: how often it is
    drawn, compared with the others.
    """

    verb: Verb
    first: tuple[Noun, ...]
    about_first: tuple[Adjective, ...]
    groups: tuple[tuple[tuple[Noun, ...], tuple[Adjective, ...]], ...] = field(repr=False)
    feelings: tuple[str, ...]
    negative: bool
    modes: tuple[str, ...]
    weight: float

    @property
    def second(self) -> tuple[Noun, ...]:
        return tuple(noun for nouns, _ in self.groups for noun in nouns)

    @property
    def people(self) -> bool:
        """True where the first noun is a person."""
        return self.first[0].person

    def about_second(self, noun: Noun) -> tuple[Adjective, ...]:
        return next(adjectives for nouns, adjectives in self.groups if noun in nouns)


def _adjectives(names: str) -> tuple[Adjective, ...]:
    return tuple(ADJECTIVES[name] for name in names.split())


DO = ("do",)
DO_OR_CAN = ("do", "do", "can")
ANYHOW = ("do", "do", "do", "can", "want")


def _situation(
    verb: Verb,
    first: str,
    about_first: str,
    groups: dict,
    feelings="",
    *,
    negative=True,
    modes=ANYHOW,
    weight=1,
):
    """A situation from the names in it; what is done for a reason (not `negative`) is just done."""
    return Situation(
        verb,
        tuple(nouns_for(first)),
        _adjectives(about_first),
        tuple((tuple(nouns_for(nouns)), _adjectives(names)) for nouns, names in groups.items()),
        tuple(feelings.split()),
        negative,
        modes if negative else DO,
        weight,
    )


IN_TOWN = "animal -flies -insect -wild -sea fox"
STRONG_CLIMBERS = "bear panther goat monkey dog horse donkey mule elephant wolf"
DRINKERS = "dog cat horse cow goat donkey pig mule bear fox rabbit"
FRUIT = "apple pear peach tomato banana strawberry"
HEAVY = "box trunk sack suitcase wardrobe table bed sofa piano mirror"
PEOPLE = "person -baby"
ANIMAL_SITUATIONS = (
    _situation(
        VERBS["cross"],
        IN_TOWN,
        "tired scared sick nervous injured lazy",
        {
            "street avenue square": "wide dangerous noisy slippery long",
            "bridge road path": "dangerous slippery long narrow",
        },
        "hungry sleepy afraid",
        weight=3.5,
    ),
    _situation(
        VERBS["cross"],
        WALKERS,
        "tired scared sick nervous injured lazy",
        {
            "river lake lagoon": "wide deep dangerous cold",
            "bridge road path": "dangerous slippery long narrow",
            "forest jungle": "dark dangerous",
            "field meadow": "wet dangerous",
            "desert": "dangerous dry hot",
        },
        "hungry thirsty sleepy afraid",
        weight=3.5,
    ),
    _situation(
        VERBS["cross"],
        IN_TOWN,
        "curious brave bored scared nervous",
        {
            "street avenue square": "empty safe quiet",
            "road path bridge": "safe short dry",
            "field meadow park": "quiet dry",
        },
        "hungry thirsty",
        negative=False,
        weight=1.5,
    ),
    _situation(
        VERBS["enter"],
        "pet farm fox squirrel bird mouse",
        "scared nervous sick shy tired",
        {
            "house barn castle": "dark dirty noisy full",
            "room kitchen bathroom garage": "dark dirty noisy narrow",
            "church store classroom": "dark noisy full closed",
        },
        "afraid sleepy",
        weight=2.5,
    ),
    _situation(
        VERBS["enter"],
        WALKERS,
        "scared nervous sick shy tired",
        {
            "cave tunnel": "dark dangerous narrow deep",
            "forest jungle": "dark dangerous",
            "barn": "dark dirty noisy",
        },
        "afraid sleepy",
        weight=1.5,
    ),
    _situation(
        VERBS["enter"],
        "pet farm fox squirrel bird mouse",
        "curious scared lost tired wet",
        {
            "store church library": "open empty quiet",
            "house barn room kitchen garage cave": "empty quiet safe",
        },
        "hungry thirsty afraid sleepy",
        negative=False,
    ),
    _situation(
        VERBS["climb"],
        CLIMBERS,
        "tired scared sick nervous injured lazy fat",
        {
            "tree": "high wet",
            "wall tower": "high dangerous wet",
            "rock roof": "high slippery steep wet",
            "ladder": "high narrow dangerous slippery broken",
        },
        "afraid sleepy",
        weight=2,
    ),
    _situation(
        VERBS["climb"],
        STRONG_CLIMBERS,
        "tired scared sick nervous injured lazy fat",
        {"mountain hill": "high steep dangerous slippery", "rock": "high slippery steep wet"},
        "afraid sleepy",
        weight=1.5,
    ),
    _situation(
        VERBS["eat"],
        EATERS,
        "sick scared nervous tired",
        {
            FRUIT: "rotten sour hard",
            "lemon": "sour bitter",
            "potato carrot": "rotten raw hard",
            "egg": "rotten raw cold",
            "meat": "rotten salty raw cold hard",
            "cookie bread cheese": "hard dry salty",
            "soup rice": "salty cold hot",
            "cake": "dry hard",
        },
        "sleepy thirsty",
        weight=3,
    ),
    _situation(
        VERBS["eat"],
        EATERS,
        "curious bored",
        {FRUIT: "ripe delicious sweet", "meat cake cookie cheese bread": "delicious"},
        "hungry",
        negative=False,
    ),
    _situation(
        VERBS["drink"],
        DRINKERS,
        "sick scared nervous tired",
        {"water": "dirty cold hot", "milk": "cold hot"},
        "sleepy",
    ),
    _situation(
        VERBS["carry"],
        "strong",
        "tired sick lazy injured weak old",
        {HEAVY + " machine rug": "heavy wide long"},
        "hungry sleepy thirsty",
        weight=2.5,
    ),
    _situation(
        VERBS["push"],
        "strong",
        "tired sick lazy injured weak old",
        {HEAVY + " machine rock truck car": "heavy"},
        "hungry sleepy",
        weight=1.5,
    ),
    _situation(
        FRIGHTEN,
        "loud",
        "noisy big strange",
        {
            "animal -insect -wild": "nervous young shy",
            "monkey giraffe elephant bear": "nervous young shy",
        },
        negative=False,
        weight=2,
    ),
    _situation(
        STOP,
        "wall fence door",
        "low broken narrow old",
        {"dog horse cow pig goat bear lion tiger wolf fox elephant panther mule": "fast nervous"},
        modes=DO_OR_CAN,
        weight=1.5,
    ),
    _situation(
        CATCH,
        "hunter",
        "slow tired lazy injured fat distracted",
        {"prey": "fast small hidden intelligent"},
        modes=DO_OR_CAN,
        weight=2.5,
    ),
    _situation(
        CHASE,
        "hunter",
        "tired sick lazy injured bored distracted",
        {"prey": "fast hidden intelligent"},
        "sleepy",
        weight=1.5,
    ),
    _situation(
        VERBS["find"],
        "dog cat fox bear monkey panther squirrel",
        "tired nervous distracted lazy sick",
        {"ball key coin toy doll sock shoe hat letter bag photo cookie": "hidden small"},
        modes=DO_OR_CAN,
        weight=1.5,
    ),
)
PACKED = (
    "trophy gift book ball toy doll lamp clock guitar drum blanket tablecloth rug picture mirror "
    "computer bottle clothes -sock"
)
THING_SITUATIONS = (
    _situation(
        FIT,
        PACKED,
        "wide long thick big",
        {"container": "small narrow full"},
        modes=DO,
        weight=5.5,
    ),
    _situation(
        FIT,
        "table chair sofa bed shelf wardrobe piano mirror",
        "wide long big",
        {"room kitchen bathroom garage": "small narrow full", "van truck car": "small narrow full"},
        modes=DO,
        weight=2,
    ),
    _situation(
        FIT,
        "car van truck bus boat motorcycle",
        "wide long big",
        {"garage barn": "small narrow full", "street tunnel": "narrow"},
        modes=DO,
        weight=1.5,
    ),
    _situation(
        HOLD,
        "table chair shelf bed sofa",
        "old weak broken small",
        {"box trunk suitcase mirror machine sack rug computer": "heavy big"},
        modes=DO_OR_CAN,
        weight=2,
    ),
    _situation(
        HOLD,
        "bridge",
        "old weak broken narrow",
        {"truck bus van machine piano": "heavy", "elephant bear horse cow": "heavy fat"},
        modes=DO_OR_CAN,
        weight=0.6,
    ),
    _situation(
        COVER,
        "cover",
        "short small narrow",
        {"table bed sofa": "wide long big", "window": "wide big"},
        modes=DO_OR_CAN,
        weight=2.5,
    ),
)
# In the plural, people are "they" like things: "The girls didn't buy the hats because they ..."
PEOPLE_SITUATIONS = (
    _situation(
        VERBS["buy"],
        PEOPLE,
        "busy tired distracted poor",
        {
            "clothes -sock": "expensive small dirty",
            FRUIT: "rotten expensive sour",
            "table chair bed sofa lamp clock mirror guitar piano": "expensive old broken",
            "car motorcycle bicycle boat phone computer": "expensive slow old",
            "house castle": "expensive dark old",
        },
        weight=2,
    ),
    _situation(
        VERBS["visit"],
        PEOPLE,
        "busy tired sick lazy",
        {
            "museum castle church": "closed boring expensive",
            "library store": "closed small",
            "restaurant hotel": "expensive closed dirty full",
            "beach island": "dangerous dirty",
        },
        "hungry",
        weight=1.5,
    ),
    _situation(
        VERBS["read"],
        PEOPLE,
        "tired bored distracted lazy busy",
        {"book story": "boring long difficult", "letter newspaper": "boring long wet"},
        "sleepy",
        weight=1.5,
    ),
    _situation(
        VERBS["wash"],
        PEOPLE,
        "tired busy lazy distracted sick",
        {
            "clothes": "clean new expensive",
            "car van bus motorcycle": "clean new",
            "cup glass plate": "clean new broken",
        },
        modes=("do", "want"),
        weight=1.5,
    ),
    _situation(
        VERBS["eat"],
        PEOPLE,
        "sick nervous tired busy distracted",
        {
            FRUIT: "rotten sour hard",
            "lemon": "sour bitter",
            "potato soup": "cold salty",
            "egg": "raw rotten cold",
            "cookie cake": "hard dry",
        },
        "sleepy thirsty",
        weight=1.5,
    ),
    _situation(
        VERBS["carry"],
        PEOPLE,
        "tired sick lazy busy injured",
        {HEAVY + " rug": "heavy wide long"},
        weight=1.5,
    ),
    _situation(
        VERBS["cross"],
        PEOPLE,
        "tired scared nervous sick",
        {
            "street avenue square": "wide dangerous slippery long",
            "bridge path": "dangerous slippery long",
            "river lake": "deep wide cold",
            "forest jungle": "dark dangerous",
            "desert": "dry dangerous",
        },
        "afraid",
        weight=1.5,
    ),
    _situation(
        VERBS["climb"],
        PEOPLE,
        "tired scared sick nervous injured",
        {
            "mountain hill": "high steep dangerous",
            "tree wall tower": "high wet",
            "ladder": "broken high slippery",
        },
        "afraid",
    ),
    _situation(
        VERBS["open"],
        PEOPLE,
        "scared nervous tired distracted",
        {"door window": "broken dirty heavy", "box trunk suitcase": "empty heavy broken"},
        "afraid",
    ),
)
SITUATIONS = ANIMAL_SITUATIONS + THING_SITUATIONS + PEOPLE_SITUATIONS


def reason_bonds() -> set[tuple[Noun, Adjective]]:
    """Every (noun, adjective) pair that a reason can bring together."""
    bonds = set()
    for situation in SITUATIONS:
        for nouns, adjectives in (*situation.groups, (situation.first, situation.about_first)):
            bonds.update((noun, adjective) for noun in nouns for adjective in adjectives)
    return bonds
