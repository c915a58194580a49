"""Experiment: how good the translator of everyday sentences is, and what it makes of a grammar's.

It never saw the grammar's sentences, and may say them in other words. So beside what is right to
the letter stands what can be judged in any wording: whether adjectives agree with their nouns.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import sacrebleu
from sacrebleu.significance import PairedTest
from tqdm import tqdm

from course.chapters.ch14_real_text.experiments import real_pairs, standing_in
from course.experiments import experiment, load
from course.grammar.lexicon import ADJECTIVES, NOUNS
from transformer_lib.files import read_json
from transformer_lib.metrics import evaluate_everyday, real_text_scores
from transformer_lib.recipes import tatoeba
from transformer_lib.text import english_spanish, everyday, phrasebook
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.everyday import EverydayItem
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import MODELS, Translation, Translator

Kind = tuple[str, bool]  # gender "m" or "f", and whether it is the plural
BEAMS = (1, 5)
FIRST = phrasebook.FOLDER / "first-sentences.txt"
FIRST_BEAM = 4  # what the laboratory offers beside greedy decoding
SPLITS = ("test", "noun-adjective", "gustar", "longer")


@experiment("everyday")
def measure_everyday() -> dict[str, Any]:
    """What both translators make of sentences that people wrote, of our two hundred, and of ours.

    Tatoeba's sentences are fetched (`corpus get`); none is stored. seen: which of the two hundred
    stand in the text that the larger one learned from, with the phrasebook and its variations.
    """
    training = [source for source, _ in tatoeba().pairs("train")]
    held_out = references_of(real_pairs("test"))
    larger, small = Translator.load("tatoeba"), Translator.load("grammar")
    written = [
        map(text_of, larger.translate(held_out, beam=beam, return_errors=True)) for beam in BEAMS
    ]
    return {
        "tatoeba": {
            **{f"beam {beam}": score(larger, held_out, beam) for beam in BEAMS},
            "small model": score(small, held_out, 1),
        },
        "paired": paired(*map(list, written), list(held_out.values())),
        "everyday": {
            "larger": evaluate_everyday(larger, everyday.load(), training),
            "small": evaluate_everyday(small, everyday.load(), training),
        },
        "seen": standing_in(training, [item.english for item in everyday.load()]),
        "first": {
            **evaluate_everyday(larger, everyday.load(FIRST), training),
            "right by beam": right_by_beam(larger, everyday.load(FIRST), FIRST_BEAM),
        },
        "grammar": grammar_through(larger),
    }


@experiment("everyday-seeds")
def measure_seeds(models: Sequence[str] = ("tatoeba",)) -> dict[str, Any]:
    """How much of the larger translator's scores is luck: runs with other seeds (--model).

    What is stored of other seeds stays. Of three, the one with the middle validation loss, which
    knows nothing of these sentences, is shipped.
    """
    held_out = references_of(real_pairs("test"))
    measured = [one_seed(MODELS.get(name, Path(name)), held_out) for name in tqdm(models)]
    runs = {run["seed"]: run for run in [*load("everyday-seeds")["runs"], *measured]}
    return {"runs": [runs[seed] for seed in sorted(runs)]}


def one_seed(folder: Path, held_out: dict[str, list[str]]) -> dict[str, Any]:
    """The seed and the last validation loss of a trained model, and its scores."""
    translator = Translator.load(folder)
    ours, first = everyday.load(), everyday.load(FIRST)
    return {
        "seed": read_json(folder / "recipe.json")["training"]["seed"],
        "validation_loss": read_json(folder / "training.json")["history"][-1]["validation_loss"],
        **{f"bleu, beam {beam}": score(translator, held_out, beam)["bleu"] for beam in BEAMS},
        "right of our 200": right_by_beam(translator, ours, 1),
        "right of 60 first": right_by_beam(translator, first, 1),
        "right of 60 first, by beam": right_by_beam(translator, first, FIRST_BEAM),
    }


def right_by_beam(translator: Translator, items: Sequence[EverydayItem], beam: int) -> float:
    """The share that is right to the letter, with a beam."""
    texts = [one.text for one in translator.translate([i.english for i in items], beam=beam)]
    right = [text in item.translations for text, item in zip(texts, items, strict=True)]
    return sum(right) / len(right)


def references_of(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """All translations of each source sentence."""
    references = defaultdict(list)
    for source, target in pairs:
        references[source].append(target)
    return dict(references)


def score(translator: Translator, references: dict[str, list[str]], beam: int) -> dict[str, Any]:
    """As `real_text_scores`; a sentence that the translator can't read gets no translation."""
    found = translator.translate(references, beam=beam, return_errors=True)
    texts = list(map(text_of, found))
    return {
        "sentences": len(references),
        "references": sum(map(len, references.values())),
        "unreadable": sum(isinstance(one, InputError) for one in found),
        **real_text_scores(texts, list(references.values())),
    }


def text_of(found: Translation | InputError) -> str:
    """The best translation; nothing where the translator can't read the sentence."""
    return found.text if isinstance(found, Translation) else ""


def paired(
    one: Sequence[str], other: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, dict[str, float]]:
    """How much BLEU and chrF `other` has more, and the p-value of the paired bootstrap for each.

    Sentences are drawn again, and both are scored on the same draw (Koehn 2004), as sacreBLEU does.
    """
    most = max(map(len, references))
    columns = [[some[i] if i < len(some) else None for some in references] for i in range(most)]
    metrics = {
        "BLEU": sacrebleu.BLEU(references=columns),
        "chrF": sacrebleu.CHRF(references=columns),
    }
    test = PairedTest([("one", one), ("other", other)], metrics, None, "bs", n_samples=1000)
    _, found = test()
    scores = list(found.values())[1:]  # behind the names of the systems, in the metrics' order
    return {
        name.lower(): {"more": second.score - first.score, "p": second.p_value}
        for name, (first, second) in zip(metrics, scores, strict=True)
    }


def grammar_through(translator: Translator) -> dict[str, Any]:
    """The grammar's test sentences, with the full stop that written sentences have."""

    def translations(texts: Iterable[str]) -> list[str]:
        typed = [text if text.endswith(("?", "!")) else text + "." for text in texts]
        return [one.text for one in translator.translate(typed)]

    found = {}
    for name in SPLITS:
        pairs = english_spanish.load(name)
        texts = translations(source for source, _ in pairs)
        right = [text.rstrip(".") == target for text, (_, target) in zip(texts, pairs, strict=True)]
        agree, adjectives = adjectives_that_agree(texts)
        found[name] = {
            "sentences": len(pairs),
            "exact_match": sum(right) / len(right),
            "adjectives": adjectives,
            "agree": agree / max(1, adjectives),
        }
    items = english_spanish.load_pronoun()
    texts = translations(item.english for item in items)
    return found | {"pronoun": pronouns_understood(items, texts)}


@cache
def forms() -> tuple[dict[str, set[Kind]], dict[str, set[Kind]]]:
    """The Spanish nouns and adjectives of the grammar: for each form what it can be."""
    nouns, adjectives = defaultdict(set), defaultdict(set)
    for plural in (False, True):
        for gender in "mf":
            for noun in NOUNS.values():
                if noun.gender in (gender, "c"):
                    nouns[noun.in_spanish(gender, plural)].add((gender, plural))
            for adjective in ADJECTIVES.values():
                adjectives[adjective.form(gender, plural)].add((gender, plural))
    return nouns, adjectives


def adjectives_that_agree(texts: Iterable[str]) -> tuple[int, int]:
    """How many adjectives right after a noun agree with it, and how many there are.

    Only words of the grammar are counted, and only adjectives that change with the gender.
    """
    nouns, adjectives = forms()
    agree = count = 0
    for text in texts:
        words = spanish_words(text)
        for noun, adjective in zip(words, words[1:], strict=False):
            if noun in nouns and len(adjectives.get(adjective, ())) == 1:
                count += 1
                agree += bool(nouns[noun] & adjectives[adjective])
    return agree, count


def pronouns_understood(items: Sequence[PronounItem], translations: Sequence[str]) -> dict:
    """What the translations of pronoun sentences say about "it", whatever their other words.

    judged: those with the reference's adjective in the right gender or the wrong one, and not in
    both; right: share of these in the right one. pairs: minimal pairs of which both are judged;
    pairs_right: share of these with both right, a quarter by chance.
    """
    verdicts = {}
    for item, translation in zip(items, translations, strict=True):
        words = spanish_words(translation)
        if (item.right in words) != (item.wrong in words):
            verdicts.setdefault(item.pair, []).append(item.right in words)
    single = [right for pair in verdicts.values() for right in pair]
    pairs = [pair for pair in verdicts.values() if len(pair) == 2]
    return {
        "sentences": len(items),
        "judged": len(single),
        "right": sum(single) / max(1, len(single)),
        "pairs": len(pairs),
        "pairs_right": sum(map(all, pairs)) / max(1, len(pairs)),
    }


def spanish_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
