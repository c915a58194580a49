"""The experiment on speculative decoding, in a size of a second."""

from course.chapters.ch11_decoding import experiment_speculative as speculative
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
