"""Rows of digits backwards by recurrent translators: what is counted, and what is stored."""

import torch

from course import experiments
from course.chapters.ch16_before import experiment_backwards as backwards
from course.experiments.digit_training import DIGITS
from transformer_lib.text.batching import make_batch
from transformer_lib.variants.recurrent import RecurrentConfig, RecurrentTranslator


def untrained(attention: str) -> RecurrentTranslator:
    torch.manual_seed(0)
    config = RecurrentConfig(attention=attention, **backwards.SIZES)
    return RecurrentTranslator(len(DIGITS), len(DIGITS), config).eval()


def test_rows_are_counted_by_their_length(monkeypatch):
    pairs = [([5, 6], [6, 5]), ([7, 8], [8, 7]), ([9, 5, 6], [6, 5, 9])]
    monkeypatch.setattr(backwards, "digit_pairs", lambda task: ([], pairs))
    seen = []
    monkeypatch.setattr(backwards, "right_rows", lambda model, some: seen.append(some) or 0.5)
    assert backwards.right_by_length(None) == {2: 0.5, 3: 0.5}
    assert seen == [pairs[:2], pairs[2:]]


def test_a_row_of_weights_for_each_digit_that_is_written_and_the_end():
    model = untrained("dot")
    weights = backwards.backwards_weights(model, "4719")
    assert weights.shape == (5, 5)
    # the first row by hand: where <bos> is read, after the whole source
    batch = make_batch([(DIGITS.encode([*"4719"]), DIGITS.encode([*"9174"]))])
    memory = model.encode(batch.src)
    first, _ = model.decoder(model.tgt_embed(batch.tgt_in[:, :1]), model.start(memory))
    torch.testing.assert_close(weights[0], (memory[0, 1:] @ first[0, 0]).softmax(dim=0))


def test_what_is_stored_was_made_with_these_settings():
    stored = experiments.load("backwards")
    assert stored["sizes"] == backwards.SIZES and stored["row"] == backwards.ROW
    assert [(run["attention"], run["seed"]) for run in stored["runs"]] == [
        (attention, seed) for attention in ("none", "dot", "additive") for seed in backwards.SEEDS
    ]
    for run in stored["runs"]:
        assert ("looks" in run) == (run["attention"] != "none")
        shares = [place["right"] for place in run["by_length"]]
        assert (min(shares) < 0.1) == (run["attention"] == "none")
