"""Text -> tokens -> ids and back."""

import unicodedata

import pytest
import torch

from transformer_lib.text.tokens import BOS, EOS, PAD, UNK, Tokenizer, Vocabulary, learn_truecasing


@pytest.fixture(scope="module")
def english():
    return Tokenizer("en", proper=["I", "Ana"])


@pytest.fixture(scope="module")
def spanish():
    return Tokenizer("es", proper=["Ana", "Madrid"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I don't like it", "I do not like it"),
        ("She can't swim", "she can not swim"),
        ("We cannot swim", "we can not swim"),
        ("He won't eat", "he will not eat"),
        ("We shan't eat", "we shall not eat"),
        ("It's late", "it is late"),
        ("The woman who's tired", "the woman who is tired"),
        ("I'm here", "I am here"),
        ("They're here", "they are here"),
        ("We've eaten", "we have eaten"),
        ("You'll see", "you will see"),
        ("dont cant", "do not can not"),  # typed in a hurry
        ("The can is on the table", "the can is on the table"),
        ("No, Ana!", "no , Ana !"),
        ("It’s the queen’s duck", "it is the queen 's duck"),
        # after a noun, 's marks the owner and stays
        ("Ana's and the boy's duck", "Ana 's and the boy 's duck"),
        ("  I   like\ttrees\n", "I like trees"),
    ],
)
def test_english_contractions_are_written_out(english, text, tokens):
    assert english(text) == tokens.split()


def test_what_spacy_keeps_together_stays_together():
    assert Tokenizer("es").split("Vivo en  EE. UU. ahora") == ["Vivo", "en", "EE. UU.", "ahora"]


@pytest.mark.parametrize(
    "text",
    [
        "I don't like Ana's duck",
        "I can't, he won't",
        "Mr. Smith isn't here",
        "The house in the U.S. is red.",
    ],
)
def test_capitals_make_no_difference(english, text):
    assert english(text) == english(text.lower()) == english(text.upper())


def test_proper_words_keep_their_capital_wherever_they_stand(english):
    assert english("Ana and I, i and ana, ANA") == "Ana and I , I and Ana , Ana".split()


def test_other_languages_have_other_contractions():
    assert Tokenizer("ca")("Dona'm el llibre") == ["dona", "'m", "el", "llibre"]  # 'm: to me


ENGLISH = [
    "I like trees",
    "Who is there?",
    "The boys' room",
    "I'd like a tree",
    "3 Dogs run",
    "(ⅰ)",
]
SPANISH = [
    "¿Quién cruza la calle?",
    "No, gracias",
    "¿Por qué no cruzó el animal la calle?",
    "El niño (el pequeño) come; la niña bebe",
    "Dice «hola» y se va",
    "Bueno… no sé",
    "Bueno... no sé",
    "Él le dijo: ¿vienes?",
]


def test_what_is_proper_comes_back_as_written(english, spanish):
    for tokenizer, texts in ((english, ENGLISH), (spanish, SPANISH)):
        assert [tokenizer.detokenize(tokenizer(text)) for text in texts] == texts


@pytest.mark.parametrize("text", ["¿Quién cruzó?", "El pingüino y el niño", "¡ÁRBOLES!"])
def test_an_accent_is_one_letter_however_it_was_typed(spanish, text):
    apart = unicodedata.normalize("NFD", text)  # e + accent as two characters
    assert apart != text
    assert spanish(apart) == spanish(text)


@pytest.mark.parametrize(
    ("texts", "proper"),
    [
        (
            ["Trees are here", "See Ana: she and I like Madrid"],
            ["Ana", "I", "Madrid"],
        ),
        (["my robot is R2", "no R2"], ["R2"]),  # a name may end in a number
        (["3 Dogs run", "2 cats see Ana"], ["Ana"]),  # a word after a number is the first
        (["DOGS BARK"], ["BARK"]),
        (["I see the Rose", "I see the rose", "You see Rose"], []),
        (["¿Quién es Ana?", "¡Vamos!", "Quiere un árbol"], ["Ana"]),
        (["no capitals", "at all"], []),
    ],
)
def test_proper_words_have_their_capital_inside_sentences(english, texts, proper):
    assert learn_truecasing(texts, english) == proper


def test_frequent_words_come_first_after_the_special_tokens_and_ties_are_alphabetical():
    sentences = ["b b c <eos>".split(), "b c a d".split()]
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    for some in (sentences, sentences[::-1]):
        tokens = Vocabulary.build(some).tokens  # b 3 times, c twice, a and d once
        assert tokens == ["<pad>", "<bos>", "<eos>", "<unk>", "b", "c", "a", "d"]
    assert Vocabulary.build(sentences, min_count=2).tokens[4:] == ["b", "c"]


def test_an_unseen_word_becomes_unk():
    vocabulary = Vocabulary(["me", "gustan"])
    assert vocabulary.encode(["me", "gusta"]) == [4, UNK]
    assert vocabulary.decode([4, UNK]) == ["me", "<unk>"]
    assert vocabulary.unknown(["me", "gusta", "el", "gusta"]) == ["gusta", "el", "gusta"]
    assert vocabulary.unknown(["me", "gustan"]) == []


@pytest.mark.parametrize("as_ids", [list, torch.tensor])
def test_decode_stops_at_eos_and_drops_padding(as_ids):
    vocabulary = Vocabulary(["a", "b"])
    assert vocabulary.decode(as_ids([BOS, 4, PAD, 5, EOS, 4, PAD])) == ["a", "b"]
