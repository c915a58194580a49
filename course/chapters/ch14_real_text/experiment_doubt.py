"""Experiment: which number tells a wrong translation from a right one, and how well.

Right means one of the translations listed for a sentence. Several scores are computed for each
translation, and each gets a threshold that all but one in twenty right ones reach. It is chosen on
every second sentence; how many right and wrong ones it doubts is told on the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

import torch
from sacrebleu.metrics import CHRF

from course.experiments import experiment
from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.decoding import inference_mode
from transformer_lib.text import everyday
from transformer_lib.text.batching import make_batch
from transformer_lib.text.everyday import EverydayItem
from transformer_lib.translator import MODELS, Translation, Translator

BEAM = 5
ONE_IN = 20  # of the right translations one in so many may be called unsure
USED = "mean log-probability"  # what `ConfidenceThresholds` compares


@experiment("doubt")
def measure_doubt() -> dict[str, Any]:
    """How well each score tells right translations from wrong ones, and where to doubt.

    The thresholds in use, those of the mean log-probability, are written beside the weights.
    """
    translator = Translator.load("tatoeba")
    found = compare_scores(translator, everyday.load(everyday.DOUBT))
    ConfidenceThresholds(**found["thresholds"]).save(MODELS["tatoeba"])
    return found


def compare_scores(translator: Translator, items: Sequence[EverydayItem]) -> dict[str, Any]:
    """Choose thresholds on the items at even indices, and report them on those at odd ones."""
    rows = [scored(translator, item) for item in items]
    halves = {"chosen on": rows[::2], "told on": rows[1::2]}
    right = {
        name: [row["scores"][name] for row in halves["chosen on"] if row["right"]]
        for name in rows[0]["scores"]
    }
    found = {
        name: ConfidenceThresholds.of(some, ONE_IN, right=True) for name, some in right.items()
    }
    return {
        "sentences": len(rows),
        "right": fmean(row["right"] for row in rows),
        "thresholds": asdict(found[USED]),
        "scores": {
            name: {
                half: {
                    "auroc": auroc_of(some, name),
                    "right doubted": share_below(some, name, thresholds.usual, right=True),
                    "wrong doubted": share_below(some, name, thresholds.usual, right=False),
                }
                for half, some in halves.items()
            }
            for name, thresholds in found.items()
        },
    }


def scored(translator: Translator, item: EverydayItem) -> dict[str, Any]:
    """Whether the greedy translation is right, and its scores: the higher, the surer."""
    translation = translator.translate(item.english)
    return {
        "right": translation.text in item.translations,
        "scores": scores(translator, item.english, translation),
    }


def scores(translator: Translator, text: str, translation: Translation) -> dict[str, float]:
    """What could tell that a translation is wrong, without a reference.

    mean, sum and least of the log-probabilities of its tokens; how alike the translations are that
    a beam finds (mean chrF of the others to it); how few subwords a word of the source takes.
    """
    log_probs = token_log_probs(translator, text, translation)
    best = translator.translate(text, beam=BEAM, n_best=BEAM)
    alike = [
        CHRF().sentence_score(other.text, [translation.text]).score
        for other in (best, *best.others)
    ]
    return {
        "mean log-probability": translation.mean_log_prob,
        "sum of log-probabilities": translation.log_prob,
        "least log-probability": min(log_probs),
        "mean of the three least": fmean(sorted(log_probs)[:3]),
        "agreement of the beam": fmean(alike),
        "words per subword": len(text.split()) / len(translator.read(text)),
    }


def token_log_probs(translator: Translator, text: str, translation: Translation) -> list[float]:
    """The log-probability of each token, and of <eos>, given the tokens before it."""
    source = translator.src.vocab.encode(translator.read(text))
    batch = make_batch([(source, translator.tgt.vocab.encode(translation.tokens))])
    with inference_mode(translator.model):
        logits = translator.model(batch.src, batch.tgt_in)
    found = torch.log_softmax(logits[0].float(), dim=-1)
    return found.gather(-1, batch.tgt_out[0][:, None])[:, 0].tolist()


def auroc_of(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    """The chance that a right translation scores higher than a wrong one; ties count half."""
    right, wrong = (
        [r["scores"][name] for r in rows if r["right"] == is_right] for is_right in (True, False)
    )
    wins = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return wins / (len(right) * len(wrong))


def share_below(
    rows: Sequence[Mapping[str, Any]], name: str, threshold: float, *, right: bool
) -> float:
    asked = [row["scores"][name] for row in rows if row["right"] == right]
    return sum(score < threshold for score in asked) / len(asked)
