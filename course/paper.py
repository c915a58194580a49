"""The results that the paper prints, typed in once.

Vaswani et al., Attention Is All You Need, 2017: Tables 1 to 3 as they stand in the last version,
https://arxiv.org/abs/1706.03762v7.
"""

from typing import NamedTuple

SOURCE = "Vaswani et al., Attention Is All You Need, 2017, https://arxiv.org/abs/1706.03762v7"


class LayerCost(NamedTuple):
    """A row of Table 1, in the paper's letters: n words of d numbers, windows of k or r words."""

    complexity: str
    sequential: str
    path: str


TABLE_1 = {
    "self-attention": LayerCost("n² · d", "1", "1"),
    "recurrent": LayerCost("n · d²", "n", "n"),
    "convolution": LayerCost("k · n · d²", "1", "log_k(n)"),
    "restricted self-attention": LayerCost("r · n · d", "1", "n / r"),
}


class System(NamedTuple):
    """A row of Table 2: BLEU on newstest2014, and floating-point operations of the training.

    None where the paper prints nothing.
    """

    kind: str  # recurrent, convolution, or attention
    german: float | None  # BLEU, English to German
    french: float | None  # BLEU, English to French
    german_cost: float | None
    french_cost: float | None


TABLE_2 = {
    "ByteNet": System("convolution", 23.75, None, None, None),
    "Deep-Att + PosUnk": System("recurrent", None, 39.2, None, 1.0e20),
    "GNMT + RL": System("recurrent", 24.6, 39.92, 2.3e19, 1.4e20),
    "ConvS2S": System("convolution", 25.16, 40.46, 9.6e18, 1.5e20),
    "MoE": System("recurrent", 26.03, 40.56, 2.0e19, 1.2e20),
    "Deep-Att + PosUnk, ensemble": System("recurrent", None, 40.4, None, 8.0e20),
    "GNMT + RL, ensemble": System("recurrent", 26.30, 41.16, 1.8e20, 1.1e21),
    "ConvS2S, ensemble": System("convolution", 26.36, 41.29, 7.7e19, 1.2e21),
    "Transformer, base": System("attention", 27.3, 38.1, 3.3e18, 3.3e18),
    "Transformer, big": System("attention", 28.4, 41.8, 2.3e19, 2.3e19),
}


class Variation(NamedTuple):
    """A row of Table 3: English to German, newstest2013.

    changed: what differs from base. perplexity: per word piece. millions: of parameters; None
    where the cell is empty, which means "as in base".
    """

    changed: dict[str, float | str]
    perplexity: float
    bleu: float
    millions: int | None = None


TABLE_3 = {
    "base": Variation({}, 4.92, 25.8, 65),
    "h = 1": Variation({"h": 1}, 5.29, 24.9),
    "h = 4": Variation({"h": 4}, 5.00, 25.5),
    "h = 16": Variation({"h": 16}, 4.91, 25.8),
    "h = 32": Variation({"h": 32}, 5.01, 25.4),
    "d_k = 16": Variation({"d_k": 16}, 5.16, 25.1, 58),
    "d_k = 32": Variation({"d_k": 32}, 5.01, 25.4, 60),
    "N = 2": Variation({"N": 2}, 6.11, 23.7, 36),
    "N = 4": Variation({"N": 4}, 5.19, 25.3, 50),
    "N = 8": Variation({"N": 8}, 4.88, 25.5, 80),
    "d_model = 256": Variation({"d_model": 256}, 5.75, 24.5, 28),
    "d_model = 1024": Variation({"d_model": 1024}, 4.66, 26.0, 168),
    "d_ff = 1024": Variation({"d_ff": 1024}, 5.12, 25.4, 53),
    "d_ff = 4096": Variation({"d_ff": 4096}, 4.75, 26.2, 90),
    "dropout 0.0": Variation({"dropout": 0.0}, 5.77, 24.6),
    "dropout 0.2": Variation({"dropout": 0.2}, 4.95, 25.5),
    "smoothing 0.0": Variation({"smoothing": 0.0}, 4.67, 25.3),
    "smoothing 0.2": Variation({"smoothing": 0.2}, 5.47, 25.7),
    "learned positions": Variation({"positions": "learned"}, 4.92, 25.7),
    "big": Variation({"d_model": 1024, "d_ff": 4096, "h": 16, "dropout": 0.3}, 4.33, 26.4, 213),
}


class Printed(NamedTuple):
    """A BLEU of the paper, and a place where it is printed."""

    task: str
    bleu: float
    model: str
    where: str


PRINTED = (
    Printed("English-German", 27.3, "base", "Table 2"),
    Printed("English-German", 27.5, "single model", "the abstract on the conference's page"),
    Printed("English-German", 28.4, "big", "abstract, Table 2 and section 6.1"),
    Printed("English-French", 38.1, "base", "Table 2"),
    Printed("English-French", 41.0, "big", "section 6.1; abstract of the early versions"),
    Printed("English-French", 41.1, "single model", "the abstract on the conference's page"),
    Printed("English-French", 41.8, "big", "abstract and Table 2 of the last version"),
)
