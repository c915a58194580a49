"""What visitors type, a kind at a time: the larger translator's real answers."""

import pytest

from transformer_lib.translator import Translator

KINDS = {
    "no capital": {
        "good morning.": "Buenos días.",
        "where do you live?": "¿Dónde vives?",
        "i don't know.": "No lo sé.",
    },
    "no full stop": {
        "Good morning": "Buenos días.",
        "I like trees": "Me gustan los árboles.",
        "How are you": "¿Cómo estás?",
    },
    "capitals alone": {
        "I LOVE YOU": "Te quiero.",
        "WHERE ARE YOU?": "¿Dónde estás?",
        "I DON'T KNOW": "No lo sé.",
    },
    "doubled marks": {
        "Hello!!": "¡Hola!",
        "Where are you??": "¿Dónde estás?",
    },
    "no apostrophe": {
        "i dont know": "No lo sé.",
        "its raining": "Está lloviendo.",
        "dont worry": "No te preocupes.",
    },
    "several sentences": {
        "Good morning. How are you?": "Buenos días. ¿Cómo estás?",
        "I am hungry. Let's eat.": "Tengo hambre. Comamos.",
    },
    "a name": {
        "My name is Ana.": "Me llamo Ana.",
        "Maria lives in Paris.": "Maria vive en París.",
    },
    "a number": {
        "I am 27 years old.": "Tengo 27 años.",
        "It costs 15 euros.": "Cuesta 15 euros.",
        "The train leaves at 5:30.": "El tren sale a las 5:30.",
        "I was born in 1998.": "Nací en 1998.",
    },
    "an address": {
        "My email is ana@correo.es": "Mi correo es ana@correo.es.",
        "Call me at +34 612 345 678.": "Llámame al +34 612 345 678.",
        "Write to kim.lee@uni.edu.": "Escribe a kim.lee@uni.edu.",
        "I live at 12 Main Street.": "Vivo en el número 12 de Main Street.",
    },
    "a link": {
        "Visit www.uni-köln.de": "Visite www.uni-köln.de",
        "Look at https://github.com/a/b": "Mira https://github.com/a/b",
        "https://github.com": "https://github.com",
    },
    "an emoji": {
        "I love pizza 🍕": "Me encanta la pizza 🍕",
        "See you tomorrow! 👋": "¡Hasta mañana! 👋",
    },
}


@pytest.fixture(scope="module")
def translator():
    return Translator.load("tatoeba")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_typing_is_answered(translator, kind):
    typed, answers = zip(*KINDS[kind].items(), strict=True)
    found = [one.text.rstrip(".") for one in translator.translate(typed)]
    assert found == [answer.rstrip(".") for answer in answers]
