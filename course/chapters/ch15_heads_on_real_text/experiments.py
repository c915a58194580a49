"""Who decides the gender of an adjective, in a model that learned from what people wrote?

The questions of "what the heads learned", asked again: which head looks at the noun, what happens
without it, and, new, at which layer and place of the residual stream the gender is decided.
Sentences are made from templates with nouns of things, whose English names show no gender, and the
pronoun sentences of the grammar come along; any trained model that reads them can be measured.

Experiment: all of it, for each model that is named.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from course.experiments import experiment, load
from course.experiments.digits import one_thread
from course.grammar.lexicon import ADJECTIVES, NOUNS, Adjective
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import Edit, patch_attention, patch_outputs
from transformer_lib.interpret.recording import attention_layers, record_attention, record_outputs
from transformer_lib.metrics import evaluate_everyday
from transformer_lib.text import english_spanish, everyday
from transformer_lib.text.batching import make_batch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.languages import Language, SubwordLanguage
from transformer_lib.text.tokens import PAD, Tokenizer
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import Translator

# --- sentences -----------------------------------------------------------------------------------

# Things, one piece of the larger model each, so that sentences of a pair have the same places.
MASCULINE = (
    "road",
    "bridge",
    "park",
    "garden",
    "hotel",
    "museum",
    "car",
    "train",
    "boat",
    "clock",
    "piano",
    "gift",
    "book",
    "newspaper",
    "phone",
    "computer",
    "glass",
    "knife",
    "hat",
    "dress",
    "coat",
    "cake",
    "cheese",
    "tree",
)
FEMININE = (
    "street",
    "beach",
    "island",
    "church",
    "school",
    "kitchen",
    "city",
    "mountain",
    "door",
    "window",
    "apple",
    "soup",
    "box",
    "bag",
    "bicycle",
    "machine",
    "table",
    "chair",
    "bed",
    "guitar",
    "letter",
    "key",
    "bottle",
    "shirt",
)
SUITING = ("small", "new", "old", "beautiful", "expensive", "long")
# Kind -> English, Spanish. The adjective speaks of {noun}; {other} is in the way.
TEMPLATES = {
    "after is": ("The {noun} is {adjective}.", "{the} {noun} es {adjective}."),
    "beside the noun": ("I see the {adjective} {noun}.", "Veo {the} {noun} {adjective}."),
    "another noun between": (
        "The {noun} on the {other} is {adjective}.",
        "{the} {noun} en {that} {other} es {adjective}.",
    ),
    "another noun before": (
        "I see the {other} and the {adjective} {noun}.",
        "Veo {that} {other} y {the} {noun} {adjective}.",
    ),
    "through it": (
        "I sold the {noun} because it was {adjective}.",
        "Vendí {the} {noun} porque era {adjective}.",
    ),
}
ARTICLES = {"m": "el", "f": "la"}


@dataclass(frozen=True)
class Item:
    """An English sentence and its translation, right and with one word in the wrong gender.

    pair: the same for two sentences that belong together; group: for all with the same two nouns,
    or of the same pronoun pair. adjective, noun (that it speaks of),
    other (the noun that it doesn't speak of), pronoun: the English words, and which occurrence of
    them is meant. noun_out, other_out: the Spanish nouns with their articles.
    """

    kind: str
    pair: int
    group: int
    gender: str
    english: str
    spanish: str
    wrong: str
    adjective: tuple[str, int]
    noun: tuple[str, int]
    other: tuple[str, int] | None = None
    pronoun: tuple[str, int] | None = None
    noun_out: tuple[str, ...] = ()
    other_out: tuple[str, ...] = ()


def template_items(
    kinds: Sequence[str] = tuple(TEMPLATES), adjectives: int = 2, asked: str = "adjective"
) -> list[Item]:
    """Minimal pairs: each pair of nouns in each template, with some of the adjectives.

    asked: which word the wrong translation has in the wrong gender, "adjective" or "article".
    """
    found, number = [], 0
    for kind, (i, nouns) in itertools.product(
        kinds, enumerate(zip(MASCULINE, FEMININE, strict=True))
    ):
        others: Sequence[str | None] = (None,)
        if "{other}" in TEMPLATES[kind][0]:
            others = MASCULINE[(i + 7) % len(MASCULINE)], FEMININE[(i + 7) % len(FEMININE)]
        for k, other in itertools.product(range(adjectives), others):
            adjective = ADJECTIVES[SUITING[(i // 2 + 3 * k) % len(SUITING)]]
            found += [make_item(kind, (number, i), noun, other, adjective, asked) for noun in nouns]
            number += 1
    return found


def make_item(
    kind: str,
    number: tuple[int, int],
    noun: str,
    other: str | None,
    adjective: Adjective,
    asked: str,
) -> Item:
    english, spanish = TEMPLATES[kind]
    gender = NOUNS[noun].gender
    words = {"noun": NOUNS[noun].spanish}
    if other:
        words |= {"other": NOUNS[other].spanish, "that": ARTICLES[NOUNS[other].gender]}

    def written(article: str, ending: str) -> str:
        return capital(
            spanish.format(**words, the=ARTICLES[article], adjective=adjective.form(ending, False))
        )

    others = "mf".replace(gender, "")
    wrong = written(others, gender) if asked == "article" else written(gender, others)
    return Item(
        kind,
        *number,
        gender,
        english.format(noun=noun, other=other, adjective=adjective.english),
        written(gender, gender),
        wrong,
        (adjective.english, 0),
        (noun, 0),
        (other, 0) if other else None,
        ("it", 0) if "it" in english.split() else None,
        (ARTICLES[gender], words["noun"]),
        (words["that"], words["other"]) if other else (),
    )


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def pronoun_items(said: str = "it", items: Sequence[PronounItem] | None = None) -> list[Item]:
    """The grammar's pronoun pairs, with a full stop.

    said: "it", as they are; "again", where English has the noun that is meant in its place;
    "written", where Spanish, too, says the noun again.
    """
    tokenizer, found = Tokenizer("en"), []
    for item in items or english_spanish.load_pronoun():
        words = [word.lower() for word in tokenizer(item.english)]
        marked = {
            "adjective": item.adjective,
            "noun": item.antecedent,
            "other": item.other,
            "pronoun": item.pronoun,
        }
        places = {
            name: (words[place], words[:place].count(words[place]))
            for name, place in marked.items()
        }
        start = re.search(r"\b(porque|como) ", item.spanish, re.IGNORECASE)
        head, clause = item.spanish[: start.end()], item.spanish[start.end() :]
        wrong = re.sub(rf"\b{item.right}\b", item.wrong, clause, count=1)
        if wrong == clause:  # the adjective stands beside its noun, not after the "because"
            continue
        feminine = is_feminine(item.right, item.wrong)
        english, noun = item.english, places["noun"][0]
        if said != "it":
            pronoun = places.pop("pronoun")
            english = nth_replaced(english, *pronoun, f"the {noun}")
            if item.pronoun < item.antecedent:  # the noun of the clause now comes first
                places["noun"] = noun, 0
        if said == "written":
            head += in_spanish(noun, feminine) + " "
        found.append(
            Item(
                "pronoun",
                item.pair,
                item.pair,
                "f" if feminine else "m",
                english + ".",
                head + clause + ".",
                head + wrong + ".",
                **places,
            )
        )
    return found


def in_spanish(noun: str, feminine: bool) -> str:
    """An English noun of the grammar -> the Spanish one with its article."""
    plural = noun not in NOUNS
    entry = next(one for one in NOUNS.values() if noun == one.in_english(plural))
    article = ("las" if feminine else "los") if plural else ARTICLES["f" if feminine else "m"]
    return f"{article} {entry.in_spanish('f' if feminine else 'm', plural)}"


def nth_replaced(text: str, word: str, number: int, new: str) -> str:
    """The text with the given occurrence of a word replaced; a capital stays one."""
    spot = list(re.finditer(rf"\b{word}\b", text, re.IGNORECASE))[number]
    new = capital(new) if spot.group()[0].isupper() else new
    return text[: spot.start()] + new + text[spot.end() :]


def is_feminine(form: str, other: str) -> bool:
    """Of two forms of a Spanish adjective: is the first the feminine one?"""
    return form.removesuffix("s").endswith("a") and not other.removesuffix("s").endswith("a")


# --- places --------------------------------------------------------------------------------------


def word_places(language: Language, tokens: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The words of a text that is cut in pieces: (word in small letters, places of its pieces)."""
    if not isinstance(language, SubwordLanguage):
        return [(token.lower(), [place]) for place, token in enumerate(tokens)]
    found: list[tuple[str, list[int]]] = []
    for place, piece in enumerate(language.shown(list(tokens))):
        letters = piece.removeprefix("·")
        inside = found and found[-1][0].isalpha() and letters[:1].isalpha()
        if inside and not piece.startswith("·"):
            word, places = found[-1]
            found[-1] = word + letters.lower(), [*places, place]
        else:
            found.append((letters.lower(), [place]))
    return found


def find(words: Sequence[tuple[str, list[int]]], word: str, number: int = 0) -> list[int]:
    """The places of the pieces of a word, its first occurrence unless another is asked for."""
    spots = [places for found, places in words if found == word.lower()]
    if len(spots) <= number:
        raise LookupError(f"{word!r} doesn't stand there {number + 1} times")
    return spots[number]


class AgreementBatch:
    """Sentences as one batch, with the places that matter.

    kept: the items that the translator can read, and whose two translations differ in exactly one
    piece. src, tgt_in: their ids. out (b): the place where that piece is written; right, wrong
    (b): its ids. Masks over the source (b, s): adjective, noun, other, pronoun; over what the
    decoder has read (b, t): noun_out, other_out, and writing, the place `out`. feminine (b):
    whether the right one is. partner (b): the row of the other sentence of its pair, or -1.
    """

    def __init__(self, translator: Translator, items: Sequence[Item]):
        found = [(item, one) for item in items if (one := placed(translator, item)) is not None]
        if not found:
            raise ValueError(f"the translator can read none of these {len(items)} sentences")
        self.kept = [item for item, _ in found]
        several = [one for _, one in found]
        batch = make_batch([one["ids"] for one in several])
        self.src, self.tgt_in = batch.src, batch.tgt_in
        self.rows = torch.arange(len(found))
        self.out, self.right, self.wrong = (
            torch.tensor([one[name] for one in several]) for name in ("out", "right", "wrong")
        )
        for name in ("adjective", "noun", "other", "pronoun"):
            setattr(self, name, mask([one[name] for one in several], self.src))
        for name in ("noun_out", "other_out"):
            setattr(self, name, mask([one[name] for one in several], self.tgt_in))
        self.writing = mask([[place] for place in self.out.tolist()], self.tgt_in)
        self.feminine = torch.tensor([item.gender == "f" for item in self.kept])
        self.group = torch.tensor([item.group for item in self.kept])
        rows: dict[int, list[int]] = {}
        for row, item in enumerate(self.kept):
            rows.setdefault(item.pair, []).append(row)
        self.partner = torch.full_like(self.rows, -1)
        for two in rows.values():
            if len(two) == 2:
                self.partner[two] = torch.tensor(two[::-1])

    def __len__(self) -> int:
        return len(self.kept)

    def logits(self, translator: Translator, src: Tensor | None = None) -> Tensor:
        """(b, vocabulary): what stands at the place `out`; src: other sentences to read."""
        model, src = translator.model, self.src if src is None else src
        written = model.decode(self.tgt_in, model.encode(src), src)
        return model.generator(written[self.rows, self.out])


def placed(translator: Translator, item: Item) -> dict[str, Any] | None:
    """The ids of an item and the places of its words; None where it can't be measured."""
    try:
        source = translator.src.tokens(translator.src.typed(item.english))
        right, wrong = (
            translator.tgt.tokens(translator.tgt.typed(text)) for text in (item.spanish, item.wrong)
        )
    except InputError:
        return None
    differ = [i for i, (a, b) in enumerate(zip(right, wrong, strict=False)) if a != b]
    if len(right) != len(wrong) or len(differ) != 1:
        return None
    english = word_places(translator.src, source)
    spanish = word_places(translator.tgt, right)
    found: dict[str, Any] = {
        name: find(english, *where) if (where := getattr(item, name)) else []
        for name in ("adjective", "noun", "other", "pronoun")
    }
    for name in ("noun_out", "other_out"):  # <bos> stands before what is read
        found[name] = [1 + place for place in phrase(spanish, getattr(item, name))]
    vocab = translator.tgt.vocab
    ids = translator.src.vocab.encode(source), vocab.encode(right)
    (out,) = differ
    return found | {
        "ids": ids,
        "out": out,
        "right": vocab.ids[right[out]],
        "wrong": vocab.ids[wrong[out]],
    }


def phrase(words: Sequence[tuple[str, list[int]]], several: Sequence[str]) -> list[int]:
    """The places of words that stand side by side; none for none."""
    for i in range(len(words)):
        if [word for word, _ in words[i : i + len(several)]] == [*several]:
            return [place for _, places in words[i : i + len(several)] for place in places]
    raise LookupError(f"{' '.join(several)!r} doesn't stand there")


def mask(places: Sequence[Sequence[int]], like: Tensor) -> Tensor:
    found = torch.zeros_like(like, dtype=torch.bool)
    for row, several in enumerate(places):
        found[row, list(several)] = True
    return found


def halves(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Even groups, on which heads are chosen, and odd ones, on which they are measured."""
    even, odd = ([item for item in items if item.group % 2 == parity] for parity in (0, 1))
    return even, odd


# --- changes -------------------------------------------------------------------------------------


def off(heads: Sequence[tuple[str, int]]) -> dict[str, Edit]:
    """Changes to attention by which these heads (layer, head) add nothing."""
    layers: dict[str, list[int]] = {}
    for layer, head in heads:
        layers.setdefault(layer, []).append(head)

    def without(chosen: list[int]) -> Edit:
        def edit(weights: Tensor) -> Tensor:
            weights = weights.clone()
            weights[:, chosen] = 0.0
            return weights

        return edit

    return {layer: without(chosen) for layer, chosen in layers.items()}


def barred(queries: Tensor, keys: Tensor) -> Edit:
    """In no head do these queries (b, q) see these keys (b, k), both masks; the rest gets more."""

    def edit(weights: Tensor) -> Tensor:
        closed = queries[:, None, :, None] & keys[:, None, None, :]
        weights = weights.masked_fill(closed, 0.0)
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)

    return edit


def swapped_looks(queries: Tensor, one: Tensor, another: Tensor) -> Edit:
    """In all heads, what these queries see of `one` and of `another` (masks) changes places.

    Both have the same number of places in each sentence; they change one by one.
    """

    def edit(weights: Tensor) -> Tensor:
        weights = weights.clone()
        for row, (a, b) in enumerate(zip(one, another, strict=True)):
            asks, a, b = (x.nonzero().flatten() for x in (queries[row], a, b))
            for query in asks:
                values = weights[row, :, query]
                values[:, torch.cat([a, b])] = values[:, torch.cat([b, a])]
        return weights

    return edit


def layers_of(translator: Translator, kind: str) -> list[str]:
    """The attention layers of a kind: "encoder.self_attn", "decoder.cross_attn", ..."""
    return [name for name in attention_layers(translator.model) if kind_of(name) == kind]


def kind_of(layer: str) -> str:
    part, _, _, kind = layer.split(".")
    return f"{part}.{kind}"


# --- measures ------------------------------------------------------------------------------------


def margins(
    translator: Translator,
    batch: AgreementBatch,
    edits: Mapping[str, Edit] | None = None,
    outputs: Mapping[str, Edit] | None = None,
    src: Tensor | None = None,
) -> Tensor:
    """(b): log-probability of the right ending minus that of the wrong one, in nats.

    edits: changes to attention weights; outputs: to what parts of the model put out; src: other
    sentences to read, while the same is written.
    """
    model = translator.model
    with (
        inference_mode(model),
        patch_attention(model, edits or {}),
        patch_outputs(model, outputs or {}),
    ):
        logits = batch.logits(translator, src)
    return logits[batch.rows, batch.right] - logits[batch.rows, batch.wrong]


def right_endings(translator: Translator, batch: AgreementBatch, **changed: Any) -> float:
    """Share of sentences where the right ending is the likelier of the two; see `margins`."""
    return share(margins(translator, batch, **changed) > 0)


def share(hits: Tensor) -> float:
    return hits.float().mean().item()


def interval(values: Tensor, groups: Tensor, draws: int = 1000, seed: int = 0) -> list[float]:
    """95 % interval of the mean, by drawing groups of sentences anew, each group as a whole."""
    names, group = groups.unique(return_inverse=True)
    sums = torch.zeros(len(names), dtype=torch.double).index_add(0, group, values.double())
    counts = torch.zeros_like(sums).index_add(0, group, torch.ones_like(values.double()))
    drawn = torch.randint(
        len(names), (draws, len(names)), generator=torch.Generator().manual_seed(seed)
    )
    means = sums[drawn].sum(dim=1) / counts[drawn].sum(dim=1)
    return torch.quantile(means, torch.tensor([0.025, 0.975], dtype=torch.double)).tolist()


# Which look in which layers: the mask of the words that look, and of those that are looked at.
LOOKS = {
    "encoder.self_attn": ("adjective", "noun"),
    "decoder.cross_attn": ("writing", "noun"),
    "decoder.self_attn": ("writing", "noun_out"),
}


def finds(
    translator: Translator, batch: AgreementBatch, looks: Mapping[str, tuple[str, str]] = LOOKS
) -> list[dict[str, Any]]:
    """For each head: the share of sentences where its largest weight lies on the noun.

    From the last piece of the word that looks. other: on the other noun, where there is one.
    """
    with inference_mode(translator.model), record_attention(translator.model) as recorded:
        batch.logits(translator)
    table = []
    for layer, weights in recorded.items():
        asks, goal = (getattr(batch, name) for name in looks[kind_of(layer)])
        rival = batch.other_out if goal is batch.noun_out else batch.other
        query = last(asks)
        largest = weights[batch.rows, :, query].argmax(dim=-1)  # (b, h)
        for head in range(weights.size(1)):
            at = largest[:, head]
            table.append(
                {
                    "layer": layer,
                    "head": head,
                    "finds": share(goal[batch.rows, at]),
                    "other": share(rival[batch.rows, at]),
                }
            )
    return table


def last(places: Tensor) -> Tensor:
    """(b, n) mask -> (b): the last place that is marked."""
    return places.size(1) - 1 - places.flip(1).int().argmax(dim=1)


def by_place_alone(chosen: AgreementBatch, batch: AgreementBatch, kind: str) -> float:
    """How often a head would find the noun that always looks equally far, or at the same place.

    The best such head on the sentences `chosen`, measured on those of `batch`.
    """

    def hits(one: AgreementBatch, rule: tuple[str, int]) -> float:
        asks, goal = (getattr(one, name) for name in LOOKS[kind])
        at = rule[1] + (last(asks) if rule[0] == "steps" else torch.zeros_like(one.rows))
        inside = (at >= 0) & (at < goal.size(1))
        return share(goal[one.rows, at.clamp(0, goal.size(1) - 1)] & inside)

    rules = [("steps", n) for n in range(-12, 13)] + [("place", n) for n in range(12)]
    return hits(batch, max(rules, key=lambda rule: hits(chosen, rule)))


def by_chance(batch: AgreementBatch, kind: str) -> float:
    """How often a look at any word it may see would find the noun."""
    asks, goal = (getattr(batch, name) for name in LOOKS[kind])
    seen = (batch.src != PAD).sum(dim=1) if goal.shape == batch.src.shape else None
    if kind == "decoder.self_attn":
        seen = last(asks) + 1
    return (goal.sum(dim=1) / seen).mean().item()


# --- patching and the logit lens -----------------------------------------------------------------


def states(translator: Translator, part: str) -> list[str]:
    """Where the residual stream of "encoder" or "decoder" can be read: before and after layers."""
    first = {"encoder": "src_positions", "decoder": "tgt_positions"}[part]
    return [first, *(f"{part}.layers.{i}" for i in range(translator.model.config.N))]


def patched(translator: Translator, batch: AgreementBatch, part: str) -> Tensor:
    """(states, places): how much of the gender comes along with one vector of the residual stream.

    Each sentence gets, at one place of one layer, the vector of its partner, whose noun has the
    other gender. 0: nothing changes; 1: the margin is what it is in the partner. The sentences
    need partners, and all the same length.
    """
    if (batch.partner < 0).any():
        raise ValueError("every sentence needs its partner")
    names = states(translator, part)
    with record_outputs(translator.model, *names) as outputs:
        before = margins(translator, batch)
    there = before + before[batch.partner]  # from here to where the partner is
    table = []
    for name in names:
        others = outputs[name][batch.partner]
        places = range(others.size(1) if part == "encoder" else int(batch.out.max()) + 1)
        for place in places:

            def edit(x: Tensor, place=place, others=others) -> Tensor:
                x = x.clone()
                x[:, place] = others[:, place]
                return x

            moved = before - margins(translator, batch, outputs={name: edit})
            table.append((moved.sum() / there.sum()).item())
    return torch.tensor(table).view(len(names), -1)


def lens(translator: Translator, batch: AgreementBatch) -> list[dict[str, float]]:
    """What the decoder would write if it ended before its first layer, after it, after the next.

    The vector at the place of the ending goes straight to the last norm and the generator. right:
    share with the right ending above the wrong one; top: share with it above all others.
    """
    model, names = translator.model, states(translator, "decoder")
    with inference_mode(model), record_outputs(model, *names) as outputs:
        batch.logits(translator)
    found = []
    for name in names:
        with inference_mode(model):
            vector = outputs[name][batch.rows, batch.out]
            logits = model.generator(model.decoder.norm(vector))
        margin = logits[batch.rows, batch.right] - logits[batch.rows, batch.wrong]
        found.append(
            {
                "right": share(margin > 0),
                "margin": margin.mean().item(),
                "top": share(logits.argmax(dim=-1) == batch.right),
            }
        )
    return found


# --- the experiment ------------------------------------------------------------------------------

MODELS = ("tatoeba", "grammar")
TOGETHER, DRAWS = (1, 2, 4, 8, 16), 10  # so many heads off together, so many lots of them


def score(values: Tensor, groups: Tensor) -> dict[str, Any]:
    """The mean of hits, or of any numbers, with its interval."""
    ends = interval(values, groups)
    return {"share": round(share(values), 4), "interval": [round(end, 4) for end in ends]}


def rounded(thing: Any) -> Any:
    """All numbers in what is stored, to four digits."""
    if isinstance(thing, float):
        return round(thing, 4)
    if isinstance(thing, Tensor):
        return rounded(thing.tolist())
    if isinstance(thing, Mapping):
        return {name: rounded(part) for name, part in thing.items()}
    return [rounded(part) for part in thing] if isinstance(thing, list | tuple) else thing


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


def conflicts(translator: Translator) -> dict[str, Any]:
    """Where a second noun is near: does its gender matter? And what do swapped looks do?"""
    batch = AgreementBatch(translator, template_items(["another noun between"]))
    unlike = torch.tensor([item.other_out[0] != item.noun_out[0] for item in batch.kept])
    swaps = {
        "as it is": {},
        "encoder": ("encoder.self_attn", batch.adjective, batch.noun, batch.other),
        "at English": ("decoder.cross_attn", batch.writing, batch.noun, batch.other),
        "at Spanish": ("decoder.self_attn", batch.writing, batch.noun_out, batch.other_out),
    }
    found: dict[str, Any] = {}
    for name, what in swaps.items():
        edits = {}
        if what:
            kind, *masks = what
            edits = dict.fromkeys(layers_of(translator, kind), swapped_looks(*masks))
        margin = margins(translator, batch, edits=edits)
        found[name] = {
            "other gender": score(margin[unlike] > 0, batch.group[unlike]),
            "same gender": score(margin[~unlike] > 0, batch.group[~unlike]),
            "margin": margin[unlike].mean().item(),
        }
    return found


def without_looks(translator: Translator, kinds: Sequence[str]) -> dict[str, Any]:
    """Right endings where a word is barred from others, in all heads of all layers."""
    batch = AgreementBatch(translator, template_items(kinds))
    noun, noun_out, writing = batch.noun, batch.noun_out, batch.writing
    anyone = ~noun & (batch.src != PAD)
    later = (noun_out.int().cumsum(dim=1) > 0) & ~noun_out
    early = torch.zeros_like(noun_out)
    for row, (there, out) in enumerate(zip(noun_out, batch.out.tolist(), strict=True)):
        free = [place for place in range(out) if not there[place]]
        early[row, free[:2]] = True
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
        "ending from two other written words": dict.fromkeys(behind, barred(writing, early)),
        "all later words from written noun": dict.fromkeys(behind, barred(later, noun_out)),
    }
    return {
        name: score(margins(translator, batch, edits=edits) > 0, batch.group)
        for name, edits in cuts.items()
    }


def heads_off(translator: Translator) -> dict[str, Any]:
    """Each head alone, then the most needed ones together, against as many drawn by lot.

    Chosen on one half of the nouns, measured on the other.
    """
    both = halves(template_items(adjectives=1))
    chosen, batch = (AgreementBatch(translator, half) for half in both)
    heads = [
        (layer, head)
        for layer in attention_layers(translator.model)
        for head in range(translator.model.config.h)
    ]
    trained = margins(translator, batch)
    needed = {
        head: margins(translator, chosen, edits=off([head])).mean().item()
        for head in tqdm(heads, unit="head")
    }
    order = sorted(heads, key=lambda head: needed[head])
    alone = []
    for layer, head in tqdm(heads, unit="head"):
        margin = margins(translator, batch, edits=off([(layer, head)]))
        alone.append(
            {
                "layer": layer,
                "head": head,
                "right": share(margin > 0),
                "margin": margin.mean().item(),
            }
        )
    lot, together = torch.Generator().manual_seed(0), []
    for count in TOGETHER:
        drawn = [
            [heads[i] for i in torch.randperm(len(heads), generator=lot)[:count].tolist()]
            for _ in range(DRAWS)
        ]
        together.append(
            {
                "heads": count,
                "chosen": right_endings(translator, batch, edits=off(order[:count])),
                "by lot": [right_endings(translator, batch, edits=off(lots)) for lots in drawn],
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


def looks(translator: Translator) -> dict[str, Any]:
    """Which heads find the noun, beside what chance and the place alone would find."""
    both = halves(template_items(adjectives=1))
    chosen, batch = (AgreementBatch(translator, half) for half in both)
    first, table = finds(translator, chosen), finds(translator, batch)
    found: dict[str, Any] = {}
    for kind in LOOKS:
        rows = [i for i, row in enumerate(table) if kind_of(row["layer"]) == kind]
        best = max(rows, key=lambda i: first[i]["finds"])
        found[kind] = {
            "chance": by_chance(batch, kind),
            "best": table[best],
            "place": by_place_alone(chosen, batch, kind),
            "heads": [table[i] for i in rows],
        }
    return found


def pronouns(translator: Translator) -> dict[str, Any]:
    """The pronoun pairs of the grammar: what becomes of them, and which look matters."""
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
        if said != "it":
            continue
        inside, across = (
            layers_of(translator, kind) for kind in ("encoder.self_attn", "decoder.cross_attn")
        )
        nouns = batch.noun | batch.other
        cuts = {
            "adjective from both nouns": dict.fromkeys(inside, barred(batch.adjective, nouns)),
            "“it” from both nouns": dict.fromkeys(inside, barred(batch.pronoun, nouns)),
            "ending from both nouns": dict.fromkeys(across, barred(batch.writing, nouns)),
        }
        found["barred"] = {
            name: score(margins(translator, batch, edits=edits) > 0, batch.group)
            for name, edits in cuts.items()
        }
        from_it = LOOKS | {"encoder.self_attn": ("pronoun", "noun")}
        asks = {"adjective": finds(translator, batch), "pronoun": finds(translator, batch, from_it)}
        found["looks"] = {
            word: [
                row
                for row in table
                if kind_of(row["layer"])
                in (
                    ("encoder.self_attn", "decoder.cross_attn")
                    if word == "adjective"
                    else ("encoder.self_attn",)
                )
            ]
            for word, table in asks.items()
        }
        found["lens"] = lens(translator, batch)
    return found


def where(translator: Translator) -> dict[str, Any]:
    """Patching and the lens for each template; words: those of its first sentence."""
    found: dict[str, Any] = {}
    for kind in tqdm(TEMPLATES, unit="template"):
        batch = AgreementBatch(translator, template_items([kind]))
        item = batch.kept[0]
        sides = ((translator.src, item.english), (translator.tgt, item.spanish))
        source, target = (
            language.shown(language.tokens(language.typed(text))) for language, text in sides
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
            "looks": looks(translator),
            "heads off": heads_off(translator),
            "barred": {kind: without_looks(translator, [kind]) for kind in TEMPLATES},
            "swapped": conflicts(translator),
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
