"""data/README.md says what is true."""

import re
from collections import Counter

from transformer_lib.text import english_spanish
from transformer_lib.text.data import DATA
from transformer_lib.text.tokens import Tokenizer

CARD = (DATA / "README.md").read_text(encoding="utf-8")


def rows(columns: int) -> list[list[str]]:
    """The cells of all table lines with so many columns."""
    lines = [line.strip("|").split("|") for line in CARD.split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if len(line) == columns]


def test_sizes_are_those_of_the_files(splits):
    sizes = {
        file.strip("`").removesuffix(".tsv"): int(size.replace(",", ""))
        for file, size, _ in rows(3)
        if file.endswith(".tsv`")
    }
    assert sizes == {name: len(pairs) for name, pairs in splits.items()}
    assert f"{len(english_spanish.load_pronoun()) // 2} minimal pairs" in CARD


def test_examples_are_in_the_files(splits):
    pairs = {pair for name in splits for pair in splits[name]}
    examples = [
        (english, spanish)
        for _, english, spanish in rows(3)
        if english not in ("pairs", "English", "---") and not re.match(r"[\d,]+$", english)
    ]
    assert len(examples) > 25
    assert [example for example in examples if example not in pairs] == []


def test_lengths_are_as_told(tests, train):
    assert "at most 14 English tokens" in CARD and max(len(words) for words, _ in train) == 14
    lengths = [len(words) for words, _ in tests["longer"]]
    assert "15 to 22 English tokens" in CARD and 15 <= min(lengths) and max(lengths) <= 22


def test_every_tested_word_stands_ten_times_in_training(splits):
    assert "stands at least ten times in training" in CARD
    for side, tokenizer in enumerate((Tokenizer("en"), Tokenizer("es"))):

        def words(name, side=side, tokenizer=tokenizer):
            return Counter(word for pair in splits[name] for word in tokenizer(pair[side]))

        trained = words("train")
        rare = {w for name in splits if name != "train" for w in words(name) if trained[w] < 10}
        assert not rare


def test_three_training_sentences_in_ten_are_about_a_pronoun(splits):
    """A rough count from the text: a reason with it or they, or "... and closed it"."""
    english = [english.lower() for english, _ in splits["train"]]
    reasons = sum(
        "because" in line and re.search(r"\b(it|they)\b", line) is not None for line in english
    )
    handled = sum(
        re.search(r"\b(out of|in|near|with) .* and \w+ (it|them)$", line) is not None
        for line in english
    )
    assert 0.25 < (reasons + handled) / len(english) < 0.35
