"""What each function of the assignments may be given: random inputs from its description.

Two programs that answer them alike are the same program, as far as anybody can ask.
"""

import math
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch08_decoder import checks as check_decoder
from course.chapters.ch11_decoding import checks as check_decoding
from course.chapters.ch14_real_text import assignment_7_checks as check_corpus
from course.chapters.ch17_gpt import assignment_9_checks as check_scaling
from course.chapters.ch18_since_2017 import assignment_8_checks as check_newer_parts
from course.chapters.ch21_without_the_table import assignment_10_checks as check_states
from course.checks import as_number, with_tensors
from transformer_lib.decoding import Hypothesis, penalty
from transformer_lib.model.decoder import DecoderLayer
from transformer_lib.model.masks import causal_mask

MANY = 60  # inputs for each function
CALLS = 50  # of a model: then a search surely won't stop by itself


class Dice:
    """Random sizes, numbers and tensors, the same each time."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)

    def size(self, largest: int, least: int = 1) -> int:
        return self.random.randint(least, largest)

    def sizes(self, *largest: int) -> list[int]:
        return [self.size(n) for n in largest]

    def choice(self, *these: Any) -> Any:
        return self.random.choice(these)

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self.generator)

    def ids(self, *shape: int, least: int = 0, below: int) -> Tensor:
        return torch.randint(least, below, shape, generator=self.generator)

    def padded(self, b: int, t: int, least: int, below: int) -> Tensor:
        """Rows of ids, most of them with 0 at the end; none is empty."""
        ids = self.ids(b, t, least=least, below=below)
        for row in ids:
            row[self.size(t) :] = 0
        return ids


def my_rows(dice: Dice) -> tuple:
    vocab_size = dice.size(9)
    return dice.ids(*dice.sizes(4, 4), below=vocab_size), vocab_size


def my_embeddings(dice: Dice) -> tuple:
    vocab_size, d_model = dice.sizes(9, 8)
    return dice.ids(*dice.sizes(4, 4), below=vocab_size), dice.normal(vocab_size, d_model)


def my_encoding(dice: Dice) -> tuple:
    return dice.size(30), 2 * dice.size(12)


def my_weights(dice: Dice) -> tuple:
    q, k, d_k = dice.sizes(5, 5, 7)
    times = dice.choice(1, 3, 300)
    return times * dice.normal(q, d_k), dice.normal(k, d_k)


def my_attention(dice: Dice) -> tuple:
    b, h, q, k, d_k, d_v = dice.sizes(3, 3, 5, 5, 7, 7)
    times = dice.choice(1, 3, 300)
    return times * dice.normal(b, h, q, d_k), dice.normal(b, h, k, d_k), dice.normal(b, h, k, d_v)


def my_split_heads(dice: Dice) -> tuple:
    b, length, h, d_k = dice.sizes(3, 4, 4, 4)
    return dice.normal(b, length, h * d_k), h


def my_merge_heads(dice: Dice) -> tuple:
    return (dice.normal(*dice.sizes(3, 4, 4, 4)),)


def my_mask(dice: Dice) -> tuple:
    return (dice.padded(*dice.sizes(3, 6), 1, 12),)


def my_hidden_weights(dice: Dice) -> tuple:
    b, h, q, k = dice.sizes(3, 3, 4, 5)
    mask = dice.normal(b, 1, q, k) > dice.choice(-1.0, 0.0, 1.0)
    scores = dice.choice(1, 10) * dice.normal(b, h, q, k) + dice.choice(0, 0, 500, -30_000)
    high = dice.choice(0, 30) * torch.arange(q)[:, None]  # each row at another height
    return scores + high + dice.choice(0, 50) * ~mask, mask


def my_layer_norm(dice: Dice) -> tuple:
    b, length, d_model = dice.sizes(3, 4, 7)
    x = dice.choice(0, 1, 5) * dice.normal(b, length, d_model) + dice.choice(0, 3)
    return x, dice.normal(d_model), dice.normal(d_model), dice.choice(1e-5, 0.1, 0.5, 2.0)


def my_add_and_norm(dice: Dice) -> tuple:
    parts = dice.random.sample([torch.sin, torch.cos, torch.tanh, torch.exp, torch.square], 3)
    return dice.normal(*dice.sizes(3, 4, 5)), *parts, dice.choice(True, False)


def my_decoder_layer(dice: Dice) -> tuple:
    h, d_k, b, t, s = dice.sizes(3, 3, 3, 4, 5)
    layer = check_decoder.seeded(lambda: DecoderLayer(h * d_k, 5, h, dropout=0.0))
    residuals = (layer.residual_self_attn, layer.residual_cross_attn, layer.residual_feed_forward)
    parts = layer.self_attn, layer.cross_attn, layer.feed_forward, [one.norm for one in residuals]
    x, memory = dice.normal(b, t, h * d_k), dice.normal(b, s, h * d_k)
    return x, memory, causal_mask(t), *check_decoder.by_place(*parts)


def my_shift(dice: Dice) -> tuple:
    return ([dice.size(20, least=3) for _ in range(dice.size(7, least=0))],)


def my_smoothed_loss(dice: Dice) -> tuple:
    b, t, vocab_size = dice.size(3), dice.size(5), dice.size(9, least=2)
    logits = dice.choice(1, 10, 100) * dice.normal(b, t, vocab_size)
    return logits, dice.padded(b, t, 1, vocab_size), dice.choice(0.0, 0.1, 0.3, 0.8)


def my_schedule(dice: Dice) -> tuple:
    return dice.sizes(200, 600, 100)


def my_updates(dice: Dice) -> tuple:
    each, groups = dice.sizes(5, 4)
    return [dice.size(20) for _ in range(each * groups)], each


def my_greedy(dice: Dice) -> tuple:
    table = dice.normal(5, 10, 9, 9)  # by the source, the place and the word that is read there
    src = dice.ids(1, dice.size(5), least=3, below=9)
    calls = []

    def model(src: Tensor, tgt_in: Tensor) -> Tensor:
        calls.append(tgt_in)
        if len(calls) > CALLS:
            raise RuntimeError("it doesn't stop")
        return table[src.sum() % 5, torch.arange(tgt_in.size(1)), tgt_in]

    return model, src, dice.size(9)


def my_beam_step(dice: Dice) -> tuple:
    beam, vocab_size = dice.sizes(4, 7)
    k = dice.size(min(beam * vocab_size, 6))
    return -dice.normal(beam).abs(), dice.normal(beam, vocab_size).log_softmax(-1), k


def my_choice(dice: Dice) -> tuple:
    some = dice.choice([False], [True], [True, False])
    alpha = dice.choice(0.0, 0.3, 0.6, 1.0, 1.7)
    found = [  # with scores that lie near together
        Hypothesis(
            [5] * n, -penalty(n, alpha) * (1 + dice.random.random() / 5), 0.0, dice.choice(*some)
        )
        for n in (dice.size(10) for _ in range(dice.size(6)))
    ]
    return found, alpha


def my_precision(dice: Dice) -> tuple:
    n = dice.size(4)

    def text(longest: int) -> list[str]:
        return [dice.choice(*"aab") for _ in range(longest)]

    texts = [text(dice.size(7, least=0)) for _ in range(dice.size(3))] + [text(n)]
    return texts, [text(dice.size(7, least=0)) for _ in texts], n


def my_brevity(dice: Dice) -> tuple:
    return dice.sizes(40, 40)


def my_clean_pair(dice: Dice) -> tuple:
    words = (
        "a",
        "no",
        "Día",
        "año",
        "B",
        "c",
        "d&amp;",
        "&eacute;l",
        "&lt;3",
        "3&gt;",
        "“sí”",
        "„x«",
        "»y",
        "it’s",
        "‘z",
    )
    between = (" ", " ", " ", "  ", "\xa0", "\t", "<br>", "<b> ", " </i>", "&nbsp;", "\n")
    marks = ("", "", "", "", "", "", "\ufffd", "Ã", "Â")

    def side(most: int) -> str:
        parts = [dice.choice(*words) + dice.choice(*between) for _ in range(dice.size(most, 0))]
        return dice.choice(*between) + "".join(parts) + dice.choice(*marks)

    many = dice.size(3)
    if dice.choice(True, False):  # at the edge of what is too long
        few, more = ["a"] * many, ["b"] * (3 * many + dice.choice(-1, 0, 0, 1, 1))
        both = [" ".join(few), dice.choice(*between).join(more)]
        return tuple(both[:: dice.choice(1, -1)])
    return side(4), side(4)


def some_pairs(dice: Dice) -> list[tuple[str, str]]:
    texts = ("a", "A.", "¡a!", "b", "B", "a b", "ab", "ba", "c", "", "¿c?", "d")
    return [(dice.choice(*texts), dice.choice(*texts)) for _ in range(dice.size(12))]


def my_deduplicate(dice: Dice) -> tuple:
    return (some_pairs(dice),)


def my_hold_out(dice: Dice) -> tuple:
    return some_pairs(dice), dice.size(3)


def my_stop(dice: Dice) -> tuple:
    losses = [dice.size(8) / 4 for _ in range(dice.size(9))]
    return losses, dice.size(4)


def my_any_reference(dice: Dice) -> tuple:
    def text() -> str:
        return "".join(dice.choice(*"abA") for _ in range(dice.size(2)))

    texts = [text() for _ in range(dice.size(5))]
    return texts, [[text() for _ in range(dice.size(3))] for _ in texts]


def my_interval(dice: Dice) -> tuple:
    texts, references = (
        [" ".join(dice.choice(*"ab") for _ in range(dice.size(4))) for _ in range(7)]
        for _ in range(2)
    )
    draw = check_corpus.a_draw(dice.size(1000))
    return texts, references, check_corpus.a_score(), draw, 40 * dice.size(3) + dice.size(39, 0)


def my_turn(dice: Dice) -> tuple:
    b, h, s, pairs = dice.sizes(3, 3, 5, 4)
    places = torch.arange(s) * dice.size(3) + dice.size(30, least=0)
    return dice.normal(b, h, s, 2 * pairs), places, dice.choice(10_000.0, 100.0, 5.0)


def my_rotary_attention(dice: Dice) -> tuple:
    b, h, n, before, pairs = *dice.sizes(2, 3, 4), dice.size(4, least=0), dice.size(4)
    q = dice.normal(b, h, n, 2 * pairs)
    k, v = (dice.normal(b, h, before + n, 2 * pairs) for _ in range(2))
    return q, k, v, check_newer_parts.a_turn(dice.choice(10.0, 100.0))


def my_grouped_attention(dice: Dice) -> tuple:
    b, kv_heads, each, n, s, d_k = dice.sizes(2, 3, 3, 4, 5, 6)
    q = dice.normal(b, kv_heads * each, n, d_k)
    return q, *(dice.normal(b, kv_heads, s, d_k) for _ in range(2))


def my_cache_bytes(dice: Dice) -> tuple:
    layers, kv_heads, each, width, words = dice.sizes(9, 4, 4, 30, 99)
    h = kv_heads * each
    return layers, h * width, h, kv_heads, words, dice.choice(1, 2, 4)


def my_sizes(dice: Dice) -> tuple:
    return tuple(dice.sizes(9, 40, 90, 300))


def my_flops(dice: Dice) -> tuple:
    return tuple(dice.sizes(9, 40, 90, 300, 70))


def some_losses(dice: Dice) -> tuple:
    """Counts, losses that fall about as a law does, and the floor under them."""
    counts = sorted(dice.random.sample(range(2, 3_000), dice.size(6, least=3)))
    floor, a, alpha = (dice.random.uniform(*ends) for ends in ((0, 3), (1, 20), (0.1, 0.9)))
    wobble = [dice.random.uniform(0.8, 1.2) for _ in counts]
    return counts, [floor + a * n**-alpha * w for n, w in zip(counts, wobble, strict=True)], floor


def my_fit(dice: Dice) -> tuple:
    return some_losses(dice)


def my_held_out(dice: Dice) -> tuple:
    return *some_losses(dice), check_scaling.a_fit()


def my_loss(dice: Dice) -> tuple:
    sizes = dice.sizes(4, 5)
    clip, beta = dice.choice(0.05, 0.2, 0.5), dice.choice(0.1, 0.3, 1.0)
    return check_states.loss_inputs(*sizes, clip, beta, dice.size(10_000))


def my_average_precision(dice: Dice) -> tuple:
    scores = dice.normal(dice.size(12))
    true = dice.normal(len(scores)) > dice.choice(-1.0, 0.0, 1.0)
    true[dice.size(len(scores)) - 1] = True  # one of them has the property
    return scores, true


def my_delta(dice: Dice) -> tuple:
    return check_states.delta_inputs(*dice.sizes(6, 4, 4), dice.size(10_000))


MADE_BY: dict[str, Callable[[Dice], tuple]] = {
    name: made for name, made in globals().items() if name.startswith("my_")
}


def inputs_of(exercise: str) -> Iterator[tuple]:
    """Fresh inputs each time, for whoever changes what it was given."""
    return (MADE_BY[exercise](Dice(seed)) for seed in range(MANY))


def answer_of(function: Callable, inputs: tuple) -> Any:
    """What it answers, or the exception with which it stops."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return with_tensors(function(*inputs))
    except Exception as error:
        return error


def alike(function: Callable, right: Callable, exercise: str) -> bool:
    """Does one function answer all inputs as the other does?"""
    return all(
        equal(answer_of(function, inputs), answer_of(right, again))
        for inputs, again in zip(inputs_of(exercise), inputs_of(exercise), strict=True)
    )


def in_numbers(answer: Any) -> Any:
    """Without its form: a tensor, an array or a tuple as lists."""
    answer = with_tensors(answer)
    if isinstance(answer, list | tuple):
        return [in_numbers(part) for part in answer]
    return answer.tolist() if isinstance(answer, Tensor) else answer


def equal(found: Any, right: Any) -> bool:
    """Would anybody call these two answers the same?"""
    if isinstance(right, Tensor):
        return (
            isinstance(found, Tensor)
            and found.shape == right.shape
            and found.is_floating_point() == right.is_floating_point()
            and (found.dtype == torch.bool) == (right.dtype == torch.bool)
            and torch.allclose(found.double(), right.double(), rtol=1e-3, atol=1e-4)
        )
    if isinstance(right, Hypothesis):
        return check_decoding.same_choice(found, right)
    if isinstance(right, list | tuple):
        found = found.tolist() if isinstance(found, Tensor) else found
        fits = isinstance(found, list | tuple) and len(found) == len(right)
        return fits and all(equal(*pair) for pair in zip(found, right, strict=True))
    if isinstance(right, int | float):
        found = as_number(found)
        return isinstance(found, int | float) and math.isclose(found, right, rel_tol=1e-3)
    return found == right
