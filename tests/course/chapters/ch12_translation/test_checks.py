"""Notebook 12: the model and the texts are as the exercises say."""

from course.chapters.ch00_start_here.checks import shipped
from course.chapters.ch12_translation import checks as check
from course.chapters.ch12_translation import experiments as lab
from tests.course.checks.attempts import told
from transformer_lib.text import english_spanish


def right_to_the_letter(pairs: list[tuple[str, str]]) -> list[bool]:
    found = shipped().translate([english for english, _ in pairs])
    return [one.text == spanish for one, (_, spanish) in zip(found, pairs, strict=True)]


def test_the_leak_is_as_large_as_asked_for():
    pairs = lab.suspicious_test()
    train = {english for english, _ in english_spanish.load("train")}
    seen = {tuple(lab.words(english)) for english in train}
    old = [tuple(lab.words(english)) in seen for english, _ in pairs]
    right = right_to_the_letter(pairs)
    leaked, honest = check.leak.parts
    literally = sum(english in train for english, _ in pairs)
    assert leaked.right == sum(old)
    assert list(leaked.slips) == [literally, len(pairs) - sum(old)]
    new = sum(r for r, o in zip(right, old, strict=True) if not o)
    known = sum(right) - new
    shares = [new / old.count(False), sum(right) / len(pairs), known / sum(old), new / len(pairs)]
    assert [round(share, 2) for share in shares] == [honest.right, *honest.slips]


def test_a_mistake_can_be_found():
    pairs = english_spanish.load("test")
    right = right_to_the_letter(pairs)
    assert told(check.a_mistake, pairs[right.index(False)][0]) == ("", 1.0)
    sound = pairs[right.index(True)][0]
    assert "gets that one right" in told(check.a_mistake, sound)[0]
