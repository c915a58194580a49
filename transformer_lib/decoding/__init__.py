"""Writing a translation word by word, as functions of a model.

greedy.py        greedy_decode  the likeliest word each time
beam.py          beam_search    the likeliest few beginnings at a time
sampling.py      sample_decode  words drawn at random, by their probabilities
state.py         DecoderState   what these three are built on: the words so far
cache.py         CachedDecoder  reads only the newest of them (WholePrefix: all, each time)
speculative.py   speculative_decode  greedy, in fewer steps: a small model writes ahead
quantization.py  optimize_for_decoding  the same weights, read faster: reordered, or in fewer bits
"""

from transformer_lib.decoding.beam import Hypothesis, beam_search, penalty
from transformer_lib.decoding.cache import CachedDecoder, KeyValueCache
from transformer_lib.decoding.greedy import greedy_decode
from transformer_lib.decoding.quantization import optimize_for_decoding
from transformer_lib.decoding.sampling import sample_decode, sampling_distribution
from transformer_lib.decoding.speculative import SpeculativeResult, speculative_decode
from transformer_lib.decoding.state import (
    DecoderState,
    IncrementalDecoder,
    WholePrefix,
    incremental_decoder,
    inference_mode,
)

__all__ = ["CachedDecoder", "Hypothesis", "IncrementalDecoder", "KeyValueCache", "DecoderState"]
__all__ += ["SpeculativeResult", "WholePrefix", "beam_search", "inference_mode"]
__all__ += ["optimize_for_decoding", "greedy_decode", "incremental_decoder", "penalty"]
__all__ += ["sample_decode", "sampling_distribution", "speculative_decode"]
