"""What the exercises of notebook 21 take for right is so."""

import torch

from course.chapters.ch21_without_the_table import checks as check


def test_the_faults_can_be_measured():
    x = torch.randn(2, 12, 3)
    right = {
        name: torch.allclose(run(x), x.cumsum(1), atol=1e-5)
        for name, run in check.suspects().items()
    }
    assert right == {name: fault == check.SOUND for name, fault in check.PLANTED.items()}

    def moved(name: str, text: int, word: int) -> torch.Tensor:
        changed = x.clone()
        changed[text, word] += 1
        return (check.suspects()[name](changed) - check.suspects()[name](x)).abs().amax(-1) > 1e-4

    assert not moved("A", 0, 0)[0, -1] and moved("B", 0, 0)[0].all()
    assert moved("C", 0, 11)[0, 8:].all() and not moved("B", 0, 11)[0, :11].any()
    assert moved("D", 1, 0)[0].any() and not moved("C", 1, 0)[0].any()
