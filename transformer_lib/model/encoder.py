"""The encoder: N layers that turn the source words into vectors that know their sentence."""

from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection, final_norm


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each with its way around (section 3.1).

    x (b, s, d_model), src_mask (b, 1, 1, s) -> (b, s, d_model).
    """

    def __init__(
        self, d_model: int, d_ff: int, h: int, dropout: float = 0.1, norm_first: bool = False
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, h)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.residual_self_attn = SublayerConnection(d_model, dropout, norm_first)
        self.residual_feed_forward = SublayerConnection(d_model, dropout, norm_first)

    def forward(self, x: Tensor, *, src_mask: Tensor | None = None) -> Tensor:
        x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))
        return self.residual_feed_forward(x, self.feed_forward)


class Encoder(nn.Module):
    """N encoder layers, alike in structure, each with weights of its own."""

    def __init__(
        self,
        N: int,
        d_model: int,
        d_ff: int,
        h: int,
        dropout: float = 0.1,
        norm_first: bool = False,
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, d_ff, h, dropout, norm_first) for _ in range(N)
        )
        self.norm = final_norm(d_model, norm_first)

    def forward(self, x: Tensor, *, src_mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, src_mask=src_mask)
        return self.norm(x)
