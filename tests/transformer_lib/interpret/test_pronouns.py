"""Which head finds the noun of *it*, and what hangs on it: with random weights, by hand."""

import pytest
import torch

from tests.transformer_lib.pronoun_items import item, pair, small_translator
from transformer_lib.interpret.pronouns import PronounBatch, agreement, measurable


@pytest.fixture
def translator():
    return small_translator()


def test_the_places_are_those_of_the_words(translator):
    batch = PronounBatch(translator, pair(1))
    src, tgt = translator.src.vocab.tokens, translator.tgt.vocab.tokens
    for row, adjective, noun, right in (
        (0, "tired", "animal", "cansado"),
        (1, "wide", "street", "ancha"),
    ):
        ids = batch.src[row]
        assert src[ids[batch.adjective[row]]] == adjective
        assert src[ids[batch.pronoun[row]]] == "it"
        assert src[ids[batch.antecedent[row]]] == noun
        assert tgt[batch.tgt_out[row, batch.adjective_out[row]]] == right
        assert tgt[batch.tgt_out[row, batch.pronoun_out[row]]] == ("estaba", "era")[row]


def test_agreement_compares_the_two_genders(translator):
    batch = PronounBatch(translator, pair(1))
    ids = translator.tgt.vocab.ids
    with torch.no_grad():  # cansado before cansada, but ancho before ancha: one of two is right
        proj = translator.model.generator.proj.weight
        x = translator.model.eval()
        hidden = x.decode(batch.tgt_in, x.encode(batch.src), batch.src)
        first, second = hidden[batch.rows, batch.adjective_out]
        proj[ids["cansado"]], proj[ids["cansada"]] = first, -first
        proj[ids["ancho"]], proj[ids["ancha"]] = second, -second
    assert agreement(translator, batch) == 0.5


def test_two_pairs_together_go_to_one_half_and_the_next_two_to_the_other(translator):
    items = [one for number in range(1, 10) for one in pair(number)]
    halves = [[one.pair for one in measurable(translator, items, half)] for half in (0, 1)]
    assert halves == [[1, 1, 4, 4, 5, 5, 8, 8, 9, 9], [2, 2, 3, 3, 6, 6, 7, 7]]
    unknown = [item(right="rojo", pair=2), item(wrong="roja")]
    assert not any(measurable(translator, unknown, half) for half in (0, 1))
