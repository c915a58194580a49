"""Public corpora, fetched from their sources on request; none comes with the library.

The files are kept, and their pairs as train.tsv, validation.tsv, test.tsv, for training.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from transformer_lib.files import keep_file
from transformer_lib.text.data import cache_folder
from transformer_lib.text.parallel import CorpusError, digest, read_parallel, sentence_hash

SPLITS = ("train", "validation", "test")
FEW = 10  # bad lines that a file may have; with more, it isn't the one expected
HELD_OUT = 0.02  # share of the source sentences in the test, and in validation


class DownloadError(ValueError):
    """A file couldn't be fetched as expected; the message says how to get it by hand."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to download. sha256: of its content, or None if the source may update it."""

    url: str
    sha256: str | None

    @property
    def name(self) -> str:
        """What it is called in a folder: the end of its address."""
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class PublicCorpus:
    """A corpus to download. about: its authors and its license.

    files: those of each split, or under "all" those to be split by source sentence. edition:
    SHA-256 of the train.tsv and validation.tsv that a model of MODELS learned from, since the
    source may pack the same pairs into another file.
    """

    files: dict[str, tuple[RemoteFile, ...]]
    about: str
    edition: str | None = None

    def pairs(
        self, split: str, folder: Path, report: Callable[[str], object]
    ) -> Iterator[tuple[str, str]]:
        """The pairs of one split, from the files in a folder; a few bad lines are reported."""
        files = [folder / file.name for file in self.files[split if split in self.files else "all"]]
        for source, target in read_parallel(files, skip_bad=FEW, report=report):
            if split in self.files or split == split_of(source):
                yield source, target


def split_of(source: str) -> str:
    """The split of a source sentence: the same for all its translations and in every edition."""
    place = sentence_hash(source)
    return "test" if place < HELD_OUT else "validation" if place < 2 * HELD_OUT else "train"


TATOEBA = "https://storage.googleapis.com/download.tensorflow.org/data/spa-eng.zip"
MULTI30K = (
    "https://raw.githubusercontent.com/multi30k/dataset/"
    "a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
)
MULTI30K_SHA256 = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}


def multi30k(target: str, authors: str) -> PublicCorpus:
    """Multi30k from English into "de" or "fr". authors: whom to cite."""
    names = {"train": "train", "validation": "val", "test": "test_2016_flickr"}
    return PublicCorpus(
        files={
            split: tuple(
                RemoteFile(MULTI30K + file, MULTI30K_SHA256[file])
                for file in (f"{name}.en.gz", f"{name}.{target}.gz")
            )
            for split, name in names.items()
        },
        about=f"Multi30k, descriptions of pictures ({authors}). License: its repository names none "
        "for the text, which is given for research and teaching; don't pass it on.",
    )


CORPORA = {
    "tatoeba-en-es": PublicCorpus(
        {"all": (RemoteFile(TATOEBA, None),)},
        about="Everyday sentences by the contributors of tatoeba.org, as collected by "
        "manythings.org/anki. License: CC BY 2.0 (https://creativecommons.org/licenses/by/2.0); "
        "attribution: tatoeba.org and www.manythings.org/anki.",
        edition="fb1f9f8f2fa6f48fd08b0661ade6ecf2e6c2d6b542502df46c3a2e6821cf0987",
    ),
    "multi30k-en-de": multi30k("de", "Elliott et al. 2016, https://aclanthology.org/W16-3210"),
    "multi30k-en-fr": multi30k("fr", "Elliott et al. 2017, https://aclanthology.org/W17-4718"),
}


def _on_stderr(message: str) -> None:
    print(message, file=sys.stderr)


def get(
    name: str, folder: Path | None = None, report: Callable[[str], object] = _on_stderr
) -> dict[str, Path]:
    """Fetch a corpus of CORPORA, unless it is there already -> the file of each split.

    folder: where to keep it (None: in `cache_folder`). report: called with a message for each line
    that is left out, and if the edition is another than the shipped model's. Raises DownloadError
    if a file can't be fetched or written, or isn't the one expected.
    """
    corpus = CORPORA[name]
    folder = Path(folder) if folder else cache_folder() / name
    remote = [file for files in corpus.files.values() for file in files]
    came = {file.url: _sha256(fetch(file, folder / "download")) for file in remote}
    splits = {split: folder / f"{split}.tsv" for split in SPLITS}
    for split, path in splits.items():
        pairs = corpus.pairs(split, folder / "download", lambda line: report(f"left out: {line}"))
        try:
            text = "".join(f"{source}\t{target}\n" for source, target in pairs)
        except CorpusError as error:
            raise DownloadError(f"{error}; to fetch it again, delete it") from None
        _write(path, text)
    sums = "".join(f"{digest}  {url}\n" for url, digest in came.items())
    about = f"{corpus.about}\n\nSHA-256 of the files in the folder download:\n{sums}"
    _write(folder / "about.txt", about)
    if corpus.edition not in (None, digest([splits["train"], splits["validation"]])):
        report(
            f"{name} is here another edition than the one that the shipped model learned from, so "
            f"scores will differ from those in its card"
        )
    return splits


def fetch(file: RemoteFile, folder: Path) -> Path:
    """The file in this folder: fetched before, put there by hand, or downloaded now.

    A download gets its name only when complete. DownloadError if it fails or isn't as expected.
    """
    import pooch  # here, because it is needed for nothing else

    path = folder / file.name
    by_hand = f"fetch {file.url} by hand, put it at {path}, and give the command again"
    pooch.get_logger().setLevel("ERROR")
    if path.exists() and file.sha256 not in (None, _sha256(path)):
        raise DownloadError(f"{path} is another file than expected, or damaged: {by_hand}")
    try:
        pooch.retrieve(
            file.url,
            file.sha256 and f"sha256:{file.sha256}",
            fname=file.name,
            path=folder,
            downloader=pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=30),
        )
    except ValueError:  # what pooch raises for a wrong checksum
        raise DownloadError(
            f"what came from {file.url} is another file than expected (its SHA-256 should be "
            f"{file.sha256}) and was not kept; if there is no other source, train on a file of "
            f"your own"
        ) from None
    except OSError as error:
        if error.errno is None:  # not from the disk: an error of the package requests
            raise DownloadError(f"it didn't come ({type(error).__name__}): {by_hand}") from None
        raise _cannot_write(path, error) from None
    return path


def _write(path: Path, text: str) -> None:
    try:
        keep_file(path, text.encode("utf-8"))
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> DownloadError:
    return DownloadError(
        f"can't write {path}: {error.strerror}; make room, or name another folder, also by "
        f"$TRANSFORMER_LIB_CACHE"
    )


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
