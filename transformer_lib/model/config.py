"""The sizes of a Transformer, by the paper's names (section 3, Table 3)."""

from dataclasses import dataclass

from transformer_lib.checks import instance, number, whole

TIES = ("none", "target", "all")  # which embeddings share the generator's matrix
POSITIONS = ("paper", "tensor2tensor", "learned")


@dataclass(frozen=True)
class ModelConfig:
    """The sizes and kinds of a Transformer's parts; the defaults are the paper's base model.

    N: number of layers in the encoder, and in the decoder.
    d_model: size of the vector of each word, the same between all layers.
    d_ff: width of the feed-forward network inside a layer.
    h: number of attention heads; each works on d_k = d_model / h numbers.
    dropout: probability that a number is set to zero in training (section 5.4).
    norm_first: False normalizes after the residual sum, as the paper does (post-norm);
        True normalizes a sub-layer's input, as most newer models do (pre-norm).
    tie_weights: "none"; "target" uses one matrix for the target embeddings and the generator;
        "all" uses it for the source embeddings too (section 3.4; needs one shared vocabulary).
    positions: "paper" and "tensor2tensor" are computed, "learned" is trained (section 3.5).

    Raises ValueError for a value out of range, or if h doesn't divide d_model; TypeError for text
    or anything else in place of a number.
    """

    N: int = 6
    d_model: int = 512
    d_ff: int = 2048
    h: int = 8
    dropout: float = 0.1
    norm_first: bool = False
    tie_weights: str = "none"
    positions: str = "paper"

    def __post_init__(self) -> None:
        for name in ("N", "d_model", "d_ff", "h"):
            whole(name, getattr(self, name))
        if self.d_model % self.h:
            raise ValueError(f"d_model={self.d_model} must be divisible by h={self.h}")
        number("dropout", self.dropout)
        instance("norm_first", self.norm_first, bool)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout={self.dropout} must be at least 0 and less than 1")
        if self.tie_weights not in TIES:
            raise ValueError(f"tie_weights={self.tie_weights!r} must be one of {', '.join(TIES)}")
        if self.positions not in POSITIONS:
            raise ValueError(f"positions={self.positions!r} must be one of {', '.join(POSITIONS)}")


TOY = ModelConfig(N=2, d_model=32, d_ff=64, h=4, dropout=0.0, norm_first=True)  # for digits
SMALL = ModelConfig(N=2, d_model=128, d_ff=512, h=4)  # for short sentences
BASE = ModelConfig()  # the paper's base model (Table 3)
BIG = ModelConfig(d_model=1024, d_ff=4096, h=16, dropout=0.3)  # the paper's big model (Table 3)
