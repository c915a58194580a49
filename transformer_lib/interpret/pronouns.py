"""Which attention heads find the noun that a pronoun means, and what depends on them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import (
    Edit,
    ablate_head,
    block_attention,
    patch_attention,
    swap_attention,
)
from transformer_lib.interpret.recording import attention_layers, record_attention
from transformer_lib.text.batching import make_batch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.translator import Translator


class PronounBatch:
    """Pronoun sentences as one batch, with the positions that matter, each (b,).

    In the source: adjective, pronoun, antecedent (the noun it means) and other (the noun it could
    mean). In the target: adjective_out, where the Spanish adjective is written, and pronoun_out,
    where the verb is whose pronoun is dropped. right, wrong: ids of this adjective in both genders.
    """

    def __init__(self, translator: Translator, items: Sequence[PronounItem]):
        ids = [
            (translator.src.encode(item.english), translator.tgt.encode(item.spanish))
            for item in items
        ]
        device = translator.device
        batch = make_batch(ids).to(device)
        self.src, self.tgt_in, self.tgt_out = batch.src, batch.tgt_in, batch.tgt_out
        tokens = translator.tgt.vocab.ids

        def column(numbers: Iterable[int]) -> Tensor:
            return torch.tensor(list(numbers), device=device)

        self.rows = column(range(len(items)))
        self.adjective = column(item.adjective for item in items)
        self.pronoun = column(item.pronoun for item in items)
        self.antecedent = column(item.antecedent for item in items)
        self.other = column(item.other for item in items)
        self.right = column(tokens[item.right] for item in items)
        self.wrong = column(tokens[item.wrong] for item in items)
        texts = [translator.tgt.tokenizer(item.spanish) for item in items]
        # The clause starts after "porque", or after the "como" that begins a sentence.
        starts = [text.index("porque" if "porque" in text else "como") + 1 for text in texts]
        self.pronoun_out = column(starts)
        found = zip(texts, items, starts, strict=True)
        self.adjective_out = column(text.index(item.right, i) for text, item, i in found)


def head_accuracy(translator: Translator, batch: PronounBatch) -> list[dict[str, Any]]:
    """For each head of the encoder and of cross-attention: where its largest weight is.

    right, other: share of sentences in which it is on the antecedent, and on the other noun; mass:
    mean weight on the antecedent. `from`: the word whose query it is. In cross-attention these are
    the positions at which the decoder writes the adjective, and the verb without its pronoun.
    """
    with inference_mode(translator.model), record_attention(translator.model) as recorded:
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
                table.append(
                    {
                        "layer": layer,
                        "head": head,
                        "from": word,
                        "right": right[head].item(),
                        "other": other[head].item(),
                        "mass": mass[head].item(),
                    }
                )
    return table


def agreement(
    translator: Translator, batch: PronounBatch, edits: Mapping[str, Edit] | None = None
) -> float:
    """Share of sentences whose Spanish adjective gets the right gender rather than the wrong one.

    The decoder reads the right words before it; then the logit of the right form must be the
    larger of the two. edits: changes to the attention weights, as in `patch_attention`.
    """
    model = translator.model
    with inference_mode(model), patch_attention(model, edits or {}):
        decoded = model.decode(batch.tgt_in, model.encode(batch.src), batch.src)
        logits = model.generator(decoded[batch.rows, batch.adjective_out])  # one position of each
    right, wrong = logits[batch.rows, batch.right], logits[batch.rows, batch.wrong]
    return float((right > wrong).float().mean())


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

    With an adjective whose other form the model never saw, it can't go wrong. In the corpus, pairs
    that begin with a masculine noun alternate with those that begin with a feminine one, so they
    are taken two by two; the two sentences of a pair have one number, so they stay together.
    """
    known = translator.tgt.vocab.ids
    return [
        item
        for item in items
        if item.pair // 2 % 2 == half and item.right in known and item.wrong in known
    ]


def head_report(translator: Translator, items: Sequence[PronounItem]) -> dict[str, Any]:
    """Which encoder head finds the antecedent from the adjective, and what depends on it.

    The head is chosen on one half of the minimal pairs; every number is measured on the other.
    """
    layer, head = best_head(translator, items)
    batch = PronounBatch(translator, measurable(translator, items, half=1))
    heads = head_accuracy(translator, batch)
    which = (layer, head, "adjective")
    best = next(row for row in heads if (row["layer"], row["head"], row["from"]) == which)
    nouns = [batch.antecedent, batch.other]
    layers = [name for name in attention_layers(translator.model) if name.startswith("encoder")]
    cut = {
        word: block_attention(batch.rows, places, nouns)
        for word, places in (("adjective", batch.adjective), ("pronoun", batch.pronoun))
    }
    swapped = swap_attention(batch.rows, head, batch.adjective, batch.antecedent, batch.other)
    return {
        "sentences": len(batch.rows),
        "best_head": best,
        "agreement": {
            "as trained": agreement(translator, batch),
            "best head off": agreement(translator, batch, {layer: ablate_head(head)}),
            "adjective can't see the nouns": agreement(
                translator, batch, dict.fromkeys(layers, cut["adjective"])
            ),
            "pronoun can't see the nouns": agreement(
                translator, batch, dict.fromkeys(layers, cut["pronoun"])
            ),
            "two numbers swapped in the best head": agreement(translator, batch, {layer: swapped}),
        },
        "each_head_off": {
            f"{name}.{i}": agreement(translator, batch, {name: ablate_head(i)})
            for name, i in dict.fromkeys((row["layer"], row["head"]) for row in heads)
        },
        "heads": heads,
    }
