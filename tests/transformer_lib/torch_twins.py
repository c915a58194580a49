"""The same stacks by `torch.nn`, with weights copied from ours, for tests that compare the two.

Two habits of torch.nn to know: its attention layers have biases (set to zero here, for the paper
has none), and its masks say True = hidden, where ours say True = may attend.
"""

import torch
from torch import nn

from transformer_lib import Decoder, Encoder, MultiHeadAttention


@torch.no_grad()
def randomize(module: nn.Module, std: float = 0.5) -> nn.Module:
    """Random numbers for all weights, those of the norms too, which start as ones and zeros.

    Then a test sees when two norms have changed places. In double precision, so that two ways to
    compute the same thing agree to many digits.
    """
    module.double()
    for parameter in module.parameters():
        parameter.normal_(std=std)
    return module


@torch.no_grad()
def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
    theirs.in_proj_bias.zero_()
    theirs.out_proj.weight.copy_(ours.w_o.weight)
    theirs.out_proj.bias.zero_()


def attention_twin(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(ours.w_q.in_features, ours.h, batch_first=True).double()
    copy_attention(ours, theirs)
    return theirs


def stack_twin(ours: Encoder | Decoder) -> nn.TransformerEncoder | nn.TransformerDecoder:
    """Also of a language model, which has an encoder's layers."""
    layers, pre_norm = [], ours.layers[0].residual_self_attn.norm_first
    for layer in ours.layers:
        both = hasattr(layer, "cross_attn")
        theirs = (nn.TransformerDecoderLayer if both else nn.TransformerEncoderLayer)(
            layer.feed_forward.w_1.in_features,
            layer.self_attn.h,
            layer.feed_forward.w_1.out_features,
            dropout=0.0,
            norm_first=pre_norm,
            batch_first=True,
            dtype=torch.float64,
        )
        copy_attention(layer.self_attn, theirs.self_attn)
        around = [layer.residual_self_attn, layer.residual_feed_forward]
        if both:
            copy_attention(layer.cross_attn, theirs.multihead_attn)
            around.insert(1, layer.residual_cross_attn)
        for number, residual in enumerate(around, start=1):
            getattr(theirs, f"norm{number}").load_state_dict(residual.norm.state_dict())
        theirs.linear1.load_state_dict(layer.feed_forward.w_1.state_dict())
        theirs.linear2.load_state_dict(layer.feed_forward.w_2.state_dict())
        layers.append(theirs)
    if both:
        stack = nn.TransformerDecoder(theirs, len(layers))
    else:
        stack = nn.TransformerEncoder(theirs, len(layers), enable_nested_tensor=False)
    stack.layers = nn.ModuleList(layers)
    if pre_norm:  # torch's stacks take the norm after the last layer as a choice
        stack.norm = nn.LayerNorm(ours.norm.normalized_shape).double()
        stack.norm.load_state_dict(ours.norm.state_dict())
    return stack
