"""Training: the learning-rate schedules, one step, and the loop that can be killed and resumed."""

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from transformer_lib.batching import Batch, Ids, batch_indices, make_batch
from transformer_lib.checkpoints import (
    CheckpointError,
    read_tensors,
    set_weights,
    weights,
    write_tensors,
)
from transformer_lib.distributed import (
    ProcessError,
    exchange,
    exchanging,
    first_before_others,
    mine,
    own_random_numbers,
    rank,
    total,
    world,
)
from transformer_lib.log import Log
from transformer_lib.loss import label_smoothed_cross_entropy
from transformer_lib.model import Transformer
from transformer_lib.threads import threads_for, using_threads
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


def cosine_schedule(step: int, peak: float, warmup: int, total: int) -> float:
    """Up to `peak` in `warmup` steps, then down along half a cosine wave to a tenth of it.

    Loshchilov and Hutter 2017, Equation 5; the tenth as in Chinchilla and Llama.
    """
    check_step(step)
    if step <= warmup:
        return peak * step / warmup
    way = min((step - warmup) / max(total - warmup, 1), 1)
    return peak * (0.1 + 0.9 * (1 + math.cos(math.pi * way)) / 2)


def stable_schedule(step: int, peak: float, warmup: int, total: int, decay: float = 0.2) -> float:
    """Warm-up, stable, decay: up to `peak`, level, and down to zero in the last share `decay`.

    MiniCPM (Hu et al. 2024, Equation 1). Until the decay begins, nobody needs to know how long the
    training will be.
    """
    check_step(step)
    return peak * min(step / warmup, (total + 1 - step) / (total * decay), 1)


def check_step(step: int) -> None:
    if step < 1:
        raise ValueError(f"step={step}: steps count from 1")


SCHEDULES = {"linear": linear_schedule, "cosine": cosine_schedule, "stable": stable_schedule}


@dataclass(frozen=True)
class TrainingConfig:
    """How to train: the paper's ways (sections 5.3 and 5.4), in sizes for a laptop.

    steps: updates of the weights. max_tokens: padded words in a batch (source and target each).
    accumulate: batches whose gradients are added up for one update, in all processes together.
    schedule: "paper", "linear", "cosine" or "stable"; peak: its highest learning rate (None: the
    paper's own).
    smoothing: label smoothing. bf16: half-precision arithmetic where it is safe (autocast).
    validate_every: steps between two validations, at which the run is saved as well.
    best_by: the best validation is that of the lowest "loss", or that of the highest "bleu".
    patience: stop after this many validations without a new best one (None: never).
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
    best_by: str = "loss"

    def __post_init__(self):
        counts = ("steps", "max_tokens", "accumulate", "warmup", "validate_every", "average")
        for name in (*counts, "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        if self.schedule not in ("paper", *SCHEDULES):
            known = ", ".join(("paper", *SCHEDULES))
            raise ValueError(f"schedule={self.schedule!r} must be one of {known}")
        if self.peak is not None and self.peak <= 0:
            raise ValueError(f"peak={self.peak} must be more than 0")
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"smoothing={self.smoothing} must be at least 0 and less than 1")
        if self.best_by not in ("loss", "bleu"):
            raise ValueError(f'best_by={self.best_by!r} must be "loss" or "bleu"')

    def learning_rate(self, step: int, d_model: int) -> float:
        papers_peak = (d_model * self.warmup) ** -0.5
        peak = papers_peak if self.peak is None else self.peak
        if self.schedule in SCHEDULES:
            return SCHEDULES[self.schedule](step, peak, self.warmup, self.steps)
        return paper_schedule(step, d_model, self.warmup, factor=peak / papers_peak)


@dataclass
class Run:
    """How far a training has come. (epoch, position): the next batch to read.

    best_loss: the validation loss of the best validation; with best_by="bleu", minus its BLEU.
    """

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
    smoothing: float, bf16: bool = False, loss_of: Callable[..., Tensor] = batch_loss,
) -> float:  # fmt: skip
    """One step: the gradient of all batches together, as if they were one. -> loss per word.

    loss_of: computes the loss of a batch, summed over its target words. Of several processes, each
    has some of the batches and gets its share of the loss; loss_of is then `exchanging`.
    """
    for group in optimizer.param_groups:
        group["lr"] = rate
    (words,) = total(words_in(batches))
    share = 0.0
    for batch in batches:
        with exchange(loss_of, now=batch is batches[-1]):
            loss = loss_of(model, batch, smoothing, bf16) / words
            (loss * world()).backward()  # an exchange takes the mean, where the sum is wanted
        share += loss.item()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return share


@torch.no_grad()
def validation_loss(model: Transformer, batches: Sequence[Batch]) -> float:
    """Cross-entropy in nats per word, without dropout and without smoothing.

    Of several processes, each has some of the batches.
    """
    model.eval()
    share = sum(batch_loss(model, batch, smoothing=0.0).item() for batch in batches)
    model.train()
    loss, words = total(share, words_in(batches))
    return loss / words


def batch_order(pairs: Pairs, config: TrainingConfig, run: Run) -> Iterator[list[int]]:
    """Which pairs go together, epoch after epoch, each in an order of its own.

    `run` keeps the place.
    """
    while True:
        order = batch_indices(pairs, config.max_tokens, seed=config.seed + 1000 * run.epoch)
        while run.position < len(order):
            run.position += 1
            yield order[run.position - 1]
        run.epoch, run.position = run.epoch + 1, 0


def batches_of(pairs: Pairs, order: Iterable[list[int]]) -> Iterator[Batch]:
    for chosen in order:
        yield make_batch([pairs[i] for i in chosen])


def all_batches(pairs: Pairs, config: TrainingConfig, run: Run) -> Iterator[Batch]:
    """The batches themselves, in that order."""
    return batches_of(pairs, batch_order(pairs, config, run))


def device_named(name: str) -> torch.device:
    """ "cpu", "cuda" or "mps", if it is there; "auto": the fastest that is.

    So far, training was tried on processors only. What is known to go wrong elsewhere was looked
    for: no mask is filled with infinity (`attention_weights`), so that bf16 has no NaN from there,
    and a run is saved with the random numbers of its device. But sums may come in another order
    each time on a GPU, so a run goes on to nearly the same weights there.
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


def check_processes(config: TrainingConfig) -> None:
    """ProcessError unless there is a batch for each process in every update."""
    if config.accumulate < world():
        raise ProcessError(
            f"an update of accumulate={config.accumulate} batches is too small for {world()} "
            f"processes: set accumulate to {world()} or a multiple of it"
        )


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
    optimizer: Callable[[nn.Module], torch.optim.Optimizer] = adam,
    loss: Callable[..., Tensor] = batch_loss,
    threads: int | None = None,
) -> list[dict]:
    """Train the model in place; it ends with the weights of its best validation, or a mean.

    pairs, validation: (source ids, target ids), without special tokens.
    folder: where the run is saved at each validation, so that `resume=True` can go on from there
        after whatever stopped it, to the same weights bit for bit (on a CPU, with the same number
        of threads). It also gets a log (`transformer_lib.log`). Nothing is saved without it.
    measure: called at each validation; what it returns is added to the history. With
        best_by="bleu" it returns "bleu" among others.
    bar: the progress bar to use.
    optimizer: makes the optimizer of the model. loss: takes the place of `batch_loss` in training
        (validation keeps it).
    threads: of the processor (None: as many as steps of this size are worth, `threads_for`).
    -> the history: for each validation its step, loss, validation_loss and learning_rate.

    Several processes (`distributed.joined`) share the batches of each update, so that it doesn't
    depend on their number, but for rounding and dropout. Process 0 measures and writes; all read
    the same folder.
    """
    if not pairs or not validation:
        raise ValueError("training needs at least one pair to train on and one to validate on")
    if config.average > 1 and folder is None:
        raise ValueError(f"average={config.average} needs a folder to keep weights in")
    if config.best_by == "bleu" and measure is None:
        raise ValueError('best_by="bleu" needs a function that measures it (measure=...)')
    optimizer = optimizer(model)
    run, writes = Run(), folder is not None and rank() == 0
    best = {name: tensor.detach().clone() for name, tensor in weights(model).items()}
    with first_before_others():
        check_processes(config)
        if resume:
            if folder is None:
                raise ValueError("resume=True needs the folder of the run to go on with")
            run, best = load_state(Path(folder), model, optimizer, config)
        else:
            if writes and (Path(folder) / STATE_FILE).exists():
                raise CheckpointError(
                    f"{folder} already holds a training run; go on with it (resume) or name "
                    f"another folder"
                )
            torch.manual_seed(config.seed)  # for dropout
            if writes:
                save_state(Path(folder), model, optimizer, config, run, best)
    own_random_numbers(config.seed, run.step)

    held_out = mine(batch_indices(validation, config.max_tokens, seed=0))
    held_out = list(batches_of(validation, held_out))
    order = batch_order(pairs, config, run)
    loss_of = exchanging(model, loss)
    bar = bar if bar is not None else tqdm(unit="step", dynamic_ncols=True, disable=rank() > 0)
    bar.reset(total=config.steps)
    bar.update(run.step)
    log = Log(folder if writes else None, after=run.step)
    patience = math.inf if config.patience is None else config.patience
    losses: list[float] = []
    model.train()
    if threads is None:
        threads = threads_for(model.config.d_model, config.max_tokens)
    with using_threads(threads):
        while run.step < config.steps and run.validations_since_best < patience:
            run.step += 1
            rate = config.learning_rate(run.step, model.config.d_model)
            began = time.perf_counter()
            group = mine([next(order) for _ in range(config.accumulate)])
            batches = list(batches_of(pairs, group))
            settings = (rate, config.smoothing, config.bf16)
            losses.append(update(model, optimizer, batches, *settings, loss_of))
            log.step(run.step, losses[-1], words_in(batches), rate, time.perf_counter() - began)
            bar.update(1)
            if run.step % config.validate_every == 0 or run.step == config.steps:
                held_out_loss = validation_loss(model, held_out)
                (mean_loss,) = total(sum(losses) / len(losses))
                entry = {
                    "step": run.step,
                    "loss": round(mean_loss, 4),
                    "validation_loss": round(held_out_loss, 4),
                    "learning_rate": rate,
                }
                if measure is not None and rank() == 0:
                    entry |= measure(model)
                run.history.append(entry)
                losses.clear()
                run.validations_since_best += 1
                cost = held_out_loss
                if config.best_by == "bleu":
                    (cost,) = total(-entry["bleu"] if rank() == 0 else 0)
                if cost < run.best_loss:
                    run.best_loss, run.validations_since_best = cost, 0
                    best = {name: one.detach().clone() for name, one in weights(model).items()}
                log.validation(entry)
                if writes and config.average > 1:
                    keep_weights(Path(folder), model, run, config.average)
                if writes:
                    save_state(Path(folder), model, optimizer, config, run, best)
                own_random_numbers(config.seed, run.step)
                bar.set_postfix(loss=f"{entry['loss']:.3f}", validation=f"{held_out_loss:.3f}")
    bar.close()
    if config.average > 1:
        with first_before_others():  # so all is written
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
    tensors = random_numbers(model.generator.proj.weight.device)
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
            if part.startswith("adam.") and name in tensors_of_part:  # nor Muon of each matrix
                average = tensors_of_part[name].to(parameter.device)
                optimizer.state[parameter][part.removeprefix("adam.")] = average
    set_random_numbers(tensors, model.generator.proj.weight.device)
    return Run(**about["run"]), parts["best"]


def random_numbers(device: torch.device) -> dict[str, Tensor]:
    """Where the random numbers stand that dropout draws from, on a GPU also those of its own."""
    states = {"random": torch.get_rng_state()}
    if device.type != "cpu":
        states[f"random.{device.type}"] = torch.get_device_module(device).get_rng_state()
    return states


def set_random_numbers(states: dict[str, Tensor], device: torch.device) -> None:
    """Back to where they stood; what was saved on another kind of device has none for this one."""
    torch.set_rng_state(states["random"])
    if f"random.{device.type}" in states:
        torch.get_device_module(device).set_rng_state(states[f"random.{device.type}"])
