"""What depends on a head: sentences to measure it on, controls, and each head switched off."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.looking import attention_in
from course.grammar.lexicon import NOUNS, Noun
from course.grammar.splits import LIKINGS
from transformer_lib.decoding import greedy_decode, inference_mode
from transformer_lib.interpret.patching import Edit, ablate_head, patch_attention, swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, head_accuracy
from transformer_lib.metrics import TextPairs
from transformer_lib.model.transformer import Transformer
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import make_batch, source_batch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.tokens import PAD, UNK
from transformer_lib.translator import Translator

# One thing; with an n, several.
NUMBER_SHOWS = "gusta gustaba encanta encantaba interesa interesaba queda quedaba".split()


# --- controls ------------------------------------------------------------------------------------


def untrained(translator: Translator, seed: int) -> Translator:
    """The same languages and sizes, with a model that has learned nothing."""
    torch.manual_seed(seed)
    sizes = len(translator.src.vocab), len(translator.tgt.vocab)
    fresh = Transformer(*sizes, translator.model.config)
    return Translator(fresh, translator.src, translator.tgt)


# --- what the notebook asks ----------------------------------------------------------------------


def from_the_adjective(translator: Translator, batch: PronounBatch) -> list[float]:
    """For each encoder head: in what share its largest weight from the adjective is on the noun."""
    return [
        row["right"]
        for row in head_accuracy(translator, batch)
        if row["from"] == "adjective" and row["layer"].startswith("encoder")
    ]


def translate_changed(translator: Translator, text: str, edits: Mapping[str, Edit]) -> str:
    """The translation of a text with changed attention; edits: as in `patch_attention`."""
    with patch_attention(translator.model, edits):
        return translator.translate(text).text


def swapped(
    translator: Translator, text: str, layer: str, head: int, word: str, one: str, another: str
) -> str:
    """The translation after the weights of `word` on two other words have changed places."""
    words = translator.read(text)
    places = [words.index(name) for name in (word, one, another)]
    return translate_changed(translator, text, {layer: swap_attention(0, head, *places)})


def only_the_gender_flips(
    translator: Translator,
    items: Sequence[PronounItem],
    batch: PronounBatch,
    edits: Mapping[str, Edit],
) -> float:
    """Share of sentences written anew with the other gender and no other word changed."""
    with patch_attention(translator.model, edits):
        written = greedy_decode(translator.model, batch.src)
    flipped = 0
    for item, place, words in zip(items, batch.adjective_out, written, strict=True):
        expected = translator.tgt.tokenizer(item.spanish)
        expected[place] = item.wrong
        flipped += translator.tgt.vocab.decode(words) == expected
    return flipped / len(items)


def right_verbs(translator: Translator, batch: PronounBatch, edits: Mapping[str, Edit]) -> float:
    """Share of sentences whose verb (era, estaba, ...) is still the likeliest word at its place."""
    with inference_mode(translator.model), patch_attention(translator.model, edits):
        logits = translator.model(batch.src, batch.tgt_in)[batch.rows, batch.pronoun_out]
    right = batch.tgt_out[batch.rows, batch.pronoun_out]
    return (logits.argmax(dim=-1) == right).float().mean().item()


# --- gustar --------------------------------------------------------------------------------------


class LikingBatch:
    """Sentences of the gustar split as one batch, with the places of what is liked, each (b,).

    "Me gustan los árboles": noun and noun_out are the places of "trees" and "árboles", verb_out
    that of "gustan" (-1 where there is no such verb). right, wrong: ids of "gustan" and "gusta".
    `agreement` compares these two at the place that it calls adjective_out: here it is the verb's.
    other: the place of the only other English noun, -1 where there is none, or more than one.

    verb_shows_number: the pairs whose verb shows whether what is liked is singular or plural.
    other_number, same_number: those of them with exactly one other noun, of the other number ("The
    boys like the tree") or of the same.
    """

    def __init__(self, translator: Translator, pairs: TextPairs):
        ids, places, forms, self.pairs = [], [], [], []
        self.verb_shows_number, self.other_number, self.same_number = [], [], []
        tokens = translator.tgt.vocab.ids
        for english, spanish in pairs:
            source, target = translator.src.tokenizer(english), translator.tgt.tokenizer(spanish)
            things = noun_places(source, target)
            if len(things) != 1:
                continue
            noun, noun_out, plural = things[0]
            verbs = [i for i, word in enumerate(target) if word.removesuffix("n") in NUMBER_SHOWS]
            verb_out = verbs[0] if verbs else -1
            verb = target[verb_out]
            flipped = verb.removesuffix("n") if verb.endswith("n") else verb + "n"
            others = [i for i, word in enumerate(source) if word in PLURAL and i != noun]
            other = others[0] if len(others) == 1 else -1
            # Not "le gusta dibujar torres": what is liked there is the drawing, not the towers.
            if verbs and plural == verb.endswith("n") and flipped in tokens:
                self.verb_shows_number.append((english, spanish))
                if other >= 0:
                    same = PLURAL[source[other]] == plural
                    kind = self.same_number if same else self.other_number
                    kind.append((english, spanish))
            self.pairs.append((english, spanish))
            ids.append((translator.src.vocab.encode(source), translator.tgt.vocab.encode(target)))
            places.append((noun, noun_out, verb_out, other))
            forms.append((tokens[verb], tokens.get(flipped, UNK)))
        batch = make_batch(ids)
        self.src, self.tgt_in, self.tgt_out = batch.src, batch.tgt_in, batch.tgt_out
        self.rows = torch.arange(len(ids))
        self.noun, self.noun_out, self.verb_out, self.other = torch.tensor(places).unbind(dim=1)
        self.right, self.wrong = torch.tensor(forms).unbind(dim=1)
        self.adjective_out = self.verb_out


def noun_places(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int, bool]]:
    """(place in English, place in Spanish, whether it is a plural) of each held-out liking."""
    found = []
    for i, word in enumerate(source):
        noun = LIKED_FORMS.get(word)
        if noun is None:
            continue
        forms = {
            noun.in_spanish(gender, plural): plural for gender in "mf" for plural in (False, True)
        }
        found += [(i, j, forms[there]) for j, there in enumerate(target) if there in forms]
    return found


LIKED_FORMS: dict[str, Noun] = {
    noun.in_english(plural): noun for noun in LIKINGS for plural in (False, True)
}
PLURAL: dict[str, bool] = {  # not "fish", which is both
    noun.in_english(plural): plural
    for noun in NOUNS.values()
    for plural in (False, True)
    if noun.in_english(plural) != noun.in_english(not plural)
}


def to_the_letter(
    translator: Translator,
    liked: LikingBatch,
    edits: Mapping[str, Edit] | None = None,
    *,
    other_number: bool = False,
) -> float:
    """Share of sentences written as in the corpus, by a model with changed attention.

    other_number: as in the corpus but for the verb, which has the other number. Each word is
    predicted after the right ones before it, so that the edits find the verb at its place; where
    all are right, greedy decoding writes the same.
    """
    tgt_in, tgt_out = liked.tgt_in.clone(), liked.tgt_out.clone()
    if other_number:
        tgt_in[liked.rows, liked.verb_out + 1] = liked.wrong
        tgt_out[liked.rows, liked.verb_out] = liked.wrong
    with inference_mode(translator.model), patch_attention(translator.model, edits or {}):
        written = translator.model(liked.src, tgt_in).argmax(dim=-1)
    return ((written == tgt_out) | (tgt_out == PAD)).all(dim=-1).float().mean().item()


def swapped_at(
    translator: Translator, text: str, layer: str, head: int, verb: str, one: str, another: str
) -> str:
    """The words written when, at the place that writes `verb`, two weights have changed places."""
    source = translator.read(text)
    place = translator.translate(text).tokens.index(verb)
    swap = swap_attention(0, head, place, source.index(one), source.index(another))

    def edit(weights: torch.Tensor) -> torch.Tensor:
        return swap(weights) if weights.size(2) > place else weights

    src = source_batch([translator.src.vocab.encode(source)])
    with patch_attention(translator.model, {layer: edit}):
        (words,) = greedy_decode(translator.model, src, cache=False)
    return " ".join(translator.tgt.vocab.decode(words))


# --- each head switched off ----------------------------------------------------------------------


def changed(
    translator: Translator, src: torch.Tensor, layer: str, head: int | slice | list[int]
) -> float:
    """Share of these sentences (b, s) whose translation is another one without head or heads."""
    before = greedy_decode(translator.model, src)
    with patch_attention(translator.model, {layer: ablate_head(head)}):
        after = greedy_decode(translator.model, src)
    return sum(a != b for a, b in zip(before, after, strict=True)) / len(src)


def largest_weights(translator: Translator, src: torch.Tensor) -> dict[str, list[float]]:
    """How sharp each head is: the mean over all words of their largest weight, layer by layer."""
    words = greedy_decode(translator.model, src)
    pairs = [(row[row != PAD][:-1].tolist(), out) for row, out in zip(src, words, strict=True)]
    batch = make_batch(pairs)
    found = {}
    for layer, weights in attention_in(translator.model, batch).items():
        asks = (batch.src if layer.startswith("encoder") else batch.tgt_out) != PAD  # (b, q)
        largest = weights.amax(dim=-1).transpose(1, 2)[asks]  # (words, h)
        found[layer] = largest.mean(dim=0).tolist()
    return found


def first_test_sentences(translator: Translator, count: int) -> torch.Tensor:
    """The first `count` English sentences of the test split, as ids (b, s)."""
    pairs = english_spanish.load("test")[:count]
    return source_batch([translator.src.encode(english) for english, _ in pairs])


@experiment("heads-off")
def every_head_off() -> dict[str, Any]:
    """Each head of the shipped translator: how sharp it looks, and what changes without it."""
    translator = Translator.load()
    src = first_test_sentences(translator, 1000)
    results = [
        {
            "layer": layer,
            "head": head,
            "largest": round(largest, 3),
            "changed": round(changed(translator, src, layer, head), 3),
        }
        for layer, heads in tqdm(largest_weights(translator, src).items(), unit="layer")
        for head, largest in enumerate(heads)
    ]
    return {"sentences": len(src), "results": results}
