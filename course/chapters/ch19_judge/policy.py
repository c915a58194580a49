"""Reinforcement learning with a verifier, in a page: rollouts, advantages, and the loss.

    start = copy of the model                          # the reference, which never learns
    rollout = roll_out(model, words, 64, generator)         # sentences that the model has written
    rewards = tensor([judge(text) for text in rollout.texts])
    loss = policy_loss(log_probs(model, rollout.ids), rollout.log_p, advantages(rewards))

A sentence is one action made of many: its log-probability is the sum over its words, and <eos>.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from course.chapters.ch17_gpt.experiments import as_text
from transformer_lib.decoding import sample_decode
from transformer_lib.text.batching import pad
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.variants.language_model import LanguageModel, empty_sources, generate

LONGEST = 30  # words; a sentence without an end by then is cut off, and wrong


@dataclass(frozen=True)
class Rollout:
    """Sentences drawn from a model: their texts, ids (b, t) with <bos> and <eos>, log_p (b, t - 1).

    log_p: log p(word | words before it) of the model that drew them, in nats, 0 at padding.
    """

    texts: list[str]
    ids: Tensor
    log_p: Tensor


def roll_out(
    model: LanguageModel, words: Language, count: int, generator: torch.Generator
) -> Rollout:
    """Draw so many sentences, each word as likely as the model finds it (temperature 1)."""
    drawn = sample_decode(model, empty_sources(count), generator=generator, max_length=LONGEST)
    ends = [[*one.ids, EOS] if one.finished else list(one.ids) for one in drawn]
    ids = pad([[BOS, *each] for each in ends])
    with torch.no_grad():
        log_p = log_probs(model, ids)
    texts = [as_text(words, one.ids) if one.finished else "" for one in drawn]
    return Rollout(texts, ids, log_p)


def go_on(
    model: LanguageModel,
    words: Language,
    prompts: Tensor,
    generator: torch.Generator,
    hidden: int = 1,
) -> list[str]:
    """Complete prompts (b, t) with the model -> b texts.

    hidden: how many ids at the beginning of a prompt aren't part of the text: 1 for <bos>, 2 with
    an instruction after it. A sentence without an end becomes "".
    """
    written = generate(model, prompts, LONGEST - prompts.size(1), generator=generator)
    rows = written[:, hidden:].tolist()
    return [as_text(words, row[: row.index(EOS)]) if EOS in row else "" for row in rows]


def log_probs(model: LanguageModel, ids: Tensor) -> Tensor:
    """log p(word | words before it), in nats: ids (b, t) -> (b, t - 1), 0 where the word is PAD."""
    after = ids[:, 1:]
    log_p = log_softmax(model(ids[:, :-1]), dim=-1).gather(-1, after[..., None])[..., 0]
    return log_p.masked_fill(after == PAD, 0.0)


def advantages(rewards: Tensor) -> Tensor:
    """How much better than its group each sentence is: (r - mean) / standard deviation (Shao 2024).

    rewards (g,) of answers to one prompt -> (g,). All zeros where the rewards are equal.
    """
    return (rewards - rewards.mean()) / (rewards.std(unbiased=False) + 1e-6)


def policy_loss(new: Tensor, old: Tensor, advantage: Tensor, clip: float = 0.2) -> Tensor:
    """PPO's clipped loss (Schulman et al. 2017), of whole sentences: a number to be made small.

    new, old (b, t): log p of each word by the model that learns and by the one that drew; only
    `new` has a gradient. advantage (b,). Each word's ratio p_new / p_old counts only until it has
    moved by `clip` in the direction that its advantage wants. Where new = old, the ratio is 1 and
    the gradient that of REINFORCE: -mean over sentences of advantage * gradient of log p.
    """
    ratio = (new - old).exp()
    gain = advantage[:, None]
    kept = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    spoken = old != 0  # padding has log p = 0; no word is quite sure
    return -(kept * spoken).sum(dim=1).mean()


def k3(new: Tensor, start: Tensor) -> Tensor:
    """An estimate of KL(new || start) from each word that `new` has drawn (Schulman 2020), >= 0.

    new, start: log p of the same words, of the same shape. k3 = p_start / p_new - 1 - log of that.
    """
    log_ratio = start - new
    return log_ratio.exp() - 1 - log_ratio


def least_kl(right: float, before: float) -> float:
    """The fewest nats per sentence for which a share `before` of right ones can become `right`.

    By weighing all right sentences alike, and all wrong ones: the KL of two coins. Any other
    change that leads to this share is farther from the start.
    """
    pairs = ((right, before), (1 - right, 1 - before))
    return sum(p * math.log(p / q) for p, q in pairs if p)


def pass_at_k(drawn: int, right: int, k: int) -> float:
    """The chance that of k tries at a problem one is right (Chen et al. 2021), without bias.

    right of `drawn` tries were: 1 - C(drawn - right, k) / C(drawn, k).
    """
    return 1 - math.comb(drawn - right, k) / math.comb(drawn, k)


def share_solved(solved: Sequence[int], drawn: int, k: int) -> float:
    """pass@k, the mean over the problems. solved: of each, how many of `drawn` tries were right."""
    return statistics.mean(pass_at_k(drawn, right, k) for right in solved)
