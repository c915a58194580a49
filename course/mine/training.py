"""Train the reader's own Transformer on the course's sentences, and translate with it.

Everything that computes is the reader's, or lent where it is missing: Transformer, update,
greedy_decode and what they are made of. Here are the sentences, the two vocabularies and the loop.
"""

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from course.chapters.ch00_start_here.checks import shipped
from course.checks import Hint
from course.mine.bench import Workbench, lent
from course.mine.keeping import own_path
from transformer_lib.checkpoints import set_weights, weights
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.transformer import make_model
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import batch_indices, make_batch
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import EOS
from transformer_lib.training.optimizers import adam
from transformer_lib.training.schedules import paper_schedule
from transformer_lib.training.threads import threads_for, using_threads
from transformer_lib.translator import Translator

SIZES = {"N": 2, "d_model": 128, "d_ff": 512, "h": 4, "dropout": 0.0}
STEPS, MAX_TOKENS, WARMUP, SEED = 3000, 1024, 800, 0
STATE = "training.safetensors"
EVERY = 100  # steps between two lines of the curve; then all is saved, too
LONGEST = 20  # words of a translation; those of the test have 14 at most
TESTED, SHOWN = 200, 20  # sentences of the test split; of those that went wrong
FOLDER = "my_translator"  # beside the reader's file; in it, what `train` has saved
LESSON = "lesson"  # in it, what was trained in a notebook
SHORT = {"N": 2, "d_model": 64, "d_ff": 256, "h": SIZES["h"], "dropout": 0.0}
SHORT_STEPS, SHORT_WORDS = 600, 5  # of a small model: updates, and the longest English sentence


@contextlib.contextmanager
def told(bench: Workbench) -> Iterator[None]:
    """Within it, what goes wrong in the reader's code is a Hint with its line."""
    try:
        yield
    except Exception as error:
        said = bench.describe(error)
        if "(line " not in said:
            raise  # it isn't theirs
        raise Hint(f"Your Transformer stops with {said}.") from None


def new_model(bench: Workbench, source: Language, target: Language) -> Any:
    """The reader's Transformer, or the lent one, with new weights: the same ones each time."""
    torch.manual_seed(SEED)
    return bench.names["Transformer"](len(source.vocab), len(target.vocab), *SIZES.values())


def train(bench: Workbench, folder: Path, steps: int = STEPS) -> list[float]:
    """Train up to so many steps, from where a run before this one has saved -> the losses.

    Each hundred steps are saved, in one file in `folder`, and printed: a curve that runs downward.
    """
    ours = shipped()  # its vocabularies were learned from the same sentences
    pairs = [(ours.src.encode(en), ours.tgt.encode(es)) for en, es in english_spanish.load("train")]
    with told(bench), using_threads(threads_for(SIZES["d_model"], MAX_TOKENS)):
        model = new_model(bench, ours.src, ours.tgt)
        optimizer = adam(model)
        losses = load(folder, model, optimizer)
        if losses:
            print(f"It goes on after step {len(losses)}, where {folder / STATE} was saved.")
        model.train()
        for step, chosen in enumerate(itertools.islice(forever(pairs), steps), start=1):
            if step <= len(losses):
                continue
            batch = make_batch([pairs[i] for i in chosen])
            rate = paper_schedule(step, SIZES["d_model"], WARMUP)
            losses.append(float(bench.names["update"](model, optimizer, batch, rate)))
            if step % EVERY == 0 or step == steps:
                save(folder, model, optimizer, losses)
                recent = losses[-EVERY:]
                mean = sum(recent) / len(recent)
                print(f"step {step:5}   loss {mean:5.2f} {'=' * round(10 * mean)}", flush=True)
    return losses


def forever(pairs: list) -> Iterator[list[int]]:
    """Which pairs are in each batch, epoch after epoch, each in an order of its own."""
    for epoch in itertools.count():
        yield from batch_indices(pairs, MAX_TOKENS, seed=SEED + 1000 * epoch)


def save(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, losses: list[float]
) -> None:
    """All that the next step needs, in one file that is written whole or not at all."""
    tensors = {"losses": torch.tensor(losses, dtype=torch.float64)}
    for name, weight in weights(model).items():
        tensors[f"model/{name}"] = weight
        for key, average in optimizer.state.get(weight, {}).items():
            tensors[f"{key}/{name}"] = average
    write_tensors(folder / STATE, tensors)


def keep_lesson(model: nn.Module, steps: int) -> None:
    """Save what a notebook has trained for so many steps, for `own_translator`.

    Outside `work`, nothing is written.
    """
    path = own_path()
    if path is not None:
        losses = [0.0] * steps  # they say only how many steps there were
        save(path.parent / FOLDER / LESSON, model, adam(model), losses)


def load(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer | None = None
) -> list[float]:
    """Put a model, and its optimizer, where `save` left them -> the losses until then.

    No losses if there is nothing saved; CheckpointError if it is damaged, or of another model.
    """
    path = folder / STATE
    if not path.exists():
        return []
    tensors, _ = read_tensors(path)
    losses = tensors.pop("losses").tolist()
    parts: dict[str, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = tensor
    set_weights(model, parts.pop("model"), where=str(path))
    for name, weight in weights(model).items():
        if optimizer is not None:
            optimizer.state[weight] = {part: averages[name] for part, averages in parts.items()}
    return losses


def own_translator(steps: int = SHORT_STEPS) -> Translator:
    """The reader's trained Transformer, for the library's tools; it says which one it is.

    It is what `python -m course mine train` has saved, else what a notebook has. Where there
    is none, a small one is trained here: so many steps, on short sentences.
    """
    path = own_path()
    for folder in [path.parent / FOLDER, path.parent / FOLDER / LESSON] if path else []:
        if (folder / STATE).exists():
            try:
                found, trained = kept(folder)
            except CheckpointError as error:
                print(error)
            else:
                print(f"Your own Transformer, after {trained:,} steps of training.")
                return found
    print(
        "The folder `work` has no trained Transformer of yours (python -m course mine "
        "train makes one),\nso a small one is trained here, on short sentences."
    )
    return small(steps)


def kept(folder: Path) -> tuple[Translator, int]:
    """What `save` has left in a folder, in the library's Transformer, and after how many steps.

    The reader's weights have the names of the library's, so it computes with them, and its tools
    can look on. CheckpointError if it doesn't fit.
    """
    ours = shipped()
    tensors, _ = read_tensors(folder / STATE)
    d_ff, d_model = tensors["model/encoder.layers.0.feed_forward.w_1.weight"].shape
    layers = len({name.split(".")[2] for name in tensors if "model/encoder.layers" in name})
    sizes = SIZES | {"N": layers, "d_model": d_model, "d_ff": d_ff}
    model = make_model(len(ours.src.vocab), len(ours.tgt.vocab), **sizes, tie_weights="target")
    trained = len(load(folder, model))
    return Translator(model.eval(), ours.src, ours.tgt), trained


def small(steps: int, seed: int = SEED) -> Translator:
    """A small translator that has learned from short sentences for so many steps."""
    ours = shipped()
    pairs = [
        (ours.src.encode(english), ours.tgt.encode(spanish))
        for english, spanish in english_spanish.load("train")[::2]
        if len(english.split()) <= SHORT_WORDS
    ]
    torch.manual_seed(seed)
    model = make_model(len(ours.src.vocab), len(ours.tgt.vocab), **SHORT, tie_weights="target")
    optimizer, update = adam(model.train()), lent()["update"]
    for step in range(1, steps + 1):
        chosen = torch.randint(len(pairs), (64,)).tolist()
        update(model, optimizer, make_batch([pairs[i] for i in chosen]), 0.002 * min(1, step / 100))
    return Translator(model.eval(), ours.src, ours.tgt)


def translator(bench: Workbench, folder: Path) -> tuple[Callable[[str], str], str]:
    """A function that translates with the reader's Transformer, and where its weights are from.

    The function raises InputError for what `Translator.read` refuses, such as an unknown word.
    """
    ours = shipped()
    source, target = ours.src, ours.tgt
    model = new_model(bench, source, target)
    if (folder / STATE).exists():
        where = f"after {len(load(folder, model)):,} steps of training"
    else:
        set_weights(model, weights(ours.model), where="the course's translator")
        where = "with the weights of the course's translator"
    model.eval()

    @torch.no_grad()
    def translate(text: str) -> str:
        typed = source.preprocess(text)
        src = torch.tensor([[*source.vocab.encode(source.tokens(typed)), EOS]])
        with told(bench):
            ids = bench.names["greedy_decode"](model, src, LONGEST)[0]
        return target.postprocess(ids, typed)

    return translate, where


def test(translate: Callable[[str], str]) -> str:
    """How many sentences of the test split are right to the letter; prints some that aren't."""
    pairs = english_spanish.load("test")[:TESTED]
    began = time.perf_counter()
    wrong = [(*pair, own) for pair in pairs if (own := translate(pair[0])) != pair[1]]
    for sentence, right, own in wrong[:SHOWN]:
        print(f"{sentence}\n    yours: {own}\n    right: {right}")
    theirs = shipped().translate([english for english, _ in pairs])
    same = sum(one.text == right for one, (_, right) in zip(theirs, pairs, strict=True))
    return (
        f"Right to the letter, of {len(pairs):,} sentences that it has never seen: yours "
        f"{1 - len(wrong) / len(pairs):.1%}, the shipped translator {same / len(pairs):.1%} "
        f"({time.perf_counter() - began:.0f} seconds)."
    )
