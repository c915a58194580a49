"""Public corpora from a server of our own, with all that a network and a disk can do.

The sentences are made up. Only the last tests look at real corpora, where they are in the cache.
"""

import gzip
import hashlib
import io
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.commands import refused
from transformer_lib.files import read_json
from transformer_lib.recipes import text_digest
from transformer_lib.text import downloads
from transformer_lib.text.data import cache_folder
from transformer_lib.text.downloads import DownloadError, PublicCorpus, RemoteFile, get, split_of
from transformer_lib.text.parallel import digest
from transformer_lib.translator import MODELS

PAIRS = [(f"Sentence number {i}.", f"Frase número {i} {j}.") for i in range(300) for j in (1, 2)]
TABLE = "".join(f"{source}\t{target}\tCC BY\n" for source, target in PAIRS).encode()
REAL_CACHE = cache_folder()  # before the tests have one of their own


def zipped(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def server(monkeypatch):
    """A web server on this machine: `files` is what it has; if `cut`, it hangs up half-way."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = web.files.get(self.path.removeprefix("/"), b"")
            web.asked += 1
            self.send_response(200 if content else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // (2 if web.cut else 1)])

        def log_message(self, *_):
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.files, web.cut, web.asked = {}, False, 0
    web.url = f"http://127.0.0.1:{web.server_port}/"
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield web
    web.shutdown()
    thread.join()
    web.server_close()


@pytest.fixture
def corpus(server, monkeypatch):
    """A corpus of one file, as the server has it."""

    def offer(content, name="made-up", file="pairs.zip", sha256=None, edition=None):
        server.files[file] = content
        files = {"all": (RemoteFile(server.url + file, sha256),)}
        monkeypatch.setitem(downloads.CORPORA, name, PublicCorpus(files, "Ours.", edition))

    return offer


def files_in(folder):
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


WHOLE = ["about.txt", "download/pairs.zip", "test.tsv", "train.tsv", "validation.tsv"]


def test_a_corpus_is_fetched_once_and_split_by_source_sentence(server, corpus, tmp_path):
    content = zipped(**{"pairs.txt": TABLE, "_about.txt": "who"})
    corpus(content)
    for _ in range(2):
        splits = get("made-up", tmp_path)
    assert files_in(tmp_path) == WHOLE and server.asked == 1
    got = {
        split: [tuple(line.split("\t")) for line in path.read_text("utf-8").splitlines()]
        for split, path in splits.items()
    }
    assert sorted(pair for pairs in got.values() for pair in pairs) == sorted(PAIRS)
    for split, pairs in got.items():  # both translations of a sentence are on the same side
        assert pairs and {split_of(source) for source, _ in pairs} == {split}
    about = (tmp_path / "about.txt").read_text()
    assert "Ours." in about and hashlib.sha256(content).hexdigest() in about


def test_another_edition_than_the_shipped_models_is_taken_and_said_in_one_line(
    corpus, tmp_path, capsys
):
    corpus(zipped(**{"pairs.txt": TABLE}))
    splits = get("made-up", tmp_path / "then")
    learned_from = digest([splits["train"], splits["validation"]])
    again = zipped(**{"_about.txt": "who", "a/pairs.txt": TABLE})  # the same, packed anew
    corpus(again, edition=learned_from)
    get("made-up", tmp_path / "packed anew")
    assert capsys.readouterr().err == ""
    corpus(zipped(**{"pairs.txt": TABLE + b"Hi.\tHola.\tCC BY\n"}), edition=learned_from)
    for _ in range(2):  # also of what is here already
        get("made-up", tmp_path / "now")
        err = capsys.readouterr().err
        assert "made-up is here another edition" in err and err.count("\n") == 1


def test_the_edition_is_the_one_that_the_shipped_models_learned_from():
    """The earlier one from these files alone, the one that ships from the phrasebook, too."""
    edition = downloads.CORPORA["tatoeba-en-es"].edition
    now = read_json(MODELS["tatoeba"] / "recipe.json")
    assert edition == read_json(MODELS["tatoeba"].with_name("earlier") / "recipe.json")["sha256"]
    files = [REAL_CACHE / "tatoeba-en-es" / f"{side}.tsv" for side in ("train", "validation")]
    if all(file.exists() for file in files) and digest(files) == edition:
        assert text_digest(files, as_typed=True) == now["sha256"]


def test_two_files_a_split(server, tmp_path, monkeypatch):
    files = {}
    for split in downloads.SPLITS:
        for side, text in (("en", f"One {split}.\nTwo.\n"), ("xx", f"Un {split}.\nDu.\n")):
            content = gzip.compress(text.encode(), mtime=0)
            server.files[f"{split}.{side}.gz"] = content
            url, sum_ = server.url + f"{split}.{side}.gz", hashlib.sha256(content).hexdigest()
            files[split] = (*files.get(split, ()), RemoteFile(url, sum_))
    monkeypatch.setitem(downloads.CORPORA, "made-up", PublicCorpus(files, "Ours."))
    splits = get("made-up", tmp_path)
    assert splits["test"].read_text() == "One test.\tUn test.\nTwo.\tDu.\n"


def test_a_wrong_checksum_is_refused_and_not_kept(corpus, tmp_path):
    corpus(zipped(**{"pairs.txt": TABLE}), sha256="0" * 64)
    with pytest.raises(DownloadError, match="another file than expected .*0000.* not kept"):
        get("made-up", tmp_path)
    assert files_in(tmp_path) == []


def test_a_connection_cut_half_way_leaves_nothing(server, corpus, tmp_path):
    content = zipped(**{"pairs.txt": TABLE})
    corpus(content)
    server.cut = True
    with pytest.raises(DownloadError, match="it didn't come .*by hand"):
        get("made-up", tmp_path)
    assert files_in(tmp_path) == []
    server.cut = False
    assert get("made-up", tmp_path)["train"].exists()


def test_without_network_one_sentence_says_what_to_fetch_and_where_to_put_it(
    server, corpus, tmp_path, run
):
    content = zipped(**{"pairs.txt": TABLE})
    corpus(content, "tatoeba-en-es", sha256=hashlib.sha256(content).hexdigest())
    server.files.clear()
    place = tmp_path / "download" / "pairs.zip"
    said = f"fetch {server.url}pairs.zip by hand, put it at {place}"
    refused(run("corpus", "get", "tatoeba-en-es", "--out", tmp_path), said)
    place.write_bytes(content[:-5])
    with pytest.raises(DownloadError, match=f"{place} is another file than expected, or damaged"):
        get("tatoeba-en-es", tmp_path)
    place.write_bytes(content)
    status, out, _ = run("corpus", "get", "tatoeba-en-es", "--out", tmp_path)
    assert status == 0 and "Ours." in out and str(tmp_path / "train.tsv") in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped(**{"a/../../evil.txt": TABLE}), "holds 0 files"),
        (zipped(**{"pairs.txt": TABLE, "more.txt": TABLE}), "holds 2 files"),
        (b"<html>Please log in to this network</html>", "no sentence pair in .*delete it"),
    ],
)
def test_another_content_is_seen_and_nothing_is_written_where_it_says(
    corpus, tmp_path, content, message
):
    corpus(zipped(**{"../evil.txt": TABLE, "pairs.txt": TABLE}))  # the only text of this name
    get("made-up", tmp_path / "corpus")
    corpus(content, file="other.zip")
    with pytest.raises(DownloadError, match=message):
        get("made-up", tmp_path / "corpus")
    assert {*files_in(tmp_path)} == {f"corpus/{name}" for name in (*WHOLE, "download/other.zip")}


def test_ten_bad_lines_are_left_out_and_with_one_more_it_is_not_the_file_expected(corpus, tmp_path):
    told = []
    corpus(TABLE + b"no tab\n" * 10, file="pairs.tsv")
    splits = get("made-up", tmp_path / "ten", told.append)
    assert sum(path.read_text("utf-8").count("\n") for path in splits.values()) == len(PAIRS)
    lines = [line.partition(": no tab")[0] for line in told]
    came = tmp_path / "ten" / "download" / "pairs.tsv"
    assert lines == [f"left out: {came}, line {601 + n}" for n in range(10)] * 3  # for each split
    corpus(TABLE + b"no tab\n" * 11, file="pairs.tsv")
    with pytest.raises(DownloadError, match="line 611: no tab.* after 10 bad lines"):
        get("made-up", tmp_path / "eleven", told.append)


@contextmanager
def full_disk():
    """A limit of the system on the size of files, a megabyte, which is met as a full disk is."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.slow
def test_a_disk_that_is_full_before_all_is_written_leaves_no_half_of_it(corpus, tmp_path, run):
    """What came is small, as it is packed; train.tsv is not."""
    corpus(gzip.compress(TABLE * 60), "tatoeba-en-es", file="pairs.gz")
    said = f"can't write {tmp_path / 'train.tsv'}: File too large; make room, or name"
    with full_disk():
        found = run("corpus", "get", "tatoeba-en-es", "--out", tmp_path)
    refused(found, said)
    assert files_in(tmp_path) == ["download/pairs.gz"]


def test_every_public_corpus_says_its_license_and_where_it_comes_from():
    for name, corpus in downloads.CORPORA.items():
        assert "License: " in corpus.about, name
        for file in (file for files in corpus.files.values() for file in files):
            assert file.url.startswith("https://")
            assert file.sha256 is None or len(file.sha256) == 64
