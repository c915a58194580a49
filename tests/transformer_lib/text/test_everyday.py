"""The everyday sentences: how the patterns are read, and that every translation is well formed."""

import re
import unicodedata
from collections import Counter

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
    Correos Internet Juan Navidad Navidades Pascuas Ramos Sra""".split()
)


# --- patterns


@pytest.mark.parametrize(
    ("pattern", "sentences"),
    [
        ("Buenas tardes.", ["Buenas tardes."]),
        ("{Buenos días|Buen día}.", ["Buenos días.", "Buen día."]),
        ("(Yo) no (lo) sé.", ["Yo no lo sé.", "Yo no sé.", "No lo sé.", "No sé."]),
        ("¿(A {ti|vos}) te va?", ["¿A ti te va?", "¿A vos te va?", "¿Te va?"]),
        ("(a|b) c", ["A c", "B c", "C"]),
        ("Ven (aquí).!", ["Ven aquí.", "Ven.", "¡Ven aquí!", "¡Ven!"]),
        (
            "¿Está (usted) {bien|(muy) mal}?",
            [
                "¿Está usted bien?",
                "¿Está usted muy mal?",
                "¿Está usted mal?",
                "¿Está bien?",
                "¿Está muy mal?",
                "¿Está mal?",
            ],
        ),
        ("{Hola,|¡Hola!} ¿qué tal?", ["Hola, ¿qué tal?", "¡Hola! ¿Qué tal?"]),
        (
            "En junio(,) ({él|ella}) va.",
            [
                "En junio, él va.",
                "En junio, ella va.",
                "En junio, va.",
                "En junio él va.",
                "En junio ella va.",
                "En junio va.",
            ],
        ),
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


# --- files


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "sentences.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_file_is_read_in_its_order(file):
    text = "# ours\n== a ==\n\nHi.\n    Hola.\n    {Hola|Buenas}.\n== b ==\nWhy?\n  ¿Por qué?"
    assert load(file(text)) == [
        ("Hi.", ("Hola.", "Buenas."), "a"),
        ("Why?", ("¿Por qué?",), "b"),
    ]


def test_a_tab_may_end_the_space_before_a_translation(file):
    assert load(file("== a ==\nCome.\n  \tVen.!"))[0].translations == ("Ven.", "¡Ven!")


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
    assert "sentences.txt" in str(error.value)


# --- the sentences


@pytest.fixture(scope="module")
def items():
    return load()


@pytest.fixture(scope="module")
def doubtful():
    return load(everyday.DOUBT)


@pytest.fixture(scope="module")
def pairs(items, doubtful):
    return [(item.english, text) for item in items + doubtful for text in item.translations]


def test_there_are_200_different_sentences_in_groups(items):
    assert len(items) == 200
    assert len({sentence_hash(item.english) for item in items}) == 200
    groups = [item.group for item in items]
    assert len(set(groups)) == 22 and min(map(groups.count, groups)) >= 5


@pytest.mark.slow
def test_no_sentence_has_more_translations_than_can_be_read(items, doubtful):
    assert max(len(item.translations) for item in items) <= 400
    assert max(len(item.translations) for item in doubtful) <= 2000


@pytest.mark.parametrize(
    "file",
    [everyday.FILE, pytest.param(everyday.DOUBT, marks=pytest.mark.slow)],
    ids=lambda file: file.stem,
)
def test_every_pattern_adds_a_translation(file):
    seen = set()
    for line in file.read_text(encoding="utf-8").split("\n"):
        if not line.startswith(" "):
            seen = seen if not line else set()
            continue
        new = set(expand(line.strip())) - seen
        assert new, f"nothing new in {line.strip()}"
        seen |= new


@pytest.mark.slow
def test_signs_stand_where_they_should(pairs):
    for english, spanish in pairs:
        assert spanish.count("¿") == spanish.count("?") <= 1, spanish
        assert spanish.count("¡") == spanish.count("!") <= 1, spanish
        assert not re.search(r"[.?!¿¡,:;] ?[.?!,:;]", spanish), spanish
        if spanish[-1] == "!":
            assert spanish[0] == "¡", spanish
        if english[-1] in ".?!":  # the others are typed as visitors do
            assert spanish[-1] in ".?!", spanish
            assert (english[-1] == "?") == (spanish[-1] == "?"), (english, spanish)


@pytest.mark.slow
def test_spaces_letters_and_capitals(pairs):
    for _, spanish in pairs:
        assert spanish == unicodedata.normalize("NFC", spanish)
        assert not re.search(r"  |^ | $|[¿¡] | [,.:;?!]|,\S", spanish), spanish
        assert re.fullmatch(r"[a-zA-ZáéíóúñÁÉÍÓÚÑ0-9 ,.:;?!¿¡-]+", spanish), spanish
        sentences = re.split(r"(?<=[.?!]) +(?!Thistle)", spanish)
        for first, *others in (re.findall(r"[^\W_]+", sentence) for sentence in sentences):
            assert first[0].isupper() or first.isdecimal(), spanish
            assert {word for word in others if not word.islower() and word.isalpha()} <= CAPITALS


# Masculine though they end in -a, but for -ma and día, and feminine though they end in -o; and
# feminine words with el and un.
MASCULINE = "callista dentista equilibrista idiota ilusionista podiatra quiropodista".split()
FEMININE = "furgo mano piloto".split()
WITH_EL = "agua ancla aula hacha".split()


@pytest.mark.slow
def test_words_keep_the_rules_of_spelling(pairs):
    """What a slip in a pattern would give: a word twice, de el, an accent left out."""
    found = set()
    for _, spanish in pairs:
        text = spanish.lower()
        assert not re.search(r"\b(\w+) \1\b", text), spanish
        assert not re.search(r"\b(a|de) el\b", text), spanish
        assert not re.search(
            r"¿((en|de|a|por) )?(que|como|donde|cuando|cual|quien|cuant\w+)\b", text
        )
        assert not re.search(r"\b(a|de|para) (mi|tu|el)[.?!]", text), spanish
        assert not re.search(r"\by h?[ií](?!e)|\bo h?[oó]", text), spanish
        found |= set(re.findall(r"\b(?:un|el|este|buen|al|del) (\w+a)\b(?<!ma)(?<!día)", text))
        found |= set(re.findall(r"\b(?:una|esta|buena) (\w+o)\b(?<!haciendo)(?<!tejiendo)", text))
    assert found == {*MASCULINE, *FEMININE, *WITH_EL}


@pytest.mark.parametrize(
    ("english", "right", "wrong"),
    [
        ("Good morning.", "¡Buenos días!", "Buena mañana."),
        ("I don't know.", "No sé.", "No conozco."),
        ("Hello!", "¡Hola!", "Hola!"),
        ("It is raining.", "Está lloviendo.", "Es lloviendo."),
        ("How are you?", "¿Cómo está usted?", "¿Cómo es usted?"),
        ("Where is the bathroom?", "¿Dónde queda el baño?", "¿Dónde es el baño?"),
        ("Sit down, please.", "Por favor, siéntese.", "Siéntese por favor."),
        ("Don't worry.", "No os preocupéis.", "No te preocupas."),
        ("Be careful!", "¡Tenga cuidado!", "¡Tengas cuidado!"),
        ("I am tired.", "Estoy cansada.", "Soy cansado."),
        ("She is a doctor.", "Es médica.", "Es una médica."),
        ("I like coffee.", "Me gusta el café.", "Me gusta café."),
        ("My head hurts.", "Me duele la cabeza.", "Mi cabeza duele."),
        ("She washed her hands.", "Se lavó las manos.", "Ella lavó sus manos."),
        ("I saw her yesterday.", "Ayer la vi.", "Le vi ayer."),
        ("I don't think it's true.", "No creo que sea verdad.", "No creo que es verdad."),
        ("I only have five euros.", "Sólo tengo 5 euros.", "Solo tengo cinco euro."),
        (
            "Your house is bigger than mine.",
            "Su casa es más grande que la mía.",
            "Tu casa es más grande que mía.",
        ),
    ],
)
def test_right_and_wrong_are_told_apart(items, english, right, wrong):
    (translations,) = [item.translations for item in items if item.english == english]
    assert right in translations and wrong not in translations


# --- the sentences of doubt


def test_both_halves_are_equally_hard(doubtful):
    for half in (doubtful[::2], doubtful[1::2]):
        groups = Counter(item.group for item in half)
        assert groups == {"ordinary": 60, "rarer": 40, "hard": 20}


def test_a_few_are_written_as_people_type(doubtful):
    typed = [item for item in doubtful if item.english[-1] not in ".?!"]
    assert len(typed) == 8
    for item in typed:
        assert item.english == item.english.lower() and "'" not in item.english
        ends = {text[-1] in ".?!" for text in item.translations}
        assert ends == {True} if item.translations[0][-1] == "?" else {True, False}
    for item in doubtful:
        if item not in typed:
            assert re.fullmatch(r"[A-Z][a-zA-Zé ,.'-]+[.?!]", item.english), item.english


@pytest.mark.slow
def test_no_sentence_of_doubt_is_in_another_file(items, doubtful):
    """The phrasebook is searched for them by their fingerprints, in test_phrasebook.py."""
    keys = {key(item.english) for item in doubtful}
    assert len(keys) == len(doubtful) == 240
    others = [item.english for item in items]
    others += [item.english for item in load(FOLDER / "first-sentences.txt")]
    for split in english_spanish.SPLITS:
        others += [english for english, _ in english_spanish.load(split)]
    assert keys & set(map(key, others)) == set()


def test_no_sentence_of_doubt_is_in_tatoeba(doubtful):
    splits = ("train", "validation", "test")
    files = [cache_folder() / "tatoeba-en-es" / f"{split}.tsv" for split in splits]
    if not all(file.exists() for file in files):
        pytest.skip("needs the corpus: python -m transformer_lib corpus get tatoeba-en-es")
    theirs = {key(english) for file in files for english, _ in read_parallel([file])}
    assert {item.english for item in doubtful if key(item.english) in theirs} == set()


@pytest.mark.parametrize(
    ("english", "right", "wrong"),
    [
        ("I was born on the third of May.", "Nací el 3 de mayo.", "Nací en el tercero de mayo."),
        ("can i bring my dog", "¿Puedo llevar a mi perro?", "Puedo llevar a mi perro"),
        ("My hands are cold.", "Tengo frías las manos.", "Mis manos tienen frío."),
        (
            "It's the third door on the right.",
            "Es la tercera puerta a la derecha.",
            "Es la tercera puerta en la derecha.",
        ),
        (
            "Both twins have freckles.",
            "Los dos gemelos tienen pecas.",
            "Ambos gemelos tiene pecas.",
        ),
        (
            "He used to be a sailor, but now he repairs violins.",
            "Antes era marinero, pero ahora arregla violines.",
            "Usó ser marinero, pero ahora repara violines.",
        ),
        (
            "Once in a blue moon she plays the lute.",
            "Toca el laúd de Pascuas a Ramos.",
            "Una vez en una luna azul toca el laúd.",
        ),
        ("The old man the boats.", "Los ancianos tripulan los barcos.", "El viejo los barcos."),
        ("Break a leg, Siobhan!", "¡Mucha mierda, Siobhan!", "¡Rompe una pierna, Siobhan!"),
        (
            "He kicked the bucket last winter.",
            "Estiró la pata el invierno pasado.",
            "Pateó el cubo el invierno pasado.",
        ),
    ],
)
def test_right_and_wrong_are_told_apart_in_doubt(doubtful, english, right, wrong):
    (translations,) = [item.translations for item in doubtful if item.english == english]
    assert right in translations and wrong not in translations
