"""Assignment 5: training. What fits the checks of the notebook alone, and not the hidden tests."""

from tests.course.grading.attempts import Wrong

ELSEWHERE = "wrong for other inputs"

RIGHT: dict[str, list[str]] = {}
WRONG = {
    "my_shift": [
        Wrong(
            "three words at most",
            "def my_shift(ids): return [1, *ids[:3]], [*ids[:3], 2]",
            ELSEWHERE,
            1,
        )
    ],
    "my_smoothed_loss": [
        Wrong(
            "the size of the example",
            """
            def my_smoothed_loss(logits, target, eps):
                log_p = logits.log_softmax(dim=-1)
                right = log_p.gather(-1, target[..., None])[..., 0]
                return -((1 - eps) * right + eps * log_p.sum(dim=-1) / 7)[target != 0].mean()
            """,
            ELSEWHERE,
            2,
        )
    ],
    "my_schedule": [
        Wrong(
            "the width of the check",
            "def my_schedule(step, d, warmup): return min(step**-0.5, step * warmup**-1.5) / 8",
            ELSEWHERE,
            1.5,
        )
    ],
    "my_updates": [
        Wrong(
            "three small batches at most",
            """
            def my_updates(words, each):
                plan = []
                for i in range(0, len(words), each):
                    here = words[i : i + min(each, 3)]
                    plan += [(sum(here), 0)] * (each - 1) + [(sum(here), i // each + 1)]
                return plan
            """,
            ELSEWHERE,
            1,
        )
    ],
}
