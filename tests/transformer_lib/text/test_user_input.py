"""What somebody types, read as it is meant, or refused in a sentence."""

import pytest

from transformer_lib.text.user_input import (
    LARGER,
    LONGEST,
    InputError,
    UserInput,
    about_unknown,
    finish,
    is_finished,
    is_near,
    one_line,
)
from transformer_lib.translator import Translator


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [
        ("i LIKE trees.", ["I", "like", "trees"]),
        ("I don’t like trees", ["I", "do", "not", "like", "trees"]),
        ("it's ana", ["it", "is", "Ana"]),
        ("the queen's duck", ["the", "queen", "'s", "duck"]),
        ("Do I like trees?!", ["do", "I", "like", "trees", "?"]),
        ("I like trees!!", ["I", "like", "trees"]),
    ],
)
def test_typed_sentences_are_read_as_they_are_meant(translator, typed, tokens):
    assert translator.read(typed) == tokens


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "the line is empty"),
        (".", "no word in '.'"),
        (None, "one sentence in quotes.*not None"),
        ("I like treez", r"'treez' \(did you mean 'trees'\?\)"),
        ("I like teh duck", r"did you mean 'the'"),
        ("I like xylophones", r"'xylophones'; it reads English and knows 11 words"),
        ("I like trees. I like Ana", "more than one sentence"),
        ("I like trees\nI like Ana\n", "there are 2 lines"),
        (
            "trees " * (LONGEST + 1),
            f"{LONGEST + 1} words and punctuation marks, more than {LONGEST}",
        ),
    ],
)
def test_what_cannot_be_read_is_said(translator, typed, message):
    with pytest.raises(InputError, match=message) as caught:
        translator.translate(typed)
    assert str(caught.value)[-1] not in ".?!"  # a full stop may follow


@pytest.mark.parametrize("number", ["1984", "½", "٣"])
def test_a_number_is_a_word(number):
    assert one_line(f" {number}. ") == f"{number}."


@pytest.mark.parametrize(
    ("mark", "back"),
    [
        (".", "{}."),
        (" .", "{}."),
        ("...", "{}…"),
        ("!", "¡{}!"),
    ],
)
def test_a_mark_at_the_end_is_put_back(translator, mark, back):
    """The model never sees it, so it can't be led astray by it."""
    plain, marked = (translator.translate("I like trees" + m) for m in ("", mark))
    assert marked.tokens == plain.tokens
    assert marked.text == back.format(plain.text)


def test_an_exclamation_that_is_none_without_its_mark_keeps_it():
    """Of the shipped model: "What big trees!" is a sentence of its training."""
    tokens = Translator.load().read("What big trees!!")
    assert tokens == ["what", "big", "trees", "!"]


def test_a_notebook_shows_one_line():
    assert InputError("there are 2 lines")._render_traceback_() == ["InputError: there are 2 lines"]


@pytest.mark.parametrize(
    ("typed", "read", "added"),
    [
        ("good morning", "Good morning.", "."),
        (" Good morning. ", "Good morning.", ""),
        ("é?", "É?", ""),
        ("3 dogs", "3 dogs.", "."),
        ("I am 5", "I am 5.", "."),
        ("“no”", "“no”", ""),
        ("eBay", "EBay.", "."),
    ],
)
def test_a_sentence_is_finished_for_a_model_that_knows_no_other(typed, read, added):
    assert finish(one_line(typed)) == UserInput(read, added=added)
    assert is_finished(read) and is_finished(typed.strip()) == (typed.strip() == read)


NEAR = "treez trees, treez tree, stret street, teh the, hte the, kitchens kitchen, animla animal"
FAR = """trees street, north onion, onion north, ich rich, mag map, hello yellow, xylophones phones,
    at ta, abcd abdce, lik like"""


@pytest.mark.parametrize(("pairs", "near"), [(NEAR, True), (FAR, False)])
def test_only_a_slip_of_the_finger_is_near(pairs, near):
    assert all(is_near(*pair.split()) == near for pair in pairs.split(","))


def test_three_words_are_suggested_at_most():
    known = ["trees", "treed", "trews", "tress", "threes"]
    for code in ("en", "de"):
        said = about_unknown(["trees"], known, code)
        assert "(did you mean 'trees' or 'treed' or 'trews'?)" in said
        assert (LARGER in said) == (code == "en")
    assert "treed" not in about_unknown(["tre"], known, "en")


@pytest.mark.parametrize(
    ("written", "doubt"),
    [
        ("Tiene 12 y 250.", ""),
        ("Tiene 120 y 12.", "where something belongs"),
        ("Tiene 250 y 12.", "its numbers are not those"),
        ("Tiene 12 y 250 o 250.", "its numbers are not those"),
    ],
)
def test_a_translation_with_other_numbers_is_doubted(written, doubt):
    typed = UserInput("It has 12 and 250.", replaced=(("250", "90210"),), numbers=list("1290210"))
    assert doubt in typed.doubt(written) and bool(doubt) == bool(typed.doubt(written))
    assert UserInput("It has 12 and 250.").doubt(written) == ""
