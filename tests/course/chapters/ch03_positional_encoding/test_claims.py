"""What notebook 03 says where no output of a cell shows it."""

import torch

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
