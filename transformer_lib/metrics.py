"""How good a translator is: exact match, BLEU and chrF, on each split or on a user's pairs."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.decoding import greedy_decode, inference_mode
from transformer_lib.ids import PAD
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import Ids, make_batch, similar_lengths
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.everyday import EverydayItem
from transformer_lib.text.parallel import sentence_hash
from transformer_lib.text.user_input import InputError, several
from transformer_lib.translator import Translator

TextPairs = Sequence[tuple[str, str]]
Scores = dict[str, Any]  # what was measured, by name
# Splits that were kept out of training, with sentences no longer than those in it.
LIKE_TRAINING = ("test", "noun-adjective", "pronoun", "gustar")
FEWEST = 30  # sentences; of fewer, random sets are too much alike to tell anything
RESAMPLES = 1000  # random sets of a test's sentences, for a confidence interval
MOST_RESAMPLED = 5000  # sentences; sacreBLEU keeps all sets in memory, here half a gigabyte


def evaluate_split(translator: Translator, pairs: TextPairs) -> Scores:
    """Greedy translations of one split, compared with its references.

    exact_match: share of sentences that are right to the letter. token_accuracy: share of words,
    <eos> included, that the model finds likeliest after the right words before them. bleu:
    sacreBLEU, 0 to 100, of the text as it would be written.
    """
    translations, unreadable = written(translator, [source for source, _ in pairs])
    return {
        "sentences": len(pairs),
        **unreadable,
        "token_accuracy": token_accuracy(translator, pairs),
        **text_scores(translations, [[reference] for _, reference in pairs]),
    }


def written(translator: Translator, texts: Iterable[str]) -> tuple[list[str], Scores]:
    """Greedy translations as text, "" for what the translator refuses; and what it refuses.

    unreadable: how many texts; refusal: what is said of the first, if any. They count as wrong.
    """
    found = translator.translate(texts, return_errors=True)
    errors = [str(one) for one in found if isinstance(one, InputError)]
    texts = ["" if isinstance(one, InputError) else one.text for one in found]
    return texts, {"unreadable": len(errors)} | ({"refusal": errors[0]} if errors else {})


def text_scores(
    translations: Sequence[str], references: Sequence[Sequence[str]], resamples: int = 1
) -> Scores:
    """exact_match (0 to 1), and bleu (0 to 100) with its signature, as in `evaluate_split`.

    references: for each sentence, all translations that count as right. resamples: see
    `sacrebleu_score`.
    """
    return {
        "exact_match": share_right(translations, references),
        **sacrebleu_score("bleu", translations, references, resamples),
    }


def share_right(translations: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Share of translations exactly equal to a reference; TypeError for references not in lists."""
    pairs = zip(several(translations, "translations"), references, strict=True)
    right = [text in several(right_ones, "references") for text, right_ones in pairs]
    return sum(right) / len(right)


def sacrebleu_score(
    name: str,
    translations: Sequence[str],
    references: Sequence[Sequence[str]],
    resamples: int = 1,
    **settings: Any,
) -> Scores:
    """The sacreBLEU score for the name "bleu" or "chrf": NAME (0 to 100), and NAME_signature.

    The score is None, and NAME_note says why, for BLEU of translations without any four words in a
    row, which it needs. With resamples > 1 also NAME_interval, from where to where 95 % of the
    scores lie of that many random sets of sentences, as sacreBLEU draws them with the seed in the
    signature (Koehn 2004). For fewer than FEWEST sentences, or if one of the sets has no score,
    NAME_note says so instead. settings: sacreBLEU's, such as lowercase=True.
    """
    import sacrebleu  # here, because it is needed for nothing else
    from sacrebleu.significance import _bootstrap_resample

    metric = {"bleu": sacrebleu.BLEU, "chrf": sacrebleu.CHRF}[name](**settings)
    # It wants a list of first references, one of second ones, …; None where a sentence has no more.
    streams = list(zip_longest(*(several(some, "references") for some in references)))
    score = metric.corpus_score(list(several(translations, "translations")), streams)
    found: Scores = {name: min(score.score, 100.0) if is_defined(score) else None}
    if found[name] is None:
        found[f"{name}_note"] = "BLEU counts four words in a row, and no translation has so many"
    elif 1 < resamples and len(translations) < FEWEST:
        found[f"{name}_note"] = f"fewer than {FEWEST} sentences are too few for a 95 % interval"
    elif resamples > 1:
        # sacreBLEU itself tells only the mean and half of the width, so we ask for all the scores.
        of_sentences = metric._extract_corpus_statistics(translations, streams)
        metric.seed, sets = _bootstrap_resample(of_sentences, metric, resamples)
        metric.n_bootstrap = resamples
        if all(map(is_defined, sets)):
            drawn, outside = sorted(min(float(one.score), 100.0) for one in sets), resamples // 40
            found[f"{name}_interval"] = [drawn[outside], drawn[-1 - outside]]
        else:
            found[f"{name}_note"] = "too few sentences have four words in a row for an interval"
    return found | {f"{name}_signature": str(metric.get_signature())}


def is_defined(score: Any) -> bool:
    """Whether a score of sacreBLEU says anything: BLEU is 0 where there is nothing to count."""
    return bool(getattr(score, "totals", [1])[-1])


def real_text_scores(translations: Sequence[str], references: Sequence[Sequence[str]]) -> Scores:
    """As `text_scores`, and chrF; with intervals for up to MOST_RESAMPLED sentences."""
    resamples = RESAMPLES if len(translations) <= MOST_RESAMPLED else 1
    return {
        **text_scores(translations, references, resamples),
        **sacrebleu_score("chrf", translations, references, resamples),
    }


def evaluate_text(translator: Translator, pairs: TextPairs) -> Scores:
    """As `evaluate_split`, for pairs that people wrote, with `real_text_scores`.

    A source sentence that is in several pairs counts once; all its translations are right.
    """
    references: dict[str, dict[str, None]] = {}
    for source, target in pairs:
        references.setdefault(source, {})[target] = None
    translations, unreadable = written(translator, references)
    return {
        "sentences": len(references),
        **unreadable,
        "references": sum(map(len, references.values())),
        "token_accuracy": token_accuracy(translator, pairs),
        **real_text_scores(translations, [list(some) for some in references.values()]),
    }


def evaluate_everyday(
    translator: Translator, items: Sequence[EverydayItem], training: Iterable[str] = ()
) -> Scores:
    """Greedy translations of everyday sentences, as they are typed, with `real_text_scores`.

    unreadable, refusal: see `written`. groups: the share of each group that is right to the letter.
    training: source sentences that the model learned from; then the groups "seen" and "unseen" tell
    which sentences are among them, whatever their capitals, spaces and punctuation. translations:
    each with whether it is right.
    """
    texts, unreadable = written(translator, [item.english for item in items])
    places = set(map(sentence_hash, training))
    members: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        members.setdefault(item.group, []).append(i)
    if places:
        for i, item in enumerate(items):
            name = "seen" if sentence_hash(item.english) in places else "unseen"
            members.setdefault(name, []).append(i)
    return {
        "sentences": len(items),
        "references": sum(len(item.translations) for item in items),
        **unreadable,
        **real_text_scores(texts, [item.translations for item in items]),
        "groups": {
            name: {
                "sentences": len(chosen),
                "exact_match": share_right(
                    [texts[i] for i in chosen], [items[i].translations for i in chosen]
                ),
            }
            for name, chosen in members.items()
        },
        "translations": [
            {"english": item.english, "translation": text, "right": text in item.translations}
            for item, text in zip(items, texts, strict=True)
        ],
    }


def quick_bleu(translator: Translator, pairs: Sequence[tuple[Ids, Ids]], count: int = 300) -> float:
    """BLEU (0 to 100) of greedy translations of up to `count` encoded pairs, evenly spaced.

    For validating during training: a translation is cut off 10 words after the longest reference.
    """
    some = [pairs[i] for i in range(0, len(pairs), math.ceil(len(pairs) / count))]
    longest = max(len(target) for _, target in some) + 10
    greedy = partial(greedy_decode, translator.model, max_length=longest)
    found = translator.in_batches([source for source, _ in some], greedy)
    decode = translator.tgt.decode
    references = [[decode(target)] for _, target in some]
    return sacrebleu_score("bleu", [decode(ids) for ids in found], references)["bleu"] or 0.0


def token_accuracy(translator: Translator, pairs: TextPairs) -> float | None:
    """Share of target words, <eos> included, that are likeliest after the right words before.

    Of pairs in which neither side is too long for the translator; None if there are no others.
    """
    src, tgt = translator.src, translator.tgt
    ids = [(src.encode(a), tgt.encode(b)) for a, b in pairs]
    ids = [(a, b) for a, b in ids if len(a) <= src.longest and len(b) <= tgt.longest]
    right = total = 0
    with inference_mode(translator.model):
        for chosen in similar_lengths([1 + max(map(len, pair)) for pair in ids]):
            batch = make_batch([ids[i] for i in chosen]).to(translator.device)
            best = translator.model(batch.src, batch.tgt_in).argmax(dim=-1)
            counts = batch.tgt_out != PAD
            right += int((best == batch.tgt_out)[counts].sum())
            total += int(counts.sum())
    return right / total if total else None


def exact_match(translator: Translator, pairs: TextPairs) -> float:
    """Share of sentences whose greedy translation is right to the letter."""
    translations, _ = written(translator, [source for source, _ in pairs])
    return share_right(translations, [[target] for _, target in pairs])


def mean_log_probs(translator: Translator, texts: Iterable[str]) -> list[float]:
    """Mean log-probabilities, in nats, of the words and <eos> of each text's greedy translation.

    A text that the translator refuses has none.
    """
    found = translator.translate(several(texts, "texts"), return_errors=True)
    return [one.mean_log_prob for one in found if not isinstance(one, InputError)]


def measure_confidence(
    translator: Translator, texts: Iterable[str] | None = None
) -> ConfidenceThresholds:
    """Thresholds from held-out sentences; texts=None: the source side of LIKE_TRAINING."""
    if texts is None:
        texts = [text for split in LIKE_TRAINING for text, _ in english_spanish.load(split)]
    return ConfidenceThresholds.of(mean_log_probs(translator, texts))


def evaluate_pronouns(translator: Translator, items: Sequence[PronounItem]) -> Scores:
    """As `evaluate_split`, with `pair_exact_match`."""
    pairs = [(item.english, item.spanish) for item in items]
    both = pair_exact_match(translator, items)
    return evaluate_split(translator, pairs) | {"pair_exact_match": both}


def pair_exact_match(translator: Translator, items: Sequence[PronounItem]) -> float:
    """Share of minimal pairs with both members right to the letter."""
    translations, _ = written(translator, [item.english for item in items])
    both: dict[int, bool] = {}
    for item, translation in zip(items, translations, strict=True):
        both[item.pair] = both.get(item.pair, True) and translation == item.spanish
    return sum(both.values()) / len(both)
