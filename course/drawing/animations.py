"""Figures that move, where motion explains: a loop of some seconds whose last frame is the figure.

A loop is the same drawing, from the same numbers: it only says when each part appears. So there is
always a still picture, for paper, for notebooks and for readers who want no motion.

    @animation("decoding-tree", moves="The tree grows word by word.")
    def grow(figure):
        film = Film(figure, seconds=12)
        film.appear(text, at=1.0)              # a part of the figure fades in, and stays
        film.draw(arrow, at=1.5, takes=0.5)    # a line is drawn from its start, then its head
        film.glimpse(mark, at=2.0, until=3.0)  # something extra, which the still picture lacks
        film.fly(word, way, at=3.0, takes=1.0, before=box)  # a copy of a part is on its way
        return film

`python -m course figures --only decoding-tree --format loop` writes it, an SVG whose motion is CSS:
no script, no font and nothing else from outside.
"""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from course.catalog import Registry
from course.drawing import style
from course.drawing.registry import find

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
FADE = 0.3  # seconds in which a part appears; slower than that of anything that flashes
LEAVES = 0.6  # seconds at the end, in which all parts leave before the loop begins again
LARGEST = 100_000  # bytes


@dataclass(frozen=True)
class _AnimationEntry:
    """The loop of one figure.

    moves: what happens, in words, for readers who can't see it. film: a
    function that takes the drawn figure and returns its `Film`.
    """

    moves: str
    film: "Callable[[Figure], Film]"


ANIMATIONS: Registry[_AnimationEntry] = Registry("animation")


def animation(name: str, *, moves: str) -> Callable:
    """Register the decorated function as the loop of the figure `name`.

    It takes the drawn figure and returns its `Film`. moves: what happens, in words, for readers who
    can't see it.
    """

    def register(film: "Callable[[Figure], Film]") -> "Callable[[Figure], Film]":
        ANIMATIONS.register(name, _AnimationEntry(" ".join(moves.split()), film), film.__module__)
        return film

    return register


class Film:
    """When each part of a figure appears. Times are seconds from the beginning of the loop.

    seconds: how long the loop is; in the last LEAVES of them all parts fade away.
    """

    def __init__(self, figure: Figure, seconds: float):
        self.figure, self.seconds, self.parts = figure, seconds, 0
        self.acts: list[tuple[str, str, dict[str, Any]]] = []  # part, what it does, how

    def part(self, artist: Artist) -> str:
        """The id of a part in the SVG; it gets one if it has none."""
        if artist.get_gid() is None:
            artist.set_gid(f"part-{self.parts}")
            self.parts += 1
        return str(artist.get_gid())

    def _act(self, artist: Artist, does: str, **how: Any) -> None:
        last = max(value for key, value in how.items() if key in ("at", "until", "end"))
        if last > self.seconds - LEAVES:
            raise ValueError(f"a part comes at {last} s, when the loop of {self.seconds} s is over")
        self.acts.append((self.part(artist), does, how))

    def appear(self, artist: Artist, at: float) -> None:
        """The part fades in, and stays."""
        self._act(artist, "appear", at=at, end=at + FADE)

    def draw(self, artist: Artist, at: float, takes: float = 0.5) -> None:
        """The lines of the part are drawn from their start, then their arrowheads."""
        self._act(artist, "draw", at=at, end=at + takes)

    def glimpse(self, artist: Artist, at: float, until: float, *, line: bool = False) -> None:
        """The part is seen from `at` to `until` only.

        line: it doesn't fade: it is drawn from its start, and in the end drawn back to it.
        """
        self._act(artist, "trace" if line else "glimpse", at=at, end=until)

    def fly(
        self,
        artist: Artist,
        way: Sequence[tuple[float, float]],
        at: float,
        takes: float,
        before: Artist,
    ) -> None:
        """A copy of the part moves along a way and passes behind the part `before`.

        way: points (x, y), in inches on a canvas. takes: seconds.
        """
        self._act(artist, "fly", at=at, end=at + takes, way=way, before=self.part(before))


def animation_svg(name: str) -> str:
    """The loop of a figure as an SVG for a page, where its ids and styles clash with no others.

    On one machine it is the same each time. Raises ValueError for a figure that has no loop, and
    for a loop of more than LARGEST bytes.
    """
    if name not in ANIMATIONS:
        raise ValueError(f"{name!r} has no loop; there are {', '.join(ANIMATIONS)}")
    entry, told = find(name), ANIMATIONS[name]
    written = io.StringIO()
    with mpl.rc_context(style.PRINT | {"svg.fonttype": "path"}):
        figure = entry.draw()
        style.finish(figure)
        figure.draw_without_rendering()  # so that every part has its place
        film = told.film(figure)
        cut = None if figure.get_label() == style.PAGE else "tight"
        figure.savefig(written, format="svg", bbox_inches=cut, metadata={"Date": None})
    return _in_motion(written.getvalue(), film, f"loop-{name}", f"{entry.alt} {told.moves}")


def save_animation(name: str, folder: str | Path) -> Path:
    """Write a loop as folder/name.loop.svg -> the file's path."""
    path = Path(folder) / f"{name}.loop.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(animation_svg(name), encoding="utf-8", newline="\n")
    return path


LONG = re.compile(r"-?\d+\.\d{2,}")


def _short(number: re.Match[str]) -> str:
    """A tenth of a unit is as much as a screen shows."""
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _in_motion(svg: str, film: Film, name: str, alt: str) -> str:
    """The SVG that matplotlib wrote, with short numbers, ids of its own, and rules of motion."""
    ElementTree.register_namespace("", SVG)
    svg = re.sub(r"<!DOCTYPE[^>]*>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(?<=\bd=")[^"]+', lambda d: LONG.sub(_short, d[0]), svg)
    svg = re.sub(r"translate\([^)]+\)", lambda at: LONG.sub(_short, at[0]), svg)
    root = ElementTree.fromstring(svg.partition("?>")[2])
    for child in list(root):
        if child.tag == f"{{{SVG}}}metadata" or child.find(f"{{{SVG}}}style") is not None:
            root.remove(child)  # a page has other words for it, and its own rules
    for node in root.iter():
        if f"{{{XLINK}}}href" in node.attrib:
            node.set("href", node.attrib.pop(f"{{{XLINK}}}href"))
    rules, end = _rules(root, film, name)
    for size in ("width", "height"):
        root.set(size, f"{float(root.get(size, '0pt').removesuffix('pt')) * 96 / 72:.0f}")
    root.set("role", "img")
    root.set("aria-label", alt)
    root.set("id", name)
    root.set("data-seconds", f"{film.seconds:g}")
    root.set("data-still", f"{end:g}")
    text = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r'(?:href="#|url\(#)([\w-]+)', text)) | {name}
    text = re.sub(
        r' id="([\w-]+)"', lambda i: i[0] if i[1] in used or i[1].startswith("part-") else "", text
    )
    text = re.sub(r' id="(?!loop-)', f' id="{name}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(
        r"(<svg[^>]*>)", lambda tag: f"{tag[0]}<style>{escape(rules)}</style>", text, count=1
    )
    if len(text.encode()) > LARGEST:
        raise ValueError(f"{name} has {len(text.encode()):,} bytes; a loop has at most {LARGEST:,}")
    return text


def _rules(root: ElementTree.Element, film: Film, name: str) -> tuple[str, float]:
    """The style sheet of a film, whose classes are written into the SVG; when all has come."""
    parts = {node.get("id"): node for node in root.iter() if node.get("id")}
    above = {child: node for node in root.iter() for child in node}
    rules = [
        f"#{name} *{{stroke-linejoin:round;stroke-linecap:butt}}",
        f"#{name} .m{{animation:{film.seconds:g}s linear infinite both;"
        "animation-play-state:var(--state,running)}",
        f"@media (prefers-reduced-motion:reduce){{#{name}:not(.asked) .m{{animation:none}}"
        f"#{name}:not(.asked) .extra{{visibility:hidden}}}}",
    ]
    known: dict[str, str] = {}

    def share(seconds: float) -> str:
        return f"{100 * seconds / film.seconds:.2f}%"

    def move(node: ElementTree.Element, frames: str, *classes: str) -> None:
        if frames not in known:
            own = known[frames] = f"m{len(known)}"
            rules.append(f"@keyframes {name}-{own}{{{frames}}}")
            rules.append(f"#{name} .{own}{{animation-name:{name}-{own}}}")
        node.set("class", " ".join(["m", known[frames], *classes]))

    leaves, gone = share(film.seconds - LEAVES), share(film.seconds - 0.05)

    def fading(at: float, fade: float = FADE) -> str:
        begin = f"0%,{share(at)}{{opacity:0}}" if at > 0 else "0%{opacity:0}"
        return f"{begin}{share(at + fade)},{leaves}{{opacity:1}}{gone},100%{{opacity:0}}"

    def trace(line: ElementTree.Element, frames: str, *classes: str) -> None:
        line.set("pathLength", "1")
        line.set("stroke-dasharray", "1 1")
        move(line, frames, *classes)

    for part, does, how in film.acts:
        node, at, end = parts[part], how["at"], how["end"]
        if does == "appear":
            move(node, fading(at))
        elif does == "glimpse":
            frames = (
                f"0%,{share(at)}{{opacity:0}}{share(at + FADE)},{share(end - FADE)}"
                f"{{opacity:1}}{share(end)},100%{{opacity:0}}"
            )
            move(node, frames, "extra")
        elif does == "trace":  # drawn, and drawn back
            frames = (
                f"0%,{share(at)}{{stroke-dashoffset:1;opacity:0}}"
                f"{share(at + 0.02)}{{stroke-dashoffset:1;opacity:1}}"
                f"{share(at + 0.5)},{share(end - 0.5)}{{stroke-dashoffset:0;opacity:1}}"
                f"{share(end)}{{stroke-dashoffset:1;opacity:1}}"
                f"{share(end + 0.02)},100%{{stroke-dashoffset:1;opacity:0}}"
            )
            for line in node.iter(f"{{{SVG}}}path"):
                trace(line, frames, "extra")
        elif does == "draw":
            frames = (
                f"0%,{share(at)}{{stroke-dashoffset:1;opacity:0}}"
                f"{share(at + 0.02)}{{stroke-dashoffset:1;opacity:1}}"
                f"{share(end)},{leaves}{{stroke-dashoffset:0;opacity:1}}"
                f"{gone},100%{{stroke-dashoffset:0;opacity:0}}"
            )
            for path in node.iter(f"{{{SVG}}}path"):
                if "fill: none" in path.get("style", "") and "dash" not in path.get("style", ""):
                    trace(path, frames)
                else:  # its head, which comes at the end; dots can't be drawn one by one
                    move(path, fading(end - 0.12, 0.12))
        elif does == "fly":
            copy = ElementTree.Element(f"{{{SVG}}}use", {"href": f"#{part}-only"})
            places = np.linspace(at, end, len(how["way"]))
            x0, y0 = how["way"][0]
            frames = f"0%,{share(at - 0.03)}{{opacity:0}}"
            for moment, (x, y) in zip(places, how["way"], strict=True):
                x, y = 72 * (x - x0), -72 * (y - y0)
                frames += f"{share(moment)}{{opacity:1;transform:translate({x:.1f}px,{y:.1f}px)}}"
            frames += (
                f"{share(how['end'] + 0.05)},100%"
                f"{{opacity:0;transform:translate({x:.1f}px,{y:.1f}px)}}"
            )
            move(copy, frames, "extra")
            if part + "-only" not in parts:  # what is copied, without the motion of the original
                inside = ElementTree.Element(f"{{{SVG}}}g", {"id": part + "-only"})
                inside.extend(list(node))
                for child in list(node):
                    node.remove(child)
                node.append(inside)
                parts[part + "-only"] = inside
            before = parts[how["before"]]
            place = above[before]
            place.insert(list(place).index(before), copy)
            above[copy] = place
    still = max(how["end"] for _, does, how in film.acts if does not in ("glimpse", "trace"))
    return "".join(rules), still
