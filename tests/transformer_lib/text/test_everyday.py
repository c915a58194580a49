"""The everyday sentences: how the patterns are read, and that every translation is well formed."""

import re
import unicodedata

import pytest

from transformer_lib.text import english_spanish, everyday
from transformer_lib.text.data import cache_folder
from transformer_lib.text.everyday import expand, load
from transformer_lib.text.parallel import read_parallel, sentence_hash
from transformer_lib.text.phrasebook import FOLDER, key

CAPITALS = set(
    """Ana España París África México Méjico Medicina TV
    Argentina Asturias Chile Clara Dwayne Granada Helsinki Hugh Laura Lisboa Maeve Marta Neptune
    Neptuno Omar Pedro Peter Quiroga Reikiavik Reikjavik Reykjavik Reykjavík Saoirse Sevilla Siobhan
    Thistlethwaite Valencia Wolfgang Ximena
    Correos Internet Juan Navidad Navidades Pascuas Ramos Sra
    Alemania Año Fi Fuerza Kenji Londres Madrid Max Nuevo Osaka Transformador Transformer Viena Wi
    WiFi""".split()
)


@pytest.mark.parametrize(
    ("pattern", "sentences"),
    [
        ("(Yo) no (lo) sé.", ["Yo no lo sé.", "Yo no sé.", "No lo sé.", "No sé."]),
        ("¿(A {ti|vos}) te va?", ["¿A ti te va?", "¿A vos te va?", "¿Te va?"]),
        ("(a|b) c", ["A c", "B c", "C"]),
        ("Ven (aquí).!", ["Ven aquí.", "Ven.", "¡Ven aquí!", "¡Ven!"]),
        (
            "¿Está {bien|(muy) mal}?",
            ["¿Está bien?", "¿Está muy mal?", "¿Está mal?"],
        ),
        ("{Hola,|¡Hola!} ¿qué tal?", ["Hola, ¿qué tal?", "¡Hola! ¿Qué tal?"]),
        ("En junio(,) va.", ["En junio, va.", "En junio va."]),
        ("{a|a} b", ["A b"]),
        ("éste", ["Éste"]),
    ],
)
def test_a_pattern_stands_for_these_sentences(pattern, sentences):
    assert expand(pattern) == sentences


@pytest.mark.parametrize("pattern", ["{a|b", "(a", "a)", "a}", "{a|b)", "a|b", "({a)}"])
def test_a_bracket_that_is_missing_is_told(pattern):
    with pytest.raises(ValueError, match="should be"):
        expand(pattern)


def test_a_file_is_read_in_its_order(file):
    text = "# ours\n== a ==\n\nHi.\n    Hola.\n    {Hola|Buenas}.\n== b ==\nWhy?\n  ¿Por qué?"
    assert load(file(text)) == [
        ("Hi.", ("Hola.", "Buenas."), "a"),
        ("Why?", ("¿Por qué?",), "b"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Hi.\n", "line 1: 'Hi.' is before any heading"),
        ("== a ==\n    Hola.\n", "line 2: a translation without a sentence above it"),
        ("== a ==\nHi.\nBye.\n  Adiós.\n", "no translation of 'Hi.'"),
        ("== a ==\nHi.\n\n", "no translation of 'Hi.'"),
        ("== a ==\nHi.\n  Hola.\nHi.\n", "line 4: 'Hi.' is there twice"),
        ("== a ==\nHi.\n  Hola.\n== b ==\n  Adiós.\n", "line 5: a translation without"),
        ("== a ==\nHi.\n  {Hola.\n", "line 3: the end where } should be"),
    ],
)
def test_a_damaged_file_is_refused(file, text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        load(file(text))
    assert "pairs.tsv" in str(error.value)


# --- the sentences of the three files

FIRST_SENTENCES = FOLDER / "first-sentences.txt"
FILES = {everyday.FILE: (200, 400), everyday.DOUBT: (240, 2000), FIRST_SENTENCES: (60, 1500)}
EVERY_FILE = pytest.mark.parametrize("file_", FILES, ids=lambda file: file.stem)


@EVERY_FILE
def test_they_are_so_many_and_each_pattern_adds_a_translation(file_):
    items, (count, most) = load(file_), FILES[file_]
    assert len(items) == len({key(item.english) for item in items}) == count
    assert len({sentence_hash(item.english) for item in items}) == count
    assert max(len(item.translations) for item in items) <= most
    seen = set()
    for line in file_.read_text(encoding="utf-8").split("\n"):
        if line.startswith(" "):
            new = set(expand(line.strip())) - seen
            assert new, f"nothing new in {line.strip()}"
            seen |= new
        elif line:
            seen = set()


# Masculine though they end in -a, but for -ma and día, and feminine though they end in -o; and
# feminine words with el and un.
ENDINGS = """callista dentista equilibrista idiota ilusionista podiatra quiropodista
    furgo mano piloto agua ancla aula hacha""".split()
# A word twice, de el, y before i, a question word without its accent.
SPELLING = re.compile(
    r"\b(\w+) \1\b|\b(de|a) el\b|\by h?[ií](?!e)|\bo h?[oó]|"
    r"¿((en|de|a|por|para|con|desde) )?(que|como|donde|cuando|cual|quien|cuant\w+)\b"
)
SIGNS = r"[.?!¿¡,:;] ?[.?!,:;]|  |^ | $|[¿¡] | [,.:;?!]|,\S|\b(a|de|para) (mi|tu|el)[.?!]"


def assert_signs_open_and_close(spanish):
    for opening, closing in ("¿?", "¡!", "«»"):
        signs = "".join(re.findall(f"[{opening}{closing}]", spanish))
        assert signs == (opening + closing) * (len(signs) // 2), spanish


@EVERY_FILE
@pytest.mark.slow
def test_words_and_signs_keep_the_rules_of_spelling(file_):
    endings = set()
    for english, spanish in ((item.english, t) for item in load(file_) for t in item.translations):
        text = spanish.lower()
        assert not re.search(SPELLING, text) and not re.search(SIGNS, text), spanish
        assert spanish == unicodedata.normalize("NFC", spanish)
        assert re.fullmatch(r"[a-zA-ZáéíóúñÁÉÍÓÚÑ0-9 ,.:;?!¿¡-]+", spanish), spanish
        assert_signs_open_and_close(spanish)
        if english[-1] in ".?!":  # the others are typed as visitors do
            assert spanish[-1] in (".?!" if english[-1] == "?" else ".!"), spanish
        endings |= set(re.findall(r"\b(?:un|el|este|buen|al|del) (\w+a)\b(?<!ma)(?<!día)", text))
        endings |= set(re.findall(r"\b(?:una|esta|buena) (\w+o)\b(?<!haciendo)(?<!tejiendo)", text))
        sentences = re.split(r"(?<=[.?!]) +(?!Thistle)", spanish)
        for first, *others in (re.findall(r"[^\W_]+", sentence) for sentence in sentences):
            assert first[0].isupper() or first.isdecimal(), spanish
            assert {word for word in others if not word.islower() and word.isalpha()} <= CAPITALS
    assert endings <= {*ENDINGS}


@pytest.mark.slow
def test_no_sentence_of_doubt_is_in_another_file():
    """The phrasebook is searched for them by their fingerprints, in test_phrasebook.py."""
    keys = {key(item.english): item.english for item in load(everyday.DOUBT)}
    others = [item.english for file in (everyday.FILE, FIRST_SENTENCES) for item in load(file)]
    for split in english_spanish.SPLITS:
        others += [english for english, _ in english_spanish.load(split)]
    folder = cache_folder() / "tatoeba-en-es"  # where somebody has fetched it
    for file in folder.glob("*.tsv"):
        others += [english for english, _ in read_parallel([file])]
    assert keys.keys() & set(map(key, others)) == set()
