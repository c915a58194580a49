"""Assignment 6: decoding, BLEU and honest reading."""

from tests.course.grading.attempts import Wrong

# A student's own class with the fields of a Hypothesis; what is chosen comes back in it.
OWN_CHOICE = """
from collections import namedtuple

Candidate = namedtuple("Candidate", "score finished log_prob ids")

def my_choice(hypotheses, alpha):
    def own(one):
        length = len(one.ids) + one.finished
        return Candidate({score}, one.finished, one.log_prob, one.ids)

    return max(map(own, hypotheses), key=lambda one: (one.finished, one.score))
"""

AT_MOST_PAIRS = """
def groups(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

def my_precision(texts, references, n):
    pairs = [[groups(words, min(n, 2)) for words in pair] for pair in zip(texts, references)]
    return sum((a & b).total() for a, b in pairs) / sum(a.total() for a, _ in pairs)
"""
WRITTEN_IN = """
def my_brevity(c, r):
    return 1 if c >= r else math.exp(1 - 11 / 7)
"""


RIGHT = {
    "my_choice": [OWN_CHOICE.format(score="one.log_prob / ((5 + length) / 6) ** alpha")],
}

WRONG = {
    "my_greedy": [
        Wrong(
            "lengths of the example",
            """
            def my_greedy(model, src, max_length):
                words = [BOS]
                while len(words) <= 7 and words[-1] != EOS:
                    words.append(int(model(src, torch.tensor([words]))[0, -1].argmax()))
                return [word for word in words[1:] if word != EOS]
            """,
            "wrong for other inputs",
            1.5,
        ),
    ],
    "my_beam_step": [
        Wrong(
            "seven words",
            """
            def my_beam_step(so_far, following, k):
                sums, index = (so_far[:, None] + following).flatten().topk(k)
                return index // 7, index % 7, sums
            """,
            "wrong for other inputs",
            1.5,
        ),
    ],
    "my_choice": [
        Wrong("no normalization", OWN_CHOICE.format(score="one.log_prob"), "ignore alpha", 1),
        Wrong(
            "other fields",
            OWN_CHOICE.replace("log_prob ids", "sum ids").format(score="one.log_prob"),
            "as it is",
            0,
        ),
    ],
    "my_precision": [
        Wrong("at most pairs", AT_MOST_PAIRS, "wrong for other inputs", 1),
    ],
    "my_brevity": [
        Wrong("written in", WRITTEN_IN, "wrong for other inputs", 0.5),
    ],
}
