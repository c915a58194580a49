"""What notebook 06 says of its masks where no output of a cell shows it."""

import torch

from course.chapters.ch06_masks import experiments as masks
from course.experiments import load
from transformer_lib import BOS, EOS, PAD, Translator, causal_mask
from transformer_lib.model.masks import padding_mask

READ = torch.tensor([[BOS, 5, 6, 7, 8], [BOS, 9, PAD, PAD, PAD]])  # what section 1 reads


def test_both_masks_differ_from_the_padding_mask_in_the_first_row_only():
    both = padding_mask(READ) & causal_mask(5)
    assert both.shape == (2, 1, 5, 5)
    assert both[1, 0].sum(dim=-1).tolist() == [1, 2, 2, 2, 2]
    assert (both[1, 0] != padding_mask(READ)[1, 0]).any(dim=-1).tolist() == [True] + 4 * [False]


def test_up_to_i_in_what_is_read_is_before_i_in_what_is_written():
    read, written = ["<bos>", "me", "gustan", "los"], ["me", "gustan", "los", "<eos>"]
    for i, row in enumerate(causal_mask(4)[0, 0]):
        seen = [word for word, may in zip(read, row, strict=True) if may]
        assert seen == ["<bos>", *written[:i]]


def test_trees_stays_and_a_head_would_look_at_the_answer():
    translator = Translator.load()
    model, ids = translator.model, [*translator.src.encode("I like trees"), EOS]
    padded = torch.tensor([ids + 5 * [PAD]])
    alone = model.encode(torch.tensor([ids]))[0, 2]
    torch.testing.assert_close(model.encode(padded)[0, 2], alone)
    unmasked = model.encoder(model.src_positions(model.src_embed(padded)))[0, 2]
    assert (unmasked - alone).norm() > 0.5
    seen = [BOS, *translator.tgt.encode("me gustan los árboles")]
    answer = {
        mask: float(masks.attention_row(model, ids, seen, mask, layer=0, head=3, position=3)[4])
        for mask in (causal_mask, masks.sees_everything)
    }
    assert answer[causal_mask] == 0 and answer[masks.sees_everything] > 0.5


def test_without_the_mask_no_row_is_ever_right():
    runs = [run for run in load("masks")["runs"] if run["mask"] == "none"]
    assert len(runs) == 3
    assert not any(entry["right_rows"] for run in runs for entry in run["history"])
