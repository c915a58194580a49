"""Train from_scratch/my_transformer.py to translate, and compare it with the shipped translator.

    python from_scratch/train.py                 # the whole training, about ten minutes
    python from_scratch/train.py --steps 300     # two minutes: does the loss fall?

Everything that computes is yours: Transformer, make_batch, train, translate. Here are only the
sentences and the two vocabularies. The weights and the result go into from_scratch/my_translator.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from tqdm import tqdm

from course.chapters.ch00_start_here.checks import shipped
from course.checks import Hint, in_words
from course.from_scratch.checks import FILE, own_file
from transformer_lib.checkpoints import weights
from transformer_lib.files import write_json, write_tensors
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import batch_indices
from transformer_lib.training.threads import threads_for, using_threads

HERE = Path(__file__).resolve().parent
SIZES = {"N": 2, "d_model": 128, "d_ff": 512, "h": 4, "dropout": 0.0}
STEPS, MAX_TOKENS, WARMUP, SEED = 3000, 1024, 800, 0
SHOWN = 20  # wrong translations, at most


def main(arguments: list[str] | None = None) -> int:
    """0 if it was trained, 1 (and one sentence) if the file isn't ready."""
    options = argparse.ArgumentParser(prog="python from_scratch/train.py", description=__doc__)
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument(
        "--steps", type=int, default=STEPS, metavar="N", help="updates of the weights (%(default)d)"
    )
    options.add_argument("--file", type=Path, default=HERE / FILE, help="another file to train")
    options.add_argument(
        "--out",
        type=Path,
        default=HERE / "my_translator",
        metavar="DIR",
        help="where the weights and the result go",
    )
    given = options.parse_args(arguments)
    if given.steps < 1:
        options.error(f"--steps {given.steps}: it takes at least one")
    try:
        mine = own_file(given.file)
        parts = [mine.part(name) for name in ("Transformer", "make_batch", "train", "translate")]
    except Hint as hint:
        print(f"{in_words(hint)} First: python from_scratch/check.py")
        return 1
    result = learn(*parts, steps=given.steps, folder=given.out)
    first, last = result["losses"][0], result["losses"][-1]
    print(f"The loss fell from {first:.1f} to {last:.2f} in {result['seconds'] / 60:.1f} minutes.")
    print(
        f"Right to the letter, of {result['sentences']} sentences of the test: "
        f"yours {result['exact_match']:.1%}, the shipped one {result['shipped']:.1%}."
    )
    return 0


def learn(transformer, make_batch, train, translate, *, steps: int, folder: Path) -> dict:
    """Train, store, measure on the test split -> how it was made and how good it is."""
    pairs = english_spanish.load("train")
    source = learn_language("en", [english for english, _ in pairs])
    target = learn_language("es", [spanish for _, spanish in pairs])
    ids = [(source.encode(english), target.encode(spanish)) for english, spanish in pairs]

    torch.manual_seed(SEED)
    model = transformer(len(source.vocab), len(target.vocab), *SIZES.values())
    batches = itertools.islice(forever(ids, make_batch), steps)
    began, began_cpu = time.perf_counter(), time.process_time()
    threads = threads_for(SIZES["d_model"], MAX_TOKENS)
    with using_threads(threads):
        losses = train(model, tqdm(batches, total=steps, unit="step"), WARMUP)
    seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    write_tensors(folder / "model.safetensors", weights(model.eval()))

    test = english_spanish.load("test")
    english = [sentence for sentence, _ in test]
    found = [translate(model, source, target, sentence) for sentence in tqdm(english)]
    theirs = [one.text for one in shipped().translate(english)]
    wrong = [(*pair, yours) for pair, yours in zip(test, found, strict=True) if pair[1] != yours]
    for sentence, right, yours in wrong[:SHOWN]:
        print(f"{sentence}\n    yours: {yours}\n    right: {right}")
    result = {
        "torch": torch.__version__.split("+")[0],
        "threads": threads,
        "recipe": {"steps": steps, "max_tokens": MAX_TOKENS, "warmup": WARMUP, "seed": SEED}
        | SIZES,
        "seconds": round(seconds),
        "cpu_seconds": round(cpu),
        "losses": [round(loss, 3) for loss in losses[:: max(1, steps // 50)]],
        "sentences": len(test),
        "exact_match": share_right(found, test),
        "shipped": share_right(theirs, test),
    }
    write_json(folder / "result.json", result)
    return result


def share_right(translations: list[str], pairs: list[tuple[str, str]]) -> float:
    return sum(a == b for a, (_, b) in zip(translations, pairs, strict=True)) / len(pairs)


def forever(pairs: list, make_batch) -> Iterator:
    """Batches, epoch after epoch, each in an order of its own."""
    for epoch in itertools.count():
        for chosen in batch_indices(pairs, MAX_TOKENS, seed=SEED + 1000 * epoch):
            yield make_batch([pairs[i] for i in chosen])


if __name__ == "__main__":
    sys.exit(main())
