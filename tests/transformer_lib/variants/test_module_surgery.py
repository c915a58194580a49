"""Parts are exchanged in every place that is meant, and nowhere else."""

import math

import torch
from torch import nn

from tests.transformer_lib.variants.changed_models import D_MODEL, small_model
from transformer_lib.model.layers import PositionwiseFeedForward
from transformer_lib.model.transformer import count_parameters
from transformer_lib.variants import SwiGLU, muon, replace_modules, without_biases


def test_exchanging_puts_the_part_in_every_place_and_nowhere_else():
    model = small_model()
    before = dict(model.named_modules())
    assert replace_modules(model, "feed_forward", SwiGLU.as_large_as) is model
    after = dict(model.named_modules())
    changed_places = {name for name in before if "feed_forward" in name and "residual" not in name}
    networks = [part for part in after.values() if isinstance(part, SwiGLU)]
    assert len(networks) == 4 and len(set(map(id, networks))) == 4
    assert not any(isinstance(part, PositionwiseFeedForward) for part in after.values())
    same = before.keys() - changed_places
    assert len(same) > 40 and all(after[name] is before[name] for name in same)


class Gated(nn.Module):
    """A part that nobody here has heard of, with names of its own."""

    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(D_MODEL, D_MODEL)
        self.scale = nn.Parameter(torch.ones(D_MODEL))

    def forward(self, x):
        return x * self.proj(x).sigmoid() * self.scale


def test_a_new_layer_is_initialized_and_given_to_the_right_optimizer_whatever_its_name():
    model = replace_modules(small_model(tie_weights="target"), "feed_forward", lambda old: Gated())
    bound = math.sqrt(6 / (2 * D_MODEL))
    inside = {id(parameter) for parameter in muon(model).param_groups[0]["params"]}
    for layer in (*model.encoder.layers, *model.decoder.layers):
        part = layer.feed_forward
        assert 0.9 * bound < part.proj.weight.abs().max() <= bound
        given = (part.proj.weight, layer.self_attn.w_q.weight, part.proj.bias, part.scale)
        assert [id(parameter) in inside for parameter in given] == [True, True, False, False]
    words = (model.src_embed.table, model.tgt_embed.table, model.generator.proj)
    assert not any(id(one.weight) in inside for one in words)


def test_without_biases_nothing_is_added():
    model = small_model()
    without_biases(model)
    assert not any("bias" in name for name, _ in model.named_parameters())
    # Inside the layers: 4 networks with 31 + 24 biases, 10 norms with 24 shifts.
    assert count_parameters(small_model()) - count_parameters(model) == 4 * (31 + 24) + 10 * 24
