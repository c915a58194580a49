"""Pictures of word vectors: what is measured reaches the picture."""

import numpy as np
import torch

from course.chapters.ch02_embeddings.figures import (
    GENDERS,
    WIDEST,
    _pulled_rows,
    draw_noun_map,
    flat_map,
    nearest_words,
)
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib.model.embedding import Embeddings, positional_encoding

WORDS = ["a", "b", "c"]


def test_the_map_keeps_the_two_widest_directions():
    vectors = torch.zeros(5, 7)
    vectors[:, 3] = torch.tensor([-4.0, -2.0, 0.0, 2.0, 4.0])
    vectors[:, 5] = torch.tensor([1.0, -1.0, 0.0, -1.0, 1.0])
    vectors[:, 6] = torch.tensor([0.1, -0.1, 0.0, 0.1, -0.1])
    places = flat_map(vectors + 100)
    np.testing.assert_allclose(places[:, 0], vectors[:, 3], atol=0.05)
    np.testing.assert_allclose(places[:, 1], vectors[:, 5], atol=0.05)


def test_nearest_words_go_by_direction_not_by_length():
    vectors = [[1.0, 0.0], [9.0, 1.0], [1.0, 1.0]]
    assert nearest_words(vectors, WORDS, 1) == [["b"], ["a"], ["b"]]
    assert nearest_words(vectors, WORDS, 2)[0] == ["b", "c"]


def test_the_picture_of_neighbors_shows_what_its_alt_text_says():
    drawn = FIGURES["neighbor-shares"]
    texts = [text.get_text() for ax in drawn.draw().axes for text in ax.texts]
    shares = [text.split()[-1] for text in texts if text.endswith("%")][2:]
    assert len(shares) == 8 and all(
        f"{a} to {b}" in drawn.alt for a, b in zip(shares[::2], shares[1::2], strict=True)
    )
    assert all(word in texts for word in "truck help Spanish drawers cars tomatoes".split())


def test_the_sums_are_alike_without_the_factor_and_differ_with_it():
    drawn = FIGURES["embedding-lengths"]
    ax = drawn.draw().axes[0]
    rows = [np.ravel(image.get_array()) for image in ax.images[:10]]
    for word, other, position, *both in (rows[:5], rows[5:]):
        np.testing.assert_allclose(both, [word + position, other + position], atol=1e-6)
    texts = [text.get_text() for text in ax.texts]
    long = [text for text in texts if text.isdigit()][:6]
    assert long == ["1", "1", "16", "23", "23", "16"] and texts.count("length") == 2
    assert all(text in drawn.alt for text in long)
    cosines = [text[-4:] for text in texts if "cosine" in text]
    assert cosines == ["1.00", "0.36"] and all(cosine in drawn.alt for cosine in cosines)


def test_these_two_words_are_like_any_two():
    torch.manual_seed(0)
    sums = Embeddings(1000, WIDEST)(torch.arange(1000)).detach()
    sums = sums + positional_encoding(50, WIDEST)[10]
    cosines = torch.cosine_similarity(sums[::2], sums[1::2])
    assert (cosines.mean() - 0.36).abs() < cosines.std()


def test_the_words_pull_their_rows_out_of_the_table():
    table = torch.arange(6.0).view(3, 2)
    ax = _pulled_rows([2, 0], table, WORDS).axes[0]
    rows = [(image.get_extent()[0], *np.ravel(image.get_array())) for image in ax.images]
    left, right = min(rows)[0], max(rows)[0]
    assert rows == [(left, 0, 1), (right, 0, 1), (left, 4, 5), (right, 4, 5)]
    own, other = (image.get_extent()[2] for image in ax.images[1::2])
    assert other > own, "c stands before a, as in the sentence"
    numbers = [text.get_text() for text in ax.texts if text.get_color() == style.MUTED]
    assert {"2.00", "3.00"} <= set(numbers), "the row that nobody pulls has no color"


# --- what the map of the shipped translator claims ---


def places(chart, view: int) -> dict[str, dict]:
    rows = chart.to_dict()["data"]["values"]
    return {row["word"]: row for row in rows if row["view"] == view and not row["region"]}


def own_island(rows: dict[str, dict]) -> float:
    """The share of words that lie nearest to the middle of their own kind, on the map."""
    kinds = sorted({row["kind"] for row in rows.values()})
    middles = {}
    for kind in kinds:
        members = [(row["x"], row["y"]) for row in rows.values() if row["kind"] == kind]
        middles[kind] = np.mean(members, axis=0)
    right = 0
    for row in rows.values():
        here = np.array([row["x"], row["y"]])
        right += row["kind"] == min(kinds, key=lambda k: np.linalg.norm(here - middles[k]))
    return right / len(rows)


def test_only_after_training_english_nouns_lie_by_their_article_and_spanish_ones_do_not():
    chart = draw_noun_map()
    before, spanish, english = (places(chart, view) for view in range(3))
    assert len(before) == len(english) == 417 and own_island(before) < 0.35
    assert own_island(spanish) < 0.6
    assert own_island(english) > 0.98 and {row["kind"] for row in english.values()} == set(GENDERS)
