"""Where the data are, how tables are read, and where downloads are cached."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# Next to the library in the project; inside it in an installed wheel.
DATA = next((d for d in (PACKAGE / "data", PACKAGE.parent / "data") if d.is_dir()), PACKAGE)


def read_table(path: str | Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Read a tab-separated UTF-8 file whose first line names `columns`; no cell may be empty.

    Raises ValueError, naming file and line, for any other file.
    """
    path = Path(path)
    try:
        lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: {error}") from error
    if tuple(lines[0].split("\t")) != columns:
        raise ValueError(f"{path}, line 1: expected the header {' <tab> '.join(columns)}")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = tuple(line.split("\t"))
        if len(cells) != len(columns):
            raise ValueError(
                f"{path}, line {number}: expected {len(columns)} cells between tabs, "
                f"found {len(cells)}"
            )
        if not all(cell.strip() for cell in cells):
            raise ValueError(f"{path}, line {number}: a cell is empty")
        rows.append(cells)
    return rows


def read_pairs(path: str | Path) -> list[tuple[str, str]]:
    """Read sentence pairs, by `read_table`: a file with the columns english and spanish."""
    return [(english, spanish) for english, spanish in read_table(path, ("english", "spanish"))]


def cache_folder() -> Path:
    """Where downloads and encoded corpora are kept: $TRANSFORMER_LIB_CACHE, or the system's cache.

    All of it can be deleted: it is fetched or made again when needed.
    """
    import pooch  # here, because it is needed for nothing else

    return Path(os.environ.get("TRANSFORMER_LIB_CACHE") or pooch.os_cache("transformer-lib"))


@contextmanager
def using_cache() -> Iterator[Path]:
    """The cache folder; an OSError inside that is about it names it, and the way out."""
    folder = cache_folder()
    try:
        yield folder
    except OSError as error:
        if error.filename and not Path(error.filename).is_relative_to(folder):
            raise
        why = f"{error.strerror}; it is the cache, name another folder in TRANSFORMER_LIB_CACHE"
        raise OSError(error.errno, why, str(folder)) from None
