"""Assignment 8: parts of newer models."""

from tests.course.grading.attempts import Wrong

TURN = """
def my_turn(x, places, base):
    d_k = x.shape[-1]
    i = {numbers}
    angle = {angle}
    sin, cos = {sin}, {cos}
    first, second = {pairs}
    {between}
    one = {one}
    other = {other}
    return {back}
"""
USUAL_TURN = {
    "numbers": "torch.arange(0, d_k, 2)",
    "angle": "places[:, None] / base ** (i / d_k)",
    "sin": "angle.sin()",
    "cos": "angle.cos()",
    "pairs": "x[..., ::2], x[..., 1::2]",
    "between": "pass",
    "one": "first * cos - second * sin",
    "other": "second * cos + first * sin",
    "back": "torch.stack((one, other), -1).reshape(x.shape)",
}
HALVES = {"pairs": "x.chunk(2, dim=-1)", "back": "torch.cat([one, other], dim=-1)"}


def turn(**mistake: str) -> str:
    return TURN.format(**USUAL_TURN | mistake)


def in_columns(partner: str, table: str) -> str:
    """As much code has it: x cos + partner(x) sin, with tables as wide as x."""
    return f"""
def my_turn(x, places, base):
    d_k = x.size(-1)
    angle = places.float().outer(base ** (-torch.arange(0, d_k, 2) / d_k))
    angle = {table}
    partner = {partner}
    return x * angle.cos() + partner * angle.sin()
"""


NEIGHBOR = "torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)"
OTHER_HALF = "torch.cat([-x[..., d_k // 2:], x[..., :d_k // 2]], dim=-1)"
TWICE, BEHIND = "angle.repeat_interleave(2, dim=-1)", "torch.cat([angle, angle], dim=-1)"

ROTARY = """
def my_rotary_attention(q, k, v, turn):
    n, s = q.shape[-2], k.shape[-2]
    places = {places}
    own = {own}
    {first}
    scores = {scores}
    hidden = {hidden}
    weights = {weights}
    return {result}
"""
USUAL_ROTARY = {
    "places": "torch.arange(s)",
    "own": "torch.arange(s - n, s)",
    "first": "q, k = turn(q, own), turn(k, places)",
    "scores": "q @ k.mT / q.size(-1) ** 0.5",
    "hidden": "own.unsqueeze(1) < places",
    "weights": "scores.masked_fill(hidden, float('-inf')).softmax(-1)",
    "result": "weights @ v",
}


def rotary(**mistake: str) -> str:
    return ROTARY.format(**USUAL_ROTARY | mistake)


GROUPED = """
def my_grouped_attention(q, k, v):
    b, h, n, d_k = q.shape
    kv_heads = k.shape[1]
    {first}
    k, v = {keys}, {values}
    scores = q @ k.transpose(2, 3) / {scale}
    weights = {weights}
    return {result}
"""
USUAL_GROUPED = {
    "first": "pass",
    "keys": "k.repeat_interleave(h // kv_heads, 1)",
    "values": "v.repeat_interleave(h // kv_heads, 1)",
    "scale": "d_k ** 0.5",
    "weights": "torch.softmax(scores, -1)",
    "result": "weights @ v",
}


def grouped(**mistake: str) -> str:
    return GROUPED.format(**USUAL_GROUPED | mistake)


def repeated(how: str) -> dict[str, str]:
    return {"keys": how.format("k"), "values": how.format("v")}


BYTES = "def my_cache_bytes(layers, d_model, h, kv_heads, words, size):\n    return {}"


def verdict(**answers: str) -> str:
    right = {"A": "not relative", "B": "sound", "C": "changes lengths", "D": "ignores places"}
    return f"verdict = {right | answers!r}"


RIGHT = {
    "five_scores": [
        "five_scores = [7, 1, 1, -1, -7]",
        "five_scores = torch.tensor([7.0, 1, 1, -1, -7])",
    ],
    "my_turn": [
        turn(),
        """
        def my_turn(x, places, base):
            d_k = x.size(-1)
            speed = torch.exp(-math.log(base) * torch.arange(0, d_k, 2) / d_k)
            angle = torch.outer(places.float(), speed)
            numbers = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
            turned = numbers * torch.polar(torch.ones_like(angle), angle)
            return torch.view_as_real(turned).flatten(-2)
        """,
        in_columns(NEIGHBOR, TWICE),
        """
        def my_turn(x, places, base):
            b, h, s, d_k = x.shape
            rows = []
            for row, place in enumerate(places.tolist()):
                numbers = []
                for i in range(d_k // 2):
                    angle = place / base ** (2 * i / d_k)
                    one, other = x[:, :, row, 2 * i], x[:, :, row, 2 * i + 1]
                    numbers.append(math.cos(angle) * one - math.sin(angle) * other)
                    numbers.append(math.sin(angle) * one + math.cos(angle) * other)
                rows.append(torch.stack(numbers, dim=-1))
            return torch.stack(rows, dim=2)
        """,
    ],
    "my_rotary_attention": [
        rotary(),
        """
        def my_rotary_attention(q, k, v, turn):
            s = k.size(2)
            back = s - q.size(2)
            q, k = turn(q, torch.arange(back, s)), turn(k, torch.arange(s))
            seen = torch.ones(q.size(2), s).tril(diagonal=back).bool()
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
            weights = torch.where(seen, scores, torch.tensor(-1e9)).softmax(dim=-1)
            return torch.einsum("bhqk,bhkd->bhqd", weights, v)
        """,
        """
        def my_rotary_attention(q, k, v, turn):
            n, s, d_k = q.size(2), k.size(2), q.size(3)
            rows = []
            for row in range(n):
                place = s - n + row
                until = k[:, :, :place + 1]
                # the distance alone counts, so the key's own place may be 0
                one = turn(q[:, :, row:row + 1], torch.tensor([place + 100]))
                keys = turn(until, torch.arange(100, 101 + place))
                weights = (one @ keys.transpose(-1, -2) / math.sqrt(d_k)).softmax(-1)
                rows.append(weights @ v[:, :, :place + 1])
            return torch.cat(rows, dim=2)
        """,
    ],
    "my_grouped_attention": [
        grouped(),
        """
        def my_grouped_attention(q, k, v):
            b, h, n, d_k = q.shape
            together = q.reshape(b, k.size(1), -1, d_k)  # a group's queries one after the other
            weights = (together @ k.mT / math.sqrt(d_k)).softmax(dim=-1)
            return (weights @ v).reshape(b, h, n, d_k)
        """,
        """
        def my_grouped_attention(q, k, v):
            each = q.size(1) // k.size(1)
            heads = []
            for i in range(q.size(1)):
                scores = q[:, i] @ k[:, i // each].transpose(1, 2)
                heads.append((scores / q.size(-1) ** 0.5).softmax(-1) @ v[:, i // each])
            return torch.stack(heads, dim=1)
        """,
        """
        def my_grouped_attention(q, k, v):
            groups = q.unflatten(1, (k.size(1), -1))
            scores = torch.einsum("bgend,bgsd->bgens", groups, k) / math.sqrt(q.size(3))
            return torch.einsum("bgens,bgsd->bgend", scores.softmax(-1), v).flatten(1, 2)
        """,
    ],
    "my_cache_bytes": [
        BYTES.format("(d_model // h) * kv_heads * words * size * layers * 2"),
        """
        def my_cache_bytes(layers, d_model, h, kv_heads, words, size):
            one = torch.zeros(kv_heads, words, d_model // h)
            return sum(2 * one.numel() * size for _ in range(layers))
        """,
        BYTES.format("2 * d_model * kv_heads / h * layers * words * size"),
    ],
    "verdict": [
        verdict(),
        "verdict = dict(D='ignores places', C='changes lengths', B='sound', A='not relative')",
    ],
}

WRONG = {
    "five_scores": [
        Wrong("nothing turned", "five_scores = [7, 7, 7, 7, 7]", "Nothing is turned", 1),
        Wrong("query only", "five_scores = [7, 1, 1, 7, 7]", "Only q is turned", 1),
        Wrong("key only", "five_scores = [7, 7, 7, -1, -7]", "Only k is turned", 1),
        Wrong("no sign", "five_scores = [7, 1, 1, 1, -7]", "isn't a key one place before", 1),
        Wrong("clockwise", "five_scores = [7, -1, -1, 1, -7]", "turns clockwise", 1),
        Wrong("half a turn forgotten", "five_scores = [7, 1, 1, -1, 7]", "Number 5 of", 0),
        Wrong("four", "five_scores = [7, 1, 1, -1]", "list of five whole", 0),
        Wrong("halves", "five_scores = [7, 1, 1, -1, -7.5]", "list of five whole", 0),
        Wrong("text", "five_scores = 'seven'", "list of five whole", 0),
    ],
    "my_turn": [
        Wrong(
            "added",
            turn(one="first + sin", other="second + cos"),
            "That adds the paper's position vectors",
            2,
        ),
        Wrong("halves", turn(**HALVES), "Llama's order", 2),
        Wrong("halves' angles", in_columns(NEIGHBOR, BEHIND), "repeat_interleave, not cat", 2),
        Wrong("halves, neighbors' angles", in_columns(OTHER_HALF, TWICE), "pairs are halves", 2),
        Wrong("put back in halves", turn(back=HALVES["back"]), "put back wrong", 2),
        Wrong(
            "rows counted",
            turn(angle="torch.arange(len(places))[:, None] / base ** (i / d_k)"),
            "You count the rows from 0",
            2,
        ),
        Wrong(
            "overwritten",
            turn(between="first = first * cos - second * sin", one="first"),
            "as it is *after* turning",
            2,
        ),
        Wrong("i is no pair", turn(numbers="torch.arange(d_k // 2)"), "yours is i / d_k", 2),
        Wrong(
            "heads",
            turn(sin="angle.sin()[:, None]", cos="angle.cos()[:, None]"),
            "every head stands at another place",
            2,
        ),
        Wrong("no minus", turn(one="first * cos + second * sin"), "One minus is missing", 2),
        Wrong("halves put back as neighbors", turn(pairs=HALVES["pairs"]), "from the start", 2),
        Wrong("two twos", turn(angle="places[:, None] / base ** (2 * i / d_k)"), "there twice", 2),
        Wrong("multiplied", turn(angle="places[:, None] * base ** (i / d_k)"), "divided by the", 2),
        Wrong("no d_k", turn(angle="places[:, None] / base ** i"), "not divided by d_k", 2),
        Wrong("equally fast", turn(angle="places[:, None] / base ** (0 * i)"), "equally fast", 2),
        Wrong("another base", turn(angle="places[:, None] / 10_000 ** (i / d_k)"), "handed in", 2),
        Wrong(
            "degrees",
            turn(angle="(places[:, None] / base ** (i / d_k)).deg2rad()"),
            "in radians already",
            2,
        ),
        Wrong("from 1", turn(angle="(places[:, None] + 1) / base ** (i / d_k)"), "from 0 here", 2),
        Wrong(
            "from the first",
            turn(angle="(places - places[0])[:, None] / base ** (i / d_k)"),
            "begin to count at the first",
            2,
        ),
        Wrong("backwards", turn(sin="(-angle).sin()"), "turns backwards", 2),
        Wrong(
            "exchanged",
            turn(sin="angle.cos()", cos="angle.sin()", one="first * cos - second * sin"),
            "Sine and cosine are exchanged",
            2,
        ),
        Wrong("multiplied with", turn(one="first * sin", other="second * cos"), "mixes its two", 2),
        Wrong(
            "every column",
            "def my_turn(x, places, base):\n    d_k = x.size(-1)\n    angle = "
            "places[:, None] / base ** (torch.arange(d_k) / d_k)\n    partner = "
            + NEIGHBOR
            + "\n    return x * angle.cos() + partner * angle.sin()",
            "from column to column",
            2,
        ),
        Wrong("as many angles as numbers", turn(numbers="torch.arange(d_k)"), "d_k / 2 angles", 2),
        Wrong("nothing", "def my_turn(x, places, base):\n    return x", "Nothing is turned", 2),
        Wrong(
            "stacked only", turn(back="torch.stack([one, other], -1)"), "should be (2, 4, 4, 6)", 0
        ),
        Wrong(
            "three pairs",
            turn(numbers="torch.arange(0, 6, 2)", angle="places[:, None] / base ** (i / 6)"),
            "wrong for other inputs",
            2,
        ),
        Wrong(
            "borrowed",
            """
        from transformer_lib.variants import Rotary

        def my_turn(x, places, base):
            last = int(places[-1]) + 1
            words = torch.zeros(*x.shape[:2], last, x.size(-1))
            words[:, :, places] = x
            return Rotary(x.size(-1), base).rotate(words)[:, :, places]
        """,
            "does the whole exercise",
            0,
        ),
        Wrong("a list", "def my_turn(x, places, base):\n    return [1, 2]", "return a tensor", 0),
    ],
    "my_rotary_attention": [
        Wrong(
            "values, too", rotary(result="weights @ turn(v, places)"), "values are turned, too", 1.5
        ),
        Wrong(
            "queries from 0",
            rotary(first="q, k = turn(q, places[:n]), turn(k, places)"),
            "Your queries count from 0. They",
            1.5,
        ),
        Wrong("all from 0", rotary(own="torch.arange(n)"), "in the angles and in the mask", 1.5),
        Wrong(
            "mask from 0",
            rotary(hidden="torch.arange(n).unsqueeze(1) < places"),
            "The angles are right",
            1.5,
        ),
        Wrong("only queries", rotary(first="q = turn(q, own)"), "Only the queries are turned", 1.5),
        Wrong("only keys", rotary(first="k = turn(k, places)"), "Only the keys are turned", 1.5),
        Wrong("nobody", rotary(first="pass"), "Nothing is turned", 1.5),
        Wrong("no mask", rotary(weights="scores.softmax(-1)"), "Every word sees later ones", 1.5),
        Wrong("not scaled", rotary(scores="q @ k.mT"), "not scaled", 1.5),
        Wrong("not itself", rotary(hidden="own.unsqueeze(1) <= places"), "sees itself, too", 1.5),
        Wrong("result", rotary(result="turn(weights @ v, own)"), "The result is turned", 1.5),
        Wrong("values only", rotary(first="v = turn(v, places)"), "other way round", 1.5),
        Wrong(
            "one too far",
            rotary(first="q, k = turn(q, own + 1), turn(k, places)"),
            "one place too far on",
            1.5,
        ),
        Wrong("inverted", rotary(hidden="own.unsqueeze(1) >= places"), "wrong way round", 1.5),
        Wrong("zeros", rotary(weights="(scores * ~hidden).softmax(-1)"), "isn't hidden", 1.5),
        Wrong(
            "afterwards", rotary(weights="scores.softmax(-1) * ~hidden"), "after the softmax", 1.5
        ),
        Wrong("by d_k", rotary(scores="q @ k.mT / q.size(-1)"), "should be its root", 1.5),
        Wrong(
            "columns",
            rotary(weights="scores.masked_fill(hidden, -1e9).softmax(-2)"),
            "over the keys, the last axis",
            1.5,
        ),
        Wrong("weights", rotary(result="weights"), "values are missing", 1.5),
        Wrong("no places", rotary(first="q, k = turn(q, n), turn(k, s)"), "it stops", 0),
        Wrong(
            "borrowed",
            rotary(
                weights="0",
                result="torch.nn.functional.scaled_dot_product_"
                "attention(q, k, v, attn_mask=~hidden)",
            ),
            "does the whole exercise",
            0,
        ),
        Wrong(
            "borrowed from the library",
            """
        from transformer_lib.model.attention import attention

        def my_rotary_attention(q, k, v, turn):
            n, s = q.size(2), k.size(2)
            seen = torch.ones(n, s).tril(s - n).bool()
            places = torch.arange(s)
            return attention(turn(q, places[s - n:]), turn(k, places), v, mask=seen)
        """,
            "does the whole exercise",
            0,
        ),
        Wrong(
            "three new words", rotary(own="torch.arange(s - 3, s)"), "wrong for other inputs", 1.5
        ),
    ],
    "my_grouped_attention": [
        Wrong(
            "tile", grouped(**repeated("{}.repeat(1, h // kv_heads, 1, 1)")), "not 0 1 0 1 0 1", 2
        ),
        Wrong(
            "tiled keys", grouped(keys="k.repeat(1, h // kv_heads, 1, 1)"), "keys, but not of", 2
        ),
        Wrong("tiled values", grouped(values="v.repeat(1, h // kv_heads, 1, 1)"), "values, but", 2),
        Wrong(
            "repeated queries",
            grouped(
                first="q = q.repeat_interleave(kv_heads, 1)",
                **repeated("{}.repeat_interleave(h, 1)"),
            ),
            "queries are repeated",
            2,
        ),
        Wrong("by d_model", grouped(scale="(h * d_k) ** 0.5"), "root of d_model", 2),
        Wrong("by all keys", grouped(scale="(kv_heads * d_k) ** 0.5"), "root of kv_heads", 2),
        Wrong("nothing repeated", grouped(keys="k", values="v"), "Repeat the heads of both", 2),
        Wrong(
            "kv_heads times",
            grouped(**repeated("{}.repeat_interleave(kv_heads, 1)")),
            "have 4 heads",
            2,
        ),
        Wrong("h times", grouped(**repeated("{}.repeat_interleave(h, 1)")), "have 12 heads", 2),
        Wrong(
            "mean of the queries",
            grouped(first="q = q.unflatten(1, (kv_heads, -1)).mean(2)", keys="k", values="v"),
            "queries of a group are averaged",
            2,
        ),
        Wrong("values not repeated", grouped(values="v"), "Repeat the heads of both", 2),
        Wrong("first head", grouped(keys="k[:, :1]", values="v[:, :1]"), "first head of the", 2),
        Wrong(
            "first queries",
            grouped(first="q = q[:, :kv_heads]", keys="k", values="v"),
            "Only the first heads",
            2,
        ),
        Wrong(
            "one of a group",
            grouped(first="q = q[:, ::h // kv_heads]", keys="k", values="v"),
            "Only one head of each group",
            2,
        ),
        Wrong(
            "backwards",
            grouped(**repeated("{}.repeat_interleave(h // kv_heads, 1).flip(1)")),
            "last heads of the queries",
            2,
        ),
        Wrong(
            "mean of the results",
            grouped(result="(weights @ v).unflatten(1, (kv_heads, -1)).mean(2)"),
            "results of a group are averaged",
            2,
        ),
        Wrong(
            "sum of the results",
            grouped(result="(weights @ v).unflatten(1, (kv_heads, -1)).sum(2)"),
            "added up",
            2,
        ),
        Wrong(
            "groups left",
            grouped(result="(weights @ v).unflatten(1, (kv_heads, -1))"),
            "Join the groups",
            2,
        ),
        Wrong(
            "merged", grouped(result="(weights @ v).transpose(1, 2).flatten(2)"), "are merged", 2
        ),
        Wrong("not scaled", grouped(scale="1"), "not scaled", 2),
        Wrong("by d_k", grouped(scale="d_k"), "should be its root", 2),
        Wrong("by less", grouped(scale="(d_k * kv_heads / h) ** 0.5"), "less than d_k", 2),
        Wrong("by more", grouped(scale="(d_k * h / kv_heads) ** 0.5"), "isn't a longer key", 2),
        Wrong("columns", grouped(weights="scores.softmax(-2)"), "over the keys, the last axis", 2),
        Wrong("heads", grouped(weights="scores.softmax(1)"), "runs over the heads", 2),
        Wrong("weights", grouped(result="weights"), "values are missing", 2),
        Wrong("threes", grouped(**repeated("{}.repeat_interleave(3, 1)")), "wrong for other", 2),
        Wrong(
            "borrowed",
            """
        from torch.nn.functional import scaled_dot_product_attention

        def my_grouped_attention(q, k, v):
            return scaled_dot_product_attention(q, k, v, enable_gqa=True)
        """,
            "does the whole exercise",
            0,
        ),
        Wrong(
            "borrowed repeating",
            """
        from transformer_lib.variants import ModernAttention

        def my_grouped_attention(q, k, v):
            h, d_k = q.size(1), q.size(3)
            layer = ModernAttention(h * d_k, h, k.size(1))
            return layer.weights(q, k, None) @ layer.for_all_heads(v)
        """,
            "does the whole exercise",
            0,
        ),
    ],
    "my_cache_bytes": [
        Wrong(
            "all heads",
            BYTES.format("2 * layers * d_model * words * size"),
            "as much as h heads",
            1,
        ),
        Wrong(
            "wide heads",
            BYTES.format("2 * layers * kv_heads * d_model * words * size"),
            "isn't d_model wide",
            1,
        ),
        Wrong(
            "wider heads",
            BYTES.format("2 * layers * kv_heads * (d_model // kv_heads) * words * size"),
            "as much as h heads",
            1,
        ),
        Wrong(
            "keys only",
            BYTES.format("layers * kv_heads * d_model // h * words * size"),
            "Keys *and* values",
            1,
        ),
        Wrong(
            "values of all heads",
            BYTES.format("layers * (kv_heads + h) * d_model // h * words * size"),
            "The values, too",
            1,
        ),
        Wrong(
            "queries, too",
            BYTES.format("layers * (2 * kv_heads + h) * d_model // h * words * size"),
            "Queries aren't kept",
            1,
        ),
        Wrong(
            "one head", BYTES.format("2 * layers * d_model // h * words * size"), "one head of", 1
        ),
        Wrong(
            "one layer", BYTES.format("2 * kv_heads * d_model // h * words * size"), "one layer", 1
        ),
        Wrong(
            "square",
            BYTES.format("2 * layers * kv_heads * d_model // h * words**2 * size"),
            "not with its square",
            1,
        ),
        Wrong(
            "one word", BYTES.format("2 * layers * kv_heads * d_model // h * size"), "one word", 1
        ),
        Wrong(
            "numbers", BYTES.format("2 * layers * kv_heads * d_model // h * words"), "How many b", 1
        ),
        Wrong(
            "bits", BYTES.format("16 * layers * kv_heads * d_model // h * words * size"), "bits", 1
        ),
        Wrong(
            "four", BYTES.format("4 * layers * kv_heads * d_model // h * words * size"), "twice", 1
        ),
        Wrong("a guess", BYTES.format("12345"), "Not 12345", 0),
        Wrong("text", BYTES.format("'much'"), "one number", 0),
        Wrong(
            "floats",
            BYTES.format("8 * layers * kv_heads * d_model // h * words"),
            "wrong for other inputs",
            1,
        ),
    ],
    "verdict": [
        Wrong("A sound", verdict(A="sound"), "A isn't sound. Take one q", 1),
        Wrong("not Llama's", verdict(B="not relative"), "It need not turn the same pairs", 1),
        Wrong("C", verdict(C="not relative"), "C has another fault, or none. Is the length", 1),
        Wrong("D sound", verdict(D="sound"), "D isn't sound. Hand over", 1),
        Wrong("two", verdict(B="not relative", D="sound"), "It need not turn", 0),
        Wrong("all sound", "verdict = dict.fromkeys('ABCD', 'sound')", "A isn't sound", 0),
        Wrong(
            "one open",
            "verdict = {**dict.fromkeys('ABC', 'sound'), 'D': ...}",
            "still to be measured",
            0,
        ),
        Wrong("another word", verdict(A="broken"), "choose one of", 0),
        Wrong("one missing", "verdict = {'A': 'sound'}", "Give a kind for each", 0),
    ],
}
