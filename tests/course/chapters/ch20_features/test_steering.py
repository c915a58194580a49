"""Steering changes one word by the directions it is told, and outcomes are counted by hand."""

from types import SimpleNamespace

import pytest
import torch

from course.chapters.ch20_features import steering
from course.chapters.ch20_features.labels import Asked
from course.chapters.ch20_features.sae import SparseAutoencoder
from transformer_lib import Translator
from transformer_lib.interpret.pronouns import PronounBatch, measurable
from transformer_lib.text import english_spanish


@pytest.fixture
def sae():
    torch.manual_seed(0)
    sae = SparseAutoencoder(8, 20, k=4).requires_grad_(False)
    sae.fit_scale(3 * torch.randn(100, 8) + 1)
    return sae


def test_only_the_named_word_moves_and_by_its_two_directions(sae):
    x = torch.randn(2, 5, 8)
    rows, places, up = torch.arange(2), torch.tensor([1, 3]), torch.tensor([4, 5])
    f = sae.encode(x[rows, places])
    off = f.argmax(dim=1)  # what fires now
    values = torch.tensor([2.0, 7.0])
    moved = steering.steer(sae, rows, places, up, values, off)(x)
    difference = moved - x
    expected = (values - f[rows, up])[:, None] * sae.decoder[up]
    expected = expected - f[rows, off][:, None] * sae.decoder[off]
    torch.testing.assert_close(difference[rows, places], expected * sae.scale)
    difference[rows, places] = 0
    assert not difference.any() and f[rows, off].min() > 0


@pytest.fixture
def levers(sae):
    memory = torch.randn(50, 1, 8)
    true = torch.arange(50) % 2 == 0
    asked = Asked(torch.arange(50), torch.zeros(50).long(), true, torch.arange(50), ~true & true)
    f = sae.encode(memory[:, 0])
    masculine, feminine = (f > 0).sum(dim=0).topk(2).indices.tolist()  # two that fire
    levers = steering.Levers(sae, memory, asked, feminine, masculine)
    assert levers.features.tolist() == [masculine, feminine]
    return levers, memory, asked


def test_the_levers_are_the_means_of_labelled_adjectives(levers):
    levers, memory, asked = levers
    means = [memory[chosen, 0].mean(dim=0) for chosen in (asked.true, ~asked.true)]
    torch.testing.assert_close(levers.difference, means[0] - means[1])
    fired = levers.sae.encode(memory[:, 0])[:, levers.features[1]]
    torch.testing.assert_close(levers.values[1], fired[fired > 0].mean())


def test_of_the_levers_the_random_pair_moves_as_far_as_the_two_features(levers):
    levers, memory, asked = levers
    batch = SimpleNamespace(rows=torch.arange(50), adjective=torch.zeros(50).long())
    edits = levers.edits(batch, ~asked.true, 2.0)
    two, random = (edits[way](memory) - memory for way in ("two features", steering.AT_RANDOM))
    torch.testing.assert_close(two.norm(dim=-1), random.norm(dim=-1))
    assert torch.cosine_similarity(two, random, dim=-1).abs().max() < 0.99
    assert set(levers.random.tolist()).isdisjoint(levers.features.tolist())


def test_outcomes_are_told_apart():
    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)[:5]
    batch = PronounBatch(translator, items)
    right = [translator.tgt.tokenizer(item.spanish) for item in items]
    places, ids = batch.adjective_out.tolist(), translator.tgt.vocab
    written = [list(words) for words in right]
    written[1][places[1]] = items[1].wrong
    written[2][places[2]] = "gatos"
    written[3][0] = "gatos"
    written[4] = written[4][:-1] + ["gatos", "gatos"]
    found = steering.each_outcome(translator, items, batch, [ids.encode(one) for one in written])
    assert found == ["unchanged", "flipped", "another adjective", "another word", "another word"]
    shares = steering.outcomes(translator, items, batch, [ids.encode(one) for one in written])
    assert shares == {
        "flipped": 0.2,
        "unchanged": 0.2,
        "another adjective": 0.2,
        "another word": 0.4,
    }
