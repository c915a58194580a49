"""The map of the series."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from transformer_lib.plots import series, series_map, style


def boxes(figure):
    return [patch for patch in figure.axes[0].patches if patch.get_facecolor()[3] and hasattr(
        patch, "get_boxstyle")]  # fmt: skip


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def dark(patch) -> bool:
    return np.mean(patch.get_facecolor()[:3]) < 0.2


def test_every_stage_has_its_box_in_the_order_data_flows():
    figure = series_map()
    assert len(boxes(figure)) == len(series.STAGES) == 12
    written = [text for text in texts(figure) if text in series.STAGES]
    assert written == list(series.STAGES)
    assert "I like\ntrees" in texts(figure) and "Me gustan\nlos árboles" in texts(figure)
    assert not any("you are here" in text for text in texts(figure))
    assert not any(dark(box) for box in boxes(figure))


@pytest.mark.parametrize("here", series.STAGES)
def test_one_stage_is_marked(here):
    figure = series_map(here)
    [marked] = [box for box in boxes(figure) if dark(box)]
    [name] = [text for text in figure.axes[0].texts if text.get_text() == here]
    center = marked.get_x() + marked.get_width() / 2
    assert name.get_position()[0] == pytest.approx(center)
    assert name.get_color() == style.PAPER
    [sign] = [text for text in figure.axes[0].texts if "you are here" in text.get_text()]
    assert sign.get_position()[0] == pytest.approx(center)


def test_an_unknown_stage_is_refused_with_the_list():
    with pytest.raises(ValueError, match="no stage 'encoders'; the stages are one-hot, embeddings"):
        series_map("encoders")


@pytest.mark.parametrize(
    "here", [None, "one-hot", "masks", "encoder", "transformer", "translation"]
)
def test_nothing_runs_out_of_its_box_or_into_something_else(here):
    figure = series_map(here)
    FigureCanvasAgg(figure).draw()
    frames = [box.get_window_extent() for box in boxes(figure)]
    assert all(a.x1 < b.x0 or b.y1 < a.y0 for a, b in pairwise(frames))
    page = figure.bbox
    for text in figure.axes[0].texts:
        extent = text.get_window_extent()
        if not text.get_text():
            continue
        assert page.x0 <= extent.x0 and extent.x1 <= page.x1
        assert page.y0 <= extent.y0 and extent.y1 <= page.y1
        touched = [frame for frame in frames if frame.overlaps(extent)]
        inside = [f for f in touched if f.x0 + 2 < extent.x0 and extent.x1 < f.x1 - 2]
        assert len(touched) <= 1 and touched == inside, f"{text.get_text()!r} leaves its box"


def test_letters_can_be_read_at_notebook_width():
    figure = series_map("encoder")
    shrunk = min(1.0, 9.5 / figure.get_figwidth())  # a notebook's column is about 9.5 inches
    assert min(text.get_fontsize() for text in figure.axes[0].texts) * shrunk >= 8.5
