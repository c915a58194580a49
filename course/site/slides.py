"""A deck for each notebook: its picture to remember first, then its other figures, to be shown."""

import dataclasses

from nbformat import NotebookNode

from course.drawing.registry import FIGURES
from course.site.notebooks import Part, Picture


@dataclasses.dataclass(frozen=True)
class Slide:
    """A figure under what is said of it, and the question that it answers, if there is one."""

    caption: str
    picture: Picture
    question: str = ""
    hero: bool = False


def goals(notebook: NotebookNode) -> str:
    """What stands under the title of a notebook, as Markdown: the title slide."""
    return notebook.cells[0].source.partition("\n")[2]


def slides(name: str, parts: list[Part]) -> list[Slide]:
    """Every figure of a notebook that has a name, the hero first, each once."""
    found: dict[str, Slide] = {}
    question = ""
    for part in parts:
        for picture in part.pictures:
            if picture.figure in FIGURES and picture.figure not in found:
                entry = FIGURES[picture.figure]
                asked = question if part.answer else ""
                hero = entry.hero and entry.notebook == name
                found[picture.figure] = Slide(entry.caption, picture, asked, hero)
        question = part.question
    return sorted(found.values(), key=lambda slide: not slide.hero)
