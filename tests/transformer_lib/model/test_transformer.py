"""The whole model: against torch.nn, by its numbers, and what may depend on what."""

import dataclasses

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.torch_twins import randomize, transformer_twin
from transformer_lib.model.config import BASE, BIG, TOY, ModelConfig
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import Transformer, count_parameters, make_model

close = torch.testing.assert_close
BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True])

SRC = torch.tensor([[5, 6, 7, 8, 9, 5, 2], [5, 6, 10, 2, 0, 0, 0], [7, 2, 0, 0, 0, 0, 0]])
TGT_IN = torch.tensor([[1, 5, 6, 0, 0], [1, 5, 6, 7, 8], [1, 9, 9, 9, 0]])


def small_model(**settings):
    """b=3, s=7, t=5, h=2, d_k=5, d_ff=19, 11 source words, 13 target words."""
    sizes = {"N": 2, "d_model": 10, "d_ff": 19, "h": 2, "dropout": 0.0}
    return make_model(11, 11 if settings.get("tie_weights") == "all" else 13, **sizes | settings)


# ---------------------------------------------------------------- against torch.nn


@BOTH_NORMS
def test_the_stacks_equal_pytorchs_transformer(norm_first):
    model = randomize(small_model(norm_first=norm_first))
    twin = transformer_twin(model.encoder, model.decoder)
    memory = model.encode(SRC)
    ours = model.decode(TGT_IN, memory, SRC)
    theirs = twin(
        model.src_positions(model.src_embed(SRC)),
        model.tgt_positions(model.tgt_embed(TGT_IN)),
        tgt_mask=~causal_mask(5)[0, 0],
        src_key_padding_mask=SRC == 0,
        tgt_key_padding_mask=TGT_IN == 0,
        memory_key_padding_mask=SRC == 0,
    )
    assert memory.shape == (3, 7, 10) and ours.shape == (3, 5, 10)
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


# ---------------------------------------------------------------- its numbers


@pytest.mark.parametrize(
    ("config", "total", "paper"), [(BASE, 63_045_632, 65e6), (BIG, 214_171_648, 213e6)]
)
def test_number_of_parameters(config, total, paper):
    # Table 3: 65 million (base) and 213 million (big), with one vocabulary of about 37,000 words
    vocab_size, d_model, d_ff, N = 37_000, config.d_model, config.d_ff, config.N
    embeddings = vocab_size * d_model  # source, target and generator share one matrix
    attention = 4 * d_model * d_model  # W^Q, W^K, W^V, W^O of all heads together
    feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * d_model  # a scale and a shift
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    by_hand = embeddings + N * encoder_layer + N * decoder_layer

    with torch.device("meta"):  # shapes without numbers: nothing is allocated
        model = Transformer(
            vocab_size, vocab_size, ModelConfig(**vars(config) | {"tie_weights": "all"})
        )
    assert count_parameters(model) == by_hand == total
    assert abs(total - paper) / paper < 0.04


@BOTH_NORMS
def test_number_of_parameters_untied(norm_first):
    # 11 source words, 13 target words, twice (embedding and generator)
    attention, feed_forward, norm = 4 * 10 * 10, 10 * 19 + 19 + 19 * 10 + 10, 2 * 10
    layers = 2 * (attention + feed_forward + 2 * norm) + 2 * (
        2 * attention + feed_forward + 3 * norm
    )
    by_hand = (11 + 13 + 13) * 10 + layers + (2 * norm if norm_first else 0)
    assert count_parameters(small_model(norm_first=norm_first)) == by_hand


def test_left_alone_make_model_makes_the_papers_base_model():
    with torch.device("meta"):  # sizes without numbers
        model = make_model(11, 13)
    assert model.config == BASE == ModelConfig(6, 512, 2048, 8, 0.1, False, "none", "paper")


@pytest.mark.parametrize(
    ("config", "settings"),
    [
        ([BIG], {}),
        ([TOY], {"N": 3, "positions": "learned"}),
        ([], {"N": 1, "d_model": 4, "d_ff": 5, "h": 2, "dropout": 0.2}),
    ],
)
def test_a_config_and_what_differs_from_it(config, settings):
    with torch.device("meta"):
        model = make_model(11, 13, *config, **settings)
    assert model.config == dataclasses.replace(*config or [BASE], **settings)


@pytest.mark.parametrize("config", [6, "SMALL", None, BASE.__dict__])
def test_what_is_no_config_is_refused(config):
    with pytest.raises(TypeError, match="^config=.* must be a ModelConfig; name .* as in N=2$"):
        make_model(11, 13, config)


def test_make_model_passes_everything_on():
    model = make_model(11, 13, ModelConfig(2, 10, 19, 5, 0.3, True, "none", "learned"))
    assert (len(model.encoder.layers), len(model.decoder.layers)) == (2, 2)
    layer = model.decoder.layers[1]
    assert (layer.self_attn.h, layer.cross_attn.h) == (5, 5)
    assert layer.feed_forward.w_1.weight.shape == (19, 10)
    dropouts = [m.p for m in model.modules() if isinstance(m, torch.nn.Dropout)]
    assert dropouts == [0.3] * (2 + 2 * 2 + 2 * 3)  # both inputs, and each sub-layer (section 5.4)
    assert all(m.norm_first for m in model.modules() if type(m).__name__ == "SublayerConnection")


def test_errors_carry_the_numbers():
    with pytest.raises(ValueError, match="d_model=10 must be divisible by h=4"):
        make_model(11, 13, d_model=10, h=4)
    with pytest.raises(ValueError, match="source has 11 words and the target 13"):
        make_model(11, 13, tie_weights="all")
    with pytest.raises(ValueError, match="d_model=9 must be even"):
        make_model(11, 13, N=1, d_model=9, d_ff=2, h=3)


# ---------------------------------------------------------------- weights at the start


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


def test_no_two_matrices_start_equal():
    matrices = [(name, p) for name, p in small_model().named_parameters() if p.dim() == 2]
    assert len(matrices) == 3 + 2 * (4 + 2) + 2 * (8 + 2)
    for i, (name, a) in enumerate(matrices):
        for other, b in matrices[:i]:
            assert a.shape != b.shape or not torch.equal(a, b), f"{name} is {other}"


def test_no_two_parts_share_memory_unless_tied():
    addresses = [p.data_ptr() for p in small_model().parameters()]
    assert len(set(addresses)) == len(addresses)


def test_a_new_model_is_unsure():
    # logits of size about 1 at most: the first loss is near ln(vocab), that of a blind guess
    torch.manual_seed(0)
    model = make_model(101, 103, N=2, d_model=64, d_ff=128, h=4)
    src, tgt = torch.randint(4, 101, (7, 11)), torch.randint(4, 103, (7, 11))
    loss = F.cross_entropy(model(src, tgt).flatten(0, 1), tgt.flatten())
    assert torch.tensor(103.0).log() - 0.2 < loss < torch.tensor(103.0).log() + 2


@pytest.mark.parametrize(
    ("tie", "same_as_generator"), [("none", []), ("target", ["tgt"]), ("all", ["tgt", "src"])]
)
def test_tied_weights_are_one_matrix_and_stay_one(tie, same_as_generator):
    model = small_model(tie_weights=tie)

    def tied():
        tables = {"tgt": model.tgt_embed.table.weight, "src": model.src_embed.table.weight}
        return [name for name, table in tables.items() if table is model.generator.proj.weight]

    assert tied() == same_as_generator
    before = model.generator.proj.weight.detach().clone()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(SRC, TGT_IN).square().sum().backward()
    optimizer.step()
    assert tied() == same_as_generator
    assert not torch.equal(model.generator.proj.weight, before)
    if tie != "none":
        assert torch.equal(model.generator.proj.weight, model.tgt_embed.table.weight)


def test_every_weight_learns():
    for settings in [{}, {"norm_first": True}, {"positions": "learned", "tie_weights": "all"}]:
        model = small_model(**settings)
        shake = torch.randn(3, 5, 11 if settings.get("tie_weights") == "all" else 13)
        (model(SRC, TGT_IN) * shake).sum().backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad.isfinite().all() and (parameter.grad != 0).any(), name


def test_gradients_are_finite_if_a_sentence_is_all_padding():
    model = small_model()
    src, tgt_in = SRC.clone(), TGT_IN.clone()
    src[2] = tgt_in[1] = 0
    logits = model(src, tgt_in)
    logits.square().sum().backward()
    assert logits.isfinite().all()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


# ---------------------------------------------------------------- what may depend on what


@pytest.fixture(
    params=[(n, mode) for n in ("post-norm", "pre-norm") for mode in ("train", "eval")],
    ids=" ".join,
)
def run(request):
    """A model with dropout; run(src, tgt_in) uses the same random numbers each time."""
    norm, mode = request.param
    model = small_model(dropout=0.3, norm_first=norm == "pre-norm")
    model.train(mode == "train")

    def run(src=SRC, tgt_in=TGT_IN):
        torch.manual_seed(7)
        with torch.no_grad():
            return model(src, tgt_in)

    run.model = model
    return run


def test_dropout_is_at_work_where_it_should(run):
    first = run()
    assert torch.equal(first, run())
    with torch.no_grad():
        again = run.model(SRC, TGT_IN)  # other random numbers
    assert torch.equal(first, again) != run.model.training


@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_the_future_does_not_leak(run, place):
    changed = TGT_IN.clone()
    changed[1, place] = 12
    same = (run() == run(tgt_in=changed)).all(dim=-1)  # bit for bit
    assert same[1].tolist() == [position < place for position in range(5)]
    assert same[0].all() and same[2].all()  # other sentences don't notice either


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_visible_source_word_matters(run, place):
    changed = SRC.clone()
    changed[1, place] = 4
    same = (run() == run(src=changed)).all(dim=-1)
    assert same.tolist() == [[True] * 5, [False] * 5, [True] * 5]


def test_what_lies_under_the_padding_does_not_matter(run):
    # the vector of <pad> itself: no output of a real word may depend on it
    before = run()
    with torch.no_grad():
        run.model.src_embed.table.weight[0] += 100
        run.model.tgt_embed.table.weight[0] += 100
    real = TGT_IN != 0
    assert torch.equal(run()[real], before[real])


def test_what_lies_under_the_memorys_padding_does_not_matter(run):
    model = run.model

    def decode(memory):
        torch.manual_seed(7)
        return model.decode(TGT_IN, memory, SRC)

    with torch.no_grad():
        memory = model.encode(SRC)
        changed = memory.clone()
        changed[SRC == 0] += 100
        assert torch.equal(decode(memory), decode(changed))
        changed[1, 0] += 1  # a real word of sentence 1
        assert (decode(memory) == decode(changed)).all(dim=-1)[:, 0].tolist() == [True, False, True]


@BOTH_NORMS
def test_more_padding_changes_nothing(norm_first):
    model = randomize(small_model(norm_first=norm_first)).eval()
    longer_src, longer_tgt = F.pad(SRC, (0, 4)), F.pad(TGT_IN, (0, 2))
    real = TGT_IN != 0
    before, after = model(SRC, TGT_IN), model(longer_src, longer_tgt)[:, :5]
    close(before[real], after[real])
    assert torch.equal(before[real].argmax(dim=-1), after[real].argmax(dim=-1))


@BOTH_NORMS
def test_a_sentence_does_not_depend_on_its_neighbors(norm_first):
    model = randomize(small_model(norm_first=norm_first)).eval()
    together = model(SRC, TGT_IN)
    close(together[1:2], model(SRC[1:2, :4], TGT_IN[1:2]))


def test_words_in_another_order_mean_something_else(run):
    # without positions the encoder would see a bag of words
    swapped = SRC[:, [1, 0, 2, 3, 4, 5, 6]]
    assert not torch.allclose(run()[:2], run(src=swapped)[:2])


# ---------------------------------------------------------------- in half precision


@pytest.mark.parametrize("positions", ["paper", "tensor2tensor", "learned"])
def test_bfloat16_autocast_gives_nearly_the_same(positions):
    model = small_model(positions=positions).eval()
    with torch.no_grad():
        exact = model(SRC, TGT_IN)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rough = model(SRC, TGT_IN)
    assert rough.dtype == torch.bfloat16
    close(rough.float(), exact, atol=0.1, rtol=0.1)
    assert not torch.equal(rough.float(), exact)
