"""Assignment 5: training."""

from tests.course.grading.attempts import Wrong


def loss(*lines: str) -> str:
    """A loss: its last lines, after the usual first ones."""
    first = [
        "def my_smoothed_loss(logits, target, eps):",
        "log_p = logits.log_softmax(dim=-1)",
        "hard = -log_p.gather(-1, target[..., None])[..., 0]",
        "soft = -log_p.mean(dim=-1)",
        "real = target != 0",
    ]
    return "\n    ".join([*first, *lines])


def schedule(result: str) -> str:
    return f"def my_schedule(step, d_model, warmup):\n    return {result}"


def shift(result: str) -> str:
    return f"def my_shift(ids):\n    return {result}"


def updates(divide: str, step: str) -> str:
    """A plan: for small batch i of n in an update, in group number g, which holds `group`."""
    return f"""
def my_updates(words, each):
    plan = []
    for place in range(len(words)):
        g, i = divmod(place, each)
        group = words[g * each : (g + 1) * each]
        plan.append(({divide}, {step}))
    return plan
"""


def settings(max_lr: float, warmup: int, steps: int) -> str:
    return f"settings = dict(max_lr={max_lr}, warmup={warmup}, steps={steps})"


LAST = "g + 1 if i == each - 1 else 0"

RIGHT = {
    "three_numbers": [
        "three_numbers = [math.log(1000), -math.log(0.5), 1000 / 4]",
        "three_numbers = torch.tensor([6.91, 0.69, 250])",
        "from fractions import Fraction\nthree_numbers = [6.91, 0.69, Fraction(1000, 4)]",
    ],
    "my_shift": [
        shift("(1, *ids), (*ids, 2)"),
        """
        def my_shift(ids):
            whole = torch.tensor([1, *ids, 2])
            return whole[:-1], whole[1:]
        """,
        """
        def my_shift(sentence):
            read, predicted = [1], []
            for word in sentence:
                read.append(word)
                predicted.append(word)
            predicted.append(2)
            return read, predicted
        """,
        """
        import numpy as np

        def my_shift(ids):
            ids.append(2)
            backwards = np.array(ids[::-1] + [1])
            return backwards[:0:-1], np.array(ids)
        """,
    ],
    "my_smoothed_loss": [
        """
        def my_smoothed_loss(scores, words, epsilon):
            V = scores.shape[-1]
            wanted = torch.full_like(scores, epsilon / V)
            wanted.scatter_(-1, words.unsqueeze(-1), 1 - epsilon + epsilon / V)
            losses = -torch.einsum("btv,btv->bt", wanted, scores.log_softmax(-1))
            return losses.masked_fill(words == 0, 0.0).sum() / (words != 0).sum()
        """,
        """
        def my_smoothed_loss(logits, target, eps):
            total, count = 0.0, 0
            for row, ids in zip(logits, target):
                for scores, right in zip(row, ids):
                    if right == 0:
                        continue
                    log_p = scores - torch.logsumexp(scores, dim=0)
                    total = total - (1 - eps) * log_p[right] - eps * log_p.sum() / len(log_p)
                    count += 1
            return total / count
        """,
        """
        def my_smoothed_loss(logits, target, eps):
            x, y = logits.flatten(0, 1), target.flatten()
            x, y = x[y > 0], y[y > 0]
            log_p = torch.nn.functional.log_softmax(x, dim=1)
            return (1 - eps) * torch.nn.functional.nll_loss(log_p, y) - eps * log_p.mean()
        """,
        """
        import numpy as np

        def my_smoothed_loss(logits, target, eps):
            scores, ids = logits.double().numpy(), target.numpy()
            scores = scores - scores.max(-1, keepdims=True)
            log_p = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
            right = np.take_along_axis(log_p, ids[..., None], axis=-1)[..., 0]
            each = -(1 - eps) * right - eps * log_p.mean(-1)
            return np.array(each[ids != 0].mean())
        """,
        loss("return ((1 - eps) * hard + eps * soft)[real].mean().item()"),
    ],
    "my_schedule": [
        schedule("(d_model * warmup) ** -0.5 * min(step / warmup, (warmup / step) ** 0.5)"),
        """
        def my_schedule(n, d, w):
            if n < w:
                return n / (w * math.sqrt(w * d))
            return 1 / math.sqrt(d * n)
        """,
        """
        def my_schedule(step, d_model, warmup):
            both = torch.tensor([step**-0.5, step * warmup**-1.5])
            return both.min() / math.sqrt(d_model)
        """,
        """
        import numpy as np

        def my_schedule(step, d_model, warmup):
            return np.min([step**-0.5, step * warmup**-1.5]) / np.sqrt(d_model)
        """,
    ],
    "my_updates": [
        updates("sum(group)", LAST),
        """
        def my_updates(words, each):
            totals = torch.tensor(words).view(-1, each).sum(dim=1)
            steps = torch.zeros(len(totals), each, dtype=torch.long)
            steps[:, -1] = torch.arange(len(totals)) + 1
            return list(zip(totals.repeat_interleave(each).tolist(), steps.flatten().tolist()))
        """,
        """
        import numpy as np

        def my_updates(words, each):
            totals = np.array(words).reshape(-1, each).sum(axis=1).repeat(each)
            places = np.arange(1, len(words) + 1)
            return np.stack([totals, np.where(places % each, 0, places // each)], axis=1)
        """,
    ],
    "settings": [
        settings(0.005, 100, 250),
        "settings = {'max_lr': torch.tensor(1e-2), 'steps': 250.0, 'warmup': torch.tensor(100)}",
        "settings = {'peak': 1e-2, 'steps': 240, 'warmup': 80}",
    ],
}

WRONG = {
    "three_numbers": [
        Wrong("exchanged", "three_numbers = [0.69, 6.91, 250]", "first two are exchanged", 1),
        Wrong("no minus", "three_numbers = [-6.91, -0.69, 250]", "*minus*", 1),
        Wrong("base 10", "three_numbers = [3.0, 0.30, 250]", "base 10", 1),
        Wrong("base 2", "three_numbers = [9.97, 1.0, 250]", "base 2", 1),
        Wrong("base 2, and small batches", "three_numbers = [9.97, 1.0, 1000]", "base 2", 0),
        Wrong("small batches", "three_numbers = [6.91, 0.69, 1000]", "counts updates", 1),
        Wrong("times four", "three_numbers = [6.91, 0.69, 4000]", "divide, don't multiply", 1),
        Wrong("one ahead", "three_numbers = [6.91, 0.69, 251]", "count from 1", 1),
        Wrong("probabilities", "three_numbers = [0.001, 0.5, 250]", "is the probability", 0),
        Wrong("two numbers", "three_numbers = [6.91, 0.69]", "Give three numbers", 0),
    ],
    "my_shift": [
        Wrong(
            "both kept in both", shift("[1, *ids, 2], [1, *ids, 2]"), "Both rows are the same", 1
        ),
        Wrong("no shift", shift("[*ids, 2], [*ids, 2]"), "Put <bos> in front", 1),
        Wrong("nothing added", shift("ids, ids"), "<bos> and <eos> are missing", 0),
        Wrong("shifted twice", shift("[1, *ids], [*ids[1:], 2]"), "Shifted twice", 1),
        Wrong(
            "shifted twice, with padding", shift("[1, *ids], [*ids[1:], 2, 0]"), "Shifted twic", 1
        ),
        Wrong("two <bos>", shift("[1, 1, *ids], [*ids, 2]"), "one <bos> is enough", 1),
        Wrong("<eos> forgotten", shift("[1, *ids], list(ids)"), "The end must be learned", 1),
        Wrong("<eos> read as well", shift("[1, *ids, 2], [*ids, 2]"), "one too long", 1),
        Wrong("<bos> predicted", shift("[1, *ids], [1, *ids, 2]"), "need not be predicted", 1),
        Wrong("exchanged", shift("[*ids, 2], [1, *ids]"), "rows are exchanged", 1),
        Wrong("the wrong sign", shift("[2, *ids], [*ids, 2]"), "begins with <bos>", 1),
        Wrong("something else", shift("[1, *ids], [*ids[::-1], 2]"), "Place by place", 0),
        Wrong("one row", shift("[1, *ids, 2]"), "Return two lists", 0),
        Wrong(
            "three words at most",
            shift("[1, *ids[:3]], [*ids[:3], 2]"),
            "wrong for other inputs",
            1,
        ),
        Wrong(
            "the library's function",
            """
            def my_shift(ids):
                batch = make_batch([(ids, ids)])
                return batch.tgt_in[0], batch.tgt_out[0]
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_smoothed_loss": [
        Wrong(
            "padding counted",
            loss("return ((1 - eps) * hard + eps * soft).mean()"),
            "The padding counts too. Leave out",
            2,
        ),
        Wrong(
            "divided by all places",
            loss("return (((1 - eps) * hard + eps * soft) * real).mean()"),
            "you still divide by all places",
            2,
        ),
        Wrong(
            "padding counted in the smoothed part",
            loss("return (1 - eps) * hard[real].mean() + eps * soft.mean()"),
            "In the smoothed part the padding counts too",
            2,
        ),
        Wrong(
            "mean per sentence",
            loss(
                "each = ((1 - eps) * hard + eps * soft) * real",
                "return (each.sum(1) / real.sum(1)).mean()",
            ),
            "You average each sentence first",
            2,
        ),
        Wrong(
            "the sum",
            loss("return ((1 - eps) * hard + eps * soft)[real].sum()"),
            "That is the sum",
            2,
        ),
        Wrong(
            "softmax before",
            """
            def my_smoothed_loss(logits, target, eps):
                log_p = logits.softmax(dim=-1).log_softmax(dim=-1)
                hard = -log_p.gather(-1, target[..., None])[..., 0]
                return ((1 - eps) * hard - eps * log_p.mean(dim=-1))[target != 0].mean()
            """,
            "softmax is applied twice",
            2,
        ),
        Wrong(
            "softmax over the places",
            """
            def my_smoothed_loss(logits, target, eps):
                log_p = logits.log_softmax(dim=1)
                hard = -log_p.gather(-1, target[..., None])[..., 0]
                return ((1 - eps) * hard - eps * log_p.mean(dim=-1))[target != 0].mean()
            """,
            "The softmax runs over the places",
            2,
        ),
        Wrong(
            "divided by the sentences",
            loss("return ((1 - eps) * hard + eps * soft)[real].sum() / len(target)"),
            "number of sentences",
            2,
        ),
        Wrong(
            "log of the softmax",
            """
            def my_smoothed_loss(logits, target, eps):
                log_p = logits.softmax(dim=-1).log()
                hard = -log_p.gather(-1, target[..., None])[..., 0]
                return ((1 - eps) * hard - eps * log_p.mean(dim=-1))[target != 0].mean()
            """,
            "a probability is rounded to 0",
            2,
        ),
        Wrong("no smoothing", loss("return hard[real].mean()"), "the third argument isn't used", 2),
        Wrong(
            "always 0.1",
            loss("return (0.9 * hard + 0.1 * soft)[real].mean()"),
            "isn't always 0.1",
            2,
        ),
        Wrong(
            "over the wrong words",
            loss(
                "wrong = (-log_p.sum(dim=-1) - hard) / (log_p.size(-1) - 1)",
                "return ((1 - eps) * hard + eps * wrong)[real].mean()",
            ),
            "over the wrong words only",
            2,
        ),
        Wrong(
            "no share for the right word",
            loss(
                "wrong = (-log_p.sum(dim=-1) - hard) / log_p.size(-1)",
                "return ((1 - eps) * hard + eps * wrong)[real].mean()",
            ),
            "adds up to less than 1",
            2,
        ),
        Wrong(
            "neither padding nor the right word",
            loss(
                "wrong = (-log_p[..., 1:].sum(dim=-1) - hard) / (log_p.size(-1) - 2)",
                "return ((1 - eps) * hard + eps * wrong)[real].mean()",
            ),
            "wrong words without <pad>",
            2,
        ),
        Wrong(
            "no share for padding",
            loss(
                "soft = -log_p[..., 1:].mean(dim=-1)",
                "return ((1 - eps) * hard + eps * soft)[real].mean()",
            ),
            "You left <pad> out",
            2,
        ),
        Wrong(
            "nothing given away",
            loss("return (hard + eps * soft)[real].mean()"),
            "must give `smoothing` away first",
            2,
        ),
        Wrong(
            "all of eps for each word",
            loss("return ((1 - eps) * hard - eps * log_p.sum(dim=-1))[real].mean()"),
            "Every word got all of `smoothing`",
            2,
        ),
        Wrong(
            "the sign",
            loss("return -((1 - eps) * hard + eps * soft)[real].mean()"),
            "The sign",
            2,
        ),
        Wrong(
            "shifted once more",
            """
            def whole(log_p, target, eps):
                hard = -log_p.gather(-1, target[..., None])[..., 0]
                return ((1 - eps) * hard - eps * log_p.mean(dim=-1))[target != 0].mean()

            def my_smoothed_loss(logits, target, eps):
                return whole(logits[:, :-1].log_softmax(dim=-1), target[:, 1:], eps)
            """,
            "The target is shifted again",
            2,
        ),
        Wrong(
            "the size of the example",
            loss(
                "soft = -log_p.sum(dim=-1) / 7",
                "return ((1 - eps) * hard + eps * soft)[real].mean()",
            ),
            "wrong for other inputs",
            2,
        ),
        Wrong("one for each place", loss("return (1 - eps) * hard + eps * soft"), "one number", 0),
        Wrong(
            "text",
            loss("return str(((1 - eps) * hard + eps * soft)[real].mean().item())"),
            "It should return a tensor, not a str",
            0,
        ),
        Wrong(
            "a Python number with a slip",
            loss("return ((1 - eps) * hard + eps * soft).mean().item()"),
            "The padding counts too",
            2,
        ),
        Wrong(
            "PyTorch's function",
            """
            def my_smoothed_loss(logits, target, eps):
                return torch.nn.functional.cross_entropy(
                    logits.transpose(1, 2), target, ignore_index=0, label_smoothing=eps
                )
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_schedule": [
        Wrong(
            "warm-up with exponent -0.5",
            schedule("d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)"),
            "exponent -1.5, not -0.5",
            1.5,
        ),
        Wrong(
            "warm-up with exponent -1",
            schedule("d_model**-0.5 * min(step**-0.5, step / warmup)"),
            "exponent -1.5, not -1.",
            1.5,
        ),
        Wrong(
            "max",
            schedule("d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)"),
            "not the larger",
            1.5,
        ),
        Wrong(
            "the root of d_model",
            schedule("d_model**0.5 * min(step**-0.5, step * warmup**-1.5)"),
            "d_model has the exponent -0.5",
            1.5,
        ),
        Wrong(
            "one over d_model",
            schedule("min(step**-0.5, step * warmup**-1.5) / d_model"),
            "d_model has the exponent -0.5",
            1.5,
        ),
        Wrong(
            "no d_model",
            schedule("min(step**-0.5, step * warmup**-1.5)"),
            "d_model is missing",
            1.5,
        ),
        Wrong(
            "steps from 0, so one is added",
            schedule("d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)"),
            "one step ahead",
            1.5,
        ),
        Wrong(
            "steps from 0, and step 1 comes twice",
            """
            def my_schedule(step, d_model, warmup):
                step = max(step - 1, 1)
                return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
            """,
            "step 1 and 2 are the same",
            1.5,
        ),
        Wrong(
            "steps from 0, and nothing at the first",
            """
            def my_schedule(step, d_model, warmup):
                step = step - 1
                if step == 0:
                    return 0.0
                return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
            """,
            "nothing has to be subtracted",
            1.5,
        ),
        Wrong(
            "a fixed 512",
            schedule("512**-0.5 * min(step**-0.5, step * warmup**-1.5)"),
            "The paper's 512",
            1.5,
        ),
        Wrong(
            "a fixed 4000",
            schedule("d_model**-0.5 * min(step**-0.5, step * 4000**-1.5)"),
            "The paper's 4000",
            1.5,
        ),
        Wrong("no warm-up", schedule("d_model**-0.5 * step**-0.5"), "no warm-up in it", 1.5),
        Wrong(
            "only warm-up", schedule("d_model**-0.5 * step * warmup**-1.5"), "It never falls", 1.5
        ),
        Wrong(
            "added",
            schedule("d_model**-0.5 * (step**-0.5 + step * warmup**-1.5)"),
            "compared, not added",
            1.5,
        ),
        Wrong(
            "d_model for one term",
            schedule("min(d_model**-0.5 * step**-0.5, step * warmup**-1.5)"),
            "counts for both terms",
            1.5,
        ),
        Wrong(
            "one over the step",
            schedule("d_model**-0.5 * min(1 / step, step * warmup**-1.5)"),
            "with the *root* of the step",
            1.5,
        ),
        Wrong(
            "the width of the check",
            schedule("64**-0.5 * min(step**-0.5, step * warmup**-1.5)"),
            "wrong for other inputs",
            1.5,
        ),
        Wrong("a constant", schedule("0.001"), "it gives 0.00100", 0),
        Wrong(
            "the library's function",
            """
            from transformer_lib.training.schedules import paper_schedule

            def my_schedule(step, d_model, warmup):
                return paper_schedule(step, d_model, warmup)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_updates": [
        Wrong("not divided", updates("1", LAST), "nothing makes a mean", 1),
        Wrong(
            "by its own words", updates("group[i]", LAST), "each small batch by its own words", 1
        ),
        Wrong("mean of means", updates("group[i] * each", LAST), "a mean of means", 1),
        Wrong("by the batches", updates("each", LAST), "number of small batches doesn't make", 1),
        Wrong("by all words", updates("sum(words)", LAST), "not all there are", 1),
        Wrong("by the words so far", updates("sum(group[: i + 1])", LAST), "seen so far", 1),
        Wrong("by both", updates("sum(group) * each", LAST), "once by the words is enough", 1),
        Wrong(
            "the schedule stepped for each small batch",
            updates("sum(group)", "place + 1"),
            "moves with every small batch",
            1,
        ),
        Wrong(
            "small batches counted at the updates",
            updates("sum(group)", "place + 1 if i == each - 1 else 0"),
            "moves with every small batch",
            1,
        ),
        Wrong(
            "counted from 0",
            updates("sum(group)", "g if i == each - 1 else 0"),
            "counts from 1",
            1,
        ),
        Wrong("a step for each", updates("sum(group)", "g + 1"), "weights change only once", 1),
        Wrong(
            "updated at the first",
            updates("sum(group)", "g + 1 if i == 0 else 0"),
            "before the gradients",
            1,
        ),
        Wrong(
            "yes or no", updates("sum(group)", "i == each - 1"), "not only whether there is one", 1
        ),
        Wrong("both", updates("group[i]", "place + 1"), "And the steps: the schedule moves", 0),
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
            "wrong for other inputs",
            1,
        ),
        Wrong("only numbers", "def my_updates(words, each):\n    return words", "with a pair", 0),
    ],
    "settings": [
        Wrong("too low a peak", settings(0.0005, 50, 250), "Try a higher peak", 0),
        Wrong("too high a peak", settings(0.3, 50, 250), "Try a lower peak", 0),
        Wrong("no warm-up", settings(0.006, 1, 150), "What does a longer warm-up do?", 0),
        Wrong("too short", settings(0.01, 30, 60), "time for more steps", 0),
        Wrong("too long", settings(0.001, 100, 5000), "1 to 250 steps", 0),
        Wrong("only warm-up", settings(0.01, 200, 100), "before the warm-up does", 0),
        Wrong("a list", "settings = [0.01, 100, 250]", "Give a dict", 0),
        Wrong("a word", "settings = dict(max_lr='high', warmup=9, steps=9)", "peak is a number", 0),
    ],
}
