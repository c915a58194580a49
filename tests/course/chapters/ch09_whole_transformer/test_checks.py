"""The exercises of notebook 09: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch09_whole_transformer import checks as check
from course.chapters.ch09_whole_transformer.experiments import on_paper
from course.checks import Hint, graded, implement
from tests.course.checks.saying import refused, said
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import count_parameters


@implement(check.ids_of_both)
def transformer(function):
    """The check that notebook 09 shares with the course from scratch."""
    check.judge_transformer(function, tie_weights="none")


# --- counting ---


def test_the_growth_is_what_the_library_counts():
    def base(words: int = 37_000, **settings) -> int:
        return count_parameters(on_paper(words, words, tie_weights="all", **settings))

    assert base() == check.WHOLE and base(h=16) == base()
    assert base(N=7) - base() == check.LAYER
    assert base(38_000) - base() == check.THOUSAND


@pytest.mark.parametrize("sizes", [(3, 320, 776), (4, 256, 1140), (6, 232, 741)])
def test_designs_of_ten_million(capsys, sizes):
    with_one_table = on_paper(
        8000, 8000, tie_weights="all", h=8, N=sizes[0], d_model=sizes[1], d_ff=sizes[2]
    )
    fits = 9_900_000 <= count_parameters(with_one_table) <= 10_000_000
    assert (said(capsys, check.design, *sizes) == "right!") == fits
    told = said(capsys, check.design, *sizes)
    assert fits or f"{count_parameters(with_one_table):,}" in told


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


@pytest.mark.parametrize(("attempt", "keeps"), [(swapped, 0.5), (as_long_as_the_source, 0)])
def test_a_slip_keeps_half_the_points(attempt, keeps):
    with graded(), pytest.raises(Hint) as caught:
        transformer(attempt)
    assert caught.value.keeps == keeps
