"""The exercises of notebook 16: reading from both sides, and the steps that wait."""

from collections.abc import Callable

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise, Hint, a_number

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


def right_both_ways(forward: Step, backward: Step, words: Tensor, start: Tensor) -> Tensor:
    """(s, d) -> (s, 2 hidden): for each word the state from the left, then that from the right."""
    return both(read(forward, words, start), back(backward, words, start))


def by_cells(forward: Step, backward: Step, words: Tensor, start: Tensor) -> Tensor:
    """With a list for each direction, as a reader may write it."""
    left, right, state = [], [start] * len(words), start
    for each in words:
        state = forward(each, state)
        left.append(state)
    state = start
    for i in range(len(words) - 1, -1, -1):
        state = backward(words[i], state)
        right[i] = state
    return torch.stack([torch.cat(pair) for pair in zip(left, right, strict=True)])


def both_ways_inputs() -> tuple[Step, Step, Tensor, Tensor]:
    return one_way, other_way, torch.tensor(WORDS), torch.tensor(START)


my_both_ways = Exercise(
    "my_both_ways",
    "Exercise: two steps (word, state) -> state, words (s, d), a first state -> (s, 2 hidden).",
    inputs=both_ways_inputs,
    right=[right_both_ways, by_cells],
    slips={
        "The states from the right are still in the order in which they were read: turn them "
        "back, so that row i belongs to word i.": [
            lambda f, b, w, s: both(read(f, w, s), read(b, w.flip(0), s))
        ],
        "The second network reads from the left, too. It should begin with the last word.": [
            lambda f, b, w, s: both(read(f, w, s), read(b, w, s))
        ],
        "The two halves are swapped: from the left comes first.": [
            lambda f, b, w, s: both(back(b, w, s), read(f, w, s))
        ],
        "The second network goes on from the last state of the first. It has a beginning of its "
        "own: `start`.": [lambda f, b, w, s: both(read(f, w, s), back(b, w, read(f, w, s)[-1]))],
        "Each step begins at `start` there. The state has to be handed on.": [
            lambda f, b, w, s: torch.stack([both(f(each, s), b(each, s)) for each in w])
        ],
        "Both directions use `forward`. The second has a step of its own.": [
            lambda f, b, w, s: right_both_ways(f, f, w, s)
        ],
        "Those are the last states. Attention needs one for each word.": [
            lambda f, b, w, s: both(read(f, w, s)[-1], back(b, w, s)[0])
        ],
        "One is below the other: put them side by side, along the last axis.": [
            lambda f, b, w, s: torch.cat([read(f, w, s), back(b, w, s)])
        ],
        "The two are added there. Put them side by side, so that nothing is lost.": [
            lambda f, b, w, s: read(f, w, s) + back(b, w, s)
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


def right_waiting(source: int, target: int, layers: int) -> int:
    """Steps of a recurrent translator that must wait for each other while it is trained."""
    return layers * source + target


def by_stamps(source: int, target: int, layers: int) -> int:
    """The moment at which each state is known: one after the latest of all that it needs."""

    def run(ready: list[int], moment: int) -> list[int]:
        moments = []
        for word in ready:
            moment = 1 + max(moment, word)
            moments.append(moment)
        return moments

    words, ends = [0] * source, []
    for _ in range(layers):
        left, right = run(words, 0), run(words[::-1], 0)
        words = [max(pair) for pair in zip(left, right[::-1], strict=True)]
        ends.append(max(left[-1], right[-1]))
    words = [0] * target
    for end in ends:
        words = run(words, end)
    return words[-1]


def is_another_moment(found: float, right: int) -> None:
    raise Hint(
        f"Not {found:g}. Give every state the number of the step at which it can be known: one "
        "more than the latest of all that it needs."
    )


my_waiting = Exercise(
    "my_waiting",
    "Exercise: words of the source and of the target, layers on each side -> steps that wait.",
    inputs=lambda: (12, 10, 3),
    right=[right_waiting, by_stamps],
    read=a_number,
    slips={
        "A layer of the decoder needn't wait for the end of another: when layer 0 has its second "
        "word, layer 1 can take its first.": [lambda s, t, n: n * (s + t)],
        "The two directions of a layer don't need each other: they run side by side.": [
            lambda s, t, n: 2 * n * s + t
        ],
        "Two things: the two directions of a layer run side by side, and the layers of the decoder "
        "run nearly together.": [lambda s, t, n: 2 * n * s + n * t],
        "That is one layer on each side. A layer of the encoder needs all of the one below: its "
        "backward half begins at the last word.": [lambda s, t, n: s + t],
        "The other way round: which layers need all of the layer below them before they can "
        "begin?": [lambda s, t, n: s + n * t],
        "In the encoder a layer can't follow closely: it reads from both sides, so it needs all of "
        "the layer below.": [lambda s, t, n: s + n - 1 + t],
        "That is the encoder. The decoder begins where it has ended.": [lambda s, t, n: n * s],
        "The upper layers of the decoder start with states that the encoder has finished last. Is "
        "anything still to be waited for when the top one begins?": [
            lambda s, t, n: n * s + t + n - 1
        ],
        "That is a Transformer: it waits for layers, and not for words.": [lambda s, t, n: 2 * n],
        ELSEWHERE: [lambda s, t, n: 3 * s + t],
    },
    unlike=is_another_moment,
    elsewhere={ELSEWHERE: lambda: (7, 9, 2)},
)
