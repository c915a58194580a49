"""What the exercises of notebook 01 say of texts and programs is so."""

from course.chapters.ch01_one_hot import checks as check


def test_one_word_in_ten_at_most_is_unknown_and_with_a_column_less_it_is_more():
    words = check.ids_of("validation")
    ids = [int(number) for number in words]
    kept = [number for number in ids if number < 458]
    assert len(kept) >= 0.9 * len(ids) > sum(number < 457 for number in ids)


def test_the_programs_have_the_faults_that_are_named():
    programs, vocab = check.programs(), check.our_vocabulary()
    strange = ["I", "like", "xylophones"]
    assert [len(programs[name](strange)) for name in "ABC"] == [3, 3, 2]
    different = {
        name: len(set(programs[name](vocab.tokens).argmax(dim=1).tolist())) for name in "ABC"
    }
    assert different["B"] == len(vocab) and different["C"] == len(vocab) - 1  # <unk> itself is lost
    assert different["A"] < len(vocab) - 100
