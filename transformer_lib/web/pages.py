"""The laboratory as one page of HTML: the scripts, and a trained translator as the last of them."""

import base64
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import save

from transformer_lib.checkpoints import weights, write_file
from transformer_lib.languages import SubwordLanguage
from transformer_lib.translator import Translator

HERE = Path(__file__).resolve().parent


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

    page = read("lab.html").replace(
        '<link rel="stylesheet" href="lab.css" />', f"<style>{read('lab.css')}</style>"
    )
    return re.sub(r'<script src="(?P<name>[\w.]+)"></script>', script, page)


def write_lab(folder: Path, translator: Translator | None = None) -> Path:
    """Write `lab_page` as index.html into a folder; by default with the course's translator."""
    path = Path(folder) / "index.html"
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
    numbers = {name: tensor.float() for name, tensor in weights(translator.model).items()}
    about["weights"] = base64.b64encode(save(numbers)).decode("ascii")
    return f"const TRAINED = {json.dumps(about, ensure_ascii=False)};\n"


def translator_data(translator: Translator) -> dict[str, Any]:
    """All of a translator but its weights, as the constructors in the JavaScript take it."""
    config = translator.model.config
    if isinstance(translator.src, SubwordLanguage):
        raise WebError("the laboratory reads words, but this model reads subwords")
    if config.positions != "paper":
        raise WebError(f'the laboratory computes positions="paper", not "{config.positions}"')
    return {
        "config": asdict(config),
        "source": translator.src.to_json(),
        "target": translator.tgt.to_json(),
        "rules": cutting_rules(translator.src.tokenizer.language),
        "sureness": asdict(translator.sureness) if translator.sureness else None,
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
