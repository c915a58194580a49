"""A user's own sentence pairs: one tab-separated file, or two files line by line.

    pairs.tsv              Good morning <tab> Buenos días; further columns are not read
    train.en, train.de     line n of one translates line n of the other

UTF-8 text, plain or packed as .gz, .bz2, .xz or .zip, whatever the file is called. The files are
read line by line from beginning to end each time, so they may be larger than the memory. Lines with
nothing in them are no pairs and no faults. From the first lines it is seen whether the file is a
table, with a header and with quotation marks around its cells.
"""

import bz2
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
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from transformer_lib.text.user_input import several

# What no sentence contains: control characters, other line ends, the mark of a wrong encoding.
NO_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]")
LONGEST = 2000  # letters in a sentence
LONGEST_LINE = 1_000_000  # bytes; a longer line is no text, and would fill the memory
RATIO, SHORT = 9, 40  # one side is at most 9 times as long as the other, or at most 40 letters
TAR_NAME = re.compile(r"\.(tar(\.\w+)?|tgz|tbz2?|txz)$", re.IGNORECASE)
DAMAGE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError)
OpenFile: TypeAlias = (
    BufferedReader | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile | zipfile.ZipExtFile
)
# The first bytes of what can be unpacked, and of what is often meant as text and can't be read.
PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
UNREADABLE = {
    b"\x28\xb5\x2f\xfd": "is packed by zstd: unpack it, or pack it as .gz, .bz2, .xz or .zip",
    b"7z\xbc\xaf": "is packed by 7-Zip: unpack it, or pack it as .gz, .bz2, .xz or .zip",
    b"\xff\xfe": "is UTF-16 or UTF-32, as in Excel's Unicode text: save it as UTF-8",
    b"\xfe\xff": "is UTF-16, as in Excel's Unicode text: save it as UTF-8",
}
FIRST = 200  # lines that show what kind of file it is
BARE_WORD = re.compile(r"[^\W\d]\w*([._-]\w+)*")  # what the name of a column looks like
QUOTED = re.compile(r'"((?:[^"]|"")*)"', re.DOTALL)  # a cell as a program writes it
Report: TypeAlias = Callable[[str], object]
RawLine: TypeAlias = tuple[bytes, ...]  # a line of each file


class CorpusError(ValueError):
    """The text is not as it should be; the message names file and line."""


def read_parallel(
    files: Sequence[str | Path],
    *,
    skip_bad: int = 0,
    report: Report = lambda message: None,
    check: Callable[[str, str], str] = lambda source, target: "",
) -> Iterator[tuple[str, str]]:
    """The (source, target) pairs of one tab-separated file, or of two files line by line.

    A bad line is left out, and `report` is called with what is wrong; so it is for a header.
    check: says what is wrong with a pair for whom it is read, or "". Raises CorpusError if there
    are more than `skip_bad` bad lines or a file is damaged, OSError if one can't be opened, and
    ValueError for a negative `skip_bad`.
    """
    paths = [Path(file) for file in several(files, "files")]
    if skip_bad < 0:
        raise ValueError(f"skip_bad={skip_bad} must be 0 or more: so many bad lines are left out")
    if len(paths) not in (1, 2):
        raise CorpusError(
            f"a corpus is one tab-separated file or two files line by line, not {len(paths)} files"
        )
    rows = numbered_lines(paths)
    first = list(islice(rows, FIRST))
    reader = PairReader(paths, [raw for _, raw in first])
    bad, found = 0, False
    if reader.header:
        (number, raw), first = first[0], first[1:]
        names = " and ".join(reader.cells(raw))
        report(f"{reader.name}, line {number}: the header of a table ({names})")
    for number, raw in chain(first, rows):
        try:
            pair = reader.pair(number, raw)
            if wrong := check(*pair):
                raise CorpusError(f"{reader.name}, line {number}: {wrong}")
        except CorpusError as problem:
            bad += 1
            if bad > skip_bad:
                more = f", after {skip_bad} bad lines that were skipped" if skip_bad else ""
                raise CorpusError(f"{problem}{more} ({reader.way_out(first)})") from None
            report(str(problem))
            continue
        found = True
        yield pair
    if not found:
        raise CorpusError(f"there is no sentence pair in {reader.name}")


class PairReader:
    """What the lines of a corpus mean, as its first ones show.

    header: whether the first line names columns: it is two bare words, and no other line is.
    table: whether a program put quotation marks around cells (around all, or around those with a
    comma or a quotation mark inside, which it then doubles).
    """

    def __init__(self, paths: Sequence[Path], first: Sequence[RawLine]):
        self.paths, self.name = paths, " and ".join(map(str, paths))
        self.table = False
        cells = [cell for raw in first for cell in self.cells(raw)]
        self.table = len(paths) == 1 and is_table(cells)
        rows = [row for raw in first if len(row := self.cells(raw)) == 2]
        bare = [all(map(BARE_WORD.fullmatch, row)) for row in rows]
        whole = bool(first) and len(self.cells(first[0])) == 2  # the first line is the first row
        self.header = whole and bare[0] and len(bare) > 1 and not any(bare[1:])

    def cells(self, raw: RawLine) -> list[str]:
        """Source and target, or less, of a line; what isn't UTF-8 is replaced."""
        texts = [line.decode("utf-8", "replace") for line in raw]
        return [self.plain(cell) for cell in (texts if len(raw) == 2 else texts[0].split("\t")[:2])]

    def plain(self, cell: str) -> str:
        """A cell without the quotation marks that belong to the table."""
        quoted = self.table and QUOTED.fullmatch(cell)
        return quoted[1].replace('""', '"') if quoted else cell

    def pair(self, number: int, raw: RawLine) -> tuple[str, str]:
        """Source and target of a line; CorpusError, with file and line, if it isn't a pair."""
        if len(raw) == 1:
            cells = _decode(self.paths[0], number, raw[0]).split("\t")
            if len(cells) < 2:
                raise CorpusError(
                    f"{self.name}, line {number}: no tab, so the second column is missing"
                )
            source, target = (
                sentence(self.paths[0], number, self.plain(cell), f" in column {side}")
                for side, cell in enumerate(cells[:2], start=1)
            )
        else:
            source, target = (
                sentence(path, number, _decode(path, number, line).replace("\t", " "))
                for path, line in zip(self.paths, raw, strict=True)
            )
        _check_lengths(self.name, number, (source, target))
        return source, target

    def way_out(self, first: Sequence[tuple[int, RawLine]]) -> str:
        """What to do about a bad line: if most are bad, it is another kind of file."""
        good = 0
        for number, raw in first:
            try:
                self.pair(number, raw)
                good += 1
            except CorpusError:
                pass
        if 2 * good >= len(first):
            return "skip_bad=N goes on past up to N such lines"
        kind = "one sentence pair a line, with a tab between the two"
        if len(self.paths) == 2:
            kind = "a sentence a line, in both files the same one"
        return (
            f"most of its first lines are no pairs, so it is another kind of file: it should be "
            f"UTF-8 text, {kind}"
        )


def is_table(cells: Sequence[str]) -> bool:
    """Whether the quotation marks around these cells are a program's, and not the writers'."""
    quoted = [found[1] for cell in cells if (found := QUOTED.fullmatch(cell))]
    plain = [cell for cell in cells if not QUOTED.fullmatch(cell)]
    if not quoted or any('"' in cell for cell in plain):
        return False
    if not plain or all('""' in cell for cell in quoted):
        return True
    return all('""' in cell or "," in cell for cell in quoted) and not any("," in c for c in plain)


def numbered_lines(paths: Sequence[Path]) -> Iterator[tuple[int, RawLine]]:
    """(1, the first line of each file), (2, …), … but for lines on which no file has anything.

    CorpusError if one of the files is shorter than the other.
    """
    whole = 0  # the last line that is there in all files
    for number, raw in enumerate(zip_longest(*map(lines, paths)), start=1):
        whole = whole if None in raw else number
        if not any(line and line.strip() for line in raw):
            continue
        if None in raw:
            ended = raw.index(None)
            raise CorpusError(
                f"{paths[ended]} ends after line {whole}, but {paths[1 - ended]} goes on: "
                f"line n of one file must translate line n of the other"
            )
        yield number, raw


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a file as bytes, without their ends; CorpusError if it can't be text."""
    number = 0
    try:
        with open_packed(path) as file:
            start = file.peek(512)[:512]
            if TAR_NAME.search(path.name) or start[257:262] == b"ustar":  # tar's mark
                raise CorpusError(
                    f"{path} is a tar archive, which may hold many files: unpack it (tar xf), and "
                    f"name the one or the two with the sentences"
                )
            for mark, complaint in UNREADABLE.items():
                if start.startswith(mark):
                    raise CorpusError(f"{path} {complaint}")
            if b"\0" in start:
                raise CorpusError(
                    f"{path} is no text, or not UTF-8: its first line has bytes of zero"
                )
            if b"\r" in start[:-1] and b"\n" not in start:
                raise CorpusError(
                    f"{path} ends its lines with carriage returns alone, as Macs once did: save it "
                    f"with line feeds"
                )
            while line := file.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise CorpusError(f"{path}, line {number}: no end after {LONGEST_LINE:,} bytes")
                line = line.removesuffix(b"\n").removesuffix(b"\r")
                yield line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except DAMAGE as error:
        raise CorpusError(f"{path} is damaged after line {number}: {error}") from None


@contextmanager
def open_packed(path: Path) -> Iterator[OpenFile]:
    """The bytes of a file, unpacked if its first bytes say that it is packed."""
    with open(path, "rb") as whole:
        start = whole.peek(6)
        if start.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(whole) as packed, packed.open(only_text(path, packed)) as file:
                assert isinstance(file, zipfile.ZipExtFile)  # what `open` returns for reading
                yield file
            return
        for mark, unpack in PACKED.items():
            if start.startswith(mark):
                with unpack(whole) as file:
                    yield file
                return
        yield whole


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


def _check_lengths(name: str, number: int, pair: tuple[str, str]) -> None:
    shorter, longer = sorted(map(len, pair))
    if longer > max(SHORT, RATIO * shorter):
        raise CorpusError(
            f"{name}, line {number}: one side has {longer} letters, the other {shorter}; they "
            f"can't say the same"
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
    """SHA-256 of the contents of all files together; CorpusError for what can't be read twice."""
    together = hashlib.sha256()
    for file in several(files, "files"):
        if Path(file).is_fifo():
            raise CorpusError(
                f"{file} is a pipe, and the text is read several times: write it to a file first"
            )
        with open(file, "rb") as content:
            together.update(hashlib.file_digest(content, "sha256").digest())
    return together.hexdigest()
