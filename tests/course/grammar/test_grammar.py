"""Forms and phrases that can be looked up in a grammar book."""

import pytest

from course.grammar import morphology
from course.grammar.lexicon import ADJECTIVES, NOUNS, nouns_for
from course.grammar.phrases import (
    CAN,
    GOING,
    HAVE_TO,
    PAST,
    WE,
    finite,
    joined,
    modal_phrase,
    name_phrase,
    noun_phrase,
    object_of,
    owned,
    pronoun,
)
from course.grammar.random_choices import Draw, own_possessive
from course.grammar.situations import SITUATIONS
from course.grammar.verbs import TRANSITIVE, VERBS
from course.grammar.words import Phrase, Words, both, english_text, spanish_text, text

PRESENT, PRETERITE, IMPERFECT = morphology.PRESENT, morphology.PRETERITE, morphology.IMPERFECT


# --- Morphology --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "infinitive, tense, forms",
    [
        ("lavar", PRESENT, "lavo lavas lava lavamos lavan"),
        ("lavar", PRETERITE, "lavé lavaste lavó lavamos lavaron"),
        ("comer", IMPERFECT, "comía comías comía comíamos comían"),
        ("cerrar", PRESENT, "cierro cierras cierra cerramos cierran"),
        ("jugar", PRETERITE, "jugué jugaste jugó jugamos jugaron"),
        ("buscar", PRETERITE, "busqué buscaste buscó buscamos buscaron"),
        ("cruzar", PRETERITE, "crucé cruzaste cruzó cruzamos cruzaron"),
        ("dormir", PRETERITE, "dormí dormiste durmió dormimos durmieron"),
        ("seguir", PRESENT, "sigo sigues sigue seguimos siguen"),
        ("perseguir", PRETERITE, "perseguí perseguiste persiguió perseguimos persiguieron"),
        ("preferir", PRESENT, "prefiero prefieres prefiere preferimos prefieren"),
        ("conocer", PRESENT, "conozco conoces conoce conocemos conocen"),
        ("traer", PRETERITE, "traje trajiste trajo trajimos trajeron"),
        ("hacer", PRETERITE, "hice hiciste hizo hicimos hicieron"),
        ("leer", PRETERITE, "leí leíste leyó leímos leyeron"),
        ("construir", PRESENT, "construyo construyes construye construimos construyen"),
        ("enviar", PRESENT, "envío envías envía enviamos envían"),
        ("caber", PRESENT, "quepo cabes cabe cabemos caben"),
        ("detener", PRETERITE, "detuve detuviste detuvo detuvimos detuvieron"),
        ("ir", IMPERFECT, "iba ibas iba íbamos iban"),
        ("ser", IMPERFECT, "era eras era éramos eran"),
        ("estar", PRESENT, "estoy estás está estamos están"),
        ("venir", PRETERITE, "vine viniste vino vinimos vinieron"),
    ],
)
def test_conjugation(infinitive, tense, forms):
    assert " ".join(morphology.conjugate(infinitive, tense)) == forms


@pytest.mark.parametrize(
    "singular, plural",
    [
        ("casa", "casas"),
        ("árbol", "árboles"),
        ("lápiz", "lápices"),
        ("canción", "canciones"),
        ("jardín", "jardines"),
        ("autobús", "autobuses"),
        ("sofá", "sofás"),
        ("país", "países"),
        ("joven", "jóvenes"),
        ("jersey", "jerséis"),
        ("rey", "reyes"),
        ("pie", "pies"),
        ("inglés", "ingleses"),
        ("tambor", "tambores"),
    ],
)
def test_spanish_plurals(singular, plural):
    assert morphology.spanish_plural(singular) == plural


def test_adjectives_agree_and_are_cut_short_before_the_noun():
    assert [morphology.adjective_form("rojo", g, n) for g in "mf" for n in (False, True)] == [
        "rojo",
        "rojos",
        "roja",
        "rojas",
    ]
    assert morphology.adjective_form("feliz", "f", True) == "felices"
    assert morphology.adjective_before_noun("bueno", "m", False) == "buen"
    assert morphology.adjective_before_noun("malo", "f", False) == "mala"
    assert morphology.adjective_before_noun("grande", "f", False) == "gran"
    assert morphology.adjective_before_noun("grande", "f", True) == "grandes"


def test_gerunds_and_participles():
    assert [morphology.gerund(verb) for verb in ("lavar", "comer", "dormir", "leer", "ir")] == [
        "lavando",
        "comiendo",
        "durmiendo",
        "leyendo",
        "yendo",
    ]
    assert (
        morphology.participle("abrir") == "abierto" and morphology.participle("lavar") == "lavado"
    )


def test_english_forms():
    assert morphology.english_plural("city") == "cities"
    assert morphology.english_plural("toy") == "toys"
    assert morphology.english_third_person("carry") == "carries"
    assert (
        morphology.english_past("cry") == "cried" and morphology.english_past("close") == "closed"
    )
    assert (
        morphology.english_ing("close") == "closing" and morphology.english_ing("see") == "seeing"
    )
    pasts = {verb.english: verb.english_past for verb in TRANSITIVE}
    assert (pasts["hug"], pasts["prefer"], pasts["see"]) == ("hugged", "preferred", "saw")


# --- Phrases -----------------------------------------------------------------------------------


def pair(phrase: Phrase) -> tuple[str, str]:
    return english_text(phrase.english), spanish_text(phrase.spanish)


@pytest.mark.parametrize(
    "noun, determiner, plural, adjective, english, spanish",
    [
        ("house", "the", False, "red", "The red house", "La casa roja"),
        ("apple", "a", False, None, "An apple", "Una manzana"),
        ("apple", "a", False, "green", "A green apple", "Una manzana verde"),
        ("water", "the", False, "cold", "The cold water", "El agua fría"),
        ("eagle", "a", False, "big", "A big eagle", "Un águila grande"),
        ("eagle", "the other", False, None, "The other eagle", "La otra águila"),
        ("eagle", "the", True, None, "The eagles", "Las águilas"),
        ("idea", "a", False, "good", "A good idea", "Una buena idea"),
        ("book", "this", False, "good", "This good book", "Este buen libro"),
        ("artist", "a", False, "great", "A great artist", "Un gran artista"),
        ("tree", "generic", True, None, "Trees", "Los árboles"),
        ("tree", "", True, "tall", "Tall trees", "Árboles altos"),
        ("brother", "any", True, None, "Any brothers", "Hermanos"),
        ("photo", "many", True, "old", "Many old photos", "Muchas fotos viejas"),
        ("problem", "all the", True, None, "All the problems", "Todos los problemas"),
    ],
)
def test_noun_phrases(noun, determiner, plural, adjective, english, spanish):
    beside = ADJECTIVES[adjective] if adjective else None
    assert pair(noun_phrase(NOUNS[noun], determiner, plural, beside)) == (english, spanish)


def test_possession_contracts_de_el_and_keeps_order():
    duck = noun_phrase(NOUNS["duck"], "the", False, ADJECTIVES["white"])
    queen, king = noun_phrase(NOUNS["queen"]), noun_phrase(NOUNS["king"])
    assert pair(owned(queen, duck)) == ("The queen's white duck", "El pato blanco de la reina")
    assert pair(owned(king, noun_phrase(NOUNS["hen"]))) == ("The king's hen", "La gallina del rey")


def test_two_nouns_are_feminine_only_together():
    mother, father = noun_phrase(NOUNS["mother"], "my"), noun_phrase(NOUNS["father"], "my")
    aunt = noun_phrase(NOUNS["aunt"], "my")
    assert joined(mother, aunt).gender == "f" and joined(mother, father).gender == "m"
    assert joined(mother, father).plural


def test_doctors_are_men_or_women():
    doctor = noun_phrase(NOUNS["doctor"], "the", False, ADJECTIVES["young"])
    assert pair(doctor) == ("The young doctor", "El doctor joven")
    assert pair(doctor.as_gender("f")) == ("The young doctor", "La doctora joven")
    for seed in range(20):  # her own: la doctora; his own: el doctor
        word, owner = own_possessive(Draw(seed), noun_phrase(NOUNS["doctor"]))
        assert pair(owner)[1] == {"her": "La doctora", "his": "El doctor"}[word]


def test_verb_phrases():
    ana, we = name_phrase("Ana"), pronoun("we")
    see, look = VERBS["see"], VERBS["look"]
    assert pair(ana + finite(see, ana, PAST, True)) == ("Ana didn't see", "Ana no vio")
    assert pair(we + finite(look, we, PRESENT, clitics="lo"))[1] == "Lo buscamos"
    assert pair(we + modal_phrase(CAN, see, we, PRESENT, True)) == (
        "We can't see",
        "No podemos ver",
    )
    assert pair(ana + modal_phrase(GOING, see, ana, PRESENT)) == (
        "Ana is going to see",
        "Ana va a ver",
    )
    assert pair(ana + modal_phrase(HAVE_TO, see, ana, PAST, clitic="te")) == (
        "Ana had to see",
        "Ana te tenía que ver",
    )
    assert we.person == WE and not we.spanish.words


def test_personal_a_stands_before_people_and_known_animals():
    see, buy = VERBS["see"], VERBS["buy"]
    cases = [
        (see, "girl", "the", "A la niña"),
        (see, "dog", "the", "Al perro"),
        (see, "dog", "a", "Un perro"),
        (see, "house", "the", "La casa"),
        (buy, "book", "a", "Un libro"),
        (buy, "hen", "the", "La gallina"),
    ]
    for verb, noun, determiner, spanish in cases:
        assert pair(object_of(verb, noun_phrase(NOUNS[noun], determiner)))[1] == spanish


# --- Words -------------------------------------------------------------------------------------


def test_marks_move_with_their_words():
    words = text("the old") + text("dog", "noun") + "ran"
    assert ("so" + words).position("noun") == 3
    with pytest.raises(KeyError):
        words.position("verb")


def test_phrases_grow_in_both_languages():
    phrase = both("I", "") + both("want water", "quiero agua")
    assert (phrase.english, phrase.spanish) == (text("I want water"), text("quiero agua"))
    assert Phrase() == Phrase(Words(), Words())


def test_english_text_is_written_as_people_write():
    assert english_text(text("I am not tired")) == "I'm not tired"
    assert (
        english_text(text("the king 's dog can not run , Ana")) == "The king's dog can't run, Ana"
    )
    assert english_text(text("do you like it ?")) == "Do you like it?"


def test_spanish_text_contracts_and_capitalizes():
    assert (
        spanish_text(text("¿ dónde está el perro de el rey ?")) == "¿Dónde está el perro del rey?"
    )
    assert spanish_text(text("voy a el parque")) == "Voy al parque"
    assert spanish_text(text("estudio español y inglés")) == "Estudio español e inglés"


# --- Lexicon -----------------------------------------------------------------------------------


def test_tags_names_and_exceptions_choose_nouns():
    chosen = [noun.english for noun in nouns_for("drink apple -wine")]
    assert chosen == ["apple", "water", "milk", "coffee", "tea", "juice"]


def test_adjectives_suit_what_they_should():
    assert "street" in ADJECTIVES["wide"].suits and "animal" not in ADJECTIVES["wide"].suits
    assert "animal" in ADJECTIVES["tired"].suits and "street" not in ADJECTIVES["tired"].suits
    for adjective in ADJECTIVES.values():
        assert adjective.suits, f"{adjective.english} suits nothing"


def test_no_word_in_the_tables_is_misspelled():
    """Every word in an adjective's list is a noun or a tag, or nothing would come of it."""
    from course.grammar import lexicon

    tags = {tag for noun in NOUNS.values() for tag in noun.tags}
    table = lexicon.ADJECTIVE_TABLE.replace("\n    ", " ").strip()
    for line in table.split("\n"):
        for word in line.split()[3:]:
            if not word.startswith("!"):
                assert word.removeprefix("-") in tags | set(NOUNS), f"{word} in {line}"


def test_a_reason_about_one_noun_is_none_about_the_other():
    for situation in SITUATIONS:
        for nouns, adjectives in situation.groups:
            assert nouns and adjectives
            both_ways = set(adjectives) & set(situation.about_first)
            assert len(both_ways) < len(adjectives), situation.verb.english


# --- Draw --------------------------------------------------------------------------------------


def test_draws_are_the_same_for_the_same_seed():
    first, second = Draw(7), Draw(7)
    picks = [[draw.pick("abcdef") for _ in range(50)] for draw in (first, second)]
    assert picks[0] == picks[1] != [Draw(8).pick("abcdef") for _ in range(50)]
    assert set(picks[0]) == set("abcdef")


def test_weights_are_shares():
    draw = Draw(0)
    counts = [draw.weighted({"a": 3, "b": 1, "never": 0}) for _ in range(2000)]
    assert 0.7 < counts.count("a") / 2000 < 0.8 and "never" not in counts
