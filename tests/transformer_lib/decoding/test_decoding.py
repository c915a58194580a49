"""Greedy and beam search, against slower ways to get the same.

The models are random, but not blind: their sentences differ with the source, some end early, some
don't end at all (the first test makes sure of it).
"""

import functools
import itertools
import math

import pytest
import torch
from torch import nn

from transformer_lib.decoding import (
    Hypothesis,
    KeyValueCache,
    beam_search,
    greedy_decode,
    optimize_for_decoding,
    penalty,
)
from transformer_lib.decoding.cache import encode_in_parts
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.model import masks
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.embedding import LearnedPositions
from transformer_lib.model.transformer import make_model
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD

close = torch.testing.assert_close
KINDS = [
    (norm_first, positions) for norm_first in (False, True) for positions in ("paper", "learned")
]
ALL_KINDS = pytest.mark.parametrize(("norm_first", "positions"), KINDS)
SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2)))
MAX = 11


def babbler(seed=0, norm_first=False, positions="paper", tgt_vocab_size=11):
    """A random model, with weights of a size that lets its sentences vary."""
    torch.manual_seed(seed)
    model = make_model(
        11,
        tgt_vocab_size,
        N=2,
        d_model=22,
        d_ff=19,
        h=2,
        dropout=0.3,
        norm_first=norm_first,
        positions=positions,
    ).double()
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, nn.Linear):
                part.weight.mul_(3 if part is model.generator.proj else 0.8)
            elif isinstance(part, LearnedPositions):
                for parameter in part.parameters():
                    parameter.mul_(4)
    return model


def sources(seed=0, lengths=(2, 3, 5, 7, 7, 1, 4, 6, 3, 5, 2)):
    torch.manual_seed(seed)
    return source_batch([torch.randint(4, 11, (length,)).tolist() for length in lengths])


def the_slow_way(model, src):
    """A function from the words so far to the log-probabilities of the next, by the whole model."""

    @functools.cache
    def next_log_probs(ids):
        model.eval()
        with torch.no_grad():
            logits = model(src[None], torch.tensor([[BOS, *ids]]))[0, -1]
        logits[[PAD, BOS]] = -math.inf  # these never come next
        return logits.log_softmax(dim=-1).tolist()

    return next_log_probs


def log_prob(next_log_probs, words):
    """The log-probability of words, one after the other."""
    return sum(next_log_probs(tuple(words[:i]))[word] for i, word in enumerate(words))


def plain_beam_search(next_log_probs, beam_size, alpha):
    """The same as in the library for one sentence, without batch, tensors and cache."""
    alive, done = [((), 0.0)], []
    for _ in range(MAX):
        longer = [
            ((*ids, word), so_far + p)
            for ids, so_far in alive
            for word, p in enumerate(next_log_probs(ids))
        ]
        best = sorted(longer, key=lambda one: -one[1])[: beam_size - len(done)]
        done += [one for one in best if one[0][-1] == EOS]
        alive = [one for one in best if one[0][-1] != EOS]

    def score(one):
        return one[1] / ((5 + len(one[0])) / 6) ** alpha

    ranked = sorted(done, key=score, reverse=True) + sorted(alive, key=score, reverse=True)
    return [[word for word in ids if word != EOS] for ids, _ in ranked]


def as_ids(found):
    return [[hypothesis.ids for hypothesis in each] for each in found]


# ---------------------------------------------------------------- greedy


@ALL_KINDS
def test_the_models_of_these_tests_are_worth_testing(norm_first, positions):
    said = [
        tuple(ids)
        for seed in range(3)
        for ids in greedy_decode(
            babbler(seed, norm_first, positions), sources(seed), max_length=MAX
        )
    ]
    lengths = [len(ids) for ids in said]
    assert len(set(said)) >= 8
    assert len(set(lengths)) >= 3
    assert MAX in lengths and min(lengths) < 5


@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_takes_the_likeliest_word_each_time(seed):
    model, src = babbler(seed), sources(seed)
    for row, ids in zip(src, greedy_decode(model, src, max_length=MAX), strict=True):
        next_log_probs, words = the_slow_way(model, row), ()
        while len(words) < MAX and EOS not in words:
            following = next_log_probs(words)
            words += (following.index(max(following)),)
        assert ids == [word for word in words if word != EOS]


@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_greedy_with_cache_equals_without(seed, norm_first, positions):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    with_cache, without = (
        greedy_decode(model, src, max_length=MAX, cache=cache) for cache in (True, False)
    )
    assert with_cache == without


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_equals_its_sentences_one_by_one(seed, cache):
    model, src = babbler(seed), sources(seed)
    together = greedy_decode(model, src, max_length=MAX, cache=cache)
    alone = [
        greedy_decode(model, row[None, row != PAD], max_length=MAX, cache=cache)[0] for row in src
    ]
    assert together == alone


@pytest.mark.parametrize("cache", [True, False])
def test_a_finished_sentence_leaves_the_batch_and_the_encoder_runs_once(cache):
    model, src = babbler(), sources()
    rows, encoded = [], []
    model.generator.register_forward_hook(lambda _, args, __: rows.append(len(args[0])))
    model.encoder.register_forward_hook(lambda _, args, __: encoded.append(len(args[0])))
    lengths = [len(ids) for ids in greedy_decode(model, src, max_length=MAX, cache=cache)]
    # a sentence of n words is asked for n + 1 of them, for <eos> too, but at most for MAX
    assert rows == [sum(length >= step for length in lengths) for step in range(MAX)]
    assert rows[0] == 11 > rows[-1]
    assert encoded == [11]


def test_greedy_ends_when_every_sentence_has():
    model = babbler()
    model.generator.forward = lambda x: torch.eye(11)[[EOS] * len(x)]
    assert greedy_decode(model, sources(), max_length=10**9, cache=False) == [[]] * 11


def test_greedy_stops_at_max_length():
    model, src = babbler(), sources()
    short, longer = (greedy_decode(model, src, max_length=n) for n in (3, MAX))
    assert short == [ids[:3] for ids in longer]
    assert any(len(ids) > 3 for ids in longer)


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_padding_and_bos_are_never_written(search):
    model, src = babbler(), sources()
    with torch.no_grad():
        model.generator.proj.weight[[PAD, BOS]] *= 100  # the model longs to write them
        assert (model.eval()(src, src[:, :1]).argmax(dim=-1) <= BOS).any()
    if search == "greedy":
        found = greedy_decode(model, src, max_length=MAX)
    else:
        found = sum(as_ids(beam_search(model, src, n_best=4, max_length=MAX)), [])
    words = set(sum(found, []))
    assert words and not words & {PAD, BOS, EOS}


def test_no_sentences_no_translations():
    nothing = torch.zeros(0, 3, dtype=torch.long)
    assert greedy_decode(babbler(), nothing) == beam_search(babbler(), nothing) == []


# ---------------------------------------------------------------- beam search


@pytest.mark.parametrize("alpha", [0.0, 0.6])
@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_a_beam_of_one_is_greedy(seed, norm_first, positions, alpha):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    found = beam_search(model, src, beam_size=1, length_penalty=alpha, max_length=MAX)
    assert as_ids(found) == [[ids] for ids in greedy_decode(model, src, max_length=MAX)]


@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_beam_search_with_cache_equals_without(seed, norm_first, positions):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    with_cache, without = (
        beam_search(model, src, beam_size=3, n_best=3, max_length=MAX, cache=cache)
        for cache in (True, False)
    )
    assert as_ids(with_cache) == as_ids(without)
    for one, other in zip(sum(with_cache, []), sum(without, []), strict=True):
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)
        assert one.finished == other.finished


@pytest.mark.slow
def test_a_wide_beam_equals_trying_every_sentence():
    # words <unk>, 4 and 5 besides <eos>, at most 4 of them:
    # 1 + 3 + 9 + 27 sentences that end in time, and 81 that are cut off
    model, src = babbler(seed=4, tgt_vocab_size=6), sources(lengths=(2, 5, 3))
    for i, alpha in itertools.product(range(3), [0.0, 0.6, 1.0, 3.0]):
        next_log_probs = the_slow_way(model, src[i])
        every = []
        for length in range(5):
            for ids in itertools.product([3, 4, 5], repeat=length):
                words = [*ids, EOS] if length < 4 else list(ids)
                total = log_prob(next_log_probs, words)
                score = total / ((5 + len(words)) / 6) ** alpha
                every.append(Hypothesis(list(ids), total, score, finished=length < 4))
        assert len(every) == 121
        assert sum(math.exp(one.log_prob) for one in every) == pytest.approx(1)
        every.sort(key=lambda one: (not one.finished, -one.score))

        hypotheses = beam_search(
            model, src, beam_size=121, n_best=121, length_penalty=alpha, max_length=4
        )[i]
        assert [one.ids for one in hypotheses] == [one.ids for one in every]
        for one, other in zip(hypotheses, every, strict=True):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)
            assert one.score == pytest.approx(other.score, abs=1e-5)
            assert one.finished == other.finished


def test_the_length_penalty_decides():
    # or the test above would not have tried it
    model, src = babbler(seed=4, tgt_vocab_size=6), sources(lengths=(2, 5, 3))
    best = [
        as_ids(beam_search(model, src, beam_size=121, length_penalty=alpha, max_length=4))
        for alpha in (0.0, 3.0)
    ]
    lengths = [sum(len(each[0]) for each in found) for found in best]
    assert lengths[0] < lengths[1]


@pytest.mark.parametrize("beam_size", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrow_beam_equals_a_plain_one(seed, beam_size):
    model, src = babbler(seed, norm_first=seed == 1), sources(seed)[:5]
    slowly = [the_slow_way(model, row) for row in src]
    for alpha in (0.0, 1.0):
        found = beam_search(
            model, src, beam_size=beam_size, n_best=beam_size, length_penalty=alpha, max_length=MAX
        )
        assert as_ids(found) == [plain_beam_search(after, beam_size, alpha) for after in slowly]


def test_beam_search_in_a_batch_equals_one_by_one():
    model, src = babbler(), sources()
    together = beam_search(model, src, beam_size=3, n_best=2, max_length=MAX)
    alone = [
        beam_search(model, row[None, row != PAD], beam_size=3, n_best=2, max_length=MAX)[0]
        for row in src
    ]
    assert as_ids(together) == as_ids(alone)


@pytest.mark.parametrize("seed", SEEDS)
def test_log_prob_is_the_sum_over_the_words(seed):
    model, src = babbler(seed), sources(seed)
    found = beam_search(model, src, beam_size=3, n_best=3, length_penalty=0.6, max_length=MAX)
    for row, hypotheses in zip(src, found, strict=True):
        next_log_probs = the_slow_way(model, row)
        for one in hypotheses:
            words = [*one.ids, EOS] if one.finished else one.ids
            assert one.log_prob == pytest.approx(log_prob(next_log_probs, words), abs=1e-5)
            assert one.score == pytest.approx(one.log_prob / penalty(len(words), 0.6))
            assert one.finished or len(one.ids) == MAX


def test_the_n_best_come_best_first_and_differ():
    found = beam_search(babbler(), sources(), beam_size=5, n_best=5, max_length=MAX)
    finished_ones = 0
    for hypotheses in found:
        assert len(hypotheses) == 5
        assert len({tuple(one.ids) for one in hypotheses}) == 5
        ranks = [(one.finished, one.score) for one in hypotheses]  # what ended comes first
        assert ranks == sorted(ranks, reverse=True)
        finished_ones += sum(one.finished for one in hypotheses)
    assert 0 < finished_ones < 55


def test_fewer_best_are_the_first_of_more():
    model, src = babbler(), sources()
    five, two = (beam_search(model, src, beam_size=5, n_best=n, max_length=MAX) for n in (5, 2))
    assert [each[:2] for each in five] == two


def test_the_length_penalty_by_hand():
    # ((5 + length) / 6) ^ alpha
    assert penalty(1, 0.6) == 1  # one word, <eos>: (6/6)^0.6
    assert penalty(7, 1.0) == 2  # 12/6
    assert penalty(7, 0.5) == pytest.approx(math.sqrt(2))
    assert penalty(100, 0.0) == 1


# ---------------------------------------------------------------- nothing is left behind


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
@pytest.mark.parametrize("training", [True, False])
def test_the_mode_is_restored_and_dropout_is_off(decode, training):
    model, src = babbler(), sources()
    model.train(training)
    assert decode(model, src, max_length=MAX) == decode(model, src, max_length=MAX)
    assert all(module.training == training for module in model.modules())


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_a_part_in_eval_mode_stays_in_it(decode):
    model = babbler().train()
    model.encoder.eval()
    decode(model, sources(), max_length=2)
    assert model.training and model.decoder.layers[0].training
    assert not any(module.training for module in model.encoder.modules())


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_the_mode_is_restored_after_an_error(decode):
    model, src = babbler().train(), sources()

    def broken(x):
        assert not model.training
        raise RuntimeError("broken on purpose")

    model.generator.forward = broken
    with pytest.raises(RuntimeError, match="on purpose"):
        decode(model, src)
    assert all(module.training for module in model.modules())
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_no_gradients_are_computed(decode):
    model, wanted = babbler(), []
    model.generator.register_forward_hook(lambda _, __, out: wanted.append(out.requires_grad))
    decode(model, sources(), max_length=3)
    assert wanted == [False] * 3
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_a_model_can_go_on_learning_after_a_long_sentence():
    # 300 words make the table of positions grow, in the middle of decoding
    model, src = babbler(), sources()
    greedy_decode(model, src[:2], max_length=300)
    model.train()(src, src).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


# ---------------------------------------------------------------- errors


def test_errors_carry_the_numbers():
    model, src = babbler(), sources()
    for decode in (greedy_decode, beam_search):
        with pytest.raises(ValueError, match="max_length=0 must be 1 or more"):
            decode(model, src, max_length=0)
    with pytest.raises(ValueError, match="beam_size=0 must be 1 or more"):
        beam_search(model, src, beam_size=0)
    with pytest.raises(ValueError, match="n_best=5 must lie between 1 and beam_size=4"):
        beam_search(model, src, n_best=5)
    with pytest.raises(ValueError, match="n_best=0 must lie between 1 and beam_size=4"):
        beam_search(model, src, n_best=0)


# ---------------------------------------------------------------- the cache itself


def keys_and_values(layer, x):
    return layer.split_heads(layer.w_k(x)), layer.split_heads(layer.w_v(x))


def test_a_cache_keeps_every_key_in_order():
    layer, cache = MultiHeadAttention(15, 3), KeyValueCache(max_length=5)
    x = torch.randn(2, 5, 15)
    with torch.no_grad():
        for i in range(5):
            cache.add(layer, x[:, i : i + 1])
            keys, values = cache.current()
            assert cache.length == i + 1 and keys.shape == values.shape == (2, 3, i + 1, 5)
        close((keys, values), keys_and_values(layer, x))


def test_attending_to_a_cache_is_attending():
    layer, cache = MultiHeadAttention(15, 3).double(), KeyValueCache(max_length=7)
    query, x = torch.randn(2, 1, 15).double(), torch.randn(2, 7, 15).double()
    mask = torch.rand(2, 1, 1, 7) < 0.5
    with torch.no_grad():
        cache.add(layer, x)
        close(cache.attend(layer, query, mask), layer(query, x, x, mask=mask))


def test_keys_of_the_memory_are_computed_once():
    model, src, calls = babbler(), sources(), []
    model.decoder.layers[1].cross_attn.w_k.register_forward_hook(lambda *_: calls.append(1))
    greedy_decode(model, src, max_length=MAX)
    assert calls == [1]


@pytest.mark.parametrize("max_length", [7, 11])
def test_rows_of_a_cache_can_be_chosen(max_length):
    layer, cache = MultiHeadAttention(15, 3), KeyValueCache(max_length)
    x = torch.randn(3, 7, 15)
    with torch.no_grad():
        cache.add(layer, x)
        cache.select(torch.tensor([2, 0, 0, 1]))
        close(cache.current(), keys_and_values(layer, x[[2, 0, 0, 1]]))
    assert cache.keys.size(2) == max_length  # with room for the words to come


def test_one_beginning_goes_on_with_itself_and_nothing_is_copied(monkeypatch):
    model, src, copied = babbler(), sources(lengths=(4,)), []
    monkeypatch.setattr(KeyValueCache, "select", lambda *given: copied.append(given))
    never = torch.tensor([-math.inf if word == EOS else 0.0 for word in range(11)])
    model.generator.register_forward_hook(lambda _, __, logits: logits + never)
    (found,) = beam_search(model, src, beam_size=1, max_length=3)
    assert len(found[0].ids) == 3 and copied == []


# ---------------------------------------------------------------- what is computed once


def counted_masks(monkeypatch):
    made = []

    def padding_mask(ids):
        made.append(ids.shape)
        return masks.padding_mask(ids)

    for module in ("decoding.cache", "model.transformer"):
        monkeypatch.setattr(f"transformer_lib.{module}.padding_mask", padding_mask)
    return made


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_the_source_mask_is_made_once_and_not_for_each_word(monkeypatch, decode):
    made, src = counted_masks(monkeypatch), sources()
    decode(babbler(), src, max_length=MAX)
    assert made == [src.shape] * 2  # one for the encoder, one for all words of the decoder


@pytest.mark.parametrize("lengths", [(4, 4, 4), (4, 3, 4)])
def test_the_decoder_gets_a_mask_only_where_something_is_padded(lengths):
    model, given = babbler(), []
    model.decoder.layers[1].cross_attn.attention.register_forward_pre_hook(
        lambda _, args: given.append(args[3])
    )
    src = sources(lengths=lengths)
    greedy_decode(model, src, max_length=3)
    if len(set(lengths)) == 1:
        assert given == [None] * 3
    else:
        assert torch.equal(given[0], masks.padding_mask(src))
        assert len(given) > 1 and None not in given


def test_a_large_batch_is_encoded_in_parts(monkeypatch):
    monkeypatch.setattr("transformer_lib.decoding.cache.AT_ONCE", 20)
    model, src, encoded = babbler(), sources(), []
    assert src.shape == (11, 8)
    whole = model.eval().encode(src)
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda part: encoded.append(len(part)) or encode(part))
    close(encode_in_parts(model, src), whole)
    assert encoded == [2] * 5 + [1]
    # a sentence longer than that is encoded alone
    assert len(encode_in_parts(model, src.repeat(1, 3))) == 11
    assert encoded[6:] == [1] * 11


def test_a_changed_model_gets_a_large_batch_at_once_for_the_change_may_name_rows(monkeypatch):
    monkeypatch.setattr("transformer_lib.decoding.cache.AT_ONCE", 20)
    model, src, seen = babbler(), sources(), []

    def edit(weights):
        seen.append(len(weights))
        return weights

    with patch_attention(model, {"encoder.layers.0.self_attn": edit}):
        greedy_decode(model, src, max_length=1)
    assert seen == [11]


# ---------------------------------------------------------------- weights laid out for decoding


@pytest.mark.parametrize("tie_weights", ["none", "target", "all"])
@pytest.mark.slow
def test_laid_out_for_decoding_a_model_writes_the_same(tie_weights):
    torch.manual_seed(0)
    model = make_model(11, 11, N=2, d_model=22, d_ff=33, h=2, tie_weights=tie_weights).double()
    before, src = {name: x.clone() for name, x in model.state_dict().items()}, sources()
    quick = optimize_for_decoding(model)
    close(quick(src, src), model.eval()(src, src))
    assert greedy_decode(quick, src) == greedy_decode(model, src)
    assert as_ids(beam_search(quick, src)) == as_ids(beam_search(model, src))
    # the first model is as it was
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
    assert all(x.is_contiguous() and x.requires_grad for x in model.parameters())


def test_laid_out_for_decoding_the_longer_side_of_a_matrix_is_in_one_piece():
    quick = optimize_for_decoding(make_model(11, 50, N=1, d_model=6, d_ff=7, h=2))
    layer = quick.decoder.layers[0]
    strides = {
        (50, 6): quick.generator.proj.weight.stride(),
        (6, 6): layer.cross_attn.w_k.weight.stride(),
        (7, 6): layer.feed_forward.w_1.weight.stride(),
        (6, 7): layer.feed_forward.w_2.weight.stride(),
    }
    assert strides == {(50, 6): (1, 50), (6, 6): (1, 6), (7, 6): (1, 7), (6, 7): (7, 1)}
