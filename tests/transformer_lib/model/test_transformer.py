"""The whole model: against torch.nn, by its numbers, and what may depend on what."""

import dataclasses
import inspect

import pytest
import torch

from tests.transformer_lib.small_inputs import SRC, TGT_IN
from tests.transformer_lib.torch_twins import randomize, stack_twin
from transformer_lib import (
    BASE,
    BIG,
    TOY,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    ModelConfig,
    SublayerConnection,
    causal_mask,
    count_parameters,
    make_model,
)

close = torch.testing.assert_close
BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True])


def small_model(**settings):
    """b=3, s=7, t=5, h=2, d_k=5, d_ff=19, 11 source words, 13 target words."""
    sizes = {"N": 2, "d_model": 10, "d_ff": 19, "h": 2, "dropout": 0.0}
    return make_model(11, 11 if settings.get("tie_weights") == "all" else 13, **sizes | settings)


@BOTH_NORMS
def test_the_stacks_equal_pytorchs(norm_first):
    model = randomize(small_model(norm_first=norm_first))
    encoder, decoder = stack_twin(model.encoder), stack_twin(model.decoder)
    x = model.src_positions(model.src_embed(SRC))
    memory = encoder(x, src_key_padding_mask=SRC == 0)
    real = SRC != 0
    close(model.encode(SRC)[real], memory[real])
    ours = model.decode(TGT_IN, model.encode(SRC), SRC)
    theirs = decoder(
        model.tgt_positions(model.tgt_embed(TGT_IN)),
        memory,
        tgt_mask=~causal_mask(5)[0, 0],
        tgt_key_padding_mask=TGT_IN == 0,
        memory_key_padding_mask=SRC == 0,
    )
    assert ours.shape == (3, 5, 10) and causal_mask(5).shape == (1, 1, 5, 5)
    close(ours, theirs)


def test_the_model_is_the_figure():
    # Figure 1, from the bottom to the top; positions are as in section 3.5
    model = randomize(small_model())
    positions = model.src_positions.table
    memory = model.encoder(
        model.src_embed.table.weight[SRC] * 10**0.5 + positions[:7],
        src_mask=(SRC != 0)[:, None, None, :],
    )
    x = model.decoder(
        model.tgt_embed.table.weight[TGT_IN] * 10**0.5 + positions[:5],
        memory,
        tgt_mask=(TGT_IN != 0)[:, None, None, :] & causal_mask(5),
        src_mask=(SRC != 0)[:, None, None, :],
    )
    logits = model(SRC, TGT_IN)
    assert logits.shape == (3, 5, 13)
    close(logits, x @ model.generator.proj.weight.T)


@pytest.mark.parametrize(
    ("config", "total", "paper"), [(BASE, 63_045_632, 65e6), (BIG, 214_171_648, 213e6)]
)
def test_number_of_parameters(config, total, paper):
    # Table 3: 65 million (base) and 213 million (big), with one vocabulary of about 37,000 words
    with torch.device("meta"):  # shapes without numbers: nothing is allocated
        model = make_model(37_000, 37_000, config, tie_weights="all")
    assert count_parameters(model) == total == pytest.approx(paper, rel=0.04)


def test_a_config_and_what_differs_from_it():
    with torch.device("meta"):
        assert make_model(11, 13).config == BASE
        model = make_model(11, 13, TOY, N=3, positions="learned")
    assert model.config == dataclasses.replace(TOY, N=3, positions="learned")


def test_make_model_passes_everything_on():
    model = make_model(11, 13, ModelConfig(2, 10, 19, 5, 0.3, True, "none", "learned"))
    assert (len(model.encoder.layers), len(model.decoder.layers)) == (2, 2)
    layer = model.decoder.layers[1]
    assert (layer.self_attn.h, layer.cross_attn.h) == (5, 5)
    assert layer.feed_forward.w_1.weight.shape == (19, 10)
    dropouts = [m.p for m in model.modules() if isinstance(m, torch.nn.Dropout)]
    assert dropouts == [0.3] * (2 + 2 * 2 + 2 * 3)  # both inputs, and each sub-layer (section 5.4)
    assert all(m.norm_first for m in model.modules() if type(m).__name__ == "SublayerConnection")


def test_matrices_are_drawn_when_all_parts_are_made(monkeypatch):
    # in the order of the parts: on it depends which model a seed gives, and all that was measured
    torch.manual_seed(3)
    model = small_model()
    monkeypatch.setattr("transformer_lib.model.transformer.initialize", lambda model: None)
    torch.manual_seed(3)
    plain = small_model()
    for name, parameter in plain.named_parameters():
        if parameter.dim() == 2 and "embed" not in name:
            torch.nn.init.xavier_uniform_(parameter)
    for ours, other in zip(model.parameters(), plain.parameters(), strict=True):
        assert torch.equal(ours, other)


@pytest.mark.parametrize(
    ("tie", "same_as_generator"), [("none", []), ("target", ["tgt"]), ("all", ["tgt", "src"])]
)
def test_tied_weights_are_one_matrix(tie, same_as_generator):
    model = small_model(tie_weights=tie)
    tables = {"tgt": model.tgt_embed.table.weight, "src": model.src_embed.table.weight}
    found = [name for name, table in tables.items() if table is model.generator.proj.weight]
    assert found == same_as_generator


@pytest.mark.parametrize("training", [True, False])
@BOTH_NORMS
@torch.no_grad()
def test_dropout_is_at_work_in_training_and_the_future_never_leaks(norm_first, training):
    model = small_model(dropout=0.3, norm_first=norm_first).train(training)

    def run(tgt_in=TGT_IN):
        torch.manual_seed(7)
        return model(SRC, tgt_in)

    assert torch.equal(run(), model(SRC, TGT_IN)) != training  # other random numbers
    for place in (1, 3):
        changed = TGT_IN.clone()
        changed[1, place] = 12
        same = (run() == run(changed)).all(dim=-1)  # bit for bit
        assert same[1].tolist() == [position < place for position in range(5)]
        assert same[0].all() and same[2].all()  # other sentences don't notice either


@pytest.mark.parametrize("part", [Encoder, EncoderLayer, Decoder, DecoderLayer])
def test_a_part_alone_has_the_defaults_of_the_whole(part):
    for name, asked in inspect.signature(part).parameters.items():
        if asked.default is not inspect.Parameter.empty:
            assert asked.default == getattr(ModelConfig(), name), name


@BOTH_NORMS
def test_dropout_falls_on_the_sublayers_output_only(norm_first):
    around = SublayerConnection(7, dropout=0.6, norm_first=norm_first)
    around.norm = torch.nn.Identity()  # so that the sum can be seen
    x = torch.randn(11, 5, 7)
    added = around(x, torch.ones_like) - x  # 0 where dropped, else 1 / (1 - 0.6)
    dropped = added.abs() < 1e-5
    close(added, torch.where(dropped, 0.0, 2.5))
    assert 0.4 < dropped.float().mean() < 0.8
    close(around.eval()(x, torch.ones_like), x + 1)  # not when it is used
