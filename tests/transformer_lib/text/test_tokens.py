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


# ---------------------------------------------------------------- English


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I like trees", "I like trees"),
        ("I don't like it", "I do not like it"),
        ("The animal didn't cross", "the animal did not cross"),
        ("She can't swim", "she can not swim"),
        ("We cannot swim", "we can not swim"),
        ("He won't eat", "he will not eat"),
        ("We shan't eat", "we shall not eat"),
        ("It isn't far", "it is not far"),
        ("It's late", "it is late"),
        ("He's tired", "he is tired"),
        ("That's the house", "that is the house"),
        ("Who's there?", "who is there ?"),
        ("The woman who's tired", "the woman who is tired"),
        ("I'm here", "I am here"),
        ("They're here", "they are here"),
        ("We've eaten", "we have eaten"),
        ("You'll see", "you will see"),
        ("She'll see", "she will see"),
        ("wouldn't couldn't hasn't", "would not could not has not"),
        ("dont cant", "do not can not"),  # typed in a hurry
        ("The can is on the table", "the can is on the table"),
        ("No, Ana!", "no , Ana !"),
    ],
)
def test_english_contractions_are_written_out(english, text, tokens):
    assert english(text) == tokens.split()


@pytest.mark.parametrize("owner", ["queen", "Ana", "boy"])
def test_the_owners_s_is_no_contraction(english, owner):
    # "the queen's duck": after a noun, 's marks the owner and stays
    assert english(f"the {owner}'s duck") == ["the", owner, "'s", "duck"]


def test_is_and_owner_in_one_sentence(english):
    assert english("It's the queen's duck") == ["it", "is", "the", "queen", "'s", "duck"]


@pytest.mark.parametrize("text", ["The animal didn’t cross", "It’s the queen’s duck", "I can’t"])
def test_curly_apostrophes_are_straight_ones(english, text):
    assert english(text) == english(text.replace("’", "'"))
    assert "'s" in english(text) or "not" in english(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't like Ana's duck",
        "It's late, isn't it?",
        "They're here",
        "I can't, he won't",
        "Mr. Smith isn't here",
        "The house in the U.S. is red.",
    ],
)
def test_capitals_make_no_difference(english, text):
    assert english(text) == english(text.lower()) == english(text.upper())


def test_proper_words_keep_their_capital_wherever_they_stand(english):
    assert english("Ana and I, i and ana, ANA") == "Ana and I , I and Ana , Ana".split()


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_is_no_tokens(english, text):
    assert english(text) == []


def test_other_languages_have_other_contractions():
    assert Tokenizer("ca")("Dona'm el llibre") == ["dona", "'m", "el", "llibre"]  # 'm: to me


def test_spaces_do_not_count(english):
    assert english("  I   like\ttrees\n") == ["I", "like", "trees"]


@pytest.mark.parametrize(
    "text",
    [
        "I like trees",
        "The queen's duck is red, not blue",
        "Who is there?",
        "The boys' room",
        "I'd like a tree",
        "Ana and I (and you) like it",
        "3 Dogs run",
        "1, 2, 3",
        "(ⅰ)",
    ],
)
def test_english_comes_back_as_written(english, text):
    assert english.detokenize(english(text)) == text


# ---------------------------------------------------------------- Spanish


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Me gustan los árboles", "me gustan los árboles"),
        ("¿Quién cruza la calle?", "¿ quién cruza la calle ?"),
        ("¡Qué día!", "¡ qué día !"),
        ("Ana no come, pero bebe", "Ana no come , pero bebe"),
        ("El pingüino y el niño", "el pingüino y el niño"),
    ],
)
def test_spanish_tokens(spanish, text, tokens):
    assert spanish(text) == tokens.split()


@pytest.mark.parametrize("text", ["¿Quién cruzó?", "El pingüino y el niño", "¡ÁRBOLES!"])
def test_an_accent_is_one_letter_however_it_was_typed(spanish, text):
    apart = unicodedata.normalize("NFD", text)  # e + accent as two characters
    assert apart != text
    assert spanish(apart) == spanish(text)


def test_spanish_capitals_make_no_difference(spanish):
    text = "¿Dónde está el árbol de Ana? ¡Está en Madrid!"
    assert spanish(text.upper()) == spanish(text.lower()) == spanish(text)


@pytest.mark.parametrize(
    "text",
    [
        "Me gustan los árboles",
        "¿Quién cruza la calle?",
        "¡Qué bonito!",
        "No, gracias",
        "Él está aquí",
        "Ana no quiere ir, pero yo sí",
        "¿Por qué no cruzó el animal la calle?",
        "El niño (el pequeño) come; la niña bebe",
        "Dice: el pingüino está cansado",
        "¿Te gusta Madrid, Ana?",
        "Dice «hola» y se va",
        "Bueno… no sé",
        "Bueno... no sé",
        "Un árbol es un árbol.",
        "Él le dijo: ¿vienes?",
    ],
)
def test_proper_spanish_comes_back_as_written(spanish, text):
    assert spanish.detokenize(spanish(text)) == text


def test_detokenize_capitalizes_the_first_letter_only(spanish):
    assert spanish.detokenize("¿ dónde está Ana ?".split()) == "¿Dónde está Ana?"
    assert spanish.detokenize("árboles y Madrid".split()) == "Árboles y Madrid"


def test_detokenize_of_nothing_is_nothing(spanish):
    assert spanish.detokenize([]) == ""


# ---------------------------------------------------------------- proper words


def test_proper_words_are_capitalized_inside_sentences(english):
    texts = ["Trees are here", "Ana and I like trees", "My friend Ana sees Madrid", "I'm here"]
    assert learn_truecasing([*texts, "so many"], english) == ["Ana", "I", "Madrid"]


def test_a_name_may_end_in_a_number(english):
    assert learn_truecasing(["my robot is R2", "no R2"], english) == ["R2"]


def test_a_word_after_a_number_is_the_first(english):
    assert learn_truecasing(["3 Dogs run", "2 cats see Ana"], english) == ["Ana"]


def test_the_first_word_of_a_sentence_says_nothing_about_capitals_and_the_second_does():
    texts = ["Yesterday Anna slept", "Trees grow"]
    assert learn_truecasing(texts, Tokenizer("en")) == ["Anna"]
    assert learn_truecasing(["DOGS BARK"], Tokenizer("en")) == ["BARK"]


def test_a_word_that_is_also_written_small_is_not_proper(english):
    texts = ["I see the Rose", "I see the rose", "You see Rose"]
    assert learn_truecasing(texts, english) == []


def test_the_first_word_tells_nothing_even_after_a_question_mark(spanish):
    texts = ["¿Quién es Ana?", "¡Vamos!", "Quiere un árbol"]
    assert learn_truecasing(texts, spanish) == ["Ana"]


# ---------------------------------------------------------------- vocabulary


def test_special_tokens_come_first():
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert Vocabulary(["a"]).tokens == ["<pad>", "<bos>", "<eos>", "<unk>", "a"]


def test_frequent_words_come_first_and_ties_are_alphabetical():
    vocabulary = Vocabulary.build(["b b c".split(), "b c a d".split()])
    assert vocabulary.tokens[4:] == ["b", "c", "a", "d"]  # 3 times, twice, once, once
    assert len(vocabulary) == 8


def test_rare_words_can_be_left_out():
    sentences = ["b b c".split(), "b c a".split()]
    assert Vocabulary.build(sentences, min_count=2).tokens[4:] == ["b", "c"]


def test_the_order_of_the_sentences_does_not_matter():
    sentences = ["z y".split(), "x y".split(), "w".split()]
    assert Vocabulary.build(sentences).tokens == Vocabulary.build(sentences[::-1]).tokens


def test_a_special_token_in_the_text_gets_no_second_number():
    assert Vocabulary.build([["<eos>", "a"]]).tokens[4:] == ["a"]


def test_encode_and_decode_undo_each_other():
    vocabulary = Vocabulary(["me", "gustan", "los", "árboles"])
    ids = vocabulary.encode("me gustan los árboles".split())
    assert ids == [4, 5, 6, 7]
    assert vocabulary.decode(ids) == "me gustan los árboles".split()


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


@pytest.mark.parametrize("words", [["a", "b", "a"], ["a", "<pad>"]])
def test_a_token_listed_twice_is_an_error(words):
    twice = "a" if words.count("a") == 2 else "<pad>"
    with pytest.raises(ValueError, match=f"'{twice}' is there twice"):
        Vocabulary(words)
