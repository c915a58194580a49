"""The page of reinforcement learning: each formula beside what it stands for."""

import math
from itertools import combinations, product

import pytest
import torch

from course.chapters.ch19_judge.policy import (
    go_on,
    k3,
    least_kl,
    log_probs,
    pass_at_k,
    policy_loss,
    roll_out,
)
from transformer_lib.model.config import ModelConfig
from transformer_lib.recipes import learn_language
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.variants.language_model import LanguageModel

WORDS = learn_language("en", ["we like trees", "they like music", "do you like it?"])


def small_model() -> LanguageModel:
    torch.manual_seed(0)
    config = ModelConfig(N=1, d_model=8, d_ff=16, h=2, dropout=0.0, norm_first=True)
    return LanguageModel(len(WORDS.vocab), config).eval()


def test_log_p_of_a_rollout_is_that_of_its_words_one_by_one():
    model = small_model()
    drawn = roll_out(model, WORDS, 6, torch.Generator().manual_seed(1))
    for row, told in zip(drawn.ids.tolist(), drawn.log_p, strict=True):
        ids = [token for token in row if token != PAD]
        assert ids[0] == BOS
        for place, after in enumerate(ids[1:]):
            logits = model(torch.tensor([ids[: place + 1]]))[0, -1]
            right = logits.log_softmax(dim=-1)[after]
            torch.testing.assert_close(told[place], right, rtol=0, atol=1e-4)
        assert (told[len(ids) - 1 :] == 0).all()


def test_a_sentence_without_an_end_has_no_text():
    model = small_model()
    never = torch.zeros(len(WORDS.vocab)).index_fill(0, torch.tensor(EOS), 1e9)
    model.generator.register_forward_hook(lambda part, given, logits: logits - never)
    assert set(roll_out(model, WORDS, 3, torch.Generator().manual_seed(1)).texts) == {""}
    assert set(go_on(model, WORDS, torch.tensor([[BOS]] * 3), torch.Generator())) == {""}


def test_where_nothing_has_moved_the_loss_pushes_as_reinforce_does():
    model = small_model()
    drawn = roll_out(model, WORDS, 5, torch.Generator().manual_seed(2))
    gain = torch.tensor([1.0, -0.5, 2.0, 0.0, -1.0])
    policy_loss(log_probs(model, drawn.ids), drawn.log_p, gain).backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    (-(gain * log_probs(model, drawn.ids).sum(dim=1)).mean()).backward()
    for one, p in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(one, p.grad, rtol=1e-3, atol=1e-6)


def test_the_clip_stops_who_has_moved_far_enough():
    for ratio, advantage, push in [
        (3, 1, 0),
        (0.5, 1, 0.5),
        (1.1, 1, 1.1),
        (3, -1, -3),
        (0.5, -1, 0),
    ]:
        new = torch.tensor([[math.log(ratio) - 1, 0.0]], requires_grad=True)  # a word, and padding
        old = torch.tensor([[-1.0, 0.0]])
        policy_loss(new, old, torch.tensor([float(advantage)])).backward()
        assert -new.grad[0, 0].item() == pytest.approx(push, abs=1e-5) and new.grad[0, 1] == 0


def test_k3_is_the_kl_in_the_mean_and_never_below_0():
    p, q = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.1, 0.2, 0.7])
    each = k3(p.log(), q.log())
    torch.testing.assert_close((p * each).sum(), (p * (p / q).log()).sum())
    assert each.min() > 0 and k3(p.log(), p.log()).abs().max() == 0


def test_no_other_way_to_a_share_is_shorter():
    """Of all policies over four sentences on a grid; two of them are right."""
    start = torch.tensor([0.1, 0.2, 0.35, 0.35])
    best: dict[float, float] = {}
    for a, b, c in product(range(1, 20), repeat=3):
        if a + b + c < 20:
            p = torch.tensor([a, b, c, 20 - a - b - c]) / 20
            share = round((a + b) / 20, 2)
            best[share] = min(best.get(share, math.inf), (p * (p / start).log()).sum().item())
    for share, kl in best.items():
        assert least_kl(share, 0.3) <= kl + 1e-6
    assert best[0.6] == pytest.approx(least_kl(0.6, 0.3), abs=1e-6)  # 0.2, 0.4, 0.2, 0.2
    assert least_kl(1, 0.5) == pytest.approx(math.log(2)) and least_kl(0.3, 0.3) == 0


def test_best_of_n_lies_on_the_line():
    """Exactly: its distribution by hand, two right sentences, two wrong ones."""
    start, n = torch.tensor([0.1, 0.1, 0.3, 0.5]), 4
    fails = 0.8**n
    p = torch.cat([start[:2] / 0.2 * (1 - fails), start[2:] / 0.8 * fails])
    assert (p * (p / start).log()).sum().item() == pytest.approx(least_kl(1 - fails, 0.2), abs=1e-6)


def test_pass_at_k_counts_all_choices():
    for drawn, right, k in [(6, 2, 3), (6, 0, 2), (5, 4, 2), (5, 5, 1)]:
        verdicts = [True] * right + [False] * (drawn - right)
        chosen = [any(some) for some in combinations(verdicts, k)]
        assert pass_at_k(drawn, right, k) == pytest.approx(sum(chosen) / len(chosen))
