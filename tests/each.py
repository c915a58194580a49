"""One check over many things (pages, figures, modules): one test, and all that fail at once."""

from collections.abc import Callable, Iterable


def each(items: Iterable, check: Callable) -> None:
    """Calls `check` with every item, and fails with the name and the reason of each that fails."""
    failed = []
    for item in items:
        try:
            check(item)
        except AssertionError as error:
            failed.append(f"{getattr(item, 'name', item)}: {error}")
    assert not failed, "\n\n".join(failed)
