"""Random models that aren't blind, for tests of decoding.

Their sentences differ with the source, some end early, some don't end at all.
"""

import functools
import math

import torch
from torch import nn

from transformer_lib import BOS, EOS, PAD, make_model, source_batch

MAX = 11


def babbler(seed=0, norm_first=False):
    """A random model, with weights of a size that lets its sentences vary."""
    torch.manual_seed(seed)
    sizes = {"N": 2, "d_model": 22, "d_ff": 19, "h": 2, "dropout": 0.3}
    model = make_model(11, 11, **sizes, norm_first=norm_first).double()
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, nn.Linear):
                part.weight.mul_(3 if part is model.generator.proj else 0.8)
    return model


def endless(model):
    """The same model, which never writes <eos>."""
    words = torch.arange(model.generator.proj.out_features)
    never = torch.where(words == EOS, -math.inf, 0.0)
    model.generator.register_forward_hook(lambda _, __, logits: logits + never)
    return model


def sources(seed=0, lengths=(2, 3, 5, 7, 7, 1, 4, 6, 3, 5, 2)):
    torch.manual_seed(seed)
    return source_batch([torch.randint(4, 11, (length,)).tolist() for length in lengths])


def the_slow_way(model, src):
    """A function from the words so far to the log-probabilities of the next, by the whole model."""

    @functools.cache
    def next_log_probs(ids):
        model.eval()
        with torch.no_grad():
            logits = model(src[None], torch.tensor([[BOS, *ids]]))[0, -1]
        logits[[PAD, BOS]] = -math.inf  # these never come next
        return logits.log_softmax(dim=-1).tolist()

    return next_log_probs


def as_ids(found):
    return [[hypothesis.ids for hypothesis in each] for each in found]
