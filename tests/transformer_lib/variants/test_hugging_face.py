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
    ALiBi,
    MixtureOfExperts,
    ModernAttention,
    QKNorm,
    RelativePositions,
    RMSNorm,
    Rotary,
    SwiGLU,
    Window,
    load_balancing_loss,
)
from transformer_lib.variants.gpt2 import load_gpt2
from transformer_lib.variants.language_model import generate

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
    with torch.no_grad():
        for parameter in randomize(module).parameters():
            parameter.mul_(0.4)
    return module.float()


def words(dtype=torch.float32) -> torch.Tensor:
    return torch.randn(3, WORDS, D_MODEL, dtype=dtype)


def hidden(mask: torch.Tensor) -> torch.Tensor:
    """A mask of ours as theirs: to be added to the scores."""
    return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)


def in_halves(weight: torch.Tensor) -> torch.Tensor:
    """The rows of each head in Llama's order: all first members of a pair, then all second ones."""
    return weight.unflatten(0, (-1, D_K // 2, 2)).transpose(1, 2).flatten(0, 2)


@torch.no_grad()
def copy_attention(ours: ModernAttention, theirs: nn.Module) -> None:
    theirs.q_proj.weight.copy_(in_halves(ours.w_q.weight))
    theirs.k_proj.weight.copy_(in_halves(ours.w_k.weight))
    theirs.v_proj.weight.copy_(ours.w_v.weight)
    theirs.o_proj.weight.copy_(ours.w_o.weight)


@torch.no_grad()
def copy_swiglu(ours: SwiGLU, theirs: nn.Module) -> None:
    theirs.gate_proj.weight.copy_(ours.w_gate.weight)
    theirs.up_proj.weight.copy_(ours.w_1.weight)
    theirs.down_proj.weight.copy_(ours.w_2.weight)


def compare(ours: nn.Module, theirs: nn.Module, rotary: nn.Module, mask: torch.Tensor) -> None:
    x = words()
    angles = rotary(x, torch.arange(WORDS)[None])
    expected, _ = theirs(x, position_embeddings=angles, attention_mask=hidden(mask))
    out = ours(x, x, x, mask=causal_mask(WORDS))
    assert out.std() > 0.1
    close(out, expected)


def test_rotary_and_grouped_queries_are_llamas():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

    config = LlamaConfig(**SIZES)
    ours = single(ModernAttention(D_MODEL, H, KV_HEADS, qk_transforms=[Rotary(D_K)]))
    theirs = LlamaAttention(config, layer_idx=0)
    copy_attention(ours, theirs)
    compare(ours, theirs, LlamaRotaryEmbedding(config), causal_mask(WORDS))


def test_the_norm_and_the_network_are_llamas():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaMLP, LlamaRMSNorm

    x = words()
    norm, network = single(RMSNorm(D_MODEL)), single(SwiGLU(D_MODEL, 23))
    their_norm, their_network = LlamaRMSNorm(D_MODEL, eps=1e-6), LlamaMLP(LlamaConfig(**SIZES))
    their_norm.weight = norm.scale
    copy_swiglu(network, their_network)
    close(norm(x), their_norm(x))
    close(network(x), their_network(x))


def test_the_norm_of_queries_and_keys_is_qwens():
    from transformers import Qwen3Config
    from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention, Qwen3RotaryEmbedding

    config = Qwen3Config(**SIZES)
    norm = QKNorm(D_K)
    ours = single(ModernAttention(D_MODEL, H, KV_HEADS, qk_transforms=[norm, Rotary(D_K)]))
    theirs = Qwen3Attention(config, layer_idx=0)
    copy_attention(ours, theirs)
    with torch.no_grad():
        theirs.q_norm.weight.copy_(in_halves(norm.q_norm.scale[:, None])[:, 0])
        theirs.k_norm.weight.copy_(in_halves(norm.k_norm.scale[:, None])[:, 0])
    compare(ours, theirs, Qwen3RotaryEmbedding(config), causal_mask(WORDS))


def test_the_window_is_mistrals():
    from transformers import MistralConfig
    from transformers.masking_utils import create_sliding_window_causal_mask
    from transformers.models.mistral.modeling_mistral import (
        MistralAttention,
        MistralRotaryEmbedding,
    )

    config = MistralConfig(**SIZES, sliding_window=4)
    ours = ModernAttention(D_MODEL, H, KV_HEADS, qk_transforms=[Rotary(D_K)], biases=[Window(4)])
    theirs = MistralAttention(config, layer_idx=0)
    copy_attention(single(ours), theirs)
    mask = create_sliding_window_causal_mask(config, words(), None, None)
    compare(ours, theirs, MistralRotaryEmbedding(config), (mask == 0).expand(3, 1, WORDS, WORDS))


def test_the_linear_biases_are_blooms():
    from transformers import BloomConfig
    from transformers.models.bloom.modeling_bloom import BloomAttention, build_alibi_tensor

    ours = single(ModernAttention(D_MODEL, H, biases=[ALiBi(H)]))
    theirs = BloomAttention(BloomConfig(hidden_size=D_MODEL, n_head=H), layer_idx=0).eval()
    rows = [w.weight.unflatten(0, (H, D_K)) for w in (ours.w_q, ours.w_k, ours.w_v)]
    with torch.no_grad():
        theirs.query_key_value.weight.copy_(torch.stack(rows, dim=1).flatten(0, 2))
        theirs.query_key_value.bias.zero_()
        theirs.dense.weight.copy_(ours.w_o.weight)
        theirs.dense.bias.zero_()
    x, alibi = words(), build_alibi_tensor(torch.ones(3, WORDS), H, torch.float32)
    mask = causal_mask(WORDS)
    expected, _ = theirs(x, torch.zeros_like(x), alibi, hidden(mask))
    close(ours(x, x, x, mask=mask), expected)


@pytest.mark.parametrize("both_ways", [True, False])
def test_the_relative_positions_are_t5s(both_ways):
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(
        d_model=D_MODEL,
        d_kv=D_K,
        num_heads=H,
        is_decoder=not both_ways,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=11,
        attn_implementation="eager",
    )
    positions = RelativePositions(H, both_ways, num_buckets=8, max_distance=11)
    ours = single(ModernAttention(D_MODEL, H, biases=[positions]))
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).eval()
    with torch.no_grad():
        theirs.q.weight.copy_(ours.w_q.weight / D_K**0.5)  # they don't scale the scores
        theirs.k.weight.copy_(ours.w_k.weight)
        theirs.v.weight.copy_(ours.w_v.weight)
        theirs.o.weight.copy_(ours.w_o.weight)
        theirs.relative_attention_bias.weight.copy_(positions.table)
    x = words()
    mask = torch.ones(1, 1, WORDS, WORDS, dtype=torch.bool) if both_ways else causal_mask(WORDS)
    expected, *_ = theirs(x, mask=hidden(mask))
    close(ours(x, x, x, mask=mask), expected)


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
    with torch.no_grad():
        theirs.gate.weight.copy_(ours.w_router.weight)
        for number, expert in enumerate(experts):
            both = torch.cat([expert.w_gate.weight, expert.w_1.weight])
            theirs.experts.gate_up_proj[number] = both
            theirs.experts.down_proj[number] = expert.w_2.weight
    x = words()
    close(ours(x), theirs(x))
    logits = ours.w_router(x)
    expected = load_balancing_loss_func((logits.flatten(0, 1),), num_experts=5, top_k=2)
    close(load_balancing_loss(logits, top_k=2), expected)


# --- GPT-2


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


def test_gpt2_goes_on_as_gpt2(gpt2):
    theirs, folder = gpt2
    prompt = torch.tensor([[5, 0, 7], [22, 1, 2]])
    expected = prompt
    with torch.no_grad():
        for _ in range(8):
            best = theirs(expected).logits[:, -1].argmax(dim=-1)
            expected = torch.cat([expected, best[:, None]], dim=1)
    assert generate(load_gpt2(folder), prompt, 8, top_k=1).equal(expected)


def test_older_files_of_gpt2_are_read_too(gpt2, tmp_path):
    # without the prefix, and with the causal mask stored in each layer
    theirs, folder = gpt2
    own = theirs.transformer.state_dict() | {"h.0.attn.bias": torch.ones(1, 1, 17, 17).tril()}
    write_tensors(tmp_path / "model.safetensors", own)
    (tmp_path / "config.json").write_text((folder / "config.json").read_text())
    ids = torch.randint(0, 23, (2, 9))
    close(load_gpt2(tmp_path)(ids), load_gpt2(folder)(ids))


def test_what_is_no_gpt2_is_refused(gpt2, tmp_path):
    _, folder = gpt2
    about = json.loads((folder / "config.json").read_text())

    def load_with(**settings):
        (tmp_path / "config.json").write_text(json.dumps(about | settings))
        write_tensors(tmp_path / "model.safetensors", {"wte.weight": torch.zeros(23, 12)})
        load_gpt2(tmp_path)

    with pytest.raises(CheckpointError, match="has activation_function='relu'; only 'gelu_new'"):
        load_with(activation_function="relu")
    with pytest.raises(CheckpointError, match="config.json doesn't fit: .*divisible by h=5"):
        load_with(n_head=5)
    with pytest.raises(CheckpointError, match="made for another model: the weights differ"):
        load_with()
    with pytest.raises(CheckpointError, match=r"there is no config\.json"):
        load_gpt2(tmp_path / "nowhere")
