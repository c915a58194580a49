"""The map of the series."""

import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course.chapters.ch00_start_here.figures import _series_map, _Stage
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


def test_the_caption_names_the_notebooks_and_the_map_has_no_numbers_but_its_scale(drawn):
    assert (
        "01, 02, 03, 04 to 06, 07, and for the last one 08 and 11" in FIGURES["series-map"].caption
    )
    written = [text for text in texts(drawn) if any(letter.isdigit() for letter in text)]
    assert written == ["128 learned numbers", "\N{MINUS SIGN}3", "3"]


def test_the_sentence_stands_on_top_and_its_translation_below_in_the_same_colors(drawn):
    words = {text.get_text(): text for text in drawn.axes[0].texts}
    for english, spanish in (("I", "Me"), ("like", "gustan"), ("trees", "árboles")):
        assert words[english].get_position()[1] > words[spanish].get_position()[1]
        assert words[english].get_color() == words[spanish].get_color()
        assert words[english].get_color() == style.readable(style.WORDS[english])


def test_the_strips_are_the_true_vectors_on_the_signed_scale(drawn):
    found = vectors()
    strips = [image for image in drawn.axes[0].images if image.get_array().shape == (1, 128)]
    names = ("embedding", "+ position", "encoder layer 0", "memory", "decoder")
    assert len(strips) == len(names)
    for image, name in zip(strips, names, strict=True):
        torch.testing.assert_close(torch.tensor(image.get_array().data[0]).float(), found[name])
        assert image.get_cmap().name == style.SIGNED.name and image.norm.vmin == -image.norm.vmax


def test_no_words_lie_on_others_or_leave_the_page(drawn):
    page = drawn.bbox
    boxes = [(t.get_text(), t.get_window_extent()) for t in drawn.axes[0].texts if t.get_text()]
    for i, (text, box) in enumerate(boxes):
        assert page.x0 <= box.x0 and box.x1 <= page.x1, text
        assert page.y0 <= box.y0 and box.y1 <= page.y1, text
        for other, its in boxes[:i]:
            assert not box.padded(-1).overlaps(its.padded(-1)), f"{text!r} lies on {other!r}"


def test_letters_can_be_read_at_notebook_width(drawn):
    assert drawn.get_figwidth() <= 9.5
    assert min(text.get_fontsize() for text in drawn.axes[0].texts) >= 8


def test_a_map_without_halves_can_be_drawn():
    figure = _series_map(["a"], ["b"], "a", "b", [_Stage("one", 0.5)])
    assert {"a", "b", "one"} <= set(texts(figure))


def test_the_three_largest_numbers_are_followed_through_the_strips_of_the_word(drawn):
    found = vectors()
    columns = [image for image in drawn.axes[0].images if image.get_array().shape[1] == 1]
    largest = found["embedding"].abs().topk(3).indices
    kept = [column.get_array().data[:, 0] for column in columns]
    for values, number in zip(kept, largest, strict=True):
        assert values[0] == pytest.approx(float(found["embedding"][number]))
        assert values[-1] == pytest.approx(float(found["memory"][number]))
    stays = sorted(abs(values[-1]) > 0.5 * abs(values[0]) for values in kept)
    assert stays == [False, False, True], "as the alt text says"
