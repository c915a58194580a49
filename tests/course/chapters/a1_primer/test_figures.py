"""The picture of the primer shows the sums that PyTorch makes."""

import torch

from course.chapters.a1_primer.figures import _broadcasting


def test_the_square_holds_the_sums():
    ax = _broadcasting([0, 10], [1, 2, 3]).axes[0]
    numbers = [int(text.get_text()) for text in ax.texts if text.get_text().isdigit()]
    column, row = torch.tensor([0, 10])[:, None].expand(2, 3), torch.tensor([1, 2, 3]).expand(2, 3)
    assert numbers == torch.stack([column, row, column + row], dim=-1).flatten().tolist()
