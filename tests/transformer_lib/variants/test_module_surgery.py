"""Parts are exchanged in every place that is meant, and nowhere else."""

import math

import pytest
import torch
from torch import nn

from tests.transformer_lib.variants.changed_models import D_K, D_MODEL, H, small_model
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.layers import PositionwiseFeedForward
from transformer_lib.model.transformer import count_parameters
from transformer_lib.variants import (
    ModernAttention,
    NoPositions,
    RMSNorm,
    SwiGLU,
    muon,
    replace_modules,
    without_biases,
)


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


def test_exchanging_within_a_part_leaves_the_rest():
    model = small_model()
    replace_modules(model.decoder, "self_attn", lambda old: ModernAttention(D_MODEL, H))
    kinds = [type(layer.self_attn) for layer in (*model.encoder.layers, *model.decoder.layers)]
    assert kinds == [MultiHeadAttention] * 2 + [ModernAttention] * 2
    assert type(model.decoder.layers[0].cross_attn) is MultiHeadAttention


def test_exchanging_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no part 'lstm' in this Transformer"):
        replace_modules(small_model(), "lstm", lambda old: NoPositions())
    with pytest.raises(ValueError, match="no part RMSNorm in this Transformer"):
        replace_modules(small_model(), RMSNorm, lambda old: NoPositions())


def test_new_matrices_start_like_the_papers():
    # Xavier: uniform between -a and a, a = sqrt(6 / (in + out)), so nothing is larger
    model = small_model()
    replace_modules(model, "self_attn", lambda old: ModernAttention(D_MODEL, H, 1))
    attn = model.encoder.layers[0].self_attn
    for layer, out in ((attn.w_q, D_MODEL), (attn.w_k, D_K), (attn.w_o, D_MODEL)):
        bound = math.sqrt(6 / (D_MODEL + out))
        assert 0.9 * bound < layer.weight.abs().max() <= bound


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
    first, *rest = muon(model).param_groups
    spectral, others = first["params"], [p for group in rest for p in group["params"]]
    assert len(spectral) + len(others) == len(list(model.parameters()))

    def given(parameter, to):
        return any(parameter is one for one in to)

    for layer in (*model.encoder.layers, *model.decoder.layers):
        part = layer.feed_forward
        assert 0.9 * bound < part.proj.weight.abs().max() <= bound
        assert given(part.proj.weight, spectral) and given(layer.self_attn.w_q.weight, spectral)
        assert given(part.proj.bias, others) and given(part.scale, others)
    for words in (model.src_embed.table, model.tgt_embed.table, model.generator.proj):
        assert given(words.weight, others) and not given(words.weight, spectral)


def test_without_biases_nothing_is_added():
    model = small_model()
    without_biases(model)
    assert not any("bias" in name for name, _ in model.named_parameters())
    # Inside the layers: 4 networks with 31 + 24 biases, 10 norms with 24 shifts.
    assert count_parameters(small_model()) - count_parameters(model) == 4 * (31 + 24) + 10 * 24
