"""The experiment on speculative decoding, in a size of a second."""

from course.chapters.ch11_decoding import experiment_speculative as speculative
from course.experiments import load
from tests.transformer_lib.decoding.random_models import babbler
from transformer_lib.text.batching import source_batch

SOURCES = [source_batch([ids]) for ids in ([4, 5, 6], [9, 8, 5])]


def test_what_is_counted(monkeypatch):
    monkeypatch.setattr(speculative, "AHEAD", (3,))
    model = babbler()
    for draft in (model, babbler(1)):
        for row in speculative.compare(model, draft, SOURCES):
            assert row["same"] == row["sentences"] == 2 and row["time"] > 0
            assert row["accepted"] <= row["drafted"] <= row["rounds"] * row["ahead"]
            assert (row["accepted"] == row["drafted"]) == (draft is model)


def test_what_is_stored_adds_up():
    stored = load("speculative")
    assert stored["parameters"]["draft"] < stored["parameters"]["model"] / 3
    for rows in stored["splits"].values():
        assert [row["ahead"] for row in rows] == list(speculative.AHEAD)
        for row in rows:
            assert row["same"] == row["sentences"] == speculative.SENTENCES
            # each round writes what was accepted and one word; what follows <eos> is dropped
            assert row["words"] <= row["accepted"] + row["rounds"]
            assert row["words"] > row["accepted"]
        rounds = [row["rounds"] for row in rows]
        assert rounds == sorted(rounds, reverse=True)
