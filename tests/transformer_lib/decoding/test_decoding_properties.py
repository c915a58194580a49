"""Whatever the model and its sources are: searches, caches and draws keep their promises."""

import functools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.transformer_lib.torch_twins import randomize
from transformer_lib import BOS, EOS, PAD, make_model, source_batch
from transformer_lib.decoding import (
    beam_search,
    greedy_decode,
    penalty,
    sample_decode,
    sampling_distribution,
    speculative_decode,
)
from transformer_lib.decoding.sampling import sample
from transformer_lib.model.config import POSITIONS

SOURCES = st.lists(st.lists(st.integers(3, 8), max_size=5), min_size=1, max_size=4)
LONGEST = st.integers(1, 6)
PENALTIES = st.sampled_from([0.0, 0.6, 1.0, 3.0])


@functools.cache
def model_of(seed, norm_first, positions, words):
    torch.manual_seed(seed)
    sizes = {"N": 1 + seed % 2, "d_model": 8, "d_ff": 11, "h": 1 + seed % 2}
    made = make_model(9, words, **sizes, norm_first=norm_first, positions=positions)
    model = randomize(made).double().eval()
    with torch.no_grad():
        model.generator.proj.weight.mul_(0.3)  # or one word has it all
    return model


def models(fewest=5, most=9):
    """Random ones, of all kinds, that write so many words, special tokens included."""
    places, words = st.sampled_from(POSITIONS), st.integers(fewest, most)
    return st.builds(model_of, st.integers(0, 7), st.booleans(), places, words)


@torch.no_grad()
def log_probs(model, src, words):
    """The log-probability of each word after those before it: by one run of the whole model."""
    logits = model(src[None], torch.tensor([[BOS, *words[:-1]]]))[0]
    logits[:, [PAD, BOS]] = -math.inf
    return logits.log_softmax(-1)[range(len(words)), words]


def written(hypothesis):
    return [*hypothesis.ids, EOS] if hypothesis.finished else hypothesis.ids


def check_score(model, src, one, alpha):
    total = log_probs(model, src, written(one)).sum().item()
    assert one.log_prob == pytest.approx(total, abs=1e-5)
    assert one.score == pytest.approx(total / penalty(len(written(one)), alpha), abs=1e-5)
    assert not {PAD, BOS, EOS} & set(one.ids)


@given(models(), SOURCES, LONGEST, PENALTIES, st.integers(1, 5))
@pytest.mark.slow
def test_every_score_is_that_of_its_words(model, sources, longest, alpha, beam):
    src = source_batch(sources)
    how = {"beam_size": beam, "n_best": beam, "length_penalty": alpha, "max_length": longest}
    for row, found in zip(src, beam_search(model, src, **how), strict=True):
        assert 1 <= len(found) <= beam and len({tuple(written(one)) for one in found}) == len(found)
        for one in found:
            check_score(model, row, one, alpha)
            assert len(written(one)) <= longest
            assert one.finished or len(one.ids) == longest


@given(models(), SOURCES, LONGEST, PENALTIES, st.integers(1, 4))
@pytest.mark.slow
def test_a_beam_of_one_is_greedy_and_a_cache_changes_no_word(model, sources, longest, alpha, beam):
    src = source_batch(sources)

    def words(search, cache, **how):
        found = search(model, src, max_length=longest, cache=cache, **how)
        several = (each if isinstance(each, list) else [each] for each in found)
        return [[getattr(one, "ids", one) for one in each] for each in several]

    greedy = words(greedy_decode, True)
    assert greedy == words(greedy_decode, False)
    one = {"beam_size": 1, "length_penalty": alpha}
    assert words(beam_search, True, **one) == [
        [ids] for ids in greedy_decode(model, src, max_length=longest)
    ]
    for search, how in (
        (beam_search, lambda: {"beam_size": beam, "n_best": beam}),
        (sample_decode, lambda: {"generator": torch.Generator().manual_seed(beam)}),
    ):
        assert words(search, True, **how()) == words(search, False, **how())


@given(models(8, 8), models(8, 8), SOURCES, LONGEST, st.integers(1, 5))
@pytest.mark.slow
def test_whatever_the_draft_the_words_are_those_of_greedy_decoding(
    model, draft, sources, longest, ahead
):
    src = source_batch(sources[:1])
    found = speculative_decode(model, draft, src, ahead=ahead, max_length=longest)
    (greedy,) = greedy_decode(model, src, max_length=longest)
    assert found.ids == greedy
    assert 0 <= found.accepted <= found.drafted <= ahead * found.rounds
    # each round writes a word of the model's own, besides those that it accepts; one too many where
    # the draft has guessed <eos>
    words = len(greedy) + (len(greedy) < longest)
    assert words <= found.rounds + found.accepted <= words + 1


LOGITS = st.lists(st.integers(-60, 60).map(lambda n: n / 7), min_size=1, max_size=9).map(
    lambda row: torch.tensor([row], dtype=torch.double)
)
SHARPER = {
    "temperature": st.sampled_from([1e-6, 0.3, 1.0, 1.7, 1e6]),
    "top_k": st.none() | st.integers(1, 10),
    "top_p": st.sampled_from([1e-9, 0.2, 0.5, 0.9, 0.999, 1.0]),
}


@given(LOGITS, st.fixed_dictionaries(SHARPER))
def test_what_is_drawn_from_are_the_likeliest_words_in_their_proportions(logits, how):
    p = sampling_distribution(logits, **how)[0]
    full = ((logits - logits.max()) / how["temperature"]).softmax(-1)[0]
    kept = p > 0
    assert p.sum().item() == pytest.approx(1) and 1 <= kept.sum() <= (how["top_k"] or 99)
    torch.testing.assert_close(p[kept], full[kept] / full[kept].sum())
    if (~kept).any():
        assert full[kept].min() >= full[~kept].max()
    # without the unlikeliest of them there would be less than top_p of what top_k left
    left = full.sort(descending=True).values[: how["top_k"]]
    left = left[left > 0] / left.sum()
    if how["top_p"] < 1:
        assert left[: int(kept.sum()) - 1].sum() < how["top_p"] + 1e-12
        assert left[: int(kept.sum())].sum() >= how["top_p"] - 1e-12


@given(LOGITS, st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=20))
def test_a_number_falls_on_the_part_of_its_word(logits, uniform):
    p = logits.softmax(-1)[0]
    words = sample(p.repeat(len(uniform), 1), torch.tensor(uniform, dtype=torch.double)).tolist()
    ends = [0.0, *p.cumsum(0).tolist()]
    for number, word in zip(uniform, words, strict=True):
        assert ends[word] - 1e-9 <= number <= ends[word + 1] + 1e-9 and p[word] > 0


@given(models(), SOURCES, LONGEST, st.integers(0, 9), st.fixed_dictionaries(SHARPER))
@pytest.mark.slow
def test_drawn_words_have_the_model_s_own_score_in_a_batch_and_alone(
    model, sources, longest, seed, how
):
    src = source_batch(sources)
    lots = torch.Generator().manual_seed(seed)
    together = sample_decode(model, src, **how, generator=lots, max_length=longest)
    lots.manual_seed(seed)
    for row, ids, one in zip(src, sources, together, strict=True):
        check_score(model, row, one, alpha=0.0)
        (alone,) = sample_decode(
            model, source_batch([ids]), **how, generator=lots, max_length=longest
        )
        assert (alone.ids, alone.finished) == (one.ids, one.finished)
