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
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from .. import DATA, read_pairs, read_table
from .frames import FRAMES, LIKEABLE
from .lexicon import ADJECTIVES, NOUN_OF_FORM, NOUNS, Adjective, Noun
from .phrases import PAST, Draw, NounPhrase, Sentence, english_text, noun_phrase, spanish_text
from .pronouns import PRONOUN_FRAMES, SITUATIONS, Plan, choices, draw_plan, realize, reason_bonds

FOLDER = DATA / "en-es"
SPLITS = ("train", "validation", "test", "noun-adjective", "pronoun", "gustar", "longer")
SIZES = {
    "train": 100_000,
    "validation": 1000,
    "test": 1000,
    "noun-adjective": 1000,
    "pronoun": 1000,  # lines: 500 minimal pairs
    "gustar": 1000,
    "longer": 1000,
}
MAX_TRAIN_TOKENS = 14  # English tokens, punctuation included
MAX_TOKENS = 22
PRONOUN_SHARE = 0.34
PAIR_COLUMNS = ("english", "spanish")
PRONOUN_COLUMNS = PAIR_COLUMNS + (
    "pair",
    "pronoun",
    "adjective",
    "antecedent",
    "other",
    "right",
    "wrong",
)


@dataclass(frozen=True)
class PronounItem:
    """One line of pronoun.tsv; two lines with the same `pair` differ in the deciding adjective.

    pronoun, adjective, antecedent, other: positions in the tokenized English of it/they, the
    deciding adjective, the noun that is meant and the noun that isn't. right, wrong: the Spanish
    adjective as it stands there, and its form in the other gender.
    """

    english: str
    spanish: str
    pair: int
    pronoun: int
    adjective: int
    antecedent: int
    other: int
    right: str
    wrong: str


# --- What is held out ------------------------------------------------------------------------


def _one_in(n: int, *words: str) -> bool:
    """True for one in n of all word combinations, always the same ones."""
    digest = hashlib.sha256(" ".join(words).encode()).digest()
    return int.from_bytes(digest[:4], "big") % n == 0


# The sentences everybody knows: verb, the two nouns, and the adjectives that decide.
FAMOUS = (
    ("cross", "animal", "street", "tired", "wide"),
    ("fit", "trophy", "suitcase", "wide", "narrow"),
)
FAMOUS_PAIRS = {frozenset((first, second)) for _, first, second, _, _ in FAMOUS}
NEVER_HELD = {(noun, adjective) for _, a, b, x, y in FAMOUS for noun, adjective in ((a, x), (b, y))}
REASON_NOUNS = [
    (frozenset(situation.first), frozenset(n for nouns, _ in situation.second for n in nouns))
    for situation in SITUATIONS
]


def held_nouns(a: Noun, b: Noun) -> bool:
    """Two nouns that never meet in training: 1 in 8 of the pairs that a reason can join."""
    names = sorted((a.english, b.english))
    if frozenset(names) in FAMOUS_PAIRS:
        return True
    joined = any((a in x and b in y) or (b in x and a in y) for x, y in REASON_NOUNS)
    return joined and _one_in(8, "nouns", *names)


PLAUSIBLE = reason_bonds() | {
    (NOUNS[name], adjective) for adjective in ADJECTIVES.values() for name in adjective.suits
}


def held_bond(noun: Noun, adjective: Adjective) -> bool:
    """A noun and an adjective that never meet in training: 1 in 12 of those that suit."""
    if (noun, adjective) not in PLAUSIBLE or (noun.english, adjective.english) in NEVER_HELD:
        return False
    return _one_in(12, "bond", noun.english, adjective.english)


def held_liking(noun: Noun) -> bool:
    """A noun that nobody likes, loves or is interested in in training: 1 in 8, and the tree."""
    if noun not in LIKEABLE:
        return False
    return noun.english == "tree" or _one_in(8, "like", noun.english)


HELD_NOUNS = {frozenset(pair) for pair in combinations(NOUNS.values(), 2) if held_nouns(*pair)}
HELD_BONDS = {bond for bond in PLAUSIBLE if held_bond(*bond)}
HELD_LIKINGS = {noun for noun in NOUNS.values() if held_liking(noun)}


@dataclass(frozen=True)
class HeldOut:
    """What a sentence contains of the held-out combinations."""

    nouns: bool  # two nouns that must not meet
    bond: bool  # a noun and an adjective that must not meet, together or not
    standing_bond: bool  # ... and they stand together in the phrase
    liking: bool

    @property
    def anything(self) -> bool:
        return self.nouns or self.bond or self.liking


def held_out(sentence: Sentence) -> HeldOut:
    words = sentence.english.words
    nouns = {NOUN_OF_FORM[word] for word in words if word in NOUN_OF_FORM}
    adjectives = {ADJECTIVES[word] for word in words if word in ADJECTIVES}
    return HeldOut(
        nouns=any(frozenset(pair) in HELD_NOUNS for pair in combinations(nouns, 2)),
        bond=any((noun, adj) in HELD_BONDS for noun in nouns for adj in adjectives),
        standing_bond=any(bond in HELD_BONDS for bond in sentence.bonds),
        liking=sentence.kind == "gustar" and bool(nouns & HELD_LIKINGS),
    )


def repeats_a_noun(sentence: Sentence) -> bool:
    """ "The dog saw a dog": not wrong, but nobody says so."""
    counts = Counter(NOUN_OF_FORM[w].english for w in sentence.english.words if w in NOUN_OF_FORM)
    return sentence.kind != "noun reason" and any(count > 1 for count in counts.values())


# --- Writing ---------------------------------------------------------------------------------


class Corpus:
    """The splits while they fill up. No English sentence is used twice, in any split."""

    def __init__(self) -> None:
        self.splits: dict[str, list] = {name: [] for name in SPLITS}
        self.kinds: Counter[str] = Counter()
        self._spanish_of: dict[str, str] = {}

    def room_in(self, split: str) -> bool:
        return len(self.splits[split]) < SIZES[split]

    def add(self, split: str, sentence: Sentence) -> bool:
        """Put the sentence into the split, if there is room and it is new."""
        english, spanish = english_text(sentence.english), spanish_text(sentence.spanish)
        known = self._spanish_of.get(english)
        if known is not None:
            if known != spanish:
                raise AssertionError(f"two translations of {english!r}: {known!r}, {spanish!r}")
            return False
        if not self.room_in(split):
            return False
        self._spanish_of[english] = spanish
        self.splits[split].append((english, spanish))
        if split == "train":
            self.kinds[sentence.kind] += 1
        return True

    def add_pronoun(
        self, sentence: Sentence, meant: str, other: str, phrase: NounPhrase, adjective: Adjective
    ) -> None:
        """Put one line of a minimal pair into the pronoun split."""
        english, spanish = english_text(sentence.english), spanish_text(sentence.spanish)
        self._spanish_of[english] = spanish
        rows = self.splits["pronoun"]
        rows.append(
            PronounItem(
                english,
                spanish,
                pair=len(rows) // 2 + 1,
                pronoun=sentence.english.position("pronoun"),
                adjective=sentence.english.position("adjective"),
                antecedent=sentence.english.position(meant),
                other=sentence.english.position(other),
                right=adjective.form(phrase.gender, phrase.plural),
                wrong=adjective.form("m" if phrase.gender == "f" else "f", phrase.plural),
            )
        )

    def is_new(self, sentence: Sentence) -> bool:
        return english_text(sentence.english) not in self._spanish_of


def draw_sentence(draw: Draw) -> Sentence:
    """Any sentence: a pronoun sentence with probability PRONOUN_SHARE."""
    frames = PRONOUN_FRAMES if draw.chance(PRONOUN_SHARE) else FRAMES
    frame = draw.weighted([f for f, _ in frames], [weight for _, weight in frames])
    sentence = frame(draw)
    return draw_sentence(draw) if repeats_a_noun(sentence) else sentence


def split_for(sentence: Sentence) -> str:
    """The split a drawn sentence may go to, or "" for none."""
    held = held_out(sentence)
    if len(sentence.english.words) > MAX_TRAIN_TOKENS:
        in_range = len(sentence.english.words) <= MAX_TOKENS
        return "longer" if in_range and not held.anything else ""
    if held.nouns or (held.bond and held.liking):
        return ""
    if held.bond:
        return "noun-adjective" if held.standing_bond else ""
    if held.liking:
        return "gustar"
    bucket = int.from_bytes(hashlib.sha256(english_text(sentence.english).encode()).digest()[:4], "big")
    return {0: "validation", 1: "test"}.get(bucket % 40, "train")


def famous_plans() -> list[tuple[Plan, Adjective, Adjective]]:
    """The animal didn't cross the street; the trophy didn't fit in the suitcase."""
    plans = []
    for verb, first, second, about_first, about_second in FAMOUS:
        situation = next(
            s for s in SITUATIONS if s.verb.english == verb and NOUNS[first] in s.first and s.negative
        )
        phrases = [
            noun_phrase(NOUNS[name], "the", mark=mark)
            for name, mark in ((first, "first"), (second, "second"))
        ]
        plan = Plan(situation, *phrases, tense=PAST, mode="do", fronted=False, degree="too")
        plans.append((plan, ADJECTIVES[about_first], ADJECTIVES[about_second]))
    return plans


def held_plan(draw: Draw) -> tuple[Plan, Adjective, Adjective] | None:
    """A sentence with two nouns that never met, told apart by gender; None if the draw isn't one."""
    plan = draw_plan(draw, plain=True, fronted=0.5)
    first, second = plan.first, plan.second
    if first.gender == second.gender or frozenset((first.noun, second.noun)) not in HELD_NOUNS:
        return None
    about_first = [a for a in choices(plan, True) if a.inflects]
    about_second = [a for a in choices(plan, False) if a.inflects]
    if not about_first or not about_second:
        return None
    a, b = draw.pick(about_first), draw.pick(about_second)
    if a.gradable != b.gradable and plan.degree:
        return None  # the pair would differ in the degree too
    return plan, a, b


def pronoun_pairs(corpus: Corpus, draw: Draw) -> None:
    """Minimal pairs whose two nouns never met in training, the famous ones first."""
    waiting = famous_plans()
    while corpus.room_in("pronoun"):
        found = waiting.pop(0) if waiting else held_plan(draw)
        if found is None:
            continue
        plan, a, b = found
        pair = (realize(plan, True, (a,)), realize(plan, False, (b,)))
        if all(
            corpus.is_new(sentence)
            and len(sentence.english.words) <= MAX_TRAIN_TOKENS
            and not held_out(sentence).bond
            for sentence in pair
        ):
            corpus.add_pronoun(pair[0], "first", "second", plan.first, a)
            corpus.add_pronoun(pair[1], "second", "first", plan.second, b)


def generate() -> Corpus:
    """Draw everything. The same sentences every time, on every Python version."""
    corpus = Corpus()
    pronoun_pairs(corpus, Draw(seed=1))
    fixed = [name for name in SPLITS if name not in ("pronoun", "longer")]
    draw = Draw(seed=2)
    while any(corpus.room_in(name) for name in fixed):
        sentence = draw_sentence(draw)
        split = split_for(sentence)
        if split and split != "longer":
            corpus.add(split, sentence)
    draw = Draw(seed=3, long=True)
    while corpus.room_in("longer"):
        sentence = draw_sentence(draw)
        if split_for(sentence) == "longer":
            corpus.add("longer", sentence)
    return corpus


def render() -> dict[str, str]:
    """File name -> its whole text, for all splits."""
    texts = {}
    for name, rows in generate().splits.items():
        columns = PRONOUN_COLUMNS if name == "pronoun" else PAIR_COLUMNS
        if name == "pronoun":
            rows = [tuple(str(getattr(row, column)) for column in columns) for row in rows]
        lines = [columns, *rows]
        texts[f"{name}.tsv"] = "".join("\t".join(line) + "\n" for line in lines)
    return texts


def write(folder: str | Path) -> list[Path]:
    """Write all splits into `folder` (made if missing) and return the files' paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in render().items():
        paths.append(folder / name)
        paths[-1].write_bytes(content.encode("utf-8"))
    return paths


# --- Reading ---------------------------------------------------------------------------------


def load(split: str) -> list[tuple[str, str]]:
    """The (English, Spanish) pairs of one split."""
    if split not in SPLITS:
        raise ValueError(f"split={split!r} must be one of {', '.join(SPLITS)}")
    if split == "pronoun":
        return [(item.english, item.spanish) for item in load_pronoun()]
    return read_pairs(FOLDER / f"{split}.tsv")


def load_pronoun() -> list[PronounItem]:
    """The minimal pairs of pronoun.tsv, two items after each other."""
    return [
        PronounItem(row[0], row[1], *(int(cell) for cell in row[2:7]), *row[7:])
        for row in read_table(FOLDER / "pronoun.tsv", PRONOUN_COLUMNS)
    ]
