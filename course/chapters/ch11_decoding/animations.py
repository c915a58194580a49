"""A beam that prunes, in motion: each word grows on all branches, then the beam cuts."""

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from course.chapters.ch11_decoding.figures import likely_tree, student_steps
from course.drawing import style
from course.drawing.animations import Film, animation
from course.drawing.arrows import path

WORD = 2.4  # seconds from a word to the next
DECIDES = 1.4  # of them, until the beam has chosen


@animation(
    "decoding-tree",
    moves="""In motion: the tree grows word by word. All branches of a word are framed alike at
    first; then the frames and lines of the dropped ones draw back, and the next word grows.""",
)
def prune(figure: Figure) -> Film:
    [ax] = figure.axes
    nodes = likely_tree(student_steps())
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    lines = iter([line for line in ax.patches if isinstance(line, FancyArrowPatch)])
    texts = iter(ax.texts[3:])  # after the title, the note and the root
    film = Film(figure, seconds=WORD * max(node["step"] for node in nodes) + 3.4)
    for node, box in zip(nodes[1:], boxes[1:], strict=True):
        at, gone = 0.4 + WORD * (node["step"] - 1), node["fate"] == "dropped"
        line, said, share, meaning = next(lines), next(texts), next(texts), next(texts)
        for part in (box, said, share):
            film.appear(part, at=at)
        if meaning.get_text():
            film.appear(meaning, at=at + DECIDES)  # when the frame is gone
        if node["step"] <= 2 and not gone:  # ahead, or behind
            film.appear(next(texts), at=at + DECIDES)
        if gone:
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
        path(ax, line._path_original.vertices, style.ACCENT, head=False, thick=2.6)
        film.glimpse(ax.patches[-1], at=at, until=at + DECIDES + 0.5, line=True)
    return film
