"""The map of the series."""

import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course.chapters.journey.figures import vectors
from course.drawing import style
from course.drawing.registry import FIGURES


@pytest.fixture(scope="module")
def drawn():
    figure = FIGURES["series-map"].draw()
    FigureCanvasAgg(figure).draw()
    return figure


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_strips_are_the_true_vectors_on_the_signed_scale(drawn):
    found = vectors()
    strips = [image for image in drawn.axes[0].images if image.get_array().shape == (1, 16)]
    names = ("embedding", "+ position", "encoder layer 0", "memory", "decoder")
    assert len(strips) == len(names)
    for image, name in zip(strips, names, strict=True):
        torch.testing.assert_close(
            torch.tensor(image.get_array().data[0]).float(), found[name][:16]
        )
        assert image.get_cmap().name == style.SIGNED.name and image.norm.vmin == -image.norm.vmax


def test_some_numbers_keep_their_color_in_the_encoder_and_others_do_not():
    rows = [
        vectors()[name][:16] for name in ("embedding", "+ position", "encoder layer 0", "memory")
    ]
    table = torch.stack(rows)
    strong = table[0].abs() > 2.5
    assert (strong & (table.abs() > 2.5).all(dim=0)).any(), "one keeps its color"
    assert ((table[0].abs() > 1) & (table[-1].abs() < 0.1)).any(), "one fades"
    assert ((table[0] * table[-1] < 0) & (table[-1].abs() > 0.3)).any(), "one turns"
