"""The logged rates of notebook 10 are what its exercise says of them."""

import pytest

from course.chapters.ch10_training import checks as check


def test_the_logged_rates_differ_where_it_is_said():
    rates = {check.LOGGED[name]: found for name, found in check.logged_rates().items()}
    peak = {kind: (int(found.argmax()) + 1, float(found.max())) for kind, found in rates.items()}
    high = (512 * 4000) ** -0.5
    assert peak["sound"] == (4000, pytest.approx(high))
    assert peak[check.BY_BATCH] == (1000, pytest.approx(high))
    assert peak[check.WIDTH] == (4000, pytest.approx(high / 2))
    assert peak[check.NEVER] == (4000, pytest.approx(high))
    assert float(rates[check.NEVER][-1]) == pytest.approx(high)
    assert float(rates["sound"][-1]) == pytest.approx(high / 3**0.5)
