import pytest

from tests.transformer_lib.torch_twins import randomize
from transformer_lib.model.transformer import make_model


@pytest.fixture(params=[False, True], ids=["post-norm", "pre-norm"])
def model(request):
    sizes = {"N": 2, "d_model": 10, "d_ff": 19, "h": 2, "dropout": 0.3}
    return randomize(make_model(11, 13, **sizes, norm_first=request.param)).eval()
