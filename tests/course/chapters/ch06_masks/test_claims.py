"""What notebook 06 says of its masks where no output of a cell shows it, and of what is stored."""

import torch

from course.chapters.ch06_masks import experiments as masks
from course.experiments import digit_training, load
from transformer_lib import BOS, PAD, causal_mask
from transformer_lib.model.masks import padding_mask
from transformer_lib.text.tokens import EOS

READ = torch.tensor([[BOS, 5, 6, 7, 8], [BOS, 9, PAD, PAD, PAD]])  # what section 1 reads


def test_both_masks_differ_from_the_padding_mask_in_the_first_row_only():
    both = padding_mask(READ) & causal_mask(5)
    assert both[1, 0].sum(dim=-1).tolist() == [1, 2, 2, 2, 2]
    assert (both[1, 0] != padding_mask(READ)[1, 0]).any(dim=-1).tolist() == [True] + 4 * [False]
    changed = (both != causal_mask(5)).any(dim=-1)[:, 0]  # by the padding mask
    assert torch.equal(changed, READ == PAD), "only in the rows of padding"


def test_what_is_told_of_training_without_the_mask():
    stored = load("masks")
    runs = {(run["mask"], run["seed"]): run for run in stored["runs"]}
    assert list(runs) == [(mask, seed) for seed in masks.SEEDS for mask in ("causal", "none")]
    for (mask, _), run in runs.items():
        last = run["history"][-1]
        assert last["step"] == masks.STEPS and last["next_word"] >= 0.95
        assert (last["right_rows"] >= 0.95) == (mask == "causal")
        assert any(entry["right_rows"] for entry in run["history"]) == (mask == "causal")
        assert (run["writes"] == stored["reads"][::-1]) == (mask == "causal")


def test_what_is_measured(monkeypatch):
    """<eos> is the commonest word to predict: who always says it is right in 17%."""
    _, held_out = masks.reversing()

    def always_the_end(src, tgt_in):
        return torch.eye(len(masks.DIGITS))[EOS].expand(*tgt_in.shape, -1)

    model = torch.nn.Module()
    model.forward = always_the_end
    assert round(masks.next_word_accuracy(model, held_out), 2) == 0.17
    right = [list(target) for _, target in held_out[:5]]
    monkeypatch.setattr(digit_training, "greedy_decode", lambda *_, **__: right[:4] + [[]])
    assert masks.right_rows(model, held_out[:5]) == 0.8
