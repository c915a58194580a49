"""What else is tried with the checks of notebook 11."""

import dataclasses
from collections import namedtuple

import torch

from course.chapters.ch11_decoding import checks as check
from tests.course.checks.attempts import Attempts
from transformer_lib.decoding import greedy_decode
from transformer_lib.text.tokens import BOS, EOS


def going_on(words, max_length):
    return len(words) <= max_length and words[-1] != EOS


def without_ends(words):
    return [word for word in words[1:] if word != EOS]


def until_one_repeats(words):
    return next((words[:i] for i in range(len(words)) if words[i] in words[:i]), words)


def greedy(
    parts,
    begin=BOS,
    going_on=going_on,
    reads=lambda words: words,
    best=lambda rows: rows[-1].argmax(),
    result=without_ends,
    generator=True,
):
    """Greedy decoding with a place for each mistake; by the model's parts, or by calls of it."""

    def program(model, src, max_length):
        memory, words = model.encode(src) if parts else None, [begin]
        while going_on(words, max_length):
            ids = torch.tensor([reads(words)])
            rows = model.decode(ids, memory, src) if parts else model(src, ids)
            rows = model.generator(rows) if parts and generator else rows
            words.append(int(best(rows[0])))
        return result(words)

    return program


def greedy_slips(parts):
    """Mistakes that are made with the parts of a model, and with calls of it, alike."""

    def but(**mistake):
        return greedy(parts, **mistake)

    return {
        "It goes on after <eos>: leave the loop there.": [
            but(going_on=lambda words, n: len(words) <= n, result=lambda words: words[1:])
        ],
        "It doesn't stop": [
            but(going_on=lambda words, n: words[-1] != EOS),
            but(going_on=lambda words, n: True),
        ],
        "<eos> ends the translation": [but(result=lambda words: words[1:])],
        "<bos> belongs to": [but(result=lambda words: [BOS, *without_ends(words)])],
        "<bos> and <eos> don't belong": [but(result=lambda words: words)],
        "cut off as if it were <eos>": [but(result=lambda words: words[1:-1])],
        "You read the first row each time": [but(best=lambda rows: rows[0].argmax())],
        "only the newest word": [but(reads=lambda words: words[-1:])],
        "must begin with <bos>": [
            but(
                begin=EOS,
                going_on=lambda words, n: going_on(words, n) or len(words) == 1,
            )
        ],
        "One word too many": [but(going_on=lambda words, n: going_on(words, n + 1))],
        "It stops too early": [but(going_on=lambda words, n: going_on(words, n - 1))],
        "the smallest logit": [but(best=lambda rows: rows[-1].argmin())],
        "A word may come twice": [but(result=lambda words: until_one_repeats(without_ends(words)))],
    }


def greedy_mistakes(parts):
    """The same for mistakes of which nothing remains."""
    return {
        "must begin with <bos>": [greedy(parts, reads=lambda words: words[1:] or words)],
        "they part at word 1": [greedy(parts, result=lambda words: without_ends(words)[::-1])],
        "Take the last row, [0, -1], and the argmax over its words": [
            greedy(parts, best=lambda rows: rows.argmax(dim=0))
        ],
        "An argmax over all rows": [greedy(parts, best=lambda rows: rows.argmax())],
        "a list of ids": [greedy(parts, result=lambda words: 5)],
        "It returns nothing": [greedy(parts, result=lambda words: None)],
        "the function itself": [7],
        "does the whole exercise": [
            lambda model, src, n: greedy_decode(check.toy_model(), src, max_length=n)[0]
        ],
    }


def with_tensors(model, src, max_length):
    tgt = torch.full((1, 1), BOS)
    for _ in range(max_length):
        word = model(src, tgt_in=tgt)[:, -1].softmax(dim=-1).topk(1).indices
        if word.item() == EOS:
            break
        tgt = torch.cat([tgt, word], dim=1)
    return tgt[0, 1:]


def all_in_one_run(model, src, max_length):
    words = model(src, torch.cat([torch.tensor([[BOS]]), src], dim=1))[0].argmax(-1)
    return without_ends(words.tolist())


def step_in_a_loop(so_far, following, k):
    every = [
        (so_far[i].item() + following[i, j].item(), i, j)
        for i in range(len(so_far))
        for j in range(following.size(1))
    ]
    sums, branches, words = zip(*sorted(every, reverse=True)[:k], strict=True)
    return branches, words, sums


def by_branch(so_far, following, k):
    branches, words, sums = check.right_step(so_far, following, k)
    order = branches.argsort(stable=True)
    return branches[order], words[order], sums[order]


def with_other_sums(so_far, following, k):
    branches, words, sums = check.best_of(following, k)
    return branches, words, sums + so_far[branches]


def filled_in(hypotheses, alpha):
    for one in hypotheses:
        one.score = check.score(one, alpha)


def best_finished(hypotheses, alpha, **default):
    finished = (one for one in hypotheses if one.finished)
    return max(finished, key=lambda one: check.score(one, alpha), **default)


def in_own_class(score, fields="score finished log_prob ids"):
    """What is chosen comes back in a class of the student's own with the fields of a Hypothesis."""
    own = namedtuple("Candidate", fields)

    def choose(hypotheses, alpha):
        candidates = [
            own(score(one, alpha), one.finished, one.log_prob, one.ids) for one in hypotheses
        ]
        return max(candidates, key=lambda one: (one.finished, one.score))

    return choose


def normalized(one, alpha):
    return one.log_prob / ((5 + len(one.ids) + one.finished) / 6) ** alpha


def log_prob(one, alpha):
    return one.log_prob


best_choice = check.chooser(check.score)
FIRST = next(hint for hint in check.CHOICES if "always take the first" in hint)

ATTEMPTS = {
    check.three_probabilities: Attempts(mistakes={"Give three numbers": [("ax", 0.21, 0.25)]}),
    check.my_greedy: Attempts(
        right=[greedy(parts=True)],
        slips=greedy_slips(parts=True)
        | {
            "model.generator makes logits of it": [
                greedy(parts=True, generator=False, result=lambda words: words[1:]),
                greedy(parts=True, generator=False, result=lambda words: words),
            ],
            "but the encoder ran": [with_tensors],
        },
        mistakes=greedy_mistakes(parts=True),
    ),
    check.my_greedy_by_calls: Attempts(
        right=[greedy(parts=False), with_tensors],
        slips=greedy_slips(parts=False),
        mistakes=greedy_mistakes(parts=False)
        | {
            "The decoder ran only once": [all_in_one_run],
            "two tensors of ids": [
                lambda model, src, n: with_tensors(
                    lambda src, tgt_in: model(src, tgt_in[0]), src, n
                ),
                lambda model, src, n: with_tensors(
                    lambda src, tgt_in: model(src, tgt_in.tolist()), src, n
                ),
            ],
            "the first of the two": [lambda model, src, n: with_tensors(model, src[:, :1], n)],
            "no attribute 'encode'": [greedy(parts=True)],
        },
    ),
    check.my_beam_step: Attempts(
        right=[step_in_a_loop],
        slips={check.UNORDERED: [by_branch], "You compare only the new words": [with_other_sums]}
        | {
            check.OF_EACH: [
                lambda so_far, following, k: [torch.zeros(k, len(so_far))] * 3,
            ]
        },
        mistakes={
            "three tensors": [lambda *step: check.right_step(*step)[:2]],
            "2 numbers for k=2": [lambda so_far, following, k: check.best_of(following, 1)],
            "the best are the words": [
                lambda so_far, following, k: check.right_step(so_far, following.flip(1), k)
            ],
            "their sums should be": [
                check.changed(lambda branches, words, sums, _: (branches, words, sums + 1))
            ],
        },
    ),
    check.my_choice: Attempts(
        right=[best_choice, in_own_class(normalized)],
        slips={hint: [way] for hint, way in check.CHOICES.items() if hint != FIRST}
        | {
            "all of them may have been cut off": [
                best_finished,
                lambda *given: best_finished(*given, default=None),
            ],
            "ignore alpha": [in_own_class(log_prob)],
        },
        mistakes={
            FIRST: [lambda hypotheses, alpha: hypotheses[0], check.CHOICES[FIRST]],
            "although others are finished": [
                lambda hypotheses, alpha: check.chooser(check.score, False)(hypotheses, -alpha)
            ],
            "The best is the one with": [lambda hypotheses, alpha: hypotheses[-1]],
            "one of the hypotheses, as it is": [
                lambda *given: best_choice(*given).ids,
                in_own_class(log_prob, "score finished sum ids"),
                lambda *given: dataclasses.replace(best_choice(*given), ids=[5]),
            ],
            "can't be changed": [filled_in],
            "It returns nothing": [lambda *given: None],
            "the function itself": [1],
        },
    ),
    check.whose_fault: Attempts(
        right=[(35, 1)],
        slips={"That many are right": [(65, 1)], "no search could help": [(35, 34)]},
        mistakes={
            "Not 36 wrong": [(36, 1)],
            "nearer to 0 is likelier": [(35, 0)],
            "Two whole numbers": [(35, 101), ("many", 1), (35, True)],
        },
    ),
}
