"""What notebook 10 puts side by side: target rows, written words, penalties, the paper's table."""

from typing import Any

import torch
from torch import Tensor

from transformer_lib.loss import label_smoothed_cross_entropy
from transformer_lib.tokens import BOS, EOS, PAD, UNK

STUDENT = ["I", "am", "a", "student", "<eos>"]  # the right words of the first sentence
COLUMNS = ["a", "am", "I", "thanks", "student", "<eos>", "others"]


def as_columns(rows: Any) -> Tensor:
    """Probabilities (…, 9) of our words and signs -> (…, 7): five words, <eos>, and the rest.

    The rest are <pad>, <bos> and <unk>, which no translation holds.
    """
    from transformer_lib.experiments.first_words import ENGLISH

    words = [*ENGLISH.encode(COLUMNS[:5]), EOS]
    rest = rows[..., [PAD, BOS, UNK]].sum(dim=-1, keepdim=True)
    return torch.cat([rows[..., words], rest], dim=-1)


def target_rows(sentence: int) -> Tensor:
    """(t, 9): a row for each word of the translation, with a 1 at that word and 0 elsewhere."""
    from transformer_lib.embedding import one_hot
    from transformer_lib.experiments.first_words import ENGLISH, PAIRS

    return one_hot(torch.tensor([*PAIRS[sentence][1], EOS]), len(ENGLISH))


def written_words(model: torch.nn.Module) -> dict[str, list[str]]:
    """What a model predicts for "je suis étudiant": after the right words, and after its own.

    Five words each, also beyond an <eos>.
    """
    from transformer_lib.batching import make_batch
    from transformer_lib.decoding import deciding
    from transformer_lib.experiments.first_words import ENGLISH, PAIRS

    batch = make_batch(PAIRS[:1])
    alone = batch.tgt_in[:, :1]  # <bos>
    with deciding(model):
        predicted = model(batch.src, batch.tgt_in).argmax(dim=-1)
        for _ in range(batch.tgt_in.size(1)):
            newest = model(batch.src, alone)[:, -1:].argmax(dim=-1)
            alone = torch.cat([alone, newest], dim=1)
    rows = {"tgt_in": batch.tgt_in, "tgt_out": batch.tgt_out, "predicted": predicted,
            "alone": alone[:, 1:]}  # fmt: skip
    return {name: [ENGLISH.tokens[i] for i in ids[0]] for name, ids in rows.items()}


def smoothing_penalty(vocab: int = 9, highest: int = 12) -> tuple[Tensor, dict, Tensor]:
    """Leads of the right word's score, the loss at each with and without smoothing, and its p."""
    leads = torch.arange(0, highest + 0.1, 0.1, dtype=torch.float64).round(decimals=1)
    logits = torch.zeros(len(leads), vocab, dtype=torch.float64)
    logits[:, 4] = leads
    target = torch.full((1,), 4)
    curves = {
        f"eps = {eps:g}": torch.stack(
            [label_smoothed_cross_entropy(row[None], target, eps) for row in logits]
        )
        for eps in (0.0, 0.1)
    }
    return leads, curves, logits.softmax(dim=-1)[:, 4]


# What the paper measured for the row that is nearest to ours, and with what it compares: its
# Table 3. Our base has no dropout, so dropout is compared with the paper's row without it.
PAPERS_BASE = 25.8
PAPERS_ROWS = {
    "1 head": ("1 head", 24.9, PAPERS_BASE),
    "2 heads": ("half of 8 heads", 25.5, PAPERS_BASE),
    "8 heads": ("twice 8 heads", 25.8, PAPERS_BASE),
    "16 heads": ("four times 8 heads", 25.4, PAPERS_BASE),
    "d_k = 8": ("half of d_k", 25.4, PAPERS_BASE),
    "d_k = 2": ("a quarter of d_k", 25.1, PAPERS_BASE),
    "1 layer": ("2 of 6 layers", 23.7, PAPERS_BASE),
    "4 layers": ("8 layers", 25.5, PAPERS_BASE),
    "d_model = 32": ("half of d_model", 24.5, PAPERS_BASE),
    "d_model = 128": ("twice d_model", 26.0, PAPERS_BASE),
    "d_ff = 64": ("half of d_ff", 25.4, PAPERS_BASE),
    "dropout 0.1": ("0.1", 25.8, 24.6),
    "dropout 0.2": ("0.2", 25.5, 24.6),
    "no label smoothing": ("none", 25.3, PAPERS_BASE),
    "label smoothing 0.2": ("0.2", 25.7, PAPERS_BASE),
    "learned positions": ("learned", 25.7, PAPERS_BASE),
}


def stored_rows() -> list[dict[str, Any]]:
    """The stored ablations, a row for each change: its shares of right rows over the seeds."""
    from transformer_lib import experiments

    table: dict[str, dict[str, Any]] = {}
    for run in experiments.load("ablations")["runs"]:
        paper = "not in its table"
        if run["what"] in PAPERS_ROWS:
            name, bleu, compared = PAPERS_ROWS[run["what"]]
            change = f"{bleu - compared:+.1f}".replace("-", "\N{MINUS SIGN}").replace("+0.0", "0.0")
            paper = f"{name}: {bleu} ({change})"
        row = table.setdefault(run["what"], {
            "part": run["part"], "what": run["what"], "parameters": run["parameters"],
            "paper": str(PAPERS_BASE) if run["part"] == "base" else paper,
            "shares": [], "losses": [],
        })  # fmt: skip
        row["shares"].append(run["right_rows"])
        row["losses"].append(run["validation_loss"])
    return list(table.values())
