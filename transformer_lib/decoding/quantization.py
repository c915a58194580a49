"""Weights that are read faster in decoding: in another order, or quantized to 16 or 8 bits."""

import copy
import warnings
from typing import TypeVar

import torch
from torch import nn

from transformer_lib.model.interface import Parts

Model = TypeVar("Model", bound=Parts)


def optimize_for_decoding(model: Model, *, int8: bool = False, bf16: bool = False) -> Model:
    """A copy of a model that decodes faster. It is for decoding only: don't train or save it.

    Every word needs all weights once, so the time goes into reading them from memory. A matrix with
    at least as many outputs as inputs is read faster if the weights of one input are side by side,
    instead of those of one output. The forward pass computes the same, so the words stay.

    int8: store each weight matrix in whole numbers from -128 to 127, a quarter of the memory, with
    a scale for each row. Its input is rounded too, with one scale for the whole batch, so now and
    then another word is written, which may depend on the other sentences in the batch. Raises
    ValueError where PyTorch has no 8-bit arithmetic for the processor, and on a GPU.

    bf16: compute in bfloat16, which has the range of float32 and two to three digits. Faster where
    the processor has instructions for it; it seldom changes a word. int8 goes before it.

    Both are for large models. Speed as a multiple of that in float32, on one core of a processor
    without bfloat16 (AMD EPYC), for one sentence and for 32 at a time:

        d_model   int8         bf16
        128       0.6, 1.1     0.7, 0.2
        256       0.9, 1.6     1.0, 0.2
        512       1.3          0.9
    """
    model = copy.deepcopy(model).eval()
    if int8:
        return quantize_int8(model)
    if bf16:
        return model.bfloat16()
    for linear in list(model.modules()):
        if isinstance(linear, nn.Linear) and linear.out_features >= linear.in_features:
            columns = linear.weight.detach().t().contiguous()  # a copy, even of a tied matrix
            linear.weight = nn.Parameter(columns.t(), requires_grad=False)
    return model


def quantize_int8(model: Model) -> Model:
    """PyTorch's dynamic quantization of every `nn.Linear`, for CPUs; ValueError if one can't."""
    device = next(model.parameters()).device
    if device.type != "cpu":
        raise ValueError(f"8-bit weights are for the CPU, but the model is on {device}")
    if torch.backends.quantized.engine == "none":
        raise ValueError("PyTorch has no 8-bit arithmetic for this processor")
    with warnings.catch_warnings():  # that it will move to the package torchao
        warnings.simplefilter("ignore")
        from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

        return quantize_dynamic(model, {nn.Linear: per_channel_dynamic_qconfig}, inplace=True)
