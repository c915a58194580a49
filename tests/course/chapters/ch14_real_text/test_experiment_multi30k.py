"""The published result: how text is prepared and scored, and that seeds come one at a time."""

import dataclasses
import gzip
import json
import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch
from torch.nn.functional import kl_div

from course import experiments
from course.chapters.ch14_real_text import experiment_multi30k as experiment
from course.chapters.ch14_real_text import experiment_multi30k_sweep as multi30k_sweep
from course.chapters.ch14_real_text.experiment_multi30k import people_scores, summary, token_bleu
from course.chapters.ch14_real_text.experiment_multi30k_sweep import (
    SETTINGS,
    cut_anew,
    r_drop_loss,
    sweep,
)
from course.chapters.ch16_before import experiment_pictures as pictures
from transformer_lib import recipes
from transformer_lib.decoding import Hypothesis
from transformer_lib.files import read_tensors
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import Transformer, count_parameters, make_model
from transformer_lib.recipes import multi30k
from transformer_lib.text import downloads, moses
from transformer_lib.text.batching import batch_indices, make_batch
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.parallel import read_parallel
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.state import STATE_FILE
from transformer_lib.training.step import batch_loss
from transformer_lib.translator import Translator
from transformer_lib.variants.recurrent import RecurrentTranslator

ENGLISH = [
    "A man isn't in a blue shirt.",
    "Two  dogs – one black – run.",
    "The “red” house is big!",
]
GERMAN = [
    "Ein Mann ist nicht im Haus.",
    "Zwei Hunde laufen, einer ist schwarz.",
    "Das „rote“ Haus!",
]
FRENCH = [
    "Un homme n'est pas dans la maison.",
    "Deux chiens courent, l'un est noir.",
    "La maison « rouge » !",
]


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """Multi30k, as if it had been fetched: a few sentences of our own."""
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path))
    for target, translated in (("de", GERMAN), ("fr", FRENCH)):
        folder = tmp_path / f"multi30k-en-{target}" / "download"
        folder.mkdir(parents=True)
        for split in ("train", "val", "test_2016_flickr"):
            for language, texts in (("en", ENGLISH), (target, translated)):
                lines = "".join(text + "\n" for text in texts * (20 if split == "train" else 1))
                (folder / f"{split}.{language}.gz").write_bytes(gzip.compress(lines.encode()))
        corpus = downloads.CORPORA[folder.parent.name]
        files = {
            split: tuple(dataclasses.replace(file, sha256=None) for file in files)
            for split, files in corpus.files.items()
        }
        corpus = dataclasses.replace(corpus, files=files)
        monkeypatch.setitem(downloads.CORPORA, folder.parent.name, corpus)
    return tmp_path


@pytest.fixture
def short(monkeypatch):
    how = TrainingConfig(steps=4, max_tokens=64, max_lr=1e-3, warmup=1, validate_every=2, average=2)
    model = dataclasses.replace(TOY, tie_weights="all", dropout=0.1)
    monkeypatch.setattr("transformer_lib.recipes.multi30k_sizes", lambda: (model, how, 300))
    monkeypatch.setattr(SubwordLanguage, "longest", 12)  # or untrained ones write on and on
    monkeypatch.setattr(experiment, "PENALTIES", (1.0,))


def test_the_published_setting_and_ours_side_by_side():
    """Each row has both, and ours is what the stored runs were trained with."""
    stored = experiments.load("multi30k")
    rows = {what: (theirs, ours) for what, theirs, ours in experiment.settings_side_by_side(stored)}
    assert rows[""] == ("published", "ours") and len(rows) == 14
    assert rows["million weights"] == (f"{stored['published']['parameters'] / 1e6:.1f}", "2.0")
    assert rows["million tokens, at most"][0] == f"{stored['published']['most_tokens'] / 1e6:.0f}"
    stored["recipe"]["training"] |= {"warmup": 2000, "average": 10}
    changed = {what: ours for what, _, ours in experiment.settings_side_by_side(stored)}
    different = {what: ours for what, ours in changed.items() if ours != rows[what][1]}
    assert different == {"steps of warm-up": "2,000", "averaged at the end": "10 checkpoints"}


def test_the_readme_ranks_both_languages_by_the_penalty_chosen_on_validation():
    readme = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    told = {row[0]: (row, below) for row, below in pairwise(rows) if row[0]}
    for name, what in (("multi30k", "German"), ("multi30k-fr", "French")):
        stored, (row, below) = experiments.load(name), told[f"Multi30k, English to {what}"]
        mean = stored["mean_bleu"]
        assert row[2].split()[0] == f"**{mean['beam']:.1f}**"
        assert below[1].startswith("the same, ranked as published")
        assert below[2] == f"{mean['per_word']:.1f}"
        assert row[3] == below[3] == f"{stored['published']['bleu']:.1f}"


def test_nothing_on_the_ladder_is_better_than_muon_which_the_recipe_has():
    bleu = {run["what"]: run["best_bleu"] for run in experiments.load("multi30k-ladder")["runs"]}
    assert max(bleu, key=bleu.get) == experiments.load("multi30k")["recipe"]["optimizer"].title()
    assert {"AdamW", "AdamW, twice the rate", "dropout 0.3", "BPE-dropout"} < bleu.keys()
    assert {"R-Drop, half the updates", "half the updates"} < bleu.keys()
    for run in experiments.load("multi30k")["runs"]:
        assert 1.7 < run["seconds"] / 3600 < 2.1


def test_text_becomes_lower_case_tokens_with_signs_as_signs():
    tokens = moses.tokenizer("en")
    assert tokens(ENGLISH[0].lower()) == "a man isn 't in a blue shirt ."
    assert tokens(ENGLISH[1].lower()) == "two dogs - one black - run ."
    assert tokens("R&B <3 | [x]".lower()) == "r & b < 3 | [ x ]"
    assert experiment.detokenizer("en")("a man isn 't in a blue shirt .") == ENGLISH[0].lower()


def test_the_recipe_reads_tokens_and_is_made_for_that_corpus(fetched, short):
    recipe = multi30k("de")
    assert recipe.task == "multi30k-en-de" and recipe.subwords == 300
    stored = experiments.load("multi30k")["recipe"]
    assert recipe.optimizer == stored["optimizer"] == "muon"  # sizes: see what is stored, below
    rows = list(read_parallel([fetched / "multi30k-en-de" / "test.tokens.tsv"]))
    assert rows[0] == ("a man isn 't in a blue shirt .", "ein mann ist nicht im haus .")
    assert recipe.files == (str(fetched / "multi30k-en-de" / "train.tokens.tsv"),)


def test_a_call_trains_the_seeds_that_are_missing(fetched, short, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "RESULTS", tmp_path / "results")
    assert datetime.strptime(experiment.now(), "%Y-%m-%d %H:%M UTC")
    monkeypatch.setattr(experiment, "now", Mock(return_value="today"))
    for seeds in ((0,), (0, 1)):
        monkeypatch.setattr(experiment, "SEEDS", seeds)
        found = experiment.to_german()
        assert [run["seed"] for run in found["runs"]] == list(seeds)
        assert {run["test_scored_at"] for run in found["runs"]} == {"today"}
        assert experiment.now.call_count == len(seeds)  # each seed's test is scored once
        experiments.write_json(experiments.RESULTS / "multi30k.json", found)
    for way in ("greedy", "beam", "per_word"):
        mean = sum(run[way]["bleu"] for run in found["runs"]) / 2
        assert found["mean_bleu"][way] == pytest.approx(mean)
    monkeypatch.setattr(experiment, "SEEDS", (0, 1, 2))  # Ctrl-C: what is complete is kept
    with monkeypatch.context() as patch:
        patch.setattr(experiment, "measure_seed", Mock(side_effect=KeyboardInterrupt))
        assert experiment.to_german() == found
    monkeypatch.setattr(experiment, "SEEDS", (0,))
    first, second = found["runs"]
    assert first["validation_loss"] != second["validation_loss"]
    assert first["beam"]["reference_tokens"] == sum(
        len(moses.tokenizer("de")(text).split()) for text in GERMAN
    )
    text = json.dumps(found)
    assert str(tmp_path) not in text and "Mann" not in text and "mann" not in text
    # What was found with another recipe is told apart.
    found["recipe"]["training"]["steps"] += 1
    experiments.write_json(experiments.RESULTS / "multi30k.json", found)
    again = experiment.to_german()
    assert again["runs"] == [first]
    assert again["earlier"] == [{"recipe": found["recipe"], "runs": [first, second]}]
    experiments.write_json(experiments.RESULTS / "multi30k.json", again)
    assert experiment.to_german()["earlier"] == again["earlier"]


def test_french_is_learned_by_the_same_recipe(fetched, short, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(experiment, "SEEDS", (0,))
    found = experiment.to_french()
    assert found["recipe"] == summary(multi30k("de")) and found["published"]["bleu"] == 61.8
    (run,) = found["runs"]
    words = sum(len(moses.tokenizer("fr")(text).split()) for text in FRENCH)
    assert run["beam"]["reference_tokens"] == words


def test_the_time_is_that_of_all_steps_however_often_it_stopped(fetched, short):
    found = experiment.measure_seed(multi30k("de"), 0)
    log = fetched / "runs" / "multi30k-en-de-0" / "log.jsonl"
    steps = [{"step": i, "words_per_second": pace} for i, pace in enumerate((0.5, 1, 7000))]
    log.write_text("".join(json.dumps(step) + "\n" for step in steps))
    again = experiment.measure_seed(multi30k("de"), 0)
    pairs = list(multi30k("de").load_data(log.parent).training)
    epochs = 4 / len(batch_indices(pairs, max_tokens=64, seed=0))
    words = epochs * sum(len(written) + 1 for _, written in pairs)
    assert again["seconds"] == pytest.approx(words, abs=1)
    assert {**again, "seconds": 0} == {**found, "seconds": 0}


def test_scores_are_those_of_the_published_setting():
    pairs = [("", "das haus ist groß , nicht wahr ?"), ("", "ein pferd trinkt neben dem haus .")]
    same = [target for _, target in pairs]
    perfect = token_bleu(same, pairs)
    assert perfect["bleu"] == pytest.approx(100) and "tok:none" in perfect["bleu_signature"]
    assert perfect["written_tokens"] == perfect["reference_tokens"] == 15
    people = ["Das Haus ist groß, nicht wahr?", "Ein Pferd trinkt neben dem Haus."]
    training = ["Kein Pferd", "Ein großes Haus", "Haus an haus", "Es ist ein Haus"]
    scores = people_scores(same, people, training, "de")
    assert scores["lowercase"]["bleu"] == pytest.approx(100)
    assert scores["cased"]["bleu"] < 60
    assert scores["recased"]["bleu"] == pytest.approx(100)
    assert people_scores(same, people, training[1:], "de")["recased"]["bleu"] < 90  # a pferd
    assert scores["chrf"]["chrf"] == pytest.approx(100)
    assert "case:lc" in scores["lowercase"]["bleu_signature"]


def test_the_last_weights_are_not_the_mean_of_the_last(fetched, short):
    experiment.measure_seed(multi30k("de"), 0)
    folder = fetched / "runs" / "multi30k-en-de-0"
    mean = Translator.load(folder)
    last = experiment.last_weights(mean, folder).model.state_dict()
    state, about = read_tensors(folder / STATE_FILE)
    assert about["run"]["step"] == 4
    names = [name for name in last if f"model/{name}" in state]
    assert names and all(last[name].equal(state[f"model/{name}"]) for name in names)
    assert any(not last[name].equal(mean.model.state_dict()[name]) for name in names)


def test_of_each_beam_the_likeliest_per_word_counts(monkeypatch):
    """Not the likeliest one, nor one that was cut off; <eos> is a word as well."""
    ends = [Hypothesis([5], -2.0, 0.0, True), Hypothesis([5, 6, 7], -3.0, 0.0, True)]
    cut = [Hypothesis([8] * 9, -1.0, 0.0, False), Hypothesis([9], -8.0, 0.0, True)]
    near = [Hypothesis([5], -1.0, 0.0, True), Hypothesis([6, 7], -1.8, 0.0, True)]

    class Known:
        model = None
        src = SimpleNamespace(encode=str.split)
        tgt = SimpleNamespace(decode=lambda ids: ids, longest=9)

        def in_batches(self, sources, search, batch):
            assert search.keywords["n_best"] == search.keywords["beam_size"] == experiment.BEAM
            return [ends, cut, near]

    # per word: -1 against -0.75; -0.5 against -0.6, but without <eos> -1 against -0.9
    assert experiment.write_per_word(Known(), [("", "")] * 3) == [[5, 6, 7], [9], [5]]


def test_the_recipe_tells_nothing_of_a_disk(fetched, short):
    assert summary(multi30k("de")).keys() == {"model", "training", "optimizer", "subwords"}


@pytest.mark.parametrize("name", ["multi30k", "multi30k-fr"])
def test_what_is_stored_was_scored_as_the_paper_was(name):
    stored = experiments.load(name)
    model, training, subwords = recipes.multi30k_sizes()
    settings = dataclasses.asdict(training)
    del settings["seed"]
    assert stored["recipe"] == {
        "model": dataclasses.asdict(model),
        "training": settings,
        "optimizer": "muon",
        "subwords": subwords,
    }
    for seed, run in enumerate(stored["runs"]):
        assert run["seed"] == seed
        tokens = {"multi30k": experiment.PUBLISHED["de"]["reference_tokens"], "multi30k-fr": 13_988}
        assert run["beam"]["reference_tokens"] == tokens[name]
        assert run["per_word"]["reference_tokens"] == run["beam"]["reference_tokens"]
        best = max(run["validation_bleu"], key=run["validation_bleu"].get)
        assert run["length_penalty"] == float(best)  # chosen on validation


def test_rungs_are_trained_once_and_compared_on_the_validation_pairs(fetched, short, monkeypatch):
    monkeypatch.setattr(multi30k_sweep, "STEPS", 4)
    monkeypatch.setattr(multi30k_sweep, "PENALTIES", (1.0,))
    # With the same rate and steps, so that nothing else makes the difference.
    # These differ from another one in nothing else.
    others = ("half the updates", "AdamW, half the rate", "AdamW, twice the rate")
    alike = [
        dataclasses.replace(setting, training={}, updates=1.0)
        for setting in SETTINGS
        if setting.what not in others
    ]
    monkeypatch.setattr(multi30k_sweep, "SETTINGS", alike)
    (fetched / "multi30k-en-de" / "test.tsv").unlink(missing_ok=True)
    found = sweep()
    runs = {run["what"]: run for run in found["runs"]}
    assert runs["recurrent, with attention"]["model"] == dataclasses.asdict(
        multi30k_sweep.RECURRENT
    )
    assert len({run["validation_loss"] for run in runs.values()}) == len(alike), "each its own way"
    text = json.dumps(found)
    assert "test" not in text and "mann" not in text and str(fetched) not in text
    monkeypatch.setattr(multi30k_sweep, "measure", None)  # nothing is trained again
    assert sweep() == found


def test_a_sweep_that_is_interrupted_tells_what_is_complete(fetched, short, monkeypatch):
    def one_then_enough(setting, recipe):
        if setting is SETTINGS[1]:
            raise KeyboardInterrupt
        return {"what": setting.what}

    monkeypatch.setattr(multi30k_sweep, "load_or_measure", one_then_enough)
    assert sweep()["runs"] == [{"what": "as it is"}]


def test_the_recurrent_one_is_as_large_as_the_transformer():
    model, _, subwords = recipes.multi30k_sizes()
    recurrent = RecurrentTranslator(subwords, subwords, multi30k_sweep.RECURRENT)
    transformer = Transformer(subwords, subwords, model)
    assert count_parameters(recurrent) == pytest.approx(count_parameters(transformer), rel=0.01)


def test_the_same_text_is_cut_in_other_ways_each_time(fetched, short, tmp_path):
    recipe = multi30k("de")
    material = recipe.load_data(tmp_path / "run")
    language, plain = material.src, material.training
    cut = cut_anew(recipe, material, left_out=0.5)
    epochs = 1 + recipe.training.steps // recipe.training.validate_every
    assert len(cut) == epochs * len(plain) == 3 * 60

    def text(ids):
        return language.decode(ids)

    assert [[text(ids) for ids in pair] for pair in cut] == epochs * [
        [text(ids) for ids in pair] for pair in plain
    ]
    assert len({tuple(cut[i][0]) for i in range(0, len(cut), 3)}) > 20, "one sentence"
    # Other text, or as much of it more often, is another name in the cache.
    folders = list((fetched / "encoded").glob("*-varied"))
    assert len(folders) == 1 and list(cut_anew(recipe, material, left_out=0.5)) == list(cut)
    cut_anew(dataclasses.replace(recipe, sha256="other"), material, left_out=0.5)
    assert len(list((fetched / "encoded").glob("*-varied"))) == 2
    assert all(len(cut[i][0]) >= len(plain[0][0]) for i in range(0, len(cut), 3))


def test_r_drop_is_the_mean_loss_and_the_divergence():
    torch.manual_seed(0)
    batch = make_batch([([5, 6, 7], [6, 5]), ([8], [9, 9, 4])])
    model = make_model(12, 12, **dataclasses.asdict(TOY) | {"dropout": 0.0})
    once = batch_loss(model, batch, 0.1)
    torch.testing.assert_close(r_drop_loss(model, batch, 0.1), once)  # the two say the same
    torch.testing.assert_close(r_drop_loss(model, batch, 0.0), batch_loss(model, batch, 0.0))
    model = make_model(12, 12, **dataclasses.asdict(TOY) | {"dropout": 0.3})
    torch.manual_seed(1)
    losses = [batch_loss(model, batch, 0.1) for _ in range(2)]
    torch.manual_seed(1)
    found = model(batch.src, batch.tgt_in), model(batch.src, batch.tgt_in)
    p, q = (logits[batch.tgt_out != 0].log_softmax(-1) for logits in found)
    apart = sum(kl_div(a, b, reduction="sum", log_target=True) for a, b in ((p, q), (q, p)))
    torch.manual_seed(1)
    expected = sum(losses) / 2 + 5 / 4 * apart
    torch.testing.assert_close(r_drop_loss(model, batch, 0.1), expected)
    assert apart > 0.1


def test_how_far_the_recurrent_one_is_below_as_notebook_16_says():
    sweep = {run["what"]: run for run in experiments.load("multi30k-ladder")["runs"]}
    machines = {run["what"]: run for run in experiments.load("multi30k-recurrent")["runs"]}
    base, recurrent = sweep["as it is"], sweep["recurrent, with attention"]
    greedily = [
        base["greedy_bleu"] - recurrent["greedy_bleu"],
        *(
            machines["transformer"][split]["bleu"] - machines["additive"][split]["bleu"]
            for split in ("validation", "test")
        ),
    ]
    beams = [base["beam_bleu"][a] - recurrent["beam_bleu"][a] for a in base["beam_bleu"]]
    assert [round(min(greedily), 1), round(max(greedily), 1)] == [0.9, 2.2]
    assert round(max(beams)) == 4


def test_the_stored_runs_are_those_of_the_sweep():
    model, training, _ = recipes.multi30k_sizes()
    stored = experiments.load("multi30k-ladder")
    for setting, run in zip(SETTINGS, stored["runs"], strict=False):  # the first ones of them
        sizes, how = multi30k_sweep.sizes(setting, model, training)
        assert run["what"] == setting.what and run["left_out"] == setting.left_out
        assert run["model"] == dataclasses.asdict(setting.recurrent or sizes)
        assert run["training"] == dataclasses.asdict(how)
        assert run["training"]["steps"] == multi30k_sweep.STEPS * setting.updates
    assert 2 <= len(stored["runs"]) <= len(SETTINGS)


def test_recurrent_translators_are_as_large_and_scored_once_on_the_test_sentences(
    fetched, short, monkeypatch
):
    assert all(one.recurrent.attention == one.what for one in pictures.SETTINGS[:-1])
    monkeypatch.setattr(multi30k_sweep, "STEPS", 4)
    found = pictures.recurrent_on_pictures()
    runs = {run["what"]: run for run in found["runs"]}
    assert list(runs) == ["none", "dot", "additive", "transformer"]
    assert len({run["validation_loss"] for run in runs.values()}) == 4
    words = sum(len(moses.tokenizer("de")(text).split()) for text in GERMAN)
    for run in runs.values():
        assert run["test"]["reference_tokens"] == words and run["seconds_per_epoch"] >= 0
        assert run["test_scored_at"].endswith("UTC")
    monkeypatch.setattr(pictures, "measure", None)  # nothing is trained or scored again
    assert pictures.recurrent_on_pictures() == found


def test_the_recurrent_translators_on_pictures_are_as_large_as_the_transformer():
    model, _, subwords = recipes.multi30k_sizes()
    size = count_parameters(Transformer(subwords, subwords, model))
    for setting in pictures.SETTINGS[:-1]:
        recurrent = RecurrentTranslator(subwords, subwords, setting.recurrent)
        assert count_parameters(recurrent) == pytest.approx(size, rel=0.01)


def test_recurrent_translators_that_are_interrupted_tell_what_is_complete(
    fetched, short, monkeypatch
):
    def one_then_enough(experiment, settings, measure):
        if settings["what"] == "dot":
            raise KeyboardInterrupt
        return {"what": settings["what"]}

    monkeypatch.setattr(pictures, "cached", one_then_enough)
    assert pictures.recurrent_on_pictures() == {"runs": [{"what": "none"}]}


@pytest.mark.parametrize("name", ["multi30k", "multi30k-fr", "multi30k-recurrent"])
def test_what_was_scored_on_the_test_sentences_says_when(name):
    """The first runs are dated by the change that brought their results."""
    stored = experiments.load(name)
    runs = stored["runs"] + [run for before in stored.get("earlier", []) for run in before["runs"]]
    for run in runs:
        said = run.get("test_scored_at") or run["test_scored_before"]
        assert re.fullmatch(r"2026-11-\d\d \d\d:\d\d UTC", said)
