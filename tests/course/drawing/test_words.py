"""Words on a page: in one row they stand on one line, whatever letters they have."""

from itertools import pairwise

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course.drawing import style
from course.drawing.words import canvas, label, width_of, word


@pytest.mark.parametrize("write", [label, word])
def test_words_beside_each_other_stand_on_one_line(write):
    figure, ax = canvas(1, width=4)
    for x, text in enumerate(("like", "árboles", "<eos>", "H")):
        write(ax, (x + 0.5, 0.5), text, size=20)
    lines = {
        round(float(text.get_transform().transform(text.get_position())[1]), 3) for text in ax.texts
    }
    assert len(lines) == 1 and {text.get_va() for text in ax.texts} == {"baseline"}
    # a capital has its middle where the words were put: half an inch from the bottom
    (line,) = lines
    half = 0.33 * 20 / 72  # inches, of a capital of 20 points
    assert line / figure.dpi == pytest.approx(0.5 - half, abs=0.01)


@pytest.mark.parametrize("va", ["center", "top", "bottom", "baseline"])
def test_lines_are_equally_far_apart_whatever_letters_they_have(va):
    figure, ax = canvas(4, width=4)
    label(ax, (0.5, 2), "one\n(Árbol) {y}\n<eos>\n$x^2$ is one", size=20, va=va)
    FigureCanvasAgg(figure).draw()
    lines = [text.get_transform().transform(text.get_position())[1] for text in ax.texts]
    apart = {round(float(high - low), 3) for high, low in pairwise(lines)}
    assert len(apart) == 1 and apart.pop() / figure.dpi * 72 == pytest.approx(
        1.15 * 1.12 * 20, abs=0.01
    )
    ink = [text.get_window_extent() for text in ax.texts]
    bottom, top = ink[-1].y0 / figure.dpi, ink[0].y1 / figure.dpi
    where = {"center": (bottom + top) / 2, "top": top, "bottom": bottom}
    if va == "baseline":
        assert lines[-1] / figure.dpi == pytest.approx(2)
    else:
        assert where[va] == pytest.approx(2, abs=0.06)


def test_a_width_is_that_of_the_course_s_letters_whoever_asks():
    text = "is what the decoder reads to write"
    with mpl.rc_context(style.PRINT):
        figure = style.new_figure()
        drawn = figure.text(0, 0, text, size=15, weight="bold")
        figure.canvas.draw()
        wide = drawn.get_window_extent().width / figure.dpi
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        assert width_of(text, 15) == pytest.approx(wide, rel=0.04)
