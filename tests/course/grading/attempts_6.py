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

PRECISION = """
def groups(words, n):
    return [tuple(words[i : i + n]) for i in range({count})]

def both(text, reference, n):
    a, b = Counter(groups(text, n)), Counter(groups(reference, n))
    return {right}, {written}

def my_precision(texts, references, n):
    {first}
    pairs = [both(text, reference, {size}) for text, reference in zip(texts, references)]
    return {share}
"""
USUAL_PRECISION = {
    "count": "len(words) - n + 1",
    "right": "(a & b).total()",
    "written": "a.total()",
    "first": "",
    "size": "n",
    "share": "sum(right for right, _ in pairs) / sum(written for _, written in pairs)",
}


def precision(**mistake: str) -> str:
    return PRECISION.format(**USUAL_PRECISION | mistake)


def brevity(formula: str) -> str:
    return f"def my_brevity(c, r):\n    return {formula}"


RIGHT = {
    "my_choice": [OWN_CHOICE.format(score="one.log_prob / ((5 + length) / 6) ** alpha")],
    "my_precision": [
        precision(),
        """
        def my_precision(texts, references, n):
            right = written = 0
            for text, reference in zip(texts, references):
                left = [" ".join(g) for g in zip(*(reference[i:] for i in range(n)))]
                for group in zip(*(text[i:] for i in range(n))):
                    written += 1
                    if " ".join(group) in left:
                        left.remove(" ".join(group))
                        right += 1
            return right / written
        """,
        """
        from fractions import Fraction

        def my_precision(texts, references, n):
            right = written = 0
            while texts:
                text, reference = texts.pop(), references.pop()
                ours = Counter(map(tuple, zip(*[text[i:] for i in range(n)])))
                theirs = Counter(map(tuple, zip(*[reference[i:] for i in range(n)])))
                right += sum(min(ours[group], theirs[group]) for group in ours)
                written += sum(ours.values())
            return Fraction(right, written)
        """,
    ],
    "my_brevity": [
        brevity("1 if c >= r else math.exp(1 - r / c)"),
        brevity("math.exp(-max(0, r - c) / c)"),
        brevity("torch.exp(1 - torch.tensor(r / c)).clamp(max=1).item()"),
        "import numpy as np\n" + brevity("np.array(np.exp(min(0, 1 - r / c)))"),
        brevity("torch.exp(1 - torch.tensor(r / c)).clamp(max=1)"),
    ],
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
        Wrong(
            "in percent",
            precision(share="100 * sum(r for r, _ in pairs) / sum(w for _, w in pairs)"),
            "in percent",
            1,
        ),
        Wrong(
            "no clipping",
            precision(right="sum(count for group, count in a.items() if group in b)"),
            "at most as many times",
            1,
        ),
        Wrong(
            "mean over the sentences",
            precision(
                share="sum(right / max(written, 1) for right, written in pairs) / len(pairs)"
            ),
            "mean over",
            1,
        ),
        Wrong(
            "sets",
            precision(right="len(set(a) & set(b))", written="len(set(a))"),
            "A set forgets",
            1,
        ),
        Wrong(
            "groups sorted",
            precision().replace("tuple(words[i : i + n])", "tuple(sorted(words[i : i + n]))"),
            "The order of the words in a group",
            1,
        ),
        Wrong("a set against all", precision(right="len(set(a) & set(b))"), "A set forgets", 1),
        Wrong(
            "all in one",
            precision(first="texts, references = [sum(texts, [])], [sum(references, [])]"),
            "joined into one",
            1,
        ),
        Wrong("recall", precision(written="b.total()"), "called recall", 1),
        Wrong(
            "not divided",
            precision(share="sum(right for right, _ in pairs)"),
            "That is how many",
            1,
        ),
        Wrong(
            "the last group forgotten",
            precision(count="len(words) - n"),
            "last group is missing",
            1,
        ),
        Wrong("short groups at the end", precision(count="len(words)"), "fewer than n words", 1),
        Wrong("always single words", precision(size="1"), "n changes nothing", 1),
        Wrong("not a number", precision(share="pairs"), "one number", 0),
        Wrong("at most pairs", precision(size="min(n, 2)"), "wrong for other inputs", 1),
    ],
    "my_brevity": [
        Wrong("upside down", brevity("min(1, math.exp(1 - c / r))"), "upside down", 0.5),
        Wrong("the long ones", brevity("1 if c <= r else math.exp(1 - r / c)"), "wrong texts", 0.5),
        Wrong(
            "arguments exchanged",
            brevity("1 if r >= c else math.exp(1 - c / r)"),
            "upside down",
            0.5,
        ),
        Wrong("no limit", brevity("math.exp(1 - r / c)"), "never more than 1", 0.5),
        Wrong("long ones as well", brevity("math.exp(1 - max(r / c, c / r))"), "Long texts", 0.5),
        Wrong("the ratio", brevity("min(1, c / r)"), "the ratio itself", 0.5),
        Wrong("the exponent", brevity("min(1, 1 - r / c)"), "the exponent", 0.5),
        Wrong(
            "the wrong sign", brevity("math.exp(r / c - 1) if c < r else 1"), "sign is wrong", 0.5
        ),
        Wrong("no 1", brevity("math.exp(-r / c) if c < r else 1"), "1 is missing", 0.5),
        Wrong(
            "0 for long ones",
            brevity("math.exp(1 - r / c) if c < r else 0"),
            "nothing to punish",
            0.5,
        ),
        Wrong("always 1", brevity("1"), "too short is punished", 0),
        Wrong(
            "written in",
            brevity("1 if c >= r else math.exp(1 - 11 / 7)"),
            "wrong for other inputs",
            0.5,
        ),
    ],
}
