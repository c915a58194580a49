"""What assignment 8 takes for right is what the library and PyTorch compute."""

import itertools

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from course.chapters.ch18_since_2017 import assignment_8_checks as check
from transformer_lib.decoding import KeyValueCache
from transformer_lib.variants import ModernAttention, Rotary


@pytest.mark.parametrize("start, d_k", [(0, 2), (5, 8)])
def test_turned_is_what_rotary_does(start, d_k):
    x = check.numbers_for(2, 3, 6, d_k)
    found = check.turned(x, torch.arange(start, start + 6), 10_000.0)
    assert torch.allclose(found, Rotary(d_k).rotate(x, start), atol=1e-5)


def test_rotary_attention_is_what_modern_attention_does():
    """With matrices that change nothing, and the queries of the last three of seven words."""
    h, d_k, s = 3, 6, 7
    layer = ModernAttention(h * d_k, h, qk_transforms=[Rotary(d_k, base=100.0)])
    for matrix in (layer.w_q, layer.w_k, layer.w_v, layer.w_o):
        torch.nn.init.eye_(matrix.weight)
    q, k, v = (check.numbers_for(2, s, h * d_k, seed=seed) for seed in range(3))
    mask = torch.ones(s, s).tril().bool()[-3:]
    found = layer(q[:, -3:], k, v, mask=mask)
    heads = [layer.split_heads(x) for x in (q[:, -3:], k, v)]
    right = check.rotary_attention(*heads, check.a_turn(100.0))
    assert torch.allclose(found, layer.merge_heads(right), atol=1e-5)


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_attention_is_pytorchs(kv_heads):
    q, k, v = (
        check.numbers_for(2, heads, 5, 4, seed=i) for i, heads in enumerate((6, kv_heads, kv_heads))
    )
    right = scaled_dot_product_attention(q, k, v, enable_gqa=True)
    assert torch.allclose(check.grouped_attention(q, k, v), right, atol=1e-5)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_the_bytes_are_those_of_a_cache(kv_heads):
    layers, d_model, h, words = 2, 24, 4, 9
    total = 0
    for _ in range(layers):
        layer, cache = ModernAttention(d_model, h, kv_heads), KeyValueCache(words)
        for _ in range(words):
            cache.add(layer, torch.zeros(1, 1, d_model))
        total += cache.bytes
    assert check.cache_size(layers, d_model, h, kv_heads, words, 4) == total


def test_the_cache_of_llama_3_as_the_answer_has_it():
    gigabytes = [check.cache_size(80, 8192, 64, kv_heads, 8192, 2) / 1e9 for kv_heads in (8, 64)]
    assert [round(size, 1) for size in gigabytes] == [2.7, 21.5]


def test_scores_by_hand_are_those_of_turned_vectors():
    quarter = torch.pi / 2
    for (of_q, of_k), score in zip(check.PLACES, check.met(lambda q, k: q - k), strict=True):
        q, k = (
            check.rotated(torch.tensor([[[vector]]]).float(), torch.tensor([[place * quarter]]))
            for vector, place in ((check.QUERY, of_q), (check.KEY, of_k))
        )
        assert (q * k).sum().item() == pytest.approx(score, abs=1e-4)


def measured(turn) -> str:
    """By the three measurements that the assignment names, in its order."""
    q, k = check.numbers_for(2, 1, 1, 1, 8)

    def at(x, place):
        return turn(x, torch.tensor([place]))

    def score(of_q, of_k):
        return (at(q, of_q) * at(k, of_k)).sum()

    if torch.equal(at(q, 0), at(q, 5)):
        return check.ROWS
    if not all(torch.allclose(at(q, place).norm(), q.norm(), rtol=1e-3) for place in range(9)):
        return check.LENGTHS
    far = [score(1, 0), score(21, 20), score(101, 100)]
    same = all(torch.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in itertools.pairwise(far))
    return check.SOUND if same else check.PLACE


def test_the_suspects_are_what_is_said_of_them():
    assert {name: measured(turn) for name, turn in check.suspects().items()} == check.PLANTED
