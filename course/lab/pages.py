"""The laboratory as one page of HTML: the scripts, and a trained translator as the last of them."""

import base64
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

import torch
from safetensors.torch import save
from torch import Tensor

from transformer_lib.checkpoints import weights
from transformer_lib.files import write_file
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.translator import Translator

HERE = Path(__file__).resolve().parent
# What a page says of a model with subwords, in place of what it says of the small one.
EVERYDAY = {
    "<title>Two numbers and a letter: a Transformer": "<title>Any sentence: a Transformer",
    "<h1>Two numbers and a letter</h1>": "<h1>Any sentence</h1>",
    "A Transformer translates in this page.": "A Transformer that reads any sentence translates in "
    "this page. It reads and writes in pieces; · stands for the space before a word.",
}


class WebError(ValueError):
    """A model that the page can't run; the message says why."""


def lab_page(translator: Translator) -> str:
    """The laboratory with a trained translator: a page that needs no server and no network.

    A page may not fetch files beside it when it is opened from disk. So everything is inside, and
    the weights, as a safetensors file, are text in a script. Raises WebError for a model
    that the page can't run.
    """

    def script(found: re.Match) -> str:
        name = found["name"]
        text = trained_script(translator) if name == "trained.js" else read(name)
        return f"<script>{inline(text)}</script>"

    page = read("lab.html")
    if isinstance(translator.src, SubwordLanguage):
        for one, other in EVERYDAY.items():
            page = page.replace(one, other)
    style = '<link rel="stylesheet" href="lab.css" />'
    page = page.replace(style, f"<style>{read('lab.css')}</style>")
    page = page.replace('href="icon.svg"', f'href="data:image/svg+xml,{quote(read("icon.svg"))}"')
    return re.sub(r'<script src="(?P<name>[\w.]+)"></script>', script, page)


def write_lab(folder: Path, translator: Translator | None = None, name: str = "index.html") -> Path:
    """Write `lab_page` into a folder; by default with the course's translator."""
    path = Path(folder) / name
    write_file(path, lab_page(translator or Translator.load()).encode("utf-8"))
    return path


def read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def inline(script: str) -> str:
    """A script for the inside of a page, whatever its texts hold."""
    return script.replace("</", "<\\/")


def trained_script(translator: Translator) -> str:
    """A trained translator as JavaScript: `const TRAINED = {...}`."""
    about = translator_data(translator)
    numbers = {name: shortest(tensor) for name, tensor in weights(translator.model).items()}
    about["weights"] = base64.b64encode(save(numbers)).decode("ascii")
    return f"const TRAINED = {json.dumps(about)};\n"  # in ASCII a browser needs half the memory


def shortest(tensor: Tensor) -> Tensor:
    """The same numbers in 16 bits where they fit, as those that were stored so do; else in 32."""
    half = tensor.half()
    return half if torch.equal(half.float(), tensor.float()) else tensor.float()


def translator_data(translator: Translator) -> dict[str, Any]:
    """All of a translator but its weights, as the constructors in the JavaScript take it."""
    config = translator.model.config
    if config.positions != "paper":
        raise WebError(f'the laboratory computes positions="paper", not "{config.positions}"')
    about = {
        "config": asdict(config),
        "sureness": asdict(translator.sureness) if translator.sureness else None,
    }
    if isinstance(translator.src, SubwordLanguage):
        return {**about, "source": subword_rules(translator.src)}
    return {
        **about,
        "source": translator.src.to_json(),
        "target": translator.tgt.to_json(),
        "rules": cutting_rules(translator.src.tokenizer.language),
    }


def subword_rules(language: SubwordLanguage) -> dict[str, Any]:
    """The pieces in the order of their ids, and the pairs that are joined: for subwords.js."""
    rules = json.loads(language.tokenizer.to_json())
    kinds = [(rules[part] or {}).get("type") for part in ("model", "normalizer", "pre_tokenizer")]
    before = rules["pre_tokenizer"] or {}
    if kinds != ["BPE", "NFC", "ByteLevel"] or not (
        before["add_prefix_space"] and before["use_regex"]
    ):
        raise WebError(
            "the laboratory cuts as subwords are cut here, but these are of another kind"
        )
    merges = [
        pair if isinstance(pair, str) else " ".join(pair) for pair in rules["model"]["merges"]
    ]
    return {
        "pieces": language.vocab.tokens[len(SPECIALS) :],
        "merges": merges,
        "finished": language.finished,
    }


def cutting_rules(language: str) -> dict[str, Any]:
    """spaCy's rules for a language: regular expressions for JavaScript, and the exceptions.

    Only exceptions that can still be met when a text is in lower case, with straight quotes.
    """
    import spacy  # here, because importing spaCy takes seconds
    from spacy.symbols import ORTH

    rules = spacy.blank(language).tokenizer
    patterns = {
        "prefix": rules.prefix_search,
        "suffix": rules.suffix_search,
        "infix": rules.infix_finditer,
        "url": rules.url_match,
    }
    exceptions = {
        text: [token[ORTH] for token in tokens]
        for text, tokens in rules.rules.items()
        if text == text.lower().replace("’", "'")
    }
    return {
        **{name: for_javascript(method.__self__.pattern) for name, method in patterns.items()},
        "exceptions": exceptions,
    }


def for_javascript(pattern: str) -> str:
    """A regular expression of Python, for JavaScript's `RegExp(…, "u")`.

    There only signs with a meaning may have a backslash, and \\d and \\w know no letters but
    those of English.
    """
    letters = {"d": r"\p{Nd}", "w": r"\p{L}\p{N}_", "s": r"\s", "S": r"\S"}

    def escaped(found: re.Match) -> str:
        kind, long = found["sign"], found["long"]
        if long:
            return rf"\u{{{int(long, 16):x}}}"
        if kind == "u" or kind in letters:
            return letters.get(kind, found[0])
        return found[0] if kind in r"^$\.*+?()[]{}|/-" else kind

    return re.sub(
        r"\\(?:U(?P<long>[0-9A-Fa-f]{8})|(?P<sign>.))", escaped, pattern.replace("(?u)", "")
    )
