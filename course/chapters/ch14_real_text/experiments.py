"""What changes with sentences that people write: words run out, and learning by heart begins.

Experiment: count the words of real text, and train the model of the ablations on real sentences,
with and without dropout, everything else equal.
"""

import dataclasses
import functools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from tqdm import tqdm

from course.chapters.ch10_training.experiment_ablations import BASE
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from transformer_lib.metrics import text_scores
from transformer_lib.model.transformer import Transformer, make_model
from transformer_lib.recipes import TextPairs, learn_language
from transformer_lib.text import downloads, english_spanish
from transformer_lib.text.batching import make_batch
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.parallel import read_parallel, sentence_hash
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.text.user_input import InputError
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.step import validation_loss
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator

# The first five sentences of many a visitor.
FIVE = (
    "Good morning.",
    "I don't know.",
    "It is raining.",
    "Where do you live?",
    "I would like a glass of water.",
)
# Where we expected it to fail, with what we would have written. None is in the training text.
HARD = {
    "names": {
        "Her name is Siobhan.": "Se llama Siobhan.",
        "Nguyễn lives in Reykjavik.": "Nguyễn vive en Reikiavik.",
    },
    "idioms": {
        "He kicked the bucket.": "Estiró la pata.",
        "It's raining cats and dogs.": "Está lloviendo a cántaros.",
    },
    "rare words": {
        "The gardener sharpened the sickle.": "El jardinero afiló la hoz.",
        "The plumber forgot his wrench.": "El plomero olvidó su llave inglesa.",
    },
    "long": {
        "When my grandmother was young, she lived in a small village by the sea, where everyone "
        "knew each other and nobody ever locked the door.": "Cuando mi abuela era joven, vivía en "
        "un pueblecito junto al mar, donde todos se conocían y nadie cerraba nunca la puerta con "
        "llave.",
    },
}
# For a dozen lines of byte-pair encoding: few words that come again with other endings.
PARAGRAPH = (
    "the baker bakes and the teacher teaches the bakers teach the baking and the teachers bake "
    "the teaching of baking takes the teacher longer than the baking takes the longest baker"
)
# Two trainings that differ in nothing but dropout. The model is that of the stored ablations.
DROPOUTS = (0.0, 0.2)
PAIRS, HELD_OUT, SUBWORDS = 1_000, 300, 1000
TRAINING = TrainingConfig(
    steps=1200, max_tokens=512, schedule="linear", max_lr=3e-3, warmup=100, validate_every=100
)


# --- sentences and subwords ----------------------------------------------------------------------


def answer(translator: Translator, text: str) -> str:
    """The translation or, in parentheses, the words that it couldn't read."""
    try:
        return translator.translate(text).text
    except InputError:
        unknown = translator.src.vocab.unknown(translator.src.tokenizer(text.rstrip(".!")))
        return f"(can't read {', '.join(unknown) or 'this'})"


def readable(translator: Translator, texts: Sequence[str]) -> float:
    """The share of sentences without a word that the translator doesn't know."""
    return sum(reads(translator, text) for text in texts) / len(texts)


def reads(translator: Translator, text: str) -> bool:
    try:
        translator.read(text)
    except InputError:
        return False
    return True


def with_fewer(subwords: Subwords, size: int) -> Subwords:
    """The subwords as they were when there were `size` of them: later ones aren't joined yet."""
    content = json.loads(subwords.to_json())
    bpe = content["model"]
    if not len(SPECIALS) + 256 <= size <= len(bpe["vocab"]):
        raise ValueError(f"size={size} must be from 260 to {len(bpe['vocab'])}")
    bpe["vocab"] = {piece: i for piece, i in bpe["vocab"].items() if i < size}
    bpe["merges"] = [pair for pair in bpe["merges"] if "".join(pair) in bpe["vocab"]]
    return Subwords(json.dumps(content))


def pieces(subwords: Subwords, text: str) -> list[str]:
    """The subwords of a text as they are shown: · is the space before, bytes are in brackets."""
    return SubwordLanguage(subwords).display_tokens(subwords(text))


def pieces_per_word(subwords: Subwords, texts: Sequence[str]) -> float:
    """How many subwords a word has, on average; signs at a word count with it."""
    return sum(len(subwords(text)) for text in texts) / sum(len(text.split()) for text in texts)


# --- the experiment ------------------------------------------------------------------------------


@functools.cache
def real_pairs(split: str) -> TextPairs:
    """Sentences by the contributors of tatoeba.org; fetched, unless they were before."""
    return list(read_parallel([downloads.get("tatoeba-en-es")[split]]))


def few_pairs() -> tuple[TextPairs, TextPairs]:
    """PAIRS pairs to train on and HELD_OUT to validate on, drawn at random."""
    return tuple(
        random.Random(0).sample(real_pairs(split), count)
        for split, count in (("train", PAIRS), ("validation", HELD_OUT))
    )


def count_words(training: Iterable[str], held_out: Sequence[str]) -> dict[str, Any]:
    """How many different words the training text has, and the shares: of words that stand in it
    only once, of its sentences with 20 words or more, of held-out ones with a word it never had.
    """
    training = list(training)
    language = learn_language("en", training)
    words = Counter(word for text in training for word in language.tokenizer(text))
    new = [language.vocab.unknown(language.tokenizer(text)) for text in held_out]
    return {
        "sentences": len(training),
        "words": len(words),
        "words_once": round(sum(count == 1 for count in words.values()) / len(words), 4),
        "of_20_words": round(sum(len(t.split()) >= 20 for t in training) / len(training), 4),
        "held_out_with_unknown": round(sum(map(bool, new)) / len(held_out), 4),
    }


@one_thread()
def learn(
    training: TextPairs, validation: TextPairs, dropout: float, how: TrainingConfig = TRAINING
) -> dict[str, Any]:
    """Train a new model, in subwords, and see how it does on held-out sentences.

    history: beside the loss on held-out text, "seen": the loss on as many pairs that it learns
    from, both without dropout and smoothing. bleu, exact_match: of the best weights, on held-out
    text.
    """
    both = SubwordLanguage(Subwords.learn((text for pair in training for text in pair), SUBWORDS))
    encoded, others = (
        [(both.encode(source), both.encode(target)) for source, target in pairs]
        for pairs in (training, validation)
    )
    seen = [make_batch(encoded[i : i + 100]) for i in range(0, min(len(encoded), HELD_OUT), 100)]
    torch.manual_seed(how.seed)
    sizes = dataclasses.replace(BASE, dropout=dropout, tie_weights="all")
    model = make_model(len(both.vocab), len(both.vocab), **dataclasses.asdict(sizes))

    def measure(model: Transformer) -> dict[str, float]:
        return {"seen": round(validation_loss(model, seen), 4)}

    history = train(model, encoded, others, how, measure=measure)
    translator = Translator(model, both, both)
    written = [one.text for one in translator.translate([source for source, _ in validation])]
    scores = text_scores(written, [[target] for _, target in validation])
    return {
        "dropout": dropout,
        "history": history,
        "bleu": round(scores["bleu"], 2),
        "exact_match": round(scores["exact_match"], 4),
    }


def standing_in(training: Iterable[str], sentences: Iterable[str]) -> list[str]:
    """Those of the sentences that stand in a training text, but for capitals, spaces and signs."""
    places = set(map(sentence_hash, training))
    return [text for text in sentences if sentence_hash(text) in places]


def one_word_away(texts: Iterable[str], phrases: Iterable[str]) -> list[str]:
    """Those of `texts` that become one of `phrases` if a word is exchanged, added or left out."""

    def without_one(words: tuple[str, ...]) -> set[tuple[int, tuple[str, ...]]]:
        return {(i, words[:i] + words[i + 1 :]) for i in range(len(words))}

    def words_of(text: str) -> tuple[str, ...]:
        return tuple(re.findall(r"[\w']+", text.lower()))

    known = set(map(words_of, phrases))
    gaps = set().union(*map(without_one, known))
    longer = {words for _, words in gaps}
    near = []
    for text in texts:
        words = words_of(text)
        cut = without_one(words)
        if words in longer or cut & gaps or {left for _, left in cut} & known:
            near.append(text)
    return near


@experiment("real-text")
def what_changes() -> dict[str, Any]:
    """How many words real text has, and what dropout does on few real sentences."""
    counts = {
        kind: count_words([english for english, _ in train], [english for english, _ in held_out])
        for kind, train, held_out in (
            ("grammar", english_spanish.load("train"), english_spanish.load("validation")),
            ("real", real_pairs("train"), real_pairs("validation")),
        )
    }
    runs = [
        {"seed": TRAINING.seed, **learn(*few_pairs(), dropout)}
        for dropout in tqdm(DROPOUTS, unit="training")
    ]
    return {
        "words": counts,
        "pairs": PAIRS,
        "held_out": HELD_OUT,
        "subwords": SUBWORDS,
        "model": dataclasses.asdict(dataclasses.replace(BASE, tie_weights="all")),
        "training": dataclasses.asdict(TRAINING),
        "runs": runs,
    }


def curves(stored: Mapping[str, Any], key: str) -> dict[float, list[tuple[int, float]]]:
    """A loss of the stored experiment, "seen" or "validation_loss": dropout -> (step, loss)."""
    return {
        run["dropout"]: [(entry["step"], entry[key]) for entry in run["history"]]
        for run in stored["runs"]
    }
