"""The exercises of notebook 16: reading from both sides, and the steps that wait."""

from collections.abc import Callable

import torch
from torch import Tensor

from course.checks import (
    a_kind,
    call,
    compare,
    elsewhere,
    expect,
    implement,
    no_slip,
    one_number,
    result_of,
)

Step = Callable[[Tensor, Tensor], Tensor]
# Small whole numbers, so that a state can be followed with a pencil. Each step forgets a little, so
# that the order counts.
WORDS = [[1.0, 0.0], [2.0, 1.0], [3.0, 5.0], [7.0, 2.0]]
START = [0.0, 0.0, 1.0]


def one_way(word: Tensor, state: Tensor) -> Tensor:
    return state / 2 + torch.stack([word[0], word[1], word.sum()])


def other_way(word: Tensor, state: Tensor) -> Tensor:
    return state / 4 + torch.stack([word[1], -word[0], word[0] * word[1]])


def read(step: Step, words: Tensor, start: Tensor) -> Tensor:
    """(s, d) -> (s, hidden): the state after each word."""
    states, state = [], start
    for each in words:
        state = step(each, state)
        states.append(state)
    return torch.stack(states)


def right_both_ways(forward: Step, backward: Step, words: Tensor, start: Tensor) -> Tensor:
    """(s, d) -> (s, 2 hidden): for each word the state from the left, then that from the right."""
    from_the_right = read(backward, words.flip(0), start).flip(0)
    return torch.cat([read(forward, words, start), from_the_right], dim=-1)


def both_ways_inputs() -> tuple[Step, Step, Tensor, Tensor]:
    return one_way, other_way, torch.tensor(WORDS), torch.tensor(START)


@implement(both_ways_inputs)
def my_both_ways(function: Callable[[Step, Step, Tensor, Tensor], Tensor]) -> None:
    """Exercise: two steps (word, state) -> state, words (s, d), a first state -> (s, 2 hidden)."""
    *_, words, start = given = both_ways_inputs()
    found = call(function, *given)
    left, right = read(one_way, words, start), read(other_way, words.flip(0), start).flip(0)

    def both(one: Tensor, another: Tensor) -> Tensor:
        return torch.cat([one, another], dim=-1)

    steady = [torch.stack([step(each, start) for each in words]) for step in (one_way, other_way)]
    handed = read(other_way, words.flip(0), left[-1]).flip(0)
    again = read(one_way, words.flip(0), start).flip(0)
    mistakes = [
        (
            both(left, right.flip(0)),
            "The states from the right are still in the order in which "
            "they were read: turn them back, so that row i belongs to word i.",
        ),
        (
            both(left, read(other_way, words, start)),
            "The second network reads from the left, too. It should begin with the last word.",
        ),
        (both(right, left), "The two halves are swapped: from the left comes first."),
        (
            both(left, handed),
            "The second network goes on from the last state of the first. It has "
            "a beginning of its own: `start`.",
        ),
        (both(*steady), "Each step begins at `start` there. The state has to be handed on."),
        (both(left, again), "Both directions use `forward`. The second has a step of its own."),
        (
            torch.cat([left[-1], right[0]]),
            "Those are the last states. Attention needs one for each word.",
        ),
        (
            torch.cat([left, right]),
            "One is below the other: put them side by side, along the last axis.",
        ),
        (left + right, "The two are added there. Put them side by side, so that nothing is lost."),
    ]
    compare(found, right_both_ways(*given), mistakes)
    others = other_way, one_way, words[1:3] - 4, start.flip(0)
    elsewhere(function, right_both_ways(*others), *others)


def right_waiting(source: int, target: int, layers: int) -> int:
    """Steps of a recurrent translator that must wait for each other while it is trained."""
    return layers * source + target


@implement(lambda: (2, 2, 1))
def my_waiting(function: Callable[[int, int, int], int]) -> None:
    """Exercise: words of the source and of the target, layers on each side -> steps that wait."""
    source, target, layers = 12, 10, 3
    found = result_of(function, source, target, layers)
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")
    mistakes = [
        (
            layers * (source + target),
            "A layer of the decoder needn't wait for the end of another: "
            "when layer 0 has its second word, layer 1 can take its first.",
        ),
        (
            2 * layers * source + target,
            "The two directions of a layer don't need each other: they run side by side.",
        ),
        (
            2 * layers * source + layers * target,
            "Two things: the two directions of a layer run "
            "side by side, and the layers of the decoder run nearly together.",
        ),
        (
            source + target,
            "That is one layer on each side. A layer of the encoder needs all of the "
            "one below: its backward half begins at the last word.",
        ),
        (
            source + layers * target,
            "The other way round: which layers need all of the layer below "
            "them before they can begin?",
        ),
        (
            source + layers - 1 + target,
            "In the encoder a layer can't follow closely: it reads from "
            "both sides, so it needs all of the layer below.",
        ),
        (layers * source, "That is the encoder. The decoder begins where it has ended."),
        (
            layers * source + target + layers - 1,
            "The upper layers of the decoder start with states "
            "that the encoder has finished last. Is anything still to be waited for when the top "
            "one "
            "begins?",
        ),
        (2 * layers, "That is a Transformer: it waits for layers, and not for words."),
    ]
    for mistake, hint in mistakes:
        no_slip(found != mistake, hint)
    right = right_waiting(source, target, layers)
    expect(
        found == right,
        f"Not {found:g}. Give every state the number of the step at which it "
        "can be known: one more than the latest of all that it needs.",
    )
    elsewhere(function, right_waiting(7, 9, 2), 7, 9, 2)
