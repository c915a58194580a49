"""Tables that spreadsheets open, change and store again: CSV, written so that it survives that.

Written in UTF-8 with a byte order mark, every cell in quotes, text that a spreadsheet would take
for a formula, a number or a date behind an apostrophe. Read in whatever way one stored it.
"""

import codecs
import csv
import io
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from transformer_lib.files import write_file

FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠']")
SIGNS = r"\s.,/:%$€£()+\-"
MONTH = "(jan|ene|feb|fév|mar|mär|apr|abr|avr|ma[iy]|jui?[nl]|aug|ago|aoû|sep|o[ck]t|nov|d[ei][cz])"
NUMBER = re.compile(
    rf"[{SIGNS}]*\d[{SIGNS}\de]*|(?=.*\d)[{SIGNS}\d]*{MONTH}\w*[{SIGNS}\d]*|true|false",
    re.IGNORECASE,
)
LONGEST_NUMBER = 40  # characters of what a spreadsheet takes for a number or a date


# What isn't text: it commands a terminal, ends a line, turns the rest round, or is no letter.
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class TableError(ValueError):
    """A table can't be used; the message says why. Nothing is written then."""


def one_line(words: str) -> str:
    """The same with � for each character that isn't text, so that it can be printed anywhere."""
    return UNSEEN.sub("�", words)


def write_table(
    path: Path, columns: Sequence[str], rows: Iterable[Sequence], separator: str = ","
) -> None:
    """Write a table. Numbers stay numbers, all else is text; with semicolons 2.5 becomes 2,5."""
    table = io.StringIO()
    writer = csv.writer(table, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(
            [
                in_table(cell).replace(".", ",")
                if isinstance(cell, float) and separator == ";"
                else in_table(cell)
                for cell in row
            ]
        )
    write_file(path, codecs.BOM_UTF8 + table.getvalue().encode("utf-8", errors="replace"))


def in_table(cell: object) -> str:
    """The text for a cell, so that no spreadsheet takes it for anything but what it is."""
    if cell is None:
        return ""
    if isinstance(cell, int | float):
        return f"{cell:g}"
    words = str(cell)
    changes = len(words) <= LONGEST_NUMBER and NUMBER.fullmatch(words)
    return "'" + words if FORMULA.match(words) or changes else words


def from_table(words: str | None) -> str:
    """The inverse of `in_table`, even where the spreadsheet has removed the apostrophe."""
    words = words or ""
    if in_table(words.removeprefix("'")) == words:
        words = words.removeprefix("'")
    return unicodedata.normalize("NFC", words)


def as_stored(words: str) -> str:
    """The text that a table returns: invalid UTF-8 becomes "?", accents are composed."""
    return unicodedata.normalize("NFC", words.encode(errors="replace").decode())


def read_table(
    path: Path, columns: Sequence[str], known: Callable[[list[dict[str, str]]], bool]
) -> list[tuple[int, dict[str, str]]]:
    """(line, row) for each row that isn't empty; lines are counted as spreadsheets count them.

    known: whether these rows are about existing people and tasks, which decides between encodings.
    Raises TableError if a column is missing or the encoding is in doubt.
    """
    raw = path.read_bytes()
    try:
        return rows_of(path, in_unicode(raw), columns)
    except UnicodeDecodeError:
        pass
    found = {}
    for encoding in ("cp1252", "mac_roman"):  # Excel's "CSV" on Windows, and on a Mac
        try:
            words = raw.decode(encoding)
            rows = rows_of(path, words, columns)
            if known([row for _, row in rows]):
                found[words] = rows
        except UnicodeDecodeError:
            continue
    if len(found) != 1:
        raise TableError(
            f"{path} isn't in UTF-8, and its letters can be read in several ways: "
            "save it as “CSV UTF-8”"
        )
    return next(iter(found.values()))


def separator_of(path: Path) -> str:
    """The separator that the spreadsheet used, if it has stored this table."""
    return separator_in(decoded(path) if path.exists() else "")


def decoded(path: Path) -> str:
    """Its text: in UTF-16 or UTF-8 if it says so or can be, else in Windows's old encoding."""
    raw = path.read_bytes()
    try:
        return in_unicode(raw)
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def in_unicode(raw: bytes) -> str:
    utf_16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # Excel's "Unicode Text"
    return raw.decode("utf-16" if utf_16 else "utf-8-sig")


def separator_in(words: str) -> str:
    return max(",;\t", key=re.split("[\r\n]", words, maxsplit=1)[0].count)


def rows_of(path: Path, words: str, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    lines = io.StringIO(words, newline=None)  # any system's ends of lines
    try:
        rows = list(csv.reader(lines, delimiter=separator_in(words)))
    except csv.Error as error:
        raise TableError(f"{path} is no table: {error}") from None
    first = rows[0] if rows else []
    if not set(columns) <= set(first):
        raise TableError(f"{path}: its first line should be {','.join(columns)}")
    first += [f"column {number}" for number in range(len(first), max(map(len, rows)))]
    return [
        (number, dict(itertools.zip_longest(first, row, fillvalue="")))
        for number, row in enumerate(rows[1:], 2)
        if any(row)
    ]
