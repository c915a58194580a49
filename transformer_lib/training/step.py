"""The loss of a batch, and one update of the weights."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from transformer_lib.ids import PAD
from transformer_lib.model.interface import Seq2SeqModel
from transformer_lib.text.batching import Batch
from transformer_lib.training.distributed import all_reduce_sum, gradient_sync, world_size
from transformer_lib.training.loss import label_smoothed_cross_entropy

# The loss needs several tensors as large as the logits. Pieces of 8 MB stay with the process, but
# pieces over 32 MB are given back to Linux and requested again each time, which is slower.
LOGITS_AT_A_TIME = 2_000_000


def batch_loss(model: Seq2SeqModel, batch: Batch, smoothing: float, bf16: bool = False) -> Tensor:
    """The loss in nats, summed over the batch's target words.

    The decoder reads the right words so far (teacher forcing), whatever it would have written. The
    generator, the widest layer, runs only at positions with a word to predict, part by part.
    """
    device = model.generator.proj.weight.device
    src, tgt_in, tgt_out = (x.to(device) for x in (batch.src, batch.tgt_in, batch.tgt_out))
    predicts = tgt_out != PAD
    words = max(1, LOGITS_AT_A_TIME // model.generator.proj.out_features)  # in a piece
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16):
        x = model.decode(tgt_in, model.encode(src), src)
        pieces = zip(x[predicts].split(words), tgt_out[predicts].split(words), strict=True)
        losses = []
        for vectors, target in pieces:  # (words, d_model), (words,)
            logits = model.generator(vectors)
            logits = logits.float() if bf16 else logits
            losses.append(label_smoothed_cross_entropy(logits, target, smoothing, reduction="sum"))
    return torch.stack(losses).sum()


def count_tokens(batches: Sequence[Batch]) -> int:
    """How many target words the batches have, <eos> included."""
    return sum(int((batch.tgt_out != PAD).sum()) for batch in batches)


def update(
    model: Seq2SeqModel,
    optimizer: torch.optim.Optimizer,
    batches: Sequence[Batch],
    lr: float,
    smoothing: float,
    bf16: bool = False,
    loss_of: Callable[..., Tensor] = batch_loss,
    grad_clip: float | None = None,
) -> float:
    """One step, with the gradient of all batches as if they were one -> loss per word, in nats.

    loss_of: computes the loss of a batch, summed over its target words. With several processes,
    each has some of the batches and gets its share of the loss; see `data_parallel_loss`.
    grad_clip: the length that a longer gradient gets (None: its own).
    """
    for group in optimizer.param_groups:
        group["lr"] = lr
    (words,) = all_reduce_sum(count_tokens(batches))
    share = 0.0
    for batch in batches:
        with gradient_sync(loss_of, now=batch is batches[-1]):
            loss = loss_of(model, batch, smoothing, bf16) / words
            (loss * world_size()).backward()  # the processes take the mean, but the sum is needed
        share += loss.item()
    if grad_clip is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return share


@torch.no_grad()
def validation_loss(model: Seq2SeqModel, batches: Sequence[Batch]) -> float:
    """Cross-entropy in nats per word, without dropout and without smoothing.

    With several processes, each has some of the batches.
    """
    model.eval()
    share = sum(batch_loss(model, batch, smoothing=0.0).item() for batch in batches)
    model.train()
    loss, words = all_reduce_sum(share, count_tokens(batches))
    return loss / words
