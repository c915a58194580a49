"""Assignment 2: attention by hand and in code."""

from tests.course.grading.attempts import Wrong

RIGHT = {
    "two_weights": [
        "two_weights = (1 / 4, 3 / 4)",
        "two_weights = torch.tensor([0.25, 0.75])",
        "two_weights = torch.tensor([[0.25, 0.75]])",
        "two_weights = torch.tensor([[0.25], [0.75]])",
        "two_weights = '0.25', ' .75 '",
        "import numpy as np\ntwo_weights = np.array([0.75, 0.25])[::-1]",
        "from decimal import Decimal\ntwo_weights = [Decimal('0.25'), Decimal('0.75')]",
        "from fractions import Fraction\ntwo_weights = [Fraction(1, 4), Fraction(3, 4)]",
    ],
    "my_weights": [
        """
        def my_weights(query, key):
            scores = torch.einsum("qd,kd->qk", query, key) / query.shape[1] ** 0.5
            return torch.softmax(scores, dim=1)
        """,
        """
        def my_weights(query, key):
            rows = []
            for one in query:
                scores = torch.stack([torch.dot(one, other) for other in key]) / len(one) ** 0.5
                powers = torch.exp(scores - scores.max())
                rows.append(powers / powers.sum())
            return torch.stack(rows)
        """,
        """
        import numpy as np

        def my_weights(query, key):
            scores = query.numpy() @ key.numpy().T / np.sqrt(query.shape[-1])
            powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
            return powers / powers.sum(axis=-1, keepdims=True)
        """,
    ],
    "my_attention": [
        """
        def my_attention(q, k, v):
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
            return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)
        """,
        """
        def one_head(q, k, v):
            weights = (q @ k.T / len(q[0]) ** 0.5).softmax(dim=1)
            return weights @ v

        def my_attention(query, key, value):
            return torch.stack([
                torch.stack([one_head(*head) for head in zip(*sentence)])
                for sentence in zip(query, key, value)
            ])
        """,
        """
        import numpy as np

        def my_attention(query, key, value):
            query, key, value = (x.numpy() for x in (query, key, value))
            scores = np.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
            powers = np.exp(scores - scores.max(-1, keepdims=True))
            return powers / powers.sum(-1, keepdims=True) @ value
        """,
    ],
    "w_q": [
        """
        w_q = torch.zeros(4, 4)
        w_q[3] = torch.tensor([0.0, 9.0, 0.0, 0.0])
        """,
        "w_q = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 9, 0, 0], [0, 0, 0, 0]]",
        "import numpy as np\nw_q = 9 * np.eye(4)[[0, 0, 1, 0]] * [[0], [0], [1], [0]]",
    ],
}

WRONG = {
    "two_weights": [
        Wrong("no scaling", "two_weights = [0.175, 0.825]", "divide the scores by the root", 1),
        Wrong("scaled too late", "two_weights = [0.124, 0.583]", "divided after the softmax", 1),
        Wrong("swapped", "two_weights = [0.75, 0.25]", "in the other order", 1),
        Wrong("no softmax", "two_weights = [0.0, 1.1]", "Weights add up to 1", 0),
        Wrong("not numbers", "two_weights = 'a quarter'", "Give 2 numbers", 0),
        Wrong("not numbers in quotes", "two_weights = ['nan', 'inf']", "Give 2 numbers", 0),
        Wrong("one in quotes", "two_weights = '0.75'", "Give 2 numbers", 0),
        Wrong("too large a number", "two_weights = [10**400, 1]", "Give 2 numbers", 0),
    ],
    "my_weights": [
        Wrong(
            "half precision",
            """
            def my_weights(query, key):
                return (query @ key.T / query.size(-1) ** 0.5).softmax(-1).half()
            """,
            "in half precision (torch.float16)",
            0,
        ),
        Wrong(
            "all or nothing",
            """
            def my_weights(query, key):
                return torch.nn.functional.one_hot((query @ key.T).argmax(-1), len(key))
            """,
            "Weights are floats",
            0,
        ),
        Wrong(
            "softmax over the wrong axis",
            """
            def my_weights(query, key):
                return (query @ key.T / math.sqrt(query.size(-1))).softmax(dim=0)
            """,
            "softmax must run over the keys",
            2.5,
        ),
        Wrong(
            "the root of the number of keys",
            """
            def my_weights(query, key):
                return (query @ key.T / math.sqrt(len(key))).softmax(dim=-1)
            """,
            "root of the number of keys",
            2.5,
        ),
        Wrong(
            "scaled after the softmax",
            """
            def my_weights(query, key):
                return (query @ key.T).softmax(dim=-1) / math.sqrt(query.size(-1))
            """,
            "division comes after the softmax",
            2.5,
        ),
        Wrong(
            "d_k instead of its root",
            """
            def my_weights(query, key):
                return (query @ key.T / query.size(-1)).softmax(dim=-1)
            """,
            "it should be its root",
            2.5,
        ),
        Wrong(
            "softmax twice",
            """
            def my_weights(query, key):
                weights = (query @ key.T / math.sqrt(query.size(-1))).softmax(dim=-1)
                return torch.softmax(weights, dim=-1)
            """,
            "comes a second one",
            2.5,
        ),
        Wrong(
            "no scaling",
            """
            def my_weights(query, key):
                return (query @ key.T).softmax(dim=-1)
            """,
            "not scaled",
            2.5,
        ),
        Wrong(
            "e to the power of large scores",
            """
            def my_weights(query, key):
                powers = (query @ key.T / math.sqrt(query.size(-1))).exp()
                return powers / powers.sum(dim=-1, keepdim=True)
            """,
            "overflows",
            2.5,
        ),
        Wrong(
            "a size of the example in the code",
            """
            def my_weights(query, key):
                return (query @ key.T / math.sqrt(7)).softmax(dim=-1)
            """,
            "wrong for other inputs",
            2.5,
        ),
        Wrong(
            "only the scores",
            """
            def my_weights(query, key):
                return query @ key.T
            """,
            "The scaling and the softmax are missing",
            0,
        ),
        Wrong(
            "keys not transposed",
            """
            def my_weights(query, key):
                return (query @ key / math.sqrt(query.size(-1))).softmax(dim=-1)
            """,
            "does the key need a transpose?",
            2.5,
        ),
        Wrong(
            "row sums without keepdim",
            """
            def my_weights(query, key):
                powers = (query @ key.T / math.sqrt(query.size(-1))).exp()
                return powers / powers.sum(dim=1)
            """,
            "without `keepdim=True`",
            2.5,
        ),
        Wrong(
            "number by number",
            """
            def my_weights(query, key):
                return (query * key / math.sqrt(query.size(-1))).softmax(dim=-1)
            """,
            "number by number",
            2.5,
        ),
        Wrong(
            "the library's function",
            """
            from transformer_lib import attention_weights

            def my_weights(query, key):
                return attention_weights(query, key)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_attention": [
        *(
            Wrong(
                f"averaged heads: {returned}",
                f"""
                def my_attention(q, k, v):
                    w = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
                    return {returned}
                """,
                "The heads are averaged",
                2,
            )
            for returned in (
                "(w @ v).mean(1)",
                "(w @ v).mean(1, keepdim=True)",
                "(w @ v).mean(1, keepdim=True).expand_as(w @ v)",
                "w.mean(1, keepdim=True) @ v",
                "w.mean(1) @ v",
                "w.mean(1) @ v.mean(1)",
            )
        ),
        Wrong(
            "no values",
            """
            def my_attention(query, key, value):
                return (query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))).softmax(dim=-1)
            """,
            "have to be multiplied by the values",
            2,
        ),
        Wrong(
            "softmax over the heads",
            """
            def my_attention(query, key, value):
                scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
                return scores.softmax(dim=1) @ value
            """,
            "runs over the heads",
            2,
        ),
        Wrong(
            "softmax over the queries",
            """
            def my_attention(query, key, value):
                scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
                return scores.softmax(dim=-2) @ value
            """,
            "runs over the queries",
            2,
        ),
        *(
            Wrong(
                mistake,
                f"""
                def my_attention(query, key, value):
                    scores = query @ key.transpose(-2, -1)
                    return ({weights}) @ value
                """,
                hint,
                2,
            )
            for mistake, weights, hint in (
                ("over the batch", "(scores / key.size(-1) ** 0.5).softmax(0)", "over the batch"),
                ("d_k itself", "(scores / key.size(-1)).softmax(-1)", "divide by d_k itself"),
                (
                    "scaled twice",
                    "(scores / key.size(-1) ** 0.5 / key.size(-1) ** 0.5).softmax(-1)",
                    "divide by d_k itself",
                ),
                (
                    "the root of d_model",
                    "(scores / (key.size(1) * key.size(-1)) ** 0.5).softmax(-1)",
                    "root of d_model",
                ),
                (
                    "the root of d_v",
                    "(scores / value.size(-1) ** 0.5).softmax(-1)",
                    "root of the value's width",
                ),
                (
                    "the root of the number of queries",
                    "(scores / scores.size(-2) ** 0.5).softmax(-1)",
                    "root of the number of queries",
                ),
                ("multiplied", "(scores * key.size(-1) ** 0.5).softmax(-1)", "You multiply by"),
                (
                    "softmax twice",
                    "(scores / key.size(-1) ** 0.5).softmax(-1).softmax(-1)",
                    "comes a second one",
                ),
            )
        ),
        Wrong(
            "the root of the number of heads",
            """
            def my_attention(query, key, value):
                scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(1))
                return scores.softmax(dim=-1) @ value
            """,
            "root of the number of heads",
            2,
        ),
        Wrong(
            "no softmax",
            """
            def my_attention(query, key, value):
                return query @ key.transpose(-2, -1) / math.sqrt(key.size(-1)) @ value
            """,
            "softmax is missing",
            2,
        ),
        Wrong(
            "all axes reversed",
            """
            def my_attention(query, key, value):
                return (query @ key.mT.mT / math.sqrt(key.size(-1))).softmax(dim=-1) @ value
            """,
            "does the key need a transpose?",
            2,
        ),
        Wrong(
            "other axes",
            """
            def my_attention(query, key, value):
                scores = query @ key.transpose(1, 2) / math.sqrt(key.size(-1))
                return scores.softmax(dim=-1) @ value
            """,
            "Other axes of the key",
            2,
        ),
        Wrong(
            "values first",
            """
            def my_attention(query, key, value):
                scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
                return value @ scores.softmax(dim=-1)
            """,
            "The weights come first",
            2,
        ),
        Wrong(
            "weights and values number by number",
            """
            def my_attention(query, key, value):
                scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
                return scores.softmax(dim=-1) * value
            """,
            "number by number",
            2,
        ),
        Wrong(
            "row sums without keepdim",
            """
            def my_attention(query, key, value):
                powers = (query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))).exp()
                return (powers / powers.sum(dim=-1)) @ value
            """,
            "without `keepdim=True`",
            2,
        ),
        Wrong(
            "the library's function",
            """
            def my_attention(query, key, value):
                return torch.nn.functional.scaled_dot_product_attention(query, key, value)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "w_q": [
        Wrong("nothing in it", "w_q = torch.zeros(4, 4)", "attends to all three words alike", 0),
        Wrong("no table", "w_q = 5", "the shape (4, 4)", 0),
        Wrong("words", "w_q = 'trees'", "Give a tensor", 0),
        Wrong("rows of two lengths", "w_q = [[0, 0], [0]]", "Give a tensor", 0),
        Wrong(
            "too weak",
            """
            w_q = torch.zeros(4, 4)
            w_q[2, 1] = 1.0
            """,
            "not yet 0.9",
            0,
        ),
        Wrong(
            "the other way round",
            """
            w_q = torch.zeros(4, 4)
            w_q[1, 2] = 9.0
            """,
            "It should be “trees”",
            0,
        ),
        Wrong("large everywhere", "w_q = torch.ones(4, 4) * 10", "attends most to “trees”", 0),
        Wrong("another shape", "w_q = torch.zeros(3, 3)", "shape (4, 4)", 0),
    ],
}
