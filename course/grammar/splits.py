"""Which sentences go where: training, validation, test, and four tests of composition.

Some combinations of words are held out: they never stand together in a training sentence, though
each of the words is common there. A hash of the words decides which, so the choice needs no list.

    noun-adjective  a noun with an adjective it never met          (the yellow bicycle)
    pronoun         two nouns that never met, and a pronoun        (animal and street)
    gustar          a noun that was never liked                    (I like trees)
    longer          more words than any training sentence
"""

import hashlib
from collections import Counter
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path

from course.grammar import antecedents, clitics, larger, likes, questions, statements
from course.grammar.antecedents import Plan, draw_plan, realize
from course.grammar.lexicon import ADJECTIVES, NOUN_OF_FORM, NOUNS, Adjective, Noun
from course.grammar.phrases import PAST, NounPhrase, noun_phrase
from course.grammar.random_choices import Draw
from course.grammar.situations import SITUATIONS, reason_bonds
from course.grammar.words import Phrase, Sentence, english_text, sentence, spanish_text, text
from transformer_lib.text.english_spanish import PAIR_COLUMNS, PRONOUN_COLUMNS, SPLITS, PronounItem

SIZES = {"train": 100_000} | dict.fromkeys(SPLITS[1:], 1000)  # pronoun: 500 pairs of lines
MAX_TRAIN_TOKENS = 14  # English tokens, punctuation included
MAX_TOKENS = 22
LEAST_SEEN = 10  # how often training shows every word of the other splits, at least
PRONOUN_SHARE = 0.34
PRONOUN_SHARE_LONG = 0.08  # most of them are long, unlike other sentences
TOP_UP = 0.97  # the rest of training is drawn for words that are still rare
OTHER_FRAMES = statements.FRAMES | likes.FRAMES | clitics.FRAMES | questions.FRAMES | larger.FRAMES
# --- What is held out ------------------------------------------------------------------------

# The sentences everybody knows: verb, the two nouns, and the adjectives that decide.
FAMOUS = (
    ("cross", "animal", "street", "tired", "wide"),
    ("fit", "trophy", "suitcase", "wide", "narrow"),
)


def number_for(*words: str) -> int:
    """A number that is always the same for the same words, and looks random."""
    return int.from_bytes(hashlib.sha256(" ".join(words).encode()).digest()[:4], "big")


def held_out_nouns() -> set[frozenset[Noun]]:
    """Pairs of nouns that never meet in training: 1 in 8 of those that a reason can join."""
    famous = {frozenset((NOUNS[a], NOUNS[b])) for _, a, b, _, _ in FAMOUS}
    joined = {frozenset((a, b)) for s in SITUATIONS for a in s.first for b in s.second if a != b}
    return famous | {
        pair for pair in joined if number_for("nouns", *sorted(n.english for n in pair)) % 8 == 0
    }


def held_out_bonds() -> set[tuple[Noun, Adjective]]:
    """Nouns and adjectives that never meet in training: 1 in 12 of those that suit each other."""
    suiting = {(NOUNS[name], adj) for adj in ADJECTIVES.values() for name in adj.suits}
    famous = {(noun, adj) for _, a, b, x, y in FAMOUS for noun, adj in ((a, x), (b, y))}
    return {
        (noun, adjective)
        for noun, adjective in suiting | reason_bonds()
        if number_for("bond", noun.english, adjective.english) % 12 == 0
        and (noun.english, adjective.english) not in famous
    }


def held_out_likings() -> set[Noun]:
    """Nouns that nobody likes, loves, ... in training: 1 in 8, and the tree."""
    return {NOUNS["tree"]} | {
        noun for noun in likes.LIKEABLE if number_for("like", noun.english) % 8 == 0
    }


NOUN_PAIRS, BONDS, LIKINGS = held_out_nouns(), held_out_bonds(), held_out_likings()


@dataclass(frozen=True)
class HeldOut:
    """Which kinds of held-out combinations a sentence contains."""

    nouns: bool
    bond: bool  # the noun and the adjective are both there, together or not
    standing_bond: bool  # ... together
    liking: bool


def held_out(sentence: Sentence) -> HeldOut:
    words = sentence.english.words
    nouns = {NOUN_OF_FORM[word] for word in words if word in NOUN_OF_FORM}
    adjectives = {ADJECTIVES[word] for word in words if word in ADJECTIVES}
    return HeldOut(
        nouns=any(frozenset(pair) in NOUN_PAIRS for pair in combinations(nouns, 2)),
        bond=any((noun, adjective) in BONDS for noun in nouns for adjective in adjectives),
        standing_bond=any(bond in BONDS for bond in sentence.bonds),
        liking=sentence.kind == "gustar" and bool(nouns & LIKINGS),
    )


def split_for(sentence: Sentence) -> str:
    """The split a sentence may go to, or "" for none."""
    held = held_out(sentence)
    if len(sentence.english.words) > MAX_TRAIN_TOKENS:
        allowed = not (held.nouns or held.bond or held.liking)
        return "longer" if allowed and len(sentence.english.words) <= MAX_TOKENS else ""
    if held.nouns or (held.bond and held.liking):
        return ""
    if held.bond:
        return "noun-adjective" if held.standing_bond else ""
    if held.liking:
        return "gustar"
    return {0: "validation", 1: "test"}.get(number_for(*sentence.english.words) % 40, "train")


# --- Drawing ---------------------------------------------------------------------------------


def sounds_odd(drawn: Sentence) -> bool:
    """True for what is correct, but nobody says: "The dog saw a dog", "Every dog doesn't run"."""
    words = drawn.english.words
    if "not" in words and ("every" in words or "all" in words):
        return True
    if "broken" in words and {"break", "breaks", "broke"} & set(words):
        return True
    if drawn.kind == "noun reason":
        return False
    nouns = [NOUN_OF_FORM[word].english for word in words if word in NOUN_OF_FORM]
    return len(set(nouns)) < len(nouns)


def draw_once(draw: Draw) -> Sentence:
    """Draw a sentence, which may sound odd. PRONOUN_SHARE of them have a pronoun to work out."""
    share = PRONOUN_SHARE_LONG if draw.long else PRONOUN_SHARE
    return draw.weighted(antecedents.FRAMES if draw.chance(share) else OTHER_FRAMES)(draw)


def draw_sentence(draw: Draw) -> Sentence:
    """Draw a sentence that doesn't sound odd."""
    while sounds_odd(drawn := draw_once(draw)):
        pass
    return drawn


@dataclass(frozen=True)
class MinimalPair:
    """A plan, and the adjectives that make its pronoun mean the first or the second noun."""

    plan: Plan
    about_first: Adjective
    about_second: Adjective

    def sentences(self) -> tuple[Sentence, Sentence]:
        return realize(self.plan, True, self.about_first), realize(
            self.plan, False, self.about_second
        )

    def items(self, number: int) -> tuple[PronounItem, PronounItem]:
        """The pair as two lines of pronoun.tsv. number: the pair's, counted from 1."""
        first, second = self.sentences()
        return (
            pronoun_item(first, number, ("first", "second"), self.plan.first, self.about_first),
            pronoun_item(second, number, ("second", "first"), self.plan.second, self.about_second),
        )


def pronoun_item(
    sentence: Sentence, pair: int, marks: tuple[str, str], meant: NounPhrase, adjective: Adjective
) -> PronounItem:
    """A sentence as a line of pronoun.tsv.

    pair: the number of its pair. marks: the names of the noun that is meant and of the other one.
    adjective: what is said about `meant`; its form in the other gender is the wrong answer.
    """
    other_gender = "m" if meant.gender == "f" else "f"
    return PronounItem(
        english_text(sentence.english),
        spanish_text(sentence.spanish),
        pair,
        *(sentence.english.position(mark) for mark in ("pronoun", "adjective", *marks)),
        right=adjective.form(meant.gender, meant.plural),
        wrong=adjective.form(other_gender, meant.plural),
    )


def famous_pairs() -> list[MinimalPair]:
    """The two that everybody knows: the animal and the street, the trophy and the suitcase."""
    pairs = []
    for verb, first, second, about_first, about_second in FAMOUS:
        situation = next(
            s
            for s in SITUATIONS
            if s.verb.english == verb and NOUNS[first] in s.first and NOUNS[second] in s.second
        )
        plan = Plan(
            situation,
            noun_phrase(NOUNS[first], "the", mark="first"),
            noun_phrase(NOUNS[second], "the", mark="second"),
            tense=PAST,
            mode="do",
            fronted=False,
            degree="too",
        )
        pairs.append(MinimalPair(plan, ADJECTIVES[about_first], ADJECTIVES[about_second]))
    return pairs


def draw_minimal_pair(draw: Draw, gender: str) -> MinimalPair | None:
    """Draw a pair of sentences whose two nouns never stand together in training.

    gender: of the first noun, "m" or "f"; the second has the other. None if what was drawn doesn't
    fit.
    """
    plan = draw_plan(draw, plain=True, fronted=0.5)
    first, second = plan.first, plan.second
    if first.gender != gender or second.gender == gender:
        return None
    if frozenset((first.noun, second.noun)) not in NOUN_PAIRS:
        return None
    about_first = [adjective for adjective in plan.adjectives(True) if adjective.inflects]
    about_second = [adjective for adjective in plan.adjectives(False) if adjective.inflects]
    if not about_first or not about_second:
        return None
    pair = MinimalPair(plan, draw.pick(about_first), draw.pick(about_second))
    if plan.degree and pair.about_first.gradable != pair.about_second.gradable:
        return None  # the two lines would differ in the degree too
    fits = all(
        len(sentence.english.words) <= MAX_TRAIN_TOKENS and not held_out(sentence).bond
        for sentence in pair.sentences()
    )
    return pair if fits else None


# --- Writing ---------------------------------------------------------------------------------


class Corpus:
    """The splits while they fill up. No English sentence is used twice, in any split."""

    def __init__(self) -> None:
        self.splits: dict[str, list[tuple[str, str]]] = {name: [] for name in SPLITS}
        self.pronoun_items: list[PronounItem] = []
        self.seen: tuple[Counter[str], Counter[str]] = (Counter(), Counter())  # training words
        self._spanish_of: dict[str, str] = {}

    def has_room(self, split: str) -> bool:
        return len(self.splits[split]) < SIZES[split]

    def add(self, split: str, sentence: Sentence) -> bool:
        """Put the sentence into the split if there is room and it is new -> whether it went in.

        Raises AssertionError if its English is there already, with another translation.
        """
        english, spanish = english_text(sentence.english), spanish_text(sentence.spanish)
        known = self._spanish_of.get(english)
        if known is not None and known != spanish:
            raise AssertionError(f"{english!r} has two translations: {known!r} and {spanish!r}")
        if known is not None or not self.has_room(split):
            return False
        self._spanish_of[english] = spanish
        self.splits[split].append((english, spanish))
        if split == "train":
            self.seen[0].update(sentence.english.words)
            self.seen[1].update(sentence.spanish.words)
        return True

    def knows(self, sentence: Sentence, least: int = LEAST_SEEN) -> bool:
        """Is every word of the sentence, in both languages, `least` times or more in training?"""
        sides = (sentence.english.words, sentence.spanish.words)
        return all(
            seen[word] >= least
            for seen, words in zip(self.seen, sides, strict=True)
            for word in words
        )

    def fill_train(self, draw: Draw) -> None:
        """Fill training; its last part only with sentences that have a word which is still rare."""
        while self.has_room("train"):
            drawn = draw_sentence(draw)
            common = len(self.splits["train"]) >= TOP_UP * SIZES["train"] and self.knows(drawn, 30)
            if not common and split_for(drawn) == "train":
                self.add("train", drawn)

    def fill_pronoun(self, draw: Draw) -> None:
        """Fill `pronoun` with the famous pairs, then with others.

        As many of these have a masculine first noun as a feminine one.
        """
        waiting = famous_pairs()
        while self.has_room("pronoun"):
            number = len(self.pronoun_items) // 2 + 1
            pair = waiting.pop(0) if waiting else draw_minimal_pair(draw, "mf"[number % 2])
            if pair is None or not all(map(self.knows, pair.sentences())):
                continue
            items = pair.items(number)
            if any(item.english in self._spanish_of for item in items):
                continue
            for line, item in zip(pair.sentences(), items, strict=True):
                self.add("pronoun", line)
                self.pronoun_items.append(item)

    def fill(self, draw: Draw, *splits: str) -> None:
        """Fill splits with sentences that belong there and whose words training knows."""
        while any(self.has_room(split) for split in splits):
            drawn = draw_sentence(draw)
            split = split_for(drawn)
            if split in splits and self.knows(drawn):
                self.add(split, drawn)


I_LIKE_TREES = sentence(
    "gustar",
    Phrase(text("I like"), text("me gustan")) + noun_phrase(NOUNS["tree"], "generic", True),
)


def generate() -> Corpus:
    """Draw everything. The same sentences every time, on every Python version."""
    corpus = Corpus()
    corpus.fill_train(Draw(seed=1))
    corpus.fill_pronoun(Draw(seed=2))
    corpus.add("gustar", I_LIKE_TREES)
    corpus.fill(Draw(seed=3), "validation", "test", "noun-adjective", "gustar")
    corpus.fill(Draw(seed=4, long=True), "longer")
    return corpus


def render(corpus: Corpus) -> dict[str, str]:
    """The corpus as files: name of the file -> its whole text, one for each split."""
    texts = {}
    for name, rows in corpus.splits.items():
        table = [PAIR_COLUMNS, *rows]
        if name == "pronoun":
            table = [PRONOUN_COLUMNS, *(map(str, astuple(item)) for item in corpus.pronoun_items)]
        texts[f"{name}.tsv"] = "".join("\t".join(row) + "\n" for row in table)
    return texts


def write(folder: str | Path) -> list[Path]:
    """Write all splits into `folder` (made if missing) and return the files' paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in render(generate()).items():
        paths.append(folder / name)
        paths[-1].write_bytes(content.encode("utf-8"))
    return paths
