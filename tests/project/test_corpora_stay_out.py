"""No sentence of a corpus is in the repository: searched where the corpora have been fetched.

A sentence counts from six words on, in any case and with any signs between: shorter ones are what
anybody says ("I don't know"). Our own everyday sentences are allowed, and the first sentences of
the phrasebook, as we wrote them without looking; whoever writes "I would like a cup of coffee"
writes what others have written. So it is with 131 sentences of the phrasebook's seven thousand
phrases, proverbs above all: they are listed, each by itself, and one more is an error.
"""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.here import ROOT, outcome, read
from transformer_lib.text import everyday, phrasebook
from transformer_lib.text.data import cache_folder
from transformer_lib.text.downloads import CORPORA
from transformer_lib.text.parallel import read_parallel

WORD = re.compile(r"\w+(?:['’]\w+)*")
FEWEST = 6  # words of a sentence that is looked for
PHRASEBOOK = "data/phrasebook/"
LIST = "tests/project/also_in_tatoeba.txt"  # what the phrasebook and Tatoeba share
BY_THE_GRAMMAR = "data/en-es/"  # the grammar writes these files again, so nobody else has


def words(text: str) -> tuple[str, ...]:
    return tuple(word.lower().replace("’", "'") for word in WORD.findall(text))


def by_beginning(sentences) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """Sentences by their first words."""
    found = defaultdict(list)
    for sentence in dict.fromkeys(map(words, sentences)):
        if len(sentence) >= FEWEST:
            found[sentence[:FEWEST]].append(sentence)
    return found


def sentences_in(text: str, wanted) -> set[str]:
    """Which of the wanted sentences stand in a text."""
    all_words = words(text)
    return {
        " ".join(sentence)
        for i in range(len(all_words) - FEWEST + 1)
        for sentence in wanted.get(all_words[i : i + FEWEST], ())
        if all_words[i : i + len(sentence)] == sentence
    }


def text_of(path: Path) -> str:
    """What a reader can read in a file: of a notebook without the letters of its pictures."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    for cell in cells:
        for output in cell.get("outputs", []):
            output["data"] = {
                kind: data
                for kind, data in output.get("data", {}).items()
                if not kind.startswith("image/")
            }
    return json.dumps(cells, ensure_ascii=False).replace("\\n", " ")


def listed() -> list[str]:
    return [line for line in read(LIST).splitlines() if line and not line.startswith("#")]


def test_the_list_has_only_sentences_of_the_phrasebook():
    wanted = by_beginning(listed())
    files = (ROOT / PHRASEBOOK).glob("*.tsv")
    found = set().union(*(sentences_in(text_of(file), wanted) for file in files))
    assert sorted(found) == sorted(listed())


@pytest.mark.parametrize("name", CORPORA)
def test_no_sentence_of_a_corpus_is_in_the_repository(name):
    files = [cache_folder() / name / f"{split}.tsv" for split in ("train", "validation", "test")]
    if not all(file.exists() for file in files):
        pytest.skip(f"needs the corpus: python -m transformer_lib corpus get {name}")
    wanted = by_beginning(side for file in files for pair in read_parallel([file]) for side in pair)
    tests = everyday.load() + everyday.load(phrasebook.FOLDER / "first-sentences.txt")
    ours = " | ".join(
        " ".join(words(text)) for item in tests for text in (item.english, *item.translations)
    )
    found = {}
    for file in filter(None, outcome("git", "ls-files", "-z").split("\0")):
        if not file.startswith(BY_THE_GRAMMAR) and (ROOT / file).is_file():
            theirs = sentences_in(text_of(ROOT / file), wanted)
            found[file] = {sentence for sentence in theirs if sentence not in ours}
    if name == "tatoeba-en-es":
        shared = [found.pop(file) for file in list(found) if file.startswith(PHRASEBOOK)]
        assert set().union(*shared) == set(listed()) == found.pop(LIST)
    assert not {file: theirs for file, theirs in found.items() if theirs}
