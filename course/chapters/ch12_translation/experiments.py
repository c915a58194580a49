"""What is new in a test, a lesson of seconds, BLEU by hand, and what can be wrong in a sentence."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import torch
from tqdm import tqdm

from course.experiments.digit_training import one_thread
from transformer_lib.metrics import exact_match, text_scores
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import make_model
from transformer_lib.recipes import TextPairs, learn_language
from transformer_lib.text import english_spanish
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator

LIKING = {"like", "likes", "liked", "love", "loves", "loved"}
SIZES = {
    "N": 1,
    "d_model": 64,
    "d_ff": 128,
    "h": 4,
    "dropout": 0.0,
    "norm_first": True,
    "tie_weights": "target",
}
LESSON = TrainingConfig(
    steps=300, max_tokens=512, schedule="linear", max_lr=1e-2, warmup=30, validate_every=75
)


# --- what is new in a test -----------------------------------------------------------------------


def words(english: str) -> list[str]:
    """The words of a sentence in one spelling: "Didn't he?" -> did not he ?"""
    english = english.replace("can't", "can not").replace("n't", " not").replace("'s", " 's")
    for sign in ",?!":
        english = english.replace(sign, f" {sign}")
    return english.lower().split()


def together(english: str) -> set[tuple[str, str]]:
    """All pairs of words that stand in one sentence."""
    return set(combinations(sorted(set(words(english))), 2))


def met_in(sentences: Iterable[str]) -> set[tuple[str, str]]:
    """All pairs of words that stand together in at least one of the sentences."""
    return set().union(*map(together, sentences))


def suspicious_test() -> TextPairs:
    """A test of 100 pairs that somebody hands in. Not all of them are new."""
    new = english_spanish.load("longer")[200:260]
    old = english_spanish.load("train")[::2500]
    old = [(e[0].lower() + e[1:], s) if i % 3 == 0 else (e, s) for i, (e, s) in enumerate(old)]
    mixed = [*new, *old]
    random.Random(0).shuffle(mixed)
    return mixed


def right_by_length(translator: Translator, pairs: TextPairs) -> dict[int, float]:
    """Exact match of the sentences of each length in tokens, for lengths of 50 or more."""
    written = [one.text for one in translator.translate([english for english, _ in pairs])]
    right: dict[int, list[bool]] = {}
    for (english, spanish), found in zip(pairs, written, strict=True):
        right.setdefault(len(translator.src.tokenizer(english)), []).append(found == spanish)
    return {n: sum(r) / len(r) for n, r in sorted(right.items()) if len(r) >= 50}


# --- a lesson of seconds -------------------------------------------------------------------------


def likings(*splits: str) -> TextPairs:
    """The sentences of these splits that like or love something, in at most five words."""
    return [
        (english, spanish)
        for split in splits
        for english, spanish in english_spanish.load(split)
        if len(words := english.rstrip("?").split()) <= 5 and not LIKING.isdisjoint(words)
    ]


def beginner(training: TextPairs, seed: int = 0) -> Translator:
    """A translator that has learned nothing yet; its words are those of the training pairs."""
    src = learn_language("en", [english for english, _ in training])
    tgt = learn_language("es", [spanish for _, spanish in training])
    torch.manual_seed(seed)
    sizes = ModelConfig(**SIZES)
    model = make_model(len(src.vocab), len(tgt.vocab), **vars(sizes))
    model.eval()
    return Translator(model, src, tgt)


@one_thread()
def lesson(translator: Translator, training: TextPairs, held_out: TextPairs) -> list[dict]:
    """Train it on these pairs -> the history, with the exact match on the held-out pairs."""
    pairs, others = (
        [(translator.src.encode(english), translator.tgt.encode(spanish)) for english, spanish in p]
        for p in (training, held_out)
    )

    def measure(_) -> dict:
        return {"exact_match": exact_match(translator, held_out)}

    progress = tqdm(disable=True)
    return train(translator.model, pairs, others, LESSON, measure=measure, progress=progress)


# --- broken on purpose ---------------------------------------------------------------------------

GENDER = re.compile(r"(?<=[a-záéíóúñ]{3})[oa](?=s?[?!]?$)")


def other_gender(spanish: str) -> str:
    """The last word in -o, -a, -os or -as gets the other ending; a text without one stays."""
    words = spanish.split()
    for i in reversed(range(len(words))):
        changed = GENDER.sub(lambda ending: {"o": "a", "a": "o"}[ending[0]], words[i])
        if changed != words[i]:
            return " ".join([*words[:i], changed, *words[i + 1 :]])
    return spanish


def without_accents(spanish: str) -> str:
    return spanish.translate(str.maketrans("áéíóúñÁÉÍÓÚÑ", "aeiounAEIOUN"))


def words_backwards(spanish: str) -> str:
    return " ".join(reversed(spanish.split()))


BREAKS = {
    "nothing": lambda text: text,
    "¿ and ¡ left out": lambda text: text.lstrip("¿¡"),
    "all in small letters": str.lower,
    "no accents": without_accents,
    "one ending in the other gender": other_gender,
    "last word left out": lambda text: " ".join(text.split()[:-1]),
    "words backwards": words_backwards,
}


def two_scores(translations: Sequence[str], references: Sequence[str]) -> tuple[float, float]:
    """Exact match and sacreBLEU of texts, both in percent."""
    scores = text_scores(translations, [[reference] for reference in references])
    return 100 * scores["exact_match"], scores["bleu"]


def broken_scores(references: Sequence[str]) -> dict[str, tuple[float, float]]:
    """What each of BREAKS costs: name -> exact match and BLEU of the broken references."""
    return {
        name: two_scores([damage(text) for text in references], references)
        for name, damage in BREAKS.items()
    }


# --- kinds of errors -----------------------------------------------------------------------------


def error_kind(translation: Sequence[str], reference: Sequence[str]) -> str:
    """What is wrong with these words, by the first rule that holds.

    "right"; "another order": the same words; "missing": nothing but right words, some not there;
    "ending": as many words, those that differ differ in -o, -a, -os, -as; "repeated": a word of
    more than three letters stands there more often than it should; "other": the rest.
    """
    written, right = Counter(translation), Counter(reference)
    if list(translation) == list(reference):
        return "right"
    if written == right:
        return "another order"
    if written < right:
        return "missing"
    stems = [
        [re.sub("[oa](s?)$", r"\1", word) for word in text] for text in (translation, reference)
    ]
    if stems[0] == stems[1]:
        return "ending"
    if any(len(word) > 3 and word in right for word in written - right):
        return "repeated"
    return "other"
