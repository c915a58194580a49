"""Sentences and controls for what depends on a head, on pairs that can be read."""

import re

import pytest
import torch

from course import experiments
from course.chapters.ch13_what_heads_learned.experiments import (
    LikingBatch,
    changed,
    first_test_sentences,
    largest_weights,
    noun_places,
    only_the_gender_flips,
    right_verbs,
    shuffled,
    to_the_letter,
)
from transformer_lib.interpret.patching import ablate_head, swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, agreement, head_accuracy, measurable
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import PAD
from transformer_lib.translator import SHIPPED_MODEL, Translator

LAYER, HEAD = "encoder.layers.1.self_attn", 2
CROSS = "decoder.layers.1.cross_attn"


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.fixture(scope="module")
def batch(translator):
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    return PronounBatch(translator, items[:40])


@pytest.mark.parametrize("keep", [(), ("adjective", "other")])
def test_shuffled_words_take_their_places_along(batch, keep):
    mixed = shuffled(batch, keep)
    assert not torch.equal(mixed.src, batch.src)
    assert torch.equal(mixed.src.sort().values, batch.src.sort().values)
    assert torch.equal(mixed.src == PAD, batch.src == PAD), "<eos> and padding stay"
    for name in ("adjective", "pronoun", "antecedent", "other"):
        before, after = getattr(batch, name), getattr(mixed, name)
        assert torch.equal(mixed.src[batch.rows, after], batch.src[batch.rows, before])
        assert torch.equal(before, after) == (name in keep)
    assert torch.equal(shuffled(batch, keep).src, mixed.src)
    assert not torch.equal(shuffled(batch, keep, seed=1).src, mixed.src)


def test_places_of_what_is_liked(translator):
    source, target = "I like trees".split(), "me gustan los árboles".split()
    assert noun_places(source, target) == [(2, 3, True)]
    assert noun_places("I like cats".split(), target) == []
    liked = LikingBatch(
        translator,
        [
            ("I like trees", "Me gustan los árboles"),
            ("I like the street", "Me gusta la calle"),  # liked in training too
            ("The king doesn't like drawing towers", "Al rey no le gusta dibujar torres"),
            ("I liked the tree", "Me gustó el árbol"),
        ],
    )
    assert liked.noun.tolist() == [2, 6, 3]
    assert liked.noun_out.tolist() == [3, 6, 3]
    assert liked.verb_out.tolist() == [1, 4, -1]
    assert liked.verb_shows_number == [("I like trees", "Me gustan los árboles")]
    assert translator.tgt.vocab.decode([liked.right[0], liked.wrong[0]]) == ["gustan", "gusta"]


def test_six_heads_change_more_than_a_tenth_and_two_of_them_are_known():
    results = experiments.load("heads-off")["results"]
    matter = sorted(
        (row for row in results if row["changed"] > 0.1), key=lambda row: row["changed"]
    )
    names = {(row["layer"], row["head"]) for row in matter}
    assert len(matter) == 6 and {(LAYER, HEAD), (CROSS, 0)} < names
    assert (matter[-1]["layer"], matter[-1]["head"]) == (LAYER, HEAD)


def test_what_is_stored_is_what_the_model_does(translator):
    stored = {(row["layer"], row["head"]): row for row in experiments.load("heads-off")["results"]}
    src = first_test_sentences(translator, 200)
    for layer, heads in largest_weights(translator, src).items():
        for head, largest in enumerate(heads):
            assert abs(stored[layer, head]["largest"] - largest) < 0.05
    for head in (("encoder.layers.1.self_attn", 2), ("decoder.layers.0.cross_attn", 3)):
        assert abs(changed(translator, src, *head) - stored[head]["changed"]) < 0.08


@pytest.fixture(scope="module")
def liked(translator):
    return LikingBatch(translator, english_spanish.load("gustar")[:400])


def test_a_head_that_decides_the_number_and_one_that_does_not(translator, liked):
    numbered = LikingBatch(translator, liked.verb_shows_number)
    off, other = {CROSS: ablate_head(0)}, {CROSS: ablate_head(1)}
    assert agreement(translator, numbered, off) < 0.6
    assert agreement(translator, numbered, other) > 0.97


def test_as_trained_the_sentences_of_the_swap_are_right_to_the_letter(translator):
    """Notebook 13 says in how many; what the swap does there stands in its output."""
    liked = LikingBatch(translator, english_spanish.load("gustar"))
    for pairs, right in ((liked.other_number, 90), (liked.same_number, 77)):
        two = LikingBatch(translator, pairs)
        assert to_the_letter(translator, two) * len(pairs) == pytest.approx(right, abs=0.5)


# --- what the notebook asks ---


@pytest.fixture(scope="module")
def all_items(translator):
    return measurable(translator, english_spanish.load_pronoun(), half=1)


def test_the_card_of_the_model_says_what_it_writes_without_the_head(translator, all_items):
    masculine = [item.right.removesuffix("s").endswith("o") for item in all_items]
    halves = [
        PronounBatch(
            translator, [one for one, o in zip(all_items, masculine, strict=True) if o == kind]
        )
        for kind in (True, False)
    ]
    right, wrong = (agreement(translator, half, {LAYER: ablate_head(HEAD)}) for half in halves)
    said = right * len(halves[0].rows) + (1 - wrong) * len(halves[1].rows)
    card = (SHIPPED_MODEL / "README.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"masculine in (\d+) % of the sentences", card)
    assert 100 * said / len(all_items) == pytest.approx(int(printed), abs=1)


def test_the_exchange_flips_the_gender_and_a_wrong_one_nothing(translator, all_items):
    items = all_items[:40]
    batch = PronounBatch(translator, items)
    nouns = batch.antecedent, batch.other
    right = {LAYER: swap_attention(batch.rows, HEAD, batch.adjective, *nouns)}
    wrong = {LAYER: swap_attention(batch.rows, HEAD, batch.pronoun, *nouns)}
    assert only_the_gender_flips(translator, items, batch, right) > 0.97
    other_gender = only_the_gender_flips(translator, items, batch, {})  # written as trained
    assert only_the_gender_flips(translator, items, batch, wrong) == other_gender < 0.03
    assert right_verbs(translator, batch, right) == right_verbs(translator, batch) == 1


def test_one_head_finds_the_noun_of_the_adjective_and_none_that_of_the_pronoun(
    translator, all_items
):
    table = head_accuracy(translator, PronounBatch(translator, all_items))
    found = {
        word: sorted((row for row in table if row["from"] == word), key=lambda row: row["right"])
        for word in ("adjective", "pronoun")
    }
    best = found["adjective"][-1]
    assert (best["layer"], best["head"]) == (LAYER, HEAD) and best["right"] > 0.98
    assert found["adjective"][-2]["right"] < 0.1
    assert found["pronoun"][-1]["right"] < found["pronoun"][-1]["other"] + 0.05 < 0.35


def test_sharp_and_needed_are_hardly_connected_but_24_points_say_little():
    results = experiments.load("heads-off")["results"]
    pairs = torch.tensor([[row["largest"], row["changed"]] for row in results])
    found = torch.corrcoef(pairs.T)[0, 1]
    around = 1.96 / (len(results) - 3) ** 0.5  # Fisher's transformation
    low, high = ((found.atanh() + way * around).tanh().item() for way in (-1, 1))
    assert (len(results), round(low, 1), round(high, 1)) == (24, -0.3, 0.5)
