"""What a notebook stores of a figure: a picture, an alt text, and the numbers behind it."""

import base64
import csv
import io

import altair as alt
import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from course.drawing import notebook_output as showing
from course.drawing.arrows import threads
from course.drawing.attention_maps import attention_heatmap
from course.drawing.display import show
from course.drawing.registry import FIGURES


@pytest.fixture
def shown(monkeypatch):
    """What would have been displayed: (bundle, metadata) of each output."""
    outputs = []

    def display(bundle, metadata, raw):
        assert raw
        outputs.append((bundle, metadata))

    monkeypatch.setattr("IPython.display.display", display)
    return outputs


def picture(bundle) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))


def rows_of(data) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data["values"])))


def curve():
    figure, ax = plt.subplots()
    ax.plot([0, 1, 2], [0.5, 0.25, 0.125], label="loss")
    ax.set(title="falling", xlabel="step", ylabel="value")
    return figure


def small_chart():
    table = [{"x": 1, "y": 1 / 3, "word": 'a "b", c'}, {"x": 2, "y": 2 / 3, "word": "ñ"}]
    return alt.Chart(alt.Data(values=table)).mark_point().encode(x="x:Q", y="y:Q", color="word:N")


# --- matplotlib ---


def test_a_figure_leaves_picture_text_and_alt(shown):
    show(curve(), alt="The loss halves at every step.")
    [(bundle, metadata)] = shown
    assert set(bundle) == {"image/png", "text/plain"}
    assert bundle["text/plain"].splitlines() == [
        "Figure:",
        "The loss halves at every step.",
        "panel | falling | step | value",
        "  line loss: 3 values from 0.50 to 0.13, lowest 0.13, highest 0.50, mean 0.29",
    ]
    image, note = picture(bundle), metadata["image/png"]
    assert note["alt"] == "The loss halves at every step."
    # It is sharp, white, and as large as its figure.
    assert [size // 2 for size in image.size] == [note["width"], note["height"]]
    assert 500 < note["width"] < 700  # 6.4 inches of 96 dots
    assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)


def test_a_figure_without_alt_text_is_refused(shown):
    for alt_text in [{}, {"alt": ""}, {"alt": "  \n"}]:
        for make in [curve, small_chart]:
            figure = make()
            with pytest.raises(ValueError, match='show needs an alt text: show\\(figure, alt="'):
                show(figure, **alt_text)
            assert shown == []
            plt.close("all")


# --- the summary: the data behind the figure ---


def threads_as_thick_as_weights(ax, values):
    places = [(x, 1.0) for x in range(len(values))]
    threads(ax, [(0.0, 0.0)], places, values, "#2774A7", name="head 1")


KINDS = [
    lambda ax, values: ax.plot(values),
    lambda ax, values: ax.bar(range(len(values)), values, label="heights"),
    lambda ax, values: ax.scatter(values, np.arange(len(values))),
    lambda ax, values: ax.imshow(np.reshape(values, (2, -1))),
    lambda ax, values: ax.imshow(np.resize(values, (20, 64))),
    threads_as_thick_as_weights,
]


# Their mean, 0.385, lies on the edge between two roundings.
VALUES = np.array([0.11, 0.37, 0.23, 0.71, 0.53, 0.05, 0.62, 0.46])


def test_the_summary_sees_a_change_of_two_hundredths():
    def summary(draw, values):
        figure, ax = plt.subplots()
        draw(ax, values)
        plt.close(figure)
        return showing.summary(figure)

    for draw in KINDS:
        before = summary(draw, VALUES)
        assert summary(draw, VALUES + 0.02) != before
        assert summary(draw, VALUES + 1e-4) == before
        assert summary(draw, VALUES - 1e-6) == before


def test_the_summary_speaks_in_the_words_of_the_sentence():
    weights = np.array([[0.1, 0.9], [0.75, 0.25]])
    text = showing.summary(attention_heatmap(weights, ["me", "gustan"], ["I", "like"]).figure)
    assert "me: largest at like, 0.90" in text
    assert "gustan: largest at I, 0.75" in text
    assert "heat map 2 x 2, 0.10 to 0.90, mean 0.50" in text
    assert text.count("panel") == 1, "the color scale is no panel of its own"


# --- Altair ---


def test_a_chart_leaves_chart_picture_and_text(shown):
    show(small_chart(), alt="Two points.")
    [(bundle, metadata)] = shown
    assert set(bundle) == {showing.VEGALITE, "image/png", "text/plain"}
    assert bundle["text/plain"] == "Chart:\nTwo points."
    assert metadata["image/png"]["alt"] == "Two points."
    spec = bundle[showing.VEGALITE]
    assert spec["description"] == "Two points."
    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert picture(bundle).convert("RGB").getpixel((1, 1)) == (255, 255, 255)


def test_the_data_is_one_string_with_types_and_three_decimals(shown):
    show(small_chart(), alt="Two points.")
    spec = shown[0][0][showing.VEGALITE]
    assert "datasets" not in spec
    assert spec["data"]["format"] == {
        "type": "csv",
        "parse": {"x": "number", "y": "number", "word": "string"},
    }
    assert rows_of(spec["data"]) == [
        {"x": "1", "y": "0.333", "word": 'a "b", c'},
        {"x": "2", "y": "0.667", "word": "ñ"},
    ]


# --- figures of the series ---


def test_a_figure_of_the_series_is_shown_by_its_name(shown):
    show("machine")
    show(FIGURES["machine"].draw(), name="machine")
    (by_name, metadata), (drawn, _) = shown
    assert by_name == drawn
    assert metadata["figure"] == "machine"
    assert metadata["image/png"]["alt"] == FIGURES["machine"].alt
    assert by_name["text/plain"].startswith(f"Figure:\n{FIGURES['machine'].alt}\n")
