"""Whatever is stored comes back; what was damaged on its way is refused, and nothing worse."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save

from transformer_lib.files import CheckpointError, read_tensors, write_tensors

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool)
SHAPES = st.lists(st.integers(0, 3), max_size=3)


@st.composite
def tensors(draw):
    shape, dtype = draw(SHAPES), draw(st.sampled_from(DTYPES))
    size = math.prod(shape)
    numbers = draw(st.lists(st.integers(0, 100), min_size=size, max_size=size))
    return torch.tensor(numbers).reshape(shape).to(dtype)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
CONTENTS = st.dictionaries(NAMES.filter(lambda name: name != "__metadata__"), tensors(), max_size=4)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(-9, 9)
ABOUTS = st.dictionaries(st.text(max_size=5), st.recursive(PLAIN, st.lists, max_leaves=4))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda file: None)  # no power cut here, and many files
        yield tmp_path_factory.mktemp("checkpoints") / "some.safetensors"


def older(contents, about):
    """The same as it was written before there was a hash."""
    return save(contents, metadata={"about": json.dumps(about)})


@given(CONTENTS, ABOUTS, st.booleans())
@pytest.mark.slow
def test_what_is_written_comes_back_from_older_files_too(path, contents, about, old):
    if old:
        path.write_bytes(older(contents, about))
    else:
        write_tensors(path, contents, about)
    found, told = read_tensors(path)
    assert told == about and found.keys() == contents.keys()
    for name, tensor in contents.items():
        assert found[name].dtype == tensor.dtype and torch.equal(found[name], tensor)


@given(CONTENTS, ABOUTS, st.data())
@pytest.mark.slow
def test_a_byte_that_was_changed_is_seen_wherever_it_is(path, contents, about, data):
    write_tensors(path, contents, about)
    whole = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(whole)
    with pytest.raises(CheckpointError, match="some.safetensors is damaged"):
        read_tensors(path)
