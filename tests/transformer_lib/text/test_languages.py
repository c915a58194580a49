"""What a language keeps in files is read again, or its damage named."""

import json

import pytest

from transformer_lib.files import CheckpointError
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.subwords import Subwords
from transformer_lib.translator import Translator


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
        ("NASA", "NASA"),
        ("I AM 5", "I AM 5"),  # three letters say little
        ("Where ARE you?", "Where ARE you?"),
    ],
)
def test_who_shouts_is_read_in_small_letters(typed, read):
    language = SubwordLanguage(Subwords.learn(["where are you?", "NASA"], 300))
    assert language.preprocess(typed).words == read
