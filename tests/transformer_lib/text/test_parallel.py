"""A user's own pairs: what can be read, and what is said of the rest, with file and line."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import tarfile
import zipfile

import pytest

from transformer_lib.text.parallel import CorpusError, digest, read_parallel, sentence_hash

PAIRS = [("Good morning", "Buenos días"), ("Ana ran", "Ana corrió"), ("Why?", "¿Por qué?")]
WORDS = [("bee", "abeja"), ("wax", "cera")]
TABLE = "".join(f"{source}\t{target}\n" for source, target in PAIRS).encode()


def zipped(path, **texts):
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in texts.items():
            packed.writestr(name, text)
    return path


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_two_files_line_by_line_where_a_tab_is_a_space(file, ends):
    english = file(ends.join(source for source, _ in PAIRS).replace(" ", "\t"), "train.en")
    spanish = file(ends.join(target for _, target in PAIRS), "train.es")
    assert list(read_parallel([english, spanish])) == PAIRS


@pytest.mark.parametrize(
    ("one", "most", "message"),
    [
        (1, 40, "41 letters, the other 1; they can't say"),
        (5, 45, "46 letters, the other 5; they can't say"),
        (2000, 2000, "2,001 letters in column 2, over 2,000"),
    ],
)
def test_a_sentence_is_nine_times_as_long_as_the_other_at_most(file, one, most, message):
    assert list(read_parallel([file("a" * one + "\t" + "b" * most)])) == [("a" * one, "b" * most)]
    with pytest.raises(CorpusError, match=message):
        list(read_parallel([file("a" * one + "\t" + "b" * (most + 1))]))


def test_further_columns_a_byte_order_mark_and_space_around_are_left_out(file):
    path = file(b"\xef\xbb\xbf" + "Good morning \t\xa0Buenos días\tCC BY, Ana\n".encode())
    assert list(read_parallel([path])) == PAIRS[:1]


def test_packed_files(file, tmp_path):
    about = {
        "_about.txt": "who wrote it",
        "__MACOSX/._pairs.tsv": "\0",
        "a/": "",
        "a/pairs.tsv": TABLE,
        "a/._pairs.tsv": "\0",
    }
    for path in (
        file(gzip.compress(TABLE), "pairs.tsv.gz"),
        file(gzip.compress(TABLE), "PAIRS.GZ"),
        file(lzma.compress(TABLE), "pairs.tsv.xz"),
        file(bz2.compress(TABLE), "pairs.tsv.bz2"),
        file(bz2.compress(TABLE), "download"),
        file(TABLE, "unpacked-by-the-browser.gz"),
        zipped(tmp_path / "pairs.zip", **about),
    ):
        assert list(read_parallel([path])) == PAIRS, path.name


ONE = "Good morning.\tBuenos días.\n"
TWO = 'Ana says "yes", too.\tAna dice "sí", también.\n'
BOTH = [tuple(line[:-1].split("\t")) for line in (ONE, TWO)]
QUOTED = ['"Good morning."\t"Buenos días."\n']
QUOTED += ['"Ana says ""yes"", too."\t"Ana dice ""sí"", también."\n']


@pytest.mark.parametrize(
    ("text", "pairs"),
    {
        "several, with spaces and tabs": (ONE + TWO + " \n\t\t\r\n\n", BOTH),
        "no line feed at the end": (ONE + TWO[:-1], BOTH),
        "a header": ("english\tspanish\n" + ONE + TWO, BOTH),
        "of codes, with more columns": ("en_US\tes-ES\tsource.url\n" + ONE + TWO, BOTH),
        "after a byte order mark": ("\ufeffsource\ttarget\n" + ONE + TWO, BOTH),
        "a header in quotes": ('"src"\t"tgt"\n' + "".join(QUOTED), BOTH),
        "words are no header": ("bee\tabeja\nwax\tcera\n" + ONE, [*WORDS, BOTH[0]]),
        "nor is a sentence": ("Yes.\tSí.\n" + ONE, [("Yes.", "Sí."), BOTH[0]]),
        "quotation marks of a table": ("".join(QUOTED), BOTH),
        "only where they are needed": (ONE + QUOTED[1], BOTH),
        "or around commas": (
            '"Yes, Tom."\t"Sí, Tom."\n' + ONE,
            [("Yes, Tom.", "Sí, Tom."), BOTH[0]],
        ),
        "around a sentence, too": (
            '"Stop!"\t"¡Para!"\n' + ONE,
            [('"Stop!"', '"¡Para!"'), BOTH[0]],
        ),
        "also with a comma, where others have commas": (
            '"Stop, Tom!"\t"¡Para, Tom!"\n' + "Yes, I do.\tSí, claro.\n",
            [('"Stop, Tom!"', '"¡Para, Tom!"'), ("Yes, I do.", "Sí, claro.")],
        ),
    }.values(),
)
def test_a_table_is_read_as_its_writer_meant_it(file, text, pairs):
    reported = []
    assert list(read_parallel([file(text)], report=reported.append)) == pairs
    header = text.strip("\ufeff").split("\t")[0] in ("english", "en_US", "source", '"src"')
    assert len(reported) == header
    assert all("line 1: the header of a table" in line for line in reported)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"Hi\tHol\xe1\n", r"not UTF-8 \(byte 0xe1 at place 7\)"),
        (b"Hi Hola\n", "no tab, so the second column is missing"),
        (b"\tHola\n", "nothing in column 1"),
        (b"Hi\t \xc2\xa0\n", "nothing in column 2"),
        (b"Hi\tHo\x07la\n", r"control character U\+0007 in column 2 at place 3"),
        ("Hi\tHo\u2028la\n".encode(), r"U\+2028"),
        ("Hi\tHol\ufffd\n".encode(), r"U\+FFFD"),
        (b"Hi\t" + b"a" * 41 + b"\n", "one side has 41 letters, the other 2"),
        (b"a" * 2001 + b"\t" + b"a" * 2001 + b"\n", "2,001 letters in column 1, over 2,000"),
    ],
)
def test_every_complaint_names_file_and_line(file, line, message):
    path = file(b"Hi\tHola\n" + line + b"Hi\tHola\n")
    with pytest.raises(CorpusError, match=message) as error:
        list(read_parallel([path]))
    assert f"{path}, line 2: " in str(error.value)
    reported = []
    assert list(read_parallel([path], skip_bad=1, report=reported.append)) == [("Hi", "Hola")] * 2
    assert len(reported) == 1 and f"{path}, line 2: " in reported[0]
    assert f"{reported[0]} (skip_bad=N goes on past up to N such lines)" == str(error.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Hola\n\n", "^{es}, line 2: nothing"),
        ("Hola\nS\aí\n", r"{es}, line 2: control character U\+0007"),
        ("Hola\n" + "sí " * 50, "{en} and {es}, line 2: one side has"),
        ("Hola\n", "{es} ends after line 1, but {en} goes on"),
        ("Hola\nSí\nNo\n", "{en} ends after line 2, but {es} goes on"),
    ],
)
def test_of_two_files_the_bad_one_is_named(file, text, named):
    english, spanish = file("Hi\nYes\n", "train.en"), file(text, "train.es")
    skipped = 9 * ("goes on" in named)  # whatever may be left out
    with pytest.raises(CorpusError, match=named.format(en=english, es=spanish)):
        list(read_parallel([english, spanish], skip_bad=skipped))


def test_damaged_packing_is_named(file, tmp_path):
    many = TABLE * 2000
    whole = {
        "cut.tsv.gz": gzip.compress(many)[:-20],
        "cut.tsv.xz": lzma.compress(many)[:-20],
        "cut.tsv.bz2": bz2.compress(many)[:-20],
        "cut.zip": b"PK\x03\x04" + many,
    }
    for name, content in whole.items():
        with pytest.raises(CorpusError, match=f"{name} is damaged after line"):
            list(read_parallel([file(content, name)]))
    two = zipped(tmp_path / "two.zip", **{"a.txt": "1", "b.txt": "2"})
    with pytest.raises(CorpusError, match=r"holds 2 files \(a.txt, b.txt\)"):
        list(read_parallel([two]))
    with pytest.raises(CorpusError, match=r"holds 0 files \(nothing\)"):
        list(read_parallel([zipped(tmp_path / "none.zip", _about="")]))


@pytest.mark.parametrize("name", ["pairs.tar", "pairs.tgz", "pairs.tar.xz", "pairs.gz"])
def test_a_tar_is_refused_with_the_way_out(tmp_path, name):
    """Also where bad lines may be skipped."""
    path = tmp_path / name
    packing = {".gz": "gz", ".tgz": "gz", ".xz": "xz"}.get(path.suffix, "")
    with tarfile.open(path, f"w:{packing}") as archive:
        member = tarfile.TarInfo("../evil.tsv")
        member.size = len(TABLE)
        archive.addfile(member, io.BytesIO(TABLE))
    with pytest.raises(CorpusError, match=rf"{path} is a tar archive.* unpack it \(tar xf\)"):
        list(read_parallel([path], skip_bad=99))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TABLE.decode().encode("utf-16"), "UTF-16.* save it as UTF-8"),
        (TABLE.decode().encode("utf-16-be"), "not UTF-8: .* bytes of zero"),
        (TABLE.decode().encode("latin-1"), "not UTF-8.* another kind of file"),
        (b"\x28\xb5\x2f\xfd\x04" + TABLE, "packed by zstd: unpack it"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no text"),
        (TABLE.replace(b"\n", b"\r"), "carriage returns alone.* line feeds"),
        (TABLE.replace(b"\t", b";"), "line 1: no tab.* it should be .* with a tab between"),
        (b'{"en": "Good morning", "es": "Buenos d"}\n' * 3, "no tab.* another kind of file"),
    ],
)
def test_a_file_of_another_kind_is_not_made_one_by_leaving_lines_out(file, content, message):
    with pytest.raises(CorpusError, match=message) as error:
        list(read_parallel([file(content)]))
    assert "--skip-bad" not in str(error.value)
    assert "pairs.tsv" in str(error.value)


def test_a_check_of_the_readers_own_counts_as_a_bad_line(file):
    def check(source, target):
        return "too long" if len(source) > 10 else ""

    path = file(TABLE)
    with pytest.raises(CorpusError, match=r"pairs.tsv, line 1: too long \(skip_bad=N"):
        list(read_parallel([path], check=check))
    reported = []
    found = list(read_parallel([path], check=check, skip_bad=1, report=reported.append))
    assert found == PAIRS[1:] and reported == [f"{path}, line 1: too long"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_the_digest_knows_content_and_order_and_refuses_what_can_be_read_once(file, tmp_path):
    one, two = file("a", "one"), file("b", "two")
    assert digest([one, two]) != digest([two, one]) != digest([one])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorpusError, match="pipe is a pipe.* write it to a file first"):
        digest([tmp_path / "pipe"])


def test_what_is_no_corpus_at_all(file, tmp_path):
    path = file("")
    with pytest.raises(CorpusError, match=f"there is no sentence pair in {path}"):
        list(read_parallel([path]))
    with pytest.raises(CorpusError, match="not 3 files"):
        list(read_parallel([path] * 3))
    with pytest.raises(CorpusError, match="line 1: no end after 1,000,000 bytes"):
        list(read_parallel([file(b"a" * 3_000_000)], skip_bad=9))


def test_a_sentence_has_one_place_however_it_is_written():
    assert (
        sentence_hash("I don't know.")
        == sentence_hash("i DON'T  know!")
        == sentence_hash("I dont know")
    )
    assert sentence_hash("I don't know.") != sentence_hash("I don't know him.")
    assert sentence_hash("Él") == sentence_hash("E\u0301l") != sentence_hash("El")
    by_hand = int(hashlib.sha256(b"goodmorning").hexdigest()[:12], 16) / 16**12
    assert sentence_hash("Good morning.") == by_hand  # on every machine, for ever
