"""Which tests run where, when several processes share them: whole files, the longest first.

The cells of a notebook need one kernel, and the tests of a file their fixtures, so a file stays
whole; only where each test is long and needs nothing of the others do they run apart. A long file
that starts last leaves the other processors with nothing to do, so those start first.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).resolve().parent.parent
APART = ("tests/course/grading/test_rehearsal.py",)  # half a minute or more for each test
FIRST = (
    *APART,
    # a minute or so, whatever their number
    "tests/course/grammar/test_splits.py",
    "tests/course/grading/test_archives.py",
    "tests/course/grading/test_grading.py",
    "tests/course/grading/test_grading_mine.py",
    "tests/course/grading/test_properties.py",
    "tests/course/drawing/test_registry.py",
    "tests/course/site/test_browser.py",
    "tests/transformer_lib/test_recipes.py",
    "tests/prose/test_series.py",
    "tests/transformer_lib/test_shipped_model.py",
    "tests/transformer_lib/training/test_state.py",
)


def file_of(test: str) -> str:
    return test.split("::", 1)[0]


def unit(test: str) -> str:
    """The name of what has to stay together, for a test's full name."""
    return test if file_of(test) in APART else file_of(test)


def order(tests: Iterable[str]) -> dict[str, tuple]:
    """Full name -> where it stands: FIRST, then notebooks, then by the number of tests in a file.

    Within a file nothing changes places, if the sorting is stable.
    """
    tests = list(tests)
    count = Counter(map(file_of, tests))
    return {
        test: (file not in FIRST, not file.endswith(".ipynb"), -count[file], file)
        for test in tests
        for file in [file_of(test)]
    }


class WholeFiles(LoadFileScheduling):
    """`--dist loadfile`, by `unit`, and in the order that the tests have."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False  # by the number of tests: rehearsals came last
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)
