"""What is stored of heads, measured again on the shipped model, and what is told of them."""

import re

import pytest
import torch

from course import experiments
from course.chapters.ch13_what_heads_learned.experiments import (
    LikingBatch,
    changed,
    first_test_sentences,
    largest_weights,
    to_the_letter,
)
from transformer_lib.interpret.patching import ablate_head
from transformer_lib.interpret.pronouns import PronounBatch, agreement, measurable
from transformer_lib.text import english_spanish
from transformer_lib.translator import SHIPPED_MODEL

LAYER, HEAD = "encoder.layers.1.self_attn", 2


def test_what_is_stored_is_what_the_model_does(translator):
    stored = {(row["layer"], row["head"]): row for row in experiments.load("heads-off")["results"]}
    src = first_test_sentences(translator, 200)
    for layer, heads in largest_weights(translator, src).items():
        for head, largest in enumerate(heads):
            assert abs(stored[layer, head]["largest"] - largest) < 0.05
    for head in (("encoder.layers.1.self_attn", 2), ("decoder.layers.0.cross_attn", 3)):
        assert abs(changed(translator, src, *head) - stored[head]["changed"]) < 0.08


def test_as_trained_the_sentences_of_the_swap_are_right_to_the_letter(translator):
    """Notebook 13 says in how many; what the swap does there stands in its output."""
    liked = LikingBatch(translator, english_spanish.load("gustar"))
    for pairs, right in ((liked.other_number, 90), (liked.same_number, 77)):
        two = LikingBatch(translator, pairs)
        assert to_the_letter(translator, two) * len(pairs) == pytest.approx(right, abs=0.5)


def test_the_card_of_the_model_says_what_it_writes_without_the_head(translator):
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    off, masculine = {LAYER: ablate_head(HEAD)}, 0
    for ending in "oa":
        some = [item for item in items if item.right.removesuffix("s").endswith(ending)]
        right = agreement(translator, PronounBatch(translator, some), off)
        masculine += len(some) * (right if ending == "o" else 1 - right)
    card = (SHIPPED_MODEL / "README.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"masculine in (\d+) % of the sentences", card)
    assert 100 * masculine / len(items) == pytest.approx(int(printed), abs=1)


def test_sharp_and_needed_are_hardly_connected_but_24_points_say_little():
    results = experiments.load("heads-off")["results"]
    pairs = torch.tensor([[row["largest"], row["changed"]] for row in results])
    found = torch.corrcoef(pairs.T)[0, 1]
    around = 1.96 / (len(results) - 3) ** 0.5  # Fisher's transformation
    low, high = ((found.atanh() + way * around).tanh().item() for way in (-1, 1))
    assert (len(results), round(low, 1), round(high, 1)) == (24, -0.3, 0.5)
