"""A config holds the paper's numbers and says no to numbers that can't work."""

import dataclasses

from transformer_lib.model.config import BASE, BIG, SMALL, TOY, ModelConfig


def test_the_defaults_are_the_papers_base_model():
    # Table 3, row "base"
    assert dataclasses.asdict(ModelConfig()) == {
        "N": 6,
        "d_model": 512,
        "d_ff": 2048,
        "h": 8,
        "dropout": 0.1,
        "norm_first": False,
        "tie_weights": "none",
        "positions": "paper",
    }
    assert BASE == ModelConfig()


def test_the_big_model_is_the_papers():
    # Table 3, row "big"
    assert (BIG.N, BIG.d_model, BIG.d_ff, BIG.h, BIG.dropout) == (6, 1024, 4096, 16, 0.3)


def test_the_small_models_are_those_that_were_trained():
    """Stored models bring their own sizes; these are asked for in new ones."""
    assert dataclasses.astuple(TOY)[:6] == (2, 32, 64, 4, 0.0, True)
    assert dataclasses.astuple(SMALL)[:6] == (2, 128, 512, 4, 0.1, False)
