"""What experiments see inside a model while it reads a batch."""

from typing import Any

from torch import Tensor

from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.recording import record_attention


def attention_in(model: Any, batch: Any) -> dict[str, Tensor]:
    """Layer -> its attention weights (b, h, q, k); each word is written after the right ones."""
    with inference_mode(model), record_attention(model) as recorded:
        model(batch.src, batch.tgt_in)
    return recorded
