"""The phrasebook: how it is read and filled, its spelling, and that no test sentence is in it."""

import hashlib
import random
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import product

import pytest

from tests.transformer_lib.text.test_everyday import SPELLING, assert_signs_open_and_close
from transformer_lib.text import english_spanish, everyday, phrasebook
from transformer_lib.text.data import cache_folder
from transformer_lib.text.parallel import read_parallel
from transformer_lib.text.phrasebook import SLOT, Entry, key, load, sample, slots_of

CARD = (phrasebook.FOLDER / "README.md").read_text(encoding="utf-8")
FIRST_SENTENCES = phrasebook.FOLDER / "first-sentences.txt"
HELD_OUT = phrasebook.FOLDER / "held-out.sha256"
SLOTS = "slot\tenglish\tspanish\ncity\tRome\tRoma\ncity\tParis\tParís\nnumber\ttwo\tdos\n"


def fillings(phrase, slots):
    """Every (English, Spanish) sentence that a phrase stands for; without slots, only itself."""
    found = slots_of(phrase.english)
    for chosen in product(*(slots[name] for name, _ in found)):
        fills = dict(zip(found, chosen, strict=True))
        if len({(name, pair) for (name, _), pair in fills.items()}) == len(fills):
            yield phrasebook.filled(phrase, fills)


def fingerprint(text):
    """What identifies a sentence without showing it: 48 bits of the SHA-256 of its key."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


@pytest.fixture
def folder(tmp_path):
    def write(*lines):
        (tmp_path / "slots.tsv").write_text(SLOTS, encoding="utf-8")
        text = "".join(f"{line}\n" for line in ("english\tspanish", *lines))
        (tmp_path / "talk.tsv").write_text(text, encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("I like {city}.\tMe gusta.", "line 3: the two sides must have the same slots"),
        ("{city} {city2}\t{city} {city}", "line 3: the two sides must have the same slots"),
        ("In {town}.\tEn {town}.", "line 3: slots.tsv has 0 fillings of 'town', 1 needed"),
        ("{number} {number2}\t{number} {number2}", "slots.tsv has 1 fillings of 'number', 2"),
        ("In {City}.\tEn {City}.", "line 3: a slot is written {city}, or {city2}"),
        ("In {city}.\tEn {city}. {", "line 3: a slot is written {city}, or {city2}"),
    ],
)
def test_a_bad_line_is_told(folder, tmp_path, line, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        load(folder("Hi.\tHola.", line))
    assert "talk.tsv" in str(error.value)
    (tmp_path / "talk.tsv").unlink()
    with pytest.raises(ValueError, match="holds no phrases"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("english", "spanish", "sentences"),
    [
        (
            "{city} to {city2}.",
            "De {city} a {city2}.",
            [("Rome to Paris.", "De Roma a París."), ("Paris to Rome.", "De París a Roma.")],
        ),
        ("{number}? Or {number}?", "¿{number}? ¿O {number}?", [("Two? Or two?", "¿Dos? ¿O dos?")]),
        ("OK. {number} of us.", "Sí. {number}.", [("OK. Two of us.", "Sí. Dos.")]),
    ],
)
def test_a_frame_is_filled_in_every_way(folder, english, spanish, sentences):
    slots = phrasebook.load_slots(folder())
    assert list(fillings(Entry(english, spanish, "talk"), slots)) == sentences


def test_a_sample_fills_each_frame_and_can_be_drawn_again(folder):
    there = folder("Hi.\tHola.", "{city} to {city2}.\tDe {city} a {city2}.")
    phrases, slots = load(there), phrasebook.load_slots(there)
    once, again, other = (
        list(sample(phrases, slots, random.Random(seed), times=9)) for seed in (1, 1, 2)
    )
    assert once == again != other and len(once) == 1 + 9
    assert {*once[1:]} == {*fillings(phrases[1], slots)} and once[0] == ("Hi.", "Hola.")
    assert len(list(sample(phrases, slots, random.Random(1)))) == 2


@pytest.mark.parametrize(
    "same",
    [
        ("I am not sure.", "i'm not sure", "IM NOT SURE!!", "I’m not sure…"),
        ("I will not go.", "I won't go", "I'll not go", "i wont go"),
        ("I can not", "I can't", "I cannot", "i cant"),
        ("What is that?", "what's that", "whats that 🤔"),
    ],
)
def test_spellings_of_one_sentence_have_one_key(same):
    assert len(set(map(key, same))) == 1


def test_keys_tell_other_sentences_apart():
    others = "I am./I am not./Am I?/Is it?/Sit!/I can/I can't/7/8/mañana".split("/")
    assert len(set(map(key, others))) == len(others)


@pytest.fixture(scope="module")
def phrases():
    return load()


@pytest.fixture(scope="module")
def slots():
    return phrasebook.load_slots()


@pytest.fixture(scope="module")
def filled(phrases, slots):
    """Every phrase with its fillings."""
    return [(phrase, list(fillings(phrase, slots))) for phrase in phrases]


def is_frame(phrase):
    return SLOT.search(phrase.english) is not None


def test_there_are_enough_phrases_and_none_stands_twice(phrases):
    english = [phrase.english.lower() for phrase in phrases]
    assert len(set(english)) == len(english) >= 2500
    pairs = Counter((key(english), key(spanish)) for english, spanish, _ in phrases)
    assert [
        pair for pair, count in pairs.items() if count > 1 and pair != ("sorry", "perdón")
    ] == []


@pytest.mark.slow
def test_no_phrase_stands_as_the_filling_of_a_frame_too(phrases, filled):
    """The card's other counts, which need no fillings, are tested in tests/prose/test_cards.py."""
    alone = {key(phrase.english) for phrase in phrases if not is_frame(phrase)}
    fills = {key(english) for phrase, pairs in filled if is_frame(phrase) for english, _ in pairs}
    assert alone & fills == set()
    assert f"{sum(len(pairs) for _, pairs in filled):,} pairs" in CARD


def test_signs_stand_where_they_should(phrases):
    for english, spanish, topic in phrases:
        if "example." in english:  # an address, with what signs it has
            continue
        assert_signs_open_and_close(spanish)
        assert re.fullmatch(r"[a-zA-ZáéíóúüñÁÉÍÓÚÑ0-9 ,.:;?!¿¡«»{}_-]+", spanish), spanish
        assert re.fullmatch(r"""[a-zA-Z0-9 ,.:;?!'"{}_-]+""", english), english
        for text in (english, spanish):
            assert text == text.strip() == unicodedata.normalize("NFC", text)
            assert not re.search(r"  |[¿¡«] | [,.:;?!»]|,\S", text), text
        if topic == "typed":
            continue
        assert english[-1] in ".?!,:}" and not re.search(r"[.?!,:;]{2}", english + spanish), english
        for mark in "?!":
            assert (english[-1] == mark) == (spanish[-1] == mark), (english, spanish)
        assert re.match(r"[A-Z{]", english) and re.match(r"[¿¡«]?[A-ZÁÉÍÓÚÑ{]", spanish), english


# Spanish words that are two with and without the accent; of any other pair one is a slip.
BOTH_EXIST = """acabo acabó, ayudo ayudó, bebe bebé, beso besó, carne carné, comete cómete, como
    cómo, compro compró, corto cortó, creo creó, cuando cuándo, cuanto cuánto, deje dejé, donde
    dónde, duro duró, el él, enseño enseñó, entreno entrenó, esta está, estas estás, este esté,
    fines finés, gano ganó, gusto gustó, hacia hacía, llame llamé, llego llegó, llegue llegué,
    maria maría, martin martín, mi mí, mia mía, paro paró, pase pasé, paso pasó, pinto pintó,
    pregunto preguntó, programo programó, publicó público, que qué, quien quién, regalo regaló,
    rio río, salto saltó, se sé, si sí, te té, tomate tómate, tu tú"""


def without_accent(word):
    """Without it, but ñ stays another letter."""
    letters = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", re.sub("[\u0301\u0308]", "", letters))


def test_no_word_is_written_with_and_without_its_accent(phrases, slots):
    texts = [phrase.spanish for phrase in phrases]
    texts += [spanish for pairs in slots.values() for _, spanish in pairs]
    found = defaultdict(set)
    for word in re.findall(
        r"[a-záéíóúüñ]+", " ".join(SLOT.sub("", text) for text in texts).lower()
    ):
        found[without_accent(word)].add(word)
    allowed = {frozenset(words.split()) for words in BOTH_EXIST.split(",")}
    assert {frozenset(words) for words in found.values() if len(words) > 1} == allowed


MASCULINE = "agua alma clima dentista día idioma mapa planeta poema problema programa".split()


@pytest.mark.slow
def test_words_keep_the_rules_of_spelling_and_fillings_agree_with_their_frames(phrases, filled):
    for english, spanish in (pair for _, pairs in filled for pair in pairs):
        text = spanish.lower()
        assert not re.search(SPELLING, text), spanish
        assert not re.search(r"\ba [aeio]|\ban [^aeiouh\d]", english.lower()), english
        digits, theirs = (sorted(re.findall(r"\d+", side)) for side in (english, spanish))
        assert digits == theirs and "{" not in english + spanish, (english, spanish)
    for text in (phrase.spanish.lower() for phrase in phrases):
        assert {*re.findall(r"\b(?:un|el|este|buen|del|al) (\w+a)\b", text)} <= {*MASCULINE}, text
        assert {*re.findall(r"\b(?:una|esta|buena) (\w+o)\b", text)} <= {"foto", "mano"}, text


def test_every_slot_is_used_and_no_filling_stands_twice(phrases, slots):
    assert {name for phrase in phrases for name, _ in SLOT.findall(phrase.english)} == set(slots)
    for name, pairs in slots.items():
        assert len({english for english, _ in pairs}) == len(pairs) >= 4, name


def parts(english):
    """A line and each of its sentences."""
    return [english, *(part for part in re.split(r"(?<=[.?!]) +", english) if key(part))]


@pytest.mark.slow
def test_no_sentence_that_is_kept_for_testing_is_in_it_but_formulas(phrases, filled):
    keys = {key(part) for _, pairs in filled for text, _ in pairs for part in parts(text)}
    formulas = {key(phrase.english) for phrase in phrases if phrase.topic == "formulas"}
    for split in english_spanish.SPLITS:
        if split != "train":
            assert [e for e, _ in english_spanish.load(split) if key(e) in keys] == [], split
    assert {fingerprint(text) for text in keys}.isdisjoint(HELD_OUT.read_text("ascii").split())
    found = [item.english for item in everyday.load() if key(item.english) in keys]
    assert [english for english in found if key(english) not in formulas] == []
    assert f"({len(found)} of 200):\n{' '.join(found)}\n" in CARD
    for item in everyday.load(FIRST_SENTENCES):
        assert (key(item.english) in keys) == item.group.startswith("seen: "), item.english
        assert (key(item.english) in formulas) == (key(item.english) in keys)


@pytest.mark.slow
def test_the_fingerprints_are_those_of_tatoeba_and_of_the_sentences_of_doubt():
    lines = HELD_OUT.read_text(encoding="ascii").split("\n")
    assert lines == [*sorted(set(lines[:-1])), ""]
    assert all(re.fullmatch("[0-9a-f]{12}", line) for line in lines[:-1])
    doubt = {fingerprint(key(item.english)) for item in everyday.load(everyday.DOUBT)}
    assert doubt <= {*lines}
    files = [cache_folder() / "tatoeba-en-es" / f"{split}.tsv" for split in ("validation", "test")]
    if all(file.exists() for file in files):  # where somebody has fetched them
        found = {
            fingerprint(key(english)) for file in files for english, _ in read_parallel([file])
        }
        assert found | doubt == {*lines[:-1]}
