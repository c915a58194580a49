"""`make wheelhouse`, for a class without a network."""

import wheelhouse
from tests.here import ROOT


def test_a_wheelhouse_is_fetched_at_the_versions_of_the_lock(tmp_path):
    (fetch,) = wheelhouse.commands("python", tmp_path, "lab")
    assert fetch[fetch.index("--constraint") + 1] == str(ROOT / "constraints.txt")
    assert f"{ROOT}[lab]" in fetch
    first, fetch = wheelhouse.commands("python", tmp_path, "test", "https://example.org/cpu")
    assert first[-1] == "torch" and "https://example.org/cpu" in first
    assert fetch[fetch.index("--find-links") + 1] == str(tmp_path)  # the one that is there
