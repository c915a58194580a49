"""What can't be used is refused where it comes in, with one sentence that names the value."""

import math
import re

import pytest
import torch
from torch import nn

from transformer_lib import (
    SMALL,
    TOY,
    Embeddings,
    LearnedPositions,
    ModelConfig,
    MultiHeadAttention,
    PositionalEncoding,
    Tokenizer,
    TrainingConfig,
    Transformer,
    Vocabulary,
    batch_indices,
    label_smoothed_cross_entropy,
    make_batch,
    make_model,
    one_hot,
    paper_schedule,
    positional_encoding,
    tensor2tensor_encoding,
    train,
)
from transformer_lib.decoding import (
    beam_search,
    greedy_decode,
    sample_decode,
    sampling_distribution,
    speculative_decode,
)
from transformer_lib.text import digit_tasks, english_spanish
from transformer_lib.text.parallel import read_parallel
from transformer_lib.text.subwords import Subwords
from transformer_lib.training.loop import train_plain
from transformer_lib.variants import (
    ALiBi,
    GELUFeedForward,
    MixtureOfExperts,
    ModernAttention,
    QKNorm,
    RelativePositions,
    RMSNorm,
    Rotary,
    SwiGLU,
    Window,
    flash_attention,
    replace_modules,
)
from transformer_lib.variants.language_model import LanguageModel, empty_sources, generate
from transformer_lib.variants.recurrent import RecurrentConfig, RecurrentTranslator, recurrent

SIZES = ModelConfig(N=1, d_model=8, d_ff=16, h=2)
MODEL = make_model(11, 12, SIZES)
RECURRENT_MODEL = RecurrentTranslator(11, 12, RecurrentConfig(N=1, d_model=8, hidden=8))
LM = LanguageModel(11, SIZES)
SRC = torch.tensor([[4, 5, 2], [6, 2, 0]])
TGT = torch.tensor([[1, 5], [1, 6]])
PAIRS = [([4, 5], [6])]
ONE_STEP = TrainingConfig(steps=1)


# ids -> what the sentence names; whoever reads them
SOURCES = {
    "no words": (SRC[:, :0], r"\([12], 0\): a sentence has at least"),
    "no batch": (SRC[0], r"\(3,\), but needs two axes, \(batch, words\): .*\[None\] is"),
    "three axes": (SRC[None], r"\(1, 2, 3\), but needs two axes"),
    "a list": ([[4, 5, 2]], "must be a tensor of ids.*not list"),
    "numbers with a point": (SRC.float(), "must be a tensor of ids.*not torch.float32"),
    "a mask": (SRC > 0, "must be a tensor of ids.*not torch.bool"),
    "an id too large": (SRC + 20, "holds the id 2., but ids go from 0 to 1[01]$"),
    "an id below 0": (SRC - 5, "holds the id -[35], but ids go from 0"),
    "padded on the left": (torch.tensor([[0, 4, 5, 2]]), "<pad> before a word: pad .* right only"),
}
READERS = {
    "model": lambda ids: MODEL(ids, TGT),
    "model, target": lambda ids: MODEL(SRC, ids),
    "encode": MODEL.encode,
    "recurrent": lambda ids: RECURRENT_MODEL(ids, TGT),
    "greedy": lambda ids: greedy_decode(MODEL, ids),
    "beam": lambda ids: beam_search(RECURRENT_MODEL, ids),
    "sampling": lambda ids: sample_decode(MODEL, ids),
    "speculative": lambda ids: speculative_decode(MODEL, MODEL, ids[:1] if len(ids) == 2 else ids),
    "language model": LM,
    "generate": lambda ids: generate(LM, ids, 3),
}


@pytest.mark.parametrize("reader", READERS)
def test_ids_that_no_model_reads(reader):
    for source, (ids, named) in SOURCES.items():
        if reader in ("language model", "generate") and "padded" in source:
            READERS[reader](ids)  # GPT-2's 0 is a word like any other
            continue
        with pytest.raises((ValueError, TypeError), match=named) as error:
            READERS[reader](ids)
        assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_compiled_model_stays_one_graph():
    compiled = torch.compile(MODEL.eval(), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(SRC, TGT), MODEL(SRC, TGT))


WHOLE = {  # each takes whole numbers from 1 on
    "src_vocab_size": lambda n: make_model(n, 11),
    "words of a language model": lambda n: LanguageModel(n, TOY),
    "N": lambda n: make_model(11, 11, N=n),
    "h": lambda n: ModelConfig(h=n),
    "hidden": lambda n: RecurrentConfig(hidden=n),
    "heads": lambda n: MultiHeadAttention(8, n),
    "kv_heads": lambda n: ModernAttention(8, 2, n),
    "max_length, learned": lambda n: LearnedPositions(8, 0.1, n),
    "one_hot": lambda n: one_hot(SRC, n),
    "GELU": lambda n: GELUFeedForward(8, n),
    "SwiGLU": lambda n: SwiGLU(n, 8),
    "RMSNorm": RMSNorm,
    "QKNorm": QKNorm,
    "Rotary": Rotary,
    "ALiBi": ALiBi,
    "Window": Window,
    "RelativePositions": lambda n: RelativePositions(n, True),
    "num_buckets": lambda n: RelativePositions(2, True, n),
    "max_distance": lambda n: RelativePositions(2, True, max_distance=n),
    "top_k of experts": lambda n: MixtureOfExperts(8, [nn.Linear(8, 8)] * 2, n),
    "max_length": lambda n: greedy_decode(MODEL, SRC, max_length=n),
    "max_length, beam": lambda n: beam_search(MODEL, SRC, max_length=n),
    "max_length, sampling": lambda n: sample_decode(MODEL, SRC, max_length=n),
    "max_length, speculative": lambda n: speculative_decode(MODEL, LM, SRC[:1], max_length=n),
    "beam_size": lambda n: beam_search(MODEL, SRC, beam_size=n),
    "n_best": lambda n: beam_search(MODEL, SRC, n_best=n),
    "top_k": lambda n: sample_decode(MODEL, SRC, top_k=n),
    "ahead": lambda n: speculative_decode(MODEL, MODEL, SRC[:1], ahead=n),
    "words of a batch": lambda n: batch_indices([([4], [5])], n, 0),
    "count": empty_sources,
    "min_count": lambda n: Vocabulary.build([["a"]], n),
}
WHOLE |= {
    name: lambda n, name=name: TrainingConfig(**{name: n})
    for name in ("steps", "max_tokens", "accumulation_steps", "warmup", "validate_every", "average")
}
WHOLE["threads"] = lambda n: train(MODEL, PAIRS, PAIRS, TrainingConfig(), threads=n)


@pytest.mark.parametrize("name", WHOLE)
def test_a_count_is_a_whole_number(name):
    for wrong in (0, -3, "4", 2.5, None, True, SMALL):
        if wrong is None and name in ("kv_heads", "top_k", "threads"):
            continue  # it stands for all
        kind = ValueError if wrong in (0, -3) else TypeError
        with pytest.raises(kind, match=re.escape(f"={wrong!r:.60}")) as error:
            WHOLE[name](wrong)
        assert "\n" not in str(error.value)


NUMBERS = {
    "smoothing": lambda x: TrainingConfig(smoothing=x),
    "max_lr": lambda x: TrainingConfig(max_lr=x),
    "dropout": lambda x: ModelConfig(dropout=x),
    "dropout, recurrent": lambda x: RecurrentConfig(dropout=x),
    "temperature": lambda x: sample_decode(MODEL, SRC, temperature=x),
    "top_p": lambda x: sample_decode(MODEL, SRC, top_p=x),
    "length_penalty": lambda x: beam_search(MODEL, SRC, length_penalty=x),
    "base": lambda x: Rotary(4, x),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_a_number(name):
    for wrong in ("0.5", SMALL):
        with pytest.raises(TypeError, match=re.escape(f"={wrong!r:.60}")):
            NUMBERS[name](wrong)


def test_a_translator_takes_a_beam_and_a_number_of_translations(translator):
    for how in ({"beam": 0}, {"beam": -1}, {"n_best": 0}, {"beam": 2, "n_best": 3}):
        with pytest.raises(ValueError, match="must"):
            translator.translate("I like trees", **how)
    with pytest.raises(ValueError, match="n_best=0 must be 1 or more"):
        translator.translate("I like trees", n_best=0, sample={})
    with pytest.raises(ValueError, match="batch=0 must be 1 or more"):
        translator.in_batches([[4]], lambda src: [src], batch=0)


PARTS = {
    r"Rotary\(32, .*\) doesn't fit queries of 2 heads with d_k=4": lambda: [Rotary(32)],
    "QKNorm.* doesn't fit queries of 2 heads with d_k=4": lambda: [QKNorm(5)],
    "Linear.* doesn't fit queries": lambda: [nn.Linear(4, 4)],
    r"qk_transforms=Rotary\(4, base=10000.0\) must be a list": lambda: Rotary(4),
}
BIASES = {
    r"ALiBi\(8\) doesn't fit 2 heads: it gives .*8, 1, 1": lambda: [ALiBi(8)],
    r"Rotary\(4, .* doesn't fit 2 heads": lambda: [Rotary(4)],
    r"biases=Window\(3\) must be a list": lambda: Window(3),
}
OTHERS = {
    "d_model=10 must be divisible by h=4$": lambda: ModelConfig(d_model=10, h=4),
    "d_model=10 must be divisible by h=4": lambda: MultiHeadAttention(10, 4),
    "dropout=-0.1 must be at least 0": lambda: ModelConfig(dropout=-0.1),
    "dropout=1.0 must be at least 0 and less than 1": lambda: ModelConfig(dropout=1.0),
    "dropout=nan must be at least 0": lambda: ModelConfig(dropout=math.nan),
    "tie_weights='x' must be one of none, target, all": lambda: ModelConfig(tie_weights="x"),
    "positions='x' must be one of paper, .*, learned": lambda: ModelConfig(positions="x"),
    "source has 11 words and the target 13": lambda: make_model(11, 13, tie_weights="all"),
    "source has 9 words and the target 5": lambda: recurrent(9, 5, tie_weights="all"),
    "d_model=9 must be even": lambda: positional_encoding(3, 9),
    "d_model=3 must be at least 4": lambda: tensor2tensor_encoding(3, 3),
    "ids must lie between 0 and 4, but they run from -1 to 2": lambda: one_hot(
        SRC[1:].clamp(max=3) - 1, 5
    ),
    "they run from 0 to 5": lambda: one_hot(SRC.clamp(max=5), 5),
    "config='SMALL' must be a ModelConfig; .* as in N=2$": lambda: make_model(11, 13, "SMALL"),
    # decoding
    "n_best=5 must lie between 1 and beam_size=4": lambda: beam_search(MODEL, SRC, n_best=5),
    "temperature=0 must be more than 0": lambda: sample_decode(MODEL, SRC[:0], temperature=0),
    "temperature=inf": lambda: sampling_distribution(torch.ones(3), temperature=math.inf),
    "top_p=0.0 must be more than 0": lambda: sample_decode(MODEL, SRC[:0], top_p=0.0),
    "top_p=1.1 must be .* at most 1": lambda: sampling_distribution(torch.ones(3), top_p=1.1),
    "src has 2 sentences": lambda: speculative_decode(MODEL, MODEL, SRC),
    "writes 12 words and the draft 11": lambda: speculative_decode(MODEL, LM, SRC[:1]),
    # training
    "schedule='x' must be one of paper, linear": lambda: TrainingConfig(schedule="x"),
    "max_lr=0.0 must be more than 0": lambda: TrainingConfig(max_lr=0.0),
    "grad_clip=0.0 must be more than 0": lambda: TrainingConfig(grad_clip=0.0),
    "patience=0 must be 1 or more": lambda: TrainingConfig(patience=0),
    'best_by=\'x\' must be "loss" or "bleu"': lambda: TrainingConfig(best_by="x"),
    "smoothing=-0.1 must be at least 0": lambda: TrainingConfig(smoothing=-0.1),
    "smoothing=1.0 must be at least 0 and less": lambda: TrainingConfig(smoothing=1.0),
    "smoothing=1.5 must be at least 0": lambda: label_smoothed_cross_entropy(SRC, SRC[0], 1.5),
    "reduction='x' must be": lambda: label_smoothed_cross_entropy(SRC, SRC[0], reduction="x"),
    "step=0: steps count from 1": lambda: paper_schedule(0, 512),
    'best_by="bleu" needs a function': lambda: trained(best_by="bleu"),
    "average=2 needs a folder": lambda: trained(average=2),
    "resume=True needs the folder": lambda: train(MODEL, PAIRS, PAIRS, ONE_STEP, resume=True),
    "needs at least one pair to train on": lambda: train(MODEL, [], PAIRS, ONE_STEP),
    "and one to validate on": lambda: train_plain(MODEL, PAIRS, [], ONE_STEP),
    "bf16=True is not for the plain loop: use `train`": lambda: plainly(bf16=True),
    "patience=2 is not for": lambda: plainly(patience=2),
    "average=2 is not for": lambda: plainly(average=2),
    "best_by='bleu' is not for": lambda: plainly(best_by="bleu"),
    # text
    "'a' is there twice": lambda: Vocabulary(["a", "b", "a"]),
    "task='sing' must be one of copy, reverse, sort": lambda: digit_tasks.make("sing", 3),
    "count=11 is too many: there are 10 sequences": lambda: digit_tasks.make("copy", 11, 1, 1),
    "1 <= min_length <= max_length, not 4, 2": lambda: digit_tasks.make("copy", 3, 4, 2),
    "1 <= min_length <= max_length, not 0, 2": lambda: digit_tasks.make("copy", 3, 0, 2),
    "skip_bad=-3 must be 0 or more": lambda: list(read_parallel(["x"], skip_bad=-3)),
    "subwords=259 must be 260 or more": lambda: Subwords.learn(["a"], 259),
    "split='x' must be one of train": lambda: english_spanish.load("x"),
    # other parts, other models
    "h=4 must be divisible by kv_heads=3": lambda: ModernAttention(8, 4, 3),
    "buckets=3 must be 4 or more": lambda: RelativePositions(4, True, 3),
    "buckets=1 must be 2 or more": lambda: RelativePositions(4, False, 1),
    "top_k=1 must lie between 2 and the 2 experts": lambda: mixture(1),
    "top_k=3 must lie between 2 and the 2 experts": lambda: mixture(3),
    "block=0 must": lambda: flash_attention(*[torch.ones(2, 3)] * 3, block=0),
    "hidden=7 must be even": lambda: RecurrentConfig(hidden=7),
    "attention='x' must be one of none, dot, additive": lambda: RecurrentConfig(attention="x"),
    "tie_weights='both' must be one of": lambda: RecurrentConfig(tie_weights="both"),
    "dropout=1.5 must be at least 0": lambda: RecurrentConfig(dropout=1.5),
    "no part 'lstm' in this Transformer": lambda: replaced("lstm", lambda old: old),
    "no part RMSNorm in this Transformer": lambda: replaced(RMSNorm, lambda old: old),
    "a batch needs at least one sentence": lambda: make_batch([]),
    "but there is 'a'": lambda: make_batch("abc"),
    "made of ids, not of .*'a', 'b'": lambda: make_batch([("ab", "cd")]),
    "max_new_tokens=-3 must be 0 or more": lambda: generate(LM, SRC, -3),
    "the id 99 isn't in a vocabulary of 5 tokens": lambda: Vocabulary(["a"]).decode([99]),
    "the id -1 isn't in": lambda: Vocabulary(["a"]).decode([-1]),
    "no rules for the language 'zz-9'": lambda: Tokenizer("zz-9")("a"),
    "norm_first='no' must be a bool": lambda: ModelConfig(norm_first="no"),
    "config=.* must be a TrainingConfig": lambda: train(MODEL, PAIRS, PAIRS, TOY),
    "src holds the id 40": lambda: train(MODEL, [([40], [5])], PAIRS, TrainingConfig(steps=1)),
    "config=6 must be a ModelConfig": lambda: Transformer(10, 10, 6),
    "config=None must be a ModelConfig": lambda: LanguageModel(10, None),
    "config=.* must be a RecurrentConfig": lambda: RecurrentTranslator(10, 10, TOY),
    "kind='x' must be one of paper, tensor2tensor": lambda: PositionalEncoding(8, 0.1, "x"),
    'approximate=\'x\' must be "none" or "tanh"': lambda: GELUFeedForward(8, 8, "x"),
    "d_k=7 must be even": lambda: Rotary(7),
    "base=0 more than 0": lambda: Rotary(8, 0),
    "the part for self_attn=None must be a Module": lambda: replaced("self_attn", lambda old: None),
    "part must be a function": lambda: replaced("self_attn", ModernAttention(8, 2)),
}
FIT = {  # another width than the model's, 8
    "feed_forward": lambda old: GELUFeedForward(16, 32),
    "self_attn": lambda old: ModernAttention(16, 2),
    "norm": lambda old: RMSNorm(16),
    "src_embed": lambda old: Embeddings(11, 16),
    "cross_attn": lambda old: nn.Identity(),
}


def trained(**settings):
    return train(MODEL, PAIRS, PAIRS, TrainingConfig(steps=1, **settings))


def plainly(**settings):
    return train_plain(MODEL, PAIRS, PAIRS, TrainingConfig(steps=1, **settings))


def mixture(top_k):
    return MixtureOfExperts(8, [SwiGLU(8, 7) for _ in range(2)], top_k)


def replaced(what, part):
    return replace_modules(make_model(11, 12, SIZES), what, part)


@pytest.mark.parametrize("named", OTHERS)
def test_other_things(named):
    with pytest.raises((ValueError, TypeError), match=named) as error:
        OTHERS[named]()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "named", "parts"),
    [("qk_transforms", *each) for each in PARTS.items()]
    + [("biases", *each) for each in BIASES.items()],
)
def test_a_part_that_doesnt_fit_its_heads(name, named, parts):
    with pytest.raises((ValueError, TypeError), match=re.compile(named, re.DOTALL)):
        ModernAttention(8, 2, **{name: parts()})


@pytest.mark.parametrize("what", FIT)
def test_a_part_that_doesnt_fit_its_place_leaves_the_model_as_it_was(what):
    model = make_model(11, 12, SIZES).eval()
    before = model(SRC, TGT)
    with pytest.raises(ValueError, match="doesn't fit in the place of"):
        replace_modules(model, what, FIT[what])
    assert torch.equal(model(SRC, TGT), before)
