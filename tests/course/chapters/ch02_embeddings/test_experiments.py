"""The experiment on the root of d_model: what differs at the bottom, and what was found."""

import numpy as np
import torch

from course import experiments
from course.chapters.ch02_embeddings.experiments import BOTTOMS, change_bottom
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import Transformer


def bottom_of(bottom: str) -> torch.Tensor:
    torch.manual_seed(0)
    model = Transformer(14, 14, TOY)
    change_bottom(model, bottom)
    return model.src_embed(torch.arange(14))


def test_the_three_bottoms_differ_as_they_say():
    whole, small, large = (bottom_of(bottom) for bottom in BOTTOMS)
    torch.testing.assert_close(whole, small * TOY.d_model**0.5)
    torch.testing.assert_close(whole, large)


def test_the_factor_is_ahead_on_the_way_and_not_at_the_end():
    mean = {bottom: {} for bottom in BOTTOMS}
    for run in experiments.load("embedding-scale")["results"]:
        for step, loss in run["losses"]:
            mean[run["bottom"]][step] = mean[run["bottom"]].get(step, 0) + loss / 3
    whole, small, large = (mean[bottom] for bottom in BOTTOMS)
    assert small[100] > whole[100] + 1 and abs(whole[100] - large[100]) < 0.2
    assert max(curve[300] for curve in mean.values()) < 0.15
    # At step 150 the small table is about where the others were at 100;
    assert abs(small[150] - whole[100]) < 0.2
    # "some sixty steps later": it comes down to a loss of 1.
    late, early = (np.interp(-1, [-x for x in c.values()], list(c)) for c in (small, whole))
    assert abs(late - early - 60) < 3
