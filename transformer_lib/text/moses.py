"""Text as most published scores need it: in the tokens of Moses.

Moses was a toolkit for statistical translation (Koehn et al. 2007), and its scripts for preparing
text are still in use; here they come from the package sacremoses. All dashes become alike, and
"isn't it?" becomes "isn 't it ?". Unlike in Moses, an apostrophe is not written as &apos;.
"""

from collections.abc import Callable
from pathlib import Path

from transformer_lib.files import keep_file
from transformer_lib.text.parallel import read_parallel


def tokenizer(language: str) -> Callable[[str], str]:
    """A function: text -> its tokens, separated by spaces."""
    from sacremoses import MosesPunctNormalizer, MosesTokenizer  # needed for nothing else

    normalizer, moses = MosesPunctNormalizer(language), MosesTokenizer(language)

    def tokenize(text: str) -> str:
        return str(moses.tokenize(normalizer.normalize(text), escape=False, return_str=True))

    return tokenize


def tokenized(path: Path, languages: tuple[str, str]) -> Path:
    """Write the pairs of a tab-separated file as lower-case tokens, next to it -> the new file.

    train.tsv -> train.tokens.tsv
    """
    source, target = map(tokenizer, languages)
    rows = [f"{source(a.lower())}\t{target(b.lower())}\n" for a, b in read_parallel([path])]
    beside = path.with_suffix(".tokens.tsv")
    keep_file(beside, "".join(rows).encode("utf-8"))
    return beside
