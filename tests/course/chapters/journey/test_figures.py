"""The word *trees* at every station: the notebooks' first pictures, and their numbers."""

import re

import numpy as np
import pytest
import torch

from course.chapters.journey import figures as trees
from course.chapters.journey.experiments import trace, with_borrowed_memory
from course.chapters.journey.figures import HEAD, LAYER, READING
from course.drawing.registry import FIGURES
from transformer_lib.decoding import inference_mode
from transformer_lib.text.batching import make_batch
from transformer_lib.translator import Translator


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


def test_memory_borrowed_from_itself_changes_nothing(translator):
    same = with_borrowed_memory(translator, "I like trees", "trees", "trees")
    assert same == ["me", "gustan", "los", "árboles"]


# --- what the figures' texts claim ---


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
    return [text.replace(" ", "") for text in texts if text.endswith("%")]


def test_the_bands_are_as_thick_as_the_attention(way):
    weights = way.weights[LAYER][HEAD, way.src.index("trees")]
    thick = bands("trees-attention")
    assert thick / thick.sum() == pytest.approx(weights.numpy(), abs=1e-5)
    written = [f"{weight:.0%}" for weight in weights]
    assert sorted(percents("trees-attention")) == sorted(written)
    alt = FIGURES["trees-attention"].alt.replace(" %", "%")
    assert all(text in alt for text in written)


def test_the_columns_on_the_path_are_the_vectors_of_the_way(way):
    _, *columns = FIGURES["trees-transformer"].draw().axes[0].images  # the first is the scale
    parts = ["src_embed", "src_positions", "encoder.layers.0", "encoder", "decoder.layers.0"]
    for part, column in zip([*parts, "decoder"], columns, strict=True):
        vector = way.of(part, "árboles" if part.startswith("decoder") else "trees")
        assert np.array_equal(column.get_array().ravel(), vector[:32]), part


# --- the vocabulary of drawing ---


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


def test_the_mix_is_the_weighted_sum_of_the_values(way):
    ax = FIGURES["trees-attention"].draw().axes[0]
    wanted = way.heads[LAYER][HEAD, way.src.index("trees")].numpy()
    drawn = [np.asarray(image.get_array()).ravel() for image in ax.images]
    assert any(len(row) == 32 and np.allclose(row, wanted, atol=1e-5) for row in drawn)


# --- the poster ---


@pytest.fixture(scope="module")
def poster():
    return FIGURES["poster"].draw()


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
