"""Feed-forward networks since 2017: instead of max(0, x), GELU, a gate, or a choice of experts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks import whole
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.model.layers import PositionwiseFeedForward
from transformer_lib.text.batching import Batch
from transformer_lib.training.step import batch_loss, count_tokens


class GELUFeedForward(PositionwiseFeedForward):
    """FFN(x) = GELU(x W_1 + b_1) W_2 + b_2, with GELU(z) = z * P(Z <= z), Z normal.

    (b, s, d_model) -> the same shape. Hendrycks and Gimpel 2016; GPT-2 and BERT use it. It is
    smooth where max(0, z) has a corner, and a little below 0 for small negative z. approximate:
    "none", or "tanh" for the formula by which GPT-2 computes it.
    """

    def __init__(self, d_model: int, d_ff: int, approximate: str = "none"):
        super().__init__(d_model, d_ff)
        if approximate not in ("none", "tanh"):
            raise ValueError(f'approximate={approximate!r} must be "none" or "tanh"')
        self.gelu = nn.GELU(approximate)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.gelu(self.w_1(x)))


class SwiGLU(nn.Module):
    """FFN(x) = (SiLU(x W_gate) * x W_1) W_2, with SiLU(z) = z / (1 + e^-z)  (Shazeer 2020, Eq. 6).

    (b, s, d_model) -> the same shape. One half of the inner numbers decides how much of the other
    half is passed on. As it has three matrices, it is as large as the paper's with 2/3 of the d_ff.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        whole("d_model", d_model)
        whole("d_ff", d_ff)
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_1 = nn.Linear(d_model, d_ff, bias=False)
        self.w_2 = nn.Linear(d_ff, d_model, bias=False)

    @classmethod
    def as_large_as(cls, old: PositionwiseFeedForward) -> "SwiGLU":
        """One with about as many parameters as `old`, the paper's network."""
        d_model = old.w_1.in_features
        parameters = sum(parameter.numel() for parameter in old.parameters())
        return cls(d_model, round(parameters / (3 * d_model)))

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(F.silu(self.w_gate(x)) * self.w_1(x))


class MixtureOfExperts(nn.Module):
    """Each word goes to the top_k networks to which a router gives the highest probabilities:

    FFN(x) = sum over these experts e of p_e E_e(x), with p = softmax(x W_router), normalized again
    over these experts (Mixtral: Jiang et al. 2024, section 2.1; the idea: Shazeer et al. 2017).

    experts: networks (b, s, d_model) -> the same shape. All are stored, but for each word only
    `top_k` are computed. Raises ValueError unless 2 <= top_k <= the number of experts.
    """

    def __init__(self, d_model: int, experts: Sequence[nn.Module], top_k: int = 2):
        super().__init__()
        whole("top_k", top_k)
        if not 2 <= top_k <= len(experts):
            raise ValueError(
                f"top_k={top_k} must lie between 2 and the {len(experts)} experts: a single one's "
                f"share would be 1 whatever the router says, and the router would learn nothing"
            )
        self.top_k = top_k
        self.w_router = nn.Linear(d_model, len(experts), bias=False)
        self.experts = nn.ModuleList(experts)

    def forward(self, x: Tensor) -> Tensor:
        p, chosen = self.w_router(x).softmax(dim=-1).topk(self.top_k, dim=-1)  # (b, s, top_k)
        p = p / p.sum(dim=-1, keepdim=True)
        total = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            *word, place = (chosen == number).nonzero(as_tuple=True)  # who chose it, and as which
            share = p[(*word, place)].unsqueeze(-1)
            total = total.index_put(tuple(word), share * expert(x[tuple(word)]), accumulate=True)
        return total


def load_balancing_loss(router_logits: Tensor, top_k: int) -> Tensor:
    """experts * sum over experts of (share of words that chose it) * (its mean probability).

    Switch Transformer (Fedus et al. 2021, Equations 4 to 6). router_logits (…, experts) -> one
    number without a unit: `top_k` if all experts are chosen equally often, more if some are
    preferred. Without it, a few experts that are a little better at first get all words.
    """
    p = router_logits.flatten(0, -2).softmax(dim=-1)  # (words, experts)
    chosen = p.topk(top_k, dim=-1).indices
    share = F.one_hot(chosen, p.size(-1)).sum(dim=1).to(p).mean(dim=0)
    return p.size(-1) * (share * p.mean(dim=0)).sum()


@contextmanager
def routing(model: Parts) -> Iterator[list[tuple[Tensor, int]]]:
    """Collect router logits (b, s, experts) and `top_k` of each mixture run inside the `with`."""
    found: list[tuple[Tensor, int]] = []

    def collector(top_k: int) -> Callable[..., None]:
        return lambda router, args, logits: found.append((logits, top_k))

    with ExitStack() as stack:
        for mixture in model.modules():
            if isinstance(mixture, MixtureOfExperts):
                hook = collector(mixture.top_k)
                stack.enter_context(mixture.w_router.register_forward_hook(hook))
        yield found


def balanced_loss(
    model: Seq2SeqModel, batch: Batch, smoothing: float, bf16: bool = False, weight: float = 0.01
) -> Tensor:
    """`batch_loss`, plus `weight` * words * `load_balancing_loss` of all mixtures in the model."""
    with routing(model) as found:
        loss = batch_loss(model, batch, smoothing, bf16)
    balance = sum(load_balancing_loss(logits.float(), top_k) for logits, top_k in found)
    return loss + weight * count_tokens([batch]) * balance
