"""One side of a translator: text -> ids for the model, and the model's ids -> text.

Words and subwords become alike here: translator, training and evaluation see only ids and text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from transformer_lib.files import CheckpointError, read_json, write_file, write_json
from transformer_lib.text.batching import Ids
from transformer_lib.text.stand_ins import put_back, replace_by_stand_ins
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokens import SPECIALS, Tokenizer, Vocabulary
from transformer_lib.text.user_input import (
    LARGER,
    LONGEST,
    InputError,
    UserInput,
    about_unknown,
    check_tokens,
    finish,
    one_line,
    one_sentence,
)

WORDS_FILE, SUBWORDS_FILE, TYPED_FILE = "vocabulary.json", "tokenizer.json", "typed.json"
LONGEST_IN_SUBWORDS = 256


@dataclass(frozen=True)
class Language:
    """One side of a translator: how its text is cut, and which words it knows."""

    tokenizer: Tokenizer
    vocab: Vocabulary
    longest = LONGEST  # tokens in a sentence

    def encode(self, text: str) -> list[int]:
        return self.vocab.encode(self.tokenizer(text))

    def text(self, ids: Ids) -> str:
        return self.tokenizer.detokenize(self.vocab.decode(ids))

    @property
    def words(self) -> list[str]:
        """The words that it can read, in the order of the alphabet."""
        words = [w for w in self.vocab.tokens[len(SPECIALS) :] if w[0].isalnum()]
        return sorted(words, key=str.lower)

    def typed(self, text: str) -> UserInput:
        """What somebody typed, for this side to read."""
        return one_sentence(text)

    def tokens(self, typed: UserInput) -> list[str]:
        """InputError for more than one sentence, too long a sentence, or an unknown word."""
        tokens = self.tokenizer(typed.words)
        check_tokens(tokens)
        unknown = self.vocab.unknown(tokens)
        if unknown:
            raise InputError(about_unknown(unknown, self.words, self.tokenizer.language))
        return tokens

    def answer(self, ids: Ids, typed: UserInput) -> str:
        """The text of a translation into this language of what somebody typed."""
        return typed.around(self.text(ids), self.tokenizer.language)

    @property
    def more(self) -> str:
        """Which model reads more than this side; "" if none does."""
        return LARGER if self.tokenizer.language == "en" else ""

    def shown(self, tokens: list[str]) -> list[str]:
        """Tokens as labels of a figure."""
        return tokens

    def to_json(self) -> dict:
        return {
            "language": self.tokenizer.language,
            "proper": sorted(self.tokenizer.proper.values()),
            "words": self.vocab.tokens[len(SPECIALS) :],
        }

    @classmethod
    def from_json(cls, content: dict) -> "Language":
        tokenizer = Tokenizer(content["language"], content["proper"])
        return cls(tokenizer, Vocabulary(content["words"]))


class SubwordLanguage(Language):
    """Both sides of a translator whose languages share their subwords; it reads any text.

    finished: the sentences that it learned from have a capital and a sign at the end, nearly all of
    them, so what somebody types is given both. stand_ins: for each of `stand_ins.KINDS` what it has
    learned to copy; without them, links and emoji are read like all else.
    """

    longest = LONGEST_IN_SUBWORDS
    more = ""

    def __init__(
        self,
        subwords: Subwords,
        finished: bool = False,
        stand_ins: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ):
        super().__init__(subwords, subwords.vocabulary())
        object.__setattr__(self, "finished", finished)  # a language doesn't change later
        object.__setattr__(self, "stand_ins", stand_ins)

    @property
    def words(self) -> list[str]:
        raise InputError("this model reads any word, in pieces if need be: it has no list of words")

    def typed(self, text: str) -> UserInput:
        """All of the line: signs and capitals were in the training text too."""
        if self.finished:
            return finish(text)
        words, replaced = replace_by_stand_ins(one_line(text), self.stand_ins)
        return UserInput(words, replaced=replaced)

    def tokens(self, typed: UserInput) -> list[str]:
        tokens = self.tokenizer(typed.words)
        if len(tokens) > self.longest:
            raise InputError(
                f"the text has {len(tokens)} subwords, more than {self.longest}: "
                f"cut it into shorter sentences"
            )
        return tokens

    def answer(self, ids: Ids, typed: UserInput) -> str:
        return put_back(self.text(ids).removesuffix(typed.added), typed.replaced)

    def shown(self, tokens: list[str]) -> list[str]:
        """Letters again where a piece holds whole ones, with · for the space before."""
        return [
            token if token in SPECIALS else self.tokenizer.piece(token).replace(" ", "·")
            for token in tokens
        ]


def write_languages(folder: Path, src: Language, tgt: Language) -> None:
    if isinstance(src, SubwordLanguage):
        how = {"finished": src.finished}
        if src.stand_ins:
            how["stand_ins"] = {kind: list(some) for kind, some in src.stand_ins.items()}
        write_json(Path(folder) / TYPED_FILE, how)
        write_file(Path(folder) / SUBWORDS_FILE, src.tokenizer.to_json().encode("utf-8"))
    else:
        sides = {"source": src.to_json(), "target": tgt.to_json()}
        write_json(Path(folder) / WORDS_FILE, sides)


def read_languages(folder: Path) -> tuple[Language, Language]:
    """Source and target, as `write_languages` left them in a folder."""
    path = folder / SUBWORDS_FILE
    if path.exists():
        try:
            subwords = Subwords(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CheckpointError(f"{path} is damaged: {error}") from None
        typed = folder / TYPED_FILE  # a folder from elsewhere may lack it
        how = read_json(typed) if typed.exists() else {}
        both = SubwordLanguage(subwords, bool(how.get("finished")), how.get("stand_ins", {}))
        return both, both
    sides = read_json(folder / WORDS_FILE)
    try:
        return Language.from_json(sides["source"]), Language.from_json(sides["target"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{folder / WORDS_FILE} is damaged: {error!r}") from None
