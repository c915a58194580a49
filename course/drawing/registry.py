"""The figures of the series by name, and what is said about each."""

import difflib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from course.catalog import Registry
from course.chapters import CHAPTERS


@dataclass(frozen=True)
class FigureEntry:
    """One figure of the series.

    notebook: the file's name without its ending. alt: what it shows, for readers who can't see it.
    draw: a function that draws it. hero: is it the picture to remember of its notebook? title: its
    finding, if `draw` doesn't write a title itself.
    """

    name: str
    notebook: str
    caption: str
    alt: str
    draw: Callable[[], Any]
    hero: bool = False
    title: str = ""


FIGURES: Registry[FigureEntry] = Registry("figure")


def figure(
    name: str, *, caption: str, alt: str, notebook: str = "", hero: bool = False, title: str = ""
) -> Callable:
    """Register the decorated function as a figure of the series, under a name that never changes.

    It is drawn in our look (`style.PRINT`), whatever the settings of the session are.
    caption, alt: texts in which line breaks are spaces. notebook: by default that of the chapter.
    The others: see `FigureEntry`. Raises ValueError for a name that another figure has.
    """

    def register(draw: Callable[[], Any]) -> Callable[[], Any]:
        @functools.wraps(draw)
        def in_our_look() -> Any:
            import matplotlib as mpl  # only now: what lists figures draws nothing

            from course.drawing import style

            with mpl.rc_context(style.PRINT):
                return with_title(draw(), title)

        shown_in = notebook or CHAPTERS[draw.__module__.split(".")[2]]
        told = (" ".join(text.split()) for text in (caption, alt))
        entry = FigureEntry(name, shown_in, *told, in_our_look, hero, title)
        FIGURES.register(name, entry, draw.__module__)
        return draw

    return register


def with_title(drawn: Any, title: str) -> Any:
    """A figure, axes or chart with a title above it; "" leaves it as it is."""
    if not title:
        return drawn
    if not hasattr(drawn, "suptitle") and not hasattr(drawn, "figure"):
        return drawn.properties(title=title)  # a chart
    getattr(drawn, "figure", drawn).suptitle(title)
    return drawn


def find(name: str) -> FigureEntry:
    """The figure with this name; ValueError, with the nearest name there is, for another."""
    if name not in FIGURES:
        near = difflib.get_close_matches(name, FIGURES, n=1)
        way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FIGURES)}"
        raise ValueError(f"there is no figure {name!r}; {way_out}")
    return FIGURES[name]
