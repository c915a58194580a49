"""What holds of every new part in the place of one of the paper's: it learns, caches, hides."""

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.small_inputs import SRC, TGT_IN
from tests.transformer_lib.variants.changed_models import CHANGES, changed, small_model
from transformer_lib.decoding import DecoderState
from transformer_lib.text.batching import source_batch

close = torch.testing.assert_close

EVERY_CHANGE = pytest.mark.parametrize("name", CHANGES)


@EVERY_CHANGE
def test_every_part_learns_and_no_parameter_is_left_out(name):
    model = small_model()
    CHANGES[name](model)
    src, tgt_in = torch.randint(4, 11, (2, 17, 13))  # words enough for every expert
    model(src, tgt_in).square().sum().backward()
    idle = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert idle == []


SOURCES = source_batch([[5, 6, 7], [8], [9, 10, 5, 6, 7, 8], [4, 4]])


@EVERY_CHANGE
def test_with_a_cache_it_thinks_the_same(name):
    # whatever the words are, also when the rows of the batch change places
    model = changed(name)
    cached, plain = (DecoderState(model, SOURCES, 9, cache=cache) for cache in (True, False))
    for place in range(9):
        with torch.no_grad():
            close(cached.next_logits(), plain.next_logits())
        words, rows = torch.randint(3, 11, (4,)), torch.randperm(4)
        for state in (cached, plain):
            state.append(words)
            if place == 4:
                state.select(rows)


@EVERY_CHANGE
def test_no_part_sees_the_future(name):
    model = changed(name)
    later = TGT_IN.clone()
    later[1, 3:] = torch.tensor([9, 10])
    before, after = model(SRC, TGT_IN)[1], model(SRC, later)[1]
    close(before[:3], after[:3])
    assert (before[3:] - after[3:]).abs().max() > 1e-3


@EVERY_CHANGE
def test_padding_changes_nothing(name):
    model = changed(name)
    wider = F.pad(SRC, (0, 3))
    close(model(wider, TGT_IN), model(SRC, TGT_IN))
    close(model(SRC[1:2, :4], TGT_IN[1:2]), model(SRC, TGT_IN)[1:2])
