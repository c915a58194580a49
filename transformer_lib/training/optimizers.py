"""The paper's Adam (section 5.3), AdamW and Muon: train(…, optimizer=muon)."""

from collections.abc import Callable, MutableMapping
from typing import Any, Protocol

import torch
from torch import nn

from transformer_lib.model.interface import Parts
from transformer_lib.model.transformer import Generator


class AnyOptimizer(Protocol):
    """What training asks of an optimizer: one of PyTorch's, or several of them as one."""

    @property
    def param_groups(self) -> list[dict[str, Any]]: ...
    @property
    def state(self) -> MutableMapping[Any, dict[str, Any]]: ...
    def step(self) -> object: ...
    def zero_grad(self, set_to_none: bool = True) -> None: ...


OptimizerOf = Callable[[Parts], AnyOptimizer]  # makes the optimizer of a model


def adam(model: Parts) -> torch.optim.Adam:
    """Adam with the paper's betas and eps (section 5.3); the schedule sets the learning rate."""
    return torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)


def adamw(model: Parts, decay: float = 0.1) -> torch.optim.AdamW:
    """AdamW: Adam that also shrinks each matrix by a share of decay * lr at each step.

    Loshchilov and Hutter 2019: weights that aren't needed shrink. Norms and biases are left alone.
    Otherwise as in the paper's Adam (section 5.3); the schedule sets the learning rate.
    """
    return decaying_adam(list(model.parameters()), decay)


def decaying_adam(parameters: list[nn.Parameter], decay: float) -> torch.optim.AdamW:
    matrices = [parameter for parameter in parameters if parameter.dim() >= 2]
    others = [parameter for parameter in parameters if parameter.dim() < 2]
    groups = [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)


class CombinedOptimizer:
    """Several optimizers that work as one, each on its own parameters."""

    def __init__(self, *optimizers: torch.optim.Optimizer):
        self.optimizers = optimizers
        self.param_groups = [group for one in optimizers for group in one.param_groups]
        self.state = {
            parameter: one.state[parameter]
            for one in optimizers
            for group in one.param_groups
            for parameter in group["params"]
        }

    def step(self) -> None:
        for one in self.optimizers:
            one.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        for one in self.optimizers:
            one.zero_grad(set_to_none)


def muon(model: Parts, decay: float = 0.1) -> CombinedOptimizer:
    """Muon for the matrices inside the layers, `adamw` for the rest (Jordan et al. 2024).

    Those are the matrices of each `nn.Linear` except the generator's. The rest are the vectors of
    words (embeddings and generator), norms and biases.

    The mean gradient G = U S V^T of a matrix says in which directions it should change, and S how
    strongly in each. Muon takes U V^T: all directions alike, even those with a small gradient. Its
    step is scaled to the size of Adam's (Liu et al. 2025, Equation 4): one learning rate fits both.
    """
    words = {
        parameter
        for part in model.modules()
        if isinstance(part, nn.Embedding | Generator)
        for parameter in part.parameters()
    }
    matrices = {part.weight for part in model.modules() if isinstance(part, nn.Linear)} - words
    inside = [parameter for parameter in model.parameters() if parameter in matrices]
    rest = [parameter for parameter in model.parameters() if parameter not in matrices]
    spectral = torch.optim.Muon(inside, lr=0.0, weight_decay=decay, adjust_lr_fn="match_rms_adamw")
    return CombinedOptimizer(spectral, decaying_adam(rest, decay))
