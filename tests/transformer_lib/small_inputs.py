"""What small models read, and whether looking into one has left a trace."""

import torch

SRC = torch.tensor([[5, 6, 7, 8, 9, 5, 2], [5, 6, 10, 2, 0, 0, 0], [7, 2, 0, 0, 0, 0, 0]])
TGT_IN = torch.tensor([[1, 5, 6, 0, 0], [1, 5, 6, 7, 8], [1, 9, 9, 9, 0]])
NAMES = [
    "encoder.layers.0.self_attn",
    "encoder.layers.1.self_attn",
    "decoder.layers.0.self_attn",
    "decoder.layers.0.cross_attn",
    "decoder.layers.1.self_attn",
    "decoder.layers.1.cross_attn",
]


def run(model):
    """The model's output, with the same random numbers for dropout each time."""
    torch.manual_seed(7)
    with torch.no_grad():
        return model(SRC, TGT_IN)


def assert_untouched(model):
    for module in model.modules():
        hooks = [value for name, value in vars(module).items() if "hook" in name]
        assert not any(hooks), f"{type(module).__name__} has hooks left"
        tensors = [n for n, value in vars(module).items() if isinstance(value, torch.Tensor)]
        assert tensors == [], f"{type(module).__name__} keeps {tensors}"


def same(weights):
    return weights


def switched_off(weights):
    return torch.zeros_like(weights)
