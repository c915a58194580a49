"""The same layers by `torch.nn`, with weights copied from ours, for tests that compare the two.

Two habits of torch.nn to know: its attention layers have biases (set to zero here, for the paper
has none), and its masks say True = hidden, where ours say True = may attend.
"""

import torch
from torch import nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.encoder import Encoder, EncoderLayer


@torch.no_grad()
def randomize(module: nn.Module) -> nn.Module:
    """Random numbers for all weights, those of the norms too, which start as ones and zeros.

    Then a test sees when two norms have changed places. In double precision, so that two ways to
    compute the same thing agree to many digits.
    """
    module.double()
    for parameter in module.parameters():
        parameter.normal_(std=0.5)
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


def layer_settings(ours: EncoderLayer | DecoderLayer, dropout: float) -> dict:
    return {
        "d_model": ours.feed_forward.w_1.in_features,
        "nhead": ours.self_attn.h,
        "dim_feedforward": ours.feed_forward.w_1.out_features,
        "dropout": dropout,
        "norm_first": ours.residual_self_attn.norm_first,
        "batch_first": True,
        "dtype": torch.float64,
    }


def encoder_layer_twin(ours: EncoderLayer, dropout: float = 0.0) -> nn.TransformerEncoderLayer:
    theirs = nn.TransformerEncoderLayer(**layer_settings(ours, dropout))
    copy_attention(ours.self_attn, theirs.self_attn)
    theirs.norm1.load_state_dict(ours.residual_self_attn.norm.state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
    theirs.norm2.load_state_dict(ours.residual_feed_forward.norm.state_dict())
    return theirs


def decoder_layer_twin(ours: DecoderLayer, dropout: float = 0.0) -> nn.TransformerDecoderLayer:
    theirs = nn.TransformerDecoderLayer(**layer_settings(ours, dropout))
    copy_attention(ours.self_attn, theirs.self_attn)
    theirs.norm1.load_state_dict(ours.residual_self_attn.norm.state_dict())
    copy_attention(ours.cross_attn, theirs.multihead_attn)
    theirs.norm2.load_state_dict(ours.residual_cross_attn.norm.state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
    theirs.norm3.load_state_dict(ours.residual_feed_forward.norm.state_dict())
    return theirs


def final_norm_twin(ours: Encoder | Decoder) -> nn.LayerNorm | None:
    """Torch's stacks take the norm after the last layer as a choice: pre-norm needs it."""
    if not ours.layers[0].residual_self_attn.norm_first:
        return None
    theirs = nn.LayerNorm(ours.layers[0].feed_forward.w_1.in_features).double()
    theirs.load_state_dict(ours.norm.state_dict())
    return theirs


def encoder_twin(ours: Encoder) -> nn.TransformerEncoder:
    theirs = nn.TransformerEncoder(
        encoder_layer_twin(ours.layers[0]), len(ours.layers), enable_nested_tensor=False
    )
    theirs.layers = nn.ModuleList(encoder_layer_twin(layer) for layer in ours.layers)
    theirs.norm = final_norm_twin(ours)
    return theirs


def decoder_twin(ours: Decoder) -> nn.TransformerDecoder:
    theirs = nn.TransformerDecoder(decoder_layer_twin(ours.layers[0]), len(ours.layers))
    theirs.layers = nn.ModuleList(decoder_layer_twin(layer) for layer in ours.layers)
    theirs.norm = final_norm_twin(ours)
    return theirs


def transformer_twin(encoder: Encoder, decoder: Decoder) -> nn.Transformer:
    first = encoder.layers[0]
    theirs = nn.Transformer(
        d_model=first.feed_forward.w_1.in_features, nhead=first.self_attn.h, batch_first=True
    )
    # put in afterwards, for nn.Transformer draws new weights for what it is made of
    theirs.encoder, theirs.decoder = encoder_twin(encoder), decoder_twin(decoder)
    return theirs
