"""The exercises of notebook 06: masks, rows without keys, and finding leaks."""

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from course.checks import ELSEWHERE, Exercise, Hint, Value, a_kind, a_tensor, call, expect, no_slip
from transformer_lib.model.attention import attention, attention_weights
from transformer_lib.model.config import TOY
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.tokens import BOS, EOS, PAD, UNK

# --- masks ---------------------------------------------------------------------------------------

NO_DIAGONAL = (
    "The diagonal is missing. A position may look at itself: what is there is the word before the "
    "one to predict. And the first row would have nothing to look at."
)
EVERYTHING = "Everything may be seen. What about the words ahead?"
TWO_AXES = "The right places, but a mask has four axes: put [None, None] in front."
THREE_AXES = (
    "The right places, but the shape (b, t, t) has no axis for the heads. The mask must stretch "
    "over scores of the shape (b, h, t, t)."
)


def in_four_axes(found: Any) -> Tensor:
    """The mask as it would meet scores (b, h, q, k), so that its mistakes can be recognized."""
    found = a_tensor(found)
    expect(
        not found.is_floating_point() or not bool((found < 0).any()),
        "That is a mask to be added to the scores. Here a mask is boolean: True where a word may "
        "be seen, False where not.",
    )
    return found[None, None] if found.dim() == 2 else found[:, None] if found.dim() == 3 else found


def is_no_mask(found: Tensor, right: Tensor) -> None:
    """What else there is to say of a wrong mask."""
    expect(
        found.shape == right.shape,
        f"The shape is {tuple(found.shape)}, but a mask has four axes, (batch, head, query, key): "
        f"here {tuple(right.shape)}.",
    )
    wrong = int((found.bool() != right).sum())
    raise Hint(f"The shape is right, but {wrong} places are not.")


def in_form(mask: Tensor) -> None:
    """A Hint for a mask with the right places, but without all axes, or of another type."""
    no_slip(mask.dim() != 2, TWO_AXES)
    no_slip(mask.dim() != 3, THREE_AXES)
    no_slip(
        mask.dtype == torch.bool,
        f"The right ones and zeros, but of the type {mask.dtype}. A mask is boolean: True and "
        "False. (Compare, or use dtype=torch.bool.)",
    )


def back(given: int | Tensor) -> Tensor:
    """How many places the key lies behind the query, i - j: (1, 1, t, t)."""
    places = torch.arange(given if isinstance(given, int) else given.size(-1))
    return (places[:, None] - places)[None, None]


def mask_exercise(
    name: str,
    about: str,
    inputs: Callable[[], tuple],
    keys: Callable[[Any], Any] = lambda length: True,
    more: dict[str, list] | None = None,
    **options: Any,
) -> Exercise:
    """An exercise about a causal mask. keys: what else must be so for a key to be seen."""

    def seen(rule: Callable[[Tensor], Tensor]) -> list:
        return [lambda given: keys(given) & rule(back(given))]

    return Exercise(
        name,
        about,
        inputs=inputs,
        right=seen(lambda back: back >= 0),
        read=in_four_axes,
        slips={
            "True marks what must be hidden. Here True means “may be seen”.": [
                lambda given: ~(keys(given) & (back(given) >= 0))
            ],
            NO_DIAGONAL: seen(lambda back: back > 0),
            "The triangle is turned round: row i may see columns i and later. True should be where "
            "the key is at the query's place or before it.": seen(lambda back: back <= 0),
            "It lets each position see one word ahead: the very word that it must predict.": seen(
                lambda back: back >= -1
            ),
            "Each word may only see itself.": seen(lambda back: back == 0),
            EVERYTHING: [lambda given: back(given) > -99],
            **(more or {}),
        },
        unlike=is_no_mask,
        then=lambda function: in_form(call(function, *inputs())),
        **options,
    )


OTHER_LENGTHS = "Right for length 5, but not for 3."
any_causal_mask = mask_exercise(
    "causal_mask",
    "length -> (1, 1, t, t), True at and below the diagonal.",
    inputs=lambda: (5,),
    more={TWO_AXES: [lambda t: back(t)[0, 0] >= 0], OTHER_LENGTHS: [lambda t: back(5) >= 0]},
    elsewhere={OTHER_LENGTHS: lambda: (3,)},
)


def own(which: Tensor) -> Tensor:
    """Whose sentence is it? (1, 1, t, t)"""
    return (which[:, None] == which)[None, None]


SENTENCES = [0, 0, 0, 1, 1, 2, 2]
my_packed_mask = mask_exercise(
    "my_packed_mask",
    "Exercise 1: the sentence of each place (t,) -> (1, 1, t, t): own sentence, up to oneself.",
    inputs=lambda: (torch.tensor(SENTENCES),),
    keys=own,
    more={
        "Each word sees its own sentence, but also what comes later in it.": [own],
        "Nobody sees what comes later, but the second sentence sees the first: they have nothing "
        "to do with each other.": [lambda which: back(which) >= 0],
        "Earlier sentences can be seen too, and all of one's own. Seen is what *both* rules allow, "
        "not one of them.": [lambda which: own(which) | (back(which) >= 0)],
        ELSEWHERE: [lambda which: own(torch.tensor(SENTENCES)) & (back(7) >= 0)],
    },
    elsewhere={ELSEWHERE: lambda: (torch.tensor([0, 1, 1, 1]),)},
)


def real(ids: Tensor, pad: int = PAD) -> Tensor:
    """Is it no padding? (b, 1, 1, t)"""
    return (ids != pad)[:, None, None]


STRETCHES_NOT = (
    "The two masks don't stretch to a common shape. One says (b, keys), the other (queries, keys): "
    "which axes does each need, so that both have four?"
)
NOT_THE_PADDING = " is hidden, and the padding isn't. Which id is the padding?"
NOBODY = 99  # the id of no word
my_decoder_mask = mask_exercise(
    "my_decoder_mask",
    "Target ids (b, t) -> (b, 1, t, t): neither padding nor later words may be seen.",
    inputs=lambda: (
        torch.tensor([[BOS, 9, UNK, 7, EOS, PAD, PAD], [BOS, 5, EOS, PAD, PAD, PAD, PAD]]),
    ),
    keys=real,
    not_allowed=("causal_mask", "padding_mask"),
    borrowed=[lambda ids: padding_mask(ids) & causal_mask(ids.size(1))],
    errors={"must match the size of tensor": STRETCHES_NOT},
    more={
        "The triangle is the wrong way round: it lets each position see only what comes later.": [
            lambda ids: real(ids) & (back(ids) < 0)
        ],
        "The padding is the wrong way round: True should mark real tokens.": [
            lambda ids: ~real(ids) & (back(ids) >= 0)
        ],
        "Seen is what *one* of the masks allows. It must be allowed by both.": [
            lambda ids: real(ids) | (back(ids) >= 0)
        ],
        "Later words are hidden, the padding isn't.": [
            lambda ids: back(ids) >= 0,
            lambda ids: real(ids, NOBODY) & (back(ids) >= 0),
        ],
        "The padding is hidden, later words aren't.": [
            real,
            lambda ids: real(ids) & (back(ids) > -99),
        ],
        EVERYTHING: [
            lambda ids: back(ids) > -99,
            lambda ids: real(ids, NOBODY) & (back(ids) > -99),
        ],
        "It hides padded *queries*, the rows. Rows are not asked what they are: hide the columns "
        "of padded keys, for every query.": [
            lambda ids: real(ids).mT & (back(ids) >= 0),
        ],
        "The special tokens are hidden as well. <bos>, <eos> and <unk> are real tokens; only <pad> "
        "is not.": [lambda ids: (ids > UNK)[:, None, None] & (back(ids) >= 0)],
        **{
            f"<{name}>{NOT_THE_PADDING}": [lambda ids, pad=pad: real(ids, pad) & (back(ids) >= 0)]
            for name, pad in (("eos", EOS), ("bos", BOS), ("unk", UNK))
        },
        STRETCHES_NOT: [lambda ids: (ids != PAD) & (back(ids)[0, 0] >= 0)],
        THREE_AXES: [lambda ids: (real(ids) & (back(ids) >= 0))[:, 0]],
        ELSEWHERE: [lambda ids: real(ids) & (back(7) >= 0)],
    },
    elsewhere={
        ELSEWHERE: lambda: (
            torch.tensor([[BOS, 5, UNK], [BOS, EOS, PAD], [BOS, PAD, PAD], [BOS, 4, EOS]]),
        )
    },
)


# --- weights -------------------------------------------------------------------------------------

Inputs = tuple[Tensor, Tensor]


def right_weights(scores: Tensor, mask: Tensor) -> Tensor:
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, low).softmax(dim=-1) * mask.any(dim=-1, keepdim=True)


def hidden(scores: Tensor, mask: Tensor, low: float = -1e9) -> Tensor:
    return scores.masked_fill(~mask, low)


def one_sentence() -> Inputs:
    """Scores (3, 5) and a mask with nothing to see in its last row."""
    scores = [[1.0, 2, 3, 0, 1], [0.5, -1, 2, 2, 4], [2, 0, 1, 3, -2]]
    seen = [[1, 1, 0, 1, 0], [1, 0, 1, 1, 1], [0, 0, 0, 0, 0]]
    return torch.tensor(scores), torch.tensor(seen).bool()


def all_heads() -> Inputs:
    """The same for scores (2, 3, 3, 5) and a mask (2, 1, 3, 5)."""
    scores, seen = one_sentence()
    scores = scores + torch.arange(30.0).view(2, 3, 1, 5).sin()
    return scores, torch.stack([seen, seen.roll(1, dims=-1)])[:, None]


NOTHING_THERE = (
    "Everything is NaN: 0 times ∞ is not a number. Replace the hidden scores, instead of adding a "
    "product to all of them."
)
NAN_ROW = (
    "NaN in the row that may see nothing: every score is −∞ there, or the sum is 0, and 0/0 is not "
    "a number. Its weights should be zeros."
)
FIFTHS = (
    "The row that may see nothing gets 0.2 everywhere: equal scores, however low, make equal "
    "weights. Its weights should be zeros."
)
NO_ZEROS = "The row that may see nothing should have only zeros."
OVERFLOW = (
    "Right for small scores. For large ones e to the power of them overflows, and for very low "
    "ones it is 0, and the sum with it. torch's softmax takes care of that."
)
NOT_LOW = (
    "Your low number isn't low enough: where the other scores are about −30,000 the hidden ones "
    "are seen again. Take −1e9, −∞ or the lowest number of the type."
)
HIDDEN_COUNTS = (
    "Right as long as the hidden scores are small. Where one of them is 50, it changes the weights "
    "of the others. Hide it first; then comes e to the power of the scores."
)
NOT_THE_KEYS = (
    "The softmax runs over the sentences or the heads. It must run over the keys, the last axis: "
    "softmax(dim=-1)."
)


def by_powers(scores: Tensor, mask: Tensor) -> Tensor:
    """Weights by exp, times the mask, and a sum."""
    powers = scores.exp() * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)


def are_no_weights(found: Tensor, right: Tensor) -> None:
    """What else there is to say of wrong weights in rows with keys."""
    expect(
        found.shape == right.shape,
        f"Scores of the shape {tuple(right.shape)} need weights of the same shape, not "
        f"{tuple(found.shape)}.",
    )
    no_slip(not bool(found.isnan().all()), NOTHING_THERE)
    raise Hint(
        "Where there are keys to see, the weights should be a softmax over just these, but they "
        "are not."
    )


def zeros_where_nothing_is_seen(function: Callable, inputs: Inputs) -> None:
    empty = call(function, *inputs)[..., 2, :]
    no_slip(not bool(empty.isnan().any()), NAN_ROW)
    no_slip(not torch.allclose(empty, torch.full((5,), 0.2)), FIFTHS)
    no_slip(not bool(empty.any()), NO_ZEROS)


def weights_of(
    name: str,
    about: str,
    inputs: Callable[[], Inputs],
    more: dict[str, list] | None = None,
    then: Callable[[Callable], None] = lambda function: None,
    **options: Any,
) -> Exercise:
    """An exercise about weights of masked scores.

    inputs: the last row has no key; it is asked for when the others are right.
    """

    def in_the_end(function: Callable) -> None:
        zeros_where_nothing_is_seen(function, inputs())
        then(function)

    return Exercise(
        name,
        about,
        inputs=lambda: tuple(x[..., :2, :] for x in inputs()),
        right=[right_weights, lambda s, m: hidden(s, m, -math.inf).softmax(-1).nan_to_num()],
        slips={
            "The mask is the wrong way round: True means “may be seen”, so hide where it is False "
            "(~mask).": [lambda s, m: hidden(s, ~m).softmax(-1)],
            "The mask comes after the softmax, so the rows no longer add up to 1, and the hidden "
            "scores still count in the sum. Hide the scores before it.": [
                lambda s, m: s.softmax(-1) * m
            ],
            "A hidden score becomes 0, but e to the power of 0 is 1: it still gets weight. It must "
            "be very negative.": [lambda s, m: (s * m).softmax(-1)],
            "A hidden score becomes very large, so it gets all the weight. It must be very "
            "negative.": [lambda s, m: hidden(s, m, 1e9).softmax(-1)],
            "The mask is added to the scores as ones and zeros, which moves them only a little, so "
            "that hidden words still get weight. A hidden score must become very negative.": [
                lambda s, m: s + m.float(),
                lambda s, m: (s + m.float()).softmax(-1),
            ],
            "Nothing is hidden: the mask has no effect. (masked_fill returns a new tensor.)": [
                lambda s, m: s.softmax(-1)
            ],
            "The hidden scores are low, but the softmax is missing.": [
                lambda s, m: hidden(s, m, -math.inf),
                hidden,
            ],
            "After the softmax comes a second one: equal weights for what is hidden, too.": [
                lambda s, m: right_weights(s, m).softmax(-1)
            ],
            "You divide the scores by a root once more. They are scaled already.": [
                lambda s, m: right_weights(s / math.sqrt(s.size(-1)), m)
            ],
            "There are two softmaxes, one after the other. One is enough.": [
                lambda s, m: right_weights(s, m).softmax(-1) * m,
                lambda s, m: right_weights(right_weights(s, m), m),
                lambda s, m: right_weights(s.softmax(-1), m),
            ],
            "Each column adds up to 1, but each row should: softmax(dim=-1).": [
                lambda s, m: hidden(s, m).softmax(-2)
            ],
            NOTHING_THERE: [lambda s, m: (s + ~m * -math.inf).softmax(-1)],
            NAN_ROW: [
                lambda s, m: hidden(s, m, -math.inf).softmax(-1),
            ],
            FIFTHS: [lambda s, m: hidden(s, m).softmax(-1)],
            NO_ZEROS: [lambda s, m: right_weights(s, m) + ~m.any(-1, keepdim=True)],
            OVERFLOW: [by_powers],
            NOT_LOW: [lambda s, m: hidden(s, m, -50.0).softmax(-1) * m.any(-1, keepdim=True)],
            HIDDEN_COUNTS: [lambda s, m: by_powers(s - s.amax(-1, keepdim=True), m)],
            ELSEWHERE: [lambda s, m: right_weights(s[..., :5], m[..., :5]) if len(s) > 1 else s],
            **(more or {}),
        },
        unlike=are_no_weights,
        then=in_the_end,
        elsewhere={
            OVERFLOW: lambda: (inputs()[0] + 1000, inputs()[1]),
            NOT_LOW: lambda: (inputs()[0] - 30_000, inputs()[1]),
            HIDDEN_COUNTS: lambda: (inputs()[0] + 50 * ~inputs()[1], inputs()[1]),
            ELSEWHERE: lambda: tuple(x[:1, ..., :4] for x in inputs()),
        },
        **options,
    )


CUT_OFF = (
    "The weights are right, but cut off from the scores: nothing could be learned through them."
)
NAN_GRADIENT = (
    "The weights are right, but their gradient isn't: it has NaN in it. Which step divides by 0, "
    "or takes a root or logarithm of 0?"
)


def can_be_learned(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """A Hint if there is no gradient, or one that isn't finite."""
    scores, mask = one_sentence()
    weights = function(scores.requires_grad_(), mask)
    no_slip(weights.requires_grad, CUT_OFF)
    weights[:, 0].sum().backward()
    no_slip(bool(scores.grad.isfinite().all()), NAN_GRADIENT)


my_masked_weights = weights_of(
    "my_masked_weights",
    "Exercise 3: scores (q, k) and mask (q, k) -> weights, zeros where there is no key.",
    inputs=one_sentence,
    then=can_be_learned,
    more={
        CUT_OFF: [lambda s, m: right_weights(s, m).detach()],
        NAN_GRADIENT: [lambda s, m: right_weights(s, m).square().sqrt()],
    },
)

weights_of_all_heads = weights_of(
    "weights_of_all_heads",
    "The same for scores (b, h, q, k) and a mask (b, 1, q, k); no gradients are asked for.",
    inputs=all_heads,
    not_allowed=("attention_weights", "scaled_dot_product_attention"),
    borrowed=[
        lambda s, m: attention_weights(s, torch.eye(s.size(-1)) * s.size(-1) ** 0.5, m),
        lambda s, m: nn.functional.scaled_dot_product_attention(
            s, *[torch.eye(s.size(-1))] * 2, m, scale=1.0
        ),
    ],
    more={
        NOT_THE_KEYS: [
            lambda s, m: hidden(s, m).softmax(0),
            lambda s, m: hidden(s, m).softmax(1),
            lambda s, m: hidden(s, m).softmax(1) * m,
        ]
    },
)


# --- leaks ---------------------------------------------------------------------------------------

Model = Callable[[Tensor, Tensor], Tensor]


class Suspect(nn.Module):
    """A random toy Transformer, called with (src, tgt_in).

    mask: instead of `causal_mask`. faint: how much each output moves with the last word.
    """

    def __init__(
        self, mask: Callable[..., Tensor] = causal_mask, layers: int = 2, faint: float = 0.0
    ):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(3)
            self.inside = Transformer(14, 14, dataclasses.replace(TOY, N=layers))
        self.mask, self.faint = mask, faint
        self.eval()

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        with patch("transformer_lib.model.transformer.causal_mask", self.mask), torch.no_grad():
            return self.inside(src, tgt_in) + self.faint * tgt_in[:, -1:, None]


def wider(*more: tuple[int, int], diagonal: int = 0) -> Callable[..., Tensor]:
    """Instead of `causal_mask`: lets also positions up to `diagonal` ahead, or single ones, see."""

    def mask(length: int, device: Any = None) -> Tensor:
        ones = torch.ones(1, 1, length, length, dtype=torch.bool, device=device).tril(diagonal)
        for i, j in more:
            ones[0, 0, i : i + 1, j : j + 1] = True
        return ones

    return mask


def suspects() -> list[tuple[Model, Tensor, Tensor]]:
    """(model, src, tgt_in): a sound model, one that sees all, and others with smaller leaks."""
    models = (
        Suspect(),
        Suspect(wider(diagonal=99)),
        Suspect(wider(diagonal=1)),
        Suspect(wider((1, 3))),
        Suspect(wider((1, 3)), layers=1),  # with more layers the outputs in between move as well
        Suspect(faint=2e-5),
    )
    src, tgt_in = torch.tensor([[5, 8, 11, EOS]]), torch.tensor([[BOS, 9, 7, 5, 11, 4, 6]])
    return [(model, src, tgt_in) for model in models]


def true_or_false(found: Any) -> bool:
    found = bool(found) if isinstance(found, Tensor) and found.numel() == 1 else found
    expect(
        isinstance(found, bool), f"It should return True or False, but it returns {a_kind(found)}."
    )
    return found


def what_is_missed(found: list[bool], right: list[bool]) -> None:
    """The Hint for an attempt that says this of the suspects."""
    sound, everything, ahead, one_place, one_layer, faint = found
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
        ahead,
        "It finds the large leak, but not a small one, in which each position sees one word "
        "ahead. Compare *all* outputs before the changed word, up to the one next to it.",
    )
    expect(
        one_place,
        "It misses a leak in one place: position 1 sees the word at position 3, all else is sound. "
        "Change each word in turn.",
    )
    expect(
        one_layer,
        "It misses a leak in a model with one layer: the word at position 3 moves the output at "
        "position 1, and no other before it. Compare *all* outputs before the changed word.",
    )
    no_slip(
        faint,
        "It misses a leak that moves an output by 0.00002. What must not be seen moves nothing, "
        "not even in its last bit: compare with torch.equal, or with a much smaller tolerance.",
    )


def leak_test(
    words: Iterable[int] = range(1, 7),
    places: Callable[[int], int | slice] = slice,
    near: float = 0.0,
) -> Callable[[Model, Tensor, Tensor], bool]:
    """Does an output at `places`, all before a word, move by more than `near` with the word?"""

    def leaks(model: Model, src: Tensor, tgt_in: Tensor) -> bool:
        def moved(j: int) -> bool:
            changed = tgt_in.clone()
            changed[0, j] = (changed[0, j] + 1) % 14
            change = model(src, changed) - model(src, tgt_in)
            return bool(change[:, places(j)].abs().max() > near)

        return any(map(moved, words))

    return leaks


my_leak_test = Exercise(
    "my_leak_test",
    "Exercise 2: (model, src, tgt_in) -> True if an output depends on a later word.",
    inputs=suspects,
    right=[leak_test()],
    read=true_or_false,
    unlike=what_is_missed,
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


Pairs = tuple[tuple[int, int], ...]


def ahead(reach: int) -> Pairs:
    """The pairs (t, j) in which j comes after t, by at most `reach` places."""
    return tuple((t, j) for t in range(WORDS) for j in range(t + 1, min(t + reach + 1, WORDS)))


def pairs_in(found: Any) -> Pairs:
    try:
        return tuple(sorted({(int(t), int(j)) for t, j in found}))
    except (TypeError, ValueError, RuntimeError):
        raise Hint("Give pairs of whole numbers in a list, such as [(4, 9), (2, 7)].") from None


def which_do_not_leak(pairs: Pairs) -> None:
    places, right = range(WORDS), set(ahead(1))
    expect(
        all(t in places and j in places for t, j in pairs),
        f"There are {WORDS} positions, from 0 to {WORDS - 1}.",
    )
    no_slip(
        not right < set(pairs) or any(j > t + 1 for t, j in pairs),
        "All leaks are there, and more: a position may depend on its own word and on earlier ones.",
    )
    expect(
        all(t < j for t, j in pairs),
        "A position may depend on its own word and on earlier ones. A leak is a *later* word that "
        "moves it.",
    )
    no_slip(
        not set(pairs) < right,
        f"What you found does leak, but it isn't all: {len(pairs)} of the pairs. Change each word "
        "in turn, and look at each output before it.",
    )


leaks = Value(
    "leaks",
    "Pairs (t, j): with one layer, the output at t depends on the later word j.",
    read=pairs_in,
    right=ahead(1),
    slips={
        tuple((j, t) for t, j in ahead(1)): "The right pairs, the wrong way round: first the "
        "position whose output moves, then the later word that moves it.",
        tuple((t + 1, j + 1) for t, j in ahead(1)): "Positions count from 0: the first word is at "
        "position 0.",
        **dict.fromkeys(
            map(ahead, range(2, WORDS - 1)),
            "So it looks with more than one layer. The question is about one.",
        ),
    },
    mistakes={
        (): "You found nothing, but this model does leak. Change one word, run it again, and "
        "compare the outputs at the positions before that word.",
        ahead(WORDS): "Those are all the pairs that there are. Did you measure? Change one word at "
        "a time: which outputs before it move?",
    },
    unlike=which_do_not_leak,
    otherwise="Some pairs here don't leak. Change only one word at a time, all others as before, "
    "and compare with the outputs of the unchanged words.",
)
