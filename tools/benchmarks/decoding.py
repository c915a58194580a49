"""How fast do we write one word after the other, beside CTranslate2?

    python tools/benchmarks/decoding.py                     32 words, 1 and 64 sentences, a minute

CTranslate2 is an engine in C++ that runs trained Transformers. It is given the very weights of our
model, so both must write the same words; see tools/benchmarks/README.md.
"""

import argparse
import copy
import tempfile
from functools import partial

import torch
from measuring import CLOCKS, arguments, milliseconds, ratio, set_up, take_turns
from torch import nn

from transformer_lib.decoding import beam_search, greedy_decode, optimize_for_decoding
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD, SPECIALS

try:
    import ctranslate2
    from ctranslate2.specs import TransformerSpec
except ImportError:
    ctranslate2 = None

SMALL = ModelConfig(N=3, d_model=256, d_ff=1024, h=4, dropout=0.0)
VOCAB = 8_000
WORDS = 32  # each sentence's, in the source and in the translation
OURS, THEIRS = "ours, fp32", "CTranslate2, fp32"  # ours: greedily, weights laid out to write


def model_without_an_end() -> Transformer:
    """Random weights, but <eos> always has the logit 0, which is never the largest of thousands.

    So every translation goes on for exactly as long as it may. <pad> and <bos> likewise: ours
    forbids them, CTranslate2 doesn't.
    """
    model = Transformer(VOCAB, VOCAB, SMALL).eval()
    with torch.no_grad():
        model.generator.proj.weight[[PAD, BOS, EOS]] = 0.0
    return model


def engines(model: Transformer, folder: str, threads: int) -> dict:
    """CTranslate2's translators with the weights of our model, by their names here."""
    convert(model, folder)
    return {
        name: ctranslate2.Translator(
            folder, compute_type=kind, inter_threads=1, intra_threads=threads
        )
        for name, kind in ((THEIRS, "float32"), ("CTranslate2, int8", "int8"))
    }


def convert(model: Transformer, folder: str) -> None:
    """Write our model as CTranslate2 reads it: ReLU, no biases in attention."""
    config = model.config
    spec = TransformerSpec.from_config(config.N, config.h, pre_norm=config.norm_first)
    encoder, decoder = spec.encoder, spec.decoder
    encoder.embeddings[0].weight = model.src_embed.table.weight.detach()
    decoder.embeddings.weight = model.tgt_embed.table.weight.detach()
    encoder.position_encodings.encodings = model.src_positions.table
    decoder.position_encodings.encodings = model.tgt_positions.table
    for half, ours in ((encoder, model.encoder), (decoder, model.decoder)):
        if config.norm_first:
            set_norm(half.layer_norm, ours.norm)
        for theirs, layer in zip(half.layer, ours.layers, strict=True):
            own = layer.self_attn
            q_k_v = torch.cat([own.w_q.weight, own.w_k.weight, own.w_v.weight])
            norm = layer.residual_self_attn.norm
            set_attention(theirs.self_attention, norm, q_k_v, own.w_o.weight)
            set_feed_forward(theirs.ffn, layer)
    for theirs, layer in zip(decoder.layer, model.decoder.layers, strict=True):
        cross, norm = layer.cross_attn, layer.residual_cross_attn.norm
        k_v = torch.cat([cross.w_k.weight, cross.w_v.weight])
        set_attention(theirs.attention, norm, cross.w_q.weight, k_v, cross.w_o.weight)
    spec.decoder.projection.weight = model.generator.proj.weight.detach()

    spec.register_source_vocabulary(vocabulary(model.src_embed.table.num_embeddings))
    spec.register_target_vocabulary(vocabulary(model.generator.proj.out_features))
    pad, bos, eos, unk = SPECIALS
    spec.config.bos_token = spec.config.decoder_start_token = bos
    spec.config.eos_token, spec.config.unk_token = eos, unk
    spec.validate()
    spec.save(folder)


def vocabulary(size: int) -> list[str]:
    """A name for each id, for CTranslate2 takes and gives words."""
    return [*SPECIALS, *(f"word{i}" for i in range(len(SPECIALS), size))]


def as_words(ids: list[int]) -> list[str]:
    return [f"word{i}" for i in ids]


def set_attention(theirs, norm: nn.LayerNorm, *matrices: torch.Tensor) -> None:
    for linear, matrix in zip(theirs.linear, matrices, strict=True):
        linear.weight = matrix.detach()
    set_norm(theirs.layer_norm, norm)


def set_feed_forward(theirs, layer: nn.Module) -> None:
    ours = layer.feed_forward
    for linear, w in ((theirs.linear_0, ours.w_1), (theirs.linear_1, ours.w_2)):
        linear.weight, linear.bias = w.weight.detach(), w.bias.detach()
    set_norm(theirs.layer_norm, layer.residual_feed_forward.norm)


def set_norm(theirs, norm: nn.LayerNorm) -> None:
    theirs.gamma, theirs.beta = norm.weight.detach(), norm.bias.detach()


def measure(
    model: Transformer, translators: dict, sentences: int, options: argparse.Namespace
) -> None:
    """Print how long each takes. translators: what `engines` gives, or none."""
    ids = torch.randint(len(SPECIALS), VOCAB, (sentences, WORDS - 1)).tolist()
    src = source_batch(ids)
    words = [[*as_words(sentence), SPECIALS[EOS]] for sentence in ids]

    ours = partial(greedy_decode, src=src, max_length=WORDS)
    # Which also says how likely a translation is: a beam of one.
    as_translate = partial(beam_search, src=src, beam_size=1, max_length=WORDS)

    def theirs(translator) -> list[list[str]]:
        results = translator.translate_batch(words, beam_size=1, max_decoding_length=WORDS)
        return [result.hypotheses[0] for result in results]

    quick, small = optimize_for_decoding(model), optimize_for_decoding(model, int8=True)
    contestants = {
        OURS: partial(ours, quick),
        "translate": partial(as_translate, quick),
        "translate --int8": partial(as_translate, small),
        "ours, as trained": partial(ours, model),
        "ours, bf16 weights": partial(ours, copy.deepcopy(model).bfloat16()),
        "ours, int8 weights": partial(ours, small),
        "ours, without cache": partial(ours, model, cache=False),
    } | {name: partial(theirs, translator) for name, translator in translators.items()}

    written = contestants[OURS]()
    assert all(len(sentence) == WORDS for sentence in written), "a translation ended too early"
    print(f"\n{sentences} sentence{'s' * (sentences > 1)} at a time", end="")
    if translators:
        pairs = zip(written, contestants[THEIRS](), strict=True)
        alike = sum(as_words(a) == b for a, b in pairs)
        print(f"; {alike} of {sentences} written alike by both", end="")
    times = take_turns(contestants, options.repeats, CLOCKS[options.clock])
    print(f"\n{'':22}{'ms':>9}{'words/s':>10}{'time / CTranslate2':>22}{'time / ours':>20}")
    for name in contestants:
        taken = milliseconds(times, name)
        beside = ratio(times, name, THEIRS) if translators else "-"
        print(
            f"{name:22}{taken:9.1f}{1000 * sentences * WORDS / taken:10.0f}"
            f"{beside:>22}{ratio(times, name, OURS):>20}"
        )


def main() -> None:
    parser = arguments(__doc__, rounds=20)
    parser.add_argument("--sentences", type=int, nargs="+", default=[1, 64], metavar="N")
    options = parser.parse_args()

    set_up(options)
    model = model_without_an_end()
    translators = {}
    if ctranslate2 is None:
        print("CTranslate2 is not installed, so ours runs alone: pip install ctranslate2")
    else:
        print(f"CTranslate2 {ctranslate2.__version__}")
        with tempfile.TemporaryDirectory() as folder:
            translators = engines(model, folder, options.threads)
    for sentences in options.sentences:
        measure(model, translators, sentences, options)


if __name__ == "__main__":
    main()
