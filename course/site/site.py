"""The site: a folder of static pages that work from any place, from a double click too."""

import dataclasses
import html
import importlib.util
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import yaml
from fontTools import subset
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from course.drawing.notebook_output import VEGALITE_VERSION
from course.lab import write_lab
from course.lab.pages import HERE as LABORATORY
from course.notebooks import count, run, sections
from course.site import colab
from course.site.book import chapter, print_pdf
from course.site.markdown import (
    github_anchor,
    inline,
    jupyter_anchor,
    markdown,
    plain,
    relative,
    with_anchor,
)
from course.site.notebooks import Part, Picture, parts
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
TEMPLATES.filters["inline"] = inline
ROW = re.compile(r"^\| (\w\d) \| \[(.+?)\]\(notebooks/(\w+)\.ipynb\) \| (.+?) \|", re.MULTILINE)
MATH_FONT = "STIXTwoMath-Regular.ttf"  # in the package ziamath
HERO = "series-map"
MARK = ".nojekyll"  # tells GitHub Pages to take files as they are, and us that this is a site


@dataclasses.dataclass(frozen=True)
class Page:
    """A page of the site: its file, and what it is made from, a path in the project."""

    file: str
    source: PurePosixPath
    title: str
    number: str = ""  # of a notebook
    explains: str = ""
    minutes: tuple[int, int] = (0, 0)  # core, deeper


def path(name: str) -> PurePosixPath:
    return PurePosixPath(name)


# The laboratory of each translator: its file, and what a link to it says.
LABORATORIES = {
    "grammar": ("index.html", "The small translator, with a guided tour"),
    "tatoeba": ("everyday.html", "The larger translator, which reads any sentence"),
}
# The Markdown files that are pages; what they are called in the site.
DOCUMENTS = (
    Page("ideas.html", path("notebooks/README.md"), "Where each idea is shown"),
    Page("glossary.html", path("notebooks/glossary.md"), "Glossary"),
    Page("figures.html", path("notebooks/figures.md"), "Figures"),
    Page("build.html", path("from_scratch/README.md"), "Build it yourself"),
    Page("teaching.html", path("TEACHING.md"), "For teachers"),
    Page("install.html", path("README.md"), "Install and use"),
    Page("scaling.html", path("SCALING.md"), "Larger models"),
    Page("sentences.html", path("data/README.md"), "The sentences"),
    Page("model.html", path("data/models/en-es/README.md"), "The model"),
    Page("larger_model.html", path("data/models/tatoeba-en-es/README.md"), "The larger model"),
)
LICENSES = ("LICENSE", "LICENSES/CC-BY-4.0.txt", "LICENSES/CC0-1.0.txt")
OTHER_PLACES = {
    "LICENSE": "about.html#licenses",
    "LICENSES": "about.html#licenses",
    "CITATION.cff": "about.html#cite",
}


@dataclasses.dataclass(frozen=True)
class Citation:
    """What CITATION.cff says. repository: the address of the project, or nothing."""

    title: str
    authors: str
    version: str
    repository: str | None


def citation() -> Citation:
    """Its key `repository-code` is the one place for the address; on GitHub it is known anyway."""
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    on_github = os.environ.get("GITHUB_REPOSITORY")  # set by GitHub Actions: owner/name
    return Citation(
        title=told["title"],
        authors=" and ".join(author["name"] for author in told["authors"]),
        version=told["version"],
        repository=told.get("repository-code") or on_github and f"https://github.com/{on_github}",
    )


def notebook_pages() -> list[Page]:
    """The series, in order, named and described as in the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return [
        Page(
            f"{name}.html",
            path(f"notebooks/{name}.ipynb"),
            title,
            number,
            explains,
            count.stated(sections.series()[name]),
        )
        for number, title, name, explains in ROW.findall(readme)
    ]


class Site:
    """Everything that the pages share, and where they are written."""

    def __init__(self, out: Path):
        self.out = out
        self.series = notebook_pages()
        self.cite = citation()
        self.pages = {str(page.source): page for page in (*self.series, *DOCUMENTS)}
        self.found: list[dict[str, str]] = []  # for the search
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
            if not (ROOT / file).exists():
                raise ValueError(f"{page.source} links to {address}, which doesn't exist")
            return self.cite.repository and f"{self.cite.repository}/blob/HEAD/{file}"

        return lead

    def write(self, file: str, template: str, page: Page, **given: object) -> None:
        """A page, or a deck, from its template."""
        given = {"charts": False, "views": False} | given
        text = TEMPLATES.get_template(template).render(
            page=page, series=self.series, documents=DOCUMENTS, cite=self.cite, **given
        )
        self.letters |= set(html.unescape("".join(re.findall(r"<math.*?</math>", text, re.DOTALL))))
        (self.out / file).write_text(text, encoding="utf-8", newline="\n")

    def remember(self, page: Page, anchor: str, heading: str, text: str) -> None:
        """A section, so that the search finds it."""
        title = f"{page.number} {page.title}".strip()
        self.found.append(
            {
                "page": with_anchor(page.file, anchor),
                "title": title,
                "heading": heading,
                "text": plain(text),
            }
        )

    def notebook(self, page: Page) -> None:
        name = page.source.stem
        notebook = sections.series()[name]
        words = markdown(self.target(page), jupyter_anchor)
        found, open_at_end = self.parts[name] = parts(notebook, name, words)
        pictures = [picture for part in found for picture in part.pictures]
        for picture in pictures:
            (self.out / "images" / picture.file).write_bytes(picture.png)
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
        charts = any(picture.chart for picture in pictures)
        views = any(picture.view for picture in pictures)
        self.write(
            page.file,
            "notebook.html",
            page,
            parts=found,
            open_at_end=open_at_end,
            contents=contents,
            charts=charts,
            views=views,
            colab=colab.address(self.cite.repository, name),
        )
        self.write(
            f"slides/{page.file}",
            "slides.html",
            page,
            goals=words(goals(notebook)),
            slides=slides(name, found),
            charts=charts,
        )
        shutil.copyfile(ROOT / page.source, self.out / page.source)
        if self.cite.repository:
            copy = colab.with_first_cell(notebook, self.cite.repository)
            (self.out / "colab" / page.source.name).write_text(
                run.text(copy), encoding="utf-8", newline="\n"
            )

    def document(self, page: Page) -> None:
        text = (ROOT / page.source).read_text(encoding="utf-8")
        for anchor, heading, part in headed(text):
            self.remember(page, anchor, heading, part)
        contents = [
            (github_anchor(words), inline(words), False)
            for words in re.findall(r"^## (.+)$", text, re.MULTILINE)
        ]
        body = markdown(self.target(page), github_anchor)(text)
        if page.file == "figures.html":
            body = self.with_pictures(body)
        self.write(page.file, "document.html", page, body=body, contents=contents)

    def with_pictures(self, body: Markup) -> Markup:
        """The list of figures with each picture above its name."""
        show = TEMPLATES.get_template("parts.html").module.thumbnail

        def add(found: re.Match[str]) -> str:
            picture = self.pictures.get(found[1])
            return f"{show(picture) if picture else ''}{found[0]}"

        return Markup(re.sub(r"<p><strong><code>([\w-]+)</code></strong>", add, body))


def headed(text: str) -> Iterator[tuple[str, str, str]]:
    """The sections of a Markdown file: anchor, heading, text."""
    pieces = re.split(r"^#+ (.+)$", text, flags=re.MULTILINE)
    for heading, part in zip(pieces[1::2], pieces[2::2], strict=True):
        yield github_anchor(heading), heading, part


def math_font(letters: set[str]) -> bytes:
    """The letters and signs of the formulas, as a font for browsers: 1.5 MB become some kB."""
    package = importlib.util.find_spec("ziamath").submodule_search_locations[0]
    file = Path(package) / "fonts" / MATH_FONT
    options = subset.Options(flavor="woff", layout_features=["*"], notdef_outline=True)
    # Letters of one character are set in italics, which are signs of their own in Unicode.
    italics = [0x1D434 + n for n in range(52)] + [0x1D6FC + n for n in range(25)] + [0x210E]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[*map(ord, letters | {"√"}), *italics, *range(0x20, 0x7F)])
    small = io.BytesIO()
    with subset.load_font(str(file), options) as font:
        subsetter.subset(font)
        subset.save_font(font, small, options)
    return small.getvalue()


def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script: the same that draws the stored pictures."""
    import vl_convert

    return vl_convert.javascript_bundle(vl_version=VEGALITE_VERSION)


def build(out: Path) -> Site:
    """Write the site into the folder `out`, in place of what a former run left there."""
    if out.exists():
        if not (out / MARK).exists() and any(out.iterdir()):
            raise ValueError(f"{out} holds something else than a site: name another folder")
        shutil.rmtree(out)
    for folder in ("images", "notebooks", "colab", "slides"):
        (out / folder).mkdir(parents=True)
    (out / MARK).write_text("", encoding="utf-8")
    shutil.copytree(HERE / "static", out / "static")
    shutil.copyfile(LABORATORY / "attention_view.js", out / "static" / "attention_view.js")
    site = Site(out)
    for page in site.series:
        site.notebook(page)
    for page in DOCUMENTS:
        site.document(page)
    licenses = [(name, (ROOT / name).read_text(encoding="utf-8")) for name in LICENSES]
    about = Page("about.html", path("CITATION.cff"), "Licenses and citation")
    site.write(about.file, "about.html", about, licenses=licenses, contents=[])
    home = Page("index.html", path("README.md"), "The Transformer, from words to translation")
    site.write(home.file, "home.html", home, hero=site.pictures[HERO])
    decks = Page("slides.html", path("README.md"), "Slides")
    site.write(decks.file, "slides_index.html", decks, contents=[])
    write_laboratories(out / "lab")
    found = json.dumps(site.found, ensure_ascii=False, separators=(",", ":"))
    (out / "search.js").write_text(f"window.found = {found};\n", encoding="utf-8", newline="\n")
    (out / "static" / "vega.js").write_text(vega(), encoding="utf-8", newline="\n")
    (out / "static" / "math.woff").write_bytes(math_font(site.letters))
    return site


def write_laboratories(folder: Path) -> None:
    """The laboratory of each translator that comes along, with links to the other one and home."""
    for name, (file, _) in LABORATORIES.items():
        page = write_lab(folder, Translator.load(name), file)
        links = [(there, words) for other, (there, words) in LABORATORIES.items() if other != name]
        text = page.read_text(encoding="utf-8")
        show = TEMPLATES.get_template("laboratories.html").module
        text = text.replace("<body>", f"<body>\n{show.links(links)}")
        if name == "tatoeba":
            text = text.replace("</main>", f"</main>\n{show.sources()}")
        page.write_text(text, encoding="utf-8", newline="\n")


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
    text = (ROOT / glossary.source).read_text(encoding="utf-8")
    html = markdown(site.target(glossary), github_anchor)(text)
    chapters.append(("glossary", "Glossary", chapter(html, "glossary", names)))
    site.write("book.html", "book.html", glossary, chapters=chapters, hero=site.pictures[HERO])
    print_pdf(site.out / "book.html", site.out / "book.pdf")
    return site.out / "book.pdf"
