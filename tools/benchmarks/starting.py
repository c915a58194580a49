"""How long does it take until something happens: an import, and one figure from the command?

    python tools/benchmarks/starting.py                               two minutes
    python tools/benchmarks/starting.py --figures every --repeats 1   each figure: 20 minutes

Every contestant is a process of its own, and what counts is its processor time, so other programs
on the machine matter less. See tools/benchmarks/README.md.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial

from measuring import arguments, ratio, set_up, take_turns

from course.drawing.registry import FIGURES

TORCH, OURS = "import torch", "import transformer_lib"
SOME = ["attention-four-frames", "decoder-stepper"]  # matplotlib; Altair, after a translation


def processor_time() -> float:
    """Seconds that finished child processes have used."""
    times = os.times()
    return times.children_user + times.children_system


def run(*words: str) -> None:
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = arguments(__doc__, rounds=5)
    parser.add_argument(
        "--figures",
        nargs="*",
        default=SOME,
        metavar="NAME",
        help="figures to draw, or `every` (default: two)",
    )
    options = parser.parse_args()
    options.clock = "processor"
    names = list(FIGURES) if options.figures == ["every"] else options.figures
    set_up(options)
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        draw = ("-m", "course", "figures", "--out", folder, "--only")
        contestants = {statement: partial(run, "-c", statement) for statement in (TORCH, OURS)}
        contestants |= {name: partial(run, *draw, name) for name in names}
        times = take_turns(contestants, options.repeats, clock=processor_time)

    print(f"\n{'seconds of processor time':40}{'median':>8}{'beyond ours':>14}")
    middle = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in sorted(middle.items(), key=lambda item: item[1]):
        print(f"{name:40}{seconds:8.2f}{seconds - middle[OURS]:14.2f}")
    if options.repeats > 1:
        print(f"\n{OURS} / {TORCH}: {ratio(times, OURS, TORCH)}")


if __name__ == "__main__":
    main()
