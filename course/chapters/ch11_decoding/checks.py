"""The exercises of notebook 11 and assignment 6: greedy decoding, and the parts of beam search."""

import copy
import dataclasses
import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course.chapters.ch00_start_here.checks import shipped
from course.checks import (
    Exercise,
    Hint,
    Value,
    Values,
    alike,
    as_hypothesis,
    exercise,
    expect,
    implement,
    no_slip,
    one_number,
    own_work,
    reason_of,
    same,
    whole_number,
    with_tensors,
)
from course.checks.exercises import answer
from transformer_lib.decoding import Hypothesis, penalty
from transformer_lib.model.transformer import Transformer, make_model
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import BOS, EOS

LONGEST = 7  # the max_length that the check asks for
CALLS = 40  # of the decoder: then it surely won't stop by itself


@functools.cache
def toy_model() -> Transformer:
    """A random model whose sentences differ; some come to <eos>, some don't."""
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        model = make_model(11, 11, N=2, d_model=22, d_ff=19, h=2, dropout=0.0).eval()
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, nn.Linear):
                part.weight.mul_(3 if part is model.generator.proj else 0.8)
    return model


SEED = 36  # its sentences differ; half of them don't come to an <eos>; words come twice
SOURCES = (
    (6, 8, 6, EOS),
    (4, 9, EOS),
    (10, 7, 6, 4, EOS),
    (8, 6, EOS),
    (9, 10, 4, EOS),
    (4, 4, 7, EOS),
)


class Endless(Exception):
    """The decoder was called again and again."""


def note(read: list[list[int]], words: Tensor) -> None:
    """Write down what the decoder reads."""
    read.append(words.flatten().tolist())
    if len(read) > CALLS:
        raise Endless


@functools.cache  # the same mistakes are looked for in each attempt
def greedy_by_hand(
    ids: tuple[int, ...],
    max_length: int = LONGEST,
    row: int = -1,
    stop: bool = True,
    begin: int = BOS,
    newest: bool = False,
    largest: bool = True,
) -> list[int]:
    """What an attempt should write for these source ids, or does write with one mistake.

    row: which one it reads; stop: whether at <eos>; begin: what the decoder reads first; newest:
    whether it reads only the newest word.
    """
    src, model, words = torch.tensor([ids]), toy_model(), [begin]
    with torch.no_grad():
        memory = model.encode(src)
        while len(words) <= max_length and not (stop and len(words) > 1 and words[-1] == EOS):
            x = model.decode(torch.tensor([words[-1:] if newest else words]), memory, src)
            logits = model.generator(x[0, row])
            words.append(int(logits.argmax() if largest else logits.argmin()))
    return words[1:-1] if stop and words[-1] == EOS else words[1:]


def without_generator(ids: tuple[int, ...], words: list[int]) -> bool:
    """Is each word after <bos> the place of the largest number of the decoder's vector?"""
    model, src = toy_model(), torch.tensor([ids])
    with torch.no_grad():
        memory = model.encode(src)
        largest = (
            int(model.decode(torch.tensor([words[:i]]), memory, src)[0, -1].argmax())
            for i in range(1, len(words))
        )
        return len(words) > 1 and all(map(operator.eq, largest, words[1:]))


NO_GENERATOR = (
    "You take the largest number of the decoder's vector, of d_model numbers. model.generator "
    "makes logits of it, one for each word."
)


WHOLE = "The probability of a sentence is the product of both words' probabilities."
probability = functools.partial(
    Value,
    read=lambda guess: one_number(guess, "Give three numbers, such as 0.5."),
    near=functools.partial(math.isclose, abs_tol=0.0006),
)
three_probabilities = Values(
    "three_probabilities",
    "Exercise 1: two words; a 0.45, b 0.3, c 0.25, and what follows them.",
    probability(
        "Greedy",
        right=0.18,
        slips={
            0.45: f"0.45 is the first word alone. {WHOLE}",
            0.85: "probabilities are multiplied. It is their logarithms that are added.",
            0.25: "it doesn't look for the best sentence. Which first word does it take, and what "
            "is then the likeliest second?",
        },
        otherwise=f"it takes the likeliest first word, then the likeliest word after it. {WHOLE}",
    ),
    probability(
        "Beam of two",
        right=0.21,
        slips={
            0.18: "after the first word it holds a and b, and then looks at what follows both.",
            0.25: "it can't find the sentence with c, because c was dropped after the first word.",
        },
        otherwise="a and b are kept. Which is the best of their five sentences?",
    ),
    probability(
        "The likeliest of all",
        right=0.25,
        slips={0.21: "look at what follows c as well."},
        otherwise=f"there are six sentences. {WHOLE}",
    ),
)


def judge_greedy(
    function: Callable[[Any, Tensor, int], list[int]],
    hand_over: Callable[[Tensor, list[list[int]], list[Tensor]], Callable],
) -> None:
    """A Hint unless it writes what it should, with the model that `hand_over` makes.

    hand_over: gets src, and two lists to write into: what the decoder reads, what was encoded.
    """
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    own_work(function, "greedy_decode", "beam_search", "DecoderState")
    for ids in SOURCES:
        src, read, encoded = torch.tensor([ids]), [], []
        right = greedy_by_hand(ids)
        with torch.no_grad():
            found = run_greedy(function, hand_over(src, read, encoded), src, read, right)
        explain_reading(read, found, ids)
        if found != right:
            explain_greedy(found, right, ids, len(read))
        no_slip(
            len(encoded) < 2,
            f"The words are right, but the encoder ran {len(encoded)} times. Its result doesn't "
            "change: call it once, before the loop.",
        )


@implement(lambda: (toy_model, None, LONGEST))
def my_greedy(function: Callable[[Transformer, Tensor, int], list[int]]) -> None:
    """The core exercise: (model, src (1, s), max_length) -> ids without <bos> and <eos>."""

    def watched(_: Tensor, read: list[list[int]], encoded: list[Tensor]) -> Transformer:
        model = copy.deepcopy(toy_model())
        model.encoder.register_forward_hook(lambda *given: encoded.append(given[-1]))
        model.tgt_embed.register_forward_hook(lambda _, inputs, __: note(read, inputs[0]))
        return model

    judge_greedy(function, watched)


@implement(lambda: (None, None, LONGEST))  # no model: an attempt that never stops should stop here
def my_greedy_by_calls(function: Callable[[Callable, Tensor, int], list[int]]) -> None:
    """Assignment 6: the same, with a model that can only be called: model(src, tgt_in)."""
    judge_greedy(function, only_callable)


def only_callable(
    right_src: Tensor, read: list[list[int]], _: list[Tensor]
) -> Callable[[Tensor, Tensor], Tensor]:
    """A model as a function, which writes down what its decoder reads."""

    def model(src: Tensor, tgt_in: Tensor) -> Tensor:
        wanted = "model(src, tgt_in): give it two tensors of ids, (1, s) and (1, t)"
        if not all(isinstance(x, Tensor) and x.dim() == 2 for x in (src, tgt_in)):
            raise TypeError(wanted)
        if not torch.equal(src, right_src):
            raise ValueError("model(src, tgt_in): the first of the two is src, as it is")
        note(read, tgt_in)
        with torch.no_grad():
            return toy_model()(src.long(), tgt_in.long())

    return model


def explain_reading(read: Sequence[list[int]], found: list[int], ids: tuple[int, ...]) -> None:
    """Nothing, if the decoder was given what it should read; otherwise a hint."""
    once = len(read) == 1 < len(greedy_by_hand(ids))
    expect(
        not once,
        "The decoder ran only once. Each new word needs a run of its own, which reads "
        "all the words so far.",
    )
    if len(read) > 1 and all(len(words) == 1 for words in read):
        only_this = found == greedy_by_hand(ids, newest=True)
        (no_slip if only_this else expect)(
            False,
            "You feed only the newest word. Without a cache "
            "it is then at position 0 and sees nothing of what was written before: feed "
            "everything from <bos> on.",
        )
    if any(words[:1] != [BOS] for words in read):
        begin = read[0][0] if read[0] else BOS
        only_this = found == greedy_by_hand(ids, begin=begin)
        (no_slip if only_this else expect)(
            False, "What the decoder reads must begin with <bos>, as it did in training."
        )


def run_greedy(
    function: Callable, model: Callable, src: Tensor, read: Sequence[list[int]], right: list[int]
) -> list[int]:
    """What an attempt returns. read: what the decoder has read, which grows meanwhile."""
    try:
        found = function(model, src.clone(), LONGEST)
    except Hint:
        raise  # of a check within
    except Exception as error:
        reason = reason_of(error)
        if type(error).__name__ == Endless.__name__:  # it may come back from another process
            only_this = read[-1][: len(right) + 1] == [BOS, *right]
            (no_slip if only_this else expect)(
                False,
                "It doesn't stop: leave the loop at <eos>, and when there are max_length words.",
            )
        if "Scalar" in reason or "one element" in reason:
            raise Hint(
                "You want one word, but there are several numbers. Take the last row, "
                "[0, -1], and the argmax over its words."
            ) from None
        if "ids go from" in reason:
            raise Hint(
                f"It stops with {reason}. Is each id that you feed the place in one row, the last? "
                "An argmax over all rows goes on counting in the second row."
            ) from None
        raise Hint(f"It stops with {reason}.") from None
    expect(found is not None, "It returns nothing: does it end with `return`?")
    found = with_tensors(found)
    found = found.flatten().tolist() if isinstance(found, Tensor) else found
    try:
        return [int(word) for word in found]
    except (TypeError, ValueError):
        raise Hint("It should return a list of ids.") from None


def before_a_repeat(words: list[int]) -> list[int]:
    """The words up to the first that comes a second time."""
    return next((words[:i] for i, word in enumerate(words) if word in words[:i]), words)


def explain_greedy(found: list[int], right: list[int], ids: tuple[int, ...], steps: int) -> None:
    """Raise the hint for what went wrong. steps: how often the decoder ran."""
    begun = found if found[:1] == [BOS] else [BOS, *found]
    no_slip(not without_generator(ids, begun), NO_GENERATOR)
    early = "It stops too early: max_length words are allowed, and <bos> isn't one of them."
    if steps >= LONGEST:
        early = (
            "The last word is cut off as if it were <eos>. Where max_length ends the loop, "
            "there is no <eos> at the end."
        )
    hints = [
        ([BOS, *right], "<bos> belongs to what the decoder reads, not to the translation."),
        ([BOS, *right, EOS], "<bos> and <eos> don't belong to the translation: leave them out."),
        ([*right, EOS], "<eos> ends the translation and doesn't belong to it."),
        (greedy_by_hand(ids, stop=False), "It goes on after <eos>: leave the loop there."),
        (
            greedy_by_hand(ids, row=0),
            "You read the first row each time, which tells what "
            "comes after <bos>. What comes next is in the last one, [0, -1].",
        ),
        (greedy_by_hand(ids, LONGEST + 1), "One word too many: at most max_length, without <bos>."),
        (before_a_repeat(right), "A word may come twice: only <eos> and max_length end the loop."),
        (right[:-1], early),
        (
            greedy_by_hand(ids, largest=False),
            "You take the smallest logit: the word that the model believes in least.",
        ),
    ]
    for wrong, hint in hints:
        no_slip(found != wrong or wrong == right, hint)
    no_slip(
        right != found[: len(right)] or EOS not in found,
        "There is more after the <eos>: leave the loop there.",
    )
    expect(EOS not in found, "There is an <eos> inside the translation: leave the loop there.")
    agree = next(
        (i for i, (a, b) in enumerate(zip(found, right, strict=False)) if a != b),
        min(len(found), len(right)),
    )
    raise Hint(
        f"For the source {list(ids)} it writes {found}, but the likeliest words are "
        f"{right}: they part at word {agree + 1}. Is it the largest logit of the last row, "
        "and does the decoder read all words so far?"
    )


def beam_inputs() -> list[tuple[Tensor, Tensor, int]]:
    so_far = torch.tensor([-0.5, -2.0, -1.0])
    following = torch.tensor(
        [
            [4.0, 1.0, 3.8, -6.0, 0.5, 1.2, 0.2],
            [0.0, 1.0, 0.3, 5.5, 0.1, 0.7, 0.4],
            [1.0, 0.2, 0.6, 1.4, 0.3, 2.1, 1.8],
        ]
    ).log_softmax(-1)
    turned = so_far.flip(0), following.flip(0), 3  # the best branches aren't the first ones
    return [*((so_far, following, k) for k in (1, 2, 3)), turned]


Choice = tuple[Tensor, Tensor, Tensor]


def three_tensors(found: Any) -> Choice:
    wanted = "Return three tensors: branches, words, sums."
    expect(isinstance(found, tuple | list) and len(found) == 3, wanted)
    try:
        branches, words, sums = (torch.as_tensor(part) for part in found)
    except (TypeError, ValueError, RuntimeError):
        raise Hint(wanted) from None
    return branches, words, sums


def best_of(numbers: Tensor, k: int, largest: bool = True, each: int = 0) -> Choice:
    """The k best of (beam, vocab_size) numbers: branches, words and the numbers.

    each: how many places a branch takes in the flat row, if that isn't vocab_size.
    """
    values, index = numbers.flatten().topk(k, largest=largest)
    each = each or numbers.size(1)
    return index // each, index % each, values


def best_by_branch(so_far: Tensor, following: Tensor, k: int) -> Choice:
    values, words = (so_far[:, None] + following).max(dim=1)
    sums, rows = values.topk(k)
    return rows, words[rows], sums


def best_of_each_branch(so_far: Tensor, following: Tensor, k: int) -> Choice:
    sums, words = (so_far[:, None] + following).topk(k, dim=1)
    return torch.arange(len(so_far))[:, None].expand(-1, k), words, sums


def right_step(so_far: Tensor, following: Tensor, k: int) -> Choice:
    return best_of(so_far[:, None] + following, k)


def changed(change: Callable[[Tensor, Tensor, Tensor, Tensor], Any]) -> Callable[..., Any]:
    """The right step, with something else made of branches, words, sums and `following`."""
    return lambda so_far, following, k: change(*right_step(so_far, following, k), following)


def tell_steps_apart(found: Sequence[Choice], right: Sequence[Choice]) -> None:
    """Mistakes in how many there are, and in branches and words, whatever the sums are."""
    steps = beam_inputs()
    sizes = [{part.numel() for part in choice} for choice in found]
    no_slip(sizes != [{k * len(so_far)} for so_far, _, k in steps], OF_EACH)
    no_slip(sizes != [{len(so_far)} for so_far, _, _ in steps], AS_MANY)
    for (_, _, k), choice in zip(steps, found, strict=True):
        shapes = [tuple(part.shape) for part in choice]
        expect(
            set(shapes) == {(k,)},
            f"Each of the three should have {k} numbers for k={k}, but the shapes are {shapes[0]}, "
            f"{shapes[1]} and {shapes[2]}.",
        )
        no_slip(all(same(places, places.long()) for places in choice[:2]), WHOLE_NUMBERS)

    def places(choices: Sequence[Any]) -> list[Any]:
        return [choice and choice[:2] for choice in choices]

    def pairs(choices: Sequence[Choice]) -> list[list]:
        return [sorted(zip(*map(Tensor.tolist, choice[:2]), strict=True)) for choice in choices]

    if not alike(places(found), places(right)):
        for hint, ways in my_beam_step.slips.items():
            no_slip(not any(alike(places(found), places(answer(way, steps))) for way in ways), hint)
        no_slip(pairs(found) != pairs(right), UNORDERED)
    for (_, _, k), choice, wanted in zip(steps, found, right, strict=True):
        branches, words, sums = (part.tolist() for part in wanted)
        expect(
            alike(choice[:2], wanted[:2]),
            f"For k={k} the best are the words {words} after the branches {branches}, but yours "
            f"are {choice[1].tolist()} after {choice[0].tolist()}.",
        )
        expect(
            same(choice[2], wanted[2]),
            "The right branches and words, but their sums should be "
            f"{[round(x, 2) for x in sums]}.",
        )


COLUMN = (
    "The sums belong to the branches, the rows of `following`: make them a column, "
    "so_far[:, None], before you add."
)
TOO_FEW = "You look for the k best in too few numbers. Flatten all branches into one row first."
OF_EACH = (
    "You keep the k best of each branch, so there are more branches after each word. Keep the k "
    "best of all branches together."
)
AS_MANY = "You keep as many as there are branches. How many are wanted is k."
WHOLE_NUMBERS = (
    "A branch and a word are whole numbers: `//` divides without a remainder, `/` doesn't."
)
UNORDERED = "The right ones in the wrong order: best first."
my_beam_step = Exercise(
    "my_beam_step",
    "Exercise 3: so_far (beam,), following (beam, vocab_size), k -> branches, words, sums (k,).",
    inputs=beam_inputs,
    right=[right_step],
    read=three_tensors,
    unlike=tell_steps_apart,
    errors={"must match the size": COLUMN, "selected index k out of range": TOO_FEW},
    slips={
        "The right three, in another order: return branches, words, sums.": [
            changed(lambda *parts, order=order: tuple(parts[i] for i in order))
            for order in ((0, 2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0))
        ],
        COLUMN: [lambda so_far, following, k: best_of(so_far + following, k)],
        TOO_FEW: [lambda so_far, following, k: best_by_branch(so_far, following, 4)],
        OF_EACH: [best_of_each_branch],
        AS_MANY: [lambda so_far, following, k: right_step(so_far, following, len(so_far))],
        WHOLE_NUMBERS: [
            changed(lambda branches, words, sums, following: (branches + words / 7, words, sums))
        ],
        "Branches and words are exchanged.": [
            changed(lambda branches, words, sums, _: (words, branches, sums))
        ],
        "You divide by the number of branches. In the flat row each branch takes as many places as "
        "there are words: divide by following.size(1).": [
            lambda so_far, following, k: best_of(so_far[:, None] + following, k, each=len(so_far))
        ],
        "Those are the worst. A log-probability nearer to 0 is better.": [
            lambda so_far, following, k: best_of(so_far[:, None] + following, k, largest=False)
        ],
        "You compare only the new words. Each branch already has a sum: add so_far.": [
            lambda so_far, following, k: best_of(following, k)
        ],
        "Log-probabilities are added, not multiplied.": [
            lambda so_far, following, k: best_of(so_far[:, None] * following, k)
        ],
        "You add probabilities. Add their logarithms.": [
            lambda so_far, following, k: best_of(so_far[:, None].exp() + following.exp(), k)
        ],
        "You take one word from each branch. Two good ones may come from the same branch.": [
            best_by_branch
        ],
        "You look at what follows the first branch only.": [
            lambda so_far, following, k: right_step(so_far[:1], following[:1], k)
        ],
        UNORDERED: [changed(lambda *parts: [part.flip(0) for part in parts[:3]])],
        "The right words, but the sums are those of the last word alone. Add what the branch had "
        "so far.": [
            changed(
                lambda branches, words, sums, following: (
                    branches,
                    words,
                    following[branches, words],
                )
            )
        ],
        "The right words, but as probabilities. Keep the logarithms: the next step adds to them.": [
            changed(lambda branches, words, sums, _: (branches, words, sums.exp()))
        ],
    },
)


FOUND = (
    Hypothesis([4, 5], -2.0, 0.0, True),
    Hypothesis([4, 5, 6, 7, 8, 9, 10], -2.9, 0.0, True),
    Hypothesis([6], -1.93, 0.0, True),
    Hypothesis([5, 5, 5, 5, 5, 5, 5, 5, 5], -1.7, 0.0, False),
    Hypothesis([9, 9, 9, 9, 9, 9, 9, 9, 8, 4, 4], -4.6, 0.0, True),
)
ALPHAS = (0.0, 0.2, 0.6, 0.75, 1.0, 1.4, 2.0)


def chooser(
    score: Callable[[Hypothesis, float], float],
    finished_first: bool = True,
) -> Callable[[Sequence[Hypothesis], float], Hypothesis]:
    """The hypothesis with the largest score."""
    return lambda found, alpha: max(
        found, key=lambda one: (finished_first and one.finished, score(one, alpha))
    )


def words_of(one: Hypothesis) -> int:
    return len(one.ids) + one.finished


def score(one: Hypothesis, alpha: float) -> float:
    return one.log_prob / penalty(words_of(one), alpha)


CHOICES = {
    "The <eos> counts as a word of a finished hypothesis.": (
        chooser(lambda one, alpha: one.log_prob / penalty(len(one.ids), alpha))
    ),
    "Only a finished hypothesis has an <eos> that counts as a word.": (
        chooser(lambda one, alpha: one.log_prob / penalty(len(one.ids) + 1, alpha))
    ),
    "You always take the first. The `score` of each is still 0 here: work it out, from its "
    "log_prob, its length and alpha.": chooser(lambda one, alpha: one.score),
    "One that was cut off comes first. It hasn't paid for the rest of its words: all finished ones "
    "come before it, however likely it is.": chooser(score, finished_first=False),
    "You choose the worst. The best score is the largest, the one nearest to 0.": (
        lambda found, alpha: min(found, key=lambda one: (not one.finished, score(one, alpha)))
    ),
    "You compare the sums as they are, and ignore alpha. Divide by the length penalty.": (
        chooser(lambda one, alpha: one.log_prob)
    ),
    "You multiply by the penalty. Log-probabilities are negative: dividing them brings a long "
    "sentence nearer to 0.": chooser(
        lambda one, alpha: one.log_prob * penalty(words_of(one), alpha)
    ),
    "You divide by the length to the power of alpha. In the formula it is ((5 + |Y|) / 6).": (
        chooser(lambda one, alpha: one.log_prob / words_of(one) ** alpha)
    ),
    "You divide by (5 + |Y|) / 6, but without the power of alpha.": (
        chooser(lambda one, alpha: one.log_prob / penalty(words_of(one), 1.0))
    ),
    "alpha is handed in, it isn't always 0.6.": chooser(lambda one, alpha: score(one, 0.6)),
    "The longest isn't the best: the score is what counts.": (
        lambda found, alpha: max(found, key=lambda one: (one.finished, len(one.ids)))
    ),
}


@implement(lambda: (list(FOUND[:1]), 1.0))
def my_choice(function: Callable[[Sequence[Hypothesis], float], Hypothesis]) -> None:
    """Exercise 4: (hypotheses, alpha) -> the best one under the length penalty."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    # one for <eos> more or less decides here
    close_call = [Hypothesis([4], -1.0, 0.0, True), Hypothesis([4, 5, 6, 7, 8], -1.6, 0.0, True)]
    likely = [Hypothesis([4, 5], -2.0, 0.0, True), Hypothesis([4] * 7, -1.9, 0.0, True)]
    cases = [(list(FOUND), alpha) for alpha in ALPHAS]
    cases += [(list(FOUND[::-1]), 0.6), (close_call, 1.0), (likely, 1.0)]
    explain_choice(cases, [ask(function, found, alpha) for found, alpha in cases])

    cut = [Hypothesis([5, 6], -1.2, 0.0, False), Hypothesis([5, 7], -1.0, 0.0, False)]
    longer = [Hypothesis([5], -1.0, 0.0, False), Hypothesis([5, 6, 7], -1.3, 0.0, False)]
    cases = [(cut, 0.6), (longer, 1.0)]
    try:
        answers = [ask(function, found, alpha) for found, alpha in cases]
    except Hint:
        raise Hint(
            "Right where there are finished hypotheses. But all of them may have been cut "
            "off: then it is the best of those.",
            keeps=0.5,
        ) from None
    explain_choice(cases, answers)


def explain_choice(
    cases: Sequence[tuple[list[Hypothesis], float]], answers: Sequence[Hypothesis]
) -> None:
    """Nothing, where each is the best of its (hypotheses, alpha); otherwise a hint."""

    def made_by(choice: Callable) -> bool:
        return all(
            chosen == choice(found, alpha)
            for chosen, (found, alpha) in zip(answers, cases, strict=True)
        )

    if made_by(chooser(score)):
        return
    for hint, choice in CHOICES.items():
        (expect if "always take" in hint else no_slip)(not made_by(choice), hint)
    for chosen, (found, alpha) in zip(answers, cases, strict=True):
        expect(
            chosen.finished or not any(one.finished for one in found),
            f"With alpha={alpha} you choose {summary(chosen)}, although others are finished. All "
            "finished ones come before it. Then look at the scores again.",
        )
    for chosen, (found, alpha) in zip(answers, cases, strict=True):
        best = chooser(score)(found, alpha)
        expect(
            chosen == best,
            f"With alpha={alpha} you choose {summary(chosen)}. The best is {summary(best)}.",
        )


def summary(one: Hypothesis) -> str:
    size = len(one.ids)
    end = "" if one.finished else ", cut off"
    return f"the one with {size} word{'s' * (size != 1)} and {one.log_prob}{end}"


def ask(function: Callable, found: list[Hypothesis], alpha: float) -> Hypothesis:
    try:
        given = function(list(found), alpha)
    except Exception as error:
        expect(
            type(error).__name__ != "FrozenInstanceError",
            "A hypothesis can't be changed, so its score can't be written into it: keep the score "
            "in a variable of your own.",
        )
        raise Hint(f"It stops with {reason_of(error)}.") from None
    expect(given is not None, "It returns nothing: does it end with `return`?")
    chosen = [one for one in found if same_choice(given, one)]
    expect(
        bool(chosen),
        "Return one of the hypotheses, as it is: not its ids, its score or its place in the list.",
    )
    return chosen[0]


def same_choice(given: Any, one: Hypothesis) -> bool:
    """Is it this one, whatever was noted down as its score, and whatever it is called?"""
    given = as_hypothesis(given)
    return isinstance(given, Hypothesis) and given == dataclasses.replace(one, score=given.score)


# --- the search, or the model? -------------------------------------------------------------------

AT_FAULT = 100  # sentences of `longer` that the exercise asks about


@exercise
def whose_fault(wrong: Any, likelier: Any) -> None:
    """Exercise 2: how many translations are wrong, and where the right one is the likelier."""
    wanted = f"Two whole numbers from 0 to {AT_FAULT}: how many are wrong, then the part of them."
    wrong, likelier = (whole_number(number, wanted) for number in (wrong, likelier))
    expect(0 <= likelier <= AT_FAULT and 0 <= wrong <= AT_FAULT, wanted)
    differences = right_against_written()
    false = len(differences)
    searched = sum(difference > 0 for difference in differences)
    no_slip(wrong != AT_FAULT - false, "That many are right. How many are wrong?")
    expect(
        wrong == false,
        f"Not {wrong} wrong: translate the first {AT_FAULT} with `translator.translate`, and "
        "compare letter by letter.",
    )
    no_slip(
        likelier != false - searched,
        "For that many of them the model finds its own translation likelier, so no search could "
        "help. Count the others.",
    )
    expect(
        likelier == searched,
        "Compare two numbers for each wrong sentence, of the right translation and of the model's "
        "own. Log-probabilities are negative: nearer to 0 is likelier.",
    )


@functools.cache
def right_against_written() -> tuple[float, ...]:
    """For each sentence that greedy gets wrong: how much likelier the right translation is."""
    from course.chapters.ch11_decoding.experiments import log_prob_of

    pairs = english_spanish.load("longer")[:AT_FAULT]
    written = [one.text for one in shipped().translate([english for english, _ in pairs])]
    return tuple(
        log_prob_of(shipped(), english, spanish) - log_prob_of(shipped(), english, ours)
        for (english, spanish), ours in zip(pairs, written, strict=True)
        if ours != spanish
    )
