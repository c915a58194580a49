"""Assignment 10: a judge's lessons, the worth of a feature, and a state that corrects itself."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.chapters.ch19_judge import policy
from course.chapters.ch20_features import measures
from course.checks import Exercise, Hint, Value, Values, a_number, drawn, exercise, expect, no_slip
from course.grammar.recognition import could_write
from transformer_lib.text import english_spanish

# --- a group by hand -----------------------------------------------------------------------------


def an_advantage(x: float) -> float:
    return round(x, 3)


def not_0_by_0(x: float) -> None:
    no_slip(
        not math.isnan(x),
        "A tiny number is added to what you divide by. What is 0 divided by that?",
    )


SPREAD = "The group's standard deviation divides by the number of answers: 5, not 4."
SQUARE = "Divide by the standard deviation, not by its square."
FAR = "That is how far it is from the mean. Divide by the standard deviation."
NOTHING = "A reward of 0 is less than the mean of this group."
WORSE = "The sign: it is worse than its group."
NO_BETTER = "Is any of them better than its group?"
group_by_hand = Values(
    "group_by_hand",
    "One right of five, four right of five, five right of five: 2, -0.5, -2 and 0.",
    Value(
        "the right one",
        read=an_advantage,
        right=2,
        slips={
            0.8: FAR,
            1.789: SPREAD,
            5: SQUARE,
            1: "That is the reward. What is it worth compared with the others?",
            2.5: "The mean is still in it.",
            -2: "The sign: it is better than its group.",
        },
    ),
    Value(
        "each wrong one",
        read=an_advantage,
        right=-0.5,
        slips={-0.2: FAR, -0.447: SPREAD, -1.25: SQUARE, 0: NOTHING, 0.5: WORSE},
    ),
    Value(
        "the only wrong one",
        read=an_advantage,
        right=-2,
        slips={
            -0.8: FAR,
            -1.789: SPREAD,
            -5: SQUARE,
            0: NOTHING,
            2: WORSE,
            -0.5: "In the first group four were wrong. Here it is alone.",
        },
    ),
    Value(
        "where all are right",
        read=an_advantage,
        right=0,
        slips={1: NO_BETTER, 2: NO_BETTER},
        unlike=not_0_by_0,
    ),
    as_list="Give a list of four numbers, an advantage each.",
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


def lesson(*given: Any) -> Tensor:
    """What my_loss should return: PPO's clipped loss and beta times k3, of whole sentences."""
    return losing()(*given)


Choose = Callable[[Tensor, Tensor], Tensor]  # of the free product and the clipped one


def clipped(
    choose: Choose = torch.minimum,
    log_ratio: Callable[..., Tensor] = lambda new, old, start: new - old,
    bounds: Callable[[float], tuple[float | None, float]] = lambda clip: (1 - clip, 1 + clip),
    ratio: Callable[[Tensor], Tensor] = torch.exp,
) -> Callable[..., Tensor]:
    """What each word gains; each option is a way to do it otherwise."""

    def run(new: Tensor, old: Tensor, start: Tensor, gain: Tensor, clip: float) -> Tensor:
        rho = ratio(log_ratio(new, old, start))
        return choose(rho * gain, rho.clamp(*bounds(clip)) * gain)

    return run


def estimate(log_s: Tensor) -> Tensor:
    return log_s.exp() - 1 - log_s


def whole(gained: Tensor, left: Tensor, spoken: Tensor, beta: float) -> Tensor:
    return ((beta * left - gained) * spoken).sum(dim=1).mean()


smaller = clipped()


def losing(
    gained: Callable[..., Tensor] = smaller,
    left: Callable[..., Tensor] = lambda new, old, start: estimate(start - new),
    result: Callable[..., Any] = whole,
) -> Callable[..., Any]:
    """The loss; each option is a way to do it otherwise."""

    def run(
        new: Tensor,
        old: Tensor,
        start: Tensor,
        advantage: Tensor,
        spoken: Tensor,
        clip: float,
        beta: float,
    ) -> Any:
        gain = advantage[:, None]
        return result(gained(new, old, start, gain, clip), left(new, old, start), spoken, beta)

    return run


def masked_before(
    new: Tensor, old: Tensor, start: Tensor, advantage: Tensor, spoken: Tensor, *rest: float
) -> Tensor:
    told = [x.masked_fill(~spoken, 0.0) for x in (new, old, start)]
    return losing()(*told, advantage, spoken | True, *rest)


def by_the_chapter(
    new: Tensor,
    old: Tensor,
    start: Tensor,
    advantage: Tensor,
    spoken: Tensor,
    clip: float,
    beta: float,
) -> Tensor:
    new, old, start = (x.masked_fill(~spoken, 0) for x in (new, old, start))
    gained = policy.policy_loss(new, old, advantage, clip)
    return gained + beta * policy.k3(new, start).sum(1).mean()


def is_another_loss(found: float, right: Tensor) -> None:
    raise Hint(
        f"Not {found:.4f}, but {right.item():.4f}: of each word beta · k3 minus the smaller of the "
        "two products, added up over the words that were spoken; then the mean of the sentences."
    )


COLUMN = "An advantage belongs to a sentence, so it is a column: advantage[:, None]."
my_loss = Exercise(
    "my_loss",
    "Exercise: new, old, start, advantage, spoken, clip, beta -> one number, to be made small.",
    inputs=loss_inputs,
    right=[losing()],
    not_allowed=("policy_loss", "k3", "lesson"),
    borrowed=[lesson, by_the_chapter],
    read=a_number,
    errors={"tensor a (4) must match the size of tensor b (3)": COLUMN},
    slips={
        COLUMN: [
            losing(
                lambda new, old, start, gain, clip: smaller(new, old, start, gain.flatten(), clip)
            )
        ],
        "The sign: it is made small, so what is gained has a minus, and the KL a plus.": [
            losing(result=lambda *given: -whole(*given))
        ],
        "What is gained should make the loss smaller.": [
            losing(result=lambda gained, *rest: whole(-gained, *rest))
        ],
        "To be far from the start should cost something.": [
            losing(left=lambda new, old, start: -estimate(start - new))
        ],
        "The KL penalty is missing.": [losing(left=lambda new, old, start: 0 * new)],
        "The KL penalty is multiplied by beta.": [
            losing(result=lambda gained, left, spoken, beta: whole(gained, left, spoken, 1.0))
        ],
        "That is the KL penalty alone.": [losing(clipped(lambda free, narrow: 0 * free))],
        "The clip is missing.": [losing(clipped(lambda free, narrow: free))],
        "Only what is clipped counts there. The smaller of the two should: a word that went the "
        "wrong way is always pushed back.": [losing(clipped(lambda free, narrow: narrow))],
        "The smaller of the two counts, not the larger.": [losing(clipped(torch.maximum))],
        "The ratio is clipped below as well, at 1 - clip.": [
            losing(clipped(bounds=lambda clip: (None, 1 + clip)))
        ],
        "It is clipped to 1 - clip and 1 + clip.": [
            losing(clipped(bounds=lambda clip: (-clip, clip)))
        ],
        "new - old is the logarithm of the ratio; its exp is the ratio.": [
            losing(clipped(ratio=lambda log_ratio: log_ratio))
        ],
        "The ratio is p_new / p_old, and its logarithm new - old.": [
            losing(clipped(log_ratio=lambda new, old, start: old - new))
        ],
        "The ratio is that of new and old; the start belongs to the penalty.": [
            losing(clipped(log_ratio=lambda new, old, start: start - old)),
            losing(clipped(log_ratio=lambda new, old, start: new - start)),
        ],
        "k3 wants s = p_start / p_new.": [
            losing(left=lambda new, old, start: estimate(new - start))
        ],
        "The penalty is for leaving the start.": [
            losing(left=lambda new, old, start: estimate(old - new))
        ],
        "That penalty is ln(p_new / p_start), not k3.": [
            losing(left=lambda new, old, start: new - start)
        ],
        "k3 has a -1: it is 0 at s = 1.": [
            losing(left=lambda new, old, start: estimate(start - new) + 1)
        ],
        "Padding is counted: only words are spoken.": [
            losing(
                result=lambda gained, left, spoken, beta: whole(gained, left, spoken | True, beta)
            )
        ],
        "Where there is padding you make the logarithms 0. That is a ratio of 1, so it still "
        "counts: leave padding out of the sum instead.": [masked_before],
        "Add up over the words, then take the *mean* over the sentences.": [
            losing(result=lambda gained, *rest: len(gained) * whole(gained, *rest))
        ],
        "That is the mean over all words: add up over a sentence's.": [
            losing(
                result=lambda gained, left, spoken, beta: (
                    ((beta * left - gained) * spoken).sum() / spoken.sum()
                )
            )
        ],
        "That is the mean over the words of a sentence. Here they are added up.": [
            losing(
                result=lambda gained, left, spoken, beta: whole(
                    gained, left, spoken / spoken.sum(dim=1, keepdim=True), beta
                )
            )
        ],
        "That is the mean over all places, padding too.": [
            losing(result=lambda gained, *rest: whole(gained, *rest) / gained.size(1))
        ],
    },
    unlike=is_another_loss,
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
    return ranked(at_hits)(scores, true)


def ranked(result: Callable[[Tensor], Any]) -> Callable[[Tensor, Tensor], float]:
    """Something of the hits, the word with the highest score first."""
    return lambda scores, true: float(result(true[scores.argsort(descending=True)].float()))


def share_up_to(hits: Tensor) -> Tensor:
    return hits.cumsum(dim=0) / torch.arange(1, len(hits) + 1)


def at_hits(hits: Tensor) -> Tensor:
    return (share_up_to(hits) * hits).sum() / hits.sum()


def by_comparing(scores: Tensor, true: Tensor) -> Tensor:
    asked = scores[true]
    return torch.stack([(asked >= one).sum() / (scores >= one).sum() for one in asked]).mean()


def is_another_precision(found: float, right: float) -> None:
    raise Hint(
        f"Not {found:.4f}, but {right:.4f}: sort, and at each word that has the property ask which "
        "share of the words up to it has it."
    )


my_average_precision = Exercise(
    "my_average_precision",
    "Exercise: scores (n) and true (n), boolean -> average precision, one number.",
    inputs=ranking_inputs,
    right=[
        ranked(at_hits),
        by_comparing,
    ],
    not_allowed=("average_precision", "average_precision_score"),
    borrowed=[
        average_precision,
        lambda scores, true: measures.average_precision(scores[:, None], true).item(),
    ],
    read=a_number,
    slips={
        "The highest scores come first.": [ranked(lambda hits: at_hits(hits.flip(0)))],
        "The words are still in the order of the text: sort by the score.": [
            lambda scores, true: at_hits(true.float()).item()
        ],
        "Which ones have the property? Those are counted.": [
            ranked(lambda hits: 1 - at_hits(1 - hits)),
            ranked(lambda hits: at_hits(1 - hits)),
        ],
        "`true` is in the order of the text, and your shares in that of the scores: sort both.": [
            lambda scores, true: (
                share_up_to(true[scores.argsort(descending=True)].float())[true].mean().item()
            )
        ],
        "The precision is taken at the words with the property alone.": [
            ranked(lambda hits: share_up_to(hits).mean())
        ],
        "Divide by the number of words with the property, not of all.": [
            ranked(lambda hits: (share_up_to(hits) * hits).mean())
        ],
        "Those are added up: take the mean.": [
            ranked(lambda hits: (share_up_to(hits) * hits).sum())
        ],
        "That is the share of words that have the property.": [ranked(torch.mean)],
        "At each word that has the property the precision is asked for: of the words up to there, "
        "which share has it?": [
            ranked(lambda hits: share_up_to(hits)[int(hits.sum()) - 1]),
        ],
        "How many of the words *up to this place* have the property? You count only one.": [
            ranked(lambda hits: (1 / (hits.nonzero()[:, 0] + 1)).mean())
        ],
        "Up to this place means that the word itself counts, too.": [
            ranked(lambda hits: (share_up_to(hits)[:-1] * hits[1:]).sum() / hits.sum())
        ],
        "Divide by the number of words with the property.": [
            ranked(lambda hits: (share_up_to(hits) * hits).sum() / share_up_to(hits).sum())
        ],
        "A share, between 0 and 1, not percent.": [ranked(lambda hits: 100 * at_hits(hits))],
    },
    unlike=is_another_precision,
)


# --- a cache or a state --------------------------------------------------------------------------

LAYERS, HEADS, SIZE, WORDS, KEPT = 12, 8, 64, 10_000, 3


OF_A_LAYER, STATE = 2 * HEADS * SIZE, HEADS * SIZE**2  # numbers of a word in a cache, of a state
CACHED, OTHERS = KEPT * OF_A_LAYER * WORDS, LAYERS - KEPT
BOTH = "A word brings a key and a value."
sizes_by_hand = Values(
    "sizes_by_hand",
    "12 layers of 8 heads, 64 numbers each: 12,288, 393,216, 33 words and 31,014,912.",
    Value(
        "a word in the cache",
        right=LAYERS * OF_A_LAYER,
        slips={
            LAYERS * OF_A_LAYER // 2: "It keeps a key *and* a value.",
            OF_A_LAYER: "That is one layer.",
            2 * LAYERS * SIZE: "That is one head of each layer.",
            2 * SIZE: "That is one head of one layer.",
        },
    ),
    Value(
        "the states",
        right=LAYERS * STATE,
        slips={
            2 * LAYERS * STATE: "A state has one matrix for a head, from keys to values.",
            STATE: "That is one layer.",
            LAYERS * SIZE**2: "That is one head of each layer.",
            LAYERS * (HEADS * SIZE) ** 2: "Each head has a matrix of its own, 64 × 64.",
            LAYERS * HEADS * SIZE: "The state of a head is a matrix.",
        },
    ),
    Value(
        "after how many words",
        right=SIZE // 2 + 1,
        slips={
            SIZE // 2: "With 32 words both are equally large. After how many is it larger?",
            SIZE: BOTH,
            SIZE + 1: BOTH,
        },
    ),
    Value(
        "three layers of attention",
        right=CACHED + OTHERS * STATE,
        slips={
            CACHED: "The other nine layers have a state, too.",
            LAYERS * OF_A_LAYER * WORDS: "Only three layers have a cache.",
            CACHED + LAYERS * STATE: "Three layers have a cache and no state.",
            OTHERS * OF_A_LAYER * WORDS + KEPT * STATE: "Those are nine layers of attention and "
            "three states.",
            CACHED + OTHERS * STATE * WORDS: "A state doesn't grow with the words.",
            CACHED // 2 + OTHERS * STATE: "The cache keeps a key and a value.",
        },
    ),
    as_list="Give a list of four whole numbers.",
)


# --- a state that corrects itself ----------------------------------------------------------------


def delta_inputs(
    words: int = 5, n: int = 3, p: int = 2, seed: int = 0
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """q, k (t, n), keys of length 1, v (t, p), beta (t), between 0 and 1."""
    q, k = drawn(words, n, seed=seed), F.normalize(drawn(words, n, seed=seed + 1), dim=1)
    return q, k, drawn(words, p, seed=seed + 2), drawn(words, seed=seed + 3).sigmoid()


def correction(S: Tensor, k: Tensor, v: Tensor, beta: Tensor, q: Tensor) -> Tensor:
    return beta * torch.outer(k, v - k @ S)


def following(
    change: Callable[..., Tensor] = correction,
    *,
    keep: int = 1,
    early: bool = False,
    reads: Callable[[Tensor, Tensor], Tensor] = lambda q, k: q,
    result: Callable[[list[Tensor]], Any] = torch.stack,
) -> Callable[..., Any]:
    """What each word reads of a state that is changed; each option is a way to do it otherwise.

    change: of the state, a key, a value, beta and a query. keep: 0, and the old state is gone.
    early: it reads before it writes.
    """

    def run(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Any:
        S, found = torch.zeros(k.size(1), v.size(1)), []
        for query, key, value, share in zip(q, k, v, beta, strict=True):
            new = keep * S + change(S, key, value, share, query)
            found.append(reads(query, key) @ (S if early else new))
            S = new
        return result(found)

    return run


def delta(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    """What my_delta should return."""
    return following()(q, k, v, beta)


adding = following(lambda S, k, v, beta, q: beta * torch.outer(k, v))


def summed(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    """The same without a correction: what is added under a key is added."""
    return adding(q, k, v, beta)


def without_a_state(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> Tensor:
    written: list[Tensor] = []
    for t in range(len(q)):
        had = sum(((k[i] @ k[t]) * written[i] for i in range(t)), torch.zeros_like(v[t]))
        written.append(beta[t] * (v[t] - had))
    return (q @ k.T).tril() @ torch.stack(written)


AXES = "S is (n, p): a row for each number of the key, a column for each of the value."
LAST = "That is the last word alone: return what each of them reads."
my_delta = Exercise(
    "my_delta",
    "Exercise: q, k (t, n), v (t, p), beta (t) -> what each word reads, (t, p).",
    inputs=delta_inputs,
    right=[following(), without_a_state],
    not_allowed=("delta", "summed", "sum_of_pairs", "read"),
    borrowed=[delta],
    errors={"tensor a (2) must match the size of tensor b (3)": AXES},
    slips={
        AXES: [following(lambda S, k, v, beta, q: beta * torch.outer(v - k @ S, k))],
        "Nothing is corrected: subtract what the state already has for this key.": [adding],
        "beta is missing: which share of the difference is corrected?": [
            following(lambda S, k, v, beta, q: torch.outer(k, v - k @ S))
        ],
        "beta is for the whole difference, not for v alone.": [
            following(lambda S, k, v, beta, q: torch.outer(k, beta * v - k @ S))
        ],
        "beta is for the whole difference, not for what was read alone.": [
            following(lambda S, k, v, beta, q: torch.outer(k, v - beta * (k @ S)))
        ],
        "What the state has for this key is subtracted.": [
            following(lambda S, k, v, beta, q: beta * torch.outer(k, v + k @ S))
        ],
        "The sign: afterwards the state should be nearer to v than before.": [
            following(lambda *given: -correction(*given))
        ],
        "That forgets everything. Only what is under *this* key should change.": [
            following(lambda S, k, v, beta, q: beta * (torch.outer(k, v) - S))
        ],
        "You read before you wrote: word t sees itself, too.": [following(early=True)],
        "The query reads, not the key.": [following(reads=lambda q, k: k)],
        "What stands under the *key* is corrected, not the query's.": [
            following(lambda S, k, v, beta, q: beta * torch.outer(k, v - q @ S))
        ],
        "The query only reads: what is missing goes to the *key*.": [
            following(lambda S, k, v, beta, q: beta * torch.outer(q, v - k @ S))
        ],
        "The old state is gone: the correction is added to it.": [following(keep=0)],
        LAST: [
            following(result=lambda found: torch.stack(found)[-1:]),
            following(result=lambda found: found[-1]),
        ],
        "The axes are swapped: a row for each word.": [
            following(result=lambda found: torch.stack(found, dim=1))
        ],
    },
)


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
