"""What notebook 09 says where no output of a cell shows it."""

from course.chapters.ch09_whole_transformer import experiment_scaling as scaling
from transformer_lib import BASE, ModelConfig


def test_the_base_model_is_what_the_settings_are_without_any():
    assert ModelConfig() == BASE


def test_a_step_with_longer_sentences_is_as_told():
    _, times = scaling.against_length("milliseconds")
    assert round(times["fused"][-1] / times["fused"][0], 1) == 2.6
    for way in ("formula", "fused"):
        short = times[way][:3]  # 16, 32 and 64 words
        assert max(short) / min(short) < 1.135
    assert round(max(times["fused"][:3]) / min(times["fused"][:3]), 2) == 1.13
