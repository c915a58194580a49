"""The spoiled corpus of assignment 7: its faults are there, and can be mended or dropped."""

import html
import re

from course.chapters.ch14_real_text import messy_corpus as messy
from course.chapters.ch14_real_text.assignment_7_checks import (
    BROKEN,
    TAG,
    cleaned,
    is_spanish,
    keys,
)
from course.chapters.ch14_real_text.messy_corpus import key, lines, originals
from course.grading.assignment_files import assignment
from tests.course.grading.classroom import solutions
from transformer_lib.text import everyday

SEEDS = range(5)


def test_cleaning_gives_back_the_originals():
    """The solutions of the assignment, one after the other, undo what was done to the pairs."""
    for seed in SEEDS:
        names = {"html": html, "re": re, "key": key, "is_spanish": is_spanish, "BROKEN": BROKEN}
        for name in ("my_clean_pair", "my_deduplicate"):
            exec(solutions(assignment(7))[name], names)
        clean = [pair for line in lines(seed) if (pair := names["my_clean_pair"](*line))]
        assert names["my_deduplicate"](clean) == originals(seed)


def test_every_fault_is_there():
    for seed in SEEDS:
        pairs, found = originals(seed), lines(seed)
        one = [" ".join(line) for line in found]
        counts = {
            "tags": sum(bool(TAG.search(text)) for text in one),
            "entities": sum("&" in text for text in one),
            "other spaces": sum("\xa0" in text or "  " in text for text in one),
            "curly quotes": sum("’" in text for text in one),
            "exchanged": sum(is_spanish(a) and not is_spanish(b) for a, b in found),
            "empty": sum(not all(side.strip() for side in line) for line in found),
            "encoding": sum(any(sign in text for sign in BROKEN) for text in one),
            "too long": sum(all(line) and not messy.fits(*line) for line in found),
            "repeated": len(found) - len(set(map(keys, found))),
        }
        assert min(counts.values()) >= 3, counts
        assert 350 < len(pairs) < len(found) < 550
        assert sum(cleaned(*line) is None for line in found) > 15


def test_the_originals_are_ours_and_have_nothing_to_clean():
    for seed in SEEDS:
        ours = {key(item.english): item.translations for item in everyday.load()}
        pairs = originals(seed)
        assert all(target in ours[key(source)] for source, target in pairs)
        assert all(cleaned(*pair) == pair for pair in pairs)
        assert len(set(map(keys, pairs))) == len(pairs)
        # some sentences are typed in two ways, so that a split to the letter leaks
        assert len({source for source, _ in pairs}) > len({key(source) for source, _ in pairs}) + 10
