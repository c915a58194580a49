"""What the exercises of notebook 05 are about is as they say."""

import torch

from course.chapters.ch05_multi_head_attention import checks as check
from transformer_lib.model.attention import attention_weights


def layer_of_eight():
    generator = torch.Generator().manual_seed(0)

    def random(*shape):
        return torch.randn(shape, generator=generator) / 4

    return random(3, 16), random(8, 16, 2), random(8, 16, 2), random(8, 16, 2), random(16, 16)


def test_the_fault_is_in_one_head_and_in_its_values_only():
    x, w_q, w_k, w_v, w_o = layer_of_eight()
    weights, z, out = check.suspect(x, w_q, w_k, w_v, w_o)
    right = attention_weights(x @ w_q, x @ w_k)
    torch.testing.assert_close(weights, right)
    differs = (z - right @ (x @ w_v)).abs().amax(dim=(1, 2)) > 1e-4
    head, name, other = check.FAULT
    assert differs.nonzero().flatten().tolist() == [head] and name == "W_V"
    torch.testing.assert_close(z[head], right[head] @ (x @ w_v[other]))
    torch.testing.assert_close(out, torch.cat(list(z), dim=-1) @ w_o)


def test_heads_in_another_order_give_the_old_output_with_rows_of_w_o_in_that_order():
    x, w_o = torch.randn(4, 512), torch.randn(512, 512) / 22
    matrices = [torch.randn(8, 512, 64) / 22 for _ in range(3)]

    def output(w_q, w_k, w_v, w_o):
        q, k, v = (x @ w for w in (w_q, w_k, w_v))
        return torch.cat(list((q @ k.mT / 8).softmax(-1) @ v), dim=-1) @ w_o

    theirs = check.in_another_order(*matrices)
    mended = w_o.unflatten(0, (8, 64))[check.ORDER].flatten(0, 1)
    right = output(*matrices, w_o)
    torch.testing.assert_close(output(*theirs, mended), right, rtol=1e-3, atol=1e-4)
    assert (output(*theirs, w_o) - right).abs().mean() > 0.1
