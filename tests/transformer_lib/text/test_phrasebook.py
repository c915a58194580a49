"""The phrasebook: how it is read and filled, its spelling, and that no test sentence is in it."""

import hashlib
import random
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import product

import pytest

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


# --- reading and filling


@pytest.fixture
def folder(tmp_path):
    def write(*lines, slots=SLOTS):
        (tmp_path / "slots.tsv").write_text(slots, encoding="utf-8")
        text = "".join(f"{line}\n" for line in ("english\tspanish", *lines))
        (tmp_path / "talk.tsv").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_a_book_is_read_with_its_topics(folder):
    assert load(folder("Hi.\tHola.", "Go to {city}.\tVe a {city}.")) == [
        ("Hi.", "Hola.", "talk"),
        ("Go to {city}.", "Ve a {city}.", "talk"),
    ]


def test_a_phrase_may_use_up_all_fillings(folder):
    line = "{number} from {city} to {city2}.\t{number} de {city} a {city2}."
    assert load(folder(line)) == [(*line.split("\t"), "talk")]


def test_what_it_is_made_from_is_all_there(folder):
    there = folder("Hi.\tHola.")
    assert phrasebook.files(there) == [there / "talk.tsv", there / "slots.tsv"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("I like {city}.\tMe gusta.", "line 3: the two sides must have the same slots"),
        ("I like it.\tMe gusta {city}.", "line 3: the two sides must have the same slots"),
        ("{city} {city2}\t{city} {city}", "line 3: the two sides must have the same slots"),
        ("In {town}.\tEn {town}.", "line 3: slots.tsv has 0 fillings of 'town', 1 needed"),
        ("{number} {number2}\t{number} {number2}", "slots.tsv has 1 fillings of 'number', 2"),
        ("In {City}.\tEn {City}.", "line 3: a slot is written {city}, or {city2}"),
        ("In {city}.\tEn {city}. {", "line 3: a slot is written {city}, or {city2}"),
        ("In {city}. }\tEn {city}.", "line 3: a slot is written {city}, or {city2}"),
        ("Only English", "line 3: expected 2 cells between tabs, found 1"),
    ],
)
def test_a_bad_line_is_told(folder, line, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        load(folder("Hi.\tHola.", line))
    assert "talk.tsv" in str(error.value)


def test_a_folder_without_topics_is_told(tmp_path):
    (tmp_path / "slots.tsv").write_text(SLOTS, encoding="utf-8")
    with pytest.raises(ValueError, match="holds no phrases"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("english", "spanish", "sentences"),
    [
        ("Hi.", "Hola.", [("Hi.", "Hola.")]),
        ("To {city}.", "A {city}.", [("To Rome.", "A Roma."), ("To Paris.", "A París.")]),
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


@pytest.mark.slow
def test_a_sample_fills_each_frame_and_can_be_drawn_again():
    phrases, slots = load(), phrasebook.load_slots()
    once, again = (list(sample(phrases, slots, random.Random(1), times=2)) for _ in range(2))
    frames = [phrase for phrase in phrases if SLOT.search(phrase.english)]
    assert once == again != list(sample(phrases, slots, random.Random(2), times=2))
    assert len(once) == len(phrases) + len(frames)
    said = list(sample(phrases, slots, random.Random(1), times=1))
    assert said == list(sample(phrases, slots, random.Random(1))) and len(said) == len(phrases)
    for phrase in random.Random(3).sample(frames, 40):
        assert set(sample([phrase], slots, random.Random(4), times=20)) <= {
            *fillings(phrase, slots)
        }


@pytest.mark.parametrize(
    "same",
    [
        ("I am not sure.", "i'm not sure", "IM NOT SURE!!", "I’m not sure…"),
        ("I do not know.", "I don't know", "i dont know"),
        ("I will not go.", "I won't go", "I'll not go", "i wont go"),
        ("It is not cold", "it isn't cold", "It's not cold.", "it isnt cold"),
        ("I can not", "I can't", "I cannot", "i cant"),
        ("What is that?", "what's that", "whats that 🤔"),
    ],
)
def test_spellings_of_one_sentence_have_one_key(same):
    assert len(set(map(key, same))) == 1


def test_keys_tell_other_sentences_apart():
    others = [
        "I am.",
        "I am not.",
        "Am I?",
        "Is it?",
        "Sit!",
        "I can",
        "I can't",
        "7",
        "8",
        "mañana",
    ]
    assert len(set(map(key, others))) == len(others)


# --- the phrases


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
    alone = {key(phrase.english) for phrase in phrases if not is_frame(phrase)}
    for phrase, pairs in filled:
        if is_frame(phrase):
            assert {english for english, _ in pairs if key(english) in alone} == set()


@pytest.mark.slow
def test_the_card_counts_the_pairs(filled):
    """Its other counts, which need no fillings, are tested in tests/prose/test_cards.py."""
    assert f"{sum(len(pairs) for _, pairs in filled):,} pairs" in CARD


def test_signs_stand_where_they_should(phrases):
    for english, spanish, topic in phrases:
        if "example." in english:  # an address, with what signs it has
            continue
        for opening, closing in ("¿?", "¡!", "«»"):
            signs = "".join(re.findall(f"[{opening}{closing}]", spanish))
            assert signs == (opening + closing) * (len(signs) // 2), spanish
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


def test_words_keep_the_rules_of_spelling(phrases):
    for _, spanish, _ in phrases:
        text = spanish.lower()
        assert not re.search(r"\b(\w+) \1\b", text), spanish
        assert not re.search(
            r"¿((en|de|a|por|para|con|desde) )?(que|como|donde|cuando|cual|quien|cuant\w+)\b", text
        ), spanish
        for word in re.findall(r"\b(?:un|el|este|buen|del|al) (\w+a)\b", text):
            assert word in MASCULINE, spanish
        for word in re.findall(r"\b(?:una|esta|buena) (\w+o)\b", text):
            assert word in ("foto", "mano"), spanish
    assert {word for _, spanish, _ in phrases for word in MASCULINE if word in spanish} == {
        *MASCULINE
    }


@pytest.mark.slow
def test_fillings_agree_with_their_frames(filled):
    for _, pairs in filled:
        for english, spanish in pairs:
            assert not re.search(r"\b(de|a) el\b", spanish), spanish
            assert not re.search(r"\by h?[ií](?!e)", spanish, re.IGNORECASE), spanish
            assert not re.search(r"\bo h?[oó]", spanish, re.IGNORECASE), spanish
            assert not re.search(r"\ba [aeio]|\ban [^aeiouh\d]", english, re.IGNORECASE), english
            assert "{" not in english + spanish
            digits, theirs = (sorted(re.findall(r"\d+", side)) for side in (english, spanish))
            assert digits == theirs, (english, spanish)


def test_every_slot_is_used_and_no_filling_stands_twice(phrases, slots):
    assert {name for phrase in phrases for name, _ in SLOT.findall(phrase.english)} == set(slots)
    for name, pairs in slots.items():
        assert len({english for english, _ in pairs}) == len(pairs) >= 4, name
        for text in (text for pair in pairs for text in pair):
            assert text == text.strip() == unicodedata.normalize("NFC", text) and "  " not in text


def test_what_is_copied_is_a_reserved_example(slots):
    for name in ("email", "link", "phone", "emoji", "digit", "year", "street", "name", "surname"):
        assert all(english == spanish for english, spanish in slots[name]), name
    for name in ("email", "link"):
        assert all(re.search(r"\bexample\.(com|org|net|edu)\b", text) for text, _ in slots[name])
    kept_for_stories = re.compile(r"555[ -]01\d\d|20 7946 0\d\d\d|01632 960 \d\d\d")
    assert all(kept_for_stories.search(text) for text, _ in slots["phone"])


def test_professions_have_the_gender_of_their_slot(slots):
    men, women = (dict(slots[name]) for name in ("job_m", "job_f"))
    assert len(men) == len(women)
    for english in men.keys() & women.keys():
        man, woman = men[english], women[english]
        assert not man.endswith("a") and not woman.endswith("o"), english
        assert woman.endswith("a") or man == woman, english
        assert without_accent(man)[:4] == without_accent(woman)[:4]
    assert not {spanish for _, spanish in slots["job"]} & {*men.values(), *women.values()}


# --- what is kept out


def parts(english):
    """A line and each of its sentences."""
    return [english, *(part for part in re.split(r"(?<=[.?!]) +", english) if key(part))]


@pytest.fixture(scope="module")
def keys(filled):
    """The key of everything in the book -> a phrase that gives it."""
    return {
        key(part): phrase for phrase, pairs in filled for text, _ in pairs for part in parts(text)
    }


@pytest.fixture(scope="module")
def formulas(phrases):
    return {key(phrase.english) for phrase in phrases if phrase.topic == "formulas"}


@pytest.mark.slow
def test_no_sentence_of_the_grammars_tests_is_in_it(keys):
    for split in english_spanish.SPLITS:
        if split != "train":
            found = {text: keys.get(key(text)) for text, _ in english_spanish.load(split)}
            assert {text: phrase for text, phrase in found.items() if phrase} == {}, split


@pytest.mark.slow
def test_of_the_everyday_sentences_only_formulas_are_in_it(keys, formulas):
    found = [item.english for item in everyday.load() if key(item.english) in keys]
    assert [english for english in found if key(english) not in formulas] == []
    assert f"({len(found)} of 200):\n{' '.join(found)}\n" in CARD


@pytest.mark.slow
def test_of_the_first_sentences_only_those_called_seen_are_in_it(keys, formulas):
    for item in everyday.load(FIRST_SENTENCES):
        assert (key(item.english) in keys) == item.group.startswith("seen: "), item.english
        assert (key(item.english) in formulas) == (key(item.english) in keys)


@pytest.mark.slow
def test_no_held_out_sentence_is_in_it(keys):
    held_out = set(HELD_OUT.read_text(encoding="ascii").split())
    assert {text: phrase for text, phrase in keys.items() if fingerprint(text) in held_out} == {}


@pytest.mark.slow
def test_the_fingerprints_are_those_of_tatoeba_and_of_the_sentences_of_doubt():
    files = [cache_folder() / "tatoeba-en-es" / f"{split}.tsv" for split in ("validation", "test")]
    lines = HELD_OUT.read_text(encoding="ascii").split("\n")
    assert lines == [*sorted(set(lines[:-1])), ""]
    assert all(re.fullmatch("[0-9a-f]{12}", line) for line in lines[:-1])
    assert HELD_OUT.stat().st_size < 100_000
    doubt = {fingerprint(key(item.english)) for item in everyday.load(everyday.DOUBT)}
    assert doubt <= {*lines[:-1]}
    if not all(file.exists() for file in files):
        pytest.skip("needs the corpus: python -m transformer_lib corpus get tatoeba-en-es")
    sentences = [english for file in files for english, _ in read_parallel([file])]
    assert {fingerprint(key(english)) for english in sentences} | doubt == {*lines[:-1]}


@pytest.mark.slow
def test_no_held_out_translation_stands_beside_its_english(filled):
    files = [cache_folder() / "tatoeba-en-es" / f"{split}.tsv" for split in ("validation", "test")]
    if not all(file.exists() for file in files):
        pytest.skip("needs the corpus: python -m transformer_lib corpus get tatoeba-en-es")
    pairs = [pair for file in files for pair in read_parallel([file])]
    held_out = {(key(english), key(spanish)) for english, spanish in pairs}
    spanish_ones = {spanish for _, spanish in held_out}
    shared = {
        (key(english), key(part))
        for _, pairs in filled
        for english, spanish in pairs
        for part in parts(spanish)
        if key(part) in spanish_ones
    }
    assert shared & held_out == set()
    count = len({spanish for _, spanish in shared})
    assert f"{count} Spanish sentences of the book, mostly short ones, are held-out" in CARD


# --- the first sentences


def test_there_are_60_first_sentences_and_every_pattern_adds_a_translation():
    items = everyday.load(FIRST_SENTENCES)
    assert len(items) == len({key(item.english) for item in items}) == 60
    assert max(len(item.translations) for item in items) <= 1500
    known = set()
    for line in FIRST_SENTENCES.read_text(encoding="utf-8").split("\n"):
        if not line.startswith(" "):
            known = known if not line else set()
            continue
        new = set(everyday.expand(line.strip())) - known
        assert new, f"nothing new in {line.strip()}"
        known |= new


def test_first_sentences_are_well_formed():
    for item in everyday.load(FIRST_SENTENCES):
        for spanish in item.translations:
            for opening, closing in ("¿?", "¡!"):
                signs = "".join(re.findall(f"[{opening}{closing}]", spanish))
                assert signs == (opening + closing) * (len(signs) // 2), spanish
            assert spanish == unicodedata.normalize("NFC", spanish)
            assert not re.search(r"  |^ | $|[¿¡] | [,.?!]|[.?!¿¡,:;] ?[.?!,]", spanish), spanish
            assert re.fullmatch(r"[a-zA-ZáéíóúñÁÉÍÓÚÑ0-9 ,.:;?!¿¡-]+", spanish), spanish
            assert not re.search(r"\b(\w+) \1\b|\b(a|de) el\b", spanish.lower()), spanish
            if item.english[-1] in ".?!":
                assert spanish[-1] in (".?!" if item.english[-1] == "?" else ".!"), spanish
