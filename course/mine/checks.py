"""The twelve parts of a reader's own Transformer, and the check of each.

Most parts are checked with the exercises of the notebooks: the reader's class becomes the function
that the exercise asks for. Where there are weights, they are copied from the library's part, and
both must give the same numbers. So a finished Transformer can take any weights of the library,
those of the shipped translator too.
"""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from course.chapters.ch00_start_here.checks import shipped
from course.chapters.ch02_embeddings import checks as of_embeddings
from course.chapters.ch03_positional_encoding import checks as of_positions
from course.chapters.ch04_attention import checks as of_attention
from course.chapters.ch05_multi_head_attention import checks as of_heads
from course.chapters.ch06_masks import checks as of_masks
from course.chapters.ch07_encoder import checks as of_encoder
from course.chapters.ch08_decoder import checks as of_decoder
from course.chapters.ch08_decoder.checks import seeded
from course.chapters.ch09_whole_transformer import checks as of_whole
from course.chapters.ch10_training import checks as of_training
from course.chapters.ch11_decoding import checks as of_decoding
from course.checks import (
    Hint,
    NotTried,
    Parts,
    call,
    compare,
    drawn,
    expect,
    graded,
    no_slip,
    reason_of,
    same,
)
from course.checks.watching import Attempt, Borrowed
from course.mine.bench import BRICKS, NAMES, TOO_MUCH, Workbench, of_file
from transformer_lib.checkpoints import weights as weights_of
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.encoder import Encoder, EncoderLayer
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.tokens import EOS
from transformer_lib.training.threads import using_threads

# What no function of the reader may run.
FINISHED = (*TOO_MUCH, "make_batch", "greedy_decode", "beam_search")
# What no module of the reader may run, by whatever detour: the library's parts, but for those of
# earlier parts, which may be lent.
LIBRARY = (
    "Embeddings",
    "PositionalEncoding",
    "MultiHeadAttention",
    "PositionwiseFeedForward",
    "SublayerConnection",
    "EncoderLayer",
    "Encoder",
    "DecoderLayer",
    "Decoder",
    "Transformer",
)


SUPER = "The first line of `__init__` is `super().__init__()`; before it, a module keeps nothing."


# --- what the reader wrote ----------------------------------------------------------------------


class Own:
    """What a reader wrote, as the check of one part sees it.

    bench: a Workbench, or the same in another process. number: which part is checked, from 1.
    """

    def __init__(self, bench: Workbench | Parts, number: int):
        self.bench = bench
        self.has, self.look_up, self.replace = bench.has, bench.look_up, bench.replace
        self.earlier = [name for names in NAMES[: number - 1] for name in names]

    def part(self, name: str) -> Attempt:
        """A function or class of the reader."""
        expect(self.has(name), f"`{name}` is missing.")
        expect(not self.bench.is_untried(name), f"`{name}`: not tried yet.")
        found = self.bench.part(name)
        expect(callable(found), f"`{name}` should be a function or a class.")
        return Attempt(found, *FINISHED)

    def outcome(self, function: Callable, *inputs: Any) -> Any:
        """What a function of the reader returns; a Hint if it stops or returns nothing."""
        try:
            found = function(*inputs)
        except Hint:
            raise  # of a check within
        except Exception as error:
            raise Hint(f"It stops with {reason_of(error)}.") from None
        expect(found is not None, "It returns nothing: does it end with `return`?")
        return found

    def make(self, name: str, *sizes: Any) -> Any:
        """A new module of the reader, in eval mode; a Hint if it is none, or of foreign parts."""
        given = ", ".join(map(str, sizes))
        kind = self.part(name).function  # unwatched: what it runs comes later
        try:
            module = self.outcome(kind, *sizes)
        except Hint as hint:
            no_slip("Module.__init__()" not in str(hint), f"`{name}`: {SUPER}")
            raise Hint(f"`{name}({given})`: {hint}", hint.keeps) from None
        foreign = self.bench.foreign(module)
        expect(foreign is not None, f"`{name}` should be a class: an nn.Module.")
        expect(
            not foreign,
            f"`{', '.join(foreign[:1])}` does too much of it for you. Build it of "
            f"{', '.join(brick.__name__ for brick in BRICKS)}.",
        )
        return self.look_up(module, "eval")()

    def twin(self, name: str, sizes: Sequence[Any], weights: dict[str, Tensor]) -> Any:
        """A module of the reader with these weights; a Hint if the names or shapes are others."""
        module = self.fitting(name, sizes, weights)
        for key, numbers in weights.items():
            self.bench.put(module, key, numbers)
        return module

    def fitting(self, name: str, sizes: Sequence[Any], wanted: dict[str, Tensor]) -> Any:
        """A new module; a Hint unless its parameters have the names and shapes of the page."""
        module = self.make(name, *sizes)
        own = self.bench.shapes(module)
        missing, more = [k for k in wanted if k not in own], [k for k in own if k not in wanted]
        if missing:
            expect(
                "layers" not in "".join(missing) or "layers" in "".join(own),
                f"PyTorch doesn't see the layers of `{name}`: keep them in an "
                "nn.ModuleList of the name `layers`, not in a plain list.",
            )
            no_slip(
                not all(key.startswith("layers.") and "layers.0" not in key for key in missing),
                "All your layers are one and the same: `[layer] * N` is one layer, N times. Make "
                "each of them separately.",
            )
            listed = ", ".join(f"{key} {shape}" for key, shape in own.items()) or "none"
            raise Hint(
                f"`{name}` has no parameter `{missing[0]}`; it has {listed}. "
                "The names are those of the page, so that trained weights fit."
            )
        biases = [key for key in more if key.endswith("bias") and key[:-4] + "weight" in wanted]
        no_slip(
            not biases,
            f"`{name}` has a parameter `{', '.join(biases[:1])}`: in the paper's attention the "
            "matrices have no biases. nn.Linear takes bias=False.",
        )
        words = [key for key in more if len(own[key]) == 2] if name == "Transformer" else []
        no_slip(
            not words,
            f"`{', '.join(words)}` is one matrix too many: the target's table is used twice, for "
            "reading and for writing.",
        )
        expect(not more, f"`{name}` has a parameter that isn't asked for: `{', '.join(more[:1])}`.")
        for key, value in wanted.items():
            expect(
                own[key] == tuple(value.shape),
                f"`{key}` of `{name}` has the shape {own[key]}, but it should be "
                f"{tuple(value.shape)}.",
            )
        return module

    def run(self, module: Any) -> Attempt:
        """A module as a function, without gradients, which may not call what the library has."""
        forbidden = [name for name in LIBRARY if name not in self.earlier]
        return Attempt(self.bench.run(module), *FINISHED, *forbidden)


@contextlib.contextmanager
def about(part: str) -> Iterator[None]:
    """Within it, hints begin with the name that they speak of."""
    try:
        yield
    except NotTried:
        raise Hint(f"`{part}`: not tried yet.") from None
    except Hint as hint:
        raise Hint(f"`{part}`: {hint}", hint.keeps) from None


# --- 1 to 3: functions ---------------------------------------------------------------------------


def embeddings(mine: Own) -> None:
    table = of_embeddings.small_table()
    new = mine.make("Embeddings", *table.shape)
    expect(
        found_at(mine, new, "table.in_features") is None,
        "`self.table` is an nn.Linear, which multiplies vectors by a matrix. Ids are numbers of "
        "rows: nn.Embedding(vocab_size, d_model) looks them up.",
    )
    mine.twin("Embeddings", table.shape, {"table.weight": table})

    def embed(ids: Tensor, table: Tensor) -> Tensor:
        return mine.run(mine.twin("Embeddings", table.shape, {"table.weight": table}))(ids)

    of_embeddings.embed(embed)
    size = spread(mine, mine.make("Embeddings", 500, 64), "table.weight")
    expect(
        0.11 < size < 0.14,
        f"Right. But a new table holds numbers of size {size:.2f}, and should hold d_model**-0.5: "
        "then the root brings them to 1, the size of the positions. (nn.init.normal_ takes std.)",
    )


def spread(mine: Own, module: Any, parameter: str) -> float:
    """The standard deviation of a new module's numbers."""
    return float(mine.look_up(module, parameter).detach().std())


def positions(mine: Own) -> None:
    encode = mine.part("positional_encoding")
    of_positions.encoding(encode)
    expect(
        isinstance(mine.outcome(encode, 3, 4), Tensor),
        "The numbers are right. Return them as a tensor: torch.tensor makes one of a list.",
    )


def attention(mine: Own) -> None:
    attend = mine.part("attention")
    of_attention.my_attention(attend)
    of_attention.my_weights(lambda query, key: attend(query, key, torch.eye(len(key))))


# --- 4 to 10: the layers and the whole ------------------------------------------------------------

B, S, T, D_MODEL, D_FF, H = 2, 3, 5, 14, 13, 2
SIZES = (D_MODEL, D_FF, H, 0.0)  # of a layer


def seen() -> Tensor:
    """The last word of the second sentence is padding: (B, 1, 1, S)."""
    return torch.tensor([[True, True, True], [True, True, False]])[:, None, None, :]


def heads(mine: Own) -> None:
    ours = seeded(lambda: MultiHeadAttention(D_MODEL, H))
    their = mine.run(mine.twin("MultiHeadAttention", (D_MODEL, H), weights_of(ours)))
    x, y, z = (drawn(B, T, D_MODEL, seed=seed) for seed in (1, 2, 3))
    with torch.no_grad():
        found = call(their, x, x, x, stops=HEADS_STOP)
        for hint, wrong in wrong_heads(ours, x):
            no_slip(not same(found, wrong), hint)
        if found.shape != x.shape:
            compare(found, x, [])

    def by_matrices(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
        """One sentence and a matrix for each head, as in notebook 05."""
        side_by_side = {
            f"{name}.weight": w.transpose(1, 2).flatten(0, 1)
            for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v))
        }
        sizes = (w_o.size(0), w_q.size(0))
        module = mine.twin("MultiHeadAttention", sizes, side_by_side | {"w_o.weight": w_o.T})
        return mine.run(module)(x[None], x[None], x[None])[0]

    of_heads.multi_head(by_matrices)
    other = drawn(B, S, D_MODEL, seed=2)
    given = (x, other, other.flip(1))
    with torch.no_grad():
        compare(call(their, x, y, z), ours(x, y, z), list(mixed_up(ours, x, y, z)))
        found = call(partial(their, mask=seen()), *given, stops=LENGTHS_STOP)
        no_slip(
            not found.isnan().any(),
            "Some numbers are NaN: a softmax over nothing but -inf. Is the mask the wrong way "
            "round? True means that a word may be seen.",
        )
        compare(
            found,
            ours(*given, mask=seen()),
            wrong_masks(ours, *given),
        )


# What PyTorch says of slips in the layer: its own words lead astray.
A_SHARE = "`d_model / h` is a number with a point; a size is a whole number: `d_model // h`."
TURNED = "For the scores, the last two axes of the keys are exchanged: q @ k.transpose(-2, -1)."
HEADS_STOP = {
    "got float": A_SHARE,
    "type float": A_SHARE,
    "'float' object": A_SHARE,
    "view size is not compatible": "`view` works only while the numbers lie in order, and after a "
    "transpose they don't. Cut the last axis before you transpose; when you join the heads, take "
    "`flatten` or `reshape`.",
    f"({B * H * T}x{D_MODEL // H} and": "`w_o` is handed single heads. First join them: exchange "
    "heads and words back, then put the heads of each word side by side, (b, q, d_model).",
    f"({B * T}x{D_MODEL // H} and": "`w_o` is handed as many numbers as one head has. Put all the "
    "heads side by side; don't add them up or average them.",
    f"({B * H}x{T * D_MODEL // H} and": "The words are joined, not the heads. Heads stand before "
    "the words for `attention` alone: transpose(1, 2) before it, and once more after it.",
    "of batch2 tensor to be": TURNED,
    "must match the size of tensor b": TURNED,
}
LENGTHS_STOP = {
    part: f"Here, `query` has {T} words, and `key` and `value` have {S}. Cut each of them by its "
    "own length, and give the result the length of `query`."
    for part in ("is invalid for input of size", "must match the size of tensor b", "batch2 tensor")
}


def wrong_heads(ours: MultiHeadAttention, x: Tensor) -> Iterator[tuple[str, Tensor]]:
    """A hint, and what comes out for the words x of somebody who makes this mistake."""

    def layer(cut: Callable, join: Callable, attend: Callable = of_attention.attention) -> Tensor:
        return ours.w_o(join(attend(*(cut(w(x)) for w in (ours.w_q, ours.w_k, ours.w_v)))))

    def scores(q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / q.size(-1) ** 0.5

    cut, join = ours.split_heads, ours.merge_heads
    pieces = "The heads hold pieces of words: cut the last axis into (h, d_k), then exchange it "
    pieces += "with the words"
    yield f"{pieces} (transpose).", layer(lambda y: y.reshape(B, H, T, -1), join)
    yield (
        f"{pieces}, and the same on the way back.",
        layer(lambda y: y.reshape(B, H, T, -1), lambda z: z.reshape(B, T, -1)),
    )
    yield (
        "The heads are joined without the transpose back: first (b, q, h, d_k), then side by side.",
        layer(cut, lambda z: z.reshape(B, T, -1)),
    )
    for back in (lambda z: z.flatten(2), lambda z: z.transpose(1, 2).reshape(B, T, -1)):
        yield (
            "The heads of each word attend to each other, because the cut gives (b, s, h, d_k). "
            "Exchange words and heads before `attention`, transpose(1, 2), and back afterwards.",
            layer(lambda y: y.unflatten(-1, (H, -1)), back),
        )
    yield (
        "There is only one head, as wide as the model: cut queries, keys and values into h heads.",
        layer(lambda y: y, lambda z: z),
    )
    whole = of_attention.attention(*(cut(w(x)) for w in (ours.w_q, ours.w_k, ours.w_v)))
    for apart in (whole, whole.transpose(1, 2)):
        yield "Those are the heads. Put them side by side and multiply by W^O.", apart
    yield (
        "W^O is transposed: nn.Linear stores its matrix that way. Call the layer: self.w_o(…).",
        join(whole) @ ours.w_o.weight,
    )
    for early in (lambda y: y.transpose(1, 2), lambda y: cut(of_heads.cut_the_words(y, H))):
        yield of_heads.EARLY, layer(lambda y, early=early: early(y).reshape(B, H, T, -1), join)
    yield (
        "h and d_k are swapped in the cut: a head gets numbers that stand side by side, the first "
        "one 0 to d_k - 1.",
        layer(lambda y: of_heads.shuffled(y, H).permute(0, 3, 1, 2), join),
    )
    for axis, over in ((0, "sentences"), (1, "heads")):
        yield (
            f"The softmax runs over the {over}. Each row, over the keys, must sum to 1: dim=-1.",
            layer(cut, join, lambda q, k, v, axis=axis: scores(q, k).softmax(axis) @ v),
        )
    yield (
        "The scores are multiplied by √d_k. Divide them by it.",
        layer(cut, join, lambda q, k, v: (scores(q, k) * q.size(-1)).softmax(-1) @ v),
    )
    made = {"w_q": ours.w_q(x), "w_k": ours.w_k(x), "w_v": ours.w_v(x), "": x}
    for ways in itertools.product(made, repeat=3):
        q, k, v = ((cut(made[way])) for way in ways)
        if hint := of_matrices(*ways):
            yield hint, ours.w_o(join(of_attention.attention(q, k, v)))


def of_matrices(*ways: str) -> str:
    """The hint where queries, keys and values are made with these matrices; "" where it is right,
    or where queries and keys are exchanged, which notebook 05 has a hint for."""
    q, k, v = ways
    if (q, k, v) in (("w_q", "w_k", "w_v"), ("w_k", "w_q", "w_v")):
        return ""
    if (q, k, v) == ("w_q", "w_v", "w_k"):
        return "Keys and values are exchanged: attention(query, key, value)."
    if (q, k) == ("w_q", "w_k") and v:
        used = {"w_q": "queries", "w_k": "keys"}[v]
        return (
            f"The weights are multiplied by the {used}, or the values are made with `{v}`. They "
            "are for the values, which `w_v` makes."
        )
    kinds = zip(("queries", "keys", "values"), ways, ("w_q", "w_k", "w_v"), strict=True)
    wrong = [
        f"the {kind} are made {f'with `{way}`' if way else 'without any matrix'}"
        for kind, way, right in kinds
        if way != right
    ]
    return f"Here {', '.join(wrong)}. Queries, keys and values have a matrix each: w_q, w_k, w_v."


def mixed_up(ours: MultiHeadAttention, *given: Tensor) -> Iterator[tuple[Tensor, str]]:
    """What comes out, and the hint, where the queries, keys and values are made of others of the
    three that are given."""
    names = ("query", "key", "value")
    for ways in itertools.product(range(3), repeat=3):
        wrong = [
            f"the {kind} are made of `{names[way]}`"
            for kind, way, right in zip(("queries", "keys", "values"), ways, range(3), strict=True)
            if way != right
        ]
        told = " and ".join(wrong)
        yield (
            ours(*(given[way] for way in ways)),
            f"{told[:1].upper()}{told[1:]}. Each is made of its own: w_q(query), w_k(key), "
            "w_v(value).",
        )


def wrong_masks(ours: MultiHeadAttention, *given: Tensor) -> list[tuple[Tensor, str]]:
    """What comes out, and the hint, where the mask is forgotten or misread."""
    matrices = (ours.w_q, ours.w_k, ours.w_v)
    q, k, v = (ours.split_heads(w(one)) for w, one in zip(matrices, given, strict=True))
    scores, mask = q @ k.mT / q.size(-1) ** 0.5, seen()

    def after(weights: Tensor) -> Tensor:
        return ours.w_o(ours.merge_heads(weights @ v))

    late = "The mask changes too little: where it is False, the score becomes a very negative "
    late += "number, such as -1e9, before the softmax. (`attention` does it for you.)"
    return [
        (after(scores.softmax(-1)), "The mask has no effect: hand it on to `attention`."),
        (
            after(scores.masked_fill(mask, -1e9).softmax(-1)),
            "The mask is the wrong way round: True means that a word may be seen.",
        ),
        (after(scores.softmax(-1) * mask), late),
        (after((scores * mask).softmax(-1)), late),
    ]


def masks(mine: Own) -> None:
    causal, padding = mine.part("causal_mask"), mine.part("padding_mask")
    with about("causal_mask"):
        of_masks.any_causal_mask(causal)
    with about("padding_mask(ids) & causal_mask(t)"):
        of_masks.my_decoder_mask(lambda ids: padding(ids) & causal(ids.size(1)))
    if not mine.has("attention"):  # in a notebook, it may be another cell's
        return
    attend = mine.part("attention")

    def weights(scores: Tensor, mask: Tensor) -> Tensor:
        """What attention gives for keys and values that are unit vectors.

        d_k is 16, so that the product and the root change no digit of the scores.
        """
        *before, _, words = scores.shape
        query = pad(4 * scores, (0, 16 - words))
        key, value = (torch.eye(words, width).expand(*before, -1, -1) for width in (16, words))
        return attend(query, key, value, mask)

    with about("attention"):
        of_masks.weights_of_all_heads(weights)
    with about("attention(query, key, value)"):  # without a mask
        of_attention.my_attention(attend)


def residual(mine: Own) -> None:
    width = of_encoder.feed_forward_inputs()[0].size(-1)
    ours = nn.ModuleDict({"norm": nn.LayerNorm(width)})
    around = mine.twin("SublayerConnection", (width, 0.0), weights_of(ours))
    expect(
        found_at(mine, around, "dropout.p") is not None,
        "`SublayerConnection` should have an nn.Dropout of the name `dropout`.",
    )

    def through(x: Tensor, sublayer: Callable, norm: Any, drop: Any, _: bool) -> Tensor:
        mine.replace(around, "norm", norm)
        mine.replace(around, "dropout", drop)
        return mine.run(around)(x, sublayer)

    with about("SublayerConnection"):
        of_encoder.judge_around(through, norm_first=False)
    kept = found_at(mine, mine.make("SublayerConnection", width, 0.25), "dropout.p")
    expect(kept == 0.25, f"Made with a dropout of 0.25, it drops a share of {kept}.")


def feed_forward(mine: Own) -> None:
    def by_matrices(x: Tensor, w_1: Tensor, b_1: Tensor, w_2: Tensor, b_2: Tensor) -> Tensor:
        weights = {"w_1.weight": w_1.T, "w_1.bias": b_1, "w_2.weight": w_2.T, "w_2.bias": b_2}
        return mine.run(mine.twin("PositionwiseFeedForward", w_1.shape, weights))(x)

    x, w_1, *_ = of_encoder.feed_forward_inputs()
    ours = of_encoder.PositionwiseFeedForward(*w_1.shape)
    name = "PositionwiseFeedForward"
    mine.fitting(name, w_1.shape, weights_of(ours))
    with about(name):
        of_encoder.feed_forward(by_matrices)


def found_at(mine: Own, module: Any, path: str) -> Any:
    """What it has under a name such as "dropout.p"; None if it has no such part."""
    try:
        return mine.look_up(module, path)
    except Exception:  # of whatever kind, from another process
        return None


def keeps_dropout(mine: Own, name: str, *connections: str) -> None:
    """A Hint unless a module hands its dropout on to these parts of it."""
    module = mine.make(name, *SIZES[:-1], 0.25)
    for path in connections:
        kept = found_at(mine, module, f"{path}.dropout.p")
        expect(
            kept is None or kept == 0.25,
            f"Made with a dropout of 0.25, the `{path}` of `{name}` drops a share of {kept}: hand "
            "`dropout` on.",
        )


# The likeliest slip of a layer: a sub-layer is called, and its result handed to the connection.
A_RESULT = {
    "object is not callable": "A SublayerConnection is handed x and a function, which it calls "
    "itself, such as `self.feed_forward` or `lambda x: …`. You handed it a result."
}


# The source has another number of words than the target, so what is confused doesn't fit.
OTHER_LENGTHS = {
    "must match": "Source and target have different lengths here, and something of the one meets "
    "something of the other. Self-attention takes queries, keys and values from `x`, and "
    "`tgt_mask`. Cross-attention takes its queries from `x`, but keys and values from `memory`, "
    "and `src_mask`."
}


def encoder(mine: Own) -> None:
    ours = seeded(lambda: EncoderLayer(*SIZES))
    x = drawn(B, S, D_MODEL, seed=3)
    their = mine.run(mine.twin("EncoderLayer", SIZES, weights_of(ours)))

    def layer(x: Tensor, attend: Callable, network: Callable, *norms: Callable) -> Tensor:
        """The reader's layer around these functions."""
        module = mine.make("EncoderLayer", x.size(-1), *SIZES[1:])
        mine.replace(module, "self_attn", lambda q, k, v, mask=None: attend(q, k, v))
        mine.replace(module, "feed_forward", network)
        for name, norm in zip(("residual_self_attn", "residual_feed_forward"), norms, strict=True):
            mine.replace(module, f"{name}.norm", norm)
        return mine.run(module)(x)

    with about("EncoderLayer"), torch.no_grad():
        found = call(partial(their, src_mask=seen()), x, stops=A_RESULT)
        of_encoder.encoder_layer(layer)
        compare(
            found,
            ours(x, src_mask=seen()),
            [(ours(x), "Words look at the padding: hand `src_mask` on to `self_attn`.")],
        )
    keeps_dropout(mine, "EncoderLayer", "residual_self_attn", "residual_feed_forward")
    stack(mine, "Encoder", seeded(lambda: Encoder(3, *SIZES)), (x,), {"src_mask": seen()})


def decoder(mine: Own) -> None:
    ours = seeded(lambda: DecoderLayer(*SIZES))
    mine.fitting("DecoderLayer", SIZES, weights_of(ours))

    def layer(x: Tensor, memory: Tensor, mask: Tensor, *parts: Any) -> Tensor:
        *blocks, norms = parts
        named = dict(zip(("self_attn", "cross_attn", "feed_forward"), blocks, strict=True))
        ways = ("residual_self_attn.norm", "residual_cross_attn.norm", "residual_feed_forward.norm")
        named |= zip(ways, norms, strict=True)
        weights = {
            f"{name}.{key}": value
            for name, part in named.items()
            for key, value in weights_of(part).items()
        }
        return mine.run(mine.twin("DecoderLayer", SIZES, weights))(x, memory, tgt_mask=mask)

    x, memory = drawn(B, T, D_MODEL, seed=4), drawn(B, S, D_MODEL, seed=5)
    masks = {"tgt_mask": causal_mask(T), "src_mask": seen()}
    their = mine.run(mine.twin("DecoderLayer", SIZES, weights_of(ours)))
    with about("DecoderLayer"), torch.no_grad():
        found = call(partial(their, **masks), x, memory, stops=A_RESULT | OTHER_LENGTHS)
        of_decoder.decoder_layer(layer)
        compare(
            found,
            ours(x, memory, **masks),
            [
                (
                    ours(x, memory, tgt_mask=causal_mask(T)),
                    "Words look at the source's padding: hand `src_mask` on to `cross_attn`.",
                ),
            ],
        )
    connections = ("residual_self_attn", "residual_cross_attn", "residual_feed_forward")
    keeps_dropout(mine, "DecoderLayer", *connections)
    stack(mine, "Decoder", seeded(lambda: Decoder(3, *SIZES)), (x, memory), masks)


MEMORY_LOST = {
    "must match": "Source and target have different lengths here, and something of the one meets "
    "something of the other. Each layer reads `x`, which the layer before it wrote, and the same "
    "`memory`: does your loop keep the two apart?"
}


def stack(
    mine: Own, name: str, ours: nn.Module, inputs: tuple[Tensor, ...], masks: dict[str, Tensor]
) -> None:
    """N layers, one after another, each handed the memory and the masks."""
    x, *memory = inputs
    layers = ours.layers
    their = mine.run(mine.twin(name, (3, *SIZES), weights_of(ours)))
    with about(name), torch.no_grad():
        compare(
            call(partial(their, **masks), *inputs, stops=MEMORY_LOST if memory else None),
            ours(*inputs, **masks),
            [
                (
                    layers[-1](x, *memory, **masks),
                    "Each layer reads x. It should read what the layer before it wrote.",
                ),
                (
                    layers[0](x, *memory, **masks),
                    "Only the first layer was used. (Does `return` stand inside the loop?)",
                ),
                (ours(*inputs), "The masks don't reach the layers."),
            ],
        )


def sizes_of(model: Transformer) -> tuple:
    c = model.config
    words = (model.src_embed.table.num_embeddings, model.tgt_embed.table.num_embeddings)
    return (*words, c.N, c.d_model, c.d_ff, c.h, c.dropout)


def twin_of(mine: Own, model: Transformer) -> Any:
    """The reader's Transformer with the weights of this one."""
    return mine.twin("Transformer", sizes_of(model), weights_of(model))


def whole(mine: Own) -> None:
    small = of_whole.assembly_inputs(tie_weights="target")[0]
    mine.fitting("Transformer", sizes_of(small), weights_of(small))

    def assemble(model: Transformer, src: Tensor, tgt_in: Tensor) -> Tensor:
        return mine.run(twin_of(mine, model))(src, tgt_in)

    of_whole.judge_transformer(assemble, tie_weights="target")
    judge_decode(mine, twin_of(mine, small), small)
    new = mine.make("Transformer", 500, 500, 1, 64, 256, 4, 0.0)
    for name, size in (
        ("encoder.layers.0.self_attn.w_q.weight", 64**-0.5),
        ("decoder.layers.0.feed_forward.w_1.weight", (2 / (64 + 256)) ** 0.5),
        ("src_embed.table.weight", 64**-0.5),
    ):
        found = spread(mine, new, name)
        no_slip(
            abs(found / size - 1) < 0.15,
            f"The logits are right. But `{name}` starts with "
            f"numbers of size {found:.3f}, and should with {size:.3f}: nn.init.xavier_uniform_ "
            "for the matrix of each nn.Linear, and nothing else.",
        )
    for half in ("encoder", "decoder"):
        expect(
            drops(mine, mine.make("Transformer", 11, 11, 1, 6, 7, 2, 0.5), half),
            f"The logits are right. But with dropout=0.5 the {half} reads the same twice, in "
            "training, before its first layer: dropout comes after the positions.",
        )


def judge_decode(mine: Own, their: Any, ours: Transformer) -> None:
    """A Hint unless `decode` gives vectors, of which `generator` makes logits."""
    _, src, tgt = of_whole.assembly_inputs()
    with torch.no_grad():
        memory = ours.encode(src)
        right = ours.decode(tgt[:, :-1], memory, src)
        found = call(mine.run(mine.look_up(their, "decode")), tgt[:, :-1], memory, src)
        no_slip(
            found.shape != (*right.shape[:2], 11),
            "The logits are right. But `decode` gives "
            "logits, and should give the decoder's vectors, (b, t, d_model), as in the "
            "library: move the product with the table to a method `generator(x)`.",
        )
        with about("decode"):
            compare(found, right, list(wrong_decodes(ours, tgt[:, :-1], memory, src)))
        with about("generator"):
            generator = found_at(mine, their, "generator")
            missing = "It is missing: (…, d_model) -> logits (…, tgt_vocab_size)."
            expect(generator is not None, missing)
            compare(call(mine.run(generator), right), ours.generator(right), [])


def wrong_decodes(
    ours: Transformer, tgt_in: Tensor, memory: Tensor, src: Tensor
) -> Iterator[tuple[Tensor, str]]:
    """What `decode` gives after one mistake, and the hint for it."""
    bare, seen = ours.tgt_embed(tgt_in), padding_mask(src)
    past, words = causal_mask(tgt_in.size(1)), padding_mask(tgt_in)
    right = {"x": ours.tgt_positions(bare), "tgt_mask": past & words, "src_mask": seen}
    for changed, hint in (
        (
            {"tgt_mask": past},
            "The decoder's own words got the causal mask alone. Their padding has to be hidden, "
            "too: padding_mask(tgt_in) & causal_mask(…).",
        ),
        (
            {"tgt_mask": words},
            "The decoder's own words got the padding mask alone: the causal mask is missing.",
        ),
        ({"tgt_mask": None}, "The decoder's own words got no mask: they need both, joined by `&`."),
        (
            {"src_mask": None},
            "The decoder attends to the source's padding: hand padding_mask(src) on as `src_mask`.",
        ),
        (
            {"tgt_mask": past, "src_mask": None},
            "Both padding masks are missing: that of tgt_in belongs to the causal mask (`&`), that "
            "of src is `src_mask`.",
        ),
        ({"x": bare}, "The positions are missing: they are added to the embeddings."),
    ):
        yield ours.decoder(memory=memory, **right | changed), hint


def drops(mine: Own, model: Any, half: str) -> bool:
    """Is anything dropped before the encoder's or the decoder's first layer, while it trains?"""
    read: list[Tensor] = []

    def keep(x: Tensor, *masks: Any, **named: Any) -> Tensor:
        read.append(x)
        return x

    mine.replace(model, half, keep)
    mine.look_up(model, "train")()
    src, tgt_in = torch.tensor([[4, 5, 6, EOS]]), torch.tensor([[4, 5, 6]])
    with torch.random.fork_rng(devices=[]):
        for _ in range(2):
            if half == "encoder":
                mine.look_up(model, "encode")(src)
            else:
                mine.look_up(model, "decode")(tgt_in, torch.zeros(1, 4, 6), src)
    return not same(*read)


# --- 11 and 12: training and translating ----------------------------------------------------------


def the_update(mine: Own) -> None:
    with about("label_smoothed_cross_entropy"):
        loss = mine.part("label_smoothed_cross_entropy")
        of_training.my_smoothed_loss(loss)
        expect(
            isinstance(mine.outcome(loss, *of_training.example(), 0.1), Tensor),
            "Return the loss as a tensor: a plain number has "
            "forgotten how it was made, and training has to ask.",
        )
    mine.part("update")

    def updates() -> tuple[list[Any], Tensor, list[str]]:
        try:
            return mine.bench.updates((*FINISHED, "update"))
        except Exception as error:
            if type(error).__name__ == "Borrowed":  # from another process
                raise Borrowed(str(error)) from None
            raise

    with about("update"):
        of_training.judge_updates(updates)


SENTENCES = (
    "I like trees",
    "The animal didn't cross the street because it was too wide",
    "Where is the letter?",
    "I gave it to you",
)


def decoding(mine: Own) -> None:
    write = mine.part("greedy_decode")
    with about("greedy_decode"):
        of_decoding.my_greedy(lambda model, *more: only_one(write(in_parts(model), *more)))
    if not mine.has("Transformer"):  # in a notebook, it may be another cell's
        return
    ours = shipped()
    model = with_shipped_weights(mine)
    for text, right in zip(SENTENCES, ours.translate(SENTENCES), strict=True):
        src = torch.tensor([[*ours.src.encode(text), EOS]])
        with about("greedy_decode"):
            found = ours.tgt.decode(only_one(mine.outcome(write, model, src, 64)))
        expect(
            found == right.text,
            f"With the shipped weights it translates {text!r} as {found!r}, "
            f"and the shipped translator as {right.text!r}.",
        )


def in_parts(model: Transformer) -> Parts:
    """A model of the library, as a file in another process can call it."""
    return Parts(
        call=lambda src, tgt_in: model(src, tgt_in),
        encode=lambda src: model.encode(src),
        decode=lambda tgt_in, memory, src: model.decode(tgt_in, memory, src),
        generator=lambda x: model.generator(x),
    )


def only_one(found: Any) -> Any:
    """The one sentence in what `greedy_decode` returns."""
    of_sentences = isinstance(found, list) and len(found) == 1 and isinstance(found[0], list)
    expect(
        of_sentences,
        "It should return a list of sentences, here of one: [[ids, ...]], as "
        "transformer_lib's does.",
    )
    return found[0]


def with_shipped_weights(mine: Own) -> Any:
    """The reader's Transformer with the weights of the translator that comes with the course."""
    return twin_of(mine, shipped().model)


# --- the twelve -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """title: what it is about. names: what it consists of. notebook: where it is taught."""

    title: str
    names: tuple[str, ...]
    notebook: str
    check: Callable[[Own], None]


PARTS = tuple(
    Part(title, names, notebook, check)
    for names, (title, notebook, check) in zip(
        NAMES,
        (
            ("Words as vectors", "02_embeddings", embeddings),
            ("Positions", "03_positional_encoding", positions),
            ("Attention", "04_attention", attention),
            ("Heads", "05_multi_head_attention", heads),
            ("Masks", "06_masks", masks),
            ("Residual connection and norm", "07_encoder", residual),
            ("The feed-forward network", "07_encoder", feed_forward),
            ("The encoder", "07_encoder", encoder),
            ("The decoder", "08_decoder", decoder),
            ("The whole Transformer", "09_the_whole_transformer", whole),
            ("The update", "10_training", the_update),
            ("Greedy decoding", "11_decoding", decoding),
        ),
        strict=True,
    )
)


def verdict(bench: Workbench | Parts, number: int) -> Hint | None:
    """How a reader does in the part of this number, from 1: None if right.

    The random numbers of whoever asks stay as they are.
    """
    part, mine = PARTS[number - 1], Own(bench, number)
    if not any(mine.has(name) and not bench.is_untried(name) for name in part.names):
        return NotTried("not tried yet")
    with graded(), torch.random.fork_rng(devices=[]), using_threads(1):
        try:
            part.check(mine)
        except Hint as hint:
            return hint
        except Borrowed as borrowed:
            return Hint(f"`{borrowed}` does the whole part for you: write it yourself.")
        except Exception as error:  # an answer of a kind that the check didn't foresee
            return Hint(f"It stops with {reason_of(error)}.")
    return None


# --- graded --------------------------------------------------------------------------------------


def at_work(source: str) -> Parts:
    """A reader's file, run in this process, for `judge` in another one."""
    try:
        bench = of_file(source)
    except Hint as hint:
        return Parts(trouble=str(hint))
    public = ("has", "is_untried", "part", "foreign", "run", "shapes", "put", "look_up")
    public += ("replace", "updates")
    return Parts(trouble="", **{name: getattr(bench, name) for name in public})


def judge(bench: Parts, number: int) -> None:
    """A Hint unless a file is right in the part of this number, counted from 1."""
    expect(not bench.trouble, bench.trouble)
    hint = verdict(bench, number)
    if hint is not None:
        raise hint
