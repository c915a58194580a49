"""Assignment 3: heads and masks."""

from tests.course.grading.attempts import Wrong


def mask(body: str) -> str:
    """padding: (b, 1, 1, t). triangle: (t, t), the right one."""
    return f"""
def my_mask(ids):
    t = ids.size(1)
    padding = (ids != PAD)[:, None, None, :]
    triangle = torch.ones(t, t).tril().bool()
    return {body}
"""


def weights(body: str) -> str:
    return f"def my_hidden_weights(scores, mask):\n    return {body}"


RIGHT = {
    "my_mask": [
        mask("padding & triangle"),
        mask("torch.logical_and(padding, triangle[None, None])"),
        mask("(padding * torch.ones(t, t)).tril().bool()"),
        """
        def my_mask(ids):
            b, t = ids.shape
            out = torch.zeros(b, 1, t, t, dtype=torch.bool)
            for n in range(b):
                for i in range(t):
                    for j in range(i + 1):
                        out[n, 0, i, j] = ids[n, j] != PAD
            return out
        """,
        """
        import numpy as np

        def my_mask(ids):
            real = ids.numpy() != PAD
            return np.tril(np.ones((ids.shape[1],) * 2, bool))[None, None] & real[:, None, None]
        """,
    ],
    "my_hidden_weights": [
        weights("scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0)"),
        weights("torch.where(mask, scores, -math.inf).softmax(dim=-1).nan_to_num(0.0)"),
        weights("(scores + (~mask) * -1e9).softmax(dim=-1) * mask.any(dim=-1, keepdim=True)"),
        """
        def my_hidden_weights(scores, mask):
            powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values) * mask
            total = powers.sum(dim=-1, keepdim=True)
            return torch.where(total > 0, powers / total, 0.0)
        """,
        """
        def my_hidden_weights(scores, mask):
            out = torch.zeros_like(scores)
            b, h, q, k = scores.shape
            for n in range(b):
                for i in range(q):
                    seen = mask[n, 0, i]
                    if seen.any():
                        out[n, :, i, seen] = scores[n, :, i, seen].softmax(dim=-1)
            return out
        """,
        """
        def my_hidden_weights(scores, mask):
            scores = scores.masked_fill_(~mask, -torch.inf)
            scores -= scores.amax(dim=-1, keepdim=True).nan_to_num_(neginf=0.0)
            return scores.exp_().div_(scores.sum(dim=-1, keepdim=True).clamp_(min=1e-9))
        """,
        """
        import numpy as np

        def my_hidden_weights(scores, mask):
            seen = np.where(mask.numpy(), scores.numpy(), -1e30)
            powers = np.exp(seen - seen.max(-1, keepdims=True)) * mask.numpy()
            return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-9)
        """,
    ],
    "leaks": [
        "leaks = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]",
        "leaks = {(i, i + 1) for i in range(5)}",
        """
        leaks = []
        for t in range(5):
            for j in range(t + 1, 6):
                new = ids.clone()
                new[j] = 0
                if not torch.allclose(suspect(new)[t], suspect(ids)[t]):
                    leaks.append([t, j])
        """,
        """
        moved = torch.zeros(6, 6, dtype=torch.bool)
        for j in range(6):
            new = ids.clone()
            new[j] = 15
            moved[:, j] = (suspect(new) != outputs).any(dim=1)
        leaks = moved.triu(1).nonzero()
        """,
    ],
}

SAW_ALL = """
leaks = []
for j in range(6):
    new = ids.clone()
    new[j] = 8
    moved = (suspect(new) != outputs).any(dim=1)
    leaks += [(t, j) for t in range(6) if moved[t]]
"""

WRONG = {
    "my_mask": [
        Wrong("inverted", mask("~(padding & triangle)"), "True marks what must be hidden", 1.5),
        Wrong("padding inverted", mask("~padding & triangle"), "True should mark real", 1.5),
        Wrong("triangle inverted", mask("padding & ~triangle"), "only what comes later", 1.5),
        Wrong("upper triangle", mask("padding & triangle.T"), "triangle is turned round", 1.5),
        Wrong("no diagonal", mask("padding & triangle.tril(-1)"), "The diagonal is missing", 1.5),
        Wrong(
            "shifted by one",
            mask("padding & torch.ones(t, t).tril(1).bool()"),
            "see one word ahead",
            1.5,
        ),
        Wrong("or", mask("padding | triangle"), "what *one* of the masks allows", 1.5),
        Wrong("no padding", mask("triangle[None, None]"), "hidden, the padding isn't", 1.5),
        Wrong("no padding, no axes", mask("triangle"), "hidden, the padding isn't", 1.5),
        Wrong("no triangle", mask("padding"), "later words aren't", 1.5),
        Wrong("queries", mask("padding.transpose(2, 3) & triangle"), "padded *queries*", 1.5),
        Wrong("both", mask("padding & padding.mT & triangle"), "padded *queries*", 1.5),
        Wrong("special", mask("(ids > 3)[:, None, None] & triangle"), "are real tokens", 1.5),
        Wrong("eos", mask("(ids != 2)[:, None, None] & triangle"), "<eos> is hidden", 1.5),
        Wrong("bos", mask("(ids != 1)[:, None, None] & triangle"), "<bos> is hidden", 1.5),
        Wrong("three axes", mask("(ids != PAD)[:, None] & triangle"), "no axis for the heads", 1.5),
        Wrong("ones and zeros", mask("(padding & triangle).float()"), "A mask is boolean", 1.5),
        Wrong("a size", mask("padding & (torch.ones(7, 7).tril() > 0)"), "other inputs", 1.5),
        Wrong(
            "only what the check tries",
            mask("padding & triangle if t in (3, 7) else triangle[None, None]"),
            "wrong for other inputs",
            1.5,
        ),
        Wrong("two axes", mask("(ids != PAD) & triangle"), "don't stretch to a common shape", 1.5),
        Wrong(
            "to be added",
            mask("torch.zeros(t, t).masked_fill(~(padding & triangle), -math.inf)"),
            "a mask to be added to the scores",
            0,
        ),
        Wrong(
            "the library's",
            """
            from transformer_lib import causal_mask, padding_mask

            def my_mask(ids):
                return padding_mask(ids) & causal_mask(ids.size(1))
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_hidden_weights": [
        Wrong(
            "inverted",
            weights("scores.masked_fill(mask, -1e9).softmax(-1)"),
            "the wrong way round",
            1.5,
        ),
        Wrong(
            "after the softmax",
            weights("scores.softmax(dim=-1) * mask"),
            "mask comes after the softmax",
            1.5,
        ),
        Wrong(
            "a large positive number",
            weights("scores.masked_fill(~mask, 1e9).softmax(dim=-1) * mask.any(-1, True)"),
            "very large, so it gets all the weight",
            1.5,
        ),
        Wrong(
            "exp times mask, over a clamped sum",
            """
            def my_hidden_weights(scores, mask):
                powers = (scores - scores.amax(dim=-1, keepdim=True)).exp() * mask
                return powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-9)
            """,
            "Where one of them is 50",
            1.5,
        ),
        Wrong(
            "exp times mask, and nothing else",
            """
            def my_hidden_weights(scores, mask):
                powers = scores.exp() * mask
                return powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-9)
            """,
            "e to the power of them overflows",
            1.5,
        ),
        Wrong(
            "exp times mask, with a small number in the sum",
            """
            def my_hidden_weights(scores, mask):
                powers = scores.exp() * mask
                return powers / (powers.sum(dim=-1, keepdim=True) + 1e-9)
            """,
            "e to the power of them overflows",
            1.5,
        ),
        Wrong(
            "a softmax before the masked one",
            weights("scores.softmax(-1).masked_fill(~mask, -1e9).softmax(-1) * mask"),
            "two softmaxes",
            1.5,
        ),
        Wrong(
            "a softmax after the masked one",
            weights("scores.masked_fill(~mask, -1e9).softmax(-1).softmax(-1) * mask"),
            "two softmaxes",
            1.5,
        ),
        Wrong(
            "masked twice",
            """
            def my_hidden_weights(scores, mask):
                for _ in range(2):
                    scores = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
                return scores * mask
            """,
            "two softmaxes",
            1.5,
        ),
        Wrong(
            "scaled again",
            weights(
                "(scores / scores.size(-1) ** 0.5).masked_fill(~mask, -1e9).softmax(-1) * mask"
            ),
            "They are scaled already",
            1.5,
        ),
        Wrong("0 for -inf", weights("(scores * mask).softmax(-1)"), "power of 0 is 1", 1.5),
        Wrong(
            "0 for -inf, filled in",
            weights("scores.masked_fill(~mask, 0.0).softmax(-1)"),
            "power of 0 is 1",
            1.5,
        ),
        Wrong("mask added", weights("(scores + mask).softmax(-1)"), "still get weight", 1.5),
        Wrong(
            "no effect",
            """
            def my_hidden_weights(scores, mask):
                scores.masked_fill(~mask, -1e9)
                return scores.softmax(dim=-1)
            """,
            "masked_fill returns a new tensor",
            1.5,
        ),
        Wrong(
            "over the queries",
            weights("scores.masked_fill(~mask, -1e9).softmax(dim=-2)"),
            "Each column adds up to 1",
            1.5,
        ),
        Wrong(
            "over the heads",
            weights("scores.masked_fill(~mask, -1e9).softmax(dim=1) * mask"),
            "over the sentences or the heads",
            1.5,
        ),
        Wrong(
            "no softmax",
            weights("scores.masked_fill(~mask, -math.inf)"),
            "the softmax is missing",
            1.5,
        ),
        Wrong(
            "an empty row of NaN",
            weights("scores.masked_fill(~mask, -math.inf).softmax(dim=-1)"),
            "NaN in the row that may see nothing",
            1.5,
        ),
        Wrong(
            "an empty row of fifths",
            weights("scores.masked_fill(~mask, -1e9).softmax(dim=-1)"),
            "0.2 everywhere",
            1.5,
        ),
        Wrong(
            "zero times infinity",
            weights("(scores + (~mask) * -math.inf).softmax(dim=-1)"),
            "Everything is NaN",
            1.5,
        ),
        Wrong(
            "not low enough",
            weights("scores.masked_fill(~mask, -100.0).softmax(dim=-1) * mask"),
            "isn't low enough",
            1.5,
        ),
        Wrong(
            "only what the check tries",
            weights(
                "scores[..., :5].masked_fill(~mask[..., :5], -1e9).softmax(-1) * mask[..., :5]"
            ),
            "wrong for other inputs",
            1.5,
        ),
        Wrong("another shape", weights("scores.softmax(-1)[:, 0]"), "of the same shape", 0),
        Wrong(
            "the library's",
            """
            def my_hidden_weights(scores, mask):
                eye = torch.eye(scores.size(-1)) * scores.size(-1) ** 0.5
                return torch.nn.functional.scaled_dot_product_attention(scores, eye, eye, mask)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "leaks": [
        Wrong("nothing found", "leaks = []", "You found nothing", 0),
        Wrong("turned", "leaks = [(i + 1, i) for i in range(5)]", "the wrong way round", 0.5),
        Wrong("from 1", "leaks = [(i, i + 1) for i in range(1, 6)]", "count from 0", 0.5),
        Wrong("one word only", "leaks = [(2, 3)]", "it isn't all: 1 of the pairs", 0.5),
        Wrong("earlier words, too", SAW_ALL, "All leaks are there, and more", 0.5),
        Wrong(
            "three layers",
            "leaks = [(t, j) for t in range(6) for j in range(t + 1, 6) if j - t <= 3]",
            "with more than one layer",
            0.5,
        ),
        Wrong(
            "all pairs, whatever the model does",
            "leaks = [(t, j) for j in range(6) for t in range(j)]",
            "Did you measure?",
            0,
        ),
        Wrong("the triangle", "leaks = [(3, 3), (3, 2)]", "A leak is a *later* word", 0),
        Wrong("guessed", "leaks = [(0, 5), (1, 4)]", "Some pairs here don't leak", 0),
        Wrong("no pairs", "leaks = [0, 1, 2, 3, 4]", "Give pairs", 0),
    ],
}
