"""Training: the learning-rate schedules, one step, and the loop that can be killed and resumed."""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from transformer_lib.batching import Batch, Ids, batch_indices, make_batch
from transformer_lib.checkpoints import (
    CheckpointError,
    read_tensors,
    set_weights,
    weights,
    write_tensors,
)
from transformer_lib.loss import label_smoothed_cross_entropy
from transformer_lib.model import Transformer
from transformer_lib.tokens import PAD

Pairs = Sequence[tuple[Ids, Ids]]
STATE_FILE = "training_state.safetensors"
# The loss needs several tensors as large as the logits. Memory in pieces of 8 MB is used again;
# what is larger than 32 MB goes back to Linux each time and comes anew, page by page: slower.
LOGITS_AT_A_TIME = 2_000_000


def paper_schedule(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)  (Equation 3).

    Rises in a straight line for `warmup` steps, then falls with the square root of the step. Steps
    count from 1, and each has a value of its own.
    """
    check_step(step)
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def linear_schedule(step: int, peak: float, warmup: int, total: int) -> float:
    """Up to `peak` in `warmup` steps and down to zero after the last of `total`, in straight lines.

    For short trainings, which gain from a learning rate that comes to rest.
    """
    check_step(step)
    return peak * min(step / warmup, (total + 1 - step) / max(total + 1 - warmup, 1))


def check_step(step: int) -> None:
    if step < 1:
        raise ValueError(f"step={step}: steps count from 1")


@dataclass(frozen=True)
class TrainingConfig:
    """How to train: the paper's ways (sections 5.3 and 5.4), in sizes for a laptop.

    steps: updates of the weights. max_tokens: padded words in a batch (source and target each).
    accumulate: batches whose gradients are added up for one update.
    schedule: "paper" or "linear"; peak: its highest learning rate (None: the paper's own).
    smoothing: label smoothing. bf16: half-precision arithmetic where it is safe (autocast).
    validate_every: steps between two validations, at which the run is saved as well.
    patience: stop after this many validations without a new best loss (None: never).
    average: 1 ends with the weights of the best validation; more, with the mean of the weights at
    the last validations, that many (section 6.1 of the paper: 5 or 20 of them).
    """

    steps: int = 1000
    max_tokens: int = 1024
    accumulate: int = 1
    schedule: str = "paper"
    peak: float | None = None
    warmup: int = 400
    smoothing: float = 0.1
    bf16: bool = False
    validate_every: int = 200
    patience: int | None = None
    seed: int = 0
    average: int = 1

    def __post_init__(self):
        for name in ("steps", "max_tokens", "accumulate", "warmup", "validate_every", "average"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be 1 or more")
        if self.schedule not in ("paper", "linear"):
            raise ValueError(f'schedule={self.schedule!r} must be "paper" or "linear"')
        if self.peak is not None and self.peak <= 0:
            raise ValueError(f"peak={self.peak} must be more than 0")
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"smoothing={self.smoothing} must be at least 0 and less than 1")

    def learning_rate(self, step: int, d_model: int) -> float:
        papers_peak = (d_model * self.warmup) ** -0.5
        peak = papers_peak if self.peak is None else self.peak
        if self.schedule == "linear":
            return linear_schedule(step, peak, self.warmup, self.steps)
        return paper_schedule(step, d_model, self.warmup, factor=peak / papers_peak)


@dataclass
class Run:
    """How far a training has come. (epoch, position): the next batch to read."""

    step: int = 0
    epoch: int = 0
    position: int = 0
    best_loss: float = math.inf
    validations_since_best: int = 0
    history: list[dict] = field(default_factory=list)


def batch_loss(model: Transformer, batch: Batch, smoothing: float, bf16: bool = False) -> Tensor:
    """The loss summed over the batch's target words.

    The decoder reads the right words so far (teacher forcing), whatever it would have written. The
    generator, which is the widest layer, runs only where there is a word to predict, and there
    piece by piece.
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


def words_in(batches: Sequence[Batch]) -> int:
    return sum(int((batch.tgt_out != PAD).sum()) for batch in batches)


def update(
    model: Transformer, optimizer: torch.optim.Optimizer, batches: Sequence[Batch], rate: float,
    smoothing: float, bf16: bool = False,
) -> float:  # fmt: skip
    """One step: the gradient of all batches together, as if they were one. -> loss per word."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    words = words_in(batches)
    total = 0.0
    for batch in batches:
        loss = batch_loss(model, batch, smoothing, bf16) / words
        loss.backward()
        total += loss.item()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return total


@torch.no_grad()
def validation_loss(model: Transformer, batches: Sequence[Batch]) -> float:
    """Cross-entropy in nats per word, without dropout and without smoothing."""
    model.eval()
    total = sum(batch_loss(model, batch, smoothing=0.0).item() for batch in batches)
    model.train()
    return total / words_in(batches)


def all_batches(pairs: Pairs, config: TrainingConfig, run: Run) -> Iterator[Batch]:
    """Epoch after epoch, each in an order of its own; `run` keeps the place."""
    while True:
        order = batch_indices(pairs, config.max_tokens, seed=config.seed + 1000 * run.epoch)
        while run.position < len(order):
            chosen = order[run.position]
            run.position += 1
            yield make_batch([pairs[i] for i in chosen])
        run.epoch, run.position = run.epoch + 1, 0


def device_named(name: str) -> torch.device:
    """ "cpu", "cuda" or "mps", if it is there; "auto": the fastest that is.

    So far, training was tried on processors only.
    """
    there = [
        device
        for device, found in (
            ("cuda", torch.cuda.is_available()),
            ("mps", torch.backends.mps.is_available()),
            ("cpu", True),
        )
        if found
    ]
    if name not in ("auto", *there):
        raise ValueError(
            f"device {name!r} is not there for this PyTorch; there is {' and '.join(there)}"
        )
    return torch.device(there[0] if name == "auto" else name)


def adam(model: Transformer) -> torch.optim.Adam:
    """Adam with the paper's numbers (section 5.3); the schedule sets the learning rate."""
    return torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)


def train(
    model: Transformer,
    pairs: Pairs,
    validation: Pairs,
    config: TrainingConfig,
    *,
    folder: Path | None = None,
    resume: bool = False,
    measure: Callable[[Transformer], dict] | None = None,
    bar: tqdm | None = None,
) -> list[dict]:
    """Train the model in place; it ends with the weights of its best validation, or a mean.

    pairs, validation: (source ids, target ids), without special tokens.
    folder: where the run is saved at each validation, so that `resume=True` can go on from there
        after whatever stopped it, to the same weights bit for bit (on a CPU, with the same number
        of threads). Nothing is saved without it.
    measure: called at each validation; what it returns is added to the history.
    bar: the progress bar to use.
    -> the history: for each validation its step, loss, validation_loss and learning_rate.
    """
    if not pairs or not validation:
        raise ValueError("training needs at least one pair to train on and one to validate on")
    if config.average > 1 and folder is None:
        raise ValueError(f"average={config.average} needs a folder to keep weights in")
    optimizer = adam(model)
    run = Run()
    best = {name: tensor.detach().clone() for name, tensor in weights(model).items()}
    if resume:
        if folder is None:
            raise ValueError("resume=True needs the folder of the run to go on with")
        run, best = load_state(Path(folder), model, optimizer, config)
    else:
        if folder is not None and (Path(folder) / STATE_FILE).exists():
            raise CheckpointError(
                f"{folder} already holds a training run; go on with it (resume) or name "
                f"another folder"
            )
        torch.manual_seed(config.seed)  # for dropout
        if folder is not None:
            save_state(Path(folder), model, optimizer, config, run, best)

    held_out = [
        make_batch([validation[i] for i in chosen])
        for chosen in batch_indices(validation, config.max_tokens, seed=0)
    ]
    batches = all_batches(pairs, config, run)
    bar = bar if bar is not None else tqdm(unit="step", dynamic_ncols=True)
    bar.reset(total=config.steps)
    bar.update(run.step)
    patience = math.inf if config.patience is None else config.patience
    losses: list[float] = []
    model.train()
    while run.step < config.steps and run.validations_since_best < patience:
        run.step += 1
        rate = config.learning_rate(run.step, model.config.d_model)
        group = [next(batches) for _ in range(config.accumulate)]
        losses.append(update(model, optimizer, group, rate, config.smoothing, config.bf16))
        bar.update(1)
        if run.step % config.validate_every == 0 or run.step == config.steps:
            held_out_loss = validation_loss(model, held_out)
            entry = {
                "step": run.step,
                "loss": round(sum(losses) / len(losses), 4),
                "validation_loss": round(held_out_loss, 4),
                "learning_rate": rate,
            }
            if measure is not None:
                entry |= measure(model)
            run.history.append(entry)
            losses.clear()
            run.validations_since_best += 1
            if held_out_loss < run.best_loss:
                run.best_loss, run.validations_since_best = held_out_loss, 0
                best = {name: tensor.detach().clone() for name, tensor in weights(model).items()}
            if config.average > 1:
                keep_weights(Path(folder), model, run, config.average)
            if folder is not None:
                save_state(Path(folder), model, optimizer, config, run, best)
            bar.set_postfix(loss=f"{entry['loss']:.3f}", validation=f"{held_out_loss:.3f}")
    bar.close()
    if config.average > 1:
        best = mean_weights(kept_weights(Path(folder), run, config.average))
    set_weights(model, best, where="the best validation")
    model.eval()
    return run.history


def kept_weights(folder: Path, run: Run, count: int) -> list[Path]:
    """The files with the weights at the last validations."""
    steps = [entry["step"] for entry in run.history[-count:]]
    return [folder / f"weights-{step}.safetensors" for step in steps]


def keep_weights(folder: Path, model: Transformer, run: Run, count: int) -> None:
    """Write those of the validation that has just been, and let go of those that came too early."""
    kept = kept_weights(folder, run, count)
    write_tensors(kept[-1], weights(model))
    for path in folder.glob("weights-*.safetensors"):
        if path not in kept:
            path.unlink()


def mean_weights(files: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of the weights in these files, one of which is read at a time."""
    mean: dict[str, Tensor] = {}
    for path in files:
        for name, tensor in read_tensors(path)[0].items():
            mean[name] = mean.get(name, 0) + tensor / len(files)
    return mean


def save_state(folder, model, optimizer, config, run, best) -> None:
    """All that the next step depends on, in one file: weights, Adam's averages, random numbers."""
    tensors = {"random": torch.get_rng_state()}
    for name, parameter in weights(model).items():
        tensors[f"model/{name}"] = parameter
        tensors[f"best/{name}"] = best[name]
        for key, value in optimizer.state[parameter].items():
            tensors[f"adam.{key}/{name}"] = value
    about = {"run": dataclasses.asdict(run), "config": dataclasses.asdict(config)}
    write_tensors(folder / STATE_FILE, tensors, about)


def load_state(folder, model, optimizer, config) -> tuple[Run, dict[str, Tensor]]:
    """Put model, optimizer and random numbers back to where `save_state` left them."""
    path = folder / STATE_FILE
    if not path.exists():
        raise CheckpointError(f"there is nothing to resume in {folder}: it has no {STATE_FILE}")
    tensors, about = read_tensors(path)
    now = dataclasses.asdict(config)
    before = dataclasses.asdict(TrainingConfig()) | about.get("config", {})
    changed = [k for k in now if now[k] != before[k]]
    if changed:
        raise CheckpointError(
            f"{folder} was started with {changed[0]}={before[changed[0]]}, not "
            f"{now[changed[0]]}; resume with the same settings"
        )
    parts: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = tensor
    set_weights(model, parts["model"], where=str(path))
    for name, parameter in weights(model).items():
        for part, tensors_of_part in parts.items():  # Adam has none before its first step
            if part.startswith("adam."):
                average = tensors_of_part[name].to(parameter.device)
                optimizer.state[parameter][part.removeprefix("adam.")] = average
    torch.set_rng_state(tensors["random"])
    return Run(**about["run"]), parts["best"]
