"""What else is tried with the checks of notebook 09."""

from course.chapters.ch09_whole_transformer import checks as check
from tests.course.checks.attempts import Attempts
from transformer_lib.model.masks import causal_mask, padding_mask


def assembled(
    model, src, tgt_in, read=lambda model, src: model.src_positions(model.src_embed(src))
):
    seen = padding_mask(src)
    decoded = model.decoder(
        model.tgt_positions(model.tgt_embed(tgt_in)),
        model.encoder(read(model, src), src_mask=seen),
        tgt_mask=padding_mask(tgt_in) & causal_mask(tgt_in.size(1)),
        src_mask=seen,
    )
    return model.generator(decoded)


ATTEMPTS = {
    check.fault: Attempts(
        right=[(0, "padding is seen"), (2, "no source positions")],
        slips={
            hint: [(0, name)]
            for name, hint in check.SPEAKS_AGAINST.items()
            if name != "padding is seen"
        },
        mistakes={
            "Give one of": [(0, "no norms")],
            "machines 0 to 4": [(7, "no source positions")],
        },
    ),
    check.growth: Attempts(
        mistakes={
            "One layer more: not yet": [(12, check.THOUSAND, 0)],
            "Twice the heads: More heads are not more numbers": [(check.LAYER, check.THOUSAND, 1)],
            "the encoder's layer": [(3_150_336, 1000, 0)],  # two are wrong
            "whole number": [("many", check.THOUSAND, 0)],
        }
    ),
    check.design: Attempts(
        mistakes={
            "three layers": [(2, 320, 1000)],
            "multiple of 8": [(3, 321, 1000)],
            "twice d_model": [(3, 512, 600)],
            "too many": [(6, 512, 2048)],
            "room for more": [(3, 64, 128)],
        }
    ),
    check.reach: Attempts(
        mistakes={
            "How many other words does a word read in one round?": [(7, 100, 13)],
            "How many words does it read in one round": [(1, 50, 13)],
            "Convolution: not yet. How many places does news go in one layer": [(1, 100, 7)],
            "whole number": [(1, 100, 12.5)],
        }
    ),
}
