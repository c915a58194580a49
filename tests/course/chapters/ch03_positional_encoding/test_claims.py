"""What notebook 03 says where no output of a cell shows it."""

import torch

from course.experiments import load
from transformer_lib import Embeddings, Encoder, positional_encoding


def test_with_positions_another_order_gives_other_vectors_and_not_by_rounding():
    torch.manual_seed(0)
    words = Embeddings(9, 512)(torch.tensor([5, 6, 7])).detach()
    places, order = positional_encoding(3, 512), [2, 0, 1]
    encoder = Encoder(N=2, d_model=512, d_ff=2048, h=8, dropout=0.0)
    for added, least, most in ((torch.zeros(3, 512), 0, 1e-4), (places, 0.5, 100)):
        with torch.no_grad():
            straight = encoder((words + added)[None])[0]
            shuffled = encoder((words[order] + added)[None])[0]
        assert least <= (shuffled - straight[order]).abs().max() < most


def test_one_word_at_two_places_is_two_vectors():
    places = positional_encoding(3, 512)
    assert (places[2] - places[1]).norm() > 1


def similarity(d_model, base=10_000):
    """How alike position 0 and each of the first 41 are."""
    table = positional_encoding(41, d_model, base)
    return table @ table[0] / (d_model / 2)


def test_the_bars_of_the_laboratory_of_positions_are_as_told():
    assert similarity(512).diff().max() < 0
    slow, busy, few = similarity(32)[:21], similarity(32, 10**0.5)[:20], similarity(4)[:20]
    assert slow[:5].diff().max() < 0 and 0.5 > slow[5:].min() > 0.49 and slow[5:].max() < 0.75
    assert busy[2] < 0.35 and busy.min() < -0.5 and busy[6] < 0 < busy[19] < 0.1
    assert min(few[6], few[19]) > 0.95


def test_copying_beyond_the_lengths_in_training_is_as_told():
    results = load("positions")["results"]

    def shares(kind, *lengths, measure="exact"):
        return [row[measure] for row in results if row["kind"] == kind and row["length"] in lengths]

    for kind in ("paper", "tensor2tensor", "learned"):
        assert min(shares(kind, *range(1, 11))) > 0.96
        assert max(shares(kind, 12)) < 0.05 and max(shares(kind, 13, 14, 15, 20)) == 0
    for kind, low, high in (("paper", 0.34, 0.63), ("tensor2tensor", 0.44, 0.75)):
        assert low <= min(shares(kind, 11)) and max(shares(kind, 11)) <= high
    # most of these copies are the first ten digits and nothing more
    assert max(shares("learned", 11)) == 0 and min(shares("learned", 11, measure="stopped")) > 0.98
    assert max(shares("paper", 11, measure="stopped")) == 0.63
    assert min(shares("paper", 11, measure="begun")) > 0.85
    assert 0.4 < min(shares("paper", 20, measure="begun"))
    # half of two digits are in order by chance, and one in ten is the same digit twice
    assert shares("none", 2) == [0.9 * 0.5 + 0.1] * 3
    assert min(shares("none", *range(1, 11), measure="bag")) > 0.96
    assert max(shares("none", 20, measure="bag")) < 0.5
