"""How far is from_scratch/my_transformer.py? The twelve steps of README.md, one after another.

    python from_scratch/check.py        # all steps, up to the first that isn't right
    python from_scratch/check.py 3      # step 3 alone

What the checks say stands in course/from_scratch/checks.py.
"""

import argparse
import sys
from pathlib import Path

from course.checks import Hint, NotTried, in_words
from course.from_scratch.checks import FILE, STEPS, own_file, verdict
from transformer_lib.training.threads import using_threads

HERE = Path(__file__).resolve().parent


def main(arguments: list[str] | None = None) -> int:
    """0 if every step that was looked at is right, 1 if one isn't."""
    options = argparse.ArgumentParser(prog="python from_scratch/check.py", description=__doc__)
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument(
        "step",
        nargs="?",
        type=int,
        choices=range(1, len(STEPS) + 1),
        metavar="STEP",
        help="1 to 12 (default: all)",
    )
    options.add_argument("--file", type=Path, default=HERE / FILE, help="another file to check")
    given = options.parse_args(arguments)
    try:
        mine = own_file(given.file)
    except Hint as hint:
        print(in_words(hint))
        return 1
    for number in [given.step] if given.step else range(1, len(STEPS) + 1):
        step = STEPS[number - 1]
        with using_threads(1):  # models of a few numbers: a second thread only waits
            hint = verdict(mine, step)
        print(f"{number:2} {step.title}: {in_words(hint)}")
        if hint is not None:
            if isinstance(hint, NotTried):
                print(
                    f"   Write {' and '.join(step.names)}: from_scratch/README.md, step {number}."
                )
            print(f"   Read notebooks/{step.notebook}.ipynb, section {step.section}.")
            return 1
    if not given.step:
        print("All twelve steps are right. Now train it: python from_scratch/train.py")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a Windows file may have no sign for "right"
    sys.exit(main())
