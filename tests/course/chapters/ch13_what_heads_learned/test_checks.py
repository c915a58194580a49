"""The exercises of notebook 13: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch13_what_heads_learned import checks as check
from course.chapters.ch13_what_heads_learned.experiments import right_verbs
from tests.course.checks.saying import said
from transformer_lib.interpret.patching import ablate_head
from transformer_lib.interpret.pronouns import PronounBatch, best_head, measurable
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.text import english_spanish


def test_the_head_is_the_best_one():
    found = best_head(check.shipped(), english_spanish.load_pronoun())
    assert found == (check.LAYER, check.HEAD)


@pytest.mark.parametrize(
    ("guess", "hint"),
    [
        ("estrecho", "right!"),
        ("Estrecho.", "right!"),
        ("estrecha", "it agrees with maleta"),
        ("ancho", "a form of estrecho"),
        (1, "in quotes"),
        (..., "not tried yet"),
    ],
)
def test_without_the_head(capsys, guess, hint):
    assert hint in said(capsys, check.without_the_head, guess)


CROSS = "decoder.layers.1.cross_attn"


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ((CROSS, 1, 0.69), "right!"),
        ((CROSS, 1, 0.31), "that go wrong"),
        ((CROSS, 1, 0.9), "measure the share again"),
        ((CROSS, 1, 69), "from 0 to 1"),
        ((CROSS, 0, 1.0), "Another one is missed more"),
        ((check.LAYER, 1, 1.0), "the head of the picture"),
        ((check.LAYER, 2, 1.0), "carries the gender"),
        (("layer 1", 1, 0.69), "as the library calls it"),
        ((..., ..., ...), "not tried yet"),
    ],
)
def test_the_head_that_decides_the_verb(capsys, attempt, hint):
    assert hint in said(capsys, check.guilty_head, *attempt)


def test_one_head_only_is_missed_by_the_verbs():
    items = measurable(check.shipped(), english_spanish.load_pronoun(), half=1)[::6]
    batch = PronounBatch(check.shipped(), items)
    shares = {
        (layer, head): right_verbs(check.shipped(), batch, {layer: ablate_head(head)})
        for layer in attention_layers(check.shipped().model)
        for head in range(4)
    }
    worst, second = sorted(shares, key=lambda name: shares[name])[:2]
    assert worst == check.GUILTY and shares[worst] < 0.85 < 0.95 < shares[second]


def hits(rows, places):
    return rows.argmax(dim=-1) == places[:, None]


def by_loop(rows, places):
    shares = []
    for head in range(rows.size(1)):
        pairs = zip(rows, places, strict=True)
        right = [int(row[head].argmax()) == int(place) for row, place in pairs]
        shares.append(sum(right) / len(right))
    return torch.tensor(shares)


def on_place(rows, places):
    return rows[torch.arange(len(rows)), :, places]


SHARES = {
    "argmax": (lambda rows, places: hits(rows, places).float().mean(dim=0), "right!"),
    "loop": (by_loop, "right!"),
    "over the heads": (lambda r, p: hits(r, p).float().mean(dim=1), "a share for each sentence"),
    "one number": (lambda r, p: hits(r, p).float().mean(), "one number for all heads"),
    "count": (lambda r, p: hits(r, p).sum(dim=0), "That is how many"),
    "not yet a share": (hits, "Now the share"),
    "mass": (lambda r, p: on_place(r, p).mean(dim=0), "the mean weight"),
    "largest": (lambda r, p: r.amax(dim=-1).mean(dim=0), "`argmax` says where"),
    "argmin": (lambda r, p: (r.argmin(dim=-1) == p[:, None]).float().mean(dim=0), "the smallest"),
    "over half": (lambda r, p: (on_place(r, p) > 0.5).float().mean(dim=0), "more than half"),
    "mean of heads": (
        lambda r, p: (r.mean(dim=1).argmax(dim=-1) == p).float().mean(),
        "mean of the heads",
    ),
    "mean place": (lambda r, p: r.argmax(dim=-1).float().mean(dim=0), "the mean place"),
    "no axis": (lambda r, p: (r.argmax(dim=-1) == p).float().mean(dim=0), "places[:, None]"),
    "mean of booleans": (lambda r, p: hits(r, p).mean(dim=0), ".float()"),
    "a list": (lambda r, p: by_loop(r, p).tolist(), "a tensor, not a list"),
    "nothing": (lambda r, p: None, "returns nothing"),
    "stub": (lambda r, p: ..., "not tried yet"),
}


@pytest.mark.parametrize(("attempt", "hint"), SHARES.values(), ids=SHARES)
def test_share_on(capsys, attempt, hint):
    assert hint in said(capsys, check.share_on, attempt)


def by_index(weights, head, query, one, another):
    changed = weights.clone()
    changed[:, head, query, [one, another]] = weights[:, head, query, [another, one]]
    return changed


def in_place(weights, head, query, one, another):
    kept = weights[:, head, query, one].clone()
    weights[:, head, query, one] = weights[:, head, query, another]
    weights[:, head, query, another] = kept
    return weights


def one_by_one(weights, head, query, one, another):
    changed = weights.clone()
    row = changed[:, head, query]  # a view
    first, second = row[:, one].clone(), row[:, another].clone()
    row[:, one], row[:, another] = second, first
    return changed


def overwritten(first):
    def attempt(weights, head, query, one, another):
        changed = weights.clone()
        into, out = (one, another) if first else (another, one)
        changed[:, head, query, into] = changed[:, head, query, out]
        changed[:, head, query, out] = changed[:, head, query, into]
        return changed

    return attempt


def column_instead(weights, head, query, one, another):
    changed = weights.clone()
    changed[:, head, one, query] = weights[:, head, another, query]
    changed[:, head, another, query] = weights[:, head, one, query]
    return changed


def rows_instead(weights, head, query, one, another):
    changed = weights.clone()
    changed[:, head, [one, another]] = weights[:, head, [another, one]]
    return changed


def everywhere(*at):
    def attempt(weights, head, query, one, another):
        changed = weights.clone()
        index = tuple({"head": head, "query": query, "all": slice(None), "0": 0}[a] for a in at)
        changed[(*index, one)] = weights[(*index, another)]
        changed[(*index, another)] = weights[(*index, one)]
        return changed

    return attempt


SWAPS = {
    "by index": (by_index, "right!"),
    "one by one": (one_by_one, "right!"),
    "in place": (in_place, "have changed as well"),
    "nothing": (lambda w, *_: w.clone(), "Nothing has changed"),
    "first lost": (overwritten(True), "the first was overwritten"),
    "second lost": (overwritten(False), "the second was overwritten"),
    "rows": (rows_instead, "two rows"),
    "column": (column_instead, "of the column `query`"),
    "all queries": (everywhere("all", "head", "all"), "rows of all words"),
    "all heads": (everywhere("all", "all", "query"), "in all heads"),
    "first sentence": (everywhere("0", "head", "query"), "Only the first sentence"),
    "row alone": (lambda w, h, q, a, b: by_index(w, h, q, a, b)[:, h, q], "Give back all weights"),
    "no return": (lambda *_: None, "returns nothing"),
    "stops": (lambda w, *_: w[9], "Called with (2, 3, 5, 7), 1, 2, 3, 0, it stops with IndexError"),
    "no function": (5, "the function itself"),
    "stub": (lambda *_: ..., "not tried yet"),
}


@pytest.mark.parametrize(("attempt", "hint"), SWAPS.values(), ids=SWAPS)
def test_swap_two(capsys, attempt, hint):
    answer = said(capsys, check.swap_two, attempt)
    assert hint in answer and "Hint" not in answer


FIT = "The book didn't fit in the bag because it was too small"
MANY = "The books didn't fit in the bags because they were too big"
FLIPS = [
    ((FIT, "small", "book", "bag"), "right!"),
    ((FIT, "small", "book", "chest"), "'chest' is not one of the words"),
    ((FIT, "it", "book", "bag"), "should be the adjective at the end"),
    ((FIT.replace("small", "big"), "big", "book", "bag"), "*grande*, is the same in both"),
    ((MANY, "big", "books", "bags"), "*grandes*, is the same in both genders"),
    ((MANY.replace("big", "small"), "small", "books", "bags"), "right!"),
    (
        ("The piano didn't fit in the car because it was too small", "small", "piano", "car"),
        "The translation stays",
    ),
    (
        (
            "The animal didn't cross the street because it was too tired",
            "tired",
            "animal",
            "street",
        ),
        "Take other nouns: animal and street stand in",
    ),
    (
        ("The trophy didn't fit in the box because it was too small", "small", "trophy", "box"),
        "Take other nouns: trophy and box stand in",
    ),
    (("The xylophone fell", "fell", "the", "xylophone"), "can't read it"),
    ((5, "a", "b", "c"), "one sentence in quotes"),
    ((..., "a", "b", "c"), "not tried yet"),
]


@pytest.mark.parametrize(("attempt", "hint"), FLIPS)
def test_flips(capsys, attempt, hint):
    assert hint in said(capsys, check.flips, *attempt)


@pytest.mark.parametrize(
    ("changed", "hint"),
    [
        ("el trofeo no cabía en la caja porque era pequeña", "More than one word has changed"),
        ("la trofeo no cabía en la caja porque era demasiado pequeña", "More than one word"),
        (
            "el trofeo no cabía en la caja porque era demasiado ancho",
            "a different word, not a different",
        ),
    ],
)
def test_flips_of_more_than_a_gender(capsys, monkeypatch, changed, hint):
    before = "el trofeo no cabía en la caja porque era demasiado pequeño"
    answers = iter([before.split(), changed.split()])
    monkeypatch.setattr(check, "spanish", lambda sentence: next(answers))
    assert hint in said(capsys, check.flips, FIT, "small", "book", "bag")


@pytest.mark.parametrize(
    ("share", "hint"),
    [
        (248, "right!"),
        (0.498, "right!"),
        (249, "Half would be a guess"),
        (0.5, "Half would be a guess"),
        (250, "That many are feminine"),
        (0.92, "*says* the masculine form"),
        (499, "There are 498"),
        (1.0, "wrong there"),
        (260, "Which endings are masculine, for one and for several?"),
        ("half", "a number of sentences"),
    ],
)
def test_always_masculine(capsys, share, hint):
    assert hint in said(capsys, check.always_masculine, share)


COW = "The cow didn't cross the river because it was too "
TIRED, WIDE = (f"{COW}tired", "cow", "river"), (f"{COW}wide", "river", "cow")
COLD = ("The dog didn't drink the soup because it was too cold", "soup", "dog")
ALIKE = [
    (TIRED, WIDE, "right!"),
    (list(COLD), WIDE, "right!"),
    (WIDE, TIRED, "The two are exchanged"),
    (TIRED, COLD, "stays: without the head fría becomes frío"),
    (WIDE, WIDE, "changes: without the head it still says ancho"),
    ((TIRED[0], "river", "cow"), WIDE, "'tired' looks most at 'cow'"),
    (TIRED, (WIDE[0], "bridge", "cow"), "'bridge' is not one of the words"),
    (
        TIRED,
        ("The animal didn't cross the street because it was too tired", "animal", "street"),
        "nouns other than",
    ),
    (
        TIRED,
        ("The mouse didn't eat the cheese because it was too tired", "mouse", "cheese"),
        "different genders",
    ),
    (
        TIRED,
        ("The horse didn't eat the apple because it was too red", "apple", "horse"),
        "should be above 0.9",
    ),
    (TIRED, ("The xylophone fell", "the", "xylophone"), "can't read it"),
    (TIRED[0], WIDE, "all three in parentheses"),
    (TIRED, (1, 2, 3), "all three in parentheses"),
    (TIRED, ..., "not tried yet"),
]


@pytest.mark.parametrize(("changes", "stays", "hint"), ALIKE)
def test_alike_in_the_picture(capsys, changes, stays, hint):
    assert hint in said(capsys, check.alike_in_the_picture, changes, stays)
