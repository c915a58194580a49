"""Speculative decoding: the words of greedy decoding, whatever the draft writes."""

import copy

import pytest
import torch

from tests.transformer_lib.decoding.random_models import MAX, babbler, endless
from transformer_lib.decoding import speculative_decode
from transformer_lib.text.batching import source_batch

SENTENCES = [[4, 5, 6], [7], [9, 8, 5, 4, 10], [6, 6, 4, 7]]


def nearly(model):
    torch.manual_seed(2)
    other = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter += 0.05 * parameter.std() * torch.randn_like(parameter)
    return other


def test_without_being_asked_it_writes_up_to_64_words_four_of_them_ahead():
    model = endless(babbler())
    found = speculative_decode(model, model, source_batch([SENTENCES[0]]))
    assert len(found.ids) == 64
    # four of the draft's and one of the model's own, but for the last four words
    assert (found.rounds, found.drafted, found.accepted) == (13, 12 * 4 + 3, 12 * 4 + 3)


@pytest.mark.parametrize("ahead", [1, 3])
def test_no_more_is_taken_back_than_was_wrong(ahead):
    """In each round the model reads its own last word and the guesses, and no word again.

    The draft reads what it writes, and after a round that was all right also its own last word.
    """
    model = babbler()
    for draft in (babbler(1), nearly(model), copy.deepcopy(model)):
        read, drafts = (words_read(each) for each in (model, draft))
        found = speculative_decode(
            model, draft, source_batch([SENTENCES[0]]), ahead=ahead, max_length=MAX
        )
        assert sum(read) == found.rounds + found.drafted
        assert found.drafted <= sum(drafts) <= found.drafted + found.accepted // ahead
        model.tgt_embed._forward_hooks.clear()


def words_read(model):
    """A list that grows with each step of the decoder, by the number of words that it reads."""
    counts = []
    model.tgt_embed.register_forward_hook(lambda _, given, __: counts.append(given[0].numel()))
    return counts
