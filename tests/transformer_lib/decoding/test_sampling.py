"""Translations drawn at random: what is drawn from, and how often each comes."""

import torch

from tests.transformer_lib.decoding.random_models import MAX, babbler, sources
from transformer_lib.decoding import sample_decode, sampling_distribution

close = torch.testing.assert_close


def test_without_top_p_the_unlikeliest_word_stays():
    # the first word has all the digits of float32, so in the sum the others are lost
    logits = torch.tensor([30.0, 0.0, -10.0])
    assert logits.softmax(dim=-1).cumsum(dim=-1)[0] == 1
    close(sampling_distribution(logits), logits.softmax(dim=-1), rtol=1e-6, atol=0)


def test_a_seed_decides():
    model, src = babbler(), sources()

    def drawn(seed=None, **how):
        lots = None if seed is None else torch.Generator().manual_seed(seed)
        return sample_decode(model, src, generator=lots, max_length=MAX, **how)

    first = drawn(3)
    assert first == drawn(3) == drawn(3, temperature=1.0, top_k=None, top_p=1.0) != drawn(4)
    torch.manual_seed(3)  # without a generator, PyTorch's own
    assert drawn() == first
    state = torch.get_rng_state()
    drawn(0)
    assert torch.equal(torch.get_rng_state(), state)
