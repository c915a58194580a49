"""What else is tried with the checks of notebook 14."""

from statistics import fmean

import numpy as np
import torch

from course.chapters.ch14_real_text import assignment_7_checks as corpus
from course.chapters.ch14_real_text import checks as check
from tests.course.checks.attempts import Attempts


def by_places(word, merges):
    parts = list(word)
    for a, b in merges:
        i = 0
        while i < len(parts) - 1:
            if (parts[i], parts[i + 1]) == (a, b):
                parts[i : i + 2] = [a + b]
            i += 1
    return tuple(parts)


# --- assignment 7 ---

HO, HOP, HOPS = FIRST = corpus.FIRST_MERGES
CUT = ["s", "hops"]


def in_arrays(losses, patience):
    for made in range(1, len(losses) + 1):
        kept = int(np.argmin(losses[:made]))
        if made - 1 - kept >= patience:
            break
    return np.array([kept, made])


def in_tensors(texts, references, score, draw, times):
    sets = [draw(len(references)) for _ in range(times)]
    pairs = list(zip(texts, references, strict=True))
    drawn = [[pairs[place] for place in places] for places in sets]
    found = torch.tensor([score(*map(list, zip(*some, strict=True))) for some in drawn]).double()
    return found.sort().values[times // 40 : times - times // 40][[0, -1]]


def draws_once(texts, references, score, draw, times):
    places = draw(len(texts))
    found = score([texts[i] for i in places], [references[i] for i in places])
    return found, found


def words_within(texts, references, chosen, score):
    return score(
        *(
            [
                " ".join(text.split()[i] for i in some)
                for text, some in zip(side, chosen, strict=True)
            ]
            for side in (texts, references)
        )
    )


CLEAN, RIGHT = corpus.cleaning(), corpus.resampled()
LATER = ("Goodbye.", "goodbye.", "Good-bye!", "Thanks.", "thanks", "Bye.", "Bye!")
BLEU, CHRF = "Mis hermanas están muy lejos.", "Mis hermanos estaban muy cansados hoy."

ATTEMPTS = {
    check.my_pieces: Attempts(
        right=[check.in_pieces, by_places],
        slips={hint: [way] for hint, way in check.PIECES.items()},
        mistakes={
            "must be the word again": [lambda w, m: [a + b for a, b in m if a + b in w]],
            "the pieces should be a list": [lambda w, m: " ".join(check.in_pieces(w, m))],
            "a list of pieces, not an int": [lambda w, m: len(check.in_pieces(w, m))],
            "Begin with its letters": [lambda w, m: [w]],
            "It returns nothing": [lambda w, m: None],
            "it stops with IndexError": [lambda w, m: m[9]],
        },
    ),
    corpus.first_merges: Attempts(
        right=[(FIRST, CUT), ([["h", "o"], ["ho", "p"], ["hop", "s"]], ("s", "hops"))],
        slips={
            "counts as often as it": [([("i", "s"), HO, HOP], ["s", "hop", "s"])],
            "h o is as frequent as o p": [([("o", "p"), ("h", "op"), HOPS], CUT)],
            "hop s is as frequent as s hop": [
                ([HO, HOP, ("s", "hop")], ["shop", "s"]),
                ([HO, HOP, ("s", "hop")], CUT),
            ],
            "count again after each": [([HO, ("o", "p"), HOPS], ["s", "ho", "p", "s"])],
            "There is no piece op": [([HO, ("h", "op"), HOPS], CUT)],
            "i s stands there 5 times": [([HO, HOP, ("i", "s")], ["s", "hop", "s"])],
        }
        | {hint: [(FIRST, list(cut))] for cut, hint in corpus.CUTS.items()},
        mistakes={
            "must be the word again": [(FIRST, ["s", "hop"])],
            "Count again: each pair": [([("s", "s"), ("t", "h"), ("m", "i")], CUT)],
            "Give three pairs": [([HO, HOP], CUT), (["ho", "hop", "hops"], CUT)],
        },
    ),
    corpus.my_clean_pair: Attempts(
        right=[lambda *pair: (found := CLEAN(*pair)) and list(found)],
        mistakes={
            "Of (": [lambda source, target: (source, target)],
            "Return the two texts": [lambda source, target: source + target],
            "or None; not False": [lambda source, target: False],
            "it stops with ZeroDivisionError": [lambda source, target: 1 / 0],
            "…, but it should be": [lambda source, target: (10_000 * "a", target)],
            "Hand over the function itself": ["a, b"],
        },
    ),
    corpus.my_deduplicate: Attempts(
        mistakes={
            "A set has no order": [set],
            "a list of pairs, not an int": [len],
            "does it end with `return`?": [lambda pairs: pairs.sort()],
            "should go": [lambda pairs: pairs[:-1]],
        }
    ),
    corpus.my_hold_out: Attempts(
        mistakes={
            "none be lost": [lambda pairs, count: (pairs[1:2], pairs[:1])],
            "two lists": [lambda pairs, count: pairs],
            "is held out, and in training, too": [lambda p, count: (p[:2] + p[3:], [p[2]])],
            "those that come first": [
                lambda pairs, count: (
                    [pair for pair in pairs if pair[0] not in LATER],
                    [pair for pair in pairs if pair[0] in LATER],
                )
            ],
        }
    ),
    corpus.my_stop: Attempts(
        right=[in_arrays],
        mistakes={
            "For [5.25": [lambda losses, patience: (0, 1)],
            "two whole numbers": [lambda losses, patience: (0.5, 1), lambda losses, patience: 1],
        },
    ),
    corpus.my_interval: Attempts(
        right=[RIGHT, in_tensors],
        slips=corpus.INTERVALS
        | {
            "You draw words. The words": [
                corpus.resampled(
                    places=lambda draw, texts, _: [
                        i % len(texts) for i in draw(len(" ".join(texts).split()))
                    ]
                )
            ],
            "You draw words within each": [
                corpus.resampled(
                    scored=words_within,
                    places=lambda draw, *sides: [
                        draw(min(len(a.split()), len(b.split())))
                        for a, b in zip(*sides, strict=True)
                    ],
                )
            ],
            "are drawn apart": [
                corpus.resampled(
                    places=lambda draw, texts, _: (draw(len(texts)), draw(len(texts))),
                    scored=lambda texts, references, places, score: score(
                        [texts[i] for i in places[0]], [references[i] for i in places[1]]
                    ),
                )
            ],
            "draw again for each": [draws_once],
            "isn't the mean of": [
                corpus.resampled(
                    scored=lambda texts, references, places, score: fmean(
                        score([texts[i]], [references[i]]) for i in places
                    )
                )
            ],
            "counts twice": [corpus.resampled(places=lambda draw, texts, _: set(draw(len(texts))))],
        },
        mistakes={
            "sets are to be drawn": [lambda *given: RIGHT(*given[:-1], given[-1] // 2)],
            "each set has as many": [corpus.resampled(places=lambda draw, *_: draw(14))],
            "Nothing is drawn": [corpus.resampled(places=lambda draw, texts, _: range(len(texts)))],
            "Those are all the scores": [corpus.resampled(lambda found, k: found)],
            "Return two numbers": [corpus.resampled(lambda found, k: found[0])],
            "but it should be": [corpus.resampled(lambda found, k: (0.1, 0.2))],
        },
    ),
    corpus.measures_disagree: Attempts(
        right=[(BLEU, CHRF), ("Mis hermanas están muy", "Mishermanasestánmuycansadashoy.")],
        slips={"The two are exchanged": [(CHRF, BLEU)]},
        mistakes={
            "The reference itself": [(corpus.REFERENCE, CHRF)],
            "chrF is": [("Mis hermanas están muy cansadas.", "Mi hermana.")],
            "BLEU is": [("Mi hermana.", "Mis hermanas están muy cansadas.")],
            "Give two Spanish texts": [("", CHRF), (f"{BLEU}\ud800", CHRF), (47.2, 63.1)],
            "200 letters at most": [(BLEU * 100, CHRF)],
        },
    ),
}
