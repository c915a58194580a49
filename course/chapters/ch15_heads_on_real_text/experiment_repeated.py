"""What was found in one large model, as limits that other trainings can miss.

They were written down before a second one was trained (`heads_on_real_text` measures the models).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.chapters.ch15_heads_on_real_text.corpus import TEMPLATES
from course.drawing.values import written


@dataclass(frozen=True)
class Claim:
    """A sentence about a model, the number that it stands on, and where it would be wrong.

    above: the number has to lie above the limit, else below it. points: it is a difference of two
    shares.
    """

    what: str
    number: float
    limit: float
    above: bool
    points: bool = False

    @property
    def holds(self) -> bool:
        return self.number > self.limit if self.above else self.number < self.limit

    @property
    def needs(self) -> str:
        return f"{'over' if self.above else 'under'} {100 * self.limit:.0f}{self.unit}"

    @property
    def measured(self) -> str:
        unit = self.unit.removesuffix("s") if round(abs(100 * self.number)) == 1 else self.unit
        return f"{written(100 * self.number, 0)}{unit}"

    @property
    def unit(self) -> str:
        return " points" if self.points else "%"

    def __str__(self) -> str:
        return f"{self.what} ({self.measured}, has to be {self.needs})"


def claims(found: Mapping[str, Any]) -> list[Claim]:
    """Claims about one model's measures (`heads_on_real_text.measure_model`)."""
    ways = {kind: embedded(found["where"][kind]) for kind in TEMPLATES}
    (noun, article, _), (_, far, _) = ways["after is"], ways["through it"]
    memory = found["where"]["after is"]["encoder"][-1]
    adjective = bare(found["where"]["after is"]["source"]).index("small")
    off = found["heads off"]
    lost = 1 - min(head["margin"] for head in off["alone"]) / off["margin"]
    most = off["together"][-1]
    pairs = {said: found["pronoun"][said]["both"]["share"] for said in ("it", "again", "written")}
    copied = found["right"]["after is"]["adjective"]["written"]["share"]
    return [
        Claim("“pequeña” follows the written “La calle es”", copied, 0.5, above=True),
        Claim(
            "“La” moves the ending farther than “street”",
            article - noun,
            0,
            above=True,
            points=True,
        ),
        Claim(
            "“La” moves it less far in “through it” than after “is”",
            article - far,
            0,
            above=True,
            points=True,
        ),
        Claim(
            "in all five templates, “calle” moves it little",
            max(abs(last) for *_, last in ways.values()),
            0.15,
            above=False,
        ),
        Claim(
            "the vector of “small” in the memory moves it little",
            memory[adjective],
            0.15,
            above=False,
        ),
        Claim("no single head costs a third of the margin", lost, 1 / 3, above=False),
        Claim(
            "the 16 most needed cost more than any of ten random sets",
            min(most["at random"]) - most["chosen"],
            0,
            above=True,
            points=True,
        ),
        Claim("pairs with “it”: fewer than 25% are correct", pairs["it"], 0.25, above=False),
        Claim("with “the suitcase” instead of “it”: also fewer", pairs["again"], 0.25, above=False),
        Claim(
            "with “la maleta” in Spanish, too: more than half", pairs["written"], 0.5, above=True
        ),
    ]


def embedded(where: Mapping[str, Any]) -> tuple[float, float, float]:
    """What three vectors below the first layers bring of the gender.

    The English noun's, and those of the written article and noun.
    """
    noun = bare(where["target"]).index("camino")
    return max(where["encoder"][0]), *where["decoder"][0][noun - 1 : noun + 1]


def bare(pieces: list[str]) -> list[str]:
    return [piece.removeprefix("·").lower() for piece in pieces]
