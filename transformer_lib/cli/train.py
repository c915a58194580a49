"""train: a model by one of the recipes, or on a user's own sentence pairs."""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from transformer_lib.cli.common import Commands, UserError, add_device, add_skip_bad, positive
from transformer_lib.translator import model_folder


def add_parser(commands: Commands) -> None:
    train = commands.add_parser(
        "train",
        help="train a model by one of the recipes, or on your own sentence pairs",
        description="Train a model and save it in a folder. A run that was stopped goes on with "
        "--resume, with other --steps or --patience if you like; from its first validation on, the "
        "folder holds a model that translates. Example: transformer-lib train --task copy --out "
        "runs/copy",
    )
    train.add_argument(
        "--task",
        choices=["copy", "reverse", "sort", "en-es", "tatoeba", "multi30k-en-de", "multi30k-en-fr"],
        metavar="TASK",
        help="what to learn: copy, reverse or sort, three tasks on digits (seconds); en-es, "
        "English to Spanish (minutes); or what is fetched: tatoeba, everyday sentences, "
        "multi30k-en-de and multi30k-en-fr, descriptions of pictures (hours)",
    )
    own = train.add_argument_group(
        "your own sentence pairs",
        "UTF-8 text, plain or packed as .gz, .bz2, .xz or .zip: one file with a tab between a "
        "sentence and its translation, or two files of which one translates the other line by "
        "line. It may be larger than the memory. Example: transformer-lib train --data train.en "
        "train.de",
    )
    own.add_argument(
        "--data",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="train on the pairs in this file, or in these two, instead of a --task",
    )
    own.add_argument(
        "--validation",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="pairs to validate on (a hundredth of the sentences in --data, chosen by themselves)",
    )
    add_skip_bad(own)
    own.add_argument(
        "--subwords",
        type=positive,
        metavar="N",
        help="learn at most N subwords, for both languages together (8000)",
    )
    own.add_argument(
        "--from",
        dest="start",
        type=model_folder,
        metavar="MODEL",
        help="let a finished model go on learning, from the pairs in --data: tatoeba, grammar or a "
        "folder written by train. It keeps its vocabulary and its sizes. A tenth of the sentences "
        "is set aside for validation. Example: transformer-lib train --from tatoeba --data my.tsv",
    )
    own.add_argument(
        "--replay",
        type=float,
        metavar="SHARE",
        help="with --from: the share of sentences of the kind that it knew, mixed in so that it "
        "forgets less; for grammar and tatoeba, which have such sentences here",
    )
    train.add_argument(
        "--out", type=Path, metavar="DIR", help="where to save (runs/TASK, runs/own, runs/more)"
    )
    train.add_argument("--resume", action="store_true", help="go on with the run in --out")
    train.add_argument("--steps", type=positive, metavar="N", help="updates of the weights")
    train.add_argument("--seed", type=int, metavar="N", help="random start and order (0)")
    train.add_argument(
        "--optimizer",
        choices=["adam", "adamw", "muon"],
        help="what changes the weights: the paper's Adam, or one of those since (notebook 18)",
    )
    train.add_argument(
        "--average",
        type=positive,
        metavar="N",
        help="end with the mean of the weights at the last N validations, not with the best",
    )
    train.add_argument(
        "--best-by",
        choices=["loss", "bleu"],
        help="what makes a validation the best: the loss (the default), or the BLEU of up to 300 "
        "greedy translations",
    )
    train.add_argument(
        "--patience",
        type=positive,
        metavar="N",
        help="stop after N validations without a new best one",
    )
    train.add_argument(
        "--accumulation-steps",
        type=positive,
        metavar="N",
        help="add up the gradients of N batches for one update: a larger batch in the same memory",
    )
    train.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="any other setting by the name it has in ModelConfig and TrainingConfig, like "
        "d_model=256 N=3 dropout=0.2 max_tokens=4096 max_lr=0.001 warmup=1000 validate_every=500",
    )
    train.add_argument("--bf16", action="store_true", help="half-precision arithmetic: faster")
    train.add_argument(
        "--half",
        action="store_true",
        help="store the trained weights in half precision, for a model to give away: half as large "
        "(also with --resume, of a training that has ended)",
    )
    add_device(train)
    train.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="CPU cores to use (up to d_model=128 with max_tokens=2048 one, which other "
        "programs hardly slow down; for larger models all)",
    )
    train.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    import torch

    from transformer_lib.recipes import train_recipe
    from transformer_lib.training.distributed import first_before_others, process_group, rank

    if options.threads:
        torch.set_num_threads(options.threads)
    with process_group():
        with first_before_others():  # so that an error is reported once
            recipe, folder = what_to_train(options)
        how = {"device": options.device, "dtype": torch.float16 if options.half else None}
        try:
            train_recipe(recipe, folder, resume=options.resume, threads=options.threads, **how)
        except KeyboardInterrupt:
            so_far = (
                f" (what it learned up to its last validation translates: --model {folder})"
                if (folder / "model.safetensors").exists()
                else ""
            )
            raise UserError(f"stopped; it goes on where it was with --resume{so_far}") from None
        if rank() == 0:
            print(f"saved in {folder}; try: transformer-lib translate --model {folder}")
    return 0


def what_to_train(options: argparse.Namespace) -> tuple[Any, Path]:
    """The recipe that the options ask for, and the folder of the run."""
    from transformer_lib.cli.settings import read_settings, replaced
    from transformer_lib.files import read_json
    from transformer_lib.recipes import (
        RECIPES,
        Recipe,
        more_recipe,
        multi30k,
        parallel_recipe,
        tatoeba,
    )

    names = ("validation", "skip_bad", "subwords", "start", "replay")
    own = {name: getattr(options, name) for name in names}
    own = {name: value for name, value in own.items() if value is not None}
    if options.data and options.task:
        raise UserError(f"--data and --task {options.task} are two things to learn: name one")
    if own and not options.data:
        option = "from" if "start" in own else min(own).replace("_", "-")
        raise UserError(f"--{option} needs --data")
    if options.start and options.subwords:
        raise UserError("--from goes on with the subwords of its model: leave out --subwords")
    if options.replay is not None and not options.start:
        raise UserError("--replay needs --from")
    if options.task is None and not options.data and not (options.resume and options.out):
        raise UserError(
            "say what to learn: --task copy, reverse, sort, en-es, tatoeba or multi30k-en-de, or "
            "--data with your own pairs"
        )
    folder = options.out or Path("runs") / (options.task or ("more" if options.start else "own"))
    recipe: Recipe
    if options.start:
        recipe = more_recipe(options.data, **own)
    elif options.data:
        recipe = parallel_recipe(options.data, **own)
    elif options.task is None:
        recipe = Recipe.from_json(read_json(folder / "recipe.json"))
    elif options.task == "tatoeba":
        recipe = tatoeba()
    elif options.task.startswith("multi30k"):
        recipe = multi30k(options.task[-2:])
    else:
        recipe = RECIPES[options.task]
    changing = ("steps", "seed", "average", "best_by", "patience", "accumulation_steps")
    changes = {name: getattr(options, name) for name in changing}
    changes = {name: value for name, value in changes.items() if value is not None}
    changes |= {"bf16": True} if options.bf16 else {}
    settings = read_settings(options.set, recipe.model, recipe.training)
    if twice := sorted(settings.keys() & changes.keys()):
        raise UserError(f"--{twice[0].replace('_', '-')} and --set {twice[0]}=...: say it once")
    settings |= changes
    recipe = dataclasses.replace(
        recipe,
        model=replaced(recipe.model, settings),
        training=replaced(recipe.training, settings),
        optimizer=options.optimizer or recipe.optimizer,
    )
    return recipe, folder
