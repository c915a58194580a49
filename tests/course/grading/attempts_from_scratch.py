"""The solution of from_scratch/, and classic mistakes: (step, what stands there, instead, hint)."""

from course.grading.assignment_files import FROM_SCRATCH, assignment

SOLUTION = assignment(FROM_SCRATCH).path
SOURCE = SOLUTION.read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1, f"{old!r} stands {SOURCE.count(old)} times in the solution"
    return SOURCE.replace(old, new)


MISTAKES = [
    (1, " * math.sqrt(self.table.embedding_dim)", "", "root of d_model is missing"),
    (1, "math.sqrt(self.table.embedding_dim)", "self.table.embedding_dim", "times d_model"),
    (1, "std=d_model**-0.5", "std=1.0", "a new table holds numbers of size"),
    (
        1,
        "self.table = nn.Embedding(vocab_size, d_model)",
        "self.table = nn.Embedding(d_model, vocab_size)",
        "should be (11, 7)",
    ),
    (2, "torch.arange(length)[:, None]", "torch.arange(1, length + 1)[:, None]", "start at 1"),
    (
        2,
        "[angles.sin(), angles.cos()], dim=-1).flatten(1)",
        "[angles.sin(), angles.cos()], dim=1).flatten(1)",
        "put each cosine next to its sine",
    ),
    (
        2,
        "torch.arange(0, d_model, 2) / d_model",
        "torch.arange(0, d_model, 2) / d_model / 2",
        "yours is i/d_model",
    ),
    (3, " / math.sqrt(query.size(-1))", "", "The scores are not scaled"),
    (
        3,
        "return scores.softmax(dim=-1) @ value",
        "return scores.softmax(dim=-2) @ value",
        "softmax runs over the queries",
    ),
    (3, "return scores.softmax(dim=-1) @ value", "return scores @ value", "softmax is missing"),
    (4, "(ids != PAD)", "(ids == PAD)", "wrong way round"),
    (4, "dtype=torch.bool).tril()", "dtype=torch.bool).triu()", "turned round"),
    (4, "dtype=torch.bool).tril()", "dtype=torch.bool).tril(-1)", "diagonal is missing"),
    (
        4,
        "scores.masked_fill(~mask, -1e9).softmax(dim=-1)\n    return (weights * mask) @ value",
        "scores.masked_fill(mask, -1e9).softmax(dim=-1)\n    return weights @ value",
        "wrong way round",
    ),
    (4, "(weights * mask) @ value", "weights @ value", "gets 0.2 everywhere"),
    (4, "scores.masked_fill(~mask, -1e9)", "scores", "comes after the softmax"),
    (
        5,
        "x.unflatten(-1, (self.h, -1)).transpose(1, 2)  #",
        "x.reshape(len(x), self.h, x.size(1), -1)  #",
        "pieces of words",
    ),
    (
        5,
        "heads.transpose(1, 2).flatten(2)",
        "heads.reshape(len(query), query.size(1), -1)",
        "without the transpose back",
    ),
    (
        5,
        "self.w_o = nn.Linear(d_model, d_model, bias=False)",
        "self.w_o = nn.Linear(d_model, d_model)",
        "no biases",
    ),
    (
        5,
        "        self.w_q = nn.Linear(d_model, d_model, bias=False)\n",
        "        self.w_q = self.q = nn.Linear(d_model, d_model, bias=False)\n"
        "        del self.w_q\n",
        "has no parameter `w_q.weight`; it has q.weight (14, 14)",
    ),
    (
        7,
        "self_attn = SublayerConnection(d_model, dropout)\n        self.residual_feed_forward",
        "self_attn = SublayerConnection(d_model, dropout)\n"
        "        self.residual_self_attn, self.around_self_attn = None, self.residual_self_attn\n"
        "        self.residual_feed_forward",
        "`around_self_attn.norm.weight` is called `residual_self_attn.norm.weight` now",
    ),
    (5, "self.split(v), mask)", "self.split(v))", "hand it on to `attention`"),
    (
        5,
        "return self.w_o(heads.transpose(1, 2).flatten(2))",
        "return heads.transpose(1, 2).flatten(2)",
        "W^O is missing",
    ),
    (5, "self.w_v(value)", "self.w_v(key)", "values are made of `key`"),
    (
        5,
        "        heads = attention(self.split(q), self.split(k), self.split(v), mask)  "
        "# (b, h, q, d_k)\n        return self.w_o(heads.transpose(1, 2).flatten(2))",
        "        q, k, v = (x.reshape(len(x), self.h, x.size(1), -1) for x in (q, k, v))\n"
        "        return self.w_o(attention(q, k, v, mask).reshape(len(query), query.size(1), -1))",
        "the same on the way back",
    ),
    (6, "self.w_2(self.w_1(x).relu())", "self.w_2(self.w_1(x))", "max is missing"),
    (
        6,
        "self.norm(x + self.dropout(sublayer(x)))",
        "x + self.dropout(sublayer(self.norm(x)))",
        "This is the other one",
    ),
    (
        6,
        "self.norm(x + self.dropout(sublayer(x)))",
        "self.norm(self.dropout(sublayer(x)))",
        "residual connection is missing",
    ),
    (
        6,
        "self.norm(x + self.dropout(sublayer(x)))",
        "self.norm(x + sublayer(x))",
        "Dropout is missing",
    ),
    (
        6,
        "self.norm(x + self.dropout(sublayer(x)))",
        "self.dropout(self.norm(x + sublayer(x)))",
        "Dropout comes after the norm",
    ),
    (
        6,
        "self.dropout = nn.Dropout(dropout)\n\n    def forward(self, x, sublayer):",
        "self.drop = self.dropout = None\n\n    def forward(self, x, sublayer):",
        "nn.Dropout of the name `dropout`",
    ),
    (
        6,
        "self.dropout = nn.Dropout(dropout)\n\n    def forward(self, x, sublayer):",
        "self.dropout = nn.Dropout(0.1)\n\n    def forward(self, x, sublayer):",
        "a share of 0.1",
    ),
    (7, "self.self_attn(x, x, x, mask=src_mask)", "self.self_attn(x, x, x)", "look at the padding"),
    (
        7,
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_feed_forward(x, self.feed_forward)",
        "return self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))",
        "feed-forward network is missing",
    ),
    (
        7,
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_feed_forward(x, self.feed_forward)",
        "return self.residual_feed_forward(x, self.feed_forward)",
        "self-attention is missing",
    ),
    (
        7,
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_feed_forward(x, self.feed_forward)",
        "x = self.residual_feed_forward(x, self.feed_forward)\n        return "
        "self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))",
        "attention comes first",
    ),
    (
        7,
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_feed_forward(x, self.feed_forward)",
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_self_attn(x, self.feed_forward)",
        "is used twice",
    ),
    (
        7,
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_feed_forward(x, self.feed_forward)",
        "x = self.residual_feed_forward(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_self_attn(x, self.feed_forward)",
        "have changed places",
    ),
    (
        7,
        "x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=src_mask))\n"
        "        return self.residual_feed_forward(x, self.feed_forward)",
        "return self.feed_forward(self.self_attn(x, x, x, mask=src_mask))",
        "has a residual connection, or a norm",
    ),
    (
        7,
        "            x = layer(x, src_mask=src_mask)\n        return x",
        "            y = layer(x, src_mask=src_mask)\n        return y",
        "Each layer reads x",
    ),
    (
        7,
        "ModuleList(EncoderLayer(d_model, d_ff, h, dropout) for _ in range(N))",
        "ModuleList([EncoderLayer(d_model, d_ff, h, dropout)] * N)",
        "one and the same",
    ),
    (
        7,
        "nn.ModuleList(EncoderLayer(d_model, d_ff, h, dropout) for _ in range(N))",
        "[EncoderLayer(d_model, d_ff, h, dropout) for _ in range(N)]",
        "not in a plain list",
    ),
    (
        7,
        "        self.layers = nn.ModuleList(EncoderLayer(",
        "        self.norm = nn.LayerNorm(d_model)\n"
        "        self.layers = nn.ModuleList(EncoderLayer(",
        "isn't asked for: `norm.weight`",
    ),
    (
        7,
        "            x = layer(x, src_mask=src_mask)\n        return x",
        "            x = layer(x, src_mask=src_mask)\n            return x",
        "Only the first layer",
    ),
    (
        8,
        "self.self_attn(x, x, x, mask=tgt_mask)",
        "self.self_attn(x, x, x)",
        "causal mask is missing",
    ),
    (
        8,
        "self.cross_attn(x, memory, memory, mask=src_mask)",
        "self.cross_attn(x, x, x, mask=tgt_mask)",
        "never looks at the memory",
    ),
    (
        8,
        "self.cross_attn(x, memory, memory, mask=src_mask)",
        "self.cross_attn(x, memory, memory)",
        "source's padding",
    ),
    (
        8,
        "            x = layer(x, memory, tgt_mask=tgt_mask, src_mask=src_mask)",
        "            x = layer(x, memory)",
        "masks don't reach",
    ),
    (
        9,
        "padding_mask(tgt_in) & causal_mask(tgt_in.size(1))",
        "padding_mask(tgt_in)",
        "causal mask is missing",
    ),
    (9, "self.placed(self.src_embed(src))", "self.src_embed(src)", "the source has none"),
    (
        9,
        "return x @ self.tgt_embed.table.weight.T",
        "return (x @ self.tgt_embed.table.weight.T).softmax(-1)",
        "These are probabilities",
    ),
    (
        9,
        "        for part in self.modules():",
        "        self.out = nn.Linear(d_model, tgt_vocab_size, bias=False)\n"
        "        for part in self.modules():",
        "one matrix too many",
    ),
    (9, "if isinstance(part, nn.Linear)", "if False", "xavier_uniform_"),
    (
        9,
        "return self.decoder(x, memory, tgt_mask=seen, src_mask=padding_mask(src))\n\n"
        "    def generator(self, x):\n        return x @",
        "x = self.decoder(x, memory, tgt_mask=seen, src_mask=padding_mask(src))\n"
        "        return self.logits(x)\n\n"
        "    def generator(self, x):\n        return x\n\n    def logits(self, x):\n"
        "        return x @",
        "But `decode` gives logits",
    ),
    (
        9,
        "return self.dropout(x + positional",
        "return (x + positional",
        "dropout comes after the positions",
    ),
    (
        9,
        "if isinstance(part, nn.Linear)",
        "if isinstance(part, (nn.Linear, nn.Embedding))",
        "`src_embed.table.weight` starts with",
    ),
    (10, "(each * real).sum() / real.sum()", "each.mean()", "padding counts too"),
    (
        10,
        "(each * real).sum() / real.sum()",
        "((each * real).sum() / real.sum()).item()",
        "a plain number has forgotten",
    ),
    (10, "-(1 - smoothing) * right", "-right", "must give `smoothing` away first"),
    (10, "step * warmup**-1.5", "step * warmup**-0.5", "exponent -1.5"),
    (
        11,
        "[[BOS, *tgt] for _, tgt in pairs]",
        "[[*tgt, EOS] for _, tgt in pairs]",
        "Both rows are the same",
    ),
    (11, "[[*src, EOS] for src, _ in pairs]", "[src for src, _ in pairs]", "ends with <eos>, too"),
    (11, "return pad(src), pad(tgt_in), pad(tgt_out)", "return src, tgt_in, tgt_out", "not a list"),
    (11, "return pad(src), pad(tgt_in), pad(tgt_out)", "return pad(src)", "three tables"),
    (11, '"lr"] = paper_schedule(step,', '"lr"] = paper_schedule(1,', "stays that of step 1"),
    (11, "        loss.backward()", "        (-loss).backward()", "walks uphill"),
    (11, "    return losses", "    losses", "returns nothing"),
    (11, "        optimizer.zero_grad()\n", "", "add up"),
    (11, "betas=(0.9, 0.98), ", "", "PyTorch's numbers"),
    (
        11,
        '        optimizer.param_groups[0]["lr"] = paper_schedule(step, d_model, warmup)\n',
        "",
        "stays that of Adam",
    ),
    (11, "enumerate(batches, start=1)", "enumerate(batches, start=2)", "rate of step 2"),
    (11, "smoothing=0.1)", "smoothing=0.0)", "without smoothing"),
    (11, "losses.append(loss.item())", "losses.append(loss)", "keeps all that led to it"),
    (11, "losses.append(loss.item())", "losses = [loss.item()]", "for each of the 5 batches"),
    (
        11,
        "(longest - len(row)) for row in rows])",
        "(longest - len(row)) for row in rows]).float()",
        "whole numbers",
    ),
    (11, "        optimizer.step()\n", "", "weights don't change"),
    (12, "model.generator(x[0, -1])", "model.generator(x[0, 0])", "first row each time"),
    (
        12,
        "memory, words = model.encode(src), [BOS]",
        "memory, words = model.encode(src), [EOS]",
        "begin with <bos>",
    ),
    (
        12,
        "            return [words[1:-1]]\n    return [words[1:]]",
        "            return words[1:-1]\n    return words[1:]",
        "a list of sentences",
    ),
    (
        12,
        "return target.decode(greedy_decode(model, src, max_length=64)[0])",
        "return greedy_decode(model, src, max_length=64)[0]",
        "should return text",
    ),
    (
        12,
        "torch.tensor([[*source.encode(text), EOS]])",
        "torch.tensor([source.encode(text)])",
        "Does the source end with <eos>?",
    ),
]
