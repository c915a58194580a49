"""The small machine at the top of each notebook marks that notebook's place."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from course.drawing import style
from course.drawing.registry import FIGURES

ACCENT = style.ACCENT.lower()


def marked(name: str) -> frozenset:
    """Where the small machine `name` has the accent, besides the words that name its part."""
    drawn = FIGURES[name].draw()
    FigureCanvasAgg(drawn).draw()
    (ax,) = drawn.axes
    colored = [
        p for p in ax.patches if ACCENT in map(to_hex, (p.get_edgecolor(), p.get_facecolor()))
    ]
    words = [t for t in ax.texts if to_hex(t.get_color()) == ACCENT and t.get_size() < 13]
    return frozenset(str(one.get_window_extent()) for one in [*colored, *words])


def test_each_notebook_has_its_own_place_in_the_machine():
    places = {marked(f"machine-{number:02}") for number in range(1, 13)}
    assert len(places) == 12 and all(places)
