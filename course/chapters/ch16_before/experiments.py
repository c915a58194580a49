"""Experiment: was it really better than what came before?

The recurrent translator with two kinds of attention and without, and the Transformer, all with as
many parameters, on the same corpus with the same tokens, batches and steps. The learning rate of
each is chosen on validation. It takes an hour and a half of one core.
"""

import dataclasses
from typing import Any

from torch import nn

from course.experiments import experiment, load_runs
from course.experiments.long_training import TrainSpec, scores, tuned
from course.experiments.looking import attention_in
from transformer_lib.checkpoints import current_name
from transformer_lib.interpret.patching import Edit, block_attention, swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, agreement, best_head, measurable
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import RECIPES
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import make_batch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.translator import Translator
from transformer_lib.variants.recurrent import RECURRENT, RecurrentTranslator

RECIPE = RECIPES["en-es"]
TRAINING = dataclasses.replace(RECIPE.training, steps=1500, warmup=150)
MAX_LRS = (2e-3, 4e-3, 8e-3)
RATES = {"transformer": (1e-3, *MAX_LRS)}  # its best of the three was the lowest
SEEDS = (0, 1, 2)
SENTENCE = "The animal did not cross the street because it was too tired"


def transformer(src_vocab_size: int, tgt_vocab_size: int) -> nn.Module:
    return Transformer(src_vocab_size, tgt_vocab_size, RECIPE.model)


def recurrent(attention: str) -> TrainSpec:
    same = {"dropout": RECIPE.model.dropout, "tie_weights": RECIPE.model.tie_weights}
    config = dataclasses.replace(RECURRENT[attention], **same)
    return TrainSpec(attention, lambda src, tgt: RecurrentTranslator(src, tgt, config))


SPECS = (*map(recurrent, RECURRENT), TrainSpec("transformer", transformer))


# --- The way of the gender -----------------------------------------------------------------------


def gender(translator: Translator) -> dict[str, Any]:
    """How often the Spanish adjective agrees with its noun, and what of that hangs on attention.

    first_noun: the same for sentences whose first noun is masculine ("m") in Spanish, and feminine.
    """
    items = english_spanish.load_pronoun()
    measured = [item for half in (0, 1) for item in measurable(translator, items, half)]
    batch = PronounBatch(translator, measured)
    first = {name: [item for item in measured if first_noun(item) == name] for name in "mf"}
    nouns = batch.antecedent, batch.other
    about: dict[str, Any] = {"sentences": len(measured)}
    edits: dict[str, dict] = {"as trained": {}}
    if isinstance(translator.model, Transformer):
        layer, head = best_head(translator, items)
        about |= {"layer": layer, "head": head}
        edits["two numbers swapped"] = {
            layer: swap_attention(batch.rows, head, batch.adjective, *nouns)
        }
    elif layers := attention_layers(translator.model):
        (layer,) = layers  # from the target to the source: it has no other
        about["looks_at"] = attended(translator, batch, layer)
        edits |= cross_attention_edits(translator, batch)
    about["agreement"] = {name: agreement(translator, batch, edit) for name, edit in edits.items()}
    about["first_noun"] = {
        name: agreement(translator, PronounBatch(translator, some)) for name, some in first.items()
    }
    return about


def cross_attention_edits(
    translator: Translator, batch: PronounBatch
) -> dict[str, dict[str, Edit]]:
    """Edits, by name, of the cross-attention at the place that writes the adjective, in all heads.

    They change a recurrent translator and a Transformer in the same place.
    """
    nouns, here = (batch.antecedent, batch.other), (batch.rows, batch.adjective_out)
    edits = {
        "two numbers swapped": swap_attention(batch.rows, slice(None), batch.adjective_out, *nouns),
        "nouns not seen": block_attention(*here, nouns),
        "adjective not seen": block_attention(*here, [batch.adjective]),
    }
    layers = [name for name in attention_layers(translator.model) if name.endswith("cross_attn")]
    return {name: dict.fromkeys(layers, edit) for name, edit in edits.items()}


def first_noun(item: PronounItem) -> str:
    """Gender in Spanish of the noun that comes first; the two nouns always differ in it."""
    meant = "f" if item.right.removesuffix("s").endswith("a") else "m"
    return meant if item.antecedent < item.other else "mf"[meant == "m"]


def attended(translator: Translator, batch: PronounBatch, layer: str) -> dict[str, float]:
    """Mean weights of the place where the Spanish adjective is written, on words of the source."""
    weights = attention_in(translator.model, batch)[layer]
    weights = weights[batch.rows, 0, batch.adjective_out]  # (b, s)
    places = ("adjective", "antecedent", "other", "pronoun")
    return {name: weights[batch.rows, getattr(batch, name)].mean().item() for name in places}


def attention_map(translator: Translator) -> dict[str, Any]:
    """What each word of a translation looked at: weights (layer, head, written word, read word)."""
    source, written = translator.src.encode(SENTENCE), translator.translate(SENTENCE)
    target = translator.tgt.encode(written.text)
    recorded = attention_in(translator.model, make_batch([(source, target)]))
    weights = {
        name: [[[round(x, 3) for x in row] for row in head] for head in layer[0].tolist()]
        for name, layer in recorded.items()
        if name.endswith("cross_attn")
    }
    words = {"read": translator.read(SENTENCE), "written": translator.tgt.tokenizer(written.text)}
    return {"text": SENTENCE, "translation": written.text, "weights": weights} | words


def score(translator: Translator) -> dict[str, Any]:
    about = {"gender": gender(translator), "map": attention_map(translator)}
    return scores(translator) | about


@experiment("before")
def recurrent_and_transformer() -> dict[str, Any]:
    """Recurrent translators with attention and without beside the Transformer, on three seeds."""
    found: dict[str, Any] = {"runs": []}
    for spec in SPECS:
        rates = RATES.get(spec.what, MAX_LRS)
        one = tuned("before", [spec], TRAINING, rates, SEEDS, score=score)
        found = one | {"runs": found["runs"] + one["runs"]}
    return found


def chosen() -> dict[str, list[dict[str, Any]]]:
    """What is stored of each translator with the learning rate that was best for it, by its name.

    A training for each seed, in their order.
    """
    runs = load_runs("before", chosen=True)
    for about in (run["map"] for run in runs):  # its layers have the names of that time
        about["weights"] = {current_name(name): them for name, them in about["weights"].items()}
    return {spec.what: [run for run in runs if run["what"] == spec.what] for spec in SPECS}
