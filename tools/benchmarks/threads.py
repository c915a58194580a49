"""How many threads should a training take, or a translation, beside what else a machine does?

    python tools/benchmarks/threads.py           beside busy cores: minutes

A training of the library, from the tasks on digits to the larger translator, makes its steps with
one thread and with one for each core, in turns, first with nothing beside, then beside programs
that keep one core busy each; and both translators write a sentence, 20 or 100 at a time. The rules
that follow stand in `transformer_lib/training/threads.py`.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from measuring import arguments, milliseconds, ratio, set_up, take_turns
from training_step import our_step, random_batch

from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import SMALL, TOY, ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import tatoeba_sizes
from transformer_lib.text import english_spanish
from transformer_lib.training.threads import threads_for, using_threads
from transformer_lib.translator import MODELS, Translator

BUSY = (0, 1, 2)  # programs beside
SENTENCES = (1, 20, 100)  # that are translated together
# model, max_tokens, words of a language, sentences in a batch and words in each, steps at a time
SIZES = {
    "copy": (TOY, 1024, 14, 90, 11, 5),
    "en-es": (SMALL, 1024, 950, 80, 12, 1),
    "your own pairs": (ModelConfig(**vars(SMALL) | {"N": 3}), 2048, 8_000, 128, 16, 1),
    "tatoeba": (tatoeba_sizes()[0], 2048, 6_000, 128, 16, 1),
}


@contextmanager
def busy(cores: int) -> Iterator[None]:
    """Beside what is inside, so many programs count as fast as they can."""
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        yield
    finally:
        for process in beside:
            process.kill()
            process.wait()


def with_threads(count: int, step: Callable[[], object], steps: int) -> Callable[[], None]:
    def run() -> None:
        with using_threads(count):
            for _ in range(steps):
                step()

    return run


def compare(step: Callable[[], object], steps: int, rounds: int) -> None:
    """A table: one thread and all of them, beside so many busy cores."""
    counts = {"one": 1, "all": os.cpu_count() or 1}
    print(f"{'busy beside':<14}{'one: ms':>10}{'all: ms':>10}{'slowest':>10}  all / one")
    for beside in BUSY:
        contestants = {name: with_threads(count, step, steps) for name, count in counts.items()}
        with busy(beside):
            times = take_turns(contestants, rounds)
        one, every = (milliseconds(times, name) / steps for name in counts)
        slowest = 1000 * max(times["all"]) / steps
        print(
            f"{beside:<14}{one:>10.1f}{every:>10.1f}{slowest:>10.1f}  {ratio(times, 'all', 'one')}"
        )


def main() -> None:
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.set_defaults(threads=os.cpu_count())
    options = parser.parse_args()
    set_up(options)
    for size in options.sizes:
        model, max_tokens, vocab_size, sentences, words, steps = SIZES[size]
        rule = threads_for(model.d_model, max_tokens)
        print(f"\n{size}: d_model {model.d_model}, batch {sentences} x {words}; the rule: {rule}")
        new = Transformer(vocab_size, vocab_size, model)
        step = our_step(new, random_batch(vocab_size, sentences, words, 0.0))
        compare(step, steps, options.repeats)
    for name in MODELS:
        translator = Translator.load(name)
        for sentences in SENTENCES:
            texts = [english for english, _ in english_spanish.load("test")[:sentences]]
            src = translator.batch([translator.src.encode(text) for text in texts])
            print(f"\n{name} translates {sentences} at a time")
            compare(partial(greedy_decode, translator.model, src), 5, options.repeats)


if __name__ == "__main__":
    main()
