"""Drawings of how well a translator does: the data reaches the picture, and says what is said."""

from course.chapters.ch12_translation.experiments import BREAKS, with_an_adjective
from course.chapters.ch12_translation.figures import EXAMPLE


def test_each_way_to_break_a_translation_changes_the_example():
    assert EXAMPLE in with_an_adjective()
    assert [name for name, damage in BREAKS.items() if damage(EXAMPLE) == EXAMPLE] == ["nothing"]
