"""Shapes that stretch: a column and a row make a square."""

from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import arrow
from course.drawing.cells import area, outline
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label


@figure(
    "primer-broadcasting",
    caption="A column and a row stretch to a table.",
    alt="""Three tables of three rows and four columns: the first plus the second equals the
    third. In the first a column, 0, 10, 20, appears four times, once in strong color, and an
    arrow leads across; in the second a row, 0, 1, 2, 3, three times, once in strong color, and
    an arrow leads down. The sums are 0 to 3, 10 to 13 and 20 to 23; a frame follows one of them:
    10 + 2 = 12.""",
    hero=True,
)
def draw_broadcasting() -> Figure:
    column, row = [0, 10, 20], [0, 1, 2, 3]
    height, width, cell = len(column), len(row), 0.54
    note = "The numbers in full color are there; along the arrows they are copied, then added"
    figure, ax = canvas(
        1.33 + cell * height, "Broadcasting: a column and a row stretch until they fit", note
    )
    pitch = cell * width + 0.72
    for i, one in enumerate(column):
        for j, other in enumerate(row):
            for table, number in enumerate((one, other, one + other)):
                x, y = 0.02 + pitch * table + cell * j, cell * (height - 1 - i) + 0.12
                own = (j, i, -1)[table] == 0  # a number of the tensor itself; else a copy, or a sum
                pale = style.GROUND if table == 2 else style.PALE
                color = style.ACCENT if own else pale
                area(ax, (x, y), cell - 0.03, cell - 0.03, color)
                if traced := (i, j) == (1, 2):  # the sum that is followed
                    outline(ax, (x, y), cell - 0.03, cell - 0.03, style.INK, 2.5)
                look = {"ha": "center", "color": style.ink_on(color), "size": 13}
                middle = x + cell / 2 - 0.015, y + cell / 2 - 0.015
                label(ax, middle, str(number), weight="bold" if own or traced else "normal", **look)
    over, right = cell * height + 0.34, cell * width
    for table, shape in enumerate((f"({height}, 1)", f"({width},)", f"({height}, {width})")):
        x = 0.02 + pitch * table
        bold(ax, (x, over), shape)
        sign, middle = ("+", "=", "")[table], cell * height / 2 + 0.1
        label(ax, (x + right + 0.36, middle), sign, size=20, ha="center")
    arrow(ax, (0.02 + cell, over), (0.02 + right, over), style.ACCENT, thick=2.5)
    x = 0.02 + pitch + right + 0.09
    arrow(ax, (x, cell * (height - 1) + 0.12), (x, 0.12), style.ACCENT, thick=2.5)
    return figure
