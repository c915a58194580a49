"""Assignment 1: from words to numbers."""

from tests.course.grading.attempts import Wrong

RIGHT = {
    "batch_bytes": [
        "batch_bytes = 688_896",
        "batch_bytes = 688896.0",
        "batch_bytes = '688896'",
        "batch_bytes = torch.tensor([688896])",
        "import numpy as np\nbatch_bytes = np.prod([8, 12, 1794, 4])",
        "import numpy as np\nbatch_bytes = np.array(688896)",
        "from fractions import Fraction\nbatch_bytes = Fraction(688896)",
        "batch_bytes = torch.zeros(8, 12, 1794).nbytes",
    ],
    "my_rows": [
        """
        def my_rows(ids, vocab):
            rows = torch.zeros(*ids.shape, vocab)
            for i, sentence in enumerate(ids):
                for j, number in enumerate(sentence):
                    rows[i, j, number] = 1
            return rows
        """,
        """
        def my_rows(words, n):
            return torch.eye(n)[words]
        """,
        """
        def my_rows(ids, vocab):
            b, s = ids.shape
            flat = torch.zeros(b * s, vocab)
            flat[torch.arange(b * s), ids.reshape(-1)] = 1.0
            return flat.reshape(b, s, vocab)
        """,
        """
        def my_rows(ids, vocab):
            rows = [[[1.0 if slot == number else 0.0 for slot in range(vocab)]
                     for number in sentence] for sentence in ids.tolist()]
            return torch.tensor(rows, dtype=torch.float64)
        """,
        """
        import numpy as np

        def my_rows(ids, vocab):
            return np.eye(vocab, dtype="float32")[ids.numpy()]
        """,
    ],
    "my_embeddings": [
        """
        def my_embeddings(ids, table):
            vocab, d_model = table.shape
            return d_model**0.5 * torch.eye(vocab)[ids] @ table
        """,
        """
        def my_embeddings(ids, table):
            found = [torch.stack([table[i] for i in sentence]) for sentence in ids]
            return torch.stack(found) * len(table[0]) ** 0.5
        """,
        """
        def my_embeddings(ids, table):
            rows = torch.nn.functional.embedding(ids, table)
            return rows * torch.tensor(rows.shape[-1]).sqrt()
        """,
        """
        def my_embeddings(ids, table):
            rows = torch.nn.functional.one_hot(ids, len(table)).float()
            return torch.einsum("bsv,vd->bsd", rows, table) * math.sqrt(table.shape[1])
        """,
        """
        import numpy as np

        def my_embeddings(ids, table):
            return table.numpy()[ids.numpy()] * np.sqrt(table.shape[-1])
        """,
    ],
    "my_encoding": [
        """
        def my_encoding(length, d_model):
            table = torch.zeros(length, d_model)
            for pos in range(length):
                for i in range(d_model // 2):
                    angle = pos / 10000 ** (2 * i / d_model)
                    table[pos, 2 * i] = math.sin(angle)
                    table[pos, 2 * i + 1] = math.cos(angle)
            return table
        """,
        """
        def my_encoding(n, d):
            table = torch.empty(n, d)
            speeds = torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
            table[:, 0::2] = torch.sin(torch.outer(torch.arange(n).float(), speeds))
            table[:, 1::2] = torch.cos(torch.outer(torch.arange(n).float(), speeds))
            return table
        """,
        """
        def my_encoding(length, d_model):
            column = torch.arange(d_model)
            angles = torch.arange(length)[:, None] * 1e4 ** -((column - column % 2) / d_model)
            return torch.sin(angles + column % 2 * math.pi / 2)
        """,
        """
        def my_encoding(length, d_model):
            return [[(math.sin, math.cos)[column % 2](pos / 10_000 ** (column // 2 * 2 / d_model))
                     for column in range(d_model)] for pos in range(length)]
        """,
        """
        import numpy as np

        def my_encoding(length, d_model):
            angles = np.arange(length)[:, None] / 1e4 ** (np.arange(0, d_model, 2) / d_model)
            table = np.zeros((length, d_model))
            table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
            return table
        """,
    ],
    "my_base": [
        "my_base = 40",
        "my_base = 6.0",
        "my_base = torch.tensor(35)",
        "import numpy as np\nmy_base = np.array([35.0])",
        "from decimal import Decimal\nmy_base = Decimal('35.5')",
        """
        worst = {b: float(transformer_lib.positional_encoding(30, 4, b)[1:].matmul(
            transformer_lib.positional_encoding(1, 4, b)[0]).max()) for b in range(2, 100)}
        my_base = min(worst, key=worst.get)
        """,
    ],
}

WRONG = {
    "batch_bytes": [
        Wrong("numbers, not bytes", "batch_bytes = 8 * 12 * 1794", "takes 4 bytes", 1),
        Wrong("8 bytes each", "batch_bytes = 8 * 12 * 1794 * 8", "8 bytes are for an id", 1),
        Wrong("one sentence", "batch_bytes = 12 * 1794 * 4", "one sentence", 1),
        Wrong("one word of each", "batch_bytes = 8 * 1794 * 4", "one word of each", 1),
        Wrong("the ids", "batch_bytes = 8 * 12 * 8", "what the ids take", 0),
        Wrong("a guess", "batch_bytes = 1000", "Multiply sentences", 0),
        Wrong("not a number", "batch_bytes = '688,896'", "whole number", 0),
        Wrong("not whole", "batch_bytes = 688896.5", "whole number", 0),
        Wrong("no end", "batch_bytes = math.inf", "whole number", 0),
        Wrong("yes", "batch_bytes = torch.tensor(True)", "whole number", 0),
    ],
    "my_rows": [
        Wrong(
            "slots before words",
            """
            def my_rows(ids, vocab):
                return (ids[:, None, :] == torch.arange(vocab)[:, None]).float()
            """,
            "wrong axis",
            1.5,
        ),
        Wrong(
            "the vocabulary first",
            """
            def my_rows(ids, vocab):
                return torch.stack([(ids == slot).float() for slot in range(vocab)])
            """,
            "first axis of your answer",
            1.5,
        ),
        Wrong(
            "the batch is lost",
            """
            def my_rows(ids, vocab):
                rows = torch.zeros(ids.numel(), vocab)
                for row, number in enumerate(ids.flatten()):
                    rows[row, number] = 1
                return rows
            """,
            "one long list",
            1.5,
        ),
        Wrong(
            "one row for a sentence",
            """
            def my_rows(ids, vocab):
                rows = torch.zeros(len(ids), vocab)
                for row, number in enumerate(ids):
                    rows[row, number] = 1
                return rows
            """,
            "share one row",
            1.5,
        ),
        Wrong(
            "the first sentence only",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids[0]]
            """,
            "first sentence only",
            1.5,
        ),
        Wrong(
            "slots from 1",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids - 1]
            """,
            "one place off",
            1.5,
        ),
        Wrong(
            "one slot too far",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids + 1]
            """,
            "one place off",
            1.5,
        ),
        Wrong(
            "the id instead of 1",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids] * ids.unsqueeze(-1)
            """,
            "holds the id itself",
            1.5,
        ),
        Wrong(
            "zeros and ones exchanged",
            """
            def my_rows(ids, vocab):
                return (ids.unsqueeze(-1) != torch.arange(vocab)).float()
            """,
            "exchanged",
            1.5,
        ),
        Wrong(
            "truth values",
            """
            def my_rows(ids, vocab):
                return ids.unsqueeze(-1) == torch.arange(vocab)
            """,
            "torch.bool",
            1.5,
        ),
        Wrong(
            "a size of the example in the code",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids.flatten()].view(-1, 3, vocab)
            """,
            "wrong for other inputs",
            1.5,
        ),
        Wrong(
            "a table made for 1,794 words",
            """
            def my_rows(ids, vocab):
                return torch.eye(1794)[ids][..., :vocab]
            """,
            "wrong for other inputs",
            1.5,
        ),
        Wrong(
            "rows of the wrong words",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab)[ids.sort().values]
            """,
            "wrong slot",
            0,
        ),
        Wrong(
            "one slot too many",
            """
            def my_rows(ids, vocab):
                return torch.eye(vocab + 1)[ids]
            """,
            "should be (2, 3, 7)",
            0,
        ),
        Wrong(
            "zeros only",
            """
            def my_rows(ids, vocab):
                return torch.zeros(*ids.shape, vocab)
            """,
            "exactly one 1",
            0,
        ),
        Wrong(
            "PyTorch's function",
            """
            def my_rows(ids, vocab):
                return torch.nn.functional.one_hot(ids, vocab).float()
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_embeddings": [
        Wrong(
            "no factor",
            """
            def my_embeddings(ids, table):
                return table[ids]
            """,
            "root of d_model is missing",
            1.5,
        ),
        Wrong(
            "d_model instead of its root",
            """
            def my_embeddings(ids, table):
                return table[ids] * table.size(1)
            """,
            "times d_model",
            1.5,
        ),
        Wrong(
            "divided",
            """
            def my_embeddings(ids, table):
                return table[ids] / math.sqrt(table.size(1))
            """,
            "divided by the root",
            1.5,
        ),
        Wrong(
            "divided by d_model",
            """
            def my_embeddings(ids, table):
                return table[ids] / table.size(1)
            """,
            "divided by d_model",
            1.5,
        ),
        Wrong(
            "added",
            """
            def my_embeddings(ids, table):
                return table[ids] + math.sqrt(table.size(1))
            """,
            "added to each number",
            1.5,
        ),
        Wrong(
            "the root of the number of words",
            """
            def my_embeddings(ids, table):
                return table[ids] * math.sqrt(len(table))
            """,
            "root of the number of words",
            1.5,
        ),
        Wrong(
            "the root of the length of a sentence",
            """
            def my_embeddings(ids, table):
                return table[ids] * math.sqrt(ids.size(1))
            """,
            "root of a size of ids",
            1.5,
        ),
        Wrong(
            "columns",
            """
            def my_embeddings(ids, table):
                return table[:, ids] * math.sqrt(table.size(1))
            """,
            "columns of the table",
            1.5,
        ),
        Wrong(
            "a table on its side",
            """
            def my_embeddings(ids, table):
                return table.T[ids] * math.sqrt(table.size(1))
            """,
            "columns of the table",
            1.5,
        ),
        Wrong(
            "ids from 1",
            """
            def my_embeddings(ids, table):
                return table[ids - 1] * math.sqrt(table.size(1))
            """,
            "ids count from 0",
            1.5,
        ),
        Wrong(
            "the batch is lost",
            """
            def my_embeddings(ids, table):
                return table[ids.flatten()] * math.sqrt(table.size(1))
            """,
            "one long list",
            1.5,
        ),
        Wrong(
            "the words added up",
            """
            def my_embeddings(ids, table):
                return table[ids].sum(dim=1) * math.sqrt(table.size(1))
            """,
            "a vector of its own",
            1.5,
        ),
        Wrong(
            "a size of the example in the code",
            """
            def my_embeddings(ids, table):
                return table[ids] * math.sqrt(7)
            """,
            "wrong for other inputs",
            1.5,
        ),
        Wrong(
            "the paper's size in the code",
            """
            def my_embeddings(ids, table):
                return table[ids] * math.sqrt(512)
            """,
            "root of 512",
            1.5,
        ),
        Wrong(
            "some other factor",
            """
            def my_embeddings(ids, table):
                return 3 * table[ids]
            """,
            "times one number",
            0,
        ),
        Wrong(
            "still one-hot",
            """
            def my_embeddings(ids, table):
                return torch.eye(len(table))[ids]
            """,
            "still one-hot rows",
            0,
        ),
        Wrong(
            "the library's class",
            """
            def my_embeddings(ids, table):
                layer = transformer_lib.Embeddings(*table.shape)
                layer.table.weight.data = table
                return layer(ids)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_encoding": [
        Wrong(
            "positions from 1",
            """
            def my_encoding(length, d_model):
                pos = torch.arange(1, length + 1).unsqueeze(1)
                angles = pos / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "start at 1",
            2,
        ),
        Wrong(
            "sine and cosine swapped",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / d_model)
                return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(1)
            """,
            "Sine and cosine are exchanged",
            2,
        ),
        Wrong(
            "halves",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / d_model)
                return torch.cat([angles.sin(), angles.cos()], dim=1)
            """,
            "the order isn't",
            2,
        ),
        Wrong(
            "i instead of 2i",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(d_model // 2) / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "yours is i/d_model",
            2,
        ),
        Wrong(
            "not divided by d_model",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000.0 ** torch.arange(0, d_model, 2)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "not divided by d_model",
            2,
        ),
        Wrong(
            "the exponent is i",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000.0 ** torch.arange(d_model // 2)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "exponent is i itself",
            2,
        ),
        Wrong(
            "another exponent in each column",
            """
            def my_encoding(length, d_model):
                column = torch.arange(d_model)
                angles = torch.arange(length)[:, None] / 10_000 ** (column / d_model)
                return torch.where(column % 2 == 0, angles.sin(), angles.cos())
            """,
            "grows from column to column",
            2,
        ),
        Wrong(
            "i counts columns",
            """
            def my_encoding(length, d_model):
                column = torch.arange(d_model)
                angles = torch.arange(length)[:, None] / 10_000 ** (2 * column / d_model)
                return torch.where(column % 2 == 0, angles.sin(), angles.cos())
            """,
            "It should count pairs",
            2,
        ),
        Wrong(
            "no base",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None].expand(-1, d_model // 2)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "equally fast",
            2,
        ),
        Wrong(
            "the base of exp",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] * torch.exp(
                    -torch.arange(0, d_model, 2) / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "yours is e",
            2,
        ),
        Wrong(
            "a zero too few",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 1000 ** (
                    torch.arange(0, d_model, 2) / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "four zeros",
            2,
        ),
        Wrong(
            "times the power",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] * 10_000 ** (
                    torch.arange(0, d_model, 2).double() / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "not multiplied",
            2,
        ),
        Wrong(
            "no cosines",
            """
            def my_encoding(length, d_model):
                table = torch.zeros(length, d_model)
                table[:, 0::2] = (torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / d_model)).sin()
                return table
            """,
            "odd columns are still 0",
            2,
        ),
        Wrong(
            "a position is a column",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).T
            """,
            "a position is a row",
            2,
        ),
        Wrong(
            "a size of the example in the code",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / 10)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "a size written into your function",
            2,
        ),
        Wrong(
            "2i twice",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    2 * torch.arange(0, d_model, 2) / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "2i is there twice",
            2,
        ),
        Wrong(
            "the paper's size in the code",
            """
            def my_encoding(length, d_model):
                angles = torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / 512)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "width 512",
            2,
        ),
        Wrong(
            "parentheses of the exponent forgotten",
            """
            def my_encoding(length, d_model):
                pos, two_i = torch.arange(length)[:, None], torch.arange(0, d_model, 2.0)
                angles = pos / (10_000**two_i / d_model)
                return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
            """,
            "into parentheses",
            2,
        ),
        Wrong(
            "half the width",
            """
            def my_encoding(length, d_model):
                return (torch.arange(length)[:, None] / 10_000 ** (
                    torch.arange(0, d_model, 2) / d_model)).sin()
            """,
            "this has (7, 5)",
            0,
        ),
        Wrong(
            "the library's function",
            """
            def my_encoding(length, d_model):
                return transformer_lib.positional_encoding(length, d_model)
            """,
            "does the whole exercise for you",
            0,
        ),
    ],
    "my_base": [
        Wrong("too large", "my_base = 10_000", "hardly left", 0),
        Wrong("still too large", "my_base = 100", "hardly left", 0),
        Wrong("both hands alike", "my_base = 1", "equally fast", 0),
        Wrong("both come round", "my_base = 10", "come round together", 0),
        Wrong("no number", "my_base = [30]", "one positive number", 0),
        Wrong("negative", "my_base = -30", "one positive number", 0),
    ],
}
