"""Assignment 3: what is right for the sizes that the checks try, and for no others."""

from tests.course.grading.attempts import Wrong

ELSEWHERE = "wrong for other inputs"

RIGHT: dict[str, list[str]] = {}
WRONG = {
    "my_mask": [
        Wrong(
            "the padding only for two lengths",
            """
            def my_mask(ids):
                t = ids.size(1)
                triangle = torch.ones(1, 1, t, t).tril().bool()
                return (ids != PAD)[:, None, None] & triangle if t in (3, 7) else triangle
            """,
            ELSEWHERE,
            1.5,
        ),
    ],
    "my_hidden_weights": [
        Wrong(
            "five keys",
            """
            def my_hidden_weights(scores, mask):
                scores, mask = scores[..., :5], mask[..., :5]
                return scores.masked_fill(~mask, -1e9).softmax(-1) * mask
            """,
            ELSEWHERE,
            1.5,
        ),
    ],
}
