"""Word by word, with what is kept of the others: the same as the whole decoder."""

import pytest
import torch
from torch import nn

from tests.transformer_lib.small_inputs import SRC
from tests.transformer_lib.torch_twins import randomize
from transformer_lib.decoding import (
    CachedDecoder,
    WholePrefix,
    greedy_decode,
    incremental_decoder,
    speculative_decode,
)
from transformer_lib.interpret.patching import patch_outputs
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.decoder import DecoderLayer
from transformer_lib.model.interface import Seq2SeqModel
from transformer_lib.model.transformer import make_model
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import EOS
from transformer_lib.variants import (
    ALiBi,
    GELUFeedForward,
    ModernAttention,
    NoPositions,
    QKNorm,
    RMSNorm,
    Rotary,
    SwiGLU,
    Window,
    replace_modules,
)
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


def modern(model):
    """Each part exchanged."""
    replace_modules(model, MultiHeadAttention, lambda old: ModernAttention(12, 2, 1))
    replace_modules(
        model.decoder,
        "self_attn",
        lambda old: ModernAttention(
            12, 2, 1, qk_transforms=[QKNorm(6), Rotary(6)], biases=[ALiBi(2), Window(3)]
        ),
    )
    replace_modules(model, "feed_forward", lambda old: SwiGLU(12, 13))
    replace_modules(model, nn.LayerNorm, lambda old: RMSNorm(12))
    return replace_modules(model, "tgt_positions", lambda old: NoPositions())


def gelu(model):
    return replace_modules(model, "feed_forward", lambda old: GELUFeedForward(12, 19))


MODELS = {
    f"{norm}, {positions}": lambda norm=norm, positions=positions: make_model(
        11, 13, **SIZES, norm_first=norm == "pre-norm", positions=positions
    )
    for norm in ("post-norm", "pre-norm")
    for positions in ("paper", "learned")
}
MODELS |= {
    "modern, post-norm": lambda: modern(make_model(11, 13, **SIZES)),
    "modern, pre-norm": lambda: modern(make_model(11, 13, **SIZES, norm_first=True)),
    "GELU": lambda: gelu(make_model(11, 13, **SIZES)),
    "language model, post-norm": lambda: LanguageModel(13, ModelConfig(**SIZES)),
    "language model, pre-norm": lambda: LanguageModel(13, ModelConfig(**SIZES, norm_first=True)),
}
MODELS |= {
    f"recurrent, {attention}": lambda attention=attention: RecurrentTranslator(
        11, 13, RecurrentConfig(N=2, d_model=6, hidden=10, attention=attention)
    )
    for attention in ATTENTIONS
}
EVERY_MODEL = pytest.mark.parametrize("name", MODELS)


def made(name):
    torch.manual_seed(0)
    return randomize(MODELS[name]()).eval()


def decoder_of(model, src=SRC, max_length=5):
    return incremental_decoder(model, model.encode(src), src, max_length)


@EVERY_MODEL
@torch.no_grad()
def test_after_every_prefix_the_logits_are_those_of_the_whole_decoder(name):
    model = made(name)
    decoder = decoder_of(model)
    assert isinstance(decoder, RecurrentDecoder if "recurrent" in name else CachedDecoder)
    for end in range(1, 6):
        whole = model.decode(TGT_IN[:, :end], model.encode(SRC), SRC)
        step = decoder.read(TGT_IN[:, end - 1 : end])
        assert step.shape == whole[:, -1:].shape
        close(model.generator(step), model.generator(whole[:, -1:]))


@EVERY_MODEL
@torch.no_grad()
def test_rows_that_go_on_are_those_that_were_chosen(name):
    model, rows = made(name), torch.tensor([2, 0, 0])
    decoder, whole = decoder_of(model), WholePrefix(model, model.encode(SRC), SRC)
    for reader in (decoder, whole):
        reader.read(TGT_IN[:, :2])
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
    model, src = made("pre-norm, paper"), source_batch([[5, 6, 7], [8], [9, 10, 5, 6]])
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
