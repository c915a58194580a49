"""The lesson of seconds, and what is broken on purpose."""

from course.chapters.ch12_translation import experiments as lab


def test_the_lesson_is_about_liking_and_keeps_its_test_apart():
    training, held_out = lab.likings("train"), lab.likings("validation", "test")
    assert len(training) > 5000 and len(held_out) > 100
    assert not set(training) & set(held_out)
    assert all(len(english.split()) <= 5 for english, _ in training)


def test_other_gender():
    for text, other in [
        ("La casa es roja", "La casa es rojo"),
        ("Vi los gatos", "Vi los gatas"),
        ("¿Es bonita?", "¿Es bonito?"),
        ("Vi un avión", "Vi un avión"),
    ]:
        assert lab.other_gender(text) == other


def test_kinds_of_errors():
    for written, kind in [
        ("la casa es grande y roja", "right"),
        ("la casa es roja y grande", "another order"),
        ("la casa es grande", "missing"),
        ("la casa es grande y rojo", "ending"),
        ("la casa es grande y grande", "repeated"),
        ("la casa es grande y verde", "other"),
    ]:
        assert lab.error_kind(written.split(), "la casa es grande y roja".split()) == kind
