"""Experiment: what a layer takes for texts of 16 to 2,048 words, in time and in memory.

Times are those of one machine on one thread, told as ratios within a round: reading a whole text
beside attention's formula, and one more word beside a step of linear attention. Bytes are counted
and are the same everywhere. A minute or two, on a machine that does nothing else.
"""

import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from course.chapters.ch21_without_the_table.mixers import (
    LinearAttention,
    MinGRU,
    StateMixer,
    StateSpace,
    numbers,
)
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.experiments.timing import in_turns
from transformer_lib.decoding.cache import KeyValueCache
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.masks import causal_mask

D, H = 128, 4  # as in the shipped translator
LENGTHS = (16, 32, 64, 128, 256, 512, 1024, 2048)
ROUNDS = 15
BLOCK = 64
FLOAT = 4  # bytes of a number


def mixers() -> dict[str, StateMixer]:
    torch.manual_seed(0)
    return {
        "linear attention": LinearAttention(D, H),
        "minGRU": MinGRU(D),
        "state space": StateSpace(D, H),
    }


def read_in(mixer: StateMixer, x: Tensor, block: int) -> Tensor:
    """A whole text, so many words at a time: within a block at once, the state from block to block.

    x (b, t, d_model) -> the same shape.
    """
    state, found = mixer.start(len(x)), []
    for piece in x.split(block, dim=1):
        y, state = mixer.read(piece, state)
        found.append(y)
    return torch.cat(found, dim=1)


def whole_text(length: int) -> dict[str, Callable[[], Any]]:
    """What reads a text of so many words; attention first."""
    attention, x, mask = MultiHeadAttention(D, H), torch.randn(1, length, D), causal_mask(length)
    ways: dict[str, Callable[[], Any]] = {"attention": lambda: attention(x, x, x, mask=mask)}
    for name, mixer in mixers().items():
        for way, block in ("at once", length), ("in blocks", BLOCK), ("word by word", 1):
            ways[f"{name}, {way}"] = partial(read_in, mixer, x, block)
    return ways


def one_more_word(length: int) -> dict[str, Callable[[], Any]]:
    """What reads the next word after so many; a step of linear attention first."""
    x, word = torch.randn(1, length, D), torch.randn(1, 1, D)
    ways: dict[str, Callable[[], Any]] = {}
    for name, mixer in mixers().items():
        state = mixer.read(x, mixer.start(1))[1]
        ways[name] = lambda mixer=mixer, state=state: [mixer.read(word, state) for _ in range(20)]
    attention, cache = MultiHeadAttention(D, H), KeyValueCache(length + 1)
    cache.add(attention, x)

    def with_cache() -> None:
        for _ in range(20):
            cache.length = length
            cache.add(attention, word)
            cache.attend(attention, word, None)

    return ways | {"attention, with a cache": with_cache}


def ratios(contestants: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Median over rounds of the time of each, divided by that of the first in the same round."""
    rounds = in_turns(contestants, ROUNDS)
    first, *others = contestants
    return {
        name: round(statistics.median(times[name] / times[first] for times in rounds), 3)
        for name in others
    }


def kept_bytes(length: int) -> dict[str, int]:
    """What one layer hands on from word to word, after so many."""
    cache = KeyValueCache(length)
    cache.add(MultiHeadAttention(D, H), torch.randn(1, length, D))
    states = {name: FLOAT * numbers(mixer.start(1)) for name, mixer in mixers().items()}
    return {"attention, with a cache": cache.bytes} | states


@experiment("state-times")
@one_thread()
@torch.inference_mode()
def times_of_states() -> dict[str, Any]:
    """Time and memory of a state beside attention and its cache, at 16 to 2,048 words."""
    rows = [
        {
            "length": length,
            "reading": ratios(whole_text(length)),
            "next word": ratios(one_more_word(length)),
            "bytes": kept_bytes(length),
        }
        for length in tqdm(LENGTHS, unit="length")
    ]
    return {"d_model": D, "h": H, "block": BLOCK, "rounds": ROUNDS, "rows": rows}
