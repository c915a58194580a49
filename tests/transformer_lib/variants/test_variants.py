"""The parts of newer models: by hand, against torch.nn, and in the place of the paper's."""

import dataclasses
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course.chapters.ch18_since_2017.experiment_fused import largest_tensor
from tests.transformer_lib.torch_twins import randomize
from transformer_lib.decoding import DecoderState, KeyValueCache, beam_search, greedy_decode
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.interpret.recording import record_attention
from transformer_lib.model.attention import MultiHeadAttention, attention
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.layers import PositionwiseFeedForward
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import Transformer, count_parameters, make_model
from transformer_lib.text.batching import make_batch, source_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.step import batch_loss
from transformer_lib.training.trainer import train
from transformer_lib.variants import (
    ALiBi,
    GELUFeedForward,
    MixtureOfExperts,
    ModernAttention,
    NoPositions,
    QKNorm,
    RelativePositions,
    RMSNorm,
    Rotary,
    SwiGLU,
    Window,
    adamw,
    balanced_loss,
    flash_attention,
    fused_attention,
    load_balancing_loss,
    muon,
    replace_modules,
    without_biases,
)

close = torch.testing.assert_close
D_MODEL, H, D_K = 24, 4, 6
SRC = torch.tensor([[5, 6, 7, 8, 9, 5, 2], [5, 6, 10, 2, 0, 0, 0], [7, 2, 0, 0, 0, 0, 0]])
TGT_IN = torch.tensor([[1, 5, 6, 0, 0], [1, 5, 6, 7, 8], [1, 9, 9, 9, 0]])


def small_model(**settings):
    sizes = {"N": 2, "d_model": D_MODEL, "d_ff": 31, "h": H, "dropout": 0.0}
    return make_model(11, 11, **sizes | settings)


def modern(kv_heads=None, qk_transforms=(), biases=()):
    """A change: these parts in every self-attention; `qk_transforms` and `biases` are made anew."""

    def change(model):
        for stack, both_ways in ((model.encoder, True), (model.decoder, False)):
            replace_modules(
                stack,
                "self_attn",
                lambda old, both_ways=both_ways: ModernAttention(
                    D_MODEL,
                    H,
                    kv_heads,
                    qk_transforms=[part() for part in qk_transforms],
                    biases=[part(both_ways) for part in biases],
                ),
            )

    return change


def without_positions(model):
    replace_modules(model, "src_positions", lambda old: NoPositions())
    replace_modules(model, "tgt_positions", lambda old: NoPositions())


def everywhere(what, part):
    return lambda model: replace_modules(model, what, part)


def mixture(old):
    return MixtureOfExperts(D_MODEL, [SwiGLU(D_MODEL, 13) for _ in range(3)])


def of_today(model):
    """All at once, as in a model of today."""
    modern(2, [lambda: QKNorm(D_K), lambda: Rotary(D_K)], [lambda both_ways: Window(3)])(model)
    replace_modules(model, nn.LayerNorm, lambda old: RMSNorm(D_MODEL))
    replace_modules(model, "feed_forward", SwiGLU.as_large_as)
    without_positions(model)
    without_biases(model)


CHANGES = {
    "paper": lambda model: None,
    "RMSNorm": everywhere(nn.LayerNorm, lambda old: RMSNorm(D_MODEL)),
    "GELU": everywhere("feed_forward", lambda old: GELUFeedForward(D_MODEL, 31)),
    "SwiGLU": everywhere("feed_forward", SwiGLU.as_large_as),
    "mixture": everywhere("feed_forward", mixture),
    "no biases": without_biases,
    "no positions": without_positions,
    "rotary": modern(qk_transforms=[lambda: Rotary(D_K)]),
    "QK-norm": modern(qk_transforms=[lambda: QKNorm(D_K)]),
    "ALiBi": modern(biases=[lambda both_ways: ALiBi(H)]),
    "T5": modern(biases=[lambda both_ways: RelativePositions(H, both_ways, 8, 9)]),
    "window": modern(biases=[lambda both_ways: Window(2)]),
    "grouped queries": modern(2),
    "multi-query": modern(1),
    "multi-query everywhere": everywhere(
        MultiHeadAttention, lambda old: ModernAttention(D_MODEL, H, 1)
    ),
    "of today": of_today,
}
EVERY_CHANGE = pytest.mark.parametrize("name", CHANGES)


def changed(name, seed=0, **settings):
    """A model with this change and random weights of a size that lets its sentences vary."""
    torch.manual_seed(seed)
    model = small_model(**settings)
    CHANGES[name](model)
    model.double()
    with torch.no_grad():
        for part in model.modules():
            for parameter in part.parameters(recurse=False):
                if part is model.generator.proj:
                    parameter.mul_(4)
                elif isinstance(part, nn.Linear) and parameter.dim() == 2:
                    parameter.mul_(1.5)
                elif not isinstance(part, nn.Embedding):
                    parameter.add_(torch.randn_like(parameter), alpha=0.2)
    return model.eval()


# --- exchanging


def test_exchanging_puts_the_part_in_every_place_and_nowhere_else():
    model = small_model()
    before = dict(model.named_modules())
    assert replace_modules(model, "feed_forward", SwiGLU.as_large_as) is model
    after = dict(model.named_modules())
    changed_places = {name for name in before if "feed_forward" in name and "residual" not in name}
    networks = [part for part in after.values() if isinstance(part, SwiGLU)]
    assert len(networks) == 4 and len(set(map(id, networks))) == 4
    assert not any(isinstance(part, PositionwiseFeedForward) for part in after.values())
    same = before.keys() - changed_places
    assert len(same) > 40 and all(after[name] is before[name] for name in same)


def test_exchanging_within_a_part_leaves_the_rest():
    model = small_model()
    replace_modules(model.decoder, "self_attn", lambda old: ModernAttention(D_MODEL, H))
    kinds = [type(layer.self_attn) for layer in (*model.encoder.layers, *model.decoder.layers)]
    assert kinds == [MultiHeadAttention] * 2 + [ModernAttention] * 2
    assert type(model.decoder.layers[0].cross_attn) is MultiHeadAttention


def test_exchanging_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no part 'lstm' in this Transformer"):
        replace_modules(small_model(), "lstm", lambda old: NoPositions())
    with pytest.raises(ValueError, match="no part RMSNorm in this Transformer"):
        replace_modules(small_model(), RMSNorm, lambda old: NoPositions())


def test_new_matrices_start_like_the_papers():
    # Xavier: uniform between -a and a, a = sqrt(6 / (in + out)), so nothing is larger
    model = small_model()
    replace_modules(model, "self_attn", lambda old: ModernAttention(D_MODEL, H, 1))
    attn = model.encoder.layers[0].self_attn
    for layer, out in ((attn.w_q, D_MODEL), (attn.w_k, D_K), (attn.w_o, D_MODEL)):
        bound = math.sqrt(6 / (D_MODEL + out))
        assert 0.9 * bound < layer.weight.abs().max() <= bound


class Gated(nn.Module):
    """A part that nobody here has heard of, with names of its own."""

    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(D_MODEL, D_MODEL)
        self.scale = nn.Parameter(torch.ones(D_MODEL))

    def forward(self, x):
        return x * self.proj(x).sigmoid() * self.scale


def test_a_new_layer_is_initialized_and_given_to_the_right_optimizer_whatever_its_name():
    model = replace_modules(small_model(tie_weights="target"), "feed_forward", lambda old: Gated())
    bound = math.sqrt(6 / (2 * D_MODEL))
    first, *rest = muon(model).param_groups
    spectral, others = first["params"], [p for group in rest for p in group["params"]]
    assert len(spectral) + len(others) == len(list(model.parameters()))

    def given(parameter, to):
        return any(parameter is one for one in to)

    for layer in (*model.encoder.layers, *model.decoder.layers):
        part = layer.feed_forward
        assert 0.9 * bound < part.proj.weight.abs().max() <= bound
        assert given(part.proj.weight, spectral) and given(layer.self_attn.w_q.weight, spectral)
        assert given(part.proj.bias, others) and given(part.scale, others)
    for words in (model.src_embed.table, model.tgt_embed.table, model.generator.proj):
        assert given(words.weight, others) and not given(words.weight, spectral)


def test_without_biases_nothing_is_added():
    model = small_model()
    without_biases(model)
    assert not any("bias" in name for name, _ in model.named_parameters())
    # Inside the layers: 4 networks with 31 + 24 biases, 10 norms with 24 shifts.
    assert count_parameters(small_model()) - count_parameters(model) == 4 * (31 + 24) + 10 * 24


@EVERY_CHANGE
def test_every_part_learns_and_no_parameter_is_left_out(name):
    model = small_model()
    CHANGES[name](model)
    src, tgt_in = torch.randint(4, 11, (2, 17, 13))  # words enough for every expert
    model(src, tgt_in).square().sum().backward()
    idle = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert idle == []


# --- by hand and against torch.nn


def test_rms_norm_by_hand():
    # the mean square of 3 and 4 is 12.5
    norm = RMSNorm(2, eps=0.0)
    close(norm(torch.tensor([3.0, 4.0])), torch.tensor([3.0, 4.0]) / math.sqrt(12.5))


def test_rms_norm_equals_pytorchs():
    ours = randomize(RMSNorm(7, eps=0.1))
    theirs = nn.RMSNorm(7, eps=0.1).double()
    theirs.weight = ours.scale
    x = torch.randn(2, 3, 7, dtype=torch.float64)
    close(ours(x), theirs(x))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_feed_forward_equals_pytorchs(approximate):
    ours = randomize(GELUFeedForward(5, 7, approximate))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    inner = F.gelu(x @ ours.w_1.weight.T + ours.w_1.bias, approximate=approximate)
    close(ours(x), inner @ ours.w_2.weight.T + ours.w_2.bias)


def test_gelu_is_z_times_the_share_of_normal_numbers_below_z():
    z = torch.linspace(-3, 3, 13, dtype=torch.float64)
    share = torch.distributions.Normal(0.0, 1.0).cdf(z)
    close(GELUFeedForward(1, 1).gelu(z), z * share)


@pytest.mark.parametrize(("d_model", "d_ff"), [(128, 512), (24, 31), (10, 7)])
def test_swiglu_is_as_large_as_the_network_it_replaces(d_model, d_ff):
    old = PositionwiseFeedForward(d_model, d_ff)
    new = SwiGLU.as_large_as(old)
    assert abs(count_parameters(new) - count_parameters(old)) <= 1.5 * d_model


def test_the_unchanged_modern_attention_is_the_papers():
    ours, paper = randomize(ModernAttention(D_MODEL, H)), MultiHeadAttention(D_MODEL, H).double()
    paper.load_state_dict(ours.state_dict())
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    mask = padding_mask(SRC) & causal_mask(7)
    close(ours(x, x, x, mask=mask), paper(x, x, x, mask=mask))
    close(ours(x[:, :5], x, x), paper(x[:, :5], x, x))


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_grouped_queries_equal_pytorchs(kv_heads):
    ours = randomize(ModernAttention(D_MODEL, H, kv_heads))
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    q = ours.w_q(x).view(3, 7, H, D_K).transpose(1, 2)
    k, v = (w(x).view(3, 7, kv_heads, D_K).transpose(1, 2) for w in (ours.w_k, ours.w_v))
    theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    theirs = theirs.transpose(1, 2).reshape(3, 7, D_MODEL) @ ours.w_o.weight.T
    close(ours(x, x, x, mask=causal_mask(7)), theirs)


def test_biases_equal_an_added_mask_of_pytorch():
    ours = randomize(ModernAttention(D_MODEL, H, biases=[ALiBi(H), Window(3)]))
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    q, k, v = (w(x).view(3, 7, H, D_K).transpose(1, 2) for w in (ours.w_q, ours.w_k, ours.w_v))
    bias = torch.full((H, 7, 7), -math.inf, dtype=torch.float64)
    for head, i, j in ((h, i, j) for h in range(H) for i in range(7) for j in range(7)):
        if i - 3 < j <= i:  # slopes for 4 heads: 1/4, 1/16, 1/64, 1/256
            bias[head, i, j] = -(i - j) / 4 ** (head + 1)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    theirs = theirs.transpose(1, 2).reshape(3, 7, D_MODEL) @ ours.w_o.weight.T
    close(ours(x, x, x, mask=causal_mask(7)), theirs)


def test_rows_that_see_nothing_are_zero():
    # a padded query whose window holds padding only
    ours = randomize(ModernAttention(D_MODEL, H, biases=[Window(2)]))
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    out = ours(x, x, x, mask=padding_mask(SRC))
    assert out.isfinite().all()
    assert (out[1, 5:] == 0).all() and (out[1, :5] != 0).all()


def test_wrong_numbers_of_heads_are_refused():
    for wrong in (0, 3, 8):
        with pytest.raises(ValueError, match=f"h=4 must be divisible by kv_heads={wrong}"):
            ModernAttention(D_MODEL, H, wrong)


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="width=0"):
        Window(0)
    with pytest.raises(ValueError, match="buckets=3 must be 4 or more"):
        RelativePositions(H, bidirectional=True, num_buckets=3)
    with pytest.raises(ValueError, match="buckets=1 must be 2 or more"):
        RelativePositions(H, bidirectional=False, num_buckets=1)
    # the fewest that will do: a word itself, or its neighbor, and whatever is farther
    distance = torch.tensor([[-3, -1, 0, 1, 3]])
    assert RelativePositions(H, True, num_buckets=4).bucket(distance).tolist() == [[3, 3, 0, 1, 1]]
    assert RelativePositions(H, False, num_buckets=2).bucket(distance).tolist() == [[0, 0, 0, 1, 1]]


# --- positions


def test_rotary_by_hand():
    # one pair, base 1: the hand turns by 1 radian a word
    rotary = Rotary(2)
    x = torch.tensor([1.0, 0.0]).expand(1, 1, 3, 2)
    hands = torch.tensor([[math.cos(pos), math.sin(pos)] for pos in range(3)])
    close(rotary.rotate(x)[0, 0], hands)
    close(rotary.rotate(x[:, :, 2:], start=2)[0, 0], hands[2:])


def test_rotary_turns_as_slowly_as_the_papers_positions():
    # the second of two pairs: 1 radian in 10,000^(2 / 4) words
    turned = Rotary(4).rotate(torch.tensor([0.0, 0, 1, 0]).expand(1, 1, 101, 4))[0, 0, 100]
    close(turned, torch.tensor([0, 0, math.cos(1), math.sin(1)]))


def test_rotary_scores_depend_on_the_distance_only():
    rotary = Rotary(D_K).double()
    q, k = torch.randn(2, 1, 1, 1, D_K, dtype=torch.float64)
    scores = [
        (rotary.rotate(q, start=pos + 5) * rotary.rotate(k, start=pos)).sum().item()
        for pos in (0, 3, 700)  # also beyond the table that it starts with
    ]
    assert scores == pytest.approx([scores[0]] * 3, abs=1e-4)
    assert scores[0] != pytest.approx((q * k).sum().item(), abs=1e-2)


@pytest.mark.parametrize("name", ["rotary", "ALiBi", "T5"])
def test_relative_positions_tell_the_order(name):
    # without the positions at the bottom: two words change places, and more than places changes
    swapped = SRC[:1, [1, 0, 2, 3, 4, 5, 6]]

    def outputs(what):
        model = changed(what)
        without_positions(model)
        return [model.encode(ids)[0].sort(dim=0).values for ids in (SRC[:1], swapped)]

    close(*outputs("paper"))  # blind to the order
    here, there = outputs(name)
    assert (here - there).abs().max() > 0.01


def test_a_window_hides_what_is_far():
    attn = randomize(ModernAttention(D_MODEL, H, biases=[Window(3)]))
    x = torch.randn(1, 9, D_MODEL, dtype=torch.float64)
    moved = x.clone()
    moved[:, 2] += 1
    difference = (attn(x, x, x) - attn(moved, moved, moved)).abs().sum(dim=-1)[0]
    assert (difference > 0).tolist() == [abs(i - 2) < 3 for i in range(9)]
    assert Window(2)(torch.tensor([[0, -1, -2], [1, 0, 3]])).tolist() == [
        [0.0, 0.0, -math.inf],
        [0.0, 0.0, -math.inf],
    ]


# --- a choice of experts


def test_one_expert_alone_is_that_network():
    # all experts alike: however the shares fall, they sum to 1
    expert = randomize(SwiGLU(5, 7))
    experts = [SwiGLU(5, 7).double() for _ in range(3)]
    for one in experts:
        one.load_state_dict(expert.state_dict())
    x = torch.randn(2, 11, 5, dtype=torch.float64)
    close(MixtureOfExperts(5, experts).double()(x), expert(x))


def test_each_word_gets_its_two_likeliest_experts():
    ours = randomize(MixtureOfExperts(5, [SwiGLU(5, 7) for _ in range(3)]))
    x = torch.randn(2, 11, 5, dtype=torch.float64)
    p = ours.w_router(x).softmax(dim=-1)
    for word in range(11):
        (first, one), (second, other) = sorted(
            ((p[1, word, e], e) for e in range(3)), reverse=True
        )[:2]
        both = first * ours.experts[one](x[1, word]) + second * ours.experts[other](x[1, word])
        close(ours(x)[1, word], both / (first + second))


def test_a_single_expert_is_refused():
    for top in (1, 4):
        with pytest.raises(ValueError, match=f"top_k={top} must lie between 2 and the 3 experts"):
            MixtureOfExperts(5, [SwiGLU(5, 7) for _ in range(3)], top_k=top)


def test_load_balance_by_hand():
    # even: 2 experts of 4 for each word, all alike -> top; uneven: all go to the first two
    even = torch.tensor([[9.0, 9, 0, 0], [0, 0, 9, 9]])
    assert load_balancing_loss(even, top_k=2).item() == pytest.approx(2)
    uneven = torch.tensor([[30.0, 30, 0, 0]]).expand(5, 4)
    # 4 * (1 * 1/2 + 1 * 1/2)
    assert load_balancing_loss(uneven, top_k=2).item() == pytest.approx(4)


def test_the_balance_enters_the_loss_and_reaches_the_router():
    model = changed("mixture")
    batch = make_batch([([5, 6], [7, 8, 9]), ([5], [6])])
    plain = batch_loss(model, batch, 0.1)
    extra = balanced_loss(model, batch, 0.1, weight=0.5) - plain
    assert 6 * 0.5 * 4 * 2 <= extra.item() < 6 * 0.5 * 4 * 3  # 6 words, 4 mixtures, 2 to 3 each
    routers = [p for name, p in model.named_parameters() if "w_router" in name]
    assert all(grad.any() for grad in torch.autograd.grad(extra, routers))
    assert not model.encoder.layers[0].feed_forward.w_router._forward_hooks


def test_the_balance_is_a_hundredth_and_in_single_precision_unless_told():
    model = changed("mixture").eval()
    batch = make_batch([([5, 6], [7, 8, 9]), ([5], [6])])
    plain, told = batch_loss(model, batch, 0.1), balanced_loss(model, batch, 0.1, weight=0.5)
    close(50 * (balanced_loss(model, batch, 0.1) - plain), told - plain, atol=1e-4, rtol=0)


# --- decoding, looking inside, training


SOURCES = source_batch([[5, 6, 7], [8], [9, 10, 5, 6, 7, 8], [4, 4]])


@EVERY_CHANGE
def test_with_a_cache_it_writes_the_same_words(name):
    model = changed(name)
    words, beams = (
        [write(model, SOURCES, max_length=9, cache=cache) for cache in (True, False)]
        for write in (greedy_decode, beam_search)
    )
    assert words[0] == words[1]
    assert [each[0].ids for each in beams[0]] == [each[0].ids for each in beams[1]]


@EVERY_CHANGE
def test_with_a_cache_it_thinks_the_same(name):
    # whatever the words are, also when the rows of the batch change places
    model = changed(name)
    cached, plain = (DecoderState(model, SOURCES, 9, cache=cache) for cache in (True, False))
    for place in range(9):
        with torch.no_grad():
            close(cached.next_logits(), plain.next_logits())
        words, rows = torch.randint(3, 11, (4,)), torch.randperm(4)
        for state in (cached, plain):
            state.append(words)
            if place == 4:
                state.select(rows)


@EVERY_CHANGE
def test_no_part_sees_the_future(name):
    model = changed(name)
    later = TGT_IN.clone()
    later[1, 3:] = torch.tensor([9, 10])
    before, after = model(SRC, TGT_IN)[1], model(SRC, later)[1]
    close(before[:3], after[:3])
    assert (before[3:] - after[3:]).abs().max() > 1e-3


@EVERY_CHANGE
def test_padding_changes_nothing(name):
    model = changed(name)
    wider = F.pad(SRC, (0, 3))
    close(model(wider, TGT_IN), model(SRC, TGT_IN))
    close(model(SRC[1:2, :4], TGT_IN[1:2]), model(SRC, TGT_IN)[1:2])


def test_fewer_heads_of_keys_need_fewer_bytes():
    def cached(kv_heads):
        attn, cache = ModernAttention(D_MODEL, H, kv_heads), KeyValueCache(max_length=64)
        for _ in range(5):
            cache.add(attn, torch.randn(3, 1, D_MODEL))
        return cache.bytes

    # keys and values of 3 sentences of 5 words, d_k numbers of 4 bytes in each head
    assert [cached(n) for n in (4, 2, 1)] == [2 * 3 * 5 * D_K * 4 * n for n in (4, 2, 1)]


@pytest.mark.parametrize("name", ["rotary", "QK-norm", "ALiBi", "window", "grouped queries"])
def test_what_is_recorded_is_what_is_used(name):
    model = changed(name)
    layer = "decoder.layers.1.self_attn"
    with record_attention(model) as weights:
        plain = model(SRC, TGT_IN)
    assert weights[layer].shape == (3, H, 5, 5)
    with patch_attention(model, {layer: lambda computed: weights[layer]}):
        close(model(SRC, TGT_IN), plain)
    with patch_attention(model, {layer: lambda computed: computed.flip(1)}):
        assert (model(SRC, TGT_IN) - plain).abs().max() > 1e-3


PAIRS = [([5 + i % 6, 5 + i % 5], [5 + i % 5, 5 + i % 6, 4]) for i in range(30)]


@pytest.mark.parametrize(("optimizer", "schedule"), [(adamw, "cosine"), (muon, "stable")])
@pytest.mark.slow
def test_it_trains_and_goes_on_after_a_stop(optimizer, schedule, tmp_path):
    config = TrainingConfig(
        steps=6, max_tokens=64, schedule=schedule, max_lr=0.01, warmup=2, validate_every=3
    )

    losses = []

    def loss(*batch):
        losses.append(balanced_loss(*batch))
        return losses[-1]

    def run(folder=None, **how):
        model = changed("mixture").float()
        history = train(
            model, PAIRS, PAIRS, config, optimizer=optimizer, loss=loss, folder=folder, **how
        )
        return history, model(SRC, TGT_IN)

    def stop(_):
        raise KeyboardInterrupt

    history, straight = run()
    assert len(losses) == 6
    assert history[-1]["validation_loss"] < history[0]["validation_loss"]
    calls = iter([lambda _: {}, stop])
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, measure=lambda model: next(calls)(model))
    resumed_history, resumed = run(tmp_path, resume=True)
    assert resumed_history == history
    close(resumed, straight, rtol=0, atol=0)


def test_decay_takes_off_a_share_of_the_matrices_only():
    model = small_model()
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer = adamw(model, decay=0.5)
    for group in optimizer.param_groups:
        group["lr"] = 0.1
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    for name, parameter in model.named_parameters():
        close(parameter.detach(), before[name] * (0.95 if parameter.dim() > 1 else 1.0))


def test_muon_moves_a_matrix_alike_in_all_directions():
    model = small_model()
    matrix = model.encoder.layers[0].self_attn.w_q.weight
    before = matrix.detach().clone()
    optimizer = muon(model, decay=0.0)
    for group in optimizer.param_groups:
        group["lr"] = 0.1
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    strengths = torch.linalg.svdvals(matrix.grad)
    optimizer.step()
    moved = torch.linalg.svdvals(before - matrix.detach())
    assert strengths.max() / strengths.median() > 1.8
    assert moved.max() / moved.median() < 1.5  # five steps of Newton and Schulz come near to 1
    # 0.2 * sqrt(24) * 0.1: the size of a step of Adam
    assert moved.median().item() == pytest.approx(0.02 * math.sqrt(D_MODEL), rel=0.3)
    by_adam = [p for group in optimizer.param_groups[1:] for p in group["params"]]
    assert any(p is model.src_embed.table.weight for p in by_adam)


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="PyTorch has a Muon from 2.9 on")
@pytest.mark.parametrize("half", [False, True], ids=["float32", "bfloat16"])
def test_muon_steps_as_pytorchs_does_whatever_the_processor_computes_in(half, monkeypatch):
    monkeypatch.setattr("transformer_lib.training.optimizers.has_fast_bf16", lambda device: half)
    ours, theirs = small_model(), small_model()
    theirs.load_state_dict(ours.state_dict())
    optimizer = muon(ours)
    names = {parameter: name for name, parameter in ours.named_parameters()}
    inside = [names[parameter] for parameter in optimizer.param_groups[0]["params"]]
    by_name = dict(theirs.named_parameters())
    reference = torch.optim.Muon(
        [by_name[name] for name in inside], lr=0.01, adjust_lr_fn="match_rms_adamw"
    )
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    before = {name: by_name[name].detach().clone() for name in inside}
    for _ in range(3):
        for parameter, name in names.items():
            parameter.grad = torch.randn_like(parameter)
            by_name[name].grad = parameter.grad.clone()
        optimizer.step()
        reference.step()
    for parameter, name in names.items():
        if name in inside:
            moved = by_name[name] - before[name]
            error = (parameter - by_name[name]).norm() / moved.norm()
            # PyTorch's is in bfloat16, which has two to three digits.
            assert error < 1e-5 if half else 1e-4 < error < 0.02
            assert optimizer.state[parameter].keys() == {"momentum_buffer"}


# --- flash attention


def flash_case(k=11):
    q, v = torch.randn(2, 3, 5, 7).double(), torch.randn(2, 3, k, 13).double()
    mask = torch.rand(2, 1, 5, k) < 0.5
    mask[0, 0, 2] = False  # a row that sees nothing
    mask[1, 0, 3, :5] = False  # nothing in its first blocks
    return 3 * q, torch.randn(2, 3, k, 7).double(), v, mask


@pytest.mark.parametrize("block", [1, 2, 4, 11, 64])
@pytest.mark.parametrize("masked", [False, True])
def test_flash_attention_is_attention(block, masked):
    *inputs, mask = flash_case()
    mask = mask if masked else None
    inputs = [x.requires_grad_() for x in inputs]
    ours, plain = flash_attention(*inputs, mask, block=block), attention(*inputs, mask)
    close(ours, plain)
    shake = torch.randn_like(plain)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (ours, plain)))


@pytest.mark.parametrize("masked", [False, True])
def test_the_fused_kernel_is_attention(masked):
    *inputs, mask = flash_case()
    mask = mask if masked else None
    inputs = [x.requires_grad_() for x in inputs]
    theirs, plain = fused_attention(*inputs, mask), attention(*inputs, mask)
    close(theirs, plain)
    shake = torch.randn_like(plain)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (theirs, plain)))


def test_flash_attention_needs_no_large_table():
    q = torch.randn(256, 8)
    largest = {
        how: largest_tensor(lambda how=how: how(q, q, q)) for how in (attention, flash_attention)
    }
    assert largest == {attention: 256 * 256, flash_attention: 256 * 64}


def test_flash_attention_of_large_scores_stays_finite():
    q = torch.full((3, 4), 1e4)
    close(flash_attention(q, q, q, block=2), q)


def test_a_block_of_nothing_is_refused():
    with pytest.raises(ValueError, match="block=0"):
        flash_attention(*(torch.randn(2, 3),) * 3, block=0)


def test_the_paper_is_still_the_paper():
    # the classes of the paper import nothing from here, and their defaults are unchanged
    fields = {field.name for field in dataclasses.fields(ModelConfig)}
    assert fields == {
        "N",
        "d_model",
        "d_ff",
        "h",
        "dropout",
        "norm_first",
        "tie_weights",
        "positions",
    }
    plain = Transformer(11, 11, ModelConfig(N=1, d_model=8, d_ff=8, h=2))
    assert {type(m) for m in plain.modules() if "since" in type(m).__module__} == set()
