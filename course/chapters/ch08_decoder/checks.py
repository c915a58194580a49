"""The exercises of notebook 08 and assignment 4: how a decoder is built, read and used.

Target and source have different lengths, and all sizes are different primes, so that a swapped
memory or a wrong axis can't pass unseen.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course.chapters.ch00_start_here.checks import shipped, spanish
from course.chapters.ch07_encoder.checks import (
    network_parameters,
    no_sum,
    norm_before_sum,
    post,
    pre,
    run,
)
from course.checks import (
    Exercise,
    Value,
    Values,
    Verdicts,
    as_shape,
    call,
    drawn,
    exercise,
    expect,
    fault_in_a_stack,
    no_slip,
    plain,
    whole_numbers,
)
from transformer_lib.interpret.patching import ablate_head, patch_attention
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.tokens import BOS, EOS, PAD

B, S, T, D_MODEL, VOCAB = 2, 3, 5, 14, 11


def seeded(make: Callable[[], nn.Module]) -> nn.Module:
    """A module with the same random weights each time, and norms that can't be confused."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        module = make().eval()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.normal_(std=0.5)
    return module


# --- shapes ---------------------------------------------------------------------------------------


shapes = Values(
    "shapes",
    "Exercise 2: b=2, s=7, t=5, d_model=512, h=8 and 1794 words.",
    Value(
        "The keys",
        read=as_shape,
        right=(2, 8, 7, 64),
        slips={
            (2, 8, 5, 64): "Those are the queries, from the 5 target words. Keys come from the "
            "memory.",
            (2, 7, 512): "That is the memory. Its keys are cut into 8 heads.",
            (2, 7, 8, 64): "That is before the transpose: the heads come second.",
            (2, 8, 7, 512): "Each head has its share of the 512 numbers.",
            (2, 8, 64, 7): "That is how they enter the product Q K^T. Before it, each word has a "
            "row.",
        },
    ),
    Value(
        "The weights",
        read=as_shape,
        right=(2, 8, 5, 7),
        slips={
            (2, 8, 7, 5): "Rows are queries, columns are keys. Which words attend, and to which?",
            (2, 8, 5, 5): "That is the decoder's self-attention: target words attend to target "
            "words.",
            (2, 8, 7, 7): "That is the encoder's self-attention: source words attend to source "
            "words.",
            (2, 5, 7): "That is one head; here there are eight.",
            (2, 8, 5, 64): "That is what the weights make of the values. A weight belongs to a "
            "pair of words.",
        },
    ),
    Value(
        "The logits",
        read=as_shape,
        right=(2, 5, 1794),
        slips={
            (2, 7, 1794): "That is one for each source word. A next word is predicted at each "
            "target position.",
            (2, 1794): "That is for the last position alone. In training all positions count.",
            (2, 5, 512): "That is what goes into the generator.",
            (2, 1794, 5): "The words of the vocabulary are the last axis.",
            (2, 8, 5, 1794): "Heads exist only inside attention. After W^O they are gone.",
            (5, 1794): "And the batch?",
        },
    ),
)


SQUARE = 128 * 128
EACH = "Scale and shift have a number for each feature, not one for all."
three_parts = Values(
    "parameters",
    "Assignment 4: attention, feed-forward and norms of a decoder layer, 128, 512 and 4 heads.",
    Value(
        "Attention",
        right=8 * SQUARE,
        slips={
            4 * SQUARE: "That is one attention. A decoder layer attends to its own words and to "
            "the memory.",
            6 * SQUARE: "And W^O, in both?",
            2 * SQUARE: "That is one matrix in each of two attentions; an attention has four.",
            32 * SQUARE: "Each head has matrices of 128 × 32: four of them are one of 128 × 128.",
            8 * SQUARE + 8 * 128: "The attention layers have no biases.",
        },
    ),
    network_parameters(128, 512),
    Value(
        "Norms",
        right=6 * 128,
        slips={
            4 * 128: "That is the encoder layer, with two norms.",
            3 * 128: "Those are the scales. A norm learns something else too.",
            2 * 128: "That is one norm. There is one for each sub-layer.",
            6: EACH,
            3: EACH,
            0: "A norm learns a scale and a shift.",
        },
    ),
)


@exercise
def parameters(guess: Any) -> None:
    """`three_parts` in a list."""
    wanted = "Give three whole numbers in a list: attention, feed-forward network, norms."
    guess = whole_numbers(guess, wanted)
    expect(len(guess) == 3, wanted)
    three_parts.judge(*guess)


# --- four ways to write ---------------------------------------------------------------------------

WRITERS = {"A": "number", "B": "fine", "C": "forgets", "D": "even"}
MEASURE = {  # how to see that it isn't this kind
    "fine": "Compare what it writes with `translator.translate`, for one thing and for several.",
    "forgets": "Does it know what it has just written? Are words repeated, or left out?",
    "even": "Can it tell the English words apart? Read a longer sentence, to the end.",
    "number": "Try the same sentence with one thing and with several, and look at the verb.",
}


def writers() -> dict[str, Callable[[str], str]]:
    """Four ways to translate with the shipped model, in some of which one thing is changed."""
    return {name: functools.partial(write_as, kind) for name, kind in WRITERS.items()}


def write_as(kind: str, english: str) -> str:
    """The translation by the shipped model, changed as `MEASURE` lists it."""
    model, layers = shipped().model, ("decoder.layers.0", "decoder.layers.1")

    def itself(weights: Tensor) -> Tensor:
        """The newest position is the last of the keys; in one run of all, each is its own."""
        positions = torch.arange(weights.size(-1))[-weights.size(-2) :]
        return nn.functional.one_hot(positions, weights.size(-1)).to(weights).expand_as(weights)

    edits = {
        "fine": {},
        "forgets": {f"{layer}.self_attn": itself for layer in layers},
        "even": {
            f"{layer}.cross_attn": lambda weights: torch.full_like(weights, 1 / weights.size(-1))
            for layer in layers
        },
        "number": {"decoder.layers.1.cross_attn": ablate_head(0)},
    }
    with patch_attention(model, edits[kind]):
        return " ".join(spanish(english))


four_writers = Verdicts(
    "four_writers",
    'Exercise 3: which of the four writers has which fault, {"A": kind, ...}.',
    WRITERS,
    tuple(MEASURE),
    lambda name, said: f"{name} isn't “{said}”. {MEASURE[said]}",
)


# --- what each position needs ---------------------------------------------------------------------


def a_word(guess: Any) -> str:
    words = (*"I like trees".split(), "<eos>")
    expect(guess in words, f"Give words of {', '.join(words)}, not {guess!r}.")
    return guess


needed = Values(
    "needed",
    "Exercise 4: the English word without which it writes gusta, and the one for the end.",
    Value(
        "For the number",
        read=a_word,
        right="trees",
        slips={
            "like": "Without it no verb is written at all: the position writes me a second time.",
            "I": "Without it the verb stays as it is. What becomes of me?",
            "<eos>": "Without it the verb stays as it is.",
        },
    ),
    Value(
        "For the end",
        read=a_word,
        right="<eos>",
        slips={
            "trees": "Without it the sentence ends as it should, and earlier positions go wrong.",
            "like": "Without it the last position still writes <eos>.",
            "I": "Without it the last position still writes <eos>.",
        },
    ),
)


# --- assignment 4: the decoder layer ------------------------------------------------------------


def layer_inputs() -> tuple[Any, ...]:
    layer = seeded(lambda: DecoderLayer(D_MODEL, 13, 2, dropout=0.0))
    x, memory = drawn(B, T, D_MODEL, seed=0), drawn(B, S, D_MODEL, seed=1)
    residuals = (layer.residual_self_attn, layer.residual_cross_attn, layer.residual_feed_forward)
    norms = [one.norm for one in residuals]
    return x, memory, causal_mask(T), layer.self_attn, layer.cross_attn, layer.feed_forward, norms


def by_place(
    self_attn: nn.Module, cross_attn: nn.Module, feed_forward: nn.Module, norms: Sequence[nn.Module]
) -> tuple[Any, ...]:
    """Its parts as functions. A mask may come by its position, as older copies ask for it."""

    def attend(attention: nn.Module) -> Callable[..., Tensor]:
        return lambda query, key, value, mask=None: attention(query, key, value, mask=mask)

    return attend(self_attn), attend(cross_attn), plain(feed_forward), [*map(plain, norms)]


def plain_inputs() -> tuple[Any, ...]:
    x, memory, mask, *parts = layer_inputs()
    return x, memory, mask, *by_place(*parts)


def layer(
    own_mask: Callable[[Tensor], Tensor | None] = lambda mask: mask,
    look: str = "ymm",
    masked: bool = False,
    by_self_attn: bool = False,
    **change: Any,
) -> Callable[..., Tensor]:
    """A decoder layer with another mask, another cross-attention, or `run` with a change.

    look: whose vectors are queries, keys and values in the cross-attention: x as it came in, y,
        which the first sub-layer made of it, or the memory, m.
    """

    def changed(
        x: Tensor, memory: Tensor, mask: Tensor, own: Any, cross: Any, network: Any, norms: Any
    ) -> Tensor:
        def look_at_memory(y: Tensor) -> Tensor:
            attend, whose = own if by_self_attn else cross, {"x": x, "y": y, "m": memory}
            return attend(*(whose[one] for one in look), mask=mask if masked else None)

        parts = lambda y: own(y, y, y, mask=own_mask(mask)), look_at_memory, network
        return run(x, parts, norms, **change)

    return changed


def adding(older: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """A layer that adds something older to the last two sub-layers: of x and y, as in `layer`."""

    def changed(
        x: Tensor, memory: Tensor, mask: Tensor, own: Any, cross: Any, network: Any, norms: Any
    ) -> Tensor:
        y = norms[0](x + own(x, x, x, mask=mask))
        again = older(x, y)
        return norms[2](again + network(norms[1](again + cross(y, memory, memory))))

    return changed


NO_LOOK = "Your cross-attention never looks at the memory."
CROSS_FIRST = "Your cross-attention comes first. The self-attention does."
NETWORK_EARLY = "Your feed-forward network comes before the cross-attention. It comes last."
SWAPPED = (
    "Query and memory have changed places: what comes out is as long as the source. The query, "
    "which comes first, is the decoder's; key and value are the memory."
)
MASKED = (
    "The mask doesn't fit: it is for target words that attend to target words, in the "
    "self-attention. The memory may be seen whole."
)
CALLED_MASK = "In an attention the mask is called `mask`: self_attn(query, key, value, mask=…)."
UNEQUAL = "There are more keys than values, or fewer. Both come from the memory."


def layer_exercise(name: str, about: str, inputs: Callable[[], tuple[Any, ...]]) -> Exercise:
    """A decoder layer, of the parts that `inputs` hands over."""
    return Exercise(
        name,
        about,
        inputs=inputs,
        right=[layer()],
        not_allowed=("DecoderLayer",),
        errors={
            "at non-singleton dimension 1": SWAPPED,
            "at non-singleton dimension 3": MASKED,
            "unexpected keyword argument": CALLED_MASK,
            "batch2 tensor": UNEQUAL,
        },
        slips={
            "The causal mask is missing: each word sees the words to come.": [
                layer(own_mask=lambda mask: None)
            ],
            "The mask covers the wrong side: each word sees itself and the future.": [
                layer(own_mask=lambda mask: mask.mT)
            ],
            "The mask is turned around: each word sees only the future. True means: may be seen.": [
                layer(own_mask=lambda mask: ~mask)
            ],
            NO_LOOK: [
                layer(look="yyy"),
                layer(look="yyy", masked=True),
            ],
            "The queries of the cross-attention are x as it came in. They should be what the first "
            "sub-layer made of it.": [layer(look="xmm")],
            "You used self_attn twice. The memory has an attention of its own, cross_attn.": [
                layer(by_self_attn=True)
            ],
            CROSS_FIRST: [
                layer(order=(1, 0, 2)),
                layer(order=(1, 0, 2), normed_by=(0, 1, 2)),
            ],
            NETWORK_EARLY: [
                layer(order=(0, 2, 1)),
                layer(order=(0, 2, 1), normed_by=(0, 1, 2)),
            ],
            "The cross-attention is missing.": [layer(order=(0, 2))],
            "The self-attention is missing.": [layer(order=(1, 2))],
            "The feed-forward network is missing.": [layer(order=(0, 1))],
            "The residual connections are missing: a sub-layer's output is added to its input.": [
                layer(steps=[no_sum] * 3)
            ],
            "The residual connection around the self-attention is missing.": [
                layer(steps=(no_sum, post, post))
            ],
            "The residual connection around the cross-attention is missing.": [
                layer(steps=(post, no_sum, post))
            ],
            "The residual connection around the feed-forward network is missing.": [
                layer(steps=(post, post, no_sum))
            ],
            "You used norms[0] three times; each sub-layer has its own.": [
                layer(normed_by=(0, 0, 0))
            ],
            "The feed-forward network's output is added to an older x. Add it to what went into "
            "it.": [adding(lambda x, y: y)],
            "You add x as it came in each time. Add what went into this sub-layer.": [
                adding(lambda x, y: x)
            ],
            "That is pre-norm. Here the norm comes after the sum.": [layer(steps=[pre] * 3)],
            "The norms are missing.": [layer(normed_by=[None] * 3)],
            "The first norm is missing: norms[0] normalizes the first sum.": [
                layer(normed_by=(None, 1, 2))
            ],
            "The second norm is missing: norms[1] normalizes the second sum.": [
                layer(normed_by=(0, None, 2))
            ],
            "The third norm is missing: norms[2] normalizes the third sum.": [
                layer(normed_by=(0, 1, None))
            ],
            "The sum comes after the norm, so nothing normalizes it. First add, then the norm.": [
                layer(steps=[norm_before_sum] * 3)
            ],
            "The sub-layers don't have the norms that are meant for them: norms[0] is for the "
            "first, norms[1] for the second, norms[2] for the third.": [
                layer(normed_by=norms)
                for norms in itertools.product(range(3), repeat=3)
                if norms not in ((0, 1, 2), (0, 0, 0))
            ],
            SWAPPED: [layer(look="myy")],
            MASKED: [layer(masked=True)],
            CALLED_MASK: [lambda x, memory, mask, own, *_: own(x, x, x, tgt_mask=mask)],
            UNEQUAL: [
                layer(look="ymy"),
            ],
        },
    )


decoder_layer = layer_exercise(
    "decoder_layer",
    "One's own Transformer: (x, memory, mask, self_attn, cross_attn, feed_forward, norms).",
    layer_inputs,
)
three_sublayers = layer_exercise(
    "three_sublayers", "Assignment 4: the same with plain functions.", plain_inputs
)


# --- the generator --------------------------------------------------------------------------------


def written(
    read: Callable[[Tensor], Tensor] = lambda x: x[:, -1],
    say: Callable[[Tensor], Tensor] = lambda logits: logits.log_softmax(-1),
) -> Callable[[Tensor, Tensor], Tensor]:
    """The logits of what is read of x, and something made of them."""
    return lambda x, w: say(read(x) @ w.T)


def all_of(x: Tensor) -> Tensor:
    return x


TURN = "weight has a row for each word: turn it around, weight.T, for the product."
next_word = Exercise(
    "next_word",
    "Exercise 5: x (b, t, d_model), weight (vocab_size, d_model) -> log-probs (b, vocab_size).",
    inputs=lambda: (drawn(B, T, D_MODEL, seed=4), drawn(VOCAB, D_MODEL, seed=5) / 2),
    right=[written()],
    errors={f"x{D_MODEL} and {VOCAB}x{D_MODEL})": TURN},
    mistakes={  # more than one step is missing
        "Your softmax runs over the positions, and all of them are there. Take the last position, "
        "and the words, dim=-1.": [written(all_of, lambda logits: logits.log_softmax(1))],
        "Those are the logits of all positions.": [written(all_of, all_of)],
        "The logarithm of the logits isn't a log-probability: softmax first.": [
            written(say=lambda logits: logits.abs().log())
        ],
        "That is the word itself. Here we want all log-probabilities.": [
            written(say=lambda logits: logits.argmax(-1))
        ],
        "That is an argmax, and over the batch. We want log-probabilities.": [
            written(say=lambda logits: logits.argmax(0))
        ],
    },
    slips={
        "These are all positions. The next word is predicted at the last one.": [written(all_of)],
        "Your softmax runs over the positions. It should run over the words of the vocabulary, "
        "dim=-1.": [written(all_of, lambda logits: logits.log_softmax(1)[:, -1])],
        "Your softmax runs over the batch: two sentences share their probabilities. Take the "
        "words, dim=-1.": [written(say=lambda logits: logits.log_softmax(0))],
        "Those are logits. The log softmax is missing.": [written(say=all_of)],
        "Those are probabilities; the logarithm is missing.": [
            written(say=lambda logits: logits.softmax(-1))
        ],
        "That is the logarithm to base 2. Here it is the natural one.": [
            written(say=lambda logits: logits.softmax(-1).log2())
        ],
        "That is the first position, where <bos> was read. Take the last one.": [
            written(lambda x: x[:, 0])
        ],
        "You took the last sentence of the batch. Take the last position of each: x[:, -1].": [
            written(lambda x: x[-1])
        ],
        "You average all positions. The last one alone predicts the next word.": [
            written(lambda x: x.mean(1))
        ],
        "You add up all positions. The last one alone predicts the next word.": [
            written(lambda x: x.sum(1))
        ],
        "The sentences should be the rows: (b, vocab_size).": [
            written(say=lambda logits: logits.log_softmax(-1).mT)
        ],
        TURN: [lambda x, w: (x[:, -1] @ w).log_softmax(-1)],
    },
)


# --- all positions at once ------------------------------------------------------------------------


def model_and_words() -> tuple[Transformer, Tensor, Tensor]:
    config = ModelConfig(N=1, d_model=D_MODEL, d_ff=13, h=2, dropout=0.0)
    model = seeded(lambda: Transformer(VOCAB, VOCAB, config))
    return model, torch.tensor([[5, 8, EOS], [7, 4, EOS]]), torch.tensor([[6, 9, 4], [10, 5, 6]])


def reads(*parts: int | None) -> Callable[..., Tensor]:
    """The model after reading these: None for the words, or special ids."""

    def attempt(model: Transformer, src: Tensor, words: Tensor) -> Tensor:
        columns = [words if i is None else torch.full_like(words[:, :1], i) for i in parts]
        return model(src, torch.cat(columns, dim=1))

    return attempt


forced = reads(BOS, None)
PADDED = "It begins with <pad>. It should be <bos>."


def runs_once(function: Callable[..., Tensor]) -> None:
    model, src, words = model_and_words()
    calls: list[Any] = []
    model.decoder.register_forward_hook(lambda *_: calls.append(1))
    call(function, model, src, words)
    no_slip(len(calls) == 1, f"Right, but the decoder runs {len(calls)} times. Once is enough.")


all_at_once = Exercise(
    "all_at_once",
    "Exercise 6: (model, src, words) -> (b, t + 1, vocab_size), logits of each word and <eos>.",
    inputs=model_and_words,
    right=[forced],
    errors={"<pad> before a word": PADDED},
    slips={
        "<bos> is missing: there is nothing that could predict the first word.": [reads(None)],
        "The decoder reads the right answers, tgt_out. It should read them one position later, "
        "with <bos> before them: tgt_in.": [reads(None, EOS)],
        "<eos> is something to write, not to read: after it comes nothing more.": [
            reads(BOS, None, EOS)
        ],
        "One position is lost: <bos> predicts the first word.": [lambda *a: forced(*a)[:, 1:]],
        "One position is lost: the last word predicts <eos>.": [lambda *a: forced(*a)[:, :-1]],
        "<bos> is at the end. It belongs at the beginning.": [reads(None, BOS)],
        "It begins with <eos>. It should be <bos>.": [reads(EOS, None)],
        PADDED: [reads(PAD, None)],
        "That is the last position alone. Give all of them back.": [lambda *a: forced(*a)[:, -1]],
        "Source and target have changed places: the decoder reads words, with <bos> in front.": [
            lambda model, src, words: forced(model, words, src)
        ],
        "Source and target have changed places: model(src, tgt_in).": [
            lambda model, src, words: forced(lambda one, other: model(other, one), src, words)
        ],
        "Those are probabilities. We want the logits.": [lambda *a: forced(*a).softmax(-1)],
        "Those are log-probabilities. We want the logits.": [lambda *a: forced(*a).log_softmax(-1)],
        "Those are the decoder's vectors. The generator is missing; model(…) uses it.": [
            lambda model, src, words: forced(
                lambda src, tgt: model.decode(tgt, model.encode(src), src), src, words
            )
        ],
    },
    then=runs_once,
)


# --- one planted fault ---------------------------------------------------------------------------

FAULTS = {
    "future": "Change a later word of x: do the outputs before it move?",
    "deaf": "Change the first word of the memory: does any output move?",
    "padding": "Change the memory at its last two positions, the padding: does any output move?",
    "shared": "Compare the weights: is `cross_attn.w_k.weight` of one layer equal to another's?",
}
FAULTY_LAYER = 2


def suspect() -> Decoder:
    """A decoder with random weights that runs without an error, and one thing in it is wrong."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(12)
        decoder = Decoder(4, 32, 64, 4, dropout=0.0).eval()
    layer = decoder.layers[FAULTY_LAYER]

    def forward(x: Tensor, memory: Tensor, *, src_mask: Any = None, **more: Any) -> Tensor:
        return DecoderLayer.forward(layer, x, memory, **more)

    layer.forward = forward
    return decoder


@exercise
def planted_fault(layer: Any, fault: Any) -> None:
    """Exercise 1: (number of the layer, one of FAULTS)."""
    fault_in_a_stack(
        (layer, fault),
        (FAULTY_LAYER, "padding"),
        4,
        FAULTS,
        "Call each of `suspect.layers` by itself, twice.",
    )
