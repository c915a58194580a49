"""The learning rate at each step, by hand."""

import math

import pytest

from transformer_lib.training.schedules import (
    cosine_schedule,
    linear_schedule,
    paper_schedule,
    stable_schedule,
)


def test_the_papers_schedule_peaks_where_the_paper_says():
    rates = {step: paper_schedule(step, d_model=512, warmup=4000) for step in (1, 3999, 4000, 4001)}
    assert rates[4000] == pytest.approx(6.99e-4, rel=1e-3)  # (512 * 4000)^-0.5
    assert rates[4000] == max(rates.values())
    assert rates[1] == pytest.approx(rates[4000] / 4000)


def test_it_peaks_after_the_papers_4000_steps_if_nothing_is_said():
    assert max(range(1, 9000), key=lambda step: paper_schedule(step, 512)) == 4000
    assert paper_schedule(4000, 512) == pytest.approx(6.99e-4, rel=1e-3)


def test_no_step_repeats_another_and_step_zero_is_refused():
    rising = [paper_schedule(step, 512, 4000) for step in range(1, 4001)]
    assert all(a < b for a, b in zip(rising, rising[1:], strict=False))
    with pytest.raises(ValueError, match="step=0"):
        paper_schedule(0, 512)


def test_the_linear_schedule_comes_to_rest():
    rates = [linear_schedule(step, max_lr=2.0, warmup=4, total=10) for step in range(1, 11)]
    assert rates[:4] == [0.5, 1.0, 1.5, 2.0]
    assert rates[-1] == pytest.approx(2.0 / 7)  # one step before zero
    assert all(a > b for a, b in zip(rates[3:], rates[4:], strict=False))


@pytest.mark.parametrize("warmup", [4, 5, 9])
def test_a_linear_schedule_that_ends_within_its_warm_up_only_rises(warmup):
    rates = [linear_schedule(step, max_lr=2.0, warmup=warmup, total=4) for step in range(1, 5)]
    assert rates == pytest.approx([2.0 * step / warmup for step in range(1, 5)])


def test_the_cosine_schedule_falls_to_a_tenth():
    rates = [cosine_schedule(step, max_lr=2.0, warmup=4, total=8) for step in range(1, 10)]
    fall = [0.2 + 1.8 * (1 + math.cos(math.pi * way)) / 2 for way in (0.25, 0.5, 0.75)]
    assert rates == pytest.approx([0.5, 1.0, 1.5, 2.0, *fall, 0.2, 0.2])


def test_the_stable_schedule_stays_level_and_comes_to_rest():
    rates = [stable_schedule(step, max_lr=2.0, warmup=2, total=20) for step in range(1, 21)]
    assert rates == pytest.approx([1.0, *[2.0] * 16, 1.5, 1.0, 0.5])


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_the_cosine_ends_at_a_tenth_however_short_it_is(after):
    total = 5 + after
    assert cosine_schedule(5, 2.0, 5, total) == 2.0
    assert cosine_schedule(total + 1, 2.0, 5, total) == pytest.approx(0.2)
    if after:
        assert cosine_schedule(total, 2.0, 5, total) == pytest.approx(0.2)
