"""The models of notebook 06 leak where they should, and nowhere else."""

import pytest
import torch

from course.chapters.ch06_masks import checks as check


def moved(model, ids: torch.Tensor, words: range) -> set[tuple[int, int]]:
    """The pairs (t, j): the output at t moves with the word at j. model: ids (t,) -> (t, ...)"""
    found = set()
    for j in range(len(ids)):
        for word in set(words) - {int(ids[j])}:
            changed = ids.clone()
            changed[j] = word
            change = (model(changed) - model(ids)).abs().amax(dim=-1)
            found |= {(t, j) for t in (change > 1e-4).nonzero().flatten().tolist() if t < j}
    return found


@pytest.mark.parametrize(("place", "leaked"), [(4, {(1, 3)}), (3, {(1, 2), (1, 3), (2, 3)})])
def test_a_leak_of_one_layer_moves_one_output(place, leaked):
    model, src, tgt_in = check.suspects()[place]
    assert moved(lambda ids: model(src, ids[None])[0], tgt_in[0], range(4, 6)) == leaked


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_suspect_sees_one_word_ahead_with_each_layer(layers):
    ids = torch.tensor([1, 9, 7, 5, 11, 4])
    assert moved(lambda ids: check.suspect(ids, layers), ids, range(20)) == set(check.ahead(layers))
