"""The weights of a model as decoding likes to read them: in another order, or in 8 bits."""

import copy
import warnings
from typing import TypeVar

import torch
from torch import nn

from transformer_lib.model.interface import Parts

Model = TypeVar("Model", bound=Parts)


def optimize_for_decoding(model: Model, *, int8: bool = False) -> Model:
    """A copy of a model that writes sooner. It is for writing only: don't train or save it.

    For each word all weights are read once, so how fast they come out of memory decides. Where a
    product makes more numbers than it takes, they come faster if those that belong to one input
    lie side by side, not those that belong to one output. The words stay the same, for the forward
    pass and the numbers do.

    int8: each weight matrix in whole numbers from -128 to 127, a quarter of the memory, with a
    scale for each of its rows; what it is multiplied with is rounded on the way, with one scale for
    the whole batch. Rarely another word is written, which may depend on who shares the batch.
    """
    model = copy.deepcopy(model).eval()
    if int8:
        return quantize_int8(model)
    for linear in list(model.modules()):
        if isinstance(linear, nn.Linear) and linear.out_features >= linear.in_features:
            columns = linear.weight.detach().t().contiguous()  # tied or not: a copy of its own
            linear.weight = nn.Parameter(columns.t(), requires_grad=False)
    return model


def quantize_int8(model: Model) -> Model:
    """PyTorch's dynamic quantization of every `nn.Linear`. For processors, not for GPUs."""
    if torch.backends.quantized.engine == "none":
        raise ValueError("PyTorch has no 8-bit arithmetic for this processor")
    with warnings.catch_warnings():  # it will move to the package torchao, says PyTorch
        warnings.simplefilter("ignore")
        from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

        return quantize_dynamic(model, {nn.Linear: per_channel_dynamic_qconfig}, inplace=True)
