"""Assignment 10: judges, features and states."""

from tests.course.grading.attempts import Wrong


def advantages(*numbers: float) -> str:
    return f"four_advantages = {list(numbers)}"


def sizes(*numbers: float) -> str:
    return f"four_sizes = {list(numbers)}"


LOSS = """
def my_loss(new, old, start, advantage, spoken, clip, beta):
    ratio = {ratio}
    A = advantage.unsqueeze(1)
    free, narrow = ratio * A, {narrow} * A
    gained = {gained}
    log_s = {log_s}
    away = {away}
    each = {each}
    return {result}
"""
USUAL_LOSS = {
    "ratio": "torch.exp(new - old)",
    "narrow": "torch.clip(ratio, 1 - clip, 1 + clip)",
    "gained": "torch.where(free < narrow, free, narrow)",
    "log_s": "start - new",
    "away": "torch.expm1(log_s) - log_s",
    "each": "torch.where(spoken, beta * away - gained, 0.0)",
    "result": "each.sum() / len(new)",
}


def loss(**mistake: str) -> str:
    return LOSS.format(**USUAL_LOSS | mistake)


PRECISION = """
def my_average_precision(scores, true):
    pairs = {pairs}
    found, shares = 0, []
    for place, (score, yes) in enumerate(pairs, start=1):
        {counting}
    return {result}
"""
USUAL_PRECISION = {
    "pairs": "sorted(zip(scores.tolist(), true.tolist()), reverse=True)",
    "counting": "found += yes; shares += [found / place] * yes",
    "result": "sum(shares) / len(shares)",
}


def precision(**mistake: str) -> str:
    return PRECISION.format(**USUAL_PRECISION | mistake)


DELTA = """
def my_delta(q, k, v, beta):
    S = torch.zeros(k.shape[1], v.shape[1])
    y = []
    for t in range(len(q)):
        {first}
        had = {had}
        change = {change}
        S = {state}
        {then}
    return {result}
"""
USUAL_DELTA = {
    "first": "pass",
    "had": "S.T @ k[t]",
    "change": "k[t][:, None] * (v[t] - had)[None, :] * beta[t]",
    "state": "S + change",
    "then": "y.append(S.T @ q[t])",
    "result": "torch.stack(y)",
}


def delta(**mistake: str) -> str:
    return DELTA.format(**USUAL_DELTA | mistake)


def two(passed: str, refused: str) -> str:
    return f"two_mistakes = ({passed!r}, {refused!r})"


HOLE, NEW = "The cat is in is the cat", "The queen's shelf is low"

RIGHT = {
    "four_advantages": [
        advantages(2, -0.5, -2, 0),
        "four_advantages = (0.8 / 0.4, -0.2 / 0.4, -0.8 / 0.4, 0 / 1)",
        "four_advantages = torch.tensor([[2], [-0.5], [-2], [0]])",
        "four_advantages = ['2', '-0.5', '-2', '0']",
        "import numpy as np\nfour_advantages = np.array([[2, -0.5, -2, 0]])",
    ],
    "my_loss": [
        loss(),
        """
        def my_loss(new, old, start, advantage, spoken, clip, beta):
            sentences = []
            for i in range(len(new)):
                total = 0.0
                for t in range(new.size(1)):
                    if spoken[i, t]:
                        rho = math.exp(new[i, t] - old[i, t])
                        s = math.exp(start[i, t] - new[i, t])
                        A = advantage[i].item()
                        total += beta * (s - 1 - math.log(s))
                        total -= min(rho * A, min(max(rho, 1 - clip), 1 + clip) * A)
                sentences.append(total)
            return sum(sentences) / len(sentences)

        import math
        """,
        loss(
            gained="torch.minimum(free, narrow)",
            away="(start - new).exp() - 1 + new - start",
            each="(gained - beta * away) * spoken",
            result="-each.sum(1).mean()",
        ),
    ],
    "two_mistakes": [
        two(HOLE, NEW),
        f"two_mistakes = [{HOLE!r}, 'The mouse wasn\\'t in the garden']",
        two(f"{HOLE}.", "the queen’s  shelf is low. "),
    ],
    "my_average_precision": [
        precision(),
        """
        def my_average_precision(scores, true):
            asked = scores[true]
            shares = [(asked >= one).sum() / (scores >= one).sum() for one in asked]
            return torch.stack(shares).mean()
        """,
        """
        import numpy as np

        def my_average_precision(scores, true):
            hits = true.numpy()[np.argsort(-scores.numpy())]
            places = np.flatnonzero(hits) + 1
            return float(np.mean(np.arange(1, len(places) + 1) / places))
        """,
    ],
    "four_sizes": [
        sizes(12_288, 393_216, 33, 31_014_912),
        "four_sizes = torch.tensor([12_288.0, 393_216, 33, 31_014_912])",
        "four_sizes = [[12_288, 393_216, 33, 31_014_912]]",
        "four_sizes = (12 * 8 * 128, 12 * 8 * 64**2, 33, 3 * 1024 * 10_000 + 9 * 8 * 64**2)",
    ],
    "my_delta": [
        delta(),
        """
        def my_delta(q, k, v, beta):
            S, y = k.new_zeros(k.size(1), v.size(1)), torch.empty(len(q), v.size(1))
            for t, (asked, key, value, share) in enumerate(zip(q, k, v, beta)):
                S = S - share * torch.outer(key, key @ S) + share * torch.outer(key, value)
                y[t] = asked @ S
            return y
        """,
        """
        def my_delta(q, k, v, beta):
            written, y = [], []
            for t in range(len(q)):
                had = sum((k[i] @ k[t]) * written[i] for i in range(t))
                written.append(beta[t] * (v[t] - had))
                y.append(sum((k[i] @ q[t]) * written[i] for i in range(t + 1)))
            return torch.stack(y)
        """,
    ],
}

WRONG = {
    "four_advantages": [
        Wrong(
            "0 / 0",
            "four_advantages = [2, -0.5, -2, float('nan')]",
            "A tiny number is added",
            1,
        ),
        Wrong("not divided", advantages(0.8, -0.5, -2, 0), "how far it is from the mean", 1),
        Wrong("sample", advantages(1.789, -0.5, -2, 0), "5, not 4", 1),
        Wrong("variance", advantages(5, -0.5, -2, 0), "not by its square", 1),
        Wrong("reward", advantages(1, -0.5, -2, 0), "That is the reward", 1),
        Wrong("no mean", advantages(2.5, -0.5, -2, 0), "The mean is still in it", 1),
        Wrong("nothing", advantages(2, 0, -2, 0), "less than the mean", 1),
        Wrong("sign", advantages(2, 0.5, -2, 0), "worse than its group", 1),
        Wrong("as before", advantages(2, -0.5, -0.5, 0), "Here it is alone", 1),
        Wrong("all right", advantages(2, -0.5, -2, 1), "better than its group?", 1),
        Wrong("all not divided", advantages(0.8, -0.2, -0.8, 0), "Divide by", 0),
        Wrong("something", advantages(2, -0.5, -2, 0.3), "all are right: not yet", 0),
        Wrong("three", advantages(2, -0.5, -2), "list of four numbers", 0),
    ],
    "my_loss": [
        Wrong("turned round", loss(result="-each.sum() / len(new)"), "The sign: it is made", 2),
        Wrong("reward added", loss(each="(beta * away + gained) * spoken"), "What is gained", 2),
        Wrong("likes to be far", loss(each="(-beta * away - gained) * spoken"), "cost some", 2),
        Wrong("no penalty", loss(each="-gained * spoken"), "penalty is missing", 2),
        Wrong("no beta", loss(each="(away - gained) * spoken"), "multiplied by beta", 2),
        Wrong("penalty alone", loss(gained="0 * free"), "penalty alone", 2),
        Wrong("no clip", loss(gained="free"), "The clip is missing", 2),
        Wrong("clipped alone", loss(gained="narrow"), "always pushed back", 2),
        Wrong("larger", loss(gained="torch.maximum(free, narrow)"), "not the larger", 2),
        Wrong("above only", loss(narrow="ratio.clamp(max=1 + clip)"), "below as well", 2),
        Wrong("around 0", loss(narrow="ratio.clamp(-clip, clip)"), "to 1 - clip and 1 + clip", 2),
        Wrong("no exp", loss(ratio="new - old"), "its exp is the ratio", 2),
        Wrong("a row", loss().replace("unsqueeze(1)", "unsqueeze(0)"), "it is a column", 2),
        Wrong("old / new", loss(ratio="(old - new).exp()"), "p_new / p_old", 2),
        Wrong("start / old", loss(ratio="(start - old).exp()"), "belongs to the penalty", 2),
        Wrong("new / start", loss(ratio="(new - start).exp()"), "belongs to the penalty", 2),
        Wrong("s turned round", loss(log_s="new - start"), "s = p_start / p_new", 2),
        Wrong("away from old", loss(log_s="old - new"), "for leaving the start", 2),
        Wrong("plain KL", loss(away="-log_s"), "not k3", 2),
        Wrong("no -1", loss(away="log_s.exp() - log_s"), "has a -1", 2),
        Wrong(
            "masked too early",
            loss(each="beta * away - gained").replace(
                "    ratio",
                "    new, old, start = new * spoken, old * spoken, start * spoken\n    ratio",
                1,
            ),
            "make the logarithms 0",
            2,
        ),
        Wrong("padding", loss(each="beta * away - gained"), "Padding is counted", 2),
        Wrong("sum", loss(result="each.sum()"), "over the sentences", 2),
        Wrong("by words", loss(result="each.sum() / spoken.sum()"), "mean over all words", 2),
        Wrong(
            "GRPO's own",
            loss(result="(each.sum(1) / spoken.sum(1)).mean()"),
            "the words of a sentence",
            2,
        ),
        Wrong("all places", loss(result="each.mean()"), "padding too", 2),
        Wrong("of each", loss(result="each.sum(1)"), "one number", 0),
        Wrong("squared", loss(away="log_s ** 2 / 2"), "of each word beta", 0),
        Wrong("clip of the example", loss(narrow="ratio.clamp(0.8, 1.2)"), "other inputs", 2),
        Wrong(
            "beta of the example", loss(each="(0.3 * away - gained) * spoken"), "other inputs", 2
        ),
        Wrong(
            "borrowed",
            """
        from course.chapters.ch19_judge.policy import k3, policy_loss

        def my_loss(new, old, start, advantage, spoken, clip, beta):
            new, old, start = (x.masked_fill(~spoken, 0) for x in (new, old, start))
            return policy_loss(new, old, advantage, clip) + beta * k3(new, start).sum(1).mean()
        """,
            "does the whole exercise",
            0,
        ),
    ],
    "two_mistakes": [
        Wrong("the other way round", two(NEW, HOLE), "first the wrong one that passes", 1),
        Wrong("refused", two("Cat the in is the", NEW), "The hasty judge refuses", 1),
        Wrong("right", two("The cat is in the garden", NEW), "that is no mistake", 1),
        Wrong("a full stop", two("The cat is in the garden.", NEW), "that is no mistake", 1),
        Wrong("typed otherwise", two("the  cat is in the garden", NEW), "that is no mistake", 1),
        Wrong("wrong", two(HOLE, "The shelf queen is low's"), "refused rightly", 1),
        Wrong("passes", two(HOLE, "The cat is in the garden"), "it knows how that begins", 1),
        Wrong("neither", two("The the the", "The the"), "The hasty judge refuses", 0),
        Wrong("one", "two_mistakes = 'The dog'", "Give two sentences", 0),
        Wrong("empty", two("", NEW), "Give two sentences", 0),
        Wrong("long", two(HOLE + " cat" * 20, NEW), "At most 20 words", 0),
        Wrong("numbers", "two_mistakes = (1, 2)", "Give two sentences", 0),
    ],
    "my_average_precision": [
        Wrong(
            "only the scores sorted",
            """
            def my_average_precision(scores, true):
                hits = true[scores.argsort(descending=True)]
                shares = hits.cumsum(0) / torch.arange(1, len(hits) + 1)
                return shares[true].mean()
            """,
            "sort both",
            1.5,
        ),
        Wrong(
            "lowest first",
            precision(pairs="sorted(zip(scores.tolist(), true.tolist()))"),
            "The highest scores come first",
            1.5,
        ),
        Wrong(
            "not sorted",
            precision(pairs="zip(scores.tolist(), true.tolist())"),
            "still in the order of the text",
            1.5,
        ),
        Wrong(
            "of the others",
            precision(counting="found += not yes; shares += [found / place] * (not yes)"),
            "Which ones have the property?",
            1.5,
        ),
        Wrong(
            "at all words",
            precision(counting="found += yes; shares.append(found / place)"),
            "at the words with the property alone",
            1.5,
        ),
        Wrong("by all", precision(result="sum(shares) / len(scores)"), "not of all", 1.5),
        Wrong("sum", precision(result="sum(shares)"), "take the mean", 1.5),
        Wrong("base", precision(result="true.float().mean()"), "the share of words", 1.5),
        Wrong(
            "at the third", precision(result="2 / 3 if found == 3 else 0.5"), "At each word", 1.5
        ),
        Wrong(
            "recall",
            precision(counting="found += yes; shares += [found / true.sum().item()] * yes"),
            "of the words up to there",
            1.5,
        ),
        Wrong("percent", precision(result="100 * sum(shares) / len(shares)"), "not percent", 1.5),
        Wrong(
            "one over the rank",
            precision(counting="shares += [1 / place] * yes"),
            "You count only one",
            1.5,
        ),
        Wrong(
            "itself not",
            precision(
                counting="shares += [found / max(place - 1, 1)] * yes; found += yes",
            ),
            "the word itself counts",
            1.5,
        ),
        Wrong("list", precision(result="shares"), "one number", 0),
        Wrong("first alone", precision(result="shares[-1] * 0.9"), "sort, and at each word", 0),
        Wrong("three", precision(result="sum(shares) / 3"), "wrong for other inputs", 1.5),
        Wrong(
            "borrowed",
            """
        from course.chapters.ch20_features.measures import average_precision

        def my_average_precision(scores, true):
            return average_precision(scores[:, None], true).item()
        """,
            "does the whole exercise",
            0,
        ),
    ],
    "four_sizes": [
        Wrong("keys", sizes(6144, 393_216, 33, 31_014_912), "a key *and* a value", 1),
        Wrong("one layer", sizes(1024, 393_216, 33, 31_014_912), "That is one layer", 1),
        Wrong("one head", sizes(1536, 393_216, 33, 31_014_912), "one head of each", 1),
        Wrong("two matrices", sizes(12_288, 786_432, 33, 31_014_912), "one matrix for a head", 1),
        Wrong("one layer's state", sizes(12_288, 32_768, 33, 31_014_912), "That is one layer", 1),
        Wrong("wide", sizes(12_288, 3_145_728, 33, 31_014_912), "a matrix of its own", 1),
        Wrong("equal", sizes(12_288, 393_216, 32, 31_014_912), "both are equally large", 1),
        Wrong("keys alone", sizes(12_288, 393_216, 65, 31_014_912), "a key and a value", 1),
        Wrong("caches alone", sizes(12_288, 393_216, 33, 30_720_000), "The other nine", 1),
        Wrong("all caches", sizes(12_288, 393_216, 33, 122_880_000), "Only three layers", 1),
        Wrong("swapped", sizes(12_288, 393_216, 33, 92_258_304), "nine layers of attention", 1),
        Wrong("two slips", sizes(6144, 32_768, 33, 31_014_912), "a key *and* a value", 0),
        Wrong("three", sizes(12_288, 393_216, 33), "list of four", 0),
    ],
    "my_delta": [
        Wrong("sum", delta(had="torch.zeros_like(v[t])"), "Nothing is corrected", 2),
        Wrong(
            "no beta",
            delta(change="k[t][:, None] * (v[t] - had)[None, :]"),
            "beta is missing",
            2,
        ),
        Wrong(
            "beta for v",
            delta(change="torch.outer(k[t], beta[t] * v[t] - had)"),
            "not for v alone",
            2,
        ),
        Wrong(
            "beta for what was read",
            delta(change="torch.outer(k[t], v[t] - beta[t] * had)"),
            "not for what was read alone",
            2,
        ),
        Wrong("added", delta(had="-S.T @ k[t]"), "is subtracted", 2),
        Wrong("away", delta(state="S - change"), "nearer to v", 2),
        Wrong(
            "forgets all",
            delta(change="beta[t] * (torch.outer(k[t], v[t]) - S)"),
            "forgets everything",
            2,
        ),
        Wrong("early", delta(first="y.append(S.T @ q[t])", then="pass"), "before you wrote", 2),
        Wrong("key reads", delta(then="y.append(S.T @ k[t])"), "The query reads", 2),
        Wrong(
            "query writes", delta(change="torch.outer(q[t], beta[t] * (v[t] - had))"), "reads", 2
        ),
        Wrong("values first", delta(change="torch.outer(v[t] - had, k[t])"), "S is (n, p)", 2),
        Wrong("query asked", delta(had="S.T @ q[t]"), "under the *key*", 2),
        Wrong("no state", delta(state="change"), "The old state is gone", 2),
        Wrong("last", delta(result="y[-1]"), "the last word alone", 2),
        Wrong("axes", delta(result="torch.stack(y, dim=1)"), "a row for each word", 2),
        Wrong("a list", delta(result="y"), "should return a tensor", 0),
        Wrong("state", delta(result="S"), "it should be (5, 2)", 0),
        Wrong("twice", delta(state="S + 2 * change"), "the numbers aren't", 0),
        Wrong("two numbers", delta(first="v = v[:, :2]; S = S[:, :2]"), "other inputs", 2),
        Wrong(
            "borrowed",
            """
        from course.chapters.ch21_without_the_table.assignment_10_checks import delta

        def my_delta(q, k, v, beta):
            return delta(q, k, v, beta)
        """,
            "does the whole exercise",
            0,
        ),
    ],
}
