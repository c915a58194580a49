"""How sure a translator is, in words and in its file."""

import pytest

from transformer_lib.confidence import ConfidenceThresholds


def test_doubt_is_said_in_words(translator, capsys):
    found = translator.translate("I like trees")
    mean = found.log_prob / (len(found.tokens) + 1)
    assert found.mean_log_prob == pytest.approx(mean)
    assert translator.warning(found) == ""  # nothing was measured
    for usual, lowest, word in (
        (mean - 1, mean - 2, ""),
        (mean + 1, mean - 1, "unsure:"),
        (mean + 2, mean + 1, "guessing:"),
    ):
        translator.confidence = ConfidenceThresholds(usual, lowest, 4000)
        assert translator.warning(found).partition(" ")[0] == word
    translator.say("I like trees")
    assert (
        "(guessing: less sure than it was of any of the 4,000 test sentences)"
        in capsys.readouterr().out
    )
