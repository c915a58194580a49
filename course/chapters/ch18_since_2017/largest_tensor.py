"""How large the tables become that a computation makes on its way."""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Largest(TorchDispatchMode):
    """Within it, `numbers` is how many numbers the largest tensor has that an operation made."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        tensors = [one for one in tree_leaves(made) if isinstance(one, Tensor)]
        self.numbers = max([self.numbers, *(one.numel() for one in tensors)])
        return made


def largest_tensor(run: Callable[[], Any]) -> int:
    """How many numbers the largest tensor has that is made on the way."""
    with Largest() as mode:
        run()
    return mode.numbers
