"""Whatever is stored comes back; what was damaged on its way is refused, and nothing worse."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save

from transformer_lib.checkpoints import load_model, save_model
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.transformer import make_model

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


@given(CONTENTS, ABOUTS, st.booleans(), st.data())
@pytest.mark.slow
def test_a_file_that_was_cut_is_refused_an_older_one_too(path, contents, about, old, data):
    write_tensors(path, contents, about)
    whole = older(contents, about) if old else path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(CheckpointError, match="some.safetensors is damaged"):
        read_tensors(path)


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


@pytest.mark.slow
def test_every_single_bit_is_held(path):
    write_tensors(path, {"w": torch.arange(3.0)}, {"run": {"step": 7}})
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            with pytest.raises(CheckpointError, match="is damaged"):
                read_tensors(path)


@st.composite
def broken(draw, whole):
    """A file whose header has other bytes, or says something else of one tensor."""
    end = 8 + int.from_bytes(whole[:8], "little")
    if draw(st.booleans()):
        content = bytearray(whole)
        for place in draw(st.lists(st.integers(0, end - 1), min_size=1, max_size=3)):
            content[place] = draw(st.integers(0, 255))
        return bytes(content)
    header = json.loads(whole[8:end])
    name = draw(st.sampled_from(sorted(header.keys() - {"__metadata__"})))
    entry = header.pop(name)
    change = draw(st.sampled_from(["shape", "dtype", "name", "nothing is left", "place"]))
    if change == "shape":
        flat = st.just([math.prod(entry["shape"])])
        entry["shape"] = draw(flat | st.permutations(entry["shape"]).map(list))
    elif change == "dtype":
        entry["dtype"] = draw(st.sampled_from(["I32", "F16", "F99", "", None]))
    elif change == "place":
        entry["data_offsets"][draw(st.integers(0, 1))] += draw(st.sampled_from([-4, 4, 10**9]))
    if change != "nothing is left":
        header[f"{name}'" if change == "name" else name] = entry
    said = json.dumps(header).encode()
    return len(said).to_bytes(8, "little") + said + whole[end:]


@given(st.data())
@pytest.mark.slow
def test_an_older_model_with_a_broken_header_is_refused_or_whole(path, data):
    """Without a hash nothing holds the numbers, but what the header says must fit."""
    torch.manual_seed(0)
    model = make_model(5, 5, N=1, d_model=2, d_ff=3, h=1)
    save_model(path.parent, model)
    content = data.draw(broken(older(dict(model.named_parameters()), {})))
    (path.parent / "model.safetensors").write_bytes(content)
    try:
        found = load_model(path.parent)
    except CheckpointError as error:
        assert "model.safetensors" in str(error) and "\n" not in str(error)
    else:
        shapes = {name: one.shape for name, one in model.named_parameters()}
        assert {name: one.shape for name, one in found.named_parameters()} == shapes


@given(st.binary(max_size=200))
def test_any_bytes_are_no_checkpoint(path, content):
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="is damaged"):
        read_tensors(path)
