"""What the exercise of notebook 16 takes for right is so."""

import torch

from course.chapters.ch16_before import checks as check


def test_it_is_what_pytorch_computes():
    torch.manual_seed(0)
    gru = torch.nn.GRU(2, 3, bidirectional=True)
    cells = [torch.nn.GRUCell(2, 3), torch.nn.GRUCell(2, 3)]
    for cell, end in zip(cells, ("", "_reverse"), strict=True):
        cell.load_state_dict(
            {
                name.removesuffix(f"_l0{end}"): weight
                for name, weight in gru.state_dict().items()
                if name.endswith(f"_l0{end}")
            }
        )
    words = torch.randn(5, 2)
    torch.testing.assert_close(check.right_both_ways(*cells, words, torch.zeros(3)), gru(words)[0])
