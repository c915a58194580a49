"""A decoder without an encoder: against torch.nn, and at work."""

import pytest
import torch

from tests.transformer_lib.torch_twins import randomize, stack_twin
from transformer_lib import ModelConfig, TrainingConfig, causal_mask, sample_decode, train
from transformer_lib.variants.language_model import (
    LanguageModel,
    as_lm_pairs,
    empty_sources,
    generate,
    prefix_mask,
)

close = torch.testing.assert_close
SIZES = {"N": 2, "d_model": 10, "d_ff": 19, "h": 2, "dropout": 0.0}
IDS = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 9, 0, 0]])


def small_model(**settings) -> LanguageModel:
    return LanguageModel(11, ModelConfig(**SIZES | settings))


@pytest.mark.parametrize("norm_first", [False, True])
def test_it_is_a_masked_encoder_of_pytorch(norm_first):
    model = randomize(small_model(norm_first=norm_first))
    twin = stack_twin(model)
    x = model.tgt_positions(model.tgt_embed(IDS))
    theirs = twin(x, mask=~causal_mask(5)[0, 0]) @ model.generator.proj.weight.T
    close(model(IDS), theirs)


def test_each_row_has_a_prompt_of_its_own():
    """All words up to the last separator, 1, and the words so far."""
    mask = prefix_mask(torch.tensor([[5, 1, 6, 1, 7], [1, 5, 6, 7, 8], [5, 6, 7, 8, 9]]), 1)
    seen = [[4, 4, 4, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]  # words from the first
    assert mask.shape == (3, 1, 5, 5)
    assert torch.equal(mask[:, 0], torch.arange(5) < torch.tensor(seen)[:, :, None])


def test_with_a_cache_it_goes_on_the_same_way():
    model = small_model().double()
    with torch.no_grad():
        model.generator.proj.weight.mul_(2)
    prompt = torch.randint(0, 11, (3, 4))
    one, other = (
        generate(model, prompt, 7, cache=cache, generator=torch.Generator().manual_seed(2))
        for cache in (True, False)
    )
    assert one.equal(other) and one.shape == (3, 11) and one[:, :4].equal(prompt)
    assert len(one[:, 4:].unique()) >= 4


@pytest.mark.slow
def test_it_learns_a_language_by_the_same_loop():
    # 5 6 7 8 9 10 in a ring: after each word only one can follow, the first is one of six
    ring = [[5 + (first + i) % 6 for i in range(6)] for first in range(6)]
    model, pairs = LanguageModel(11, ModelConfig(1, 16, 32, 2, dropout=0.0)), as_lm_pairs(ring)
    how = {"schedule": "linear", "max_lr": 1e-2, "warmup": 10, "smoothing": 0.0}
    config = TrainingConfig(steps=120, max_tokens=64, validate_every=120, **how)
    history = train(model, pairs, pairs, config)
    floor = torch.tensor(6.0).log().item() / 7  # one free choice in 6 words and <eos>
    assert floor - 1e-4 <= history[-1]["validation_loss"] < floor + 0.02
    written = sample_decode(model, empty_sources(40), temperature=0.5, max_length=9)
    assert {tuple(one.ids) for one in written} == set(map(tuple, ring))
