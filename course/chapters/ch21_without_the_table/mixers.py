"""Three parts in the place of self-attention that keep a state of fixed size, and no table.

    LinearAttention   softmax left out: a sum of k v^T        (Katharopoulos et al. 2020)
    MinGRU            a gated mean of what was read           (Feng et al. 2024)
    StateSpace        that sum, forgotten as the word asks    (Mamba: Gu and Dao 2023; 2024)

Each reads all words at once (`read` with many words), or one after the other (`read` with one), and
both give the same numbers. All hand on a tuple of tensors, the state, whose size doesn't depend on
the number of words. They take what self-attention takes, so `replace_modules` puts them there.

They stand here and not in `transformer_lib.variants`, as its 8,000 lines are full: what the library
trains and ships has no such part. Letters: b batch, t words, h heads, n numbers of a key, p of a
value, e channels.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

State = tuple[Tensor, ...]
PER_STATE = 0.001, 0.1  # Delta of a new state space, from its first head to its last


# --- the same recurrence, for all words at once ---------------------------------------------------


def sum_of_pairs(
    q: Tensor, k: Tensor, v: Tensor, log_keep: Tensor | None, state: Tensor
) -> tuple[Tensor, Tensor]:
    """y_t = q_t S_t, where S_t = keep_t S_{t-1} + k_t^T v_t, for all t -> y, and the last S.

    q, k (b, h, t, n), v (b, h, t, p), log_keep (b, h, t), None: nothing is forgotten,
    state (b, h, n, p) -> y (b, h, t, p) and S (b, h, n, p). The sum is written as a table, words by
    words, as in attention: what word t gets of word i is q_t k_i^T and what is kept in between.
    """
    table = q @ k.transpose(-2, -1)
    if log_keep is None:
        return table.tril() @ v + q @ state, state + k.transpose(-2, -1) @ v
    total = log_keep.cumsum(dim=-1)
    between = total[..., :, None] - total[..., None, :]  # (b, h, t, t)
    future = torch.ones(between.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    y = (table * between.masked_fill(future, -math.inf).exp()) @ v
    y = y + total.exp()[..., None] * (q @ state)
    left = (total[..., -1:] - total).exp()[..., None]  # of each word, at the end
    last = total[..., -1].exp()[..., None, None]
    return y, last * state + (k * left).transpose(-2, -1) @ v


def scan(keep: Tensor, new: Tensor, state: Tensor) -> Tensor:
    """h_t = keep_t h_{t-1} + new_t for all t, number by number, in log2(t) rounds.

    keep, new (b, t, e), state (b, e), what was there before -> (b, t, e). After a round each word
    has gathered what came in the last 1, 2, 4, 8, … words.
    """
    new = torch.cat([new[:, :1] + keep[:, :1] * state[:, None], new[:, 1:]], dim=1)
    reach = 1
    while reach < new.size(1):
        new = torch.cat([new[:, :reach], new[:, reach:] + keep[:, reach:] * new[:, :-reach]], dim=1)
        keep = torch.cat([keep[:, :reach], keep[:, reach:] * keep[:, :-reach]], dim=1)
        reach *= 2
    return new


class ShortConvolution(nn.Module):
    """Each number gets a weighted sum of itself in the last few words: what stood just before.

    x (b, t, e), and the words before it (b, width - 1, e) -> the same shapes. New weights are
    random, as those of PyTorch's convolution.
    """

    def __init__(self, channels: int, width: int):
        super().__init__()
        limit = 1 / math.sqrt(width)
        self.weight = nn.Parameter(torch.empty(width, channels).uniform_(-limit, limit))

    def forward(self, x: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        width, words = len(self.weight), torch.cat([before, x], dim=1)
        y = sum(self.weight[i] * words[:, i : i + x.size(1)] for i in range(width))
        return y, words[:, words.size(1) - width + 1 :]

    def start(self, batch: int) -> Tensor:
        return self.weight.new_zeros(batch, len(self.weight) - 1, self.weight.size(1))


# --- the three parts ------------------------------------------------------------------------------


class StateMixer(nn.Module):
    """What the three have in common: called like self-attention, they read words into a state.

    A subclass says what state it begins with (`start`) and how it reads more words (`read`).
    both_ways: for an encoder. A second state then reads from the right, with weights of its own in
    the place of half of the heads or channels, and padding (on the right) is not read.
    """

    both_ways = False

    def start(self, batch: int) -> State:
        raise NotImplementedError

    def read(self, x: Tensor, state: State, words: Tensor | None = None) -> tuple[Tensor, State]:
        """x (b, t, d_model) after `state` -> (b, t, d_model), and the state after it.

        words (b, t), boolean: False where it is padding; None: no padding.
        """
        raise NotImplementedError

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None
    ) -> Tensor:
        """All words at once. Of the mask, only padding matters, and only to an encoder."""
        words = mask[:, 0, 0] if self.both_ways and mask is not None else None
        return self.read(query, self.start(len(query)), words)[0]


class LinearAttention(StateMixer):
    """y_t = phi(q_t) S_t / phi(q_t) z_t, S and z the sums of phi(k) v^T and phi(k) so far.

    phi(x) = elu(x) + 1, above 0 (Katharopoulos et al. 2020, Equations 7, 18 and 19). In an encoder
    both sums are of all words, so nothing has to be read from the right. n: numbers of a key.
    unit_keys: instead, queries and keys of length 1, and what is read is brought to one size by
    RMSNorm, not by a denominator (as in Qin et al. 2022). short: width of a convolution of queries
    and keys before that (0: none, as published).
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        n: int | None = None,
        both_ways: bool = False,
        short: int = 0,
        unit_keys: bool = False,
    ):
        super().__init__()
        self.h, self.n, self.p, self.both_ways = h, n or d_model // h, d_model // h, both_ways
        self.w_q = nn.Linear(d_model, h * self.n, bias=False)
        self.w_k = nn.Linear(d_model, h * self.n, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
        self.short = ShortConvolution(2 * h * self.n, short) if short else None
        self.norm = nn.RMSNorm(self.p) if unit_keys else None

    def start(self, batch: int) -> State:
        width = self.p if self.norm else self.p + 1
        sums = self.w_q.weight.new_zeros(batch, self.h, self.n, width)
        return (sums, self.short.start(batch)) if self.short else (sums,)

    def read(self, x: Tensor, state: State, words: Tensor | None = None) -> tuple[Tensor, State]:
        q, k, rest = self.queries_and_keys(x, state)
        v = self.heads(self.w_v(x))
        if words is not None:
            k = k * words[:, None, :, None]
        if self.norm is None:
            v = F.pad(v, (0, 1), value=1.0)  # the 1 sums up to phi(q) z
        if self.both_ways:
            sums = k.transpose(-2, -1) @ v
            y = q @ sums
        else:
            y, sums = sum_of_pairs(q, k, v, None, state[0])
        y = y[..., :-1] / y[..., -1:] if self.norm is None else self.norm(y)
        return self.w_o(y.transpose(1, 2).flatten(2)), (sums, *rest)

    def queries_and_keys(self, x: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """(b, h, t, n) twice, and what the convolution hands on."""
        qk, rest = torch.cat([self.w_q(x), self.w_k(x)], dim=-1), ()
        if self.short:
            qk, before = self.short(qk, state[1])
            rest = (before,)
        q, k = (self.heads(one) for one in qk.chunk(2, dim=-1))
        if self.norm is None:
            return F.elu(q) + 1, F.elu(k) + 1, rest
        return F.normalize(F.silu(q), dim=-1), F.normalize(F.silu(k), dim=-1), rest

    def heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)


class MinGRU(StateMixer):
    """h_t = (1 - z_t) h_{t-1} + z_t h'_t, where gate z_t and candidate h'_t see word t alone.

    That is the GRU of notebook 16 without what its gates learned from the last state (Feng et al.
    2024): so all words can be read at once. e: numbers of the state (None: as many weights as
    attention has). short: as in `LinearAttention`.
    """

    def __init__(self, d_model: int, e: int | None = None, both_ways: bool = False, short: int = 0):
        super().__init__()
        e = e or 2 * (2 * d_model // 3)
        self.e, self.both_ways = e, both_ways
        self.w_z = nn.Linear(d_model, e)
        self.w_h = nn.Linear(d_model, e, bias=False)
        self.w_o = nn.Linear(e, d_model, bias=False)
        self.short = ShortConvolution(d_model, short) if short else None
        nn.init.constant_(self.w_z.bias, -1.0)  # keep a little longer at first

    def start(self, batch: int) -> State:
        h = self.w_z.weight.new_zeros(batch, self.e)
        return (h, self.short.start(batch)) if self.short else (h,)

    def read(self, x: Tensor, state: State, words: Tensor | None = None) -> tuple[Tensor, State]:
        rest = ()
        if self.short:
            x, before = self.short(x, state[1])
            rest = (before,)
        z = self.w_z(x).sigmoid()
        if words is not None:
            z = z * words[..., None]  # padding changes nothing
        new = z * self.w_h(x)
        if self.both_ways:
            (keep, keep_right), (new, new_right) = (one.chunk(2, dim=-1) for one in (1 - z, new))
            nothing = new.new_zeros(len(x), self.e // 2)
            right = scan(keep_right.flip(1), new_right.flip(1), nothing).flip(1)
            y = torch.cat([scan(keep, new, nothing), right], dim=-1)
        else:
            y = scan(1 - z, new, state[0])
        return self.w_o(y), (y[:, -1], *rest)


class StateSpace(LinearAttention):
    """S_t = e^(-Delta_t a) S_{t-1} + Delta_t B_t^T x_t, y_t = C_t S_t + skip x_t, for each head.

    Delta, B and C depend on the word: so it selects what to keep (Mamba: Gu and Dao 2023). With one
    decay for a whole head it is linear attention with forgetting, k = B, q = C, v = x (Dao and Gu
    2024): here the one with unit keys. short: as there; Mamba has 4, and lets the convolution see x
    too. Its gate behind the state is left out.
    """

    def __init__(
        self, d_model: int, h: int, n: int | None = None, both_ways: bool = False, short: int = 4
    ):
        super().__init__(d_model, h, n, both_ways, short, unit_keys=True)
        self.w_delta = nn.Linear(d_model, h)
        low, high = map(math.log, PER_STATE)
        delta = torch.linspace(low, high, h // 2 if both_ways else h).exp()
        with torch.no_grad():  # softplus of it is delta
            self.w_delta.bias.copy_(delta.expm1().log().repeat(2 if both_ways else 1))
        self.log_a = nn.Parameter(torch.zeros(h))
        self.skip = nn.Parameter(torch.ones(h))

    def read(self, x: Tensor, state: State, words: Tensor | None = None) -> tuple[Tensor, State]:
        y, new = self.select(x, state, words)
        if self.both_ways:  # each half of the heads reads in one direction
            words = None if words is None else words.flip(1)
            right, _ = self.select(x.flip(1), state, words)
            y = torch.cat([y[:, : self.h // 2], right.flip(2)[:, self.h // 2 :]], dim=1)
        return self.w_o(y.transpose(1, 2).flatten(2)), new

    def select(self, x: Tensor, state: State, words: Tensor | None) -> tuple[Tensor, State]:
        """From left to right: y (b, h, t, p), and the state."""
        if words is not None:
            x = x * words[..., None]
        q, k, rest = self.queries_and_keys(x, state)
        v = self.heads(self.w_v(x))
        delta = F.softplus(self.w_delta(x)).transpose(1, 2)  # (b, h, t)
        log_keep = -delta * self.log_a.exp()[:, None]
        y, sums = sum_of_pairs(q, k, delta[..., None] * v, log_keep, state[0])
        return self.norm(y) + self.skip[:, None, None] * v, (sums, *rest)


def numbers(state: State) -> int:
    """How many numbers one text's state has."""
    return sum(part[0].numel() for part in state)
