"""The exercises of notebook 06: masks by hand and in code, rows without keys, and finding leaks."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from course.checks import (
    Hint,
    NotTried,
    a_kind,
    call,
    elsewhere,
    exercise,
    expect,
    implement,
    no_slip,
    own_work,
    reason_of,
    same,
    whole_number,
)
from transformer_lib.model.attention import attention
from transformer_lib.model.config import TOY
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.tokens import BOS, EOS, PAD, UNK

IDS = [[BOS, 9, UNK, 7, EOS, PAD, PAD], [BOS, 5, EOS, PAD, PAD, PAD, PAD]]


def matches(found: Tensor, make: Callable[[], Tensor]) -> bool:
    """Is it what this mistake gives? Some mistakes can't be made with every shape."""
    try:
        return same(found, make())
    except RuntimeError:
        return False


def expect_mask(found: Tensor, right: Tensor, mistakes: dict[str, Callable[[], Tensor]]) -> None:
    """Nothing, where the mask is right; otherwise the hint for the mistake it shows."""
    for hint, make in mistakes.items():
        wrong = make()
        if found.numel() == wrong.numel() and not torch.equal(wrong, right):
            no_slip(not torch.equal(found.bool().reshape(wrong.shape), wrong), hint)
    expect(
        found.shape == right.shape,
        f"The shape is {tuple(found.shape)}, but a mask has four axes, (batch, head, query, key): "
        f"here {tuple(right.shape)}.",
    )
    expect(
        torch.equal(found.bool(), right),
        f"The shape is right, but {int((found.bool() != right).sum())} places are not.",
    )
    no_slip(
        found.dtype == torch.bool,
        f"The right ones and zeros, but of the type {found.dtype}. A mask is boolean: True and "
        "False. (Compare, or use dtype=torch.bool.)",
    )


@exercise
def how_many_may_be_seen(guess: Any) -> None:
    """Exercise 1: how many ones in the combined mask of <bos> gracias amigo <pad>?"""
    guess = whole_number(guess)
    hints = {
        16: "That is all of them. Nobody sees the padding, and nobody sees ahead.",
        12: "That is the padding mask alone: three columns of four. Now hide what lies ahead.",
        10: "That is the causal mask alone. Now hide the padding: the last column.",
        6: "Without the diagonal, or without the last row? Each word may look at itself, and the "
        "row of the padding has ones too.",
        7: "Is it the other way round? 7 places are hidden.",
    }
    if guess in hints:
        raise Hint(hints[guess], keeps=0.5)
    expect(
        guess == 9,
        "Draw the square of 4 by 4: row by row, how many words are at this place or before it, "
        "padding not counted? (The row of the padding counts: it may look at real words.)",
    )


@implement(lambda: (5,))
def my_causal_mask(function: Callable[[int], Tensor]) -> None:
    """The core exercise: length -> (1, 1, t, t), True at and below the diagonal, without tril."""
    own_work(function, "causal_mask", "tril", "triu")
    judge_causal_mask(function)


def judge_causal_mask(function: Any) -> None:
    """A Hint if length -> (1, 1, t, t) isn't True at and below the diagonal, and only there."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    try:
        found = function(5)
    except Exception as error:
        raise Hint(f"For length 5 it stops with {reason_of(error)}.") from None
    if found is ...:
        raise NotTried("not tried yet")
    expect(found is not None, "It returns nothing: does it end with `return`?")
    expect(isinstance(found, Tensor), f"It should return a tensor, not {a_kind(found)}.")
    right, ones = causal_mask(5), torch.ones(1, 1, 5, 5, dtype=torch.bool)
    no_slip(
        not found.is_floating_point() or bool(torch.isin(found, torch.tensor([0.0, 1.0])).all()),
        "These are numbers to add to the scores. Here a mask is True where a place may be seen, "
        "and False elsewhere.",
    )
    mistakes = {
        "The diagonal is missing. A position may look at itself: what is there is the word "
        "before the one to predict. And the first row would have nothing to look at.": (
            lambda: ones.tril(-1)
        ),
        "It is turned round: row i may see columns i and later, the future. True should be at and "
        "below the diagonal.": lambda: ones.triu(),
        "True marks what must be hidden. Here True means “may be seen”.": lambda: ones.triu(1),
        "It lets each position see one word ahead: the very word that it must predict.": (
            lambda: ones.tril(1)
        ),
        "Everything may be seen. What about the words ahead?": lambda: ones,
        "Each word may only see itself.": lambda: torch.eye(5, dtype=torch.bool)[None, None],
    }
    expect_mask(found, right, mistakes)
    no_slip(same(function(3).float(), causal_mask(3).float()), "Right for length 5, but not for 3.")


@implement(lambda: (torch.tensor([0, 1]),))
def my_packed_mask(function: Callable[[Tensor], Tensor]) -> None:
    """Exercise 2: the sentence of each place (t,) -> (1, 1, t, t): own sentence, up to oneself."""
    which = torch.tensor([0, 0, 0, 1, 1, 2, 2])
    found = call(function, which)
    own, causal = (which[:, None] == which)[None, None], causal_mask(7)
    right, ones = own & causal, torch.ones(1, 1, 7, 7, dtype=torch.bool)
    mistakes = {
        "True marks what must be hidden. Here True means “may be seen”.": lambda: ~right,
        "Each word sees its own sentence, but also what comes later in it.": lambda: own,
        "Nobody sees what comes later, but the second sentence sees the first: they have nothing "
        "to do with each other.": lambda: causal,
        "Earlier sentences can be seen too, and all of one's own. Seen is what *both* rules allow, "
        "not one of them.": lambda: own | causal,
        "The diagonal is missing. A word may look at itself: what is there is the word before "
        "the one to predict.": lambda: own & ones.tril(-1),
        "It is turned round: each word sees itself and what comes later in its sentence.": (
            lambda: own & ones.triu()
        ),
        "Each word may only see itself.": lambda: torch.eye(7, dtype=torch.bool)[None, None],
        "Everything may be seen.": lambda: ones,
    }
    if found.shape == (7, 7) and torch.equal(found.bool(), right[0, 0]):
        raise Hint(
            "The right places, but a mask has four axes: put [None, None] in front.", keeps=0.5
        )
    expect_mask(found, right, mistakes)
    which = torch.tensor([0, 1, 1, 1])
    elsewhere(function, (which[:, None] == which)[None, None] & causal_mask(4), which)


# What PyTorch says when (b, t) meets (t, t).
STRETCHES_NOT = {
    "must match the size of tensor": "The two masks don't stretch to a common shape. One says (b, "
    "keys), the other (queries, keys): which axes does each need, so that both have four?",
}


@implement(lambda: (torch.tensor(IDS),))
def my_decoder_mask(function: Callable[[Tensor], Tensor]) -> None:
    """Target ids (b, t) -> (b, 1, t, t): neither padding nor later words may be seen."""
    own_work(function, "causal_mask", "padding_mask")
    ids = torch.tensor(IDS)
    found = call(function, ids, stops=STRETCHES_NOT)
    real, causal = padding_mask(ids), causal_mask(7)
    queries, ones = real.transpose(-2, -1), torch.ones(1, 1, 7, 7, dtype=torch.bool)
    right = real & causal
    short = right[:, 0]  # no axis for the heads
    if found.shape == short.shape and torch.equal(found.bool(), short):
        raise Hint(
            "The right places, but the shape (b, t, t) has no axis for the heads. The mask "
            "must stretch over scores of the shape (b, h, t, t).",
            keeps=0.5,
        )
    if found.is_floating_point() and bool(found.isinf().any()):
        raise Hint(
            "That is a mask to be added to the scores. Here a mask is boolean: True where a "
            "word may be seen, False where not."
        )
    mistakes = {
        "True marks what must be hidden. Here True means “may be seen”.": ~right,
        "The padding is the wrong way round: True should mark real tokens.": ~real & causal,
        "The triangle is the wrong way round: it lets each position see only what comes "
        "later.": real & ~causal,
        "The triangle is turned round: row i may see columns i and later. True should be where "
        "the key is at the query's place or before it.": real & ones.triu(),
        "The diagonal is missing. A position may look at itself: what is there is the word "
        "before the one to predict.": real & ones.tril(-1),
        "It lets each position see one word ahead: the very word that it must predict.": real
        & ones.tril(1),
        "Seen is what *one* of the masks allows. It must be allowed by both.": real | causal,
        "Later words are hidden, the padding isn't.": causal.expand_as(right),
        "The padding is hidden, later words aren't.": real.expand_as(right),
        "It hides padded *queries*, the rows. Rows are not asked what they are: hide the columns "
        "of padded keys, for every query.": queries & causal,
        "The special tokens are hidden as well. <bos>, <eos> and <unk> are real tokens; only <pad> "
        "is not.": (ids > UNK)[:, None, None] & causal,
        "<eos> is hidden, and the padding isn't. Which id is the padding?": (
            (ids != EOS)[:, None, None] & causal
        ),
        "<bos> is hidden, and the padding isn't. Which id is the padding?": (
            (ids != BOS)[:, None, None] & causal
        ),
        "<unk> is hidden, and the padding isn't. Which id is the padding?": (
            (ids != UNK)[:, None, None] & causal
        ),
        "Everything may be seen.": ones.expand_as(right),
    }
    expect(found.dim() >= 2, f"A mask is a table, but yours has the shape {tuple(found.shape)}.")
    seen = stretched(found, right.shape)
    for hint, wrong in mistakes.items():
        no_slip(seen is None or not torch.equal(seen.bool(), wrong), hint)
    expect_mask(found, right, {})
    ids = torch.tensor([[BOS, 5, UNK], [BOS, EOS, PAD], [BOS, PAD, PAD], [BOS, 4, EOS]])
    elsewhere(function, padding_mask(ids) & causal_mask(3), ids)


def stretched(found: Tensor, shape: torch.Size) -> Tensor | None:
    """The tensor as it would meet others of this shape; None if it doesn't fit."""
    try:
        return found.expand(shape)
    except RuntimeError:
        return None


def right_weights(scores: Tensor, mask: Tensor) -> Tensor:
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, low).softmax(dim=-1) * mask.any(dim=-1, keepdim=True)


def judge_weights(function: Callable[..., Tensor], scores: Tensor, mask: Tensor) -> None:
    """A Hint unless it makes the right weights. scores (..., 3, 5); the last row has no key."""
    found = call(function, scores, mask)
    expect(
        found.shape == scores.shape,
        f"Scores of the shape {tuple(scores.shape)} need weights of the same shape, not "
        f"{tuple(found.shape)}.",
    )
    usual, empty = found[..., :2, :], found[..., 2, :]
    s, m = scores[..., :2, :], mask[..., :2, :]
    mistakes = {
        "The mask is the wrong way round: True means “may be seen”, so hide where it is False "
        "(~mask).": lambda: s.masked_fill(m, -math.inf).softmax(-1),
        "The mask comes after the softmax, so the rows no longer add up to 1, and the hidden "
        "scores still count in the sum. Hide the scores before it.": lambda: s.softmax(-1) * m,
        "A hidden score becomes 0, but e to the power of 0 is 1: it still gets weight. It must be "
        "very negative.": lambda: s.masked_fill(~m, 0.0).softmax(-1),
        "A hidden score becomes very large, so it gets all the weight. It must be very "
        "negative.": lambda: s.masked_fill(~m, 1e9).softmax(-1),
        "The mask is added to the scores as ones and zeros, which moves them only a little. A "
        "hidden score must become very negative.": lambda: s + m.float(),
        "With the mask added as ones and zeros, hidden words still get weight. A hidden score must "
        "become very negative.": lambda: (s + m.float()).softmax(-1),
        "Nothing is hidden: the mask has no effect. (masked_fill returns a new tensor.)": (
            lambda: s.softmax(-1)
        ),
        "The hidden scores are low, but the softmax is missing.": (
            lambda: s.masked_fill(~m, -math.inf)
        ),
        "The softmax is missing: these are scores with a low number in the hidden places.": (
            lambda: s.masked_fill(~m, -1e9)
        ),
        "After the softmax comes a second one: equal weights for what is hidden, too.": (
            lambda: right_weights(s, m).softmax(-1)
        ),
        "You divide the scores by a root once more. They are scaled already.": (
            lambda: right_weights(s / math.sqrt(s.size(-1)), m)
        ),
    }
    for hint, make in mistakes.items():
        no_slip(not matches(usual, make), hint)
    for make in (
        lambda: right_weights(s, m).softmax(-1) * m,
        lambda: right_weights(right_weights(s, m), m),
        lambda: right_weights(s.softmax(-1), m),
    ):
        no_slip(
            not matches(usual, make), "There are two softmaxes, one after the other. One is enough."
        )
    for dim in range(scores.dim() - 1):
        columns = scores.masked_fill(~mask, -1e9).softmax(dim)
        no_slip(
            not matches(usual, lambda columns=columns: columns[..., :2, :])
            and not matches(usual, lambda columns=columns: (columns * mask)[..., :2, :]),
            "Each column adds up to 1, but each row should: softmax(dim=-1)."
            if dim == scores.dim() - 2
            else "The softmax runs over the sentences or the heads. It must run over the keys, the "
            "last axis: softmax(dim=-1).",
        )
    no_slip(
        not usual.isnan().all(),
        "Everything is NaN: 0 times ∞ is not a number. Replace the hidden scores, instead of "
        "adding a product to all of them.",
    )
    expect(
        same(usual, right_weights(s, m)),
        "Where there are keys to see, the weights should be a "
        "softmax over just these, but they are not.",
    )
    no_slip(
        not empty.isnan().any(),
        "NaN in the row that may see nothing: every score is −∞ there, or the sum is 0, and 0/0 "
        "is not a number. Its weights should be zeros.",
    )
    no_slip(
        not torch.allclose(empty, torch.full((5,), 0.2)),
        "The row that may see nothing gets 0.2 everywhere: equal scores, however low, make equal "
        "weights. Its weights should be zeros.",
    )
    no_slip(not empty.any(), "The row that may see nothing should have only zeros.")
    high = scores + 1000
    no_slip(
        same(call(function, high, mask), right_weights(high, mask)),
        "Right for small scores. For large ones e to the power of them overflows, and for very low "
        "ones it is 0, and the sum with it. torch's softmax takes care of that.",
    )
    low = scores - 30_000
    no_slip(
        same(call(function, low, mask), right_weights(low, mask)),
        "Your low number isn't low enough: where the other scores are about −30,000 the hidden "
        "ones are seen again. Take −1e9, −∞ or the lowest number of the type.",
    )
    found = call(function, scores + 50 * ~mask, mask)
    no_slip(
        same(found, right_weights(scores, mask)),
        "Right as long as the hidden scores are small. Where one of them is 50, it changes the "
        "weights of the others. Hide it first; then comes e to the power of the scores.",
    )


SCORES = [[1.0, 2, 3, 0, 1], [0.5, -1, 2, 2, 4], [2, 0, 1, 3, -2]]
SEEN = [[1, 1, 0, 1, 0], [1, 0, 1, 1, 1], [0, 0, 0, 0, 0]]


@implement(lambda: (torch.zeros(3, 5), torch.ones(3, 5, dtype=torch.bool)))
def my_masked_weights(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Exercise 4: scores (q, k) and mask (q, k) -> weights, zeros where there is no key."""
    scores, seen = torch.tensor(SCORES), torch.tensor(SEEN).bool()
    judge_weights(function, scores, seen)
    leaf = scores.clone().requires_grad_()
    weights = function(leaf, seen)
    no_slip(
        weights.requires_grad,
        "The weights are right, but cut off from the scores: nothing "
        "could be learned through them.",
    )
    weights[:, 0].sum().backward()
    no_slip(
        bool(leaf.grad.isfinite().all()),
        "The weights are right, but their gradient isn't: it has NaN in it. Which step divides "
        "by 0, or takes a root or logarithm of 0?",
    )


@implement(lambda: (torch.zeros(2, 3, 3, 5), torch.ones(2, 1, 3, 5, dtype=torch.bool)))
def weights_of_all_heads(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """The same for scores (b, h, q, k) and a mask (b, 1, q, k); no gradients are asked for."""
    own_work(function, "attention_weights", "scaled_dot_product_attention", "my_masked_weights")
    seen = torch.tensor(SEEN).bool()
    scores = torch.tensor(SCORES) + torch.arange(30.0).view(2, 3, 1, 5).sin()
    mask = torch.stack([seen, seen.roll(1, dims=-1)])[:, None]
    judge_weights(function, scores, mask)
    elsewhere(
        function,
        right_weights(scores[:1, :, :1, :4], mask[:1, :, :1, :4]),
        scores[:1, :, :1, :4],
        mask[:1, :, :1, :4],
    )


Model = Callable[[Tensor, Tensor], Tensor]


class Suspect(nn.Module):
    """A random toy Transformer, called with (src, tgt_in); mask: instead of `causal_mask`."""

    def __init__(self, mask: Callable[..., Tensor], layers: int):
        super().__init__()
        self.mask = mask
        self.inside = Transformer(14, 14, dataclasses.replace(TOY, N=layers))

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        with patch("transformer_lib.model.transformer.causal_mask", self.mask), torch.no_grad():
            return self.inside(src, tgt_in)


class Faint(Suspect):
    """Each output moves with the last word, but very little."""

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return super().forward(src, tgt_in) + 2e-5 * tgt_in[:, -1:, None]


def toy_model(mask: Callable[..., Tensor] | None = None, layers: int = 2) -> Model:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return Suspect(mask or causal_mask, layers).eval()


def wider(*more: tuple[int, int], diagonal: int = 0) -> Callable[..., Tensor]:
    """Instead of `causal_mask`: lets also positions up to `diagonal` ahead, or single ones, see."""

    def mask(length: int, device: Any = None) -> Tensor:
        ones = torch.ones(1, 1, length, length, dtype=torch.bool, device=device).tril(diagonal)
        for i, j in more:
            ones[0, 0, i : i + 1, j : j + 1] = True
        return ones

    return mask


def leak_inputs(
    mask: Callable[..., Tensor] | None = None, layers: int = 2
) -> tuple[Model, Tensor, Tensor]:
    src, tgt_in = [[5, 8, 11, EOS]], [[BOS, 9, 7, 5, 11, 4, 6]]
    return toy_model(mask, layers), torch.tensor(src), torch.tensor(tgt_in)


@implement(leak_inputs)
def my_leak_test(function: Callable[[Model, Tensor, Tensor], bool]) -> None:
    """Exercise 3: (model, src, tgt_in) -> True if an output depends on a later word."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")

    def leaks(mask: Callable[..., Tensor] | None, layers: int = 2) -> bool:
        return says(*leak_inputs(mask, layers))

    def says(*inputs: Any) -> bool:
        try:
            answer = function(*inputs)
        except Exception as error:
            raise Hint(f"It stops with {reason_of(error)}.") from None
        expect(answer is not None, "It returns nothing: does it end with `return`?")
        if isinstance(answer, Tensor) and answer.numel() == 1:
            answer = bool(answer)
        expect(
            isinstance(answer, bool),
            f"It should return True or False, but it returns {a_kind(answer)}.",
        )
        return answer

    sound, everything = leaks(None), leaks(wider(diagonal=99))
    expect(
        sound or everything,
        "It always says False, even for a model in which every position sees every word. "
        "Do you change a word, run the model again and compare?",
    )
    expect(
        not (sound and everything),
        "It says that a sound model leaks. The output at the changed position, and those after it, "
        "may move. Only the earlier ones must not.",
    )
    expect(everything, "It says yes for the sound model and no for the one that leaks.")
    expect(
        leaks(wider(diagonal=1)),
        "It finds the large leak, but not a small one, in which each position sees one word "
        "ahead. Compare *all* outputs before the changed word, up to the one next to it.",
    )
    expect(
        leaks(wider((1, 3))),
        "It misses a leak in one place: position 1 sees the word at position 3, all else is sound. "
        "Change each word in turn.",
    )
    # with more layers the outputs in between move as well
    expect(
        leaks(wider((1, 3)), layers=1),
        "It misses a leak in a model with one layer: the word at position 3 moves the output at "
        "position 1, and no other before it. Compare *all* outputs before the changed word.",
    )
    _, *ids = leak_inputs()
    no_slip(
        says(Faint(causal_mask, 2).eval(), *ids),
        "It misses a leak that moves an output by 0.00002. What must not be seen moves nothing, "
        "not even in its last bit: compare with torch.equal, or with a much smaller tolerance.",
    )


WORDS = 6


def suspect(ids: Tensor, layers: int = 1) -> Tensor:
    """A small decoder with something wrong in its mask: ids (t,), 0 to 19 -> outputs (t, 8)."""
    words = (torch.arange(160.0) ** 2).sin().view(20, 8)[ids]
    mask = wider(diagonal=1)(len(ids))[0, 0]
    x = 20 * words
    for _ in range(layers):
        x = x + attention(0.5 * words, words, x, mask)
    return x


@exercise
def leaks(found: Any) -> None:
    """Pairs (t, j): with one layer, the output at t depends on the later word j."""
    hint = "Give pairs of whole numbers in a list, such as [(4, 9), (2, 7)]."
    try:
        pairs = {(int(t), int(j)) for t, j in found}
    except (TypeError, ValueError, RuntimeError):
        raise Hint(hint) from None
    right = {(t, t + 1) for t in range(WORDS - 1)}
    expect(
        bool(pairs),
        "You found nothing, but this model does leak. Change one word, run it again, and compare "
        "the outputs at the positions before that word.",
    )
    no_slip(
        pairs != {(j, t) for t, j in right},
        "The right pairs, the wrong way round: first the position whose output moves, then the "
        "later word that moves it.",
    )
    no_slip(
        pairs != {(t + 1, j + 1) for t, j in right},
        "Positions count from 0: the first word is at position 0.",
    )
    places = range(WORDS)
    expect(
        all(t in places and j in places for t, j in pairs),
        f"There are {WORDS} positions, from 0 to {WORDS - 1}.",
    )
    no_slip(
        not right < pairs or any(j > t + 1 for t, j in pairs),
        "All leaks are there, and more: a position may depend on its own word and on earlier ones.",
    )
    expect(
        all(t < j for t, j in pairs),
        "A position may depend on its own word and on earlier ones. A leak is a *later* word that "
        "moves it.",
    )
    expect(
        pairs != {(t, j) for t in places for j in places if t < j},
        "Those are all the pairs that there are. Did you measure? Change one word at a time: which "
        "outputs before it move?",
    )
    no_slip(
        not any(
            pairs == {(t, j) for t in places for j in places if t < j <= t + reach}
            for reach in range(2, WORDS - 1)
        ),
        "So it looks with more than one layer. The question is about one.",
    )
    no_slip(
        not pairs < right,
        f"What you found does leak, but it isn't all: {len(pairs)} of the pairs. Change each word "
        "in turn, and look at each output before it.",
    )
    expect(
        pairs == right,
        "Some pairs here don't leak. Change only one word at a time, all others as before, and "
        "compare with the outputs of the unchanged words.",
    )
