"""Parts of speech, gender and number of word forms, against examples typed by hand."""

from course.grammar.classes import PARTS, WordClass, english_class, spanish_class
from transformer_lib.translator import Translator


def test_english():
    for word, kind in [
        ("cow", WordClass("noun", "f", "one")),
        ("trees", WordClass("noun", "m", "many")),
        ("water", WordClass("noun", "f", "one")),
        ("doctor", WordClass("noun", "", "one")),
        ("mice", WordClass("noun", "m", "many")),
        ("gave", WordClass("verb")),
        ("studying", WordClass("verb")),
        ("liked", WordClass("verb")),
        ("tired", WordClass("adjective")),
        ("wider", WordClass("adjective")),
        ("clean", WordClass("adjective")),
        ("Ana", WordClass("name", "f")),
        ("the", WordClass("other")),
        ("<eos>", WordClass("other")),
    ]:
        assert english_class(word) == kind


def test_spanish():
    for word, kind in [
        ("vaca", WordClass("noun", "f", "one")),
        ("árboles", WordClass("noun", "m", "many")),
        ("agua", WordClass("noun", "f", "one")),
        ("doctora", WordClass("noun", "f", "one")),
        ("artista", WordClass("noun", "", "one")),
        ("vino", WordClass("noun", "m", "one")),
        ("rojas", WordClass("adjective", "f", "many")),
        ("grande", WordClass("adjective", "", "one")),
        ("pintada", WordClass("adjective", "f", "one")),
        ("gustan", WordClass("verb")),
        ("durmiendo", WordClass("verb")),
        ("Pedro", WordClass("name", "m", "one")),
        ("los", WordClass("other")),
    ]:
        assert spanish_class(word) == kind


def test_what_the_lexicon_does_not_know_is_little():
    translator = Translator.load()
    for language, kind_of in ((translator.src, english_class), (translator.tgt, spanish_class)):
        parts = [kind_of(word).part for word in language.vocab.tokens]
        assert set(parts) == set(PARTS)
        assert parts.count("other") < 120
