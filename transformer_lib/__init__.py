# ruff: noqa: I001 - imported in the order data flows
"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), in the order data flows.

    "I like trees"                                   a sentence
       │  text/          Tokenizer, Vocabulary, make_batch
     [8, 21, 305, 2]                                 ids (b, s), in padded batches
       │  model/         the paper, file by file:
       │    embedding.py    Embeddings, PositionalEncoding
     vectors: which word, and where                  (b, s, d_model)
       │    attention.py    attention_weights, attention, MultiHeadAttention
       │    layers.py       PositionwiseFeedForward, SublayerConnection
       │    encoder.py      EncoderLayer, Encoder    N times; masks.py says who sees whom
     memory: each word, knowing its sentence         (b, s, d_model)
       │    decoder.py      DecoderLayer, Decoder    N times, for the words written so far
       │    transformer.py  Generator, Transformer, make_model
     logits: a score for each possible next word     (b, t, vocab_size)
       │  training/      label_smoothed_cross_entropy, train
       │  decoding/      greedy_decode, beam_search, sample_decode
    "Me gustan los árboles"                          translator.py does it all: text in, text out

To read the core in one sitting, about 1,500 lines: ids.py; text/tokens.py and batching.py; all of
model/ but interface.py; training/loop.py, a plain loop, with loss, schedules, config, batches and
step; decoding/greedy.py and state.py. All else is built around these: `train` adds long runs to the
plain loop, decoding/cache.py makes decoding fast.

Letters in shapes: b batch, s source positions, t target positions, q and k query and key
positions, h heads, d_model d_k d_ff widths, vocab_size words.

Outside this flow: interpret/ (looking inside a model), variants/ (recurrent translators, language
models, parts of newer models), metrics.py (how good a translator is), confidence.py (how sure it
is), recipes.py (training runs that anybody can repeat), checkpoints.py (models on disk), files.py,
and cli/, the command line: python -m transformer_lib --help.
"""

from transformer_lib.ids import BOS, EOS, PAD, SPECIALS, UNK
from transformer_lib.text.tokens import Tokenizer, Vocabulary
from transformer_lib.text.batching import Batch, batch_indices, make_batch, source_batch
from transformer_lib.model.config import BASE, BIG, SMALL, TOY, ModelConfig
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.embedding import (
    Embeddings,
    LearnedPositions,
    PositionalEncoding,
    one_hot,
    positional_encoding,
    tensor2tensor_encoding,
)
from transformer_lib.model.attention import MultiHeadAttention, attention, attention_weights
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection
from transformer_lib.model.encoder import Encoder, EncoderLayer
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.transformer import Generator, Transformer, count_parameters, make_model
from transformer_lib.checkpoints import load_model, save_model
from transformer_lib.training.loss import label_smoothed_cross_entropy
from transformer_lib.training.schedules import linear_schedule, paper_schedule
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.decoding import beam_search, greedy_decode, sample_decode
from transformer_lib.interpret.recording import record_attention
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.translator import Translator

__version__ = "1.0.0"
__all__ = ["BASE", "BIG", "SMALL", "TOY", "ModelConfig", "BOS", "EOS", "PAD", "SPECIALS", "UNK"]
__all__ += ["Tokenizer", "Vocabulary", "Batch", "batch_indices", "make_batch", "source_batch"]
__all__ += ["causal_mask", "padding_mask", "Embeddings", "LearnedPositions", "PositionalEncoding"]
__all__ += ["one_hot", "positional_encoding", "tensor2tensor_encoding", "MultiHeadAttention"]
__all__ += ["attention", "attention_weights", "PositionwiseFeedForward", "SublayerConnection"]
__all__ += ["Encoder", "EncoderLayer", "Decoder", "DecoderLayer", "Generator", "Transformer"]
__all__ += ["count_parameters", "make_model", "label_smoothed_cross_entropy", "load_model", "train"]
__all__ += ["save_model", "TrainingConfig", "linear_schedule", "paper_schedule", "Translator"]
__all__ += ["beam_search", "greedy_decode", "sample_decode", "patch_attention", "record_attention"]
