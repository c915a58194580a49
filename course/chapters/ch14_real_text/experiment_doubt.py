"""Experiment: which number tells a wrong translation from a right one, and how well.

Right means one of the translations listed for a sentence. Several scores are computed for each
translation; the best one, and the threshold below which the translator says that it is unsure, are
chosen on every second sentence and told on the others.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import torch
from sacrebleu.metrics import CHRF

from course.experiments import experiment
from transformer_lib.decoding import inference_mode
from transformer_lib.text import everyday
from transformer_lib.text.batching import make_batch
from transformer_lib.text.everyday import EverydayItem
from transformer_lib.translator import Translation, Translator

BEAM = 5
FALSE_ALARMS = 0.05  # share of the right translations that may be called unsure, at most


@experiment("doubt")
def measure_doubt() -> dict[str, Any]:
    """How well each score tells right translations from wrong ones, and where to doubt."""
    return compare_scores(Translator.load("tatoeba"), everyday.load(everyday.DOUBT))


def compare_scores(translator: Translator, items: Sequence[EverydayItem]) -> dict[str, Any]:
    """Chosen on the items at even places, told on those at odd ones."""
    rows = [scored(translator, item) for item in items]
    chosen_on, told_on = rows[::2], rows[1::2]
    names = list(rows[0]["scores"])
    auroc = {
        name: {"chosen on": auroc_of(chosen_on, name), "told on": auroc_of(told_on, name)}
        for name in names
    }
    best = max(names, key=lambda name: auroc[name]["chosen on"])
    threshold = threshold_of(chosen_on, best)
    return {
        "sentences": len(rows),
        "right": fmean(row["right"] for row in rows),
        "auroc": auroc,
        "score": best,
        "threshold": round(threshold, 4),
        "doubted": {
            half: {
                "right": share_below(some, best, threshold, right=True),
                "wrong": share_below(some, best, threshold, right=False),
            }
            for half, some in (("chosen on", chosen_on), ("told on", told_on))
        },
    }


def scored(translator: Translator, item: EverydayItem) -> dict[str, Any]:
    """Whether the greedy translation is right, and its scores: the higher, the surer."""
    translation = translator.translate(item.english)[0]
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
    others = translator.translate(text, beam=BEAM, n_best=BEAM)
    alike = [CHRF().sentence_score(other.text, [translation.text]).score for other in others]
    return {
        "mean log-probability": translation.mean_log_prob,
        "sum of log-probabilities": translation.log_prob,
        "least log-probability": min(log_probs),
        "mean of the three least": fmean(sorted(log_probs)[:3]),
        "agreement of the beam": fmean(alike),
        "words per subword": len(text.split()) / len(translator.read(text)),
    }


def token_log_probs(translator: Translator, text: str, translation: Translation) -> list[float]:
    """Of each token and of <eos>, given those before."""
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


def threshold_of(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    """The score below which at most FALSE_ALARMS of the right translations lie."""
    right = sorted(row["scores"][name] for row in rows if row["right"])
    return right[int(FALSE_ALARMS * len(right))]


def share_below(
    rows: Sequence[Mapping[str, Any]], name: str, threshold: float, *, right: bool
) -> float:
    asked = [row["scores"][name] for row in rows if row["right"] == right]
    return sum(score < threshold for score in asked) / len(asked)
