"""Assignment 10: a judge's lessons, the worth of a feature, and a state that corrects itself."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.checks import (
    Hint,
    a_kind,
    alike,
    call,
    compare,
    exercise,
    expect,
    implement,
    in_a_row,
    no_slip,
    numbers_in,
    one_number,
    own_work,
    parts_right,
    result_of,
)
from course.grammar.recognition import could_write
from transformer_lib.text import english_spanish


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# --- a group by hand -----------------------------------------------------------------------------


@exercise
def group_by_hand(guess: Any) -> None:
    """One right of five, four right of five, five right of five: 2, -0.5, -2 and 0."""
    wanted = "Give a list of four numbers, an advantage each."
    one, others, wrong, all_right = (round(x, 3) for x in numbers_in(in_a_row(guess), 4, wanted))
    all_right = "0 / 0" if math.isnan(all_right) else all_right
    spread = "The group's standard deviation divides by the number of answers: 5, not 4."
    square = "Divide by the standard deviation, not by its square."
    far = "That is how far it is from the mean. Divide by the standard deviation."
    parts_right(
        (
            "the right one",
            one,
            2,
            {
                0.8: far,
                1.789: spread,
                5: square,
                1: "That is the reward. What is it worth compared with the others?",
                2.5: "The mean is still in it.",
                -2: "The sign: it is better than its group.",
            },
        ),
        (
            "each wrong one",
            others,
            -0.5,
            {
                -0.2: far,
                -0.447: spread,
                -1.25: square,
                0: "A reward of 0 is less than the mean of this group.",
                0.5: "The sign: it is worse than its group.",
            },
        ),
        (
            "the only wrong one",
            wrong,
            -2,
            {
                -0.8: far,
                -1.789: spread,
                -5: square,
                0: "A reward of 0 is less than the mean of this group.",
                2: "The sign: it is worse than its group.",
                -0.5: "In the first group four were wrong. Here it is alone.",
            },
        ),
        (
            "where all are right",
            all_right,
            0,
            {
                1: "Is any of them better than its group?",
                2: "Is any of them better than its group?",
                "0 / 0": "A tiny number is added to what you divide by. What is 0 divided by that?",
            },
        ),
    )


# --- the loss of the lessons ---------------------------------------------------------------------

CLIP, BETA = 0.2, 0.3


def loss_inputs(
    sentences: int = 3, words: int = 4, clip: float = CLIP, beta: float = BETA, seed: int = 17
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, float, float]:
    """new, old, start (b, t): log p; advantage (b), spoken (b, t), clip, beta."""
    new = -drawn(sentences, words, seed=seed).abs() - 0.1
    old, start = (new + drawn(*new.shape, seed=seed + i) / 2 for i in (1, 2))
    lengths = torch.tensor([words - i % words for i in range(sentences)])
    spoken = torch.arange(words) < lengths[:, None]
    return new, old, start, drawn(sentences, seed=seed + 3) + 0.1, spoken, clip, beta


def lesson(
    new: Tensor,
    old: Tensor,
    start: Tensor,
    advantage: Tensor,
    spoken: Tensor,
    clip: float,
    beta: float,
) -> Tensor:
    """What my_loss should return: PPO's clipped loss and beta times k3, of whole sentences."""
    return in_words(clipped(new - old, advantage[:, None], clip), k3(start - new), spoken, beta)


def clipped(
    log_ratio: Tensor, gain: Tensor, clip: float, choose: Callable = torch.minimum
) -> Tensor:
    ratio = log_ratio.exp()
    return choose(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)


def k3(log_s: Tensor) -> Tensor:
    return log_s.exp() - 1 - log_s


def in_words(gained: Tensor, left: Tensor, spoken: Tensor, beta: float) -> Tensor:
    return ((beta * left - gained) * spoken).sum(dim=1).mean()


@implement(loss_inputs)
def my_loss(function: Callable[..., Any]) -> None:
    """Exercise: new, old, start, advantage, spoken, clip, beta -> one number, to be made small."""
    own_work(function, "policy_loss", "k3", "lesson")
    new, old, start, advantage, spoken, clip, beta = given = loss_inputs()
    a_column = "An advantage belongs to a sentence, so it is a column: advantage[:, None]."
    stops = {"tensor a (4) must match the size of tensor b (3)": a_column}
    found = result_of(function, *given, stops=stops)
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")
    gain, right = advantage[:, None], lesson(*given)
    gained, left = clipped(new - old, gain, clip), k3(start - new)
    whole = (beta * left - gained) * spoken
    ratio, log_s = (new - old).exp(), start - new
    free, narrow = ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain
    greedy = clipped(new - old, gain, clip, torch.maximum)
    capped = torch.minimum(free, ratio.clamp(max=1 + clip) * gain)
    around_0 = torch.minimum(free, ratio.clamp(-clip, clip) * gain)
    of_logs = torch.minimum((new - old) * gain, (new - old).clamp(1 - clip, 1 + clip) * gain)
    for wrong, hint in (
        (-right, "The sign: it is made small, so what is gained has a minus, and the KL a plus."),
        (in_words(-gained, left, spoken, beta), "What is gained should make the loss smaller."),
        (in_words(gained, -left, spoken, beta), "To be far from the start should cost something."),
        (in_words(gained, left, spoken, 0.0), "The KL penalty is missing."),
        (in_words(gained, left, spoken, 1.0), "The KL penalty is multiplied by beta."),
        (in_words(gained * 0, left, spoken, beta), "That is the KL penalty alone."),
        (in_words(free, left, spoken, beta), "The clip is missing."),
        (
            in_words(narrow, left, spoken, beta),
            "Only what is clipped counts there. The smaller of the two should: a word that went "
            "the wrong way is always pushed back.",
        ),
        (in_words(greedy, left, spoken, beta), "The smaller of the two counts, not the larger."),
        (in_words(capped, left, spoken, beta), "The ratio is clipped below as well, at 1 - clip."),
        (in_words(around_0, left, spoken, beta), "It is clipped to 1 - clip and 1 + clip."),
        (
            in_words(of_logs, left, spoken, beta),
            "new - old is the logarithm of the ratio; its exp is the ratio.",
        ),
        (
            in_words(clipped(old - new, gain, clip), left, spoken, beta),
            "The ratio is p_new / p_old, and its logarithm new - old.",
        ),
        (
            in_words(clipped(start - old, gain, clip), left, spoken, beta),
            "The ratio is that of new and old; the start belongs to the penalty.",
        ),
        (
            in_words(clipped(new - start, gain, clip), left, spoken, beta),
            "The ratio is that of new and old; the start belongs to the penalty.",
        ),
        (in_words(gained, k3(-log_s), spoken, beta), "k3 wants s = p_start / p_new."),
        (in_words(gained, k3(old - new), spoken, beta), "The penalty is for leaving the start."),
        (in_words(gained, -log_s, spoken, beta), "That penalty is ln(p_new / p_start), not k3."),
        (in_words(gained, log_s.exp() - log_s, spoken, beta), "k3 has a -1: it is 0 at s = 1."),
        ((beta * left - gained).sum(dim=1).mean(), "Padding is counted: only words are spoken."),
        (
            (beta * left * spoken - torch.where(spoken, gained, gain)).sum(dim=1).mean(),
            "Where there is padding you make the logarithms 0. That is a ratio of 1, so it still "
            "counts: leave padding out of the sum instead.",
        ),
        (whole.sum(), "Add up over the words, then take the *mean* over the sentences."),
        (whole.sum() / spoken.sum(), "That is the mean over all words: add up over a sentence's."),
        (
            (whole.sum(dim=1) / spoken.sum(dim=1)).mean(),
            "That is the mean over the words of a sentence. Here they are added up.",
        ),
        (whole.mean(), "That is the mean over all places, padding too."),
    ):
        no_slip(not alike(found, wrong.item()), hint)
    expect(
        alike(found, right.item()),
        f"Not {found:.4f}, but {right.item():.4f}: of each word beta · k3 minus the smaller of the "
        "two products, added up over the words that were spoken; then the mean of the sentences.",
    )


# --- two mistakes of a judge ---------------------------------------------------------------------

FIRST, MOST_WORDS = 4, 20


@cache
def beginnings() -> frozenset[str]:
    """The first words of all English sentences that our translator has learned from."""
    return frozenset(begin(english) for english, _ in english_spanish.load("train"))


def begin(text: str) -> str:
    return " ".join(text.split()[:FIRST])


def hasty(text: str) -> bool:
    """A judge with a hole: it looks at the first four words and no further."""
    return begin(text) in beginnings()


judge = cache(could_write)  # the grammar's own verdict


def as_written(text: str) -> str:
    """The sentence in the corpus's spelling: how it was typed is no mistake, and saves none."""
    text = " ".join(text.replace("’", "'").split()).rstrip(" .")
    return text[:1].upper() + text[1:]


@exercise
def two_mistakes(guess: Any) -> None:
    """Explore: a wrong sentence that the hasty judge lets pass, and a right one that it refuses."""
    wanted = "Give two sentences: (the one that it lets pass, the one that it refuses)."
    expect(isinstance(guess, list | tuple) and len(guess) == 2, wanted)
    expect(all(isinstance(text, str) and text.strip() for text in guess), wanted)
    expect(
        all(len(text.split()) <= MOST_WORDS for text in guess),
        f"At most {MOST_WORDS} words each: the grammar takes its time.",
    )
    passed, refused = texts = [as_written(text) for text in guess]
    verdicts = [(hasty(text), judge(text)) for text in texts]
    mistaken = verdicts[0] == (True, False), verdicts[1] == (False, True)
    no_slip(
        verdicts != [(False, True), (True, False)],
        "Those are two mistakes: first the wrong one that passes, then the right one.",
    )
    if not mistaken[0]:
        hint = f"The hasty judge refuses “{passed}”. How do sentences of the training text begin?"
        if verdicts[0][0]:
            hint = f"“{passed}” passes, and the grammar could write it: that is no mistake."
        raise Hint(hint, keeps=0.5 if mistaken[1] else 0.0)
    if not mistaken[1]:
        hint = f"The grammar couldn't write “{refused}”, so it is refused rightly."
        if verdicts[1][0]:
            hint = f"The hasty judge lets “{refused}” pass: it knows how that begins."
        raise Hint(hint, keeps=0.5)


# --- how good is a feature -----------------------------------------------------------------------


def ranking_inputs() -> tuple[Tensor, Tensor]:
    """The activations of a feature on eight words, and whether each has the property."""
    scores = torch.tensor([0.2, 3.1, 0.9, 2.4, 1.7, 0.4, 2.9, 1.2])
    return scores, torch.tensor([0, 1, 0, 0, 1, 0, 1, 0]).bool()


def average_precision(scores: Tensor, true: Tensor) -> float:
    """What my_average_precision should return, where no two scores are alike."""
    return in_this_order(true[scores.argsort(descending=True)])


def in_this_order(hits: Tensor) -> float:
    hits = hits.float()
    return (precision_at(hits) * hits).sum().item() / hits.sum().item()


def precision_at(hits: Tensor) -> Tensor:
    return hits.float().cumsum(dim=0) / torch.arange(1, len(hits) + 1)


@implement(ranking_inputs)
def my_average_precision(function: Callable[[Tensor, Tensor], Any]) -> None:
    """Exercise: scores (n) and true (n), boolean -> average precision, one number."""
    own_work(function, "average_precision", "average_precision_score", "in_this_order")
    scores, true = given = ranking_inputs()
    found = result_of(function, *given)
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")
    hits = true[scores.argsort(descending=True)].float()
    precision, many = precision_at(hits), int(true.sum())
    places = hits.nonzero()[:, 0]
    for wrong, hint in (
        (in_this_order(hits.flip(0)), "The highest scores come first."),
        (in_this_order(true), "The words are still in the order of the text: sort by the score."),
        (1 - in_this_order(~hits.bool()), "Which ones have the property? Those are counted."),
        (in_this_order(~hits.bool()), "Which ones have the property? Those are counted."),
        (
            precision[true].mean().item(),
            "`true` is in the order of the text, and your shares in that of the scores: sort both.",
        ),
        (precision.mean().item(), "The precision is taken at the words with the property alone."),
        (
            (precision * hits).sum().item() / len(hits),
            "Divide by the number of words with the property, not of all.",
        ),
        ((precision * hits).sum().item(), "Those are added up: take the mean."),
        (true.float().mean().item(), "That is the share of words that have the property."),
        (
            precision[many - 1].item(),
            "At each word that has the property the precision is asked for: of the words up to "
            "there, which share has it?",
        ),
        (
            (1 / (places + 1)).mean().item(),
            "How many of the words *up to this place* have the property? You count only one.",
        ),
        (
            (hits[:-1].cumsum(dim=0) / torch.arange(1, len(hits)) * hits[1:]).sum().item() / many,
            "Up to this place means that the word itself counts, too.",
        ),
        (
            (precision * hits).sum().item() / precision.sum().item(),
            "Divide by the number of words with the property.",
        ),
    ):
        no_slip(not alike(found, wrong), hint)
    right = average_precision(scores, true)
    no_slip(not alike(found, 100 * right), "A share, between 0 and 1, not percent.")
    expect(
        alike(found, right),
        f"Not {found:.4f}, but {right:.4f}: sort, and at each word that has the property ask which "
        "share of the words up to it has it.",
    )


# --- a cache or a state --------------------------------------------------------------------------

LAYERS, HEADS, SIZE, WORDS, KEPT = 12, 8, 64, 10_000, 3


@exercise
def sizes_by_hand(guess: Any) -> None:
    """12 layers of 8 heads, 64 numbers each: 12,288, 393,216, 33 words and 31,014,912."""
    wanted = "Give a list of four whole numbers."
    of_a_word, states, words, both = numbers_in(in_a_row(guess), 4, wanted)
    cache_of_a_layer, state_of_a_layer = 2 * HEADS * SIZE, HEADS * SIZE**2
    cached, others = KEPT * cache_of_a_layer * WORDS, LAYERS - KEPT
    parts_right(
        (
            "a word in the cache",
            of_a_word,
            LAYERS * cache_of_a_layer,
            {
                LAYERS * cache_of_a_layer // 2: "It keeps a key *and* a value.",
                cache_of_a_layer: "That is one layer.",
                2 * LAYERS * SIZE: "That is one head of each layer.",
                2 * SIZE: "That is one head of one layer.",
            },
        ),
        (
            "the states",
            states,
            LAYERS * state_of_a_layer,
            {
                2 * LAYERS * state_of_a_layer: "A state has one matrix for a head, from keys to "
                "values.",
                state_of_a_layer: "That is one layer.",
                LAYERS * SIZE**2: "That is one head of each layer.",
                LAYERS * (HEADS * SIZE) ** 2: "Each head has a matrix of its own, 64 × 64.",
                LAYERS * HEADS * SIZE: "The state of a head is a matrix.",
            },
        ),
        (
            "after how many words",
            words,
            SIZE // 2 + 1,
            {
                SIZE // 2: "With 32 words both are equally large. After how many is it larger?",
                SIZE: "A word brings a key and a value.",
                SIZE + 1: "A word brings a key and a value.",
            },
        ),
        (
            "three layers of attention",
            both,
            cached + others * state_of_a_layer,
            {
                cached: "The other nine layers have a state, too.",
                LAYERS * cache_of_a_layer * WORDS: "Only three layers have a cache.",
                cached + LAYERS * state_of_a_layer: "Three layers have a cache and no state.",
                others * cache_of_a_layer * WORDS + KEPT * state_of_a_layer: "Those are nine "
                "layers of attention and three states.",
                cached + others * state_of_a_layer * WORDS: "A state doesn't grow with the words.",
                cached // 2 + others * state_of_a_layer: "The cache keeps a key and a value.",
            },
        ),
    )


# --- a state that corrects itself ----------------------------------------------------------------


def delta_inputs(
    words: int = 5, n: int = 3, p: int = 2, seed: int = 0
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """q, k (t, n), keys of length 1, v (t, p), beta (t), between 0 and 1."""
    q, k = drawn(words, n, seed=seed), F.normalize(drawn(words, n, seed=seed + 1), dim=1)
    return q, k, drawn(words, p, seed=seed + 2), drawn(words, seed=seed + 3).sigmoid()


Step = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


def word_by_word(step: Step, given: Sequence[Tensor]) -> Tensor:
    """(t, p): what each word reads. step: S, q, k, v, beta -> what is read, the new S."""
    _, k, v, _ = given
    S, found = torch.zeros(k.size(1), v.size(1)), []
    for one in zip(*given, strict=True):
        y, S = step(S, *one)
        found.append(y)
    return torch.stack(found)


def after(change: Callable[..., Tensor]) -> Step:
    """A step that adds `change`, then reads."""

    def step(S: Tensor, q: Tensor, *given: Tensor) -> tuple[Tensor, Tensor]:
        S = S + change(S, *given)
        return q @ S, S

    return step


def correction(S: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    return beta * torch.outer(k, v - k @ S)


def delta(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    """What my_delta should return."""
    return word_by_word(after(correction), (q, k, v, beta))


def summed(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    """The same without a correction: what is added under a key is added."""
    return word_by_word(after(lambda S, k, v, beta: beta * torch.outer(k, v)), (q, k, v, beta))


@implement(delta_inputs)
def my_delta(function: Callable[..., Tensor]) -> None:
    """Exercise: q, k (t, n), v (t, p), beta (t) -> what each word reads, (t, p)."""
    own_work(function, "delta", "summed", "word_by_word", "sum_of_pairs", "read")
    q, k, v, beta = given = delta_inputs()
    axes = "S is (n, p): a row for each number of the key, a column for each of the value."
    found = call(function, *given, stops={"tensor a (2) must match the size of tensor b (3)": axes})

    def before(S: Tensor, q: Tensor, *one: Tensor) -> tuple[Tensor, Tensor]:
        return q @ S, S + correction(S, *one)

    def by_key(S: Tensor, q: Tensor, k: Tensor, *one: Tensor) -> tuple[Tensor, Tensor]:
        S = S + correction(S, k, *one)
        return k @ S, S

    def asked(S: Tensor, q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        S = S + beta * torch.outer(k, v - q @ S)
        return q @ S, S

    def by_query(S: Tensor, q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        S = S + beta * torch.outer(q, v - k @ S)
        return q @ S, S

    def only_new(S: Tensor, q: Tensor, *one: Tensor) -> tuple[Tensor, Tensor]:
        S = correction(S, *one)
        return q @ S, S

    mistakes = [
        (summed(*given), "Nothing is corrected: subtract what the state already has for this key."),
        (
            word_by_word(after(lambda S, k, v, b: torch.outer(k, v - k @ S)), given),
            "beta is missing: which share of the difference is corrected?",
        ),
        (
            word_by_word(after(lambda S, k, v, b: torch.outer(k, b * v - k @ S)), given),
            "beta is for the whole difference, not for v alone.",
        ),
        (
            word_by_word(after(lambda S, k, v, b: torch.outer(k, v - b * (k @ S))), given),
            "beta is for the whole difference, not for what was read alone.",
        ),
        (
            word_by_word(after(lambda S, k, v, b: b * torch.outer(k, v + k @ S)), given),
            "What the state has for this key is subtracted.",
        ),
        (
            word_by_word(after(lambda S, *one: -correction(S, *one)), given),
            "The sign: afterwards the state should be nearer to v than before.",
        ),
        (
            word_by_word(after(lambda S, k, v, b: b * (torch.outer(k, v) - S)), given),
            "That forgets everything. Only what is under *this* key should change.",
        ),
        (word_by_word(before, given), "You read before you wrote: word t sees itself, too."),
        (word_by_word(by_key, given), "The query reads, not the key."),
        (word_by_word(asked, given), "What stands under the *key* is corrected, not the query's."),
        (word_by_word(by_query, given), "The query only reads: what is missing goes to the *key*."),
        (word_by_word(only_new, given), "The old state is gone: the correction is added to it."),
        (delta(*given)[-1:], "That is the last word alone: return what each of them reads."),
        (delta(*given)[-1], "That is the last word alone: return what each of them reads."),
        (delta(*given).T, "The axes are swapped: a row for each word."),
    ]
    compare(found, delta(*given), mistakes)


def read_back(
    rule: Callable[..., Tensor], size: int = 32, keys: int = 8, again: int = 4, draws: int = 50
) -> tuple[float, float]:
    """Pairs are written, and the first `again` keys a second time with other values. Then all keys
    are asked. The share of values that are found: of keys written twice the newer one, and of keys
    written once.

    A value is found if what is read is nearest to it among all that were written.
    """
    found = torch.zeros(keys)
    for seed in range(draws):
        k = F.normalize(drawn(keys, size, seed=seed), dim=1)
        k = torch.cat([k, k[:again]])
        v = F.normalize(drawn(len(k), size, seed=1000 + seed), dim=1)
        newest = torch.arange(keys) + keys * (torch.arange(keys) < again)
        asked = torch.cat([k, k[:keys]])  # afterwards each key is asked, and nothing written
        beta = torch.cat([torch.ones(len(k)), torch.zeros(keys)])
        read = rule(asked, asked, torch.cat([v, v[:keys]]), beta)[-keys:]
        found += (read @ v.T).argmax(dim=1) == newest
    return found[:again].mean().item() / draws, found[again:].mean().item() / draws
