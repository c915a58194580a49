"""Drawings of several heads: the right line between the right words, and shapes that fit."""

import csv
import io

import numpy as np
import pytest
import torch
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, Wedge

from course.chapters.ch05_multi_head_attention import figures as heads
from course.drawing import notebook_output as showing
from course.drawing import style
from course.drawing.arrows import threads
from course.drawing.words import canvas, percent
from transformer_lib.text import english_spanish
from transformer_lib.translator import AttentionMaps, Translator

ENGLISH = ["I", "like", "trees", "<eos>"]
SPANISH = ["me", "gustan", "los", "árboles"]
HEADS = ["head 0", "head 1", "head 2"]


def weights(*shape: int) -> torch.Tensor:
    return torch.softmax(3 * torch.randn(shape), dim=-1)


@pytest.fixture
def maps() -> AttentionMaps:
    """Made-up looks of a model with two layers of three heads."""
    s, t = len(ENGLISH), len(SPANISH) + 1
    by_layer = {}
    for layer in range(2):
        by_layer[f"encoder.layers.{layer}.self_attn"] = weights(3, s, s)
    for layer in range(2):
        own = weights(3, t, t).tril()
        by_layer[f"decoder.layers.{layer}.self_attn"] = own / own.sum(-1, keepdim=True)
        by_layer[f"decoder.layers.{layer}.cross_attn"] = weights(3, t, s)
    return AttentionMaps(ENGLISH, ["<bos>", *SPANISH], [*SPANISH, "<eos>"], by_layer)


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


# --- the recap ---


def test_the_recap_says_every_shape():
    said = texts(heads._heads_recap(["a", "b", "c", "d", "e"], d_model=21, h=3).axes[0])
    assert sum("5 × 21" in text for text in said) == 3
    assert sum("each 5 × 7" in text for text in said) == 2
    assert any("each 21 × 7" in text for text in said) and "$W^O$  21 × 21" in said
    assert [f"$Z_{head}$" in said for head in range(4)] == [True, True, True, False]


def test_the_input_is_what_comes_from_below():
    said = texts(heads._heads_recap(["a"], d_model=8, h=2).axes[0])
    assert "the words, or the output of the layer below" in " ".join(said)


def test_no_head_has_the_color_of_a_word():
    assert not set(heads.HEADS) & set(style.WORDS.values())
    assert len(set(heads.HEADS)) == 8


# --- all heads of a sentence ---


def lines_of(ax) -> dict[str, LineCollection]:
    return {c.get_label(): c for c in ax.collections if isinstance(c, LineCollection)}


def test_each_head_draws_the_looks_of_two_words_as_half_disks_in_their_color(maps):
    named = heads.encoder_heads(maps)
    marked = {"like": "#123456", "trees": "#654321"}
    ax = heads._eight_heads(named, ENGLISH, marked).axes[0]
    halves = iter(patch for patch in ax.patches if isinstance(patch, Wedge))
    rows = [text for text in texts(ax) if text.startswith(("layer", "head"))]
    assert rows == [each for layer in (0, 1) for each in (f"layer {layer}", *HEADS)]
    for matrix in named.values():
        for text, color in marked.items():
            row = matrix[ENGLISH.index(text)].numpy()
            drawn = [next(halves) for weight in row if weight >= 0.05]
            radii = [half.r for half in drawn]
            np.testing.assert_allclose(radii, 0.2 * row[row >= 0.05] ** 0.5, rtol=1e-5)
            assert {to_hex(half.get_facecolor()) for half in drawn} == {color}
            assert {half.theta1 for half in drawn} == {0 if text == "like" else -180}
    words = [text for text in ax.texts if text.get_text() in ENGLISH]
    assert [text.get_text() for text in words] == ENGLISH, "once, above all heads"


def test_only_one_head_leads_both_words_to_the_animal():
    maps = heads.maps_of_tired()
    rows = [maps.src.index(word) for word in heads.RIDDLE]
    animal = maps.src.index("animal")
    both = {
        name: weights[rows].min(dim=0).values for name, weights in heads.encoder_heads(maps).items()
    }
    assert [name for name, least in both.items() if least[animal] > 0.3] == ["layer 1, head 2"]
    ax = heads.draw_heads_eight().axes[0]
    assert "Only one of eight heads leads “it” and “tired” to “animal”" in texts(ax)
    bold = [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    heads_ = [text for text in bold if text.startswith("head")]
    assert {"98 % of “it”", "100 % of “tired”"} <= set(bold) and heads_ == ["head 2"]


def test_the_riddle_shows_two_words_and_names_no_head(maps):
    layer = "encoder.layers.1.self_attn"
    ax = heads._two_pictures(maps, layer, 1, {"I": "#123456", "trees": "#654321"}).axes[0]
    said = texts(ax)
    assert said[-1] == maps.tgt_out[-2], "what is written stands at the end"
    assert not any(f"head {number}" in text for text in said for number in range(4))
    arrows = [to_hex(p.get_edgecolor()) for p in ax.patches if isinstance(p, FancyArrowPatch)]
    rows = maps.weights[layer][1]
    seen = [int((rows[ENGLISH.index(text)] >= heads.FAINT).sum()) for text in ("I", "trees")]
    assert [arrows.count(color) for color in ("#123456", "#654321")] == seen
    assert percent(float(rows[0].max())) in said


# --- lines between two columns ---


def test_each_line_leads_from_its_query_to_its_key():
    matrix = np.array([[0.9, 0.1, 0.0], [0.0, 0.02, 0.98]])
    _, ax = canvas(3, width=3)
    threads(ax, [(0, 0), (0, 1)], [(2, 0), (2, 1), (2, 2)], matrix, "#123456", name="head 1")
    lines = lines_of(ax)["head 1"]
    ends = [(*line[0], *line[-1]) for line in lines.get_segments()]
    assert ends == [(0, 0, 2, 0), (0, 0, 2, 1), (0, 1, 2, 2)], "none for the weight of 0.02"
    assert np.argsort(lines.get_linewidths()).tolist() == [1, 0, 2], "the heavier, the thicker"


def test_one_two_all_shows_one_two_and_all(maps):
    named = heads._sharpest_first(heads.encoder_heads(maps), query=2)
    figure = heads._one_two_all(torch.stack(list(named.values())), ENGLISH, 2, list(named))
    ax = figure.axes[0]
    drawn = [c.get_label() for c in ax.collections]
    assert drawn == [", ".join(list(named)[:count]) for count in (1, 2, 6)]
    mean = torch.stack(list(named.values()))[:, 2].mean(dim=0)
    widths = ax.collections[-1].get_linewidths()
    assert max(widths) == pytest.approx(8 * float(mean.max())), "as thick as the mean is large"
    first = next(iter(named.values()))[2]
    best = int(first.argmax())
    share = ax.texts[texts(ax).index(percent(float(first.max())))]
    rows = [text.get_position()[1] for text in ax.texts if text.get_text() == ENGLISH[best]]
    assert share.get_position()[1] in rows, "beside its word"


def test_the_sharpest_head_of_the_last_layer_comes_first():
    even, sharp = torch.full((2, 2), 0.5), torch.eye(2)
    named = {"layer 0, head 0": sharp, "layer 1, head 0": even, "layer 1, head 1": sharp}
    assert list(heads._sharpest_first(named, 0)) == [
        "layer 1, head 1",
        "layer 1, head 0",
        "layer 0, head 0",
    ]


def test_encoder_heads_are_named_from_zero(maps):
    named = heads.encoder_heads(maps)
    assert list(named)[0] == "layer 0, head 0" and list(named)[-1] == "layer 1, head 2"
    torch.testing.assert_close(
        named["layer 1, head 0"], maps.weights["encoder.layers.1.self_attn"][0]
    )


# --- the view to touch ---


def tables(spec: dict) -> list[list[dict[str, str]]]:
    layers = showing.portable(spec)["layer"]
    return [list(csv.DictReader(io.StringIO(layer["data"]["values"]))) for layer in layers]


def test_the_view_holds_each_visible_weight_once(maps):
    _, lines, _, _ = tables(heads.token_view(maps).to_dict())
    visible = sum(int((matrix >= heads.FAINT).sum()) for matrix in maps.weights.values())
    assert len(lines) == visible
    cross = maps.weights["decoder.layers.1.cross_attn"]
    row = next(r for r in lines if r["layer"] == "decoder, layer 1: Spanish looks at English")
    assert row["query"] == maps.tgt_out[int(row["i"])] and row["key"] == ENGLISH[int(row["j"])]
    place = int(row["head"]), int(row["i"]), int(row["j"])
    assert float(row["weight"]) == pytest.approx(cross[place].item(), abs=0.0055)


def test_the_view_can_be_used_without_a_mouse(maps):
    spec = heads.token_view(maps, word="trees").to_dict()
    params = {p["name"]: p for p in spec["params"]}
    assert params["layer"]["bind"]["input"] == "select"
    assert len(params["layer"]["bind"]["options"]) == len(maps.weights)
    by_name = params["word"]["bind"]
    assert by_name["input"] == "select" and params["word"]["value"] == [{"label": "trees"}]
    assert by_name["labels"][:4] == ["all words", "I", "like", "trees"]
    assert by_name["options"] == [None, *by_name["labels"][1:]]
    assert all(params[f"head{head}"]["bind"]["input"] == "checkbox" for head in (0, 1, 2))
    assert "legend" in params


def test_a_word_that_stands_twice_has_two_names():
    assert heads._told_apart(["the", "cat", "the"]) == ["the (1)", "cat", "the (2)"]


def test_what_answers_the_mouse_can_be_seen(maps):
    """The background of each word is drawn, and as wide as its word: nothing else is to click."""
    spec = heads.token_view(maps).to_dict()
    marks = [layer["mark"] for layer in spec["layer"]]
    assert [mark["type"] for mark in marks] == ["rect", "line", "text", "text"]
    assert "transparent" not in str(marks) and style.GROUND in marks[0]["fill"]["expr"]
    words = tables(spec)[0]
    assert all(bool(row["label"]) == (row["side"] == "query") for row in words)
    for mark in (marks[0], marks[2]):  # a chip and its letters; words looked at have no label
        assert mark["cursor"]["expr"] == "datum.label ? 'pointer' : 'default'"
    wide = {row["word"]: float(row["x2"]) - float(row["x"]) for row in words}
    assert wide["trees"] > wide["like"] > wide["I"]


def test_the_view_fits_a_column():
    long = ["international"] * 3
    maps = AttentionMaps(
        long,
        ["<bos>", *long[:2]],
        long,
        {
            "encoder.layers.0.self_attn": weights(2, 3, 3),
            "decoder.layers.0.cross_attn": weights(2, 3, 3),
        },
    )
    spec = showing.portable(heads.token_view(maps, layer="encoder, layer 0").to_dict())
    width, _ = showing.convert(spec, "svg").decode().split('width="')[1].split('"', 1)
    assert 300 < float(width) <= 600


def test_an_unknown_layer_or_word_is_refused(maps):
    with pytest.raises(ValueError, match="no 'encoder, layer 7'; the layers are encoder, layer 0"):
        heads.token_view(maps, layer="encoder, layer 7")
    with pytest.raises(ValueError, match="'bird' is not among the words that look: I, like"):
        heads.token_view(maps, word="bird")


def test_the_view_at_load_draws_the_lines_of_its_word(maps):
    """Read the drawing back: as many lines as the word has visible weights in this layer."""
    chart = heads.token_view(maps, layer="encoder, layer 0", word="like")
    svg = showing.convert(showing.portable(chart.to_dict()), "svg").decode()
    lines = [part.split("/>")[0] for part in svg.split("mark-line role-mark looks_marks")[1:]]
    row = maps.weights["encoder.layers.0.self_attn"][:, 1]
    assert len(lines) == int((row >= heads.FAINT).sum())
    loud = [style.ACCENT.lower() in line.lower() for line in lines]
    assert loud == [False] * (len(lines) - 1) + [True], "the largest one, on top of the others"
    for word in ("like", "trees", "&lt;eos&gt;"):
        assert svg.count(f">{word}</text>") == 2, "once on each side"


def test_the_title_says_where_most_attention_of_the_word_goes(maps):
    spec = showing.portable(heads.token_view(maps, layer="encoder, layer 0", word="like").to_dict())
    svg = showing.convert(spec, "svg").decode()
    row = maps.weights["encoder.layers.0.self_attn"][:, 1]
    head, key = divmod(int(row.argmax()), len(ENGLISH))
    share = percent(round(float(row.max()), 2))
    said = f"In layer 0, head {head}, “like” looks at “{ENGLISH[key]}”: {share}"
    assert said.replace("<", "&lt;").replace(">", "&gt;") in svg
    assert f"head {head}: {share}" in svg, "beside the word, too"


# --- distances and the three uses ---


def test_the_arrows_show_the_profile_and_the_loud_side_its_sum():
    profile = {-3: 0.0, -2: 0.125, -1: 0.25, 0: 0.25, 1: 0.0625, 2: 0.03125, 3: 0.0}
    [ax] = heads.distance_bars({"head 1": profile, "head 2": {0: 0.5, 1: 0.5}}).axes
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    widths = [arrow.get_linewidth() for arrow in arrows]
    assert widths[:2] == [14 * 0.25, 14 * 0.125], "none for the weight of 0"
    said = {text.get_text(): to_hex(text.get_color()) for text in ax.texts}
    assert said["38 % on the three words before"] == style.ACCENT.lower()
    assert said["9 % on the three words after"] == style.MUTED.lower()
    assert said["50 % on the three words after"] == style.ACCENT.lower()


def test_the_neighbors_stand_so_in_the_sentence_of_the_riddle():
    assert " ".join(heads.AROUND) in " ".join(heads.maps_of_tired().src)


def test_distances_leave_the_padding_out():
    """A model whose heads all look evenly: at a word of distance d, 1 / length of its sentence."""
    from transformer_lib.model.transformer import make_model
    from transformer_lib.text.languages import Language
    from transformer_lib.text.tokens import Tokenizer, Vocabulary

    model = make_model(7, 7, N=2, d_model=8, d_ff=8, h=2)
    for layer in model.encoder.layers:
        torch.nn.init.zeros_(layer.self_attn.w_q.weight)
    sides = [Language(Tokenizer(code), Vocabulary(["a", "b", "c"])) for code in ("en", "es")]
    profiles = heads.weight_by_distance(Translator(model, *sides), ["b", "b c b b"], reach=4)
    assert list(profiles) == [f"layer {i}, head {j}" for i in (0, 1) for j in (0, 1)]
    for profile in profiles.values():
        assert profile[0] == pytest.approx((2 * 1 / 2 + 5 * 1 / 5) / 7)  # <eos> is a word too
        assert profile[-1] == pytest.approx((1 * 1 / 2 + 4 * 1 / 5) / 5)
        assert profile[4] == pytest.approx(1 / 5)


def test_the_three_uses_say_who_asks_whom(maps):
    ax = heads._three_uses(maps).axes[0]
    said = " ".join(texts(ax))
    lines = iter(ax.collections)
    for use, kind, least, words in (
        ("English looks at English", "encoder.layers.1.self_attn", 0.2, ENGLISH),
        ("Spanish looks at English", "decoder.layers.1.cross_attn", 0.1, ENGLISH),
        ("Spanish looks at Spanish before it", "decoder.layers.1.self_attn", 0.2, ["", *SPANISH]),
    ):
        assert use in said
        for column, word in zip(maps.weights[kind].mean(dim=0).T, words, strict=True):
            shown = column[column >= least].numpy()
            if not len(shown):
                continue
            drawn = next(lines)
            np.testing.assert_allclose(
                drawn.get_linewidths(), np.maximum(9 * shown, 0.6), rtol=1e-5
            )
            color = style.WORDS[word] if "cross" in kind else style.SOFT
            assert to_hex(drawn.get_color()[0]) == color.lower()
            if kind.startswith("decoder") and "self" in kind:
                ends = [(way[0][1], way[-1][1]) for way in drawn.get_segments()]
                assert all(start <= end + 1e-9 for start, end in ends), "the mask"
    assert next(lines, None) is None


def test_one_head_looks_at_itself_and_the_words_after_another_at_the_word_before():
    sentences = [english for english, _ in english_spanish.load("test")[:200]]
    far = heads.weight_by_distance(Translator.load("grammar"), sentences)
    here, left = far["layer 0, head 1"], far["layer 1, head 1"]
    assert set(sorted(here, key=here.__getitem__)[-4:]) == {0, 1, 2, 3}
    assert max(left, key=left.__getitem__) == -1
