"""The smallest lesson there is: two French sentences, learned in a second."""

import torch
from torch.nn.functional import cross_entropy

from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import PAD, Vocabulary
from transformer_lib.training.config import TrainingConfig

FRENCH = Vocabulary(["je", "suis", "étudiant", "merci"])
ENGLISH = Vocabulary(["a", "am", "I", "thanks", "student"])
SENTENCES = (("je suis étudiant", "I am a student"), ("merci", "thanks"))
PAIRS = [
    (FRENCH.encode(french.split()), ENGLISH.encode(english.split()))
    for french, english in SENTENCES
]
SIZES = ModelConfig(N=1, d_model=32, d_ff=64, h=4, dropout=0.0)
LESSON = TrainingConfig(
    steps=15, schedule="linear", max_lr=5e-3, warmup=10, smoothing=0.0, validate_every=5
)


def new_model(seed: int = 0) -> Transformer:
    """A model that has seen nothing yet; its random weights are the same each time."""
    torch.manual_seed(seed)
    return Transformer(len(FRENCH), len(ENGLISH), SIZES)


def descended(steps: int = 20) -> Transformer:
    """A new model after so many steps of gradient descent on both sentences: section 3's loop."""
    model, batch = new_model(), make_batch(PAIRS)
    for _ in range(steps):
        logits = model(batch.src, batch.tgt_in)
        loss = cross_entropy(logits.transpose(1, 2), batch.tgt_out, ignore_index=PAD)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for weight in model.parameters():
                weight -= 0.1 * weight.grad
    return model
