# ruff: noqa: I001 - imported in the order data flows
"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), in the order data flows.

    "I like trees"                                  a sentence
       │  tokens.py        Tokenizer, Vocabulary
     [8, 21, 305, 2]                                ids (b, s), in padded batches: batching.py
       │  embedding.py     Embeddings, PositionalEncoding
     vectors: which word, and where                 (b, s, d_model)
       │  attention.py     attention_weights, attention, MultiHeadAttention
       │  layers.py        PositionwiseFeedForward, SublayerConnection
       │  encoder.py       EncoderLayer, Encoder    N times; masks.py says who sees whom
     memory: each word, knowing its sentence        (b, s, d_model)
       │  decoder.py       DecoderLayer, Decoder    N times, for the words written so far
       │  model.py         Generator, Transformer, make_model
     logits: a score for each possible next word    (b, t, vocab)
       │  loss.py, training.py                      while it learns
       │  decoding/        greedy_decode, beam_search, sample_decode
    "Me gustan los árboles"                         translator.py does it all: text in, text out

Letters in shapes: b batch, s source positions, t target positions, q and k query and key
positions, h heads, d_model d_k d_ff widths, vocab words.

Beside the flow: config.py (sizes), corpora/ (text), subwords.py (tokens for any text), encoded.py
(ids on disk), languages.py (text and ids), checkpoints.py (files), distributed.py (several
processes), log.py (how a training goes), recipes.py (trainings to repeat), recording.py (looking
inside), evaluation.py (measuring), before.py (a recurrent translator), since/ (parts of newer
models), language_model.py (a decoder alone), plots/ (figures), checks/ (exercises), and the command
line: python -m transformer_lib --help.
"""

from transformer_lib.config import BASE, BIG, SMALL, TOY, ModelConfig
from transformer_lib.tokens import BOS, EOS, PAD, SPECIALS, UNK, Tokenizer, Vocabulary
from transformer_lib.batching import Batch, batch_indices, make_batch, source_batch
from transformer_lib.masks import causal_mask, padding_mask
from transformer_lib.embedding import (
    Embeddings,
    LearnedPositions,
    PositionalEncoding,
    one_hot,
    positional_encoding,
    tensor2tensor_encoding,
)
from transformer_lib.attention import MultiHeadAttention, attention_weights
from transformer_lib.layers import PositionwiseFeedForward, SublayerConnection
from transformer_lib.encoder import Encoder, EncoderLayer
from transformer_lib.decoder import Decoder, DecoderLayer
from transformer_lib.model import Generator, Transformer, count_parameters, make_model
from transformer_lib.loss import label_smoothed_cross_entropy
from transformer_lib.checkpoints import load_model, save_model
from transformer_lib.training import TrainingConfig, linear_schedule, paper_schedule, train
from transformer_lib.decoding import beam_search, greedy_decode, sample_decode
from transformer_lib.recording import edit_attention, record_attention
from transformer_lib.translator import Translator

# The function `attention` is left out: it would hide the module of the same name.
__all__ = [
    "BASE", "BIG", "SMALL", "TOY", "ModelConfig",
    "BOS", "EOS", "PAD", "SPECIALS", "UNK", "Tokenizer", "Vocabulary",
    "Batch", "batch_indices", "make_batch", "source_batch",
    "causal_mask", "padding_mask",
    "Embeddings", "LearnedPositions", "PositionalEncoding",
    "one_hot", "positional_encoding", "tensor2tensor_encoding",
    "MultiHeadAttention", "attention_weights",
    "PositionwiseFeedForward", "SublayerConnection",
    "Encoder", "EncoderLayer", "Decoder", "DecoderLayer",
    "Generator", "Transformer", "count_parameters", "make_model",
    "label_smoothed_cross_entropy",
    "load_model", "save_model",
    "TrainingConfig", "linear_schedule", "paper_schedule", "train",
    "beam_search", "greedy_decode", "sample_decode",
    "edit_attention", "record_attention",
    "Translator",
]  # fmt: skip
