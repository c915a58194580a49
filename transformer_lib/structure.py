"""What a model is besides the numbers that it learned, and how to tell two models apart.

The names and shapes of weights don't tell a GELU from a ReLU, rotary positions from none, or eight
heads from four. `difference` compares two models part by part; `answer` is a model's own sign,
small enough to be stored with it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.model.interface import Parts, Seq2SeqModel

# What PyTorch gives each module, whatever it is, and each one that it compiles.
TORCH_S_OWN = {*vars(nn.Module()), "_compiled_call_impl", "_is_torch_compile"}
COMPARABLE = (bool, int, float, complex, str, bytes, set, frozenset, torch.dtype, torch.device)


def difference(model: Parts, other: Parts) -> str:
    """The first part in which two models differ, apart from what they learned; "" if none does.

    Compared are the classes of the parts, attributes, hooks, and which weights are shared.
    """
    ours, theirs = dict(model.named_modules()), dict(other.named_modules())
    for name in ours | theirs:
        one, two = ours.get(name), theirs.get(name)
        title = name or "it"
        if one is None or two is None or type(one) is not type(two):
            return f"{title} is {kind(one, two)}, not {kind(two, one)}"
        if hooks(one) != hooks(two):
            return f"{title} has a hook, which watches or changes it"
        mine, its = attributes(one), attributes(two)
        for key in mine | its:
            if key not in mine or key not in its or not alike(mine[key], its[key]):
                return f"{title} has another {key}"
    mine, its = tensors(model), tensors(other)
    for name in mine | its:
        if name not in mine or name not in its:
            return f"{name} is {'missing' if name in its else 'more than there should be'}"
        if mine[name] != its[name]:
            return f"{name} is {described(*mine[name])}, not {described(*its[name])}"
    return ""


def kind(part: nn.Module | None, other: nn.Module | None) -> str:
    """The class of a part, as a message says it: with its module where the other has that name."""
    if part is None:
        return "missing"
    name = type(part).__qualname__
    return f"{type(part).__module__}.{name}" if type(other).__qualname__ == name else name


def hooks(part: nn.Module) -> int:
    """How many hooks a part has for its output and its inputs."""
    return len(part._forward_hooks) + len(part._forward_pre_hooks)


def attributes(part: nn.Module) -> dict[str, Any]:
    """What a part has been given besides tensors and parts: sizes, switches, functions.

    Its computed tables are among them, those buffers that aren't saved.
    """
    computed = part.named_buffers(recurse=False)
    found = {name: x for name, x in computed if name in part._non_persistent_buffers_set}
    for name, value in vars(part).items():
        private = name.startswith("_") and type(part).__module__.startswith("torch.")
        if name not in TORCH_S_OWN and not private:
            found[name] = value
    return found


def alike(one: Any, two: Any) -> bool:
    """Whether two attributes say the same. Of tables, which grow, the common rows are compared."""
    if type(one) is not type(two):
        return False
    if isinstance(one, Tensor):
        rows = min(len(one), len(two)) if one.dim() else None
        one, two = (x[:rows].cpu() if rows is not None else x.cpu() for x in (one, two))
        return torch.equal(one, two.to(one.dtype))
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(alike, one, two))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(alike(one[key], two[key]) for key in one)
    if isinstance(one, COMPARABLE) or is_dataclass(one):
        return bool(one == two)
    return getattr(one, "__qualname__", "") == getattr(two, "__qualname__", "")  # functions


def tensors(model: Parts) -> dict[str, tuple[tuple[int, ...], str]]:
    """For each weight its shape, and the name by which it was met first: shared ones have one."""
    first: dict[int, str] = {}
    return {
        name: (tuple(weight.shape), first.setdefault(id(weight), name))
        for name, weight in model.state_dict(keep_vars=True).items()
    }


def described(shape: Sequence[int], first: str) -> str:
    """A weight, as a message says it."""
    return f"a weight of shape {tuple(shape)} named {first}"


@contextmanager
def eval_mode(model: Parts) -> Iterator[None]:
    """Inside, the model computes without dropout; afterwards it is as it was."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:  # one by one, as a part of the model may have been in eval mode
            module.training = True


def answer(model: Seq2SeqModel) -> list[float]:
    """Sixteen numbers that the model computes for four words, without dropout.

    A model of the same weights that is built otherwise computes others: see `same_answer`.
    """
    matrix = model.generator.proj.weight  # (tgt_vocab_size, d_model)
    source: Any = getattr(model, "src_embed", None)  # a language model has none
    words = len(matrix), source.table.num_embeddings if source else len(matrix)
    with eval_mode(model), torch.no_grad():
        tgt_in, src = (
            torch.arange(4, device=matrix.device)[None] % (count - 1) + 1 for count in words
        )
        x = model.decode(tgt_in, model.encode(src), src)
    return [float(f"{number:.4g}") for number in x[0, :, :4].flatten().tolist()]


def same_answer(one: Sequence[float], two: Sequence[float]) -> bool:
    """Whether two models gave the same answer, up to what processors round differently."""
    a, b = torch.tensor(one), torch.tensor(two)
    return a.shape == b.shape and torch.allclose(
        a, b, rtol=0, atol=0.01 * float(a.nan_to_num().abs().max()), equal_nan=True
    )
