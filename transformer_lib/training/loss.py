"""How wrong a prediction is: cross-entropy with label smoothing (section 5.4)."""

from torch import Tensor

from transformer_lib.ids import PAD


def label_smoothed_cross_entropy(
    logits: Tensor,
    target: Tensor,
    smoothing: float = 0.1,
    *,
    ignore_index: int = PAD,
    reduction: str = "mean",
) -> Tensor:
    """(1 - eps) * -log p(target)  +  eps * mean over the vocabulary of -log p(word).

    logits (…, vocab_size), target (…) ids -> one number, in nats per target word. The right word
    gets 1 - eps + eps/vocab_size of the wanted probability and each other word eps/vocab_size, as
    in `F.cross_entropy(logits, target, label_smoothing=eps)`. Targets equal to ignore_index do not
    count; without any other target the loss is 0. reduction: "mean" per word, or "sum".
    Raises ValueError unless 0 <= smoothing < 1.
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing={smoothing} must be at least 0 and less than 1")
    if reduction not in ("mean", "sum"):
        raise ValueError(f'reduction={reduction!r} must be "mean" or "sum"')
    counts = target != ignore_index
    words = target.masked_fill(~counts, 0)  # any word will do where none counts
    log_p = logits.log_softmax(dim=-1)
    each = (1 - smoothing) * -log_p.gather(-1, words.unsqueeze(-1)).squeeze(-1)
    if smoothing:  # without it, a word of probability 0 would give 0 * infinity: NaN
        each = each - smoothing / log_p.size(-1) * log_p.sum(dim=-1)
    loss = each.masked_fill(~counts, 0.0).sum()
    return loss if reduction == "sum" else loss / counts.sum().clamp(min=1)
