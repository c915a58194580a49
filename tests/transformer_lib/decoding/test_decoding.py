"""Greedy decoding, beam search and sampling: what they promise alike."""

import pytest
import torch

from tests.transformer_lib.decoding.random_models import MAX, babbler, endless, sources
from transformer_lib.decoding import beam_search, greedy_decode, sample_decode
from transformer_lib.text.tokens import EOS

SEARCHES = {
    "greedy": greedy_decode,
    "beam": lambda *given, **how: [each[0].ids for each in beam_search(*given, **how)],
    "sampling": lambda *given, **how: [one.ids for one in sample_decode(*given, **how)],
}
EVERY_SEARCH = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("name", ["greedy", "sampling"])
def test_a_finished_sentence_leaves_the_batch_and_the_encoder_runs_once(name, cache):
    model, src, rows, encoded = babbler(), sources(), [], []
    model.generator.register_forward_hook(lambda _, args, __: rows.append(len(args[0])))
    model.encoder.register_forward_hook(lambda _, args, __: encoded.append(len(args[0])))
    lengths = [len(ids) for ids in SEARCHES[name](model, src, max_length=MAX, cache=cache)]
    # a sentence of n words is asked for n + 1 of them, for <eos> too, but at most for MAX
    assert rows == [sum(length >= step for length in lengths) for step in range(len(rows))]
    assert rows[0] == 11 > rows[-1]
    assert encoded == [11]


@EVERY_SEARCH
def test_it_ends_when_every_sentence_has_or_after_64_words(search):
    model = babbler()
    assert len(search(endless(model), sources(lengths=(4,)))[0]) == 64
    model = babbler()
    model.generator.forward = lambda x: 99 * torch.eye(11)[[EOS] * len(x)]
    assert search(model, sources(), max_length=10**4, cache=False) == [[]] * 11


@EVERY_SEARCH
def test_the_mode_of_each_part_is_restored_also_after_an_error(search):
    model, src, seen = babbler().train(), sources(), []
    model.encoder.eval()

    def broken(x):
        seen.append(model.training or x.requires_grad)
        raise RuntimeError("broken on purpose")

    search(model, src, max_length=2)
    model.generator.forward = broken
    with pytest.raises(RuntimeError, match="on purpose"):
        search(model, src)
    assert seen == [False]
    assert model.training and model.decoder.layers[0].training
    assert not any(module.training for module in model.encoder.modules())
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
