"""The figure of the primer, a1."""

from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.primer import broadcasting


@figure(
    "primer-broadcasting",
    notebook="a1_pytorch_primer",
    caption="A column and a row stretch to a table.",
    alt="Three tables of three rows and four columns: the first plus the second equals the third. "
    "In the first a column, 0, 10, 20, stands four times, once in strong color; in the second a "
    "row, 0, 1, 2, 3, three times, once in strong color. The sums are 0 to 3, 10 to 13 and 20 to "
    "23.",
    hero=True,
)
def draw_broadcasting() -> Figure:
    return broadcasting([0, 10, 20], [0, 1, 2, 3])
