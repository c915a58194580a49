"""Looking for planted faults: which program has which."""

from collections.abc import Mapping, Sequence
from typing import Any

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


def judge_verdicts(verdict: Any, planted: Mapping[str, str], hints: Mapping[str, str]) -> None:
    """A Hint for the first wrong verdict, as in `wrong_verdicts`; it keeps half with two at most.

    hints: kind -> what a program of this kind does, or what to measure.
    """
    wrong = wrong_verdicts(verdict, planted, tuple(hints))
    for name in wrong:
        hint = f"{name} {hints[planted[name]]}"
        no_slip(len(wrong) > 2, hint)
        right = len(planted) - len(wrong)
        raise Hint(f"{hint} ({right} of {len(planted)} are right.)")


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
