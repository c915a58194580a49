"""What can't be translated is copied: each kind there and back, and nothing else touched."""

import pytest

from transformer_lib.text.stand_ins import STAND_INS, in_spanish, put_back, replace_by_stand_ins


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("https://github.com/a/b?c=d#e", "link"),
        ("www.uni-köln.de", "link"),
        ("kim.lee+x@mail.uni.edu", "email"),
        ("+34 612 345 678", "phone"),
        ("(030) 1234-567", "phone"),
        ("🍕", "emoji"),
        ("😂😂 ❤️", "emoji"),
        ("👩🏽\u200d🔬", "emoji"),
        ("🇪🇸", "emoji"),
        ("1\ufe0f\u20e3", "emoji"),
        ("{user_name}", "field"),
        ("${name}", "field"),
        ("%(name)s", "field"),
        ("17:45", "time"),
        ("2024", "year"),
        ("90210", "number"),
        ("192.168.0.1", "number"),
        ("25 °C", "number"),
        ("10 m²", "number"),
        ("COVID-19", "code"),
        ("R&D", "code"),
        ("10km", "number"),
        ("4K", "code"),
        ("東京", "name"),
        ("Señor Núñez", "name"),
    ],
)
def test_each_kind_is_replaced_whole_and_put_back(typed, kind):
    stand_in = STAND_INS[kind][0]
    words, replaced = replace_by_stand_ins(f"See this: {typed}, or {typed}.")
    assert words == f"See this: {stand_in}, or {STAND_INS[kind][1]}."
    assert put_back(f"Mira esto: {stand_in}.", replaced[:1]) == f"Mira esto: {typed}."


@pytest.mark.parametrize(
    "words",
    [
        "I have 3 dogs and 25 cats.",
        "It is the 21st of March, as in the 1990s.",
        "Me@home and the w.w.w. are nothing",
        "You're right – “really” – at the café, aren't you?",
    ],
)
def test_other_signs_and_numbers_stay(words):
    assert replace_by_stand_ins(words) == (words, ())


@pytest.mark.parametrize("words", ["I was born in 1998.", "It costs $12.50 at 5:30 {name} <b>"])
def test_a_model_without_stand_ins_of_a_kind_reads_it_as_before(words):
    four = {kind: STAND_INS[kind] for kind in ("link", "email", "phone", "emoji")}
    assert replace_by_stand_ins(words, four) == (words, ())


@pytest.mark.parametrize(
    ("typed", "kind", "spanish"),
    [
        ("$1,234.56", "number", "$1234.56"),
        ("12,345,678", "number", "12\u00a0345\u00a0678"),
        ("€1,200", "number", "1200 €"),
        ("5€", "number", "5 €"),
        ("1,2,3", "number", "1,2,3"),
        ("5 pm", "time", "5 p. m."),
        ("11:05 A.M.", "time", "11:05 a. m."),
        ("www.x.org/1,234", "link", "www.x.org/1,234"),
    ],
)
def test_a_number_is_written_as_in_spanish_with_the_same_digits(typed, kind, spanish):
    assert in_spanish(typed, kind) == spanish


@pytest.mark.parametrize(
    ("typed", "read", "written"),
    [
        ("<p>Hello <br/></p>", "Hello", "<p>Hola<br/></p>"),
        ("Click <b>here</b> now", "Click here now", "Hola <b> </b>"),
        ("<b>Hello</b>, {name}.", "Hello, Tom.", "<b>Hola {name} </b>"),
        ("<b>", "<b>", "Hola"),
    ],
)
def test_a_tag_is_not_read_and_stays_at_its_end_of_the_sentence(typed, read, written):
    words, replaced = replace_by_stand_ins(typed)
    spanish = "Hola Tom" if "Tom" in words else "Hola"
    assert words == read and put_back(spanish, replaced) == written


def test_two_of_a_kind_keep_their_places_even_if_the_translation_turns_them_round():
    words, replaced = replace_by_stand_ins("From a@b.com to c@d.org")
    first, second = STAND_INS["email"][:2]
    assert words == f"From {first} to {second}"
    assert put_back(f"Para {second} de {first}", replaced) == "Para c@d.org de a@b.com"


def test_what_is_typed_can_be_a_stand_in_itself_and_more_than_there_are_stay():
    first, second, third = STAND_INS["email"]
    assert replace_by_stand_ins(f"{first} x@y.de")[0] == f"{second} {third}"
    words, replaced = replace_by_stand_ins("a@x.de b@x.de c@x.de d@x.de")
    assert words == f"{first} {second} {third} d@x.de" and len(replaced) == 3


def test_a_link_may_end_with_a_number_and_the_letters_before_a_number_stay():
    own = {"link": ("www.example.com/1",), "phone": STAND_INS["phone"]}
    words, replaced = replace_by_stand_ins("Visit www.uni-köln.de or 612 345 678", own)
    assert words == "Visit www.example.com/1 or 555-0134"
    written = "Visite wwww.example.com/1 o Tel555-0134"
    assert put_back(written, replaced) == "Visite www.uni-köln.de o Tel612 345 678"


LINK, EMAIL = (STAND_INS[kind][0] for kind in ("link", "email"))
PUT_BACK = {  # typed -> what the model makes of it, and what is written in the end
    # What the model left out comes at the end.
    "I love it 🍕": {"Me encanta": "Me encanta 🍕"},
    # No part of a number is taken.
    "It has 90210 rows": {"Tiene 1200 filas": "Tiene 1200 filas 90210"},
    "See you at 5:30 pm.": {"Nos vemos a las 7:30.": "Nos vemos a las 5:30 p. m."},
    # Where the model repeats a stand-in: an address that nobody has typed must not appear.
    "Write to a@b.com": {
        f"{EMAIL}, {EMAIL}": "a@b.com, a@b.com",
        "Escribe 🤍": "Escribe 🤍 a@b.com",
    },
    # Letters of a link that the model has put or left out go with it.
    "Visit www.uni-köln.de 🍕": {
        f"Visite w{LINK} 😀": "Visite www.uni-köln.de 🍕",
        f"Visite {LINK[1:]} 😀": "Visite www.uni-köln.de 🍕",
        f"Pizza😀 en {LINK}": "Pizza🍕 en www.uni-köln.de",
    },
    # Another emoji than the model has read is taken for it.
    "Nice 😀 to meet you 🍕": {
        "Encantado 🤍 de conocerte 🙍": "Encantado 😀 de conocerte 🍕",
        "Encantado 🤍 de conocerte": "Encantado 😀 de conocerte 🍕",
        "Encantado de conocerte 🎉": "Encantado de conocerte 🍕 😀",
        "Encantado 🤍 de conocerte 🤍": "Encantado 😀 de conocerte 🍕",
    },
    # One of the model's own stays where none is lost.
    "Nice to meet you 🍕": {"Encantado 🤍 de conocerte 😀": "Encantado 🤍 de conocerte 🍕"},
}


@pytest.mark.parametrize("typed", PUT_BACK)
def test_what_was_typed_stands_where_the_model_has_put_something_for_it(typed):
    _, replaced = replace_by_stand_ins(typed)
    for translation, written in PUT_BACK[typed].items():
        assert put_back(translation, replaced) == written
