"""What notebook 06 says of its masks where no output of a cell shows it."""

import torch

from course.experiments import load
from transformer_lib import BOS, PAD, causal_mask
from transformer_lib.model.masks import padding_mask

READ = torch.tensor([[BOS, 5, 6, 7, 8], [BOS, 9, PAD, PAD, PAD]])  # what section 1 reads


def test_both_masks_differ_from_the_padding_mask_in_the_first_row_only():
    both = padding_mask(READ) & causal_mask(5)
    assert both.shape == (2, 1, 5, 5)
    assert both[1, 0].sum(dim=-1).tolist() == [1, 2, 2, 2, 2]
    assert (both[1, 0] != padding_mask(READ)[1, 0]).any(dim=-1).tolist() == [True] + 4 * [False]
    changed = (both != causal_mask(5)).any(dim=-1)[:, 0]  # by the padding mask
    assert torch.equal(changed, READ == PAD), "only in the rows of padding"


def test_up_to_i_in_what_is_read_is_before_i_in_what_is_written():
    read, written = ["<bos>", "me", "gustan", "los"], ["me", "gustan", "los", "<eos>"]
    for i, row in enumerate(causal_mask(4)[0, 0]):
        seen = [word for word, may in zip(read, row, strict=True) if may]
        assert seen == ["<bos>", *written[:i]]


def test_without_the_mask_no_row_is_ever_right():
    runs = [run for run in load("masks")["runs"] if run["mask"] == "none"]
    assert len(runs) == 3
    assert not any(entry["right_rows"] for run in runs for entry in run["history"])
