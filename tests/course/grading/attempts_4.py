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
        norm(MEAN, VARIANCE, "return (x - mean) / torch.sqrt(variance + eps) * scale + shift"),
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
            "inside = norm(x) if norm_first else x",
            "total = x + dropout(sublayer(inside))",
            "return total if norm_first else norm(total)",
        ),
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
    "share": [
        "share = 1 / 4",
        "share = -0.25",
        "share = torch.tensor(0.27)",
        "from fractions import Fraction\nshare = Fraction(1, 4)",
    ],
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
            "eps outside the root",
            norm(MEAN, VARIANCE, "return (x - mean) / (variance.sqrt() + eps) * scale + shift"),
            "It belongs inside the root",
            2,
        ),
        Wrong(
            "n - 1",
            norm(
                MEAN,
                "variance = x.var(-1, keepdim=True)",
                "return (x - mean) / (variance + eps).sqrt() * scale + shift",
            ),
            "divides by n − 1",
            2,
        ),
        Wrong(
            "std() + eps, as many write it",
            norm(MEAN, "return scale * (x - mean) / (x.std(-1, keepdim=True) + eps) + shift"),
            "Two things",
            2,
        ),
        *(
            Wrong(
                f"over {axes}",
                norm(
                    f"mean = x.mean({axes}, keepdim=True)",
                    f"variance = x.var({axes}, correction=0, keepdim=True)",
                    "return (x - mean) / (variance + eps).sqrt() * scale + shift",
                ),
                hint,
                2,
            )
            for axes, hint in (
                (1, "over the words of a sentence"),
                (0, "over the sentences of the batch"),
                ((0, 1), "that is batch norm"),
                ((1, 2), "over a whole sentence"),
            )
        ),
        Wrong(
            "no scale and shift",
            norm(MEAN, VARIANCE, "return (x - mean) / (variance + eps).sqrt()"),
            "Scale and shift are missing",
            2,
        ),
        Wrong(
            "no shift",
            norm(MEAN, VARIANCE, "return scale * (x - mean) / (variance + eps).sqrt()"),
            "The shift is missing",
            2,
        ),
        Wrong(
            "scale and shift swapped",
            norm(MEAN, VARIANCE, "return shift * (x - mean) / (variance + eps).sqrt() + scale"),
            "have changed places",
            2,
        ),
        Wrong(
            "shift before scale",
            norm(MEAN, VARIANCE, "return scale * ((x - mean) / (variance + eps).sqrt() + shift)"),
            "First scale, then shift",
            2,
        ),
        Wrong(
            "divided by the variance",
            norm(MEAN, VARIANCE, "return (x - mean) / (variance + eps) * scale + shift"),
            "You divide by the variance",
            2,
        ),
        Wrong(
            "root of the standard deviation",
            norm(
                MEAN,
                "deviation = x.std(-1, correction=0, keepdim=True)",
                "return (x - mean) / (deviation + eps).sqrt() * scale + shift",
            ),
            "It is a root already",
            2,
        ),
        Wrong(
            "mean not subtracted",
            norm(VARIANCE, "return x / (variance + eps).sqrt() * scale + shift"),
            "The mean isn't subtracted",
            2,
        ),
        Wrong(
            "RMS norm",
            norm(
                "squares = (x**2).mean(-1, keepdim=True)",
                "return x / (squares + eps).sqrt() * scale + shift",
            ),
            "That is RMS norm",
            2,
        ),
        Wrong(
            "a sum of squares",
            norm(
                MEAN,
                "total = ((x - mean) ** 2).sum(-1, keepdim=True)",
                "return (x - mean) / (total + eps).sqrt() * scale + shift",
            ),
            "You add up the squared distances",
            2,
        ),
        Wrong(
            "no eps",
            norm(MEAN, VARIANCE, "return (x - mean) / variance.sqrt() * scale + shift"),
            "eps is missing",
            2,
        ),
        Wrong(
            "another eps",
            norm(MEAN, VARIANCE, "return (x - mean) / (variance + 0.5).sqrt() * scale + shift"),
            "Use the eps that is handed in",
            2,
        ),
        *(
            Wrong(
                f"a fixed {eps}",
                norm(
                    MEAN,
                    VARIANCE,
                    f"y = (x - mean) / (variance + {eps}).sqrt()",
                    "return y * scale + shift",
                ),
                "a small number of your own",
                2,
            )
            for eps in ("1e-5", "1e-6", "1e-12")
        ),
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
        Wrong(
            "no keepdim",
            norm("return (x - x.mean(-1)) / (x.var(-1) + eps).sqrt() * scale + shift"),
            "keepdim=True",
            2,
        ),
        Wrong(
            "torch's own",
            norm("return torch.nn.functional.layer_norm(x, scale.shape, scale, shift, eps)"),
            "write its steps yourself",
            0,
        ),
        Wrong("x as it came", norm("return x"), "the numbers aren't", 0),
    ],
    "my_add_and_norm": [
        Wrong(
            "always post-norm",
            around("return norm(x + dropout(sublayer(x)))"),
            "With norm_first=True: This is the other one",
            1.5,
        ),
        Wrong(
            "always pre-norm",
            around("return x + dropout(sublayer(norm(x)))"),
            "With norm_first=False: This is the other one",
            1.5,
        ),
        Wrong(
            "no residual",
            around(PRE, "return norm(dropout(sublayer(x)))"),
            "The residual connection is missing",
            1.5,
        ),
        Wrong(
            "no residual in pre-norm",
            around(POST, "return dropout(sublayer(norm(x)))"),
            "With norm_first=True: The residual connection is missing",
            1.5,
        ),
        Wrong(
            "residual after the norm",
            around(PRE, "return x + norm(dropout(sublayer(x)))"),
            "In post-norm it comes after the sum",
            1.5,
        ),
        Wrong(
            "pre-norm adds the normalized x",
            around(
                "if norm_first:",
                "    x = norm(x)",
                "    return x + dropout(sublayer(x))",
                "return norm(x + dropout(sublayer(x)))",
            ),
            "You add the normalized x",
            1.5,
        ),
        Wrong(
            "dropout on the residual",
            around(PRE, "return norm(dropout(x) + sublayer(x))"),
            "Dropout acts on x",
            1.5,
        ),
        Wrong(
            "dropout on the sum",
            around(POST, "return dropout(x + sublayer(norm(x)))"),
            "Dropout acts on the sum",
            1.5,
        ),
        Wrong(
            "dropout at the very end",
            around(PRE, "return dropout(norm(x + sublayer(x)))"),
            "Dropout comes after the norm",
            1.5,
        ),
        Wrong(
            "dropout before the sub-layer",
            around(PRE, "return norm(x + sublayer(dropout(x)))"),
            "Dropout acts on what goes into the sub-layer",
            1.5,
        ),
        Wrong(
            "dropout before the sub-layer, in pre-norm",
            around(POST, "return x + sublayer(dropout(norm(x)))"),
            "With norm_first=True: Dropout acts on what goes into the sub-layer",
            1.5,
        ),
        Wrong(
            "dropout before the norm, in pre-norm",
            around(POST, "return x + sublayer(norm(dropout(x)))"),
            "Dropout acts on what goes into the norm",
            1.5,
        ),
        Wrong("no dropout", around(PRE, "return norm(x + sublayer(x))"), "Dropout is missing", 1.5),
        Wrong(
            "no norm",
            around(PRE, "return x + dropout(sublayer(x))"),
            "The norm is missing",
            1.5,
        ),
        Wrong(
            "norm after the sub-layer in pre-norm",
            around(POST, "return x + dropout(norm(sublayer(x)))"),
            "the norm comes before the sub-layer",
            1.5,
        ),
        Wrong(
            "two norms",
            around(POST, "return norm(x + dropout(sublayer(norm(x))))"),
            "There are two norms",
            1.5,
        ),
        Wrong(
            "the sub-layer runs twice",
            around(POST, "sublayer(x)", "return x + dropout(sublayer(norm(x)))"),
            "runs 2 times",
            1.5,
        ),
        Wrong(
            "a norm of one's own instead of the given one",
            around(
                POST,
                "y = torch.nn.functional.layer_norm(x, (7,))",
                "return x + dropout(sublayer(y))",
            ),
            "The norm should be the one that is handed in",
            1.5,
        ),
        Wrong(
            "torch's dropout",
            around(PRE, "return norm(x + torch.nn.functional.dropout(sublayer(x)))"),
            "Use the dropout that is handed in",
            0,
        ),
        Wrong(
            "the library's",
            """
            from transformer_lib import SublayerConnection

            def my_add_and_norm(x, sublayer, norm, dropout, norm_first):
                return SublayerConnection(x.size(-1), 0.0, norm_first)(x, sublayer)
            """,
            "does the whole exercise for you",
            0,
        ),
        Wrong("x as it came", around("return x"), "the numbers aren't", 0),
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
    "share": [
        Wrong("as in the model", "share = 1", "which is too much", 0),
        Wrong("too small", "share = 0.1", "which isn't enough", 0),
        Wrong("the sub-layers left out", "share = 0", "the sub-layers add nothing", 0),
        Wrong("a function", "share = growth", "Give one number", 0),
    ],
}
