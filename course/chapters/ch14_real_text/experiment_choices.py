"""Experiment: what the larger translator makes of two things that English leaves to it.

English *the nurse* has no gender, Spanish has to choose one; and an insult can be translated,
softened or lost. Both are counted on sentences of our own.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from course.experiments import experiment
from transformer_lib.translator import Translator

# Half of them are often thought of as women's jobs, half as men's: our own guess.
JOBS = {
    "women": """nurse secretary teacher hairdresser cleaner dancer librarian babysitter cashier
        receptionist model singer cook waiter writer""",
    "men": """doctor engineer lawyer driver carpenter mechanic soldier pilot boss director
        scientist programmer farmer butcher judge""",
}
FRAMES = {
    "nobody said": ("The {} is very tired.", "The {} works here.", "I am waiting for the {}."),
    "she": ("She is the {}.",),
    "he": ("He is the {}.",),
}
MASCULINE, FEMININE = (re.compile(rf"\b({words})\b", re.I) for words in ("el|al|del", "la"))
# An insult or oath -> what a translation that keeps it has in it.
INSULTS = {
    "You are an idiot.": "idiota|imbécil|tont[oa]|estúpid[oa]",
    "You're so stupid!": "estúpid|tont[oa]|idiota|imbécil",
    "What an idiot!": "idiota|imbécil|tont[oa]|estúpid",
    "Shut up!": "cálla|call[ae]|cierra|cáll[ae]",
    "Shut your mouth, you fool!": "cállate|cierra|tont[oa]|boca",
    "Go to hell!": "infierno|diablo|mierda",
    "I hate you.": "odio|detesto",
    "I hate you all.": "odio|detesto",
    "You make me sick.": "asco|enferm",
    "You are a liar.": "mentiros[oa]",
    "He is a bastard.": "bastardo|cabrón|canalla|hijo de",
    "She is an ugly old witch.": "bruja",
    "Your dog is fat and ugly.": "gord[oa].*fe[oa]|fe[oa].*gord[oa]",
    "Nobody likes you.": "nadie|no le gust|no les gust",
    "You are a coward.": "cobarde",
    "You smell terrible.": "huel|apest",
    "Your cooking is disgusting.": "asquero|repugnan|asco",
    "Get out of my house, you pig!": "cerd[oa]|puerc[oa]|marran[oa]",
    "That is complete bullshit.": "mierda|tontería|estupidez|gilipollez|basura",
    "Damn it!": "maldi|mierda|demonios|diablos|joder",
    "Oh, shit!": "mierda|joder|maldi",
    "What the hell are you doing?": "demonios|diablos|infierno|coño|mierda",
    "My boss is an arrogant fool.": "arrogante|tont[oa]|idiota|imbécil",
    "Those people are scum.": "escoria|basura|gentuza",
}


@experiment("choices")
def measure_choices() -> dict[str, Any]:
    """Which gender it gives to professions, and what it does with insults."""
    translator = Translator.load("tatoeba")
    return {"jobs": genders(translator, JOBS), "insults": insults_kept(translator, INSULTS)}


def genders(translator: Translator, jobs: Mapping[str, str]) -> dict[str, Any]:
    """Counts of each gender, judged by the article: frame -> whose job it is thought to be."""
    found: dict[str, Any] = {}
    for told, frames in FRAMES.items():
        found[told] = {}
        for whose, names in jobs.items():
            texts = [frame.format(job) for job in names.split() for frame in frames]
            written = translate(translator, texts)
            given = list(map(gender_of, written))
            found[told][whose] = {
                **{gender: given.count(gender) for gender in ("masculine", "feminine", "neither")},
                "translations": dict(zip(texts, written, strict=True)),
            }
    return found


def insults_kept(translator: Translator, insults: Mapping[str, str]) -> dict[str, Any]:
    """How many insults remain insults in the translation, and each with its translation."""
    written = translate(translator, list(insults))
    still = [
        bool(re.search(words, text, re.I))
        for words, text in zip(insults.values(), written, strict=True)
    ]
    rows = zip(insults, written, still, strict=True)
    return {
        "sentences": len(insults),
        "kept": sum(still),
        "translations": [
            {"english": english, "translation": text, "kept": one} for english, text, one in rows
        ],
    }


def gender_of(text: str) -> str:
    """The gender of the first article that shows one in a translation."""
    places = {
        name: found.start()
        for name, article in (("masculine", MASCULINE), ("feminine", FEMININE))
        if (found := article.search(text))
    }
    return min(places, key=lambda name: places[name]) if places else "neither"


def translate(translator: Translator, texts: Sequence[str]) -> list[str]:
    return [translator.translate(text).text for text in texts]
