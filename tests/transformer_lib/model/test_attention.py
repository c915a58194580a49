"""Attention, as a formula and as a layer.

The sizes are primes, all different: two axes that change places can't go unseen.
"""

import math

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.torch_twins import attention_twin, randomize
from transformer_lib.model.attention import MultiHeadAttention, attention, attention_weights
from transformer_lib.model.masks import causal_mask, padding_mask

close = torch.testing.assert_close


def random_qkv(b=2, h=3, q=5, k=11, d_k=7, d_v=13):
    sizes = [(b, h, q, d_k), (b, h, k, d_k), (b, h, k, d_v)]
    return [torch.randn(*size, dtype=torch.float64, requires_grad=True) for size in sizes]


def random_mask(b=2, q=5, k=11):
    mask = torch.rand(b, 1, q, k) < 0.5
    mask[..., 3] = True  # each query sees at least one key
    return mask


# ---------------------------------------------------------------- with a pencil


def test_weights_by_hand():
    # scores [0, sqrt 2] / sqrt 2 = [0, 1]; softmax [1, e] / (1 + e)
    query = torch.tensor([[0.0, math.sqrt(2)]])
    key = torch.eye(2)
    close(attention_weights(query, key), torch.tensor([[1.0, math.e]]) / (1 + math.e))


def test_attention_by_hand():
    # the same weights, and the values 0 and 1 + e: 1/(1+e) * 0 + e/(1+e) * (1+e) = e
    query, key = torch.tensor([[0.0, math.sqrt(2)]]), torch.eye(2)
    value = torch.tensor([[0.0], [1 + math.e]])
    close(attention(query, key, value), torch.tensor([[math.e]]))


def test_equal_scores_share_evenly():
    close(attention_weights(torch.zeros(2, 3), torch.randn(5, 3)), torch.full((2, 5), 0.2))


def test_hidden_keys_get_nothing_and_the_others_share():
    mask = torch.tensor([True, False, True, True, False])
    weights = attention_weights(torch.zeros(2, 3), torch.randn(5, 3), mask)
    close(weights, torch.tensor([[1.0, 0.0, 1.0, 1.0, 0.0]] * 2) / 3)


def test_scaling_keeps_the_scores_at_size_one():
    # d_k products of two random numbers sum up to a number of size sqrt(d_k), footnote 4
    query, key = torch.randn(100, 64), torch.randn(101, 64)
    ratio = attention_weights(query, key).log()
    assert (ratio - ratio.mean(dim=-1, keepdim=True)).std().item() == pytest.approx(1, abs=0.05)


# ---------------------------------------------------------------- the formula


def test_rows_sum_to_one():
    query, key, _ = random_qkv()
    weights = attention_weights(query, key)
    assert weights.shape == (2, 3, 5, 11)
    assert (weights > 0).all()
    close(weights.sum(dim=-1), torch.ones(2, 3, 5, dtype=torch.float64))


def test_a_hidden_key_is_as_good_as_none():
    query, key, value = random_qkv()
    visible = [0, 3, 4, 10]
    mask = torch.zeros(11, dtype=torch.bool)
    mask[visible] = True
    weights = attention_weights(query, key, mask)
    close(weights[..., visible], attention_weights(query, key[..., visible, :]))
    assert (weights[..., ~mask] == 0).all()  # 0, not only nearly
    close(
        attention(query, key, value, mask), attention(query, key[..., mask, :], value[..., mask, :])
    )


@pytest.mark.parametrize("masked", [False, True])
def test_equals_pytorchs_attention(masked):
    inputs = random_qkv()
    mask = random_mask() if masked else None
    ours = attention(*inputs, mask)
    theirs = F.scaled_dot_product_attention(*inputs, attn_mask=mask)
    assert ours.shape == (2, 3, 5, 13)
    close(ours, theirs)
    shake = torch.randn_like(ours)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (ours, theirs)))


def test_the_order_of_the_keys_does_not_matter():
    # attention sees a set of words; where they stand is told by the position vectors alone
    query, key, value = random_qkv()
    order = torch.randperm(11)
    close(attention(query, key[..., order, :], value[..., order, :]), attention(query, key, value))


def test_a_row_that_sees_nothing_is_zero_and_its_gradients_are_finite():
    inputs = random_qkv()
    mask = random_mask()
    mask[0, 0, 2] = False
    weights = attention_weights(*inputs[:2], mask)
    out = attention(*inputs, mask)
    assert (weights[0, :, 2] == 0).all() and (out[0, :, 2] == 0).all()
    assert weights.isfinite().all() and out.isfinite().all()
    grads = torch.autograd.grad(out.square().sum(), inputs)
    assert all(grad.isfinite().all() for grad in grads)
    assert (grads[0][0, :, 2] == 0).all()  # what saw nothing learns nothing
    assert (grads[0][0, :, 1] != 0).all()


def test_no_nan_arises_on_the_way_either():
    # With -inf for hidden keys, a row that sees nothing would become 0/0 = NaN in the softmax and
    # in its gradient. A later step may wipe it out, but a search for NaNs would stop there.
    inputs = random_qkv()
    mask = random_mask()
    mask[0, 0, 2] = False
    with torch.autograd.set_detect_anomaly(True):  # an error at the first NaN on the way back
        attention(*inputs, mask).square().sum().backward()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_masks_work_in_every_precision(dtype):
    query, key, value = (x.detach().to(dtype) for x in random_qkv())
    mask = random_mask()
    mask[1] = False
    out = attention(query, key, value, mask)
    assert out.dtype == dtype and out.isfinite().all() and (out[1] == 0).all()


# ---------------------------------------------------------------- several heads


def heads(d_model=15, h=3):
    return randomize(MultiHeadAttention(d_model, h))


def test_splitting_by_hand():
    # one sentence of two words, d_model = 6, two heads: a word's first 3 numbers go to head 0
    x = torch.arange(12).view(1, 2, 6)
    split = MultiHeadAttention(6, 2).split_heads(x)
    assert split.tolist() == [[[[0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]]]]


def test_merging_undoes_splitting():
    x = torch.randn(2, 7, 15)
    layer = heads()
    assert layer.split_heads(x).shape == (2, 3, 7, 5)
    assert torch.equal(layer.merge_heads(layer.split_heads(x)), x)


def test_equals_a_loop_over_the_heads():
    # head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V), side by side, then W^O  (section 3.2.2)
    layer = heads()
    query, key = torch.randn(2, 7, 15).double(), torch.randn(2, 11, 15).double()
    value = torch.randn(2, 11, 15).double()
    outputs = []
    for i in range(3):
        block = slice(5 * i, 5 * i + 5)
        w_q, w_k, w_v = (w.weight[block].T for w in (layer.w_q, layer.w_k, layer.w_v))
        outputs.append(attention(query @ w_q, key @ w_k, value @ w_v))
    close(layer(query, key, value), torch.cat(outputs, dim=-1) @ layer.w_o.weight.T)


@pytest.mark.parametrize("masked", [False, True])
def test_equals_pytorchs_multihead_attention(masked):
    layer = heads()
    query, key = torch.randn(2, 7, 15).double(), torch.randn(2, 11, 15).double()
    value = torch.randn(2, 11, 15).double()
    mask = random_mask(q=7) if masked else None
    theirs, weights = attention_twin(layer)(
        query,
        key,
        value,
        average_attn_weights=False,
        attn_mask=~mask.expand(2, 3, 7, 11).flatten(0, 1) if masked else None,
    )
    close(layer(query, key, value, mask=mask), theirs)
    q, k = layer.split_heads(layer.w_q(query)), layer.split_heads(layer.w_k(key))
    close(attention_weights(q, k, mask), weights)


def test_equals_pytorchs_with_padding_and_causal_mask():
    layer = heads()
    ids = torch.tensor([[5, 6, 7, 8, 9, 5, 6], [5, 6, 7, 0, 0, 0, 0]])
    x = torch.randn(2, 7, 15).double()
    ours = layer(x, x, x, mask=padding_mask(ids) & causal_mask(7))
    theirs, _ = attention_twin(layer)(
        x, x, x, key_padding_mask=ids == 0, attn_mask=~causal_mask(7)[0, 0], need_weights=False
    )
    close(ours, theirs)


def test_one_head_is_plain_attention():
    layer = heads(d_model=7, h=1)
    x = torch.randn(2, 5, 7).double()
    close(layer(x, x, x), layer.w_o(attention(layer.w_q(x), layer.w_k(x), layer.w_v(x))))


def test_gradients_are_finite_if_a_sentence_is_all_padding():
    layer = heads()
    x = torch.randn(2, 7, 15).double().requires_grad_()
    ids = torch.tensor([[5, 6, 7, 8, 9, 5, 6], [0, 0, 0, 0, 0, 0, 0]])
    out = layer(x, x, x, mask=padding_mask(ids))
    out.square().sum().backward()
    assert (out[1] == 0).all()
    assert x.grad.isfinite().all()
    assert all(p.grad.isfinite().all() and (p.grad != 0).any() for p in layer.parameters())


def test_it_has_four_matrices_and_no_bias():
    shapes = {name: tuple(p.shape) for name, p in MultiHeadAttention(15, 3).named_parameters()}
    assert shapes == {f"w_{x}.weight": (15, 15) for x in "qkvo"}


def test_heads_must_share_evenly():
    with pytest.raises(ValueError, match="d_model=10 must be divisible by h=4"):
        MultiHeadAttention(10, 4)
