"""The laboratory as one page of HTML: the scripts, and a trained translator as the last of them."""

import base64
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from course.lab.packing import eight_bits, full_numbers, pack
from transformer_lib.files import write_file
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.normalizing import JOINED, PICTURE
from transformer_lib.text.stand_ins import KINDS, SPANISH, StandIns, pattern_of
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.translator import Translator

HERE = Path(__file__).resolve().parent
PART = 250_000  # letters: a second of a slow line
# In the order of the page: what computes, without what draws.
SCRIPTS = (
    "tokens.js",
    "subwords.js",
    "model.js",
    "decoding.js",
    "recording.js",
    "translator.js",
    "opening.js",
)
# What stands beside a page that is not all in one: its own scripts, and how it looks.
FILES = (
    *SCRIPTS,
    "theme.js",
    "texts.js",
    "loading.js",
    "attention_view.js",
    "tour.js",
    "lab.js",
    "lab.css",
    "icon.svg",
)
FILL_IN = """\
const fill = (text, values) => text.replace(/{(\\w+)}/g, (_, name) => values[name]);
const say = (name, values = {}) => fill(TEXTS.scripts[name], values);
const refusal = (name, values = {}) => fill(TEXTS.input[name], values);
"""


class WebError(ValueError):
    """A model that the page can't run; the message says why."""


def lab_page(translator: Translator) -> str:
    """The laboratory with a trained translator, all in one page; it needs no server and no network.

    Its numbers are the translator's own. Raises WebError for a model that the page can't run.
    """
    scripts = []

    def script(found: re.Match) -> str:
        name = found["name"]
        text = trained_script(translator) if name == "trained.js" else read(name)
        scripts.append(inline(text))
        return f"<script>{scripts[-1]}</script>"

    page = words_for(translator)
    style = '<link rel="stylesheet" href="lab.css" />'
    page = page.replace(style, f"<style>{read('lab.css')}</style>")
    page = page.replace('href="icon.svg"', f'href="data:image/svg+xml,{quote(read("icon.svg"))}"')
    page = re.sub(r'<script src="(?P<name>[\w.]+)"></script>', script, page)
    return page.replace(
        '<meta charset="utf-8" />', f'<meta charset="utf-8" />\n    {policy(scripts)}'
    )


def words_for(translator: Translator) -> str:
    """lab.html, as it speaks of this translator, with the notice that the model carries."""
    texts = all_texts()
    words = {"language": texts["language"], **texts["page"]}
    if isinstance(translator.src, SubwordLanguage):
        words |= texts["subwords"]
    page = re.sub(r"{{(\w+)}}", lambda found: words[found[1]], read("lab.html"))
    if translator.notice:
        link = r'<a href="\g<0>">\g<0></a>'
        notice = re.sub(r"https://[\w./-]*\w/?", link, escape(translator.notice))
        page = page.replace("</main>", f'  <p class="aside">{notice.strip()}</p>\n    </main>')
    return page


def policy(scripts: Iterable[str] = ()) -> str:
    """What a page may load, as an element for its head: nothing from outside.

    scripts: those inside the page; each is named by its hash.
    """
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    ]
    here = "'self' file:"  # opened from disk a page is nobody's own
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(hashes) or here}",
        f"style-src {here} 'unsafe-inline'",
        f"img-src {here} data:",
        f"font-src {here}",
        f"base-uri {here}",
        "form-action 'none'",
    ]
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}" />'


def write_parts(folder: Path, name: str, translator: Translator) -> list[str]:
    """The laboratory as a page with files beside it, in 8 bits: for reading over a network.

    Writes the page, its scripts, and what was trained in parts of which a page can tell how many
    have come; gives the names of the parts. Several translators share a folder and its scripts.
    """
    letters = pack(translator_data(translator), eight_bits(translator))
    cut = [letters[i : i + PART] for i in range(0, len(letters), PART)]
    parts = [f"{Path(name).stem}-{number:02d}.js" for number in range(1, len(cut) + 1)]
    for i, (file, text) in enumerate(zip(parts, cut, strict=True)):
        write_file(folder / file, f'(globalThis.TRAINED ??= [])[{i}] = "{text}";\n'.encode())
    for file in FILES:
        write_file(folder / file, read(file).encode())
    sizes = [(file, (folder / file).stat().st_size) for file in parts]
    size = sum(bytes for _, bytes in sizes) / 1e6
    body = f"<body data-size=\"{size:.1f} MB\" data-parts='{json.dumps(sizes)}'>"
    page = words_for(translator).replace("<body>", body)
    page = page.replace('    <script src="trained.js"></script>\n', "")
    write_file(folder / name, page.encode())
    return parts


def write_lab(folder: Path, translator: Translator | None = None, name: str = "index.html") -> Path:
    """Write `lab_page` into a folder; by default with the course's translator."""
    path = Path(folder) / name
    write_file(path, lab_page(translator or Translator.load()).encode("utf-8"))
    return path


def read(name: str) -> str:
    return texts_script() if name == "texts.js" else (HERE / name).read_text(encoding="utf-8")


def all_texts() -> dict[str, Any]:
    """What the laboratory says: texts.toml."""
    return tomllib.loads(read("texts.toml"))


def texts_script() -> str:
    """The same for the scripts, with the functions that fill in what is between braces."""
    return f"const TEXTS = {json.dumps(all_texts(), ensure_ascii=False)};\n{FILL_IN}"


def inline(script: str) -> str:
    """A script for the inside of a page, whatever its texts hold."""
    return script.replace("</", "<\\/")


def trained_script(translator: Translator, *, eight: bool = False) -> str:
    """A trained translator as JavaScript: `TRAINED = ["..."]`. eight: its matrices in 8 bits."""
    numbers = eight_bits(translator) if eight else full_numbers(translator)
    return f'globalThis.TRAINED = ["{pack(translator_data(translator), numbers)}"];\n'


def translator_data(translator: Translator) -> dict[str, Any]:
    """All of a translator but its weights, as the constructors in the JavaScript take it."""
    config = translator.model.config
    if config.positions != "paper":
        raise WebError(f'the laboratory computes positions="paper", not "{config.positions}"')
    about = {
        "config": asdict(config),
        "confidence": asdict(translator.confidence) if translator.confidence else None,
        "normalize": translator.src.normalize.to_json() | {"whole": for_javascript(JOINED)},
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
    return {
        "pieces": language.vocab.tokens[len(SPECIALS) :],
        "merges": list(map(" ".join, rules["model"]["merges"])),
        "finished": language.finished,
        "stand_ins": stand_in_rules(language.stand_ins),
    }


def stand_in_rules(stand_ins: StandIns) -> dict[str, Any]:
    """What is copied, what the model reads in its place, and how Spanish writes it."""
    return {
        "pattern": for_javascript(pattern_of(stand_ins)).replace("(?P<", "(?<"),
        "picture": for_javascript(PICTURE),
        "tag": for_javascript(KINDS["tag"]),
        "some": {kind: list(ones) for kind, ones in stand_ins.items()},
        "spanish": {
            kind: [(for_javascript(found), written) for found, written in rules]
            for kind, rules in SPANISH.items()
        },
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
