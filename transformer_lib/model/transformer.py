"""The whole Transformer: source ids and target ids in, a score for every possible next word out."""

import dataclasses
from typing import Any

from torch import Tensor, nn

from transformer_lib.checks import instance
from transformer_lib.ids import check_ids
from transformer_lib.model.config import BASE, ModelConfig
from transformer_lib.model.decoder import Decoder
from transformer_lib.model.embedding import Embeddings, LearnedPositions, PositionalEncoding
from transformer_lib.model.encoder import Encoder
from transformer_lib.model.layers import initialize
from transformer_lib.model.masks import causal_mask, padding_mask


class Generator(nn.Module):
    """x W: a decoder vector -> one logit for each word of the target vocabulary (section 3.4).

    (…, d_model) -> (…, vocab_size). `logits.log_softmax(-1)` turns them into log-probabilities.
    """

    def __init__(self, d_model: int, vocab_size: int):
        super().__init__()
        self.proj = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(x)


class Transformer(nn.Module):
    """Encoder and decoder with embeddings at the bottom and the generator at the top (Figure 1).

    src (b, s) ids and tgt_in (b, t) ids, padded with PAD on the right -> logits (b, t, vocab_size).
    The masks are made here, from the ids, so that no caller can forget one. Errors: `check_ids`.
    """

    def __init__(self, src_vocab_size: int, tgt_vocab_size: int, config: ModelConfig):
        super().__init__()
        instance("config", config, ModelConfig)
        check_ties(config.tie_weights, src_vocab_size, tgt_vocab_size)
        self.config = config
        sizes = (config.N, config.d_model, config.d_ff, config.h, config.dropout)
        self.src_embed = Embeddings(src_vocab_size, config.d_model)
        self.tgt_embed = Embeddings(tgt_vocab_size, config.d_model)
        self.src_positions = make_positions(config)
        self.tgt_positions = make_positions(config)
        self.encoder = Encoder(*sizes, config.norm_first)
        self.decoder = Decoder(*sizes, config.norm_first)
        self.generator = Generator(config.d_model, tgt_vocab_size)

        initialize(self)
        if config.tie_weights in ("target", "all"):
            self.generator.proj.weight = self.tgt_embed.table.weight
        if config.tie_weights == "all":
            self.src_embed.table.weight = self.tgt_embed.table.weight

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.generator(self.decode(tgt_in, self.encode(src), src))

    def encode(self, src: Tensor) -> Tensor:
        """(b, s) ids -> memory (b, s, d_model). Needed once per sentence."""
        check_ids("src", src, self.src_embed.table.num_embeddings)
        x = self.src_positions(self.src_embed(src))
        return self.encoder(x, src_mask=padding_mask(src))

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """(b, t) ids and the memory of src -> (b, t, d_model), all positions at once."""
        check_ids("tgt_in", tgt_in, self.tgt_embed.table.num_embeddings)
        x = self.tgt_positions(self.tgt_embed(tgt_in))
        tgt_mask = padding_mask(tgt_in) & causal_mask(tgt_in.size(1), tgt_in.device)
        return self.decoder(x, memory, tgt_mask=tgt_mask, src_mask=padding_mask(src))


def check_ties(tie_weights: str, src_vocab_size: int, tgt_vocab_size: int) -> None:
    """Raises ValueError when both sides are to share one table and their sizes differ."""
    if tie_weights == "all" and src_vocab_size != tgt_vocab_size:
        raise ValueError(
            f'tie_weights="all" needs one vocabulary for both languages, but the source has '
            f'{src_vocab_size} words and the target {tgt_vocab_size}; use "target" or "none"'
        )


def make_positions(config: ModelConfig) -> nn.Module:
    """The positions that the config asks for, as a part that adds them to (b, s, d_model)."""
    if config.positions == "learned":
        return LearnedPositions(config.d_model, config.dropout)
    return PositionalEncoding(config.d_model, config.dropout, config.positions)


def make_model(
    src_vocab_size: int, tgt_vocab_size: int, config: ModelConfig = BASE, **settings: Any
) -> Transformer:
    """A new Transformer with random weights, as large as the config says: the paper's base model.

        make_model(1000, 1000)                        # the paper's base model (Table 3)
        make_model(1000, 1000, SMALL)
        make_model(1000, 1000, SMALL, dropout=0.2)    # any field of `ModelConfig`
        make_model(1000, 1000, N=2, d_model=64, d_ff=128, h=4)

    src_vocab_size, tgt_vocab_size: sizes of the vocabularies. settings: fields that differ from
    config. Errors: those of `ModelConfig`, and TypeError for a field that it doesn't have.
    """
    if not isinstance(config, ModelConfig):
        raise TypeError(f"config={config!r} must be a ModelConfig; name a single number, as in N=2")
    return Transformer(src_vocab_size, tgt_vocab_size, dataclasses.replace(config, **settings))


def count_parameters(model: nn.Module) -> int:
    """How many numbers are trained; a matrix that is used twice counts once."""
    return sum(parameter.numel() for parameter in model.parameters())
