"""Could the grammar have written this sentence? Its own program is run backwards to find out.

The grammar is a program that makes random choices. A sentence is one of its own if some choices
lead to it, so they are tried, one after another, until one way writes it, letter for letter. Few
need to be tried: a noun that doesn't stand in the sentence needn't be chosen.

So a "yes" is always right: the grammar has just written the sentence. A "no" is right as long as
no choice is left out that could have led there; the tests look for such a choice in thousands of
sentences.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from types import FunctionType
from typing import Any

from course.grammar import questions
from course.grammar.antecedents import (
    handle,
    noun_reason,
    person_reason,
    reason,
    somebody_reason,
    weather_reason,
)
from course.grammar.clitics import and_it, indirect_object
from course.grammar.larger import (
    GROUPS,
    TEAMS,
    comparative,
    own_reason,
    possession,
    two_objects,
    two_subjects,
    while_doing,
)
from course.grammar.lexicon import ADJECTIVES, NOUNS, Adjective, Noun
from course.grammar.likes import ask_like, interested, left
from course.grammar.phrases import DETERMINERS, PRONOUNS
from course.grammar.random_choices import Draw
from course.grammar.situations import Situation
from course.grammar.splits import draw_once, sounds_odd
from course.grammar.statements import PARTICIPLES, exclamation, grow_or_fly, passive, there_is
from course.grammar.verbs import DITRANSITIVE, DOES, FLY, GROW, VERBS, Verb
from course.grammar.words import CONTRACTIONS, Phrase, Sentence, capitalized, english_text

Forms = tuple[tuple[str, ...], ...]
# Names of what is chosen that don't stand in the sentence themselves.
NEVER_WRITTEN = {"m", "f", "do", "how", "color", "whose", "count", *GROUPS, *TEAMS}
OTHER_FORMS = {
    "a": "an",
    "can": "could",
    "like": "likes liked",
    "have": "has had",
    "be going": "going",
}
# A frame that chooses more than it says, and verbs one of which it says: see `Retrace.fitting`.
SAYS_LESS = {grow_or_fly: (GROW, FLY), indirect_object: DITRANSITIVE}
# Words without which a frame writes no sentence.
ALWAYS = {
    frame: word.split()
    for word, frames in {
        "because": (
            reason,
            person_reason,
            weather_reason,
            noun_reason,
            somebody_reason,
            own_reason,
        ),
        "and": (handle, and_it, two_subjects, two_objects),
        "?": (*questions.FRAMES, ask_like),
        "!": (exclamation,),
        "there": (there_is,),
        "'s": (possession,),
        "by": (passive,),
        "when": (while_doing,),
        "interested in": (interested,),
        "left": (left,),
    }.items()
    for frame in frames
}


class DeadEnd(Exception):
    """These choices don't lead to the sentence."""


def forms(item: Any) -> Forms | None:
    """The English forms in which a chosen item can stand in a sentence, each as a tuple of words.

    forms(NOUNS["cow"]) is (("cow",), ("cows",)). None: the item itself needn't stand there.
    """
    if isinstance(item, Phrase):
        return (item.english.words,)
    if isinstance(item, Situation):
        return forms(item.verb)
    if isinstance(item, Noun | Verb | Adjective | str):
        return _forms(item)
    return None


@cache
def _forms(item: Noun | Verb | Adjective | str) -> Forms | None:
    if isinstance(item, Noun):
        found = [item.english, item.english_plural]
    elif isinstance(item, Adjective):
        found = [item.english, comparative(item.english)]
    elif isinstance(item, Verb):
        found = [item.english, item.english_third, item.english_past, item.english_ing]
        found += [PARTICIPLES[item.english]] if item.english in PARTICIPLES else []
    elif item in NEVER_WRITTEN:
        return None
    else:
        found = [item, *DETERMINERS.get(item, ())[:2], *OTHER_FORMS.get(item, "").split()]
        named = [_forms(table[item]) for table in (NOUNS, ADJECTIVES, VERBS, DOES) if item in table]
        return sum(named, tuple(tuple(form.split()) for form in found))
    return tuple(tuple(form.split()) for form in found)


class Retrace(Draw):
    """Makes its choices in order, not by chance, so that all of them get tried, one path at a time.

    A path is a list of choices; after its end the first option of each choice is taken. `on` goes
    to the next path. words: those of the sentence; options that could only lead to other words are
    left out.
    """

    def __init__(self, words: Iterable[str]):
        super().__init__(seed=0)
        self.words = frozenset(words)
        self.known: dict[int, tuple[Any, bool]] = {}  # id of an item -> it, and whether it fits
        self.path: list[list] = []  # of each choice: which option it is, and the options
        self.begin()

    def begin(self) -> None:
        self.at = 0
        self.running: list[Callable] = []
        self.says_less = False

    def on(self) -> bool:
        """Go to the next path; False after the last one."""
        while self.path and self.path[-1][0] + 1 == len(self.path[-1][1]):
            self.path.pop()
        if self.path:
            self.path[-1][0] += 1
        return bool(self.path)

    def choose(self, options: Callable[..., list], *given: Any) -> Any:
        if self.at == len(self.path):
            found = options(*given)
            if not found:
                raise DeadEnd
            self.path.append([0, found])
        which, found = self.path[self.at]
        self.at += 1
        return found[which]

    def fits(self, item: Any) -> bool:
        """Whether some form of the item is in the sentence; the answer is kept."""
        # by id, as hashing a noun takes longer than the answer; the item is kept, so that no
        # other can get its id
        known = self.known.get(id(item))
        if known is None:
            known = self.known[id(item)] = item, self.stands_here(item)
        return known[1]

    def stands_here(self, item: Any) -> bool:
        if isinstance(item, tuple):
            verbs = [part for part in item if isinstance(part, Verb)]
            return all(map(self.fits, verbs or item[:1]))
        found = forms(item)
        return found is None or any(self.words.issuperset(form) for form in found)

    def answers(self, probability: float, means: str) -> list[bool]:
        fits = self.says_less or not means or self.words.issuperset(means.split())
        return [False] * (probability < 1) + [True] * (probability > 0 and fits)

    def fitting(self, items: Sequence, sure: bool = True) -> list:
        """The items that fit, each once.

        If none does: the first one, unless it is `sure` to stand in the sentence.
        """
        found = list(filter(self.fits, items))
        found = [item for place, item in enumerate(found) if item not in found[:place]]
        return found or ([] if sure and not self.says_less else list(items[:1]))

    def fitting_keys(self, weights: dict) -> list:
        """The keys that fit; all, if they name kinds ("noun", "whether"), which nobody says."""
        if all(isinstance(key, str) for key in weights) and not PRONOUNS.keys() >= weights.keys():
            return list(weights)
        return self.fitting(list(weights))

    def chance(self, probability: float, means: str = "") -> bool:
        return self.choose(self.answers, probability, means)

    def pick(self, items: Sequence, sure: bool = True) -> Any:
        return self.choose(self.fitting, items, sure)

    def weighted(self, weights: dict) -> Any:
        chosen = self.choose(self.fitting_keys, weights)
        if isinstance(chosen, FunctionType):  # a frame
            self.says_less = chosen in SAYS_LESS
            if not all(map(self.words.__contains__, ALWAYS.get(chosen, ()))) or (
                self.says_less and not any(map(self.fits, SAYS_LESS[chosen]))
            ):
                raise DeadEnd
        return chosen

    def run(self, frame: Callable, *args, **named) -> Any:
        """Run a frame; DeadEnd where it starts again, since its last try alone draws the same."""
        if self.running and self.running[-1] is frame:
            raise DeadEnd
        self.running.append(frame)
        drawn = frame(self, *args, **named)
        self.running.pop()
        return drawn


def words_of(text: str) -> set[str]:
    """The words of an English text, "n't" as "not"; the first with and without a capital."""
    for word, short in {**CONTRACTIONS, "I am": "I'm"}.items():
        for begin in (str, capitalized):
            text = re.sub(rf"\b{begin(short)}\b", begin(word) + " not" * (short != "I'm"), text)
    words = re.findall(r"'s|\w+|[^\w\s]", text)
    return {*words, *(word.lower() for word in words[:1])}


def ways(text: str) -> Iterator[tuple[Sentence, list]]:
    """All ways in which the grammar writes this English text: each a sentence and its choices."""
    draw = Retrace(words_of(text))
    while True:
        draw.begin()
        try:
            drawn = draw_once(draw)
            if english_text(drawn.english) == text and not sounds_odd(drawn):
                yield drawn, draw.path
        except DeadEnd:
            pass
        if not draw.on():
            return


def could_write(text: str) -> bool:
    """Whether the grammar can write this English text, letter for letter.

    True for "I like trees"; False for "I like tree", "i like trees" and "".
    """
    return next(ways(text), None) is not None
