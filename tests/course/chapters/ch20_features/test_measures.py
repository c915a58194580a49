"""The measures, against what is counted by hand."""

import pytest
import torch

from course.chapters.ch20_features import measures
from course.chapters.ch20_features.labels import Asked


def slowly(scores: list[float], true: list[bool]) -> float:
    """Average precision as its definition says it; the same scores come together."""
    found = []
    for score, right in zip(scores, true, strict=True):
        if right:
            first = [t for s, t in zip(scores, true, strict=True) if s >= score]
            found.append(sum(first) / len(first))
    return sum(found) / len(found)


def test_average_precision_is_its_definition():
    draw = torch.Generator().manual_seed(0)
    scores = torch.randint(0, 6, (40, 5), generator=draw).float()  # with many of the same
    true = torch.rand(40, generator=draw) < 0.4
    expected = [slowly(column.tolist(), true.tolist()) for column in scores.T]
    torch.testing.assert_close(
        measures.average_precision(scores, true), torch.tensor(expected), atol=1e-5, rtol=0
    )


def test_precision_and_recall():
    fires = torch.tensor([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]).bool()
    true = torch.tensor([True, True, False, True])
    precision, recall = measures.rates(fires, true)
    assert precision.tolist() == [1, 0.5, 0]
    assert recall.tolist() == pytest.approx([2 / 3, 1 / 3, 0])


def asked(n: int = 400, groups: int = 40) -> Asked:
    group = torch.arange(n) % groups
    return Asked(
        torch.arange(n), torch.zeros(n).long(), group % 2 == 0, group, torch.zeros(n).bool()
    )


def test_no_noun_is_in_both_halves():
    choose, measure = measures.halves(asked())
    assert not set(choose.groups.tolist()) & set(measure.groups.tolist())
    assert len(choose) + len(measure) == 400 and min(len(choose), len(measure)) > 100


def test_what_knows_single_nouns_by_heart_finds_nothing():
    """40 features, one for each noun: none of them serves the other half."""
    about = asked()
    by_heart = torch.nn.functional.one_hot(about.groups, 40).float()
    found = measures.best_candidate(lambda x: x[:, :40], by_heart[:, None], about)
    assert found["ap"] == pytest.approx(found["base"]) and found["recall"] == 0
    gender = torch.cat([by_heart, about.true.float()[:, None]], dim=1)
    found = measures.best_candidate(lambda x: x, gender[:, None], about)
    assert (found["candidate"], found["ap"], found["recall"]) == (40, 1, 1)


def test_the_probe_finds_a_direction():
    about = asked()
    x = torch.randn(400, 1, 8, generator=torch.Generator().manual_seed(0))
    x[:, 0, 3] += 6 * about.true
    found = measures.best_candidate(measures.probe(x, about), x, about)
    assert found["ap"] > 0.99


def test_a_thousand_directions_at_random_are_nearly_at_right_angles():
    """As notebook 20 tells it: on average the cosine is 0.07, and all but a few are below 0.25."""
    directions = torch.nn.functional.normalize(
        torch.randn(1024, 128, generator=torch.Generator().manual_seed(0)), dim=1
    )
    cosines = (directions @ directions.T)[~torch.eye(1024).bool()].abs()
    assert round(cosines.mean().item(), 2) == 0.07
    assert (cosines > 0.25).float().mean() < 0.01
