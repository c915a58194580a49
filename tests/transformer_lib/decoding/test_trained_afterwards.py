"""What has computed without gradients, in texts of any length, can be trained afterwards."""

import pytest
import torch

from tests.transformer_lib.variants.changed_models import CHANGES, small_model
from transformer_lib.decoding import beam_search, greedy_decode, sample_decode

LONG = torch.full((1, 300), 5)  # more positions than a table has at first


@pytest.mark.parametrize("decode", [greedy_decode, beam_search, sample_decode])
@pytest.mark.parametrize(
    ("change", "positions"), [("paper", "paper"), ("paper", "tensor2tensor"), ("rotary", "paper")]
)
def test_a_model_that_has_decoded(change, positions, decode):
    model = small_model(N=1, positions=positions)
    CHANGES[change](model)
    decode(model, LONG, max_length=2)
    with torch.inference_mode():
        model(LONG, LONG)
    assert not any(table.is_inference() for table in model.buffers())
    model(LONG, LONG).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
