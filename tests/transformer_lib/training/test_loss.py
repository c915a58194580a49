"""Label-smoothed cross-entropy against the definition and against PyTorch."""

import math

import pytest
import torch
import torch.nn.functional as F

from transformer_lib.text.tokens import PAD
from transformer_lib.training.loss import label_smoothed_cross_entropy

close = torch.testing.assert_close
SMOOTHINGS = [0.0, 0.1, 0.3, 0.9]


def logits_and_target():
    """3 sentences of 5 words, 11 words in the vocabulary, some padding."""
    target = torch.randint(1, 11, (3, 5))
    target[0, 3:] = target[2, 1:] = PAD
    return torch.randn(3, 5, 11, dtype=torch.float64, requires_grad=True), target


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("ignored", [PAD, -100, 3])
def test_equals_pytorch_in_value_and_gradient(smoothing, reduction, ignored):
    logits, target = logits_and_target()
    target = torch.where(target == PAD, ignored, target)
    how = {"ignore_index": ignored, "reduction": reduction}
    ours = label_smoothed_cross_entropy(logits, target, smoothing, **how)
    flat = logits.flatten(0, 1), target.flatten()
    theirs = F.cross_entropy(*flat, label_smoothing=smoothing, **how)
    close(ours, theirs)
    close(*(torch.autograd.grad(loss, logits)[0] for loss in (ours, theirs)))
    if (smoothing, ignored) == (0.1, PAD):  # the paper's, if nothing is said
        close(label_smoothed_cross_entropy(logits, target, reduction=reduction), ours)


def test_an_impossible_word_costs_nothing_without_smoothing():
    # probability 0, logit -inf, as decoding gives to <pad>: 0 * infinity must not become NaN
    logits = torch.tensor([[-math.inf, 0.0, 0.0]])
    assert label_smoothed_cross_entropy(logits, torch.tensor([1]), 0.0).item() == pytest.approx(
        math.log(2)
    )


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_nothing_but_padding_is_no_loss(reduction):
    logits, target = logits_and_target()
    loss = label_smoothed_cross_entropy(logits, torch.full_like(target, PAD), reduction=reduction)
    assert loss.item() == 0
    (grad,) = torch.autograd.grad(loss, logits)
    assert torch.equal(grad, torch.zeros_like(logits))
