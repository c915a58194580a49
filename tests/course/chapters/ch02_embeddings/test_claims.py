"""What notebook 02 says where no output of a cell shows it."""

import pytest
import torch

from course.chapters.ch02_embeddings.figures import first_tables, flat_map, neighbor_shares
from course.grammar.classes import english_class
from transformer_lib import Embeddings, Translator, positional_encoding


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_most_nouns_lie_apart_on_the_map_but_not_all(translator):
    places, _ = flat_map(translator.model.src_embed.table.weight)
    is_noun = torch.tensor(
        [english_class(word).part == "noun" for word in translator.src.vocab.tokens]
    )
    far = torch.cdist(torch.tensor(places), torch.tensor(places)).fill_diagonal_(torch.inf)
    of_a_kind = (is_noun[far.argmin(dim=1)] == is_noun).float().mean()
    assert 0.9 < of_a_kind < 0.96  # about half by chance


def test_two_dimensions_keep_12_percent_of_the_nouns_and_7_of_all_words(translator):
    table = translator.model.src_embed.table.weight.detach()
    parts = [english_class(word).part for word in translator.src.vocab.tokens]
    nouns = [place for place, part in enumerate(parts) if part == "noun"]
    assert [round(float(flat_map(rows)[1]), 2) for rows in (table, table[nouns])] == [0.07, 0.12]


def test_without_the_factor_words_at_a_place_are_the_more_alike_the_wider():
    alike = []
    for width in (8, 32, 128, 512):
        torch.manual_seed(0)
        row = Embeddings(1000, width).table.weight.detach()
        sums = row + positional_encoding(50, width)[10]
        alike.append(torch.cosine_similarity(sums[::2], sums[1::2]).mean().item())
    assert alike == sorted(alike) and alike[0] < 0.9 and alike[-1] > 0.99


def test_unk_and_some_other_spanish_rows_are_as_far_from_their_start_as_random_ones(translator):
    _, start = first_tables()
    trained = translator.model.tgt_embed.table.weight.detach()
    cosines = torch.cosine_similarity(start, trained)
    spread = torch.cosine_similarity(*torch.randn(2, 10_000, 128)).std()
    assert spread == pytest.approx(0.09, abs=0.005)
    unk = cosines[translator.tgt.vocab.tokens.index("<unk>")]
    assert unk == cosines.min() and unk == pytest.approx(-0.08, abs=0.005)
    assert (cosines.abs() < spread).sum() > 10


def test_the_neighbors_of_trees_are_masculine_plurals(translator):
    table = torch.nn.functional.normalize(translator.model.src_embed.table.weight.detach(), dim=-1)
    words = translator.src.vocab.tokens
    near = (table @ table[words.index("trees")]).topk(6).indices[1:]
    kinds = [english_class(words[i]) for i in near]
    assert {(kind.gender, kind.number) for kind in kinds} == {("m", "many")}


def test_neighbors_share_their_grammar_nearly_always_and_their_field_in_half_of_the_cases(
    translator,
):
    shares = neighbor_shares(translator.model.src_embed.table.weight)
    assert shares["nouns: same number"] > 0.95 and shares["nouns: same gender in Spanish"] > 0.95
    assert 0.4 < shares["nouns: same field (food, pet …)"] < 0.65
