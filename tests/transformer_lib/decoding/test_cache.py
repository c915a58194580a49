"""Word by word, with what is kept of the others: the same as the whole decoder."""

import pytest
import torch

from tests.transformer_lib.small_inputs import SRC
from tests.transformer_lib.torch_twins import randomize
from transformer_lib import EOS, DecoderLayer, ModelConfig, make_model, source_batch
from transformer_lib.decoding import (
    CachedDecoder,
    WholePrefix,
    greedy_decode,
    incremental_decoder,
    speculative_decode,
)
from transformer_lib.interpret.patching import patch_outputs
from transformer_lib.model.interface import Seq2SeqModel
from transformer_lib.variants import replace_modules
from transformer_lib.variants.language_model import LanguageModel
from transformer_lib.variants.recurrent import (
    ATTENTIONS,
    RecurrentConfig,
    RecurrentDecoder,
    RecurrentTranslator,
)

close = torch.testing.assert_close
SIZES = {"N": 2, "d_model": 12, "d_ff": 19, "h": 2, "dropout": 0.3}
TGT_IN = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 10, 11, 12], [1, 4, 4, 4, 4]])


MODELS = {
    "post-norm, paper": lambda: make_model(11, 13, **SIZES),
    "pre-norm, learned": lambda: make_model(11, 13, **SIZES, norm_first=True, positions="learned"),
    "language model, post-norm": lambda: LanguageModel(13, ModelConfig(**SIZES)),
    "language model, pre-norm": lambda: LanguageModel(13, ModelConfig(**SIZES, norm_first=True)),
}
MODELS |= {
    f"recurrent, {attention}": lambda attention=attention: RecurrentTranslator(
        11, 13, RecurrentConfig(N=2, d_model=6, hidden=10, attention=attention)
    )
    for attention in ATTENTIONS
}


def made(name):
    return randomize(MODELS[name]()).eval()


def decoder_of(model):
    return incremental_decoder(model, model.encode(SRC), SRC, max_length=5)


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_words_that_are_read_bit_by_bit_and_rows_that_are_chosen_give_the_same(name):
    model, rows = made(name), torch.tensor([2, 0, 0])
    decoder, whole = decoder_of(model), WholePrefix(model, model.encode(SRC), SRC)
    assert isinstance(decoder, RecurrentDecoder if "recurrent" in name else CachedDecoder)
    for reader in (decoder, whole):
        reader.read(TGT_IN[:, :1])
        reader.read(TGT_IN[:, 1:2])
        if hasattr(reader, "rollback"):  # words that were read can be taken back
            reader.read(TGT_IN[[2, 0, 1], 2:4])
            reader.rollback(2)
        reader.select(rows)
    tgt_in, src = torch.cat([TGT_IN[rows, :2], TGT_IN[:, 2:]], dim=1), SRC[rows]
    expected = model.decode(tgt_in, model.encode(src), src)[:, 2:]
    for reader in (decoder, whole):
        close(reader.read(TGT_IN[:, 2:]), expected)


@pytest.mark.parametrize(
    "part",
    [
        "decoder",
        "decoder.layers.1",
        "decoder.layers.0.cross_attn",
        "decoder.layers.1.feed_forward",
        "generator",
    ],
)
def test_a_change_from_outside_counts_with_the_cache_and_without(part):
    model = randomize(make_model(11, 13, **SIZES, norm_first=True)).eval()
    src = source_batch([[5, 6, 7], [8], [9, 10, 5, 6]])
    plain = greedy_decode(model, src, max_length=9)
    with patch_outputs(model, {part: lambda x: x.flip(-1)}):
        one, other = (greedy_decode(model, src, max_length=9, cache=c) for c in (True, False))
    assert one == other != plain


def test_a_layer_with_a_forward_of_its_own_is_run_as_it_is():
    class Deaf(DecoderLayer):
        def forward(self, x, memory, *, tgt_mask=None, src_mask=None):
            x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=tgt_mask))
            return self.residual_feed_forward(x, self.feed_forward)

    model = made("post-norm, paper")
    assert isinstance(decoder_of(model), CachedDecoder)
    replace_modules(model, DecoderLayer, lambda old: randomize(Deaf(12, 19, 2)))
    assert isinstance(decoder_of(model), WholePrefix)
    with torch.no_grad():
        close(decoder_of(model.eval()).read(TGT_IN), model.decode(TGT_IN, model.encode(SRC), SRC))


class OnlyTheProtocol:
    """What `Seq2SeqModel` names, and nothing else of the model."""

    def __init__(self, model):
        for name in dir(Seq2SeqModel):
            if not name.startswith("_"):
                setattr(self, name, getattr(model, name))


@pytest.mark.parametrize("name", ["post-norm, paper", "language model, pre-norm", "recurrent, dot"])
def test_decoding_asks_no_more_than_the_protocol(name):
    model, src = made(name), source_batch([[5, 6, 7], [8], [9, 10, 5, 6]])
    with torch.no_grad():
        # the logit of <eos> is 0, and one of the words 4 and 5 is above it: no sentence ends
        model.generator.proj.weight[EOS] = 0
        model.generator.proj.weight[5] = -model.generator.proj.weight[4]
    bare = OnlyTheProtocol(model)
    assert isinstance(decoder_of(bare), WholePrefix)
    written = greedy_decode(model, src, max_length=9)
    assert greedy_decode(bare, src, max_length=9) == written and all(written)
    one = src[:1, :4]
    assert speculative_decode(bare, model, one, max_length=9).ids == written[0]


@torch.no_grad()
def test_a_decoder_is_as_large_as_what_it_keeps():
    model = made("post-norm, paper")
    decoder, whole = decoder_of(model), WholePrefix(model, model.encode(SRC), SRC)
    for reader in (decoder, whole):
        reader.read(TGT_IN[:, :2])
    # of each of 2 layers the keys and values of 3 sentences, 2 words and 7 of the source, double
    assert decoder.bytes == 8 * (2 * 2 * 3 * (2 + 7) * 12)
    assert whole.bytes == 0
