"""The grammar's sentences in data/en-es: training, validation and test files."""

from dataclasses import dataclass

from transformer_lib.text.data import DATA, read_pairs, read_table

FOLDER = DATA / "en-es"
SPLITS = ("train", "validation", "test", "noun-adjective", "pronoun", "gustar", "longer")  # files
PAIR_COLUMNS = ("english", "spanish")  # of each split
POSITIONS = ("pronoun", "adjective", "antecedent", "other")
PRONOUN_COLUMNS = (*PAIR_COLUMNS, "pair", *POSITIONS, "right", "wrong")  # of the minimal pairs


@dataclass(frozen=True)
class PronounItem:
    """One line of pronoun.tsv; two lines with the same `pair` differ in the deciding adjective.

    pronoun, adjective, antecedent, other: positions in the tokenized English of it/they, the
    deciding adjective, the noun that is meant and the noun that isn't. right, wrong: the Spanish
    adjective in this sentence, and its form in the other gender.
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


def load(split: str) -> list[tuple[str, str]]:
    """The (English, Spanish) pairs of one split; ValueError for a name that isn't in SPLITS."""
    if split not in SPLITS:
        raise ValueError(f"split={split!r} must be one of {', '.join(SPLITS)}")
    if split == "pronoun":
        return [(item.english, item.spanish) for item in load_pronoun()]
    return read_pairs(FOLDER / f"{split}.tsv")


def load_pronoun() -> list[PronounItem]:
    """The minimal pairs of pronoun.tsv: two consecutive items each."""
    rows = read_table(FOLDER / "pronoun.tsv", PRONOUN_COLUMNS)
    return [
        PronounItem(en, es, int(pair), int(it), int(which), int(noun), int(other), right, wrong)
        for en, es, pair, it, which, noun, other, right, wrong in rows
    ]
