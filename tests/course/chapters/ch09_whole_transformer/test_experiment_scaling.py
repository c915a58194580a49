"""A training step against length, batch, depth and processes, in sizes of a second."""

import dataclasses

from torch.utils.flop_counter import FlopCounterMode

from course.chapters.ch09_whole_transformer import experiment_scaling as scaling
from course.chapters.ch09_whole_transformer.experiment_scaling import Setting, multiplications
from transformer_lib.model.config import TOY


def test_multiplications_are_as_pytorch_counts_them():
    for n in [5, 40]:
        model = dataclasses.replace(TOY, N=3, dropout=0.0)
        setting = Setting(n, 1, model=model, vocabulary=20)
        (batch,) = scaling.all_batches(setting)
        with FlopCounterMode(display=False) as counter:
            scaling.build(setting)(batch.src, batch.tgt_in)
        found = multiplications(model, 20, n)
        assert counter.get_total_flops() == 2 * sum(found.values())
