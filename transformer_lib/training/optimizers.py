"""The paper's Adam (section 5.3), AdamW and Muon: train(…, optimizer=muon)."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.model.interface import Parts
from transformer_lib.model.transformer import Generator
from transformer_lib.training.devices import has_fast_bf16

OptimizerOf = Callable[[Parts], torch.optim.Optimizer]  # makes the optimizer of a model


def adam(model: Parts) -> torch.optim.Adam:
    """Adam with the paper's betas and eps (section 5.3); the schedule sets the learning rate."""
    return torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)


def adamw(model: Parts, decay: float = 0.1) -> torch.optim.AdamW:
    """AdamW: Adam that also shrinks each matrix by a share of decay * lr at each step.

    Loshchilov and Hutter 2019: weights that aren't needed shrink. Norms and biases are left alone.
    Otherwise as in the paper's Adam (section 5.3); the schedule sets the learning rate.
    """
    groups = _decay_groups(list(model.parameters()), decay)
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)


def _decay_groups(parameters: list[nn.Parameter], decay: float) -> list[dict[str, Any]]:
    matrices = [parameter for parameter in parameters if parameter.dim() >= 2]
    others = [parameter for parameter in parameters if parameter.dim() < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


class Muon(torch.optim.AdamW):
    """Muon for `matrices`, AdamW for `rest`. PyTorch's own Muon always computes in bfloat16."""

    def __init__(self, matrices: list[nn.Parameter], rest: list[nn.Parameter], decay: float):
        groups = [{"params": matrices, "weight_decay": decay}, *_decay_groups(rest, decay)]
        super().__init__(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # takes no closure
        lr, decay = self.param_groups[0]["lr"], self.param_groups[0]["weight_decay"]
        by_shape: dict[torch.Size, list[tuple[nn.Parameter, Tensor]]] = {}
        for matrix in self.param_groups[0]["params"]:
            if matrix.grad is not None:
                state = self.state[matrix]
                mean = state.setdefault("momentum_buffer", torch.zeros_like(matrix))
                mean.lerp_(matrix.grad, 0.05)
                wanted = matrix.grad.lerp(mean, 0.95)
                by_shape.setdefault(matrix.shape, []).append((matrix, wanted))
                matrix.grad = None  # so that AdamW leaves it alone
        for shape, some in by_shape.items():  # all of one shape at once: fewer, larger products
            directions = orthogonalize(torch.stack([wanted for _, wanted in some]))
            size = 0.2 * math.sqrt(max(shape))
            for (matrix, _), direction in zip(some, directions, strict=True):
                matrix.mul_(1 - lr * decay).add_(direction, alpha=-lr * size)
        super().step()


def orthogonalize(matrices: Tensor) -> Tensor:
    """(m, n, k) U S V^T -> about U V^T: five steps of Newton-Schulz (Jordan et al. 2024)."""
    tall = matrices.size(1) > matrices.size(2)
    x = matrices.mT if tall else matrices
    x = x.bfloat16() if has_fast_bf16(matrices.device) else x
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(5):
        gram = x @ x.mT
        factors = torch.baddbmm(gram, gram, gram, beta=-4.775, alpha=2.0315)
        x = torch.baddbmm(x, factors, x, beta=3.4445)
    return x.mT if tall else x


def muon(model: Parts, decay: float = 0.1) -> Muon:
    """Muon for the matrices inside the layers, `adamw` for the rest (Jordan et al. 2024).

    Those are the matrices of each `nn.Linear` except the generator's. The rest are the vectors of
    words (embeddings and generator), norms and biases.

    The mean gradient G = U S V^T of a matrix says in which directions it should change, and S how
    strongly in each. Muon takes U V^T: all directions alike, even those with a small gradient. Its
    step is scaled to the size of Adam's (Liu et al. 2025, Equation 4): one learning rate fits both.
    """
    of_words = [part for part in model.modules() if isinstance(part, nn.Embedding | Generator)]
    words = {parameter for part in of_words for parameter in part.parameters()}
    matrices = {part.weight for part in model.modules() if isinstance(part, nn.Linear)} - words
    inside = [parameter for parameter in model.parameters() if parameter in matrices]
    rest = [parameter for parameter in model.parameters() if parameter not in matrices]
    return Muon(inside, rest, decay)
