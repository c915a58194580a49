"""What else is tried with the checks of notebook 08."""

import torch
import torch.nn.functional as F

from course.chapters.ch08_decoder import checks as check
from tests.course.checks.attempts import Attempts
from transformer_lib import BOS, DecoderLayer

PARAMETERS = [*check.three_parts.right]


def by_name(x, memory, mask, own, cross, ffn, norms):
    x = norms[0](x + own(query=x, key=x, value=x, mask=mask))
    x = norms[1](x + cross(x, memory, memory))
    return norms[2](x + ffn(x))


def one_by_one(model, src, words):
    tgt_in = F.pad(words, (1, 0), value=BOS)
    steps = range(1, tgt_in.size(1) + 1)
    return torch.stack([model(src, tgt_in[:, :n])[:, -1] for n in steps], dim=1)


ATTEMPTS = {
    check.parameters: Attempts(
        right=[PARAMETERS],
        slips={"Attention: And W^O, in both?": [[98304, *PARAMETERS[1:]]]},
        mistakes={
            "three whole numbers in a list": [263552, (1, 2), "three", [7.5, *PARAMETERS[1:]]],
        },
    ),
    check.needed: Attempts(mistakes={"Give words of": [("gustan", "<eos>"), (2, 3)]}),
    check.three_sublayers: Attempts(
        right=[by_name],
        mistakes={
            "write its steps yourself": [lambda x, *_: DecoderLayer(14, 13, 2)(x, x)],
            "Called with (2, 5, 14), (2, 3, 14), (1, 1, 5, 5), it stops with AttributeError": [
                lambda x, *parts: parts[-1][0].weight * x  # they are plain functions
            ],
        },
    ),
    check.all_at_once: Attempts(
        right=[lambda model, src, words: model(src, F.pad(words, (1, 0), value=BOS))],
        slips={"the decoder runs 4 times": [one_by_one]},
    ),
    check.planted_fault: Attempts(
        right=[(2, "padding")],
        slips={"count from 0": [(3, "padding")]},
        mistakes={hint: [(2, fault)] for fault, hint in check.FAULTS.items() if fault != "padding"}
        | {"Call each of `suspect.layers`": [(0, "padding")]},
    ),
}
