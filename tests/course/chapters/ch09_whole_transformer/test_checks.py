"""The exercises of notebook 09 that need a model: right ways pass, mistakes get their hints."""

import pytest
import torch

from course.chapters.ch09_whole_transformer import checks as check
from course.chapters.ch09_whole_transformer.experiments import on_paper
from course.checks import implement
from tests.course.checks.attempts import told
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import count_parameters


@implement(check.ids_of_both)
def transformer(function):
    """The check that notebook 09 shares with the course from scratch."""
    check.judge_transformer(function, tie_weights="none")


def test_the_numbers_of_the_exercises_are_the_librarys():
    def base(words: int = 37_000, **settings) -> int:
        return count_parameters(on_paper(words, words, tie_weights="all", **settings))

    assert base() == check.WHOLE == base(h=16)
    assert (base(N=7) - base(), base(38_000) - base()) == (check.LAYER, check.THOUSAND)
    for N, d_model, d_ff in [(3, 320, 776), (4, 256, 1140), (6, 232, 741)]:
        size = count_parameters(
            on_paper(8000, 8000, tie_weights="all", h=8, N=N, d_model=d_model, d_ff=d_ff)
        )
        said, _ = told(check.design, N, d_model, d_ff)
        assert (said == "") == (9_900_000 <= size <= 10_000_000) and (
            not said or f"{size:,}" in said
        )


def test_each_mistake_in_the_assembly_gets_its_hint():
    """The check's own list, tried one by one; no two mistakes may look alike."""
    mistakes = check.mistakes_of(*check.ids_of_both())
    assert len(mistakes) >= 20
    for number, (_, hint) in enumerate(mistakes):
        said, _ = told(transformer, lambda *given, i=number: check.mistakes_of(*given)[i][0])
        assert hint in said, (number, said)


def assembled(model, src, tgt_in, mask=None, seen=None):
    """The parts put together; with another mask for the target, or the memory."""
    memory = model.encoder(model.src_positions(model.src_embed(src)), src_mask=padding_mask(src))
    x = model.tgt_positions(model.tgt_embed(tgt_in))
    mask = causal_mask(tgt_in.size(1)) if mask is None else mask  # the padding is on the right
    seen = padding_mask(src) if seen is None else seen
    return model.generator(model.decoder(x, memory, tgt_mask=mask, src_mask=seen))


def swapped(model, src, tgt_in):
    past = padding_mask(tgt_in) & causal_mask(tgt_in.size(1))
    return assembled(model, src, tgt_in, mask=padding_mask(src), seen=past)


def without_memory(model, src, tgt_in):
    return model.generator(model.decoder(model.tgt_embed(tgt_in), tgt_mask=None, src_mask=None))


def too_short(model, src, tgt_in):
    raise ValueError("too short.")


@pytest.mark.parametrize(
    ("attempt", "hint", "keeps"),
    [
        (assembled, "", 1),
        (lambda model, src, tgt_in: model(src, tgt_in), "", 1),
        (swapped, "The masks have changed places", 0.5),
        (
            lambda model, src, tgt_in: assembled(model, src, tgt_in, causal_mask(src.size(1))),
            "Right while both sides are of one length",
            0,
        ),
        (without_memory, "The decoder needs the memory too", 0.5),
        (
            lambda model, src, tgt_in: model.decode(tgt_in, model.encode(src), causal_mask(tgt_in)),
            "causal_mask takes the number of words",
            0.5,
        ),
        (lambda model, src, tgt_in: model.src_positions(src), "The positions got ids", 0.5),
        (
            lambda model, src, tgt_in: padding_mask(tgt_in) and causal_mask(tgt_in.size(1)),
            "joined by `&`, not by `and`",
            0.5,
        ),
        # the shapes are those that the function got, and its period is the only one
        (too_short, "Called with (2, 5), (2, 5), it stops with ValueError: too short.", 0),
        (lambda model, src, tgt_in: torch.zeros(3), "The shape is (3,)", 0),
    ],
)
def test_assemblies_as_somebody_would_write_them(attempt, hint, keeps):
    said, kept = told(transformer, attempt)
    assert hint in said and ".." not in said and (bool(said), kept) == (bool(hint), keeps)
