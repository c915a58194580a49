"""Experiments: learning step by step, of the translator and of a model on rows of digits.

What the translator writes for "I like trees" while it learns is measured over the first steps of
the recipe that made the shipped model, with its data, seed and settings.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import Pairs, digit_pairs, one_thread
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import RECIPES
from transformer_lib.text.batching import Batch, batch_indices, make_batch, source_batch
from transformer_lib.text.tokens import PAD
from transformer_lib.training.batches import all_batches
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.optimizers import adam
from transformer_lib.training.schedules import linear_schedule
from transformer_lib.training.state import TrainState
from transformer_lib.training.step import update, validation_loss
from transformer_lib.translator import Translator

STEPS = 1500
EVERY = 25  # steps between two looks
COUNT = 500  # held-out sentences that the loss is measured on
SENTENCE, RIGHT = "I like trees", "Me gustan los árboles"
# What the rows of digits are learned with.
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


def batches(pairs: Pairs, size: int = 64, seed: int = 0) -> Iterator[Batch]:
    """Batch after batch, without end, in another order in each epoch: as in the notebook."""
    shuffler = random.Random(seed)
    while True:
        order = shuffler.sample(pairs, len(pairs))
        for start in range(0, len(order) - size + 1, size):
            yield make_batch(order[start : start + size])


@experiment("loop")
def loop(until: int = 400) -> dict[str, Any]:
    """The loss of a small model that learns to write rows of digits backwards, and its mistakes.

    The loss is measured every 20 steps, and what follows a mistake at step 150, with three seeds.
    """
    history, mean = [], 0.0
    for step, loss, model, test in learning(until):
        mean += loss / 20
        if step % 20 == 0:
            with torch.no_grad():
                logits = model(test.src, test.tgt_in)
            real = test.tgt_out != PAD
            held_out = cross_entropy(logits[real], test.tgt_out[real]).item()
            history.append(
                {"step": step, "loss": round(mean, 4), "validation_loss": round(held_out, 4)}
            )
            mean = 0.0
    mistakes = [after_mistakes(seed) for seed in (0, 1, 2)] if until == LOOP.steps else []
    return {"task": "reverse", "steps": LOOP.steps, "history": history, "after_mistakes": mistakes}


def after_mistakes(seed: int) -> dict[str, float]:
    """How many digits are right after the first mistake of a row: after right ones, and alone."""
    from course.chapters.ch10_training.experiments import predictions

    *_, (_, _, model, test) = learning(150, seed)
    real = test.tgt_out != PAD
    forced, alone = predictions(model, test)
    wrong = ((forced != test.tgt_out) & real).long()
    later = (wrong.cumsum(dim=1) - wrong > 0) & real
    shares = {
        name: round((found == test.tgt_out)[later].double().mean().item(), 3)
        for name, found in (("forced", forced), ("alone", alone))
    }
    return {"seed": seed, "digits": int(later.sum()), **shares}


def learning(until: int, seed: int = 0) -> Iterator[tuple[int, float, Any, Batch]]:
    """The notebook's loop, with the parts that it lends -> step, loss, model, held-out rows."""
    from course.mine.bench import of_file  # which asks for the checks of this chapter

    own = of_file("", at_work=True).names
    pairs, held_out = digit_pairs("reverse")
    torch.manual_seed(seed)
    model = own["Transformer"](14, 14, N=1, d_model=32, d_ff=64, h=4, dropout=0.0).double()
    optimizer, test = adam(model), make_batch(held_out)
    for step, batch in zip(range(1, until + 1), batches(pairs, seed=seed), strict=False):
        lr = linear_schedule(step, max_lr=0.01, warmup=50, total=LOOP.steps)
        with one_thread():
            loss = own["update"](model, optimizer, batch, lr)
        yield step, loss, model, test


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
