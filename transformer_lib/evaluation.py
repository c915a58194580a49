"""How good a translator is, split by split, and what its attention heads have to do with it."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest

import torch
from torch import Tensor

from transformer_lib.batching import Batch, Ids, make_batch
from transformer_lib.corpora import english_spanish
from transformer_lib.corpora.english_spanish import PronounItem
from transformer_lib.corpora.everyday import EverydayItem
from transformer_lib.corpora.parallel import place_of
from transformer_lib.decoding import beam_search, deciding, greedy_decode
from transformer_lib.recording import edit_attention, record_attention
from transformer_lib.sureness import Sureness
from transformer_lib.tokens import PAD
from transformer_lib.translator import Translator
from transformer_lib.typed import InputError

TextPairs = Sequence[tuple[str, str]]
Edit = Callable[[Tensor], Tensor]
# Kept apart from training, and no longer than its sentences.
LIKE_TRAINING = ("test", "noun-adjective", "pronoun", "gustar")
RESAMPLES = 1000  # sets of sentences, drawn anew from those of a test, for a confidence interval
MOST_RESAMPLED = 5000  # sentences; sacrebleu keeps all sets in memory at once, here half a gigabyte


def evaluate_split(translator: Translator, pairs: TextPairs) -> dict:
    """Greedy translations of one split against its references.

    exact_match: share of sentences that are right to the letter. token_accuracy: share of words,
    <eos> included, that are the likeliest next word after a right beginning. bleu: sacreBLEU, 0 to
    100, of the proper text.
    """
    translations = translator.translate_all([source for source, _ in pairs])
    return {
        "sentences": len(pairs),
        "token_accuracy": token_accuracy(translator, pairs),
        **text_scores(translations, [[reference] for _, reference in pairs]),
    }


def text_scores(translations: Sequence[str], references: Sequence[Sequence[str]]) -> dict:
    """exact_match (0 to 1), and bleu (0 to 100) with its signature, as in `evaluate_split`.

    references: for each sentence all translations that are right.
    """
    return {
        "exact_match": share_right(translations, references),
        **sacrebleu_score("bleu", translations, references),
    }


def share_right(translations: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Share of translations that equal one of their references to the letter, signs included."""
    if any(isinstance(several, str) for several in references):
        raise TypeError("each sentence needs a list of references, also where there is only one")
    right = [text in several for text, several in zip(translations, references, strict=True)]
    return sum(right) / len(right)


def sacrebleu_score(
    name: str,
    translations: Sequence[str],
    references: Sequence[Sequence[str]],
    resamples: int = 1,
    **settings,
) -> dict:
    """By sacreBLEU, for the name "bleu" or "chrf": NAME (0 to 100) and NAME_signature.

    With resamples > 1 also NAME_interval, the ends of the 95 % confidence interval that sacreBLEU
    finds by drawing so many sets of sentences, with the seed in the signature (Koehn, 2004). It
    has none for chrF where nothing at all matches in one of these sets. settings: sacreBLEU's own,
    such as lowercase=True.
    """
    import sacrebleu  # here, because it is needed for nothing else

    metric = {"bleu": sacrebleu.BLEU, "chrf": sacrebleu.CHRF}[name](**settings)
    # It wants a list of first references, one of second ones, …; None where a sentence has no more.
    streams = list(zip_longest(*references))
    try:
        score = metric.corpus_score(list(translations), streams, n_bootstrap=resamples)
    except TypeError:  # sacreBLEU 2.6 can't take the mean of a float and NumPy's numbers
        if resamples == 1:
            raise
        return sacrebleu_score(name, translations, references, **settings)
    signature = str(metric.get_signature())
    found = {name: score.score, f"{name}_signature": signature}
    if resamples > 1:
        told = json.loads(score.format(width=6, signature=signature, is_json=True))
        # Not told where no set of sentences scores anything.
        mean, half = told.get("confidence_mean", 0.0), told.get("confidence_var", 0.0)
        found[f"{name}_interval"] = [mean - half, mean + half]
    return found


def real_text_scores(translations: Sequence[str], references: Sequence[Sequence[str]]) -> dict:
    """As `text_scores`, and chrf; both with intervals, unless there are too many sentences."""
    resamples = RESAMPLES if len(translations) <= MOST_RESAMPLED else 1
    return {
        "exact_match": share_right(translations, references),
        **sacrebleu_score("bleu", translations, references, resamples),
        **sacrebleu_score("chrf", translations, references, resamples),
    }


def evaluate_text(translator: Translator, pairs: TextPairs) -> dict:
    """As `evaluate_split`, for pairs that people wrote, with `real_text_scores`.

    A source sentence that stands in several pairs counts once; all its translations are right.
    """
    references: dict[str, dict[str, None]] = {}
    for source, target in pairs:
        references.setdefault(source, {})[target] = None
    translations = translator.translate_all(list(references))
    return {
        "sentences": len(references),
        "references": sum(map(len, references.values())),
        "token_accuracy": token_accuracy(translator, pairs),
        **real_text_scores(translations, [list(several) for several in references.values()]),
    }


def evaluate_everyday(
    translator: Translator, items: Sequence[EverydayItem], training: Iterable[str] = ()
) -> dict:
    """Greedy translations of everyday sentences, as they are typed, with `real_text_scores`.

    unreadable: how many have a word that the translator refuses; they count as wrong. groups: the
    share that is right to the letter in each. training: source sentences; "seen" and "unseen" then
    keep apart what stands among them, but for capitals, spaces and signs. translations: all.
    """
    found = translator.translate_many([item.english for item in items])
    texts = ["" if isinstance(one, InputError) else one[0].text for one in found]
    places = set(map(place_of, training))
    members: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        members.setdefault(item.group, []).append(i)
    if places:
        for i, item in enumerate(items):
            name = "seen" if place_of(item.english) in places else "unseen"
            members.setdefault(name, []).append(i)
    return {
        "sentences": len(items),
        "references": sum(len(item.translations) for item in items),
        "unreadable": sum(isinstance(one, InputError) for one in found),
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
    """BLEU of greedy translations of up to `count` encoded pairs, taken from all over them.

    For validating while a model learns: a translation that goes on and on is cut off.
    """
    some = [pairs[i] for i in range(0, len(pairs), math.ceil(len(pairs) / count))]
    longest = max(len(target) for _, target in some) + 10
    greedy = partial(greedy_decode, translator.model, max_length=longest)
    written = translator.in_batches([source for source, _ in some], greedy)
    text = translator.tgt.text
    references = [[text(target)] for _, target in some]
    return sacrebleu_score("bleu", [text(ids) for ids in written], references)["bleu"]


def token_accuracy(translator: Translator, pairs: TextPairs) -> float:
    right = total = 0
    with deciding(translator.model):
        for batch in split_batches(translator, pairs):
            best = translator.model(batch.src, batch.tgt_in).argmax(dim=-1)
            counts = batch.tgt_out != PAD
            right += int((best == batch.tgt_out)[counts].sum())
            total += int(counts.sum())
    return right / total


def split_batches(translator: Translator, pairs: TextPairs, size: int = 250) -> list[Batch]:
    """A split as batches, in its own order."""
    ids = [(translator.src.encode(a), translator.tgt.encode(b)) for a, b in pairs]
    return [make_batch(ids[i : i + size]) for i in range(0, len(ids), size)]


def exact_match(translator: Translator, pairs: TextPairs) -> float:
    """Share of sentences whose greedy translation is right to the letter."""
    translations = translator.translate_all([source for source, _ in pairs])
    return sum(a == b for a, (_, b) in zip(translations, pairs, strict=True)) / len(pairs)


def mean_log_probs(translator: Translator, texts: Sequence[str]) -> list[float]:
    """Of the greedy translation of each, the mean log-probability of its words, <eos> included."""
    ids = [translator.src.encode(text) for text in texts]
    greedy = partial(beam_search, translator.model, beam_size=1)
    return [best.log_prob / (len(best.ids) + 1) for (best,) in translator.in_batches(ids, greedy)]


def measure_sureness(translator: Translator, texts: Iterable[str] | None = None) -> Sureness:
    """How sure the translator is of these sentences, which it should not have learned.

    Without texts, of our own that are like those it has learned, but not the same.
    """
    if texts is None:
        texts = [text for split in LIKE_TRAINING for text, _ in english_spanish.load(split)]
    return Sureness.of(mean_log_probs(translator, list(texts)))


def evaluate_pronouns(translator: Translator, items: Sequence[PronounItem]) -> dict:
    """As `evaluate_split`, and `pair_exact_match`."""
    pairs = [(item.english, item.spanish) for item in items]
    return evaluate_split(translator, pairs) | {
        "pair_exact_match": pair_exact_match(translator, items)
    }


def pair_exact_match(translator: Translator, items: Sequence[PronounItem]) -> float:
    """Share of minimal pairs with both members right to the letter."""
    translations = translator.translate_all([item.english for item in items])
    both: dict[int, bool] = {}
    for item, translation in zip(items, translations, strict=True):
        both[item.pair] = both.get(item.pair, True) and translation == item.spanish
    return sum(both.values()) / len(both)


# --- What the heads do with pronouns -------------------------------------------------------------


class PronounBatch:
    """Pronoun sentences as one batch, with the places that matter, each (b,).

    In the source: adjective, pronoun, antecedent (the noun it means) and other (the noun it could
    mean). In the target: adjective_out, where the Spanish adjective is written, and pronoun_out,
    where the verb is that stands for the dropped pronoun. right, wrong: ids of the Spanish
    adjective in the right gender and in the other.
    """

    def __init__(self, translator: Translator, items: Sequence[PronounItem]):
        ids = [
            (translator.src.encode(item.english), translator.tgt.encode(item.spanish))
            for item in items
        ]
        batch = make_batch(ids)
        self.src, self.tgt_in, self.tgt_out = batch.src, batch.tgt_in, batch.tgt_out
        self.rows = torch.arange(len(items))
        self.adjective = torch.tensor([item.adjective for item in items])
        self.pronoun = torch.tensor([item.pronoun for item in items])
        self.antecedent = torch.tensor([item.antecedent for item in items])
        self.other = torch.tensor([item.other for item in items])
        tokens = translator.tgt.vocab.ids
        self.right = torch.tensor([tokens[item.right] for item in items])
        self.wrong = torch.tensor([tokens[item.wrong] for item in items])
        clause = [because_clause(translator.tgt.tokenizer(item.spanish)) for item in items]
        self.pronoun_out = torch.tensor(clause)
        self.adjective_out = torch.tensor(
            [
                start + translator.tgt.tokenizer(item.spanish)[start:].index(item.right)
                for start, item in zip(clause, items, strict=True)
            ]
        )


def because_clause(tokens: Sequence[str]) -> int:
    """The place after "porque", or after the "como" that begins a sentence."""
    return tokens.index("porque") + 1 if "porque" in tokens else tokens.index("como") + 1


def head_accuracy(translator: Translator, batch: PronounBatch) -> list[dict]:
    """For each head of the encoder and of cross-attention: where its largest weight goes.

    right, other: share of sentences in which it goes to the antecedent, and to the other noun;
    mass: mean weight on the antecedent. `from`: the word that looks. In cross-attention that is the
    place where the decoder writes the Spanish adjective, and the verb of the dropped pronoun.
    """
    with deciding(translator.model), record_attention(translator.model) as recorded:
        translator.model(batch.src, batch.tgt_in)
    table = []
    for layer, weights in recorded.items():
        if layer.startswith("encoder"):
            queries = {"adjective": batch.adjective, "pronoun": batch.pronoun}
        elif layer.endswith("cross_attn"):
            queries = {"adjective": batch.adjective_out, "pronoun": batch.pronoun_out}
        else:
            continue
        for word, places in queries.items():
            rows = weights[batch.rows, :, places]  # (b, h, s)
            largest = rows.argmax(dim=-1)
            right = (largest == batch.antecedent[:, None]).float().mean(dim=0)
            other = (largest == batch.other[:, None]).float().mean(dim=0)
            mass = rows[batch.rows, :, batch.antecedent].mean(dim=0)
            for head in range(rows.size(1)):
                table.append({
                    "layer": layer, "head": head, "from": word,
                    "right": right[head].item(), "other": other[head].item(),
                    "mass": mass[head].item(),
                })  # fmt: skip
    return table


def agreement(
    translator: Translator, batch: PronounBatch, edits: Mapping[str, Edit] | None = None
) -> float:
    """Share of sentences whose Spanish adjective gets the right gender rather than the wrong one.

    After the right beginning, the logit of the right form must be the larger one. `edits`: changes
    to the attention, as in `edit_attention`.
    """
    model = translator.model
    with deciding(model), edit_attention(model, edits or {}):
        decoded = model.decode(batch.tgt_in, model.encode(batch.src), batch.src)
        logits = model.generator(decoded[batch.rows, batch.adjective_out])  # of one word each
    right, wrong = logits[batch.rows, batch.right], logits[batch.rows, batch.wrong]
    return (right > wrong).float().mean().item()


def switch_off(head: int) -> Edit:
    """The head contributes nothing."""

    def edit(weights: Tensor) -> Tensor:
        weights = weights.clone()
        weights[:, head] = 0.0
        return weights

    return edit


def forbid(rows: Tensor, queries: Tensor, keys: Sequence[Tensor]) -> Edit:
    """In no head do these queries see these keys; what they saw there goes to the other words."""

    def edit(weights: Tensor) -> Tensor:
        weights = weights.clone()
        for key in keys:
            weights[rows, :, queries, key] = 0.0
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)

    return edit


def swap(rows: Tensor, head: int | slice, queries: Tensor, one: Tensor, another: Tensor) -> Edit:
    """Two numbers of one row of this head, or of each of several, change places."""

    def edit(weights: Tensor) -> Tensor:
        swapped = weights.clone()
        swapped[rows, head, queries, one] = weights[rows, head, queries, another]
        swapped[rows, head, queries, another] = weights[rows, head, queries, one]
        return swapped

    return edit


def best_head(translator: Translator, items: Sequence[PronounItem]) -> tuple[str, int]:
    """The encoder layer and head that finds the antecedent from the adjective most often.

    Chosen on one half of the minimal pairs, so that it can be measured on the other.
    """
    batch = PronounBatch(translator, measurable(translator, items, half=0))
    rows = [
        row
        for row in head_accuracy(translator, batch)
        if row["from"] == "adjective" and row["layer"].startswith("encoder")
    ]
    best = max(rows, key=lambda row: row["right"])
    return best["layer"], best["head"]


def measurable(
    translator: Translator, items: Sequence[PronounItem], half: int
) -> list[PronounItem]:
    """One half (0 or 1) of the pairs, without adjectives that the model knows in one gender only.

    An adjective that was only ever seen in one gender can't be got wrong.

    The corpus alternates: one pair begins with a masculine noun, the next with a feminine one. So
    every second pair would be one gender's; every second *two* pairs are as many of each. Both
    sentences of a pair have the same number, so they stay together.
    """
    known = translator.tgt.vocab.ids
    return [
        item
        for item in items
        if item.pair // 2 % 2 == half and item.right in known and item.wrong in known
    ]


def head_report(translator: Translator, items: Sequence[PronounItem]) -> dict:
    """Which encoder head finds the antecedent from the adjective, and what hangs on it.

    The head is chosen on one half of the minimal pairs; every number is measured on the other.
    """
    layer, head = best_head(translator, items)
    batch = PronounBatch(translator, measurable(translator, items, half=1))
    heads = head_accuracy(translator, batch)
    best = next(
        row
        for row in heads
        if (row["layer"], row["head"], row["from"]) == (layer, head, "adjective")
    )
    nouns = [batch.antecedent, batch.other]
    layers = [f"encoder.layers.{i}.self_attn" for i in range(translator.model.config.N)]
    cut = {
        word: forbid(batch.rows, places, nouns)
        for word, places in (("adjective", batch.adjective), ("pronoun", batch.pronoun))
    }
    swapped = swap(batch.rows, head, batch.adjective, batch.antecedent, batch.other)
    return {
        "sentences": len(batch.rows),
        "best_head": best,
        "agreement": {
            "as trained": agreement(translator, batch),
            "best head off": agreement(translator, batch, {layer: switch_off(head)}),
            "adjective can't see the nouns": agreement(
                translator, batch, dict.fromkeys(layers, cut["adjective"])
            ),
            "pronoun can't see the nouns": agreement(
                translator, batch, dict.fromkeys(layers, cut["pronoun"])
            ),
            "two numbers swapped in the best head": agreement(translator, batch, {layer: swapped}),
        },
        "each_head_off": {
            f"{name}.{i}": agreement(translator, batch, {name: switch_off(i)})
            for name in dict.fromkeys(row["layer"] for row in heads)
            for i in range(translator.model.config.h)
        },
        "heads": heads,
    }
