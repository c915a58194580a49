"""Experiment: what a wider beam does to the score of a translation, and to the translation."""

from typing import Any

from tqdm import tqdm

from transformer_lib.batching import source_batch
from transformer_lib.corpora.english_spanish import load
from transformer_lib.decoding import Hypothesis, beam_search, penalty
from transformer_lib.experiments import experiment
from transformer_lib.translator import Translator

BEAMS = (1, 2, 4, 8)
ALPHAS = (0.0, 0.6, 1.0, 2.0, 3.0)  # alpha of the length penalty
SPLITS = ("test", "longer")
AT_ONCE = 100  # sentences


def search_split(
    translator: Translator, split: str, beam: int, count: int | None = None
) -> list[list[Hypothesis]]:
    """All hypotheses that a beam finds, for the first `count` sentences of a split, best first."""
    pairs = load(split)[:count]
    ids = [translator.src.encode(source) for source, _ in pairs]
    found = []
    for start in range(0, len(ids), AT_ONCE):
        src = source_batch(ids[start : start + AT_ONCE])
        found += beam_search(translator.model, src, beam_size=beam, n_best=beam, length_penalty=0.0)
    return found


def choose(found: list[list[Hypothesis]], alpha: float) -> list[Hypothesis]:
    """The best hypothesis of each sentence under another length penalty.

    Beam search uses the penalty only at its end, so nothing has to be searched again.
    """

    def rank(one: Hypothesis) -> tuple[bool, float]:
        return one.finished, one.log_prob / penalty(len(one.ids) + one.finished, alpha)

    return [max(each, key=rank) for each in found]


def measure(best: list[Hypothesis], references: list[list[int]]) -> dict[str, Any]:
    """right: how many are right to the letter; and the means of log-probability and length."""
    return {
        "sentences": len(best),
        "right": sum(one.ids == ids for one, ids in zip(best, references, strict=True)),
        "log_prob": round(sum(one.log_prob for one in best) / len(best), 3),
        "words": round(sum(len(one.ids) for one in best) / len(best), 3),
    }


@experiment("beam")
def wider_beams() -> dict[str, Any]:
    """Exact match, log-probability and length for each beam size and length penalty."""
    translator = Translator.load()
    rows = []
    for split in SPLITS:
        references = [translator.tgt.encode(target) for _, target in load(split)]
        for beam in tqdm(BEAMS, unit="beam", desc=split):
            found = search_split(translator, split, beam)
            rows += [
                {"split": split, "beam": beam, "alpha": alpha}
                | measure(choose(found, alpha), references)
                for alpha in ALPHAS
            ]
    return {"rows": rows}
