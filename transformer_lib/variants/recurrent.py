"""What the Transformer replaced: a recurrent translator, with attention and without.

    model = RecurrentTranslator(1000, 1000, RECURRENT["dot"])

It is used like a `Transformer`: `train`, the ways of decoding, `Translator`, `record_attention` and
`patch_attention` work with it as they are.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from transformer_lib.checks import instance, number, whole
from transformer_lib.decoding import IncrementalDecoder
from transformer_lib.decoding.cache import needed_mask
from transformer_lib.ids import PAD, check_ids
from transformer_lib.model.attention import Attention
from transformer_lib.model.config import TIES
from transformer_lib.model.embedding import Embeddings
from transformer_lib.model.layers import initialize
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Generator, check_ties

ATTENTIONS = ("none", "dot", "additive")  # how a state is compared with the memory


@dataclass(frozen=True)
class RecurrentConfig:
    """The sizes and kinds of a recurrent translator's parts.

    N: number of layers in the encoder, and in the decoder. d_model: size of a word's vector.
    hidden: size of a state; in the encoder, half of it for each direction.
    attention: "none", "dot" or "additive". dropout, tie_weights: as in `ModelConfig`.
    Raises ValueError for a value out of range, or if hidden is odd.
    """

    N: int = 2
    d_model: int = 128
    hidden: int = 216
    attention: str = "dot"
    dropout: float = 0.1
    tie_weights: str = "none"

    def __post_init__(self) -> None:
        for name in ("N", "d_model", "hidden"):
            whole(name, getattr(self, name))
        number("dropout", self.dropout)
        if self.hidden % 2:
            raise ValueError(f"hidden={self.hidden} must be even: half for each direction")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout={self.dropout} must be at least 0 and less than 1")
        if self.attention not in ATTENTIONS:
            known = ", ".join(ATTENTIONS)
            raise ValueError(f"attention={self.attention!r} must be one of {known}")
        if self.tie_weights not in TIES:
            raise ValueError(f"tie_weights={self.tie_weights!r} must be one of {', '.join(TIES)}")


# As many parameters as the SMALL Transformer, within 1 %.
RECURRENT = {
    "none": RecurrentConfig(hidden=220, attention="none"),
    "dot": RecurrentConfig(hidden=216, attention="dot"),
    "additive": RecurrentConfig(hidden=204, attention="additive"),
}


class DotScore(nn.Module):
    """score(s_t, h_i) = s_t . h_i  (Luong et al. 2015, Equation 8, first line).

    states (…, t, hidden), memory (…, s, hidden) -> (…, t, s).
    """

    def forward(self, states: Tensor, memory: Tensor) -> Tensor:
        return states @ memory.transpose(-2, -1)


class AdditiveScore(nn.Module):
    """score(s_t, h_i) = v . tanh(W s_t + U h_i)  (Bahdanau et al. 2015, appendix A.1.2).

    states (…, t, hidden), memory (…, s, hidden) -> (…, t, s).
    """

    def __init__(self, hidden: int):
        super().__init__()
        self.w_state = nn.Linear(hidden, hidden, bias=False)
        self.w_memory = nn.Linear(hidden, hidden, bias=False)
        self.w_score = nn.Linear(hidden, 1, bias=False)

    def forward(self, states: Tensor, memory: Tensor) -> Tensor:
        states, memory = self.w_state(states), self.w_memory(memory)
        both = states.unsqueeze(-2) + memory.unsqueeze(-3)  # (…, t, s, hidden)
        return self.w_score(both.tanh()).squeeze(-1)


class RecurrentAttention(Attention):
    """c_t = sum over i of a_ti h_i, with a_t = softmax over the source words of score(s_t, h_i).

    It has one head, on the states as they are: without W^Q, W^K, W^V, W^O and sqrt(d_k). Recording
    and patching work here as in a Transformer.

    query (b, 1, t, hidden), key, value (b, 1, s, hidden), mask (b, 1, 1, s) -> (b, 1, t, hidden).
    """

    def __init__(self, score: nn.Module):
        super().__init__()
        self.h = 1
        self.score = score

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        return self.weights(query, key, mask) @ value

    def weights(self, query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, 1, t, s). Every source has a word to attend to: its <eos>."""
        scores = self.score(query, key)
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return scores.softmax(dim=-1)


class AttentionReadout(nn.Module):
    """tanh(W_c [c_t; s_t]): the state and its context (Luong et al. 2015, Equation 5).

    states (b, t, hidden), memory (b, s, hidden), src_mask (b, 1, 1, s) -> (b, t, d_model).
    """

    def __init__(self, score: nn.Module, hidden: int, d_model: int):
        super().__init__()
        self.cross_attn = RecurrentAttention(score)
        self.w_c = nn.Linear(2 * hidden, d_model, bias=False)

    def forward(self, states: Tensor, memory: Tensor, src_mask: Tensor | None) -> Tensor:
        heads = memory[:, None]  # (b, 1, s, hidden): one head
        context = self.cross_attn(states[:, None], heads, heads, src_mask)[:, 0]
        return self.w_c(torch.cat([context, states], dim=-1)).tanh()


class LastStateReadout(nn.Module):
    """tanh(W_c s_t), (b, t, hidden) -> (b, t, d_model): only the state (Sutskever et al. 2014)."""

    def __init__(self, hidden: int, d_model: int):
        super().__init__()
        self.w_c = nn.Linear(hidden, d_model, bias=False)

    def forward(self, states: Tensor, memory: Tensor, src_mask: Tensor | None) -> Tensor:
        return self.w_c(states).tanh()


def make_readout(config: RecurrentConfig) -> nn.Module:
    """What turns states into vectors for the generator, by config.attention."""
    if config.attention == "none":
        return LastStateReadout(config.hidden, config.d_model)
    score = DotScore() if config.attention == "dot" else AdditiveScore(config.hidden)
    return AttentionReadout(score, config.hidden, config.d_model)


class RecurrentTranslator(nn.Module):
    """Two recurrent networks: one reads, in both directions, and the other writes.

    s_t = GRU(s_{t-1}, word t): each state needs the one before, in training too. The encoder reads
    in both directions (Bahdanau et al. 2015); each layer of the decoder starts with the last state
    of the same layer of the encoder. Attention comes after the state, as in Luong et al. 2015, with
    either score, so that PyTorch's `nn.GRU` can read a whole sentence in one call.

    src (b, s) ids and tgt_in (b, t) ids, padded with PAD on the right -> logits (b, t, vocab_size).
    """

    def __init__(self, src_vocab_size: int, tgt_vocab_size: int, config: RecurrentConfig):
        super().__init__()
        instance("config", config, RecurrentConfig)
        check_ties(config.tie_weights, src_vocab_size, tgt_vocab_size)
        self.config = config
        self.src_embed = Embeddings(src_vocab_size, config.d_model)
        self.tgt_embed = Embeddings(tgt_vocab_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        between = config.dropout if config.N > 1 else 0.0
        shape = {"num_layers": config.N, "dropout": between, "batch_first": True}
        self.encoder = nn.GRU(config.d_model, config.hidden // 2, bidirectional=True, **shape)
        self.decoder = nn.GRU(config.d_model, config.hidden, **shape)
        self.readout = make_readout(config)
        self.generator = Generator(config.d_model, tgt_vocab_size)
        initialize(self)
        if config.tie_weights in ("target", "all"):
            self.generator.proj.weight = self.tgt_embed.table.weight
        if config.tie_weights == "all":
            self.src_embed.table.weight = self.tgt_embed.table.weight

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.generator(self.decode(tgt_in, self.encode(src), src))

    def encode(self, src: Tensor) -> Tensor:
        """(b, s) ids -> memory (b, N + s, hidden): the last state of each layer, then each word."""
        check_ids("src", src, self.src_embed.table.num_embeddings)
        x = self.dropout(self.src_embed(src))
        lengths = (src != PAD).sum(dim=1).cpu()
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        words, _ = pad_packed_sequence(states, batch_first=True, total_length=src.size(1))
        last = last.unflatten(0, (self.config.N, 2))  # (N, direction, b, hidden / 2)
        last = last.permute(2, 0, 1, 3).flatten(2)  # (b, N, hidden)
        return torch.cat([last, words], dim=1)

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """(b, t) ids and the memory of src -> (b, t, d_model), all positions in one call."""
        check_ids("tgt_in", tgt_in, self.tgt_embed.table.num_embeddings)
        return self.write(tgt_in, self.start(memory), memory, padding_mask(src))[0]

    def incremental_decoder(
        self, memory: Tensor, src: Tensor, max_length: int
    ) -> IncrementalDecoder:
        """A decoder that reads words one by one, however many."""
        return RecurrentDecoder(self, memory, needed_mask(src))

    def start(self, memory: Tensor) -> Tensor:
        """(b, N + s, hidden) -> (N, b, hidden), the first states of the decoder."""
        return memory[:, : self.config.N].transpose(0, 1).contiguous()

    def write(
        self, words: Tensor, state: Tensor, memory: Tensor, src_mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """(b, t) ids after `state` -> (b, t, d_model), and the state after them."""
        states, state = self.decoder(self.dropout(self.tgt_embed(words)), state)
        x = self.readout(states, memory[:, self.config.N :], src_mask)
        return self.dropout(x), state


def recurrent(src_vocab_size: int, tgt_vocab_size: int, **settings: Any) -> RecurrentTranslator:
    """A translator with the settings of a config.json, for load_model(folder, build=recurrent)."""
    return RecurrentTranslator(src_vocab_size, tgt_vocab_size, RecurrentConfig(**settings))


class RecurrentDecoder:
    """Reads only new words: all that it knows of the earlier ones is in a state (N, b, hidden).

    So its memory use doesn't grow with the text.
    """

    def __init__(self, model: RecurrentTranslator, memory: Tensor, src_mask: Tensor | None):
        self.model, self.memory, self.src_mask = model, memory, src_mask
        self.state = model.start(memory)

    def read(self, words: Tensor) -> Tensor:
        x, self.state = self.model.write(words, self.state, self.memory, self.src_mask)
        return x

    def select(self, rows: Tensor) -> None:
        self.state = self.state[:, rows].contiguous()
        self.memory = self.memory[rows]
        if self.src_mask is not None:
            self.src_mask = self.src_mask[rows]

    @property
    def bytes(self) -> int:
        return self.state.numel() * self.state.element_size()
