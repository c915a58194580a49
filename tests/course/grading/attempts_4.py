"""Assignment 4: encoder and decoder layers."""

from tests.course.grading.attempts import Wrong


def norm(*lines: str) -> str:
    """A layer norm with these lines as its body."""
    return body("my_layer_norm(x, scale, shift, eps)", *lines)


def around(*lines: str) -> str:
    return body("my_add_and_norm(x, sublayer, norm, dropout, norm_first)", *lines)


def layer(*lines: str) -> str:
    inputs = "x, memory, tgt_mask, self_attn, cross_attn, feed_forward, norms"
    return body(f"my_decoder_layer({inputs})", *lines)


def body(head: str, *lines: str) -> str:
    return "\n    ".join([f"def {head}:", *lines])


MEAN = "mean = x.mean(-1, keepdim=True)"
VARIANCE = "variance = x.var(-1, correction=0, keepdim=True)"
SECOND = "x = norms[1](x + cross_attn(x, memory, memory))"
THIRD = "return norms[2](x + feed_forward(x))"

RIGHT = {
    "layer_numbers": ["layer_numbers = torch.tensor([131072, 131712, 768])"],
    "my_layer_norm": [
        norm(
            "variance, mean = torch.var_mean(x, dim=2, unbiased=False)",
            "y = torch.einsum('bsd,bs->bsd', x - mean[..., None], (variance + eps) ** -0.5)",
            "return torch.addcmul(shift, y, scale)",
        ),
        norm(
            "out = torch.empty_like(x)",
            "for i, sentence in enumerate(x):",
            "    for j, word in enumerate(sentence):",
            "        mu = sum(word) / len(word)",
            "        var = sum((number - mu) ** 2 for number in word) / len(word)",
            "        out[i, j] = (word - mu) / (var + eps) ** 0.5 * scale + shift",
            "return out",
        ),
        norm(
            "n = x.size(-1)",
            "centering = torch.eye(n) - 1 / n",
            "y = x @ centering",
            "return y * (y.pow(2).sum(-1, keepdim=True) / n + eps).rsqrt() * scale + shift",
        ),
        norm(
            "import numpy as np",
            "x, scale, shift = x.numpy(), scale.numpy(), shift.numpy()",
            "x -= x.mean(axis=-1, keepdims=True)",
            "return scale * x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + shift",
        ),
    ],
    "my_add_and_norm": [
        around(
            "nothing = lambda y: y",
            "first, last = (norm, nothing) if norm_first else (nothing, norm)",
            "return last(torch.add(dropout(sublayer(first(x))), x))",
        ),
        around(
            "y = x.clone()",
            "if norm_first:",
            "    y += dropout(sublayer(norm(x)))",
            "else:",
            "    y += dropout(sublayer(x))",
            "    y = norm(y)",
            "return y",
        ),
    ],
    "my_decoder_layer": [
        layer(
            "parts = [",
            "    lambda y: self_attn(y, y, y, mask=tgt_mask),",
            "    lambda y: cross_attn(y, memory, memory),",
            "    feed_forward,",
            "]",
            "for part, norm in zip(parts, norms):",
            "    x = norm(torch.add(x, part(x)))",
            "return x",
        ),
        """
        def add_and_norm(norm, x, said):
            return norm(x + said)

        def my_decoder_layer(x, memory, mask, self_attn, cross_attn, ffn, norms):
            first, second, third = norms
            x = add_and_norm(first, x, self_attn(x, x, x, mask))
            x = add_and_norm(second, x, cross_attn(x, memory, memory))
            return add_and_norm(third, x, ffn(x))
        """,
    ],
    "share": ["from fractions import Fraction\nshare = Fraction(1, 4)"],
}

WRONG = {
    "my_layer_norm": [
        Wrong(
            "d_model of the example",
            norm(
                MEAN,
                "variance = ((x - mean) ** 2).sum(-1, keepdim=True) / 7",
                "return (x - mean) / (variance + eps).sqrt() * scale + shift",
            ),
            "wrong for other inputs",
            2,
        ),
        Wrong(
            "the shape of the example",
            norm(
                "mean, variance = x.mean(-1).view(2, 5, 1), x.var(-1, correction=0).view(2, 5, 1)",
                "return (x - mean) / (variance + eps).sqrt() * scale + shift",
            ),
            "wrong for other inputs",
            2,
        ),
    ],
    "my_add_and_norm": [
        Wrong(
            "only one of the two",
            around("if norm_first:", "    return x + dropout(sublayer(norm(x)))"),
            "returns nothing",
            0,
        ),
    ],
    "my_decoder_layer": [
        Wrong(
            "a mask of one's own, as long as the example",
            layer(
                "tgt_mask = torch.ones(5, 5, dtype=torch.bool).tril()",
                "x = norms[0](x + self_attn(x, x, x, mask=tgt_mask))",
                SECOND,
                THIRD,
            ),
            "wrong for other inputs",
            2,
        ),
    ],
}
