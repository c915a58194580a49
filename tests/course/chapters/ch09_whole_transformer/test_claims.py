"""What notebook 09 says where no output of a cell shows it."""

from collections import Counter

from course.chapters.ch09_whole_transformer import experiment_growing as growing
from course.chapters.ch09_whole_transformer import experiment_scaling as scaling
from transformer_lib import SMALL, Translator
from transformer_lib.text import english_spanish


def test_a_step_with_longer_sentences_is_as_told():
    _, times = scaling.against_length("milliseconds")
    assert round(times["fused"][-1] / times["fused"][0], 1) == 2.6
    assert {256, 512} < {*scaling.against_length("milliseconds")[0]}  # around 395
    for way in ("formula", "fused"):
        short = times[way][:3]  # 16, 32 and 64 words
        assert max(short) / min(short) < 1.135
    assert round(max(times["fused"][:3]) / min(times["fused"][:3]), 2) == 1.13


def test_the_growing_machines_write_what_is_told():
    shares = {what: [run["right"] for run in growing.runs_of(what)] for what in growing.MACHINES}
    assert all(len(three) == 3 for three in shares.values())
    least, kept, unmasked, masked, ordered, headed = shares.values()
    assert 0.24 < min(least) and max(least) < 0.4 and min(kept) > 0.6 and max(unmasked) == 0
    assert min(masked) > max(kept) and min(headed) > max(ordered)
    writes = [growing.runs_of(what)[0]["writes"] for what in growing.MACHINES]
    assert {*writes[2].values()} == {""}
    assert len(growing.data()[0]) == 4690 and len(growing.data()[1]) == 200
    for english in growing.SHOWN:
        assert english not in dict(growing.data()[0])


def test_by_the_pencil_a_step_doubles_at_713_words():
    step = {n: sum(scaling.multiplications(SMALL, 1000, n).values()) / n for n in (16, 713)}
    assert round(step[713] / step[16], 3) == 2


def test_the_mask_alone_gives_back_part_of_the_loss():
    least, kept, unmasked, masked, *_ = (
        [run["history"][-1]["validation_loss"] for run in growing.runs_of(what)]
        for what in growing.MACHINES
    )
    assert (round(min(masked), 2), round(max(masked), 2)) == (0.47, 0.51)
    assert max(unmasked) < min(masked) < max(masked) < min(kept)
    sizes = [growing.runs_of(what)[0]["parameters"] for what in growing.MACHINES]
    assert sizes[1] < sizes[2] == sizes[3]


def test_no_test_sentence_has_the_words_of_another_in_another_order():
    learned, tested = growing.data()
    read = growing.untrained("cross-attention", seed=0).src.tokenizer
    all_words = Counter(tuple(sorted(read(english))) for english, _ in learned + tested)
    assert max(all_words[tuple(sorted(read(english)))] for english, _ in tested) == 1


def test_how_many_sentences_have_a_word_twice():
    words = Translator.load().tgt.tokenizer
    pairs = english_spanish.load("test")
    assert len(pairs) == 1000
    assert sum(len({*words(spanish)}) < len(words(spanish)) for _, spanish in pairs) == 137
