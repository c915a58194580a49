"""All words at once, one after the other, and in blocks: the same numbers. And what may be seen."""

import dataclasses

import pytest
import torch

from course.chapters.ch21_without_the_table import mixers
from course.chapters.ch21_without_the_table.experiment_times import read_in
from course.chapters.ch21_without_the_table.mixers import LinearAttention, MinGRU, StateSpace
from transformer_lib import Transformer, count_parameters, greedy_decode
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.config import SMALL
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.variants import replace_modules

D, H = 16, 4
PARTS = {
    "linear": lambda **how: LinearAttention(D, H, **how),
    "linear, wide keys": lambda **how: LinearAttention(D, H, n=7, **how),
    "linear, short": lambda **how: LinearAttention(D, H, short=3, **how),
    "linear, unit keys": lambda **how: LinearAttention(D, H, short=4, unit_keys=True, **how),
    "minGRU": lambda **how: MinGRU(D, **how),
    "minGRU, short": lambda **how: MinGRU(D, e=30, short=4, **how),
    "state space": lambda **how: StateSpace(D, H, **how),
    "state space, wide keys": lambda **how: StateSpace(D, H, n=9, **how),
}


def texts(words: int = 11) -> torch.Tensor:
    return torch.randn(3, words, D)


def moved(part: mixers.StateMixer) -> torch.Tensor:
    """(11): which words another seventh word changes."""
    x = texts()
    changed = x.clone()
    changed[:, 6] += 1
    return (part(x, x, x) - part(changed, changed, changed)).abs().amax(dim=(0, 2)) > 1e-6


def test_all_at_once_is_one_after_the_other():
    for make in PARTS.values():
        part, x = make(), texts()
        whole, _ = part.read(x, part.start(3))
        for size in [1, 4]:
            torch.testing.assert_close(read_in(part, x, size), whole, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(part(x, x, x, mask=causal_mask(11)), whole)


def test_linear_attention_is_its_equation():
    """Word by word from the definition, without a state."""
    part, x = LinearAttention(D, H), texts(6)
    q, k, v = (part.heads(w(x)) for w in (part.w_q, part.w_k, part.w_v))
    q, k = (torch.where(one > 0, one + 1, one.exp()) for one in (q, k))
    found = torch.zeros_like(v)
    for t in range(6):
        weights = torch.einsum("bhn,bhin->bhi", q[:, :, t], k[:, :, : t + 1])
        weights = weights / weights.sum(dim=-1, keepdim=True)
        found[:, :, t] = torch.einsum("bhi,bhip->bhp", weights, v[:, :, : t + 1])
    expected = part.w_o(found.transpose(1, 2).flatten(2))
    torch.testing.assert_close(part(x, x, x), expected, rtol=1e-4, atol=1e-5)


def test_the_gated_unit_is_its_equation():
    part, x = MinGRU(D), texts(6)
    h, found = torch.zeros(3, part.e), []
    for t in range(6):
        z = torch.sigmoid(part.w_z(x[:, t]))
        h = (1 - z) * h + z * part.w_h(x[:, t])
        found.append(part.w_o(h))
    torch.testing.assert_close(part(x, x, x), torch.stack(found, 1), rtol=1e-4, atol=1e-5)


def test_the_state_space_is_its_equation():
    part, x = StateSpace(D, H, n=5), texts(6)
    torch.nn.init.normal_(part.log_a)
    torch.nn.init.normal_(part.skip)
    raw = torch.cat([part.w_q(x), part.w_k(x)], dim=-1)
    padded = torch.cat([torch.zeros(3, 3, raw.size(-1)), raw], dim=1)
    S, found = torch.zeros(3, H, 5, D // H), []
    for t in range(6):
        mixed = (part.short.weight * padded[:, t : t + 4]).sum(dim=1)
        mixed = mixed * torch.sigmoid(mixed)
        C, B = (one / one.norm(dim=-1, keepdim=True) for one in mixed.view(3, 2, H, 5).unbind(1))
        v = part.w_v(x[:, t]).view(3, H, D // H)
        delta = torch.log1p(part.w_delta(x[:, t]).exp())[..., None, None]
        keep = torch.exp(-delta * part.log_a.exp()[:, None, None])
        S = keep * S + delta * B[..., None] * v[:, :, None]
        y = (C[..., None] * S).sum(dim=2)
        y = y / (y.pow(2).mean(dim=-1, keepdim=True) + torch.finfo(y.dtype).eps).sqrt()
        found.append(part.w_o((y + part.skip[:, None] * v).flatten(1)))
    torch.testing.assert_close(part(x, x, x), torch.stack(found, 1), rtol=1e-4, atol=1e-5)


def test_no_word_sees_a_later_one():
    for make in PARTS.values():
        found = moved(make())
        assert not found[:6].any() and found[6:].all()


def test_in_an_encoder_words_see_both_sides_and_no_padding():
    for name in ["linear", "minGRU", "state space"]:
        part, x = PARTS[name](both_ways=True), texts()
        assert moved(part).all()
        ids = torch.ones(3, 11, dtype=torch.long)
        ids[:, 8:] = 0
        padded = part(x, x, x, mask=padding_mask(ids))[:, :8]
        alone = part(x[:, :8], x[:, :8], x[:, :8])
        torch.testing.assert_close(padded, alone, rtol=1e-4, atol=1e-5)
        assert not torch.allclose(part(x, x, x)[:, :8], alone, atol=1e-4)


def test_weights_are_as_many_as_those_of_attention():
    attention = count_parameters(MultiHeadAttention(64, 4))
    assert count_parameters(LinearAttention(64, 4)) == attention
    for part in (MinGRU(64), StateSpace(64, 4)):
        assert count_parameters(part) == pytest.approx(attention, rel=0.07)


def test_the_size_of_a_state_does_not_depend_on_the_words():
    for make in PARTS.values():
        part = make()
        sizes = {mixers.numbers(part.read(texts(t), part.start(3))[1]) for t in (1, 2, 50)}
        assert sizes == {mixers.numbers(part.start(1))}


def test_a_translator_with_it_writes():
    config = dataclasses.replace(SMALL, d_model=D, d_ff=32, h=H, dropout=0.0)
    for make in (PARTS["linear"], PARTS["minGRU"], PARTS["state space"]):
        model = Transformer(9, 9, config)
        replace_modules(model.encoder, "self_attn", lambda old, make=make: make(both_ways=True))
        replace_modules(model.decoder, "self_attn", lambda old, make=make: make())
        src = torch.tensor([[4, 5, 6, 2], [5, 2, 0, 0]])
        written = greedy_decode(model, src, max_length=5)
        alone = greedy_decode(model, src[1:, :2], max_length=5)
        assert written[1] == alone[0]
