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
PRE = "if norm_first: return x + dropout(sublayer(norm(x)))"
POST = "if not norm_first: return norm(x + dropout(sublayer(x)))"
FIRST = "x = norms[0](x + self_attn(x, x, x, mask=tgt_mask))"
SECOND = "x = norms[1](x + cross_attn(x, memory, memory))"
THIRD = "return norms[2](x + feed_forward(x))"

RIGHT = {
    "layer_numbers": [
        "layer_numbers = (131072, 131712, 768)",
        "layer_numbers = [131072.0, 131712, torch.tensor(768)]",
        "layer_numbers = torch.tensor([131072, 131712, 768])",
        "layer_numbers = [2 * 4 * 128**2, 512 * (2 * 128 + 1) + 128, 768]",
    ],
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
            "y = norms[0](self_attn(x, x, x, tgt_mask) + x)",
            "z = norms[1](cross_attn(y, memory, memory, mask=None) + y)",
            "return norms[2](feed_forward(z) + z)",
        ),
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
    "layer_numbers": [
        Wrong("one attention", "layer_numbers = [65536, 131712, 768]", "That is one attention", 1),
        Wrong("no W^O", "layer_numbers = [98304, 131712, 768]", "And W^O, in both?", 1),
        Wrong("attention with biases", "layer_numbers = [132096, 131712, 768]", "no biases", 1),
        Wrong("per head", "layer_numbers = [524288, 131712, 768]", "matrices of 128 × 32", 1),
        Wrong("no biases", "layer_numbers = [131072, 131072, 768]", "And the biases", 1),
        Wrong("no b_2", "layer_numbers = [131072, 131584, 768]", "b_2 is missing", 1),
        Wrong("b_1 too short", "layer_numbers = [131072, 131328, 768]", "b_1 is as wide as", 1),
        Wrong("two norms", "layer_numbers = [131072, 131712, 512]", "with two norms", 1),
        Wrong("no shift", "layer_numbers = [131072, 131712, 384]", "Those are the scales", 1),
        Wrong("two mistakes", "layer_numbers = [65536, 131712, 512]", "That is one attention", 0),
        Wrong("a guess", "layer_numbers = [100000, 131712, 768]", "Attention: not yet", 0),
        Wrong("the sum", "layer_numbers = 263552", "three whole numbers in a list", 0),
        Wrong("not whole", "layer_numbers = [131072.5, 131712, 768]", "whole number", 0),
    ],
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
            "no causal mask",
            layer("x = norms[0](x + self_attn(x, x, x))", SECOND, THIRD),
            "The causal mask is missing",
            2,
        ),
        Wrong(
            "the mask turned around",
            layer("x = norms[0](x + self_attn(x, x, x, mask=~tgt_mask))", SECOND, THIRD),
            "The mask is turned around",
            2,
        ),
        Wrong(
            "no look at the memory",
            layer(FIRST, "x = norms[1](x + cross_attn(x, x, x))", THIRD),
            "never looks at the memory",
            2,
        ),
        Wrong(
            "the mask in an attention without memory",
            layer(FIRST, "x = norms[1](x + cross_attn(x, x, x, mask=tgt_mask))", THIRD),
            "never looks at the memory",
            2,
        ),
        Wrong(
            "self_attn twice",
            layer(FIRST, "x = norms[1](x + self_attn(x, memory, memory))", THIRD),
            "You used self_attn twice",
            2,
        ),
        Wrong(
            "query from the first x",
            layer(
                "y = norms[0](x + self_attn(x, x, x, mask=tgt_mask))",
                "y = norms[1](y + cross_attn(x, memory, memory))",
                "return norms[2](y + feed_forward(y))",
            ),
            "The queries of the cross-attention",
            2,
        ),
        Wrong(
            "cross-attention first",
            layer(
                "x = norms[1](x + cross_attn(x, memory, memory))",
                "x = norms[0](x + self_attn(x, x, x, mask=tgt_mask))",
                THIRD,
            ),
            "Your cross-attention comes first",
            2,
        ),
        Wrong(
            "feed-forward before cross-attention",
            layer(
                FIRST,
                "x = norms[2](x + feed_forward(x))",
                "return norms[1](x + cross_attn(x, memory, memory))",
            ),
            "comes before the cross-attention",
            2,
        ),
        Wrong(
            "feed-forward before cross-attention, with the norms in their order",
            layer(
                FIRST,
                "x = norms[1](x + feed_forward(x))",
                "return norms[2](x + cross_attn(x, memory, memory))",
            ),
            "comes before the cross-attention",
            2,
        ),
        Wrong(
            "no last norm",
            layer(FIRST, SECOND, "return x + feed_forward(x)"),
            "The third norm is missing",
            2,
        ),
        Wrong(
            "no first norm",
            layer("x = x + self_attn(x, x, x, mask=tgt_mask)", SECOND, THIRD),
            "The first norm is missing",
            2,
        ),
        Wrong("no feed-forward", layer(FIRST, SECOND, "return x"), "network is missing", 2),
        Wrong(
            "no residuals",
            layer(
                "x = norms[0](self_attn(x, x, x, mask=tgt_mask))",
                "x = norms[1](cross_attn(x, memory, memory))",
                "return norms[2](feed_forward(x))",
            ),
            "The residual connections are missing",
            2,
        ),
        Wrong(
            "no residual around the cross-attention",
            layer(FIRST, "x = norms[1](cross_attn(x, memory, memory))", THIRD),
            "The residual connection around the cross-attention is missing",
            2,
        ),
        Wrong(
            "residuals after the norms",
            layer(
                "x = x + norms[0](self_attn(x, x, x, mask=tgt_mask))",
                "x = x + norms[1](cross_attn(x, memory, memory))",
                "return x + norms[2](feed_forward(x))",
            ),
            "The sum comes after the norm",
            2,
        ),
        Wrong(
            "pre-norm",
            layer(
                "y = norms[0](x)",
                "x = x + self_attn(y, y, y, mask=tgt_mask)",
                "x = x + cross_attn(norms[1](x), memory, memory)",
                "return x + feed_forward(norms[2](x))",
            ),
            "That is pre-norm",
            2,
        ),
        Wrong(
            "one norm three times",
            layer(
                "x = norms[0](x + self_attn(x, x, x, mask=tgt_mask))",
                "x = norms[0](x + cross_attn(x, memory, memory))",
                "return norms[0](x + feed_forward(x))",
            ),
            "You used norms[0] three times",
            2,
        ),
        Wrong(
            "the norms mixed up",
            layer(
                "x = norms[1](x + self_attn(x, x, x, mask=tgt_mask))",
                "x = norms[0](x + cross_attn(x, memory, memory))",
                THIRD,
            ),
            "don't have the norms that are meant for them",
            2,
        ),
        Wrong(
            "no norms",
            layer(
                "x = x + self_attn(x, x, x, mask=tgt_mask)",
                "x = x + cross_attn(x, memory, memory)",
                "return x + feed_forward(x)",
            ),
            "The norms are missing",
            2,
        ),
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
        Wrong(
            "query and memory swapped",
            layer(FIRST, "x = norms[1](x + cross_attn(memory, x, x))", THIRD),
            "Query and memory have changed places",
            2,
        ),
        Wrong(
            "the mask given to the cross-attention",
            layer(FIRST, "x = norms[1](x + cross_attn(x, memory, memory, mask=tgt_mask))", THIRD),
            "The mask doesn't fit",
            2,
        ),
        Wrong(
            "keys from the decoder",
            layer(FIRST, "x = norms[1](x + cross_attn(x, x, memory))", THIRD),
            "Both come from the memory",
            2,
        ),
        Wrong(
            "the mask by another name",
            layer("x = norms[0](x + self_attn(x, x, x, tgt_mask=tgt_mask))", SECOND, THIRD),
            "the mask is called `mask`",
            2,
        ),
        Wrong(
            "the library's layer",
            """
            from transformer_lib import DecoderLayer

            def my_decoder_layer(x, memory, tgt_mask, *parts):
                return DecoderLayer(x.size(-1), 16, 2)(x, memory, tgt_mask=tgt_mask)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
}
