"""A saved model can be read again, with its former names too; what is damaged is named."""

import json

import pytest
import torch

from transformer_lib.checkpoints import current_name, load_model, save_model
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.transformer import make_model
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.variants import ModernAttention, QKNorm, RelativePositions, replace_modules
from transformer_lib.variants.recurrent import RecurrentConfig, RecurrentTranslator, recurrent


@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"tie_weights": "all"}])
def test_a_saved_model_comes_back_the_same(tmp_path, options):
    model = make_model(11, 11, N=2, d_model=6, d_ff=7, h=3, **options).eval()
    save_model(tmp_path, model)
    loaded = load_model(tmp_path)
    src, tgt = torch.tensor([[4, 5, 2]]), torch.tensor([[1, 6]])
    assert loaded.config == model.config
    assert not loaded.training
    assert torch.equal(loaded(src, tgt), model(src, tgt))
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


def test_sizes_with_former_names_are_read(tmp_path):
    save_model(tmp_path, make_model(11, 12, N=1, d_model=6, d_ff=7, h=3))
    config = tmp_path / "config.json"
    written = config.read_text()
    config.write_text(written.replace("_vocab_size", "_vocab"))
    assert "src_vocab_size" in written and "_vocab_size" not in config.read_text()
    assert load_model(tmp_path).tgt_embed.table.num_embeddings == 12


def with_former_names(file):
    """Write a file of tensors again, as it was before a part got its name."""
    tensors, about = read_tensors(file)
    former = {name.replace("_attn.attention.", "_attn."): x for name, x in tensors.items()}
    assert former.keys() != tensors.keys()
    former = {name.replace("residual_", "around_"): x for name, x in former.items()}
    former = {name.replace("qk_transforms.", "before."): x for name, x in former.items()}
    assert any("around_self_attn" in name for name in former)
    if "config" in about:
        settings = {"max_lr": "peak", "accumulation_steps": "accumulate"}
        assert settings.keys() < about["config"].keys()
        about["config"] = {settings.get(key, key): x for key, x in about["config"].items()}
    write_tensors(file, former, about)


def test_a_recurrent_translator_with_a_former_name_is_read(tmp_path):
    model = RecurrentTranslator(5, 5, RecurrentConfig(N=1, d_model=4, hidden=4))
    save_model(tmp_path, model)
    tensors, _ = read_tensors(tmp_path / "model.safetensors")
    former = {name.replace("readout.", "look."): x for name, x in tensors.items()}
    assert former.keys() != tensors.keys()
    write_tensors(tmp_path / "model.safetensors", former)
    assert torch.equal(load_model(tmp_path, recurrent).readout.w_c.weight, model.readout.w_c.weight)


def test_a_model_with_former_names_is_read(tmp_path):
    model = newer_parts(src_vocab_size=11, tgt_vocab_size=11, N=1, d_model=6, d_ff=7, h=3).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    save_model(tmp_path, model, build=newer_parts)
    with_former_names(tmp_path / "model.safetensors")
    loaded = load_model(tmp_path, build=newer_parts)
    src, tgt = torch.tensor([[4, 5, 2]]), torch.tensor([[1, 6]])
    assert torch.equal(loaded(src, tgt), model(src, tgt))


@pytest.mark.parametrize("former", ["attention.before", "before"])
def test_what_changes_queries_and_keys_is_found_by_its_former_names(former):
    now = "decoder.layers.0.self_attn.attention.qk_transforms.0.q_norm.scale"
    assert current_name(now.replace("attention.qk_transforms", former)) == current_name(now) == now


def test_a_run_with_former_names_goes_on(tmp_path):
    pairs = [([4, 5], [6, 7]), ([8], [9, 10])]
    config = TrainingConfig(steps=4, warmup=2, validate_every=2)

    def run(**how):
        torch.manual_seed(0)
        model = newer_parts(src_vocab_size=11, tgt_vocab_size=11, N=1, d_model=6, d_ff=7, h=3)
        train(model, pairs, pairs, config, **how)
        return torch.cat([parameter.flatten() for parameter in model.parameters()])

    def stopped(model):
        raise KeyboardInterrupt

    straight = run()
    calls = iter([lambda model: {}, stopped])
    with pytest.raises(KeyboardInterrupt):
        run(folder=tmp_path, measure=lambda model: next(calls)(model))
    with_former_names(tmp_path / "training_state.safetensors")
    assert torch.equal(run(folder=tmp_path, resume=True), straight)


def test_saving_twice_gives_the_same_bytes(tmp_path):
    model = make_model(11, 13, N=1, d_model=6, d_ff=7, h=3)
    for name in ("one", "two"):
        save_model(tmp_path / name, model)
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_half_the_file_and_computes_in_full(tmp_path, dtype):
    model = make_model(200, 200, N=1, d_model=64, d_ff=128, h=4, tie_weights="all").eval()
    save_model(tmp_path / "whole", model)
    save_model(tmp_path / "half", model, dtype)
    whole, half = (
        (tmp_path / name / "model.safetensors").stat().st_size for name in ("whole", "half")
    )
    assert half == pytest.approx(whole / 2, rel=0.05)
    loaded = load_model(tmp_path / "half")
    for a, b in zip(loaded.parameters(), model.parameters(), strict=True):
        assert a.dtype == torch.float32
        assert torch.equal(a, b.to(dtype).float())


def test_missing_and_damaged_files_are_named(tmp_path):
    with pytest.raises(CheckpointError, match="there is no config.json"):
        load_model(tmp_path)
    save_model(tmp_path, make_model(11, 13, N=1, d_model=6, d_ff=7, h=3))
    config, weights = tmp_path / "config.json", tmp_path / "model.safetensors"
    whole_config, whole_weights = config.read_text(), weights.read_bytes()

    for damaged in (whole_weights[:-1], whole_weights[:5], b"", b"\xff" * 100):
        weights.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="model.safetensors is damaged"):
            load_model(tmp_path)
    weights.unlink()
    with pytest.raises(CheckpointError, match="there is no model.safetensors"):
        load_model(tmp_path)
    weights.write_bytes(whole_weights)

    for damaged in ("{", "[]"):
        config.write_text(damaged)
        with pytest.raises(CheckpointError, match="config.json is damaged"):
            load_model(tmp_path)
    settings = json.loads(whole_config)
    for wrong, message in (
        ({"h": 4}, "d_model=6 must be divisible by h=4"),
        ({"beads": 4}, "beads"),
        ({"d_ff": 8}, "has shape"),
        ({"N": 2}, "weights differ"),
    ):
        config.write_text(json.dumps(settings | wrong))
        with pytest.raises(CheckpointError, match=message):
            load_model(tmp_path)
    del settings["src_vocab_size"]
    config.write_text(json.dumps(settings))
    with pytest.raises(CheckpointError, match="src_vocab_size"):
        load_model(tmp_path)
