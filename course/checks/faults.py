"""Looking for planted faults: which program has which."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course.checks.exercises import Check
from course.checks.hints import Hint, NotTried, expect, no_slip
from course.checks.reading import whole_number


def wrong_verdicts(
    verdict: Any, planted: Mapping[str, str], kinds: Sequence[str]
) -> dict[str, str]:
    """Which of several programs got a wrong verdict, and which: name -> one of `kinds`.

    planted: name -> what is true of it.
    """
    form = ", ".join(f'"{name}": …' for name in planted)
    expect(
        isinstance(verdict, dict) and set(verdict) == set(planted),
        f"Give a kind for each of them: {{{form}}}.",
    )
    untried = [name for name in planted if verdict[name] is ...]
    if len(untried) == len(planted):
        raise NotTried("not tried yet")
    expect(not untried, f"{' and '.join(untried)}: still to be measured.")
    for name in planted:
        said = verdict[name]
        expect(said in kinds, f"{name}: choose one of {', '.join(kinds)}, not {said!r}.")
    return {name: verdict[name] for name, kind in planted.items() if verdict[name] != kind}


@dataclass(eq=False, repr=False)
class Verdicts(Check):
    """A check of what is true of each of several programs, {"A": "sound", "B": "slow", ...}.

    The first wrong verdict gets its hint.

    right: name -> what is true of it. kinds: what may be said of each.
    hint: is called with a name and the wrong verdict on it, and returns the hint.
    slips: with so many wrong ones at most it keeps half the points.
    counts: with more than these, the hint also says how many are right.
    """

    name: str
    about: str
    right: Mapping[str, str]
    kinds: Sequence[str]
    hint: Callable[[str, str], str]
    slips: int = 0
    counts: bool = False

    def judge(self, verdict: Any) -> None:
        """A Hint unless all verdicts are right."""
        wrong = wrong_verdicts(verdict, self.right, self.kinds)
        for name in wrong:
            hint = self.hint(name, verdict[name])
            no_slip(len(wrong) > self.slips, hint)
            right = len(self.right) - len(wrong)
            raise Hint(f"{hint} ({right} of {len(self.right)} are right.)" if self.counts else hint)


def not_so(sound: str, measure: Mapping[str, str]) -> Callable[[str, str], str]:
    """The hints of `Verdicts` that say of which program what is to be measured.

    sound: the kind of those without a fault.
    """

    def hint(name: str, said: str) -> str:
        sure = "isn't sound" if said == sound else "has another fault, or none"
        return f"{name} {sure}. {measure[name]}"

    return hint


def fault_in_a_stack(
    guess: tuple[Any, Any],
    right: tuple[int, str],
    layers: int,
    faults: Mapping[str, str],
    in_another_layer: str,
) -> None:
    """One of `layers` has one of `faults`: is the guess (layer, fault) right?

    faults: name -> how to see that it isn't this one.
    """
    layer = whole_number(guess[0], f"The layer is a whole number from 0 to {layers - 1}.")
    fault = guess[1]
    expect(0 <= layer < layers, f"The layer is a whole number from 0 to {layers - 1}.")
    expect(fault in faults, f"The fault is one of {', '.join(map(repr, faults))}.")
    expect(fault == right[1], f"That isn't the fault. {faults[fault]}")
    no_slip(layer != right[0] + 1, "The right fault. But layers count from 0.")
    expect(layer == right[0], f"The right fault, in another layer. {in_another_layer}")
