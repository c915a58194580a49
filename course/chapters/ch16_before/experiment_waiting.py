"""Experiment: Table 1 of the paper, measured: how the time of a layer grows with the sentence.

A recurrent layer computes one word after the other; the others compute all words at once, at a cost
that grows with the sentence (convolution, restricted attention) or with its square (attention).
The same of whole translators: a step of their training, and writing one sentence. Times are those
of one machine, so their ratios are what counts. It takes minutes, on a machine that does nothing
else.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

from course.chapters.ch09_whole_transformer.experiments import restricted
from course.chapters.ch16_before import experiments as before
from course.experiments import experiment
from course.experiments.long_training import written_as_long
from course.experiments.timing import in_turns
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.training.step import batch_loss
from transformer_lib.training.threads import using_threads

D_MODEL, H = 128, 4
KERNEL = 3  # words that a convolution sees at a time
NEIGHBORS = 8  # on each side, for restricted self-attention
LENGTHS = (8, 16, 32, 64, 128, 256, 512)
THREADS = (1, 2)
REPEATS = 15
VOCABULARY = 1000  # words of either language, for a translator
SENTENCES = (8, 32, 128)  # words in the sentences of a translator
BATCH = 1024  # words of either language in a batch


def layers() -> dict[str, Callable[[Tensor], Tensor]]:
    """The four rows of Table 1, as functions from (b, s, d_model) to the same shape."""
    recurrent = nn.GRU(D_MODEL, D_MODEL, batch_first=True)
    convolution = nn.Conv1d(D_MODEL, D_MODEL, KERNEL, padding=KERNEL // 2)
    attention, near = MultiHeadAttention(D_MODEL, H), MultiHeadAttention(D_MODEL, H)
    return {
        "recurrent": lambda x: recurrent(x)[0],
        "convolutional": lambda x: convolution(x.transpose(1, 2)).transpose(1, 2),
        "self-attention": lambda x: attention(x, x, x),
        "restricted self-attention": lambda x: restricted(near, x, NEIGHBORS, NEIGHBORS),
    }


def milliseconds(works: Mapping[tuple, Callable[[], object]]) -> dict[tuple, float]:
    """Median time that each takes."""
    rounds = in_turns(works, REPEATS)
    return {
        key: round(1000 * statistics.median(times[key] for times in rounds), 3) for key in works
    }


def there_and_back(layer: Callable[[Tensor], Tensor], length: int) -> Callable[[], object]:
    """Forward and backward through a layer, for one sentence."""
    x = torch.randn(1, length, D_MODEL, requires_grad=True)
    return lambda: layer(x).sum().backward()


def sentences(length: int, count: int) -> list[tuple[list[int], list[int]]]:
    """Pairs of sentences with so many words (the end counts as one), drawn at random."""
    ids = torch.randint(len(SPECIALS), VOCABULARY, (count, 2, length - 1))
    return [(source, target) for source, target in ids.tolist()]


def training_step(model: nn.Module, length: int) -> Callable[[], object]:
    """Forward and backward for a batch of sentences of one length."""
    batch = make_batch(sentences(length, BATCH // length))
    return lambda: batch_loss(model.train(), batch, smoothing=0.1).backward()


def writing(model: nn.Module, length: int) -> Callable[[], object]:
    """Read one sentence and write as many words, with a cache of the words before."""
    src = make_batch(sentences(length, 1)).src
    return lambda: written_as_long(model, src)


@experiment("waiting")
def time_of_a_layer() -> dict[str, Any]:
    """Time of recurrent, convolutional and attention layers against the sentence length."""
    runs, translators = [], []
    models = {each.what: each.build(VOCABULARY, VOCABULARY) for each in before.SPECS}
    steps = {
        (what, length): training_step(model, length)
        for what, model in models.items()
        for length in SENTENCES
    }
    written = {
        (what, length): writing(model, length)
        for what, model in models.items()
        for length in SENTENCES
    }
    through = {
        (name, length): there_and_back(layer, length)
        for name, layer in layers().items()
        for length in LENGTHS
    }
    for threads in tqdm(THREADS, unit="threads"):
        with using_threads(threads):
            runs += [
                {"layer": name, "threads": threads, "length": length, "milliseconds": took}
                for (name, length), took in milliseconds(through).items()
            ]
            training, sentence = milliseconds(steps), milliseconds(written)
            translators += [
                {
                    "what": what,
                    "threads": threads,
                    "length": length,
                    "training_step": training[what, length],
                    "sentence": sentence[what, length],
                }
                for what, length in steps
            ]
    return {
        "d_model": D_MODEL,
        "h": H,
        "kernel": KERNEL,
        "neighbors": NEIGHBORS,
        "batch": BATCH,
        "runs": runs,
        "translators": translators,
    }


def quickest(
    runs: Sequence[Mapping[str, Any]], name: str = "layer", took: str = "milliseconds"
) -> dict[tuple[str, int], float]:
    """(name, length) -> milliseconds, on the number of threads with which it took least."""
    times: dict[tuple[str, int], float] = {}
    for run in runs:
        key = (run[name], run["length"])
        times[key] = min(run[took], times.get(key, math.inf))
    return times
