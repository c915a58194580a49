"""A saved model can be read again, with its former names too; what is damaged is named."""

import json

import pytest
import torch

from tests.transformer_lib.small_inputs import SRC, TGT_IN
from transformer_lib.checkpoints import load_model, save_model
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.transformer import make_model
from transformer_lib.variants import ModernAttention, QKNorm, RelativePositions, replace_modules


@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"tie_weights": "all"}])
def test_a_saved_model_comes_back_the_same(tmp_path, options):
    model = make_model(11, 11, N=2, d_model=6, d_ff=7, h=3, **options).eval()
    save_model(tmp_path, model)
    loaded = load_model(tmp_path)
    assert loaded.config == model.config and not loaded.training
    assert torch.equal(loaded(SRC, TGT_IN), model(SRC, TGT_IN))
    tied = loaded.generator.proj.weight is loaded.tgt_embed.table.weight
    assert tied == (options.get("tie_weights") == "all")


def newer_parts(**sizes):
    """A model whose self-attentions have learned parts of their own."""
    model = make_model(**sizes)
    return replace_modules(
        model,
        "self_attn",
        lambda old: ModernAttention(
            6, 3, qk_transforms=[QKNorm(2)], biases=[RelativePositions(3, True, 8, 9)]
        ),
    )


def with_former_names(file):
    """Write a file of tensors again, as it was before a part got its name."""
    tensors, about = read_tensors(file)
    former = {name.replace("_attn.attention.", "_attn."): x for name, x in tensors.items()}
    assert former.keys() != tensors.keys()
    former = {name.replace("residual_", "around_"): x for name, x in former.items()}
    former = {name.replace("qk_transforms.", "before."): x for name, x in former.items()}
    assert any("around_self_attn" in name for name in former)
    write_tensors(file, former, about)


def test_a_model_with_former_names_is_read(tmp_path):
    model = newer_parts(src_vocab_size=11, tgt_vocab_size=11, N=1, d_model=6, d_ff=7, h=3).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    save_model(tmp_path, model, build=newer_parts)
    with_former_names(tmp_path / "model.safetensors")
    loaded = load_model(tmp_path, build=newer_parts)
    assert torch.equal(loaded(SRC, TGT_IN), model(SRC, TGT_IN))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_half_the_file_and_computes_in_full(tmp_path, dtype):
    model = make_model(200, 200, N=1, d_model=64, d_ff=128, h=4, tie_weights="all").eval()
    size = {}
    for name, how in (("whole", []), ("half", [dtype])):
        save_model(tmp_path / name, model, *how)
        size[name] = (tmp_path / name / "model.safetensors").stat().st_size
    assert size["half"] == pytest.approx(size["whole"] / 2, rel=0.05)
    for a, b in zip(load_model(tmp_path / "half").parameters(), model.parameters(), strict=True):
        assert a.dtype == torch.float32 and torch.equal(a, b.to(dtype).float())


def test_missing_and_damaged_files_are_named(tmp_path):
    def refused(message):
        with pytest.raises(CheckpointError, match=message):
            load_model(tmp_path)

    refused("there is no config.json")
    save_model(tmp_path, make_model(11, 13, N=1, d_model=6, d_ff=7, h=3))
    config, weights = tmp_path / "config.json", tmp_path / "model.safetensors"
    settings, whole = json.loads(config.read_text()), weights.read_bytes()
    for damaged in (whole[:-1], whole[:5], b"", b"\xff" * 100):
        weights.write_bytes(damaged)
        refused("model.safetensors is damaged")
    weights.unlink()
    refused("there is no model.safetensors")
    weights.write_bytes(whole)
    without = {name: value for name, value in settings.items() if name != "src_vocab_size"}
    for content, message in (
        ([], "config.json is damaged"),
        (settings | {"h": 4}, "d_model=6 must be divisible by h=4"),
        (settings | {"beads": 4}, "beads"),
        (settings | {"d_ff": 8}, "has shape"),
        (settings | {"N": 2}, "weights differ"),
        (without, "src_vocab_size"),
    ):
        config.write_text(json.dumps(content))
        refused(message)
    config.write_text("{")
    refused("config.json is damaged")
