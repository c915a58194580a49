"""What is new in a test, a lesson in liking, and sentences that are broken on purpose."""

import itertools
import random
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.grammar.lexicon import ADJECTIVES
from course.mine.bench import of_file
from transformer_lib.decoding import greedy_decode
from transformer_lib.metrics import text_scores
from transformer_lib.recipes import TextPairs
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import make_batch, source_batch
from transformer_lib.text.tokens import EOS
from transformer_lib.training.optimizers import adam
from transformer_lib.translator import Translator

STEPS = {"liking": 250, "short": 500}  # of the two lessons
SEEDS = (0, 1, 2)
LIKING = {"like", "likes", "liked"}
PROBES = ["I like houses", "We like dogs", "I like trees"]


# --- what is new in a test -----------------------------------------------------------------------


def words(english: str) -> list[str]:
    """The words of a sentence in one spelling: "Didn't he?" -> did not he ?"""
    english = english.replace("can't", "can not").replace("n't", " not").replace("'s", " 's")
    for sign in ",?!":
        english = english.replace(sign, f" {sign}")
    return english.lower().split()


def suspicious_test() -> TextPairs:
    """A test of 100 pairs that somebody hands in. Not all of them are new."""
    new = english_spanish.load("longer")[200:260]
    old = english_spanish.load("train")[::2500]
    old = [(e[0].lower() + e[1:], s) if i % 3 == 0 else (e, s) for i, (e, s) in enumerate(old)]
    mixed = [*new, *old]
    random.Random(0).shuffle(mixed)
    return mixed


# --- a lesson in liking --------------------------------------------------------------------------


def short(pairs: TextPairs) -> TextPairs:
    """The sentences of at most five English words."""
    return [pair for pair in pairs if len(pair[0].split()) <= 5]


def about_liking(pairs: TextPairs) -> TextPairs:
    """The sentences with a form of "like"."""
    return [pair for pair in pairs if LIKING & set(words(pair[0]))]


@one_thread()
def learn(own: Any, language: Translator, pairs: TextPairs, steps: int, seed: int = 0) -> nn.Module:
    """Train a Transformer of these parts; it prints the loss."""
    ids = [
        (language.src.encode(english), language.tgt.encode(spanish)) for english, spanish in pairs
    ]
    torch.manual_seed(seed)
    vocabularies = len(language.src.vocab), len(language.tgt.vocab)
    model = own.Transformer(*vocabularies, N=2, d_model=64, d_ff=256, h=4, dropout=0.0)
    optimizer, draw = adam(model), random.Random(seed)
    for step in range(1, steps + 1):
        batch = make_batch(draw.choices(ids, k=64))
        rate = 0.003 * min(step / 100, (steps - step) / (steps - 100))  # up, then down to 0
        loss = own.update(model, optimizer, batch, rate)
        if step % 50 == 0:
            print(f"{loss:.1f}", end="\n" if step == steps else " ")
    return model


@torch.no_grad()
def write(own: Any, language: Translator, model: nn.Module, english: str) -> str:
    """What the model writes for a sentence."""
    src = torch.tensor([[*language.src.encode(english), EOS]])
    return language.tgt.decode(own.greedy_decode(model, src, 12)[0])


def share_right(language: Translator, model: nn.Module, pairs: TextPairs) -> float:
    """Exact match, by the library's greedy decoding, which takes a batch."""
    src = source_batch([language.src.encode(english) for english, _ in pairs])
    written = greedy_decode(model, src, max_length=12, cache=False)
    rights = [language.tgt.decode(ids) == s for ids, (_, s) in zip(written, pairs, strict=True)]
    return sum(rights) / len(rights)


@experiment("liking")
def liking() -> dict[str, Any]:
    """What two lessons teach about liking, with three seeds each: two minutes on one core."""
    own, language = SimpleNamespace(**of_file("", at_work=True).names), Translator.load()
    pairs = short(english_spanish.load("train"))
    lessons = {"liking": about_liking(pairs), "short": pairs}
    tests = {
        "ordinary": [*english_spanish.load("validation"), *english_spanish.load("test")],
        "gustar": english_spanish.load("gustar"),
    }
    tests = {name: about_liking(short(some)) for name, some in tests.items()}
    runs = []
    for seed, (name, lesson) in itertools.product(SEEDS, lessons.items()):
        model = learn(own, language, lesson, STEPS[name], seed)
        right = {test: share_right(language, model, some) for test, some in tests.items()}
        written = {english: write(own, language, model, english) for english in PROBES}
        runs.append({"lesson": name, "seed": seed, "right": right, "written": written})
    return {
        "steps": STEPS,
        "sentences": {name: len(some) for name, some in tests.items()},
        "runs": runs,
    }


# --- broken on purpose ---------------------------------------------------------------------------


def both_genders() -> dict[str, str]:
    """Each form of an adjective that has two -> the form in the other gender."""
    pairs = {}
    for adjective in ADJECTIVES.values():
        for plural in (False, True):
            forms = [adjective.form(gender, plural) for gender in "mf"]
            if adjective.inflects and forms[0] != "frío":  # a noun, too: tener frío
                pairs |= zip(forms, reversed(forms), strict=True)
    return pairs


OTHER_GENDER = both_genders()


def wrong_gender(spanish: str) -> str:
    """The last adjective in the other gender; a text without one that has two stays."""
    for found in reversed(list(re.finditer(r"\w+", spanish))):
        if found[0] in OTHER_GENDER:
            return spanish[: found.start()] + OTHER_GENDER[found[0]] + spanish[found.end() :]
    return spanish


def without_accents(spanish: str) -> str:
    return spanish.translate(str.maketrans("áéíóúñÁÉÍÓÚÑ", "aeiounAEIOUN"))


BREAKS = {
    "nothing": lambda text: text,
    "last adjective in the wrong gender": wrong_gender,
    "last word left out": lambda text: " ".join(text.split()[:-1]),
    "no accents": without_accents,
}


def with_an_adjective() -> list[str]:
    """The first 200 translations of the test that have an adjective with two forms."""
    texts = [spanish for _, spanish in english_spanish.load("test")]
    return [text for text in texts if wrong_gender(text) != text][:200]


def broken_scores(references: Sequence[str]) -> dict[str, tuple[float, float]]:
    """What each of BREAKS costs: name -> exact match and BLEU of the broken references, in %."""
    found = {}
    for name, damage in BREAKS.items():
        scores = text_scores([damage(text) for text in references], [[one] for one in references])
        found[name] = 100 * scores["exact_match"], scores["bleu"]
    return found
