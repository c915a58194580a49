"""The machines of notebook 09 that lack a part: what each of them can't do, trained or not."""

import pytest
import torch

from course.chapters.ch09_whole_transformer import experiment_growing as growing

SRC, OTHER = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[7, 6, 5, 2]])
TGT = torch.tensor([[1, 8, 9, 10]])


@pytest.fixture(params=[*growing.MACHINES])
def machine(request):
    """Its name, and the machine without training."""
    torch.manual_seed(0)
    return request.param, growing.MACHINES[request.param](11, 13).eval()


def parts_of(what: str) -> list[str]:
    """All parts that a machine has, by the names of the stages."""
    stages = [*growing.MACHINES]
    return stages[: stages.index(what) + 1]


@torch.no_grad()
def moves(before: torch.Tensor, after: torch.Tensor) -> bool:
    return not torch.allclose(before, after, atol=1e-5)


@torch.no_grad()
def test_each_part_is_what_lets_the_machine_do_it(machine):
    what, model = machine
    has, scores = parts_of(what), model(SRC, TGT)
    earlier = moves(scores[:, -1], model(SRC, TGT[:, -1:])[:, -1])
    assert earlier == ("+ self-attention" in has)  # does it know more than the last word?
    ahead = moves(scores[:, 0], model(SRC, TGT.clone().index_fill(1, torch.tensor([3]), 11))[:, 0])
    assert ahead == (what == "+ self-attention")  # does it look ahead?
    assert moves(scores, model(OTHER, TGT)) == ("+ positions" in has)  # does it know the order?
    one = torch.tensor([[5]])
    last = moves(model(one, TGT)[:, -1], model(one, TGT[:, :1])[:, -1])
    assert last == (what != "cross-attention")  # does it keep its last word?
