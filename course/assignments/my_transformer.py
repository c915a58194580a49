"""A Transformer of one's own: the solution of docs/mine.md, part by part.

Letters: b batch, s source words, t target words, h heads, d_k = d_model / h.
Masks are boolean and stretch to (b, h, query, key); True = may be seen.
"""

import math

import torch
from torch import nn

from transformer_lib.text.tokens import BOS, EOS, PAD

# --- 1. words as vectors --------------------------------------------------------------------------


class Embeddings(nn.Module):
    """(b, s) ids -> (b, s, d_model): the word's row of the table, times sqrt(d_model)."""

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.table = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)

    def forward(self, ids):
        return self.table(ids) * math.sqrt(self.table.embedding_dim)


# --- 2. positions ---------------------------------------------------------------------------------


def positional_encoding(length, d_model):
    """-> (length, d_model): sin, cos, sin, cos ... of pos / 10000^(2i / d_model)."""
    angles = torch.arange(length)[:, None] / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


# --- 3. attention ---------------------------------------------------------------------------------


def attention(query, key, value, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V; a query that may see no key gets zeros."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        return scores.softmax(dim=-1) @ value
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return (weights * mask) @ value  # times mask: zeros in a row without any key


# --- 4. heads -------------------------------------------------------------------------------------


class MultiHeadAttention(nn.Module):
    """query (b, q, d_model), key and value (b, k, d_model) -> (b, q, d_model)."""

    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, *, mask=None):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        heads = attention(self.split(q), self.split(k), self.split(v), mask)  # (b, h, q, d_k)
        return self.w_o(heads.transpose(1, 2).flatten(2))

    def split(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)  # (b, s, d_model) -> (b, h, s, d_k)


# --- 5. masks -------------------------------------------------------------------------------------


def padding_mask(ids):
    """(b, s) ids -> (b, 1, 1, s): every query may see the words, not the padding."""
    return (ids != PAD)[:, None, None, :]


def causal_mask(length):
    """-> (1, 1, length, length): each place may see itself and those before it."""
    return torch.ones(1, 1, length, length, dtype=torch.bool).tril()


# --- 6. residual connection and norm --------------------------------------------------------------


class SublayerConnection(nn.Module):
    """LayerNorm(x + Dropout(sublayer(x)))."""

    def __init__(self, d_model, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


# --- 7. the feed-forward network ------------------------------------------------------------------


class PositionwiseFeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2, for each word by itself."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(self.w_1(x).relu())


# --- 8. the encoder -------------------------------------------------------------------------------


class EncoderLayer(nn.Module):
    def __init__(self, d_model, d_ff, h, dropout):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, h)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.residual_self_attn = SublayerConnection(d_model, dropout)
        self.residual_feed_forward = SublayerConnection(d_model, dropout)

    def forward(self, x, *, src_mask=None):
        x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))
        return self.residual_feed_forward(x, self.feed_forward)


class Encoder(nn.Module):
    def __init__(self, N, d_model, d_ff, h, dropout):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, d_ff, h, dropout) for _ in range(N))

    def forward(self, x, *, src_mask=None):
        for layer in self.layers:
            x = layer(x, src_mask=src_mask)
        return x


# --- 9. the decoder -------------------------------------------------------------------------------


class DecoderLayer(nn.Module):
    def __init__(self, d_model, d_ff, h, dropout):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, h)
        self.cross_attn = MultiHeadAttention(d_model, h)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.residual_self_attn = SublayerConnection(d_model, dropout)
        self.residual_cross_attn = SublayerConnection(d_model, dropout)
        self.residual_feed_forward = SublayerConnection(d_model, dropout)

    def forward(self, x, memory, *, tgt_mask=None, src_mask=None):
        x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=tgt_mask))
        x = self.residual_cross_attn(x, lambda x: self.cross_attn(x, memory, memory, mask=src_mask))
        return self.residual_feed_forward(x, self.feed_forward)


class Decoder(nn.Module):
    def __init__(self, N, d_model, d_ff, h, dropout):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(d_model, d_ff, h, dropout) for _ in range(N))

    def forward(self, x, memory, *, tgt_mask=None, src_mask=None):
        for layer in self.layers:
            x = layer(x, memory, tgt_mask=tgt_mask, src_mask=src_mask)
        return x


# --- 10. the whole Transformer --------------------------------------------------------------------


class Transformer(nn.Module):
    """src (b, s) ids, tgt_in (b, t) ids -> logits (b, t, tgt_vocab_size)."""

    def __init__(self, src_vocab_size, tgt_vocab_size, N, d_model, d_ff, h, dropout):
        super().__init__()
        self.src_embed = Embeddings(src_vocab_size, d_model)
        self.tgt_embed = Embeddings(tgt_vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.encoder = Encoder(N, d_model, d_ff, h, dropout)
        self.decoder = Decoder(N, d_model, d_ff, h, dropout)
        for part in self.modules():
            if isinstance(part, nn.Linear):
                nn.init.xavier_uniform_(part.weight)

    def forward(self, src, tgt_in):
        return self.generator(self.decode(tgt_in, self.encode(src), src))

    def encode(self, src):
        return self.encoder(self.placed(self.src_embed(src)), src_mask=padding_mask(src))

    def decode(self, tgt_in, memory, src):
        seen = padding_mask(tgt_in) & causal_mask(tgt_in.size(1))
        x = self.placed(self.tgt_embed(tgt_in))
        return self.decoder(x, memory, tgt_mask=seen, src_mask=padding_mask(src))

    def generator(self, x):
        return x @ self.tgt_embed.table.weight.T  # one matrix for reading and for writing

    def placed(self, x):
        return self.dropout(x + positional_encoding(x.size(1), x.size(2)))


# --- 11. the update -------------------------------------------------------------------------------


def label_smoothed_cross_entropy(logits, target, smoothing):
    """(1 - eps) * -log p(target) + eps * mean over all words of -log p, per real word."""
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    each = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)  # (b, t)
    real = target != PAD
    return (each * real).sum() / real.sum()


def update(model, optimizer, batch, lr):
    """One step with the learning rate lr -> the loss."""
    for group in optimizer.param_groups:
        group["lr"] = lr
    logits = model(batch.src, batch.tgt_in)
    loss = label_smoothed_cross_entropy(logits, batch.tgt_out, smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# --- 12. greedy decoding --------------------------------------------------------------------------


@torch.no_grad()
def greedy_decode(model, src, max_length):
    """src (1, s) ids -> [the likeliest next word, again and again, up to <eos>]."""
    memory, words = model.encode(src), [BOS]
    while len(words) <= max_length:
        x = model.decode(torch.tensor([words]), memory, src)
        words.append(int(model.generator(x[0, -1]).argmax()))
        if words[-1] == EOS:
            return [words[1:-1]]
    return [words[1:]]
