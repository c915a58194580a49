"""Experiment: what a wider beam does to the score of a translation, and to the translation."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment
from transformer_lib.decoding import Hypothesis, beam_search, inference_mode, penalty, sample_decode
from transformer_lib.text.batching import source_batch
from transformer_lib.text.english_spanish import load
from transformer_lib.text.tokens import BOS, EOS, PAD, UNK
from transformer_lib.training.threads import using_threads
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator

BEAMS = (1, 2, 4, 8)
ALPHAS = (0.0, 0.6, 1.0, 2.0, 3.0)  # alpha of the length penalty
SPLITS = ("test", "longer")
AT_ONCE = 100  # sentences


def six_steps_of_french() -> Callable[[tuple[str, ...]], dict[str, float]]:
    """Notebook 10's model for "je suis étudiant" after six steps: words so far -> what comes next.

    What comes next is the log-probability of each English word. (Six steps of its fifteen: at the
    end it is so sure of "I" that no other word is left to follow.)
    """
    from course.chapters.ch10_training.experiment_first_words import (
        ENGLISH,
        LESSON,
        PAIRS,
        new_model,
    )

    model = new_model()
    with torch.enable_grad(), using_threads(1):
        how = dataclasses.replace(LESSON, steps=6)
        train(model, PAIRS, PAIRS, how, progress=tqdm(disable=True))
    src = source_batch([PAIRS[0][0]])

    def following(words: tuple[str, ...]) -> dict[str, float]:
        with inference_mode(model):
            logits = model(src, torch.tensor([[BOS, *ENGLISH.encode(list(words))]]))[0, -1]
            logits[[PAD, BOS, UNK]] = -torch.inf  # these never come next
        return dict(zip(ENGLISH.tokens, logits.log_softmax(dim=-1).tolist(), strict=True))

    return following


def search_all(
    translator: Translator, pairs: Sequence[tuple[str, str]], beam: int
) -> list[list[Hypothesis]]:
    """All hypotheses that a beam finds for each sentence, best first."""
    ids = [translator.src.encode(source) for source, _ in pairs]
    found = []
    for start in range(0, len(ids), AT_ONCE):
        src = source_batch(ids[start : start + AT_ONCE])
        found += beam_search(translator.model, src, beam_size=beam, n_best=beam, length_penalty=0.0)
    return found


def log_prob_of(translator: Translator, source: str, target: str) -> float:
    """How likely a model finds a translation: the log-probability of its words and <eos>, in nats.

    The sum over t of log p(y_t | y_<t, x), as the searches add it up: <pad> and <bos> never come
    next. An unknown word counts as <unk>.
    """
    src = source_batch([translator.src.encode(source)])
    ids = translator.tgt.encode(target)
    with inference_mode(translator.model):
        logits = translator.model(src, torch.tensor([[BOS, *ids]]))[0]  # (t, vocab_size)
        logits[:, [PAD, BOS]] = -torch.inf
        rows = logits.log_softmax(dim=-1)
    return sum(row[word].item() for row, word in zip(rows, [*ids, EOS], strict=True))


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


def draw_many(
    translator: Translator, pairs: Sequence[tuple[str, str]], times: int = 10, **how: Any
) -> dict[str, float]:
    """Draw each sentence `times` times, from one seed -> what came out, over all sentences.

    how: as in `sample_decode`. right: the share of draws that are right to the letter. different:
    the mean number of different translations of a sentence.
    """
    src = source_batch([translator.src.encode(source) for source, _ in pairs])
    references = [translator.tgt.encode(target) for _, target in pairs]
    rows = [i for i in range(len(pairs)) for _ in range(times)]
    generator = torch.Generator().manual_seed(0)
    with using_threads(1):  # a second one would mostly wait for the first
        drawn = sample_decode(translator.model, src[rows], generator=generator, **how)
    found = [one.ids for one in drawn]
    right = sum(ids == references[i] for ids, i in zip(found, rows, strict=True))
    different = sum(
        len({tuple(ids) for ids in found[start : start + times]})
        for start in range(0, len(found), times)
    )
    return {"right": right / len(found), "different": different / len(pairs)}


@experiment("beam")
def wider_beams() -> dict[str, Any]:
    """Exact match, log-probability and length for each beam size and length penalty."""
    translator = Translator.load()
    rows = []
    for split in SPLITS:
        pairs = load(split)
        references = [translator.tgt.encode(target) for _, target in pairs]
        for beam in tqdm(BEAMS, unit="beam", desc=split):
            found = search_all(translator, pairs, beam)
            rows += [
                {"split": split, "beam": beam, "alpha": alpha}
                | measure(choose(found, alpha), references)
                for alpha in ALPHAS
            ]
    return {"rows": rows}
