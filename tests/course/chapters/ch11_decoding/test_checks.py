"""Exercises of notebook 11: right answers pass, each classic mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch11_decoding import checks as check
from tests.course.checks.saying import said
from transformer_lib.decoding import greedy_decode, penalty
from transformer_lib.text.tokens import BOS, EOS, PAD

# ---------------------------------------------------------------- 1


@pytest.mark.parametrize(
    "answer, hint",
    [
        ((0.18, 0.21, 0.25), "right!"),
        ((..., 0.21, 0.25), "not tried yet"),
        ((0.45, 0.21, 0.25), "first word alone"),
        ((0.85, 0.21, 0.25), "multiplied"),
        ((0.25, 0.21, 0.25), "doesn't look for the best"),
        ((0.3, 0.21, 0.25), "likeliest first word"),
        ((0.18, 0.18, 0.25), "holds a and b"),
        ((0.18, 0.25, 0.25), "c was dropped"),
        ((0.18, 0.3, 0.25), "five sentences"),
        ((0.18, 0.21, 0.21), "what follows c as well"),
        ((0.18, 0.21, 1.0), "all six"),
        (("a", 0.21, 0.25), "Give three numbers"),
        ((None, 1, 1), "Give three numbers"),
    ],
)
def test_three_probabilities(capsys, answer, hint):
    assert hint in said(capsys, check.three_probabilities, *answer)


# ---------------------------------------------------------------- 2


def test_the_model_of_the_exercise_is_worth_its_name():
    model = check.toy_model()
    written = []
    for ids in check.SOURCES:
        src = torch.tensor([ids])
        found = check.greedy_by_hand(src, check.LONGEST)
        assert found == greedy_decode(model, src, max_length=check.LONGEST)[0]
        written.append(found)
    lengths = [len(ids) for ids in written]
    assert len(set(map(tuple, written))) == len(check.SOURCES)
    assert max(lengths) == check.LONGEST and sum(length < check.LONGEST for length in lengths) >= 2


def while_loop(model, src, max_length):
    memory, words = model.encode(src), [BOS]
    while True:
        row = model.generator(model.decode(torch.tensor([words]), memory, src)[:, -1])
        word = row.argmax(dim=-1).item()
        if word == EOS or len(words) > max_length:
            return words[1:]
        words.append(word)


def loop(
    model,
    src,
    max_length,
    *,
    row=-1,
    stop=True,
    end=0,
    first=True,
    encode_again=False,
    newest=False,
    dim=-1,
    keep_end=False,
    keep_begin=False,
    begin=BOS,
    largest=True,
    generator=True,
):
    """Greedy decoding with a switch for each mistake."""
    memory, words = model.encode(src), torch.tensor([[begin]])
    for _ in range(max_length + end):
        memory = model.encode(src) if encode_again else memory
        x = model.decode(words[:, -1:] if newest else words, memory, src)
        logits = model.generator(x[:, row]) if generator else x[:, row]
        word = logits.argmax(dim=dim) if largest else logits.argmin(dim=dim)
        if stop and word.item() == EOS:
            words = torch.cat([words, word[:, None]], 1) if keep_end else words
            break
        words = torch.cat([words, word[:, None]], dim=1)
    return words[0, 0 if keep_begin else 1 :].tolist()


def endless(model, src, max_length):
    memory, words = model.encode(src), [BOS]
    while words[-1] != EOS:
        x = model.decode(torch.tensor([words]), memory, src)
        words.append(int(model.generator(x[0, -1]).argmax()))
    return words[1:-1]


def every_row(model, src, max_length):
    memory, words = model.encode(src), [BOS]
    for _ in range(max_length):
        x = model.decode(torch.tensor([words]), memory, src)
        words.append(int(model.generator(x[0, -1:]).argmax(dim=0)))
    return words[1:]


@pytest.mark.parametrize("function", [while_loop, loop])
def test_my_greedy_right(capsys, function):
    assert said(capsys, check.my_greedy, function) == "right!"


def but(**mistake):
    return lambda model, src, max_length: loop(model, src, max_length, **mistake)


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda model, src, max_length: ..., "not tried yet"),
        (but(stop=False), "goes on after <eos>"),
        (endless, "It doesn't stop"),
        (but(row=0), "You read the first row"),
        (but(newest=True), "only the newest word"),
        (but(encode_again=True), "the encoder ran"),
        (but(keep_end=True), "<eos> ends the translation"),
        (but(keep_begin=True), "<bos> belongs to"),
        (but(keep_begin=True, keep_end=True), "leave them out"),
        (but(end=1), "One word too many"),
        (but(end=-1), "stops too early"),
        (but(begin=EOS), "must begin with <bos>"),
        (but(largest=False), "the smallest logit"),
        (but(generator=False), "model.generator makes logits of it"),
        (but(generator=False, keep_begin=True), "model.generator makes logits of it"),
        (but(dim=0), "not yet"),
        (every_row, "argmax over its words"),
        (
            lambda m, src, n: greedy_decode(m, src, max_length=n)[0],
            "`greedy_decode` does the whole exercise",
        ),
        (lambda model, src, max_length: None, "`return`"),
        (lambda model, src, max_length: 5, "list of ids"),
        (lambda model, src: [], "TypeError"),
        ([4, 5], "the function itself"),
    ],
)
def test_my_greedy_wrong(capsys, function, hint):
    assert hint in said(capsys, check.my_greedy, function)


def by_calls(model, src, max_length, *, reads=lambda words: words, row=-1, shape=lambda x: x):
    """With a model that can only be called."""
    words = [BOS]
    while len(words) <= max_length and (len(words) == 1 or words[-1] != EOS):
        logits = model(src, shape(torch.tensor([reads(words)])))
        words.append(int(logits[0, row].argmax()))
    return [word for word in words if word not in (BOS, EOS)]


def flat(model, src, max_length):
    words = [BOS]
    while len(words) <= max_length and words[-1] != EOS:
        words.append(int(model(src, torch.tensor([words])).argmax()))
    return words[1:]


def calls_but(**mistake):
    return lambda model, src, max_length: by_calls(model, src, max_length, **mistake)


def forever(model, src, max_length):
    words = [BOS]
    while True:
        words.append(int(model(src, torch.tensor([words]))[0, -1].argmax()))


@pytest.mark.parametrize(
    "function, hint",
    [
        (by_calls, "right!"),
        (lambda model, src, max_length: ..., "not tried yet"),
        (calls_but(row=0), "You read the first row"),
        (calls_but(reads=lambda words: words[-1:]), "only the newest word"),
        (calls_but(reads=lambda words: words[1:] or words), "must begin with <bos>"),
        (calls_but(reads=lambda words: [EOS, *words[1:]]), "must begin with <bos>"),
        (calls_but(shape=lambda x: x[0]), "two tensors of ids"),
        (calls_but(shape=lambda x: x.tolist()), "two tensors of ids"),
        (lambda model, src, length: by_calls(model, src[:, :1], length), "the first of the two"),
        (forever, "It doesn't stop"),
        (flat, "over all rows"),
        (lambda model, src, max_length: by_calls(model, src, max_length)[:-1], "not yet"),
        (lambda model, src, max_length: greedy_decode(model, src), "the whole exercise"),
        (loop, "no attribute 'encode'"),
        (7, "the function itself"),
    ],
)
def test_my_greedy_by_calls(capsys, function, hint):
    assert hint in said(capsys, check.my_greedy_by_calls, function)


# ---------------------------------------------------------------- 3


def score(
    model, src, ids, *, tgt_in=None, end=True, dim=-1, forbid=False, logits_only=False, start=0
):
    """The log-probabilities of the words, with a switch for each mistake."""
    logits = model(src, torch.tensor([tgt_in or [BOS, *ids]]))[0, start:]
    if forbid:
        logits[:, [PAD, BOS]] = -torch.inf
    rows = logits if logits_only else logits.log_softmax(dim=dim)
    out = [*ids, EOS] if end else ids
    return rows[range(len(out)), out]


def one_by_one(model, src, ids):
    memory, total, words = model.encode(src), 0.0, [BOS]
    for word in [*ids, EOS]:
        row = model.generator(model.decode(torch.tensor([words]), memory, src)[0, -1])
        total += row.softmax(dim=-1)[word].log().item()
        words.append(word)
    return total


@pytest.mark.parametrize(
    "function",
    [
        lambda model, src, ids: score(model, src, ids).sum(),
        lambda model, src, ids: score(model, src, ids, forbid=True).sum().item(),
        one_by_one,
    ],
)
def test_my_log_prob_right(capsys, function):
    assert said(capsys, check.my_log_prob, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda m, s, ids: ..., "not tried yet"),
        (lambda m, s, ids: -score(m, s, ids).sum(), "minus in front"),
        (lambda m, s, ids: score(m, s, ids, end=False).sum(), "The end is missing"),
        (lambda m, s, ids: score(m, s, ids).sum().exp(), "That is the probability"),
        (lambda m, s, ids: score(m, s, ids).exp().sum(), "You add probabilities"),
        (lambda m, s, ids: score(m, s, ids, logits_only=True).sum(), "You add logits"),
        (lambda m, s, ids: score(m, s, ids).mean(), "the mean"),
        (lambda m, s, ids: score(m, s, ids, dim=0).sum(), "over the places"),
        (lambda m, s, ids: score(m, s, ids, tgt_in=[*ids, EOS]).sum(), "reads the very word"),
        (lambda m, s, ids: score(m, s, ids, tgt_in=[BOS, *ids, EOS], start=1).sum(), "one too far"),
        (lambda m, s, ids: score(m, s, ids)[-1], "only the last row"),
        (lambda m, s, ids: score(m, s, ids), "one number"),
        (lambda m, s, ids: score(m, s, ids).sum() - 1, "the log-probability is"),
        (lambda m, s, ids: None, "`return`"),
        (lambda m, s: 1.0, "TypeError"),
        (1.0, "the function itself"),
    ],
)
def test_my_log_prob_wrong(capsys, function, hint):
    assert hint in said(capsys, check.my_log_prob, function)


# ---------------------------------------------------------------- 4


def step(so_far, following, k, *, largest=True):
    total = so_far[:, None] + following
    sums, index = total.flatten().topk(k, largest=largest)
    return index // following.size(1), index % following.size(1), sums


def step_in_a_loop(so_far, following, k):
    every = [
        (-(so_far[i] + following[i, j]).item(), i, j)
        for i in range(len(so_far))
        for j in range(following.size(1))
    ]
    best = sorted(every)[:k]
    return [i for _, i, _ in best], [j for _, _, j in best], [-total for total, _, _ in best]


@pytest.mark.parametrize("function", [step, step_in_a_loop])
def test_my_beam_step_right(capsys, function):
    assert said(capsys, check.my_beam_step, function) == "right!"


def by_branch(so_far, following, k):
    values, words = (so_far[:, None] + following).max(dim=1)
    sums, rows = values.topk(k)
    return rows, words[rows], sums


def wrong_divisor(so_far, following, k):
    sums, index = (so_far[:, None] + following).flatten().topk(k)
    return index // len(so_far), index % len(so_far), sums


def with_sums(change):
    def function(so_far, following, k):
        branches, words, sums = step(so_far, following, k)
        return branches, words, change(sums, following[branches, words])

    return function


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda s, f, k: ..., "not tried yet"),
        (lambda s, f, k: step(0 * s, f, k), "only the new words"),
        (lambda s, f, k: step(s, f, k, largest=False), "the worst"),
        (lambda s, f, k: tuple(x.flip(0) for x in step(s, f, k)), "best first"),
        (lambda s, f, k: (*step(s, f, k)[1::-1], step(s, f, k)[2]), "exchanged"),
        (lambda s, f, k: step(s, f, k)[::-1], "another order"),
        (lambda s, f, k: (step(s, f, k)[2], *step(s, f, k)[:2]), "another order"),
        (wrong_divisor, "divide by the number of branches"),
        (by_branch, "one word from each"),
        (lambda s, f, k: check.best_of(s[:, None] * f, k), "not multiplied"),
        (lambda s, f, k: check.best_of(s[:, None].exp() + f.exp(), k), "add probabilities"),
        (lambda s, f, k: step(s[:1], f[:1], k), "first branch only"),
        (lambda s, f, k: (s + f).flatten().topk(k), "a column"),
        (lambda s, f, k: by_branch(s, f, 4), "too few numbers"),
        (
            lambda s, f, k: (torch.zeros(3, k), *(s[:, None] + f).topk(k)[::-1]),
            "k best of each branch",
        ),
        (with_sums(lambda sums, last: last), "the last word alone"),
        (with_sums(lambda sums, last: sums.exp()), "as probabilities"),
        (with_sums(lambda sums, last: sums + 1), "their sums should be"),
        (lambda s, f, k: step(s, f, k)[:2], "three tensors"),
        (lambda s, f, k: step(s, f, 1), "2 numbers for k=2"),
        (lambda s, f, k: step(s, f.flip(1), k), "the best are the words"),
        (lambda s, f, k: None, "`return`"),
        (lambda s, f: 1, "TypeError"),
        (3, "the function itself"),
    ],
)
def test_my_beam_step_wrong(capsys, function, hint):
    assert hint in said(capsys, check.my_beam_step, function)


# ---------------------------------------------------------------- 5


def choice(found, alpha, *, end=True, finished_first=True, worst=False, score=None):
    def rank(one):
        length = len(one.ids) + (one.finished if end else 0)
        value = score(one, length) if score else one.log_prob / penalty(length, alpha)
        return (finished_first and one.finished), -value if worst else value

    return max(found, key=rank)


def choice_in_a_loop(found, alpha):
    best, best_score = None, None
    for one in [one for one in found if one.finished] or found:
        length = len(one.ids) + 1 if one.finished else len(one.ids)
        value = one.log_prob / ((5 + length) / 6) ** alpha
        if best is None or value > best_score:
            best, best_score = one, value
    return best


@pytest.mark.parametrize("function", [choice, choice_in_a_loop])
def test_my_choice_right(capsys, function):
    assert said(capsys, check.my_choice, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda found, alpha: ..., "not tried yet"),
        (lambda f, a: choice(f, 0.0), "ignore alpha"),
        (lambda f, a: choice(f, 1.0), "without the power"),
        (lambda f, a: choice(f, a, end=False), "counts as a word"),
        (lambda f, a: choice(f, a, finished_first=False), "cut off comes first"),
        (lambda f, a: choice(f, a, end=False, finished_first=False), "others are finished"),
        (lambda f, a: choice(f, -a, finished_first=False), "others are finished"),
        (lambda f, a: choice(f, a, worst=True), "the worst"),
        (lambda f, a: choice(f, -a), "You multiply"),
        (lambda f, a: choice(f, a, score=lambda o, n: o.log_prob / n**a), "length to the power"),
        (lambda f, a: choice(f, a, score=lambda o, n: n), "The longest"),
        (lambda f, a: f[0], "You always take the first"),
        (lambda f, a: f[-1], "The best is the one with"),
        (lambda f, a: choice(f, a).ids, "one of the hypotheses"),
        (lambda f, a: None, "`return`"),
        (lambda f: f[0], "TypeError"),
        (1, "the function itself"),
    ],
)
def test_my_choice_wrong(capsys, function, hint):
    assert hint in said(capsys, check.my_choice, function)


# --- the core exercise


@pytest.mark.parametrize(
    "differ, letter, hint",
    [
        (8, "c", "right!"),
        (8, "(c)", "right!"),
        (..., ..., "not tried yet"),
        (0, "c", "in one batch"),
        (2, "c", "come out the same"),
        (10, "c", "Not all"),
        (5, "c", "one by one"),
        ("eight", "c", "whole number"),
        (True, "c", "whole number"),
        (8, "z", "letters a to e"),
        (8, "a", "alone would come out wrong"),
        (8, "b", "run on"),
        (8, "d", "as by greedy_decode"),
        (8, "e", "most padding"),
    ],
)
def test_the_fault(capsys, differ, letter, hint):
    assert hint in said(capsys, check.the_fault, differ, letter)


# --- the search, or the model?


@pytest.mark.parametrize(
    "wrong, likelier, hint",
    [
        (35, 1, "right!"),
        (..., ..., "not tried yet"),
        (65, 1, "That many are right"),
        (36, 1, "Not 36 wrong"),
        (35, 34, "no search could help"),
        (35, 0, "nearer to 0 is likelier"),
        (35, 101, "Two whole numbers"),
        ("many", 1, "Two whole numbers"),
        (35, True, "Two whole numbers"),
    ],
)
def test_whose_fault(capsys, wrong, likelier, hint):
    assert hint in said(capsys, check.whose_fault, wrong, likelier)


def test_whose_fault_is_the_same_on_any_machine():
    """No two sums are so near to each other that rounding could change an answer."""
    assert min(map(abs, check.right_against_written())) > 0.1
