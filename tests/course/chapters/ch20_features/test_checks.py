"""What the exercises of notebook 20 take for right is so."""

import pytest
import torch

from course.chapters.ch20_features import checks as check


def test_the_faults_can_be_measured():
    suspects, x = check.suspects(), torch.randn(500, 8)
    fired = {name: (sae.encode(x) > 0).float().mean().item() for name, sae in suspects.items()}
    length = {name: sae.decoder.norm(dim=1).mean().item() for name, sae in suspects.items()}
    assert length["A"] == pytest.approx(10) and length["B"] == length["C"] == pytest.approx(1)
    assert fired["B"] > 0.9 > 0.5 > max(fired["A"], fired["C"])
