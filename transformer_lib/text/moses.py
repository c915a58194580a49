"""Text as most published scores want it: Moses' punctuation and tokens, by the package sacremoses,
and the way back to text as people write it.

Moses is the toolkit of statistical translation (Koehn et al. 2007) whose little scripts outlived
it: a dash is a dash, and "isn't it?" becomes "isn &apos;t it ?", here with the sign itself.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from transformer_lib.files import keep_file
from transformer_lib.text.parallel import read_parallel


def tokenizer(language: str) -> Callable[[str], str]:
    """A function: text -> its tokens between spaces."""
    from sacremoses import MosesPunctNormalizer, MosesTokenizer  # needed for nothing else

    normalizer, moses = MosesPunctNormalizer(language), MosesTokenizer(language)

    def tokenize(text: str) -> str:
        tokens: str = moses.tokenize(normalizer.normalize(text), escape=False, return_str=True)
        return tokens

    return tokenize


def detokenizer(language: str) -> Callable[[str], str]:
    """A function: tokens between spaces -> text as people write it, but for capitals."""
    from sacremoses import MosesDetokenizer

    moses = MosesDetokenizer(language)
    return lambda tokens: moses.detokenize(tokens.split(), unescape=False)


def recaser(texts: Iterable[str], language: str) -> Callable[[str], str]:
    """A function: tokens in lower case -> each as it is most often written inside these texts.

    A sentence begins with a capital.
    """
    from sacremoses import MosesDetruecaser, MosesTruecaser

    cut, by_word, by_place = tokenizer(language), MosesTruecaser(), MosesDetruecaser()
    by_word.train([cut(text).split() for text in texts])
    return lambda tokens: by_place.detruecase(by_word.truecase(tokens, True), return_str=True)


def tokenized(path: Path, languages: tuple[str, str]) -> Path:
    """The pairs of a tab-separated file in lower case and tokens, in a file beside it -> that file.

    train.tsv -> train.tokens.tsv
    """
    source, target = map(tokenizer, languages)
    rows = [f"{source(a.lower())}\t{target(b.lower())}\n" for a, b in read_parallel([path])]
    beside = path.with_suffix(".tokens.tsv")
    keep_file(beside, "".join(rows).encode("utf-8"))
    return beside
