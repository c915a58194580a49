"""The exercises of notebook 09: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch09_whole_transformer import checks as check
from course.chapters.ch09_whole_transformer.experiments import on_paper
from course.checks import Hint, graded, implement
from tests.course.checks.saying import refused, said
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import count_parameters


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.growth, (1, ..., 2)),
        (check.design, (3, ..., 512)),
        (check.my_transformer, (lambda model, src, tgt_in: ...,)),
        (check.my_transformer, (...,)),
        (check.reach, (..., ..., ...)),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, *attempt) == "not tried yet"


@implement(check.ids_of_both)
def transformer(function):
    """The check that notebook 09 shares with the course from scratch."""
    check.judge_transformer(function, tie_weights="none")


@pytest.mark.parametrize("checked", [transformer, check.my_transformer])
def test_what_is_no_solution_at_all(capsys, checked):
    assert refused(said(capsys, checked, 7), "the function itself")
    assert refused(said(capsys, checked, lambda *_: None), "`return`")
    assert refused(said(capsys, checked, lambda *_: 1 / 0), "ZeroDivisionError")
    assert refused(said(capsys, checked, lambda *_: "12"), "str")


# --- the machine with a fault ---


def test_each_wrong_fault_is_told_what_speaks_against_it(capsys):
    assert said(capsys, check.fault, 0, "padding is seen") == "right!"
    assert said(capsys, check.fault, 2, "no positions") == "right!"
    for wrong, hint in check.SPEAKS_AGAINST.items():
        if wrong != "padding is seen":
            assert refused(said(capsys, check.fault, 0, wrong), hint)
    assert refused(said(capsys, check.fault, 0, "no norms"), "Give one of")
    assert refused(said(capsys, check.fault, 7, "no positions"), "machines 0 to 4")
    assert said(capsys, check.fault, 0, ...) == "not tried yet"


# --- 2. how the number grows ---

LAYER, WORDS, HEADS = 7_350_272, 512_000, 0


def test_growth(capsys):
    assert said(capsys, check.growth, LAYER, WORDS, HEADS) == "right!"


@pytest.mark.parametrize(
    ("place", "wrong", "hint"),
    [
        (0, 3_150_336, "the encoder's layer"),
        (0, 4_199_936, "the decoder's layer"),
        (0, 2 * 3_150_336, "two attentions and three norms"),
        (0, LAYER - 4 * 512 * 512, "two attentions"),
        (0, LAYER - 5 * 1024, "five norms"),
        (0, LAYER - 5 * 1024 - 2 * 2560, "and the biases"),
        (0, LAYER + 63_045_632, "By how much"),
        (0, 12, "not yet"),
        (1, 3 * WORDS, "counted once"),
        (1, 1000, "Each word has a vector"),
        (1, WORDS + 63_045_632, "By how much"),
        (2, 18_874_368, "More heads are not more numbers"),
        (0, "many", "whole number"),
    ],
)
def test_wrong_growth(capsys, place, wrong, hint):
    attempt = [LAYER, WORDS, HEADS]
    attempt[place] = wrong
    assert refused(said(capsys, check.growth, *attempt), hint)


# --- 3. a design ---


@pytest.mark.parametrize("sizes", [(3, 320, 776), (4, 256, 1140), (6, 232, 741)])
def test_designs_of_ten_million(capsys, sizes):
    with_one_table = on_paper(
        8000, 8000, tie_weights="all", h=8, N=sizes[0], d_model=sizes[1], d_ff=sizes[2]
    )
    fits = 9_900_000 <= count_parameters(with_one_table) <= 10_000_000
    assert (said(capsys, check.design, *sizes) == "right!") == fits
    told = said(capsys, check.design, *sizes)
    assert fits or f"{count_parameters(with_one_table):,}" in told


@pytest.mark.parametrize(
    ("sizes", "hint"),
    [
        ((2, 320, 1000), "three layers"),
        ((3, 321, 1000), "multiple of 8"),
        ((3, 512, 600), "twice d_model"),
        ((6, 512, 2048), "too many"),
        ((3, 64, 128), "room for more"),
    ],
)
def test_designs_that_do_not_fit(capsys, sizes, hint):
    assert refused(said(capsys, check.design, *sizes), hint)


# --- putting it together ---


def test_the_parts_put_together(capsys):
    def mine(model, src, tgt_in):
        seen = padding_mask(src)
        memory = model.encoder(model.src_positions(model.src_embed(src)), src_mask=seen)
        decoded = model.decoder(
            model.tgt_positions(model.tgt_embed(tgt_in)),
            memory,
            tgt_mask=causal_mask(tgt_in.size(1)),  # enough: the padding is on the right
            src_mask=seen,
        )
        return model.generator(decoded)

    assert said(capsys, transformer, mine) == "right!"
    assert said(capsys, transformer, lambda m, src, tgt_in: m(src, tgt_in)) == "right!"


def test_the_core_exercise(capsys):
    def forgets(model, src, tgt_in):
        return model.generator(
            model.decoder(
                model.tgt_positions(model.tgt_embed(tgt_in)),
                model.encoder(model.src_embed(src), src_mask=padding_mask(src)),
                tgt_mask=padding_mask(tgt_in) & causal_mask(tgt_in.size(1)),
                src_mask=padding_mask(src),
            )
        )

    def borrowed(model, src, tgt_in):
        return model(src, tgt_in)

    def by_halves(model, src, tgt_in):
        return model.generator(model.decode(tgt_in, model.encode(src), src))

    def by_hand(model, src, tgt_in):
        seen = padding_mask(src)
        memory = model.encoder(model.src_positions(model.src_embed(src)), src_mask=seen)
        written = model.tgt_positions(model.tgt_embed(tgt_in))
        mask = padding_mask(tgt_in) & causal_mask(tgt_in.size(1))
        return model.generator(model.decoder(written, memory, tgt_mask=mask, src_mask=seen))

    assert said(capsys, check.my_transformer, by_hand) == "right!"
    assert refused(said(capsys, check.my_transformer, forgets), "the source has none")
    for function, part in (
        (borrowed, "`Transformer` does the whole"),
        (by_halves, "`Transformer."),
    ):
        assert refused(said(capsys, check.my_transformer, function), part)
    assert "decode` does a part of" in said(capsys, check.my_transformer, by_halves) or (
        "encode` does a part of" in said(capsys, check.my_transformer, by_halves)
    )


def test_each_mistake_in_the_assembly_gets_its_hint(capsys):
    """The check's own list, tried one by one; no two mistakes may look alike."""
    inputs = check.ids_of_both()
    mistakes = check.mistakes_of(*inputs)
    assert len(mistakes) >= 20
    for number, (_, hint) in enumerate(mistakes):
        answer = said(
            capsys,
            transformer,
            lambda *given, number=number: check.mistakes_of(*given)[number][0],
        )
        assert refused(answer, hint), (number, hint, answer)


def masks(src, tgt_in):
    return padding_mask(src), padding_mask(tgt_in) & causal_mask(tgt_in.size(1))


def of_memory(model, src, tgt_in):
    return model.generator(model.encode(src))


def without_memory(model, src, tgt_in):
    seen, past = masks(src, tgt_in)
    return model.generator(model.decoder(model.tgt_embed(tgt_in), tgt_mask=past, src_mask=seen))


def swapped(model, src, tgt_in):
    seen, past = masks(src, tgt_in)
    x = model.tgt_positions(model.tgt_embed(tgt_in))
    return model.generator(model.decoder(x, model.encode(src), tgt_mask=seen, src_mask=past))


def mask_of_ids(model, src, tgt_in):
    return model.decode(tgt_in, model.encode(src), causal_mask(tgt_in))


def as_long_as_the_source(model, src, tgt_in):
    """The mask of the target as long as the source."""
    x = model.tgt_positions(model.tgt_embed(tgt_in))
    past, seen = causal_mask(src.size(1)), padding_mask(src)
    return model.generator(model.decoder(x, model.encode(src), tgt_mask=past, src_mask=seen))


def of_the_target(model, src, tgt_in):
    """The memory's mask is made from the target."""
    x = model.tgt_positions(model.tgt_embed(tgt_in))
    seen, past = padding_mask(tgt_in), causal_mask(tgt_in.size(1))
    return model.generator(model.decoder(x, model.encode(src), tgt_mask=past, src_mask=seen))


def added_twice(model, src, tgt_in):
    """As if src_positions(x) were the positions alone."""
    seen, past = masks(src, tgt_in)
    bare = model.src_embed(src)
    memory = model.encoder(bare + model.src_positions(bare), src_mask=seen)
    x = model.tgt_positions(model.tgt_embed(tgt_in))
    return model.generator(model.decoder(x, memory, tgt_mask=past, src_mask=seen))


def positions_of_ids(model, src, tgt_in):
    return model.encoder(model.src_embed(src) + model.src_positions(src))


def joined_by_and(model, src, tgt_in):
    return padding_mask(tgt_in) and causal_mask(tgt_in.size(1))


def too_short(model, src, tgt_in):
    raise ValueError("too short.")


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (of_memory, "The generator reads the memory"),
        (without_memory, "The decoder needs the memory too"),
        (mask_of_ids, "causal_mask takes the number of words"),
        (swapped, "The masks have changed places"),
        (as_long_as_the_source, "Right while both sides are of one length"),
        (of_the_target, "The memory got the target's mask"),
        (added_twice, "return x with its positions already added. That happens on the source's"),
        (positions_of_ids, "The positions got ids"),
        (joined_by_and, "joined by `&`, not by `and`"),
        # the shapes are those that the function got, and its period is the only one
        (too_short, "Called with (2, 5), (2, 5), it stops with ValueError: too short."),
        (lambda model, src, tgt_in: 0 * model(src, tgt_in), "the numbers aren't"),
        (lambda model, src, tgt_in: torch.zeros(3), "The shape is (3,)"),
    ],
)
def test_wrong_assemblies_as_somebody_would_write_them(capsys, wrong, hint):
    answer = said(capsys, transformer, wrong)
    assert refused(answer, hint) and ".." not in answer


# --- 4. who hears whom ---


def test_reach(capsys):
    assert said(capsys, check.reach, 1, 100, 13) == "right!"


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ((100, 100, 13), "reads all others at once"),
        ((2, 100, 13), "it takes no second round"),
        ((7, 100, 13), "How many other words does a word read in one round?"),
        ((1, 50, 13), "How many words does it read in one round"),
        ((0, 100, 13), "hears nothing"),
        ((1, 99, 13), "a round too"),
        ((1, 1, 13), "from neighbor to neighbor"),
        ((1, 100, 11), "begins 8 words before"),
        ((1, 100, 12), "12 × 8 = 96"),
        ((1, 100, 25), "doesn't reach to both sides"),
        ((1, 100, 3), "with gaps"),
        ((1, 100, 7), "Convolution: not yet. How many places does news go in one layer"),
        ((1, 100, 12.5), "whole number"),
    ],
)
def test_wrong_reach(capsys, attempt, hint):
    assert refused(said(capsys, check.reach, *attempt), hint)


# --- points ---


@pytest.mark.parametrize(
    ("checked", "attempt", "keeps"),
    [
        (check.growth, (LAYER, WORDS, 18_874_368), 0.5),
        (check.growth, (3_150_336, 1000, HEADS), 0),
        (transformer, (swapped,), 0.5),
        (transformer, (as_long_as_the_source,), 0),
        (check.reach, (1, 99, 13), 0.5),
        (check.reach, (1, 100, 7), 0),
    ],
)
def test_a_slip_keeps_half_the_points(checked, attempt, keeps):
    with graded(), pytest.raises(Hint) as caught:
        checked(*attempt)
    assert caught.value.keeps == keeps
