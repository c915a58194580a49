"""A beam that prunes, in motion: each word grows on all branches, then the beam cuts."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from course.chapters.ch11_decoding.figures import likely_tree, student_steps
from course.drawing import style
from course.drawing.animations import Film, animation
from course.drawing.arrows import curve, path

WORD = 2.4  # seconds from a word to the next
DECIDES = 1.4  # of them, until the beam has chosen
VERDICTS = ("greedy’s choice", "ahead", "behind")


@animation(
    "decoding-tree",
    moves="In motion: the tree grows word by word. All branches of a word are framed alike at "
    "first; then the frames and lines of the dropped ones draw back, and the next word grows.",
)
def prune(figure: Figure) -> Film:
    [ax] = figure.axes
    nodes = likely_tree(student_steps())
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    lines = [line for line in ax.patches if isinstance(line, FancyArrowPatch)]
    film = Film(figure, seconds=WORD * max(node["step"] for node in nodes) + 3.4)
    for node, box in zip(nodes, boxes, strict=True):
        if not node["step"]:
            continue
        at = 0.4 + WORD * (node["step"] - 1)
        left, right, middle = _edges(box)
        start = _edges(boxes[_above(node, nodes)])
        ends = (start[1], start[2]), (left, middle)
        film.appear(box, at=at)
        for text in (t for t in ax.texts if t.get_text() and _belongs(t.get_position(), box)):
            meaning = text.get_position()[1] < box.get_y()  # it comes when the frame is gone
            film.appear(text, at=at + DECIDES * meaning)
        for text in (text for text in ax.texts if text.get_text() in VERDICTS):
            x, y = text.get_position()
            if min(abs(x - left), abs(x - right)) < 0.2 and abs(y - middle) < 0.4:
                film.appear(text, at=at + DECIDES)
        for line in (line for line in lines if _joins(line, *ends)):
            if node["fate"] == "dropped":
                film.appear(line, at=at + DECIDES)  # dotted
            else:
                film.draw(line, at=at + DECIDES, takes=0.3)
        frame = FancyBboxPatch(
            (box.get_x(), box.get_y()),
            box.get_width(),
            box.get_height(),
            boxstyle=box.get_boxstyle(),
            mutation_aspect=box.get_mutation_aspect(),
            facecolor="none",
            edgecolor=style.ACCENT,
            linewidth=2.6,
            zorder=5,
        )
        ax.add_patch(frame)
        film.glimpse(frame, at=at, until=at + DECIDES + 0.5)
        path(ax, curve(*ends), style.ACCENT, head=False, thick=2.6)
        film.glimpse(ax.patches[-1], at=at, until=at + DECIDES + 0.5, line=True)
    return film


def _above(node: dict, nodes: list[dict]) -> int:
    """The number of the branch on which a branch grows."""
    place = node["step"] - 1, node["from_row"]
    return next(n for n, one in enumerate(nodes) if (one["step"], one["row"]) == place)


def _edges(box: FancyBboxPatch) -> tuple[float, float, float]:
    """Left, right and the height of the middle."""
    return box.get_x(), box.get_x() + box.get_width(), box.get_y() + box.get_height() / 2


def _belongs(point: Sequence[float], box: FancyBboxPatch) -> bool:
    """Does a text stand in the box, or, as what the word means, under it?"""
    left, right, middle = _edges(box)
    x, y = point
    return left < x < right and middle - 0.9 * box.get_height() < y < middle + box.get_height() / 2


def _ends(line: FancyArrowPatch) -> tuple:
    points = line._path_original.vertices if line._path_original is not None else line._posA_posB
    return tuple(points[0]), tuple(points[-1])


def _near(one: tuple, other: tuple) -> bool:
    return all(abs(a - b) < 0.05 for a, b in zip(one, other, strict=True))


def _joins(line: FancyArrowPatch, start: tuple, end: tuple) -> bool:
    first, last = _ends(line)
    return _near(first, start) and _near(last, end)
