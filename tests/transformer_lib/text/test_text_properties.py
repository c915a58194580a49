"""Whatever the text is: it comes back, nothing is lost, and what is wrong is named."""

from hypothesis import given
from hypothesis import strategies as st

from transformer_lib.text.batching import batch_indices
from transformer_lib.text.normalizing import AS_IT_IS, normalizer
from transformer_lib.text.stand_ins import STAND_INS, put_back, replace_by_stand_ins

IDS = st.lists(st.integers(4, 60), max_size=12)
PAIRS = st.lists(st.tuples(IDS, IDS), max_size=12)


COPIED = ["a@b.de", "www.x.org", "5:30", "90210", "B52", "{x}", "1999", "7%", "and", "🍕", "Ñam"]


@given(st.lists(st.sampled_from([*COPIED, *STAND_INS["link"], *STAND_INS["emoji"]]), max_size=8))
def test_what_is_replaced_by_a_stand_in_comes_back(words):
    text = " ".join(words)
    read, replaced = replace_by_stand_ins(text)
    assert put_back(read, replaced) == text
    assert all(one not in text for one, _ in replaced)


@given(st.text("ab5 -,?!&—’\u00a0\u200b\u200d\t\n🍕") | st.text(), st.sampled_from(["en", "xx"]))
def test_a_normalized_text_stays_as_it_is_and_keeps_its_letters(text, language):
    once = normalizer(language)(text)
    assert normalizer(language)(once) == once
    assert "  " not in once and once == once.strip() and once.isprintable() >= text.isprintable()
    assert any(map(str.isalnum, once)) == any(map(str.isalnum, text))
    assert AS_IT_IS(text) == text


@given(PAIRS, st.integers(1, 60), st.integers(0, 5))
def test_batches_hold_each_pair_once_within_the_limit(pairs, max_tokens, seed):
    batches = batch_indices(pairs, max_tokens, seed)
    assert sorted(sum(batches, [])) == list(range(len(pairs))) and all(batches)
    assert batch_indices(pairs, max_tokens, seed) == batches
    for batch in batches:
        widest = max(max(map(len, pairs[i])) + 1 for i in batch)
        assert widest * len(batch) <= max_tokens or len(batch) == 1
    # sentences of similar length are together: no batch lies across another
    widths = [sorted(max(map(len, pairs[i])) for i in batch) for batch in batches]
    widths.sort(key=lambda each: (each[-1], each[0]))
    assert all(one[-1] <= other[0] for one, other in zip(widths, widths[1:], strict=False))


def test_invisible_signs_go_and_others_have_one_form():
    text = "“I don’t\u00a0like\u200b trees…”\x07 \ufffd— a\ufe0fb\u2013c"
    assert normalizer()(text) == '"I don\'t like trees..." - ab-c'
