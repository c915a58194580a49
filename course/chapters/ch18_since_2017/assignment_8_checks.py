"""Assignment 8: rotary positions, grouped-query attention, and the bytes that a cache needs."""

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from course.checks import (
    Exercise,
    Hint,
    Value,
    Verdicts,
    a_number,
    a_tensor,
    drawn,
    expect,
    no_slip,
    not_so,
    not_this,
    whole_numbers,
)
from transformer_lib.model.attention import attention
from transformer_lib.variants import ModernAttention, Rotary

Turn = Callable[[Tensor, Tensor], Tensor]
Turning = Callable[[Tensor, Tensor, float], Tensor]
ATTENTION = (
    "attention",
    "attention_weights",
    "biased_attention_weights",
    "flash_attention",
    "scaled_dot_product_attention",
    "ModernAttention",
    "MultiHeadAttention",
)
# --- turning by hand -----------------------------------------------------------------------------

QUERY, KEY = (3, 1), (2, 1)
PLACES = [(4, 4), (5, 4), (41, 40), (4, 5), (4, 6)]  # of the query and of the key


def quarter_turns(pair: tuple[int, int], times: int) -> tuple[int, int]:
    """Turned by 90 degrees so many times, counterclockwise: (a, b) becomes (-b, a)."""
    for _ in range(times % 4):
        pair = -pair[1], pair[0]
    return pair


def met(by: Callable[[int, int], int]) -> tuple[int, ...]:
    """The scores for PLACES, when query and key meet turned by so many quarters in all."""
    turned = [quarter_turns(QUERY, by(*places)) for places in PLACES]
    return tuple(sum(a * b for a, b in zip(one, KEY, strict=True)) for one in turned)


def five_numbers(guess: Any) -> tuple[int, ...]:
    wanted = "Give a list of five whole numbers, one for each pair of places."
    found = tuple(whole_numbers(guess, wanted))
    expect(len(found) == len(PLACES), wanted)
    return found


def first_wrong(guess: Sequence[int]) -> None:
    wrong = [one != other for one, other in zip(guess, scores_by_hand.right, strict=True)]
    raise Hint(
        f"Number {wrong.index(True) + 1} of the list: four quarters are a whole turn. Turn q and "
        "k, each by its own place, multiply number by number and add."
    )


scores_by_hand = Value(
    "scores_by_hand",
    "The products of q = (3, 1) and k = (2, 1), turned by 90 degrees per place: 7 1 1 -1 -7.",
    read=five_numbers,
    right=met(lambda q, k: q - k),
    slips={
        met(lambda q, k: 0): "Nothing is turned there: at place 5, q has been turned five times.",
        met(lambda q, k: q): "Only q is turned. The key stands at a place, too.",
        met(lambda q, k: -k): "Only k is turned. The query stands at a place, too.",
        met(lambda q, k: q + k): "A key one place later isn't a key one place before: turn both, "
        "and look once more at the last but one.",
        met(lambda q, k: k - q): "That turns clockwise. Counterclockwise, (a, b) becomes (-b, a).",
    },
    unlike=first_wrong,
)


# --- rotary positions ----------------------------------------------------------------------------


def angles(places: Tensor, d_k: int, base: float, exponent: Callable | None = None) -> Tensor:
    """(s,) -> (s, d_k / 2): by how much each pair turns. exponent: of base, for pair i and d_k."""
    exponent = exponent or (lambda i, d_k: 2 * i / d_k)
    return places[:, None] / base ** exponent(torch.arange(d_k // 2), d_k)


def pairs_of(x: Tensor, halves: bool) -> tuple[Tensor, Tensor]:
    """First and second numbers of the pairs: neighbors, or x_i and x_(i + d_k / 2)."""
    return x.chunk(2, dim=-1) if halves else (x[..., 0::2], x[..., 1::2])


def put_back(first: Tensor, second: Tensor, halves: bool) -> Tensor:
    pair = [first, second]
    return torch.cat(pair, dim=-1) if halves else torch.stack(pair, dim=-1).flatten(-2)


def rotated(
    x: Tensor, angle: Tensor, halves: bool = False, back_in_halves: bool | None = None
) -> Tensor:
    """x (b, h, s, d_k), each pair turned by its angle (s, d_k / 2)."""
    back = halves if back_in_halves is None else back_in_halves
    first, second = pairs_of(x, halves)
    sin, cos = angle.sin(), angle.cos()
    return put_back(first * cos - second * sin, first * sin + second * cos, back)


def counted(where: Callable[[Tensor], Tensor], exponent: Callable | None = None) -> Turning:
    """Turned by other places, or with another exponent."""
    return lambda x, places, base: rotated(x, angles(where(places), x.size(-1), base, exponent))


in_pairs = counted(lambda places: places)


def turned(x: Tensor, places: Tensor, base: float) -> Tensor:
    """What my_turn should return."""
    return in_pairs(x, places, base)


def a_turn(base: float = 100.0) -> Turn:
    """A function turn(x, places) to hand over."""

    def turn(x: Tensor, places: Tensor) -> Tensor:
        places = torch.as_tensor(places)
        if places.shape != (x.size(-2),):
            raise ValueError(
                f"turn wants a place for each of the {x.size(-2)} words, "
                f"not the shape {tuple(places.shape)}"
            )
        return turned(x, places, base)

    return turn


numbers_for = drawn  # what the assignment calls it


def to_the_power(exponent: Callable) -> Turning:
    return counted(lambda places: places, exponent)


def by(change: Callable[[Tensor], Tensor], **options: Any) -> Turning:
    """Turned by other angles, or put together in another way."""
    return lambda x, places, base: rotated(x, change(angles(places, x.size(-1), base)), **options)


def mixed(make: Callable[..., tuple[Tensor, Tensor]]) -> Turning:
    """Another sum of the two numbers of a pair, of sine and cosine."""

    def run(x: Tensor, places: Tensor, base: float) -> Tensor:
        angle = angles(places, x.size(-1), base)
        return put_back(*make(*pairs_of(x, False), angle.sin(), angle.cos()), False)

    return run


def in_columns(halves: bool, widen: Callable[[Tensor], Tensor], step: int = 2) -> Turning:
    """x cos + (-second, first) sin, with a cosine for each column, as much code has it."""

    def run(x: Tensor, places: Tensor, base: float) -> Tensor:
        d_k = x.size(-1)
        angle = widen(places.float().outer(base ** (-torch.arange(0, d_k, step) / d_k)))
        one, other = pairs_of(x, halves)
        return x * angle.cos() + put_back(-other, one, halves) * angle.sin()

    return run


def next_to_it(angle: Tensor) -> Tensor:
    return angle.repeat_interleave(2, dim=-1)


def behind_it(angle: Tensor) -> Tensor:
    return torch.cat([angle, angle], dim=-1)


def by_complex_numbers(x: Tensor, places: Tensor, base: float) -> Tensor:
    d_k = x.size(-1)
    speed = torch.exp(-math.log(base) * torch.arange(0, d_k, 2) / d_k)
    angle = torch.outer(places.float(), speed)
    numbers = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def by_the_library(x: Tensor, places: Tensor, base: float) -> Tensor:
    words = torch.zeros(*x.shape[:2], int(places[-1]) + 1, x.size(-1))
    words[:, :, places] = x
    return Rotary(x.size(-1), base).rotate(words)[:, :, places]


ONE_MINUS = mixed(lambda one, two, sin, cos: (one * cos + two * sin, one * sin + two * cos))
D_K_HALF = "Sizes don't fit. There are d_k / 2 pairs, so there are d_k / 2 angles for each word."
my_turn = Exercise(
    "my_turn",
    "Exercise: x (b, h, s, d_k), the places (s,) of its words, base -> x with its pairs turned.",
    inputs=lambda: (numbers_for(2, 4, 4, 6), torch.tensor([2, 3, 4, 9]), 50.0),
    right=[in_pairs, by_complex_numbers, in_columns(False, next_to_it)],
    not_allowed=("Rotary", "turned", "apply_rotary_pos_emb"),
    borrowed=[turned, by_the_library],
    errors={"must match the size of tensor b": D_K_HALF},
    slips={
        "Nothing is turned yet.": [lambda x, places, base: x],
        "That adds the paper's position vectors. Here nothing is added: each pair is turned, and "
        "keeps its length.": [mixed(lambda first, second, sin, cos: (first + sin, second + cos))],
        "That multiplies by sines and cosines, number by number. A turned pair mixes its two "
        "numbers.": [mixed(lambda first, second, sin, cos: (first * sin, second * cos))],
        "That is Llama's order, which pairs x_i with x_(i + d_k/2). Here the pairs are neighbors: "
        "x_2i and x_(2i+1).": [by(lambda angle: angle, halves=True)],
        "Your pairs are neighbors, but your angles are those of the halves: the two numbers of a "
        "pair turn by one angle, so each angle comes twice in a row (repeat_interleave, not "
        "cat).": [in_columns(False, behind_it)],
        "Your angles are those of neighbors, but your pairs are halves: exchange x_2i with "
        "x_(2i+1), not with x_(2i + d_k/2).": [in_columns(True, next_to_it)],
        "Turned right and put back wrong: the numbers of a pair go back to where they came from, "
        "side by side, not into two halves.": [by(lambda angle: angle, back_in_halves=True)],
        "The pairs are taken from the halves and put back as neighbors: here they are neighbors "
        "from the start.": [by(lambda angle: angle, halves=True, back_in_halves=False)],
        "That turns backwards: look at the sign of the sines.": [by(lambda angle: -angle)],
        "One minus is missing: without it the lengths change, and that is no turn.": [ONE_MINUS],
        "Sine and cosine are exchanged: at place 0 nothing may turn.": [
            mixed(lambda one, two, sin, cos: (one * sin - two * cos, one * cos + two * sin))
        ],
        "The second number of a pair is made with the first one as it is *after* turning: keep the "
        "old one.": [
            mixed(
                lambda one, two, sin, cos: (
                    one * cos - two * sin,
                    (one * cos - two * sin) * sin + two * cos,
                )
            )
        ],
        "You count the rows from 0. `places` says where they stand.": [
            counted(lambda places: torch.arange(len(places)))
        ],
        "You begin to count at the first of the places. It need not be place 0.": [
            counted(lambda places: places - places[0])
        ],
        "Places count from 0 here: at place 0 nothing turns.": [counted(lambda places: places + 1)],
        "The exponent is 2i / d_k, where i is the number of the pair; yours is i / d_k.": [
            to_the_power(lambda i, d: i / d)
        ],
        "The 2 of 2i is there twice: `arange(0, d_k, 2)` is 2i already.": [
            to_the_power(lambda i, d: 4 * i / d)
        ],
        "The place is divided by the power of the base, not multiplied: the last pairs turn "
        "slowly.": [to_the_power(lambda i, d: -2 * i / d)],
        "The exponent is not divided by d_k.": [to_the_power(lambda i, d: 2.0 * i)],
        "All your pairs turn equally fast.": [to_the_power(lambda i, d: 0.0 * i)],
        "The base is handed in; 10,000 is written into your function.": [
            lambda x, places, base: in_pairs(x, places, 10_000.0)
        ],
        "The angles are in radians already.": [by(torch.deg2rad)],
        "The two numbers of a pair turn by the same angle. Yours grows from column to column.": [
            in_columns(False, lambda angle: angle, step=1)
        ],
        "There every head stands at another place. The words are the last axis but one.": [
            by(lambda angle: angle[:, None])
        ],
        D_K_HALF: [by(next_to_it)],
    },
)


# --- attention with them -------------------------------------------------------------------------


def seen_by(q_places: Tensor, k_places: Tensor) -> Tensor:
    return k_places <= q_places[:, None]


Rule = Callable[[int, int], Any]  # of how many words ask and how many there are


def attending(
    what: str = "qk",
    *,
    start: Rule = lambda n, s: s - n,
    seen: Rule = lambda n, s: seen_by(torch.arange(s - n, s), torch.arange(s)),
    scale: float = 0.5,
    dim: int = -1,
    hidden: str = "-inf",
    result: str = "sums",
) -> Callable[..., Tensor]:
    """Attention with turned queries and keys; each option is a way to do it otherwise.

    what: is turned: q, k, v and the result, o. scale: the power of d_k.
    """

    def run(q: Tensor, k: Tensor, v: Tensor, turn: Turn) -> Tensor:
        n, s = q.size(2), k.size(2)
        places, own = torch.arange(s), torch.arange(n) + start(n, s)
        tq, tk = turn(q, own) if "q" in what else q, turn(k, places) if "k" in what else k
        scores = tq @ tk.transpose(-2, -1) / q.size(-1) ** scale
        may = seen(n, s)
        if hidden == "0":
            weights = (scores * may).softmax(dim)
        elif hidden == "after":
            weights = scores.softmax(dim) * may
        else:
            weights = scores.masked_fill(~may, torch.finfo(scores.dtype).min).softmax(dim)
        if result == "weights":
            return weights
        found = weights @ (turn(v, places) if "v" in what else v)
        return turn(found, own) if "o" in what else found

    return run


def rotary_attention(q: Tensor, k: Tensor, v: Tensor, turn: Turn) -> Tensor:
    """What my_rotary_attention should return."""
    return attending()(q, k, v, turn)


def word_by_word(q: Tensor, k: Tensor, v: Tensor, turn: Turn) -> Tensor:
    """The distance alone counts, so the first key may stand at place 100."""
    n, s, rows = q.size(2), k.size(2), []
    for row in range(n):
        last = s - n + row + 1
        one = turn(q[:, :, row : row + 1], torch.tensor([last + 99]))
        keys = turn(k[:, :, :last], torch.arange(100, 100 + last))
        weights = (one @ keys.transpose(-1, -2) / math.sqrt(q.size(3))).softmax(-1)
        rows.append(weights @ v[:, :, :last])
    return torch.cat(rows, dim=2)


def with_turned(attend: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Somebody else's attention, with queries and keys that were turned before."""

    def run(q: Tensor, k: Tensor, v: Tensor, turn: Turn) -> Tensor:
        places = torch.arange(k.size(2))
        own = places[-q.size(2) :]
        return attend(turn(q, own), turn(k, places), v, seen_by(own, places))

    return run


def rotary_inputs() -> tuple[Tensor, Tensor, Tensor, Turn]:
    q, k, v = (numbers_for(2, 3, length, 6, seed=length) for length in (3, 7, 8))
    return q, k, v[:, :, :7], a_turn()


def no_nan(found: Any) -> Tensor:
    found = a_tensor(found)
    no_slip(not found.isnan().any(), SEES_NOTHING)
    return found


def from_0(n: int, s: int) -> Tensor:
    return seen_by(torch.arange(n), torch.arange(s))


SEES_NOTHING = (
    "Some of it is nan: there is a word that may see nothing. Is the mask the wrong way round?"
)
NO_ROOT = "You divide by d_k itself; it should be its root."
NOT_SCALED = "The scores are not scaled: divide them by the root of d_k."
OVER_KEYS = "The softmax must run over the keys, the last axis."
WEIGHTS = "Those are the weights. The values are missing."
my_rotary_attention = Exercise(
    "my_rotary_attention",
    "Exercise: q of the last n words, k and v of all s, turn(x, places) -> (b, h, n, d_k).",
    inputs=rotary_inputs,
    right=[attending(), word_by_word],
    not_allowed=(*ATTENTION, "rotary_attention", "Rotary", "RotaryEmbedding"),
    borrowed=[
        rotary_attention,
        with_turned(attention),
        with_turned(scaled_dot_product_attention),
    ],
    read=no_nan,
    slips={
        SEES_NOTHING: [lambda q, k, v, turn: 0 * q / 0],
        "The values are turned, too. Only scores should know of places: what a word says is the "
        "same wherever it stands.": [attending("qkv")],
        "The result is turned. Turn q and k, and nothing else.": [attending("qko")],
        "Nothing is turned: this attention doesn't know who stands where.": [attending("")],
        "Only the queries are turned: the score then says where q stands, not how far away k is.": [
            attending("q")
        ],
        "Only the keys are turned: the score then says where k stands, not how far away q is.": [
            attending("k")
        ],
        "The values are turned, and q and k aren't: it is the other way round.": [attending("v")],
        "Your queries count from 0. They belong to the *last* n words: with a cache, the first new "
        "word doesn't stand at place 0.": [attending(start=lambda n, s: 0)],
        "Your queries count from 0, in the angles and in the mask. They belong to the *last* n "
        "words.": [attending(start=lambda n, s: 0, seen=from_0)],
        "The angles are right. In the mask your queries count from 0: the first of them stands at "
        "place s - n and sees all words before.": [attending(seen=from_0)],
        "Your queries stand one place too far on: the last one has the place of the last key, "
        "s - 1.": [attending(start=lambda n, s: s - n + 1)],
        "Every word sees later ones.": [attending(seen=lambda n, s: torch.ones(n, s).bool())],
        "A word sees itself, too.": [
            attending(seen=lambda n, s: seen_by(torch.arange(s - n - 1, s - 1), torch.arange(s)))
        ],
        "The mask is the wrong way round.": [
            attending(seen=lambda n, s: ~seen_by(torch.arange(s - n, s), torch.arange(s)))
        ],
        "A score of 0 isn't hidden: e to the power of 0 is 1. Later words need minus infinity.": [
            attending(hidden="0")
        ],
        "The mask comes after the softmax, so the weights don't add up to 1 any more.": [
            attending(hidden="after")
        ],
        NOT_SCALED: [attending(scale=0.0)],
        NO_ROOT: [attending(scale=1.0)],
        OVER_KEYS: [attending(dim=-2)],
        WEIGHTS: [attending(result="weights")],
    },
)


# --- fewer heads of keys -------------------------------------------------------------------------


def spread(x: Tensor, h: int, how: str = "neighbors") -> Tensor:
    """(b, kv_heads, s, d_k) -> (b, h, s, d_k); all but "neighbors" are ways to be wrong."""
    each = h // x.size(1)
    heads = {
        "neighbors": torch.arange(h) // each,
        "in turn": torch.arange(h) % x.size(1),
        "first": torch.zeros(h, dtype=torch.long),
        "backwards": torch.arange(h).flip(0) // each,
    }[how]
    return x[:, heads]


def sharing(
    *,
    keys: str = "neighbors",
    values: str = "neighbors",
    scale: Callable[[int, int, int], float] = lambda d_k, h, kv_heads: d_k,
    dim: int = -1,
    tell: Callable[[Tensor, int], Tensor] = lambda found, kv_heads: found,
) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Attention with shared keys and values; each option is a way to do it otherwise.

    scale: under the root. tell: changes what comes out.
    """

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        h, kv_heads, root = q.size(1), k.size(1), scale(q.size(3), q.size(1), k.size(1)) ** 0.5
        k, v = spread(k, h, keys), spread(v, h, values)
        return tell((q @ k.transpose(-2, -1) / root).softmax(dim) @ v, kv_heads)

    return run


def unshared(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.transpose(2, 3) / q.size(3) ** 0.5).softmax(-1) @ v


def with_heads(times: Callable[[int, int], int]) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Each head of keys and values so many times in a row, by how many heads there are of both."""

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        each = times(q.size(1), k.size(1))
        return unshared(q, k.repeat_interleave(each, 1), v.repeat_interleave(each, 1))

    return run


def grouped_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """What my_grouped_attention should return."""
    return sharing()(q, k, v)


def by_the_librarys_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ModernAttention(q.size(1) * q.size(3), q.size(1), k.size(1)).attention(q, k, v)


def groups(x: Tensor, kv_heads: int) -> Tensor:
    return x.unflatten(1, (kv_heads, -1))


def grouped_inputs() -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = (numbers_for(2, heads, s, 5, seed=s) for heads, s in ((ASK, 3), (2, 4), (2, 8)))
    return q, k, v[:, :, :4]


def no_more_heads(found: Any) -> Tensor:
    found = a_tensor(found)
    no_slip(found.dim() != 4 or found.size(1) <= ASK, MORE.format(found.size(1)))
    return found


ASK = 6  # heads
MORE = f"{ASK} heads ask and {{}} answer: queries are repeated. Repeat the keys and values only."
REPEAT = (
    "q has 6 heads, k and v have 2. Repeat the heads of both, h / kv_heads times each, before they "
    "meet q."
)
FOUR = "Your keys have 4 heads: each is repeated kv_heads times. It should be h / kv_heads times."
TWELVE = "Your keys have 12 heads: each is repeated h times. It should be h / kv_heads times."
IN_TURN = (
    "Head i of the queries gets head i % kv_heads of the {}, as repeat and tile do it. Neighbors "
    "share: with 6 and 2 heads it is 0 0 0 1 1 1, not 0 1 0 1 0 1."
)
my_grouped_attention = Exercise(
    "my_grouped_attention",
    "Exercise: q (b, h, n, d_k), k and v (b, kv_heads, s, d_k) -> (b, h, n, d_k).",
    inputs=grouped_inputs,
    right=[sharing(), with_heads(lambda h, kv_heads: h // kv_heads)],
    not_allowed=(*ATTENTION, "grouped_attention", "repeat_kv"),
    borrowed=[
        grouped_attention,
        by_the_librarys_heads,
        lambda q, k, v: scaled_dot_product_attention(q, k, v, enable_gqa=True),
    ],
    read=no_more_heads,
    errors={
        "tensor a (6) must match the size of tensor b (2)": REPEAT,
        "must match the size of tensor b (4)": FOUR,
        "must match the size of tensor b (12)": TWELVE,
    },
    slips={
        REPEAT: [unshared],
        FOUR: [with_heads(lambda h, kv_heads: kv_heads)],
        TWELVE: [with_heads(lambda h, kv_heads: h)],
        MORE.format(12): [
            lambda q, *rest: with_heads(lambda h, kv_heads: h // kv_heads)(
                q.repeat_interleave(2, 1), *rest
            )
        ],
        IN_TURN.format("keys and values"): [sharing(keys="in turn", values="in turn")],
        IN_TURN.format("keys, but not of the values"): [sharing(keys="in turn")],
        IN_TURN.format("values, but not of the keys"): [sharing(values="in turn")],
        "All heads look at the first head of the keys. What are the others for?": [
            sharing(keys="first", values="first")
        ],
        "The last heads of the queries get the first head of the keys: it is the other way "
        "round.": [sharing(keys="backwards", values="backwards")],
        "The queries of a group are averaged, and kv_heads heads come out. Each head keeps its own "
        "queries: it is keys and values that are shared.": [
            lambda q, k, v: unshared(groups(q, k.size(1)).mean(2), k, v)
        ],
        "Only the first heads of the queries are used. All of them ask, and share the keys.": [
            lambda q, k, v: unshared(q[:, : k.size(1)], k, v)
        ],
        "Only one head of each group asks. All of them ask, and share the keys.": [
            lambda q, k, v: unshared(q[:, :: q.size(1) // k.size(1)], k, v)
        ],
        "The results of a group are averaged: as many heads come out as ask.": [
            sharing(tell=lambda found, kv_heads: groups(found, kv_heads).mean(2))
        ],
        "The results of a group are added up: as many heads come out as ask.": [
            sharing(tell=lambda found, kv_heads: groups(found, kv_heads).sum(2))
        ],
        "The numbers are right. Join the groups again: (b, h, n, d_k).": [sharing(tell=groups)],
        "The heads are merged: that comes later. Return (b, h, n, d_k).": [
            sharing(tell=lambda found, kv_heads: found.transpose(1, 2).flatten(2))
        ],
        NOT_SCALED: [sharing(scale=lambda d_k, h, kv_heads: 1)],
        NO_ROOT: [sharing(scale=lambda d_k, h, kv_heads: d_k**2)],
        "You divide by the root of d_model. What counts is how many numbers meet in one score: "
        "d_k.": [sharing(scale=lambda d_k, h, kv_heads: h * d_k)],
        "You divide by the root of kv_heads * d_k. One score is made of d_k numbers, however many "
        "heads there are.": [sharing(scale=lambda d_k, h, kv_heads: kv_heads * d_k)],
        "You divide by the root of less than d_k: the keys of a shared head are as wide as ever.": [
            sharing(scale=lambda d_k, h, kv_heads: d_k * kv_heads / h)
        ],
        "A shared key isn't a longer key: divide by the root of d_k.": [
            sharing(scale=lambda d_k, h, kv_heads: d_k * h / kv_heads)
        ],
        OVER_KEYS: [sharing(dim=-2)],
        "The softmax runs over the heads. It must run over the keys, the last axis.": [
            sharing(dim=1)
        ],
        WEIGHTS: [
            lambda q, k, v: (q @ spread(k, q.size(1)).transpose(2, 3) / q.size(3) ** 0.5).softmax(
                -1
            )
        ],
    },
)


# --- what the cache needs ------------------------------------------------------------------------


Sizes = namedtuple("Sizes", "layers d_model h kv_heads words size")


def times(factor: Callable[[Sizes], float]) -> Callable[..., float]:
    """So many times the right bytes."""

    def run(*sizes: int) -> float:
        of = Sizes(*sizes)
        d_k = of.d_model // of.h
        return 2 * of.layers * of.kv_heads * d_k * of.words * of.size * factor(of)

    return run


def cache_size(*sizes: int) -> float:
    """What my_cache_bytes should return."""
    return times(lambda of: 1)(*sizes)


my_cache_bytes = Exercise(
    "my_cache_bytes",
    "Exercise: layers, d_model, h, kv_heads, words, bytes of a number -> bytes of the cache.",
    inputs=lambda: (7, 345, 15, 3, 101, 4),
    right=[
        lambda n, d, h, kv, words, size: 2 * n * kv * (d // h) * words * size,
        lambda n, d, h, kv, words, size: 2 * d * kv / h * n * words * size,
    ],
    not_allowed=("KeyValueCache", "cache_size"),
    borrowed=[cache_size],
    read=a_number,
    slips={
        "That is as much as h heads of keys and values need. Kept are kv_heads of them, and each "
        "is d_model / h wide.": [times(lambda of: of.h / of.kv_heads)],
        "A head isn't d_model wide but d_model / h.": [times(lambda of: of.h)],
        "Keys *and* values are kept.": [times(lambda of: 1 / 2)],
        "The values, too, have only kv_heads heads.": [
            times(lambda of: (of.kv_heads + of.h) / (2 * of.kv_heads))
        ],
        "Queries aren't kept: each is used once, for its own word.": [
            times(lambda of: (2 * of.kv_heads + of.h) / (2 * of.kv_heads))
        ],
        "That is one head of keys. There are kv_heads of them.": [
            times(lambda of: 1 / of.kv_heads)
        ],
        "That is one layer. Each layer has keys and values of its own.": [
            times(lambda of: 1 / of.layers)
        ],
        "It grows with the number of words, not with its square: weights aren't kept.": [
            times(lambda of: of.words)
        ],
        "That is for one word.": [times(lambda of: 1 / of.words)],
        "Those are numbers. How many bytes has each?": [times(lambda of: 1 / of.size)],
        "That is in bits.": [times(lambda of: 8)],
        "That is twice as much: keys and values are two, and nothing else is kept.": [
            times(lambda of: 2)
        ],
    },
    unlike=not_this(
        "what is kept for each word, in each layer, and how many bytes is that?",
        form="",
    ),
)


# --- which of them is one? -----------------------------------------------------------------------

SOUND, LENGTHS, PLACE, ROWS = "sound", "changes lengths", "not relative", "ignores places"
KINDS = (SOUND, LENGTHS, PLACE, ROWS)
PLANTED = {"A": PLACE, "B": SOUND, "C": LENGTHS, "D": ROWS}
MEASURE = {  # for a wrong verdict: what to measure
    "A": "Take one q and one k. Is the score for the places 1 and 0 that for 21 and 20?",
    "B": "Measure all three. It need not turn the same pairs as yours.",
    "C": "Is the length of a vector (`x.norm(dim=-1)`) the same before and after?",
    "D": "Hand over the same word at place 0 and at place 5. Is anything different?",
}


def suspects() -> dict[str, Turn]:
    """Four functions (x, places) -> x, of which some are no rotary positions."""

    def by_row(x: Tensor, places: Tensor, base: float) -> Tensor:
        return in_pairs(x, torch.arange(x.size(-2)), base)

    ways = {
        PLACE: by(lambda angle: 3 * angle.sqrt()),
        SOUND: by(lambda angle: angle, halves=True),
        LENGTHS: ONE_MINUS,
        ROWS: by_row,
    }

    def with_base(way: Turning) -> Turn:
        return lambda x, places: way(x, torch.as_tensor(places), 100.0)

    return {name: with_base(ways[kind]) for name, kind in PLANTED.items()}


which_are_rotary = Verdicts(
    "which_are_rotary",
    "Explore: what is true of each of the `suspects`?",
    PLANTED,
    KINDS,
    not_so(SOUND, MEASURE),
    slips=1,
)
