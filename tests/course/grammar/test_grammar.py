"""The tables of words."""

from course.grammar.lexicon import NOUNS


def test_no_word_in_the_tables_is_misspelled():
    """Every word in an adjective's list is a noun or a tag, or nothing would come of it."""
    from course.grammar import lexicon

    tags = {tag for noun in NOUNS.values() for tag in noun.tags}
    table = lexicon.ADJECTIVE_TABLE.replace("\n    ", " ").strip()
    for line in table.split("\n"):
        for word in line.split()[3:]:
            if not word.startswith("!"):
                assert word.removeprefix("-") in tags | set(NOUNS), f"{word} in {line}"
