"""What a language keeps in files is read again, or its damage named."""

import json

import pytest
import torch

from transformer_lib import LearnedPositions, Tokenizer, Translator, Vocabulary
from transformer_lib.files import CheckpointError
from transformer_lib.text.languages import Language, SubwordLanguage
from transformer_lib.text.subwords import SMALLEST, Subwords
from transformer_lib.text.user_input import InputError


def test_damaged_vocabularies_are_named(translator, tmp_path):
    with pytest.raises(CheckpointError, match="folder is missing"):
        Translator.load(tmp_path / "nowhere")
    translator.save(tmp_path)
    path = tmp_path / "vocabulary.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({"source": whole["source"]}), encoding="utf-8")
    with pytest.raises(CheckpointError, match="vocabulary.json is damaged"):
        Translator.load(tmp_path)
    whole["target"]["words"].append("más")
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(CheckpointError, match="vocabularies of 17 and 11 words, not 17 and 12"):
        Translator.load(tmp_path)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("WHERE ARE YOU?", "where are you?"),
        ("HELLO!", "hello!"),
        ("NASA", "NASA"),
        ("I AM 5", "I AM 5"),  # three letters say little
        ("Where ARE you?", "Where ARE you?"),
    ],
)
def test_who_shouts_is_read_in_small_letters(typed, read):
    language = SubwordLanguage(Subwords.learn(["where are you?", "NASA"], 300))
    assert language.preprocess(typed).words == read


def test_as_many_subwords_as_are_promised_are_read_and_no_more():
    language = SubwordLanguage(Subwords.learn(["a"], SMALLEST))  # each letter is one
    assert len(language.tokens(language.preprocess("a" * 254))) == 255  # with the space before it
    with pytest.raises(InputError, match="256 subwords, more than 255"):
        language.tokens(language.preprocess("a" * 255))
    x = torch.zeros(1, SubwordLanguage.longest + 1, 6)  # with <eos>: learned positions have room
    assert LearnedPositions(6, dropout=0.0)(x).shape == x.shape


def test_its_words_are_what_begins_with_a_letter_or_a_digit():
    language = Language(Tokenizer("en"), Vocabulary(["trees", "?", "7", "'s", "I", "1990s", "!"]))
    assert language.words == ["1990s", "7", "I", "trees"]
