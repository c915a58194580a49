"""Words on a page: in one row they stand on one line, whatever letters they have."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course.drawing.words import canvas, label, word


@pytest.mark.parametrize("write", [label, word])
def test_words_beside_each_other_stand_on_one_line(write):
    figure, ax = canvas(4, 1)
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


def test_several_lines_keep_their_middle():
    figure, ax = canvas(4, 1)
    label(ax, (0.5, 0.5), "one\ntwo", size=10)
    FigureCanvasAgg(figure).draw()
    box = ax.texts[0].get_window_extent()
    assert (box.y0 + box.y1) / 2 / figure.dpi == pytest.approx(0.5, abs=0.02)
