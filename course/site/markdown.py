"""Markdown and code as HTML: formulas are MathML, code has its colors, links lead into the site."""

import posixpath
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

import mistune
from latex2mathml.converter import convert
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

Target = Callable[[str], str | None]  # an address as written -> as it is in the site, or nowhere
# A formula and the sign after it: browsers would begin a line with the sign.
SIGN_AFTER = re.compile(
    r"""(<math (?:(?!</math>).)*display="inline"(?:(?!</math>).)*</math>[.,;:?!)]+)"""
)
ANCHOR_SAFE = "!$&'()*+,;=:@/?"  # what may stand in the part of an address after #


def jupyter_anchor(heading: str) -> str:
    """The name of a heading in a notebook, as JupyterLab and GitHub link to it."""
    return heading.replace(" ", "-")


def github_anchor(heading: str) -> str:
    """The name of a heading in a Markdown file, as GitHub links to it."""
    return re.sub(r"[^\w\- ]", "", heading.casefold()).replace(" ", "-")


class Words(mistune.HTMLRenderer):
    """HTML in Markdown is shown, not obeyed; what is too wide scrolls in a box of its own."""

    def __init__(self, target: Target):
        super().__init__(escape=True)
        self.target = target

    def link(self, text: str, url: str, title: str | None = None) -> str:
        address = self.target(unquote(url))
        return text if address is None else f'<a href="{mistune.escape(address)}">{text}</a>'

    def block_code(self, code: str, info: str | None = None) -> str:
        return code_html(code.rstrip("\n"), info or "text")

    def inline_math(self, text: str) -> str:
        return convert(text.strip(), display="inline")

    def block_math(self, text: str) -> str:
        return f'<span class="formula wide">{convert(text.strip(), display="block")}</span>'

    def table(self, text: str) -> str:
        return f'<div class="wide"><table>{text}</table></div>\n'

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        kind = "th" if head and text else "td"  # a header without words is none
        scope = ' scope="col"' if kind == "th" else ""
        return f"<{kind}{scope}>{text}</{kind}>\n"


def markdown(target: Target, anchor: Callable[[str], str]) -> Callable[[str], Markup]:
    """A function from Markdown to HTML; `anchor` names the headings."""
    reader = mistune.create_markdown(renderer=Words(target), plugins=["table", "math"])

    def name_headings(_: mistune.Markdown, state: mistune.BlockState) -> None:
        for token in state.tokens:
            if token["type"] == "heading":
                token["attrs"]["id"] = anchor(token["text"])

    reader.before_render_hooks.append(name_headings)
    return lambda text: Markup(SIGN_AFTER.sub(r'<span class="whole">\1</span>', reader(text)))


def inline(text: str) -> Markup:
    """The words of a heading, without the heading around them."""
    html = markdown(lambda _: None, jupyter_anchor)(f"# {text}").strip()
    return Markup(html[html.index(">") + 1 :].removesuffix("</h1>"))


def code_inside(code: str, language: str = "python") -> str:
    """Code with its parts marked; in a language that Pygments doesn't know, as it is."""
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return highlight(code, lexer, HtmlFormatter(nowrap=True)).rstrip("\n")


def code_html(code: str, language: str = "python") -> Markup:
    inside = code_inside(code, language)
    return Markup(f'<div class="code wide"><pre><code>{inside}</code></pre></div>\n')


def plain(text: str) -> str:
    """Markdown as words alone, for the search."""
    text = re.sub(r"\$\$.*?\$\$|^```\w*$", " ", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\$[^$\n]+\$", lambda formula: in_words(formula[0]), text)
    text = re.sub(r"\]\([^)\s]*\)", " ", text)  # where a link leads
    text = re.sub(r"^\|[-|: ]+\|$", " ", text, flags=re.MULTILINE)  # a rule in a table
    text = re.sub(r"[*`$#|>\[\]{}]", " ", text)
    return re.sub(r" (?=[,.;:!?)])|(?<=\() ", "", " ".join(text.split()))


def in_words(formula: str) -> str:
    """A formula as it could be typed: `$\\sqrt{d_k}$` -> √d_k."""
    signs = {"sqrt": "√", "sum": "Σ", "cdot": "·", "times": "×", "le": "≤", "ge": "≥", "to": "→"}
    signs |= {name: name for name in ("max", "min", "log", "exp", "sin", "cos")}
    formula = re.sub(r"\\([A-Za-z]+)", lambda name: signs.get(name[1], ""), formula)
    return re.sub(r"[{}$\\]", "", formula)


def relative(source: PurePosixPath, address: str) -> tuple[str, str]:
    """A relative address in a file -> what it names, from the project's folder, and its anchor."""
    path, _, anchor = address.partition("#")
    return posixpath.normpath(source.parent / path) if path else str(source), anchor


def with_anchor(page: str, anchor: str) -> str:
    return f"{page}#{quote(anchor, safe=ANCHOR_SAFE)}" if anchor else page
