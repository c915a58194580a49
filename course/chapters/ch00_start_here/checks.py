"""The exercise of notebook 00. It asks the shipped translator, so any sentence will do."""

import functools

from course.checks import Hint, exercise, expect
from course.grammar.classes import english_class
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import Translator


@functools.cache
def shipped() -> Translator:
    return Translator.load()


def spanish(sentence: str) -> list[str]:
    """The tokens of its translation; a Hint if it can't be read."""
    try:
        return shipped().translate(sentence).tokens
    except InputError as error:
        raise Hint(f"The translator can't read it: {error}.") from None


@exercise
def one_word_changes_the_gender(first: str, second: str) -> None:
    """The exercise of the core: one word apart, last Spanish adjectives of different gender.

    The word that changes is no noun, so that it decides which noun is meant.
    """
    last = [spanish(sentence)[-1] for sentence in (first, second)]
    one, another = (shipped().read(sentence) for sentence in (first, second))
    changed = [pair for pair in zip(one, another, strict=False) if len(set(pair)) == 2]
    expect(
        len(one) == len(another) and len(changed) == 1,
        "The two sentences should differ in exactly one word.",
    )
    expect(
        not {"animal", "street"} & set(one),
        "Animal and street are the nouns of the riddle above: take two others.",
    )
    expect(
        all(english_class(word).part != "noun" for word in changed[0]),
        f"A noun changed, {changed[0][0]} to {changed[0][1]}, so of course its adjective follows. "
        "Keep both nouns and change the adjective at the end.",
    )
    expect(
        "it" in one or "they" in one,
        "Nothing to find out: no *it* or *they* that could mean either noun. Say “because it was "
        "too …”.",
    )
    gender = [{"o": "m", "a": "f"}.get(word.removesuffix("s")[-1:]) for word in last]
    expect(
        None not in gender,
        f"The last words are {last[0]} and {last[1]}: choose adjectives that show their gender, "
        "like cansado and ancha.",
    )
    expect(
        gender[0] != gender[1],
        f"Both translations end in the same gender, {last[0]} and {last[1]}. Either both "
        "adjectives fit the same noun, or both nouns have the same gender in Spanish, or the "
        "machine has chosen the wrong noun, as it sometimes does. Try another adjective or noun.",
    )
