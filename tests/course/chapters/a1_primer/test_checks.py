"""The loops of the primer have the faults that are named."""

import pytest

from course.chapters.a1_primer import checks as check


def test_the_loops_have_the_faults_that_are_named():
    piling, idle, sound = (check.train(name, 60) for name in "ABC")
    assert {slope for slope, _ in idle} == {0.0}
    assert abs(sound[-1][0] - 2) < 0.05 and max(slope for slope, _ in sound) <= 2
    assert max(slope for slope, _ in piling) > 2.5
    assert piling[0] == sound[0] and piling[1][1] < sound[1][1]
    with pytest.raises(ValueError, match="no loop 'D'"):
        check.train("D", 1)
