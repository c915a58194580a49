"""Adam, AdamW and Muon: their numbers, and what a step does to a matrix."""

import pytest
import torch

from tests.transformer_lib.variants.changed_models import small_model
from transformer_lib.training.optimizers import adam, adamw, muon, orthogonalize

close = torch.testing.assert_close


def test_adam_has_the_papers_numbers():
    (group,) = adam(small_model()).param_groups
    decaying = (*adamw(small_model()).param_groups, *muon(small_model()).param_groups[1:])
    for each in (group, *decaying):
        assert (each["betas"], each["eps"]) == ((0.9, 0.98), 1e-9)
        assert each["fused"], "all parameters in one go, or small steps take longer"


@pytest.mark.parametrize(("said", "share"), [({}, 0.1), ({"decay": 0.5}, 0.5)])
@pytest.mark.parametrize("make", [adamw, muon])
def test_decay_takes_off_a_share_of_the_matrices_only(make, said, share):
    model = small_model()
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer = make(model, **said)
    for group in optimizer.param_groups:
        group["lr"] = 0.1
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    for name, parameter in model.named_parameters():
        kept = 1 - 0.1 * share if parameter.dim() > 1 else 1.0
        close(parameter.detach(), before[name] * kept)


def test_how_large_a_gradient_is_makes_no_direction_but_none_at_all_is_none():
    matrix = torch.randn(1, 6, 9)
    for scale in (2.0**-10, 2.0**10):  # in any precision, that is the same digits
        close(orthogonalize(scale * matrix), orthogonalize(matrix))
    assert not orthogonalize(torch.zeros(1, 6, 9)).any()


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="PyTorch has a Muon from 2.9 on")
@pytest.mark.parametrize("half", [False, True], ids=["float32", "bfloat16"])
def test_muon_steps_as_pytorchs_does_whatever_the_processor_computes_in(half, monkeypatch):
    monkeypatch.setattr("transformer_lib.training.optimizers.has_fast_bf16", lambda device: half)
    model = small_model()
    optimizer = muon(model)
    inside = optimizer.param_groups[0]["params"]
    theirs = [torch.nn.Parameter(parameter.detach().clone()) for parameter in inside]
    before = [parameter.detach().clone() for parameter in theirs]
    reference = torch.optim.Muon(theirs, lr=0.01, adjust_lr_fn="match_rms_adamw")
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    for _ in range(3):
        for ours, other in zip(inside, theirs, strict=True):
            ours.grad = torch.randn_like(ours)
            other.grad = ours.grad.clone()
        optimizer.step()
        reference.step()
    for ours, other, start in zip(inside, theirs, before, strict=True):
        error = (ours - other).norm() / (other - start).norm()
        # PyTorch's is in bfloat16, which has two to three digits.
        assert error < 1e-5 if half else 1e-4 < error < 0.02
        assert optimizer.state[ours].keys() == {"momentum_buffer"}
    assert any(p is model.src_embed.table.weight for p in optimizer.param_groups[1]["params"])
