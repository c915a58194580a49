"""HTML as a list of its elements, and a page that is not well-formed fails."""

from html.parser import HTMLParser

# Elements that stand alone: they have no end.
VOID = {"meta", "link", "img", "br", "hr", "input", "base"}


class Parsed(HTMLParser):
    """A page as its elements: (tag, attributes, the open elements around it, the text inside)."""

    def __init__(self, html: str):
        super().__init__()
        self.elements: list[tuple[str, dict, list]] = []
        self.text: dict[int, str] = {}
        self.open: list[int] = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {[self.elements[n][0] for n in self.open]}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), list(self.open)))
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), list(self.open)))

    def handle_endtag(self, tag):
        last = self.elements[self.open.pop()][0]
        assert last == tag, f"</{tag}> closes <{last}>"

    def handle_data(self, data):
        for number in self.open:
            self.text[number] = self.text.get(number, "") + data

    def all(self, tag: str, cls: str = "") -> list[int]:
        """The numbers of the elements of this kind."""
        return [
            n
            for n, (name, attributes, _) in enumerate(self.elements)
            if name == tag and cls in ["", *attributes.get("class", "").split()]
        ]

    def inside(self, number: int, tag: str, cls: str = "") -> bool:
        return bool(set(self.elements[number][2]) & set(self.all(tag, cls)))

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes, _ in self.elements if "id" in attributes]
