"""The exercises of notebook 05: a fault to be found, and the student's answers and functions.

split_heads, merge_heads and three_shapes are exercises of assignment 3; multi_head is part of the
check of one's own Transformer.

All sizes are different primes, so that a swapped axis can't pass unseen.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import (
    ELSEWHERE,
    Exercise,
    Value,
    Values,
    a_kind,
    as_shape,
    compare,
    exercise,
    expect,
    no_slip,
    whole_number,
)
from transformer_lib.model.attention import MultiHeadAttention, attention, attention_weights

B, L, H, D_K = 2, 5, 3, 7
D_MODEL = H * D_K


def codes(*shape: int) -> Tensor:
    """0, 1, 2, ... in order: every number shows where it came from."""
    return torch.arange(float(torch.Size(shape).numel())).view(shape)


# --- a layer with a planted fault ----------------------------------------------------------------

FAULT = 5, "W_V", 2  # head 5 multiplies by the matrix W_V of head 2


def suspect(
    x: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A multi-head layer with one fault -> its weights (h, s, s), its Z (h, s, d_k), its output."""
    matrices = {"W_Q": W_Q.clone(), "W_K": W_K.clone(), "W_V": W_V.clone()}
    head, name, other = FAULT
    matrices[name][head] = matrices[name][other]
    q, k, v = (x @ matrix for matrix in matrices.values())
    weights = attention_weights(q, k)
    Z = weights @ v
    return weights, Z, torch.cat(list(Z), dim=-1) @ W_O


@exercise
def planted_fault(head: int, matrix: str, taken_from: int) -> None:
    """Which head of `suspect` uses which matrix of which other head."""
    wanted = "Give both heads as whole numbers from 0 to 7."
    head, taken_from = whole_number(head, wanted), whole_number(taken_from, wanted)
    expect(0 <= head < 8 and 0 <= taken_from < 8, wanted)
    matrix = matrix.strip().upper() if isinstance(matrix, str) else matrix
    expect(
        matrix in ("W_Q", "W_K", "W_V"),
        'The matrix is "W_Q", "W_K" or "W_V", in quotes: these three each head has for itself.',
    )
    right_head, name, other = FAULT
    expect(
        matrix != "W_Q" and matrix != "W_K" or head != right_head,
        f"The weights of head {right_head} are as they should be, so its queries and keys are its "
        "own. What else does a head compute?",
    )
    no_slip(
        (head, taken_from) != (other, right_head),
        "The two heads are exchanged: which one differs from what you compute?",
    )
    expect(
        head == right_head,
        f"Head {head} is sound. Compute weights and Z of each head by yourself, as in section 2: "
        "in which head does something differ?",
    )
    no_slip(
        taken_from == other,
        f"Not that of head {taken_from}. Multiply the weights of head {right_head} by the values "
        "that each of the other heads would make: one of them gives its Z.",
    )


ORDER = [3, 0, 4, 1, 7, 2, 6, 5]  # their head 0 is our head 3, and so on


def in_another_order(*matrices: Tensor) -> list[Tensor]:
    """The matrices (h, d_model, d_k), each with its heads in one and the same other order."""
    return [matrix[ORDER].clone() for matrix in matrices]


def blocks(W_O: Tensor) -> Tensor:
    """The rows of W_O for each head: (h, d_k, d_model)"""
    return W_O.unflatten(0, (len(ORDER), -1))


MENDED: dict[str, Callable[[Tensor], Tensor]] = {
    "That is the old W_O. Its first 64 rows are for head 0, which is elsewhere now.": (
        lambda W_O: W_O
    ),
    "That is the way back: it puts a block where its head *was*. The block of a head has to go "
    "where the head is now.": lambda W_O: blocks(W_O)[torch.tensor(ORDER).argsort()].flatten(0, 1),
    "You exchanged columns. A head's numbers are multiplied by *rows* of W_O.": (
        lambda W_O: W_O.unflatten(1, (len(ORDER), -1))[:, ORDER].flatten(1, 2)
    ),
    "The blocks are in the right order. Now join them into (512, 512).": (
        lambda W_O: blocks(W_O)[ORDER]
    ),
    "You took every eighth row for a head. The numbers of a head are side by side: the first 64 "
    "rows are for the first head.": (
        lambda W_O: W_O.unflatten(0, (-1, len(ORDER)))[:, ORDER].flatten(0, 1)
    ),
}


@exercise
def mended(found: Tensor, W_O: Tensor) -> None:
    """Exercise 3: the W_O with which `in_another_order` gives the old output."""
    expect(isinstance(found, Tensor), f"It should be a tensor, not {a_kind(found)}.")
    compare(
        found.detach(),
        blocks(W_O)[ORDER].flatten(0, 1),
        [(way(W_O), hint) for hint, way in MENDED.items()],
    )


# --- shapes and places ---------------------------------------------------------------------------


where_from = Value(
    "where_from",
    "Number 300 of the 512 that stand side by side: which head, and which of its numbers?",
    read=lambda guess: tuple(map(whole_number, guess)),
    right=(4, 44),
    slips={
        (5, 44): "Heads count from 0.",
        (4, 45): "The numbers of a head count from 0 as well.",
        (37, 4): "300 = 8 · 37 + 4 would be right if the heads were shuffled into each other.",
        (44, 4): "The two are exchanged.",
    },
    otherwise="Each head has 64 places: 0 to 63 are those of head 0.",
)

three_shapes = Values(
    "three_shapes",
    "On the way through a layer: b=3, 5 queries, 9 keys, d_model=96, h=6, so that d_k=16.",
    Value(
        "The keys",
        read=as_shape,
        right=(3, 6, 9, 16),
        slips={
            (
                3,
                9,
                6,
                16,
            ): "That is halfway: the heads still have to move in front of the words.",
            (
                3,
                6,
                5,
                16,
            ): "There are as many keys as words that answer, not as words that ask.",
            (3, 6, 9, 96): "Each head has only its share of the 96 numbers.",
            (
                3,
                6,
                16,
                9,
            ): "That is for the product with the queries, where the keys are turned.",
            (3, 16, 9, 6): "How many heads are there, and how wide is one?",
            (6, 9, 16): "That is one sentence. There are three.",
        },
    ),
    Value(
        "The weights",
        read=as_shape,
        right=(3, 6, 5, 9),
        slips={
            (3, 6, 9, 5): "It is turned: a row belongs to a query, a column to a key.",
            (3, 5, 9): "That is one head. Each of them has weights of its own.",
            (
                3,
                6,
                9,
                9,
            ): "Who looks, and at whom? The queries and the keys come from different words.",
            (
                3,
                6,
                5,
                5,
            ): "Who looks, and at whom? The queries and the keys come from different words.",
            (
                3,
                6,
                5,
                16,
            ): "That is a vector for each query. Weights have one number for each pair.",
            (3, 5, 6, 6): "Then the heads would attend to each other. Words attend to words.",
            (6, 5, 9): "That is one sentence. There are three.",
        },
    ),
    Value(
        "The merged heads",
        read=as_shape,
        right=(3, 5, 96),
        slips={
            (3, 9, 96): "Each query gets an answer. How many queries are there?",
            (3, 5, 16): "That is one head. After merging, all of them stand side by side.",
            (3, 6, 5, 16): "Those are the heads before they are merged.",
            (3, 5, 6, 16): "The transpose is done. Now the last two axes become one.",
            (3, 30, 16): "The heads are stacked; they should stand side by side.",
            (5, 96): "That is one sentence. There are three.",
        },
    ),
)


def cut(x: Tensor, h: int) -> Tensor:
    """(b, s, d_model) -> (b, s, h, d_k)"""
    return x.unflatten(-1, (h, -1))


def shuffled(x: Tensor, h: int) -> Tensor:
    """The same with the last two axes in the wrong order: (b, s, d_k, h)"""
    return x.unflatten(-1, (-1, h))


def cut_the_words(x: Tensor, h: int) -> Tensor:
    """The axes exchanged before the cut, and then the numbers in order: (b, s, d_model)"""
    return x.transpose(1, 2).reshape(x.shape)


EARLY = (
    "You transpose before you cut, so a head gets a piece of the sentence and not of each "
    "vector. First cut the last axis, then exchange two."
)
split_heads = Exercise(
    "split_heads",
    "split_heads(x, h): (b, s, d_model) -> (b, h, s, d_k).",
    inputs=lambda: (codes(B, L, D_MODEL), H),
    right=[
        lambda x, h: cut(x, h).transpose(1, 2),
        lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=1),
        lambda x, h: cut(x, h).permute(0, 2, 1, 3),
    ],
    not_allowed=("split_heads", "MultiHeadAttention"),
    borrowed=[lambda x, h: MultiHeadAttention(x.size(-1), h).split_heads(x)],
    errors={"view size is not compatible": EARLY},
    slips={
        EARLY: [
            lambda x, h: x.transpose(1, 2).reshape(len(x), h, x.size(1), -1),
            lambda x, h: cut(cut_the_words(x, h), h).transpose(1, 2),
            lambda x, h: x.transpose(1, 2).view(len(x), x.size(1), h, -1),
        ],
        "A head has its words in columns: (b, h, d_k, s). You transpose before you cut; "
        "cut the last axis first, then exchange the words with the heads.": [
            lambda x, h: x.transpose(1, 2).unflatten(1, (h, -1))
        ],
        "The shape is right, but the words are in pieces: `view` or `reshape` alone takes the "
        "numbers in order. Cut the last axis first, then exchange two.": [
            lambda x, h: x.view(len(x), h, x.size(1), -1)
        ],
        "That is halfway: (b, s, h, d_k). Now the heads must come before the words.": [cut],
        "You exchanged the heads with their features. Exchange the words, "
        "axis 1, with the heads, axis 2.": [lambda x, h: cut(x, h).transpose(2, 3)],
        "You exchanged the words with the features. Exchange the words, "
        "axis 1, with the heads, axis 2.": [lambda x, h: cut(x, h).transpose(1, 3)],
        "h and d_k are swapped: a head must get features "
        "that stand side by side, 0 to d_k - 1 for the first.": [
            lambda x, h: shuffled(x, h).transpose(1, 3)
        ],
        "h and d_k are swapped in the cut: a head must "
        "get features that stand side by side, 0 to d_k - 1 for the first.": [
            lambda x, h: shuffled(x, h).permute(0, 3, 1, 2)
        ],
        "h and d_k are swapped: there are h heads, each d_model / h wide.": [
            lambda x, h: shuffled(x, h).transpose(1, 2)
        ],
        "h and d_k are swapped, and the heads must come before the words.": [shuffled],
        "The heads come before the sentences. The batch stays in front: heads are axis 1.": [
            lambda x, h: torch.stack(x.chunk(h, dim=-1))
        ],
        "The heads are below each other, as if the sentence "
        "had more words. They need an axis of their own.": [
            lambda x, h: torch.cat(x.chunk(h, dim=-1), dim=1)
        ],
        "The last head comes first.": [lambda x, h: cut(x, h).transpose(1, 2).flip(1)],
        ELSEWHERE: [lambda x, h: x.view(B, L, h, D_K).transpose(1, 2)],
    },
    elsewhere={ELSEWHERE: lambda: (codes(1, 2, 12), 4)},
)

IN_ORDER = (
    "`view` only works while the numbers lie in order, and after a transpose they don't. "
    "`reshape` copies them where it must."
)
merge_heads = Exercise(
    "merge_heads",
    "merge_heads(z): (b, h, s, d_k) -> (b, s, d_model), the way back.",
    inputs=lambda: (codes(B, H, L, D_K),),
    right=[
        lambda z: z.transpose(1, 2).flatten(2),
        lambda z: torch.cat(list(z.unbind(1)), dim=-1),
        lambda z: z.permute(0, 2, 1, 3).contiguous().view(len(z), z.size(2), -1),
    ],
    not_allowed=("merge_heads", "MultiHeadAttention"),
    borrowed=[lambda z: MultiHeadAttention(z.size(1) * z.size(3), z.size(1)).merge_heads(z)],
    errors={"view size is not compatible": IN_ORDER},
    slips={
        "The shape is right, but the words are mixed: exchange the "
        "axes back before you join the last two.": [
            lambda z: z.reshape(len(z), z.size(2), z.size(1) * z.size(3))
        ],
        "The words are joined, not the heads: exchange axes 1 and 2 first.": [
            lambda z: z.flatten(2)
        ],
        "The axes are right again; now join the last two into one.": [lambda z: z.transpose(1, 2)],
        "The features of the heads are shuffled into each "
        "other. Head 0 comes first, whole, then head 1.": [
            lambda z: z.permute(0, 2, 3, 1).flatten(2)
        ],
        "The last head comes first.": [lambda z: z.flip(1).transpose(1, 2).flatten(2)],
        "The heads are added up. They should stand side by side.": [lambda z: z.sum(1)],
        "The heads are averaged. They should stand side by side.": [lambda z: z.mean(1)],
        "The heads are below each other. They should stand side "
        "by side: join the last axis, not the words.": [lambda z: torch.cat(z.unbind(1), dim=1)],
        "The sentences are side by side, not the heads: the first axis is the batch.": [
            lambda z: torch.cat(z.unbind(0), dim=-1)
        ],
        IN_ORDER: [lambda z: z.transpose(1, 2).view(len(z), z.size(2), -1)],
        ELSEWHERE: [lambda z: z.transpose(1, 2).reshape(B, L, D_MODEL)],
    },
    elsewhere={ELSEWHERE: lambda: (codes(1, 4, 3, 2),)},
)


def layer_inputs() -> tuple[Tensor, ...]:
    """x and the matrices W_Q, W_K, W_V and W_O of a layer."""
    generator = torch.Generator().manual_seed(0)
    shapes = (L, D_MODEL), *[(H, D_MODEL, D_K)] * 3, (D_MODEL, D_MODEL)
    x, *matrices = (torch.randn(shape, generator=generator) for shape in shapes)
    return x, *(matrix / 3 for matrix in matrices)


def all_heads(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    divisor: float | None = None,
    dim: int = -1,
    keys_ask: bool = False,
    softmax: bool = True,
) -> Tensor:
    """The results of all heads, (h, s, d_k), with a mistake in the attention if one is named."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.transpose(1, 2) / (divisor or math.sqrt(q.size(-1)))
    scores = scores.transpose(1, 2) if keys_ask else scores
    return (scores.softmax(dim) if softmax else scores) @ v


def side_by_side(z: Tensor) -> Tensor:
    return torch.cat(list(z), dim=-1)


def layer(
    join: Callable[[Tensor], Tensor] = side_by_side, w_o: bool = True, **mistake: Any
) -> Callable[..., Tensor]:
    """The whole layer, or one in which the heads are joined in another way, or W^O is missing, or
    with a mistake in the attention."""

    def program(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor) -> Tensor:
        joined = join(all_heads(x, q, k, v, **mistake))
        return joined @ o if w_o else joined

    return program


BELOW = (
    "The heads are below each other. Put them side by side: join the last axis, dim=-1. Then W^O."
)
BELOW_STOPS = (
    "The heads are below each other, so that W^O doesn't fit. Put them side by side: join the "
    "last axis, dim=-1."
)
ONE_STOPS = (
    "W^O doesn't fit, because the heads were added up or averaged, or only one is there. Put all "
    "of them side by side first."
)
multi_head = Exercise(
    "multi_head",
    "multi_head(x, W_Q, W_K, W_V, W_O), a loop over the heads of one sentence.",
    inputs=layer_inputs,
    right=[
        layer(),
        layer(lambda z: z.transpose(0, 1).flatten(1)),
        lambda x, *w: sum(
            attention(*(x @ one for one in head)) @ rows
            for *head, rows in zip(*w[:3], w[3].chunk(len(w[0])), strict=True)
        ),
    ],
    errors={
        f"({H * L}x{D_K} and {D_MODEL}x{D_MODEL})": BELOW_STOPS,
        f"({L}x{D_K} and {D_MODEL}x{D_MODEL})": ONE_STOPS,
    },
    slips={
        "W^O is missing: multiply the heads, side by side, by it.": [layer(w_o=False)],
        BELOW: [layer(lambda z: z.flatten(0, 1), w_o=False)],
        BELOW_STOPS: [layer(lambda z: z.flatten(0, 1))],
        "The output is turned: a row for each word.": [
            layer(lambda z: side_by_side(z).T, w_o=False)
        ],
        "Those are the heads. Put them side by side and multiply by W^O.": [
            layer(lambda z: z, w_o=False)
        ],
        "The heads were reshaped, not put side by side: join them "
        "with torch.cat along the last axis.": [layer(lambda z: z.reshape(z.size(1), -1))],
        "The heads are added up. Put them side by side, then W^O.": [
            layer(lambda z: z.sum(0), w_o=False)
        ],
        ONE_STOPS: [layer(lambda z: z.sum(0))],
        "The heads are averaged. Put them side by side, then W^O.": [
            layer(lambda z: z.mean(0), w_o=False)
        ],
        "The scores are divided by √d_model. What is compared is d_k wide: divide by √d_k.": [
            layer(divisor=D_MODEL**0.5)
        ],
        "The scores aren't divided by √d_k.": [layer(divisor=1)],
        "The scores are divided by d_k: its square root is missing.": [layer(divisor=D_K)],
        "The scores are divided by √h: it is the width of a head that counts, d_k.": [
            layer(divisor=H**0.5)
        ],
        "The softmax runs over the queries. Each row, over the keys, must sum to 1: dim=-1.": [
            layer(dim=-2)
        ],
        "Queries and keys are exchanged: each row of Q K^T belongs to a query.": [
            layer(keys_ask=True)
        ],
        "The softmax is missing.": [layer(softmax=False)],
        "The weights are multiplied by the keys. They are for the values.": [
            lambda x, q, k, v, o: layer()(x, q, k, k, o)
        ],
        "Every head has the same numbers: is head 0 computed again and again?": [
            layer(lambda z: z[0].repeat(1, len(z)))
        ],
        "W^O is transposed: x @ W_O, as in the equation.": [
            lambda x, q, k, v, o: layer()(x, q, k, v, o.T)
        ],
        "The last head comes first.": [layer(lambda z: side_by_side(z.flip(0)))],
    },
)
