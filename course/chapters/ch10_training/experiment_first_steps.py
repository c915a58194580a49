"""Experiments: learning step by step, of the translator and of a model on rows of digits.

What the translator writes for "I like trees" while it learns is measured over the first steps of
the recipe that made the shipped model, with its data, seed and settings.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import learn, one_thread
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import RECIPES
from transformer_lib.text.batching import batch_indices, make_batch, source_batch
from transformer_lib.training.batches import all_batches
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.optimizers import adam
from transformer_lib.training.state import TrainState
from transformer_lib.training.step import update, validation_loss
from transformer_lib.translator import Translator

STEPS = 1500
EVERY = 25  # steps between two looks
COUNT = 500  # held-out sentences that the loss is measured on
SENTENCE, RIGHT = "I like trees", "Me gustan los árboles"
# The loop that notebook 10 writes by hand.
TINY = ModelConfig(N=1, d_model=32, d_ff=64, h=4, dropout=0.0)
LOOP = TrainingConfig(
    steps=400, max_tokens=512, schedule="linear", max_lr=1e-2, warmup=50, validate_every=20
)


@contextmanager
def double_precision() -> Iterator[None]:
    """Twice the digits: a training is chaotic, and with few digits each machine has its own."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@experiment("loop")
@double_precision()
def loop() -> dict[str, Any]:
    """The loss of a small model that learns to write rows of digits backwards, every 20 steps."""
    _, history = learn("reverse", TINY, LOOP)
    return {"task": "reverse", "steps": LOOP.steps, "history": history}


@experiment("first-steps")
@one_thread()
def first_steps() -> dict[str, Any]:
    """What the translator writes for "I like trees" in its first 1,500 steps, and its loss."""
    shipped, recipe = Translator.load(), RECIPES["en-es"]
    src, tgt, config = shipped.src, shipped.tgt, recipe.training
    texts, held_out = recipe.texts()
    pairs, held_out = (
        [(src.encode(source), tgt.encode(target)) for source, target in some]
        for some in (texts, held_out[:COUNT])
    )
    batches = [
        make_batch([held_out[i] for i in chosen])
        for chosen in batch_indices(held_out, config.max_tokens, seed=0)
    ]
    torch.manual_seed(config.seed)
    model = Transformer(len(src.vocab), len(tgt.vocab), recipe.model)
    optimizer, training = adam(model), all_batches(pairs, config, TrainState())
    trees = source_batch([src.encode(SENTENCE)])
    history, loss = [], None
    for step in tqdm(range(STEPS + 1), unit="step"):
        if step:
            lr = config.learning_rate(step, recipe.model.d_model)
            loss = update(model, optimizer, [next(training)], lr, config.smoothing)
        if step % EVERY == 0:
            history.append(
                {
                    "step": step,
                    "loss": loss and round(loss, 3),
                    "validation_loss": round(validation_loss(model, batches), 3),
                    "writes": tgt.decode(greedy_decode(model, trees, max_length=12)[0]),
                }
            )
    return {"sentence": SENTENCE, "right": RIGHT, "steps": STEPS, "history": history}
