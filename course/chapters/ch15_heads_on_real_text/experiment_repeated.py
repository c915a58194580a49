"""What was found in one large model, as limits that other trainings can miss.

They were written down before a second one was trained (`heads_on_real_text` measures the models).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.chapters.ch15_heads_on_real_text.corpus import TEMPLATES


@dataclass(frozen=True)
class Claim:
    """A sentence about a model, the number that it stands on, and where it would be wrong.

    above: the number has to lie above the limit, else below it.
    """

    what: str
    number: float
    limit: float
    above: bool

    @property
    def holds(self) -> bool:
        return self.number > self.limit if self.above else self.number < self.limit


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
        Claim("after “is”, the ending follows the written article", copied, 0.5, above=True),
        Claim(
            "after “is”, the article brings more than the English noun",
            article - noun,
            0,
            above=True,
        ),
        Claim("the article brings less through “it” than after “is”", article - far, 0, above=True),
        Claim(
            "in five kinds of sentences, the written noun brings little",
            max(abs(written) for *_, written in ways.values()),
            0.15,
            above=False,
        ),
        Claim(
            "after “is”, the English adjective knows little of its noun",
            memory[adjective],
            0.15,
            above=False,
        ),
        Claim("no head alone carries a third of the margin", lost, 1 / 3, above=False),
        Claim(
            "losing the 16 most needed heads costs more than any 16 at random",
            min(most["at random"]) - most["chosen"],
            0,
            above=True,
        ),
        Claim("with “it”, fewer pairs are right than by chance", pairs["it"], 0.25, above=False),
        Claim("so too with the noun said again in English", pairs["again"], 0.25, above=False),
        Claim(
            "with the noun said again in Spanish, most pairs are right",
            pairs["written"],
            0.5,
            above=True,
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
