"""Steering changes one word by the directions it is told, and outcomes are counted by hand."""

import pytest
import torch

from course.chapters.ch20_features import steering
from course.chapters.ch20_features.labels import Asked
from transformer_lib.interpret.pronouns import PronounBatch, measurable
from transformer_lib.text import english_spanish
from transformer_lib.variants.sae import SparseAutoencoder


@pytest.fixture
def sae():
    torch.manual_seed(0)
    sae = SparseAutoencoder(8, 20, k=4).requires_grad_(False)
    sae.fit_scale(3 * torch.randn(100, 8) + 1)
    return sae


def test_a_change_sets_one_feature_and_turns_another_off(sae):
    x, up, values = torch.randn(2, 8), torch.tensor([4, 5]), torch.tensor([2.0, 7.0])
    f, rows = sae.encode(x), torch.arange(2)
    off = f.argmax(dim=1)  # what fires now
    expected = (values - f[rows, up])[:, None] * sae.decoder[up]
    expected = expected - f[rows, off][:, None] * sae.decoder[off]
    torch.testing.assert_close(steering.change(sae, x, up, values, off), expected * sae.scale)
    assert f[rows, off].min() > 0


def test_only_the_named_word_is_pushed():
    x, by = torch.randn(2, 5, 8), torch.randn(2, 8)
    moved = steering.push(torch.arange(2), torch.tensor([1, 3]), by)(x) - x
    torch.testing.assert_close(torch.stack([moved[0, 1], moved[1, 3]]), by)
    moved[0, 1] = moved[1, 3] = 0
    assert not moved.any()


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


def test_changes_at_random_are_as_long_as_what_they_are_compared_with(levers):
    levers, memory, asked = levers
    x, goal = memory[:, 0], (~asked.true).long()
    two = levers.changes(x, ~asked.true, 2.0)["two features"]
    (pair,) = steering.random_pairs(20, 1)
    other = steering.as_long(levers.of_pair(pair, x, goal, 2.0), two)
    torch.testing.assert_close(two.norm(dim=-1), other.norm(dim=-1))
    assert torch.cosine_similarity(two, other, dim=-1).abs().max() < 0.99


def test_the_difference_of_means_is_added_for_feminine_and_taken_off_for_masculine(levers):
    levers, memory, asked = levers
    by = levers.changes(memory[:, 0], ~asked.true, 2.0)["difference of means"]
    torch.testing.assert_close(by[1], 2 * levers.difference)  # masculine now
    torch.testing.assert_close(by[0], -2 * levers.difference)


@pytest.fixture(scope="module")
def every(translator):
    return measurable(translator, english_spanish.load_pronoun(), half=1)


def test_outcomes_are_told_apart(translator, every):
    items = every[:5]
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
    told = steering.told(items, found)
    assert [told[name] for name in steering.OUTCOMES] == [0.2, 0.2, 0.2, 0.4]
    several = sum(item.right.endswith("s") for item in items)
    counts = {name: one["sentences"] for name, one in told["by number"].items()}
    assert counts.get("several", 0) == several and sum(counts.values()) == 5


def test_without_steering_two_plural_adjectives_have_the_wrong_gender(translator, every):
    """As many as two features turn, if they are named by gender alone."""
    several = [item for item in every if item.right.endswith("s")]
    for items, wrong in (every, (498, 3)), (several, (226, 2)):
        half = steering.Half(translator, items)
        found = half.next_word(torch.zeros_like(half.x))["flipped"]
        assert (len(items), round(found * len(items))) == wrong
