"""What holds for every test."""

import os
import tempfile
from pathlib import Path

# What Hypothesis keeps for the next time (letters of Unicode) is no part of a clone.
HYPOTHESIS = Path(tempfile.gettempdir()) / "transformer-lib-hypothesis"
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(HYPOTHESIS))

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# Properties (test_*_properties.py) hold for every input: it makes up some, the same each time.
# By night there are more of them: tools/nightly.py asks for that profile.
for profile, examples in (("each change", 50), ("nightly", 1000)):
    settings.register_profile(
        profile,
        max_examples=examples,
        derandomize=True,  # no dice: a test that is red for one is red for all
        deadline=None,  # a processor may be busy with something else
        database=None,  # nothing is remembered from one run to the next
        print_blob=False,
    )
settings.load_profile("each change")


@pytest.fixture(scope="session")
def by_night(request) -> bool:
    """Is this `make nightly`, which takes the time to look at all of a kind?"""
    return request.config.getoption("nightly")


@pytest.fixture(autouse=True)
def seed() -> None:
    """Random weights and inputs are the same whichever tests run, in whatever order."""
    import torch  # two seconds, which the process that only hands out tests needn't spend

    torch.manual_seed(0)
