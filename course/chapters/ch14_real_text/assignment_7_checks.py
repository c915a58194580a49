"""Assignment 7: clean a corpus, split it, choose on validation, and say how sure a score is."""

import html
import random
import re
from collections.abc import Callable, Sequence
from statistics import fmean, pstdev, stdev
from typing import Any

from course.chapters.ch14_real_text.checks import my_any_reference
from course.chapters.ch14_real_text.messy_corpus import RATIO, SPANISH_SIGNS, Pair, key
from course.checks import (
    Hint,
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
    wrong_verdicts,
)
from transformer_lib.metrics import sacrebleu_score

# --- byte-pair encoding by hand ------------------------------------------------------------------

FIRST_MERGES = [("h", "o"), ("ho", "p"), ("hop", "s")]


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
        for wrong, hint in (
            (
                ["shop", "s"],
                "shop is no piece: the merges are done in the order in which they were "
                "learned, and hop + s comes before anything that begins with the first s.",
            ),
            (["s", "hop", "s"], "The third merge can be done as well."),
            (["s", "ho", "p", "s"], "After the first merge come the others."),
            (
                list("shops"),
                "Nothing is joined: begin with the letters, then do one merge after the other.",
            ),
        ):
            no_slip(pieces != wrong, hint)
        expect(cut_right, "Begin with the letters of shops, and do your three merges one by one.")
        return
    first, second, third = merges
    tie = (
        "Of equally frequent pairs, the one whose left piece comes first in the alphabet is joined."
    )
    hint = "Count again: each pair as often as its words stand in the text, added up."
    if first == ("i", "s"):
        hint = (
            "i s stands in the most words of the list, but each word counts as often as it "
            "stands in the text."
        )
    elif first == ("o", "p"):
        hint = f"h o is as frequent as o p. {tie}"
    elif first == ("h", "o") and second == ("o", "p"):
        hint = "After the first merge there is no o before a p any more: count again after each."
    elif first == ("h", "o") and second == ("h", "op"):
        hint = "There is no piece op: what was joined first is ho."
    elif merges[:2] == FIRST_MERGES[:2] and third == ("s", "hop"):
        hint = f"hop s is as frequent as s hop. {tie}"
    elif merges[:2] == FIRST_MERGES[:2] and third == ("i", "s"):
        hint = "i s stands there 5 times. Is there no pair with more?"
    else:
        raise Hint(hint)
    # its own merges done right, or those that were asked for
    raise Hint(hint, keeps=0.5 if cut_right or pieces == by_merges("shops", merges) else 0.0)


def by_merges(word: str, merges: Sequence[tuple[str, str]]) -> list[str]:
    parts = list(word)
    for pair in merges:
        joined: list[str] = []
        for part in parts:
            if joined and (joined[-1], part) == pair:
                joined[-1] += part
            else:
                joined.append(part)
        parts = joined
    return parts


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


def cleaned(
    source: str,
    target: str,
    *,
    exchange: str = "one",
    empty: str = "either",
    broken: str = BROKEN,
    ratio: str = "more",
    **options: Any,
) -> Pair | None:
    """The clean pair, or None; each option is a way to do it otherwise."""
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


UNCLEAN: list[tuple[dict[str, Any], str]] = [
    ({"tags": None}, "The tags are still there."),
    ({"tags": ""}, "A tag becomes a space: of “I'm<br>tired” two words should be left."),
    (
        {"entities": "never"},
        "Signs that are written as &amp; or &iquest; are still there: html.unescape.",
    ),
    (
        {"entities": "first"},
        "“I &lt;3 you -&gt; me” is no tag: first the tags go, then "
        "html.unescape makes signs of the rest.",
    ),
    ({"double": False, "single": False}, "The curly quotes are still there."),
    ({"double": False}, 'Some double quotes are still there: “ ” „ « » all become ".'),
    ({"single": False}, "The single quotes ‘ and ’ become an apostrophe, '."),
    ({"spaces": "never"}, "The spaces are as they were."),
    ({"spaces": "ends"}, "Within the sentence, too, several spaces become one."),
    (
        {"spaces": "common"},
        'There are other spaces than " ": tabs, line ends, the no-break '
        "space. str.split without an argument knows all of them.",
    ),
    ({"spaces": "none at all"}, "One space stays between two words."),
    ({"lower": True}, "The capitals are gone: the model should learn to write them."),
    ({"exchange": "never"}, "Exchanged columns are left as they are."),
    (
        {"exchange": "source"},
        "“El Niño came.” stays in its column: exchange only where the target has no Spanish sign.",
    ),
    (
        {"exchange": "raw"},
        "&iquest; is a Spanish sign as well: look for the languages when the text has been mended.",
    ),
    (
        {"empty": "raw"},
        '("<br>", "&nbsp;"): nothing is left of it when it is mended. Look for '
        "empty sides at the end.",
    ),
    ({"empty": "never"}, 'Of ("<br>", "&nbsp;") nothing is left on either side: that is no pair.'),
    ({"empty": "both", "ratio": "not of nothing"}, "One empty side is enough: that is no pair."),
    ({"broken": ""}, "Pairs in a wrong encoding come through."),
    (
        {"broken": "\ufffd"},
        "Ã and Â stand in no English or Spanish sentence: there UTF-8 was read as something else.",
    ),
    ({"broken": "ÃÂ"}, "The sign \\ufffd stands where a letter couldn't be read."),
    ({"broken": "\ufffdÃ"}, "What about Â? It comes with ¿ and ¡ in a wrong encoding."),
    ({"broken": "\ufffdÂ"}, "What about Ã? It comes with accents in a wrong encoding."),
    ({"ratio": "never"}, "One side may have 3 times the words of the other, and no more."),
    (
        {"ratio": "never", "empty": "both"},
        "One side may have 3 times the words of the other, and no more.",
    ),
    (
        {"ratio": "never", "empty": "never"},
        "Neither empty sides nor far too long ones are left out.",
    ),
    (
        {"ratio": "as many"},
        "Exactly 3 times as many words is still a pair: “It is raining.”, “Llueve.”",
    ),
    ({"ratio": "source"}, "Only a source that is too long is left out: the target may be, too."),
    ({"ratio": "target"}, "Only a target that is too long is left out: the source may be, too."),
    ({"ratio": "letters"}, "Count words, not letters: “Internationalization!” is one word."),
    (
        {"ratio": "raw"},
        "“<b> Wow </b> <i> <u> !” has one word and a sign: count when the text has been mended.",
    ),
]


@implement(lambda: ("a", "b"))
def my_clean_pair(function: Callable[[str, str], Pair | None]) -> None:
    """Exercise: both sides of a line -> the clean pair, or None."""
    own_work(function, "cleaned")
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    found = [answered(function, *case) for case in CLEAN_CASES]
    right = [cleaned(*case) for case in CLEAN_CASES]
    if found == right:
        return
    expect(any(found), "It returns None for every pair: does it end with `return`?")
    no_slip(found != [pair and pair[::-1] for pair in right], "Source first, then target.")
    for options, hint in UNCLEAN:
        no_slip(found != [cleaned(*case, **options) for case in CLEAN_CASES], hint)
    for case, one, wanted in zip(CLEAN_CASES, found, right, strict=True):
        expect(one == wanted, f"Of {case!r} it makes {shown(one)}, but it should be {wanted!r}.")


def answered(function: Callable, source: str, target: str) -> Pair | None:
    """What it returns, which may be None; a Hint for anything but that and two texts."""
    (found,) = result_of(lambda *texts: (function(*texts),), source, target)
    expect(found is not ..., "It still returns `...` for some pairs.")
    if found is None:
        return None
    expect(
        isinstance(found, list | tuple)
        and len(found) == 2
        and all(isinstance(text, str) for text in found),
        f"Return the two texts, (source, target), or None; not {shown(found)}.",
    )
    return tuple(found)


def shown(thing: Any) -> str:
    """As Python writes it, cut off where it gets long."""
    text = repr(thing)
    return text if len(text) <= 200 else f"{text[:200]}…"


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


def once(pairs: Sequence[Pair], same: Callable[[Pair], Any], last: bool = False) -> list[Pair]:
    """The first pair of each kind, or the last; pairs are of one kind where `same` is equal."""
    found: dict[Any, Pair] = {}
    for pair in pairs:
        if last or same(pair) not in found:
            found[same(pair)] = pair
    return list(found.values())


def keys(pair: Pair) -> Pair:
    return key(pair[0]), key(pair[1])


def pairs_of(found: Any, what: str = "It should return a list of pairs") -> list[Pair]:
    expect(
        not isinstance(found, set | frozenset),
        "A set has no order: return a list, in the order of the corpus.",
    )
    expect(isinstance(found, list | tuple), f"{what}, not {a_kind(found)}.")
    found = [tuple(pair) if isinstance(pair, list | tuple) else pair for pair in found]
    expect(
        all(isinstance(pair, tuple) and len(pair) == 2 for pair in found),
        f"{what}: each has a source and a target.",
    )
    return found


@implement(lambda: ([("a", "b")],))
def my_deduplicate(function: Callable[[list[Pair]], list[Pair]]) -> None:
    """Exercise: pairs -> those that stood in no other spelling above."""
    own_work(function, "once")
    found = pairs_of(result_of(function, REPEATED))
    right = once(REPEATED, keys)
    if found == right:
        return
    by_source = (
        "Only one translation of each sentence is left. A pair is repeated when *both* "
        "sides are the same."
    )
    by_target = (
        "Two sentences may have the same translation: a pair is repeated when *both* "
        "sides are the same."
    )
    count = [keys(pair) for pair in REPEATED]
    mistakes = [
        (REPEATED, "Nothing is left out."),
        (
            once(REPEATED, lambda pair: pair),
            "Only what is equal to the letter is left out. Compare "
            "the keys: capitals and signs make no other pair.",
        ),
        (
            once(REPEATED, lambda pair: (pair[0].lower(), pair[1].lower())),
            "Signs make no other pair either: compare the keys.",
        ),
        (once(REPEATED, lambda pair: key(pair[0])), by_source),
        (once(REPEATED, lambda pair: pair[0]), by_source),
        (once(REPEATED, lambda pair: key(pair[1])), by_target),
        (once(REPEATED, lambda pair: pair[1]), by_target),
        (
            once(REPEATED, lambda pair: key(pair[0]) + key(pair[1])),
            "With both sides joined into "
            "one text, (“No one”, “Nadie”) and (“No”, “One nadie”) are the same. Keep them "
            "apart: a "
            "tuple.",
        ),
        (
            once(REPEATED, lambda pair: frozenset(keys(pair))),
            "(“Adiós.”, “Goodbye.”) is the other "
            "direction: a set of both sides forgets which is which.",
        ),
        (
            once(REPEATED, keys, last=True),
            "Of each pair the *first* that comes is kept, as it was typed.",
        ),
        ([keys(pair) for pair in right], "Those are the keys. Return the pairs as they are."),
        (
            [pair for pair in REPEATED if count.count(keys(pair)) == 1],
            "What stands there twice is gone altogether: one of them stays.",
        ),
        (
            [
                pair
                for i, pair in enumerate(REPEATED)
                if count.count(keys(pair)) > 1 and keys(pair) in count[:i]
            ],
            "Those are the repeated ones. Return the others.",
        ),
        (
            [pair for i, pair in enumerate(REPEATED) if i == 0 or count[i - 1] != count[i]],
            "Only neighbors are compared: the same pair may stand anywhere above.",
        ),
    ]
    for wrong, hint in mistakes:
        no_slip(found != wrong, hint)
    no_slip(
        sorted(found) != sorted(right),
        "The right pairs, in another order: leave them in that of the corpus.",
    )
    for pair in REPEATED:
        expect(
            (pair in found) == (pair in right),
            f"{pair} should {'stay' if pair in right else 'go: it stands above already'}.",
        )
    raise Hint("Each pair should be there once.")


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


def split_by(
    pairs: Sequence[Pair], count: int, same: Callable[[Pair], Any] = lambda pair: key(pair[0])
) -> tuple[list[Pair], list[Pair]]:
    """(training, held out): of the first `count` different sentences, as `same` sees them."""
    first = list(dict.fromkeys(map(same, pairs)))[:count]
    return (
        [pair for pair in pairs if same(pair) not in first],
        [pair for pair in pairs if same(pair) in first],
    )


@implement(lambda: ([("a", "b"), ("c", "d")], 1))
def my_hold_out(function: Callable[[list[Pair], int], Any]) -> None:
    """Exercise: pairs, how many sentences to hold out -> (training, held out)."""
    own_work(function, "split_by")
    parts = result_of(function, TO_SPLIT, HELD_OUT)
    expect(
        isinstance(parts, list | tuple) and len(parts) == 2,
        "Return two lists: training and held out.",
    )
    training, held_out = found = tuple(map(pairs_of, parts))
    right = split_by(TO_SPLIT, HELD_OUT)
    if found == right:
        return
    no_slip(found != right[::-1], "The two are exchanged: training first.")
    no_slip(
        found != (TO_SPLIT[HELD_OUT:], TO_SPLIT[:HELD_OUT]),
        "That holds out three *pairs*. Another translation of the same sentence is then in "
        "training, and the model has seen the question: hold out sentences, with all their pairs.",
    )
    for end in range(1, len(TO_SPLIT)):
        leaks = {key(one) for one, _ in TO_SPLIT[:end]} & {key(one) for one, _ in TO_SPLIT[end:]}
        no_slip(
            not leaks or found != (TO_SPLIT[end:], TO_SPLIT[:end]),
            "You cut the list in two. "
            "Further down there are other translations of the same sentences: they belong to "
            "the held-out side as well.",
        )
    mistakes = [
        (
            split_by(TO_SPLIT, HELD_OUT, lambda pair: pair[0]),
            "“Good morning.” and “good morning” "
            "are the same sentence, and now one of them is in training: compare the keys.",
        ),
        (
            split_by(TO_SPLIT, HELD_OUT, lambda pair: pair[0].lower()),
            "“Good morning.” and “good "
            "morning” are the same sentence, and now one of them is in training: compare the keys.",
        ),
        (
            split_by(TO_SPLIT, HELD_OUT, lambda pair: key(pair[1])),
            "You split by the translation. Split by the sentence that is read.",
        ),
        (
            split_by(TO_SPLIT, HELD_OUT, lambda pair: pair[1]),
            "You split by the translation. Split by the sentence that is read.",
        ),
        (split_by(TO_SPLIT, -HELD_OUT)[::-1], "Those are the last sentences. Hold out the first."),
        (
            tuple(part[::-1] for part in split_by(TO_SPLIT[::-1], HELD_OUT)),
            "Those are the last sentences. Hold out the first.",
        ),
        (split_by(TO_SPLIT, HELD_OUT + 1), "One sentence too many is held out."),
        (split_by(TO_SPLIT, HELD_OUT - 1), "One sentence too few is held out."),
        (
            (right[0], once(right[1], lambda pair: key(pair[0]))),
            "Of a held-out sentence only one pair is left: its other translations are references.",
        ),
        ((TO_SPLIT, right[1]), "The held-out pairs are still in training, too."),
    ]
    for wrong, hint in mistakes:
        no_slip(found != wrong, hint)
    by_alphabet = sorted(TO_SPLIT, key=lambda pair: key(pair[0]))
    for some in (by_alphabet, by_alphabet[::-1]):
        no_slip(
            tuple(map(sorted, found)) != tuple(map(sorted, split_by(some, HELD_OUT))),
            "The sentences are sorted there. Hold out those that come first in the corpus, not "
            "in the alphabet.",
        )
    no_slip(
        tuple(map(sorted, found)) != tuple(map(sorted, right)),
        "The right pairs, in another order: leave them in that of the corpus.",
    )
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


@exercise
def which_plan_leaks(plans: Any) -> None:
    """For each of six plans "honest" or "leaks"."""
    wrong = list(wrong_verdicts(plans, PLANS, ("honest", "leaks")))
    if wrong:
        raise Hint(f"{wrong[0]}: {ABOUT_PLANS[wrong[0]]}", keeps=0.5 if len(wrong) == 1 else 0.0)


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


def stop_at(
    losses: Sequence[float],
    patience: int,
    *,
    ties: bool = False,
    reset: bool = True,
    before: bool = False,
    more: int = 0,
    largest: bool = False,
) -> tuple[int, int]:
    """(kept, made): which validation is kept, and how many there were."""
    kept, since = 0, 0
    values = [-loss for loss in losses] if largest else list(losses)
    for i in range(1, len(values)):
        if since >= patience + more:
            return kept, i
        better = values[i] < values[kept] or (ties and values[i] == values[kept])
        shown = values[i] < values[i - 1] if before else better
        since = 0 if shown and reset else since + (not shown)
        kept = i if better else kept
    return kept, len(values)


@implement(lambda: ([2.0, 1.0], 1))
def my_stop(function: Callable[[list[float], int], tuple[int, int]]) -> None:
    """Exercise: validation losses in their order, patience -> (kept, how many were made)."""
    own_work(function, "stop_at")
    wanted = "Return two whole numbers: which validation is kept, and how many were made."
    found = []
    for losses, patience in HISTORIES:
        numbers = whole_numbers(result_of(function, losses, patience), wanted)
        expect(len(numbers) == 2, wanted)
        found.append(tuple(numbers))
    right = [stop_at(*history) for history in HISTORIES]
    if found == right:
        return
    made = [losses[:n] for (losses, _), (_, n) in zip(HISTORIES, right, strict=True)]
    n = [len(losses) for losses in made]
    mistakes = [
        ([(b, a) for a, b in right], "The two are exchanged: first which one is kept."),
        ([(a + 1, b) for a, b in right], "Validations are counted from 0: the first has index 0."),
        (
            [(a, b - 1) for a, b in right],
            "How *many* were made: one more than the index of the last.",
        ),
        (
            [(b - 1, b) for b in n],
            "That is the last one. Kept is the best: what comes after it was patience.",
        ),
        (
            [(losses.index(min(losses)), b) for (losses, _), b in zip(HISTORIES, n, strict=True)],
            "You look beyond the stop: what was never trained can't be kept.",
        ),
        (
            [(losses.index(min(losses)), len(losses)) for losses, _ in HISTORIES],
            "It never stops: where is patience?",
        ),
        (
            [stop_at(*history, ties=True) for history in HISTORIES],
            "An equal loss is no better one: "
            "`<`, not `<=`. The older is kept, and patience goes on.",
        ),
        (
            [(stop_at(*history)[0], stop_at(*history, ties=True)[1]) for history in HISTORIES],
            "An equal loss is no better one: it doesn't renew the patience.",
        ),
        (
            [
                (len(losses) - 1 - losses[::-1].index(min(losses)), b)
                for losses, b in zip(made, n, strict=True)
            ],
            "Of equal losses the older is kept.",
        ),
        (
            [stop_at(*history, reset=False) for history in HISTORIES],
            "Patience is for validations *in a row*: after a new best one, count from 0 again.",
        ),
        (
            [stop_at(*history, before=True) for history in HISTORIES],
            "Compare with the best so far, not with the validation before.",
        ),
        (
            [stop_at(*history, more=1) for history in HISTORIES],
            "One validation too many: with a "
            "patience of 2, two without a new best one are enough to stop.",
        ),
        (
            [stop_at(*history, more=-1) for history in HISTORIES],
            "It stops one validation too early.",
        ),
        (
            [stop_at(*history, largest=True) for history in HISTORIES],
            "That keeps the largest loss.",
        ),
    ]
    for wrong, hint in mistakes:
        no_slip(found != wrong, hint)
    for (losses, patience), one, wanted in zip(HISTORIES, found, right, strict=True):
        expect(
            one == wanted,
            f"For {losses} and a patience of {patience} it gives {one}, but it should be {wanted}.",
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
        pairs = [
            pair
            for text, reference in zip(texts, references, strict=True)
            for pair in zip(text.split(), reference.split(), strict=False)
        ]
        return sum(a == b for a, b in pairs) / sum(len(text.split()) for text in texts)

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


def scores_drawn(
    texts: Sequence[str],
    references: Sequence[str],
    score: Callable,
    draw: Callable,
    times: int,
    how: str = "together",
) -> list[float]:
    """The scores of `times` sets of sentences, in the order in which they were drawn."""
    found = []
    for _ in range(times):
        places = draw(len(texts))
        others = {"together": places, "apart": None, "texts": range(len(texts))}[how]
        others = draw(len(texts)) if others is None else others
        if how == "texts":
            texts_drawn, references_drawn = [texts[i] for i in places], list(references)
        else:
            texts_drawn = [texts[i] for i in places]
            references_drawn = [references[i] for i in others]
        found.append(score(texts_drawn, references_drawn))
    return found


def middle(scores: Sequence[float], cut: int) -> tuple[float, float]:
    inside = sorted(scores)[cut : len(scores) - cut]
    return inside[0], inside[-1]


def interval(*given: Any) -> tuple[float, float]:
    """What my_interval should return for its five inputs."""
    return middle(scores_drawn(*given), given[-1] // 40)


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
    drawn = scores_drawn(ANSWERS, WANTED, a_score(), a_draw(), TIMES)
    right, cut = middle(drawn, TIMES // 40), TIMES // 40
    if alike(found, right):
        return
    ordered, mean, spread = sorted(drawn), fmean(drawn), stdev(drawn)
    whole = a_score()(ANSWERS, WANTED)
    n = len(drawn)
    mistakes = [
        (right[::-1], "The lower end comes first."),
        (middle(drawn, 0), "Those are the lowest and the highest of all. Leave out k at each end."),
        (
            middle(drawn, cut - 1),
            "One more at each end is left out: k of them, then comes the end of the interval.",
        ),
        (
            middle(drawn, cut + 1),
            "One less at each end is left out: k of them, then comes the end of the interval.",
        ),
        (
            middle(drawn, 2 * cut),
            "That leaves out 2.5 % twice at each end: 5 % in all is k below and k above.",
        ),
        (
            (ordered[cut], ordered[n - cut]),
            "The upper end is one too far out: with k left out it is scores[-k - 1].",
        ),
        (
            (ordered[cut - 1], ordered[n - 1 - cut]),
            "The lower end is one too far out: with k left out, it is scores[k].",
        ),
        ((drawn[cut], drawn[n - 1 - cut]), "Sort the scores first."),
        (
            (quantile(ordered, 0.025), quantile(ordered, 0.975)),
            "A quantile lies between two "
            "scores. Here the ends are scores: leave out k at each end and take the next.",
        ),
        *[
            (
                (middle_of - 1.96 * s, middle_of + 1.96 * s),
                "That is 1.96 standard deviations around "
                "a mean, as if scores were spread evenly to both sides. Take the middle 95 % of "
                "the "
                "scores themselves.",
            )
            for middle_of in (mean, whole)
            for s in (spread, pstdev(drawn))
        ],
        ((whole, whole), "Each time it is the score of the whole text: use what was drawn."),
        (
            middle(scores_drawn(ANSWERS, WANTED, a_score(), a_draw(), TIMES, how="texts"), cut),
            "The texts are drawn and the references are not: each translation must keep its own.",
        ),
    ]
    for wrong, hint in mistakes:
        no_slip(not alike(found, wrong), hint)
    raise Hint(
        f"It gives {found[0]:.4f} to {found[1]:.4f}, but it should be {right[0]:.4f} to "
        f"{right[1]:.4f}."
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """As NumPy's: between the two scores around the place."""
    place = share * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


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
