"""The site: a folder of static pages that work from any place, from a double click too."""

import ast
import dataclasses
import html
import importlib.util
import io
import json
import os
import re
import shutil
import textwrap
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import vl_convert
import yaml
from fontTools import subset
from fontTools.ttLib import TTFont
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from PIL import Image

from course.chapters import SERIES, parts_of_the_series
from course.drawing.animations import ANIMATIONS, animation_svg
from course.drawing.notebook_output import VEGALITE_VERSION
from course.drawing.style import FONTS
from course.lab.packing import in_eight_bits
from course.lab.pages import HERE as LABORATORY
from course.lab.pages import SCRIPTS, policy, write_parts
from course.notebook_tools import count, run, sections
from course.site import colab, licenses, reference
from course.site.book import chapter, print_pdf
from course.site.markdown import (
    code_html,
    github_anchor,
    inline,
    jupyter_anchor,
    markdown,
    plain,
    relative,
    with_anchor,
)
from course.site.notebooks import Part, Picture, parts
from course.site.opening import opening, riddle
from course.site.slides import goals, slides
from transformer_lib.translator import Translator

ROOT = sections.ROOT
HERE = Path(__file__).resolve().parent
TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
# What the pages say, as `t` in the templates; texts hold HTML, what is filled in doesn't.
TEXTS = tomllib.loads((HERE / "texts.toml").read_text(encoding="utf-8"))
SAID = TEXTS["pages"]
TEMPLATES.globals["t"] = json.loads(
    json.dumps(TEXTS),
    object_hook=lambda part: SimpleNamespace(
        **{name: Markup(text) if isinstance(text, str) else text for name, text in part.items()}
    ),
)
TEMPLATES.filters["fill"] = lambda said, /, **values: said.format(**values)
TEMPLATES.filters["inline"] = inline
TEMPLATES.filters["code"] = code_html
MATH_FONT = "STIXTwoMath-Regular.ttf"  # in the package ziamath
TERM = re.compile(r"^\| \*\*(.+?)\*\* \| .*? \| \[.+?\]\((\S+?)\)", re.MULTILINE)
# English, Spanish and the marks of the first page: fonts of a quarter of the size. A page that has
# more letters fetches all of them. fonts.css has the same as a range.
FIRST_LETTERS = (
    *map(chr, range(0x20, 0x7F)),
    *"\xa0¡§«·»¿×ÁÉÍÑÓÚÜáéíñóúü–—‘’“”•…←↑→↓",
)
# For the search: how much a hit there counts, beside 1 for a section.
EXERCISE, BESIDE, REFERENCE = 0.3, 0.4, 0.3
HERO = "machine"
# What the scripts say, with what is filled in.
FILL_IN = """\
const siteText = (name, values = {}) =>
  siteTexts[name].replace(/{(\\w+)}/g, (_, one) => values[one]);
"""
CARD_FILE = "images/card.png"
CARD = (1200, 630)  # pixels, as those who show cards ask for
MARK = ".nojekyll"  # tells GitHub Pages to take files as they are, and us that this is a site


@dataclasses.dataclass(frozen=True)
class Page:
    """A page of the site: its file, and what it is made from, a path in the project."""

    file: str
    source: PurePosixPath
    title: str
    number: str = ""  # of a notebook
    part: str = ""  # of the series
    explains: str = ""
    minutes: tuple[int, int] = (0, 0)  # core, deeper

    @property
    def text(self) -> str:
        """What it is made from."""
        return (ROOT / self.source).read_text(encoding="utf-8")


LABORATORIES = {"grammar": "index.html", "tatoeba": "everyday.html"}  # translator -> its page
# Sentences to begin with, on the first page.
EXAMPLES = ("I like trees.", "Where is the train station?", "My sister lives in London.")
DOCUMENTS = tuple(
    Page(f"{name}.html", PurePosixPath(file), TEXTS["titles"][name])
    for name, file in {
        "ideas": "notebooks/README.md",
        "glossary": "notebooks/glossary.md",
        "figures": "notebooks/figures.md",
        "build": "docs/mine.md",
        "teaching": "docs/teaching.md",
        "grading": "docs/grading.md",
        "objectives": "docs/objectives.md",
        "install": "docs/install.md",
        "using": "docs/using.md",
        "scaling": "docs/scaling.md",
        "sentences": "data/README.md",
        "model": "data/models/en-es/README.md",
        "larger_model": "data/models/tatoeba-en-es/README.md",
    }.items()
)
OTHER_PLACES = {
    "README.md": "index.html",
    "LICENSE": "about.html#licenses",
    "LICENSES": "about.html#licenses",
    "CITATION.cff": "about.html#cite",
    "transformer_lib": reference.OVERVIEW,
    **{f"transformer_lib/{name}": f"{reference.OVERVIEW}#{name}" for name in reference.FOLDERS},
}


@dataclasses.dataclass(frozen=True)
class Citation:
    """What CITATION.cff says; what it doesn't say is "".

    repository: the address of the project. site: of these pages, with a slash at its end.
    feedback: where a reader can write to.
    """

    title: str
    authors: str
    version: str
    repository: str
    site: str
    feedback: str


def citation(file: Path = ROOT / "CITATION.cff") -> Citation:
    """Its keys `repository-code`, `url` (of the site) and `contact` are the places for addresses.

    On GitHub repository and site are known anyway. Without a contact's email or website,
    feedback goes to the repository's issues.
    """
    told = yaml.safe_load(file.read_text(encoding="utf-8"))
    on_github = os.environ.get("GITHUB_REPOSITORY", "")  # set by GitHub Actions: owner/name
    repository = told.get("repository-code") or on_github and f"https://github.com/{on_github}"
    owner, _, project = repository.partition("https://github.com/")[2].strip("/").partition("/")
    site = told.get("url") or project and f"https://{owner}.github.io/{project}"
    contact = next(iter(told.get("contact", [])), {})
    mail = contact.get("email", "")
    return Citation(
        title=told["title"],
        authors=" and ".join(map(person, told["authors"])),
        version=told["version"],
        repository=repository,
        site=site and site.rstrip("/") + "/",
        feedback=mail
        and f"mailto:{mail}"
        or contact.get("website", "")
        or repository
        and f"{repository.rstrip('/')}/issues",
    )


def person(author: dict[str, str]) -> str:
    """An entity has a name, a person two."""
    parts = (author.get("given-names"), author.get("family-names"))
    return author.get("name") or " ".join(filter(None, parts))


def notebook_pages() -> list[Page]:
    """The series, in order, named and described as in course/series.toml."""
    return [
        Page(
            f"{one['file']}.html",
            PurePosixPath(f"notebooks/{one['file']}.ipynb"),
            one["title"],
            one["file"][:2],
            one["part"],
            one["teaches"],
            count.stated(sections.series()[one["file"]]),
        )
        for one in SERIES
    ]


def reference_pages() -> list[Page]:
    """The overview of the library, then its modules in the order data flows."""
    overview = Page(
        reference.OVERVIEW, PurePosixPath("transformer_lib/__init__.py"), SAID["library"]
    )
    modules = reference.modules()
    return [overview, *(Page(module.file, module.path, module.title) for module in modules)]


class Site:
    """Everything that the pages share, and where they are written."""

    def __init__(self, out: Path, cite: Citation | None = None):
        self.out = out
        self.series = notebook_pages()
        self.cite = cite or citation()
        self.reference = reference_pages()
        own = (*self.series, *DOCUMENTS, *self.reference)
        self.pages = {str(page.source): page for page in own}
        self.found: list[dict[str, object]] = []  # for the search
        self.pictures: dict[str, Picture] = {}  # by the name of the figure
        self.parts: dict[str, tuple[list[Part], bool]] = {}  # of the notebooks, by name
        self.letters: set[str] = set()  # of formulas

    def target(self, page: Page) -> Callable[[str], str | None]:
        """Where a link of this page leads in the site; None: nowhere that a reader could go."""

        def lead(address: str) -> str | None:
            if re.match(r"[a-z]+:", address):
                return address
            file, anchor = relative(page.source, address)
            if file in self.pages:
                return with_anchor(self.pages[file].file, anchor)
            if file in OTHER_PLACES:
                return OTHER_PLACES[file]
            if file.startswith(("..", "/")) or not (ROOT / file).exists():
                raise ValueError(f"{page.source} links to {address}, which doesn't exist")
            return f"{self.cite.repository}/blob/HEAD/{file}" if self.cite.repository else None

        return lead

    def put(self, file: str, text: str) -> None:
        (self.out / file).write_text(text, encoding="utf-8", newline="\n")

    def write(self, template: str, page: Page, file: str = "", /, **given: object) -> None:
        """A page, or another file about it, from its template."""
        file = file or page.file
        given = {"charts": False, "views": False, "loops": False, "contents": []} | given
        text = TEMPLATES.get_template(template).render(
            page=page,
            file=file,
            said=description(page),
            policy=Markup(policy()),
            series=self.series,
            documents=DOCUMENTS,
            cite=self.cite,
            licenses=licenses.by_kind(),
            **given,
        )
        self.letters |= set(html.unescape("".join(re.findall(r"<math.*?</math>", text, re.DOTALL))))
        self.put(file, text)

    def remember(self, page: Page, anchor: str, heading: str, text: str) -> None:
        """A section, so that the search finds it."""
        title = f"{page.number} {page.title}".strip()
        words = plain(text).removeprefix(plain(heading)).strip()
        weight = EXERCISE if re.search(r"\bexercises?\b", heading, re.IGNORECASE) else 1
        self.found.append(
            {
                "page": with_anchor(page.file, anchor),
                "title": title,
                "heading": plain(heading),
                "text": words,
                "weight": weight if page.number else BESIDE,
            }
        )

    def terms(self) -> list[dict[str, object]]:
        """The glossary's words under all their names, and the section that explains each."""
        others = yaml.safe_load((HERE / "synonyms.yml").read_text(encoding="utf-8"))
        page = self.pages["notebooks/glossary.md"]
        lead = self.target(page)
        return [
            {"names": [word, *others.get(word, [])], "page": lead(address)}
            for word, address in TERM.findall(page.text)
        ]

    def notebook(self, page: Page) -> None:
        name = page.source.stem
        notebook = sections.series()[name]
        words = markdown(self.target(page), jupyter_anchor)
        found, open_at_end = self.parts[name] = parts(notebook, name, words)
        pictures = [picture for part in found for picture in part.pictures]
        for picture in pictures:
            (self.out / "images" / picture.file).write_bytes(picture.png)
            if picture.figure in ANIMATIONS:
                picture.loop = Markup(animation_svg(picture.figure))
            if picture.figure:
                self.pictures.setdefault(picture.figure, picture)
        for section in sections.sections(notebook):
            text = "\n".join(cell.source for cell in section.cells)
            self.remember(page, section.anchor, section.heading, text)
        contents = [
            (s.anchor, inline(s.heading), s.deeper)
            for s in sections.sections(notebook)
            if s.level == 2
        ]
        scripts = {
            "charts": any(picture.chart for picture in pictures),
            "loops": any(picture.loop for picture in pictures),
        }
        self.write(
            "notebook.html",
            page,
            parts=found,
            open_at_end=open_at_end,
            contents=contents,
            views=any(picture.view for picture in pictures),
            colab=colab.address(self.cite.repository, name),
            **scripts,
        )
        self.write(
            "slides.html",
            page,
            f"slides/{page.file}",
            goals=words(goals(notebook)),
            slides=slides(name, found),
            **scripts,
        )
        shutil.copyfile(ROOT / page.source, self.out / page.source)
        if self.cite.repository:
            copy = colab.with_first_cell(notebook, self.cite.repository)
            self.put(f"colab/{page.source.name}", run.text(copy))

    def document(self, page: Page) -> None:
        text = page.text
        pieces = re.split(r"^#+ (.+)$", text, flags=re.MULTILINE)
        for heading, part in zip(pieces[1::2], pieces[2::2], strict=True):
            self.remember(page, github_anchor(heading), heading, part)
        contents = [
            (github_anchor(words), inline(words), False)
            for words in re.findall(r"^## (.+)$", text, re.MULTILINE)
        ]
        body = markdown(self.target(page), github_anchor)(text)
        if page.file == "figures.html":
            body = self.with_pictures(body)
        self.write("document.html", page, body=body, contents=contents)

    def library(self) -> None:
        """The reference: its overview, and a page for each module."""
        overview, *pages = self.reference
        modules = dict(zip(pages, reference.modules(), strict=True))
        reader = reference.Reader()
        folders, contents = [], []
        for folder in reference.FOLDERS:
            inside = [module for module in modules.values() if module.folder == folder]
            whole = folder == reference.WHOLE
            contents.append((folder, TEXTS["reference"]["whole"] if whole else f"{folder}/", False))
            told = "" if whole else reference.folder_doc(folder)
            head = told.partition("\n\n")[0] or reference.WHOLE_TOLD
            more = reader.doc(reference.prose(told))
            folders.append((folder, reader.inline(head), more, inside))
            self.remember(overview, folder, folder, head)
        self.write(
            "reference.html",
            overview,
            folders=folders,
            first=reference.first_sentence,
            reader=reader,
            doc=reference.folder_doc(""),
            contents=contents,
        )
        for page, module in modules.items():
            for name in (each for one in module.names for each in (one, *one.methods)):
                self.found.append(
                    {
                        "page": with_anchor(page.file, name.anchor),
                        "title": module.title,
                        "heading": name.anchor,
                        "text": reference.in_words(name),
                        "weight": REFERENCE,
                        "name": True,
                    }
                )
            self.write(
                "module.html",
                page,
                module=module,
                reader=reference.Reader(module),
                contents=[(name.anchor, name.anchor, False) for name in module.names],
            )

    def with_pictures(self, body: Markup) -> Markup:
        """The list of figures with each picture above its name."""
        show = TEMPLATES.get_template("parts.html").module.thumbnail

        def add(found: re.Match[str]) -> str:
            picture = self.pictures.get(found[1])
            return f"{show(picture) if picture else ''}{found[0]}"

        return Markup(re.sub(r"<p><strong><code>([\w-]+)</code></strong>", add, body))


def description(page: Page) -> str:
    """What a page is about, in at most two lines: for search engines and for cards."""
    said = TEXTS["descriptions"]
    if page.explains:
        explains = plain(page.explains)
        return said["notebook"].format(title=page.title, explains=explains, number=page.number)
    name = "laboratory" if page.file.startswith("lab/") else page.file.removesuffix(".html")
    if name in said:
        return said[name]
    if page.source.suffix == ".py":
        told = ast.get_docstring(ast.parse(page.text)) or ""
        text = said["module"].format(title=page.title, told=plain(told))
    else:
        paragraphs = page.text.split("\n\n")
        text = next(plain(part) for part in paragraphs if re.match(r"[A-Z`*\[]", part))
    return textwrap.shorten(text, 200, placeholder=" …")


def light(hero: Picture) -> bytes:
    """The picture in a quarter of its bytes: the first page is fetched by everybody."""
    drawn = Image.open(io.BytesIO(hero.png)).convert("RGB")
    file = io.BytesIO()
    drawn.thumbnail((740, 740), Image.Resampling.LANCZOS)
    drawn.save(file, "AVIF", quality=28, speed=0, subsampling="4:4:4")
    return file.getvalue()


def card(hero: Picture) -> bytes:
    """The picture that stands for the site where a link to it is shared: a PNG of CARD's size."""
    picture = Image.new("RGB", CARD, "white")
    drawn = Image.open(io.BytesIO(hero.png)).convert("RGB")
    drawn.thumbnail((CARD[0] - 60, CARD[1] - 60))
    picture.paste(drawn, tuple((a - b) // 2 for a, b in zip(CARD, drawn.size, strict=True)))
    written = io.BytesIO()
    picture.quantize(64).save(written, "PNG", optimize=True)
    return written.getvalue()


def math_font(letters: set[str]) -> bytes:
    """The letters and signs of the formulas, as a font for browsers: 1.5 MB become some kB."""
    package = importlib.util.find_spec("ziamath").submodule_search_locations[0]
    # Letters of one character are set in italics, which are signs of their own in Unicode.
    italics = [0x1D434 + n for n in range(52)] + [0x1D6FC + n for n in range(25)] + [0x210E]
    signs = [*map(ord, letters | {"√"}), *italics, *range(0x20, 0x7F)]
    return cut_font(Path(package) / "fonts" / MATH_FONT, signs, ["*"])


def cut_font(file: Path, signs: Iterable[int], features: list[str]) -> bytes:
    """These signs of a font, compressed for browsers."""
    options = subset.Options(flavor="woff", layout_features=features, notdef_outline=True)
    options.hinting = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=signs)
    small = io.BytesIO()
    with subset.load_font(str(file), options) as font:
        subsetter.subset(font)
        subset.save_font(font, small, options)
    return small.getvalue()


def build(out: Path) -> Site:
    """Write the site into the folder `out`, in place of what a former run left there."""
    if out.exists():
        if not (out / MARK).exists() and any(out.iterdir()):
            raise ValueError(f"{out} holds something other than a site: name another folder")
        shutil.rmtree(out)
    for folder in ("images", "notebooks", "colab", "slides"):
        (out / folder).mkdir(parents=True)
    (out / MARK).write_text("", encoding="utf-8")
    shutil.copytree(HERE / "static", out / "static")
    for shared in ("attention_view.js", "loading.js", "theme.js", "icon.svg"):
        shutil.copyfile(LABORATORY / shared, out / "static" / shared)
    site = Site(out)
    scripts = json.dumps(TEXTS["scripts"], ensure_ascii=False)
    site.put("static/texts.js", f"const siteTexts = {scripts};\n{FILL_IN}")
    # Vega, Vega-Lite and Vega-Embed in one script: the same that draws the stored pictures.
    site.put("static/vega.js", vl_convert.javascript_bundle(vl_version=VEGALITE_VERSION))
    for page in site.series:
        site.notebook(page)
    for page in DOCUMENTS:
        site.document(page)
    site.library()
    about = Page("about.html", PurePosixPath("CITATION.cff"), SAID["about"])
    site.write("about.html", about, texts=licenses.texts(), others=licenses.of_others())
    decks = Page("slides.html", PurePosixPath("README.md"), SAID["slides"])
    site.write("slides_index.html", decks)
    (out / CARD_FILE).write_bytes(card(site.pictures[HERO]))
    hero = dataclasses.replace(site.pictures[HERO], file="hero.avif")
    (out / "images" / hero.file).write_bytes(light(hero))
    files = [f"lab/{file}" for file in ("texts.js", *SCRIPTS, *write_laboratories(site)["tatoeba"])]
    parts = [(file, (out / file).stat().st_size) for file in files]
    larger = in_eight_bits(Translator.load("tatoeba"))
    home = Page("index.html", PurePosixPath("README.md"), TEXTS["name"] + TEXTS["name_more"])
    site.write(
        "home.html",
        home,
        hero=hero,
        parts=parts,
        size=f"{sum(size for _, size in parts) / 1e6:.1f} MB",
        examples=[opening(larger, text) for text in EXAMPLES],
        riddle=riddle(),
        d_model=larger.model.config.d_model,
        path=[
            (part, [page for page in site.series if page.part == part])
            for part, _ in parts_of_the_series()
        ],
    )
    found = json.dumps(site.found, ensure_ascii=False, separators=(",", ":"))
    terms = json.dumps(site.terms(), ensure_ascii=False, separators=(",", ":"))
    site.put("search.js", f"window.found = {found};\nwindow.terms = {terms};\n")
    (out / "static" / "math.woff").write_bytes(math_font(site.letters))
    for file in FONTS.glob("CourseSans-*.ttf"):
        with TTFont(file) as font:
            font.flavor = "woff"  # the same letters, compressed
            font.save(out / "static" / f"{file.stem}.woff")
        small = cut_font(file, map(ord, FIRST_LETTERS), [])
        (out / "static" / f"{file.stem}-first.woff").write_bytes(small)
    return site


def write_laboratories(site: Site) -> dict[str, list[str]]:
    """The laboratory of each translator of the project, with links to the other one and home.

    -> the names of the parts of each.
    """
    parts = {}
    show = TEMPLATES.get_template("laboratories.html").module
    told = TEXTS["laboratories"]
    for name, file in LABORATORIES.items():
        parts[name] = write_parts(site.out / "lab", file, Translator.load(name))
        links = [(there, told[other]) for other, there in LABORATORIES.items() if other != name]
        larger = "" if name == "tatoeba" else f' data-larger="{LABORATORIES["tatoeba"]}"'
        page = Page(f"lab/{file}", PurePosixPath("course/lab/lab.html"), told[name])
        head = f"{policy()}\n{show.head(site.cite, page, description(page))}"
        text = (site.out / page.file).read_text(encoding="utf-8")
        text = text.replace("<title>", f"{head}\n<title>", 1)
        text = re.sub(r"<body( .*?)>", rf"<body\1{larger}>\n{show.links(links)}", text, count=1)
        text = text.replace("</main>", f"</main>\n{show.foot(site.cite, name == 'tatoeba')}", 1)
        site.put(page.file, text)
    return parts


def build_book(site: Site) -> Path:
    """The series and the glossary as one PDF, beside the pages. Raises as `print_pdf`."""
    show = TEMPLATES.get_template("parts.html").module.cells
    glossary = site.pages["notebooks/glossary.md"]
    names = {page.source.stem for page in (*site.series, glossary)}
    chapters = []
    for page in site.series:
        name = page.source.stem
        found, open_at_end = site.parts[name]
        html = show(found) + Markup("</details>" if open_at_end else "")
        title = sections.series()[name].cells[0].source.partition("\n")[0].removeprefix("# ")
        chapters.append((name, inline(title), chapter(html, name, names)))
    html = markdown(site.target(glossary), github_anchor)(glossary.text)
    chapters.append(("glossary", "Glossary", chapter(html, "glossary", names)))
    site.write("book.html", glossary, "book.html", chapters=chapters, hero=site.pictures[HERO])
    print_pdf(site.out / "book.html", site.out / "book.pdf")
    return site.out / "book.pdf"
