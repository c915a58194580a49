"""Any setting can be typed by its name, and what makes no sense is told by name and value."""

import pytest

from transformer_lib.cli.settings import read_settings, replaced
from transformer_lib.model.config import ModelConfig
from transformer_lib.training.config import TrainingConfig

BOTH = (ModelConfig, TrainingConfig)
TYPED = """N=3 d_model=96 d_ff=7 h=4 dropout=0.25 norm_first=true tie_weights=all positions=learned
    steps=7 max_tokens=9 accumulation_steps=2 schedule=linear max_lr=0.001 warmup=5 smoothing=0.0
    bf16=true validate_every=3 patience=4 grad_clip=0.5 seed=-1 average=2 best_by=bleu""".split()


def test_every_setting_can_be_typed():
    settings, used = read_settings(TYPED, *BOTH), []
    for start in BOTH:
        changed = replaced(start(), settings)
        used += [f"{name}={str(value).lower()}" for name, value in vars(changed).items()]
        assert all(value != getattr(changed, name) for name, value in vars(start()).items())
        assert replaced(start(), {}) == start()
    assert sorted(used) == sorted(TYPED)


def test_none_and_false_take_a_setting_back():
    settings = read_settings(["patience=none", "max_lr=none", "bf16=false"], *BOTH)
    start = TrainingConfig(patience=3, max_lr=1.0, bf16=True)
    assert replaced(start, settings) == TrainingConfig()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["d_modle=256"], "no setting 'd_modle'; did you mean 'd_model'"),
        (["zebra=1"], "no setting 'zebra'; there are N, d_model, .*, best_by"),
        (["dropout"], "'dropout' is no setting: write NAME=VALUE"),
        (["N=2", "N=3"], "N is set twice"),
        (["N=2.5"], "'2.5' is no value for N: a whole number is"),
        (["N=none"], "'none' is no value for N"),
        (["max_lr=high"], "'high' is no value for max_lr: a number is"),
        (["max_lr=nan"], "'nan' is no value for max_lr"),
        (["bf16=1"], "'1' is no value for bf16: true or false is"),
    ],
)
def test_what_cannot_be_read_is_named(typed, message):
    with pytest.raises(ValueError, match=message):
        read_settings(typed, *BOTH)
