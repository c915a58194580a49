"""Assignment 1: what is right for the sizes that the checks try, and for no others."""

from tests.course.grading.attempts import Wrong

ELSEWHERE = "wrong for other inputs"

RIGHT: dict[str, list[str]] = {}
WRONG = {
    "my_rows": [
        Wrong(
            "a size of the example in the code",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids.flatten()].view(-1, 3, vocab)
            """,
            ELSEWHERE,
            1.5,
        ),
        Wrong(
            "a table made for 1,794 words",
            """
            def my_rows(ids, vocab):
                return torch.eye(1794)[ids][..., :vocab]
            """,
            ELSEWHERE,
            1.5,
        ),
    ],
    "my_embeddings": [
        Wrong(
            "a size of the example in the code",
            """
            def my_embeddings(ids, table):
                return table[ids] * math.sqrt(7)
            """,
            ELSEWHERE,
            1.5,
        ),
    ],
}
