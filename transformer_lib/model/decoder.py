"""The decoder: N layers that read the target words so far and the encoder's output, the memory."""

from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection, final_norm


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the memory, feed-forward network (section 3.1).

    x (b, t, d_model), memory (b, s, d_model), tgt_mask (b, 1, t, t), src_mask (b, 1, 1, s)
    -> (b, t, d_model). The queries of cross_attn come from the decoder, its keys and values from
    the memory.
    """

    def __init__(
        self, d_model: int, d_ff: int, h: int, dropout: float = 0.1, norm_first: bool = False
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, h)
        self.cross_attn = MultiHeadAttention(d_model, h)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.residual_self_attn = SublayerConnection(d_model, dropout, norm_first)
        self.residual_cross_attn = SublayerConnection(d_model, dropout, norm_first)
        self.residual_feed_forward = SublayerConnection(d_model, dropout, norm_first)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        *,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
    ) -> Tensor:
        x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=tgt_mask))
        x = self.residual_cross_attn(x, lambda x: self.cross_attn(x, memory, memory, mask=src_mask))
        return self.residual_feed_forward(x, self.feed_forward)


class Decoder(nn.Module):
    """N decoder layers, each with keys and values of its own for the memory."""

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
            DecoderLayer(d_model, d_ff, h, dropout, norm_first) for _ in range(N)
        )
        self.norm = final_norm(d_model, norm_first)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        *,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, tgt_mask=tgt_mask, src_mask=src_mask)
        return self.norm(x)
