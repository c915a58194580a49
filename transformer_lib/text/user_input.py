"""What somebody types: one sentence and how it ends, or the reason why it can't be read."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from transformer_lib.text.stand_ins import Replaced, numbers_of, places, put_back

Several = TypeVar("Several", bound=Iterable[Any])
LONGEST = 64  # tokens in a sentence that somebody types
NO_LETTER = re.compile("[\ud800-\udfff]")  # what Python makes of bytes that are not UTF-8
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # line breaks and tabs among them
ENDS = (".", "?", "!", "…", "...", ";")  # tokens after which another sentence would begin
LARGER = 'the larger model, "tatoeba", reads any word'


class InputError(ValueError):
    """A sentence that can't be translated; the message says why and what to do.

    In a notebook it appears as one line, without a traceback.
    """

    def _render_traceback_(self) -> list[str]:  # what IPython asks for
        return [f"{type(self).__name__}: {self}"]


@dataclass(frozen=True)
class UserInput:
    """A line that somebody typed. words: what the model reads of it.

    mark: punctuation at the end, set aside and put back later. added: punctuation that was missing
    at the end: given to the model, taken off its translation. replaced: (stand-in, what takes its
    place). numbers: of the line, which a translation must have in the same order; None: any will
    do.
    """

    words: str
    mark: str = ""
    added: str = ""
    replaced: Replaced = ()
    numbers: Sequence[str] | None = None

    def restore_punctuation(self, translation: str, language: str) -> str:
        """The translation with its mark, as its language writes it: in Spanish, ¡…!"""
        opening = "¡" if self.mark == "!" and language == "es" else ""
        return f"{opening}{translation}{self.mark}"

    def translated(self, written: str) -> str:
        """What a model has written, without what was added and with what was replaced."""
        return put_back(written.removesuffix(self.added), self.replaced)

    def doubt(self, written: str) -> str:
        """Why a translation can't be right, however sure the model was of it; "" if it may be.

        The numbers of a translation must be those that were typed, in their order, and what was
        copied must have had a place in it.
        """
        if any(place.lost for place in places(written, self.replaced)):
            return "unsure: where something belongs that was copied, at its end"
        if self.numbers is not None and numbers_of(self.translated(written)) != self.numbers:
            return "unsure: its numbers are not those of the sentence"
        return ""


def several(texts: Several, what: str) -> Several:
    """The same texts; TypeError for a single one, whose letters would be taken for texts."""
    if isinstance(texts, str | bytes):
        raise TypeError(f"a list of {what} is needed, such as [{texts[:40]!r}], not a single text")
    return texts


def without_controls(text: str) -> str:
    """The text in one line: a space for line breaks, tabs and other control characters."""
    return CONTROLS.sub(" ", text).strip()


def one_line(text: Any) -> str:
    """The line without the space around it; InputError for anything but one line with a word."""
    if not isinstance(text, str):
        raise InputError(f'give one sentence in quotes, such as "I like trees", not {text!r:.40}')
    if broken := NO_LETTER.search(text):
        raise InputError(
            f"it is not UTF-8 text, from letter {broken.start() + 1}: save it as UTF-8"
        )
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        raise InputError(f"there are {len(lines)} lines: it reads one sentence at a time")
    words = text.strip()
    if not words:
        raise InputError("there is nothing to translate: the line is empty")
    if not any(letter.isalnum() for letter in words):
        raise InputError(f"there is nothing to translate: no word in {words!r:.40}")
    return words


def one_sentence(line: str) -> UserInput:
    """ "I like trees!!" -> UserInput("I like trees", "!").

    A full stop says nothing that the words don't. Neither does an exclamation mark, except after
    "What a day!", which isn't a sentence without it. A question mark stays.
    """
    words = re.sub(r"[\s.?!…]+$", "", line)
    signs = line.removeprefix(words)
    if "?" in signs:
        return UserInput(words + "?")
    if "!" in signs:
        exclamation = words.lower().startswith("what ")
        return UserInput(words + "!") if exclamation else UserInput(words, "!")
    return UserInput(words, "…" if "…" in signs or "..." in signs else signs.strip()[:1])


def is_finished(text: str) -> bool:
    """Whether it looks like a written sentence: no lower-case letter first, punctuation last."""
    return text[:1] == text[:1].upper() and not text[-1:].isalnum()


def finish(line: str) -> UserInput:
    """ "good morning" -> "Good morning." for a model that has only read finished sentences."""
    added = "." if line[-1].isalnum() else ""
    return UserInput(line[0].upper() + line[1:] + added, added=added)


def check_tokens(tokens: list[str]) -> None:
    """InputError for more than one sentence, or for one that is too long."""
    if any(token in ENDS for token in tokens[:-1]):
        raise InputError("there is more than one sentence: it reads one at a time")
    if len(tokens) > LONGEST:
        raise InputError(
            f"the sentence has {len(tokens)} words and punctuation marks, more than {LONGEST}: "
            f"cut it into shorter sentences"
        )


def about_unknown(unknown: Iterable[str], known: Iterable[str], language: str) -> str:
    """A message: the words a model doesn't know, what may have been meant, what it can read."""
    parts = []
    known = list(known)
    for word in dict.fromkeys(unknown):
        near = [repr(other) for other in known if is_near(word, other)][:3]
        parts.append(repr(word) + (f" (did you mean {' or '.join(near)}?)" if near else ""))
    reads, more = "it knows", ""
    if language == "en":
        reads = "it reads English and knows"
        more = f"; {LARGER}"
    return f"this model has not learned {', '.join(parts)}; {reads} {len(known)} words{more}"


def is_near(word: str, other: str) -> bool:
    """Whether two words are one typing error apart.

    One letter wrong, missing or added, or two neighbors swapped; in words of three letters, a swap.
    """
    if len(word) < 3:
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    a, b = word[start:], other[start:]
    if a and a[:2] == b[1::-1] and a[2:] == b[2:]:
        return True
    return len(word) > 3 and (a[1:] == b[1:] or a[1:] == b or a == b[1:])
