"""Every place that names a license says what the one table says, REUSE.toml."""

import html
import re
import tomllib

import pytest

from course.site import licenses
from tests.here import ROOT, read
from transformer_lib.text.downloads import CORPORA

TATOEBA = "data/models/tatoeba-en-es"
OTHERS = "course/site/others"
CARDS = {
    "data/README.md": "data/en-es/train.tsv",
    "data/models/en-es/README.md": "data/models/en-es/model.safetensors",
    "data/phrasebook/README.md": "data/phrasebook/typed.tsv",
    "data/beekeeping/README.md": "data/beekeeping/kept.tsv",
    f"{TATOEBA}/README.md": f"{TATOEBA}/model.safetensors",
    "data/models/earlier/README.md": "data/models/earlier/model.safetensors",
}
OURS = {"code": "MIT", "text": "CC BY 4.0", "data": "CC0 1.0"}


def flat(name: str) -> str:
    """Without tags, links and the ends of lines."""
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", read(name))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def used() -> set[str]:
    """The SPDX names in the table."""
    entries = tomllib.loads(read("REUSE.toml"))["annotations"]
    return {one for e in entries for one in e["SPDX-License-Identifier"].split(" AND ")}


def test_the_table_says_what_each_kind_has():
    """Written out once more here, so that nobody changes a license by accident."""
    assert licenses.by_kind() == OURS | {"larger": "CC BY 2.0"}
    assert licenses.identifier("notebooks/04_attention.ipynb") == "CC-BY-4.0 AND MIT"
    assert licenses.identifier("data/everyday/en-es.txt") == "CC0-1.0"
    assert licenses.identifier(f"{TATOEBA}/README.md") == "CC-BY-2.0"
    assert licenses.identifier("docs/teaching.md") == "CC-BY-4.0"
    assert licenses.identifier("course/assignments/my_transformer.py") == "MIT"
    for font in (ROOT / "course/drawing/fonts").iterdir():
        assert licenses.identifier(font.relative_to(ROOT).as_posix()) == "OFL-1.1"
    assert licenses.identifier(f"{OTHERS}/LICENSE-STIX-Two-Math.txt") == "OFL-1.1"
    assert licenses.identifier(f"{OTHERS}/LICENSE-Vega.txt") == "BSD-3-Clause AND ISC"


def test_each_license_has_its_full_text_and_no_other_is_there():
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == used()
    begins = {
        "MIT": "Permission is hereby granted, free of charge",
        "CC-BY-4.0": "Attribution 4.0 International",
        "CC-BY-2.0": "Creative Commons Attribution 2.0",
        "CC0-1.0": "CC0 1.0 Universal",
        "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1",
        "BSD-3-Clause": "Redistribution and use in source and binary forms",
        "ISC": "Permission to use, copy, modify, and/or distribute this software",
    }
    ends = {
        "MIT": "OTHER DEALINGS IN THE SOFTWARE.",
        "CC-BY-4.0": "Creative Commons may be contacted at creativecommons.org.",
        "CC-BY-2.0": "Creative Commons may be contacted at http://creativecommons.org/.",
        "CC0-1.0": "respect to this CC0 or use of the Work.",
        "OFL-1.1": "OTHER DEALINGS IN THE FONT SOFTWARE.",
        "BSD-3-Clause": "EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.",
        "ISC": "WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.",
    }
    for name in used():
        text = " ".join(read(f"LICENSES/{name}.txt").split())
        assert begins[name] in text[:400] and text.endswith(ends[name]), name
    assert read("LICENSE").endswith(read("LICENSES/MIT.txt"))


@pytest.mark.parametrize("page", ["LICENSE", "README.md"])
def test_pages_that_name_all_licenses_name_the_same(page):
    text = flat(page)
    found = set(re.findall(r"CC BY \d\.\d|CC0 1\.0|\bMIT\b", text))
    assert found == set(licenses.by_kind().values()), page
    larger = text[text.index("arger ") :]
    assert re.search(r"CC(?: BY|0) \d\.\d", larger)[0] == licenses.by_kind()["larger"]


@pytest.mark.parametrize("card", CARDS)
def test_a_card_says_what_the_table_says(card):
    text = flat(card)
    told = re.search(r"License: (CC0 1\.0|CC BY \d\.\d)", text)[1]
    assert told == licenses.spoken(licenses.identifier(CARDS[card])), card
    assert set(re.findall(r"CC BY \d\.\d|CC0(?: 1\.0)?", text)) <= {told, told.split()[0]}


def test_whoever_gives_the_larger_model_names_whose_sentences_it_learned_from():
    """Wherever it goes: with the wheel (its card), as a page, in the book; and what is fetched."""
    places = (
        f"{TATOEBA}/README.md",
        "data/models/earlier/README.md",
        "LICENSE",
        f"{TATOEBA}/notice.txt",
        "data/models/earlier/notice.txt",
        "course/site/texts.toml",
    )
    for place in places:
        text = read(place)
        assert "tatoeba.org" in text and "manythings.org/anki" in text, place
    spoken = licenses.by_kind()["larger"]
    about = CORPORA["tatoeba-en-es"].about
    assert f"License: {spoken} (" in about and "manythings.org/anki" in about
    version = spoken.split()[-1]
    assert f"https://creativecommons.org/licenses/by/{version}" in about
    notice = flat(f"{TATOEBA}/notice.txt")
    assert f"{spoken}, https://creativecommons.org/licenses/by/{version}/" in notice
    assert flat("data/models/earlier/notice.txt") == notice


def test_what_others_made_comes_with_its_license():
    """The fonts and the scripts that the site brings along; a test of the site finds each there."""
    texts = dict(licenses.of_others())
    letters, formulas, scripts = texts.values()
    assert "Adobe" in letters and "SIL OPEN FONT LICENSE" in letters
    assert "The STIX Fonts Project Authors" in formulas and "SIL OPEN FONT LICENSE" in formulas
    assert "University of Washington" in scripts and "Mike Bostock" in scripts
    assert not set(texts.values()) & {text for _, text in licenses.texts()}
    files = {file for _, file in licenses.OTHERS.values()}
    assert {f"{OTHERS}/{path.name}" for path in (ROOT / OTHERS).iterdir()} < files
