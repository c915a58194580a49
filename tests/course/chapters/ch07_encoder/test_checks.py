"""What the exercises of notebook 07 are about is as they say."""

import torch
import torch.nn.functional as F

from course.chapters.ch07_encoder import checks as check
from transformer_lib import (
    EncoderLayer,
    MultiHeadAttention,
    PositionwiseFeedForward,
    count_parameters,
)


def test_the_parameters_are_those_of_the_library():
    right = check.layer_parameters.right
    assert sum(right) == count_parameters(EncoderLayer(512, 2048, 8))
    attention = count_parameters(MultiHeadAttention(512, 8))
    assert right[0] == attention

    def apart(wide):
        return abs(count_parameters(PositionwiseFeedForward(512, wide)) - attention)

    assert min(range(1020, 1027), key=apart) == check.as_many_as_attention.right


def test_four_norms():
    norms, x = check.norms(), 3 * torch.randn(2, 5, 7) + 1
    torch.testing.assert_close(norms["B"](x), F.layer_norm(x, (7,)))
    torch.testing.assert_close(norms["D"](x), F.rms_norm(x, (7,), eps=1e-5))
    batch = F.batch_norm(x.mT, None, None, training=True).mT
    torch.testing.assert_close(norms["C"](x), batch)
    torch.testing.assert_close(norms["A"](x), F.layer_norm(x, (5, 7)))


def test_the_suspect_has_one_fault_that_can_be_measured():
    suspect, x = check.suspect(), torch.randn(2, 5, 32)
    silent, whole = [], []
    for number, layer in enumerate(suspect.layers):
        for around in (layer.residual_self_attn, layer.residual_feed_forward):
            said = around(x, torch.zeros_like)
            silent.append((number, said.abs().max().item() < 1e-6))
            whole.append(torch.allclose(around(x, torch.sin)[:1], around(x[:1], torch.sin)))
        nudged = x.clone()
        nudged[0, 2] += 1
        moves = (layer.feed_forward(nudged) != layer.feed_forward(x)).any(-1)
        assert moves.sum() == 1
        torch.testing.assert_close(layer(x).square().mean(-1), torch.ones(2, 5), atol=1e-2, rtol=0)
    assert [number for number, yes in silent if yes] == [check.FAULTY_LAYER] and all(whole)
