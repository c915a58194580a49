"""Notebook 13: the model does what the exercises ask about."""

import pytest

from course.chapters.ch13_what_heads_learned import checks as check
from course.chapters.ch13_what_heads_learned.experiments import right_verbs
from tests.course.checks.attempts import told
from transformer_lib.interpret.patching import ablate_head, patch_attention
from transformer_lib.interpret.pronouns import PronounBatch, best_head, measurable
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.text import english_spanish


def test_the_head_is_the_best_one():
    found = best_head(check.shipped(), english_spanish.load_pronoun())
    assert found == (check.LAYER, check.HEAD)


NARROW = "The trophy didn't fit in the suitcase because it was too narrow"


def test_what_is_written_of_the_narrow_suitcase():
    assert [check.spanish(NARROW)[-1]] == list(check.without_the_head.mistakes)
    with patch_attention(check.shipped().model, {check.LAYER: ablate_head(check.HEAD)}):
        assert check.spanish(NARROW)[-1] == check.without_the_head.right


def test_one_head_only_is_missed_by_the_verbs():
    items = measurable(check.shipped(), english_spanish.load_pronoun(), half=1)[::6]
    batch = PronounBatch(check.shipped(), items)
    shares = {
        (layer, head): right_verbs(check.shipped(), batch, {layer: ablate_head(head)})
        for layer in attention_layers(check.shipped().model)
        for head in range(4)
    }
    worst, second = sorted(shares, key=lambda name: shares[name])[:2]
    assert worst == check.GUILTY and shares[worst] < 0.85 < 0.95 < shares[second]


@pytest.mark.parametrize(
    ("changed", "hint"),
    [
        ("la trofeo no cabía en la caja porque era demasiado pequeña", "More than one word"),
        ("el trofeo no cabía en la caja porque era pequeña", "More than one word has changed"),
        (
            "el trofeo no cabía en la caja porque era demasiado ancho",
            "a different word, not a different",
        ),
    ],
)
def test_flips_of_more_than_a_gender(monkeypatch, changed, hint):
    before = "el trofeo no cabía en la caja porque era demasiado pequeño"
    answers = iter([before.split(), changed.split()])
    monkeypatch.setattr(check, "spanish", lambda sentence: next(answers))
    words = "The book didn't fit in the bag because it was too small", "small", "book", "bag"
    assert hint in told(check.flips, *words)[0]
