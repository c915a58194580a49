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
}
