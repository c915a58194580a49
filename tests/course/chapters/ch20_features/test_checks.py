"""The exercises of notebook 20: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch20_features import checks as check
from tests.course.checks.saying import said


def keep(z, k, choose):
    places = choose(z).topk(k, dim=-1).indices
    return torch.zeros_like(z).scatter(-1, places, z.gather(-1, places))


def of_all(z, count):
    least = z.flatten().topk(count).values[-1]
    return torch.where(z >= least, z, 0).relu()


def of_columns(z, k):
    kept = z.topk(k, dim=0)
    return torch.zeros_like(z).scatter(0, kept.indices, kept.values).relu()


TOP_K = {
    "right": (lambda z, k: keep(z, k, lambda z: z).relu(), "right!"),
    "by sorting": (
        lambda z, k: torch.where(z >= z.sort(dim=-1).values[:, -k:][:, :1], z, 0).relu(),
        "right!",
    ),
    "no ReLU": (lambda z, k: keep(z, k, lambda z: z), "ReLU is missing"),
    "all": (lambda z, k: z.relu(), "only the k largest"),
    "sizes": (lambda z, k: keep(z, k, torch.abs).relu(), "without the sign"),
    "of all rows": (lambda z, k: of_all(z, k * len(z)), "of all rows together"),
    "k in all": (of_all, "of all rows together"),
    "of columns": (of_columns, "of each column"),
    "one less": (
        lambda z, k: torch.where(z > z.topk(k, dim=-1).values[:, -1:], z, 0).relu(),
        "`>=` keeps it",
    ),
    "values": (lambda z, k: z.topk(k, dim=-1).values.relu(), "which column"),
    "ones": (lambda z, k: (z >= z.topk(k, dim=-1).values[:, -1:]).float(), "not 1 for each"),
    "others": (lambda z, k: z.relu() - keep(z, k, lambda z: z).relu(), "You kept the others"),
    "always three": (lambda z, k: keep(z, 3, lambda z: z).relu(), "other inputs"),
    "stub": (lambda z, k: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", TOP_K)
def test_my_top_k(capsys, name):
    function, hint = TOP_K[name]
    assert hint in said(capsys, check.my_top_k, function)


def test_the_faults_can_be_measured():
    suspects, x = check.suspects(), torch.randn(500, 8)
    fired = {name: (sae.encode(x) > 0).float().mean().item() for name, sae in suspects.items()}
    length = {name: sae.decoder.norm(dim=1).mean().item() for name, sae in suspects.items()}
    assert length["A"] == pytest.approx(10) and length["B"] == length["C"] == pytest.approx(1)
    assert fired["B"] > 0.9 > 0.5 > max(fired["A"], fired["C"])


def test_diagnose(capsys):
    assert "right!" in said(capsys, check.diagnose, dict(check.PLANTED))
    assert "not tried yet" in said(capsys, check.diagnose, ...)
    wrong = check.PLANTED | {"B": "sound"}
    assert "How many of its features" in said(capsys, check.diagnose, wrong)
    assert "say one of" in said(capsys, check.diagnose, check.PLANTED | {"A": "broken"})
    assert "Give a verdict" in said(capsys, check.diagnose, {"A": "sound"})


@pytest.mark.parametrize(
    ("letter", "hint"),
    [
        ("b", "right!"),
        ("(B)", "right!"),
        ("a", "Twenty more"),
        ("c", "Another seed"),
        ("d", "whole dictionary"),
        ("e", "a to d"),
        (2, "a to d"),
        (..., "not tried yet"),
    ],
)
def test_the_design(capsys, letter, hint):
    assert hint in said(capsys, check.the_design, letter)
