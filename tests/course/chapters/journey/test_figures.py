"""The word *trees* at every station: the notebooks' first pictures, and their numbers."""

import re
import textwrap

import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, Rectangle

from course.chapters.journey import figures as trees
from course.chapters.journey.experiments import trace, untrained, with_borrowed_memory
from course.chapters.journey.figures import HEAD, LAYER, READING
from course.chapters.journey.poster import A2, MARKS
from course.drawing import style
from course.drawing.arrows import attention_arrow
from course.drawing.cells import matrix, strip
from course.drawing.registry import FIGURES
from course.drawing.words import canvas, percent, word
from transformer_lib.decoding import inference_mode
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import SPECIALS
from transformer_lib.translator import Translator

NAMES = [name for name in FIGURES if name.startswith("trees-")]


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.fixture(scope="module")
def way(translator):
    return trace(translator)


# --- the numbers ---


def test_the_way_is_what_a_plain_forward_makes(translator, way):
    model = translator.model
    words, written = translator.read("I like trees"), way.tgt_out[:-1]
    batch = make_batch([(translator.src.vocab.encode(words), translator.tgt.vocab.encode(written))])
    with torch.no_grad(), inference_mode(model):
        torch.testing.assert_close(way.logits, model(batch.src, batch.tgt_in)[0])
        memory = model.encode(batch.src)
        torch.testing.assert_close(way.outputs["encoder"], memory[0])
        x = model.src_positions(model.src_embed(batch.src))
        torch.testing.assert_close(way.outputs["src_positions"], x[0])
        first = model.encoder.layers[0](x)  # no <pad> in a batch of one
        torch.testing.assert_close(way.of("encoder.layers.0", "trees"), first[0, 2])
        last = model.decode(batch.tgt_in, memory, batch.src)
        torch.testing.assert_close(way.of("decoder", "árboles"), last[0, 3])
    assert way.src == ["I", "like", "trees", "<eos>"]
    assert way.tgt_in == ["<bos>", "me", "gustan", "los", "árboles"]


def test_the_heads_side_by_side_make_what_the_layer_brings(translator, way):
    layer = translator.model.get_submodule(LAYER)
    together = layer.w_o(layer.merge_heads(way.heads[LAYER][None]))[0]
    torch.testing.assert_close(together, way.outputs[LAYER])


def test_the_untrained_model_is_where_the_training_began(translator):
    """Three rows are never trained, for no English sentence has <bos> or <unk>, and nobody sees
    <pad>: in the shipped model they are as they were. The others have moved, but not far: random
    rows of 128 numbers would have a cosine near 0.
    """
    with torch.no_grad():
        before = untrained(translator).model.src_embed.table.weight
        after = translator.model.src_embed.table.weight
        same = [SPECIALS[i] for i in range(len(SPECIALS)) if torch.equal(before[i], after[i])]
        assert same == ["<pad>", "<bos>", "<unk>"]
        alike = torch.cosine_similarity(before, after, dim=-1)
    assert alike.median() > 0.4
    assert torch.cosine_similarity(before[:-1], after[1:], dim=-1).median().abs() < 0.1


def test_drawing_random_numbers_leaves_no_trace(translator):
    state = torch.get_rng_state()
    untrained(translator)
    assert torch.equal(torch.get_rng_state(), state)


def test_memory_borrowed_from_itself_changes_nothing(translator):
    same = with_borrowed_memory(translator, "I like trees", "trees", "trees")
    assert same == ["me", "gustan", "los", "árboles"]


# --- what the figures' texts claim ---


def test_there_is_one_for_each_notebook_and_none_is_tall():
    assert len({FIGURES[name].notebook for name in NAMES}) == len(NAMES) == 13
    for name in NAMES:
        width, height = FIGURES[name].draw().get_size_inches()
        assert width <= 8 and height <= 2.95, name


def test_attention_and_heads_look_where_the_text_says(way):
    first, like, own, eos = way.weights[LAYER][HEAD, way.src.index("trees")].tolist()
    assert like == pytest.approx(0.47, abs=0.01) and eos == pytest.approx(0.47, abs=0.01)
    assert first == pytest.approx(0.01, abs=0.01) and own == pytest.approx(0.05, abs=0.01)
    heads = way.weights[LAYER][:, 2]
    assert [way.src[i] for i in heads[[0, 2, 3]].argmax(dim=-1)] == ["<eos>", "trees", "<eos>"]
    assert heads[2, 2] > 0.9 and heads[3, 3] > 0.5 and heads[0, 2] > 0.3


def test_the_decoder_reads_trees_when_it_writes_its_word(way):
    reads = way.weights[READING].mean(dim=0)
    assert reads[3, 2] > 0.99 and reads[4, 3] > 0.99
    assert reads[1].topk(2).indices.tolist() == [1, 2]  # gustan reads like and trees
    [(_, chance), *others] = way.likeliest("árboles", 4)
    assert chance == pytest.approx(0.9, abs=0.005) and all(p < 0.001 for _, p in others)


def bands(name):
    """How thick each band is, at its right end; at the left at most as thick."""
    thick = []
    for band in FIGURES[name].draw().axes[0].collections:
        x, y = band.get_paths()[0].vertices.T
        left, right = (np.ptp(y[np.isclose(x, end)]) for end in (x.min(), x.max()))
        assert left == pytest.approx(min(right, 0.34 if name == "trees-heads" else right))
        thick.append(right)
    return np.array(thick)


def percents(name):
    """The percentages written in a figure, in order."""
    texts = [text.get_text().split(" of the")[0] for text in FIGURES[name].draw().axes[0].texts]
    return [text for text in texts if text.endswith("%")]


def test_the_bands_are_as_thick_as_the_attention(way):
    weights = way.weights[LAYER][HEAD, way.src.index("trees")]
    thick = bands("trees-attention")
    assert thick / thick.sum() == pytest.approx(weights.numpy(), abs=1e-5)
    reads = way.weights[READING].mean(dim=0)[way.tgt_out.index("árboles")]
    for name, shares in ("trees-attention", weights), ("trees-decoder", reads):
        written = [f"{100 * weight:.0f} %" for weight in shares]
        assert sorted(percents(name)) == sorted(written)
        assert all(text in FIGURES[name].alt for text in written)


def test_each_band_of_the_heads_is_the_attention_of_one(way):
    shares = way.weights[LAYER][:, 2].numpy()
    thick = bands("trees-heads").reshape(shares.shape)
    assert np.allclose(thick / thick.sum(axis=-1, keepdims=True), shares, atol=1e-5)
    assert percents("trees-heads") == [f"{100 * share:.0f} %" for share in shares[shares > 0.4]]


def test_the_columns_on_the_path_are_the_vectors_of_the_way(way):
    _, *columns = FIGURES["trees-transformer"].draw().axes[0].images  # the first is the scale
    parts = ["src_embed", "src_positions", "encoder.layers.0", "encoder", "decoder.layers.0"]
    for part, column in zip([*parts, "decoder"], columns, strict=True):
        vector = way.of(part, "árboles" if part.startswith("decoder") else "trees")
        assert np.array_equal(column.get_array().ravel(), vector[:32]), part


def test_of_all_cells_the_one_of_the_word_is_filled(translator, way):
    chance = way.logits[3].softmax(dim=-1)[translator.tgt.vocab.encode(["árboles"])[0]]
    for name, side, text, value in (
        ("trees-one-hot", translator.src, "trees", "1"),
        ("trees-decoding", translator.tgt, "árboles", percent(chance)),
    ):
        ax = FIGURES[name].draw().axes[0]
        *cells, lens = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
        assert len(cells) == len(side.vocab) and lens.get_width() > 10 * cells[0].get_width()
        read = sorted(range(len(cells)), key=lambda i: (-cells[i].get_y(), cells[i].get_x()))
        filled = [i for i in read if cells[i].get_facecolor() == lens.get_facecolor()]
        assert [side.vocab.tokens[read.index(i)] for i in filled] == [text]
        said = [label.get_text() for label in ax.texts]
        assert {value, text, f"number {side.vocab.encode([text])[0]}"} <= set(said), name
    assert f"all others together: {percent(1 - chance)}" in said


def test_the_end_token_is_canceled_by_its_position_and_trees_is_not(way):
    like = [
        torch.cosine_similarity(way.of("src_embed", text), way.of("src_positions", text), dim=0)
        for text in ("trees", "<eos>")
    ]
    texts = [text.get_text() for text in FIGURES["positions-end-sign"].draw().axes[0].texts]
    assert [text for text in texts if "cosine" in text] == [
        f"cosine with word: {cosine:.2f}" for cosine in like
    ]
    alt = FIGURES["positions-end-sign"].alt
    assert like[0] > 0.85 and like[1] < 0.3 and all(f"{cosine:.2f}" in alt for cosine in like)


def test_the_causes_write_what_the_text_says():
    texts = [t.get_text() for t in FIGURES["trees-causes"].draw().axes[0].texts]
    written = [t for t in texts if t in {"los", "árboles", "las", "casas"}]
    assert written == ["los", "árboles", "las", "casas", "las", "casas"]


def test_training_names_the_words_of_its_text_and_moves_toward_the_last():
    ax, named = FIGURES["trees-training"].draw().axes[0], "truck help Spanish drawers cars tomatoes"
    texts = [text.get_text() for text in ax.texts]
    assert [text for text in texts if text in named.split()] == named.split()
    zero, tenth = (ax.texts[texts.index(text)].get_position()[0] for text in ("0", "0.1"))
    befores = [(dot.get_xdata()[0] - zero) / (tenth - zero) / 10 for dot in ax.lines]
    afters = [float(text) for text in texts if re.fullmatch(r"0\.\d\d", text)]
    assert max(afters[:3]) < min(befores[:3]) and max(befores[3:]) < min(afters[3:])
    shown = [*befores[3:], *afters[3:], min(befores[:3]), max(afters[:3])]
    assert all(f"{cosine:.2f}" in FIGURES["trees-training"].alt for cosine in shown)
    spanish = [text for text in texts if text.startswith("los ")]
    assert spanish == ["los cajones", "los coches", "los tomates"]


# --- the vocabulary of drawing ---


def test_a_strip_shows_its_numbers_on_one_scale_with_white_at_zero():
    figure, ax = canvas(1, width=4)
    strip(ax, (1, 0.2), 2, 0.5, torch.tensor([-3.0, 0.0, 3.0]), limit=3)
    [image] = ax.images
    assert image.get_extent() == [1, 3, 0.2, 0.7]
    assert ax.get_xlim() == (0, 4) and ax.get_ylim() == (0, 1)
    assert np.array_equal(image.get_array(), [[-3, 0, 3]])
    assert image.to_rgba(np.array([0.0]))[0][:3].min() > 0.99


def test_for_print_each_cell_is_a_shape():
    figure, ax = canvas(1, width=4)
    matrix(ax, (1, 0), 2, 1, [[1, 2], [3, 4]], limit=4, vectors=True)
    assert not ax.images and np.array_equal(ax.collections[0].get_array(), [[1, 2], [3, 4]])


def test_a_look_is_as_thick_as_its_weight_and_colored_as_its_word():
    figure, ax = canvas(1, width=4)
    attention_arrow(ax, (0, 0), (1, 1), 0.01)
    assert not ax.patches
    attention_arrow(ax, (0, 0), (1, 1), 0.5, "trees", widest=6)
    attention_arrow(ax, (0, 0), (1, 1), 1.0, "I", widest=6)
    half, whole = ax.patches
    assert half.get_linewidth() == 3 and whole.get_linewidth() == 6
    word(ax, (0, 0), "trees")
    assert ax.texts[0].get_color() == style.readable(style.WORDS["trees"])
    word(ax, (0, 0), "fish")
    assert ax.texts[1].get_color() == style.INK


def test_an_unknown_station_is_refused_with_the_list():
    with pytest.raises(ValueError, match="no station 'x'; the stations are one-hot, embedding"):
        trees.station("x", height=1)


def test_what_is_passed_and_what_is_to_come_are_dots_with_names_on_one_line():
    _, ax, *_ = trees.station("+ position", height=1.2, new="waves")
    assert len(ax.images) == 1, "the scale"
    texts = [text.get_text() for text in ax.texts]
    names = [name.removeprefix("encoder ") for name in trees.STATIONS]
    assert texts == ["trees", "waves", "\N{MINUS SIGN}3", "3", "value", *names]
    colors = [dot.get_markerfacecolor() for dot in ax.lines]
    assert colors == [style.SOFT] * 2 + [style.WORDS["trees"]] + [style.PAPER] * 5
    sizes = [dot.get_markersize() for dot in ax.lines]
    assert sizes.index(max(sizes)) == trees.STATIONS.index("+ position")


def test_the_sums_of_the_first_numbers_are_sums():
    """Shown are 32 of 128 numbers of each, the third row the one plus the other; the last number
    of each is written beside its row."""
    ax = FIGURES["trees-positions"].draw().axes[0]
    rows = [np.asarray(image.get_array()).ravel() for image in ax.images[1:]]
    assert len(rows) == 3 and all(len(row) == trees.FEW for row in rows)
    assert np.allclose(rows[0] + rows[1], rows[2], atol=1e-5)
    texts = [text.get_text().lstrip("+= ") for text in ax.texts]
    written = [text for text in texts if re.fullmatch(r"-?\d\.\d", text)]
    assert written == [f"{row[-1]:.1f}" for row in rows]
    one, other, both = map(float, written)
    assert round(one + other, 1) == both, "right as printed, too"
    assert max(abs(row[-1]) for row in rows) <= trees.LIMIT, "the colors show it"
    assert f"{one} + {other} = {both}" in FIGURES["trees-positions"].alt


def test_the_norm_shrinks_the_numbers_that_leave_the_encoder(way):
    """For each of the first numbers a bar for the sum, and one for what the norm makes of it."""
    figure, layer = FIGURES["trees-encoder"], "encoder.layers.1"
    ax = figure.draw().axes[0]
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    heights = np.array([bar.get_height() for bar in bars]).reshape(-1, 2)
    added = way.of(f"{layer}.residual_self_attn", "trees") + way.of(
        f"{layer}.feed_forward", "trees"
    )
    both, after = (vector[: len(heights)].numpy() for vector in (added, way.of("encoder", "trees")))
    wanted = np.stack([both, after], axis=1)
    assert np.allclose(heights / heights.max(), wanted / wanted.max(), atol=1e-5)
    assert len(heights) == 16 and (abs(after) < abs(both)).mean() > 0.9
    assert after.std() < 0.65 * both.std()
    said = " ".join(text.get_text() for text in ax.texts)
    for number in (both.max(), after.max()):
        assert f"{number:.2f}" in said and f"{number:.2f}" in figure.alt


def test_no_arc_leads_to_a_hidden_word():
    """An arrow to each word that is seen; the arcs toward the others end at the wall."""
    ax = FIGURES["trees-masks"].draw().axes[0]
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    inks = [style.readable(style.WORDS[text]) for text in ("trees", "los")]
    arcs = [p.get_path().vertices[:, 0] for p in arrows if to_hex(p.get_edgecolor()) in inks]
    walls = [p.get_path().vertices[0, 0] for p in arrows if p.get_linewidth() == 4]
    assert len(walls) == 2 and len(arcs) == 8 and max(map(max, arcs)) < min(walls)
    stopped = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert len(stopped) == 3 and all(max(line.get_xdata()) < max(walls) for line in stopped)


@pytest.mark.parametrize("name", NAMES)
def test_every_frame_names_its_colors_and_no_letter_is_small_or_cut(name):
    figure = FIGURES[name].draw()
    FigureCanvasAgg(figure).draw()
    texts = figure.axes[0].texts
    named = any("value" in text.get_text() for text in texts)
    assert bool(figure.axes[0].images) == named, "no strip without its scale"
    for text in texts:
        extent = text.get_window_extent()
        assert text.get_fontsize() >= 10, text.get_text()
        assert figure.bbox.x0 <= extent.x0 and extent.x1 <= figure.bbox.x1, text.get_text()
        assert figure.bbox.y0 <= extent.y0 and extent.y1 <= figure.bbox.y1, text.get_text()


def test_the_mix_is_the_weighted_sum_of_the_values(way):
    ax = FIGURES["trees-attention"].draw().axes[0]
    wanted = way.heads[LAYER][HEAD, way.src.index("trees")].numpy()
    drawn = [np.asarray(image.get_array()).ravel() for image in ax.images]
    assert any(len(row) == 32 and np.allclose(row, wanted, atol=1e-5) for row in drawn)


def test_the_likes_of_trees_are_masculine_plurals_after_the_training(translator):
    from course.chapters.journey.experiments import nearest
    from course.grammar.classes import english_class

    kinds = [english_class(word) for word in nearest(translator, "trees")]
    assert {(kind.part, kind.gender, kind.number) for kind in kinds} == {("noun", "m", "many")}


# --- the poster ---


@pytest.fixture(scope="module")
def poster():
    return FIGURES["poster"].draw()


def test_the_poster_is_a_page_of_a2(poster):
    assert poster.get_size_inches() == pytest.approx([594 / 25.4, 420 / 25.4], abs=0.01)
    page = poster.bbox
    FigureCanvasAgg(poster).draw()
    for text in poster.axes[0].texts:
        extent = text.get_window_extent()
        assert page.x0 < extent.x0 and extent.x1 < page.x1, text.get_text()
        assert page.y0 < extent.y0 and extent.y1 < page.y1, text.get_text()
        assert text.get_fontsize() >= 8


def test_the_poster_shows_every_vector_of_the_way(poster, way):
    drawn = [mesh.get_array().ravel() for mesh in poster.axes[0].collections]
    sublayers = ("self_attn", "residual_self_attn", "feed_forward", "residual_feed_forward")
    crossing = ("cross_attn", "residual_cross_attn")
    projections = ("self_attn.w_q", "self_attn.w_k", "self_attn.w_v")
    parts = [f"encoder.layers.{i}.{part}" for i in (0, 1) for part in (*sublayers, *projections)]
    parts += [f"decoder.layers.{i}.{part}" for i in (0, 1) for part in (*sublayers, *crossing)]
    parts += ["src_embed", "src_positions", "tgt_embed", "tgt_positions"]
    for part in parts:
        for vector in way.outputs[part].numpy():
            assert any(len(row) == len(vector) and np.allclose(row, vector) for row in drawn), part


def test_each_note_on_the_poster_stands_beside_a_row(poster):
    """A line in the accent color leads from each note to the row that it speaks of."""
    ax = poster.axes[0]
    rows = {text.get_text(): [] for text in ax.texts}
    for text in ax.texts:
        rows[text.get_text()].append(text.get_position())
    marks = [p for p in ax.patches if to_hex(p.get_edgecolor()) == style.ACCENT.lower()]
    assert len(marks) == len(MARKS) == len(trees.NOTES)
    for mark, (side, row, time), note in zip(marks, MARKS, trees.NOTES, strict=True):
        height = mark.get_path().vertices[0, 1]
        beside = [y for x, y in rows[row] if (x < A2[0] / 2) == (side == "encoder")]
        assert height == pytest.approx(beside[time])
        lines = [text for text, at in rows.items() if at[0][1] == pytest.approx(height)]
        assert set(textwrap.wrap(note, 17)) <= set(lines)


def test_the_notes_on_the_poster_are_true(way):
    outputs, weights = way.outputs, way.weights
    rows = [
        "src_positions",
        *(
            f"encoder.layers.{i}.residual_{part}"
            for i in (0, 1)
            for part in ("self_attn", "feed_forward")
        ),
    ]
    for above, below in zip(rows, rows[1:], strict=False):
        alike = torch.cosine_similarity(outputs[above][:, None], outputs[below][None], dim=-1)
        assert alike.diagonal().min() > 0.6 and alike.argmax(dim=-1).tolist() == [0, 1, 2, 3]
    lengths = outputs["src_positions"].norm(dim=-1)
    assert lengths[3] < 0.45 * lengths[:3].min()
    table = weights["encoder.layers.0.self_attn"][:, 2, 3]
    assert 0.815 < table.min() < 0.825 and table.max() > 0.99
    for i in (0, 1):
        seen = weights[f"decoder.layers.{i}.self_attn"]
        assert torch.equal(seen, seen.tril())
    assert weights["decoder.layers.1.cross_attn"][:, 3, 2].min() > 0.99
    brought = re.compile(r".*layers\.\d\.(self_attn|cross_attn|feed_forward)")
    sizes = {name: x.abs().mean() for name, x in outputs.items() if brought.fullmatch(name)}
    darkest = sorted(sizes, key=sizes.get)[-2:]
    assert sorted(darkest) == [f"decoder.layers.{i}.feed_forward" for i in (0, 1)]
    chances = [way.likeliest(text, 1)[0][1] for text in way.tgt_out]
    assert 0.885 < min(chances) and max(chances) < 0.905
