"""Subwords: any text comes back as it was, and they are learned from the text that is given."""

import json

import pytest

from transformer_lib.text.languages import Language, SubwordLanguage, write_languages
from transformer_lib.text.subwords import SMALLEST, Subwords
from transformer_lib.text.tokens import SPECIALS, Tokenizer, Vocabulary

TEXT = ["Good morning, trees!", "Where are the trees?", "¿Dónde están los árboles?"] * 20


@pytest.fixture(scope="module")
def subwords():
    return Subwords.learn(TEXT, 330)


@pytest.mark.parametrize(
    "text",
    [
        "Good morning, trees!",
        "¿Dónde están los árboles?",
        "Nguyễn said: 漢字, 🙂 and Ελλάδα",  # nothing of it was seen
        "two  spaces, a\ttab, (brackets) — and 1,000.5 «signs»",
        "x <eos> y <pad> <unk>",  # typed, not meant
        "don't ' \" \\ Ġ",
    ],
)
def test_any_text_comes_back_as_it_was(subwords, text):
    vocab = subwords.vocabulary()
    tokens = subwords(text)
    ids = vocab.encode(tokens)
    assert subwords.detokenize(tokens) == text
    assert subwords.detokenize(vocab.decode(ids)) == text
    assert vocab.unknown(tokens) == []
    assert min(ids) >= len(SPECIALS)
    assert subwords.encode_all([text, "other", text]) == [ids, vocab.encode(subwords("other")), ids]


def test_with_joins_left_out_the_text_is_the_same_in_other_pieces(subwords):
    text, vocab = "Good morning, trees!", subwords.vocabulary()
    plain = vocab.encode(subwords(text))
    cut = subwords.encode_with_dropout([text] * 50, dropout=0.3)
    assert {subwords.detokenize(vocab.decode(ids)) for ids in cut} == {text}
    assert len(set(map(tuple, cut))) > 20 and min(map(len, cut)) >= len(plain)
    assert subwords.encode_all([text]) == [plain], "as before"
    (typed,) = subwords.encode_with_dropout(["<eos>"], dropout=0.0)
    assert min(typed) >= len(SPECIALS), "what is typed is no sign"


def test_frequent_words_are_one_piece_and_new_ones_several(subwords):
    assert subwords("trees") == ["Ġtrees"]
    assert len(subwords("xylophone")) > 3
    assert subwords("Good trees") == [*subwords("Good"), *subwords("trees")]  # wherever they stand


def test_letters_with_accents_are_the_same_however_they_are_stored(subwords):
    assert subwords("a\u0301rboles") == subwords("árboles") == subwords("\u00e1rboles")


def test_the_vocabulary_has_the_size_asked_for():
    assert len(Subwords.learn(TEXT, 280).vocabulary()) == 280
    assert len(Subwords.learn(TEXT, SMALLEST).vocabulary()) == SMALLEST


def test_the_same_text_gives_the_same_subwords_and_other_text_others(subwords):
    for again in (Subwords.learn(iter(TEXT), 330), Subwords(subwords.to_json())):
        assert again.to_json() == subwords.to_json()
        assert again("x <eos> trees") == subwords("x <eos> trees")
    assert Subwords.learn(TEXT + ["zebra zebra"] * 99, 330).to_json() != subwords.to_json()


def test_what_cannot_be_is_said(subwords):
    for wrong in ("", "{}", subwords.to_json()[:-9]):
        with pytest.raises(ValueError, match="these are no subwords"):
            Subwords(wrong)
    for one, other in (("<bos>", "<eos>"), ("<pad>", "<bos>")):
        moved = json.loads(subwords.to_json())
        vocab = moved["model"]["vocab"]
        vocab[one], vocab[other] = vocab[other], vocab[one]
        with pytest.raises(ValueError, match="<pad>, <bos>, <eos>, <unk>"):
            Subwords(json.dumps(moved))


def test_words_on_one_side_and_subwords_on_the_other_cannot_be_saved(subwords, tmp_path):
    pieces = SubwordLanguage(subwords)
    words = Language(Tokenizer("en"), Vocabulary(["tree"]))
    for sides in ((pieces, words), (words, pieces)):
        with pytest.raises(ValueError, match="the same subwords"):
            write_languages(tmp_path, *sides)
    assert not list(tmp_path.iterdir())
