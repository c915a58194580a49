"""Text -> tokens -> ids, and back.

A tokenizer cuts a sentence into tokens, a vocabulary numbers them:

    "The animal didn't cross"  ->  the animal did not cross  ->  [5, 17, 42, 9, 88]

The text is cut by spaCy's hand-written rules for each language (no trained model is needed). Two
small things are added: words lose the capital that only marks the start of a sentence, so that
"Trees" and "trees" are one word, and English contractions are written out.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

from transformer_lib.checks import whole
from transformer_lib.ids import BOS, EOS, PAD, SPECIALS, UNK
from transformer_lib.text.user_input import several

# What spaCy cuts off an English contraction -> the word it stands for ("ca" + "n't" is "can not").
CONTRACTIONS = {
    "n't": "not",
    "nt": "not",
    "ca": "can",
    "wo": "will",
    "sha": "shall",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
}
# After one of these, 's is short for "is"; after a noun it marks the owner ("the queen's duck").
BEFORE_IS = {"he", "she", "it", "that", "there", "here", "who", "what", "where", "how"}
NO_SPACE_BEFORE = {",", ".", ";", ":", "?", "!", ")", "»", "…", "...", "'s", "'d", "'"}
NO_SPACE_AFTER = {"¿", "¡", "(", "«"}


class Tokenizer:
    """Cuts text of one language into tokens, and joins tokens to text again.

    language: a spaCy language code such as "en", "es" or "de".
    proper: the words that always have a capital ("I", "Ana"); see `learn_truecasing`.
    """

    def __init__(self, language: str, proper: Iterable[str] = ()):
        self.language = language
        self.proper = {word.lower(): word for word in proper}

    def __repr__(self) -> str:
        return f"Tokenizer({self.language!r}, {len(self.proper)} proper words)"

    def __call__(self, text: str) -> list[str]:
        """The tokens of one sentence: lower case, except for proper words."""
        words = self.split(text.lower())  # first, as spaCy's rules know "can't", not "CAN'T"
        if self.language == "en":
            words = write_out_contractions(words)
        return [self.proper.get(word, word) for word in words]

    def split(self, text: str) -> list[str]:
        """spaCy's tokens, in the letters of the text."""
        text = unicodedata.normalize("NFC", text).replace("’", "'")
        whole = any(phrase in text for phrase in _phrases(self.language))
        pieces = [text] if whole else text.split()
        return [token for piece in pieces for token in _cut(self.language, piece)]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Text as it is written: ¿ quién cruza la calle ? -> "¿Quién cruza la calle?"."""
        text = ""
        several(tokens, "tokens")
        glue = True  # True while the next token must follow without a space
        for token in tokens:
            text += token if glue or token in NO_SPACE_BEFORE else " " + token
            glue = token in NO_SPACE_AFTER
        start = next((i for i, letter in enumerate(text) if letter.isalpha()), 0)
        return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


@lru_cache(maxsize=2**16)  # words come again and again, and spaCy makes a document of each text
def _cut(language: str, text: str) -> list[str]:
    return [token.text for token in _spacy_tokenizer(language)(text) if not token.is_space]


@cache
def _phrases(language: str) -> list[str]:
    """What spaCy keeps together though there are spaces in it, such as "EE. UU."."""
    return [rule for rule in _spacy_tokenizer(language).rules if " " in rule.strip()]


@cache
def _spacy_tokenizer(language: str) -> Any:
    import spacy  # here, because importing spaCy takes seconds

    try:
        tokenizer = spacy.blank(language).tokenizer
    except ImportError:
        raise ValueError(f"spaCy has no rules for the language {language!r}") from None
    return tokenizer


def write_out_contractions(words: Sequence[str]) -> list[str]:
    """did n't -> did not, ca n't -> can not, it 's -> it is; the owner's 's stays."""
    full: list[str] = []
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else ""
        if word == "'s" and full and full[-1] in BEFORE_IS:
            word = "is"
        elif word not in ("ca", "wo", "sha") or following in ("n't", "nt"):
            word = CONTRACTIONS.get(word, word)
        full.append(word)
    return full


def learn_truecasing(texts: Iterable[str], tokenizer: Tokenizer) -> list[str]:
    """The words that, inside sentences of the training text, are only written with a capital."""
    texts = list(several(texts, "texts"))
    if all(text == text.lower() for text in texts):
        return []  # at once, for digits and other text without capitals
    capital: set[str] = set()
    small: set[str] = set()
    for text in texts:
        words = [word for word in tokenizer.split(text) if word[0].isalpha()]
        for word in words[1:]:
            (capital if word[0].isupper() else small).add(word)
    return sorted(word for word in capital if word.lower() not in small)


class Vocabulary:
    """The id of every token: its place in the list, after the four special tokens.

    <pad> fills up short rows of a batch, <bos> and <eos> mark the beginning and the end of a
    sentence, <unk> stands for any word that is not in the list. ValueError for a word listed twice.
    """

    def __init__(self, words: Sequence[str]):
        self.tokens = [*SPECIALS, *several(words, "words")]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens):
            twice = next(token for token, n in Counter(self.tokens).items() if n > 1)
            raise ValueError(f"a vocabulary lists each token once, but {twice!r} is there twice")

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], min_count: int = 1) -> "Vocabulary":
        """A vocabulary of tokens that occur min_count times or more, the most frequent first."""
        whole("min_count", min_count)
        counts = Counter(token for some in sentences for token in several(some, "tokens"))
        words = [token for token, n in counts.items() if n >= min_count and token not in SPECIALS]
        return cls(sorted(words, key=lambda token: (-counts[token], token)))

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        """Its size, and the first tokens."""
        first = ", ".join(map(repr, self.tokens[:8])) + (", ..." if len(self) > 8 else "")
        return f"Vocabulary({len(self)} tokens: {first})"

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Tokens -> ids; a token that is not in the vocabulary becomes <unk>."""
        return [self.ids.get(token, UNK) for token in several(tokens, "tokens")]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Ids -> tokens, up to the first <eos>, without <pad> and <bos>."""
        tokens = []
        for i in ids:
            if i == EOS:
                break
            if i not in (PAD, BOS):
                if not 0 <= i < len(self):
                    raise ValueError(f"the id {int(i)} isn't in a vocabulary of {len(self)} tokens")
                tokens.append(self.tokens[i])
        return tokens

    def unknown(self, tokens: Sequence[str]) -> list[str]:
        """The tokens that this vocabulary does not have."""
        return [token for token in several(tokens, "tokens") if token not in self.ids]
