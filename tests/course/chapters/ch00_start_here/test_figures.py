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


def test_the_caption_names_the_notebooks_and_the_map_says_how_many_numbers_it_shows(drawn):
    assert (
        "01, 02, 03, 04 to 06, 07, and for the last one 08 and 11" in FIGURES["series-map"].caption
    )
    written = [text for text in texts(drawn) if any(letter.isdigit() for letter in text)]
    note, *last = written
    assert note.startswith("At each step the first 16 of its 128 numbers:")
    rows = "embedding", "+ position", "encoder layer 0", "memory", "decoder"
    found = [vectors()[row] for row in rows]
    assert last == [f"{vector[15]:.1f}" for vector in found]


def test_the_sentence_stands_on_top_and_its_translation_below_in_the_same_colors(drawn):
    words = {text.get_text(): text for text in drawn.axes[0].texts}
    for english, spanish in (("I", "me"), ("like", "gustan"), ("trees", "árboles")):
        assert words[english].get_position()[1] > words[spanish].get_position()[1]
        assert words[english].get_color() == words[spanish].get_color()
        assert words[english].get_color() == style.readable(style.WORDS[english])


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


def test_some_numbers_keep_their_color_in_the_encoder_and_others_do_not():
    rows = [
        vectors()[name][:16] for name in ("embedding", "+ position", "encoder layer 0", "memory")
    ]
    table = torch.stack(rows)
    strong = table[0].abs() > 2.5
    assert (strong & (table.abs() > 2.5).all(dim=0)).any(), "one keeps its color"
    assert ((table[0].abs() > 1) & (table[-1].abs() < 0.1)).any(), "one fades"
    assert ((table[0] * table[-1] < 0) & (table[-1].abs() > 0.3)).any(), "one turns"
