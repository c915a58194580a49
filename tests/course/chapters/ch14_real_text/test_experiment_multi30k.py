"""The published result: how text is prepared and scored, and that seeds come one at a time."""

import dataclasses
from types import SimpleNamespace

import pytest
import torch
from torch.nn.functional import kl_div

from course.chapters.ch14_real_text import experiment_multi30k as experiment
from course.chapters.ch14_real_text.experiment_multi30k import token_bleu
from course.chapters.ch14_real_text.experiment_multi30k_sweep import r_drop_loss
from course.chapters.ch16_before import experiment_pictures as pictures
from course.experiments import load, load_runs
from transformer_lib import recipes
from transformer_lib.decoding import Hypothesis
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import Transformer, count_parameters, make_model
from transformer_lib.text import moses
from transformer_lib.text.batching import make_batch
from transformer_lib.training.step import batch_loss
from transformer_lib.variants.recurrent import RecurrentTranslator

ENGLISH = [
    "A man isn't in a blue shirt.",
    "Two  dogs – one black – run.",
    "The “red” house is big!",
]


def test_nothing_on_the_ladder_is_better_than_muon_which_the_recipe_has():
    bleu = {run["what"]: run["best_bleu"] for run in load_runs("multi30k-ladder")}
    assert max(bleu, key=bleu.get) == load("multi30k")["recipe"]["optimizer"].title()
    assert {"AdamW", "AdamW, twice the rate", "dropout 0.3", "BPE-dropout"} < bleu.keys()
    assert {"R-Drop, half the updates", "half the updates"} < bleu.keys()
    for run in load_runs("multi30k"):
        assert 1.7 < run["seconds"] / 3600 < 2.1


def test_text_becomes_lower_case_tokens_with_signs_as_signs():
    tokens = moses.tokenizer("en")
    assert tokens(ENGLISH[0].lower()) == "a man isn 't in a blue shirt ."
    assert tokens(ENGLISH[1].lower()) == "two dogs - one black - run ."
    assert tokens("R&B <3 | [x]".lower()) == "r & b < 3 | [ x ]"


def test_scores_are_those_of_the_published_setting():
    pairs = [("", "das haus ist groß , nicht wahr ?"), ("", "ein pferd trinkt neben dem haus .")]
    same = [target for _, target in pairs]
    perfect = token_bleu(same, pairs)
    assert perfect["bleu"] == pytest.approx(100) and "tok:none" in perfect["bleu_signature"]
    assert perfect["written_tokens"] == perfect["reference_tokens"] == 15


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


def test_what_is_stored_was_scored_as_the_paper_was():
    german = experiment.PUBLISHED["de"]["reference_tokens"]
    model, training, subwords = recipes.multi30k_sizes()
    for name, tokens in ("multi30k", german), ("multi30k-fr", 13_988):
        stored = load(name)
        known = stored["recipe"]["training"]  # what came later changes nothing where it isn't set
        assert stored["recipe"] == {
            "model": dataclasses.asdict(model),
            "training": {setting: dataclasses.asdict(training)[setting] for setting in known},
            "optimizer": "muon",
            "subwords": subwords,
        }
        for seed, run in enumerate(stored["runs"]):
            assert run["seed"] == seed
            for way in ("beam", "per_word"):
                assert run[way]["reference_tokens"] == tokens
            best = max(run["validation_bleu"], key=run["validation_bleu"].get)
            assert run["length_penalty"] == float(best)  # chosen on validation


def test_r_drop_is_the_mean_loss_and_the_divergence():
    batch = make_batch([([5, 6, 7], [6, 5]), ([8], [9, 9, 4])])
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


def test_the_recurrent_translators_on_pictures_are_as_large_as_the_transformer():
    model, _, subwords = recipes.multi30k_sizes()
    size = count_parameters(Transformer(subwords, subwords, model))
    for setting in pictures.SETTINGS[:-1]:
        recurrent = RecurrentTranslator(subwords, subwords, setting.recurrent)
        assert count_parameters(recurrent) == pytest.approx(size, rel=0.01)
