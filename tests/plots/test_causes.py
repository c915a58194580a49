"""Drawings of what depends on a head: the data reaches the picture, and says what is claimed."""

import pytest
import torch
from matplotlib.collections import LineCollection

from transformer_lib import experiments
from transformer_lib.corpora import english_spanish
from transformer_lib.evaluation import best_head
from transformer_lib.plots import causes
from transformer_lib.plots.figures import causes as figures
from transformer_lib.plots.figures.heads import looks_at_tired
from transformer_lib.translator import Looks, Translator


def test_heads_are_named_for_people():
    assert causes.head_name("encoder.layers.1.self_attn", 2) == "encoder, layer 2, head 3"
    name = "decoder cross-attention, layer 1, head 4"
    assert causes.head_name("decoder.layers.0.cross_attn", 3) == name


def test_the_table_has_a_cell_for_each_head():
    table = [
        {"layer": layer, "head": head, "from": word, "right": share}
        for word, start in (("adjective", 0.0), ("pronoun", 0.5))
        for layer, more in (("encoder.layers.0.self_attn", 0.0),
                            ("decoder.layers.0.cross_attn", 0.25))
        for head, share in enumerate((start + more, start + more + 0.1))
    ]  # fmt: skip
    left, right = causes.head_table(table).axes
    assert left.images[0].get_array().tolist() == [[0.0, 0.1], [0.25, 0.35]]
    assert right.images[0].get_array().tolist() == [[0.5, 0.6], [0.75, 0.85]]
    assert [text.get_text() for text in left.texts] == ["0.00", "0.10", "0.25", "0.35"]


def test_bars_of_the_seeds():
    ax = causes.agreement_bars({"nothing": [1.0, 0.9], "off": [0.5, 0.4]}, ["0", "1"]).axes[0]
    assert [list(bars.datavalues) for bars in ax.containers] == [[1.0, 0.5], [0.9, 0.4]]
    with pytest.raises(ValueError, match="2 seeds need 2 shares each, but 'off' has 1"):
        causes.agreement_bars({"nothing": [1.0, 0.9], "off": [0.5]}, ["0", "1"])


def test_lines_lead_from_the_spanish_word_to_the_english_one():
    weights = torch.tensor([[[0.1, 0.9], [1.0, 0.0]]])  # one head: la looks at house
    looks = Looks(["the", "house"], ["<bos>", "la"], ["la", "casa"],
                  {f"{name}.layers.0.{kind}": weights
                   for name, kind in (("encoder", "self_attn"), ("decoder", "self_attn"),
                                      ("decoder", "cross_attn"))})  # fmt: skip
    ax = causes.crossing([looks]).axes[0]
    lines = next(c for c in ax.collections if isinstance(c, LineCollection))
    ends = [path.vertices.tolist() for path in lines.get_paths()]
    assert ends == [[[0, 0], [1, 1]], [[1, 0], [0, 1]]]
    assert [text.get_text() for text in ax.texts] == ["the", "house", "la", "casa"]


def test_two_numbers_change_places_and_no_other():
    looks = looks_at_tired()
    before, after = causes.before_and_after(looks, *figures.BEST, "tired", "animal", "street")
    animal, street = looks.src.index("animal"), looks.src.index("street")
    assert after[street] == before[animal] > 0.9 and after[animal] == before[street]
    rest = [place for place in range(len(before)) if place not in (animal, street)]
    assert torch.equal(before[rest], after[rest])


def test_the_best_head_is_the_one_in_the_figures():
    assert best_head(Translator.load(), english_spanish.load_pronoun()) == figures.BEST


def test_the_points_are_the_heads():
    results = experiments.load("heads-off")["results"]
    ax = figures.draw_sharp_heads().axes[0]
    points = [tuple(point) for dots in ax.collections for point in dots.get_offsets()]
    assert sorted(points) == sorted((row["largest"], row["changed"]) for row in results)
    assert len(points) == 24 and len(ax.texts) >= 3


def test_the_alt_texts_say_what_is_there():
    wide = Translator.load().looks(figures.WIDE)
    layer = wide.weights[figures.BEST[0]]
    row = layer[:, wide.src.index("wide")]
    assert row[2, wide.src.index("street")] > 0.9 and row[1, wide.src.index("was")] > 0.7
    assert row[[0, 3]].max() < 0.5
    bounds = {
        "that head off": (0.42, 0.49),
        "adjective can't see the nouns": (0.42, 0.49),
        "two numbers swapped": (0.0, 0.01),
    }
    for change, by_seed in figures.over_seeds().items():
        low, high = bounds.get(change, (0.97, 1.0))
        assert all(low <= share <= high for share in by_seed.values()), change
