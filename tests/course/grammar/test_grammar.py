"""Forms and phrases that can be looked up in a grammar book."""

from course.grammar import morphology
from course.grammar.lexicon import ADJECTIVES, NOUNS
from course.grammar.situations import SITUATIONS

PRESENT, PRETERITE, IMPERFECT = morphology.PRESENT, morphology.PRETERITE, morphology.IMPERFECT


# --- Morphology --------------------------------------------------------------------------------


# --- Phrases -----------------------------------------------------------------------------------


# --- Words -------------------------------------------------------------------------------------


# --- Lexicon -----------------------------------------------------------------------------------


def test_adjectives_suit_what_they_should():
    assert "street" in ADJECTIVES["wide"].suits and "animal" not in ADJECTIVES["wide"].suits
    assert "animal" in ADJECTIVES["tired"].suits and "street" not in ADJECTIVES["tired"].suits
    for adjective in ADJECTIVES.values():
        assert adjective.suits, f"{adjective.english} suits nothing"


def test_no_word_in_the_tables_is_misspelled():
    """Every word in an adjective's list is a noun or a tag, or nothing would come of it."""
    from course.grammar import lexicon

    tags = {tag for noun in NOUNS.values() for tag in noun.tags}
    table = lexicon.ADJECTIVE_TABLE.replace("\n    ", " ").strip()
    for line in table.split("\n"):
        for word in line.split()[3:]:
            if not word.startswith("!"):
                assert word.removeprefix("-") in tags | set(NOUNS), f"{word} in {line}"


def test_a_reason_about_one_noun_is_none_about_the_other():
    for situation in SITUATIONS:
        for nouns, adjectives in situation.groups:
            assert nouns and adjectives
            both_ways = set(adjectives) & set(situation.about_first)
            assert len(both_ways) < len(adjectives), situation.verb.english


# --- Draw --------------------------------------------------------------------------------------
