"""The picture of unknown words."""

from course.chapters.ch01_one_hot.figures import _typical


def test_the_drawn_sentence_is_as_unknown_as_the_whole_text_and_is_known_at_the_last_step_only():
    known = [[("a", False), ("b", False)], [("a", False), ("c", True)], [("c", True)]]
    assert _typical([known, [[(word, True) for word, _ in row] for row in known]], long=2) == 1
