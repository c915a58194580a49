"""Adam, AdamW and Muon: their numbers, and what a step does to a matrix."""

import math

import pytest
import torch

from tests.transformer_lib.variants.changed_models import D_MODEL, small_model
from transformer_lib.training.optimizers import adam, adamw, muon, orthogonalize

close = torch.testing.assert_close


def test_adam_has_the_papers_numbers():
    (group,) = adam(small_model()).param_groups
    decaying = (*adamw(small_model()).param_groups, *muon(small_model()).param_groups[1:])
    for each in (group, *decaying):
        assert (each["betas"], each["eps"]) == ((0.9, 0.98), 1e-9)
        assert each["fused"], "all parameters in one go, or small steps take longer"


@pytest.mark.parametrize("rate", [None, 0.1])
@pytest.mark.parametrize("make", [adam, adamw, muon])
def test_every_weight_moves_by_the_rate_of_the_schedule_and_none_without(make, rate):
    model = small_model()
    before = [p.detach().clone() for p in model.parameters()]
    optimizer = make(model)
    for group in optimizer.param_groups if rate else []:
        group["lr"] = rate
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()
    stayed = [torch.equal(p, old) for p, old in zip(model.parameters(), before, strict=True)]
    assert stayed == [rate is None] * len(before)


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


def test_muon_takes_rate_and_decay_of_the_matrices_own_group():
    model = small_model()
    matrix = model.encoder.layers[0].self_attn.w_q.weight
    before = matrix.detach().clone()
    optimizer = muon(model, decay=0.5)
    optimizer.param_groups[0] |= {"lr": 0.1, "weight_decay": 0.2}
    matrix.grad = torch.zeros_like(matrix)
    optimizer.step()
    close(matrix.detach(), before * 0.98)


def test_how_large_a_gradient_is_makes_no_direction_but_none_at_all_is_none():
    matrix = torch.randn(1, 6, 9)
    for scale in (2.0**-10, 2.0**10):  # in any precision, that is the same digits
        close(orthogonalize(scale * matrix), orthogonalize(matrix))
    assert not orthogonalize(torch.zeros(1, 6, 9)).any()


def test_muon_moves_a_matrix_alike_in_all_directions():
    model = small_model()
    matrix = model.encoder.layers[0].self_attn.w_q.weight
    before = matrix.detach().clone()
    optimizer = muon(model, decay=0.0)
    for group in optimizer.param_groups:
        group["lr"] = 0.2
    optimizer.param_groups[0]["lr"] = 0.1  # the matrices' own
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    strengths = torch.linalg.svdvals(matrix.grad)
    optimizer.step()
    moved = torch.linalg.svdvals(before - matrix.detach())
    assert strengths.max() / strengths.median() > 1.8
    assert moved.max() / moved.median() < 1.5  # five steps of Newton and Schulz come near to 1
    # 0.2 * sqrt(24) * 0.1: the size of a step of Adam
    assert moved.median().item() == pytest.approx(0.02 * math.sqrt(D_MODEL), rel=0.3)
    by_adam = [p for group in optimizer.param_groups[1:] for p in group["params"]]
    assert any(p is model.src_embed.table.weight for p in by_adam)


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="PyTorch has a Muon from 2.9 on")
@pytest.mark.parametrize("half", [False, True], ids=["float32", "bfloat16"])
def test_muon_steps_as_pytorchs_does_whatever_the_processor_computes_in(half, monkeypatch):
    monkeypatch.setattr("transformer_lib.training.optimizers.has_fast_bf16", lambda device: half)
    ours, theirs = small_model(), small_model()
    theirs.load_state_dict(ours.state_dict())
    optimizer = muon(ours)
    names = {parameter: name for name, parameter in ours.named_parameters()}
    inside = [names[parameter] for parameter in optimizer.param_groups[0]["params"]]
    by_name = dict(theirs.named_parameters())
    reference = torch.optim.Muon(
        [by_name[name] for name in inside], lr=0.01, adjust_lr_fn="match_rms_adamw"
    )
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    before = {name: by_name[name].detach().clone() for name in inside}
    for _ in range(3):
        for parameter, name in names.items():
            parameter.grad = torch.randn_like(parameter)
            by_name[name].grad = parameter.grad.clone()
        optimizer.step()
        reference.step()
    for parameter, name in names.items():
        if name in inside:
            moved = by_name[name] - before[name]
            error = (parameter - by_name[name]).norm() / moved.norm()
            # PyTorch's is in bfloat16, which has two to three digits.
            assert error < 1e-5 if half else 1e-4 < error < 0.02
            assert optimizer.state[parameter].keys() == {"momentum_buffer"}
