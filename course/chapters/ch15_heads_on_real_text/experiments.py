"""Who decides the gender of an adjective, in a model that learned from what people wrote?

The questions of "what the heads learned", asked again: which head looks at the noun, what happens
without it, and, new, at which layer and place of the residual stream the gender is decided.

Experiment: all of it, for each model that is named.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from course.chapters.ch15_heads_on_real_text import paths
from course.chapters.ch15_heads_on_real_text.corpus import (
    TEMPLATES,
    AgreementBatch,
    as_written,
    halves,
    pronoun_items,
    template_items,
)
from course.chapters.ch15_heads_on_real_text.probes import (
    QUERIES_AND_KEYS,
    barred,
    by_place_alone,
    finds,
    kind_of,
    layers_of,
    lens,
    margins,
    off,
    patched,
    right_endings,
)
from course.chapters.ch15_heads_on_real_text.statistics import rounded, score, share
from course.experiments import experiment, load
from course.experiments.digit_training import one_thread
from transformer_lib.interpret.patching import Edit
from transformer_lib.metrics import evaluate_everyday
from transformer_lib.text import everyday
from transformer_lib.text.data import DATA
from transformer_lib.text.tokens import PAD
from transformer_lib.translator import Translator

MODELS = ("tatoeba", "grammar")
EARLIER = DATA / "models" / "earlier"  # the large model that the notebook looks into
TOGETHER, DRAWS = (1, 2, 4, 8, 16), 10  # so many heads off together, so many draws of them


def how_right(translator: Translator) -> dict[str, Any]:
    """The right ending and the right article, and what happens where English says another noun.

    written: the share that goes on in the gender of the Spanish that stands there, while English
    has the partner's noun, of the other gender.
    """
    found: dict[str, Any] = {}
    for kind in TEMPLATES:
        found[kind] = {}
        for asked in ("adjective", "article"):
            batch = AgreementBatch(translator, template_items([kind], asked=asked))
            before = margins(translator, batch)
            read = margins(translator, batch, src=batch.src[batch.partner])
            found[kind][asked] = {
                "sentences": len(batch),
                "right": score(before > 0, batch.group),
                "masculine": share(before[~batch.feminine] > 0),
                "feminine": share(before[batch.feminine] > 0),
                "written": score(read > 0, batch.group),
                "margin": before.mean().item(),
            }
    return found


def blocked_attention(translator: Translator, kinds: Sequence[str]) -> dict[str, Any]:
    """Right endings where a word is barred from others, in all heads of all layers."""
    batch = AgreementBatch(translator, template_items(kinds))
    noun, noun_out, writing = batch.noun, batch.noun_out, batch.writing
    anyone = ~noun & (batch.src != PAD)
    later = (noun_out.int().cumsum(dim=1) > 0) & ~noun_out
    before = torch.arange(noun_out.size(1)) < batch.out[:, None]
    early = paths.first_of(before & ~noun_out, 2)
    inside, across, behind = (
        layers_of(translator, kind)
        for kind in ("encoder.self_attn", "decoder.cross_attn", "decoder.self_attn")
    )
    cuts: dict[str, dict[str, Edit]] = {
        "nothing": {},
        "adjective from noun": dict.fromkeys(inside, barred(batch.adjective, noun)),
        "all English words from noun": dict.fromkeys(inside, barred(anyone, noun)),
        "ending from English noun": dict.fromkeys(across, barred(writing, noun)),
        "ending from English adjective": dict.fromkeys(across, barred(writing, batch.adjective)),
        "ending from written noun": dict.fromkeys(behind, barred(writing, noun_out)),
        "ending from up to two other tokens": dict.fromkeys(behind, barred(writing, early)),
        "all later words from written noun": dict.fromkeys(behind, barred(later, noun_out)),
    }
    return {
        name: score(margins(translator, batch, edits=edits) > 0, batch.group)
        for name, edits in cuts.items()
    }


def heads_off(translator: Translator) -> dict[str, Any]:
    """Each head alone, then the most needed ones together, against as many drawn at random.

    Chosen on one half of the nouns, measured on the other.
    """
    both = halves(template_items(adjectives=1))
    chosen, batch = (AgreementBatch(translator, half) for half in both)
    heads = paths.every_head(translator)
    trained = margins(translator, batch)
    needed = {
        head: margins(translator, chosen, edits=off([head])).mean().item()
        for head in tqdm(heads, unit="head")
    }
    order = sorted(heads, key=lambda head: needed[head])
    alone = alone_by_head(translator, lambda head: margins(translator, batch, edits=off([head])))
    generator, together = torch.Generator().manual_seed(0), []
    for count in TOGETHER:
        drawn = [
            [heads[i] for i in torch.randperm(len(heads), generator=generator)[:count].tolist()]
            for _ in range(DRAWS)
        ]
        together.append(
            {
                "heads": count,
                "chosen": right_endings(translator, batch, edits=off(order[:count])),
                "at random": [
                    right_endings(translator, batch, edits=off(chance)) for chance in drawn
                ],
            }
        )
    return {
        "sentences": len(batch),
        "trained": score(trained > 0, batch.group),
        "margin": trained.mean().item(),
        "alone": alone,
        "together": together,
        "order": [[layer, head] for layer, head in order[: max(TOGETHER)]],
    }


def heads_at_their_mean(translator: Translator) -> dict[str, Any]:
    """As `heads_off`, each head alone: a zero is something that no layer after it ever met."""
    batch = AgreementBatch(translator, halves(template_items(adjectives=1))[1])
    alone = alone_by_head(translator, lambda head: paths.without(translator, batch, [head]))
    return {"margin": margins(translator, batch).mean().item(), "alone": alone}


def alone_by_head(
    translator: Translator, without: Callable[[tuple[str, int]], Tensor]
) -> list[dict[str, Any]]:
    """What is right without each head. without: (layer, head) -> the margins (b)."""
    found = []
    for layer, head in tqdm(paths.every_head(translator), unit="head"):
        margin = without((layer, head))
        right, mean = share(margin > 0), margin.mean().item()
        found.append({"layer": layer, "head": head, "right": right, "margin": mean})
    return found


def direct_paths(translator: Translator) -> dict[str, dict[str, float]]:
    """For each template, what comes to the ending straight from the written article and noun."""
    found = {}
    for kind in TEMPLATES:
        batch = AgreementBatch(translator, template_items([kind]))
        article = paths.first_of(batch.noun_out)
        places = {"article": article, "noun": batch.noun_out & ~article}
        found[kind] = {
            name: paths.directly(translator, batch, mask) for name, mask in places.items()
        }
    return found


def heads_that_find(translator: Translator) -> dict[str, Any]:
    """Which heads find the noun, beside what the place alone would find."""
    both = halves(template_items(adjectives=1))
    chosen, batch = (AgreementBatch(translator, half) for half in both)
    first, table = finds(translator, chosen), finds(translator, batch)
    found: dict[str, Any] = {}
    for kind in QUERIES_AND_KEYS:
        rows = [i for i, row in enumerate(table) if kind_of(row["layer"]) == kind]
        best = max(rows, key=lambda i: first[i]["finds"])
        found[kind] = {
            "best": table[best],
            "place": by_place_alone(chosen, batch, kind),
            "heads": [table[i] for i in rows],
        }
    return found


def pronouns(translator: Translator) -> dict[str, Any]:
    """The pronoun pairs of the grammar: with “it”, with the noun in English, and in Spanish too."""
    found: dict[str, Any] = {}
    for said in ("it", "again", "written"):
        batch = AgreementBatch(translator, pronoun_items(said))
        margin = margins(translator, batch)
        right, two = margin > 0, batch.partner >= 0
        feminine = right == batch.feminine
        found[said] = {
            "sentences": len(batch),
            "pairs": int(two.sum()) // 2,
            "right": score(right, batch.group),
            "both": score((right & right[batch.partner])[two], batch.group[two]),
            "same gender": share((feminine == feminine[batch.partner])[two]),
            "masculine": share(~feminine),
        }
    return found


def where(translator: Translator) -> dict[str, Any]:
    """Patching and the lens for each template; words: those of its first sentence."""
    found: dict[str, Any] = {}
    for kind in tqdm(TEMPLATES, unit="template"):
        batch = AgreementBatch(translator, template_items([kind]))
        item = batch.kept[0]
        sides = ((translator.src, item.english), (translator.tgt, item.spanish))
        source, target = (
            language.display_tokens(as_written(language, text)) for language, text in sides
        )
        found[kind] = {
            "source": [*source, "<eos>"],
            "target": ["<bos>", *target][: int(batch.out.max()) + 1],
            "encoder": patched(translator, batch, "encoder"),
            "decoder": patched(translator, batch, "decoder"),
            "lens": lens(translator, batch),
        }
    return found


def everyday_score(translator: Translator) -> dict[str, Any]:
    """How well it translates what people say: models that decide otherwise may be as good."""
    found = evaluate_everyday(translator, everyday.load())
    return {name: found[name] for name in ("sentences", "exact_match", "bleu", "bleu_interval")}


@one_thread()
def measure_model(translator: Translator) -> dict[str, Any]:
    """All measures of one model. It takes minutes for the larger translator, on one core."""
    items = template_items()
    return rounded(
        {
            "sentences": len(AgreementBatch(translator, items)),
            "of": len(items),
            "right": how_right(translator),
            "looks": heads_that_find(translator),
            "heads off": heads_off(translator),
            "heads at their mean": heads_at_their_mean(translator),
            "straight to the ending": direct_paths(translator),
            "barred": {kind: blocked_attention(translator, [kind]) for kind in TEMPLATES},
            "pronoun": pronouns(translator),
            "where": where(translator),
            "everyday": everyday_score(translator),
        }
    )


@experiment("heads-on-real-text")
def every_model(models: Sequence[str] = MODELS) -> dict[str, Any]:
    """Who decides the gender of an adjective: heads, layers and places, in each model (--model).

    What is stored of other models stays: two of them took hours to train.
    """
    translators = {Path(name).name: Translator.load(name) for name in models}
    if len(translators) < len(models):
        raise ValueError(f"two of {', '.join(map(str, models))} have the same name: rename one")
    measured = {name: measure_model(one) for name, one in translators.items()}
    return {"models": load("heads-on-real-text")["models"] | measured}
