"""How many minutes of training does a score take, beside JoeyNMT?

    python tools/benchmarks/to_a_score.py train ours --out muon.jsonl                     the recipe
    python tools/benchmarks/to_a_score.py train ours --optimizer adam --out adam.jsonl
    python tools/benchmarks/to_a_score.py train joeynmt --out joeynmt.jsonl
    python tools/benchmarks/to_a_score.py table joeynmt.jsonl muon.jsonl adam.jsonl

Each learns Multi30k from English to German: the same pieces, sizes, words in an update and label
smoothing, in fp32, with one thread, by its own training loop with its own batches. What counts is
the processor's time, without validation; the score is BLEU of the validation pairs, written
greedily by each, of tokens in lower case. The weights are those of the moment: no mean is taken.

Not the same, beside the programs. `ours` is the recipe of `multi30k` (Muon, dropout 0.3), `adam`
the first setting of its sweep (dropout 0.2), which JoeyNMT gets, too. Our learning rate falls in a
straight line to zero at the last update. JoeyNMT has no such schedule; it gets its nearest, the
inverse square root, which never comes to rest, with the same warm-up and peak. (Wu et al. 2021 take
a peak of 0.005 and 2,000 updates of warm-up for batches four times as large; --max-lr and --warmup
change both.) Its dropout also hits weights of attention and the inside of the feed-forward network
(--dropout). It has biases in attention, begins with other random numbers as it is used to, and its
Adam has PyTorch's epsilon. See tools/benchmarks/README.md.
"""

import argparse
import dataclasses
import json
import logging
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch
from measuring import processor
from torch import Tensor, nn

from course.chapters.ch14_real_text.experiment_multi30k import token_bleu, write
from course.chapters.ch14_real_text.experiment_multi30k_sweep import BEFORE
from transformer_lib.model.transformer import Transformer, count_parameters, make_model
from transformer_lib.recipes import OPTIMIZERS, ParallelRecipe, TrainingData, multi30k
from transformer_lib.text.batching import Batch, batch_indices
from transformer_lib.text.parallel import read_parallel
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.training.batches import batches_of
from transformer_lib.training.step import batch_loss, count_tokens, validation_loss
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator

LEVELS = (20, 25, 30, 33, 35, 37, 39)
# JoeyNMT puts sentences of any lengths together, ours are of similar ones. A table of its that has
# this many places, padding included, holds as many words as one of ours with 1,024.
PLACES = 2000


class EnoughError(Exception):
    """The minutes are over."""


class Record:
    """The file of one training: first what was trained, then a line for each validation.

    Its clock counts the seconds of the processor, from `begin` on, and stands still while `paused`.
    """

    def __init__(self, options: argparse.Namespace, recipe: ParallelRecipe):
        self.out, self.minutes = Path(options.out), options.minutes
        pairs = list(read_parallel([Path(recipe.validation[0])]))
        self.validation = pairs[: options.validation_pairs]
        self.about = {
            "name": f"{options.contestant}, {recipe.optimizer}",
            "options": {name: value for name, value in vars(options).items() if name != "run"},
            "torch": torch.__version__,
            "processor": processor(),
        }
        self.updates = self.sentences = self.words = 0
        self.seconds = 0.0

    def begin(self, model: nn.Module, settings: dict[str, Any]) -> None:
        self.out.write_text("", encoding="utf-8")
        self.write(self.about | {"parameters": count_parameters(model)} | settings)
        self.since = time.process_time()

    def update(self, sentences: int, words: int) -> None:
        self.updates, self.sentences = self.updates + 1, self.sentences + sentences
        self.words += words

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.seconds += time.process_time() - self.since
        yield
        self.since = time.process_time()

    def validated(self, loss: float, translations: Sequence[str]) -> None:
        """loss: cross-entropy in nats per piece. EnoughError if the minutes are over."""
        line = {
            "update": self.updates,
            "seconds": round(self.seconds, 2),
            "validation_loss": round(loss, 4),
            "bleu": round(token_bleu(translations, self.validation)["bleu"], 2),
            "sentences_per_update": round(self.sentences / self.updates, 1),
            "words_per_update": round(self.words / self.updates, 1),
        }
        self.write(line)
        if self.minutes and self.seconds >= 60 * self.minutes:
            raise EnoughError

    def write(self, line: dict[str, Any]) -> None:
        print(json.dumps(line), flush=True)
        with open(self.out, "a", encoding="utf-8") as file:
            print(json.dumps(line), file=file)


def train_ours(recipe: ParallelRecipe, material: TrainingData, record: Record) -> None:
    config, size = recipe.training, len(material.src.vocab)
    settings = {"model": dataclasses.asdict(recipe.model), "training": dataclasses.asdict(config)}
    model = make_model(size, size, **settings["model"])
    translator = Translator(model, material.src, material.tgt)
    held_out = [material.validation[i] for i in range(len(record.validation))]
    held_out_batches = list(batches_of(held_out, batch_indices(held_out, config.max_tokens, 0)))

    def counted_loss(model: Transformer, batch: Batch, *settings) -> Tensor:
        record.update(len(batch.src), count_tokens([batch]))
        return batch_loss(model, batch, *settings)

    def measure(model: Transformer) -> dict:
        with record.paused():
            loss = validation_loss(model, held_out_batches)
            record.validated(loss, write(translator, record.validation, beam=1))
        return {}

    record.begin(model, settings)
    train(
        model,
        material.training,
        held_out[:1],  # all of them are measured while the clock stands still
        config,
        measure=measure,
        optimizer=OPTIMIZERS[recipe.optimizer],
        loss=counted_loss,
    )


def train_joeynmt(
    recipe: ParallelRecipe, material: TrainingData, record: Record, folder: Path, places: int
) -> None:
    """By its TrainManager, where our record takes the place of reports and of kept weights."""
    from joeynmt.config import parse_global_args, set_validation_args
    from joeynmt.prediction import predict, prepare
    from joeynmt.training import TrainManager

    logging.disable(logging.INFO)
    detokenize = material.tgt.tokenizer.detokenize

    class Recorded(TrainManager):
        def _train_step(self, batch):
            record.update(batch.nseqs, batch.ntokens)
            return super()._train_step(batch)

        def _validate(self, valid_data):
            with record.paused():
                self.model.loss_function = ("crossentropy", 0.0)  # without label smoothing
                scores, _, lines, *_ = predict(
                    self.model,
                    valid_data,
                    self.device,
                    self.n_gpu,
                    compute_loss=True,
                    normalization="tokens",
                    args=self.dev_cfg,
                    autocast=self.autocast,
                )
                self.model.loss_function = ("crossentropy", self.args.label_smoothing)
                texts = [detokenize(line.split(" ")) for line in lines]
                record.validated(scores["loss"], texts)

    write_pieces(material, folder, len(record.validation))
    settings = joeynmt_settings(recipe, folder, places)
    args = parse_global_args(settings)
    model, training, validation, _ = prepare(args, rank=0, mode="train")
    record.begin(model, {name: settings[name] for name in ("model", "training")})
    manager = Recorded(
        rank=0,
        model=model,
        model_dir=folder,
        device=args.device,
        n_gpu=args.n_gpu,
        num_workers=args.num_workers,
        autocast=args.autocast,
        seed=args.seed,
        train_args=args.train,
        dev_args=set_validation_args(args.test),
    )
    manager.train_and_validate(training, validation)


def write_pieces(material: TrainingData, folder: Path, validation_pairs: int) -> None:
    """Our pieces as words of JoeyNMT's files, and the list of them."""
    vocab = material.src.vocab
    lines = {"pieces.txt": vocab.tokens[len(SPECIALS) :]}
    validation = [material.validation[i] for i in range(validation_pairs)]
    for name, pairs in (("train", material.training), ("validation", validation)):
        lines[f"{name}.en"] = [" ".join(vocab.decode(source)) for source, _ in pairs]
        lines[f"{name}.de"] = [" ".join(vocab.decode(target)) for _, target in pairs]
    for name, content in lines.items():
        (folder / name).write_text("\n".join(content) + "\n", encoding="utf-8")


def joeynmt_settings(recipe: ParallelRecipe, folder: Path, places: int) -> dict[str, Any]:
    """What its users write into a YAML file."""
    model, how = recipe.model, recipe.training
    side = {"level": "word", "voc_file": str(folder / "pieces.txt")}
    half = {
        "type": "transformer",
        "num_layers": model.N,
        "num_heads": model.h,
        "embeddings": {"embedding_dim": model.d_model, "scale": True},
        "hidden_size": model.d_model,
        "ff_size": model.d_ff,
        "dropout": model.dropout,
        "layer_norm": "pre",
    }
    return {
        "name": "multi30k",
        "model_dir": str(folder),
        "use_cuda": False,
        "random_seed": how.seed,
        "data": {
            "train": str(folder / "train"),
            "dev": str(folder / "validation"),
            "src": {"lang": "en"} | side,
            "trg": {"lang": "de"} | side,
        },
        "testing": {},
        "training": {
            "optimizer": "adam",
            "adam_betas": [0.9, 0.98],
            "scheduling": "warmupinversesquareroot",
            "learning_rate": how.max_lr,
            "learning_rate_min": 1e-6,
            "learning_rate_warmup": how.warmup,
            "normalization": "tokens",
            "label_smoothing": how.smoothing,
            "batch_type": "token",
            "batch_size": places,
            "epochs": 10_000,
            "updates": how.steps,
            "validation_freq": how.validate_every,
            "logging_freq": how.validate_every,
        },
        "model": {
            "initializer": "xavier_uniform",
            "embed_initializer": "xavier_uniform",
            "tied_embeddings": True,
            "tied_softmax": True,
            "encoder": half,
            "decoder": half,
        },
    }


def chosen_recipe(options: argparse.Namespace) -> ParallelRecipe:
    """The kept recipe; with Adam, ours or JoeyNMT's, the sweep's first setting."""
    recipe = multi30k("de")
    optimizer = options.optimizer if options.contestant == "ours" else "adam"
    before = BEFORE if optimizer == "adam" else {"model": {}, "training": {}}
    model = before["model"]
    training = before["training"] | {
        "steps": options.updates,
        "validate_every": options.every,
        "seed": options.seed,
        "average": 1,
    }
    if options.dropout is not None:
        model = model | {"dropout": options.dropout}
    asked = {"max_lr": options.max_lr, "warmup": options.warmup}
    training |= {name: value for name, value in asked.items() if value is not None}
    return dataclasses.replace(
        recipe,
        optimizer=optimizer,
        model=dataclasses.replace(recipe.model, **model),
        training=dataclasses.replace(recipe.training, **training),
    )


def learn(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    recipe = chosen_recipe(options)
    record = Record(options, recipe)
    with tempfile.TemporaryDirectory() as folder, suppress(EnoughError):
        material = recipe.load_data(Path(folder))
        if options.contestant == "ours":
            train_ours(recipe, material, record)
        else:
            train_joeynmt(recipe, material, record, Path(folder), options.places)


def minutes_to(level: float, validations: Sequence[dict]) -> float | None:
    """When this BLEU was reached, on a straight line between two validations; None: never.

    What the first validation reaches counts from that one on.
    """
    before = None
    for now in validations:
        if now["bleu"] >= level:
            if before is None:
                return now["seconds"] / 60
            share = (level - before["bleu"]) / (now["bleu"] - before["bleu"])
            return (before["seconds"] + share * (now["seconds"] - before["seconds"])) / 60
        before = now
    return None


def table(options: argparse.Namespace) -> None:
    """Minutes of each file, and behind them how many times those of the first file they are."""
    print("processor minutes to a BLEU; in parentheses, times those of the first row")
    columns = "".join(f"{level:>13}" for level in LEVELS)
    print(f"{'':16}{columns}{'updates/minute':>16}{'best':>7}")
    first: list[float | None] = []
    for path in options.files:
        about, *validations = map(json.loads, Path(path).read_text(encoding="utf-8").splitlines())
        minutes = [minutes_to(level, validations) for level in LEVELS]
        first = first or minutes
        cells = "".join(f"{cell(*pair):>13}" for pair in zip(minutes, first, strict=True))
        last = validations[-1]
        pace, best = 60 * last["update"] / last["seconds"], max(v["bleu"] for v in validations)
        print(f"{about['name']:16}{cells}{pace:16.0f}{best:7.2f}")


def cell(minutes: float | None, first: float | None) -> str:
    if minutes is None:
        return "never"
    return f"{minutes:.1f}" + (f" ({minutes / first:.2f})" if first else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("train", help="train one of them and write its record")
    command.set_defaults(run=learn)
    command.add_argument("contestant", choices=["ours", "joeynmt"])
    command.add_argument("--optimizer", choices=["muon", "adam"], default="muon", help="of ours")
    command.add_argument("--out", required=True, metavar="FILE.jsonl")
    command.add_argument("--updates", type=int, default=5000, help="(default %(default)s)")
    command.add_argument("--minutes", type=float, help="stop at a validation after so many")
    command.add_argument("--every", type=int, default=1000, help="updates between validations")
    command.add_argument("--validation-pairs", type=int, help="for a quick try (default: all)")
    command.add_argument("--places", type=int, default=PLACES, help="in a table of JoeyNMT's")
    command.add_argument("--max-lr", type=float, help="the highest learning rate")
    command.add_argument("--warmup", type=int, help="updates until then")
    command.add_argument("--dropout", type=float)
    command.add_argument("--seed", type=int, default=0)
    command = commands.add_parser("table", help="minutes to a score, from records")
    command.set_defaults(run=table)
    command.add_argument("files", nargs="+", metavar="FILE.jsonl")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
