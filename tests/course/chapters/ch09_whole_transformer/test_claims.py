"""What notebook 09 says where no output of a cell shows it."""

from collections import Counter

from course.chapters.ch09_whole_transformer import experiment_growing as growing
from course.chapters.ch09_whole_transformer import experiment_scaling as scaling
from transformer_lib import SMALL
from transformer_lib.text import english_spanish


def test_a_step_with_longer_sentences_is_as_told():
    lengths, times = scaling.against_length("milliseconds")
    assert round(times["fused"][-1] / times["fused"][0], 1) == 2.6
    assert {256, 512} < {*lengths}  # around 395
    for way in ("formula", "fused"):
        short = times[way][:3]  # 16, 32 and 64 words
        assert max(short) / min(short) < 1.135
    assert round(max(short) / min(short), 2) == 1.13  # of the fused one


def test_the_growing_machines_write_what_is_told():
    runs = [growing.runs_of(what) for what in growing.MACHINES]
    shares = [[run["right"] for run in three] for three in runs]
    assert {len(three) for three in shares} == {3}
    least, kept, unmasked, masked, ordered, headed = shares
    assert 0.24 < min(least) and max(least) < 0.4 and min(kept) > 0.6 and max(unmasked) == 0
    assert min(masked) > max(kept) and min(headed) > max(ordered)
    assert {*runs[2][0]["writes"].values()} == {""}
    learned, held_out = growing.data()
    assert (len(learned), len(held_out)) == (4690, 200)
    assert not {*growing.SHOWN} & {*dict(learned)}


def test_by_the_pencil_a_step_doubles_at_713_words():
    step = {n: sum(scaling.multiplications(SMALL, 1000, n).values()) / n for n in (16, 713)}
    assert round(step[713] / step[16], 3) == 2


def test_the_mask_alone_gives_back_part_of_the_loss():
    runs = [growing.runs_of(what) for what in growing.MACHINES]
    _, kept, unmasked, masked, *_ = (
        [run["history"][-1]["validation_loss"] for run in three] for three in runs
    )
    assert (round(min(masked), 2), round(max(masked), 2)) == (0.47, 0.51)
    assert max(unmasked) < min(masked) < max(masked) < min(kept)
    sizes = [three[0]["parameters"] for three in runs]
    assert sizes[1] < sizes[2] == sizes[3]


def test_no_test_sentence_has_the_words_of_another_in_another_order():
    learned, tested = growing.data()
    read = growing.untrained("cross-attention", seed=0).src.tokenizer
    all_words = Counter(tuple(sorted(read(english))) for english, _ in learned + tested)
    assert max(all_words[tuple(sorted(read(english)))] for english, _ in tested) == 1


def test_how_many_sentences_have_a_word_twice(translator):
    words = translator.tgt.tokenizer
    pairs = english_spanish.load("test")
    assert len(pairs) == 1000
    assert sum(len({*words(spanish)}) < len(words(spanish)) for _, spanish in pairs) == 137
