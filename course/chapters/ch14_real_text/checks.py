"""The exercises of notebook 14: cut a word by learned merges, and score with several references.

Assignment 7 asks for the second as well.
"""

from collections.abc import Callable, Sequence

from course.checks import (
    Exercise,
    Hint,
    a_kind,
    a_number,
    expect,
    implement,
    no_slip,
    not_this,
    result_of,
)
from transformer_lib.metrics import share_right

Merges = Sequence[tuple[str, str]]
# Words and merges by which each mistake comes to pieces of its own.
IN_ORDER = [("e", "r"), ("t", "h"), ("th", "e")]
CASES = [
    ("there", IN_ORDER),
    ("lowlow", [("l", "o"), ("lo", "w")]),
    ("banana", [("a", "n"), ("an", "a")]),
    ("aaaaa", [("a", "a"), ("aa", "aa")]),
    ("tin", [("a", "n")]),
    ("Ġbakers", [("a", "k"), ("b", "ak"), ("Ġ", "bak"), ("Ġbak", "e"), ("Ġbake", "r")]),
]


def joined(parts: Sequence[str], pair: tuple[str, str], times: int | None = None) -> list[str]:
    """Join each occurrence of the pair into one piece, from left to right; `times` at most."""
    found: list[str] = []
    for part in parts:
        if found and (found[-1], part) == pair and times != 0:
            found[-1] += part
            times = None if times is None else times - 1
        else:
            found.append(part)
    return found


def in_pieces(word: str, merges: Merges, times: int | None = None) -> list[str]:
    parts = list(word)
    for pair in merges:
        parts = joined(parts, pair, times)
    return parts


def longest_first(word: str, merges: Merges) -> list[str]:
    """Another way to cut: at each place the longest piece that is known."""
    known, parts = {"".join(pair) for pair in merges}, []
    while word:
        size = next((n for n in range(len(word), 1, -1) if word[:n] in known), 1)
        parts.append(word[:size])
        word = word[size:]
    return parts


PIECES: dict[str, Callable[[str, Merges], list[str]]] = {
    "That takes the longest piece that is known. The merges are done in the order in which they "
    "were learned.": longest_first,
    "A pair may stand in several places of a word: join it in all of them.": (
        lambda word, merges: in_pieces(word, merges, times=1)
    ),
    "That is the wrong order: the merge that was learned first is done first.": (
        lambda word, merges: in_pieces(word, merges[::-1])
    ),
    "After the first merge come the others.": lambda word, merges: in_pieces(word, merges[:1]),
    "Nothing is joined: begin with the letters, then go through the merges one by one.": (
        lambda word, merges: list(word)
    ),
}


@implement(lambda: ("ab", [("a", "b")]))
def my_pieces(function: Callable[[str, Merges], Sequence[str]]) -> None:
    """Exercise: a word and the learned merges -> its pieces."""
    for word, merges in CASES:
        found = result_of(function, word, list(merges))
        expect(
            not isinstance(found, str),
            f"For {word!r} it returns the text {found!r}: the pieces should be a list.",
        )
        expect(
            isinstance(found, list | tuple),
            f"It should return a list of pieces, not {a_kind(found)}.",
        )
        found = list(found)
        if found == in_pieces(word, merges):
            continue
        about = f"{word!r} with the merges {merges} became {found}."
        expect(
            "".join(map(str, found)) == word,
            f"{about} Together, the pieces must be the word again.",
        )
        for hint, way in PIECES.items():
            no_slip(found != way(word, merges), f"{about} {hint}")
        raise Hint(
            f"{about} Begin with its letters; for each merge in turn, join the two pieces "
            "wherever they stand side by side."
        )


# So many of each kind that no two mistakes come to the same share.
WRITTEN, ACCEPTED = zip(
    ("Está lloviendo.", ("Está lloviendo.", "Llueve.")),
    ("No sé.", ("No sé.", "No lo sé.", "Yo no sé.")),
    *[(f"Hola, {name}.", (f"Buenas, {name}.", f"Hola, {name}.")) for name in ("Ana", "Eva", "Leo")],
    ("buenos días.", ("Buenos días.", "Buen día.")),
    *[("Gracias", (f"Muchas gracias, {name}.", f"Gracias, {name}.")) for name in "ABCD"],
    *[("Sí.", ("No.",)) for _ in range(5)],
    ("No.", ("Sí.", "Claro.")),
    *[("Ya voy.", ("Ya voy.",)) for _ in range(3)],
    strict=True,
)


Share = Callable[[Sequence[str], Sequence[Sequence[str]]], float]


def share(right: Callable[[str, Sequence[str]], bool]) -> Share:
    return lambda written, accepted: sum(map(right, written, accepted)) / len(written)


accepted_share = share(lambda text, accepted: text in accepted)


def hits(written: Sequence[str], accepted: Sequence[Sequence[str]]) -> int:
    return sum(some.count(text) for text, some in zip(written, accepted, strict=True))


def missed(text: str, accepted: Sequence[str]) -> bool:
    return not {text} & set(accepted)


ANY_WILL_DO = "Any of them will do."
my_any_reference = Exercise(
    "my_any_reference",
    "Exercise: translations, and for each what is accepted -> share that is right.",
    inputs=lambda: (list(WRITTEN), list(map(list, ACCEPTED))),
    right=[
        accepted_share,
        lambda written, accepted: 1 - sum(map(missed, written, accepted)) / len(accepted),
    ],
    not_allowed=("share_right",),
    borrowed=[share_right],
    read=a_number,
    slips={
        "That is how many are right. What share is it?": [hits],
        "As a share: between 0 and 1.": [lambda *given: 100 * accepted_share(*given)],
        "That is the share that is wrong.": [lambda *given: 1 - accepted_share(*given)],
        f"Only the first reference counts so. {ANY_WILL_DO}": [
            share(lambda text, accepted: text == accepted[0])
        ],
        f"A translation can't equal all its references. {ANY_WILL_DO}": [
            share(lambda text, accepted: all(text == one for one in accepted))
        ],
        "Capitals count.": [share(lambda text, accepted: text.lower() in map(str.lower, accepted))],
        "With `in` a part of a reference counts as right: is it in the *list*?": [
            share(lambda text, accepted: any(text in one for one in accepted))
        ],
        "Compare each translation with its own references, not with those of other sentences.": [
            lambda written, accepted: sum(t in sum(accepted, []) for t in written) / len(written)
        ],
        "Divide by the number of translations, not of references.": [
            lambda written, accepted: hits(written, accepted) / sum(map(len, accepted))
        ],
    },
    unlike=not_this(
        "count the translations that are among their own references, and divide "
        "by how many translations there are."
    ),
)
