"""Parts of newer models, and GPT-2, against Hugging Face's transformers with the same weights.

In single precision: their softmax knows no other. transformers is imported inside the tests, for it
takes seconds.
"""

import json

import pytest
import torch
from torch import nn

from tests.transformer_lib.torch_twins import randomize
from transformer_lib.files import CheckpointError, write_tensors
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import count_parameters
from transformer_lib.variants import (
    MixtureOfExperts,
    ModernAttention,
    QKNorm,
    RelativePositions,
    RMSNorm,
    Rotary,
    SwiGLU,
    load_balancing_loss,
)
from transformer_lib.variants.gpt2 import load_gpt2

pytestmark = pytest.mark.slow  # the package takes seconds to import
close = torch.testing.assert_close
D_MODEL, H, KV_HEADS, D_K, WORDS = 40, 4, 2, 10, 13
SIZES = {
    "hidden_size": D_MODEL,
    "num_attention_heads": H,
    "num_key_value_heads": KV_HEADS,
    "head_dim": D_K,
    "intermediate_size": 23,
    "num_hidden_layers": 1,
    "vocab_size": 11,
    "attn_implementation": "eager",
}


def single(module: nn.Module) -> nn.Module:
    """Random weights of a size that lets each score count."""
    return randomize(module, std=0.2).float()


def words() -> torch.Tensor:
    return torch.randn(3, WORDS, D_MODEL)


def in_halves(weight: torch.Tensor) -> torch.Tensor:
    """The rows of each head in Llama's order: all first members of a pair, then all second ones."""
    return weight.unflatten(0, (-1, D_K // 2, 2)).transpose(1, 2).flatten(0, 2)


def test_the_norm_and_the_network_are_llamas():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaMLP, LlamaRMSNorm

    x = words()
    norm, network = single(RMSNorm(D_MODEL)), single(SwiGLU(D_MODEL, 23))
    their_norm, their_network = LlamaRMSNorm(D_MODEL, eps=1e-6), LlamaMLP(LlamaConfig(**SIZES))
    their_norm.weight = norm.scale
    their_network.load_state_dict(
        {
            "gate_proj.weight": network.w_gate.weight,
            "up_proj.weight": network.w_1.weight,
            "down_proj.weight": network.w_2.weight,
        }
    )
    close(norm(x), their_norm(x))
    close(network(x), their_network(x))


def test_rotary_positions_grouped_queries_and_their_norm_are_qwens():
    from transformers import Qwen3Config
    from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention, Qwen3RotaryEmbedding

    config, norm, x, mask = Qwen3Config(**SIZES), QKNorm(D_K), words(), causal_mask(WORDS)
    ours = single(ModernAttention(D_MODEL, H, KV_HEADS, qk_transforms=[norm, Rotary(D_K)]))
    theirs = Qwen3Attention(config, layer_idx=0)
    theirs.load_state_dict(
        {
            "q_proj.weight": in_halves(ours.w_q.weight),
            "k_proj.weight": in_halves(ours.w_k.weight),
            "v_proj.weight": ours.w_v.weight,
            "o_proj.weight": ours.w_o.weight,
            "q_norm.weight": in_halves(norm.q_norm.scale),
            "k_norm.weight": in_halves(norm.k_norm.scale),
        }
    )
    angles = Qwen3RotaryEmbedding(config)(x, torch.arange(WORDS)[None])
    hidden = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)
    expected, _ = theirs(x, position_embeddings=angles, attention_mask=hidden)
    out = ours(x, x, x, mask=mask)
    assert out.std() > 0.1
    close(out, expected)


@pytest.mark.parametrize("both_ways", [True, False])
def test_the_buckets_are_t5s_at_every_distance(both_ways):
    from transformers.models.t5.modeling_t5 import T5Attention

    distance = torch.arange(-300, 301)[None]
    theirs = T5Attention._relative_position_bucket(-distance, both_ways, 32, 128)
    assert RelativePositions(H, both_ways).bucket(distance).equal(theirs)
    assert theirs.unique().numel() == (31 if both_ways else 32)  # +0 is not used


def test_the_experts_and_their_balance_are_mixtrals():
    from transformers import MixtralConfig
    from transformers.models.mixtral.modeling_mixtral import (
        MixtralSparseMoeBlock,
        load_balancing_loss_func,
    )

    experts = [SwiGLU(D_MODEL, 23) for _ in range(5)]
    ours = single(MixtureOfExperts(D_MODEL, experts, top_k=2))
    theirs = MixtralSparseMoeBlock(MixtralConfig(**SIZES, num_local_experts=5)).eval()
    both = [torch.cat([expert.w_gate.weight, expert.w_1.weight]) for expert in experts]
    theirs.load_state_dict(
        {
            "gate.weight": ours.w_router.weight,
            "experts.gate_up_proj": torch.stack(both),
            "experts.down_proj": torch.stack([expert.w_2.weight for expert in experts]),
        }
    )
    x = words()
    close(ours(x), theirs(x))
    logits = ours.w_router(x)
    expected = load_balancing_loss_func((logits.flatten(0, 1),), num_experts=5, top_k=2)
    close(load_balancing_loss(logits, top_k=2), expected)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    """A small random GPT-2 as Hugging Face writes it, and its folder."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=23,
        n_positions=17,
        n_embd=12,
        n_layer=2,
        n_head=3,
        bos_token_id=0,
        eos_token_id=0,
    )
    theirs = GPT2LMHeadModel(config)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.4)
    folder = tmp_path_factory.mktemp("gpt2")
    theirs.save_pretrained(folder)
    return theirs.eval(), folder


def test_gpt2s_weights_give_gpt2s_logits(gpt2):
    theirs, folder = gpt2
    ours = load_gpt2(folder)
    ids = torch.randint(0, 23, (3, 17))
    ids[0, 3] = 0  # a word like others
    with torch.no_grad():
        logits = ours(ids)
        assert logits.std() > 0.5
        close(logits, theirs(ids).logits)
    assert count_parameters(ours) == theirs.num_parameters()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"activation_function": "relu"}, "has activation_function='relu'; only 'gelu_new'"),
        ({"n_head": 5}, "config.json doesn't fit: .*divisible by h=5"),
        ({}, "made for another model: the weights differ"),
        (None, r"there is no config\.json"),
    ],
)
def test_what_is_no_gpt2_is_refused(gpt2, tmp_path, settings, message):
    _, folder = gpt2
    about = json.loads((folder / "config.json").read_text())
    if settings is not None:
        (tmp_path / "config.json").write_text(json.dumps(about | settings))
    write_tensors(tmp_path / "model.safetensors", {"wte.weight": torch.zeros(23, 12)})
    with pytest.raises(CheckpointError, match=message):
        load_gpt2(tmp_path)
