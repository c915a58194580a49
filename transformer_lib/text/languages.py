"""One side of a translator: text -> ids for the model, and the model's ids -> text.

Words and subwords look the same from here on: translator, training and evaluation see ids and text.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from transformer_lib.files import CheckpointError, read_json, write_file, write_json
from transformer_lib.ids import SPECIALS
from transformer_lib.text.batching import Ids
from transformer_lib.text.normalizing import AS_IT_IS, Normalizer
from transformer_lib.text.stand_ins import StandIns, numbers_of, replace_by_stand_ins
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokens import Tokenizer, Vocabulary
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

WORDS_FILE, SUBWORDS_FILE, TYPED_FILE = "vocabulary.json", "tokenizer.json", "typed.json"  # files
LONGEST_IN_SUBWORDS = 255  # with <eos> as many as learned positions have
AnyTokenizer = TypeVar("AnyTokenizer", Tokenizer, Subwords)


@dataclass(frozen=True)
class TokenizedText(Generic[AnyTokenizer]):
    """A tokenizer and its vocabulary: what words and subwords have in common.

    normalize: how text is read before it is cut; only a source has rules for it.
    """

    tokenizer: AnyTokenizer
    vocab: Vocabulary
    normalize: Normalizer = AS_IT_IS

    def encode(self, text: str) -> list[int]:
        """Text -> ids, without special tokens."""
        return self.vocab.encode(self.tokenizer(self.normalize(text)))

    def preprocess(self, text: str) -> UserInput:
        """One line of user input, as this side reads it; InputError for anything else."""
        line = self.normalize(one_line(text))
        numbers = numbers_of(line) if self.normalize else None
        return replace(self.as_read(line), numbers=numbers)

    def as_read(self, line: str) -> UserInput:
        """What the model reads of a normalized line."""
        raise NotImplementedError

    def doubt(self, ids: Ids, typed: UserInput) -> str:
        """Why these ids can't be the right translation, or ""; see `UserInput.doubt`."""
        return typed.doubt(self.decode(ids))

    def decode(self, ids: Ids) -> str:
        """Ids -> text as it is written, up to the first <eos>."""
        return self.tokenizer.detokenize(self.vocab.decode(ids))


class Language(TokenizedText[Tokenizer]):
    """One side of a translator that reads and writes whole words, those of its vocabulary."""

    longest = LONGEST  # tokens in a sentence

    @property
    def words(self) -> list[str]:
        """The words that it can read, in alphabetical order."""
        words = [w for w in self.vocab.tokens[len(SPECIALS) :] if w[0].isalnum()]
        return sorted(words, key=str.lower)

    def as_read(self, line: str) -> UserInput:
        """The sentence, with the punctuation at its end set aside."""
        return one_sentence(line)

    def tokens(self, typed: UserInput) -> list[str]:
        """The tokens of user input; InputError for two sentences, a long one or an unknown word."""
        tokens = self.tokenizer(typed.words)
        check_tokens(tokens)
        unknown = self.vocab.unknown(tokens)
        if unknown:
            raise InputError(about_unknown(unknown, self.words, self.tokenizer.language))
        return tokens

    def postprocess(self, ids: Ids, typed: UserInput) -> str:
        """Ids -> the text of a translation, with the punctuation that was set aside."""
        return typed.restore_punctuation(self.decode(ids), self.tokenizer.language)

    @property
    def larger_model_hint(self) -> str:
        """Which model reads any word, and how to load it; "" if this side isn't English."""
        return LARGER if self.tokenizer.language == "en" else ""

    def display_tokens(self, tokens: list[str]) -> list[str]:
        """Tokens as they are shown in a figure."""
        return tokens

    def to_json(self) -> dict[str, Any]:
        """What `from_json` needs, for a file."""
        content = {
            "language": self.tokenizer.language,
            "proper": sorted(self.tokenizer.proper.values()),
            "words": self.vocab.tokens[len(SPECIALS) :],
        }
        rules = {"normalize": self.normalize.to_json()} if self.normalize else {}
        return content | rules

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Language":
        """The language that `to_json` described; KeyError, TypeError or ValueError if damaged."""
        tokenizer = Tokenizer(content["language"], content["proper"])
        rules = Normalizer(**content.get("normalize", {}))
        return cls(tokenizer, Vocabulary(content["words"]), rules)


class SubwordLanguage(TokenizedText[Subwords]):
    """Both sides of a translator whose languages share their subwords; it reads any text.

    finished: whether nearly all sentences that it learned from begin with a capital and end with
    punctuation; then what somebody types is given both. stand_ins: what it has learned to copy, for
    each of `stand_ins.KINDS`; without them, links and emoji are read like any text.
    """

    finished: bool
    stand_ins: StandIns
    longest = LONGEST_IN_SUBWORDS
    larger_model_hint = ""

    def __init__(
        self,
        subwords: Subwords,
        finished: bool = False,
        stand_ins: StandIns = MappingProxyType({}),
        normalize: Normalizer = AS_IT_IS,
    ):
        super().__init__(subwords, subwords.vocabulary(), normalize)
        object.__setattr__(self, "finished", finished)  # it is frozen
        object.__setattr__(self, "stand_ins", stand_ins)

    def as_source(self, normalize: Normalizer) -> "SubwordLanguage":
        """The same language, as the side that is read by these rules."""
        return SubwordLanguage(self.tokenizer, self.finished, self.stand_ins, normalize)

    @property
    def words(self) -> list[str]:
        """InputError: there is no list of them."""
        raise InputError("this model reads any word, in pieces if need be: it has no list of words")

    def as_read(self, line: str) -> UserInput:
        """The whole line, as in training text; a line all in capitals is read in lower case."""
        if self.finished:
            return finish(line)
        shouted = line.isupper() and sum(map(str.isalpha, line)) > 4  # NASA stays
        words, replaced = replace_by_stand_ins(line, self.stand_ins, lower=shouted)
        return UserInput(words, replaced=replaced)

    def tokens(self, typed: UserInput) -> list[str]:
        """The subwords of user input; InputError for more than `longest`."""
        tokens = self.tokenizer(typed.words)
        if len(tokens) > self.longest:
            raise InputError(
                f"the text has {len(tokens)} subwords, more than {self.longest}: "
                f"cut it into shorter sentences"
            )
        return tokens

    def postprocess(self, ids: Ids, typed: UserInput) -> str:
        """Ids -> the text of a translation, without what was added to the input."""
        return typed.translated(self.decode(ids))

    def display_tokens(self, tokens: list[str]) -> list[str]:
        """Subwords as text, where they hold whole letters, with · for the space before a word."""
        return [
            token if token in SPECIALS else self.tokenizer.piece(token).replace(" ", "·")
            for token in tokens
        ]


AnyLanguage = Language | SubwordLanguage  # of words, or of subwords


def write_languages(folder: Path, src: AnyLanguage, tgt: AnyLanguage) -> None:
    """Both sides as files in a folder. ValueError if only one of them has subwords."""
    if isinstance(src, SubwordLanguage) and isinstance(tgt, SubwordLanguage):
        how: dict[str, Any] = {"finished": src.finished}
        if src.stand_ins:
            how["stand_ins"] = {kind: list(some) for kind, some in src.stand_ins.items()}
        if src.normalize:
            how["normalize"] = src.normalize.to_json()
        write_json(Path(folder) / TYPED_FILE, how)
        write_file(Path(folder) / SUBWORDS_FILE, src.tokenizer.to_json().encode("utf-8"))
    elif isinstance(src, SubwordLanguage) or isinstance(tgt, SubwordLanguage):
        raise ValueError("a translator has words on both sides or the same subwords")
    else:
        sides = {"source": src.to_json(), "target": tgt.to_json()}
        write_json(Path(folder) / WORDS_FILE, sides)


def read_languages(folder: Path) -> tuple[AnyLanguage, AnyLanguage]:
    """Source and target, as `write_languages` left them in a folder; else CheckpointError."""
    if (folder / SUBWORDS_FILE).exists():
        return read_subwords(folder)
    sides = read_json(folder / WORDS_FILE)
    try:
        return Language.from_json(sides["source"]), Language.from_json(sides["target"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{folder / WORDS_FILE} is damaged: {error!r}") from None


def read_subwords(folder: Path) -> tuple[SubwordLanguage, SubwordLanguage]:
    """Source and target, from a folder with subwords; CheckpointError if it is damaged."""
    path = folder / SUBWORDS_FILE
    try:
        subwords = Subwords(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{path} is damaged: {error}") from None
    typed = folder / TYPED_FILE  # a folder from elsewhere may lack it
    how = read_json(typed) if typed.exists() else {}
    target = SubwordLanguage(subwords, bool(how.get("finished")), how.get("stand_ins", {}))
    try:
        return target.as_source(Normalizer(**how.get("normalize", {}))), target
    except TypeError as error:
        raise CheckpointError(f"{typed} is damaged: {error}") from None
