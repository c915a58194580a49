"""The experiments of a night, in sizes of a second: what they train, choose, measure and keep."""

import pytest
import torch

from course.chapters.ch16_before import experiments as before
from course.chapters.ch18_since_2017 import experiments as since
from course.experiments import load_runs
from course.experiments import long_training as long
from course.experiments.long_training import TrainSpec, cached, tuned
from transformer_lib.files import write_json
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish
from transformer_lib.training.config import TrainingConfig
from transformer_lib.translator import Translation, Translator

HOW = TrainingConfig(steps=2, max_tokens=64, max_lr=1e-3, warmup=1, validate_every=1)
TEXTS = [
    ("I like trees", "Me gustan los árboles"),
    ("You read", "Lees"),
    ("I swim", "Nado"),
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path))


def test_what_was_found_is_not_measured_again():
    calls = []

    def measure():
        calls.append(1)
        return {"found": len(calls)}

    for name, seed, found in ("a", 0, 1), ("a", 0, 1), ("a", 1, 2), ("b", 0, 3):
        assert cached(name, {"seed": seed}, measure) == {"seed": seed, "found": found}


LOSSES = {"one": {1e-3: 0.5, 2e-3: 0.3}, "other": {1e-3: 0.1, 2e-3: 0.2}}
SPECS = [TrainSpec("one", None), TrainSpec("other", None, {"schedule": "cosine"})]


@pytest.fixture
def calls(monkeypatch):
    """Trainings that give the losses above; what was trained is written down."""
    trained = []

    def learn(spec, how):
        trained.append((spec.what, how.max_lr, how.seed))
        best = LOSSES[spec.what][how.max_lr] + how.seed / 100
        return best, {"history": [{"validation_loss": best}, {"validation_loss": 9.0}]}

    monkeypatch.setattr(long, "learn_to_translate", learn)
    monkeypatch.setattr(long, "scores", lambda best: {"right": {"test": 1 - best}})
    return trained


def choose():
    return tuned("x", SPECS, HOW, max_lrs=(1e-3, 2e-3), seeds=(0, 7))


def test_the_peak_is_chosen_on_validation_by_the_first_seed(calls):
    found = choose()
    one = [("one", 1e-3, 0), ("one", 2e-3, 0), ("one", 2e-3, 7)]
    assert calls == one + [("other", 1e-3, 0), ("other", 2e-3, 0), ("other", 1e-3, 7)]
    runs = found["runs"]
    assert [run["chosen"] for run in runs] == [False, True, True, True, False, True]
    assert [run["right"]["test"] for run in runs] == [
        1 - x for x in (0.5, 0.3, 0.37, 0.1, 0.2, 0.17)
    ]
    assert [run["training"]["schedule"] for run in runs] == ["paper"] * 3 + ["cosine"] * 3
    assert choose() == found  # goes on where it was: at the end
    assert len(calls) == 6


def test_what_is_stored_is_not_trained_again(calls, tmp_path, monkeypatch):
    def keep(found, version):
        write_json(tmp_path / "stored" / "x.json", {"torch": version} | found)
        monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path / str(len(calls)) / version))

    monkeypatch.setattr(long.experiments, "RESULTS", tmp_path / "stored")
    (tmp_path / "stored").mkdir()
    found = choose()
    keep({"runs": found["runs"][:3]}, torch.__version__.split("+")[0])  # of the first spec
    assert choose() == found
    assert calls[6:] == calls[3:6]
    keep(found, version="1.0")
    choose()
    assert calls[9:] == calls[:6]


def test_right_sentences_are_counted(monkeypatch):
    monkeypatch.setattr(english_spanish, "load", lambda split: TEXTS)
    monkeypatch.setattr(english_spanish, "load_pronoun", lambda: [])
    monkeypatch.setattr(long, "pair_exact_match", lambda translator, items: 0.5)

    class Parrot:
        src = learn_language("en", [english for english, _ in TEXTS])

        def translate(self, texts):
            return [Translation(text, [], 0.0) for text in ("Me gustan los árboles", "", "nado")]

    found = long.scores(Parrot())
    assert found["right"] == dict.fromkeys(long.SPLITS, 1 / 3)
    assert found["by_length"] == [
        {"tokens": 2, "sentences": 12, "right": 0},
        {"tokens": 3, "sentences": 6, "right": 6},
    ]


def test_each_part_is_exchanged_at_equal_size():
    for spec in since.SPECS:
        base, model = (one.build(8, 8) for one in (since.SPECS[0], spec))
        fewer = {
            "grouped queries": 4 * 2 * 64 * 32,
            "today": 4 * 2 * 64 * 32,
            "multi-query": 4 * 2 * 64 * 48,
        }.get(spec.what, 0)
        assert count_parameters(model) + fewer == pytest.approx(count_parameters(base), rel=0.01)
        same = str(model) == str(base)
        assert same == (spec.what in ("base", "not tied", "AdamW", "Muon", "cosine", "stable"))


def test_the_rivals_are_equally_large():
    sizes = [count_parameters(one.build(1500, 2000)) for one in before.SPECS]
    assert max(sizes) / min(sizes) < 1.01


def test_the_two_numbers_of_a_transformer_are_those_of_its_best_head():
    found = before.gender(Translator.load())
    assert (found["layer"], found["head"]) == ("encoder.layers.1.self_attn", 2)
    assert found["agreement"]["as trained"] > 0.99 and min(found["first_noun"].values()) > 0.98
    assert found["agreement"]["two numbers swapped"] < 0.02


def test_of_each_translator_the_runs_with_its_own_rate():
    found = before.chosen()
    assert list(found) == [spec.what for spec in before.SPECS]
    for name, runs in found.items():
        assert [run["seed"] for run in runs] == list(before.SEEDS)
        best = min(load_runs("before", what=name, seed=0), key=long.best_loss)
        assert {run["max_lr"] for run in runs} == {best["max_lr"]}
