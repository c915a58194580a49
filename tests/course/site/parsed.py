"""HTML as a list of its elements, and a page that is not well-formed fails."""

from dataclasses import dataclass
from html.parser import HTMLParser

ALL = ["*.html", "slides/*.html", "lab/*.html"]  # the files of a site that are pages
# Elements that stand alone: they have no end.
VOID = {"meta", "link", "img", "br", "hr", "input", "base"}


@dataclass(eq=False)
class Element:
    """around: the elements that were open where it begins, from the outermost. text: all in it."""

    tag: str
    attributes: dict[str, str]
    around: list["Element"]
    text: str = ""

    def is_a(self, tag: str, cls: str = "") -> bool:
        return self.tag == tag and cls in ["", *self.attributes.get("class", "").split()]

    def inside(self, tag: str, cls: str = "") -> bool:
        return any(one.is_a(tag, cls) for one in self.around)


class Parsed(HTMLParser):
    """A page as its elements."""

    def __init__(self, html: str):
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {[one.tag for one in self.open]}"

    def handle_startendtag(self, tag, attrs):
        self.elements.append(Element(tag, dict(attrs), list(self.open)))

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(self.elements[-1])

    def handle_endtag(self, tag):
        last = self.open.pop().tag
        assert last == tag, f"</{tag}> closes <{last}>"

    def handle_data(self, data):
        for element in self.open:
            element.text += data

    def all(self, tag: str, cls: str = "") -> list[Element]:
        return [one for one in self.elements if one.is_a(tag, cls)]

    def ids(self) -> list[str]:
        return [one.attributes["id"] for one in self.elements if "id" in one.attributes]
