"""Writing a translation word by word, as functions of a model.

greedy.py    greedy_decode    the likeliest word each time
beam.py      beam_search      the likeliest few beginnings at a time
sampling.py  sample_decode    words drawn by lot, by their probabilities
cache.py     DecoderState     what all three are built on: the words so far, keys and values
             CachedDecoder    the decoder's layers, word by word (WholePrefix: without a cache)
layout.py    for_decoding     the same model with weights that are read faster, or in 8 bits
speculative.py  speculative_decode  as greedy, in fewer steps: a small model writes ahead
"""

from transformer_lib.decoding.beam import Hypothesis, beam_search, penalty
from transformer_lib.decoding.cache import (
    CachedDecoder,
    DecoderState,
    IncrementalDecoder,
    KeyValueCache,
    WholePrefix,
    incremental_decoder,
    inference_mode,
)
from transformer_lib.decoding.greedy import greedy_decode
from transformer_lib.decoding.layout import optimize_for_decoding
from transformer_lib.decoding.sampling import sample_decode, sampling_distribution
from transformer_lib.decoding.speculative import SpeculativeResult, speculative_decode

__all__ = [
    "CachedDecoder",
    "Hypothesis",
    "IncrementalDecoder",
    "KeyValueCache",
    "DecoderState",
    "SpeculativeResult",
    "WholePrefix",
    "beam_search",
    "inference_mode",
    "optimize_for_decoding",
    "greedy_decode",
    "incremental_decoder",
    "penalty",
    "sample_decode",
    "sampling_distribution",
    "speculative_decode",
]
