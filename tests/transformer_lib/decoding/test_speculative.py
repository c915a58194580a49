"""Speculative decoding: the words of greedy decoding, whatever the draft writes."""

import copy

import pytest
import torch

from tests.transformer_lib.decoding.random_models import ALL_KINDS, MAX, babbler, endless
from transformer_lib.decoding import greedy_decode, speculative_decode
from transformer_lib.decoding.speculative import Writer
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS

SENTENCES = [[4, 5, 6], [7], [9, 8, 5, 4, 10], [6, 6, 4, 7]]


@ALL_KINDS
@pytest.mark.parametrize("ahead", [1, 3, 20])
@pytest.mark.slow
def test_the_words_are_those_of_greedy_decoding(ahead, norm_first, positions):
    model = babbler(0, norm_first, positions)
    rejected = kept = 0
    for draft in (babbler(1, norm_first), nearly(model), model):
        for ids in SENTENCES:
            src = source_batch([ids])
            found = speculative_decode(model, draft, src, ahead=ahead, max_length=MAX)
            assert found.ids == greedy_decode(model, src, max_length=MAX)[0]
            rejected += found.drafted - found.accepted
            kept += found.accepted
    assert rejected > 0 and kept > 0  # both ways were taken


def nearly(model):
    torch.manual_seed(2)
    other = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter += 0.05 * parameter.std() * torch.randn_like(parameter)
    return other


def test_a_draft_that_is_always_right_saves_most_steps():
    model = babbler()
    src = source_batch([SENTENCES[0]])
    written = greedy_decode(model, src, max_length=MAX)[0]
    found = speculative_decode(model, model, src, ahead=3, max_length=MAX)
    assert found.accepted == found.drafted
    steps = len(written) + (len(written) < MAX)  # one a word, and one for <eos>
    assert found.rounds == -(-steps // 4) < steps


def test_without_being_asked_it_writes_up_to_64_words_four_of_them_ahead():
    model = endless(babbler())
    found = speculative_decode(model, model, source_batch([SENTENCES[0]]))
    assert len(found.ids) == 64
    # four of the draft's and one of the model's own, but for the last four words
    assert (found.rounds, found.drafted, found.accepted) == (13, 12 * 4 + 3, 12 * 4 + 3)


@pytest.mark.parametrize("max_length", [1, 2, 3, 4])
def test_it_stops_where_greedy_decoding_stops(max_length):
    model, draft = babbler(), babbler(1)
    for ids in SENTENCES:
        src = source_batch([ids])
        found = speculative_decode(model, draft, src, ahead=4, max_length=max_length)
        assert found.ids == greedy_decode(model, src, max_length=max_length)[0]


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


def test_words_that_are_taken_back_leave_no_trace():
    model = babbler().eval()
    src = source_batch([SENTENCES[2]])
    with torch.inference_mode():
        one, other = Writer(model, src, MAX), Writer(model, src, MAX)
        one.best_after([BOS, 4, 5])
        one.rollback(2)
        other.best_after([BOS, 4])
        assert one.length == other.length == 2
        assert one.best_after([7, 8]) == other.best_after([7, 8])


def test_what_cannot_be_is_said():
    model = babbler()
    src = source_batch(SENTENCES[:1])
    with pytest.raises(ValueError, match="ahead=0 must be 1 or more"):
        speculative_decode(model, model, src, ahead=0)
    with pytest.raises(ValueError, match="src has 2 sentences"):
        speculative_decode(model, model, source_batch(SENTENCES[:2]))
    with pytest.raises(ValueError, match="src has 0 sentences"):
        speculative_decode(model, model, src[:0])
    with pytest.raises(ValueError, match="writes 11 words and the draft 12"):
        speculative_decode(model, babbler(tgt_vocab_size=12), src)
    with pytest.raises(ValueError, match="max_length=0"):
        speculative_decode(model, model, src, max_length=0)
