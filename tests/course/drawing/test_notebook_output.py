"""What a notebook stores of a figure: a picture, an alt text, and the numbers behind it."""

import base64
import csv
import io
import json

import altair as alt
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from PIL import Image

from course.drawing import notebook_output as showing
from course.drawing import style
from course.drawing.arrows import threads
from course.drawing.attention_maps import attention_chart, attention_heads, attention_heatmap
from course.drawing.display import show
from course.drawing.notebook_output import enable_altair
from course.drawing.registry import FIGURES
from course.drawing.words import canvas


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
    assert metadata["image/png"]["alt"] == "The loss halves at every step."


def test_the_picture_is_sharp_white_and_as_large_as_its_figure(shown):
    show(curve(), alt="a curve")
    [(bundle, metadata)] = shown
    image = picture(bundle)
    assert image.width // 2 == metadata["image/png"]["width"]
    assert image.height // 2 == metadata["image/png"]["height"]
    assert 500 < image.width // 2 < 700  # 6.4 inches of 96 dots
    assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)


def test_show_closes_the_figure(shown):
    figure = curve()
    assert plt.fignum_exists(figure.number)
    show(figure, alt="a curve")
    assert not plt.fignum_exists(figure.number)


def test_axes_stand_for_their_figure(shown):
    show(curve().axes[0], alt="a curve")
    assert "line loss" in shown[0][0]["text/plain"]


def test_the_same_figure_gives_the_same_bytes(shown):
    show(curve(), alt="a curve")
    show(curve(), alt="a curve")
    assert shown[0] == shown[1]


@pytest.mark.parametrize("alt_text", [{}, {"alt": ""}, {"alt": "  \n"}])
@pytest.mark.parametrize("make", [curve, small_chart])
def test_a_figure_without_alt_text_is_refused(shown, make, alt_text):
    figure = make()
    with pytest.raises(ValueError, match='show needs an alt text: show\\(figure, alt="'):
        show(figure, **alt_text)
    assert shown == []
    plt.close("all")


def test_something_else_is_refused_by_name():
    with pytest.raises(TypeError, match="this is a list"):
        show([curve()], alt="a list of curves")
    plt.close("all")


# --- the summary: the data behind the figure ---


def lines(values):
    figure, ax = plt.subplots()
    ax.plot(values)
    return figure


def bars(values):
    figure, ax = plt.subplots()
    ax.bar(range(len(values)), values, label="heights")
    return figure


def points(values):
    figure, ax = plt.subplots()
    ax.scatter(values, np.arange(len(values)))
    return figure


def image(values):
    figure, ax = plt.subplots()
    ax.imshow(np.reshape(values, (2, -1)))
    return figure


def large_image(values):
    figure, ax = plt.subplots()
    ax.imshow(np.resize(values, (20, 64)))
    return figure


def lines_as_thick_as_weights(values):
    figure, ax = canvas(2, width=2)
    places = [(x, 1.0) for x in range(len(values))]
    threads(ax, [(0.0, 0.0)], places, values, "#2774A7", name="head 1")
    return figure


KINDS = [lines, bars, points, image, large_image, lines_as_thick_as_weights]
# Their mean, 0.385, lies on the edge between two roundings.
VALUES = np.array([0.11, 0.37, 0.23, 0.71, 0.53, 0.05, 0.62, 0.46])


@pytest.mark.parametrize("kind", KINDS)
def test_the_summary_sees_a_change_of_two_hundredths(kind):
    before = showing.summary(kind(VALUES))
    assert showing.summary(kind(VALUES + 0.02)) != before
    assert showing.summary(kind(VALUES + 1e-4)) == before
    assert showing.summary(kind(VALUES - 1e-6)) == before
    plt.close("all")


def test_the_summary_sees_weight_moving_from_word_to_word():
    weights = np.array([[0.70, 0.20, 0.10], [0.10, 0.80, 0.10]])
    moved = weights + [[-0.02, 0.02, 0.0], [0.0, 0.0, 0.0]]
    rows, columns = ["a", "b"], ["x", "y", "z"]

    def text(matrix):
        return showing.summary(attention_heatmap(matrix, rows, columns).figure)

    assert text(moved) != text(weights)
    assert text(weights + [[-1e-4, 1e-4, 0.0], [0.0, 0.0, 0.0]]) == text(weights)


def test_the_summary_sees_swapped_axes_and_flipped_rows():
    square = np.array([[0.9, 0.1], [0.6, 0.4]])

    def text(matrix):
        return showing.summary(attention_heatmap(matrix, ["a", "b"], ["c", "d"]).figure)

    assert len({text(square), text(square.T), text(square[::-1]), text(square[:, ::-1])}) == 4


def test_the_summary_speaks_in_the_words_of_the_sentence():
    weights = np.array([[0.1, 0.9], [0.75, 0.25]])
    text = showing.summary(attention_heatmap(weights, ["me", "gustan"], ["I", "like"]).figure)
    assert "me: largest at like, 0.90" in text
    assert "gustan: largest at I, 0.75" in text
    assert "heat map 2 x 2, 0.10 to 0.90, mean 0.50" in text
    assert text.count("panel") == 1, "the color scale is no panel of its own"


def test_every_panel_of_small_multiples_keeps_its_words():
    weights = np.full((4, 2, 3), 1 / 3)
    text = showing.summary(attention_heads(weights, ["a", "b"], ["x", "y", "z"]))
    assert text.count("a: largest at x, 0.33") == 4


def test_tiny_values_keep_their_digits():
    assert "from 0.00100 to 0.00030" in showing.summary(lines([1e-3, 3e-4]))
    plt.close("all")


def test_gaps_and_empty_curves_are_no_accident():
    assert "4 values from 1.00 to 3.00" in showing.summary(lines([np.nan, 1.0, np.nan, 3.0]))
    assert "line: empty" in showing.summary(lines([]))
    plt.close("all")


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


def test_the_chart_leaves_the_background_to_the_theme(shown):
    show(small_chart(), alt="Two points.")
    spec = shown[0][0][showing.VEGALITE]
    assert "background" not in spec and "background" not in spec["config"]
    assert "Color" not in json.dumps({k: spec["config"][k] for k in ("axis", "header", "legend")})


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


def test_rows_with_different_columns_lose_nothing():
    table = [{"a": True}, {"a": False, "b": None}, {"b": 2.0}]
    data = showing._as_csv(table)
    assert rows_of(data) == [{"a": "true", "b": ""}, {"a": "false", "b": ""}, {"a": "", "b": "2.0"}]
    assert data["format"]["parse"]["b"] == "number"


def test_a_chart_of_charts_keeps_every_table_and_one_description(shown):
    show(small_chart() | small_chart().mark_bar(), alt="Points, then bars.")
    spec = shown[0][0][showing.VEGALITE]
    assert spec["description"] == "Points, then bars."
    tables = [node["data"] for node in (spec, *spec["hconcat"]) if "data" in node]
    assert tables and all(data["format"]["type"] == "csv" for data in tables)


@pytest.mark.parametrize("heads", [None, 1, 8])
def test_the_specification_is_valid_vega_lite(shown, heads):
    shape = (5, 4) if heads is None else (heads, 5, 4)
    chart = attention_chart(np.full(shape, 0.25), list("abcde"), list("wxyz"))
    show(chart, alt="Even attention.")
    spec = shown[0][0][showing.VEGALITE]
    again = alt.Chart.from_dict(spec)  # raises if a field or a value is wrong
    assert again.description == "Even attention."
    with pytest.raises(Exception, match="7 is not of type"):
        alt.Chart.from_dict({**spec, "description": 7})


def test_a_chart_gives_the_same_bytes_twice(shown):
    for _ in range(2):
        show(attention_chart(np.full((2, 3), 1 / 3), ["a", "b"], ["x", "y", "z"]), alt="Even.")
    assert shown[0] == shown[1]


def test_rounding_errors_leave_the_chart_alone(shown):
    weights = np.full((2, 3), 1 / 3)
    for noise in (0.0, 7e-7, 0.02):
        show(attention_chart(weights + noise, ["a", "b"], ["x", "y", "z"]), alt="Even.")
    specs = [bundle[showing.VEGALITE] for bundle, _ in shown]
    assert specs[0] == specs[1]
    assert specs[0] != specs[2]


def test_the_renderer_draws_charts_that_stand_last_in_a_cell():
    before = alt.renderers.active
    try:
        enable_altair()
        bundle, metadata = small_chart().properties(description="Two.")._repr_mimebundle_()
        assert showing.VEGALITE in bundle and metadata["image/png"]["alt"] == "Two."
        config = metadata[showing.VEGALITE]["embed_options"]["config"]
        assert config["background"] == "#FFFFFF"
        with pytest.raises(ValueError, match="needs a description"):
            small_chart()._repr_mimebundle_()
    finally:
        alt.renderers.enable(before)


# --- figures of the series ---


def test_a_figure_of_the_series_is_shown_by_its_name(shown):
    show("series-map")
    show(FIGURES["series-map"].draw(), name="series-map")
    (by_name, metadata), (drawn, _) = shown
    assert by_name == drawn
    assert metadata["figure"] == "series-map"
    assert metadata["image/png"]["alt"] == FIGURES["series-map"].alt
    assert by_name["text/plain"].startswith(f"Figure:\n{FIGURES['series-map'].alt}\n")


@pytest.mark.parametrize("names", [("series-mop",), (None, "series-mop")])
def test_an_unknown_name_shows_nothing(shown, names):
    with pytest.raises(ValueError, match="no figure 'series-mop'; did you mean 'series-map'"):
        show(names[0]) if names[0] else show(curve(), name=names[1])
    assert shown == []


def test_a_color_bar_is_stored_without_bands(shown):
    figure = style.new_figure(8, 2)
    ramp = np.linspace(-3, 3, 600)[None]
    for ax, colors in zip(figure.subplots(3), (style.SIGNED, style.WEIGHTS, "plasma"), strict=True):
        ax.imshow(ramp, cmap=colors, aspect="auto")
    show(figure, alt="A ramp from blue over nothing to orange.")
    stored = picture(shown[0][0])
    assert stored.mode == "RGB"
    row = np.asarray(stored)[stored.height // 2].astype(int)
    assert np.abs(np.diff(row[200:-200], axis=0)).max() <= 8, "a step that can be seen"


def test_a_picture_of_few_colors_is_stored_in_few_and_keeps_those_of_the_series(shown):
    figure = style.new_figure(8, 4)
    words = figure.subplots()
    words.axis("off")
    for place, color in enumerate(style.EXACT):
        words.text(place / len(style.EXACT), 0.5, "I", bbox={"facecolor": color, "linewidth": 0})
    show(figure, alt="Letters of many colors.")
    stored = picture(shown[0][0])
    assert stored.mode == "P"
    there = {color for _, color in stored.convert("RGB").getcolors(256)}
    for color in style.EXACT:
        assert tuple(round(255 * channel) for channel in to_rgb(color)) in there, color
