"""experiment: measure again what the notebooks quote from longer runs."""

import argparse
from pathlib import Path

from transformer_lib.text.data import DATA


def add_parser(commands: argparse._SubParsersAction) -> None:
    experiment = commands.add_parser(
        "experiment",
        help="measure again what the notebooks quote from longer runs",
        description="Run an experiment of the series (minutes) and store what it finds.",
    )
    which = experiment.add_mutually_exclusive_group(required=True)
    which.add_argument("--list", action="store_true", help="names, and what each measures")
    which.add_argument("name", nargs="?", metavar="NAME", help="the experiment")
    experiment.add_argument("--out", type=Path, default=DATA / "experiments", metavar="DIR")
    experiment.add_argument(
        "--model",
        nargs="+",
        metavar="NAME|DIR",
        help="the trained models to measure, for an experiment that takes any",
    )
    experiment.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from course import experiments

    if options.list:
        for name, measure in experiments.EXPERIMENTS.items():
            print(f"{name:<24}{measure.__doc__.splitlines()[0]}")
        return 0
    print(experiments.run(options.name, options.out, options.model))
    return 0
