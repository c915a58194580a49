"""A decoder without an encoder: against torch.nn, and at work."""

import pytest
import torch

from tests.transformer_lib.torch_twins import encoder_twin, randomize
from transformer_lib.checkpoints import load_model, save_model
from transformer_lib.decoding import beam_search, greedy_decode, sample_decode
from transformer_lib.interpret.recording import record_attention
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import count_parameters
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.variants import ModernAttention, NoPositions, Rotary, replace_modules
from transformer_lib.variants.language_model import (
    LanguageModel,
    as_lm_pairs,
    empty_sources,
    generate,
    language_model,
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
    twin = encoder_twin(model)
    x = model.tgt_positions(model.tgt_embed(IDS))
    theirs = twin(x, mask=~causal_mask(5)[0, 0]) @ model.generator.proj.weight.T
    close(model(IDS), theirs)


def test_no_word_sees_a_later_one_or_the_padding():
    model = randomize(small_model())
    close(model(IDS)[1, :3], model(IDS[1:, :3])[0])
    close(model(IDS)[0, :3], model(IDS[:1, :3])[0])
    assert (model(IDS)[0, 3] - model(torch.tensor([[1, 5, 7, 7, 8]]))[0, 3]).abs().max() > 1e-3


def test_each_row_has_a_prompt_of_its_own():
    """All words up to the last separator, 1, and the words so far."""
    mask = prefix_mask(torch.tensor([[5, 1, 6, 1, 7], [1, 5, 6, 7, 8], [5, 6, 7, 8, 9]]), 1)
    seen = [[4, 4, 4, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]  # words from the first
    assert mask.shape == (3, 1, 5, 5)
    assert torch.equal(mask[:, 0], torch.arange(5) < torch.tensor(seen)[:, :, None])


def test_its_size_is_a_decoders_without_cross_attention():
    vocab_size, d_model, d_ff = 11, 10, 19
    layer = 4 * d_model**2 + 2 * d_model * d_ff + d_ff + d_model + 2 * 2 * d_model
    assert count_parameters(small_model()) == 2 * layer + 2 * vocab_size * d_model
    assert count_parameters(small_model(tie_weights="target")) == 2 * layer + vocab_size * d_model


def test_its_matrices_begin_as_the_transformers_do():
    """Xavier's bound, not PyTorch's 1 / sqrt(in); embeddings of size 1 / sqrt(d_model)."""
    model = LanguageModel(50, ModelConfig(N=1, d_model=20, d_ff=30, h=2))
    for matrix in (one.weight for one in model.modules() if isinstance(one, torch.nn.Linear)):
        bound = (6 / sum(matrix.shape)) ** 0.5
        assert 0.9 * bound < matrix.abs().max() <= bound
        assert abs(bound - matrix.size(1) ** -0.5) > 0.1 * bound  # or nothing would tell the two
    assert model.tgt_embed.table.weight.std().item() == pytest.approx(20**-0.5, rel=0.1)


def modern(model: LanguageModel) -> LanguageModel:
    replace_modules(
        model, "self_attn", lambda old: ModernAttention(10, 1, qk_transforms=[Rotary(10)])
    )
    return replace_modules(model, "tgt_positions", lambda old: NoPositions())


@pytest.mark.parametrize("change", [lambda model: model, modern], ids=["paper", "rotary"])
def test_with_a_cache_it_writes_the_same(change):
    model = change(small_model()).double()
    with torch.no_grad():
        model.generator.proj.weight.mul_(2)
    for write in (greedy_decode, beam_search):
        one, other = (
            write(model, empty_sources(2), max_length=9, cache=cache) for cache in (True, False)
        )
        assert one == other if write is greedy_decode else one[0][0].ids == other[0][0].ids
    torch.manual_seed(1)
    prompt = torch.randint(0, 11, (3, 4))
    one, other = (
        generate(model, prompt, 7, cache=cache, generator=torch.Generator().manual_seed(2))
        for cache in (True, False)
    )
    assert one.equal(other) and one.shape == (3, 11) and one[:, :4].equal(prompt)
    assert len(one[:, 4:].unique()) >= 4


def test_what_is_drawn_follows_the_probabilities():
    model = small_model().double().eval()
    prompt = torch.tensor([[1, 5, 6]])
    with torch.no_grad():
        p = model(prompt)[0, -1].softmax(dim=-1)
    drawn = generate(model, prompt.expand(4000, -1), 1)[:, -1]
    share = drawn.bincount(minlength=11) / 4000
    assert (share - p).abs().max() < 3.5 * (0.25 / 4000) ** 0.5
    best = generate(model, prompt.expand(50, -1), 1, top_k=1)[:, -1]
    assert best.tolist() == [int(p.argmax())] * 50


@pytest.mark.slow
def test_it_learns_a_language_by_the_same_loop():
    # 5 6 7 8 9 10 in a ring: after each word only one can follow, the first is one of six
    ring = [[5 + (first + i) % 6 for i in range(6)] for first in range(6)]
    model = LanguageModel(11, ModelConfig(N=1, d_model=16, d_ff=32, h=2, dropout=0.0))
    config = TrainingConfig(
        steps=120,
        max_tokens=64,
        schedule="linear",
        max_lr=1e-2,
        warmup=10,
        smoothing=0.0,
        validate_every=120,
    )
    history = train(model, as_lm_pairs(ring), as_lm_pairs(ring), config)
    floor = torch.tensor(6.0).log().item() / 7  # one free choice in 6 words and <eos>
    assert floor - 1e-4 <= history[-1]["validation_loss"] < floor + 0.02
    written = [
        one.ids for one in sample_decode(model, empty_sources(40), temperature=0.5, max_length=9)
    ]
    assert len({tuple(ids) for ids in written}) == 6
    assert all(ids in ring for ids in written)


def test_it_can_be_looked_into():
    model = small_model()
    with record_attention(model) as weights:
        model(IDS)
    assert set(weights) == {f"layers.{i}.self_attn" for i in range(2)}
    assert (weights["layers.1.self_attn"].triu(1) == 0).all()


def test_it_is_saved_and_loaded_again(tmp_path):
    model = small_model(tie_weights="target").eval()
    save_model(tmp_path, model)
    again = load_model(tmp_path, build=language_model)
    assert again.config == model.config and not again.training
    close(again(IDS), model(IDS), rtol=0, atol=0)
