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
    torch.manual_seed(0)
    target = torch.randint(1, 11, (3, 5))
    target[0, 3:] = target[2, 1:] = PAD
    return torch.randn(3, 5, 11, dtype=torch.float64, requires_grad=True), target


def test_by_hand_without_smoothing():
    # the word in slot 5 was the right one and got probability 0.20: -ln 0.20 = 1.609
    predicted = torch.tensor([[0.01, 0.01, 0.02, 0.70, 0.20, 0.01, 0.05]])
    loss = label_smoothed_cross_entropy(predicted.log(), torch.tensor([4]), smoothing=0.0)
    assert loss.item() == pytest.approx(1.609, abs=0.0005)


def test_by_hand_with_smoothing():
    # probabilities 1/2, 1/4, 1/4, right word second, eps = 0.3: it is wanted at 0.8, the others 0.1
    predicted = torch.tensor([[0.5, 0.25, 0.25]])
    loss = label_smoothed_cross_entropy(predicted.log(), torch.tensor([1]), smoothing=0.3)
    by_hand = 0.1 * math.log(2) + 0.8 * math.log(4) + 0.1 * math.log(4)
    assert loss.item() == pytest.approx(by_hand)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_equals_pytorch_in_value_and_gradient(smoothing, reduction):
    logits, target = logits_and_target()
    ours = label_smoothed_cross_entropy(logits, target, smoothing, reduction=reduction)
    theirs = F.cross_entropy(
        logits.flatten(0, 1),
        target.flatten(),
        label_smoothing=smoothing,
        ignore_index=PAD,
        reduction=reduction,
    )
    close(ours, theirs)
    close(*(torch.autograd.grad(loss, logits)[0] for loss in (ours, theirs)))


def test_the_default_is_the_papers_smoothing():
    logits, target = logits_and_target()
    close(
        label_smoothed_cross_entropy(logits, target),
        F.cross_entropy(
            logits.flatten(0, 1), target.flatten(), label_smoothing=0.1, ignore_index=PAD
        ),
    )


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_it_is_the_divergence_from_the_smoothed_truth_plus_its_entropy(smoothing):
    # cross-entropy H(q, p) = KL(q || p) + H(q); only the first part can be made smaller
    logits, target = logits_and_target()
    wanted = torch.full((15, 11), smoothing / 11, dtype=torch.float64)
    wanted[torch.arange(15), target.flatten()] += 1 - smoothing
    assert wanted.sum(dim=1).allclose(torch.ones(15, dtype=torch.float64))
    counts = target.flatten() != PAD
    log_p = logits.flatten(0, 1).log_softmax(dim=-1)
    divergence = F.kl_div(log_p[counts], wanted[counts], reduction="sum")
    entropy = -torch.special.xlogy(wanted, wanted)[counts].sum()
    close(
        label_smoothed_cross_entropy(logits, target, smoothing, reduction="sum"),
        divergence + entropy,
    )


def test_smoothing_punishes_certainty():
    # Without smoothing a surer right answer is always better; with it, too sure is worse.
    def loss(confidence, smoothing):
        return label_smoothed_cross_entropy(
            torch.tensor([[confidence, 0.0, 0.0]]), torch.tensor([0]), smoothing, ignore_index=-1
        ).item()

    assert loss(20.0, 0.0) < loss(3.0, 0.0) < loss(1.0, 0.0)
    assert loss(20.0, 0.1) > loss(3.0, 0.1) < loss(1.0, 0.1)


def test_an_impossible_word_costs_nothing_without_smoothing():
    # probability 0, logit -inf, as decoding gives to <pad>: 0 * infinity must not become NaN
    logits = torch.tensor([[-math.inf, 0.0, 0.0]])
    assert label_smoothed_cross_entropy(logits, torch.tensor([1]), 0.0).item() == pytest.approx(
        math.log(2)
    )


def test_padding_does_not_count():
    logits, target = logits_and_target()
    changed = logits.detach().clone()
    changed[target == PAD] = 1e4
    close(
        label_smoothed_cross_entropy(changed, target), label_smoothed_cross_entropy(logits, target)
    )
    (grad,) = torch.autograd.grad(label_smoothed_cross_entropy(logits, target), logits)
    assert torch.equal((grad == 0).all(dim=-1), target == PAD)


@pytest.mark.parametrize("ignored", [-100, -1, 3])
def test_another_index_can_be_ignored(ignored):
    logits, target = logits_and_target()
    target = torch.where(target == PAD, ignored, target)
    close(
        label_smoothed_cross_entropy(logits, target, ignore_index=ignored),
        F.cross_entropy(
            logits.flatten(0, 1), target.flatten(), label_smoothing=0.1, ignore_index=ignored
        ),
    )


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_nothing_but_padding_is_no_loss(reduction):
    logits, target = logits_and_target()
    loss = label_smoothed_cross_entropy(logits, torch.full_like(target, PAD), reduction=reduction)
    assert loss.item() == 0
    (grad,) = torch.autograd.grad(loss, logits)
    assert torch.equal(grad, torch.zeros_like(logits))


def test_huge_logits_stay_finite():
    logits = torch.tensor([[1e4, -1e4, 0.0]], requires_grad=True)
    loss = label_smoothed_cross_entropy(logits, torch.tensor([1]))
    loss.backward()
    assert loss.isfinite() and logits.grad.isfinite().all()


@pytest.mark.parametrize("smoothing", [-0.1, 1.0, math.nan])
def test_a_share_outside_0_to_1_is_an_error(smoothing):
    with pytest.raises(ValueError, match=f"smoothing={smoothing} must be at least 0"):
        label_smoothed_cross_entropy(*logits_and_target(), smoothing)


def test_an_unknown_reduction_is_an_error():
    with pytest.raises(ValueError, match="reduction='none' must be"):
        label_smoothed_cross_entropy(*logits_and_target(), reduction="none")


def test_where_there_is_one_word_there_is_nothing_to_learn():
    target = torch.tensor([0, -1, 0])
    assert label_smoothed_cross_entropy(torch.zeros(3, 1), target, ignore_index=-1).item() == 0
