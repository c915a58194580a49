"""Assignment 6: decoding, BLEU and honest reading."""

from tests.course.grading.attempts import Wrong

THREE = """
greedy_finds, beam_of_two_finds, likeliest = {}
"""

# Greedy decoding with a place for each mistake.
GREEDY = """
def my_greedy(model, src, max_length):
    words = [{begin}]
    while {going_on}:
        rows = model(src, torch.tensor([{reads}]))[0]
        best = int({best})
        {after}
    return {result}
"""
USUAL = {
    "begin": "BOS",
    "going_on": "len(words) <= max_length and words[-1] != EOS",
    "reads": "words",
    "best": "rows[-1].argmax()",
    "after": "words.append(best)",
    "result": "[word for word in words[1:] if word != EOS]",
}


def greedy(**mistake: str) -> str:
    return GREEDY.format(**USUAL | mistake)


# One step of a beam with a place for each mistake.
STEP = """
def my_beam_step(so_far, following, k):
    total = {total}
    sums, index = {best}
    branches, words = {parts}
    return {result}
"""
USUAL_STEP = {
    "total": "so_far[:, None] + following",
    "best": "total.flatten().topk(k)",
    "parts": "index // following.size(1), index % following.size(1)",
    "result": "branches, words, sums",
}


def step(**mistake: str) -> str:
    return STEP.format(**USUAL_STEP | mistake)


BEST = "max(hypotheses, key=lambda one: (one.finished, score(one)))"
CHOICE = """
def my_choice(hypotheses, alpha):
    def score(one):
        length = {length}
        return {score}

    return {result}
"""
USUAL_CHOICE = {
    "length": "len(one.ids) + one.finished",
    "score": "one.log_prob / ((5 + length) / 6) ** alpha",
    "result": BEST,
}


def choice(**mistake: str) -> str:
    return CHOICE.format(**USUAL_CHOICE | mistake)


# The same four fields under a name of the student's own; what is chosen comes back in it.
OWN_DATACLASS = """
from dataclasses import dataclass

@dataclass
class Candidate:
    ids: tuple
    log_prob: float
    score: float
    finished: bool
    words: int = 0

def own(one, number):
    return Candidate(tuple(one.ids), one.log_prob, number, one.finished)
"""
OWN_NAMED_TUPLE = """
from collections import namedtuple

Candidate = namedtuple("Candidate", "score finished log_prob ids")

def own(one, number):
    return Candidate(number, one.finished, one.log_prob, one.ids)
"""
OTHER_FIELDS = """
from collections import namedtuple

Candidate = namedtuple("Candidate", "score ids")

def own(one, number):
    return Candidate(number, one.ids)
"""
OWN = "max([own(h, score(h)) for h in hypotheses], key=lambda one: (one.finished, one.score))"

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


COW = "The cow didn't cross the river because it was too "
TIRED, WIDE = (f"{COW}tired", "cow", "river"), (f"{COW}wide", "river", "cow")
COLD = ("The dog didn't drink the soup because it was too cold", "soup", "dog")
THIRSTY = ("The dog didn't drink the soup because it was too tired", "dog", "soup")
BOTH_MASCULINE = ("The mouse didn't eat the cheese because it was too tired", "mouse", "cheese")
ANIMAL = ("The animal didn't cross the street because it was too tired", "animal", "street")


def two(changes: object, stays: object) -> str:
    return f"changes = {changes!r}\nstays = {stays!r}"


RIGHT = {
    "greedy_finds": [
        THREE.format("0.18, 0.21, 0.25"),
        THREE.format("torch.tensor([18, 21, 25]) / 100"),
        "from fractions import Fraction\n"
        + THREE.format("Fraction(18, 100), Fraction(21, 100), Fraction(1, 4)"),
    ],
    "my_greedy": [
        greedy(),
        """
        def my_greedy(model, src, max_length):
            tgt = torch.full((1, 1), BOS)
            for _ in range(max_length):
                probabilities = model(src, tgt)[:, -1].softmax(dim=-1)
                word = probabilities.topk(1).indices
                if word.item() == EOS:
                    break
                tgt = torch.cat([tgt, word], dim=1)
            return tgt[0, 1:].tolist()
        """,
        """
        def my_greedy(model, src, max_length):
            def rest(words):
                if len(words) > max_length:
                    return []
                logits = model(src, torch.tensor(words).unsqueeze(0)).squeeze(0)[len(words) - 1]
                word = max(range(len(logits)), key=lambda i: logits[i].item())
                return [] if word == EOS else [word] + rest(words + [word])

            return rest([BOS])
        """,
        """
        import numpy as np

        def my_greedy(model, src, max_length):
            words = np.array([[BOS]])
            while words.shape[1] <= max_length:
                best = np.argmax(model(src, tgt_in=torch.tensor(words)).numpy()[0, -1])
                if best == EOS:
                    break
                words = np.append(words, [[best]], axis=1)
            return words[0, 1:]
        """,
        """
        def my_greedy(model, src, max_length):
            words = [BOS]
            for _ in range(max_length):
                words.append(int(model(tgt_in=torch.tensor([words]), src=src)[0, -1].argmax()))
                if words[-1] == EOS:
                    return words[1:-1]
            return words[1:]
        """,
    ],
    "my_beam_step": [
        step(),
        """
        def my_beam_step(so_far, following, k):
            every = [(so_far[i].item() + following[i][j].item(), i, j)
                     for i in range(len(so_far)) for j in range(len(following[i]))]
            best = sorted(every, reverse=True)[:k]
            sums, branches, words = zip(*best)
            return torch.tensor(branches), torch.tensor(words), torch.tensor(sums)
        """,
        """
        def my_beam_step(so_far, following, k):
            few = min(k, following.shape[1])
            values, words = following.topk(few, dim=-1)  # no branch can give more than k
            sums = (values.T + so_far).T.reshape(-1)
            order = torch.argsort(sums, descending=True)[:k]
            branches = torch.div(order, few, rounding_mode="floor")
            return branches, words.reshape(-1)[order], sums[order]
        """,
        """
        def my_beam_step(so_far, following, k):
            following += so_far[:, None]
            sums, places = following.view(-1).topk(k)
            return torch.floor(places / following.size(1)), places % following.size(1), sums
        """,
        """
        import numpy as np

        def my_beam_step(so_far, following, k):
            sums = so_far.numpy()[:, None] + following.numpy()
            order = np.argsort(sums, axis=None)[::-1][:k]
            branches, words = np.unravel_index(order, sums.shape)
            return branches, words, np.sort(sums, axis=None)[::-1][:k]
        """,
    ],
    "my_choice": [
        choice(),
        """
        import dataclasses

        def my_choice(found, alpha):
            scored = [dataclasses.replace(one, score=one.log_prob / ((5 + len(one.ids)
                      + one.finished) / 6) ** alpha) for one in found]
            return max(scored, key=lambda one: (one.finished, one.score))
        """,
        """
        def my_choice(found, alpha):
            best, best_score = None, -math.inf
            for one in [one for one in found if one.finished] or found:
                words = len(one.ids) + 1 if one.finished else len(one.ids)
                score = one.log_prob * (6 / (5 + words)) ** alpha
                if score > best_score:
                    best, best_score = one, score
            return best
        """,
        """
        from transformer_lib.decoding import penalty

        def my_choice(found, alpha):
            done = list(filter(lambda one: one.finished, found)) or found
            return min(done, key=lambda h: -h.log_prob / penalty(len(h.ids) + h.finished, alpha))
        """,
        """
        import dataclasses
        import numpy as np

        def my_choice(hypotheses, alpha):
            lengths = np.array([len(one.ids) + one.finished for one in hypotheses])
            sums = np.array([one.log_prob for one in hypotheses])
            scores = sums / ((5 + lengths) / 6) ** alpha
            done = np.array([one.finished for one in hypotheses])
            return hypotheses[np.lexsort([scores, done])[-1]]
        """,
        OWN_DATACLASS + choice(result=OWN),
        "import dataclasses\n" + choice(result=f"dataclasses.replace({BEST}, score=0.5)"),
        OWN_NAMED_TUPLE + choice(result=OWN),
    ],
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
    "changes": [two(TIRED, WIDE), two(COLD, list(THIRSTY))],
}

WRONG = {
    "greedy_finds": [
        Wrong("only the first word", THREE.format("0.45, 0.21, 0.25"), "first word alone", 1),
        Wrong("added", THREE.format("0.85, 0.21, 0.25"), "probabilities are multiplied", 1),
        Wrong("all added", THREE.format("0.85, 1.0, 1.25"), "probabilities are multiplied", 0),
        Wrong(
            "greedy as the best", THREE.format("0.25, 0.21, 0.25"), "doesn't look for the best", 1
        ),
        Wrong("beam as greedy", THREE.format("0.18, 0.18, 0.25"), "holds a and b", 1),
        Wrong("beam finds c", THREE.format("0.18, 0.25, 0.25"), "c was dropped", 1),
        Wrong(
            "the best as the beam", THREE.format("0.18, 0.21, 0.21"), "what follows c as well", 1
        ),
        Wrong("always the best", THREE.format("0.25, 0.25, 0.25"), "doesn't look for the best", 0),
        Wrong("guessed", THREE.format("0.1, 0.2, 0.3"), "likeliest first word", 0),
        Wrong("names of words", THREE.format("'ax', 'bx', 'cz'"), "Give three numbers", 0),
    ],
    "my_greedy": [
        Wrong(
            "goes on after <eos>",
            greedy(going_on="len(words) <= max_length", result="words[1:]"),
            "leave the loop there",
            1.5,
        ),
        Wrong("never stops", greedy(going_on="True"), "It doesn't stop", 1.5),
        Wrong("stops only at <eos>", greedy(going_on="words[-1] != EOS"), "It doesn't stop", 1.5),
        Wrong("<eos> kept", greedy(result="words[1:]"), "<eos> ends the translation", 1.5),
        Wrong(
            "<bos> kept",
            greedy(result="[word for word in words if word != EOS]"),
            "<bos> belongs to",
            1.5,
        ),
        Wrong("both kept", greedy(result="words"), "<bos> and <eos> don't belong", 1.5),
        Wrong(
            "the last word always cut off",
            greedy(result="words[1:-1]"),
            "cut off as if it were <eos>",
            1.5,
        ),
        Wrong("the first place", greedy(best="rows[0].argmax()"), "the first row each time", 1.5),
        Wrong(
            "only the last word is read", greedy(reads="words[-1:]"), "only the newest word", 1.5
        ),
        Wrong("<bos> not read", greedy(reads="words[1:] or words"), "must begin with <bos>", 0),
        Wrong(
            "begins with <eos>",
            greedy(
                begin="EOS",
                going_on="len(words) <= max_length and (len(words) == 1 or words[-1] != EOS)",
            ),
            "must begin with <bos>",
            1.5,
        ),
        Wrong(
            "one word too many",
            greedy(going_on="len(words) <= max_length + 1 and words[-1] != EOS"),
            "One word too many",
            1.5,
        ),
        Wrong(
            "one word too few",
            greedy(going_on="len(words) < max_length and words[-1] != EOS"),
            "stops too early",
            1.5,
        ),
        Wrong("the smallest", greedy(best="rows[-1].argmin()"), "the smallest logit", 1.5),
        Wrong(
            "stops when a word repeats",
            greedy(after="if best in words:\n            break\n        words.append(best)"),
            "A word may come twice",
            1.5,
        ),
        Wrong(
            "stops when a word comes twice in a row",
            greedy(after="if best == words[-1]:\n            break\n        words.append(best)"),
            "A word may come twice",
            1.5,
        ),
        Wrong(
            "all in one run",
            """
            def my_greedy(model, src, max_length):
                words = model(src, torch.cat([torch.tensor([[BOS]]), src], dim=1))[0].argmax(-1)
                return [int(word) for word in words if word != EOS][:max_length]
            """,
            "The decoder ran only once",
            0,
        ),
        Wrong("argmax over everything", greedy(best="rows.argmax()"), "over all rows", 0),
        Wrong("argmax over the places", greedy(best="rows.argmax(dim=0)"), "[0, -1]", 0),
        Wrong(
            "a list of words",
            greedy().replace("torch.tensor([words])", "words"),
            "two tensors of ids",
            0,
        ),
        Wrong(
            "a row of words",
            greedy().replace("torch.tensor([words])", "torch.tensor(words)"),
            "two tensors of ids",
            0,
        ),
        Wrong(
            "another source",
            greedy().replace("model(src", "model(src[:, :2]"),
            "the first of the two is src",
            0,
        ),
        Wrong("nothing comes back", greedy().replace("return", "_ ="), "`return`", 0),
        Wrong(
            "lengths of the example",
            greedy(going_on="len(words) <= 7 and words[-1] != EOS"),
            "wrong for other inputs",
            1.5,
        ),
        Wrong(
            "the library's function",
            """
            from transformer_lib import greedy_decode

            def my_greedy(model, src, max_length):
                return greedy_decode(model, src, max_length=max_length)[0]
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_beam_step": [
        Wrong("the sums left out", step(total="following"), "only the new words", 1.5),
        Wrong("the worst", step(best="total.flatten().topk(k, largest=False)"), "the worst", 1.5),
        Wrong(
            "worst first",
            step(result="branches.flip(0), words.flip(0), sums.flip(0)"),
            "best first",
            1.5,
        ),
        Wrong("exchanged", step(result="words, branches, sums"), "exchanged", 1.5),
        Wrong(
            "divided by the branches",
            step(parts="index // len(so_far), index % len(so_far)"),
            "number of branches",
            1.5,
        ),
        Wrong(
            "the k best of each branch",
            step(
                best="total.topk(k, dim=1)",
                parts="torch.arange(len(total))[:, None].expand(-1, k), index",
            ),
            "k best of each branch",
            1.5,
        ),
        Wrong(
            "one of each branch",
            """
            def my_beam_step(so_far, following, k):
                values, words = (so_far[:, None] + following).max(dim=1)
                sums, branches = values.topk(k)
                return branches, words[branches], sums
            """,
            "one word from each branch",
            1.5,
        ),
        Wrong(
            "probabilities added",
            step(total="so_far[:, None].exp() + following.exp()"),
            "add probabilities",
            1.5,
        ),
        Wrong("multiplied", step(total="so_far[:, None] * following"), "not multiplied", 1.5),
        Wrong(
            "only the first branch",
            step(total="so_far[:1, None] + following[:1]"),
            "first branch only",
            1.5,
        ),
        Wrong(
            "the last word's number",
            step(result="branches, words, following[branches, words]"),
            "the last word alone",
            1.5,
        ),
        Wrong(
            "as probabilities", step(result="branches, words, sums.exp()"), "as probabilities", 1.5
        ),
        Wrong("not a column", step(total="so_far + following"), "make them a column", 1.5),
        Wrong(
            "fractions of branches",
            step(parts="index / following.size(1), index % following.size(1)"),
            "whole numbers",
            1.5,
        ),
        Wrong(
            "as many as branches",
            step(best="total.flatten().topk(len(so_far))"),
            "wanted is k",
            1.5,
        ),
        Wrong(
            "in the order of the branches",
            """
            def my_beam_step(so_far, following, k):
                sums, index = (so_far[:, None] + following).flatten().topk(k)
                order = index.argsort()
                index, sums = index[order], sums[order]
                return index // following.size(1), index % following.size(1), sums
            """,
            "best first",
            1.5,
        ),
        Wrong("flat places", step(parts="index, index"), "the best are the words", 0),
        Wrong("two of three", step(result="words, sums"), "three tensors", 0),
        Wrong("seven words", step(parts="index // 7, index % 7"), "wrong for other inputs", 1.5),
    ],
    "my_choice": [
        Wrong(
            "filled in",
            """
            def my_choice(found, alpha):
                for one in found:
                    one.score = one.log_prob / ((5 + len(one.ids) + one.finished) / 6) ** alpha
                return max(found, key=lambda one: (one.finished, one.score))
            """,
            "can't be changed",
            0,
        ),
        Wrong("no length normalization", choice(score="one.log_prob"), "ignore alpha", 1),
        Wrong(
            "multiplied",
            choice(score="one.log_prob * ((5 + length) / 6) ** alpha"),
            "You multiply by the penalty",
            1,
        ),
        Wrong("without <eos>", choice(length="len(one.ids)"), "The <eos> counts", 1),
        Wrong(
            "the smallest",
            choice(result="min(hypotheses, key=lambda one: (not one.finished, score(one)))"),
            "choose the worst",
            1,
        ),
        Wrong(
            "the length itself",
            choice(score="one.log_prob / length ** alpha"),
            "the length to the power",
            1,
        ),
        Wrong(
            "no power", choice(score="one.log_prob / ((5 + length) / 6)"), "without the power", 1
        ),
        Wrong(
            "cut-off ones as well",
            choice(result="max(hypotheses, key=score)"),
            "cut off comes first",
            1,
        ),
        Wrong("the longest", choice(score="length"), "The longest isn't the best", 1),
        Wrong("the score that is there", choice(score="one.score"), "always take the first", 0),
        Wrong(
            "the first",
            "def my_choice(hypotheses, alpha):\n    return hypotheses[0]",
            "always take the first",
            0,
        ),
        Wrong(
            "only finished ones",
            choice(result="max((h for h in hypotheses if h.finished), key=score)"),
            "all of them may have been cut off",
            1,
        ),
        Wrong(
            "only finished ones, or none",
            choice(result="max((h for h in hypotheses if h.finished), key=score, default=None)"),
            "all of them may have been cut off",
            1,
        ),
        Wrong("<eos> everywhere", choice(length="len(one.ids) + 1"), "Only a finished", 1),
        Wrong(
            "a fixed alpha",
            choice(score="one.log_prob / ((5 + length) / 6) ** 0.6"),
            "isn't always 0.6",
            1,
        ),
        Wrong("the ids", choice(result="max(hypotheses, key=score).ids"), "as it is", 0),
        Wrong(
            "a dataclass of one's own, without normalization",
            OWN_DATACLASS + choice(result=OWN, score="one.log_prob"),
            "ignore alpha",
            1,
        ),
        Wrong(
            "a named tuple of one's own, without <eos>",
            OWN_NAMED_TUPLE + choice(result=OWN, length="len(one.ids)"),
            "The <eos> counts",
            1,
        ),
        Wrong("other fields", OTHER_FIELDS + choice(result=f"own({BEST}, 0.0)"), "as it is", 0),
        Wrong(
            "another sentence",
            "import dataclasses\n"
            + choice(result="dataclasses.replace(max(hypotheses, key=score), ids=[5])"),
            "as it is",
            0,
        ),
        Wrong("nothing comes back", "def my_choice(hypotheses, alpha):\n    pass", "`return`", 0),
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
    "changes": [
        Wrong("exchanged", two(WIDE, TIRED), "The two are exchanged", 0.5),
        Wrong("both change", two(TIRED, COLD), "stays: without the head fría becomes frío", 0.5),
        Wrong(
            "neither changes", two(THIRSTY, WIDE), "changes: without the head it still says", 0.5
        ),
        Wrong(
            "the nouns exchanged", two((TIRED[0], "river", "cow"), WIDE), "looks most at 'cow'", 0
        ),
        Wrong("both masculine", two(BOTH_MASCULINE, WIDE), "different genders", 0),
        Wrong("the famous one", two(TIRED, ANIMAL), "nouns other than animal", 0),
        Wrong(
            "unknown word",
            two(TIRED, ("The xylophone fell", "xylophone", "the")),
            "can't read it",
            0,
        ),
        Wrong("another word", two(TIRED, (WIDE[0], "bridge", "cow")), "'bridge' is not one of", 0),
        Wrong("only a sentence", two(TIRED[0], WIDE[0]), "all three in parentheses", 0),
    ],
}
