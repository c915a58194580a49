"""Assignment 8: rotary positions, grouped-query attention, and the bytes that a cache needs."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from course.checks import (
    Hint,
    a_kind,
    call,
    compare,
    exercise,
    expect,
    implement,
    no_slip,
    one_number,
    own_work,
    result_of,
    whole_numbers,
    wrong_verdicts,
)

Turn = Callable[[Tensor, Tensor], Tensor]
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


def met(by: Callable[[int, int], int]) -> list[int]:
    """The scores for PLACES, when query and key meet turned by so many quarters in all."""
    turned = [quarter_turns(QUERY, by(*places)) for places in PLACES]
    return [sum(a * b for a, b in zip(one, KEY, strict=True)) for one in turned]


@exercise
def scores_by_hand(guess: Any) -> None:
    """The products of q = (3, 1) and k = (2, 1), turned by 90 degrees per place: 7 1 1 -1 -7."""
    wanted = "Give a list of five whole numbers, one for each pair of places."
    guess = whole_numbers(guess, wanted)
    expect(len(guess) == len(PLACES), wanted)
    for wrong, hint in (
        (met(lambda q, k: 0), "Nothing is turned there: at place 5, q has been turned five times."),
        (met(lambda q, k: q), "Only q is turned. The key stands at a place, too."),
        (met(lambda q, k: -k), "Only k is turned. The query stands at a place, too."),
        (
            met(lambda q, k: q + k),
            "A key one place later isn't a key one place before: turn both, "
            "and look once more at the last but one.",
        ),
        (
            met(lambda q, k: k - q),
            "That turns clockwise. Counterclockwise, (a, b) becomes (-b, a).",
        ),
    ):
        no_slip(guess != wrong, hint)
    right = met(lambda q, k: q - k)
    if guess != right:
        place = next(
            i for i, (one, other) in enumerate(zip(guess, right, strict=True)) if one != other
        )
        raise Hint(
            f"Number {place + 1} of the list: four quarters are a whole turn. Turn q and k, "
            "each by its own place, multiply number by number and add."
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


def turned(x: Tensor, places: Tensor, base: float) -> Tensor:
    """What my_turn should return."""
    return rotated(x, angles(places, x.size(-1), base))


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


def numbers_for(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def wrong_turns(x: Tensor, places: Tensor, base: float) -> list[tuple[Tensor, str]]:
    d_k = x.size(-1)
    angle = angles(places, d_k, base)
    sin, cos = angle.sin(), angle.cos()
    first, second = pairs_of(x, halves=False)
    table = put_back(sin, cos, halves=False)
    column = torch.arange(d_k)
    each = places[:, None] / base ** (column / d_k)  # another angle for each column
    overwritten = first * cos - second * sin

    def with_exponent(exponent: Callable) -> Tensor:
        return rotated(x, angles(places, d_k, base, exponent))

    def in_columns(halves: bool, cos: Tensor, sin: Tensor) -> Tensor:
        """x cos + (-second, first) sin, with a cosine for each column."""
        one, other = pairs_of(x, halves)
        return x * cos + put_back(-other, one, halves) * sin

    def counted(other: Tensor) -> Tensor:
        return rotated(x, angles(other, d_k, base))

    return [
        (x, "Nothing is turned yet."),
        (
            x + table,
            "That adds the paper's position vectors. Here nothing is added: each pair is "
            "turned, and keeps its length.",
        ),
        (
            x * table,
            "That multiplies by sines and cosines, number by number. A turned pair mixes "
            "its two numbers.",
        ),
        (
            rotated(x, angle, halves=True),
            "That is Llama's order, which pairs x_i with "
            "x_(i + d_k/2). Here the pairs are neighbors: x_2i and x_(2i+1).",
        ),
        (
            in_columns(False, *(torch.cat([t, t], dim=-1) for t in (cos, sin))),
            "Your pairs are "
            "neighbors, but your angles are those of the halves: the two numbers of a pair turn by "
            "one angle, so each angle comes twice in a row (repeat_interleave, not cat).",
        ),
        (
            in_columns(True, *(t.repeat_interleave(2, dim=-1) for t in (cos, sin))),
            "Your angles "
            "are those of neighbors, but your pairs are halves: exchange x_2i with x_(2i+1), not "
            "with x_(2i + d_k/2).",
        ),
        (
            rotated(x, angle, back_in_halves=True),
            "Turned right and put back wrong: the numbers of "
            "a pair go back to where they came from, side by side, not into two halves.",
        ),
        (
            rotated(x, angle, halves=True, back_in_halves=False),
            "The pairs are taken from the "
            "halves and put back as neighbors: here they are neighbors from the start.",
        ),
        (rotated(x, -angle), "That turns backwards: look at the sign of the sines."),
        (
            put_back(first * cos + second * sin, first * sin + second * cos, False),
            "One minus is missing: without it the lengths change, and that is no turn.",
        ),
        (
            put_back(first * sin - second * cos, first * cos + second * sin, False),
            "Sine and cosine are exchanged: at place 0 nothing may turn.",
        ),
        (
            put_back(overwritten, overwritten * sin + second * cos, False),
            "The second number of a "
            "pair is made with the first one as it is *after* turning: keep the old one.",
        ),
        (
            counted(torch.arange(len(places))),
            "You count the rows from 0. `places` says where they stand.",
        ),
        (
            counted(places - places[0]),
            "You begin to count at the first of the places. It need not be place 0.",
        ),
        (counted(places + 1), "Places count from 0 here: at place 0 nothing turns."),
        (
            with_exponent(lambda i, d: i / d),
            "The exponent is 2i / d_k, where i is the number of the pair; yours is i / d_k.",
        ),
        (
            with_exponent(lambda i, d: 4 * i / d),
            "The 2 of 2i is there twice: `arange(0, d_k, 2)` is 2i already.",
        ),
        (
            with_exponent(lambda i, d: -2 * i / d),
            "The place is divided by the power of the base, "
            "not multiplied: the last pairs turn slowly.",
        ),
        (with_exponent(lambda i, d: 2.0 * i), "The exponent is not divided by d_k."),
        (with_exponent(lambda i, d: 0.0 * i), "All your pairs turn equally fast."),
        (
            rotated(x, angles(places, d_k, 10_000.0)),
            "The base is handed in; 10,000 is written into your function.",
        ),
        (rotated(x, angle.deg2rad()), "The angles are in radians already."),
        (
            in_columns(False, each.cos(), each.sin()),
            "The two numbers of a pair turn by the same angle. Yours grows from column to column.",
        ),
        (
            rotated(x, angle[:, None]),
            "There every head stands at another place. The words are the last axis but one.",
        ),
    ]


@implement(lambda: (torch.zeros(1, 1, 2, 2), torch.arange(2), 100.0))
def my_turn(function: Callable[[Tensor, Tensor, float], Tensor]) -> None:
    """Exercise: x (b, h, s, d_k), the places (s,) of its words, base -> x with its pairs turned."""
    own_work(function, "Rotary", "turned", "rotated", "apply_rotary_pos_emb")
    x, places, base = numbers_for(2, 4, 4, 6), torch.tensor([2, 3, 4, 9]), 50.0
    stops = {
        "must match the size of tensor b": "Sizes don't fit. There are d_k / 2 pairs, so there are "
        "d_k / 2 angles for each word."
    }
    found = call(function, x, places, base, stops=stops)
    compare(found, turned(x, places, base), wrong_turns(x, places, base))


# --- attention with them -------------------------------------------------------------------------


def seen_by(q_places: Tensor, k_places: Tensor) -> Tensor:
    return k_places <= q_places[:, None]


def rotary_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    turn: Turn,
    *,
    start: int | None = None,
    what: Sequence[str] = "qk",
    scale: float | None = None,
    seen: Tensor | None = None,
    dim: int = -1,
    hidden: str = "-inf",
    result: str = "sums",
) -> Tensor:
    """What my_rotary_attention should return; each option is a way to do it otherwise."""
    n, s = q.size(2), k.size(2)
    places = torch.arange(s)
    own = torch.arange(n) + (s - n if start is None else start)
    tq, tk = turn(q, own) if "q" in what else q, turn(k, places) if "k" in what else k
    scores = tq @ tk.transpose(-2, -1) / (math.sqrt(q.size(-1)) if scale is None else scale)
    seen = seen_by(places[s - n :], places) if seen is None else seen
    if hidden == "0":
        weights = (scores * seen).softmax(dim)
    elif hidden == "after":
        weights = scores.softmax(dim) * seen
    else:
        weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(dim)
    if result == "weights":
        return weights
    found = weights @ (turn(v, places) if "v" in what else v)
    return turn(found, own) if "o" in what else found


def wrong_attention(q: Tensor, k: Tensor, v: Tensor, turn: Turn) -> list[tuple[Tensor, str]]:
    n, s, d_k = q.size(2), k.size(2), q.size(-1)
    places = torch.arange(s)
    own = places[s - n :]

    def other(**options: Any) -> Tensor:
        return rotary_attention(q, k, v, turn, **options)

    from_0 = seen_by(places[:n], places)
    return [
        (
            other(what="qkv"),
            "The values are turned, too. Only scores should know of places: what a "
            "word says is the same wherever it stands.",
        ),
        (other(what="qko"), "The result is turned. Turn q and k, and nothing else."),
        (other(what=""), "Nothing is turned: this attention doesn't know who stands where."),
        (
            other(what="q"),
            "Only the queries are turned: the score then says where q stands, not "
            "how far away k is.",
        ),
        (
            other(what="k"),
            "Only the keys are turned: the score then says where k stands, not how far away q is.",
        ),
        (other(what="v"), "The values are turned, and q and k aren't: it is the other way round."),
        (
            other(start=0),
            "Your queries count from 0. They belong to the *last* n words: with a "
            "cache, the first new word doesn't stand at place 0.",
        ),
        (
            other(start=0, seen=from_0),
            "Your queries count from 0, in the angles and in the mask. "
            "They belong to the *last* n words.",
        ),
        (
            other(seen=from_0),
            "The angles are right. In the mask your queries count from 0: the "
            "first of them stands at place s - n and sees all words before.",
        ),
        (
            other(start=s - n + 1),
            "Your queries stand one place too far on: the last one has the "
            "place of the last key, s - 1.",
        ),
        (other(seen=torch.ones(n, s).bool()), "Every word sees later ones."),
        (other(seen=places < own[:, None]), "A word sees itself, too."),
        (other(seen=~seen_by(own, places)), "The mask is the wrong way round."),
        (
            other(hidden="0"),
            "A score of 0 isn't hidden: e to the power of 0 is 1. Later words need minus infinity.",
        ),
        (
            other(hidden="after"),
            "The mask comes after the softmax, so the weights don't add up to 1 any more.",
        ),
        (other(scale=1.0), "The scores are not scaled: divide them by the root of d_k."),
        (other(scale=d_k), "You divide by d_k itself; it should be its root."),
        (other(dim=-2), "The softmax must run over the keys, the last axis."),
        (other(result="weights"), "Those are the weights. The values are missing."),
    ]


@implement(lambda: (*[torch.zeros(1, 1, 1, 2)] * 3, lambda x, places: x))
def my_rotary_attention(function: Callable[..., Tensor]) -> None:
    """Exercise: q of the last n words, k and v of all s, turn(x, places) -> (b, h, n, d_k)."""
    own_work(function, *ATTENTION, "rotary_attention", "Rotary", "RotaryEmbedding")
    q, k, v = (numbers_for(2, 3, length, 6, seed=length) for length in (3, 7, 8))
    given = q, k, v[:, :, :7], a_turn()
    found = call(function, *given)
    no_slip(
        not found.isnan().any(),
        "Some of it is nan: there is a word that may see nothing. Is the mask the wrong way round?",
    )
    compare(found, rotary_attention(*given), wrong_attention(*given))


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


def grouped_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    keys: str = "neighbors",
    values: str = "neighbors",
    scale: float | None = None,
    dim: int = -1,
    result: str = "sums",
) -> Tensor:
    """What my_grouped_attention should return; each option is a way to do it otherwise."""
    h = q.size(1)
    scale = math.sqrt(q.size(-1)) if scale is None else scale
    weights = (q @ spread(k, h, keys).transpose(-2, -1) / scale).softmax(dim)
    return weights if result == "weights" else weights @ spread(v, h, values)


def wrong_groups(q: Tensor, k: Tensor, v: Tensor) -> list[tuple[Tensor, str]]:
    h, d_k, kv_heads = q.size(1), q.size(3), k.size(1)
    each = h // kv_heads
    means = q.unflatten(1, (kv_heads, each)).mean(dim=2)

    def other(**options: Any) -> Tensor:
        return grouped_attention(q, k, v, **options)

    right = other()
    in_turn = (
        "Head i of the queries gets head i % kv_heads of the {}, as repeat and tile do it. "
        "Neighbors share: with 6 and 2 heads it is 0 0 0 1 1 1, not 0 1 0 1 0 1."
    )
    return [
        (other(keys="in turn", values="in turn"), in_turn.format("keys and values")),
        (other(keys="in turn"), in_turn.format("keys, but not of the values")),
        (other(values="in turn"), in_turn.format("values, but not of the keys")),
        (
            other(keys="first", values="first"),
            "All heads look at the first head of the keys. What are the others for?",
        ),
        (
            other(keys="backwards", values="backwards"),
            "The last heads of the queries get the first "
            "head of the keys: it is the other way round.",
        ),
        (
            grouped_attention(means, k, v),
            "The queries of a group are averaged, and kv_heads heads "
            "come out. Each head keeps its own queries: it is keys and values that are shared.",
        ),
        (
            grouped_attention(q[:, :kv_heads], k, v),
            "Only the first heads of the queries are used. All of them ask, and share the keys.",
        ),
        (
            grouped_attention(q[:, ::each], k, v),
            "Only one head of each group asks. All of them ask, and share the keys.",
        ),
        (
            right.unflatten(1, (kv_heads, each)).mean(dim=2),
            "The results of a group are averaged: as many heads come out as ask.",
        ),
        (
            right.unflatten(1, (kv_heads, each)).sum(dim=2),
            "The results of a group are added up: as many heads come out as ask.",
        ),
        (
            right.unflatten(1, (kv_heads, each)),
            "The numbers are right. Join the groups again: (b, h, n, d_k).",
        ),
        (
            right.transpose(1, 2).flatten(2),
            "The heads are merged: that comes later. Return (b, h, n, d_k).",
        ),
        (other(scale=1.0), "The scores are not scaled: divide them by the root of d_k."),
        (other(scale=float(d_k)), "You divide by d_k itself; it should be its root."),
        (
            other(scale=math.sqrt(h * d_k)),
            "You divide by the root of d_model. What counts is how "
            "many numbers meet in one score: d_k.",
        ),
        (
            other(scale=math.sqrt(kv_heads * d_k)),
            "You divide by the root of kv_heads * d_k. One "
            "score is made of d_k numbers, however many heads there are.",
        ),
        (
            other(scale=math.sqrt(d_k / each)),
            "You divide by the root of less than d_k: the keys of "
            "a shared head are as wide as ever.",
        ),
        (
            other(scale=math.sqrt(d_k * each)),
            "A shared key isn't a longer key: divide by the root of d_k.",
        ),
        (other(dim=-2), "The softmax must run over the keys, the last axis."),
        (
            other(dim=1),
            "The softmax runs over the heads. It must run over the keys, the last axis.",
        ),
        (other(result="weights"), "Those are the weights. The values are missing."),
    ]


@implement(lambda: (*[torch.zeros(1, 1, 1, 2)] * 3,))
def my_grouped_attention(function: Callable[..., Tensor]) -> None:
    """Exercise: q (b, h, n, d_k), k and v (b, kv_heads, s, d_k) -> (b, h, n, d_k)."""
    own_work(function, *ATTENTION, "for_all_heads", "grouped_attention", "spread", "repeat_kv")
    q, k, v = (numbers_for(2, heads, s, 5, seed=s) for heads, s in ((6, 3), (2, 4), (2, 8)))
    v = v[:, :, :4]
    stops = {
        "tensor a (6) must match the size of tensor b (2)": "q has 6 heads, k and v have 2. Repeat "
        "the heads of both, h / kv_heads times each, before they meet q.",
        "must match the size of tensor b (4)": "Your keys have 4 heads: each is repeated kv_heads "
        "times. It should be h / kv_heads times.",
        "must match the size of tensor b (12)": "Your keys have 12 heads: each is repeated h "
        "times. It should be h / kv_heads times.",
    }
    found = call(function, q, k, v, stops=stops)
    more = found.dim() == 4 and found.size(1) > q.size(1)
    no_slip(
        not more,
        f"{q.size(1)} heads ask and {found.size(1) if more else 0} answer: queries "
        "are repeated. Repeat the keys and values only.",
    )
    compare(found, grouped_attention(q, k, v), wrong_groups(q, k, v))


# --- what the cache needs ------------------------------------------------------------------------

CACHE = (7, 345, 15, 3, 101, 4)  # layers, d_model, h, kv_heads, words, bytes of a number


def cache_size(layers: int, d_model: int, h: int, kv_heads: int, words: int, size: int) -> int:
    """What my_cache_bytes should return."""
    return 2 * layers * kv_heads * (d_model // h) * words * size


@implement(lambda: (1, 2, 1, 1, 1, 1))
def my_cache_bytes(function: Callable[..., int]) -> None:
    """Exercise: layers, d_model, h, kv_heads, words, bytes of a number -> bytes of the cache."""
    own_work(function, "KeyValueCache", "cache_size")
    found = result_of(function, *CACHE)
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")
    layers, d_model, h, kv_heads, words, size = CACHE
    right = cache_size(*CACHE)
    for wrong, hint in (
        (
            right * h // kv_heads,
            "That is as much as h heads of keys and values need. Kept are "
            "kv_heads of them, and each is d_model / h wide.",
        ),
        (right * h, "A head isn't d_model wide but d_model / h."),
        (right // 2, "Keys *and* values are kept."),
        (right // 2 + right * h // kv_heads // 2, "The values, too, have only kv_heads heads."),
        (
            right + right * h // kv_heads // 2,
            "Queries aren't kept: each is used once, for its own word.",
        ),
        (right // kv_heads, "That is one head of keys. There are kv_heads of them."),
        (right // layers, "That is one layer. Each layer has keys and values of its own."),
        (
            right * words,
            "It grows with the number of words, not with its square: weights aren't kept.",
        ),
        (right // words, "That is for one word."),
        (right // size, "Those are numbers. How many bytes has each?"),
        (right * 8, "That is in bits."),
        (right * 2, "That is twice as much: keys and values are two, and nothing else is kept."),
    ):
        no_slip(found != wrong, hint)
    expect(
        found == right,
        f"Not {found}: what is kept for each word, in each layer, and how many bytes is that?",
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

    def angle(x: Tensor, places: Tensor) -> Tensor:
        return angles(torch.as_tensor(places), x.size(-1), 100.0)

    def by_root(x: Tensor, places: Tensor) -> Tensor:
        return rotated(x, 3 * angle(x, places).sqrt())

    def in_halves(x: Tensor, places: Tensor) -> Tensor:
        return rotated(x, angle(x, places), halves=True)

    def skewed(x: Tensor, places: Tensor) -> Tensor:
        first, second = pairs_of(x, halves=False)
        sin, cos = angle(x, places).sin(), angle(x, places).cos()
        return put_back(first * cos + second * sin, first * sin + second * cos, halves=False)

    def by_row(x: Tensor, places: Tensor) -> Tensor:
        return rotated(x, angle(x, torch.arange(x.size(-2))))

    return dict(zip(PLANTED, (by_root, in_halves, skewed, by_row), strict=True))


@exercise
def which_are_rotary(verdict: Any) -> None:
    """Explore: what is true of each of the `suspects`?"""
    wrong = wrong_verdicts(verdict, PLANTED, KINDS)
    for name, said in wrong.items():
        told = "isn't sound" if said == SOUND else "has another fault, or none"
        raise Hint(f"{name} {told}. {MEASURE[name]}", keeps=0.5 if len(wrong) == 1 else 0.0)
