"""The exercises of notebook 00. They ask the shipped translator, so any sentence will do."""

import functools

from transformer_lib.checks import Hint, exercise, expect
from transformer_lib.translator import InputError, Translator


@functools.cache
def shipped() -> Translator:
    return Translator.load()


def spanish(sentence: str) -> list[str]:
    """The tokens of its translation; a Hint if it can't be read."""
    expect(isinstance(sentence, str), "Give a sentence in quotes.")
    try:
        return shipped().translate(sentence)[0].tokens
    except InputError as error:
        raise Hint(f"The translator can't read it: {error}.") from None


@exercise
def several_people(sentence: str) -> None:
    """Exercise 1: a sentence in which several people like something."""
    words = spanish(sentence)
    likes = {"gusta", "gustan", "gustó", "gustaron"}
    expect(
        bool(likes & set(words)),
        f"The translation is “{' '.join(words)}”. Does your sentence say that somebody likes it?",
    )
    expect(
        "les" in words,
        f"The translation is “{' '.join(words)}”. One person likes it (le, me, te) or it is "
        "“we” (nos): who would be several others?",
    )


@exercise
def one_word_changes_the_gender(first: str, second: str) -> None:
    """Exercise 2: two sentences, one word apart, whose last Spanish adjectives differ in gender."""
    one, another = (shipped().src.tokenizer(sentence) for sentence in (first, second))
    expect(
        len(one) == len(another) and sum(a != b for a, b in zip(one, another, strict=True)) == 1,
        "The two sentences should differ in exactly one word.",
    )
    last = [spanish(sentence)[-1] for sentence in (first, second)]
    gender = [{"o": "m", "a": "f"}.get(word.removesuffix("s")[-1:]) for word in last]
    expect(
        None not in gender,
        f"The last words are {last[0]} and {last[1]}: choose adjectives that show their gender, "
        "like cansado and ancha.",
    )
    expect(
        gender[0] != gender[1],
        f"Both translations end in the same gender, {last[0]} and {last[1]}. The pronoun has to "
        "mean another noun, and one of the other gender.",
    )
    expect(
        "it" in one or "they" in one,
        "Right, but too easy: the noun itself is another one. Say “because it was too …”, so "
        "that the changed adjective decides which noun it is.",
    )


@exercise
def looks_most_at(guess: str) -> None:
    """Exercise 3: the English word most looked at while "gustan" is written."""
    looks = shipped().looks("I like trees")
    row = looks.tgt_out.index("gustan")
    weights = looks.last_cross_attention()[row]
    expect(guess in looks.src, f"The words to choose from are {', '.join(looks.src)}.")
    expect(
        guess == looks.src[int(weights.argmax())],
        "Look at the row of gustan in the heat map above: which cell is darkest?",
    )
