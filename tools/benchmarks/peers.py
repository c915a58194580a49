"""Other encoder-decoders with the sizes of ours, for training_step.py; none is needed.

How to install them is in tools/benchmarks/README.md.

A peer is a module: (b, s), (b, t) ids -> logits (b, t, vocab_size). With a method `loss` it brings
a loss of its own, else it is trained with ours.
"""

import copy
import math

import torch
from torch import Tensor, nn

from transformer_lib.model.embedding import Embeddings, PositionalEncoding
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text.tokens import BOS, EOS, PAD

LONGEST = 256  # words in a sentence, for those that have to know


class Marian(nn.Module):
    """Hugging Face's MarianMTModel: (b, s), (b, t) ids -> logits (b, t, vocab_size)."""

    def __init__(self, vocab_size: int, N: int, d_model: int, d_ff: int, h: int, dropout: float):
        super().__init__()
        from transformers import MarianConfig, MarianMTModel

        config = MarianConfig(
            vocab_size=vocab_size,
            encoder_layers=N,
            decoder_layers=N,
            d_model=d_model,
            encoder_ffn_dim=d_ff,
            decoder_ffn_dim=d_ff,
            encoder_attention_heads=h,
            decoder_attention_heads=h,
            dropout=dropout,
            activation_function="relu",
            max_position_embeddings=LONGEST,
            scale_embedding=True,
            use_cache=False,
            pad_token_id=PAD,
            eos_token_id=EOS,
            decoder_start_token_id=BOS,
        )
        self.model = MarianMTModel(config)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.model(
            input_ids=src, attention_mask=(src != PAD).long(), decoder_input_ids=tgt_in
        ).logits


class XTransformers(nn.Module):
    """x-transformers' two wrappers, as its XTransformer joins them, with its defaults otherwise.

    Pre-norm, GELU, learned positions. Its dropouts: on the weights of attention, in the
    feed-forward network, and on the embeddings.
    """

    def __init__(self, vocab_size: int, N: int, d_model: int, d_ff: int, h: int, dropout: float):
        super().__init__()
        from x_transformers import Decoder, Encoder, TransformerWrapper

        layers = {
            "dim": d_model,
            "depth": N,
            "heads": h,
            "attn_dim_head": d_model // h,
            "ff_mult": d_ff / d_model,
            "attn_dropout": dropout,
            "ff_dropout": dropout,
        }
        tokens = {"num_tokens": vocab_size, "max_seq_len": LONGEST, "emb_dropout": dropout}
        self.encoder = TransformerWrapper(
            **tokens, return_only_embed=True, attn_layers=Encoder(**layers)
        )
        self.decoder = TransformerWrapper(
            **tokens, attn_layers=Decoder(**layers, cross_attend=True)
        )

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        seen = src != PAD
        memory = self.encoder(src, mask=seen, return_embeddings=True)
        return self.decoder(tgt_in, mask=tgt_in != PAD, context=memory, context_mask=seen)


class JoeyNMT(nn.Module):
    """JoeyNMT's encoder, decoder and embeddings, as its Model joins them, with its own loss.

    Dropout on the weights of attention as well; label smoothing by the distance (KL) to a table of
    wanted probabilities. Its Model also counts how many words are right, which is left out here.
    """

    def __init__(self, vocab_size: int, N: int, d_model: int, d_ff: int, h: int, dropout: float):
        super().__init__()
        from joeynmt.decoders import TransformerDecoder
        from joeynmt.embeddings import Embeddings
        from joeynmt.encoders import TransformerEncoder
        from joeynmt.loss import XentLoss

        layers = {
            "hidden_size": d_model,
            "ff_size": d_ff,
            "num_layers": N,
            "num_heads": h,
            "dropout": dropout,
            "emb_dropout": dropout,
            "layer_norm": "post",
        }
        words = {
            "embedding_dim": d_model,
            "scale": True,
            "vocab_size": vocab_size,
            "padding_idx": PAD,
        }
        self.src_embed, self.tgt_embed = Embeddings(**words), Embeddings(**words)
        self.encoder = TransformerEncoder(**layers)
        self.decoder = TransformerDecoder(**layers, vocab_size=vocab_size)
        self.distance = XentLoss(pad_index=PAD, smoothing=0.1)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        seen = (src != PAD)[:, None]
        memory, _ = self.encoder(self.src_embed(src), None, seen)
        logits, *_ = self.decoder(
            self.tgt_embed(tgt_in),
            memory,
            None,
            src_mask=seen,
            unroll_steps=tgt_in.size(1),
            hidden=None,
            trg_mask=(tgt_in != PAD)[:, None],
        )
        return logits.log_softmax(-1)

    def loss(self, log_p: Tensor, target: Tensor) -> Tensor:
        return self.distance(log_p, trg=target) / (target != PAD).sum()


# --- The shapes of The Annotated Transformer, from its description --------------------------------


class StandardDeviationNorm(nn.Module):
    """gain (x - mean) / (std + eps) + bias, operation by operation."""

    def __init__(self, d_model: int):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.mean(-1, keepdim=True)
        return self.gain * centered / (x.std(-1, keepdim=True) + 1e-6) + self.bias


class FourLinears(nn.Module):
    """Attention: a linear layer with bias for Q, K, V and the output; dropout on the weights."""

    def __init__(self, d_model: int, h: int, dropout: float):
        super().__init__()
        self.h = h
        linear = nn.Linear(d_model, d_model)
        self.q, self.k, self.v, self.out = (copy.deepcopy(linear) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        b, _, d_model = query.shape
        q, k, v = (
            linear(x).view(b, -1, self.h, d_model // self.h).transpose(1, 2)
            for linear, x in ((self.q, query), (self.k, memory), (self.v, memory))
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = self.dropout(scores.masked_fill(mask == 0, -1e9).softmax(-1))
        return self.out((weights @ v).transpose(1, 2).contiguous().view(b, -1, d_model))


class AnnotatedLayer(nn.Module):
    """x + dropout(sublayer(norm(x))), two or three times."""

    def __init__(self, d_model: int, d_ff: int, h: int, dropout: float, attentions: int):
        super().__init__()
        self.attentions = nn.ModuleList(FourLinears(d_model, h, dropout) for _ in range(attentions))
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model)
        )
        self.norms = nn.ModuleList(StandardDeviationNorm(d_model) for _ in range(attentions + 1))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, *looks: tuple[Tensor | None, Tensor]) -> Tensor:
        """looks: for each attention what it looks at (None: at x itself), and the mask."""
        *before, last = self.norms
        for attention, norm, (memory, mask) in zip(self.attentions, before, looks, strict=True):
            y = norm(x)
            x = x + self.dropout(attention(y, y if memory is None else memory, mask))
        return x + self.dropout(self.feed_forward(last(x)))


class Annotated(nn.Module):
    """The sizes and operations of The Annotated Transformer (Rush 2018), in our own words.

    Embeddings and masks are as ours. Pre-norm with a norm of its own, and label smoothing by the
    distance (KL) to a table that has a row of wanted probabilities for each word that is to be
    predicted.
    """

    def __init__(self, vocab_size: int, N: int, d_model: int, d_ff: int, h: int, dropout: float):
        super().__init__()
        sizes = (d_model, d_ff, h, dropout)
        self.src_embed, self.tgt_embed = (
            nn.Sequential(Embeddings(vocab_size, d_model), PositionalEncoding(d_model, dropout))
            for _ in range(2)
        )
        self.encoder = nn.ModuleList(AnnotatedLayer(*sizes, attentions=1) for _ in range(N))
        self.decoder = nn.ModuleList(AnnotatedLayer(*sizes, attentions=2) for _ in range(N))
        self.norms = nn.ModuleList(StandardDeviationNorm(d_model) for _ in range(2))
        self.generator = nn.Linear(d_model, vocab_size)
        self.distance = nn.KLDivLoss(reduction="sum")

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        src_mask = padding_mask(src)
        tgt_mask = padding_mask(tgt_in) & causal_mask(tgt_in.size(1), src.device)
        memory = self.src_embed(src)
        for layer in self.encoder:
            memory = layer(memory, (None, src_mask))
        memory = self.norms[0](memory)
        x = self.tgt_embed(tgt_in)
        for layer in self.decoder:
            x = layer(x, (None, tgt_mask), (memory, src_mask))
        return self.generator(self.norms[1](x)).log_softmax(-1)

    def loss(self, log_p: Tensor, target: Tensor) -> Tensor:
        log_p, target = log_p.flatten(0, 1), target.flatten()
        wanted = torch.full_like(log_p, 0.1 / (log_p.size(-1) - 2))  # not <pad>, not the word
        wanted.scatter_(1, target[:, None], 0.9)
        wanted[:, PAD] = 0
        wanted[target == PAD] = 0
        return self.distance(log_p, wanted) / (target != PAD).sum()


PEERS = {
    "Hugging Face Marian": Marian,
    "x-transformers": XTransformers,
    "JoeyNMT": JoeyNMT,
    "The Annotated Transformer's shapes": Annotated,
}


def installed(vocab_size: int, **shape) -> dict[str, nn.Module]:
    """Those whose package is there; the others are named."""
    models = {}
    for name, build in PEERS.items():
        try:
            models[name] = build(vocab_size, **shape)
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return models
