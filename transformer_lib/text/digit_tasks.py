"""Three small tasks on digits that are learned in seconds: copy, reverse, sort.

copy     3 1 4 1  ->  3 1 4 1
reverse  3 1 4 1  ->  1 4 1 3
sort     3 1 4 1  ->  1 1 3 4
"""

import random
from collections.abc import Callable

TASKS: dict[str, Callable[[list[str]], list[str]]] = {
    "copy": lambda digits: digits,
    "reverse": lambda digits: digits[::-1],
    "sort": sorted,
}
TRAIN, VALIDATION = 10_000, 500


def make(
    task: str, count: int, min_length: int = 1, max_length: int = 10, seed: int = 0
) -> list[tuple[list[str], list[str]]]:
    """`count` pairs of token lists for a task, no input twice; the seed fixes which ones.

    To keep training and test apart, make both in one call and cut the list in two. Raises
    ValueError for an unknown task, impossible lengths, or more pairs than there are.
    """
    if task not in TASKS:
        raise ValueError(f"task={task!r} must be one of {', '.join(TASKS)}")
    if not 1 <= min_length <= max_length:
        raise ValueError(
            f"lengths must satisfy 1 <= min_length <= max_length, not {min_length}, {max_length}"
        )
    possible = sum(10**length for length in range(min_length, max_length + 1))
    if count > possible:
        raise ValueError(
            f"count={count} is too many: there are {possible} sequences of {min_length} to "
            f"{max_length} digits"
        )
    draw = random.Random(seed).random
    pairs: list[tuple[list[str], list[str]]] = []
    seen = set()
    while len(pairs) < count:
        length = min_length + int(draw() * (max_length - min_length + 1))
        digits = [str(int(draw() * 10)) for _ in range(length)]
        if tuple(digits) not in seen:
            seen.add(tuple(digits))
            pairs.append((digits, list(TASKS[task](digits))))
    return pairs


def load(task: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs of text ("3 1 4", "4 1 3") for training and for validation."""
    pairs = [(" ".join(src), " ".join(tgt)) for src, tgt in make(task, TRAIN + VALIDATION)]
    return pairs[:TRAIN], pairs[TRAIN:]
