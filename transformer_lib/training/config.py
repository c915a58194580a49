"""The settings of a training run: steps, batch size, schedule, smoothing."""

from dataclasses import dataclass

from transformer_lib.checks import number, whole
from transformer_lib.training.schedules import SCHEDULES, paper_schedule


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of a training run: as in the paper (5.3 and 5.4), in sizes for a laptop.

    steps: updates of the weights. max_tokens: padded words in a batch (source and target each).
    accumulation_steps: batches, in all processes together, whose gradients make one update.
    schedule: "paper", "linear", "cosine" or "stable"; max_lr: its highest learning rate (None:
    the paper's own).
    smoothing: label smoothing. bf16: half-precision arithmetic, where safe (autocast) and fast.
    validate_every: steps between two validations, at which the run is saved as well.
    best_by: the best validation is the one with the lowest "loss", or with the highest "bleu".
    patience: stop after this many validations without a new best one (None: never).
    grad_clip: a gradient longer than this is made as short, all weights together (None: never, as
    in the paper).
    average: with 1, the run ends with the weights of the best validation; with n > 1, with the mean
    of the weights at the last n validations (section 6.1 of the paper: 5 or 20).
    Raises ValueError for a value out of range.
    """

    steps: int = 1000
    max_tokens: int = 1024
    accumulation_steps: int = 1
    schedule: str = "paper"
    max_lr: float | None = None
    warmup: int = 400
    smoothing: float = 0.1
    bf16: bool = False
    validate_every: int = 200
    patience: int | None = None
    seed: int = 0
    average: int = 1
    best_by: str = "loss"
    grad_clip: float | None = None

    def __post_init__(self) -> None:
        counts = "steps max_tokens accumulation_steps warmup validate_every average patience"
        for name in counts.split():
            if name != "patience" or self.patience is not None:
                whole(name, getattr(self, name))
        whole("seed", self.seed, None)
        number("smoothing", self.smoothing)
        if self.max_lr is not None:
            number("max_lr", self.max_lr)
        if self.schedule not in ("paper", *SCHEDULES):
            known = ", ".join(("paper", *SCHEDULES))
            raise ValueError(f"schedule={self.schedule!r} must be one of {known}")
        for name in ("max_lr", "grad_clip"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name}={value} must be more than 0")
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"smoothing={self.smoothing} must be at least 0 and less than 1")
        if self.best_by not in ("loss", "bleu"):
            raise ValueError(f'best_by={self.best_by!r} must be "loss" or "bleu"')

    def learning_rate(self, step: int, d_model: int) -> float:
        """The learning rate at this step, counted from 1, of a model with this width."""
        papers_max_lr = (d_model * self.warmup) ** -0.5
        max_lr = papers_max_lr if self.max_lr is None else self.max_lr
        if self.schedule in SCHEDULES:
            return SCHEDULES[self.schedule](step, max_lr, self.warmup, self.steps)
        return paper_schedule(step, d_model, self.warmup, factor=max_lr / papers_max_lr)
