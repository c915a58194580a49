"""A user's own sentence pairs: one tab-separated file, or two files line by line.

    pairs.tsv              Good morning <tab> Buenos días; further columns are not read
    train.en, train.de     line n of one translates line n of the other

UTF-8 text without a header, plain or packed as .gz, .xz or .zip. The files are read line by line
from beginning to end each time, so they may be larger than the memory.
"""

import gzip
import hashlib
import lzma
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from transformer_lib.text.user_input import several

# What no sentence contains: control characters, other line ends, the mark of a wrong encoding.
NO_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]")
LONGEST = 2000  # letters in a sentence
LONGEST_LINE = 1_000_000  # bytes; a longer line is no text, and would fill the memory
RATIO, SHORT = 9, 40  # one side is at most 9 times as long as the other, or at most 40 letters
TAR_NAME = re.compile(r"\.(tar(\.\w+)?|tgz|tbz2?|txz)$", re.IGNORECASE)
DAMAGE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError)
OpenFile: TypeAlias = BufferedReader | gzip.GzipFile | lzma.LZMAFile | zipfile.ZipExtFile


class CorpusError(ValueError):
    """The text is not as it should be; the message names file and line."""


def read_parallel(
    files: Sequence[str | Path],
    *,
    skip_bad: int = 0,
    report: Callable[[str], object] = lambda message: None,
) -> Iterator[tuple[str, str]]:
    """The (source, target) pairs of one tab-separated file, or of two files line by line.

    A bad line is left out, and `report` is called with what is wrong. Raises CorpusError if there
    are more than `skip_bad` of them or a file is damaged, and OSError if one can't be opened.
    """
    paths = [Path(file) for file in several(files, "files")]
    if len(paths) not in (1, 2):
        raise CorpusError(
            f"a corpus is one tab-separated file or two files line by line, not {len(paths)} files"
        )
    bad, found = 0, False
    for number, raw in numbered_lines(paths):
        try:
            if len(paths) == 1:
                pair = columns(paths[0], number, raw[0])
            else:
                pair = _aligned(paths, number, raw)
            _check_lengths(paths, number, pair)
        except CorpusError as problem:
            bad += 1
            if bad > skip_bad:
                more = f", after {skip_bad} bad lines that were skipped" if skip_bad else ""
                raise CorpusError(
                    f"{problem}{more} (--skip-bad N goes on past up to N such lines)"
                ) from None
            report(str(problem))
            continue
        found = True
        yield pair
    if not found:
        raise CorpusError(f"there is no sentence pair in {' and '.join(map(str, paths))}")


def numbered_lines(paths: Sequence[Path]) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """(1, the first line of each file), (2, …), …; CorpusError if one of the files is shorter."""
    for number, raw in enumerate(zip_longest(*map(lines, paths)), start=1):
        if None in raw:
            ended = raw.index(None)
            raise CorpusError(
                f"{paths[ended]} ends after line {number - 1}, but {paths[1 - ended]} goes on: "
                f"line n of one file must translate line n of the other"
            )
        yield number, raw


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a file as bytes, without their ends; CorpusError if it is damaged, or a tar."""
    number = 0
    try:
        with open_packed(path) as file:
            if TAR_NAME.search(path.name) or file.peek(512)[257:262] == b"ustar":  # tar's mark
                raise CorpusError(
                    f"{path} is a tar archive, which may hold many files: unpack it (tar xf), and "
                    f"name the one or the two with the sentences"
                )
            while line := file.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise CorpusError(f"{path}, line {number}: no end after {LONGEST_LINE:,} bytes")
                line = line.removesuffix(b"\n").removesuffix(b"\r")
                yield line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except DAMAGE as error:
        raise CorpusError(
            f"{path} is damaged after line {number}, or not what its name says: {error}"
        ) from None


@contextmanager
def open_packed(path: Path) -> Iterator[OpenFile]:
    """The bytes of a file, unpacked if its name ends in .gz, .xz or .zip."""
    if path.suffix == ".zip":
        with open(path, "rb") as whole, zipfile.ZipFile(whole) as packed:
            with packed.open(only_text(path, packed)) as file:
                assert isinstance(file, zipfile.ZipExtFile)  # what `open` returns for reading
                yield file
    else:
        gz, xz = path.suffix == ".gz", path.suffix == ".xz"
        with gzip.open(path) if gz else lzma.open(path) if xz else open(path, "rb") as opened:
            yield opened


def only_text(path: Path, packed: zipfile.ZipFile) -> str:
    """The only file in a .zip, not counting _* and .* (__MACOSX); CorpusError unless it is one."""
    names = [
        name
        for name in packed.namelist()
        if not name.endswith("/") and not any(part[0] in "_." for part in name.split("/") if part)
    ]
    if len(names) != 1:
        raise CorpusError(
            f"{path} holds {len(names)} files ({', '.join(names[:3]) or 'nothing'}): "
            f"pack the one with the sentences, or unpack it"
        )
    return names[0]


def columns(path: Path, number: int, raw: bytes) -> tuple[str, str]:
    """The first two columns of a tab-separated line; CorpusError if one is missing or no text."""
    cells = _decode(path, number, raw).split("\t")
    if len(cells) < 2:
        raise CorpusError(f"{path}, line {number}: no tab, so the second column is missing")
    source, target = (
        sentence(path, number, cell, f" in column {side}")
        for side, cell in enumerate(cells[:2], start=1)
    )
    return source, target


def _aligned(paths: Sequence[Path], number: int, raw: Sequence[bytes]) -> tuple[str, str]:
    source, target = (
        sentence(path, number, _decode(path, number, line).replace("\t", " "))
        for path, line in zip(paths, raw, strict=True)
    )
    return source, target


def _decode(path: Path, number: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}, line {number}: not UTF-8 (byte 0x{raw[error.start]:02x} at place "
            f"{error.start + 1})"
        ) from None


def sentence(path: Path, number: int, text: str, where: str = "") -> str:
    """The text without the space around it; CorpusError if it can't be a sentence."""
    text = text.strip(" \xa0\u3000")
    if not text:
        raise CorpusError(f"{path}, line {number}: nothing{where}")
    if found := NO_TEXT.search(text):
        raise CorpusError(
            f"{path}, line {number}: control character U+{ord(found[0]):04X}{where} at place "
            f"{found.start() + 1}"
        )
    if len(text) > LONGEST:
        raise CorpusError(f"{path}, line {number}: {len(text):,} letters{where}, over {LONGEST:,}")
    return text


def _check_lengths(paths: Sequence[Path], number: int, pair: tuple[str, str]) -> None:
    shorter, longer = sorted(map(len, pair))
    if longer > max(SHORT, RATIO * shorter):
        raise CorpusError(
            f"{' and '.join(map(str, paths))}, line {number}: one side has {longer} letters, the "
            f"other {shorter}; they can't say the same"
        )


def sentence_hash(sentence: str) -> float:
    """A number from 0 to 1 that depends on the sentence alone, whatever its corpus and line.

    Splits are made by it: all pairs with one source sentence go to the same side, so no test
    sentence is in training with another translation. Capitals, spaces and punctuation don't count.
    """
    letters = filter(str.isalnum, unicodedata.normalize("NFC", sentence).casefold())
    digest = hashlib.sha256("".join(letters).encode("utf-8")).digest()
    return int.from_bytes(digest[:6]) / 2**48


def digest(files: Sequence[str | Path]) -> str:
    """SHA-256 of the contents of all files together."""
    together = hashlib.sha256()
    for file in several(files, "files"):
        with open(file, "rb") as content:
            together.update(hashlib.file_digest(content, "sha256").digest())
    return together.hexdigest()
