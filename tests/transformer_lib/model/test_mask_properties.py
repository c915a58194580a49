"""Whatever the words are: no position sees the padding, or what comes after it."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_lib.model.attention import attention, attention_weights
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import make_model
from transformer_lib.text.batching import pad
from transformer_lib.text.tokens import PAD

close = torch.testing.assert_close
SENTENCES = st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=6), min_size=1, max_size=4)
torch.manual_seed(0)
SIZES = {"N": 2, "d_model": 8, "d_ff": 11, "h": 2}
MODELS = [make_model(9, 9, **SIZES, norm_first=norm).double().eval() for norm in (False, True)]


@given(SENTENCES)
def test_the_masks_say_which_key_is_a_word_and_not_later(sentences):
    ids = pad(sentences)
    mask = padding_mask(ids) & causal_mask(ids.size(1))
    for row, sentence in enumerate(sentences):
        for query in range(ids.size(1)):
            for key in range(ids.size(1)):
                assert mask[row, 0, query, key] == (key < len(sentence) and key <= query)


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 5), st.data())
@pytest.mark.slow
def test_attention_is_a_mean_of_what_the_mask_lets_through(d_k, queries, keys, data):
    numbers = st.integers(-20, 20).map(float)

    def table(rows, columns, what=numbers):
        return torch.tensor(
            data.draw(
                st.lists(
                    st.lists(what, min_size=columns, max_size=columns), min_size=rows, max_size=rows
                )
            )
        )

    q, k, v = table(queries, d_k), table(keys, d_k), table(keys, d_k)
    mask = table(queries, keys, st.booleans())
    weights = attention_weights(q, k, mask)
    assert (weights[~mask] == 0).all() and (weights >= 0).all()
    close(weights.sum(-1), mask.any(-1).float())
    out = attention(q, k, v, mask)
    spoiled = v.masked_fill(~mask.any(0)[:, None], 1e6)  # of keys that nobody may look at
    close(attention(q, k, spoiled, mask), out)
    for row, allowed in enumerate(mask):
        if allowed.any():
            assert (out[row] <= v[allowed].max(0).values + 1e-3).all()
            assert (out[row] >= v[allowed].min(0).values - 1e-3).all()


@given(st.sampled_from(MODELS), SENTENCES, SENTENCES, st.integers(1, 3), st.integers(1, 8))
@torch.no_grad()
@pytest.mark.slow
def test_padding_and_later_words_change_no_logit(model, sources, targets, more, other):
    count = min(len(sources), len(targets))
    src, tgt = pad(sources[:count]), pad(targets[:count])
    logits = model(src, tgt)
    wider = [torch.cat([x, x.new_full((count, more), PAD)], dim=1) for x in (src, tgt)]
    real = tgt != PAD
    close(model(*wider)[:, : tgt.size(1)][real], logits[real])
    for row in range(count):  # alone, without padding
        alone = model(src[row : row + 1, : len(sources[row])], tgt[row : row + 1])
        close(alone[0][real[row]], logits[row][real[row]])
    last = tgt.clone()
    last[:, -1] = last[:, -1].where(last[:, -1] == PAD, other)  # padding stays at the end
    close(model(src, last)[:, :-1][real[:, :-1]], logits[:, :-1][real[:, :-1]])
