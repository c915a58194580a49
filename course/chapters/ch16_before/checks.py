"""The exercise of notebook 16: reading from both sides."""

from collections.abc import Callable

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise

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


def back(step: Step, words: Tensor, start: Tensor) -> Tensor:
    """The same from the last word on; row i still belongs to word i."""
    return read(step, words.flip(0), start).flip(0)


def both(*parts: Tensor) -> Tensor:
    return torch.cat(parts, dim=-1)


def joined(join: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Something made of the states from the left and of those from the right."""
    return lambda from_left, from_right, words, start: join(
        read(from_left, words, start), back(from_right, words, start)
    )


def right_both_ways(from_left: Step, from_right: Step, words: Tensor, start: Tensor) -> Tensor:
    """(s, d) -> (s, 2 hidden): for each word the state from the left, then that from the right."""
    return joined(both)(from_left, from_right, words, start)


def both_ways_inputs() -> tuple[Step, Step, Tensor, Tensor]:
    return one_way, other_way, torch.tensor(WORDS), torch.tensor(START)


my_both_ways = Exercise(
    "my_both_ways",
    "Exercise: two steps (word, state) -> state, words (s, d), a first state -> (s, 2 hidden).",
    inputs=both_ways_inputs,
    right=[right_both_ways],
    slips={
        "The states from the right are still in the order in which they were read: turn them "
        "back, so that row i belongs to word i.": [
            joined(lambda left, right: both(left, right.flip(0)))
        ],
        "The second network reads from the left, too. It should begin with the last word.": [
            lambda f, b, w, s: both(read(f, w, s), read(b, w, s))
        ],
        "The two halves are swapped: from the left comes first.": [
            joined(lambda left, right: both(right, left))
        ],
        "The second network goes on from the last state of the first. It has a beginning of its "
        "own: `start`.": [lambda f, b, w, s: both(read(f, w, s), back(b, w, read(f, w, s)[-1]))],
        "Each step begins at `start` there. The state has to be handed on.": [
            lambda f, b, w, s: torch.stack([both(f(each, s), b(each, s)) for each in w])
        ],
        "Both directions use `from_left`. The second has a step of its own.": [
            lambda f, b, w, s: right_both_ways(f, f, w, s)
        ],
        "Those are the last states. Attention needs one for each word.": [
            joined(lambda left, right: both(left[-1], right[0]))
        ],
        "One is below the other: put them side by side, along the last axis.": [
            joined(lambda left, right: torch.cat([left, right]))
        ],
        "The two are added there. Put them side by side, so that nothing is lost.": [
            joined(torch.add)
        ],
        ELSEWHERE: [lambda f, b, w, s: right_both_ways(one_way, other_way, w, s)],
    },
    elsewhere={
        ELSEWHERE: lambda: (
            other_way,
            one_way,
            torch.tensor(WORDS[1:3]) - 4,
            torch.tensor(START).flip(0),
        )
    },
)
