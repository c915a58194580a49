"""The exercises of notebook 09: putting a Transformer together, finding faults, counting."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch09_whole_transformer.experiments import FAULT_OF, FAULTS
from course.checks import (
    Hint,
    Value,
    Values,
    call,
    compare,
    exercise,
    expect,
    no_slip,
    same,
    whole_number,
)
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer, make_model
from transformer_lib.text.tokens import BOS, EOS, PAD

# --- the machine with a fault --------------------------------------------------------------------

SPEAKS_AGAINST = {
    "no source positions": "Exchange two words of the source: the logits move. Without positions "
    "they wouldn't.",
    "no causal mask": "Change the last word of the target: the logits of the places before it stay "
    "as they are. So nobody looks ahead.",
    "padding is seen": "Put <pad> at the end of the source: the logits stay as they are.",
    "two layers are one": "Then an encoder's or a decoder's layer would be missing in the count of "
    "parameters. Count with the pencil of section 8.",
    "one table too many": "Then there would be 50 · 16 parameters more than the pencil counts with "
    "one table.",
}


@exercise
def fault(number: Any, name: Any) -> None:
    """Exercise 1: what is wrong with machine 0 (or 1 to 4)."""
    number = whole_number(number)
    expect(0 <= number < len(FAULTS), f"There are the machines 0 to {len(FAULTS) - 1}.")
    expect(name in FAULTS, f"Give one of {', '.join(map(repr, FAULTS))}.")
    no_slip(name == FAULT_OF[number], f"It isn't '{name}'. {SPEAKS_AGAINST[name]}")


# --- 2. how the number grows ---------------------------------------------------------------------


ATTENTION, FEED_FORWARD, NORM = 4 * 512 * 512, 2 * 512 * 2048 + 2048 + 512, 2 * 512
LAYER = 3 * ATTENTION + 2 * FEED_FORWARD + 5 * NORM  # of the encoder and of the decoder
WHOLE, THOUSAND = 63_045_632, 1000 * 512
BY_HOW_MUCH = "That is the whole model. By how much does it grow?"
ONE_MATRIX = "It is one matrix, used in three places. It is counted once."
NOT_MORE = "More heads are not more numbers: each has matrices of 512 × 32 instead of 512 × 64."
growth = Values(
    "growth",
    "Exercise 2: what the base model grows by, with one matrix for all words.",
    Value(
        "One layer more",
        read=whole_number,
        right=LAYER,
        slips={
            ATTENTION + FEED_FORWARD + 2 * NORM: "That is the encoder's layer. The decoder gets "
            "one too.",
            2 * ATTENTION + FEED_FORWARD + 3 * NORM: "That is the decoder's layer. The encoder "
            "gets one too.",
            2 * (ATTENTION + FEED_FORWARD + 2 * NORM): "The decoder's layer has two attentions and "
            "three norms.",
            LAYER - ATTENTION: "A decoder layer has two attentions.",
            LAYER - 5 * NORM: "5120 are missing: the five norms, or the biases of the two "
            "feed-forward networks. (Both are as many.)",
            LAYER - 10 * NORM: "The five norms are missing, and the biases of the feed-forward "
            "networks.",
            LAYER + WHOLE: BY_HOW_MUCH,
        },
    ),
    Value(
        "A thousand words more",
        read=whole_number,
        right=THOUSAND,
        slips={
            3 * THOUSAND: ONE_MATRIX,
            2 * THOUSAND: ONE_MATRIX,
            1000: "Each word has a vector.",
            THOUSAND + WHOLE: BY_HOW_MUCH,
        },
    ),
    Value(
        "Twice the heads",
        read=whole_number,
        right=0,
        slips={6 * 3 * ATTENTION: NOT_MORE},
        otherwise=NOT_MORE,
    ),
)


# --- 3. a machine of one's own --------------------------------------------------------------------

DESIGN_WORDS, DESIGN_MOST, DESIGN_HEADS = 8_000, 10_000_000, 8


@exercise
def design(N: Any, d_model: Any, d_ff: Any) -> None:
    """Exercise 3: sizes that use 99 to 100 % of ten million parameters, many of them right."""
    N, d_model, d_ff = map(whole_number, (N, d_model, d_ff))
    expect(3 <= N, "At least three layers on each side.")
    expect(
        0 < d_model and d_model % DESIGN_HEADS == 0,
        "d_model has to be a multiple of 8: each of the eight heads gets as many numbers.",
    )
    expect(2 * d_model <= d_ff, "d_ff has to be at least twice d_model.")
    attention, network, norm = 4 * d_model**2, 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    words = DESIGN_WORDS * d_model
    used = words + N * (3 * attention + 2 * network + 5 * norm)
    told = f"That takes {used:,} parameters, {words:,} of them for the words."
    expect(used <= DESIGN_MOST, f"{told} It is too many.")
    expect(used >= 0.99 * DESIGN_MOST, f"{told} There is room for more.")


# --- putting it together -------------------------------------------------------------------------


def assembly_inputs(
    length: int = 5, tie_weights: str = "none"
) -> tuple[Transformer, Tensor, Tensor]:
    """A small model, source ids (2, length) and target ids (2, 6), from <bos> to <eos>."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        sizes = {"N": 2, "d_model": 6, "d_ff": 7, "h": 2, "dropout": 0.0}
        model = make_model(11, 11, **sizes, tie_weights=tie_weights).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.normal_()
    src = torch.tensor(
        [[5, 6, 7, 8, 9, 10, EOS][:length], [8, 7, EOS, PAD, PAD, PAD, PAD][:length]]
    )
    tgt = torch.tensor([[BOS, 4, 10, 5, 9, EOS], [BOS, 8, 4, EOS, PAD, PAD]])
    return model, src, tgt


def assembled(model: Transformer, src: Tensor, tgt_in: Tensor, **changed: Any) -> Tensor:
    """The right way from ids to logits, but for what is `changed`."""
    seen = padding_mask(src)
    past = padding_mask(tgt_in) & causal_mask(tgt_in.size(1))
    read = changed.get("read", model.src_positions(model.src_embed(src)))
    memory = model.encoder(read, src_mask=changed.get("encoder_mask", seen))
    written = changed.get("written", model.tgt_positions(model.tgt_embed(tgt_in)))
    decoded = model.decoder(
        written,
        changed.get("memory", memory),
        tgt_mask=changed.get("tgt_mask", past),
        src_mask=changed.get("src_mask", seen),
    )
    return model.generator(decoded)


def ids_of_both() -> tuple[Transformer, Tensor, Tensor]:
    model, src, tgt = assembly_inputs()
    return model, src, tgt[:, :-1]


def judge_transformer(function: Any, tie_weights: str) -> None:
    """A Hint if (model, src, tgt_in) -> logits isn't what a model with so tied weights does."""
    model, src, tgt = assembly_inputs(tie_weights=tie_weights)
    tgt_in = tgt[:, :-1]
    stops = {
        "forward() missing": "One of the parts didn't get all it needs. The decoder needs the "
        "memory too.",
        "argument 'size'": "causal_mask takes the number of words, not the ids: "
        "causal_mask(tgt_in.size(1)).",
        "tensor b (6) at non-singleton dimension 1": "The positions got ids. They are added to "
        "vectors, so first look these up in the table: src_embed, tgt_embed.",
        "Boolean value of Tensor": "Two masks are joined by `&`, not by `and`.",
    }

    def attempt(src: Tensor) -> Tensor:
        tried = (lambda *ids: function(model, *ids)) if callable(function) else function
        return call(tried, src, tgt_in, stops=stops)

    found = attempt(src)
    with torch.no_grad():
        right = model(src, tgt_in)
        mistakes = mistakes_of(model, src, tgt_in)
        compare(
            *judged(tgt, found, right),
            [(judged(tgt, wrong, right)[0], hint) for wrong, hint in mistakes],
        )
        longer = assembly_inputs(length=7)[1]
        try:
            found = attempt(longer)
        except Hint as hint:
            raise Hint(f"Right while both sides are of one length. {hint}") from None
        fits = same(*judged(tgt, found, model(longer, tgt_in)))
        no_slip(fits, "Right while both sides are of one length, and wrong if they aren't.")


def judged(tgt: Tensor, found: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """What counts: the outputs from which a word is read, not those above padding."""
    if found.shape != right.shape:
        return found, right
    real = tgt[:, 1:] != PAD
    return found[real], right[real]


def mistakes_of(model: Transformer, src: Tensor, tgt_in: Tensor) -> Sequence[tuple[Tensor, str]]:
    """What comes out after one mistake, and the hint for it; both sides are of one length."""
    seen, written_words = padding_mask(src), padding_mask(tgt_in)
    past = written_words & causal_mask(tgt_in.size(1))
    bare, read = model.src_embed(src), model.src_positions(model.src_embed(src))
    bare_tgt, written = model.tgt_embed(tgt_in), model.tgt_positions(model.tgt_embed(tgt_in))
    memory = model.encoder(read, src_mask=seen)
    right = model(src, tgt_in)
    no_positions = "Without positions a sentence is a bag of words:"
    twice, twice_tgt = bare + read, bare_tgt + written
    added_twice = (
        "The embeddings are added twice: src_positions(x) and tgt_positions(x) return x with its "
        "positions already added. That happens on"
    )

    def but(**changed: Any) -> Tensor:
        return assembled(model, src, tgt_in, **changed)

    return [
        (
            but(memory=read),
            "The decoder got the source's embeddings. It should get the memory: "
            "what comes out of the encoder.",
        ),
        (but(memory=written), "The decoder reads its own words in place of the memory."),
        (
            but(memory=model.encoder(memory, src_mask=seen)),
            "The source goes through the encoder twice.",
        ),
        (
            model.generator(memory),
            "The generator reads the memory. It should read what comes out of the decoder.",
        ),
        (
            model.generator(model.decoder(memory, written, tgt_mask=past, src_mask=seen)),
            "The decoder's two inputs have changed places: first its own words, then the memory.",
        ),
        (
            but(tgt_mask=seen, src_mask=past),
            "The masks have changed places: tgt_mask is for the "
            "decoder's own words, src_mask for the memory.",
        ),
        (but(tgt_mask=seen), "The decoder's own words got the source's mask."),
        *[
            (but(src_mask=mask), "The memory got the target's mask. Its padding is the source's.")
            for mask in (past, written_words)
        ],
        (
            but(encoder_mask=written_words),
            "The encoder got the target's mask. It reads the source, and needs its mask.",
        ),
        (
            but(encoder_mask=written_words, src_mask=written_words),
            "src_mask is the target's, for encoder and memory. It is made from src.",
        ),
        (
            but(tgt_mask=written_words),
            "The decoder sees the words that it should predict: the causal mask is missing.",
        ),
        (
            but(tgt_mask=None),
            "The decoder sees the words that it should predict: the causal mask is missing.",
        ),
        (
            but(encoder_mask=None, src_mask=None),
            "The source's padding is read as if it were words, by encoder and decoder.",
        ),
        (but(encoder_mask=None), "The encoder reads padding as if it were words."),
        (but(src_mask=None), "The decoder attends to the source's padding: give it src_mask."),
        (
            but(encoder_mask=seen & causal_mask(src.size(1))),
            "The encoder got a causal mask. It may look at the whole source.",
        ),
        (but(read=twice, written=twice_tgt), f"{added_twice} both sides."),
        (but(read=twice), f"{added_twice} the source's side."),
        (but(written=twice_tgt), f"{added_twice} the target's side."),
        (but(read=bare, written=bare_tgt), f"{no_positions} add them on both sides."),
        (but(read=bare), f"{no_positions} the source has none."),
        (but(written=bare_tgt), f"{no_positions} the target has none."),
        (
            but(read=model.src_positions(model.tgt_embed(src))),
            "The source is read with the target's table.",
        ),
        (
            but(written=model.tgt_positions(model.src_embed(tgt_in))),
            "The target is read with the source's table.",
        ),
        (right.softmax(-1), "These are probabilities. Give back the logits, without the softmax."),
        (right.log_softmax(-1), "These are log-probabilities. Give back the logits themselves."),
        (
            model.decoder(written, memory, tgt_mask=past, src_mask=seen),
            "That is the decoder's output. The generator makes logits of it.",
        ),
        (right.argmax(-1), "These are words. Give back the logits."),
    ]


# --- 4. who hears whom ---------------------------------------------------------------------------


EIGHT_BACK = "A window reaches 8 words back, so news goes 8 places in a layer."
reach = Values(
    "reach",
    "Exercise 4: rounds until the last of 100 words has heard of the first. The window of the "
    "convolution takes in 9 words: the word itself and the 8 before it.",
    Value(
        "Attention",
        read=whole_number,
        right=1,
        slips={
            0: "A word hears nothing before the first round.",
            2: "In attention each word reads all others at once: it takes no second round.",
            100: "In attention each word reads all others at once.",
        },
        otherwise="not yet. How many other words does a word read in one round?",
    ),
    Value(
        "Recurrent",
        read=whole_number,
        right=100,
        slips={
            99: "The first word must first be read: that is a round too.",
            1: "In a recurrent network the news goes from neighbor to neighbor.",
        },
        otherwise="not yet. How many words does it read in one round, and how many are there?",
    ),
    Value(
        "Convolution",
        read=whole_number,
        right=13,
        slips={
            11: "A window of 9 words begins 8 words before its own: news goes 8 places in a layer.",
            12: "After 12 layers news has gone 12 × 8 = 96 places. The last word is 99 away.",
            25: "The window doesn't reach to both sides. It begins 8 words before its own word.",
            100: EIGHT_BACK,
            99: EIGHT_BACK,
            3: "That would be with gaps.",
        },
        otherwise="not yet. How many places does news go in one layer, and how far away is word "
        "100?",
    ),
)
