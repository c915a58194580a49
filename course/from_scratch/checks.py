"""The twelve steps of from_scratch/: a reader's own my_transformer.py, checked part by part.

Most steps are checked with the exercises of the notebooks: the reader's class becomes the function
that the exercise asks for. Where there are weights, they are copied from the library's part, and
both must give the same numbers. So a finished file can take any weights of the library, those of
the shipped translator too.
"""

import ast
import contextlib
import copy
import operator
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
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
from course.chapters.ch08_decoder.checks import random, seeded
from course.chapters.ch09_whole_transformer import checks as of_whole
from course.chapters.ch10_training import checks as of_training
from course.chapters.ch11_decoding import checks as of_decoding
from course.checks import (
    Hint,
    NotTried,
    Parts,
    a_kind,
    call,
    compare,
    expect,
    graded,
    no_slip,
    reason_of,
    same,
)
from course.checks.watching import Attempt, Borrowed
from transformer_lib.checkpoints import current_name
from transformer_lib.checkpoints import weights as weights_of
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.encoder import Encoder, EncoderLayer
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import Transformer, make_model
from transformer_lib.text import batching
from transformer_lib.text.tokens import EOS
from transformer_lib.training.loss import label_smoothed_cross_entropy
from transformer_lib.training.schedules import paper_schedule

FILE = "my_transformer.py"
# What the file may take from the library: the numbers of the special tokens.
GIVEN = {"PAD", "BOS", "EOS", "UNK", "SPECIALS"}
# What its modules may be made of, beside each other, and what of PyTorch it may not even name.
BRICKS = (nn.Linear, nn.Embedding, nn.LayerNorm, nn.Dropout, nn.ReLU, nn.ModuleList, nn.Sequential)
TOO_MUCH = (
    "scaled_dot_product_attention",
    "multi_head_attention_forward",
    "MultiheadAttention",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
)
# What no function of the file may run.
FINISHED = (*TOO_MUCH, "make_batch", "greedy_decode", "beam_search")
# What a module of the file may not run, by whatever detour: the library's own parts.
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


# --- the reader's file ---------------------------------------------------------------------------


class Workbench:
    """A reader's file that has been run, and what the checks do with its parts: no more than this.

    Where work is graded, it stands in the reader's process, and `OwnFile` in another one.
    """

    def __init__(self, source: str, file: str = FILE):
        """Run the file; a Hint with a line number where it can't be run or borrows too much."""
        self.file = file
        path = Path(file)
        try:
            tree = ast.parse(source, file)
            code = compile(source, file, "exec")
        except (SyntaxError, ValueError) as error:
            where = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
            reason = error.msg if isinstance(error, SyntaxError) else error
            raise Hint(f"{path.name} is no Python yet. {where}{reason}.") from None
        only_bricks(tree, path.name)
        module = types.ModuleType(path.stem)
        self.name = path.stem
        self.names = vars(module)
        self.names["__file__"] = file
        try:
            exec(code, self.names)
        except (Exception, SystemExit) as error:
            raise Hint(f"{path.name} stops while it is read: {self.describe(error)}.") from None

    def describe(self, error: BaseException) -> str:
        """What went wrong, and in which line of the file: "NameError: … (line 12)"."""
        line, trace = "", error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == self.file:
                line = f" (line {trace.tb_lineno})"
            trace = trace.tb_next
        reason = reason_of(error)
        return reason if reason.endswith(line) else reason + line

    def located(self, function: Callable) -> Callable:
        """The function, whose errors tell the line of the file."""

        def located(*inputs: Any, **options: Any) -> Any:
            try:
                return function(*inputs, **options)
            except Exception as error:
                error.args = (self.describe(error).partition(": ")[2],)
                raise

        return located

    def has(self, name: str) -> bool:
        return self.names.get(name, ...) is not ...

    def part(self, name: str) -> Any:
        """What the file has under a name."""
        found = self.names[name]
        return self.located(found) if callable(found) else found

    def foreign(self, thing: Any) -> list[str] | None:
        """Parts of a module that are neither the file's nor bricks; None if it is no module."""
        if not isinstance(thing, nn.Module):
            return None
        return [
            type(part).__name__
            for part in thing.modules()
            if type(part).__module__ != self.name and type(part) not in BRICKS
        ]

    def run(self, module: nn.Module) -> Callable[..., Tensor]:
        """The module as a function, without gradients."""
        return self.located(torch.no_grad()(lambda *inputs, **masks: module(*inputs, **masks)))

    def shapes(self, module: nn.Module) -> dict[str, tuple[int, ...]]:
        return {name: tuple(weight.shape) for name, weight in module.named_parameters()}

    def put(self, module: nn.Module, name: str, numbers: Tensor) -> None:
        """Set one of its parameters."""
        with torch.no_grad():
            module.get_parameter(name).copy_(numbers)

    def look_up(self, module: nn.Module, path: str) -> Any:
        """What it has under a name such as "dropout.p"."""
        found = operator.attrgetter(path)(module)
        return self.located(found) if isinstance(found, types.MethodType) else found

    def replace(self, module: nn.Module, name: str, function: Callable) -> None:
        """Put a function in the place of one of its parts."""
        setattr(module, name, AsModule(function))


class AsModule(nn.Module):
    def __init__(self, function: Callable):
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any, **options: Any) -> Any:
        return self.function(*inputs, **options)


class OwnFile:
    """A reader's file as the checks see it. bench: a Workbench, or the same in another process."""

    def __init__(self, bench: Workbench | Parts):
        self.bench = bench
        self.has = bench.has

    def part(self, name: str) -> Attempt:
        """A function or class of the file."""
        expect(self.has(name), f"`{name}` is missing.")
        found = self.bench.part(name)
        expect(callable(found), f"`{name}` should be a function or a class.")
        return self.attempt(found)

    def attempt(self, function: Callable, *too_much: str) -> Attempt:
        """The function, which may not call what is finished, nor these parts of the library."""
        attempt = Attempt(function)
        attempt.too_much = (*FINISHED, *too_much)
        return attempt

    def result(self, name: str, *inputs: Any) -> Any:
        """What a function of the file returns; a Hint if it stops or returns nothing."""
        return self.outcome(self.part(name), *inputs)

    def outcome(self, function: Callable, *inputs: Any) -> Any:
        try:
            found = function(*inputs)
        except Exception as error:
            raise Hint(f"It stops with {reason_of(error)}.") from None
        expect(found is not None, "It returns nothing: does it end with `return`?")
        return found

    def make(self, name: str, *sizes: Any) -> Any:
        """A new module of the file, in eval mode; a Hint if it is none, or of foreign parts."""
        given = ", ".join(map(str, sizes))
        try:
            module = self.outcome(self.part(name).function, *sizes)  # what it runs comes later
        except Hint as hint:
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
        """A module of the file with these weights; a Hint if the names or shapes are others."""
        module = self.make(name, *sizes)
        self.same_names(name, module, weights)
        for key, numbers in weights.items():
            self.bench.put(module, key, numbers)
        return module

    def same_names(self, name: str, module: Any, weights: dict[str, Tensor]) -> None:
        """A Hint if the module's parameters have other names or shapes than these."""
        same_names(name, self.bench.shapes(module), weights)

    def run(self, module: Any) -> Attempt:
        """A module as a function, without gradients."""
        return self.attempt(self.bench.run(module), *LIBRARY)

    def look_up(self, module: Any, path: str) -> Any:
        return self.bench.look_up(module, path)

    def replace(self, module: Any, **functions: Callable) -> None:
        """Put functions in the place of parts of a module."""
        for name, function in functions.items():
            self.bench.replace(module, name, function)


def own_file(path: Path) -> OwnFile:
    """A file that is run here."""
    try:
        return OwnFile(Workbench(Path(path).read_text(encoding="utf-8-sig"), str(path)))
    except FileNotFoundError:
        before = Path(path).parent.with_name("build") / Path(path).name
        if before.exists():  # where it was until this release
            raise Hint(f"Your file is still {before}: move it to {path}.") from None
        raise NotTried(f"not tried yet: make an empty file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Hint(f"{path} can't be read as text: {error}.") from None


def only_bricks(tree: ast.AST, file: str) -> None:
    """A Hint if the file takes from the library or from PyTorch what it should build itself."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [node.attr]
        for name in names:
            first, last = name.split(".")[0], name.split(".")[-1]
            if last in TOO_MUCH or (first == "transformer_lib" and last not in GIVEN):
                raise Hint(
                    f"Line {node.lineno} of {file} takes `{name}`. Build it yourself: from "
                    "the library come only PAD, BOS and EOS."
                )


def same_names(name: str, own: dict[str, tuple[int, ...]], wanted: dict[str, Tensor]) -> None:
    """A Hint unless the parameters have the names and shapes that the page gives."""
    missing, more = [k for k in wanted if k not in own], [k for k in own if k not in wanted]
    biases = [key for key in more if key.endswith("bias") and key[:-4] + "weight" in wanted]
    no_slip(
        not biases or bool(missing),
        f"`{name}` has a parameter `{', '.join(biases[:1])}`: in the paper's attention the "
        "matrices have no biases. nn.Linear takes bias=False.",
    )
    unknown = "layers" in "".join(missing) and "layers" not in "".join(own)
    expect(
        not unknown,
        f"PyTorch doesn't see the layers of `{name}`: keep them in an "
        "nn.ModuleList of the name `layers`, not in a plain list.",
    )
    layer = [key for key in missing if key.startswith("layers.") and "layers.0" not in key]
    no_slip(
        not layer or len(layer) < len(missing),
        "All your layers are one and the same: `[layer] * N` is one layer, N times. Make "
        "each of them separately.",
    )
    words = [key for key in more if len(own[key]) == 2] if name == "Transformer" else []
    no_slip(
        not words or bool(missing),
        f"`{', '.join(words)}` is one matrix too many: the target's table is used twice, for "
        "reading and for writing.",
    )
    former = [key for key in more if current_name(key) in missing]
    expect(
        not former, "".join(f"`{key}` is called `{current_name(key)}` now." for key in former[:1])
    )
    listed = ", ".join(f"{key} {shape}" for key, shape in own.items()) or "none"
    expect(
        not missing,
        f"`{name}` has no parameter `{', '.join(missing[:1])}`; it has {listed}. "
        "The names are those of the page, so that trained weights fit.",
    )
    expect(not more, f"`{name}` has a parameter that isn't asked for: `{', '.join(more[:1])}`.")
    for key, value in wanted.items():
        expect(
            own[key] == tuple(value.shape),
            f"`{key}` of `{name}` has the shape {own[key]}, but it should be {tuple(value.shape)}.",
        )


@contextlib.contextmanager
def about(part: str) -> Iterator[None]:
    """Within it, hints begin with the part of the file that they speak of."""
    try:
        yield
    except NotTried:
        raise Hint(f"`{part}`: not tried yet.") from None
    except Hint as hint:
        raise Hint(f"`{part}`: {hint}", hint.keeps) from None


# --- 1 to 4: functions ---------------------------------------------------------------------------


def embeddings(mine: OwnFile) -> None:
    table = of_embeddings.small_table()
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


def spread(mine: OwnFile, module: Any, parameter: str) -> float:
    """The standard deviation of a new module's numbers."""
    return float(mine.look_up(module, parameter).detach().std())


def positions(mine: OwnFile) -> None:
    of_positions.encoding(mine.part("positional_encoding"))


def attention(mine: OwnFile) -> None:
    attend = mine.part("attention")
    of_attention.my_attention(attend)
    of_attention.my_weights(lambda query, key: attend(query, key, torch.eye(len(key))))


def masks(mine: OwnFile) -> None:
    causal, padding, attend = (
        mine.part(name) for name in ("causal_mask", "padding_mask", "attention")
    )
    with about("causal_mask"):
        of_masks.any_causal_mask(causal)
    with about("padding_mask(ids) & causal_mask(t)"):
        of_masks.my_decoder_mask(lambda ids: padding(ids) & causal(ids.size(1)))

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


# --- 5 to 9: the layers and the whole ------------------------------------------------------------

B, S, T, D_MODEL, D_FF, H = 2, 3, 5, 14, 13, 2


def seen() -> Tensor:
    """The last word of the second sentence is padding: (B, 1, 1, S)."""
    return torch.tensor([[True, True, True], [True, True, False]])[:, None, None, :]


def heads(mine: OwnFile) -> None:
    ours = seeded(lambda: MultiHeadAttention(D_MODEL, H))
    their = mine.run(mine.twin("MultiHeadAttention", (D_MODEL, H), weights_of(ours)))
    x, other = random(B, T, D_MODEL, seed=1), random(B, S, D_MODEL, seed=2)
    with torch.no_grad():
        found = call(their, x, x, x)
        for hint, wrong in wrong_cuts(ours, x).items():
            no_slip(not same(found, wrong), hint)

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
    with torch.no_grad():
        found = call(partial(their, mask=seen()), x, other, other.flip(1))
        right = ours(x, other, other.flip(1), mask=seen())
        compare(
            found,
            right,
            [
                (
                    ours(x, other, other.flip(1)),
                    "The mask has no effect: hand it on to `attention`.",
                ),
                (
                    ours(x, other, other, mask=seen()),
                    "The values are made of `key`. They come from "
                    "`value`, with a matrix of their own.",
                ),
            ],
        )


def wrong_cuts(ours: MultiHeadAttention, x: Tensor) -> dict[str, Tensor]:
    """What comes out where heads are cut or joined without the transpose."""
    q, k, v = (w(x) for w in (ours.w_q, ours.w_k, ours.w_v))
    pieces = [y.reshape(B, H, T, -1) for y in (q, k, v)]
    in_pieces = of_attention.attention(*pieces)
    whole = of_attention.attention(*map(ours.split_heads, (q, k, v)))
    cut = "The heads hold pieces of words: cut the last axis into (h, d_k), then exchange it with "
    return {
        cut + "the words (transpose).": ours.w_o(ours.merge_heads(in_pieces)),
        cut + "the words, and the same on the way back.": ours.w_o(in_pieces.reshape(B, T, -1)),
        "The heads are joined without the transpose back: first (b, q, h, d_k), then side by "
        "side.": ours.w_o(whole.reshape(B, T, -1)),
    }


def feed_forward(mine: OwnFile) -> None:
    def by_matrices(x: Tensor, w_1: Tensor, b_1: Tensor, w_2: Tensor, b_2: Tensor) -> Tensor:
        weights = {"w_1.weight": w_1.T, "w_1.bias": b_1, "w_2.weight": w_2.T, "w_2.bias": b_2}
        return mine.run(mine.twin("PositionwiseFeedForward", w_1.shape, weights))(x)

    x, w_1, *_ = of_encoder.feed_forward_inputs()
    ours = of_encoder.PositionwiseFeedForward(*w_1.shape)
    name = "PositionwiseFeedForward"
    mine.same_names(name, mine.make(name, *w_1.shape), weights_of(ours))
    with about(name):
        of_encoder.feed_forward(by_matrices)

    width = x.size(-1)
    around = mine.twin("SublayerConnection", (width, 0.0), weights_of(Norm(width)))
    expect(
        dropout_of(mine, around) is not None,
        "`SublayerConnection` should have an nn.Dropout of the name `dropout`.",
    )

    def through(x: Tensor, sublayer: Callable, norm: Any, drop: Any, _: bool) -> Tensor:
        mine.replace(around, norm=norm, dropout=drop)
        return mine.run(around)(x, sublayer)

    with about("SublayerConnection"):
        of_encoder.judge_around(through, norm_first=False)
    kept = dropout_of(mine, mine.make("SublayerConnection", width, 0.25))
    expect(kept == 0.25, f"Made with a dropout of 0.25, it drops a share of {kept}.")


def dropout_of(mine: OwnFile, module: Any) -> float | None:
    """The share that its `dropout` drops; None if it has no such part."""
    try:
        return mine.look_up(module, "dropout.p")
    except Exception:  # of whatever kind, from another process
        return None


class Norm(nn.Module):
    """What a SublayerConnection holds."""

    def __init__(self, d_model: int):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)


def encoder(mine: OwnFile) -> None:
    sizes = (D_MODEL, D_FF, H, 0.0)
    ours = seeded(lambda: EncoderLayer(*sizes))
    x = random(B, S, D_MODEL, seed=3)
    first, second = ours.residual_self_attn, ours.residual_feed_forward

    def attn(x: Tensor) -> Tensor:
        return ours.self_attn(x, x, x, mask=seen())

    their = mine.run(mine.twin("EncoderLayer", sizes, weights_of(ours)))
    with about("EncoderLayer"), torch.no_grad():
        found = call(partial(their, src_mask=seen()), x)
        compare(
            found,
            ours(x, src_mask=seen()),
            [
                (ours(x), "Words look at the padding: hand `src_mask` on to `self_attn`."),
                (first(x, attn), "The feed-forward network is missing."),
                (second(x, ours.feed_forward), "The self-attention is missing."),
                (
                    first(second(x, ours.feed_forward), attn),
                    "The attention comes first, then the feed-forward network.",
                ),
                (
                    first(first(x, attn), ours.feed_forward),
                    "`residual_self_attn` is used twice. Each sub-layer has one of its own.",
                ),
                (
                    first(second(x, attn), ours.feed_forward),
                    "The two residual connections have changed places.",
                ),
                (
                    ours.feed_forward(attn(x)),
                    "Neither sub-layer has a residual connection, or a norm.",
                ),
            ],
        )
    stack(mine, "Encoder", seeded(lambda: Encoder(3, *sizes)), (x,), {"src_mask": seen()})


def decoder(mine: OwnFile) -> None:
    sizes = (D_MODEL, D_FF, H, 0.0)
    ours = seeded(lambda: DecoderLayer(*sizes))
    mine.same_names("DecoderLayer", mine.make("DecoderLayer", *sizes), weights_of(ours))

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
        return mine.run(mine.twin("DecoderLayer", sizes, weights))(x, memory, tgt_mask=mask)

    with about("DecoderLayer"):
        of_decoder.decoder_layer(layer)
    x, memory = random(B, T, D_MODEL, seed=4), random(B, S, D_MODEL, seed=5)
    masks = {"tgt_mask": causal_mask(T), "src_mask": seen()}
    their = mine.run(mine.twin("DecoderLayer", sizes, weights_of(ours)))
    with about("DecoderLayer"), torch.no_grad():
        compare(
            call(partial(their, **masks), x, memory),
            ours(x, memory, **masks),
            [
                (
                    ours(x, memory, tgt_mask=causal_mask(T)),
                    "Words look at the source's padding: hand `src_mask` on to `cross_attn`.",
                ),
            ],
        )
    stack(mine, "Decoder", seeded(lambda: Decoder(3, *sizes)), (x, memory), masks)


def stack(
    mine: OwnFile, name: str, ours: nn.Module, inputs: tuple[Tensor, ...], masks: dict[str, Tensor]
) -> None:
    """N layers, one after another, each handed the memory and the masks."""
    x, *memory = inputs
    layers = ours.layers
    their = mine.run(mine.twin(name, (3, D_MODEL, D_FF, H, 0.0), weights_of(ours)))
    with about(name), torch.no_grad():
        compare(
            call(partial(their, **masks), *inputs),
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


def whole(mine: OwnFile) -> None:
    def sizes(model: Transformer) -> tuple:
        c = model.config
        words = (model.src_embed.table.num_embeddings, model.tgt_embed.table.num_embeddings)
        return (*words, c.N, c.d_model, c.d_ff, c.h, c.dropout)

    small = of_whole.assembly_inputs(tie_weights="target")[0]
    mine.same_names("Transformer", mine.make("Transformer", *sizes(small)), weights_of(small))

    def assemble(model: Transformer, src: Tensor, tgt_in: Tensor) -> Tensor:
        twin = mine.twin("Transformer", sizes(model), weights_of(model))
        return mine.run(twin)(src, tgt_in)

    of_whole.judge_transformer(assemble, tie_weights="target")
    judge_decode(mine, mine.twin("Transformer", sizes(small), weights_of(small)), small)
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
    expect(
        drops(mine, mine.make("Transformer", 11, 11, 1, 6, 7, 2, 0.5)),
        "The logits are right. But with dropout=0.5 the encoder reads the same twice, in training, "
        "before its first layer: dropout comes after the positions.",
    )


def judge_decode(mine: OwnFile, their: Any, ours: Transformer) -> None:
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
            compare(found, right, [])
        with about("generator"):
            compare(call(mine.run(generator_of(mine, their)), right), ours.generator(right), [])


def generator_of(mine: OwnFile, model: Any) -> Any:
    try:
        return mine.look_up(model, "generator")
    except Exception:  # of whatever kind, from another process
        raise Hint("It is missing: (…, d_model) -> logits (…, tgt_vocab_size).") from None


def drops(mine: OwnFile, model: Any) -> bool:
    """Is anything dropped before the first layer, while it trains?"""
    read: list[Tensor] = []

    def keep(x: Tensor, *masks: Any, **named: Any) -> Tensor:
        read.append(x)
        return x

    mine.replace(model, encoder=keep)
    mine.look_up(model, "train")()
    encode = mine.look_up(model, "encode")
    with torch.random.fork_rng(devices=[]):
        for _ in range(2):
            encode(torch.tensor([[4, 5, 6, EOS]]))
    return not same(*read)


# --- 10 to 12: training and translating ----------------------------------------------------------


def loss_and_schedule(mine: OwnFile) -> None:
    with about("label_smoothed_cross_entropy"):
        of_training.my_smoothed_loss(mine.part("label_smoothed_cross_entropy"))
        found = mine.result("label_smoothed_cross_entropy", *of_training.example(), 0.1)
        expect(
            isinstance(found, Tensor),
            "Return the loss as a tensor: a plain number has "
            "forgotten how it was made, and training has to ask.",
        )
    with about("paper_schedule"):
        of_training.my_schedule(mine.part("paper_schedule"))


PAIRS = [([4, 5, 6], [7, 8]), ([9], [10, 4, 5, 6]), ([8, 7], [9]), ([5, 10], [6, 6])]
WARMUP = 3


def training(mine: OwnFile) -> None:
    batch = mine.part("make_batch")

    def shift(ids: list[int]) -> tuple[list[int], list[int]]:
        _, tgt_in, tgt_out = batch([([4], ids)])
        return tgt_in[0].tolist(), tgt_out[0].tolist()

    with about("make_batch"):
        tables = three_tables(mine.result("make_batch", copy.deepcopy(PAIRS[:2])))
        of_training.my_shift(shift)
        judge_tables(*tables)

    model = small_model()
    their = mine.twin("Transformer", (11, 11, 1, 8, 12, 2, 0.0), weights_of(model))
    batches = [batching.make_batch(PAIRS[i : i + 2]) for i in (0, 2, 1, 0, 2)]
    tables = [(batch.src, batch.tgt_in, batch.tgt_out) for batch in batches]
    with about("train"):
        found = mine.result("train", their, tables, WARMUP)
        expect(
            isinstance(found, list) and len(found) == len(tables),
            f"It should return a list with a loss for each of the {len(tables)} batches.",
        )
        no_slip(
            not any(isinstance(loss, Tensor) and loss.requires_grad for loss in found),
            "Each loss in your list keeps all that led to it in memory: loss.item() is the "
            "number alone.",
        )
        losses = call(lambda: torch.tensor([float(loss) for loss in found]))
        compare(
            losses,
            own_losses(batches),
            [(own_losses(batches, **changed), hint) for hint, changed in TRAINING_MISTAKES.items()],
        )


def three_tables(found: Any) -> Sequence[Tensor]:
    """What was found, if it is three tensors of whole numbers; otherwise a Hint."""
    expect(isinstance(found, tuple | list) and len(found) == 3, "Return three tables of ids.")
    for table in found:
        expect(isinstance(table, Tensor), f"A table is a tensor, not {a_kind(table)}.")
        whole_numbers = not table.is_floating_point()
        expect(whole_numbers, "Ids are whole numbers, but a table is of floats: dtype=torch.long.")
    return found


def judge_tables(src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> None:
    """A Hint unless these are the padded tables of the first two pairs."""
    right = batching.make_batch(PAIRS[:2])
    compare(tgt_in, right.tgt_in, [])
    compare(tgt_out, right.tgt_out, [])
    compare(
        src,
        right.src,
        [
            (batching.pad([ids for ids, _ in PAIRS[:2]]), "The source ends with <eos>, too."),
        ],
    )


def small_model() -> Transformer:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        return make_model(11, 11, N=1, d_model=8, d_ff=12, h=2, dropout=0.0, tie_weights="target")


TRAINING_MISTAKES: dict[str, dict[str, Any]] = {
    "The gradients of all steps add up: set them to zero in each.": {"zero": False},
    "The weights don't change: is `optimizer.step()` there, after `backward`?": {"lr": 0.0},
    "The learning rate stays that of Adam, 0.001: set it in each step.": {"lr": 0.001},
    "The learning rate stays that of step 1: set it in each step.": {"at": lambda step: 1},
    "Your first step has the rate of step 2: steps count from 1.": {"at": lambda step: step + 1},
    "That is Adam with PyTorch's numbers. The paper's are betas=(0.9, 0.98).": {
        "betas": (0.9, 0.999)
    },
    "The loss is without smoothing: eps is 0.1.": {"smoothing": 0.0},
    "The step walks uphill, or the loss has the wrong sign.": {"sign": -1.0},
}


def own_losses(
    batches: Sequence[batching.Batch],
    *,
    zero: bool = True,
    lr: float | None = None,
    at: Callable[[int], int] = lambda step: step,
    betas: tuple[float, float] = (0.9, 0.98),
    smoothing: float = 0.1,
    sign: float = 1.0,
) -> Tensor:
    """The loss of each step of the library's model, with at most one thing changed."""
    model = copy.deepcopy(small_model()).train()
    optimizer = torch.optim.Adam(model.parameters(), betas=betas, eps=1e-9)
    losses = []
    for step, batch in enumerate(batches, start=1):
        scheduled = paper_schedule(at(step), 8, WARMUP)
        optimizer.param_groups[0]["lr"] = scheduled if lr is None else lr
        logits = model(batch.src, batch.tgt_in)
        loss = label_smoothed_cross_entropy(logits, batch.tgt_out, smoothing)
        if zero:
            optimizer.zero_grad()
        (sign * loss).backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


SENTENCES = (
    "I like trees",
    "The animal didn't cross the street because it was too wide",
    "Where is the letter?",
    "I gave it to you",
)


def translator(mine: OwnFile) -> None:
    write = mine.part("greedy_decode")
    with about("greedy_decode"):
        of_decoding.my_greedy(lambda model, *more: only_one(write(in_parts(model), *more)))
    ours = shipped()
    model = with_shipped_weights(mine)
    right = [one.text for one in ours.translate(SENTENCES)]
    languages = [
        Parts(encode=one.encode, decode=one.decode, text=one.decode)  # its old name, until 2.0
        for one in (ours.src, ours.tgt)
    ]
    for text, wanted in zip(SENTENCES, right, strict=True):
        with about("translate"):
            found = mine.result("translate", model, *languages, text)
        expect(isinstance(found, str), f"`translate` should return text, not {found!r}.")
        expect(
            found == wanted,
            f"With the shipped weights it translates {text!r} as {found!r}, "
            f"and the shipped translator as {wanted!r}. Does the source end with <eos>?",
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


def with_shipped_weights(mine: OwnFile) -> Any:
    """The reader's Transformer with the weights of the translator that comes with the course."""
    model = shipped().model
    c = model.config
    words = (model.src_embed.table.num_embeddings, model.tgt_embed.table.num_embeddings)
    sizes = (*words, c.N, c.d_model, c.d_ff, c.h, c.dropout)
    return mine.twin("Transformer", sizes, weights_of(model))


# --- the way through -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """names: what the file holds after it. notebook, section: where it is taught."""

    title: str
    names: tuple[str, ...]
    notebook: str
    section: int
    check: Callable[[OwnFile], None]


STEPS = (
    Step("Words as vectors", ("Embeddings",), "02_embeddings", 6, embeddings),
    Step("Places", ("positional_encoding",), "03_positional_encoding", 3, positions),
    Step("Attention", ("attention",), "04_attention", 3, attention),
    Step("Masks", ("padding_mask", "causal_mask"), "06_masks", 2, masks),
    Step("Heads", ("MultiHeadAttention",), "05_multi_head_attention", 3, heads),
    Step(
        "Feed-forward, add & norm",
        ("PositionwiseFeedForward", "SublayerConnection"),
        "07_encoder",
        5,
        feed_forward,
    ),
    Step("The encoder", ("EncoderLayer", "Encoder"), "07_encoder", 6, encoder),
    Step("The decoder", ("DecoderLayer", "Decoder"), "08_decoder", 2, decoder),
    Step("The whole Transformer", ("Transformer",), "09_the_whole_transformer", 2, whole),
    Step(
        "Loss and learning rate",
        ("label_smoothed_cross_entropy", "paper_schedule"),
        "10_training",
        6,
        loss_and_schedule,
    ),
    Step("The training loop", ("make_batch", "train"), "10_training", 7, training),
    Step("A translator", ("greedy_decode", "translate"), "11_decoding", 1, translator),
)


# Names that the page gave before, for files that were begun then.
FORMER = {
    "PositionwiseFeedForward": "FeedForward",
    "label_smoothed_cross_entropy": "smoothed_loss",
    "paper_schedule": "learning_rate",
    "greedy_decode": "greedy",
}


def verdict(mine: OwnFile, step: Step) -> Hint | None:
    """How the file does in one step: None if right."""
    for name in step.names:
        if not mine.has(name) and mine.has(FORMER.get(name, "")):
            return Hint(
                f"`{FORMER[name]}` is called `{name}` now, as in the library: rename it "
                "wherever it stands in your file."
            )
    if not any(mine.has(name) for name in step.names):
        return NotTried("not tried yet")
    with graded():
        try:
            step.check(mine)
        except Hint as hint:
            return hint
        except Borrowed as borrowed:
            return Hint(f"`{borrowed}` does the whole step for you: write it yourself.")
        except Exception as error:  # an answer of a kind that the check didn't foresee
            return Hint(f"It stops with {reason_of(error)}.")
    return None


# --- graded --------------------------------------------------------------------------------------


def at_work(source: str) -> Parts:
    """A reader's file, run in this process, for `judge` in another one."""
    try:
        bench = Workbench(source)
    except Hint as hint:
        return Parts(trouble=str(hint))
    public = ("has", "part", "foreign", "run", "shapes", "put", "look_up", "replace")
    return Parts(trouble="", **{name: getattr(bench, name) for name in public})


def judge(bench: Parts, number: int) -> None:
    """A Hint unless a file is right in the step of this number, counted from 1."""
    expect(not bench.trouble, bench.trouble)
    hint = verdict(OwnFile(bench), STEPS[number - 1])
    if hint is not None:
        raise hint
