"""Sentences in which an adjective has to agree with a noun, and the places of their words.

Made from templates with nouns of things, whose English names show no gender; the pronoun sentences
of the grammar are brought into the same form. Any model that reads them can be measured on them.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course.grammar.lexicon import ADJECTIVES, NOUN_OF_FORM, NOUNS, Adjective
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import make_batch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.languages import Language, SubwordLanguage
from transformer_lib.text.tokens import Tokenizer
from transformer_lib.text.user_input import InputError, UserInput
from transformer_lib.translator import Translator

# Things, one piece of the larger model each, so that sentences of a pair have the same places.
MASCULINE = """road bridge park garden hotel museum car train boat clock piano gift book newspaper
    phone computer glass knife hat dress coat cake cheese tree""".split()
FEMININE = """street beach island church school kitchen city mountain door window apple soup box bag
    bicycle machine table chair bed guitar letter key bottle shirt""".split()
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
    or of the same pronoun pair. adjective, noun (that it speaks of): the English words, and which
    occurrence of them is meant. noun_out: its Spanish noun with the article.
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
    noun_out: tuple[str, ...] = ()


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
        (ARTICLES[gender], words["noun"]),
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
        adjective, noun, pronoun = (
            (words[place], words[:place].count(words[place]))
            for place in (item.adjective, item.antecedent, item.pronoun)
        )
        start = re.search(r"\b(porque|como) ", item.spanish, re.IGNORECASE)
        head, clause = item.spanish[: start.end()], item.spanish[start.end() :]
        wrong = re.sub(rf"\b{item.right}\b", item.wrong, clause, count=1)
        if wrong == clause:  # the adjective stands beside its noun, not after the "because"
            continue
        feminine = is_feminine(item.right, item.wrong)
        english = item.english
        if said != "it":
            english = nth_replaced(english, *pronoun, f"the {noun[0]}")
            if item.pronoun < item.antecedent:  # the noun of the clause now comes first
                noun = noun[0], 0
        if said == "written":
            head += in_spanish(noun[0], feminine) + " "
        found.append(
            Item(
                "pronoun",
                item.pair,
                item.pair,
                "f" if feminine else "m",
                english + ".",
                head + clause + ".",
                head + wrong + ".",
                adjective,
                noun,
            )
        )
    return found


def in_spanish(noun: str, feminine: bool) -> str:
    """An English noun of the grammar -> the Spanish one with its article."""
    gender, plural = "f" if feminine else "m", noun not in NOUNS
    article = ("las" if feminine else "los") if plural else ARTICLES[gender]
    return f"{article} {NOUN_OF_FORM[noun].in_spanish(gender, plural)}"


def nth_replaced(text: str, word: str, number: int, new: str) -> str:
    """The text with the given occurrence of a word replaced; a capital stays one."""
    spot = list(re.finditer(rf"\b{word}\b", text, re.IGNORECASE))[number]
    new = capital(new) if spot.group()[0].isupper() else new
    return text[: spot.start()] + new + text[spot.end() :]


def is_feminine(form: str, other: str) -> bool:
    """Whether `form` is the feminine one of two forms of a Spanish adjective."""
    return form.removesuffix("s").endswith("a") and not other.removesuffix("s").endswith("a")


def word_places(language: Language, tokens: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The words of a text that is cut in pieces: (word in small letters, places of its pieces)."""
    if not isinstance(language, SubwordLanguage):
        return [(token.lower(), [place]) for place, token in enumerate(tokens)]
    found: list[tuple[str, list[int]]] = []
    for place, piece in enumerate(language.display_tokens(list(tokens))):
        letters = piece.removeprefix("·")
        inside = found and found[-1][0].isalpha() and letters[:1].isalpha()
        if inside and not piece.startswith("·"):
            word, places = found[-1]
            found[-1] = word + letters.lower(), [*places, place]
        else:
            found.append((letters.lower(), [place]))
    return found


def find(words: Sequence[tuple[str, list[int]]], word: str, number: int) -> list[int]:
    """The places of the pieces of a word, of the occurrence that is asked for."""
    return [places for found, places in words if found == word.lower()][number]


class AgreementBatch:
    """Sentences as one batch, with the places that matter.

    kept: the items that the translator can read, and whose two translations differ in exactly one
    piece. src, tgt_in: their ids. out (b): the place where that piece is written; right, wrong
    (b): its ids. Masks over the source (b, s): adjective, noun; over what the
    decoder has read (b, t): noun_out, and writing, the place `out`. feminine (b):
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
        self.adjective, self.noun = (
            mask([one[name] for one in several], self.src) for name in ("adjective", "noun")
        )
        self.noun_out = mask([one["noun_out"] for one in several], self.tgt_in)
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
        """The logits (b, vocab_size) at the place `out`. src: other sentences to read."""
        model, src = translator.model, self.src if src is None else src
        written = model.decode(self.tgt_in, model.encode(src), src)
        return model.generator(written[self.rows, self.out])


def as_written(language: Language | SubwordLanguage, text: str) -> list[str]:
    """The tokens of a text of the corpus: nothing in it is copied, as in what somebody types."""
    typed = language.preprocess(text)
    return language.tokens(UserInput(text) if typed.replaced else typed)


def placed(translator: Translator, item: Item) -> dict[str, Any] | None:
    """The ids of an item and the places of its words; None where it can't be measured."""
    try:
        source = translator.src.tokens(translator.src.preprocess(item.english))
        right, wrong = (as_written(translator.tgt, text) for text in (item.spanish, item.wrong))
    except InputError:
        return None
    differ = [i for i, (a, b) in enumerate(zip(right, wrong, strict=False)) if a != b]
    if len(right) != len(wrong) or len(differ) != 1:
        return None
    english = word_places(translator.src, source)
    spanish = word_places(translator.tgt, right)
    found: dict[str, Any] = {
        name: find(english, *getattr(item, name)) for name in ("adjective", "noun")
    }
    # <bos> stands before what is read
    found["noun_out"] = [1 + place for place in phrase(spanish, item.noun_out)]
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
