"""Assignment 7: clean a corpus, split it, choose on validation, and say how sure a score is."""

import html
import math
import operator
import random
import re
from collections.abc import Callable, Sequence
from statistics import fmean, pstdev, stdev
from typing import Any

import numpy as np

from course.chapters.ch14_real_text.checks import in_pieces, my_any_reference
from course.chapters.ch14_real_text.messy_corpus import RATIO, SPANISH_SIGNS, Pair, key
from course.checks import (
    Exercise,
    Hint,
    Verdicts,
    a_kind,
    alike,
    exercise,
    expect,
    implement,
    no_slip,
    one_number,
    own_work,
    result_of,
    whole_numbers,
)
from transformer_lib.metrics import sacrebleu_score

# --- byte-pair encoding by hand ------------------------------------------------------------------

HO, HOP, HOPS = FIRST_MERGES = [("h", "o"), ("ho", "p"), ("hop", "s")]
CUTS: dict[tuple[str, ...], str] = {  # other pieces of shops, with the right merges
    ("shop", "s"): "shop is no piece: the merges are done in the order in which they were "
    "learned, and hop + s comes before anything that begins with the first s.",
    ("s", "hop", "s"): "The third merge can be done as well.",
    ("s", "ho", "p", "s"): "After the first merge come the others.",
    tuple("shops"): "Nothing is joined: begin with the letters, then do one merge after the other.",
}
TIE = "Of equally frequent pairs, the one whose left piece comes first in the alphabet is joined."
COUNTED: dict[tuple[tuple[str, str], ...], str] = {  # other merges, as they begin
    (("i", "s"),): "i s stands in the most words of the list, but each word counts as often as it "
    "stands in the text.",
    (("o", "p"),): f"h o is as frequent as o p. {TIE}",
    (HO, ("o", "p")): "After the first merge there is no o before a p any more: count again after "
    "each.",
    (HO, ("h", "op")): "There is no piece op: what was joined first is ho.",
    (HO, HOP, ("s", "hop")): f"hop s is as frequent as s hop. {TIE}",
    (HO, HOP, ("i", "s")): "i s stands there 5 times. Is there no pair with more?",
}


@exercise
def first_merges(merges: Any, pieces: Any) -> None:
    """Three merges of hop 2, hops 6, shop 6, is, his, this, sis, miss; and the pieces of shops."""
    wanted = 'Give three pairs, such as [("t", "h"), ("th", "e"), ("a", "n")].'
    expect(isinstance(merges, list | tuple) and len(merges) == 3, wanted)
    for one in merges:
        expect(
            isinstance(one, list | tuple)
            and len(one) == 2
            and all(isinstance(part, str) for part in one),
            wanted,
        )
    expect(
        isinstance(pieces, list | tuple) and all(isinstance(part, str) for part in pieces),
        'Give the pieces as a list of texts, such as ["sh", "op"].',
    )
    merges, pieces = [tuple(one) for one in merges], list(pieces)
    expect("".join(pieces) == "shops", "Together, the pieces must be the word again: shops.")
    cut_right = pieces == ["s", "hops"]
    if merges == FIRST_MERGES:
        no_slip(tuple(pieces) not in CUTS, CUTS.get(tuple(pieces), ""))
        expect(cut_right, "Begin with the letters of shops, and do your three merges one by one.")
        return
    # its own merges done right, or those that were asked for
    done = cut_right or pieces == in_pieces("shops", merges)
    for start, hint in COUNTED.items():
        if tuple(merges[: len(start)]) == start:
            raise Hint(hint, keeps=0.5 if done else 0.0)
    raise Hint("Count again: each pair as often as its words stand in the text, added up.")


# --- a clean pair --------------------------------------------------------------------------------

TAG = re.compile("<[^>]*>")
DOUBLE, SINGLE = dict.fromkeys(map(ord, "“”„«»"), '"'), dict.fromkeys(map(ord, "‘’"), "'")
BROKEN = "\ufffdÃÂ"
CLEAN_CASES = [
    ("Good morning.", "Buenos días."),
    ("No.", "No."),
    ("<b>It's late.</b>", "Es tarde."),
    ("I'm<br>tired.", "Estoy<br/>cansada."),
    ("Tom &amp; Ana", "Tom y Ana"),
    ("Where&nbsp;is it?", "&iquest;D&oacute;nde est&aacute;?"),
    ("I &lt;3 you -&gt; me", "Te quiero mucho"),
    ("He said “no”.", "Dijo «no»."),
    ("Say „yes“.", "Di “sí”."),
    ("Don’t go.", "No te vayas."),
    ("‘Stop!", "Alto"),
    ("  Come \t in   now\n", "\xa0Pase\xa0\u3000 usted "),
    ("¿Qué hora es?", "What time is it?"),
    ("&iquest;Qui&eacute;n es?", "Who is it?"),
    ("Él lo sabe.", "He knows it."),
    ("El Niño came.", "Llegó El Niño."),
    ("<br>", "&nbsp;"),
    ("", ""),
    ("", "Hola."),
    ("Hello.", " \xa0"),
    ("Good morning.", "Buenos d\xc3\xadas."),
    ("What?", "\xc2\xbfEh?"),
    ("Good morning.", "Buenos d\ufffdas."),
    ("Don\ufffdt go.", "No vayas."),
    ("It is raining.", "Llueve."),
    ("It is raining now.", "Llueve."),
    ("Yes.", "De acuerdo, así."),
    ("Yes.", "Así es como es."),
    ("Internationalization!", "¡Ve!"),
    ("<b> Wow </b> <i> <u> !", "¡Vaya!"),
]


def mended(
    text: str,
    *,
    tags: str | None = " ",
    entities: str = "last",
    double: bool = True,
    single: bool = True,
    spaces: str = "all",
    lower: bool = False,
) -> str:
    """One side, made clean; each option is a way to do it otherwise."""
    if entities == "first":
        text = html.unescape(text)
    if tags is not None:
        text = TAG.sub(tags, text)
    if entities == "last":
        text = html.unescape(text)
    text = text.translate((DOUBLE if double else {}) | (SINGLE if single else {}))
    if spaces == "all":
        text = " ".join(text.split())
    elif spaces == "common":
        text = re.sub(" +", " ", text).strip(" ")
    elif spaces == "ends":
        text = text.strip()
    elif spaces == "none at all":
        text = "".join(text.split())
    return text.lower() if lower else text


def is_spanish(text: str) -> bool:
    return any(sign in SPANISH_SIGNS for sign in text.lower())


def too_different(one: str, other: str, ratio: str) -> bool:
    a, b = (len(text) if ratio == "letters" else len(text.split()) for text in (one, other))
    return {
        "never": False,
        "source": a > RATIO * b,
        "target": b > RATIO * a,
        "not of nothing": max(a, b) > RATIO * min(a, b) > 0,
        "as many": max(a, b) >= RATIO * min(a, b),
    }.get(ratio, max(a, b) > RATIO * min(a, b))


Clean = Callable[[str, str], Pair | None]


def cleaning(
    *,
    exchange: str = "one",
    empty: str = "either",
    broken: str = BROKEN,
    ratio: str = "more",
    **options: Any,
) -> Clean:
    """A function that makes a clean pair, or None; each option is a way to do it otherwise."""

    def clean(source: str, target: str) -> Pair | None:
        raw = source, target
        pair = tuple(mended(text, **options) for text in raw)
        looked_at = raw if exchange == "raw" else pair
        one, other = map(is_spanish, looked_at)
        if exchange != "never" and one and (not other or exchange == "source"):
            pair = pair[::-1]
        looked_at = {"raw": raw, "never": ("a", "a")}.get(empty, pair)
        if not (any if empty == "both" else all)(looked_at):
            return None
        if any(sign in text for text in pair for sign in broken):
            return None
        looked_at = raw if ratio == "raw" else pair
        return None if too_different(*looked_at, ratio) else pair

    return clean


def cleaned(source: str, target: str) -> Pair | None:
    """What my_clean_pair should return."""
    return cleaning()(source, target)


class OrNone(Exercise):
    """An exercise for a function that may return None as well."""

    def returned(self, function: Any, inputs: Sequence[Any]) -> Any:
        expect(callable(function), "Hand over the function itself: its name, without parentheses.")
        return super().returned(lambda *texts: (function(*texts),), inputs)


def a_pair_or_none(found: tuple[Any]) -> Pair | None:
    """What it returns; a Hint for anything but None and two texts."""
    (pair,) = found
    expect(pair is not ..., "It still returns `...` for some pairs.")
    if pair is None:
        return None
    expect(
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and all(isinstance(text, str) for text in pair),
        f"Return the two texts, (source, target), or None; not {shown(pair)}.",
    )
    return tuple(pair)


def first_other(found: Sequence[Pair | None], right: Sequence[Pair | None]) -> None:
    for case, one, wanted in zip(CLEAN_CASES, found, right, strict=True):
        expect(one == wanted, f"Of {case!r} it makes {shown(one)}, but it should be {wanted!r}.")


def shown(thing: Any) -> str:
    """As Python writes it, cut off where it gets long."""
    text = repr(thing)
    return text if len(text) <= 200 else f"{text[:200]}…"


my_clean_pair = OrNone(
    "my_clean_pair",
    "Exercise: both sides of a line -> the clean pair, or None.",
    inputs=lambda: CLEAN_CASES,
    right=[cleaning()],
    not_allowed=("cleaned",),
    borrowed=[cleaned],
    read=a_pair_or_none,
    mistakes={
        "It returns None for every pair: does it end with `return`?": [lambda source, target: None]
    },
    slips={
        "Source first, then target.": [lambda *pair: (found := cleaning()(*pair)) and found[::-1]],
        "The tags are still there.": [cleaning(tags=None)],
        "A tag becomes a space: of “I'm<br>tired” two words should be left.": [cleaning(tags="")],
        "Signs that are written as &amp; or &iquest; are still there: html.unescape.": [
            cleaning(entities="never")
        ],
        "“I &lt;3 you -&gt; me” is no tag: first the tags go, then html.unescape makes signs of "
        "the rest.": [cleaning(entities="first")],
        "The curly quotes are still there.": [cleaning(double=False, single=False)],
        'Some double quotes are still there: “ ” „ « » all become ".': [cleaning(double=False)],
        "The single quotes ‘ and ’ become an apostrophe, '.": [cleaning(single=False)],
        "The spaces are as they were.": [cleaning(spaces="never")],
        "Within the sentence, too, several spaces become one.": [cleaning(spaces="ends")],
        'There are other spaces than " ": tabs, line ends, the no-break space. str.split without '
        "an argument knows all of them.": [cleaning(spaces="common")],
        "One space stays between two words.": [cleaning(spaces="none at all")],
        "The capitals are gone: the model should learn to write them.": [cleaning(lower=True)],
        "Exchanged columns are left as they are.": [cleaning(exchange="never")],
        "“El Niño came.” stays in its column: exchange only where the target has no Spanish "
        "sign.": [cleaning(exchange="source")],
        "&iquest; is a Spanish sign as well: look for the languages when the text has been "
        "mended.": [cleaning(exchange="raw")],
        '("<br>", "&nbsp;"): nothing is left of it when it is mended. Look for empty sides at the '
        "end.": [cleaning(empty="raw")],
        'Of ("<br>", "&nbsp;") nothing is left on either side: that is no pair.': [
            cleaning(empty="never")
        ],
        "One empty side is enough: that is no pair.": [
            cleaning(empty="both", ratio="not of nothing")
        ],
        "Pairs in a wrong encoding come through.": [cleaning(broken="")],
        "Ã and Â stand in no English or Spanish sentence: there UTF-8 was read as something "
        "else.": [cleaning(broken="\ufffd")],
        "The sign \\ufffd stands where a letter couldn't be read.": [cleaning(broken="ÃÂ")],
        "What about Â? It comes with ¿ and ¡ in a wrong encoding.": [cleaning(broken="\ufffdÃ")],
        "What about Ã? It comes with accents in a wrong encoding.": [cleaning(broken="\ufffdÂ")],
        "One side may have 3 times the words of the other, and no more.": [
            cleaning(ratio="never"),
            cleaning(ratio="never", empty="both"),
        ],
        "Neither empty sides nor far too long ones are left out.": [
            cleaning(ratio="never", empty="never")
        ],
        "Exactly 3 times as many words is still a pair: “It is raining.”, “Llueve.”": [
            cleaning(ratio="as many")
        ],
        "Only a source that is too long is left out: the target may be, too.": [
            cleaning(ratio="source")
        ],
        "Only a target that is too long is left out: the source may be, too.": [
            cleaning(ratio="target")
        ],
        "Count words, not letters: “Internationalization!” is one word.": [
            cleaning(ratio="letters")
        ],
        "“<b> Wow </b> <i> <u> !” has one word and a sign: count when the text has been mended.": [
            cleaning(ratio="raw")
        ],
    },
    unlike=first_other,
)


# --- no pair twice -------------------------------------------------------------------------------

REPEATED = [
    ("Good morning.", "Buenos días."),
    ("Goodbye.", "Adiós."),
    ("Good morning.", "Buen día."),
    ("good morning", "¡Buenos días!"),
    ("Good-bye!", "Adiós"),
    ("Goodbye.", "Adiós."),
    ("Bye.", "Adiós."),
    ("Adiós.", "Goodbye."),
    ("No one", "Nadie"),
    ("No", "One nadie"),
    ("no", "one nadie"),
    ("GOOD MORNING.", "Buen día."),
]


Pairs = list[Pair]


def first_of(same: Callable[[Pair], Any], last: bool = False) -> Callable[[Sequence[Pair]], Pairs]:
    """The first pair of each kind, or the last; pairs are of one kind where `same` is equal."""

    def run(pairs: Sequence[Pair]) -> Pairs:
        found: dict[Any, Pair] = {}
        for pair in pairs:
            if last or same(pair) not in found:
                found[same(pair)] = pair
        return list(found.values())

    return run


def once(pairs: Sequence[Pair], same: Callable[[Pair], Any]) -> Pairs:
    """What my_deduplicate should return, where `same` is `keys`."""
    return first_of(same)(pairs)


def keys(pair: Pair) -> Pair:
    return key(pair[0]), key(pair[1])


def those(kept: Callable[[int, list[Pair]], bool]) -> Callable[[Sequence[Pair]], Pairs]:
    """The pairs that are kept, by where they stand among the keys of all."""

    def run(pairs: Sequence[Pair]) -> Pairs:
        every = list(map(keys, pairs))
        return [pair for i, pair in enumerate(pairs) if kept(i, every)]

    return run


def pairs_of(found: Any) -> Pairs:
    expect(
        not isinstance(found, set | frozenset),
        "A set has no order: return a list, in the order of the corpus.",
    )
    expect(
        isinstance(found, list | tuple), f"It should return a list of pairs, not {a_kind(found)}."
    )
    found = [tuple(pair) if isinstance(pair, list | tuple) else pair for pair in found]
    expect(
        all(isinstance(pair, tuple) and len(pair) == 2 for pair in found),
        "It should return a list of pairs: each has a source and a target.",
    )
    return found


def is_repeated(found: Pairs, right: Pairs) -> None:
    no_slip(sorted(found) != sorted(right), ANOTHER_ORDER)
    for pair in REPEATED:
        expect(
            (pair in found) == (pair in right),
            f"{pair} should {'stay' if pair in right else 'go: it stands above already'}.",
        )
    raise Hint("Each pair should be there once.")


ANOTHER_ORDER = "The right pairs, in another order: leave them in that of the corpus."
my_deduplicate = Exercise(
    "my_deduplicate",
    "Exercise: pairs -> those that stood in no other spelling above.",
    inputs=lambda: (REPEATED,),
    right=[first_of(keys), those(lambda i, every: every[i] not in every[:i])],
    not_allowed=("once",),
    read=pairs_of,
    slips={
        "Nothing is left out.": [list],
        "Only what is equal to the letter is left out. Compare the keys: capitals and signs make "
        "no other pair.": [first_of(lambda pair: pair)],
        "Signs make no other pair either: compare the keys.": [
            first_of(lambda pair: (pair[0].lower(), pair[1].lower()))
        ],
        "Only one translation of each sentence is left. A pair is repeated when *both* sides are "
        "the same.": [first_of(lambda pair: key(pair[0])), first_of(lambda pair: pair[0])],
        "Two sentences may have the same translation: a pair is repeated when *both* sides are the "
        "same.": [first_of(lambda pair: key(pair[1])), first_of(lambda pair: pair[1])],
        "With both sides joined into one text, (“No one”, “Nadie”) and (“No”, “One nadie”) are the "
        "same. Keep them apart: a tuple.": [first_of(lambda pair: key(pair[0] + pair[1]))],
        "(“Adiós.”, “Goodbye.”) is the other direction: a set of both sides forgets which is "
        "which.": [first_of(lambda pair: frozenset(keys(pair)))],
        "Of each pair the *first* that comes is kept, as it was typed.": [
            first_of(keys, last=True)
        ],
        "Those are the keys. Return the pairs as they are.": [
            lambda pairs: list(dict.fromkeys(map(keys, pairs)))
        ],
        "What stands there twice is gone altogether: one of them stays.": [
            those(lambda i, every: every.count(every[i]) == 1)
        ],
        "Those are the repeated ones. Return the others.": [
            those(lambda i, every: every[i] in every[:i])
        ],
        "Only neighbors are compared: the same pair may stand anywhere above.": [
            those(lambda i, every: i == 0 or every[i] != every[i - 1])
        ],
        ANOTHER_ORDER: [lambda pairs: sorted(first_of(keys)(pairs))],
    },
    unlike=is_repeated,
)


# --- held out, and really so ---------------------------------------------------------------------

TO_SPLIT = [
    ("Good morning.", "Buenos días."),
    ("Goodbye.", "Adiós."),
    ("Good morning.", "Buen día."),
    ("good morning", "Muy buenos días."),
    ("Thanks.", "Gracias."),
    ("goodbye.", "Hasta luego."),
    ("Bye.", "Adiós."),
    ("Good morning.", "Hola, buenos días."),
    ("Good-bye!", "Adiós, adiós."),
    ("Yes.", "Sí."),
    ("thanks", "Muchas gracias."),
    ("Yes.", "Claro."),
    ("Bye!", "Chau."),
]
HELD_OUT = 3


Split = tuple[Pairs, Pairs]


def splitting(
    same: Callable[[Pair], Any] = lambda pair: key(pair[0]),
    first: Callable[[Pairs], Pairs] = lambda pairs: pairs,
    more: int = 0,
    result: Callable[[Pairs, Pairs, Pairs], Any] = lambda training, held, pairs: (training, held),
) -> Callable[[Pairs, int], Any]:
    """(training, held out): of the first different sentences; each option is a way to do otherwise.

    same: what is equal for pairs of one sentence. first: the order in which they are chosen.
    """

    def run(pairs: Pairs, count: int) -> Any:
        held = list(dict.fromkeys(map(same, first(pairs))))[: count + more]
        sides = [[pair for pair in pairs if (same(pair) in held) == out] for out in (False, True)]
        return result(*sides, pairs)

    return run


def split_by(pairs: Pairs, count: int) -> Split:
    """What my_hold_out should return."""
    return splitting()(pairs, count)


def by_numbers(pairs: Pairs, count: int) -> list[Pairs]:
    number: dict[str, int] = {}
    sides: dict[bool, Pairs] = {False: [], True: []}
    for source, target in pairs:
        mine = number.setdefault(key(source), len(number))
        sides[mine < count].append((source, target))
    return [sides[False], sides[True]]


def cut_at(end: int) -> Callable[[Pairs, int], Split]:
    return lambda pairs, count: (pairs[end:], pairs[:end])


def leaks(end: int) -> bool:
    """Does a sentence stand on both sides if the pairs are cut there?"""
    before, after = ({key(one) for one, _ in part} for part in (TO_SPLIT[:end], TO_SPLIT[end:]))
    return bool(before & after)


def alphabet(pairs: Pairs) -> Pairs:
    return sorted(pairs, key=lambda pair: key(pair[0]))


def two_lists(found: Any) -> Split:
    expect(
        isinstance(found, list | tuple) and len(found) == 2,
        "Return two lists: training and held out.",
    )
    return pairs_of(found[0]), pairs_of(found[1])


def in_order(split: Split) -> tuple[Pairs, ...]:
    return tuple(map(sorted, split))


def is_no_split(found: Split, right: Split) -> None:
    for order in (alphabet, lambda pairs: alphabet(pairs)[::-1]):
        by_letters = splitting(first=order)(TO_SPLIT, HELD_OUT)
        no_slip(in_order(found) != in_order(by_letters), BY_ALPHABET)
    no_slip(in_order(found) != in_order(right), ANOTHER_ORDER)
    training, held_out = found
    expect(
        sorted(training + held_out) == sorted(TO_SPLIT),
        "Each pair should be on one side, and none be lost.",
    )
    for source, _ in held_out:
        expect(
            key(source) not in {key(one) for one, _ in training},
            f"{source!r} is held out, and in training, too.",
        )
    raise Hint(
        f"For count = {HELD_OUT}, the pairs of {HELD_OUT} different sentences are held out: "
        "those that come first."
    )


BY_ALPHABET = (
    "The sentences are sorted there. Hold out those that come first in the corpus, not in the "
    "alphabet."
)
my_hold_out = Exercise(
    "my_hold_out",
    "Exercise: pairs, how many sentences to hold out -> (training, held out).",
    inputs=lambda: (TO_SPLIT, HELD_OUT),
    right=[splitting(), by_numbers],
    not_allowed=("split_by",),
    borrowed=[split_by],
    read=two_lists,
    slips={
        "The two are exchanged: training first.": [
            splitting(result=lambda training, held, pairs: (held, training))
        ],
        "That holds out three *pairs*. Another translation of the same sentence is then in "
        "training, and the model has seen the question: hold out sentences, with all their "
        "pairs.": [lambda pairs, count: (pairs[count:], pairs[:count])],
        "You cut the list in two. Further down there are other translations of the same sentences: "
        "they belong to the held-out side as well.": [
            cut_at(end) for end in range(1, len(TO_SPLIT)) if leaks(end) and end != HELD_OUT
        ],
        "“Good morning.” and “good morning” are the same sentence, and now one of them is in "
        "training: compare the keys.": [
            splitting(lambda pair: pair[0]),
            splitting(lambda pair: pair[0].lower()),
        ],
        "You split by the translation. Split by the sentence that is read.": [
            splitting(lambda pair: key(pair[1])),
        ],
        "Those are the last sentences. Hold out the first.": [
            lambda pairs, count: splitting()(pairs, -count)[::-1],
        ],
        "One sentence too many is held out.": [splitting(more=1)],
        "One sentence too few is held out.": [splitting(more=-1)],
        "Of a held-out sentence only one pair is left: its other translations are references.": [
            splitting(
                result=lambda training, held, pairs: (
                    training,
                    first_of(lambda pair: key(pair[0]))(held),
                )
            )
        ],
        "The held-out pairs are still in training, too.": [
            splitting(result=lambda training, held, pairs: (pairs, held))
        ],
        BY_ALPHABET: [
            splitting(first=alphabet),
            splitting(first=lambda pairs: alphabet(pairs)[::-1]),
            lambda pairs, count: splitting()(alphabet(pairs), count),
        ],
        ANOTHER_ORDER: [
            splitting(result=lambda training, held, pairs: (training[::-1], held[::-1]))
        ],
    },
    unlike=is_no_split,
)


# --- which plan leaks ----------------------------------------------------------------------------

PLANS = {"A": "leaks", "B": "leaks", "C": "leaks", "D": "honest", "E": "leaks", "F": "honest"}
ABOUT_PLANS = {
    "A": "The split is by pair: another translation of a held-out sentence is in training.",
    "B": "The subwords were learned with the test text, so its words are cut as if they were "
    "known. Nothing may be learned from held-out text, pieces neither.",
    "C": "The same sentence in another spelling, or with a tag, counts as another one at the split "
    "and can fall on both sides; dropping repeats within each side no longer finds it. Clean "
    "first, then split.",
    "D": "Each step sees only what it may: what learns sees training, what chooses sees "
    "validation, and the test is used once.",
    "E": "The test set was used for choosing: the best of three test scores is too good. Choose on "
    "validation.",
    "F": "Three seeds, and the mean of all: nothing was chosen by the test set.",
}


which_plan_leaks = Verdicts(
    "which_plan_leaks",
    'For each of six plans "honest" or "leaks".',
    PLANS,
    ("honest", "leaks"),
    lambda name, said: f"{name}: {ABOUT_PLANS[name]}",
    slips=1,
)


# --- which checkpoint, and when to stop ----------------------------------------------------------

HISTORIES = [
    ([5.25, 4.25, 3.25, 3.5, 3.6, 2.25], 2),
    ([5.25, 4.25, 4.25, 4.25, 3.25], 2),
    ([3.25, 4.25, 2.25, 4.25, 1.25, 4.25, 5.25, 6.25, 0.5], 3),
    ([4.25, 3.25, 2.25, 1.25], 2),
    ([2.25, 3.25], 5),
    ([1.25, 2.25, 3.25], 1),
    ([5.25, 3.25, 4.25, 3.9, 3.8, 3.7, 2.25], 3),
    ([3.25, 3.25, 2.25, 2.5, 2.25, 2.6], 4),
    ([2.25], 3),
]


Stop = Callable[[list[float], int], tuple[int, int]]


def stopping(
    *,
    ties: bool = False,
    reset: bool = True,
    before: bool = False,
    more: int = 0,
    largest: bool = False,
    result: Callable[[int, int, Sequence[float]], tuple[int, int]] = lambda kept, made, losses: (
        kept,
        made,
    ),
) -> Stop:
    """Which validation is kept, and how many are made; each option is a way to do it otherwise."""

    def run(losses: Sequence[float], patience: int) -> tuple[int, int]:
        kept, since = 0, 0
        values = [-loss for loss in losses] if largest else list(losses)
        for i in range(1, len(values)):
            if since >= patience + more:
                return result(kept, i, losses)
            better = values[i] < values[kept] or (ties and values[i] == values[kept])
            shown = values[i] < values[i - 1] if before else better
            since = 0 if shown and reset else since + (not shown)
            kept = i if better else kept
        return result(kept, len(values), losses)

    return run


def stop_at(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """What my_stop should return."""
    return stopping()(losses, patience)


def the_best(losses: Sequence[float]) -> int:
    return losses.index(min(losses))


def the_last_best(losses: Sequence[float]) -> int:
    return len(losses) - 1 - the_best(losses[::-1])


def kept_and_made(found: Any) -> tuple[int, ...]:
    wanted = "Return two whole numbers: which validation is kept, and how many were made."
    numbers = whole_numbers(found, wanted)
    expect(len(numbers) == 2, wanted)
    return tuple(numbers)


def stops_elsewhere(found: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]) -> None:
    for (losses, patience), one, wanted in zip(HISTORIES, found, right, strict=True):
        expect(
            one == wanted,
            f"For {losses} and a patience of {patience} it gives {one}, but it should be {wanted}.",
        )


my_stop = Exercise(
    "my_stop",
    "Exercise: validation losses in their order, patience -> (kept, how many were made).",
    inputs=lambda: HISTORIES,
    right=[stopping()],
    not_allowed=("stop_at",),
    borrowed=[stop_at],
    read=kept_and_made,
    slips={
        "The two are exchanged: first which one is kept.": [
            stopping(result=lambda kept, made, losses: (made, kept))
        ],
        "Validations are counted from 0: the first has index 0.": [
            stopping(result=lambda kept, made, losses: (kept + 1, made))
        ],
        "How *many* were made: one more than the index of the last.": [
            stopping(result=lambda kept, made, losses: (kept, made - 1))
        ],
        "That is the last one. Kept is the best: what comes after it was patience.": [
            stopping(result=lambda kept, made, losses: (made - 1, made))
        ],
        "You look beyond the stop: what was never trained can't be kept.": [
            stopping(result=lambda kept, made, losses: (the_best(losses), made))
        ],
        "It never stops: where is patience?": [
            lambda losses, patience: (the_best(losses), len(losses))
        ],
        "An equal loss is no better one: `<`, not `<=`. The older is kept, and patience goes on.": [
            stopping(ties=True)
        ],
        "An equal loss is no better one: it doesn't renew the patience.": [
            lambda *given: (stopping()(*given)[0], stopping(ties=True)(*given)[1])
        ],
        "Of equal losses the older is kept.": [
            stopping(result=lambda kept, made, losses: (the_last_best(losses[:made]), made))
        ],
        "Patience is for validations *in a row*: after a new best one, count from 0 again.": [
            stopping(reset=False)
        ],
        "Compare with the best so far, not with the validation before.": [stopping(before=True)],
        "One validation too many: with a patience of 2, two without a new best one are enough to "
        "stop.": [stopping(more=1)],
        "It stops one validation too early.": [stopping(more=-1)],
        "That keeps the largest loss.": [stopping(largest=True)],
    },
    unlike=stops_elsewhere,
)


# --- how sure a score is -------------------------------------------------------------------------

ANSWERS = ["a a a b b", "a", "b c", "a a c c", "c", "a b a b a b", "c c c"]
WANTED = ["a a a a b", "b", "b c", "a a b c", "a", "a b a b a b", "a a c"]
TIMES = 80


def a_score(sizes: list[int] | None = None) -> Callable[..., float]:
    """A function of two lists of sentences: the share of right words in the whole text.

    sizes: gets how many sentences it was asked for, call by call.
    """

    def score(texts: Sequence[str], references: Sequence[str]) -> float:
        for given in (texts, references):
            if not isinstance(given, list | tuple) or not all(isinstance(t, str) for t in given):
                raise TypeError("score wants two lists of texts")
        if sizes is not None:
            sizes.append(len(texts))
        pairs = zip(texts, references, strict=True)
        right = sum(sum(map(operator.eq, a.split(), b.split())) for a, b in pairs)
        return right / sum(len(text.split()) for text in texts)

    return score


def a_draw(seed: int = 0, sizes: list[int] | None = None) -> Callable[[int], list[int]]:
    """A function that gives n places out of n, each drawn anew. sizes: as for `a_score`."""
    dice = random.Random(seed)

    def draw(n: int) -> list[int]:
        if not isinstance(n, int) or not 0 < n < 10_000:
            raise ValueError(f"draw wants a number of sentences, not {n!r}")
        if sizes is not None:
            sizes.append(n)
        return [dice.randrange(n) for _ in range(n)]

    return draw


def middle(scores: Sequence[float], k: int) -> tuple[float, float]:
    ordered = sorted(scores)
    return ordered[k], ordered[-k - 1]


def both(
    texts: Sequence[str], references: Sequence[str], places: Sequence[int], score: Callable
) -> float:
    return score([texts[i] for i in places], [references[i] for i in places])


def resampled(
    ends: Callable[[list[float], int], Any] = middle,
    scored: Callable[..., float] = both,
    places: Callable[..., Any] = lambda draw, texts, references: draw(len(texts)),
    k: Callable[[int], int] = lambda times: times // 40,
) -> Callable[..., Any]:
    """The ends of the middle 95 % of scores; each option is a way to do it otherwise."""

    def run(
        texts: Sequence[str], references: Sequence[str], score: Callable, draw: Callable, times: int
    ) -> Any:
        found = []
        for _ in range(times):
            found.append(scored(texts, references, places(draw, texts, references), score))
        return ends(found, k(times))

    return run


def interval(*given: Any) -> tuple[float, float]:
    """What my_interval should return for its five inputs."""
    return resampled()(*given)


Mean = Callable[[list[float]], float]


def around(mean: Mean, spread: Mean) -> Callable[..., Any]:
    """1.96 standard deviations around something."""
    return resampled(
        lambda found, k: (mean(found) - 1.96 * spread(found), mean(found) + 1.96 * spread(found))
    )


INTERVALS: dict[str, list[Callable]] = {
    "The lower end comes first.": [resampled(lambda found, k: middle(found, k)[::-1])],
    "Those are the lowest and the highest of all. Leave out k at each end.": [
        resampled(k=lambda times: 0)
    ],
    "One more at each end is left out: k of them, then comes the end of the interval.": [
        resampled(k=lambda times: times // 40 - 1)
    ],
    "One less at each end is left out: k of them, then comes the end of the interval.": [
        resampled(k=lambda times: times // 40 + 1)
    ],
    "That leaves out 2.5 % twice at each end: 5 % in all is k below and k above.": [
        resampled(k=lambda times: times // 20)
    ],
    "The upper end is one too far out: with k left out it is scores[-k - 1].": [
        resampled(lambda found, k: (sorted(found)[k], sorted(found)[-k]))
    ],
    "The lower end is one too far out: with k left out, it is scores[k].": [
        resampled(lambda found, k: (sorted(found)[k - 1], sorted(found)[-k - 1]))
    ],
    "Sort the scores first.": [resampled(lambda found, k: (found[k], found[-k - 1]))],
    "A quantile lies between two scores. Here the ends are scores: leave out k at each end and "
    "take the next.": [resampled(lambda found, k: np.quantile(found, [0.025, 0.975]).tolist())],
    "That is 1.96 standard deviations around a mean, as if scores were spread evenly to both "
    "sides. Take the middle 95 % of the scores themselves.": [
        around(mean, spread)
        for mean in (fmean, lambda found: a_score()(ANSWERS, WANTED))
        for spread in (stdev, pstdev)
    ],
    "Each time it is the score of the whole text: use what was drawn.": [
        resampled(scored=lambda texts, references, places, score: score(texts, references))
    ],
    "The texts are drawn and the references are not: each translation must keep its own.": [
        resampled(
            scored=lambda texts, references, places, score: score(
                [texts[i] for i in places], references
            )
        )
    ],
}


@implement(lambda: (["a"], ["a"], lambda texts, references: 1.0, lambda n: [0] * n, 40))
def my_interval(function: Callable[..., tuple[float, float]]) -> None:
    """Exercise: texts, references, score, draw, times -> the ends of the middle 95 %."""
    own_work(function, "interval", "corpus_score")
    scored: list[int] = []
    draws: list[int] = []
    try:
        found = result_of(function, ANSWERS, WANTED, a_score(scored), a_draw(0, draws), TIMES)
    except Hint as stopped:  # perhaps because the score was asked for something else
        about_draws(draws, scored)
        raise stopped
    about_draws(draws, scored)
    expect(
        not isinstance(found, list | tuple) or len(found) != TIMES,
        "Those are all the scores: return the lowest and the highest of the middle 95 %.",
    )
    wanted = "Return two numbers: the lower end and the upper end."
    found = found.tolist() if hasattr(found, "tolist") else found
    expect(isinstance(found, list | tuple) and len(found) == 2, wanted)
    found = [one_number(end, wanted) for end in found]
    right = interval(ANSWERS, WANTED, a_score(), a_draw(), TIMES)
    if alike(found, right):
        return
    for hint, ways in INTERVALS.items():
        for way in ways:
            wrong = way(ANSWERS, WANTED, a_score(), a_draw(), TIMES)
            no_slip(not alike(found, wrong), hint)
    raise Hint(
        f"It gives {found[0]:.4f} to {found[1]:.4f}, but it should be {right[0]:.4f} to "
        f"{right[1]:.4f}."
    )


def about_draws(draws: Sequence[int], sizes: Sequence[int]) -> None:
    """Hints from what was asked of `draw` and of `score`."""
    words = {len(" ".join(texts).split()) for texts in (ANSWERS, WANTED)}
    lengths = {len(text.split()) for text in (*ANSWERS, *WANTED)}
    n = len(ANSWERS)
    expect(bool(draws), "Nothing is drawn: call draw(n) for each set of sentences.")
    no_slip(
        not words & set(draws),
        "You draw words. The words of a sentence belong together, and "
        "are right or wrong together: draw sentences, len(texts) of them.",
    )
    no_slip(
        not (len(set(draws)) > 1 and set(draws) <= lengths),
        "You draw words within each "
        "sentence. Which *sentences* stood in the test was chance: draw those.",
    )
    expect(set(draws) == {n}, f"There are {n} sentences, and each set has as many: draw({n}).")
    no_slip(
        len(draws) != 2 * TIMES,
        "Texts and references are drawn apart, so a translation is "
        "compared with another sentence's reference. Draw once, and take the same places of "
        "both.",
    )
    no_slip(len(draws) != 1, "All sets are the same one: draw again for each.")
    no_slip(
        set(sizes) != {1} or len(sizes) < TIMES,
        "The score of a text isn't the mean of its "
        "sentences' scores: hand over all that was drawn at once.",
    )
    no_slip(
        max(sizes, default=n) >= n or len(sizes) != TIMES,
        "A sentence that was drawn twice "
        "counts twice: keep the places as they are, no set of them.",
    )
    expect(len(draws) == TIMES, f"{TIMES} sets are to be drawn, not {len(draws)}.")


# --- two measures --------------------------------------------------------------------------------

REFERENCE = "Mis hermanas están muy cansadas hoy."


@exercise
def measures_disagree(bleu_prefers: Any, chrf_prefers: Any) -> None:
    """Two texts for one reference: BLEU is higher for the first, chrF for the second."""
    both = bleu_prefers, chrf_prefers
    expect(
        all(isinstance(text, str) and text.strip() and text.isprintable() for text in both),
        "Give two Spanish texts, in quotes.",
    )
    expect(max(map(len, both)) <= 200, "Keep to a sentence: 200 letters at most.")
    expect(REFERENCE not in both, "The reference itself is the best by both measures.")
    (bleu_a, bleu_b), (chrf_a, chrf_b) = (
        [sacrebleu_score(name, [text], [[REFERENCE]])[name] or 0.0 for text in both]
        for name in ("bleu", "chrf")
    )
    no_slip(not (bleu_a < bleu_b and chrf_a > chrf_b), "The two are exchanged.")
    expect(
        bleu_a > bleu_b,
        f"BLEU is {bleu_a:.1f} for the first and {bleu_b:.1f} for the second. It counts runs of "
        "one to four *words*: which text keeps a long run of them?",
    )
    expect(
        chrf_b > chrf_a,
        f"chrF is {chrf_a:.1f} for the first and {chrf_b:.1f} for the second. It counts runs of "
        "*letters*: which text has nearly all of them, though no four words?",
    )
